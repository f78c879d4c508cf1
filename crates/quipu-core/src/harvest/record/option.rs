//! Options: the one that was chosen, and what it is an answer to.

use super::{is_item, titled};
use crate::harvest::LONGEST;
use crate::harvest::page::{Page, plain};
use crate::harvest::words::{self, Role, words};
use crate::prose::{bare, word_count};

/// An option with more words says what it is about.
const LONGEST_NAME: usize = 3;

/// Takes the form of MADR off: `Chosen option: "X", because Y`.
pub(super) fn chosen(text: &str, page: &Page) -> String {
    let Some(rest) = after_label(text) else { return text.to_owned() };
    let marks = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('\'', '\'')];
    for (open, close) in marks {
        if let Some(inner) = rest.strip_prefix(open)
            && let Some((option, after)) = inner.split_once(close)
        {
            let is_joined = after.trim_start().starts_with([',', '.', ';', '，', '。']);
            let gap = if is_joined || after.is_empty() { "" } else { " " };
            return format!("{}{gap}{}", resolved(option, page), after.trim_start());
        }
    }
    let name = name_of(rest);
    format!("{}{}", resolved(name, page), &rest[name.len()..])
}

/// Tells whether a text has the form of MADR.
pub(super) fn is_chosen(text: &str) -> bool {
    after_label(text).is_some()
}

fn after_label(text: &str) -> Option<&str> {
    let (lead, rest) = text.split_once([':', '：'])?;
    words().chosen.contains(&lead.trim().to_lowercase().as_str()).then(|| rest.trim())
}

/// Returns an option by its name where it is called by its number: `2`, `Option B`, `Option 2: X`.
fn resolved(option: &str, page: &Page) -> String {
    let option = option.trim();
    let (number, name) = numbered(option);
    if let Some(name) = name {
        return name.to_owned();
    }
    let found = number.and_then(|number| option_of(page, &number));
    found.unwrap_or_else(|| option.to_owned())
}

/// Returns the number and the name of `Option 2: X`; a number alone has no name.
fn numbered(text: &str) -> (Option<String>, Option<&str>) {
    let lower = text.to_lowercase();
    let has_word = lower.starts_with("option ");
    let rest = if has_word { text["option ".len()..].trim_start() } else { text };
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let number = &rest[..end];
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = has_word && number.len() == 1;
    if !is_number && !is_letter {
        return (None, None);
    }
    let after = &rest[end..];
    let name = after.trim_start().strip_prefix([':', '-', '–', '—', '.', ')']).map(str::trim);
    let name = name.filter(|name| has_word && !name.is_empty());
    (after.trim().is_empty().then(|| number.to_lowercase()), name)
}

/// Returns the title of a numbered option: of a heading, or of an item of the list of options.
fn option_of(page: &Page, number: &str) -> Option<String> {
    let titles = page.parts.iter().map(|part| part.title.as_str());
    let of_heading = titles.into_iter().find_map(|title| {
        let lower = title.to_lowercase();
        let rest = &title[if lower.starts_with("option ") { "option ".len() } else { 0 }..];
        let name = rest.get(..number.len()).filter(|start| start.to_lowercase() == number)?;
        let name = rest[name.len()..].trim_start().strip_prefix([':', '-', '–', '—', '.', ')'])?;
        Some(name.trim().to_owned()).filter(|name| word_count(name) >= 1)
    });
    let index = match number.parse::<usize>() {
        Ok(number) => number.checked_sub(1)?,
        Err(_) => usize::from(number.bytes().next()?.checked_sub(b'a')?),
    };
    let of_item = || {
        let part = page.parts.iter().find(|part| words::role(&part.title) == Role::Options)?;
        let item = part.blocks.iter().filter(|block| is_item(block)).nth(index)?;
        let text = plain(&item.raw);
        let name = numbered(&text).1.unwrap_or(&text);
        Some(name.trim_end_matches(['.', ';', ',']).to_owned())
    };
    of_heading.or_else(of_item)
}

/// Returns the name that a text begins with: until a comma, a full stop or a reason.
fn name_of(text: &str) -> &str {
    let ends = |(at, c): (usize, char)| {
        let after = &text[at + c.len_utf8()..];
        let is_mark = matches!(c, ',' | '.' | ';' | '，' | '。')
            && (after.is_empty() || after.starts_with(' ') || !c.is_ascii());
        (is_mark || text[at..].starts_with(" because") || text[at..].starts_with(" ("))
            .then_some(at)
    };
    &text[..text.char_indices().find_map(ends).unwrap_or(text.len())]
}

/// Returns an option with the title that it answers, where it is no more than a name.
pub(super) fn answered(title: &str, said: &str) -> Option<String> {
    let name = name_of(said);
    if word_count(name) > LONGEST_NAME || word_count(title) < 2 {
        return None;
    }
    let words = |text: &str| bare(text).split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (of_title, of_name) = (words(title), words(name));
    if of_title.iter().all(|word| of_name.contains(word)) {
        return None;
    }
    let is_all = !said[name.len()..].chars().any(char::is_alphanumeric);
    if is_all && of_name.iter().all(|word| of_title.contains(word)) {
        return Some(title.to_owned());
    }
    Some(titled(title, said)).filter(|text| text.chars().count() <= LONGEST)
}
