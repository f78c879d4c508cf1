//! The status that a text tells: in a field, a line, a title or a banner.

use crate::harvest::Status;
use crate::harvest::page::{plain, unstruck};
use crate::harvest::words::{self, padded, words};
use crate::prose::is_unspaced;

/// Tells whether all of a title or item is struck out, its number aside.
pub(in crate::harvest) fn is_struck(raw: &str) -> bool {
    let Some(start) = raw.find("~~") else { return false };
    let Some(length) = raw[start + 2..].find("~~") else { return false };
    let inner = &raw[start + 2..start + 2 + length];
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    letters(inner) * 2 > letters(raw)
}

/// Returns the remark that a title carries about its status, as it is written.
pub(super) fn remark(raw: &str) -> Option<String> {
    let raw = plain(&unstruck(
        &raw.replace('[', "(")
            .replace(']', ")")
            .replace(['（', '【', '［'], "(")
            .replace(['）', '】', '］'], ")"),
    ));
    for inner in raw.split('(').skip(1).filter_map(|rest| rest.split(')').next()) {
        if leading(inner).is_some() {
            return Some(inner.to_owned());
        }
    }
    // `DEPRECATED: the title`, `The title — superseded by 12`.
    let first = raw.split([':', '：']).next().unwrap_or_default();
    let is_loud = first.chars().any(char::is_alphabetic) && !first.chars().any(char::is_lowercase);
    if first.len() < raw.len()
        && (is_loud || first.chars().any(is_unspaced))
        && leading(first).is_some_and(is_not_held)
    {
        return Some(first.to_owned());
    }
    for mark in [" — ", " – ", " - ", " | "] {
        if let Some((_, last)) = raw.rsplit_once(mark)
            && leading(last).is_some_and(is_not_held)
        {
            return Some(last.to_owned());
        }
    }
    None
}

pub(super) fn is_not_held(status: Status) -> bool {
    status != Status::Accepted
}

/// Returns a title without the remark about its status.
pub(in crate::harvest) fn without_remark(raw: &str) -> String {
    let mut title = unstruck(raw);
    for (open, close) in [('[', ']'), ('(', ')'), ('（', '）'), ('【', '】')] {
        let Some(start) = title.find(open) else { continue };
        let Some(length) = title[start..].find(close) else { continue };
        let inner = &title[start + open.len_utf8()..start + length];
        let is_link = title[start + length + close.len_utf8()..].starts_with('(');
        // `(blocked by the upgrade)` is worth more than a status.
        let is_open =
            leading(inner) == Some(Status::Proposed) && inner.split_whitespace().count() > 2;
        if leading(inner).is_some() && !is_link && !is_open {
            title.replace_range(start..start + length + close.len_utf8(), "");
        }
    }
    plain(&title)
}

/// Returns the status that a note about the document tells, where it holds no more or not yet.
pub(in crate::harvest) fn banner(raw: &str) -> Option<Status> {
    let text = plain(&raw.replace("![", "["));
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = text.split(['.', '。', '!', '—', '–', ';']).next().unwrap_or(text);
    if first.split_whitespace().count() > 16 {
        return None;
    }
    let after_label =
        first.split_once(':').map(|(_, rest)| rest).filter(|rest| leading(rest).is_some());
    leading(after_label.unwrap_or(first)).filter(|status| is_not_held(*status))
}

/// Returns the status that a text begins with, where the text goes on as a remark would.
fn leading(text: &str) -> Option<Status> {
    if text.chars().any(is_unspaced) {
        return spaceless(text).filter(|_| text.chars().count() <= 40);
    }
    let clause = padded(&text.replace(['_', '-'], " "));
    let clause: Vec<&str> = clause.split_whitespace().collect();
    let (status, length) = begins(&clause)?;
    // `replaced by` says itself that more follows.
    if length > 1 && words().follows.contains(&clause[length - 1]) {
        return Some(status);
    }
    let next = clause.get(length);
    next.is_none_or(|next| {
        words().follows.contains(next)
            || next.starts_with(|c: char| c.is_ascii_digit())
            || is_break(text, next)
    })
    .then_some(status)
}

/// Tells whether a mark stands before a word.
fn is_break(text: &str, word: &str) -> bool {
    let lower = text.to_lowercase();
    let before = lower.find(word).map_or("", |at| lower[..at].trim_end());
    before.ends_with([',', ':', ';', '(', '/', '!', '.'])
}

/// Returns the status that words begin with, and how many words were used up.
pub(super) fn begins(clause: &[&str]) -> Option<(Status, usize)> {
    let is_filler = |word: &&str| {
        words().fillers.contains(word) || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let from_here = |skip: usize| {
        let rest = clause[skip..].join(" ");
        let is_negated =
            words().not.iter().any(|not| rest == *not || rest.starts_with(&format!("{not} ")));
        let exact = words().statuses.iter().find_map(|(phrase, status)| {
            let (phrase, must_end) =
                phrase.strip_suffix('!').map_or((*phrase, false), |p| (p, true));
            let after = rest.strip_prefix(phrase)?;
            let fits = after.is_empty() || (after.starts_with(' ') && !must_end);
            fits.then(|| (*status, skip + phrase.split(' ').count()))
        });
        if exact.is_some() || !is_negated {
            return exact.or_else(|| Some((misspelt(clause.get(skip)?)?, skip + 1)));
        }
        // `Not accepted`, in whatever words.
        let (status, length) = begins(&clause[skip + 1..])?;
        let turned = if status == Status::Accepted { Status::Rejected } else { Status::Unknown };
        (turned != Status::Unknown).then_some((turned, skip + 1 + length))
    };
    let mut skip = 0;
    loop {
        if skip >= clause.len() {
            return None;
        }
        if let Some(found) = from_here(skip) {
            return Some(found);
        }
        if !is_filler(&clause[skip]) {
            return None;
        }
        skip += 1;
    }
}

/// Returns the status that a word means with a slip or two.
fn misspelt(word: &str) -> Option<Status> {
    if words::is_relation(word) {
        return None;
    }
    let length = word.chars().count();
    let most = match length {
        0..8 => return None,
        8..10 => 1,
        _ => 2,
    };
    let known =
        words().statuses.iter().filter(|(phrase, _)| phrase.len() >= 8 && !phrase.contains(' '));
    known
        .map(|(phrase, status)| (crate::naming::distance(word, phrase), *status))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, status)| status)
}

