//! Setting up a memory in a folder that has none (mode A).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::manifest::NEWEST_LAYOUT;
use quipu_core::memory::{ARCHIVE_INDEX, CONTINUITY, Changes, MANIFEST, POLICY, VISION};
use quipu_core::{naming, template, text};

use crate::error::Error;
use crate::fs::{FileSystem, Kind};
use crate::transaction::FileChanges;
use crate::workspace::Workspace;

const BEGIN: &str = "<!-- quipu:begin -->";
const END: &str = "<!-- quipu:end -->";

/// What is personal and stays out of git unless somebody decides otherwise.
const IGNORED: [&str; 7] = [
    "/.quipu/",
    "/MEMORY.md",
    "/LONGMEMORY.md",
    "/USER.md",
    "/memory/MEMORY-archive.md",
    "/memory/LONGMEMORY-archive.md",
    "/memory/[0-9]*-[0-9]*-[0-9]*.md",
];

/// Why a memory cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// There is one already.
    #[error("`{root}` already has a memory", root = root.display())]
    AlreadyThere {
        /// The folder.
        root: PathBuf,
    },
    /// The folder is not there.
    #[error("there is no folder `{root}`", root = root.display())]
    NoFolder {
        /// The path.
        root: PathBuf,
    },
    /// An existing file cannot take the block.
    #[error("`{path}` has `{BEGIN}` without `{END}`")]
    BrokenBlock {
        /// The file.
        path: String,
    },
}

impl InitError {
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::AlreadyThere { .. } => "`quipu status` shows it".to_owned(),
            Self::NoFolder { .. } => "create it first, or name another with -C".to_owned(),
            Self::BrokenBlock { path } => {
                format!("repair the markers in {path}; nothing was changed")
            }
        }
    }
}

/// A memory to set up.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The project's name; by default the folder's.
    pub project: Option<String>,
    /// The day.
    pub today: Date,
    /// The time.
    pub now: Timestamp,
    /// Quipu's version.
    pub version: &'static str,
    /// Only say what would be written.
    pub dry_run: bool,
}

/// One file that `init` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The path from the root.
    pub path: String,
    /// Whether it is new, or an existing file with a block added.
    pub is_new: bool,
}

/// Sets up a memory in `root`; returns what was written.
///
/// # Errors
/// When there is one already, or a file cannot be written; then nothing has changed.
pub fn init(
    fs: Arc<dyn FileSystem>,
    root: &Path,
    request: &InitRequest,
) -> Result<Vec<Written>, Error> {
    match fs.stat(root) {
        Ok((Kind::Folder | Kind::Link, _)) => {}
        _ => {
            return Err(InitError::NoFolder { root: root.to_owned() }.into());
        }
    }
    let workspace = Workspace::at(fs, root)?;
    let there = || workspace.fs().stat(&root.join(CONTINUITY)).is_ok();
    let already = || Error::from(InitError::AlreadyThere { root: root.to_owned() });
    if there() {
        return Err(already());
    }
    let _lock = if request.dry_run { None } else { Some(workspace.lock_for_writing()?) };
    // Another process may have been quicker.
    if there() {
        return Err(already());
    }
    let changes = plan(&workspace, request)?;
    let written = changes
        .keys()
        .map(|path| Written {
            path: path.clone(),
            is_new: workspace.fs().stat(&root.join(path)).is_err(),
        })
        .collect();
    if !request.dry_run {
        let bytes: FileChanges =
            changes.into_iter().map(|(path, text)| (path, text.map(String::into_bytes))).collect();
        let at = crate::workspace::stamp(request.now);
        workspace.transactions().commit("init", &at, &bytes, &FileChanges::new())?;
    }
    Ok(written)
}

