//! Compaction: old notes and turns of the window become few records that stand for them.
//!
//! The order of operations is the seed's: is it wanted and due, is anything in scope, nobody else at
//! it; then the plan is made while others go on writing, and only the swap holds them up. All files
//! change together or none, and `quipu undo` brings the old ones back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::{Sensitivity, Status};
use quipu_core::journal::compaction::{self, Plan, Rules, State};
use quipu_core::journal::schedule::{Due, Schedule};
use quipu_core::journal::{self, PRIMARY, Record, long, scan};
use quipu_core::secret::{self, Scope};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::fs::{FileSystem, Kind};
use crate::lock::{Lock, LockError, Mode};
use crate::recall::RecallError;
use crate::remember::{new_id, to_milliseconds};
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Diff, Workspace, stamp};

/// More new records than this no plan has.
const MOST_RECORDS: usize = 16;

/// In nanoseconds.
const HOUR: i128 = 3_600_000_000_000;

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
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    /// Whether it ran.
    pub ran: bool,
    /// Why it did nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
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
    /// What came after it and went wrong; it is made up for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
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
    /// By this age.
    min_age_days: u32,
}

impl LastRun {
    /// A record that is older was in scope when it was written.
    fn limit(&self, now: Timestamp) -> Timestamp {
        let age = SignedDuration::from_hours(24 * i64::from(self.min_age_days));
        now.checked_sub(age).unwrap_or(Timestamp::MIN)
    }
}

/// Why a compaction did nothing, in the original's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub enum Reason {
    /// It is not its time yet.
    #[serde(rename = "not due")]
    NotDue,
    /// It is not wanted.
    #[serde(rename = "disabled")]
    Disabled,
    /// There is nothing in the window.
    #[serde(rename = "no memory file")]
    NoMemoryFile,
    /// The window is small enough.
    #[serde(rename = "under threshold")]
    UnderThreshold,
    /// Somebody else is at it.
    #[serde(rename = "lock held")]
    LockHeld,
    /// Nothing is old enough.
    #[serde(rename = "nothing to compact")]
    NothingToCompact,
}

