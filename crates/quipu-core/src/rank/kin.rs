//! Which words people use for one another when they ask, and which words exclude each other.
//!
//! A short list of everyday and engineering words, and no dictionary: a group holds words that point to
//! the same thing in a question and in its answer ("who *leads* the team" and "is *responsible* for"). Two
//! words of a group are as good as nearly the same word; [`super::evidence`] says how much that counts.

mod groups;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use self::groups::GROUPS;
use crate::terms::Language;

/// Returns the groups that a word in small letters is in, or its stem.
pub(super) fn groups(word: &str, stem: &str) -> Vec<u16> {
    INDEX.get(word).or_else(|| INDEX.get(stem)).cloned().unwrap_or_default()
}

/// A group of rivals, and the place in it: words in one place mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rival {
    pub(super) group: u16,
    pub(super) place: u16,
}

/// Returns where among the rivals a word in small letters is.
pub(super) fn rival(word: &str) -> Option<Rival> {
    RIVAL_INDEX.get(word).copied()
}

static INDEX: LazyLock<BTreeMap<String, Vec<u16>>> = LazyLock::new(|| {
    let mut index: BTreeMap<String, Vec<u16>> = BTreeMap::new();
    for (number, group) in (0..).zip(GROUPS) {
        for word in group.split(' ') {
            for key in [word.to_owned(), Language::English.stem(word)] {
                let groups = index.entry(key).or_default();
                if groups.last() != Some(&number) {
                    groups.push(number);
                }
            }
        }
    }
    index
});

static RIVAL_INDEX: LazyLock<BTreeMap<&'static str, Rival>> = LazyLock::new(|| {
    let mut index = BTreeMap::new();
    for (group, words) in (0..).zip(RIVALS) {
        for (place, same) in (0..).zip(words.split(' ')) {
            index.extend(same.split('/').map(|word| (word, Rival { group, place })));
        }
    }
    index
});

/// Words of which one excludes the others; those with a stroke between them mean the same.
const RIVALS: &[&str] = &[
    "first/1st second/2nd third/3rd fourth/4th fifth/5th sixth/6th",
    "staging production/prod development/dev testing qa",
    "red blue green yellow black white orange purple grey/gray pink",
    "indoor outdoor",
    "small/tiny medium large/big",
    "front rear",
    "left right",
    "upper lower",
    "north south east west",
    "morning evening afternoon night",
    "daily weekly hourly monthly nightly yearly",
    "access refresh",
    "read write",
    "ios android",
    "frontend backend",
    "internal external",
    "public private",
    "primary secondary",
    "inbound/incoming outbound/outgoing",
    "input output",
    "min/minimum max/maximum",
    "upload download",
    "january february march april may june july august september october november december",
    "monday/mondays tuesday/tuesdays wednesday/wednesdays thursday/thursdays friday/fridays saturday/saturdays sunday/sundays",
    "mother father",
    "brother sister",
    "son daughter",
    "husband wife",
    "grandma grandpa",
    "breakfast lunch dinner",
    "summer winter spring autumn",
    "dog cat",
    "kitchen bathroom bedroom",
    "dentist doctor vet",
    "piano guitar violin",
    "train bus plane",
    "buy sell",
    "arrival departure",
    "cpu gpu",
    "debit credit",
    "hot cold",
    "import export",
    "client server",
    "alpha beta gamma delta",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_groups_of_rivals() {
        let words: Vec<&str> = RIVALS.iter().flat_map(|group| group.split([' ', '/'])).collect();
        for word in &words {
            assert_eq!(words.iter().filter(|other| *other == word).count(), 1, "{word}");
        }
    }

    #[test]
    fn words_are_found_by_their_stems_too() {
        let groups = |word: &str| groups(word, &Language::English.stem(word));
        let shared = |a: &str, b: &str| groups(a).iter().any(|group| groups(b).contains(group));
        assert!(shared("basket", "carts"));
        assert!(shared("deploying", "release"));
        assert!(!shared("basket", "release"));
    }
}
