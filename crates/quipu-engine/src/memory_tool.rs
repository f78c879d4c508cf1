//! The memory tool of Anthropic's API over a folder of the workspace: what a model writes there is
//! found by `recall`, and taken back by `undo`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use quipu_core::memory_tool::{self, ROOT};
pub use quipu_core::memory_tool::{Command, Refusal};
use quipu_core::secret::{self, OnSecret, Scope};

use crate::error::Error;
use crate::fs::{Kind, is_linked};
use crate::operation::Request;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Workspace, stamp};

/// A larger file is no note, and would not be indexed.
const LARGEST_NOTE: usize = 8 * 1024 * 1024;

/// How deep a folder is listed.
const DEPTH: usize = 2;

/// Why a command of the memory tool was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryToolError {
    /// It is refused; the words are for the model.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] Error),
}

impl MemoryToolError {
    /// Returns the words for the model, with the cause.
    pub fn told(&self) -> String {
        let mut told = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(inner) = cause {
            told = format!("{told}: {inner}");
            cause = inner.source();
        }
        told
    }
}

/// A path of the tool, and what it means here.
struct Meant<'a> {
    /// As the model wrote it.
    asked: &'a str,
    /// From the workspace's root.
    path: String,
    full: PathBuf,
    is_root: bool,
}

/// Carries out a command of the memory tool; returns the words for the model. With
/// `allow_secret` what looks like a credential is written all the same.
///
/// # Errors
/// When the command is refused, or the files cannot be used; then nothing has changed.
pub fn memory_tool(
    workspace: &Workspace,
    command: &Command,
    allow_secret: bool,
    request: &Request<'_>,
) -> Result<String, MemoryToolError> {
    let policy = if allow_secret { OnSecret::Allow } else { workspace.config().guard.on_said() };
    let name = match command {
        Command::Create { path: name, .. } | Command::Rename { new_path: name, .. } => name,
        _ => "",
    };
    let hits = secret::scan(name, Scope::Credentials);
    if policy != OnSecret::Allow && !hits.is_empty() {
        let categories = secret::told(name, &hits);
        return Err(Refusal::Secret { categories }.into());
    }
    let words = secret::admitted(policy, command.words(), Scope::Credentials)
        .map_err(|categories| Refusal::Secret { categories })?;
    let command = &command.clone().with_words(words.into_owned());
    match command {
        Command::View { path, view_range } => view_note(workspace, path, view_range.as_deref()),
        Command::Create { path, file_text } => create_note(workspace, path, file_text, request),
        Command::StrReplace { path, old_str, new_str } => {
            edit_note(workspace, path, "str_replace", request, |text| {
                memory_tool::replaced(path, text, old_str, new_str)
            })
        }
        Command::Insert { path, insert_line, insert_text } => {
            edit_note(workspace, path, "insert", request, |text| {
                let changed = memory_tool::inserted(text, *insert_line, insert_text)?;
                Ok((changed, format!("The file {path} has been edited.")))
            })
        }
        Command::Delete { path } => delete_note(workspace, path, request),
        Command::Rename { old_path, new_path } => {
            rename_note(workspace, old_path, new_path, request)
        }
    }
}

/// Returns what a path of the tool means here.
fn meant<'a>(workspace: &Workspace, asked: &'a str) -> Result<Meant<'a>, MemoryToolError> {
    let parts = memory_tool::parts(asked)?;
    let is_root = parts.is_empty();
    let folder = workspace.config().memory_tool.folder.as_str();
    let path = std::iter::once(folder).chain(parts).collect::<Vec<_>>().join("/");
    let full = workspace.root().join(&path);
    kind_of(workspace, &full)?;
    Ok(Meant { asked, path, full, is_root })
}

/// Returns what is at a path; nothing where there is nothing.
fn kind_of(workspace: &Workspace, full: &Path) -> Result<Option<Kind>, Refusal> {
    match workspace.fs().stat(full) {
        Ok((Kind::Link, _)) => Err(Refusal::EscapesByLink),
        Ok((kind, _)) => Ok(Some(kind)),
        Err(error) if is_linked(&error) => Err(Refusal::EscapesByLink),
        Err(_) => Ok(None),
    }
}

fn note_text(workspace: &Workspace, meant: &Meant<'_>) -> Result<String, MemoryToolError> {
    let unsupported = || Refusal::Unsupported { path: meant.asked.to_owned() };
    let read = workspace.fs().read_up_to(&meant.full, 4 * LARGEST_NOTE as u64);
    let bytes = read.map_err(|source| crate::workspace::reading(&meant.path, source))?;
    let bytes = bytes.map_err(|_| Refusal::TooLong { path: meant.asked.to_owned() })?;
    String::from_utf8(bytes).map_err(|_| unsupported().into())
}

