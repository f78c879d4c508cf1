//! Compaction: old notes and turns of the window become few records that stand for them.
//!
//! The order of operations is the seed's: is it wanted and due, is anything in scope, nobody else at
//! it; then the plan is made while others go on writing, and only the swap holds them up. All files
//! change together or none, and `quipu undo` brings the old ones back.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::Status;
use quipu_core::journal::compaction::{self, Plan, Rules, State};
use quipu_core::journal::schedule::{Due, Schedule};
use quipu_core::journal::{ARCHIVE, PRIMARY, Record, long, scan};
use quipu_store::Store;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::lock::{Lock, LockError, Mode};
use crate::recall::RecallError;
use crate::remember::{new_id, to_milliseconds};
use crate::transaction::FileChanges;
use crate::workspace::{Diff, Workspace, stamp};

/// More new records than this no plan has.
const MOST_RECORDS: usize = 16;

/// How often a plan is made anew when the window was edited meanwhile.
const TRIES: usize = 3;

/// How a compaction is asked for.
#[derive(Clone, Copy, Debug)]
pub struct CompactRequest {
    /// The time.
    pub now: Timestamp,
    /// Only when it is wanted and due.
    pub if_due: bool,
    /// Also where the window is below its threshold.
    pub force: bool,
    /// Only show what would happen.
    pub dry_run: bool,
}

/// What a compaction did, by the original's names.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    /// Whether it ran.
    pub ran: bool,
    /// Why it did nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Records in the window before.
    pub records_before: usize,
    /// And after.
    pub records_after: usize,
    /// How many were merged.
    pub records_compacted: usize,
    /// Whether the long-term summaries grew.
    pub long_memory_appended: bool,
    /// Characters of the window before.
    pub chars_before: usize,
    /// And after.
    pub chars_after: usize,
    /// The new records.
    pub records: Vec<String>,
    /// How many lines went to an archive, because no day has them.
    pub archived: usize,
    /// What it says of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// How many experiences were found on the way.
    pub experiences: usize,
    /// When it is due next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Timestamp>,
    /// What changes in the files.
    #[serde(skip)]
    pub diff: Diff,
}

/// What is kept between runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct LastRun {
    /// When it ran.
    at: Option<Timestamp>,
    /// Before this nothing comes into scope.
    nothing_until: Option<Timestamp>,
}

impl Workspace {
    /// Returns when compaction runs.
    fn schedule(&self) -> Schedule {
        let continuity = &self.config().continuity;
        match &continuity.memory_compaction_schedule_cron {
            Some(cron) => Schedule::Cron(cron.clone(), self.zone().clone()),
            None => Schedule::Interval(SignedDuration::from_millis(
                i64::try_from(continuity.memory_compaction_interval_ms).unwrap_or(i64::MAX),
            )),
        }
    }

    /// Tells whether a compaction is due.
    pub fn compaction_due(&self, now: Timestamp) -> Due {
        self.schedule().due(self.last_run().at, now)
    }

    /// Merges old notes and turns of the window.
    ///
    /// # Errors
    /// When a file cannot be read or written; then everything is as it was.
    pub fn compact(&self, request: &CompactRequest) -> Result<Compacted, Error> {
        let due = self.compaction_due(request.now);
        if request.if_due && !due.is_due {
            return Ok(Compacted { next: due.next, ..skipped("not due") });
        }
        let mut done = if request.if_due && !self.config().continuity.memory_compaction_enabled {
            skipped("disabled")
        } else {
            self.compact_now(request)?
        };
        if !request.dry_run && done.reason.as_deref() != Some("lock held") {
            done.experiences = self.extract_experiences(&mut |_, _| {})?.added;
            let last = LastRun { at: Some(request.now), ..self.last_run() };
            self.keep_last_run(&last);
        }
        if request.if_due {
            done.next = self.schedule().due(Some(request.now), request.now).next;
        }
        Ok(done)
    }

    fn compact_now(&self, request: &CompactRequest) -> Result<Compacted, Error> {
        let source = self.read_optional(PRIMARY)?.unwrap_or_default();
        if source.trim().is_empty() {
            return Ok(skipped("no memory file"));
        }
        let size = scan::size(&source);
        let same = Compacted {
            records_before: size.records,
            records_after: size.records,
            chars_before: size.chars,
            chars_after: size.chars,
            ..Compacted::default()
        };
        if !request.force && !self.is_over_threshold(size) {
            let reason = Some("under threshold".to_owned());
            return Ok(Compacted { reason, ..same });
        }
        let Some(_alone) = self.lock_compaction()? else {
            return Ok(Compacted { reason: Some("lock held".to_owned()), ..same });
        };
        self.freshen()?;
        let rules = self.compaction_rules(request.now)?;
        let mut source = source;
        for attempt in 1..=TRIES {
            // Made while others write.
            let Some(plan) = self.compaction_plan(&source, &rules)? else {
                let next = compaction::next_in_scope(&source, &rules);
                self.keep_last_run(&LastRun { nothing_until: next, ..self.last_run() });
                let reason = Some("nothing to compact".to_owned());
                return Ok(Compacted { ran: true, reason, ..same });
            };
            if request.dry_run {
                let (files, homeless) = self.compaction_files(&plan, &plan.text, request.now)?;
                let diff = self.diff_to(&files)?;
                return Ok(Compacted { diff, archived: homeless, ..told(&plan, same) });
            }
            let lock = self.lock_for_writing()?;
            let now = self.read_optional(PRIMARY)?.unwrap_or_default();
            let Some(tail) = now.strip_prefix(&source).filter(|_| attempt < TRIES || now == source)
            else {
                if attempt == TRIES {
                    return self.compact_under_lock(&lock, &now, &rules, same);
                }
                // Trimmed or edited: what was planned no longer fits.
                source = now;
                continue;
            };
            let text = format!("{}{tail}", plan.text);
            return self.install_compaction(&lock, &plan, (&now, &text), &rules, same);
        }
        Ok(same)
    }

