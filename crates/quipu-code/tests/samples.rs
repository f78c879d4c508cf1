//! A sample of each language, and exactly what is read from it.

use std::fmt::Write as _;

use quipu_code::{Language, Outline, outline};

/// Returns an outline as the expected files have it: `+` is public, the signature and the
/// documentation stand below.
fn shown(outline: &Outline) -> String {
    let mut shown = String::new();
    let head = (outline.lines, outline.has_errors);
    writeln!(shown, "{head:?} {}", outline.doc.as_deref().unwrap_or("-")).unwrap();
    writeln!(shown, "imports {}", outline.imports.join(" | ")).unwrap();
    for symbol in &outline.symbols {
        let mark = if symbol.is_public { '+' } else { '-' };
        let parent = symbol.parent.as_deref().map_or(String::new(), |of| format!(" in {of}"));
        let (line, kind, name) = (symbol.line, symbol.kind.as_str(), &symbol.name);
        writeln!(shown, "{mark} {line} {kind} {name}{parent}").unwrap();
        writeln!(shown, "    {}", symbol.signature).unwrap();
        if let Some(doc) = &symbol.doc {
            writeln!(shown, "    // {doc}").unwrap();
        }
    }
    shown
}

/// Names samples, each with its text and what is read from it.
macro_rules! samples {
    ($($file:literal),*) => {
        [$((
            $file,
            include_str!(concat!("samples/", $file)),
            include_str!(concat!("samples/", $file, ".txt")),
        )),*]
    };
}

/// Every sample.
pub(crate) const SAMPLES: [(&str, &str, &str); 10] = samples![
    "Sample.java",
    "sample.c",
    "sample.cpp",
    "sample.go",
    "sample.js",
    "sample.jsx",
    "sample.py",
    "sample.rs",
    "sample.ts",
    "sample.tsx"
];

#[test]
fn each_language_is_outlined() {
    for (file, text, expected) in SAMPLES {
        let outline = outline(Language::of(file).unwrap(), text).unwrap();
        assert_eq!(shown(&outline), expected, "{file}");
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_change_nothing() {
    for (file, text, expected) in SAMPLES {
        let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let outline = outline(Language::of(file).unwrap(), &text).unwrap();
        assert_eq!(shown(&outline), expected, "{file}");
    }
}

#[test]
fn a_macro_before_the_name_of_a_class_does_not_hide_it() {
    let text = "class EXPORT Canvas : public Base {\npublic:\n    int x;\n};\n";
    let outline = outline(Language::Cpp, text).unwrap();
    let symbol = &outline.symbols[0];
    assert_eq!((symbol.name.as_str(), symbol.kind.as_str()), ("Canvas", "class"));
    assert_eq!(symbol.signature, "class EXPORT Canvas : public Base");
}
