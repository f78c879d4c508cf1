//! Parsing within bounds. The work is counted, never timed, so that a file gives the same answer on
//! every machine.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::language::Language;

/// How much the parser is given at once. A parser that jumps back asks again, and is counted again.
const CHUNK: usize = 1 << 10;

/// How often the text may be read in all. Sound code is read about twice; an open raw string inside
/// a thousand others a thousand times.
const READS: usize = 24;

/// Steps of the parser for every byte. Sound code takes less than two, tables of numbers four.
const STEPS: usize = 4;

/// What a small file may read, and how many steps it may take, so that the factors above only judge
/// long ones.
const FREE_READS: usize = 1 << 18;
const FREE_STEPS: usize = 4_000;

/// Signs in one statement after which another expression may begin inside the first. Where such a
/// chain is broken and the file ends, the parser keeps a copy of all of it for each of its links.
const LONGEST_CHAIN: usize = 200;

/// Brackets inside each other.
const DEEPEST: usize = 400;

/// The parser reports every so many steps (a constant of tree-sitter).
const STEPS_A_REPORT: usize = 100;

/// Returns the syntax tree of a text, or nothing where reading it takes too much work.
pub(crate) fn parse(language: Language, text: &str) -> Option<Tree> {
    if is_tangled(language, text) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let bytes = text.as_bytes();
    let may_read = bytes.len().saturating_mul(READS) + FREE_READS;
    let may_step = bytes.len().saturating_mul(STEPS) + FREE_STEPS;
    let read = Cell::new(0_usize);
    let mut steps = 0_usize;
    let mut give = |offset: usize, _| {
        let rest = bytes.get(offset..).unwrap_or_default();
        let chunk = &rest[..rest.len().min(CHUNK)];
        read.set(read.get() + chunk.len());
        // An empty answer ends a scan that would go on to the end of the text.
        if read.get() > may_read { &[] } else { chunk }
    };
    let mut watch = |_: &ParseState| {
        steps += STEPS_A_REPORT;
        if read.get() > may_read || steps > may_step {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let tree = parser.parse_with_options(&mut give, None, Some(options))?;
    (read.get() <= may_read).then_some(tree)
}

/// Tells whether a text nests deeper than anyone writes: brackets that never close, or a statement
/// that goes on for ever. The parser's work cannot be counted where it recovers from those.
fn is_tangled(language: Language, text: &str) -> bool {
    let (mut depth, mut chain) = (0_usize, 0_usize);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        // A directive ends whatever stood before it.
        if matches!(language, Language::C | Language::Cpp) && line.trim_start().starts_with('#') {
            chain = 0;
        }
        let mut last = b' ';
        for byte in code_of(language, line, &mut lines).bytes() {
            match byte {
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    chain += 1;
                }
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'=' | b'?' | b'<' | b':' | b'!' | b'-' | b'~' | b'&' | b'*' | b'@'
                    if byte != last =>
                {
                    chain += 1;
                }
                _ => {}
            }
            if matches!(byte, b')' | b']' | b'}' | b'{' | b';' | b',' | b'.') {
                chain = 0;
            }
            if depth > DEEPEST || chain > LONGEST_CHAIN {
                return true;
            }
            last = byte;
        }
    }
    false
}

/// Returns a line, or nothing where it is a comment, together with the lines that belong to it.
fn code_of<'a>(language: Language, line: &'a str, rest: &mut std::str::Lines<'a>) -> &'a str {
    let start = line.trim_start();
    if language == Language::Python {
        return if start.starts_with('#') { "" } else { line };
    }
    if start.starts_with("//") {
        return "";
    }
    if !start.starts_with("/*") {
        return line;
    }
    if let Some((_, after)) = start[2..].split_once("*/") {
        return after;
    }
    let mut ahead = rest.clone();
    while let Some(line) = ahead.next() {
        if let Some((_, after)) = line.split_once("*/") {
            *rest = ahead;
            return after;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_for_ever_is_tangled() {
        let chain = "x=>".repeat(1_000);
        for (language, text, expected) in [
            (Language::C, chain.as_str(), true),
            (Language::Java, &"(".repeat(1_000), true),
            (Language::Rust, &"{".repeat(1_000), true),
            (Language::C, &format!("/*\n{chain}\n*/ int a;"), false),
            (Language::C, &format!("/*\n{chain}"), true),
            (Language::Go, &format!("// {chain}"), false),
            (Language::Python, &format!("// {chain}"), true),
            (Language::C, &"a = b;\n".repeat(1_000), false),
            (Language::C, &format!("int a[] = {{ {} }};", "{ -1, 2 },\n".repeat(1_000)), false),
        ] {
            assert_eq!(is_tangled(language, text), expected, "{language:?} {text:.20}");
        }
    }
}
