//! Files that are changed in place: facts and threads, their archive, session logs, open sessions, `USER.md`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};

use quipu_core::doc::Document;
use quipu_core::journal::USER;
use quipu_core::ledger::is_session_log;
use quipu_core::memory::{ARCHIVE, CONTINUITY, SESSIONS};

use super::Happening;
use crate::fs::Kind;
use crate::workspace::Workspace;

/// What the files said when they were last looked at.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// A number for their names, sizes and times.
    pub(super) fingerprint: u64,
    /// The same for the files with facts.
    fact_files: u64,
    /// What each fact says, as a number, and what it is.
    facts: BTreeMap<String, (u64, &'static str)>,
    /// Session logs, open sessions and `USER.md`, each with a number for its size and time.
    others: BTreeMap<String, u64>,
}

impl Shared {
    /// Reads the files as they are now.
    pub(super) fn read(workspace: &Workspace) -> Self {
        let mut shared = Self::default();
        shared.look(workspace);
        shared
    }

    /// Returns what changed since the last look.
    pub(super) fn look(&mut self, workspace: &Workspace) -> Vec<Happening> {
        let mut found = Vec::new();
        let files = fact_files(workspace);
        let fact_files = number(&files);
        if fact_files != self.fact_files {
            let now = facts(workspace, &files);
            found.extend(differences(&self.facts, &now));
            (self.facts, self.fact_files) = (now, fact_files);
        }
        let others = others(workspace);
        if others != self.others {
            let kinds = |all: &BTreeMap<String, u64>| -> BTreeMap<String, (u64, &'static str)> {
                all.iter().map(|(name, stamp)| (name.clone(), (*stamp, kind_of(name)))).collect()
            };
            found.extend(differences(&kinds(&self.others), &kinds(&others)));
            self.others = others;
        }
        self.fingerprint = number(&(self.fact_files, &self.others));
        found
    }
}

fn number(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns what differs between two lists of things and what they say.
fn differences(
    before: &BTreeMap<String, (u64, &'static str)>,
    now: &BTreeMap<String, (u64, &'static str)>,
) -> Vec<Happening> {
    let mut found = Vec::new();
    for (id, (says, kind)) in now {
        match before.get(id) {
            Some((said, _)) if said == says => {}
            Some(_) => found.push(Happening::new("changed", kind, id)),
            None => found.push(Happening::new("added", kind, id)),
        }
    }
    let gone = before.iter().filter(|(id, _)| !now.contains_key(*id));
    found.extend(gone.map(|(id, (_, kind))| Happening::new("removed", kind, id)));
    found
}

/// Returns the files that hold facts, each with its size and time.
fn fact_files(workspace: &Workspace) -> Vec<(String, u64, i128)> {
    let archive = workspace.fs().list(&workspace.root().join(ARCHIVE)).unwrap_or_default();
    let archive = archive.into_iter().filter(|(name, kind)| {
        *kind == Kind::File
            && name.strip_suffix(".md").is_some()
            && !name.to_lowercase().starts_with("index")
    });
    let mut paths: Vec<String> = archive.map(|(name, _)| format!("{ARCHIVE}{name}")).collect();
    paths.push(CONTINUITY.to_owned());
    paths.sort_unstable();
    let stamp = |path: String| {
        let stamp = workspace.fs().stamp(&workspace.root().join(&path)).ok()?;
        Some((path, stamp.size, stamp.written))
    };
    paths.into_iter().filter_map(stamp).collect()
}

fn facts(
    workspace: &Workspace,
    files: &[(String, u64, i128)],
) -> BTreeMap<String, (u64, &'static str)> {
    let mut facts = BTreeMap::new();
    for (path, ..) in files {
        let Some(text) = workspace.read_optional(path).ok().flatten() else { continue };
        let document = Document::parse(&text);
        for fact in document.distinct_facts() {
            let kind = if fact.is_thread() { "thread" } else { "fact" };
            let says = number(&(path, &text[fact.block.clone()]));
            facts.insert(fact.id().to_owned(), (says, kind));
        }
    }
    facts
}

/// Returns session logs and open sessions by id, and `USER.md` by path.
fn others(workspace: &Workspace) -> BTreeMap<String, u64> {
    let mut others = BTreeMap::new();
    let logs = workspace.fs().list(&workspace.root().join(SESSIONS)).unwrap_or_default();
    // A log is never changed.
    for (name, _) in logs.iter().filter(|(name, _)| is_session_log(name)) {
        others.insert(name.trim_end_matches(".md").to_owned(), 0);
    }
    let folder = workspace.state("sessions");
    for (name, _) in workspace.fs().list(&folder).unwrap_or_default() {
        if let (Some(id), Ok(stamp)) =
            (name.strip_suffix(".json"), workspace.fs().stamp(&folder.join(&name)))
        {
            others.insert(id.to_owned(), number(&(stamp.size, stamp.written)));
        }
    }
    if let Ok(stamp) = workspace.fs().stamp(&workspace.root().join(USER)) {
        others.insert(USER.to_owned(), number(&(stamp.size, stamp.written)));
    }
    others
}

fn kind_of(name: &str) -> &'static str {
    if name == USER { "file" } else { "session" }
}