    /// The last try: nobody can write while the plan is made.
    fn compact_under_lock(
        &self,
        lock: &Lock,
        source: &str,
        rules: &Rules,
        same: Compacted,
    ) -> Result<Compacted, Error> {
        match self.compaction_plan(source, rules)? {
            Some(plan) => {
                let text = plan.text.clone();
                self.install_compaction(lock, &plan, (source, &text), rules, same)
            }
            None => Ok(Compacted { ran: true, ..same }),
        }
    }

    /// Compacts after an append, where that is wanted and the window is over its threshold. Returns what
    /// went wrong: the append itself did not.
    pub(crate) fn compact_after_append(&self, now: Timestamp) -> Option<String> {
        let continuity = &self.config().continuity;
        let has_threshold = continuity.memory_compaction_threshold_records.is_some()
            || continuity.memory_compaction_threshold_chars.is_some();
        if !continuity.memory_compaction_enabled || !has_threshold || !self.may_be_over_threshold()
        {
            return None;
        }
        if self.last_run().nothing_until.is_some_and(|until| now < until) {
            return None;
        }
        let request = CompactRequest { now, if_due: false, force: false, dry_run: false };
        let failed = self.compact_now(&request).err()?;
        Some(format!("the window was not compacted: {failed}"))
    }

    fn may_be_over_threshold(&self) -> bool {
        let size = self.fs().stamp(&self.root().join(PRIMARY)).map_or(0, |stamp| stamp.size);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let continuity = &self.config().continuity;
        continuity.memory_compaction_threshold_records.is_some_and(|most| size / 100 > most)
            || continuity.memory_compaction_threshold_chars.is_some_and(|most| size > most)
    }

    fn is_over_threshold(&self, size: scan::Size) -> bool {
        let continuity = &self.config().continuity;
        let (records, chars) = (
            continuity.memory_compaction_threshold_records,
            continuity.memory_compaction_threshold_chars,
        );
        // Without a threshold age alone decides.
        (records.is_none() && chars.is_none())
            || records.is_some_and(|most| size.records > most)
            || chars.is_some_and(|most| size.chars > most)
    }

