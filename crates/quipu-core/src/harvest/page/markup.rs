//! Words without their markup.

/// Returns words without the markup of links, emphasis, roles and tags.
pub(crate) fn plain(raw: &str) -> String {
    let mut result = String::with_capacity(raw.len());
    let mut rest = raw;
    let mut in_code = false;
    while let Some(c) = rest.chars().next() {
        if c == '`' {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            rest = &rest[ticks..];
            in_code = !in_code;
            result.push('`');
            continue;
        }
        if !in_code && let Some((words, after)) = markup(rest) {
            result.push_str(&words);
            rest = after;
            continue;
        }
        let is_strong =
            rest.starts_with("**") || (rest.starts_with("__") && is_edge(&result, &rest[2..]));
        if !in_code && is_strong {
            rest = &rest[2..];
            continue;
        }
        let is_emphasis = !in_code && "*_".contains(c) && is_edge(&result, &rest[1..]);
        if !is_emphasis {
            result.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    // A role such as :ref:`words` leaves its name, a reference its underscore.
    let result = result.replace("`_", "`");
    let unroled =
        [":ref:`", ":doc:`", ":term:`"].iter().fold(result, |text, role| text.replace(role, "`"));
    crate::text::collapse_whitespace(&unroled)
}

/// Returns a text whose struck-out words are there again.
pub(crate) fn unstruck(raw: &str) -> String {
    raw.replace("~~", "")
}

/// Tells whether a `*` or `_` opens or closes emphasis, and is no part of a name.
fn is_edge(before: &str, after: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (left, right) = (before.chars().next_back(), after.chars().next());
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    is_word(left) != is_word(right) && !(is_space(left) && is_space(right))
}

/// Returns the words of a link, an image, a tag or struck-out text, and what follows it.
fn markup(rest: &str) -> Option<(String, &str)> {
    if let Some(after) = rest.strip_prefix("![") {
        let end = after.find(')')?;
        return Some((String::new(), &after[end + 1..]));
    }
    if let Some(after) = rest.strip_prefix("~~") {
        let end = after.find("~~")?;
        return Some((String::new(), &after[end + 2..]));
    }
    if let Some(after) = rest.strip_prefix('[') {
        let (words, after) = after.split_once(']')?;
        let target = |open: char, close: char| {
            after.strip_prefix(open).and_then(|inner| inner.split_once(close)).map(|(_, rest)| rest)
        };
        let after = target('(', ')').or_else(|| target('[', ']')).unwrap_or(after);
        return (!words.trim().is_empty()).then(|| (plain(words), after));
    }
    if let Some(after) = rest.strip_prefix('<') {
        let (tag, after) = after.split_once('>')?;
        let is_tag =
            tag.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) && tag.len() < 200;
        return is_tag.then(|| (String::new(), after));
    }
    let link = ["link:", "xref:"].into_iter().find_map(|name| rest.strip_prefix(name))?;
    let (target, after) = link.split_once('[')?;
    let (words, after) = after.split_once(']')?;
    (!target.contains(' ')).then(|| (words.to_owned(), after))
}
