//! Writing the journal's records in the other form: Markdown that people read, or JSON.

use std::collections::BTreeMap;

use quipu_core::journal::{self, Form, PRIMARY, Record, convert};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::refusal::Refusal;
use crate::state;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Workspace, stamp};

/// What a conversion did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Converted {
    /// How records are written now: `markdown` or `json`.
    pub form: &'static str,
    /// The files that changed.
    pub files: Vec<String>,
    /// How many records have another form now; one that is in MEMORY.md and in a day counts twice.
    pub records: usize,
    /// How many events moved between the daily logs and `memory/events/`.
    pub events: usize,
    /// How many records stay as they are, because the other form would say something else.
    pub kept: usize,
}

/// The texts of files as they are to be.
#[derive(Default)]
struct Texts {
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
}

impl Texts {
    /// Returns a file as it is to be.
    fn now(&self, path: &str) -> &str {
        self.after.get(path).or_else(|| self.before.get(path)).map_or("", String::as_str)
    }

    /// Returns all records of some texts, in an order of their own.
    fn records(texts: &BTreeMap<String, String>) -> Vec<String> {
        let all = texts.values().flat_map(|text| journal::records(text));
        let mut lines: Vec<String> = all.map(|(_, record)| record.line()).collect();
        lines.sort_unstable();
        lines
    }
}

/// Writes the records of the journal in another form, and new ones in it from now on.
///
/// # Errors
/// When the settings name the other form, a file cannot be read or written, or a record would be lost; then
/// everything is as it was.
pub fn convert_journal(
    workspace: &Workspace,
    to: Form,
    request: &Request<'_>,
) -> Result<Converted, Error> {
    if workspace.config().journal.form().is_some_and(|chosen| chosen != to) {
        return Err(Refusal::FormIsSet.into());
    }
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let mut texts = read(workspace)?;
    let mut converted = Converted {
        form: ledger::form_name(to),
        files: Vec::new(),
        records: 0,
        events: 0,
        kept: 0,
    };
    match to {
        Form::Markdown => make_readable(&mut texts, &mut converted),
        Form::Json | Form::Bare => make_json(&mut texts, &mut converted),
    }
    let mut after = texts.before.clone();
    after.extend(texts.after.clone());
    if Texts::records(&after) != Texts::records(&texts.before) {
        return Err(Error::bug());
    }
    let (changes, expected) = changes(&texts);
    converted.files = changes.keys().cloned().collect();
    if !request.dry_run {
        write(workspace, to, (changes, expected), request)?;
        // The files are written; an index that cannot follow now does so with the next command.
        let _ = index::index_locked(workspace, &lock, &mut |_, _| {});
    }
    Ok(converted)
}

fn read(workspace: &Workspace) -> Result<Texts, Error> {
    let mut paths = ledger::days(workspace)?;
    paths.extend(ledger::events(workspace));
    paths.extend(ledger::archives(workspace));
    paths.push(PRIMARY.to_owned());
    let mut texts = Texts::default();
    for path in paths {
        if let Some(text) = workspace.read_optional(&path)? {
            texts.before.insert(path, text);
        }
    }
    Ok(texts)
}

fn make_readable(texts: &mut Texts, converted: &mut Converted) {
    let mut events: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for (path, text) in texts.before.iter().filter(|(path, _)| !journal::is_events(path)) {
        let day = path.strip_prefix("memory/").and_then(|name| name.strip_suffix(".md"));
        let day = day.filter(|_| journal::is_ledger(path));
        let made = convert::to_markdown(text, day.is_some());
        converted.records += made.records;
        converted.kept += made.kept;
        converted.events += made.events.len();
        if let Some(day) = day.filter(|_| !made.events.is_empty()) {
            events
                .entry(format!("{}{day}.jsonl", journal::EVENTS))
                .or_default()
                .extend(made.events);
        }
        texts.after.insert(path.clone(), made.text);
    }
    for (path, more) in events {
        let text = convert::events_file(texts.now(&path), &more);
        texts.after.insert(path, text);
    }
}

fn make_json(texts: &mut Texts, converted: &mut Converted) {
    for (path, text) in texts.before.iter().filter(|(path, _)| !journal::is_events(path)) {
        let made = convert::to_json(text);
        converted.records += made.records;
        converted.kept += made.kept;
        texts.after.insert(path.clone(), made.text);
    }
    let files: Vec<String> =
        texts.before.keys().filter(|path| journal::is_events(path)).cloned().collect();
    for path in files {
        let (events, rest) = convert::events_of(texts.now(&path));
        let day = path.trim_start_matches(journal::EVENTS).trim_end_matches(".jsonl");
        let day = format!("memory/{day}.md");
        let text = convert::with_events(texts.now(&day), &events);
        converted.events += events.len();
        texts.after.insert(day, text);
        texts.after.insert(path, rest);
    }
}

/// Returns what changes on disk. A file of events in which nothing is left goes.
fn changes(texts: &Texts) -> (FileChanges, FileChanges) {
    let (mut changes, mut expected) = (FileChanges::new(), FileChanges::new());
    for (path, text) in &texts.after {
        let before = texts.before.get(path);
        if before == Some(text) {
            continue;
        }
        let is_gone = text.is_empty() && journal::is_events(path);
        changes.insert(path.clone(), (!is_gone).then(|| text.clone().into_bytes()));
        expected.insert(path.clone(), before.map(|text| text.clone().into_bytes()));
    }
    (changes, expected)
}

fn write(
    workspace: &Workspace,
    to: Form,
    (mut changes, mut expected): (FileChanges, FileChanges),
    request: &Request<'_>,
) -> Result<(), Error> {
    // Whoever takes this back finds the form noted that was written before.
    ledger::form(workspace)?;
    let noted = format!("{}{}", state::PREFIX, ledger::FORM);
    let before = workspace.transactions().read(&noted)?;
    let form = Some(ledger::form_name(to).as_bytes().to_vec());
    if before != form {
        changes.insert(noted.clone(), form);
        expected.insert(noted, before);
    }
    if changes.is_empty() {
        return Ok(());
    }
    for path in changes.keys().filter(|path| journal::is_events(path)) {
        ledger::prepare_folder_of(workspace, path)?;
    }
    let options =
        CommitOptions { private: true, rewrites_ledger: true, ..CommitOptions::default() };
    let at = stamp(request.now);
    Ok(workspace.transactions().commit("journal convert", &at, &changes, &expected, options)?)
}