    /// Makes sure that nobody else compacts: another Quipu, or the original.
    fn lock_compaction(&self) -> Result<Option<Lock>, Error> {
        self.prepare_state()?;
        let original = self.root().join("tmp/memory-compaction.lock");
        if let Ok(bytes) = self.fs().read(&original) {
            let holder = String::from_utf8_lossy(&bytes).trim().parse::<u32>().ok();
            if holder.is_some_and(is_alive) {
                return Ok(None);
            }
            // Its process is dead, so nobody will ever release it.
            let _ = self.fs().remove_file(&original);
        }
        match Lock::take(&self.state("compaction.lock"), Mode::Exclusive, Duration::ZERO) {
            Ok(lock) => Ok(Some(lock)),
            Err(LockError::Busy { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn compaction_rules(&self, now: Timestamp) -> Result<Rules, Error> {
        let continuity = &self.config().continuity;
        let now = to_milliseconds(now);
        let ids = (0..MOST_RECORDS).map(|_| new_id(now)).collect::<Result<_, _>>()?;
        Ok(Rules {
            now,
            min_age_days: continuity.memory_compaction_min_age_days,
            longest_summary: continuity.long_memory_max_chars / 2,
            ids,
        })
    }

    fn compaction_plan(&self, source: &str, rules: &Rules) -> Result<Option<Plan>, Error> {
        // What was decided about a record counts more than what its line says.
        let store = self.store()?;
        let mut failed = None;
        let plan = {
            let known = std::cell::RefCell::new(BTreeMap::<String, State>::new());
            let failed = std::cell::RefCell::new(&mut failed);
            let state = |record: &Record| {
                if let Some(state) = known.borrow().get(&record.id) {
                    return state.clone();
                }
                let state = match store.get(&record.id) {
                    Ok(Some(item)) => State {
                        text: Some(item.text).filter(|_| item.status == Status::Active),
                        pinned: item.pinned,
                    },
                    Ok(None) => State::default(),
                    Err(error) => {
                        **failed.borrow_mut() = Some(error);
                        State { text: None, pinned: true }
                    }
                };
                known.borrow_mut().insert(record.id.clone(), state.clone());
                state
            };
            compaction::plan(source, rules, &state)
        };
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(plan),
        }
    }

    /// Returns the new bytes of every file, and how many lines went to the archive.
    fn compaction_files(
        &self,
        plan: &Plan,
        text: &str,
        now: Timestamp,
    ) -> Result<(FileChanges, usize), Error> {
        let continuity = &self.config().continuity;
        let mut files = FileChanges::from([(PRIMARY.to_owned(), Some(text.as_bytes().to_vec()))]);
        let homeless = self.homeless(&plan.merged)?;
        let (archive, kept) = match &continuity.memory_archive_path {
            Some(path) => (path.as_str(), plan.merged.iter().collect()),
            None => (ARCHIVE, homeless),
        };
        let lines: String = kept.iter().map(|entry| entry.record.line()).collect();
        self.extend_file(&mut files, archive, &lines)?;
        if !plan.summary.is_empty() {
            let path = &continuity.long_memory_path;
            let before = self.read_optional(path)?.unwrap_or_default();
            let most = continuity.long_memory_max_chars;
            let extended = long::extend(&before, self.day(now), &plan.summary, most);
            files.insert(path.clone(), Some(extended.text.into_bytes()));
            self.extend_file(&mut files, long::ARCHIVE, &extended.archived)?;
        }
        Ok((files, kept.len()))
    }

    fn extend_file(&self, files: &mut FileChanges, path: &str, more: &str) -> Result<(), Error> {
        if more.is_empty() {
            return Ok(());
        }
        let mut text = self.read_optional(path)?.unwrap_or_default();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(more);
        files.insert(path.to_owned(), Some(text.into_bytes()));
        Ok(())
    }

    fn diff_to(&self, files: &FileChanges) -> Result<Diff, Error> {
        let mut diff = Diff::default();
        for (path, bytes) in files {
            let new = bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            diff.files.push((path.clone(), self.read_optional(path)?, new));
        }
        Ok(diff)
    }

    /// Checks the plan against what it would make, and carries it out.
    fn install_compaction(
        &self,
        lock: &Lock,
        plan: &Plan,
        (source, text): (&str, &str),
        rules: &Rules,
        same: Compacted,
    ) -> Result<Compacted, Error> {
        let whole = Plan { text: text.to_owned(), ..plan.clone() };
        compaction::check(source, &whole, rules)
            .and_then(|()| self.no_new_findings(source, text, rules.now))
            .map_err(|reason| RecallError::Compaction { reason })?;
        let (files, archived) = self.compaction_files(plan, text, rules.now)?;
        let mut expected = FileChanges::new();
        for path in files.keys() {
            expected.insert(path.clone(), self.read_optional(path)?.map(String::into_bytes));
        }
        self.transactions().commit("compact", &stamp(rules.now), &files, &expected)?;
        self.index_locked(lock, &mut |_, _| {})?;
        let size = scan::size(text);
        Ok(Compacted {
            archived,
            records_after: size.records,
            chars_after: size.chars,
            ..told(plan, same)
        })
    }

    fn no_new_findings(&self, before: &str, after: &str, now: Timestamp) -> Result<(), String> {
        let rules = self.scan_rules(now);
        let count = |text: &str| {
            let found = scan::scan(&[(PRIMARY.to_owned(), text.to_owned())], &rules);
            let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
            for finding in found {
                *counts.entry(finding.code).or_default() += 1;
            }
            counts
        };
        let before = count(before);
        for (code, found) in count(after) {
            if found > before.get(code).copied().unwrap_or(0) {
                return Err(format!("the window would have more findings of `{code}`"));
            }
        }
        Ok(())
    }

    fn last_run(&self) -> LastRun {
        let bytes = self.fs().read(&self.state("compaction.json")).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// When it last ran is no memory: losing it means one run more.
    fn keep_last_run(&self, last: &LastRun) {
        let bytes = serde_json::to_vec(last).unwrap_or_default();
        let beside = self.state("compaction.json.tmp");
        let written = self.fs().write(&beside, &bytes);
        let _ = written.and_then(|()| self.fs().rename(&beside, &self.state("compaction.json")));
    }
}

fn skipped(reason: &str) -> Compacted {
    Compacted { reason: Some(reason.to_owned()), ..Compacted::default() }
}

fn told(plan: &Plan, same: Compacted) -> Compacted {
    Compacted {
        ran: true,
        records_before: plan.before,
        records_after: plan.after,
        records_compacted: plan.merged.len(),
        long_memory_appended: !plan.summary.is_empty(),
        chars_after: plan.text.chars().count(),
        records: plan.records.iter().map(|record| record.id.clone()).collect(),
        summary: plan.summary.clone(),
        ..same
    }
}

/// Tells whether a process lives, as far as the system says.
fn is_alive(process: u32) -> bool {
    let folder = std::path::Path::new("/proc");
    // Where nobody can be asked, the lock is respected.
    !folder.is_dir() || folder.join(process.to_string()).exists()
}
