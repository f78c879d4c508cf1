//! Answers that were given before, for a process that lives on: the least recently used leave first,
//! and none outlives its time. An answer is given again only where nothing has changed since.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// So many answers are kept.
const MOST: usize = 128;

/// For so long.
const LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// How often a cache helped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheStats {
    /// Answers that were there.
    pub hits: u64,
    /// Answers that had to be made.
    pub misses: u64,
    /// Answers that are kept.
    pub entries: usize,
}

/// What the world looked like when an answer was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct World {
    /// The state of the index.
    pub(crate) generation: i64,
    /// The state of the files.
    pub(crate) files: u64,
}

struct Entry<V> {
    key: String,
    world: World,
    made: Timestamp,
    /// From then on the same question has another answer, though nothing was written.
    until: Timestamp,
    value: V,
}

/// The newest answers, the most recently used first.
pub(crate) struct Cache<V> {
    entries: VecDeque<Entry<V>>,
    hits: u64,
    misses: u64,
}

impl<V> Default for Cache<V> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), hits: 0, misses: 0 }
    }
}

impl<V: Clone> Cache<V> {
    /// Returns the answer to a question, where it was given before and still holds.
    pub(crate) fn get(&mut self, key: &str, world: World, now: Timestamp) -> Option<V> {
        let at = self.entries.iter().position(|entry| entry.key == key);
        let Some(entry) = at.and_then(|at| self.entries.remove(at)) else {
            self.misses += 1;
            return None;
        };
        let age = now.duration_since(entry.made);
        let is_young = age >= SignedDuration::ZERO && age < LIFETIME;
        if entry.world != world || !is_young || now >= entry.until {
            self.misses += 1;
            return None;
        }
        let value = entry.value.clone();
        self.entries.push_front(entry);
        self.hits += 1;
        Some(value)
    }

    /// Keeps an answer.
    pub(crate) fn put(
        &mut self,
        key: String,
        world: World,
        (made, until): (Timestamp, Timestamp),
        value: V,
    ) {
        self.entries.retain(|entry| entry.key != key);
        self.entries.push_front(Entry { key, world, made, until, value });
        self.entries.truncate(MOST);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        CacheStats { hits: self.hits, misses: self.misses, entries: self.entries.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: World = World { generation: 1, files: 1 };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn filled(count: usize) -> Cache<usize> {
        let mut cache = Cache::default();
        for number in 0..count {
            cache.put(number.to_string(), WORLD, (at(0), Timestamp::MAX), number);
        }
        cache
    }

    #[test]
    fn the_least_recently_used_leaves_first() {
        let mut cache = filled(MOST);
        assert_eq!(cache.get("0", WORLD, at(1)), Some(0));
        cache.put("new".to_owned(), WORLD, (at(1), Timestamp::MAX), 7);
        assert_eq!(cache.get("0", WORLD, at(1)), Some(0), "it was used");
        assert_eq!(cache.get("1", WORLD, at(1)), None, "it was not");
        assert_eq!(cache.stats(), CacheStats { hits: 2, misses: 1, entries: MOST });
    }

    #[test]
    fn an_answer_holds_while_nothing_changes_and_its_time_is_not_over() {
        let other = World { generation: 2, ..WORLD };
        assert_eq!(filled(1).get("0", other, at(1)), None);
        let other = World { files: 2, ..WORLD };
        assert_eq!(filled(1).get("0", other, at(1)), None);
        assert_eq!(filled(1).get("0", WORLD, at(LIFETIME.as_secs())), None);
        assert_eq!(filled(1).get("0", WORLD, at(-1)), None, "a clock that was set back");
        let mut cache = Cache::default();
        cache.put("0".to_owned(), WORLD, (at(0), at(5)), 0);
        assert_eq!(cache.get("0", WORLD, at(4)), Some(0));
        assert_eq!(cache.get("0", WORLD, at(5)), None);
    }
}
