//! Values that both sides set: the later date, the higher version, what a rule knows to be right.

/// A value that two sides set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// What it is now; nothing where it is gone.
    pub(super) value: Option<String>,
    /// Whether both sides changed it and no rule knows better.
    pub(super) is_doubtful: bool,
}

/// Merges a field of a footer.
pub(super) fn field(
    key: &str,
    base: Option<&str>,
    ours: Option<&str>,
    theirs: Option<&str>,
) -> Value {
    let sure = |value: Option<&str>| Value { value: value.map(str::to_owned), is_doubtful: false };
    if ours == theirs || theirs == base {
        return sure(ours);
    }
    if ours == base {
        return sure(theirs);
    }
    let (Some(a), Some(b)) = (ours, theirs) else {
        return sure(ours.or(theirs));
    };
    match key {
        "last_used" => sure(Some(a.max(b))),
        "created" | "origin" => sure(Some(a.min(b))),
        "uses" => {
            let number = |text: &str| text.parse::<u64>().unwrap_or(0);
            sure(Some(if number(a) >= number(b) { a } else { b }))
        }
        "tier" => {
            let chosen = if rank(a) >= rank(b) { a } else { b };
            let is_doubtful = [a, b].contains(&"core") && [a, b].contains(&"superseded");
            Value { value: Some(chosen.to_owned()), is_doubtful }
        }
        _ => Value { value: Some(a.min(b).to_owned()), is_doubtful: true },
    }
}

/// What a person or an end decided goes before what counting decides.
fn rank(tier: &str) -> u8 {
    match tier {
        "superseded" => 6,
        "core" => 5,
        "archived" => 4,
        "active" => 3,
        "archive-candidate" => 2,
        "working" => 1,
        _ => 0,
    }
}

/// Tells whether a tier says nothing that counting would not say again.
pub(super) fn is_counted(tier: Option<&str>) -> bool {
    !matches!(tier, Some("core" | "superseded"))
}

/// Returns which of two values of a state line holds: that of the later time, the higher version; and
/// whether that is sure.
pub(super) fn later<'a>(a: &'a str, b: &'a str) -> (&'a str, bool) {
    // A value may go on after its version, as in `v4.27.0 — a tool that…`.
    let lead = |text: &'_ str| version(text.split_whitespace().next().unwrap_or_default());
    if let (Some(x), Some(y)) = (lead(a), lead(b))
        && (x != y || version(a).is_some())
    {
        return (if x >= y { a } else { b }, true);
    }
    match newest(a).cmp(&newest(b)) {
        std::cmp::Ordering::Greater => (a, true),
        std::cmp::Ordering::Less => (b, true),
        // The same day said twice: the longer one names the session too.
        std::cmp::Ordering::Equal => (a.max(b), newest(a).is_some()),
    }
}

/// Returns the newest `YYYY-MM-DD`, with `-HHMMSS` where it stands there.
fn newest(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut newest = None;
    for at in 0..bytes.len().saturating_sub(9) {
        let Some(day) = text.get(at..at + 10) else { continue };
        let starts = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if starts && crate::ledger::is_date(day) {
            let time = text.get(at..at + 17).filter(|stem| {
                stem.as_bytes()[10] == b'-' && stem[11..].bytes().all(|b| b.is_ascii_digit())
            });
            newest = newest.max(Some(time.unwrap_or(day)));
        }
    }
    newest
}

fn version(text: &str) -> Option<(u64, u64, u64)> {
    let text = text.trim().trim_start_matches('v');
    let mut parts = text.split('.').map(|part| part.parse::<u64>().ok());
    let version = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_time_and_the_higher_version_hold() {
        let through = "2026-06-20 | through 2026-06-20-170000";
        assert_eq!(later("2026-06-20", through), (through, true));
        assert_eq!(later("(none yet)", "2026-06-20"), ("2026-06-20", true));
        assert_eq!(later("4.9.0", "4.38.0"), ("4.38.0", true));
        assert_eq!(later("v4.9.0 — calm", "v4.38.0 — busy"), ("v4.38.0 — busy", true));
        assert_eq!(later("v4.9.0 — calm", "v4.9.0 — busy"), ("v4.9.0 — calm", false));
        assert_eq!(later("green", "red"), ("red", false));
    }

    #[test]
    fn fields_have_rules() {
        let merged = |key, base, a, b| field(key, base, Some(a), Some(b)).value.unwrap();
        assert_eq!(merged("uses", Some("2"), "3", "10"), "10");
        assert_eq!(
            merged("last_used", Some("2026-01-01"), "2026-01-02", "2026-01-03"),
            "2026-01-03"
        );
        assert_eq!(merged("created", None, "2026-01-02", "2026-01-03"), "2026-01-02");
        assert_eq!(merged("tier", Some("working"), "active", "superseded"), "superseded");
        assert!(field("tier", Some("active"), Some("core"), Some("superseded")).is_doubtful);
        assert!(field("superseded-by", None, Some("a-b"), Some("c-d")).is_doubtful);
    }
}