fn view_note(
    workspace: &Workspace,
    path: &str,
    range: Option<&[i64]>,
) -> Result<String, MemoryToolError> {
    let meant = meant(workspace, path)?;
    match kind_of(workspace, &meant.full)? {
        Some(Kind::File) => Ok(memory_tool::shown(path, &note_text(workspace, &meant)?, range)?),
        Some(Kind::Folder) => {
            let mut entries = Vec::new();
            list_notes(workspace, &meant.full, "", 1, &mut entries);
            let own = workspace.fs().stat(&meant.full).map_or(0, |(_, size)| size);
            Ok(memory_tool::listing(path, own, &entries))
        }
        Some(Kind::Other | Kind::Link) => Err(Refusal::NotAFile { path: path.to_owned() }.into()),
        // The tool's folder is always there, also before the first note.
        None if meant.is_root => Ok(memory_tool::listing(path, 0, &[])),
        None => Err(Refusal::Absent { path: path.to_owned() }.into()),
    }
}

/// Adds what is in a folder to `entries`; what cannot be looked at is left out.
fn list_notes(
    workspace: &Workspace,
    folder: &Path,
    above: &str,
    depth: usize,
    entries: &mut Vec<(u64, String)>,
) {
    let mut names = workspace.fs().list(folder).unwrap_or_default();
    names.retain(|(name, _)| !name.starts_with('.'));
    names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (name, _) in names {
        let path = folder.join(&name);
        let below = format!("{above}{name}");
        match workspace.fs().stat(&path) {
            Ok((Kind::Folder, size)) => {
                entries.push((size, format!("{below}/")));
                if depth < DEPTH {
                    list_notes(workspace, &path, &format!("{below}/"), depth + 1, entries);
                }
            }
            Ok((Kind::File, size)) => entries.push((size, below)),
            Ok(_) | Err(_) => {}
        }
    }
}

fn create_note(
    workspace: &Workspace,
    path: &str,
    text: &str,
    request: &Request<'_>,
) -> Result<String, MemoryToolError> {
    refuse_large(path, text)?;
    let _lock = workspace.lock_for_writing()?;
    let meant = meant(workspace, path)?;
    if meant.is_root || kind_of(workspace, &meant.full)?.is_some() {
        return Err(Refusal::Exists { path: path.to_owned() }.into());
    }
    refuse_below_a_file(&meant)?;
    let expected = FileChanges::from([(meant.path.clone(), None)]);
    let changes = FileChanges::from([(meant.path, Some(text.as_bytes().to_vec()))]);
    write_notes(workspace, "create", &changes, &expected, request)?;
    Ok(format!("File created successfully at: {path}"))
}

fn edit_note(
    workspace: &Workspace,
    path: &str,
    what: &str,
    request: &Request<'_>,
    edit: impl FnOnce(&str) -> Result<(String, String), Refusal>,
) -> Result<String, MemoryToolError> {
    let _lock = workspace.lock_for_writing()?;
    let meant = meant(workspace, path)?;
    match kind_of(workspace, &meant.full)? {
        None => return Err(Refusal::Absent { path: path.to_owned() }.into()),
        Some(Kind::Folder | Kind::Other | Kind::Link) => {
            return Err(Refusal::NotAFile { path: path.to_owned() }.into());
        }
        Some(Kind::File) => {}
    }
    let before = note_text(workspace, &meant)?;
    let (text, told) = edit(&before)?;
    refuse_large(path, &text)?;
    let expected = FileChanges::from([(meant.path.clone(), Some(before.into_bytes()))]);
    let changes = FileChanges::from([(meant.path, Some(text.into_bytes()))]);
    write_notes(workspace, what, &changes, &expected, request)?;
    Ok(told)
}

fn delete_note(
    workspace: &Workspace,
    path: &str,
    request: &Request<'_>,
) -> Result<String, MemoryToolError> {
    let _lock = workspace.lock_for_writing()?;
    let meant = meant(workspace, path)?;
    if meant.is_root {
        return Err(Refusal::DeletesRoot.into());
    }
    let Some(kind) = kind_of(workspace, &meant.full)? else {
        return Err(Refusal::Gone { path: path.to_owned() }.into());
    };
    let files = files_below(workspace, &meant, kind)?;
    let changes: FileChanges = files.keys().map(|path| (path.clone(), None)).collect();
    let expected = files.into_iter().map(|(path, bytes)| (path, Some(bytes))).collect();
    write_notes(workspace, "delete", &changes, &expected, request)?;
    if kind == Kind::Folder && !request.dry_run {
        remove_emptied(workspace, &meant);
    }
    Ok(format!("Successfully deleted {path}"))
}

