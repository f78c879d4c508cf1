//! What words mean to the comparison of two statements: senses with two poles, families of values,
//! families of scopes, and the little words that say nothing about a subject.

mod classes;
mod little;
mod senses;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub(super) use self::little::{is_action, is_function_word, is_light, is_verb};

/// A sense that a word has: which one, and at which of its two poles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sense {
    pub(super) number: u16,
    pub(super) is_opposite: bool,
}

/// A member of a family of words of which a thing has one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) family: u16,
    pub(super) member: u16,
}

/// What a word means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// Senses with two poles.
    pub(super) senses: Vec<Sense>,
    /// Groups of words that mean the same.
    pub(super) kin: Vec<u16>,
    /// Families of values.
    pub(super) values: Vec<Member>,
    /// Families of scopes: another member is another thing.
    pub(super) scopes: Vec<Member>,
}

/// Returns a word without the endings of its forms: "retries", "retried", "retrying". Unlike a stem it keeps
/// "option" and "optional" apart.
fn base(word: &str) -> String {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.len() > 2);
    let (rest, is_form) = match () {
        () if word.ends_with("ies") || word.ends_with("ied") => {
            return format!("{}y", &word[..word.len() - 3]);
        }
        () if cut("ing").is_some() => (cut("ing"), true),
        () if cut("ed").is_some() => (cut("ed"), true),
        () if word.ends_with("ss") => (None, false),
        () => (cut("s"), false),
    };
    let rest = rest.unwrap_or(word);
    let mut letters = rest.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    let is_doubled = is_form && last == before && !matches!(last, Some('s' | 'l' | 'e'));
    let rest = if is_doubled { &rest[..rest.len() - 1] } else { rest };
    rest.trim_end_matches('e').to_owned()
}

/// All words, by their spelling and by their base.
struct Lexicon {
    words: BTreeMap<String, Meaning>,
    stems: BTreeMap<String, Meaning>,
    /// Words of several parts by their first part, the longest first.
    phrases: BTreeMap<String, Vec<Vec<String>>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

/// Returns what a word in small letters means.
pub(super) fn meaning(word: &str) -> Option<&'static Meaning> {
    LEXICON.words.get(word).or_else(|| {
        let is_plain = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_plain.then(|| LEXICON.stems.get(&base(word))).flatten()
    })
}

/// Tells whether a word is listed as it is spelled.
pub(super) fn is_listed(word: &str) -> bool {
    LEXICON.words.contains_key(word)
}

/// Returns how many of some words, from the first on, make one entry such as `no longer`.
pub(super) fn phrase_length(words: &[&str]) -> Option<usize> {
    let first = words.first()?;
    let phrases = LEXICON.phrases.get(*first)?;
    let fits = |phrase: &&Vec<String>| {
        phrase.len() <= words.len() && phrase.iter().zip(words).all(|(part, word)| part == word)
    };
    phrases.iter().find(fits).map(Vec::len)
}

impl Lexicon {
    fn build() -> Self {
        let mut lexicon =
            Self { words: BTreeMap::new(), stems: BTreeMap::new(), phrases: BTreeMap::new() };
        for (number, line) in (0_u16..).zip(senses::SENSES) {
            for word in line.split_whitespace().skip(1) {
                let (word, is_opposite) = match word.strip_prefix('-') {
                    Some(word) => (word, true),
                    None => (word, false),
                };
                lexicon.add(word, |meaning| meaning.senses.push(Sense { number, is_opposite }));
            }
        }
        for (number, line) in (0_u16..).zip(senses::KIN) {
            for word in line.split_whitespace() {
                lexicon.add(word, |meaning| meaning.kin.push(number));
            }
        }
        for (family, (_, members)) in (0_u16..).zip(classes::VALUES) {
            for (member, names) in (0_u16..).zip(members.split_whitespace()) {
                let one = Member { family, member };
                for name in names.split('=') {
                    lexicon.add(name, |meaning| meaning.values.push(one));
                }
            }
        }
        for (family, (_, members)) in (0_u16..).zip(classes::SCOPES) {
            for (member, names) in (0_u16..).zip(members.split_whitespace()) {
                let one = Member { family, member };
                for name in names.split('=') {
                    lexicon.add(name, |meaning| meaning.scopes.push(one));
                }
            }
        }
        for phrase in little::PHRASES {
            lexicon.add_phrase(phrase);
        }
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
            phrases.dedup();
        }
        lexicon
    }

    fn add(&mut self, word: &str, give: impl Fn(&mut Meaning)) {
        give(self.words.entry(word.to_owned()).or_default());
        if word.contains('_') {
            self.add_phrase(word);
        } else if word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            give(self.stems.entry(base(word)).or_default());
        }
    }

    fn add_phrase(&mut self, phrase: &str) {
        let parts: Vec<String> = phrase.split('_').map(str::to_owned).collect();
        self.phrases.entry(parts[0].clone()).or_default().push(parts);
    }
}

impl Meaning {
    /// Returns the words that mean the same or the opposite, or are of one family of values.
    pub(super) fn relatives(&self) -> impl Iterator<Item = &'static str> {
        let senses = self.senses.iter().map(|sense| senses::SENSES[usize::from(sense.number)]);
        let kin = self.kin.iter().map(|number| senses::KIN[usize::from(*number)]);
        let values = self.values.iter().map(|one| classes::VALUES[usize::from(one.family)].1);
        let lines: Vec<&'static str> = senses.chain(kin).chain(values).collect();
        lines.into_iter().flat_map(|line| line.split([' ', '=', '\n'])).map(|word| {
            let parts = word.trim_start_matches('-').split('_');
            parts.max_by_key(|part| part.len()).unwrap_or_default()
        })
    }
}
