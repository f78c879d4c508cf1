//! Compaction: old notes and turns of the window become few records that stand for them.
//!
//! The order of operations is `CursorClaw`'s: is it wanted and due, is anything in scope, nobody else at
//! it; then the plan is made while others go on writing, and only the swap holds them up. All files
//! change together or none, and `quipu undo` brings the old ones back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::{Sensitivity, Status};
use quipu_core::journal::compaction::{self, Plan, Rules, State};
use quipu_core::journal::entry::{self, Part};
use quipu_core::journal::{self, PRIMARY, Record, long, scan};
use quipu_core::secret::{self, Scope};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::fs::{FileSystem, Kind};
use crate::ids::new_id;
use crate::index;
use crate::ledger;
use crate::lock::Lock;
use crate::records::to_milliseconds;
use crate::refusal::Refusal;
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
pub(crate) struct LastRun {
    /// When it ran.
    pub(crate) at: Option<Timestamp>,
    /// Before this nothing comes into scope.
    nothing_until: Option<Timestamp>,
    /// By this age.
    min_age_days: u32,
}

impl LastRun {
    /// Returns the same with another time.
    pub(crate) fn run_at(self, now: Timestamp) -> Self {
        Self { at: Some(now), ..self }
    }

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

pub(crate) fn compact_now(
    workspace: &Workspace,
    request: &CompactRequest,
) -> Result<Compacted, Error> {
    let source = workspace.read_optional(PRIMARY)?.unwrap_or_default();
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
    if !request.force && !is_over_threshold(workspace, size) {
        return Ok(Compacted { reason: Some(Reason::UnderThreshold), ..same });
    }
    let Some(_alone) = lock_compaction(workspace, request.dry_run)? else {
        return Ok(Compacted { reason: Some(Reason::LockHeld), ..same });
    };
    index::freshen(workspace)?;
    let rules = compaction_rules(workspace, request.now)?;
    // Made while others write.
    let Some(plan) = compaction_plan(workspace, &source, &rules)? else {
        if !request.dry_run {
            note_nothing_until(workspace, &source, &rules);
        }
        return Ok(Compacted { ran: true, reason: Some(Reason::NothingToCompact), ..same });
    };
    let lock = workspace.lock_for_writing()?;
    if request.dry_run {
        let (files, archived) =
            compaction_files(workspace, &lock, &plan, (&source, &plan.text), request.now)?;
        let diff = diff_to(workspace, &files)?;
        return Ok(Compacted { archived, diff, ..told(&plan, same) });
    }
    let now = workspace.read_optional(PRIMARY)?.unwrap_or_default();
    let tail = now.strip_prefix(&source).filter(|it| it.is_empty() || source.ends_with('\n'));
    if let Some(tail) = tail {
        let text = format!("{}{tail}", plan.text);
        return install_compaction(workspace, &lock, &plan, (&now, &text), &rules, same);
    }
    // Trimmed or edited meanwhile: made anew, while nobody can write.
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let Some(plan) = compaction_plan(workspace, &now, &rules)? else {
        return Ok(Compacted { ran: true, reason: Some(Reason::NothingToCompact), ..same });
    };
    let text = plan.text.clone();
    install_compaction(workspace, &lock, &plan, (&now, &text), &rules, same)
}

/// Notes until when no record can come into scope, so that appends need not look again.
fn note_nothing_until(workspace: &Workspace, source: &str, rules: &Rules) {
    let next = compaction::next_in_scope(source, rules);
    keep_last_run(
        workspace,
        &LastRun {
            nothing_until: Some(next),
            min_age_days: rules.min_age_days,
            ..last_run(workspace)
        },
    );
}

/// Compacts after an append, where that is wanted and the window is over its threshold. `oldest` is
/// the time of the oldest record that was appended. Returns what went wrong: the append did not.
pub(crate) fn compact_after_append(
    workspace: &Workspace,
    oldest: Timestamp,
    now: Timestamp,
) -> Option<String> {
    let continuity = &workspace.config().continuity;
    let (records, chars) = (
        continuity.memory_compaction_threshold_records,
        continuity.memory_compaction_threshold_chars,
    );
    if !continuity.memory_compaction_enabled
        || !crate::journal::may_hold_more(workspace, records, chars)
    {
        return None;
    }
    let last = last_run(workspace);
    let is_same_age = last.min_age_days == continuity.memory_compaction_min_age_days;
    if is_same_age && oldest > last.limit(now) && last.nothing_until.is_some_and(|at| now < at) {
        return None;
    }
    let request = CompactRequest { now, if_due: false, force: false, dry_run: false };
    let failed = compact_now(workspace, &request).err()?;
    Some(format!("the window was not compacted: {failed}"))
}

fn is_over_threshold(workspace: &Workspace, size: scan::Size) -> bool {
    let continuity = &workspace.config().continuity;
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
fn lock_compaction(workspace: &Workspace, dry_run: bool) -> Result<Option<Alone<'_>>, Error> {
    workspace.prepare_state()?;
    let lock = match workspace.lock_work("compaction.lock", Duration::ZERO) {
        Ok(lock) => lock,
        Err(error) if error.code() == "busy" => return Ok(None),
        Err(error) => return Err(error),
    };
    let folder = workspace.root().join("tmp");
    let original = folder.join("memory-compaction.lock");
    if let Ok(bytes) = workspace.fs().read(&original)
        && is_held(workspace, &original, &bytes)
    {
        return Ok(None);
    }
    // Where the original works too, it is kept out as well; what a dead process left is taken over.
    let mut mark = None;
    if !dry_run && matches!(workspace.fs().stat(&folder), Ok((Kind::Folder, _))) {
        let process = std::process::id().to_string();
        if workspace.fs().write(&original, process.as_bytes()).is_ok() {
            mark = Some((workspace.fs(), original));
        }
    }
    Ok(Some(Alone { mark, _lock: lock }))
}

/// Tells whether the original's lock is held: by a process that lives, or, where that cannot be
/// told, for less than an hour.
fn is_held(workspace: &Workspace, path: &Path, bytes: &[u8]) -> bool {
    let process = String::from_utf8_lossy(bytes).trim().parse::<u32>().ok();
    if let Some(process) = process
        && Path::new("/proc/self").exists()
    {
        return Path::new("/proc").join(process.to_string()).exists();
    }
    let Ok(stamp) = workspace.fs().stamp(path) else { return false };
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    let now = since.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or(0));
    now - stamp.written < HOUR
}