fn plan(workspace: &Workspace, request: &InitRequest) -> Result<Changes, Error> {
    let project = request.project.clone().unwrap_or_else(|| folder_name(workspace.root()));
    let slug =
        naming::derive_id(&format!("vision {project}"), false, &std::collections::BTreeSet::new());
    let fill = |template: &str| {
        template
            .replace("{{project}}", &project)
            .replace("{{today}}", &request.today.to_string())
            .replace("{{vision_id}}", &slug)
            .replace("{{quipu_version}}", request.version)
    };
    let mut changes = Changes::new();
    for (path, template) in [
        (CONTINUITY, template::CONTINUITY),
        (POLICY, template::POLICY),
        (VISION, template::VISION),
        ("memory/instructions.md", template::INSTRUCTIONS),
        ("memory/PROTOCOL.md", template::PROTOCOL),
        (ARCHIVE_INDEX, template::ARCHIVE_INDEX),
        // Git keeps no empty folder, and the first log should not have to make one.
        ("memory/sessions/.gitkeep", ""),
    ] {
        if workspace.fs().stat(&workspace.root().join(path)).is_err() {
            changes.insert(path.to_owned(), Some(fill(template)));
        }
    }
    if workspace.fs().stat(&workspace.root().join(MANIFEST)).is_err() {
        changes.insert(MANIFEST.to_owned(), Some(manifest(request)));
    }
    changes.insert("AGENTS.md".to_owned(), Some(agents(&existing(workspace, "AGENTS.md")?)?));
    let ignore = existing(workspace, ".gitignore")?;
    if let Some(extended) = gitignore(&ignore) {
        changes.insert(".gitignore".to_owned(), Some(extended));
    }
    Ok(changes)
}

fn folder_name(root: &Path) -> String {
    let absolute = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    absolute
        .file_name()
        .map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn existing(workspace: &Workspace, path: &str) -> Result<String, Error> {
    workspace.read_optional(path).map(Option::unwrap_or_default)
}

fn manifest(request: &InitRequest) -> String {
    format!(
        "# Memory install manifest\n\n\
         > The layout of `memory/`, so that a newer tool knows what to bring up to date.\n\n\
         - **version:** {NEWEST_LAYOUT}\n\
         - **enabled_with:** {NEWEST_LAYOUT}\n\
         - **last_upgraded:** {}\n\
         - **mode:** A\n\
         - **quipu:** {}\n",
        request.today, request.version
    )
}

/// Returns `AGENTS.md` with our block in it, and everything else as it was.
fn agents(current: &str) -> Result<String, Error> {
    let ending = text::line_ending(current);
    let block = text::with_line_ending(template::AGENTS_BLOCK.trim_end(), ending);
    match (current.find(BEGIN), current.find(END)) {
        (Some(start), Some(end)) if start < end => {
            Ok(format!("{}{block}{}", &current[..start], &current[end + END.len()..]))
        }
        (None, None) => {
            let gap = match current {
                "" => "",
                text if text.ends_with('\n') => ending,
                _ => return Ok(format!("{current}{ending}{ending}{block}{ending}")),
            };
            Ok(format!("{current}{gap}{block}{ending}"))
        }
        _ => Err(InitError::BrokenBlock { path: "AGENTS.md".to_owned() }.into()),
    }
}

/// Returns `.gitignore` with the lines that it lacks; `None` where it has them all.
fn gitignore(current: &str) -> Option<String> {
    let has = |line: &str| {
        let bare = line.trim_matches('/');
        current.lines().any(|existing| existing.trim().trim_matches('/') == bare)
    };
    let missing: Vec<&str> = IGNORED.into_iter().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return None;
    }
    let ending = text::line_ending(current);
    let mut result = current.to_owned();
    if !result.is_empty() && !result.ends_with('\n') {
        result.push_str(ending);
    }
    if !result.is_empty() {
        result.push_str(ending);
    }
    result.push_str("# Quipu: personal memory and local state");
    result.push_str(ending);
    for line in missing {
        result.push_str(line);
        result.push_str(ending);
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_outside_the_markers_is_never_changed() {
        let fresh = agents("").unwrap();
        assert_eq!(fresh, template::AGENTS_BLOCK);
        let own = agents("# Mine\nno final newline").unwrap();
        assert!(own.starts_with("# Mine\nno final newline\n\n<!-- quipu:begin -->"));
        assert_eq!(agents(&own).unwrap(), own);
        let edited = own.replace("## Shared memory", "## Old heading") + "tail\n";
        assert_eq!(agents(&edited).unwrap(), own.clone() + "tail\n");
        assert!(agents("<!-- quipu:begin -->\n").is_err());
    }

    #[test]
    fn ignore_lines_are_added_once() {
        let once = gitignore("target\n.quipu\n").unwrap();
        assert!(once.starts_with("target\n.quipu\n\n#"), "{once}");
        assert!(!once.contains("/.quipu/"));
        assert_eq!(gitignore(&once), None);
    }
}
