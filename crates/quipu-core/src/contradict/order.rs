//! The same words in another order: "tabs over spaces" and "spaces over tabs" say the opposite.

use crate::prose;

/// Words between what is wanted and what is not, or between what comes first and what comes later.
const PIVOTS: &[(&[&str], Kind)] = &[
    (&["instead", "of"], Kind::Choice),
    (&["rather", "than"], Kind::Choice),
    (&["in", "place", "of"], Kind::Choice),
    (&["over"], Kind::Choice),
    (&["and", "not"], Kind::Choice),
    (&["not"], Kind::Choice),
    (&["and", "never"], Kind::Choice),
    (&["never"], Kind::Choice),
    (&["before"], Kind::Before),
    (&["after"], Kind::After),
];

/// Beginnings that ask for the same.
const ASKS: &[&str] = &["always", "choose", "favor", "favour", "pick", "prefer", "please", "use"];

/// Words that may stand anywhere in a sentence.
const LOOSE: &[&str] = &["a", "an", "the", "only", "always", "please", "also", "just", "all"];

/// A choice of more words says more than one thing.
const LONGEST: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Choice,
    Before,
    After,
}

/// Returns why two instructions say the opposite with the same words: "A over B" and "B over A".
pub(crate) fn reversed(one: &str, other: &str) -> Option<String> {
    let (a, b) = (plain(one), plain(other));
    for (left, right, kind) in splits(&a) {
        for (other_left, other_right, other_kind) in splits(&b) {
            if kind == other_kind
                && let Some((x, y)) = swapped((left, right), (other_left, other_right))
            {
                let between = if kind == Kind::Choice { "or" } else { "first, or" };
                return Some(format!("{} {between} {}", x.join(" "), y.join(" ")));
            }
        }
    }
    None
}

/// Tells whether the words that two texts share stand in the same order in both.
pub(crate) fn is_in_order(one: &str, other: &str) -> bool {
    let (a, b) = (plain(one), plain(other));
    let common = |words: &[String], others: &[String]| -> Vec<String> {
        words.iter().filter(|word| others.contains(word)).cloned().collect()
    };
    common(&a, &b) == common(&b, &a)
}

fn plain(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words = prose::words(&lower, "'#+").filter(|word| !LOOSE.contains(word));
    words.map(str::to_owned).collect()
}

/// Returns what stands before and after each pivot.
fn splits(words: &[String]) -> Vec<(&[String], &[String], Kind)> {
    let mut found = Vec::new();
    for at in 1..words.len() {
        let pivot = PIVOTS.iter().find(|(pivot, _)| {
            let here = words[at..].iter().take(pivot.len());
            here.map(String::as_str).eq(pivot.iter().copied())
        });
        if let Some((pivot, kind)) = pivot {
            found.push((&words[..at], &words[at + pivot.len()..], *kind));
        }
    }
    found
}

/// Returns what changed places, where nothing else differs.
fn swapped<'a>(
    (left, right): (&'a [String], &[String]),
    (other_left, other_right): (&'a [String], &[String]),
) -> Option<(&'a [String], &'a [String])> {
    let asks = |words: &[String]| words.iter().all(|word| ASKS.contains(&word.as_str()));
    for n in 1..=LONGEST.min(left.len()) {
        let (head, x) = left.split_at(left.len() - n);
        let Some(other_tail) = other_right.strip_prefix(x) else { continue };
        for m in 1..=LONGEST.min(other_left.len()) {
            let (other_head, y) = other_left.split_at(other_left.len() - m);
            let Some(tail) = right.strip_prefix(y) else { continue };
            let is_same_frame = head == other_head || (asks(head) && asks(other_head));
            if x != y && tail == other_tail && is_same_frame {
                return Some((x, y));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_turned_round_say_the_opposite() {
        for (one, other, why) in [
            ("Use pnpm, not npm.", "Use npm, not pnpm.", "pnpm or npm"),
            ("Prefer tabs over spaces.", "Prefer spaces over tabs", "tabs or spaces"),
            ("Use REST instead of GraphQL.", "Use GraphQL instead of REST.", "rest or graphql"),
            ("Use pnpm, not npm", "Prefer npm over pnpm", "pnpm or npm"),
            ("Run lint before the tests", "Run the tests before lint", "lint first, or tests"),
        ] {
            assert_eq!(reversed(one, other).as_deref(), Some(why), "{one} / {other}");
            assert!(!is_in_order(one, other) || one.len() != other.len(), "{one} / {other}");
        }
        for (one, other) in [
            ("Use pnpm, not npm.", "Use pnpm, not npm"),
            ("Use tabs, not spaces, in Go", "Use spaces, not tabs, in Python"),
            ("Use pnpm, not npm", "Use vitest, not jest"),
            ("Run lint before tests", "Run tests after lint"),
            ("Named exports only, please", "Only named exports"),
        ] {
            assert_eq!(reversed(one, other), None, "{one} / {other}");
        }
        assert!(is_in_order("Named exports only, please", "Only named exports"));
        assert!(!is_in_order("The client calls the server", "The server calls the client"));
    }
}
