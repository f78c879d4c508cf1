//! Whom a statement is about, and what it says of them: "the owner of Falcon is Grace" is about Falcon.

use crate::prose;

/// One word of a statement, in order.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// As it is compared.
    plain: String,
    /// What it seems to be.
    sort: Sort,
    /// Follows "of", "about" and the like: the statement is about it.
    is_scope: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A word like any other.
    Plain,
    /// The first word, which has a capital in any case.
    First,
    /// A name.
    Name,
    /// A number, a time, a day, a month.
    Number,
    /// A channel, a branch, an account: letters with a mark.
    Marked,
}

/// Words before what a statement is about.
const SCOPES: &[&str] = &["of", "about", "behind", "for", "into"];

/// Words that a sentence begins with to say what it is about.
const FRAMES: &[&str] = &["in", "at", "on", "with", "under", "within"];

/// Anything may take so many of them.
const UNITS: &[&str] = &[
    "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks",
    "month", "months", "year", "years", "times", "percent", "euros", "dollars", "bytes",
];

/// An end of more words says more than one thing.
const LONGEST_END: usize = 2;

/// Returns the words of a statement.
pub(super) fn said(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for raw in prose::spoken_words(text) {
        let raw = raw.strip_suffix("'s").or_else(|| raw.strip_suffix("’s")).unwrap_or(raw);
        let plain = raw.to_lowercase();
        let follows = words.last().is_some_and(|last| SCOPES.contains(&last.plain.as_str()))
            || matches!(&words[..], [only] if FRAMES.contains(&only.plain.as_str()));
        let sort = sort(raw, &plain, words.is_empty());
        words.push(Word { is_scope: follows && sort == Sort::Name, plain, sort });
    }
    words
}

fn sort(raw: &str, plain: &str, is_first: bool) -> Sort {
    let is_file = raw.contains('.') || raw.contains("::");
    if super::is_number(plain) || super::is_of_calendar(raw, plain) {
        Sort::Number
    } else if raw.contains(['#', '@', '/', '_']) && !is_file && plain != "and/or" {
        Sort::Marked
    } else if raw.chars().skip(1).any(char::is_uppercase) {
        Sort::Name
    } else if raw.starts_with(char::is_uppercase) {
        if is_first { Sort::First } else { Sort::Name }
    } else {
        Sort::Plain
    }
}

fn has(words: &[Word], word: &Word) -> bool {
    words.iter().any(|one| one.plain == word.plain)
}

/// Returns the words that may name something and that the other statement lacks, with their places.
fn own_names<'w>(words: &'w [Word], other: &[Word]) -> Vec<(usize, &'w Word)> {
    let is_name = |word: &Word| matches!(word.sort, Sort::Name | Sort::First);
    let own = words.iter().enumerate();
    own.filter(|(_, word)| is_name(word) && !has(other, word)).collect()
}

/// Tells whether two statements are about different things, whatever they say of them.
pub(super) fn are_about_others(old: &[Word], new: &[Word]) -> bool {
    let (old_names, new_names) = (own_names(old, new), own_names(new, old));
    if old_names.is_empty() || new_names.is_empty() {
        return false;
    }
    let is_of_own = |names: &[(usize, &Word)]| names.iter().any(|(_, word)| word.is_scope);
    is_of_own(&old_names)
        || is_of_own(&new_names)
        || say_the_same_after(old, new, &old_names)
        || say_the_same_after(new, old, &new_names)
}

/// Tells whether what both say comes after the name that only one has: "we host Orchid in Zurich" says
/// of another what "we host Basalt in Zurich" says.
fn say_the_same_after(words: &[Word], other: &[Word], own: &[(usize, &Word)]) -> bool {
    let Some(last) = own.iter().map(|(at, _)| *at).max() else { return false };
    let is_value = |word: &Word| !matches!(word.sort, Sort::Plain | Sort::First);
    let mut values = words.iter().filter(|word| is_value(word) && !word.is_scope);
    let differs = values.clone().any(|word| word.sort == Sort::Number && !has(other, word));
    !differs && values.any(|word| place(words, word) > last && has(other, word))
}

fn place(words: &[Word], word: &Word) -> usize {
    words.iter().position(|one| one.plain == word.plain).unwrap_or(0)
}

/// Returns what the end of one sentence became in the other, where both say the same of the same
/// until there.
pub(super) fn changed_end<'w>(old: &'w [Word], new: &'w [Word]) -> Option<(&'w str, &'w str)> {
    let same = old.iter().zip(new).take_while(|(a, b)| a.plain == b.plain).count();
    let ((start, old), (_, new)) = (old.split_at_checked(same)?, new.split_at_checked(same)?);
    let is_end = |end: &[Word]| (1..=LONGEST_END).contains(&end.len());
    let is_of_somebody = start.iter().any(|word| word.is_scope || word.sort == Sort::Name)
        && start.last().is_some_and(|word| !word.is_scope && word.sort == Sort::Plain);
    if !is_of_somebody || !is_end(old) || !is_end(new) || old.iter().any(|word| has(new, word)) {
        return None;
    }
    Some((&old[0].plain, &new[0].plain))
}

/// Returns a count of something and what it became, of the same name.
pub(super) fn changed_count<'w>(old: &'w [Word], new: &'w [Word]) -> Option<(&'w str, &'w str)> {
    let counts = |words: &'w [Word]| {
        words.windows(2).filter_map(|pair| match pair {
            [count, of] if count.sort == Sort::Number && of.sort == Sort::Plain => {
                (!UNITS.contains(&of.plain.as_str())).then_some((&count.plain, &of.plain))
            }
            _ => None,
        })
    };
    let has_own = |words: &[Word], other: &[Word]| !own_names(words, other).is_empty();
    if !share_a_name(old, new) || (has_own(old, new) && has_own(new, old)) {
        return None;
    }
    let same_thing = |(from, of): (&'w String, &'w String)| {
        let to = counts(new).find(|(to, other)| of == *other && from != *to)?.0;
        Some((from.as_str(), to.as_str()))
    };
    counts(old).find_map(same_thing)
}

/// Returns how many marked words the other statement lacks.
pub(super) fn own_marks(words: &[Word], other: &[Word]) -> usize {
    words.iter().filter(|word| word.sort == Sort::Marked && !has(other, word)).count()
}

fn share_a_name(old: &[Word], new: &[Word]) -> bool {
    let is_name = |word: &Word| matches!(word.sort, Sort::Name | Sort::First);
    old.iter().any(|word| is_name(word) && new.iter().any(|n| is_name(n) && n.plain == word.plain))
}

/// Returns a marked word and what it became; or the name that a sentence begins with, where all the rest
/// is the same.
pub(super) fn changed_word<'w>(old: &'w [Word], new: &'w [Word]) -> Option<(&'w str, &'w str)> {
    let only = |words: &'w [Word], other: &[Word]| -> Option<&'w str> {
        let mut own = words.iter().filter(|word| word.sort == Sort::Marked && !has(other, word));
        let first = own.next()?;
        own.next().is_none().then_some(first.plain.as_str())
    };
    if let Some(pair) = only(old, new).zip(only(new, old)) {
        return Some(pair);
    }
    let ((from, old), (to, new)) = (old.split_first()?, new.split_first()?);
    let is_same = old.iter().map(|word| &word.plain).eq(new.iter().map(|word| &word.plain));
    let is_other = is_same && from.plain != to.plain && old.iter().any(|word| word.is_scope);
    is_other.then_some((&from.plain, &to.plain))
}
