//! Removing words for good: for secrets, and for the right to be forgotten.
//!
//! Everything else in Quipu can be undone; a purge cannot, and leaves nothing to undo it with. It first
//! writes down what it is about to do (`intent`). Then all files of the memory change together with
//! the tombstone, or none. The state folder, the undo entries and the index follow, and the intent goes
//! last. A command that finds an intent finishes that purge before it does anything else; every step
//! can be done twice.

mod cleanup;
mod intent;
mod places;

use std::collections::BTreeSet;

use quipu_core::indexing::FileKind;
use quipu_core::item::{Decision, Item, Kind, Source};
use quipu_core::journal::{self, COMPACTION, Record};
use quipu_core::memory::CONTINUITY;
use quipu_core::purge::{NEUTRAL, Redaction, SHORT_VALUE, SHORTEST_VALUE, Subject};
use quipu_core::{fact, naming, question};
use schemars::JsonSchema;
use serde::Serialize;

use self::cleanup::clean_up;
use self::cleanup::other_places;
use self::places::memory_files;
use self::places::outside_files;
use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::lock::Lock;
use crate::operation::Request;
use crate::records::decision_record;
use crate::refusal::Refusal;
use crate::secret_policy::guarded_words;
use crate::state;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Workspace, stamp};
use intent::Intent;

/// What a purge did.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Purged {
    /// The item, or the record of the purge where a value was removed; where the id was made of the
    /// words, its new id.
    pub id: String,
    /// The places that had the words.
    pub files: Vec<String>,
    /// New ids of items whose ids were made of the words.
    pub renamed: Vec<String>,
    /// Whether it was begun by an earlier process that was interrupted.
    pub resumed: bool,
    /// What Quipu cannot reach.
    pub not_reached: Vec<String>,
}

/// A purge of an earlier process that this one finished.
#[derive(Clone, Debug)]
pub(crate) struct FinishedPurge {
    intent: Intent,
    report: Purged,
}

/// What a purge changes in the files of the memory.
#[derive(Default)]
struct Plan {
    changes: FileChanges,
    expected: FileChanges,
    not_reached: Vec<String>,
}

/// Removes an item's words from every file and table of the workspace, for good.
///
/// # Errors
/// When there is no such item, its words are in a source file, or a step fails; then the next
/// command finishes it.
pub fn purge(
    workspace: &Workspace,
    id: &str,
    reason: &str,
    request: &Request<'_>,
) -> Result<Purged, Error> {
    let reason = &*guarded_words(workspace.config(), reason)?;
    let lock = workspace.lock_for_writing()?;
    let finished = workspace.kept(Option::<FinishedPurge>::take);
    let is_this =
        |one: &FinishedPurge| one.intent.id.as_ref().is_some_and(|full| full.starts_with(id));
    if let Some(finished) = finished.filter(is_this) {
        return Ok(finished.report);
    }
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let item = match index::resolve(workspace, id) {
        Err(ref error)
            if let Some(id) = Refusal::unknown_id(error)
                && is_tombstone(workspace, &id)? =>
        {
            return purged_before(workspace, id, request.dry_run);
        }
        found => found?,
    };
    if item.kind == Kind::Code {
        let path = item.id.strip_prefix(crate::index::CODE).unwrap_or(&item.id);
        let path = path.split('#').next().unwrap_or(path).to_owned();
        return Err(Refusal::InSource { id: item.id, path }.into());
    }
    let stands_for_others = item.source == Source::Dream
        || (item.category == COMPACTION && item.text != journal::CHECKPOINT);
    let texts = all_texts(workspace, &item)?;
    let subject = if stands_for_others { Subject::Summary(texts) } else { Subject::Texts(texts) };
    let mut intent = intent(workspace, subject, request);
    intent.id = Some(item.id.clone());
    intent.own_ids.insert(item.id.clone());
    intent.own_path = item.place.as_ref().map(|place| place.path.clone());
    intent.questions = questions_about(workspace, &item.id)?;
    let fingerprint = |record: &Record| {
        let owned = item.is_owned_by_a_file();
        if owned { journal::fingerprint(&item.text, &record.id) } else { String::new() }
    };
    let mut not_reached = Vec::new();
    if stands_for_others {
        let sources = sources_of(workspace, &item)?;
        let these = if sources == 1 { "the record" } else { "the records" };
        not_reached.push(format!(
            "{these} that it was made from ({sources}), which keep their own words: purge those that have the words too"
        ));
    } else if let Some(into) = &item.merged_into {
        not_reached.push(format!(
            "`{into}`, a summary of it and others, may say it in other words: look at it"
        ));
    }
    run_purge(workspace, &lock, intent, (reason, &fingerprint), not_reached, request)
}

