//! Which language a file is written in.

use serde::{Deserialize, Serialize};

/// A language whose files can be outlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    C,
    Cpp,
    Go,
    Java,
    JavaScript,
    Python,
    Rust,
    Tsx,
    TypeScript,
}

/// What begins a line of C++ and never one of C, nor of prose.
const CPP_STARTS: [&str; 8] = [
    "constexpr ",
    "namespace{",
    "private:",
    "protected:",
    "public:",
    "template <",
    "template<",
    "using namespace ",
];

/// What begins a line of C++, or a sentence.
const CPP_WORDS: [&str; 3] = ["class ", "namespace ", "using "];

impl Language {
    /// Every language.
    pub const ALL: [Self; 9] = [
        Self::C,
        Self::Cpp,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Python,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
    ];

    /// Returns the language that a path's extension names. A `.h` is C; see [`Language::detect`].
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        Some(match extension.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" => Self::Cpp,
            _ => return None,
        })
    }

    /// Returns the language of a file: what its name says, and C++ for a `.h` that reads like it.
    pub fn detect(path: &str, text: &str) -> Option<Self> {
        let language = Self::of(path)?;
        let is_header = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("h"));
        if is_header && text.lines().any(|line| starts_like_cpp(line.trim_start())) {
            return Some(Self::Cpp);
        }
        Some(language)
    }

    /// Returns the name that people use. TypeScript is one language, with elements or without.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::Tsx | Self::TypeScript => "TypeScript",
        }
    }

    /// Returns what stands between a parent's name and a child's.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Rust | Self::Cpp => "::",
            _ => ".",
        }
    }

    /// Returns the grammar that reads the language.
    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        }
    }
}

/// Tells whether a line can only be C++.
fn starts_like_cpp(line: &str) -> bool {
    let is_statement = || line.trim_end().ends_with(['{', ';', ':', '}']);
    CPP_STARTS.iter().any(|start| line.starts_with(start))
        || (CPP_WORDS.iter().any(|word| line.starts_with(word)) && is_statement())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_names_the_language() {
        for (path, language) in [
            ("src/main.rs", Some(Language::Rust)),
            ("a/b.pyi", Some(Language::Python)),
            ("x.mts", Some(Language::TypeScript)),
            ("types.d.ts", Some(Language::TypeScript)),
            ("x.tsx", Some(Language::Tsx)),
            ("x.cjs", Some(Language::JavaScript)),
            ("x.jsx", Some(Language::JavaScript)),
            ("x.go", Some(Language::Go)),
            ("A.java", Some(Language::Java)),
            ("x.h", Some(Language::C)),
            ("x.hh", Some(Language::Cpp)),
            ("C:\\code\\x.CPP", Some(Language::Cpp)),
            ("Makefile", None),
            (".rs", None),
            ("a.rs/b", None),
            ("x.md", None),
        ] {
            assert_eq!(Language::of(path), language, "{path}");
        }
    }

    #[test]
    fn a_header_that_reads_like_cpp_is_cpp() {
        assert_eq!(Language::detect("x.h", "struct a;\n"), Some(Language::C));
        assert_eq!(Language::detect("x.h", "#pragma once\nclass A {};\n"), Some(Language::Cpp));
        assert_eq!(Language::detect("x.h", "/*\nusing it is\n*/\n"), Some(Language::C));
        assert_eq!(Language::detect("x.c", "class A {};\n"), Some(Language::C));
    }
}
