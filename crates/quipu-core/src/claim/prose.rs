//! A text as words and pieces of code, each with whether its sentence speaks of what is no more.

use std::ops::Range;

use crate::prose;
use crate::text::{Line, lines};

/// A fenced block of more lines than this is quoted, not said.
const LONGEST_QUOTE: usize = 3;

/// A word, or a piece of code as a whole.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) is_code: bool,
    /// Whether the sentence says that something is gone or is not there.
    pub(super) historic: bool,
    /// Which sentence it is in.
    pub(super) sentence: usize,
}

/// Words that say so by themselves.
#[rustfmt::skip]
const GONE: &[&str] = &[
    "removed", "deleted", "renamed", "moved", "relocated", "dropped", "retired", "gone", "obsolete",
    "former", "formerly", "previously", "originally", "historically", "superseded", "replaced",
    "defunct", "decommissioned", "eliminated", "discarded", "erased", "purged", "migrated",
    "missing", "nonexistent", "existed", "deleting", "removing", "renaming", "removal", "deletion",
    "gelöscht", "entfernt", "umbenannt", "verschoben", "früher", "ehemals", "ersetzt", "supprimé",
    "supprimée", "renommé", "renommée", "déplacé", "déplacée", "remplacé", "autrefois", "eliminado",
    "eliminada", "borrado", "borrada", "renombrado", "movido", "reemplazado", "antes",
];

/// Words that say so together.
const GONE_PHRASES: &[&[&str]] = &[
    &["no", "longer"],
    &["not", "exist"],
    &["doesn't", "exist"],
    &["don't", "exist"],
    &["didn't", "exist"],
    &["never", "existed"],
    &["there", "is", "no"],
    &["there", "was"],
    &["there", "were"],
    &["got", "rid"],
    &["get", "rid"],
    &["ripped", "out"],
    &["split", "into"],
    &["folded", "into"],
    &["merged", "into"],
    &["back", "then"],
    &["at", "the", "time"],
    &["was", "in"],
    &["was", "at"],
    &["was", "under"],
    &["was", "called"],
    &["was", "named"],
    &["were", "in"],
    &["were", "under"],
    &["lived", "in"],
    &["lived", "at"],
    &["lived", "under"],
    &["had", "been"],
    &["instead", "of"],
    &["nicht", "mehr"],
    &["n'existe", "plus"],
    &["ya", "no"],
];

/// What one does to the thing that is named next.
const REMOVE: &[&str] =
    &["remove", "delete", "rename", "drop", "retire", "old", "legacy", "ex", "rm", "mv"];

/// How many words may stand between such a word and the thing.
const REACH: usize = 3;

/// Tells whether a piece of text speaks of what is gone, or is not there.
pub fn is_historic(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(normal).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.iter().any(|word| GONE.contains(word))
        || GONE_PHRASES.iter().any(|phrase| words.windows(phrase.len()).any(|at| at == *phrase))
        || says_used_to(&words)
}

/// "We used to keep it there", but not "it is used to keep it there".
fn says_used_to(words: &[&str]) -> bool {
    let is =
        ["is", "are", "be", "was", "were", "been", "being", "get", "gets", "it's", "and", "or"];
    words
        .windows(2)
        .enumerate()
        .any(|(at, pair)| pair == ["used", "to"] && at > 0 && !is.contains(&words[at - 1]))
}

fn normal(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.to_lowercase().replace('’', "'")
}

/// A paragraph, an item of a list, a row of a table or a heading.
struct Block {
    span: Range<usize>,
    kind: BlockKind,
    indent: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Heading,
    Listed,
    Plain,
    Quoted,
}

/// Returns the words and the code of a text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut section = false;
    // What introduces a list says for all of its items that they are gone.
    let mut lead: Option<(usize, bool)> = None;
    let mut sentence = 0;
    for block in blocks(text) {
        let source = &text[block.span.clone()];
        let inherited = match (block.kind, lead) {
            (BlockKind::Listed | BlockKind::Quoted, Some((indent, historic))) => {
                historic && block.indent >= indent
            }
            _ => false,
        };
        sentence += 1;
        if block.kind == BlockKind::Quoted {
            let historic = section || inherited;
            tokens.push(Token {
                text: source,
                start: block.span.start,
                is_code: true,
                historic,
                sentence,
            });
            continue;
        }
        let first = tokens.len();
        read_block(source, block.span.start, &mut sentence, &mut tokens);
        mark(&mut tokens[first..]);
        let own = &mut tokens[first..];
        if block.kind == BlockKind::Heading {
            section = own.iter().any(|token| token.historic);
        }
        let speaks = own.last().is_some_and(|last| last.historic);
        if source.trim_end().trim_end_matches('*').ends_with(':') {
            let below = if block.kind == BlockKind::Listed { block.indent + 1 } else { 0 };
            lead = Some((below, speaks || inherited));
        } else if block.kind != BlockKind::Listed || lead.is_none_or(|(at, _)| block.indent < at) {
            lead = None;
        }
        for token in own {
            token.historic |= section || inherited;
        }
    }
    tokens
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    let mut all = lines(text);
    while let Some(line) = all.next() {
        let trimmed = line.text.trim_start();
        let indent = line.text.len() - trimmed.len();
        if let Some(fence) = fence(trimmed) {
            let quoted: Vec<Line<'_>> = all
                .by_ref()
                .take_while(|next| !next.text.trim_start().starts_with(fence))
                .collect();
            let said =
                quoted.iter().filter(|next| quoted.len() <= LONGEST_QUOTE && !next.is_blank());
            blocks.extend(said.map(|next| Block {
                span: next.start..next.start + next.text.len(),
                kind: BlockKind::Quoted,
                indent,
            }));
            open = false;
            continue;
        }
        let kind = kind_of(trimmed);
        let span = line.start..line.start + line.text.len();
        match blocks.last_mut() {
            _ if line.is_blank() => open = false,
            Some(last) if open && kind == BlockKind::Plain && !trimmed.starts_with('|') => {
                last.span.end = span.end;
            }
            _ => {
                blocks.push(Block { span, kind, indent });
                open = kind != BlockKind::Heading;
            }
        }
    }
    blocks
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
}

