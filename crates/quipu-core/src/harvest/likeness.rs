//! How much two texts have in common, by the words that tell what they are about.

use std::collections::BTreeSet;

use crate::prose::{self, is_unspaced};

/// Words that two texts share by chance.
const COMMON: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "are", "will", "our", "use", "uses", "der", "die",
    "das", "und", "ein", "eine", "wir", "für", "mit", "los", "las", "una", "que", "para", "con",
    "les", "des", "pour", "une", "nous", "decision", "status", "accepted", "not", "all", "from",
];

/// Returns the words of a text that tell what it is about.
pub(crate) fn telling(text: &str) -> BTreeSet<String> {
    telling_in_order(text).into_iter().collect()
}

/// Returns the same, in their order.
pub(crate) fn telling_in_order(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    for word in prose::words(&lower, "") {
        if word.chars().any(is_unspaced) {
            let chars: Vec<char> = word.chars().collect();
            found.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if word.chars().count() > 2 && !COMMON.contains(&word) {
            // Plurals and endings should not keep two texts apart.
            found.push(word.chars().take(6).collect());
        }
    }
    found
}

/// Returns how much of the smaller text's telling words the other has, in percent.
pub(crate) fn shared(a: &str, b: &str) -> usize {
    let (a, b) = (telling(a), telling(b));
    let smaller = a.len().min(b.len());
    (a.intersection(&b).count() * 100).checked_div(smaller).unwrap_or(0)
}
