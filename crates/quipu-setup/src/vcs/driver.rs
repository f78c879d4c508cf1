//! What git calls to merge a file that two branches changed.

use std::path::{Path, PathBuf};

use quipu_core::merge::{Elsewhere, FileKind, Merged, Sides, three_way};
use quipu_engine::fs::{FileSystem, RealFs};
use quipu_engine::git::git_in_driver;

use super::{VcsError, as_line, failed, replace};

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
    replace(fs, &request.ours, merged.text.as_bytes(), |_| Ok(()))?;
    Ok(merged)
}

/// What git calls the side of a stash.
const STASHED: &str = "Stashed changes";

/// Returns the facts that a branch keeps in another memory file.
fn elsewhere(request: &DriverRequest<'_>) -> Elsewhere {
    let mut found = Elsewhere::default();
    let Some(at) = request.path.find("memory/") else { return found };
    let folder = &request.path[..at + "memory".len()];
    let commit = |name: &str| commit(request.root, name);
    let ours = labelled(request.root, request.our_label).or_else(|| commit("HEAD"));
    let others = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"];
    let theirs = labelled(request.root, request.their_label);
    let theirs = theirs.or_else(|| others.into_iter().find_map(commit));
    let mut commits: Vec<String> = ours.into_iter().chain(theirs).collect();
    let is_stash = [request.our_label, request.their_label].contains(&STASHED);
    if is_stash {
        commits.extend(stashed(request));
    }
    if !commits.is_empty() {
        add_from(&mut found, request, folder, &commits);
    }
    if is_stash {
        // What git did not know was not put away: it is still there.
        add_from(&mut found, request, folder, &[]);
    }
    found
}

/// Returns the commit that a name means.
fn commit(root: &Path, name: &str) -> Option<String> {
    let name = format!("{name}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
    as_line(git_in_driver(root, &arguments)?)
}

/// Returns the commit of a side by what git calls it.
fn labelled(root: &Path, label: &str) -> Option<String> {
    // A revert calls a side `parent of 1a2b3c4 (subject)`, a rebase `1a2b3c4 (subject)`.
    let (label, parent) = match label.strip_prefix("parent of ") {
        Some(label) => (label, "^"),
        None => (label, ""),
    };
    let name = label.split_whitespace().next().filter(|name| !name.starts_with(['-', '%']))?;
    commit(root, &format!("{name}{parent}"))
}

/// Returns the commits of the stash that git merges: the one that holds either side's file.
fn stashed(request: &DriverRequest<'_>) -> Vec<String> {
    let ask = |arguments: &[&str]| as_line(git_in_driver(request.root, arguments)?);
    let blobs: Vec<String> = [&request.ours, &request.theirs]
        .iter()
        .filter_map(|file| ask(&["hash-object", "--no-filters", "--", file.to_str()?]))
        .collect();
    let listed = ask(&["rev-list", "-g", "--max-count=100", "refs/stash"]).unwrap_or_default();
    let mut stashes: Vec<String> = listed.lines().map(str::to_owned).collect();
    stashes.extend(commit(request.root, "MERGE_AUTOSTASH"));
    for file in ["rebase-merge/autostash", "rebase-apply/autostash"] {
        let path = ask(&["rev-parse", "--path-format=absolute", "--git-path", file]);
        let path = path.map(|path| quipu_engine::fs::real_path(Path::new(&path)));
        let read = path.and_then(|path| RealFs.read_up_to(&path, LARGEST).ok()?.ok());
        let name = String::from_utf8(read.unwrap_or_default()).unwrap_or_default();
        stashes.extend(
            Some(name.trim()).filter(|n| !n.is_empty()).and_then(|n| commit(request.root, n)),
        );
    }
    let is_it = |stash: &&String| {
        let name = format!("{stash}:{}", request.path);
        let blob = ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
        blob.is_some_and(|blob| blobs.contains(&blob))
    };
    let Some(stash) = stashes.iter().find(is_it).or(stashes.first()) else { return Vec::new() };
    // The third parent holds the files that git did not know.
    let unknown = commit(request.root, &format!("{stash}^3"));
    std::iter::once(stash.clone()).chain(unknown).collect()
}

/// Adds the facts in the memory files of some commits, without the file that is merged; without a
/// commit those of the work tree.
fn add_from(found: &mut Elsewhere, request: &DriverRequest<'_>, folder: &str, commits: &[String]) {
    let (inside, without) = (format!(":(top){folder}"), format!(":(top,exclude){}", request.path));
    let mut arguments = vec![
        "grep",
        "--no-color",
        "--no-recurse-submodules",
        "--text",
        "--full-name",
        "-l",
        "-z",
        "-E",
        "-e",
        "<!-- *id: *[a-z0-9-]+ *\\|",
    ];
    if commits.is_empty() {
        arguments.push("--untracked");
    }
    arguments.extend(commits.iter().map(String::as_str));
    arguments.extend(["--", &inside, &without]);
    // Without a match git answers with a failure.
    let names = git_in_driver(request.root, &arguments).unwrap_or_default();
    let names = String::from_utf8_lossy(&names);
    let logs = format!("{folder}/sessions/");
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let path = if commits.is_empty() { Some(name) } else { name.split_once(':').map(|n| n.1) };
        if path.is_some_and(|path| path.starts_with(&logs)) {
            continue;
        }
        let text = if commits.is_empty() {
            let top = git_in_driver(request.root, &["rev-parse", "--show-toplevel"]);
            let path = top.and_then(as_line).map(|top| Path::new(&top).join(name));
            path.and_then(|path| RealFs.read_up_to(&path, LARGEST).ok()?.ok())
        } else {
            git_in_driver(request.root, &["cat-file", "blob", name])
        };
        if let Some(text) = text {
            found.add(&String::from_utf8_lossy(&text));
        }
    }
}
