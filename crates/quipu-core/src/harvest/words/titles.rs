//! Titles without what they begin with: numbers, dates, names of records.

/// Returns a heading's words without the number, date or record name that it begins with.
pub(crate) fn bare_title(title: &str) -> &str {
    let mut rest = title.trim();
    // A date alone stays one.
    if !rest.chars().any(char::is_alphabetic) {
        return rest;
    }
    loop {
        let before = rest;
        rest = after_date(rest).unwrap_or(rest);
        rest = after_record_name(rest).unwrap_or(rest);
        rest = after_kind(rest).unwrap_or(rest);
        let digits =
            rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        if digits > 0 {
            let after = &rest[digits..];
            // `3 retries` is no number of a heading.
            let cut = after.trim_start_matches([' ', '-', ':', '.', ')', '–', '—', ']', '/', '、']);
            let is_number = digits >= 3
                || rest[..digits].contains('.')
                || cut.len() + 1 < after.len()
                || after.starts_with([':', ')', '-', '–', '—', '/']);
            // `1.x` is a version.
            let is_version = after.starts_with(char::is_alphabetic);
            if is_number && !is_version && !cut.is_empty() {
                rest = cut;
            }
        }
        rest = rest.trim_start_matches([' ', '–', '—', ':', '[', '(', '§', '|', '·', '?']);
        if rest == before {
            return rest.trim();
        }
    }
}

/// Returns what follows a date such as `2024-03-01`, `2024/03`, `01.03.2024`.
fn after_date(text: &str) -> Option<&str> {
    let length = text.len()
        - text.trim_start_matches(|c: char| c.is_ascii_digit() || "-./".contains(c)).len();
    let date = text[..length].trim_end_matches(['-', '.', '/']);
    let digits = date.chars().filter(char::is_ascii_digit).count();
    let parts = date.split(['-', '.', '/']).count();
    let has_year = date.split(['-', '.', '/']).any(|part| part.len() == 4);
    let rest = text[date.len()..].trim_start_matches([' ', '-', ':', '.', ')', '–', '—', ']', '/']);
    (digits >= 5 && parts >= 2 && has_year && !rest.is_empty()).then_some(rest)
}

/// Returns what follows `ADR-`, `RFC ` and the like, where a number comes next.
fn after_record_name(text: &str) -> Option<&str> {
    let names = [
        "adr",
        "rfc",
        "ard",
        "decision record",
        "decision",
        "d",
        "kep",
        "pep",
        "dr",
        "rfd",
        "entscheidung",
        "décision",
        "decisión",
        "decisão",
        "decisione",
        "決定",
        "决策",
        "ep",
        "aip",
        "dep",
        "jep",
        "nep",
        "proposal",
        "topic",
        "agenda item",
        "item",
        "punkt",
        "tema",
        "sujet",
        "n°",
    ];
    names.iter().find_map(|name| {
        let after = strip_prefix_ignoring_case(text, name)?;
        let after = after.trim_start_matches([' ', '-', '#', '_', '.']);
        after.starts_with(|c: char| c.is_ascii_digit()).then_some(after)
    })
}

/// Returns what follows `Proposal:` and the like.
fn after_kind(text: &str) -> Option<&str> {
    let (kind, rest) = text.split_once(": ")?;
    let kinds = [
        "adr",
        "rfc",
        "proposal",
        "topic",
        "agenda item",
        "item",
        "punkt",
        "tema",
        "sujet",
        "design",
        "design doc",
        "architecture decision",
        "architecture decision record",
        "decision record",
        "title",
    ];
    kinds.contains(&kind.trim().to_lowercase().as_str()).then(|| rest.trim_start())
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    (head.to_lowercase() == prefix).then(|| &text[prefix.len()..])
}
