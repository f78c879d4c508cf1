//! How long changes can be undone: so many days before the newest one, in a log and a folder of limited size.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::Transactions;
use super::log::{LOG, Line};

/// Above this size the older half of the log is dropped.
const LARGEST_LOG: u64 = 8 * 1024 * 1024;

/// Above this size the oldest files that are kept for undoing are dropped.
const LARGEST_FOLDER: u64 = 256 * 1024 * 1024;

/// So many of the newest operations can be undone however large their files are.
const ALWAYS_KEPT: usize = 20;

/// The size of the kept files is looked at once in so many operations.
const BETWEEN_LOOKS: u64 = 16;

impl Transactions<'_> {
    /// Returns the time before which changes are forgotten, where the newest one is of the time `newest`.
    fn horizon(&self, newest: &str) -> Option<String> {
        let kept = SignedDuration::from_hours(24 * i64::from(self.days));
        let horizon = newest.parse::<Timestamp>().ok()?.checked_sub(kept).ok()?;
        Some(horizon.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    /// Leaves out changes that are too old to be undone. A change is as old as its last part, and the newest one
    /// is that which was written last, whatever a clock said before.
    pub(super) fn drop_old(&self, lines: &mut Vec<Line>) {
        let Some(horizon) = lines.last().and_then(|line| self.horizon(&line.at)) else { return };
        let mut last: BTreeMap<&str, &str> = BTreeMap::new();
        for line in lines.iter() {
            let at = last.entry(&line.change).or_default();
            *at = line.at.as_str().max(at);
        }
        let old: BTreeSet<String> = last
            .into_iter()
            .filter(|(_, at)| *at < horizon.as_str())
            .map(|(change, _)| change.to_owned())
            .collect();
        lines.retain(|line| !old.contains(&line.change));
    }

    /// Removes the kept files of operations that are too old, and of the oldest where all of them take too much
    /// room. `entries` are those before the one of `number`. To forget them late does no harm.
    pub(super) fn forget_old_entries(&self, entries: &[String], now: &str, number: u64) {
        let horizon = self.horizon(now);
        let is_old = |entry: &String| {
            let at = self.manifest(entry).map(|manifest| manifest.at);
            matches!((&horizon, at), (Some(horizon), Ok(at)) if at < *horizon)
        };
        let old = entries.iter().take_while(|entry| is_old(entry)).count();
        let mut gone: BTreeSet<&String> = entries[..old].iter().collect();
        if number.is_multiple_of(BETWEEN_LOOKS) {
            let mut total = 0;
            for (newer, entry) in entries.iter().skip(old).rev().enumerate() {
                total += self.size_of_entry(entry);
                if newer >= ALWAYS_KEPT && total > LARGEST_FOLDER {
                    gone.insert(entry);
                }
            }
        }
        for entry in gone {
            let _ = self.fs.remove_folder(&self.undo().join(entry));
        }
    }

    fn size_of_entry(&self, entry: &str) -> u64 {
        let folder = self.undo().join(entry);
        let files = self.fs.list(&folder).unwrap_or_default();
        let size = |name: &String| self.fs.stat(&folder.join(name)).map_or(0, |(_, size)| size);
        files.iter().map(|(name, _)| size(name)).sum()
    }

    /// Drops the older half of a log that has become too long. A change goes as a whole, with its files.
    pub(super) fn shorten_log(&self) {
        let path = self.state.join(LOG);
        if self.fs.stat(&path).is_ok_and(|(_, size)| size <= LARGEST_LOG) {
            return;
        }
        let Ok(bytes) = self.fs.read(&path) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let mut seen = 0;
        let (mut gone, mut kept) = (BTreeSet::new(), String::new());
        for line in text.split_inclusive('\n') {
            seen += line.len();
            let Ok(read) = serde_json::from_str::<Line>(line) else { continue };
            if seen <= text.len() / 2 || gone.contains(&read.change) {
                gone.insert(read.change);
                if let Some(entry) = read.entry {
                    let _ = self.fs.remove_folder(&self.undo().join(entry));
                }
            } else {
                kept.push_str(line);
            }
        }
        let beside = self.state.join(format!("{LOG}.new"));
        let replace = || {
            self.fs.write(&beside, b"")?;
            self.fs.make_private(&beside)?;
            self.fs.write(&beside, kept.as_bytes())?;
            self.fs.rename(&beside, &path)
        };
        let _ = replace();
    }
}
