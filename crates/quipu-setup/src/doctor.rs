//! What is wrong with an installation, why it matters, and the command that mends it.
//!
//! An examination changes nothing: it opens what is there, and starts this very program in a folder of its
//! own. A command that a file names is compared with it and never run: a repository may have brought the file.

mod programs;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use quipu_core::manifest::{Manifest, NEWEST_LAYOUT};
use quipu_core::memory::MANIFEST;
use quipu_core::text::counted;
use quipu_embed::Role;
use quipu_engine::error::Error;
use quipu_engine::fs::FileSystem;
use quipu_engine::lock::{Lock, LockError, Mode};
use quipu_engine::workspace::Workspace;
use quipu_engine::{embedding, git, index, open};

use crate::install::{EntryState, Installer, Scope};

/// How one thing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should be.
    Fine {
        /// What was seen.
        detail: String,
    },
    /// It was not looked at.
    Skipped {
        /// Why.
        why: String,
    },
    /// Something is wrong.
    Wrong {
        /// What.
        what: String,
        /// Why it matters.
        why: String,
        /// The command or the step that mends it.
        mend: String,
    },
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// A stable name.
    pub name: &'static str,
    /// How it is.
    pub outcome: Outcome,
}

impl Check {
    fn fine(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, outcome: Outcome::Fine { detail: detail.into() } }
    }

    fn skipped(name: &'static str, why: impl Into<String>) -> Self {
        Self { name, outcome: Outcome::Skipped { why: why.into() } }
    }

    fn wrong(
        name: &'static str,
        what: impl Into<String>,
        why: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        let outcome = Outcome::Wrong { what: what.into(), why: why.into(), mend: mend.into() };
        Self { name, outcome }
    }

    fn failed(name: &'static str, error: &Error, why: &str) -> Self {
        let mut what = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            what = format!("{what}: {}", inner.to_string().trim_end());
            cause = inner.source();
        }
        Self::wrong(name, what, why, error.advice().unwrap_or_default())
    }

    /// Tells whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        matches!(self.outcome, Outcome::Wrong { .. })
    }
}

/// What to examine.
pub struct Patient<'a> {
    /// The project's installation.
    pub project: &'a Installer,
    /// The user's.
    pub user: &'a Installer,
    /// Settings of the caller's own.
    pub settings: &'a [(String, String)],
    /// Quipu's version.
    pub version: &'a str,
    /// This program itself. No other is started, but for its version.
    pub own: &'a Path,
    /// An empty folder in which programs may write; without one none is started.
    pub scratch: Option<&'a Path>,
}

/// Looks at everything.
pub fn examine(fs: &Arc<dyn FileSystem>, patient: &Patient<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    let root = patient.project.root();
    match open::discover_with(Arc::clone(fs), root, patient.settings) {
        Ok(workspace) => workspace_checks(&workspace, &mut checks),
        Err(error) => {
            let why = "without a memory there is nothing to remember with";
            checks.push(Check::failed("workspace", &error, why));
        }
    }
    let machine = patient.project.machine();
    checks.push(match machine.program("git") {
        Some(path) => Check::fine("git", path.display().to_string()),
        None => Check::wrong(
            "git",
            "git is not on the PATH",
            "drift and changed session logs are found by git's history",
            "install git",
        ),
    });
    checks.extend(programs::on_path(patient));
    for installer in [patient.project, patient.user] {
        checks.extend(client_checks(installer));
    }
    if !checks.iter().any(|check| matches!(check.name, "clients" | "command")) {
        checks.push(Check::wrong(
            "clients",
            "no client is connected, neither here nor for the user",
            "an agent that does not know of the memory does not use it",
            "quipu install",
        ));
    }
    checks.extend(hook_checks(patient));
    checks.extend(programs::entries(patient));
    checks
}

fn hook_checks(patient: &Patient<'_>) -> Vec<Check> {
    let names = |installer: &Installer| installer.hook_names().unwrap_or_default();
    let (project, user) = (names(patient.project), names(patient.user));
    let mut checks = Vec::new();
    for name in project.iter().filter(|name| user.contains(name)) {
        checks.push(Check::wrong(
            "hooks",
            format!("the hooks of {name} are installed for this project and for the user"),
            "both run, so everything happens twice",
            format!(
                "`quipu uninstall {name}` takes the project's out, `quipu uninstall {name} --user` yours"
            ),
        ));
    }
    let has_codex = project.iter().chain(&user).any(|name| name == "codex");
    if has_codex && patient.project.codex_runs_no_hooks() {
        checks.push(Check::wrong(
            "hooks",
            "hooks are turned off in Codex's config.toml",
            "Codex does not tell the memory what happens",
            "remove `hooks = false` under [features]",
        ));
    }
    checks
}

fn workspace_checks(workspace: &Workspace, checks: &mut Vec<Check>) {
    let root = workspace.root().display().to_string();
    checks.push(Check::fine("workspace", root));
    checks.push(settings(workspace));
    // Before anything that would finish it.
    checks.push(leftover(workspace));
    checks.push(lock(workspace));
    checks.push(writable(workspace));
    checks.extend(private(workspace));
    checks.push(match workspace.read() {
        Ok(snapshot) => match snapshot.get(MANIFEST).and_then(Manifest::parse) {
            Some(found) if found.version.major > NEWEST_LAYOUT.major => Check::wrong(
                "layout",
                format!("the memory has layout {}, newer than {NEWEST_LAYOUT}", found.version),
                "this Quipu refuses to write what it may not understand",
                "install a newer Quipu",
            ),
            Some(found) => Check::fine("layout", found.version.to_string()),
            None => Check::fine("layout", "no version is stated"),
        },
        Err(error) => Check::failed("layout", &error, "what cannot be read cannot be recalled"),
    });
    checks.push(index(workspace));
    checks.push(match probe(workspace) {
        Ok(model) => Check::fine("embedding", model),
        Err(error) => Check::failed("embedding", &error, "recall finds by words alone"),
    });
}