/// Removes a value from every file and table of the workspace, for good. What contained it keeps
/// its other words. `is_short_meant` lets a value pass that is shorter than [`SHORT_VALUE`].
///
/// # Errors
/// When the value is too short, or a step fails; then the next command finishes it.
pub fn purge_value(
    workspace: &Workspace,
    value: &str,
    reason: &str,
    is_short_meant: bool,
    request: &Request<'_>,
) -> Result<Purged, Error> {
    let value = value.trim();
    let length = value.chars().count();
    let least = if is_short_meant { SHORTEST_VALUE } else { SHORT_VALUE };
    if length < SHORTEST_VALUE || length < least {
        let least = if length < SHORTEST_VALUE { SHORTEST_VALUE } else { least };
        return Err(Refusal::ShortValue { length, least }.into());
    }
    let reason = &*guarded_words(workspace.config(), reason)?;
    let lock = workspace.lock_for_writing()?;
    let intent = intent(workspace, Subject::Value(value.to_owned()), request);
    if intent.redaction().words.are_in(&format!("{} {NEUTRAL}", intent.mark)) {
        return Err(Refusal::ValueInMark { mark: intent.mark }.into());
    }
    let finished = workspace.kept(Option::<FinishedPurge>::take);
    if let Some(finished) = finished.filter(|one| one.intent.subject == intent.subject) {
        return Ok(finished.report);
    }
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    run_purge(workspace, &lock, intent, (reason, &|_| String::new()), Vec::new(), request)
}

fn intent(workspace: &Workspace, subject: Subject, request: &Request<'_>) -> Intent {
    let mark = format!("(PURGED {})", workspace.day(request.now));
    Intent::new(subject, mark, stamp(request.now))
}

/// Plans, writes the intent, and carries it out.
fn run_purge(
    workspace: &Workspace,
    lock: &Lock,
    mut intent: Intent,
    (reason, fingerprint): (&str, &dyn Fn(&Record) -> String),
    not_reached: Vec<String>,
    request: &Request<'_>,
) -> Result<Purged, Error> {
    let session = workspace.day(request.now).to_string();
    let placeholder = Decision::Purge { places: 0, words: String::new() };
    let mut tombstone = decision_record("", placeholder, "", &session, request)?;
    intent.tombstone_id.clone_from(&tombstone.id);
    plan_renames(workspace, &mut intent)?;
    let redaction = intent.redaction();
    let mut plan = plan_purge(workspace, &intent, &redaction);
    plan.not_reached.splice(0..0, not_reached);
    let mut report = Purged { id: intent.new_id(), ..Purged::default() };
    report.renamed = intent.renames.values().cloned().collect();
    report.files = plan.changes.keys().map(|path| redaction.id(path)).collect();
    report.files.dedup();
    let beside = other_places(workspace, &redaction);
    let is_nowhere = report.files.is_empty() && beside.is_empty();
    report.files.extend(beside);
    report.not_reached.clone_from(&plan.not_reached);
    if intent.is_of_value() {
        let (files, _) = memory_files(workspace, true);
        report.not_reached.extend(outside_files(workspace, &redaction.words, &files));
    }
    report.not_reached.extend(never_reached(workspace));
    if request.dry_run || (is_nowhere && intent.is_of_value()) {
        return Ok(report);
    }
    tombstone.target = Some(tombstone_target(&intent));
    tombstone.text = redaction.words.out_of(reason.trim(), &intent.mark);
    let words = fingerprint(&tombstone);
    tombstone.decision = Some(Decision::Purge { places: report.files.len(), words });
    let (path, form) = ledger::event_file(workspace, request.now)?;
    (intent.daily, intent.tombstone) = (path, tombstone.written(form));
    if intent.is_of_value() {
        report.id = tombstone_target(&intent);
    }
    intent.write(workspace).map_err(|source| crate::workspace::reading(state::PURGE, source))?;
    if let Err(error) = commit_purge(workspace, &intent, plan) {
        // Everything is as it was, so there is nothing to finish. Where the intent cannot be
        // removed, the next command carries it out after all.
        let _ = Intent::remove(workspace);
        return Err(error);
    }
    clean_up(workspace, lock, &intent, &redaction, &mut report)?;
    Ok(report)
}

