//! When compaction is due: a function of the configuration, the last run and now.

use std::str::FromStr as _;

use croner::Cron;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// When something runs again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// At the times of a cron expression, in a time zone.
    Cron(String, TimeZone),
    /// So long after the last run.
    Interval(SignedDuration),
}

/// Whether something is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Due {
    /// Whether it should run now.
    pub is_due: bool,
    /// When it runs next, if not now; none where it never does.
    pub next: Option<Timestamp>,
}

/// Tells why an expression is not one.
///
/// # Errors
/// When it cannot be read.
pub fn check_cron(expression: &str) -> Result<(), String> {
    Cron::from_str(expression).map(|_| ()).map_err(|error| error.to_string())
}

impl Schedule {
    /// Tells whether a run is due. What has never run is due at once: only old records are in scope.
    pub fn due(&self, last: Option<Timestamp>, now: Timestamp) -> Due {
        let Some(last) = last else { return Due { is_due: true, next: Some(now) } };
        // A clock that was set back does not stop the schedule for good.
        let last = last.min(now);
        let next = match self {
            Self::Interval(length) => last.checked_add(*length).ok(),
            Self::Cron(expression, zone) => {
                let cron = Cron::from_str(expression).ok();
                let after = last.to_zoned(zone.clone());
                cron.and_then(|cron| cron.find_next_occurrence(&after, false).ok())
                    .map(|zoned| zoned.timestamp())
            }
        };
        Due { is_due: next.is_some_and(|next| next <= now), next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn an_interval_counts_from_the_last_run() {
        let daily = Schedule::Interval(SignedDuration::from_hours(24));
        let last = Some(at("2026-03-01T10:00:00Z"));
        assert!(daily.due(None, at("2026-03-01T10:00:00Z")).is_due);
        let early = daily.due(last, at("2026-03-02T09:59:59Z"));
        assert_eq!((early.is_due, early.next), (false, Some(at("2026-03-02T10:00:00Z"))));
        assert!(daily.due(last, at("2026-03-02T10:00:00Z")).is_due);
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_stop_it() {
        let daily = Schedule::Interval(SignedDuration::from_hours(24));
        let due = daily.due(Some(at("2030-01-01T00:00:00Z")), at("2026-03-02T10:00:00Z"));
        assert_eq!(due.next, Some(at("2026-03-03T10:00:00Z")));
    }

    #[test]
    fn cron_runs_once_an_occurrence_in_its_zone() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let nightly = Schedule::Cron("0 3 * * *".to_owned(), berlin);
        // 03:00 in Berlin is 02:00 UTC in winter.
        let last = Some(at("2026-01-10T02:00:00Z"));
        assert!(!nightly.due(last, at("2026-01-11T01:59:59Z")).is_due);
        assert!(nightly.due(last, at("2026-01-11T02:00:00Z")).is_due);
        // Missed nights are made up for by one run.
        assert!(nightly.due(last, at("2026-01-20T12:00:00Z")).is_due);
        assert!(!nightly.due(Some(at("2026-01-20T12:00:00Z")), at("2026-01-20T12:00:01Z")).is_due);
    }

    #[test]
    fn what_is_no_expression_is_told() {
        assert!(check_cron("0 3 * * *").is_ok());
        assert!(check_cron("@daily").is_ok());
        assert!(check_cron("every night").is_err());
    }
}
