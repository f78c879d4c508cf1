//! Names for facts: deriving one from a text, and finding the one that was meant.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;

use crate::secret::{self, Scope};

/// Words that say nothing about a fact.
const FILLERS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "has", "have", "in",
    "is", "it", "its", "must", "of", "on", "or", "our", "should", "so", "that", "the", "this",
    "to", "use", "uses", "we", "will", "with",
];

/// Derives an id from the first telling words of `text`, not among `taken`. What looks like a secret
/// never becomes part of it: ids are repeated in logs, and nobody redacts them.
pub fn derive_id(text: &str, is_thread: bool, taken: &BTreeSet<&str>) -> String {
    derive_free_id(text, is_thread, |id| taken.contains(id))
}

/// Does the same for whoever can tell which ids are taken.
pub(crate) fn derive_free_id(
    text: &str,
    is_thread: bool,
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let text = secret::redacted(text, Scope::Memory).replace(secret::REDACTED, " ");
    let text = without_accents(&text);
    let ascii = |c: char| c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase());
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.chars().filter_map(ascii).collect::<String>())
        .filter(|word| !word.is_empty())
        .collect();
    let telling: Vec<String> =
        words.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
    if telling.len() >= 2 {
        words = telling;
    }
    words.truncate(5);
    // Without its punctuation a text may look like a secret that it did not look like before.
    while !words.is_empty() && !secret::scan(&words.join("-"), Scope::Memory).is_empty() {
        words.pop();
    }
    let prefix = if is_thread { "ot" } else { "fact" };
    let starts_with_letter =
        words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    if is_thread || words.len() < 2 || !starts_with_letter {
        words.insert(0, prefix.to_owned());
    }
    if words.len() < 2 {
        words.push("1".to_owned());
    }
    let base = words.join("-");
    let numbered = (2_u32..).map(|n| format!("{base}-{n}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    names.find(|id| !is_taken(id)).unwrap_or(base)
}

/// Returns a text in plain letters where its letters have such: ids hold no others.
pub(crate) fn without_accents(text: &str) -> String {
    let apart: String = text.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect();
    apart.replace('ß', "ss").replace('ø', "o").replace('ł', "l").replace('æ', "ae")
}

/// Tells whether a word of an id says something about what the id names.
pub(crate) fn is_telling(word: &str) -> bool {
    word.len() > 1 && !FILLERS.contains(&word) && !["fact", "ot"].contains(&word)
}

/// Returns the known ids that look most like `id`.
pub fn alike(id: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let mut alike: Vec<(usize, &str)> = known
        .iter()
        .map(|known| (distance(id, known), *known))
        .filter(|(distance, known)| {
            *distance <= 2.max(id.len() / 4) || known.contains(id) || id.contains(known)
        })
        .collect();
    alike.sort_unstable();
    alike.into_iter().take(3).map(|(_, known)| known.to_owned()).collect()
}

/// Returns how many edits lead from one id to the other.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::FactId;

    #[test]
    fn ids_come_from_the_telling_words() {
        let taken = BTreeSet::from(["webhooks-fire-forget"]);
        let id = |text| derive_id(text, false, &taken);
        assert_eq!(id("Webhooks fire & forget"), "webhooks-fire-forget-2");
        assert_eq!(id("We use the POST method only"), "post-method-only");
        assert_eq!(id("Postgres, key AKIAIOSFODNN7QWERTYU"), "postgres-key");
        assert_eq!(id("Ask ada@lovelace.org about releases"), "ask-about-releases");
        assert_eq!(id("Why?"), "fact-why");
        assert_eq!(id("2FA is on"), "fact-2fa-is-on");
        assert_eq!(id("日本語"), "fact-1");
        assert_eq!(derive_id("Ship it now", true, &taken), "ot-ship-now");
        for text in ["a b", "x", "!", "Ärger über Öl", "--"] {
            assert!(id(text).parse::<FactId>().is_ok(), "{text}: {}", id(text));
        }
    }

    #[test]
    fn an_id_never_looks_like_a_secret_that_its_text_did_not_look_like() {
        let text = ["Bot xoxb", "839205716402", "kq7vwz3nt8ymd2rhx5bcj9fp"].join(" - ");
        let id = derive_id(&text, false, &BTreeSet::new());
        assert!(secret::scan(&text.replace(" - ", "-"), Scope::Memory).len() == 1);
        assert!(id.starts_with("bot-") && secret::scan(&id, Scope::Memory).is_empty(), "{id}");
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("post-only", "post-only"), 0);
        assert_eq!(distance("pos-only", "post-onyl"), 3);
    }
}
