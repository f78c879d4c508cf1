//! The words for files and trees.

use std::fmt::Write as _;

use quipu_code::{Language, describe, describe_tree, outline};

/// Describes a text.
fn described(path: &str, text: &str) -> String {
    let language = Language::of(path).unwrap();
    describe(path, language, &outline(language, text).unwrap())
}

#[test]
fn a_file_is_what_it_is_for_and_what_others_can_use() {
    let text = "//! Charges a card. Slowly.\n\n/// A card.\npub struct Card;\n\nimpl Card {\n    \
        pub fn charge(&self) {}\n    fn hidden(&self) {}\n}\n\nstruct Hidden;\n";
    assert_eq!(
        described("src/pay/charge.rs", text),
        "src/pay/charge.rs (Rust, 11 lines): Charges a card\n\
         pub struct Card // A card\n\
         Card: pub fn charge(&self)"
    );
}

#[test]
fn a_file_without_public_parts_shows_its_top() {
    assert_eq!(
        described("src/main.rs", "fn main() {}\nmod a {\n    fn b() {}\n}\n"),
        "src/main.rs (Rust, 4 lines)\nfn main()\nmod a"
    );
    assert_eq!(described("a.py", ""), "a.py (Python, 0 lines)");
}

#[test]
fn a_long_file_leaves_out_parts_before_wholes() {
    let mut text = String::from("pub struct A;\nimpl A {\n");
    for at in 0..100 {
        writeln!(text, "    /// Does it.\n    pub fn method_{at}(&self) -> u8 {{ 0 }}").unwrap();
    }
    text.push_str("}\npub fn last() {}\n");
    let described = described("a.rs", &text);
    assert!(described.chars().count() <= 2_000);
    assert!(described.contains("\npub fn last()\n"), "{described}");
    assert!(described.starts_with("a.rs (Rust, 204 lines)\npub struct A\nA: pub fn method_0"));
    assert!(described.ends_with("\n… and 42 more"), "{described}");
}

/// Returns paths with a number of lines each.
fn tree(paths: &[&str]) -> String {
    let paths: Vec<(String, usize)> = paths.iter().map(|path| ((*path).to_owned(), 10)).collect();
    describe_tree(&paths)
}

#[test]
fn a_tree_counts_languages_and_folds_what_is_empty() {
    assert_eq!(
        tree(&["README.md", "src/lib.rs", "src/pay/card.rs", "src/pay/x.py", "web/app/src/a.ts"]),
        "5 files in all: Rust 2, Python 1, TypeScript 1, other 1; 50 lines\n\
         ./ (other 1; 10 lines): README.md\n\
         src/ (Rust 1; 10 lines): lib.rs\n  \
         pay/ (Python 1, Rust 1; 20 lines): card.rs, x.py\n\
         web/app/src/ (TypeScript 1; 10 lines): a.ts"
    );
    assert_eq!(tree(&[]), "0 files in all: ; 0 lines");
}

#[test]
fn a_large_tree_is_folded_until_it_fits() {
    for (wide, deep) in [(10, 100), (40, 40), (1_000, 2), (1, 3_000)] {
        let paths: Vec<(String, usize)> = (0..wide)
            .flat_map(|a| (0..deep).map(move |b| (format!("dir{a}/sub{b}/deep/file.rs"), 1)))
            .collect();
        let text = describe_tree(&paths);
        assert!(text.chars().count() <= 4_000, "{wide} {deep}");
        assert!(text.starts_with(&format!("{} files", paths.len())), "{text}");
    }
}