fn compaction_rules(workspace: &Workspace, now: Timestamp) -> Result<Rules, Error> {
    let continuity = &workspace.config().continuity;
    let now = to_milliseconds(now);
    let ids = (0..MOST_RECORDS).map(|_| new_id()).collect::<Result<_, _>>()?;
    Ok(Rules {
        form: ledger::form(workspace)?,
        now,
        zone: workspace.zone().clone(),
        min_age_days: continuity.memory_compaction_min_age_days,
        longest_summary: continuity.long_memory_max_chars / 2,
        ids,
    })
}

fn compaction_plan(
    workspace: &Workspace,
    source: &str,
    rules: &Rules,
) -> Result<Option<Plan>, Error> {
    // What was decided about a record counts more than what its line says; what the index does not
    // know yet says what it says.
    let store = index::store(workspace)?;
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
    workspace: &Workspace,
    lock: &Lock,
    plan: &Plan,
    (source, text): (&str, &str),
    now: Timestamp,
) -> Result<(FileChanges, usize), Error> {
    let continuity = &workspace.config().continuity;
    let mut files = FileChanges::from([(PRIMARY.to_owned(), Some(text.as_bytes().to_vec()))]);
    let leaving = crate::journal::leaving(workspace, lock, &plan.merged)?;
    extend_file(workspace, &mut files, &leaving.archive, &leaving.lines(source))?;
    if !plan.summary.is_empty() {
        let path = &continuity.long_memory_path;
        let before = workspace.read_optional(path)?.unwrap_or_default();
        let most = continuity.long_memory_max_chars;
        let extended = long::extend(&before, workspace.day(now), &plan.summary, most);
        files.insert(path.clone(), Some(extended.text.into_bytes()));
        extend_file(workspace, &mut files, long::ARCHIVE, &extended.archived)?;
    }
    Ok((files, leaving.kept.len()))
}

fn extend_file(
    workspace: &Workspace,
    files: &mut FileChanges,
    path: &str,
    more: &str,
) -> Result<(), Error> {
    if more.is_empty() {
        return Ok(());
    }
    let mut text = workspace.read_optional(path)?.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(more);
    files.insert(path.to_owned(), Some(text.into_bytes()));
    Ok(())
}