/// Finishes a purge that was interrupted. The caller holds the lock.
pub(crate) fn finish_purge(workspace: &Workspace, lock: &Lock) -> Result<(), Error> {
    if !workspace.has_unfinished_purge() {
        return Ok(());
    }
    let finish = || -> Result<Option<FinishedPurge>, Error> {
        let read = Intent::read(workspace)
            .map_err(|source| crate::workspace::reading(state::PURGE, source))?;
        let Some(intent) = read else { return Ok(None) };
        let redaction = intent.redaction();
        let plan = plan_purge(workspace, &intent, &redaction);
        let mut report = Purged { id: intent.new_id(), resumed: true, ..Purged::default() };
        report.files = plan.changes.keys().map(|path| redaction.id(path)).collect();
        report.renamed = intent.renames.values().cloned().collect();
        report.not_reached.clone_from(&plan.not_reached);
        commit_purge(workspace, &intent, plan)?;
        clean_up(workspace, lock, &intent, &redaction, &mut report)?;
        report.not_reached.extend(never_reached(workspace));
        Ok(Some(FinishedPurge { intent, report }))
    };
    match finish() {
        Ok(finished) => {
            workspace.kept(|kept: &mut Option<FinishedPurge>| *kept = finished);
            Ok(())
        }
        Err(source) => Err(Refusal::UnfinishedPurge { source: Box::new(source) }.into()),
    }
}

/// Returns what every file of the memory looks like without the words.
fn plan_purge(workspace: &Workspace, intent: &Intent, redaction: &Redaction) -> Plan {
    let mut plan = Plan::default();
    let (files, links) = memory_files(workspace, intent.is_of_value());
    plan.not_reached.extend(links.into_iter().map(|path| format!("{path} is a link")));
    for path in &files {
        let Ok(bytes) = workspace.fs().read(&workspace.locate(path)) else { continue };
        let Ok(text) = String::from_utf8(bytes.clone()) else {
            if redaction.words.are_in_bytes(&bytes) {
                plan.not_reached.push(format!("{path} is not UTF-8, and was left as it is"));
            }
            continue;
        };
        let cleaned = redaction.file(path, &text);
        if redaction.words.are_left_in(&cleaned) {
            plan.not_reached.push(format!(
                "{path} has the same short words, which may mean something else: look at it"
            ));
        }
        let new_path = new_path(workspace, path, redaction);
        if cleaned == text && new_path == *path {
            continue;
        }
        if new_path != *path {
            plan.changes.insert(path.clone(), None);
            plan.expected.insert(new_path.clone(), None);
        }
        plan.changes.insert(new_path, Some(cleaned.into_bytes()));
        plan.expected.insert(path.clone(), Some(bytes));
    }
    plan
}

/// Returns what a file is called whose name has the words; only names that people and models
/// choose can.
fn new_path(workspace: &Workspace, path: &str, redaction: &Redaction) -> String {
    let is_free = workspace.file_kind(path) == Some(FileKind::Note)
        || (workspace.file_kind(path) == Some(FileKind::Document) && path.starts_with("memory/"));
    if !is_free || !redaction.words.are_in(path) {
        return path.to_owned();
    }
    let base = redaction.words.out_of(path, NEUTRAL);
    let (stem, extension) = match base.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => (stem, format!(".{extension}")),
        _ => (base.as_str(), String::new()),
    };
    let mut names = std::iter::once(base.clone())
        .chain((2_u32..).map(|number| format!("{stem}-{number}{extension}")));
    let is_new = |name: &String| workspace.fs().stat(&workspace.root().join(name)).is_err();
    names.find(is_new).unwrap_or(base)
}