/// What begins a remark about an earlier status.
const BEFORE: &[&str] = &[
    "was",
    "previously",
    "formerly",
    "originally",
    "initially",
    "before",
    "früher",
    "ursprünglich",
    "zuvor",
    "auparavant",
    "initialement",
    "antes",
    "anteriormente",
    "prima",
];

/// Returns the statuses that a text lists: each that begins a clause.
pub(super) fn statuses(text: &str) -> Vec<Status> {
    let text = plain(&text.replace("![", "["));
    let split = text
        .replace("->", "→")
        .replace("=>", "→")
        .replace(" - ", "→")
        .replace(" and ", "→")
        .replace(" then ", "→");
    let marks = [
        ',', ';', '.', ':', '(', ')', '[', ']', '→', '|', '/', '–', '—', '<', '>', '"', '!', '、',
        '。', '（', '）', '：', '，',
    ];
    let mut found: Vec<Status> = Vec::new();
    for (index, clause) in split.split(marks).enumerate() {
        let first = clause.split_whitespace().next().unwrap_or_default().to_lowercase();
        // What it once was is told last.
        if index > 0 && BEFORE.contains(&first.as_str()) {
            break;
        }
        // `Accepted; rejected alternatives are listed below`.
        if !found.is_empty() && leading(clause).is_none() {
            continue;
        }
        let words = padded(&clause.replace(['_', '-'], " "));
        let mut words: Vec<&str> = words.split_whitespace().collect();
        // A date ends a clause: `2024-01-02 proposed 2024-02-03 accepted`.
        while !words.is_empty() {
            let digits = words
                .iter()
                .take_while(|word| word.starts_with(|c: char| c.is_ascii_digit()))
                .count();
            words.drain(..digits);
            let length = words
                .iter()
                .take_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
                .count();
            let mut clause = words[..length].to_vec();
            if length < words.len() {
                clause.push("#");
            }
            found.extend(begins(&clause).map(|(status, _)| status));
            words.drain(..length);
        }
    }
    if found.is_empty() && text.chars().any(is_unspaced) {
        found.extend(spaceless(&text));
    }
    if found.is_empty() {
        let emoji = [
            ("✅", Status::Accepted),
            ("🟢", Status::Accepted),
            ("✔", Status::Accepted),
            ("❌", Status::Rejected),
            ("🚫", Status::Rejected),
            ("🔴", Status::Rejected),
            ("🚧", Status::Proposed),
            ("📝", Status::Proposed),
            ("🟡", Status::Proposed),
            ("🗑", Status::Deprecated),
            ("⚰", Status::Deprecated),
        ];
        let is_bare = !text.chars().any(char::is_alphabetic);
        found.extend(
            emoji
                .iter()
                .find(|(mark, _)| is_bare && text.contains(mark))
                .map(|(_, status)| *status),
        );
    }
    found
}

/// Returns the status of a text in a script without spaces: one that is over counts, else the first.
fn spaceless(text: &str) -> Option<Status> {
    let known = words().statuses.iter().filter(|(phrase, _)| phrase.chars().any(is_unspaced));
    let mut found: Vec<(usize, usize, Status)> = known
        .filter_map(|(phrase, status)| text.find(phrase).map(|at| (at, phrase.len(), *status)))
        .collect();
    // `未承認` begins before `承認` and is longer.
    found.sort_by_key(|(at, length, _)| (*at, std::cmp::Reverse(*length)));
    let covered = |(at, length, _): &(usize, usize, Status)| {
        found
            .iter()
            .any(|(from, long, _)| *from <= *at && at + length <= from + long && long > length)
    };
    let open: Vec<&(usize, usize, Status)> = found.iter().filter(|one| !covered(one)).collect();
    let over = open.iter().find(|(_, _, status)| status.is_over());
    over.or(open.first()).map(|(_, _, status)| *status)
}

/// Tells whether a line lists statuses to choose from, as a template does.
pub(super) fn is_choice(line: &str) -> bool {
    if line.contains('{') && line.contains('}') {
        return true;
    }
    let pieces: Vec<&str> = line.split(['|', '/', '…', '｜']).collect();
    let named = pieces.iter().filter(|piece| !statuses(piece).is_empty()).count();
    named >= 3 || (named >= 2 && line.contains('…'))
}

/// Tells whether a line is about another record, or about nothing.
pub(super) fn is_relation(text: &str) -> bool {
    let text = padded(&plain(text));
    let first = text[1..].split(' ').next().unwrap_or_default();
    words::is_relation(first) || words::replaces(&text)
}

/// Returns the words of a status that is not known, for whoever has to read it.
pub(super) fn unknown(text: &str) -> Option<String> {
    let text = plain(text);
    let has_words = text.chars().any(char::is_alphabetic);
    has_words.then(|| crate::text::ellipsis(&text, 40))
}