fn kind_of(line: &str) -> BlockKind {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    let level = line.trim_start_matches('#');
    if level.len() < line.len() && level.starts_with(' ') {
        BlockKind::Heading
    } else if is_numbered || ["- ", "* ", "+ ", "• "].iter().any(|mark| line.starts_with(mark)) {
        BlockKind::Listed
    } else {
        BlockKind::Plain
    }
}

/// Cuts a block into words and pieces of code, and counts its sentences.
fn read_block<'a>(
    source: &'a str,
    start: usize,
    sentence: &mut usize,
    tokens: &mut Vec<Token<'a>>,
) {
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let next = rest.find(['`', '<']).unwrap_or(rest.len());
        read_words(&rest[..next], start + at, sentence, tokens);
        at += next;
        let rest = &source[at..];
        if rest.is_empty() {
            break;
        }
        if let Some(comment) = rest.strip_prefix("<!--") {
            at += comment.find("-->").map_or(rest.len(), |end| 4 + end + 3);
        } else if rest.starts_with('<') {
            // A word with a template in it stays whole.
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let end = rest[..end].find('`').unwrap_or(end).max(1);
            extend_word(source, start, at + end, tokens);
            at += end;
        } else {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            let inner = &rest[ticks..];
            let Some(length) = inner.find(&rest[..ticks]) else {
                at += ticks;
                continue;
            };
            let text = &inner[..length];
            let from = start + at + ticks;
            tokens.push(Token {
                text,
                start: from,
                is_code: true,
                historic: false,
                sentence: *sentence,
            });
            at += ticks + length + ticks;
        }
    }
}

/// Makes the last word reach up to `end` where it touches what follows; else a word begins there.
fn extend_word<'a>(source: &'a str, start: usize, end: usize, tokens: &mut Vec<Token<'a>>) {
    if let Some(last) = tokens.last_mut().filter(|last| !last.is_code) {
        let from = last.start.wrapping_sub(start);
        if from < source.len() && !source[from..end].contains(char::is_whitespace) {
            last.text = &source[from..end];
        }
    }
}

fn read_words<'a>(text: &'a str, start: usize, sentence: &mut usize, tokens: &mut Vec<Token<'a>>) {
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        if !bare.is_empty() {
            let token = Token {
                text: bare,
                start: start + at,
                is_code: false,
                historic: false,
                sentence: *sentence,
            };
            tokens.push(token);
            let has_space = bare.len() < word.len();
            if has_space && ends_sentence(bare, &text[at + bare.len()..]) {
                *sentence += 1;
            }
        }
        at += word.len();
    }
}

fn ends_sentence(word: &str, after: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', '*', '”', '’']);
    let mut letters = bare.chars();
    let mark = letters.next_back();
    mark.is_some_and(|mark| mark == ';' || prose::ends_sentence(letters.as_str(), mark, after))
}

/// Marks what stands in a sentence that speaks of what is gone.
fn mark(tokens: &mut [Token<'_>]) {
    for sentence in tokens.chunk_by_mut(|a, b| a.sentence == b.sentence) {
        let words: Vec<&str> =
            sentence.iter().filter(|token| !token.is_code).map(|token| token.text).collect();
        if is_historic(&words.join(" ")) {
            for token in sentence {
                token.historic = true;
            }
            continue;
        }
        let words: Vec<String> = sentence
            .iter()
            .map(|token| if token.is_code { String::new() } else { normal(token.text) })
            .collect();
        for (at, token) in sentence.iter_mut().enumerate() {
            let from = at.saturating_sub(REACH);
            let acted = (from..at).rev().find(|other| REMOVE.contains(&&*words[*other]));
            token.historic = acted.is_some_and(|other| {
                other == 0
                    || !["not", "never", "don't", "cannot", "can't"].contains(&&*words[other - 1])
            });
        }
    }
}
