//! What comments say: the first sentence of a declaration's documentation, or of a file's.

use quipu_core::prose;
use quipu_core::text::{collapse_whitespace, ellipsis};
use tree_sitter::Node;

use crate::language::Language;
use crate::text::boundary;

/// A sentence has no more characters than this.
const SENTENCE: usize = 160;

/// How many bytes of a comment are read.
const READ: usize = 2_000;

/// How many nodes at the start of a file can hold its documentation.
const HEAD: usize = 32;

/// What begins a comment that talks to a tool, or that waits to be done.
const DIRECTIVES: [&str; 26] = [
    "#region",
    "+build",
    "-*-",
    "<reference",
    "@flow",
    "@format",
    "@jsx",
    "@ts-",
    "FIXME",
    "NOLINT",
    "TODO",
    "XXX",
    "c8 ",
    "clang-format",
    "eslint",
    "export ",
    "global ",
    "globals ",
    "go:",
    "istanbul",
    "jshint",
    "nolint",
    "noinspection",
    "prettier-",
    "tslint:",
    "vim:",
];

/// Tags whose text is the description itself.
const SUMMARIES: [&str; 7] =
    ["brief", "desc", "description", "fileoverview", "overview", "short", "summary"];

/// Returns the row that a node ends on, where a line comment may own its line's end.
pub(crate) fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1).max(node.start_position().row) } else { end.row }
}

/// Returns the first sentence of the comment before a declaration.
pub(crate) fn of_comment(language: Language, comment: &str) -> Option<String> {
    let comment = &comment[..boundary(comment, READ)];
    let comment = match language {
        Language::Rust if !is_outer_doc(comment) => return None,
        // Documentation is a string; a comment is about the code.
        Language::Python => return None,
        // In Java only these are documentation; others comment on the code.
        Language::Java => &comment[comment.rfind("/**").or_else(|| comment.find("///"))?..],
        _ => comment,
    };
    summary(language, comment)
}

/// Returns the first sentence of a Python string.
pub(crate) fn of_docstring(string: &str) -> Option<String> {
    let string = string.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let inner = ["\"\"\"", "'''", "\"", "'"].iter().find_map(|quote| {
        let inner = string.strip_prefix(quote)?;
        Some(inner.strip_suffix(quote).unwrap_or(inner))
    })?;
    summary(Language::Python, &inner[..boundary(inner, READ)])
}

/// Returns the first sentence that a file says about itself.
pub(crate) fn of_file(language: Language, text: &str, root: Node<'_>) -> Option<String> {
    let mut cursor = root.walk();
    let nodes: Vec<Node<'_>> = root.named_children(&mut cursor).take(HEAD).collect();
    match language {
        Language::Python => of_module(text, &nodes),
        Language::Rust => of_crate(text, &nodes),
        Language::Java => None,
        _ => of_head(language, text, &nodes),
    }
}

