//! The journal's files: which there are, and adding lines to one.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use quipu_core::journal::{self, ARCHIVE, EVENTS, Form, IMPORTS, PRIMARY, entry};
use quipu_core::memory::MANIFEST;

use crate::error::Error;
use crate::fs::Kind;
use crate::refusal::Refusal;
use crate::transaction::log::FileEdit;
use crate::workspace::{ReadError, Workspace};

/// Files of a memory that stand at the top of its folder.
pub(crate) const TOP: [&str; 3] = [journal::PRIMARY, journal::LONG, journal::USER];

/// Tells whether a path that a foreign archive names can be one of [`memory_files`].
pub(crate) fn is_file_of_memory(path: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    let is_ours = path.starts_with("memory/") || TOP.contains(&path);
    is_ours && path.split('/').all(is_plain) && crate::transaction::is_inside(path)
}

/// The state file that says how new records are written.
pub(crate) const FORM: &str = "journal-form";

/// How deep folders of the memory are looked into.
const DEEPEST: usize = 16;

/// Lines that were added to a file.
pub(crate) struct AddedLines {
    /// Its size before, where it was there.
    pub(crate) before: Option<u64>,
    /// Where the lines begin.
    pub(crate) start: u64,
    /// Its size now.
    pub(crate) end: u64,
}

impl AddedLines {
    /// Returns the same for the change log.
    pub(crate) fn edit_of(&self, path: &str) -> FileEdit {
        let at = self.before.unwrap_or(0);
        FileEdit {
            path: path.to_owned(),
            at,
            added: self.end - at,
            removed: String::new(),
            created: self.before.is_none(),
            sha256: None,
        }
    }
}

/// What is known about a file before it is appended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing.
    Unknown,
    /// It is not there.
    Absent,
    /// It has so many bytes, and its last line an end.
    Whole(u64),
}

/// Returns the paths of the days, oldest first.
pub(crate) fn days(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let entries = match workspace.fs().list(&workspace.root().join("memory")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(crate::workspace::reading("memory", source)),
    };
    let names = entries.into_iter().map(|(name, _)| name);
    let mut days: Vec<String> =
        names.filter(|name| journal::is_daily(name)).map(|name| format!("memory/{name}")).collect();
    days.sort_unstable();
    Ok(days)
}

/// Returns the paths of the files of events, oldest first.
pub(crate) fn events(workspace: &Workspace) -> Vec<String> {
    let entries = workspace.fs().list(&workspace.root().join(EVENTS)).unwrap_or_default();
    let paths = entries.into_iter().map(|(name, _)| format!("{EVENTS}{name}"));
    let mut paths: Vec<String> = paths.filter(|path| journal::is_events(path)).collect();
    paths.sort_unstable();
    paths
}

/// Returns the paths of the files of imported records, by name.
pub(crate) fn imports(workspace: &Workspace) -> Vec<String> {
    let entries = workspace.fs().list(&workspace.root().join(IMPORTS)).unwrap_or_default();
    let paths = entries.into_iter().map(|(name, _)| format!("{IMPORTS}{name}"));
    let mut paths: Vec<String> = paths.filter(|path| journal::is_imports(path)).collect();
    paths.sort_unstable();
    paths
}

/// Returns how new records are written: as those that were there when Quipu first wrote to the journal, or as
/// `quipu journal convert` left them. What version 0.1 set up goes on in Markdown.
pub(crate) fn form(workspace: &Workspace) -> Result<Form, Error> {
    if let Some(form) = workspace.config().journal.form() {
        return Ok(form);
    }
    if let Some(form) = stored_form(workspace) {
        return Ok(form);
    }
    let form = form_of_files(workspace)?;
    // From now on it is this one. Where it cannot be noted, the files say the same the next time.
    let _ = workspace.write_state(FORM, form_name(form).as_bytes());
    Ok(form)
}

