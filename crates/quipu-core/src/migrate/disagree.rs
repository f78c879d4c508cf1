//! Whether two instructions disagree. They are short, so that [`contradict::conflict`], which wants
//! words to go by, is helped by the few frames that instructions have.

use std::collections::BTreeSet;

use crate::contradict;
use crate::prose;

/// Words that turn a rule round, or carry it.
const TURNS: [&str; 10] =
    ["always", "never", "do", "not", "don't", "avoid", "no", "use", "must", "should"];

/// Returns why two instructions cannot both be followed.
pub(super) fn disagree(one: &str, other: &str) -> Option<String> {
    contradict::conflict(one, other).or_else(|| disagree_plainly(one, other))
}

/// The same by the frames of instructions alone: what stands in one file was written by somebody who
/// knew the rest of it, and likeness of subject is no sign there.
pub(super) fn disagree_plainly(one: &str, other: &str) -> Option<String> {
    let (a, b) = (tokens(one), tokens(other));
    contradict::reversed(one, other)
        .or_else(|| turned(&a, &b))
        .or_else(|| counted(&a, &b))
        .or_else(|| chosen(&a, &b))
}

fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words = prose::words(&lower, "'").filter(|word| !["a", "an", "the"].contains(word));
    words.map(str::to_owned).collect()
}

/// "Always use X" and "never use X".
fn turned(a: &[String], b: &[String]) -> Option<String> {
    let bare = |words: &[String]| -> BTreeSet<String> {
        words.iter().filter(|word| !TURNS.contains(&word.as_str())).cloned().collect()
    };
    let denies = |words: &[String]| {
        words.iter().any(|word| ["never", "not", "don't", "avoid", "no"].contains(&word.as_str()))
    };
    let is_same = !bare(a).is_empty() && bare(a) == bare(b);
    (is_same && denies(a) != denies(b)).then(|| "one says it and the other denies it".to_owned())
}

/// "2 spaces" and "4 spaces", in the same words.
fn counted(a: &[String], b: &[String]) -> Option<String> {
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let mut differ = a.iter().zip(b).filter(|(x, y)| x != y);
    let (from, to) = differ.next()?;
    (a.len() == b.len()
        && a.len() >= 3
        && differ.next().is_none()
        && is_number(from)
        && is_number(to))
    .then(|| format!("{from} or {to}"))
}

/// "Use A for X" and "use B for X"; "do X with A" and "do X with B".
fn chosen(a: &[String], b: &[String]) -> Option<String> {
    let split = |words: &[String], at: &str| -> Option<(Vec<String>, Vec<String>)> {
        let place = words.iter().position(|word| word == at)?;
        Some((words[..place].to_vec(), words[place + 1..].to_vec()))
    };
    let is_choice = |words: &[String]| matches!(words.len(), 1 | 2);
    let disjoint = |x: &[String], y: &[String]| x.iter().all(|word| !y.contains(word));
    if let (Some((head, purpose)), Some((other_head, other_purpose))) =
        (split(a, "for"), split(b, "for"))
        && purpose == other_purpose
        && !purpose.is_empty()
        && head.first() == other_head.first()
        && ["use", "prefer"].contains(&head.first().map_or("", String::as_str))
    {
        let (x, y) = (&head[1..], &other_head[1..]);
        return (is_choice(x) && is_choice(y) && disjoint(x, y))
            .then(|| format!("{} or {}", x.join(" "), y.join(" ")));
    }
    let (head, tool) = split(a, "with")?;
    let (other_head, other_tool) = split(b, "with")?;
    (head == other_head
        && head.len() >= 2
        && is_choice(&tool)
        && is_choice(&other_tool)
        && disjoint(&tool, &other_tool))
    .then(|| format!("{} or {}", tool.join(" "), other_tool.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_about_different_things_agree() {
        for (one, other) in [
            ("Use React hooks", "Use React context"),
            ("Use vitest for unit tests", "Use playwright for browser tests"),
            ("Run `make test` before a commit", "Run `make lint` before a commit"),
            ("Never log secrets", "Never commit secrets"),
            ("Prefer composition over inheritance", "Prefer small functions"),
        ] {
            assert_eq!(disagree(one, other), None, "{one} / {other}");
        }
        assert_eq!(
            disagree("Use tabs for indentation", "Use spaces for indentation").as_deref(),
            Some("`tabs` became `spaces` (about indentation)")
        );
    }
}
