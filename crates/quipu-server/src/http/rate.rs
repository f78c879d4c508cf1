//! How often somebody may ask.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// So many callers are kept apart; those who have not asked for long make room.
const MOST_CALLERS: usize = 10_000;

/// Buckets that fill with time: one for each caller, one drop for each request.
pub(super) struct Rate {
    per_second: u32,
    buckets: HashMap<String, (f64, Instant)>,
}

impl Rate {
    /// Lets everyone ask so many times a second, and as often at once; 0 is any number.
    pub(super) fn new(per_second: u32) -> Self {
        Self { per_second, buckets: HashMap::new() }
    }

    /// Tells whether somebody may ask now; else, when they may.
    pub(super) fn ask(&mut self, who: &str, now: Instant) -> Result<(), Duration> {
        if self.per_second == 0 {
            return Ok(());
        }
        let full = f64::from(self.per_second);
        if self.buckets.len() >= MOST_CALLERS && !self.buckets.contains_key(who) {
            // A bucket that is full again says nothing.
            self.buckets.retain(|_, (_, at)| now.duration_since(*at) < Duration::from_secs(1));
        }
        let (left, at) = self.buckets.entry(who.to_owned()).or_insert((full, now));
        *left = (*left + now.duration_since(*at).as_secs_f64() * full).min(full);
        *at = now;
        if *left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - *left) / full));
        }
        *left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_too_often_waits_and_nobody_else_does() {
        let mut rate = Rate::new(2);
        let now = Instant::now();
        assert!(rate.ask("a", now).is_ok());
        assert!(rate.ask("a", now).is_ok());
        assert_eq!(rate.ask("a", now), Err(Duration::from_millis(500)));
        assert!(rate.ask("b", now).is_ok());
        assert!(rate.ask("a", now + Duration::from_millis(501)).is_ok());
    }

    #[test]
    fn zero_is_any_number() {
        let mut rate = Rate::new(0);
        let now = Instant::now();
        assert!((0..1000).all(|_| rate.ask("a", now).is_ok()));
    }
}