/// Returns the form that was noted when the journal was first written to, or converted.
fn stored_form(workspace: &Workspace) -> Option<Form> {
    let bytes = workspace.fs().read_up_to(&workspace.state(FORM), 32).ok()?.ok()?;
    match bytes.trim_ascii() {
        b"markdown" => Some(Form::Markdown),
        b"json" => Some(Form::Json),
        _ => None,
    }
}

/// Returns what the noted form is called.
pub(crate) fn form_name(form: Form) -> &'static str {
    match form {
        Form::Markdown => "markdown",
        Form::Json | Form::Bare => "json",
    }
}

fn form_of_files(workspace: &Workspace) -> Result<Form, Error> {
    let has_events = !events(workspace).is_empty();
    let is_ours = workspace.fs().stat(&workspace.root().join(MANIFEST)).is_ok();
    if has_events || is_ours {
        return Ok(Form::Markdown);
    }
    let mut paths = days(workspace)?;
    paths.insert(0, PRIMARY.to_owned());
    for path in paths.iter().rev() {
        let text = workspace.read_optional(path).ok().flatten().unwrap_or_default();
        if let Some(last) = entry::entries(&text).last() {
            return Ok(last.form);
        }
    }
    Ok(Form::Markdown)
}

/// Returns the file that events of a time go to, and how they are written there.
pub(crate) fn event_file(workspace: &Workspace, now: Timestamp) -> Result<(String, Form), Error> {
    let day = workspace.day(now);
    Ok(match form(workspace)? {
        Form::Markdown => (journal::events_path(day), Form::Bare),
        Form::Json | Form::Bare => (journal::daily_path(day), Form::Json),
    })
}

/// Makes the folder of a file that will be written; one that is private as a whole stays out of git.
pub(crate) fn prepare_folder_of(workspace: &Workspace, path: &str) -> Result<(), Error> {
    let full = workspace.root().join(path);
    let folder = full.parent().unwrap_or(workspace.root());
    let prepare = || {
        workspace.fs().create_folders(folder)?;
        if is_in_private_folder(path) { keep_out_of_git(workspace, folder) } else { Ok(()) }
    };
    prepare().map_err(|source| Refusal::NotWritten { path: path.to_owned(), source }.into())
}