/// Nobody else compacts while this lives.
struct Alone<'a> {
    /// The original's lock, which is ours now.
    mark: Option<(&'a dyn FileSystem, PathBuf)>,
    _lock: Lock,
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        if let Some((fs, path)) = &self.mark {
            // One that stays behind names a dead process, and is taken over.
            let _ = fs.remove_file(path);
        }
    }
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
            return Ok(Compacted { next: due.next, ..skipped(Reason::NotDue) });
        }
        let mut done = if request.if_due && !self.config().continuity.memory_compaction_enabled {
            skipped(Reason::Disabled)
        } else {
            self.compact_now(request)?
        };
        let is_held = done.reason == Some(Reason::LockHeld);
        if !request.dry_run && !is_held {
            match self.extract_experiences() {
                Ok(added) => done.experiences = added,
                Err(error) => {
                    done.degraded = Some(format!("no experiences were looked for: {error}"));
                }
            }
            if done.reason != Some(Reason::Disabled) {
                self.keep_last_run(&LastRun { at: Some(request.now), ..self.last_run() });
            }
        }
        if request.if_due && !is_held {
            done.next = self.schedule().due(Some(request.now), request.now).next;
        }
        Ok(done)
    }

    fn compact_now(&self, request: &CompactRequest) -> Result<Compacted, Error> {
        let source = self.read_optional(PRIMARY)?.unwrap_or_default();
        if source.trim().is_empty() {
            return Ok(skipped(Reason::NoMemoryFile));
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
            return Ok(Compacted { reason: Some(Reason::UnderThreshold), ..same });
        }
        let Some(_alone) = self.lock_compaction(request.dry_run)? else {
            return Ok(Compacted { reason: Some(Reason::LockHeld), ..same });
        };
        self.freshen()?;
        let rules = self.compaction_rules(request.now)?;
        // Made while others write.
        let Some(plan) = self.compaction_plan(&source, &rules)? else {
            if !request.dry_run {
                self.note_nothing_until(&source, &rules);
            }
            return Ok(Compacted { ran: true, reason: Some(Reason::NothingToCompact), ..same });
        };
        let lock = self.lock_for_writing()?;
        if request.dry_run {
            let (files, archived) =
                self.compaction_files(&lock, &plan, (&source, &plan.text), request.now)?;
            let diff = self.diff_to(&files)?;
            return Ok(Compacted { archived, diff, ..told(&plan, same) });
        }
        let now = self.read_optional(PRIMARY)?.unwrap_or_default();
        let tail = now.strip_prefix(&source).filter(|it| it.is_empty() || source.ends_with('\n'));
        if let Some(tail) = tail {
            let text = format!("{}{tail}", plan.text);
            return self.install_compaction(&lock, &plan, (&now, &text), &rules, same);
        }
        // Trimmed or edited meanwhile: made anew, while nobody can write.
        self.index_locked(&lock, &mut |_, _| {})?;
        let Some(plan) = self.compaction_plan(&now, &rules)? else {
            return Ok(Compacted { ran: true, reason: Some(Reason::NothingToCompact), ..same });
        };
        let text = plan.text.clone();
        self.install_compaction(&lock, &plan, (&now, &text), &rules, same)
    }

    /// Notes until when no record can come into scope, so that appends need not look again.
    fn note_nothing_until(&self, source: &str, rules: &Rules) {
        let next = compaction::next_in_scope(source, rules);
        self.keep_last_run(&LastRun {
            nothing_until: Some(next),
            min_age_days: rules.min_age_days,
            ..self.last_run()
        });
    }

    /// Compacts after an append, where that is wanted and the window is over its threshold. `oldest` is
    /// the time of the oldest record that was appended. Returns what went wrong: the append did not.
    pub(crate) fn compact_after_append(&self, oldest: Timestamp, now: Timestamp) -> Option<String> {
        let continuity = &self.config().continuity;
        let (records, chars) = (
            continuity.memory_compaction_threshold_records,
            continuity.memory_compaction_threshold_chars,
        );
        if !continuity.memory_compaction_enabled || !self.may_hold_more(records, chars) {
            return None;
        }
        let last = self.last_run();
        let is_same_age = last.min_age_days == continuity.memory_compaction_min_age_days;
        if is_same_age && oldest > last.limit(now) && last.nothing_until.is_some_and(|at| now < at)
        {
            return None;
        }
        let request = CompactRequest { now, if_due: false, force: false, dry_run: false };
        let failed = self.compact_now(&request).err()?;
        Some(format!("the window was not compacted: {failed}"))
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
    fn lock_compaction(&self, dry_run: bool) -> Result<Option<Alone<'_>>, Error> {
        self.prepare_state()?;
        let lock = match Lock::take(&self.state("compaction.lock"), Mode::Exclusive, Duration::ZERO)
        {
            Ok(lock) => lock,
            Err(LockError::Busy { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let folder = self.root().join("tmp");
        let original = folder.join("memory-compaction.lock");
        if let Ok(bytes) = self.fs().read(&original)
            && self.is_held(&original, &bytes)
        {
            return Ok(None);
        }
        // Where the original works too, it is kept out as well; what a dead process left is taken over.
        let mut mark = None;
        if !dry_run && matches!(self.fs().stat(&folder), Ok((Kind::Folder, _))) {
            let process = std::process::id().to_string();
            if self.fs().write(&original, process.as_bytes()).is_ok() {
                mark = Some((self.fs(), original));
            }
        }
        Ok(Some(Alone { mark, _lock: lock }))
    }

    /// Tells whether the original's lock is held: by a process that lives, or, where that cannot be
    /// told, for less than an hour.
    fn is_held(&self, path: &Path, bytes: &[u8]) -> bool {
        let process = String::from_utf8_lossy(bytes).trim().parse::<u32>().ok();
        if let Some(process) = process
            && Path::new("/proc/self").exists()
        {
            return Path::new("/proc").join(process.to_string()).exists();
        }
        let Ok(stamp) = self.fs().stamp(path) else { return false };
        let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
        let now = since.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or(0));
        now - stamp.written < HOUR
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
        // What was decided about a record counts more than what its line says; what the index does not
        // know yet says what it says.
        let store = self.store()?;
        let mut known: BTreeMap<String, State> = BTreeMap::new();
        let records: Vec<Record> = journal::records(source).map(|(_, record)| record).collect();
        let ids: Vec<&str> = records.iter().map(|record| record.id.as_str()).collect();
        let items = store.items(&ids)?;
        for (record, item) in records.into_iter().zip(items) {
            let state = match item {
                Some(item) => State {
                    text: Some(item.text).filter(|_| item.status == Status::Active),
                    pinned: item.pinned,
                    label: Some(item.sensitivity),
                },
                None => State { text: Some(record.text), pinned: record.pinned, label: None },
            };
            known.insert(record.id, state);
        }
        let state = |record: &Record| known.get(&record.id).cloned().unwrap_or_default();
        Ok(compaction::plan(source, rules, &state))
    }

    /// Returns the new bytes of every file, and how many lines go to the archive.
    fn compaction_files(
        &self,
        lock: &Lock,
        plan: &Plan,
        (source, text): (&str, &str),
        now: Timestamp,
    ) -> Result<(FileChanges, usize), Error> {
        let continuity = &self.config().continuity;
        let mut files = FileChanges::from([(PRIMARY.to_owned(), Some(text.as_bytes().to_vec()))]);
        let leaving = self.leaving(lock, &plan.merged)?;
        self.extend_file(&mut files, &leaving.archive, &leaving.lines(source))?;
        if !plan.summary.is_empty() {
            let path = &continuity.long_memory_path;
            let before = self.read_optional(path)?.unwrap_or_default();
            let most = continuity.long_memory_max_chars;
            let extended = long::extend(&before, self.day(now), &plan.summary, most);
            files.insert(path.clone(), Some(extended.text.into_bytes()));
            self.extend_file(&mut files, long::ARCHIVE, &extended.archived)?;
        }
        Ok((files, leaving.kept.len()))
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
        let store = self.store()?;
        let is_secret = |record: &Record| {
            record.provenance.sensitivity == Sensitivity::Secret
                || !store.get(&record.id).is_ok_and(|item| {
                    item.is_none_or(|item| item.sensitivity != Sensitivity::Secret)
                })
        };
        let shown = |source: &str| without_secrets(source, &is_secret);
        let mut diff = Diff::default();
        for (path, bytes) in files {
            let new = bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let old = self.read_optional(path)?;
            diff.files.push((path.clone(), old.as_deref().map(&shown), new.as_deref().map(&shown)));
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
        let (files, archived) = self.compaction_files(lock, plan, (source, text), rules.now)?;
        let mut expected = FileChanges::new();
        for path in files.keys().filter(|path| *path != PRIMARY) {
            expected.insert(path.clone(), self.read_optional(path)?.map(String::into_bytes));
        }
        // What the plan was made from, and not what stands there by now.
        expected.insert(PRIMARY.to_owned(), Some(source.as_bytes().to_vec()));
        let options = CommitOptions::default();
        self.transactions().commit("compact", &stamp(rules.now), &files, &expected, options)?;
        // It is done. An index that cannot follow now does so with the next command.
        let degraded = self.index_locked(lock, &mut |_, _| {}).err();
        self.keep_last_run(&LastRun {
            at: Some(rules.now),
            nothing_until: None,
            ..self.last_run()
        });
        let size = scan::size(text);
        Ok(Compacted {
            degraded: degraded.map(|error| format!("the index is behind: {error}")),
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
                *counts.entry(finding.code.as_str()).or_default() += 1;
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

/// Returns a file of the journal as anyone may see it.
fn without_secrets(source: &str, is_secret: &dyn Fn(&Record) -> bool) -> String {
    let lines = source.split_inclusive('\n').map(|line| match Record::parse(line) {
        Some(record) if is_secret(&record) => {
            format!("- (secret record {})\n", record.id)
        }
        _ => line.to_owned(),
    });
    secret::redacted(&lines.collect::<String>(), Scope::Credentials)
}

fn skipped(reason: Reason) -> Compacted {
    Compacted { reason: Some(reason), ..Compacted::default() }
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