/// Finds new ids for those that were made of the words.
fn plan_renames(workspace: &Workspace, intent: &mut Intent) -> Result<(), Error> {
    let redaction = intent.redaction();
    let store = index::store(workspace)?;
    let known: BTreeSet<String> = store.ids("", usize::MAX)?.into_iter().collect();
    let mut made: Vec<(String, String)> = Vec::new();
    let mut candidates: Vec<Item> = Vec::new();
    store.each(&mut |item| {
        let is_made_of_words = matches!(item.kind, Kind::Fact | Kind::Thread | Kind::Archived)
            && redaction.words.are_part_of_id(&item.id);
        if is_made_of_words || (item.kind != Kind::Code && redaction.words.are_in(&item.id)) {
            candidates.push(item);
        }
        true
    })?;
    let mut wanted: Vec<(String, String, Kind)> = Vec::new();
    for item in candidates {
        // Ids of sections follow from their headings.
        if matches!(item.kind, Kind::Session | Kind::Document | Kind::Code) {
            continue;
        }
        let base = store.base(&item.id)?.unwrap_or_else(|| item.clone());
        let is_own = intent.own_ids.contains(&item.id);
        if is_own || redaction.takes_id(&item) || redaction.takes_id(&base) {
            let text = if is_own { String::new() } else { base.text };
            wanted.push((item.id, text, item.kind));
        }
    }
    drop(store);
    // Ids of facts that the index does not show, such as those of quoted ones.
    for path in memory_files(workspace, true).0.iter().filter(|path| has_facts(workspace, path)) {
        let text = workspace.read_optional(path)?.unwrap_or_default();
        for footer in fact::footers(&text).0 {
            let id = footer.id.as_str();
            if !known.contains(id) && redaction.words.are_in(id) {
                wanted.push((id.to_owned(), String::new(), Kind::Archived));
            }
        }
    }
    for (number, (id, text, kind)) in wanted.into_iter().enumerate() {
        let is_thread = kind == Kind::Thread;
        let new_ids = made.iter().map(|(_, new)| new);
        let taken: BTreeSet<&str> = known.iter().chain(new_ids).map(String::as_str).collect();
        let rest = redaction.words.out_of(&text, " ");
        let named = naming::derive_id(&rest, is_thread, &taken);
        let says_enough = kind != Kind::Record
            && rest.split_whitespace().count() > 2
            && !redaction.words.are_part_of_id(&named);
        let new = if says_enough { named } else { neutral_id(intent, number, is_thread) };
        made.push((id, new));
    }
    let own: Vec<String> = made
        .iter()
        .filter(|(old, _)| intent.own_ids.contains(old))
        .map(|(_, new)| new.clone())
        .collect();
    intent.own_ids.extend(own);
    intent.renames.extend(made);
    plan_section_renames(workspace, intent);
    Ok(())
}

fn has_facts(workspace: &Workspace, path: &str) -> bool {
    workspace.file_kind(path) == Some(FileKind::Facts)
}

/// Ids of sections are made of headings, so they follow from what the files will say.
fn plan_section_renames(workspace: &Workspace, intent: &mut Intent) {
    let redaction = intent.redaction();
    for path in memory_files(workspace, intent.is_of_value()).0 {
        let Some(kind) = workspace.file_kind(&path) else { continue };
        if kind == FileKind::Facts && path != CONTINUITY {
            continue;
        }
        let Ok(Some(text)) = workspace.read_optional(&path) else { continue };
        let cleaned = redaction.file(&path, &text);
        let new_path = new_path(workspace, &path, &redaction);
        if cleaned != text || new_path != path {
            let paths = (path.as_str(), new_path.as_str());
            let sections = redaction.renamed_sections(paths, (&text, &cleaned), kind);
            // The section that is purged keeps its heading, and its id.
            let others = sections.into_iter().filter(|(id, new)| {
                !intent.own_ids.contains(id) && new != NEUTRAL && redaction.words.are_in(id)
            });
            intent.renames.extend(others.collect::<Vec<_>>());
        }
    }
}

/// Writes the cleaned files and the tombstone, all or nothing, with no way back.
fn commit_purge(workspace: &Workspace, intent: &Intent, plan: Plan) -> Result<(), Error> {
    let Plan { mut changes, mut expected, .. } = plan;
    let daily = &intent.daily;
    let before = match changes.get(daily) {
        Some(cleaned) => cleaned.clone(),
        None => workspace.read_optional(daily)?.map(String::into_bytes),
    };
    let mut today = before.clone().unwrap_or_default();
    if !holds(&today, intent.tombstone_id.as_bytes()) {
        if today.last().is_some_and(|byte| *byte != b'\n') {
            today.push(b'\n');
        }
        today.extend_from_slice(intent.tombstone.as_bytes());
        expected.entry(daily.clone()).or_insert(before);
        changes.insert(daily.clone(), Some(today));
    }
    if !changes.is_empty() {
        let options = CommitOptions { is_final: true, ..CommitOptions::default() };
        workspace.transactions().commit("purge", &intent.at, &changes, &expected, options)?;
    }
    Ok(())
}

