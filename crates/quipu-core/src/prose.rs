//! Prose: its words, its sentences, and how long ones become short. Every rule that reads what
//! people wrote begins here; what the words mean is up to the rule.

/// Returns the words of a text: runs of letters, digits and what `joints` holds together.
pub fn words<'t>(text: &'t str, joints: &'static str) -> impl Iterator<Item = &'t str> + Clone {
    let ends = move |c: char| !c.is_alphanumeric() && !joints.contains(c);
    text.split(ends).filter(|word| !word.is_empty())
}

/// Returns the words of a statement as they are written, without the marks around them: names,
/// versions, paths and channels stay whole.
pub fn spoken_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "()[]{}\",;|".contains(c))
        .map(|word| word.trim_matches(|c: char| "`*_.:!?'’—–-<>".contains(c)))
        .filter(|word| !word.is_empty())
}

/// Returns the parts of a name in `camelCase`; `DBPassword` has two.
pub fn humps(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let mut before = rest.chars().next()?;
        let mut letters = rest.char_indices().skip(1).peekable();
        let mut end = rest.len();
        while let Some((at, c)) = letters.next() {
            let next_is_small = letters.peek().is_some_and(|(_, next)| next.is_lowercase());
            let ends_capitals = before.is_uppercase() && next_is_small;
            if c.is_uppercase() && (before.is_lowercase() || ends_capitals) {
                end = at;
                break;
            }
            before = c;
        }
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Tells whether a character is of a script that puts no spaces between words, or of Hangul, whose
/// words carry their particles.
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
        | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af
        | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

/// Words after which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "eg", "i.e", "ie", "etc", "vs", "cf", "approx", "ca", "bzw", "z.b", "d.h", "u.a", "usw",
    "nr", "p.ej", "ej", "dr", "mr", "mrs", "sr", "no", "fig", "st", "inkl", "ggf", "evtl", "max",
    "min", "incl", "hr", "prof", "ms", "jr", "dept", "inc", "ltd", "mt",
];

/// Tells whether a mark between two parts of a text is a full stop, and not that of an abbreviation
/// or inside of a name.
pub fn is_full_stop(before: &str, mark: char, after: &str) -> bool {
    match mark {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => {
            let is_followed = !after.trim_start().is_empty();
            (after.is_empty() || after.starts_with(char::is_whitespace))
                && !(mark == '.' && is_followed && is_abbreviated(before))
        }
        _ => false,
    }
}

fn is_abbreviated(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    let word = word.trim_start_matches(['(', '"', '„', '“', '*', '_']);
    ABBREVIATIONS.contains(&word) || word.chars().count() == 1
}

/// Tells whether a sentence ends with a mark: what goes on with a small letter is the same one.
pub fn ends_sentence(before: &str, mark: char, after: &str) -> bool {
    is_full_stop(before, mark, after)
        && (!mark.is_ascii() || !after.trim_start().starts_with(char::is_lowercase))
}

/// Returns the sentences of a text.
pub fn sentences(text: &str) -> Vec<&str> {
    sentences_by(text, ends_sentence)
}

/// Returns the sentences of a text, where `ends` tells of what stands before a mark, the mark, and
/// what follows whether one ends there. Code between backticks is never split.
pub fn sentences_by(text: &str, ends: impl Fn(&str, char, &str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, c) in text.char_indices() {
        in_code ^= c == '`';
        let end = at + c.len_utf8();
        if !in_code && ends(&text[start..at], c, &text[end..]) {
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
pub fn first_sentences(text: &str, most: usize, limit: usize) -> String {
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
pub fn word_count(text: &str) -> usize {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let is_latin = |word: &&str| word.chars().any(|c| c.is_alphanumeric() && !is_unspaced(c));
    // Two characters make about a word where no spaces tell.
    words.filter(is_latin).count() + text.chars().filter(|c| is_unspaced(*c)).count().div_ceil(2)
}

/// Returns a text that is no longer than `limit`: whole sentences where they fit, else whole words.
pub fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let whole = first_sentences(text, usize::MAX, limit);
    if whole.chars().count() <= limit {
        return whole;
    }
    let cut: String = text.chars().take(limit.saturating_sub(1)).collect();
    let is_mid_word =
        text.chars().nth(limit - 1).is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    let kept = match cut.rfind(char::is_whitespace) {
        Some(at) if is_mid_word && at > limit / 2 => &cut[..at],
        _ => &cut,
    };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '(', '–', '—']))
}

/// Returns a text in lower case, without anything but letters and digits.
pub fn bare(text: &str) -> String {
    let lower = text.to_lowercase();
    words(&lower, "").collect::<Vec<_>>().join(" ")
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
        assert_eq!(sentences("支払う。次"), ["支払う。", "次"]);
    }

    #[test]
    fn names_of_code_are_split_at_their_humps() {
        for (name, parts) in [
            ("retryBackoffMs", &["retry", "Backoff", "Ms"][..]),
            ("DBPassword", &["DB", "Password"]),
            ("größeÄndern", &["größe", "Ändern"]),
            ("HTTPServer", &["HTTP", "Server"]),
            ("don't", &["don't"]),
            ("v2", &["v2"]),
            ("API", &["API"]),
            ("", &[]),
        ] {
            assert_eq!(humps(name).collect::<Vec<_>>(), parts);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_words_and_better_between_sentences() {
        assert_eq!(shortened("One two. Three four five.", 12), "One two.");
        assert_eq!(shortened("Dampfschifffahrt auf der Donau", 20), "Dampfschifffahrt…");
        assert_eq!(shortened("short", 20), "short");
        assert_eq!(word_count("バッチは必ず冪等にすること。"), 7);
    }
}
