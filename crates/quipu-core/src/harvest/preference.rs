//! Which of two things a text prefers: "tabs over spaces" is the opposite of "spaces over tabs".

/// Words between what is preferred and what is not.
const OVER: &[&str] = &[
    "instead of",
    "rather than",
    "in place of",
    "preferred to",
    "preferred over",
    "takes the place of",
    "replaces",
    "replace",
    "statt",
    "anstatt",
    "anstelle von",
    "ersetzt",
    "plutôt que",
    "au lieu de",
    "à la place de",
    "remplace",
    "en lugar de",
    "en vez de",
    "reemplaza",
    "em vez de",
    "em lugar de",
    "substitui",
    "invece di",
    "al posto di",
    "sostituisce",
];

/// The same, where what is preferred comes last.
const UNDER: &[&str] =
    &["replaced by", "replaced with", "ersetzt durch", "remplacé par", "reemplazado por"];

/// Words that make "over" a preference.
const PREFERS: &[&str] = &["prefer", "prefers", "favour", "favor", "choose", "chose", "chosen"];

/// Words that name nothing.
const FILLERS: &[&str] = &[
    "a", "an", "the", "is", "are", "was", "be", "been", "by", "we", "use", "uses", "always", "to",
    "one", "our", "of", "in", "for", "der", "die", "das", "den", "ein", "eine", "le", "la", "les",
    "un", "une", "el", "los", "las", "il", "o", "os", "as",
];

/// Words that tell only that something is preferred.
const TELLERS: &[&str] = &[
    "prefer",
    "prefers",
    "preferred",
    "favour",
    "favor",
    "choose",
    "chose",
    "chosen",
    "instead",
    "rather",
    "than",
    "over",
    "replace",
    "replaces",
    "replaced",
    "not",
    "place",
];

/// So many words beside the turn may name what is meant.
const NEAR: usize = 3;

/// What a text prefers to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Preference {
    /// The words that lead to the turn, the nearest first.
    wanted: Vec<String>,
    /// The words after it, the nearest first.
    unwanted: Vec<String>,
}

impl Preference {
    /// Returns what a text prefers, where it says so.
    pub(super) fn of(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let (before, after, is_turned) = turn(&words)?;
        let near = |words: &mut dyn Iterator<Item = &&str>| -> Vec<String> {
            let plain = words.map(|word| plain(word)).filter(|word| {
                !word.is_empty()
                    && !FILLERS.contains(&word.as_str())
                    && !TELLERS.contains(&word.as_str())
            });
            plain.take(NEAR).collect()
        };
        let before = near(&mut words[..before].iter().rev());
        let after = near(&mut words[after..].iter());
        if before.is_empty() || after.is_empty() {
            return None;
        }
        let (wanted, unwanted) = if is_turned { (after, before) } else { (before, after) };
        Some(Self { wanted, unwanted })
    }

    /// Returns the words nearest to the turn. Another that prefers the same has them among its pairs.
    pub(super) fn nearest(&self) -> (String, String) {
        let first = |words: &[String]| words.first().cloned().unwrap_or_default();
        (first(&self.wanted), first(&self.unwanted))
    }

    /// Returns each word for what is preferred with each for what is not.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let pair = |wanted: &String| {
            let wanted = wanted.clone();
            self.unwanted.iter().map(move |unwanted| (wanted.clone(), unwanted.clone()))
        };
        self.wanted.iter().flat_map(pair)
    }

    /// Tells whether another prefers the same to the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        meets(&self.wanted, &other.wanted)
            && meets(&self.unwanted, &other.unwanted)
            && !self.is_opposite(other)
    }

    /// Tells whether another prefers it the other way round.
    pub(super) fn is_opposite(&self, other: &Self) -> bool {
        meets(&self.wanted, &other.unwanted) && meets(&self.unwanted, &other.wanted)
    }
}

/// Tells whether the word nearest to the turn in one stands near to it in the other.
fn meets(a: &[String], b: &[String]) -> bool {
    a.first().is_some_and(|word| b.contains(word)) && b.first().is_some_and(|word| a.contains(word))
}

/// Returns where the words before the turn end, where those after it begin, and whether what is
/// preferred comes last.
fn turn(words: &[&str]) -> Option<(usize, usize, bool)> {
    let begins = |at: usize, phrase: &str| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let there = words.get(at..at + parts.len())?;
        let is_it = there.iter().zip(&parts).all(|(word, part)| plain_end(word) == *part);
        is_it.then_some(at + parts.len())
    };
    for at in 1..words.len() {
        for (phrases, is_turned) in [(UNDER, true), (OVER, false)] {
            if let Some(after) = phrases.iter().find_map(|phrase| begins(at, phrase)) {
                return Some((at, after, is_turned));
            }
        }
        let is_over = plain_end(words[at]) == "over"
            && words[..at].iter().any(|word| PREFERS.contains(&plain_end(word)));
        // `Tabs, not spaces`.
        let is_not = words[at - 1].ends_with(',')
            && ["not", "nicht", "no", "pas", "non"].contains(&plain_end(words[at]));
        if is_over || is_not {
            return Some((at, at + 1, false));
        }
    }
    None
}

fn plain_end(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns a word without signs and without the ending of a plural.
fn plain(word: &str) -> String {
    let word = plain_end(word);
    let short = word.strip_suffix('s').filter(|short| short.chars().count() > 2);
    short.unwrap_or(word).to_owned()
}

/// Tells whether a word tells only that something is preferred.
pub(super) fn is_teller(word: &str) -> bool {
    TELLERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Preference {
        Preference::of(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn the_same_preference_in_other_words_is_the_same() {
        let graphql = of("Use GraphQL instead of REST for the public API.");
        for text in [
            "The public API is GraphQL, not REST",
            "GraphQL replaces REST in the public API",
            "We chose GraphQL rather than REST for the public API",
            "Prefer GraphQL over REST",
            "REST is replaced by GraphQL",
        ] {
            assert!(graphql.is_same(&of(text)), "{text}");
            assert!(!graphql.is_opposite(&of(text)), "{text}");
        }
    }

    #[test]
    fn the_other_way_round_is_the_opposite() {
        for (a, b) in [
            ("Prefer tabs over spaces in C files", "Prefer spaces over tabs in C files."),
            ("Use REST instead of GraphQL", "Use GraphQL instead of REST for the public API."),
            ("Composition is preferred to inheritance", "Inheritance is preferred to composition"),
            ("Tabs, not spaces", "Spaces, not tabs."),
            ("Use REST instead of GraphQL", "The API is GraphQL, not REST"),
        ] {
            assert!(of(a).is_opposite(&of(b)), "{a} | {b}");
            assert!(!of(a).is_same(&of(b)), "{a} | {b}");
        }
        assert_eq!(Preference::of("The bridge leads over the river"), None);
    }
}