fn diff_to(workspace: &Workspace, files: &FileChanges) -> Result<Diff, Error> {
    let store = index::store(workspace)?;
    let is_secret = |record: &Record| {
        record.provenance.sensitivity == Sensitivity::Secret
            || !store
                .get(&record.id)
                .is_ok_and(|item| item.is_none_or(|item| item.sensitivity != Sensitivity::Secret))
    };
    let shown = |source: &str| without_secrets(source, &is_secret);
    let mut diff = Diff::default();
    for (path, bytes) in files {
        let new = bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let old = workspace.read_optional(path)?;
        diff.files.push((path.clone(), old.as_deref().map(&shown), new.as_deref().map(&shown)));
    }
    Ok(diff)
}

/// Checks the plan against what it would make, and carries it out.
fn install_compaction(
    workspace: &Workspace,
    lock: &Lock,
    plan: &Plan,
    (source, text): (&str, &str),
    rules: &Rules,
    same: Compacted,
) -> Result<Compacted, Error> {
    let whole = Plan { text: text.to_owned(), ..plan.clone() };
    compaction::check(source, &whole, rules)
        .and_then(|()| no_new_findings(workspace, source, text, rules.now))
        .map_err(|reason| Refusal::Compaction { reason })?;
    let (files, archived) = compaction_files(workspace, lock, plan, (source, text), rules.now)?;
    let mut expected = FileChanges::new();
    for path in files.keys().filter(|path| *path != PRIMARY) {
        expected.insert(path.clone(), workspace.read_optional(path)?.map(String::into_bytes));
    }
    // What the plan was made from, and not what stands there by now.
    expected.insert(PRIMARY.to_owned(), Some(source.as_bytes().to_vec()));
    let options = CommitOptions::default();
    workspace.transactions().commit("compact", &stamp(rules.now), &files, &expected, options)?;
    // It is done. An index that cannot follow now does so with the next command.
    let degraded = index::index_locked(workspace, lock, &mut |_, _| {}).err();
    keep_last_run(
        workspace,
        &LastRun { at: Some(rules.now), nothing_until: None, ..last_run(workspace) },
    );
    let size = scan::size(text);
    Ok(Compacted {
        degraded: degraded.map(|error| format!("the index is behind: {error}")),
        archived,
        records_after: size.records,
        chars_after: size.chars,
        ..told(plan, same)
    })
}

fn no_new_findings(
    workspace: &Workspace,
    before: &str,
    after: &str,
    now: Timestamp,
) -> Result<(), String> {
    let rules = crate::journal::scan_rules(workspace, now);
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

pub(crate) fn last_run(workspace: &Workspace) -> LastRun {
    let bytes = workspace.fs().read(&workspace.state("compaction.json")).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// When it last ran is no memory: losing it means one run more.
pub(crate) fn keep_last_run(workspace: &Workspace, last: &LastRun) {
    let bytes = serde_json::to_vec(last).unwrap_or_default();
    let beside = workspace.state("compaction.json.tmp");
    let written = workspace.fs().write(&beside, &bytes);
    let _ =
        written.and_then(|()| workspace.fs().rename(&beside, &workspace.state("compaction.json")));
}

/// Appends records to the ledger, the window and the index. Returns why the index is behind,
/// where it is.
pub(crate) fn append(
    workspace: &Workspace,
    records: &[Record],
    now: Timestamp,
) -> Result<Option<String>, Error> {
    let lock = workspace.lock_for_writing()?;
    let degraded = crate::journal::append_locked(workspace, &lock, records, now)?;
    drop(lock);
    // Others need not wait for what is done about a full window.
    Ok(degraded.or_else(|| compact_after(workspace, records, now)))
}

pub(crate) fn compact_after(
    workspace: &Workspace,
    records: &[Record],
    now: Timestamp,
) -> Option<String> {
    let oldest = records.iter().map(|record| record.provenance.timestamp).min()?;
    compact_after_append(workspace, oldest, now)
}

/// Returns a file of the journal as anyone may see it.
fn without_secrets(source: &str, is_secret: &dyn Fn(&Record) -> bool) -> String {
    let lines = entry::parts(source).map(|part| match &part {
        Part::Record(entry) if is_secret(&entry.record) => {
            format!("- (secret record {})\n", entry.record.id)
        }
        _ => source[part.span()].to_owned(),
    });
    secret::redacted(&lines.collect::<String>(), Scope::Credentials)
}

pub(crate) fn skipped(reason: Reason) -> Compacted {
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
