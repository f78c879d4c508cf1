//! What happens to a text that looks like it holds a secret, what a refusal says, and how a person overrides it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Hit, SHORT_WAIVER, Scope, redacted, scan};

/// Tells whether a category is about a person and no credential.
pub fn is_personal(category: &str) -> bool {
    ["email", "ssn", "phone-e164", "payment-card", "home-path"].contains(&category)
}

/// What happens to a text that looks like it holds a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnSecret {
    /// It is not taken.
    #[default]
    Refuse,
    /// It is taken with `(REDACTED)` in place of the value.
    Redact,
    /// It is taken as it is.
    Allow,
}

/// Returns a text as it may be taken.
///
/// # Errors
/// With what it seems to hold, and where, if it may not be taken.
pub fn admitted(policy: OnSecret, source: &str, scope: Scope) -> Result<Cow<'_, str>, Vec<String>> {
    let hits = match policy {
        OnSecret::Allow => Vec::new(),
        OnSecret::Refuse | OnSecret::Redact => scan(source, scope),
    };
    if hits.is_empty() {
        return Ok(Cow::Borrowed(source));
    }
    if policy == OnSecret::Redact {
        return Ok(Cow::Owned(redacted(source, scope)));
    }
    Err(told(source, &hits))
}

/// Returns what a refusal says about hits: the rule, and the line where there are several. Never the value.
pub fn told(source: &str, hits: &[Hit]) -> Vec<String> {
    let has_lines = source.trim_end().contains('\n');
    let mut told: Vec<String> = Vec::new();
    let (mut line, mut at, mut last) = (1, 0, "");
    for hit in hits {
        if hit.span.start < at {
            (line, at) = (1, 0);
        }
        line += memchr::memchr_iter(b'\n', &source.as_bytes()[at..hit.span.start]).count();
        at = hit.span.start;
        // Of each rule the first place, which leads to the others.
        if hit.category != last {
            last = hit.category;
            let place = if has_lines { format!(" on line {line}") } else { String::new() };
            told.push(format!("{last}{place}"));
        }
    }
    told
}

/// Marks the lines that look like they hold a secret as looked at, with the reason why they hold none. The mark
/// stays in the text: whoever reads it sees the reason, and no later scan stops there.
pub fn waived(source: &str, scope: Scope, reason: &str) -> String {
    let mut text = source.to_owned();
    // A line that is marked may leave another to stand alone, and look different.
    for _ in 0..3 {
        let mut starts: Vec<usize> = scan(&text, scope).iter().map(|hit| hit.span.start).collect();
        if starts.is_empty() {
            break;
        }
        starts.sort_unstable();
        let mut marked = String::with_capacity(text.len() + reason.len() + 64);
        let mut hits = starts.into_iter().peekable();
        for line in crate::text::lines(&text) {
            let mut is_hit = false;
            while hits.next_if(|start| *start < line.end).is_some() {
                is_hit = true;
            }
            marked.push_str(line.text);
            if is_hit {
                marked.push_str(" (");
                marked.push_str(SHORT_WAIVER);
                marked.push_str(": ");
                marked.push_str(reason);
                marked.push(')');
            }
            marked.push_str(&text[line.start + line.text.len()..line.end]);
        }
        text = marked;
    }
    text
}