fn settings(workspace: &Workspace) -> Check {
    match &workspace.config().notices[..] {
        [] => Check::fine("settings", "all of them are in force"),
        notices => Check::wrong(
            "settings",
            notices.join("; "),
            "a repository may not weaken what protects its users, so those settings do nothing",
            "remove them from quipu.toml; docs/configuration.md says what a repository may set",
        ),
    }
}

fn leftover(workspace: &Workspace) -> Check {
    if workspace.fs().stat(&workspace.state_folder().join("tx")).is_err() {
        return Check::fine("transaction", "nothing was interrupted");
    }
    Check::wrong(
        "transaction",
        "an operation was interrupted before it was done",
        "until it is finished or taken back, files are between two states",
        "any command that writes finishes it, such as `quipu index`",
    )
}

fn lock(workspace: &Workspace) -> Check {
    let path = workspace.lock_path();
    if workspace.fs().stat(&path).is_err() {
        return Check::fine("lock", "nobody has written yet");
    }
    match Lock::take(&path, Mode::Exclusive, Duration::ZERO) {
        Ok(_) => Check::fine("lock", "free"),
        Err(LockError::Busy { .. }) => Check::wrong(
            "lock",
            "another process is working on this memory",
            "other commands wait for it",
            "wait for it to finish; a process that hangs has to be stopped",
        ),
        Err(error) => Check::failed("lock", &error.into(), "nothing can be written"),
    }
}

fn writable(workspace: &Workspace) -> Check {
    let folder = workspace.state_folder().join("");
    if workspace.fs().stat(&folder).is_err() {
        return Check::skipped("writable", "nothing was written here yet");
    }
    let probe = folder.join(".doctor");
    let tried = workspace.fs().write(&probe, b"");
    // It is empty; the next examination writes the same one.
    let _ = workspace.fs().remove_file(&probe);
    match tried {
        Ok(()) => Check::fine("writable", format!("state is kept in {}", folder.display())),
        Err(error) => Check::wrong(
            "writable",
            format!("`{}` cannot be written: {error}", folder.display()),
            "nothing new can be remembered",
            "check who may write there",
        ),
    }
}

/// Tells where git tracks what is private.
fn private(workspace: &Workspace) -> Option<Check> {
    let tracked = git::tracked_journal(workspace.root());
    if tracked.is_empty() || workspace.config().journal.tracked {
        return None;
    }
    let files = tracked.join(" ");
    Some(Check::wrong(
        "private",
        format!("git tracks {files}"),
        "private memory in it is committed with your work",
        format!("git rm --cached {files}, or journal.tracked = true in your own settings"),
    ))
}

fn index(workspace: &Workspace) -> Check {
    if workspace.fs().stat(&index::database(workspace)).is_err() {
        return Check::fine("index", "none yet; the first recall makes it");
    }
    match index::behind(workspace) {
        Ok(0) => Check::fine("index", "in step with the files"),
        Ok(behind) => Check::fine(
            "index",
            format!("{} to read; the next recall does", counted(behind, "file")),
        ),
        Err(error) => Check::failed("index", &error, "recall cannot search without it"),
    }
}

fn probe(workspace: &Workspace) -> Result<String, Error> {
    let model = embedding::embedder(workspace)?;
    let vectors = model.embed(&["a knot in a cord"], Role::Memory)?;
    Ok(format!("{} ({} numbers)", model.id(), vectors.first().map_or(0, Vec::len)))
}

fn client_checks(installer: &Installer) -> Vec<Check> {
    let flag = if installer.scope() == Scope::User { " --user" } else { "" };
    let checked = match installer.check(&[]) {
        Ok(checked) if !checked.is_installed() => return Vec::new(),
        Ok(checked) => checked,
        Err(error) => {
            return vec![Check::failed("clients", &error, "nobody can tell what is installed")];
        }
    };
    let mut checks = Vec::new();
    for entry in checked.entries.iter().filter(|entry| entry.state != EntryState::Right) {
        let clients = entry.clients.join(", ");
        let place = format!("{} in {}", entry.place, entry.path);
        let (what, mend) = match &entry.state {
            EntryState::Unreadable { why } => {
                (format!("{} {why}", entry.path), "repair that line".to_owned())
            }
            EntryState::Changed => {
                (format!("{place} was changed"), format!("quipu install{flag} --force {clients}"))
            }
            EntryState::Outdated => {
                (format!("{place} is of an older Quipu"), format!("quipu install{flag}"))
            }
            EntryState::Foreign { command } => (
                format!("{place} starts `{command}`, which is not this Quipu"),
                format!(
                    "remove it if you do not know it, or quipu install{flag} --force {clients}"
                ),
            ),
            _ => (format!("{place} is gone"), format!("quipu install{flag} {clients}")),
        };
        let why = match entry.what.as_str() {
            "mcp" => format!("{clients} cannot ask the memory"),
            _ => format!("{clients} does not tell the memory what happens"),
        };
        checks.push(Check::wrong("clients", what, why, mend.replace(", ", " ")));
    }
    if !checked.command_is_there {
        checks.push(Check::wrong(
            "command",
            format!("the program `{}` that entries start is not found", checked.command),
            "no client can start it",
            format!("quipu install{flag} --command PATH, with the path of quipu"),
        ));
    }
    if checks.is_empty() {
        let detail = format!("{}: {}", installer.scope().as_str(), checked.clients().join(", "));
        checks.push(Check::fine("clients", detail));
    }
    checks
}
