//! What git calls to merge a file that two branches changed.

use std::path::{Path, PathBuf};

use quipu_core::merge::{Elsewhere, FileKind, Merged, Sides, three_way};

use super::{VcsError, failed};
use crate::fs::FileSystem;
use crate::git::git;

/// A memory file larger than this is merged as text.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A file that git asks to merge.
#[derive(Clone, Debug)]
pub struct DriverRequest<'a> {
    /// The work tree.
    pub root: &'a Path,
    /// Git's file with the common ancestor (`%O`).
    pub base: PathBuf,
    /// Git's file with our version, which takes the result (`%A`).
    pub ours: PathBuf,
    /// Git's file with the other version (`%B`).
    pub theirs: PathBuf,
    /// The file's path in the repository (`%P`).
    pub path: &'a str,
    /// What git calls our side (`%X`).
    pub our_label: &'a str,
    /// What git calls the other side (`%Y`).
    pub their_label: &'a str,
}

/// Merges a file, and writes the result over our version.
///
/// # Errors
/// When there is no rule for the file, it is not text, or cannot be read or written; then our version
/// is as it was.
pub fn merge(fs: &dyn FileSystem, request: &DriverRequest<'_>) -> Result<Merged, VcsError> {
    let path = request.path;
    let kind = FileKind::of(path).ok_or_else(|| VcsError::NoRule { path: path.to_owned() })?;
    let read = |file: &Path| -> Result<String, VcsError> {
        let bytes = fs.read_up_to(file, LARGEST).map_err(failed("read", file))?;
        let bytes = bytes.map_err(|_| VcsError::NotText { path: path.to_owned() })?;
        String::from_utf8(bytes).map_err(|_| VcsError::NotText { path: path.to_owned() })
    };
    let (base, ours, theirs) = (read(&request.base)?, read(&request.ours)?, read(&request.theirs)?);
    let elsewhere = match kind {
        FileKind::Continuity | FileKind::Quarter => elsewhere(request),
        _ => Elsewhere::default(),
    };
    let sides = Sides { base: &base, ours: &ours, theirs: &theirs };
    let merged = three_way(kind, sides, &elsewhere);
    // Git reads this file next: it is whole at every moment.
    let mut new = request.ours.clone().into_os_string();
    new.push(".quipu");
    let new = PathBuf::from(new);
    let write = || {
        fs.write(&new, merged.text.as_bytes())?;
        fs.rename(&new, &request.ours)
    };
    write().map_err(|error| {
        // It may not even be there.
        let _ = fs.remove_file(&new);
        failed("write", &request.ours)(error)
    })?;
    Ok(merged)
}

/// Returns the facts that a branch keeps in another memory file.
fn elsewhere(request: &DriverRequest<'_>) -> Elsewhere {
    let mut elsewhere = Elsewhere::default();
    let commit = |label: &str| -> Option<String> {
        // A rebase calls a side `1a2b3c4 (subject)`.
        let name = label.split_whitespace().next().filter(|name| !name.starts_with(['-', '%']))?;
        let name = format!("{name}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
        let id = git(request.root, &arguments, None)?;
        Some(String::from_utf8(id).ok()?.trim().to_owned())
    };
    let ours = commit(request.our_label).or_else(|| commit("HEAD"));
    let others = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"];
    let theirs = commit(request.their_label).or_else(|| others.into_iter().find_map(commit));
    let commits: Vec<String> = ours.into_iter().chain(theirs).collect();
    let folder = match request.path.find("memory/") {
        Some(at) if !commits.is_empty() => &request.path[..at + "memory".len()],
        _ => return elsewhere,
    };
    let (inside, without) = (format!(":(top){folder}"), format!(":(top,exclude){}", request.path));
    let mut arguments =
        vec!["grep", "-l", "-z", "--full-name", "-E", "-e", "<!-- *id: *[a-z0-9-]+ *\\|"];
    arguments.extend(commits.iter().map(String::as_str));
    arguments.extend(["--", &inside, &without]);
    // Without a match git answers with a failure.
    let found = git(request.root, &arguments, None).unwrap_or_default();
    let names = String::from_utf8_lossy(&found).into_owned();
    let logs = format!("{folder}/sessions/");
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        if name.split_once(':').is_some_and(|(_, path)| path.starts_with(&logs)) {
            continue;
        }
        if let Some(text) = git(request.root, &["cat-file", "blob", name], None) {
            elsewhere.add(&String::from_utf8_lossy(&text));
        }
    }
    elsewhere
}
