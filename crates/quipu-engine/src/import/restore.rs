//! Our own export, put back as it was: its files, byte for byte, where nothing is here yet.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::ops::ControlFlow;

use quipu_core::indexing;
use quipu_core::memory::{CONTINUITY, SESSIONS};
use quipu_core::text;
use quipu_import::elements::{Element, elements};
use quipu_import::input::Member;
use quipu_import::{Format, ImportError, Input};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Imported;
use crate::digest::sha256;
use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Workspace, stamp};

/// Returns what was put back; nothing where the export is of a part, or something is here already: then its items are
/// imported one by one.
pub(super) fn restore(
    workspace: &Workspace,
    inputs: &[Input],
    request: &Request<'_>,
) -> Result<Option<Imported>, Error> {
    for input in inputs {
        for member in input.members() {
            check(input, member)?;
        }
    }
    let [input] = inputs else { return Ok(None) };
    if !is_empty(workspace)? {
        return Ok(None);
    }
    let mut files = FileChanges::new();
    let mut imported = Imported {
        format: Format::Quipu.to_string(),
        program: Format::Quipu.program().to_owned(),
        files: vec![input.shown().to_owned()],
        ..Imported::default()
    };
    let mut is_whole = false;
    let Some(member) = input.members().first() else { return Ok(None) };
    elements(input.read(member)?, input.shown(), &mut |element| {
        let Element::Value(value, _) = element else { return Ok(ControlFlow::Continue(())) };
        match value["t"].as_str() {
            Some("header") => {
                let filter = value["filter"].as_object();
                imported.version = value["by"].as_str().map(str::to_owned);
                is_whole = filter.is_none_or(serde_json::Map::is_empty);
            }
            Some("file") => {
                let (path, bytes) = file(&value, input)?;
                files.insert(path, Some(bytes));
            }
            Some("item") => imported.read += 1,
            _ => {}
        }
        let is_of_use = if is_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        Ok(is_of_use)
    })?;
    if !is_whole || files.is_empty() {
        return Ok(None);
    }
    imported.new = imported.read;
    imported.categories = BTreeMap::from([("files".to_owned(), files.len())]);
    imported.paths = files.keys().cloned().collect();
    if request.dry_run {
        return Ok(Some(imported));
    }
    let lock = workspace.lock_for_writing()?;
    let mut expected = FileChanges::new();
    for path in files.keys() {
        expected.insert(path.clone(), workspace.transactions().read(path)?);
        ledger::prepare_folder_of(workspace, path)?;
    }
    let options = CommitOptions::default();
    let at = stamp(request.now);
    workspace.transactions().commit("import", &at, &files, &expected, options)?;
    imported.applied = true;
    if let Err(error) = index::index_locked(workspace, &lock, &mut |_, _| {}) {
        imported.degraded = Some(error.to_string());
    }
    Ok(Some(imported))
}

/// Refuses an export that is not what it was, to the last byte.
fn check(input: &Input, member: &Member) -> Result<(), ImportError> {
    let mut reader = BufReader::new(input.read(member)?);
    let (mut sum, mut line, mut last) = (Sha256::new(), Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line).map_err(ImportError::io(input.shown()))? > 0 {
        sum.update(&last);
        std::mem::swap(&mut line, &mut last);
        line.clear();
    }
    let end: Value = serde_json::from_slice(&last).unwrap_or_default();
    if end["t"] == "end" && end["sha256"] == text::hex(&sum.finalize()) {
        return Ok(());
    }
    Err(ImportError::NotThat {
        path: input.shown().to_owned(),
        format: "a whole export".to_owned(),
        why: "its last line does not match the lines before it: the file was changed or cut off"
            .to_owned(),
    })
}

/// Tells whether nothing has been remembered here yet; what `init` wrote is no memory.
fn is_empty(workspace: &Workspace) -> Result<bool, Error> {
    let continuity = workspace.read_optional(CONTINUITY)?.unwrap_or_default();
    let has_facts = !indexing::facts([(CONTINUITY, continuity.as_str())]).is_empty();
    let sessions = workspace.fs().list(&workspace.root().join(SESSIONS)).unwrap_or_default();
    let has_logs = sessions.iter().any(|(name, _)| quipu_core::ledger::is_session_log(name));
    let mut has_records = false;
    for path in ledger::journal_paths(workspace)? {
        let text = workspace.read_optional(&path)?.unwrap_or_default();
        has_records |= quipu_core::journal::records(&text).next().is_some();
    }
    Ok(!has_facts && !has_logs && !has_records)
}

/// Returns a file of an export: one of a memory, and whole.
fn file(value: &Value, input: &Input) -> Result<(String, Vec<u8>), ImportError> {
    let bad = |why: &str| ImportError::NotThat {
        path: input.shown().to_owned(),
        format: "a whole export".to_owned(),
        why: format!("{}: {why}", value["path"].as_str().unwrap_or("a file")),
    };
    let path = value["path"].as_str().ok_or_else(|| bad("it has no path"))?;
    if !ledger::is_file_of_memory(path) {
        return Err(bad("it is no file of a memory"));
    }
    let text = value["text"].as_str().ok_or_else(|| bad("it has no text"))?;
    if value["sha256"].as_str() != Some(&sha256(text.as_bytes())) {
        return Err(bad("its hash is another one: the export was changed or cut off"));
    }
    Ok((path.to_owned(), text.as_bytes().to_vec()))
}
