//! Values that both sides set: the later date, the higher version, what a rule knows to be right.

use crate::fact::Tier;

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
            let tiers = [a, b].map(Tier::named);
            let chosen = if rank(tiers[0]) >= rank(tiers[1]) { a } else { b };
            let is_doubtful =
                tiers.contains(&Some(Tier::Core)) && tiers.contains(&Some(Tier::Superseded));
            Value { value: Some(chosen.to_owned()), is_doubtful }
        }
        _ => Value { value: Some(a.min(b).to_owned()), is_doubtful: true },
    }
}

/// What a person or an end decided goes before what counting decides.
fn rank(tier: Option<Tier>) -> u8 {
    match tier {
        Some(Tier::Superseded) => 6,
        Some(Tier::Core) => 5,
        Some(Tier::Archived) => 4,
        Some(Tier::Active) => 3,
        Some(Tier::ArchiveCandidate) => 2,
        Some(Tier::Working) => 1,
        None => 0,
    }
}

/// Returns which of two values of a state line holds: the later of two times, the higher of two
/// versions, which a value may go on after, as in `v4.27.0 — a tool that…`, where the lower one brought
/// no new word after it. Where a value says more than that, nobody but a person knows.
pub(super) fn later<'a>(key: &str, base: &str, a: &'a str, b: &'a str) -> Option<&'a str> {
    fn parts(text: &str) -> (&str, &str) {
        let text = text.trim();
        text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
    }
    let ((lead_a, rest_a), (lead_b, rest_b), (_, rest)) = (parts(a), parts(b), parts(base));
    if let (Some(x), Some(y)) = (version(lead_a), version(lead_b)) {
        let (higher, lower, lost) = if x > y { (a, rest_a, rest_b) } else { (b, rest_b, rest_a) };
        return (x != y && (lost == lower || lost == rest)).then_some(higher);
    }
    let (x, y) = (stamp(key, a)?, stamp(key, b)?);
    // The same time said twice: the longer one names the session too.
    (x != y).then_some(if x > y { a } else { b })
}

/// Reads a value that is a time and nothing else: a day, `day | through SESSION`, for the last session
/// also who had it, or that there was none yet.
fn stamp<'a>(key: &str, value: &'a str) -> Option<(&'a str, Option<&'a str>)> {
    let value = value.trim();
    if ["(none yet)", "(none)", "none", ""].contains(&value) {
        return Some(("", None));
    }
    let bare = |text: &'a str| text.trim().trim_matches('`');
    let (day, rest) = value.split_at_checked(value.find([' ', '|']).unwrap_or(value.len()))?;
    let day = Some(bare(day)).filter(|day| crate::ledger::is_date(day))?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Some((day, None));
    }
    let rest =
        rest.strip_prefix('|').or_else(|| rest.strip_prefix('(')?.strip_suffix(')'))?.trim_start();
    let session = match rest.strip_prefix("through ") {
        Some(session) => session,
        None if key == "last_session" => rest.strip_suffix(')')?.rsplit_once('(')?.1,
        None => return None,
    };
    let session = bare(session);
    let session = session.strip_suffix(".md").unwrap_or(session);
    let is_stem = session.len() == 17
        && session.get(..10).is_some_and(crate::ledger::is_date)
        && session.as_bytes()[10] == b'-'
        && session[11..].bytes().all(|byte| byte.is_ascii_digit());
    is_stem.then_some((day, Some(session)))
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
        let sure = |a, b| later("last_review", "", a, b);
        assert_eq!(sure("2026-06-20", through), Some(through));
        assert_eq!(sure("(none yet)", "2026-06-20"), Some("2026-06-20"));
        assert_eq!(sure("2026-06-19 (through `2026-06-19-080000.md`)", through), Some(through));
        assert_eq!(sure("4.9.0", "4.38.0"), Some("4.38.0"));
        let after = |a, b| later("version", "v4.8.0 — calm", a, b);
        assert_eq!(after("v4.9.0 — calm", "v4.38.0 — busy"), Some("v4.38.0 — busy"));
        assert_eq!(after("v4.9.0 — calm", "v4.9.0 — busy"), None);
        assert_eq!(after("v4.8.0 — calm; pulled", "v4.38.0 — busy"), None, "a word would be lost");
        let (one, other) = (
            "2026-08-22 | agent: Claude Code (2026-08-22-173136)",
            "2026-08-22 | agent: Codex (2026-08-22-175327)",
        );
        assert_eq!(later("last_session", "", one, other), Some(other));
        assert_eq!(later("status", "", one, other), None);
    }

    #[test]
    fn a_value_that_says_more_than_a_time_is_nobodys_to_choose() {
        for (a, b) in [
            ("green", "red"),
            ("frozen since 2026-06-20", "open since 2026-06-21"),
            ("2026-06-20 rolled back", "2026-06-20 shipped"),
            ("2026-06-20", "2026-06-21, said Ann"),
            ("v1.0", "1.0.0"),
        ] {
            assert_eq!(later("release", "", a, b), None, "{a} / {b}");
        }
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