fn rename_note(
    workspace: &Workspace,
    old: &str,
    new: &str,
    request: &Request<'_>,
) -> Result<String, MemoryToolError> {
    let _lock = workspace.lock_for_writing()?;
    let (from, to) = (meant(workspace, old)?, meant(workspace, new)?);
    if from.is_root {
        return Err(Refusal::RenamesRoot.into());
    }
    if to.is_root || kind_of(workspace, &to.full)?.is_some() {
        return Err(Refusal::Taken { path: new.to_owned() }.into());
    }
    let Some(kind) = kind_of(workspace, &from.full)? else {
        return Err(Refusal::Gone { path: old.to_owned() }.into());
    };
    if to.full.starts_with(&from.full) {
        return Err(Refusal::IntoItself { path: old.to_owned() }.into());
    }
    refuse_below_a_file(&to)?;
    let (mut changes, mut expected) = (FileChanges::new(), FileChanges::new());
    for (path, bytes) in files_below(workspace, &from, kind)? {
        let below = path.strip_prefix(&from.path).unwrap_or_default();
        changes.insert(format!("{}{below}", to.path), Some(bytes.clone()));
        changes.insert(path.clone(), None);
        expected.insert(path, Some(bytes));
    }
    write_notes(workspace, "rename", &changes, &expected, request)?;
    if kind == Kind::Folder && !request.dry_run {
        if changes.is_empty() {
            let made = workspace.fs().create_folders(&to.full);
            made.map_err(|source| crate::workspace::reading(&to.path, source))?;
        }
        remove_emptied(workspace, &from);
    }
    Ok(format!("Successfully renamed {old} to {new}"))
}

/// Returns the files that a path stands for, with their bytes; links are no files.
fn files_below(
    workspace: &Workspace,
    meant: &Meant<'_>,
    kind: Kind,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut files = BTreeMap::new();
    let mut next = vec![(meant.path.clone(), kind)];
    while let Some((path, kind)) = next.pop() {
        let full = workspace.root().join(&path);
        let failed = |source: io::Error| crate::workspace::reading(&path, source);
        match kind {
            Kind::File => {
                files.insert(path.clone(), workspace.fs().read(&full).map_err(failed)?);
            }
            Kind::Folder => {
                let entries = workspace.fs().list(&full).map_err(failed)?;
                next.extend(
                    entries.into_iter().map(|(name, kind)| (format!("{path}/{name}"), kind)),
                );
            }
            Kind::Link | Kind::Other => {}
        }
    }
    Ok(files)
}

/// Removes a folder whose files are gone, with the folders in it.
fn remove_emptied(workspace: &Workspace, meant: &Meant<'_>) {
    // Nobody may hear "failed" of something that is done; an empty folder does no harm.
    let _ = workspace.fs().remove_folder(&meant.full);
}

fn write_notes(
    workspace: &Workspace,
    what: &str,
    changes: &FileChanges,
    expected: &FileChanges,
    request: &Request<'_>,
) -> Result<(), Error> {
    if request.dry_run || changes.is_empty() {
        return Ok(());
    }
    let operation = format!("{} {what}", request.operation);
    let at = stamp(request.now);
    let options = CommitOptions { private: true, ..CommitOptions::default() };
    workspace.transactions().commit(&operation, &at, changes, expected, options)?;
    Ok(())
}

/// A file has nothing below it.
fn refuse_below_a_file(meant: &Meant<'_>) -> Result<(), MemoryToolError> {
    let nearest = meant.full.ancestors().skip(1).find(|above| above.exists());
    if nearest.is_some_and(|above| !above.is_dir()) {
        let path = meant.asked.rsplit_once('/').map_or(ROOT, |(above, _)| above);
        return Err(Refusal::Exists { path: path.to_owned() }.into());
    }
    Ok(())
}

fn refuse_large(path: &str, text: &str) -> Result<(), Refusal> {
    if text.len() > LARGEST_NOTE {
        let (path, size) = (path.to_owned(), text.len());
        return Err(Refusal::TooLarge { path, size, most: LARGEST_NOTE });
    }
    Ok(())
}