/// Returns the archives of the window.
pub(crate) fn archives(workspace: &Workspace) -> Vec<String> {
    let mut paths = vec![ARCHIVE.to_owned()];
    paths.extend(workspace.config().continuity.memory_archive_path.clone());
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the files of the journal: days, archives, and the window last.
pub(crate) fn journal_paths(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let mut paths = days(workspace)?;
    paths.extend(events(workspace));
    paths.extend(imports(workspace));
    paths.extend(archives(workspace));
    paths.push(PRIMARY.to_owned());
    Ok(paths)
}

/// Returns the paths of all files of the memory, in order.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn memory_files(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let mut paths: Vec<String> = Vec::new();
    let mut folders = vec![("memory".to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = match workspace.fs().list(&workspace.root().join(&folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(crate::workspace::reading(&folder, source)),
        };
        for (name, kind) in entries.into_iter().filter(|(name, _)| !name.starts_with('.')) {
            let path = format!("{folder}/{name}");
            match kind {
                Kind::File => paths.push(path),
                Kind::Folder if depth < DEEPEST => folders.push((path, depth + 1)),
                Kind::Folder | Kind::Link | Kind::Other => {}
            }
        }
    }
    let is_there = |path: &&str| {
        matches!(workspace.fs().stat(&workspace.root().join(path)), Ok((Kind::File, _)))
    };
    paths.extend(TOP.iter().copied().filter(is_there).map(str::to_owned));
    paths.sort_unstable();
    Ok(paths)
}

/// Adds lines to a file; on failure it is as it was.
pub(crate) fn add_to(
    workspace: &Workspace,
    path: &str,
    lines: &str,
    header: &str,
    durable: bool,
) -> Result<AddedLines, Error> {
    add_known(workspace, path, lines, (header, durable), Before::Unknown)
}

/// Adds lines to a file of which something is known already.
pub(crate) fn add_known(
    workspace: &Workspace,
    path: &str,
    lines: &str,
    (header, durable): (&str, bool),
    known: Before,
) -> Result<AddedLines, Error> {
    let full = workspace.root().join(path);
    let before = match known {
        Before::Absent => None,
        Before::Whole(size) => Some(size),
        Before::Unknown => size_of(workspace, path)?,
    };
    let mut bytes = String::with_capacity(lines.len() + header.len() + 1);
    match before {
        None | Some(0) => bytes.push_str(header),
        // A line that was cut off by a crash stays as it is, on a line of its own.
        Some(size) if known == Before::Unknown && !ends_line(workspace, path, size)? => {
            bytes.push('\n');
        }
        Some(_) => {}
    }
    let start = before.unwrap_or(0) + bytes.len() as u64;
    bytes.push_str(lines);
    let folder = full.parent().unwrap_or(workspace.root()).to_owned();
    let write = || {
        if before.is_none() {
            workspace.fs().create_folders(&folder)?;
            if is_in_private_folder(path) {
                keep_out_of_git(workspace, &folder)?;
            }
            // Private before the words are in it, not after.
            workspace.fs().append(&full, b"")?;
            workspace.fs().make_private(&full)?;
        }
        if !durable {
            return workspace.fs().append(&full, bytes.as_bytes());
        }
        workspace.fs().append_durably(&full, bytes.as_bytes())?;
        if before.is_none() { workspace.fs().sync_folder(&folder) } else { Ok(()) }
    };
    if let Err(source) = write() {
        let _ = cut_back(workspace, path, before);
        return Err(Refusal::NotWritten { path: path.to_owned(), source }.into());
    }
    Ok(AddedLines { before, start, end: before.unwrap_or(0) + bytes.len() as u64 })
}

/// Returns how lines of a file end, as its last one does; `\n` where nothing tells.
pub(crate) fn line_ending(workspace: &Workspace, path: &str) -> &'static str {
    let full = workspace.root().join(path);
    let is = |byte: u8, size: u64| workspace.fs().read_last_byte(&full, size).ok() == Some(byte);
    match workspace.fs().stat(&full) {
        Ok((Kind::File, size)) if size > 1 && is(b'\n', size) && is(b'\r', size - 1) => "\r\n",
        _ => "\n",
    }
}

fn is_in_private_folder(path: &str) -> bool {
    journal::PRIVATE_FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// What happened to memories is private, also where `init` never ran.
fn keep_out_of_git(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    let path = folder.join(".gitignore");
    if workspace.fs().stat(&path).is_ok() {
        return Ok(());
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let lines = journal::private_folder_ignore(&format!("memory/{name}/"));
    workspace.fs().write(&path, lines.as_bytes())
}

fn size_of(workspace: &Workspace, path: &str) -> Result<Option<u64>, Error> {
    let full = workspace.root().join(path);
    match workspace.fs().stat(&full) {
        Ok((Kind::File, size)) => Ok(Some(size)),
        Ok((Kind::Link, _)) => Err(ReadError::Linked { path: path.to_owned() }.into()),
        Ok(_) => Err(ReadError::NotAFile { path: path.to_owned() }.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(crate::workspace::reading(path, source)),
    }
}

fn ends_line(workspace: &Workspace, path: &str, size: u64) -> Result<bool, Error> {
    let last = workspace
        .fs()
        .read_last_byte(&workspace.root().join(path), size)
        .map_err(|source| crate::workspace::reading(path, source))?;
    Ok(last == b'\n')
}

pub(crate) fn cut_back(workspace: &Workspace, path: &str, size: Option<u64>) -> io::Result<()> {
    let full = workspace.root().join(path);
    match size {
        Some(size) => workspace.fs().truncate(&full, size),
        None => workspace.fs().remove_file(&full),
    }
}
