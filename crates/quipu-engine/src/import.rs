//! Memories of other programs: a plan of what would be taken, or all of it in one file that undo takes back.
//!
//! Readers of `quipu-import` hand out drafts, one by one. Each gets an id that follows from its source, so that the
//! same import adds nothing twice; its words pass the policy on secrets; and what its source does not say about it
//! is decided by rules that name themselves. Nothing is dated by the import, and nothing is guessed by likeness.

mod plan;
mod records;
mod restore;
mod writer;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use quipu_core::item::Item;
use quipu_core::journal;
use quipu_import::find::{self, Machine};
use quipu_import::{Format, ImportError, Input, Options, detect};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::plan::Plan;
use self::records::Told;
pub(crate) use self::records::{CHANNEL, ORIGIN};
use crate::error::{Error, Failure};
use crate::fs::outside;
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::workspace::Workspace;

impl Failure for ImportError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<String> {
        Self::hint(self)
    }

    fn kind(&self) -> crate::error::ErrorKind {
        crate::error::ErrorKind::Input
    }
}

/// What to import, and how.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Files, folders and archives; `-` is stdin.
    pub paths: Vec<PathBuf>,
    /// A file that was sent: it is called by its name, and not by where it is kept for a while.
    pub upload: Option<PathBuf>,
    /// What a file holds that is at no path.
    pub content: Option<String>,
    /// The format, where the caller says so.
    pub format: Option<Format>,
    /// How it is read.
    pub options: Options,
    /// Tell of each memory which rule decided about it.
    pub explain: bool,
}

/// What an import found, and what became of it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Imported {
    /// The format.
    pub format: String,
    /// The program.
    pub program: String,
    /// The version of the program, where its data says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What was read.
    pub files: Vec<String>,
    /// How many memories were read.
    pub read: usize,
    /// How many are new.
    pub new: usize,
    /// How many say something else than when they were imported before.
    pub changed: usize,
    /// How many are here already.
    pub known: usize,
    /// How many were left out, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// The reasons in words.
    #[serde(skip)]
    pub reasons: BTreeMap<&'static str, &'static str>,
    /// In how many a credential was blacked out.
    pub redacted: usize,
    /// How many of each category are new or changed.
    pub categories: BTreeMap<String, usize>,
    /// How many of each layer are.
    pub layers: BTreeMap<String, usize>,
    /// Some of them; all of them where the caller asked for the rules.
    pub samples: Vec<Sample>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// Where they are, where they were written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Whether they were written.
    pub applied: bool,
    /// Why the index does not have them yet, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// One memory of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sample {
    /// The id that it has or gets.
    pub id: String,
    /// Its words, or how they begin.
    pub text: String,
    /// When it was learned; nothing where the source does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<jiff::Timestamp>,
    /// Where the time is from, where the source does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_from: Option<&'static str>,
    /// The category.
    pub category: String,
    /// The layer.
    pub layer: &'static str,
    /// The type.
    #[serde(rename = "type")]
    pub memory_type: &'static str,
    /// The rule that decided so.
    pub rule: &'static str,
    /// The file of the source, and the line where that is known.
    pub from: String,
}

/// A place of this machine that something could be imported from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Place {
    /// The format.
    pub format: String,
    /// The program.
    pub program: String,
    /// The path.
    pub path: String,
    /// How many files are there.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
}

/// An import that was made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Run {
    /// Its file.
    pub path: String,
    /// The program that it is from.
    pub program: String,
    /// How many memories it brought that are still here.
    pub memories: usize,
}

/// Looks at the usual places of this machine.
pub fn places(machine: &Machine) -> Vec<Place> {
    let found = find::find(machine).into_iter();
    found
        .map(|one| Place {
            format: one.format.to_string(),
            program: one.format.program().to_owned(),
            path: one.path.display().to_string(),
            files: one.files,
            bytes: one.bytes,
        })
        .collect()
}

/// Returns the imports that were made, the oldest first.
///
/// # Errors
/// When the index cannot be used.
pub fn runs(workspace: &Workspace) -> Result<Vec<Run>, Error> {
    index::freshen(workspace)?;
    let store = index::store(workspace)?;
    let mut runs = Vec::new();
    for path in ledger::imports(workspace) {
        let program = program_of(&path);
        let mut memories = 0;
        for item in store.bases_in(&path)? {
            memories += usize::from(store.get(&item.id)?.is_some());
        }
        runs.push(Run { path, program, memories });
    }
    Ok(runs)
}