/// Returns the docstring that begins a Python module.
fn of_module(text: &str, nodes: &[Node<'_>]) -> Option<String> {
    let first = nodes.iter().find(|node| node.kind() != "comment")?;
    let string = first.named_child(0).filter(|node| node.kind() == "string")?;
    of_docstring(text.get(string.byte_range())?)
}

/// Returns what the inner comments at the start of a Rust file say.
fn of_crate(text: &str, nodes: &[Node<'_>]) -> Option<String> {
    let is_inner = |node: &&Node<'_>| {
        let text = text.get(node.byte_range()).unwrap_or_default();
        text.starts_with("//!") || text.starts_with("/*!")
    };
    let mut inner = nodes.iter().skip_while(|node| !is_inner(node)).take_while(is_inner);
    let first = inner.next()?;
    let last = inner.last().unwrap_or(first);
    summary(Language::Rust, text.get(first.start_byte()..last.end_byte())?)
}

/// Returns what the comment at the head of a file says, unless it is a licence or is about the
/// declaration after it.
fn of_head(language: Language, text: &str, nodes: &[Node<'_>]) -> Option<String> {
    let mut at = 0;
    while let Some(first) = nodes.get(at) {
        if first.kind() != "comment" {
            if is_preamble(first, text) {
                at += 1;
                continue;
            }
            return None;
        }
        let is_line = |node: &Node<'_>| text[node.byte_range()].starts_with("//");
        let mut end = at;
        // Line comments on lines that follow each other are one text.
        while is_line(&nodes[end])
            && nodes.get(end + 1).is_some_and(|next| {
                next.kind() == "comment"
                    && is_line(next)
                    && next.start_position().row == last_row(nodes[end]) + 1
            })
        {
            end += 1;
        }
        let comment = &text[first.start_byte()..nodes[end].end_byte()];
        if !is_licence(comment) && is_about_file(language, comment, nodes[end], nodes.get(end + 1))
        {
            return summary(language, comment);
        }
        at = end + 1;
    }
    None
}

/// Tells whether a node may stand before the comment that documents the file.
fn is_preamble(node: &Node<'_>, text: &str) -> bool {
    match node.kind() {
        "hash_bang_line" => true,
        "expression_statement" => text[node.byte_range()].starts_with(['"', '\'']),
        _ => false,
    }
}

/// Tells whether a comment is about its file and not about what follows it.
fn is_about_file(
    language: Language,
    comment: &str,
    node: Node<'_>,
    next: Option<&Node<'_>>,
) -> bool {
    let Some(next) = next else { return true };
    let is_adjacent = next.start_position().row <= last_row(node) + 1;
    if language == Language::Go {
        return is_adjacent && next.kind() == "package_clause";
    }
    let has_tag = ["@file", "\\file", "@module", "@overview", "@packageDocumentation"]
        .iter()
        .any(|tag| comment.contains(tag));
    let is_directive = next.kind().starts_with("preproc_") || next.kind().starts_with("import");
    has_tag || is_directive || !is_adjacent
}

/// Tells whether a comment only says who may copy the file.
fn is_licence(comment: &str) -> bool {
    let head = comment[..boundary(comment, 600)].to_lowercase();
    ["copyright", "license", "licence", "spdx-", "all rights reserved", "public domain"]
        .iter()
        .any(|word| head.contains(word))
}

/// Tells whether a Rust comment documents what follows it.
fn is_outer_doc(comment: &str) -> bool {
    (comment.starts_with("///") && !comment.starts_with("////"))
        || (comment.starts_with("/**") && !comment.starts_with("/***") && comment != "/**/")
}

/// Returns the first sentence of a comment, without its marks.
fn summary(language: Language, comment: &str) -> Option<String> {
    let mut words = String::new();
    for line in comment.lines() {
        let line = unmarked(language, line);
        let is_blank = !line.contains(char::is_alphanumeric);
        if is_blank || DIRECTIVES.iter().any(|start| line.starts_with(start)) {
            if words.is_empty() {
                continue;
            }
            break;
        }
        let line = match tag(line) {
            Some((name, text)) if words.is_empty() => {
                if SUMMARIES.contains(&name) {
                    text
                } else {
                    continue;
                }
            }
            Some(_) => break,
            None => line,
        };
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(line);
    }
    let words = without_markup(language, &words);
    let sentence = first_sentence(words.trim());
    (!sentence.is_empty()).then(|| ellipsis(&sentence, SENTENCE))
}

/// Returns a comment's line without the signs that make it one.
fn unmarked(language: Language, line: &str) -> &str {
    let line = line.trim();
    if language == Language::Python {
        return line;
    }
    let line = ["/**", "/*!", "/*", "///", "//!", "//"]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line);
    let line = line.trim_start_matches(['*', '<']).trim_end_matches("*/");
    line.trim().trim_end_matches('*').trim_matches(['-', '=', '#', '~', ' '])
}

/// Returns a tag and its text: `@brief Draws.` or `\brief Draws.`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('@').or_else(|| line.strip_prefix('\\'))?;
    let (name, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()).then(|| (name, text.trim()))
}

/// Returns a text without the markup of Java's and JavaScript's documentation.
fn without_markup(language: Language, words: &str) -> String {
    let mut text = collapse_whitespace(words);
    if matches!(language, Language::Rust | Language::Python | Language::Go) {
        return text;
    }
    for mark in ["{@link ", "{@code ", "{@linkplain ", "{@literal "] {
        while let Some(at) = text.find(mark) {
            let Some(end) = text[at..].find('}') else { break };
            let inner = text[at + mark.len()..at + end].to_owned();
            text.replace_range(at..=at + end, &inner);
        }
    }
    if language == Language::Java {
        for mark in ["<p>", "<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<em>", "</em>"] {
            text = text.replace(mark, "");
        }
    }
    text
}

/// Returns the first sentence of a text, without its full stop.
fn first_sentence(text: &str) -> String {
    let sentences = prose::sentences(text);
    let first = sentences.first().copied().unwrap_or_default();
    first.trim_end_matches(['.', '。', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_where_the_next_begins() {
        for (text, sentence) in [
            ("Charges cards, e.g. Visa. Slowly.", "Charges cards, e.g. Visa"),
            ("Reads 1.5 pages. Then stops", "Reads 1.5 pages"),
            ("Ends etc. and goes on. Next", "Ends etc. and goes on"),
            ("Why? Because", "Why?"),
            ("支払う。次", "支払う"),
            ("Steps:", "Steps"),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }

    #[test]
    fn a_comment_loses_its_marks() {
        for (language, comment, sentence) in [
            (Language::Rust, "/// Pays\n/// now.\n///\n/// More.", Some("Pays now")),
            (Language::Rust, "// not documentation", None),
            (Language::Java, "/**\n * Pays {@link Card}.\n * @param a b\n */", Some("Pays Card")),
            (Language::Java, "/* no documentation */", None),
            (Language::Cpp, "/// \\brief Draws.\n/// \\param x y", Some("Draws")),
            (Language::C, "/* ---- helpers ---- */", Some("helpers")),
            (Language::JavaScript, "// eslint-disable-next-line", None),
            (Language::JavaScript, "/** @type {number} */", None),
            (Language::Go, "//go:generate x\n// Pay pays.", Some("Pay pays")),
        ] {
            assert_eq!(of_comment(language, comment).as_deref(), sentence, "{comment}");
        }
    }

    #[test]
    fn a_docstring_loses_its_quotes() {
        assert_eq!(of_docstring("r\"\"\"Sends\n  it. Now\"\"\"").as_deref(), Some("Sends it"));
        assert_eq!(of_docstring("'x'").as_deref(), Some("x"));
        assert_eq!(of_docstring("\"\"\"\"\"\""), None);
    }
}
