//! Words as the index knows them: folded, stemmed, split where they are names of code, and turned
//! into numbers.
//!
//! A document's words are stemmed in the language of the document. A query is too short to tell
//! its language, so each of its words stands for the stems that it has in every language at hand.

mod language;

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::prose::{self, is_unspaced};
pub use language::Language;

/// A word of the index.
pub type Term = u64;

/// Words longer than this are data, not words.
const LONGEST_WORD: usize = 64;

/// A query takes part with this many words.
const MOST_QUERY_WORDS: usize = 64;

/// What a document puts into the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentTerms {
    /// The language that its words were stemmed in.
    pub language: Language,
    /// Each term and how often it occurs, in order of term.
    pub counts: Vec<(Term, u32)>,
    /// How many words it has that mean something.
    pub length: u32,
    /// The same for texts of the same words in the same order, little words included.
    pub sequence: u64,
}

/// One word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The word as it was written, in small letters.
    pub word: String,
    /// The terms that it may have become.
    pub forms: Vec<Term>,
}

/// Returns the number for a word.
pub fn term(word: &str) -> Term {
    fnv1a(0, word.as_bytes())
}

/// Returns the number for something that is not a word, such as a tag, so that it can be looked
/// up in the same index.
pub fn label(kind: char, name: &str) -> Term {
    fnv1a(u64::from(u32::from(kind)), name.as_bytes())
}

/// FNV-1a: short, and the same everywhere for ever. It keeps nobody from making two texts of one
/// number.
pub fn fnv1a(seed: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns a number for a term and its count, which can be added up in any order: two documents
/// with the same sum have the same words.
pub fn scattered(term: Term, count: u32) -> u64 {
    let mut mixed = term ^ u64::from(count).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns the terms of a document.
pub fn of_document(text: &str) -> DocumentTerms {
    let words = words(text);
    let language = Language::of(words.iter().map(|word| word.text.as_str()));
    let mut counts: BTreeMap<Term, u32> = BTreeMap::new();
    let mut length = 0;
    let in_order = words.iter().filter(|word| word.form != Form::Whole);
    let sequence = in_order.fold(0_u64, |sum, word| scattered(sum ^ term(&word.text), 1));
    for word in words.iter().filter(|word| word.tells(language)) {
        *counts.entry(term(&word.stemmed(language))).or_insert(0) += 1;
        length += 1;
    }
    DocumentTerms { language, counts: counts.into_iter().collect(), length, sequence }
}

/// Returns the words of a query that mean something, each with the forms it may have in documents
/// of `languages`.
pub fn of_query(text: &str, languages: &[Language]) -> Vec<QueryTerm> {
    let words = words(text);
    let guess = Language::of(words.iter().map(|word| word.text.as_str()));
    let mut result: Vec<QueryTerm> = Vec::new();
    for word in words {
        if !word.tells(guess) || result.iter().any(|other| other.word == word.text) {
            continue;
        }
        let all = languages.iter().copied().chain([guess, Language::Unknown]);
        let mut forms: Vec<Term> = all.map(|language| term(&word.stemmed(language))).collect();
        forms.sort_unstable();
        forms.dedup();
        result.push(QueryTerm { word: word.text, forms });
        if result.len() == MOST_QUERY_WORDS {
            break;
        }
    }
    result
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A word of a language.
    Word,
    /// A name of code, such as `retry_backoff_ms`, beside its parts.
    Whole,
    /// Two neighbouring characters of a script without spaces.
    Pair,
}

#[derive(Debug)]
struct Word {
    text: String,
    form: Form,
}

impl Word {
    /// Tells whether it says anything by itself.
    fn tells(&self, language: Language) -> bool {
        let is_letter = self.text.len() == 1 && self.text.bytes().all(|b| b.is_ascii_alphabetic());
        self.form != Form::Word || !(is_letter || language.is_stop(&self.text))
    }

    fn stemmed(&self, language: Language) -> String {
        match self.form {
            Form::Word if self.text.bytes().any(|byte| byte.is_ascii_digit()) => self.text.clone(),
            Form::Word => folded(&language.stem(without_suffix(&self.text))),
            Form::Whole | Form::Pair => self.text.clone(),
        }
    }
}

/// Takes off what an apostrophe joins to a word: `Anna's`, `don't`.
fn without_suffix(word: &str) -> &str {
    word.split_once('\'').map_or(word, |(stem, _)| stem)
}

/// Takes the accents off Latin letters, as people do when they type a query.
fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_owned();
    }
    let is_latin = |c: char| c.is_ascii() || ('\u{c0}'..'\u{250}').contains(&c);
    if !word.chars().all(|c| is_latin(c) || is_combining_mark(c)) {
        return word.to_owned();
    }
    word.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(|c| match c {
            'ß' => vec!['s', 's'],
            'ø' => vec!['o'],
            'ł' => vec!['l'],
            'æ' => vec!['a', 'e'],
            other => vec![other],
        })
        .collect()
}