/// Returns the program that a file of imported records is from, by its name.
fn program_of(path: &str) -> String {
    let name = path.strip_prefix(journal::IMPORTS).unwrap_or(path);
    let format = name.get(11..).and_then(|rest| rest.rsplit_once('-')).map(|(format, _)| format);
    let known = Format::ALL.iter().find(|one| {
        format
            .is_some_and(|format| format == one.as_str() || format.starts_with(&format!("{one}-")))
    });
    known.map_or("another program", |format| format.program()).to_owned()
}

/// Returns where an imported memory is from, in words; nothing for one that was not imported.
pub fn in_words(channel: Option<&str>, time: jiff::Timestamp) -> Option<String> {
    if let Some(source) = channel?.strip_prefix("ingest:") {
        return Some(format!("from {source}"));
    }
    let format = channel?.strip_prefix(CHANNEL)?;
    let known = Format::named(format);
    let program = known.map_or_else(|| format.to_owned(), |known| known.program().to_owned());
    let day = time.strftime("%Y-%m-%d");
    let is_dated = time != jiff::Timestamp::UNIX_EPOCH;
    Some(if is_dated {
        format!("imported from {program}, {day}")
    } else {
        format!("imported from {program}")
    })
}

/// Returns the same with the place in the source, as far as the record says it.
pub(crate) fn origin_in_words(workspace: &Workspace, item: &Item) -> Option<String> {
    let mut words = in_words(item.channel.as_deref(), item.time)?;
    let text = workspace.read_optional(&item.place.as_ref()?.path).ok().flatten()?;
    let record = journal::records(&text).map(|(_, record)| record).find(|one| one.id == item.id)?;
    let origin = record.unknown.get(ORIGIN).and_then(Value::as_str)?;
    let origin: Value = serde_json::from_str(origin).ok()?;
    if let Some(file) = origin["file"].as_str() {
        let line = origin["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let _ = write!(words, " ({file}{line})");
    }
    if origin["time"].is_string() {
        words.push_str("; the time is that of the file");
    }
    if let Some(rule) = origin["rule"].as_str() {
        let _ = write!(words, "; what it is: {rule}");
    }
    Some(words)
}

/// Imports, or shows what an import would do: all of it happens, or nothing.
///
/// # Errors
/// When a source cannot be read, several formats are meant, or the file cannot be written.
pub fn import(
    workspace: &Workspace,
    asked: &Asked,
    request: &Request<'_>,
    progress: &dyn Fn(&str, usize, usize) -> bool,
) -> Result<Imported, Error> {
    let mut given = Vec::new();
    for path in &asked.paths {
        outside::refuse_links(workspace.root(), path)?;
        given.push(Input::open(path)?);
    }
    if let Some(path) = &asked.upload {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        given.push(Input::open(path)?.called(&name));
    }
    if let Some(content) = &asked.content {
        given.push(Input::of_text(content)?);
    }
    let mut inputs = Vec::new();
    let mut format = asked.format;
    for input in given {
        let found = match asked.format {
            Some(format) => format,
            None => detect(&input)?,
        };
        if format.is_some_and(|before| before != found) {
            let formats =
                vec![format.map(|one| one.to_string()).unwrap_or_default(), found.to_string()];
            let path = "what was given".to_owned();
            return Err(ImportError::Several { path, formats }.into());
        }
        format = Some(found);
        inputs.push(input);
    }
    let Some(format) = format else {
        return Err(Error::input("arguments", "nothing to import was given")
            .hint("`quipu import --find` looks what is on this machine"));
    };
    if format == Format::Quipu
        && let Some(imported) = restore::restore(workspace, &inputs, request)?
    {
        return Ok(imported);
    }
    let mut told = Told::new(asked.explain);
    if request.dry_run {
        index::freshen(workspace)?;
        let plan = Plan::new(workspace, format, asked, request, None);
        return plan.run(&inputs, &mut told, progress);
    }
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let writer = writer::Writer::new(workspace, format, request)?;
    let plan = Plan::new(workspace, format, asked, request, Some(writer));
    plan.carry_out(&inputs, &mut told, &lock, progress)
}