/// Returns what the events of questions about an item are filed under.
fn questions_about(workspace: &Workspace, id: &str) -> Result<BTreeSet<String>, Error> {
    let queue = question::queue(&index::store(workspace)?.filed_under(question::FILED)?);
    let about = queue.into_iter().filter(|one| one.question.subjects.iter().any(|one| one == id));
    Ok(about.map(|one| format!("{}{}", question::FILED, one.id)).collect())
}

fn is_tombstone(workspace: &Workspace, id: &str) -> Result<bool, Error> {
    let events = index::store(workspace)?.events(id)?;
    Ok(events.iter().any(|event| matches!(event.decision, Some(Decision::Purge { .. }))))
}

/// Cleans the index once more after a purge that is over.
fn purged_before(workspace: &Workspace, id: String, dry_run: bool) -> Result<Purged, Error> {
    let mut report = Purged { id, ..Purged::default() };
    if !dry_run && !index::store(workspace)?.scrub()? {
        let busy = "the index's journal, which another process is reading: run it again";
        report.not_reached.push(busy.to_owned());
    }
    report.not_reached.extend(never_reached(workspace));
    Ok(report)
}

fn never_reached(workspace: &Workspace) -> Vec<String> {
    let mut places = Vec::new();
    if workspace.root().join(".git").exists() {
        places.push(
            "git history and other clones: rewrite it (`git filter-repo`) where a file with the words was committed"
                .to_owned(),
        );
    }
    places.push(
        "what says the same in other words, or only a part of it: `quipu purge --value` removes a value wherever it is"
            .to_owned(),
    );
    if workspace.fs().stat(&workspace.state(state::SYNC)).is_ok() {
        places.push(
            "the repository of `quipu sync` and its copy here, until the next `quipu sync`; its server may keep for a while what nothing leads to"
                .to_owned(),
        );
    }
    places.push("backups and exports that were made before".to_owned());
    places.push("transcripts that agents keep themselves".to_owned());
    places
}

/// The texts that the item has and had.
fn all_texts(workspace: &Workspace, item: &Item) -> Result<BTreeSet<String>, Error> {
    let store = index::store(workspace)?;
    let mut texts = BTreeSet::from([item.text.clone()]);
    texts.extend(store.base(&item.id)?.map(|base| base.text));
    for event in store.events(&item.id)? {
        if let Some(Decision::Edit { text }) = event.decision {
            texts.insert(text);
        }
    }
    Ok(texts)
}

/// Returns how many records an item was made from.
fn sources_of(workspace: &Workspace, item: &Item) -> Result<usize, Error> {
    let mut count = 0;
    index::store(workspace)?.each(&mut |one| {
        count += usize::from(one.merged_into.as_deref() == Some(&item.id));
        true
    })?;
    let path = item.place.as_ref().map_or("", |place| place.path.as_str());
    let text = workspace.read_optional(path).ok().flatten().unwrap_or_default();
    let record = journal::records(&text).map(|(_, record)| record).find(|r| r.id == item.id);
    let merged = record.and_then(|record| record.merged).map_or(0, |merged| merged.ids.len());
    Ok(count.max(merged))
}

/// Returns what the tombstone is filed under.
fn tombstone_target(intent: &Intent) -> String {
    match &intent.id {
        Some(_) => intent.new_id(),
        None => neutral_id(intent, usize::MAX, false),
    }
}

/// Returns an id that says nothing.
fn neutral_id(intent: &Intent, number: usize, is_thread: bool) -> String {
    let print = journal::fingerprint(&number.to_string(), &intent.tombstone_id);
    let prefix = if is_thread { "ot-" } else { "" };
    format!("{prefix}{NEUTRAL}-{}", print.get(..8).unwrap_or(&print))
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len().max(1)).any(|window| window == part)
}