/// Splits a text into words in small letters.
fn words(text: &str) -> Vec<Word> {
    let normal: std::borrow::Cow<'_, str> =
        if text.is_ascii() { text.into() } else { text.nfkc().collect::<String>().into() };
    let mut words = Vec::new();
    let mut rest = &*normal;
    while let Some(start) = rest.find(in_name) {
        rest = &rest[start..];
        let end = compound_end(rest);
        let compound = &rest[..end];
        let is_compound = compound.contains(joins);
        if is_compound && compound.len() <= LONGEST_WORD {
            words.push(Word { text: compound.to_lowercase(), form: Form::Whole });
        }
        for name in compound.split(joins) {
            push_name(name, &mut words);
        }
        rest = &rest[end..];
    }
    words
}

/// Characters that hold paths, versions and ids together: `src/net/retry.rs`, `4.38`, `a-b`.
fn joins(c: char) -> bool {
    matches!(c, '.' | '-' | '/')
}

/// Returns where a run of names that are joined ends.
fn compound_end(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let goes_on = characters.peek().is_some_and(|(_, next)| in_word(*next));
        if !(in_name(c) || (joins(c) && goes_on)) {
            return at;
        }
    }
    text.len()
}

/// Characters that names of code and contractions hold together with.
fn in_name(c: char) -> bool {
    in_word(c) || matches!(c, '_' | '\'' | '’')
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn push_name(name: &str, words: &mut Vec<Word>) {
    let name = name.trim_matches(|c| !in_word(c));
    if name.is_empty() {
        return;
    }
    if name.chars().any(is_unspaced) {
        push_unspaced(name, words);
        return;
    }
    // `don't` and `3rd` stay whole.
    let parts: Vec<&str> = name.split('_').flat_map(prose::humps).collect();
    if parts.len() > 1 && name.len() <= LONGEST_WORD {
        words.push(Word { text: name.to_lowercase(), form: Form::Whole });
    }
    for part in parts {
        if part.len() <= LONGEST_WORD {
            let text = part.to_lowercase().replace('’', "'");
            words.push(Word { text, form: Form::Word });
        }
    }
}

/// Runs of a script without spaces become pairs of neighbours; what is between them, words.
fn push_unspaced(name: &str, words: &mut Vec<Word>) {
    let characters: Vec<char> = name.chars().collect();
    let runs = characters.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b));
    for run in runs {
        if !is_unspaced(run[0]) {
            push_name(&run.iter().collect::<String>(), words);
        } else if run.len() == 1 {
            words.push(Word { text: run[0].to_string(), form: Form::Pair });
        } else {
            let pairs = run.windows(2);
            words.extend(pairs.map(|pair| Word { text: pair.iter().collect(), form: Form::Pair }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(document: &str, query: &str) -> bool {
        let document = of_document(document);
        let query = of_query(query, &[document.language]);
        query.iter().all(|word| {
            word.forms.iter().any(|form| document.counts.iter().any(|(term, _)| term == form))
        })
    }

    #[test]
    fn words_meet_in_their_stems() {
        assert!(finds("We decided to retry with backoff", "retries retrying decide"));
        assert!(finds("Der Server wurde auf die neuen Datenbanken umgestellt", "Datenbank"));
        assert!(finds("le café était fermé", "cafe"));
        assert!(finds("Мы решили использовать новую базу данных", "базы"));
        assert!(!finds("We decided to retry", "delete"));
    }

    #[test]
    fn names_of_code_are_found_whole_and_by_their_parts() {
        for query in ["retry_backoff_ms", "backoff", "RetryPolicy", "retry policy", "policy"] {
            assert!(
                finds("set retry_backoff_ms in RetryPolicy (src/net/retry.rs)", query),
                "{query}"
            );
        }
    }

    #[test]
    fn scripts_without_spaces_are_found_by_pairs() {
        assert!(finds("東京でデータベースを移行した", "データベース"));
        assert!(finds("我们决定使用新的数据库", "数据库"));
        assert!(finds("우리는 데이터베이스를 선택했다", "데이터베이스"));
    }

    #[test]
    fn stop_words_do_not_count() {
        let terms = of_document("the cat is on the mat");
        assert_eq!(terms.length, 2);
        assert!(of_query("what is the", &[]).is_empty());
    }

    #[test]
    fn odd_texts_are_fine() {
        for text in ["", "' '' '", "🙂🙃", "_ __", "a_b_", "\u{301}", &"x".repeat(5000)] {
            of_document(text);
            of_query(text, &Language::ALL);
        }
    }
}
