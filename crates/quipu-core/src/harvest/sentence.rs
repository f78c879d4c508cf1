//! Sentences: where they end, which words they share, and how several become one short text.

use std::collections::BTreeSet;

use super::words::is_spaceless;

/// Beginnings of words after which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "approx", "ca", "bzw", "z.b", "z. b", "d.h", "u.a", "usw",
    "nr", "p.ej", "p. ej", "ej", "sr", "no", "fig", "st", "inkl", "ggf", "evtl", "max", "min",
    "incl",
];

/// Returns the sentences of a text.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, c) in text.char_indices() {
        if c == '`' {
            in_code = !in_code;
        }
        let after = &text[at + c.len_utf8()..];
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                let next = after.trim_start();
                let begins = next.is_empty() || !next.starts_with(char::is_lowercase);
                let before = text[start..at].rsplit(' ').next().unwrap_or_default().to_lowercase();
                let before = before.trim_start_matches(['(', '"', '„']);
                let is_short = ABBREVIATIONS.contains(&before) || before.chars().count() == 1;
                (after.is_empty() || after.starts_with(char::is_whitespace))
                    && begins
                    && !(c == '.' && is_short && !next.is_empty())
            }
            _ => false,
        };
        if ends && !in_code {
            let end = at + c.len_utf8();
            found.push(text[start..end].trim());
            start = end;
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

/// Returns as many whole sentences as fit, the first one in any case.
pub(crate) fn first_sentences(text: &str, most: usize, limit: usize) -> String {
    let mut result = String::new();
    for sentence in sentences(text).into_iter().take(most) {
        if !result.is_empty() {
            if result.chars().count() + sentence.chars().count() >= limit {
                break;
            }
            result.push(' ');
        }
        result.push_str(sentence);
    }
    result
}

/// Returns how many words a text has.
pub(crate) fn word_count(text: &str) -> usize {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let is_latin = |word: &&str| word.chars().any(|c| c.is_alphanumeric() && !is_spaceless(c));
    // Two characters make about a word where no spaces tell.
    words.filter(is_latin).count() + text.chars().filter(|c| is_spaceless(*c)).count().div_ceil(2)
}

/// Returns a text that is no longer than `limit`: whole sentences where they fit, else whole words.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let whole = first_sentences(text, usize::MAX, limit);
    if whole.chars().count() <= limit {
        return whole;
    }
    let cut: String = text.chars().take(limit.saturating_sub(1)).collect();
    let is_mid_word =
        text.chars().nth(limit - 1).is_some_and(|c| c.is_alphanumeric() && !is_spaceless(c));
    let kept = match cut.rfind(char::is_whitespace) {
        Some(at) if is_mid_word && at > limit / 2 => &cut[..at],
        _ => &cut,
    };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '(', '–', '—']))
}

/// Returns a text in lower case, without anything but letters and digits.
pub(crate) fn bare(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

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
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let mut found = Vec::new();
    for word in words {
        if word.chars().any(is_spaceless) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(
            sentences("We use X, e.g. Redis. It is fast! Yes"),
            ["We use X, e.g. Redis.", "It is fast!", "Yes"]
        );
        assert_eq!(
            sentences("Node 18.2 is old. `a. B` stays."),
            ["Node 18.2 is old.", "`a. B` stays."]
        );
        assert_eq!(sentences(""), Vec::<&str>::new());
    }

    #[test]
    fn a_long_text_is_cut_between_words_and_better_between_sentences() {
        assert_eq!(shortened("One two. Three four five.", 12), "One two.");
        assert_eq!(shortened("Dampfschifffahrt auf der Donau", 20), "Dampfschifffahrt…");
        assert_eq!(shortened("short", 20), "short");
        assert_eq!(word_count("バッチは必ず冪等にすること。"), 7);
    }
}
