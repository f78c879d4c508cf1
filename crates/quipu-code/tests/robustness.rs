//! Files that are broken, cut off, random or hostile.

use proptest::prelude::*;
use quipu_code::{Language, Skipped, describe, manifest, outline};

use crate::samples::SAMPLES;

/// Reads a text in every way there is, and checks what is promised of every answer.
fn read(path: &str, language: Language, text: &str) {
    let Ok(outline) = outline(language, text) else { return };
    for symbol in &outline.symbols {
        assert!(symbol.signature.chars().count() <= 200, "{symbol:?}");
        assert!(!symbol.signature.contains('\n') && !symbol.name.is_empty(), "{symbol:?}");
        assert!(symbol.doc.as_ref().is_none_or(|doc| doc.chars().count() <= 160), "{symbol:?}");
        assert!(symbol.line >= 1 && symbol.line <= outline.lines, "{symbol:?}");
    }
    let described = describe(path, language, &outline);
    assert!(described.chars().count() <= 2_000);
    assert_eq!(described, describe(path, language, &outline));
}

/// Returns the names that a broken text still declares.
fn names(language: Language, text: &str) -> Vec<String> {
    let outline = outline(language, text).unwrap();
    assert!(outline.has_errors, "{text}");
    outline.symbols.into_iter().map(|symbol| symbol.name).collect()
}

#[test]
fn a_broken_file_gives_what_can_be_read() {
    assert_eq!(
        names(Language::Rust, "fn a() {}\nfn b( {\npub struct C;\nfn d() {}\n"),
        ["a", "C", "d"]
    );
    assert_eq!(
        names(
            Language::Python,
            "def a():\n    pass\n\ndef b(:\n\nclass C:\n    def d(self): pass\n"
        ),
        ["a", "b", "C", "d"]
    );
    assert_eq!(
        names(
            Language::TypeScript,
            "export function a() {}\nconst = ;\nexport class B { c() {} }\n"
        ),
        ["a", "B", "c"]
    );
    assert_eq!(names(Language::Go, "package p\nfunc A() {}\nvar = 1 2\nfunc B() {}\n"), ["A", "B"]);
    assert_eq!(names(Language::C, "int a(void) { return 1 }\nint b(void);\n@@@\n"), ["a", "b"]);
}

#[test]
fn deep_nesting_needs_no_stack() {
    let run = || {
        for (language, open, close) in [
            (Language::Cpp, "namespace a {\n", "}\n"),
            (Language::Rust, "mod a {\n", "}\n"),
            (Language::C, "#if A\n", "#endif\n"),
            (Language::JavaScript, "class A { a = ", "}"),
            (Language::Python, "if a:\n", ""),
        ] {
            for depth in [10, 300, 5_000] {
                let text = format!("{}{}", open.repeat(depth), close.repeat(depth));
                read("a", language, &text);
            }
        }
    };
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    small.spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_hostile_file_is_given_up() {
    for (language, text) in [
        (Language::C, "x=>".repeat(10_000)),
        (Language::Java, "x=>".repeat(10_000)),
        (Language::Cpp, "a<\n".repeat(10_000)),
        (Language::Rust, "((\n".repeat(10_000)),
    ] {
        let text = text.as_bytes().chunks(900).map(|line| str::from_utf8(line).unwrap());
        let text = text.collect::<Vec<_>>().join("\n");
        assert_eq!(outline(language, &text), Err(Skipped::TooComplex), "{language:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}", which in 0..Language::ALL.len()) {
        read("a", Language::ALL[which], &text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), which in 0..Language::ALL.len()) {
        read("a", Language::ALL[which], &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_sample_that_is_cut_and_mixed_never_panics(
        which in 0..SAMPLES.len(),
        language in 0..Language::ALL.len(),
        from in 0_usize..3_000,
        to in 0_usize..3_000,
        noise in "[(){}<>\\[\\]\"'`#:;=,é/* \n\t-]{0,12}",
    ) {
        let (path, text, _) = SAMPLES[which];
        let cut = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let text = format!("{}{noise}{}", &text[..cut(from)], &text[cut(to)..]);
        read(path, Language::of(path).unwrap(), &text);
        read(path, Language::ALL[language], &text);
    }

    #[test]
    fn a_manifest_of_anything_never_panics(
        text in "[a-z<>/\\[\\](){}\"'=:;#@.,$%\\-_\\\\ \n\t]{0,200}",
        name in prop::sample::select(vec![
            "Cargo.toml", "package.json", "pyproject.toml", "requirements.txt", "go.mod", "pom.xml",
            "build.gradle", "Makefile", "justfile", "CMakeLists.txt",
        ]),
    ) {
        if let Some(found) = manifest(name, &text) {
            quipu_code::describe_manifest(name, &found);
        }
    }
}
