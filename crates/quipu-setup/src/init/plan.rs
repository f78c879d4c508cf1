//! The plan: which mode it is, and every file that changes.

use std::collections::BTreeMap;
use std::path::Path;

use quipu_core::doc;
use quipu_core::lint;
use quipu_core::manifest::NEWEST_LAYOUT;
use quipu_core::memory::{CONTINUITY, MANIFEST, Snapshot};
use quipu_core::migrate::distil::{self, Distilled, Source};
use quipu_core::migrate::vendor::{self, Pointer, Vendor};
use quipu_core::review;
use quipu_core::secret::{OnSecret, Scope};
use quipu_core::template::{self, Filling};
use quipu_core::upgrade::{self, Rules, Upgrade};
use quipu_core::wiring;
use quipu_engine::digest::sha256;
use quipu_engine::error::Error;
use quipu_engine::git;
use quipu_engine::workspace::Workspace;
use serde::{Deserialize, Serialize};

use super::detect::{self, Detected, Found};
use super::{
    Edits, Existing, InitError, InitPlan, InitRequest, LeftAlone, Mode, Moved, RECORD, kind,
};

/// How a file ended before we added to it, where taking out could not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Before {
    /// It was there, and empty.
    Empty,
    /// It did not end with a line's end.
    Unended,
}

/// A file that we added to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Addition {
    pub(super) before: Before,
    /// The hash of its bytes after.
    pub(super) written: String,
}

/// Additions by path.
pub(super) type Record = BTreeMap<String, Addition>;

/// Returns what setting up would do.
pub(super) fn plan(workspace: &Workspace, request: &InitRequest) -> Result<InitPlan, Error> {
    let snapshot = workspace.snapshot()?;
    let is_enabled = upgrade::is_enabled(&snapshot);
    let Detected { mut found, left: mut left_alone, told_once } =
        detect::detect(workspace, request.include_ignored)?;
    if request.existing == Existing::Copy {
        for one in &mut found {
            one.is_live = true;
        }
    }
    let tracked = if workspace.config().journal.tracked {
        Vec::new()
    } else {
        git::tracked_journal(workspace.root())
    };
    if !is_enabled && !tracked.is_empty() {
        return Err(InitError::TrackedJournal { paths: tracked }.into());
    }
    let old_rules = detect::old_rules(workspace);
    let takes_over = request.existing != Existing::Keep && !found.is_empty();
    let mode = match (is_enabled, takes_over) {
        (true, _) => Mode::Enabled,
        (false, true) => Mode::Migrate,
        (false, false) => Mode::Fresh,
    };
    if takes_over || !is_enabled {
        left_alone.extend(told_once);
        detect::name_others(workspace, &mut left_alone);
    }
    let project = request
        .project
        .clone()
        .or_else(|| {
            let source = snapshot.get(CONTINUITY)?;
            let named = doc::state_line(source, "project")?.value.to_owned();
            (!named.is_empty()).then_some(named)
        })
        .unwrap_or_else(|| folder_name(workspace.root()));
    let filling = Filling { project: &project, today: request.today, version: request.version };
    let mut planner = Planner {
        workspace,
        snapshot: &snapshot,
        edits: Edits::default(),
        plan: InitPlan {
            mode,
            found: is_enabled.then(|| upgrade::installed(&snapshot).version),
            steps: Vec::new(),
            files: Vec::new(),
            moved: Vec::new(),
            waiting: Vec::new(),
            facts: Vec::new(),
            threads: Vec::new(),
            left: Vec::new(),
            left_alone,
            notes: Vec::new(),
            record: None,
        },
    };
    if !tracked.is_empty() {
        planner.plan.notes.push(format!(
            "git tracks {}, where private memory is written: it is committed with your work",
            tracked.join(", ")
        ));
    }
    if is_enabled {
        let rules = if old_rules.is_empty() { Rules::Ours } else { Rules::Originals };
        let upgrade = upgrade::plan(&snapshot, filling, rules).map_err(InitError::from)?;
        if rules == Rules::Originals {
            planner.plan.notes.push(format!(
                "the rules in {} stay in force, and so does the layout's stamp: a second book of rules would contradict them",
                old_rules.join(" and ")
            ));
        }
        planner.upgrade(upgrade);
    } else {
        planner.templates(filling);
    }
    if takes_over {
        planner.take_over(&found, filling)?;
    } else {
        planner.plan.waiting = found.iter().filter_map(|one| planner.waits(one)).collect();
    }
    let mut tools = request.chosen.clone();
    if !is_enabled {
        tools.extend(&request.used);
        tools.extend(detect::present(workspace));
    }
    planner.introduce(&tools);
    planner.wire(&old_rules)?;
    planner.check()?;
    planner.finish()
}

fn folder_name(root: &Path) -> String {
    let absolute = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    absolute
        .file_name()
        .map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
}

struct Planner<'a> {
    workspace: &'a Workspace,
    snapshot: &'a Snapshot,
    edits: Edits,
    plan: InitPlan,
}

impl Planner<'_> {
    fn templates(&mut self, filling: Filling<'_>) {
        for (path, template, why) in template::FRESH {
            if kind(self.workspace, path).is_none() {
                self.edits.change(path, Some(filling.fill(template)), why);
            }
        }
        let text = upgrade::manifest(filling, NEWEST_LAYOUT, self.plan.mode.letter());
        self.edits.change(
            MANIFEST,
            Some(text),
            "the layout, so that a newer Quipu can bring it up to date",
        );
    }

    /// Leaves a pointer for each tool that does not read `AGENTS.md`, where it is used and has no file of its own.
    fn introduce(&mut self, names: &[&str]) {
        for vendor in vendor::VENDORS.iter().filter(|vendor| names.contains(&vendor.name)) {
            let has_own = vendor.files.iter().any(|file| {
                kind(self.workspace, file.path).is_some()
                    || self.edits.changes.contains_key(file.path)
            });
            if let Some((path, text)) = vendor::fresh_pointer(vendor).filter(|_| !has_own) {
                let what = format!("a pointer: {} does not read AGENTS.md", vendor.title);
                self.edits.change(path, Some(text), what);
            } else if let Some(note) = self.unread(vendor) {
                self.plan.notes.push(note);
            }
        }
    }

    /// Says what to do where a tool reads a file of its own that does not lead to `AGENTS.md`.
    fn unread(&self, vendor: &Vendor) -> Option<String> {
        let Pointer::Imports(mark) = vendor.pointer else { return None };
        let is_moved = |path: &str| self.edits.changes.contains_key(path);
        let paths = || vendor.files.iter().map(|file| file.path).filter(|path| !is_moved(path));
        let texts: Vec<(&str, String)> = paths()
            .filter_map(|path| Some((path, self.workspace.read_optional(path).ok()??)))
            .collect();
        let (path, _) = texts.first()?;
        let leads = texts.iter().any(|(_, text)| text.contains("AGENTS.md"));
        (!leads).then(|| {
            format!(
                "{} reads {path} and not AGENTS.md: add the line `{mark}AGENTS.md` to it, or run `quipu install`",
                vendor.title
            )
        })
    }

    fn upgrade(&mut self, upgrade: Upgrade) {
        for (path, text) in upgrade.changes {
            let of_file = format!("{path}: ");
            let done: Vec<&str> = upgrade
                .steps
                .iter()
                .flat_map(|step| &step.done)
                .filter_map(|done| done.strip_prefix(&of_file))
                .collect();
            let what = done.join("; ");
            self.edits.change(&path, text, what);
        }
        self.plan.steps = upgrade.steps;
        let text = self.snapshot.get(CONTINUITY).unwrap_or_default();
        for finding in lint::secret_findings(CONTINUITY, text, Scope::Credentials) {
            let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
            self.plan.notes.push(format!(
                "{CONTINUITY}{line} has what looks like a credential ({}). {}",
                finding.message, finding.hint
            ));
        }
    }

    /// Returns a file that could be taken over, unless the copy of a live one is as it is.
    fn waits(&self, one: &Found) -> Option<Moved> {
        let kept = self.workspace.read_optional(&one.legacy()).ok().flatten();
        (kept.as_deref() != Some(&one.text)).then(|| moved(one))
    }

    /// Moves the files of other tools to `legacy/`, and makes facts of their rules.
    fn take_over(&mut self, found: &[Found], filling: Filling<'_>) -> Result<(), Error> {
        let mut taken: Vec<&Found> = Vec::new();
        for one in found {
            let to = one.legacy();
            match self.workspace.read_optional(&to)? {
                Some(kept) if kept == one.text && one.is_live => continue,
                Some(kept) if kept != one.text => {
                    let why =
                        format!("{to} is there already, with other words: move one of them away");
                    self.plan.left_alone.push(LeftAlone { path: one.path.clone(), why });
                    continue;
                }
                Some(_) => {}
                None => {
                    self.edits.change(
                        &to,
                        Some(one.text.clone()),
                        format!("what {} was", one.path),
                    );
                }
            }
            self.edits.keep_mode(self.workspace, &one.path, &to);
            if !one.is_live {
                self.edits.change(&one.path, None, format!("moved to {to}"));
            }
            self.plan.moved.push(moved(one));
            taken.push(one);
        }
        if taken.is_empty() {
            return Ok(());
        }
        self.note_credentials(&taken);
        self.distil(&taken, filling)?;
        self.point(&taken);
        let paths: Vec<&str> =
            taken.iter().filter(|one| !one.is_live).map(|one| one.path.as_str()).collect();
        if !paths.is_empty() {
            let current = match self.edits.changes.get(MANIFEST) {
                Some(Some(text)) => text.clone(),
                _ => self.snapshot.get(MANIFEST).unwrap_or_default().to_owned(),
            };
            let text = upgrade::with_migrated(&current, &paths);
            self.edits.change(MANIFEST, Some(text), "what was moved");
        }
        Ok(())
    }

    fn secrets(&self) -> OnSecret {
        self.workspace.config().guard.on_read()
    }

    fn note_credentials(&mut self, taken: &[&Found]) {
        for one in taken {
            let to = one.legacy();
            for finding in lint::secret_findings(&to, &one.text, Scope::Credentials) {
                let so = match self.secrets() {
                    OnSecret::Redact => "facts have (REDACTED) instead",
                    OnSecret::Refuse => "rules with it are no facts",
                    OnSecret::Allow => "facts have it too",
                };
                self.plan.notes.push(format!(
                    "{to} has what looks like a credential ({}); {so}. {}",
                    finding.message, finding.hint
                ));
            }
        }
    }

    fn distil(&mut self, taken: &[&Found], filling: Filling<'_>) -> Result<(), Error> {
        let agents = detect::instructions(self.workspace);
        let agents = self.workspace.read_optional(&agents)?.unwrap_or_default();
        let own = wiring::take_block(&agents).ok().flatten().unwrap_or_default();
        let origins: Vec<String> = taken.iter().map(|one| one.legacy()).collect();
        let sources: Vec<Source<'_>> = taken
            .iter()
            .zip(&origins)
            .map(|(one, origin)| Source { origin, text: &one.text })
            .collect();
        let after = self.snapshot.with(&self.edits.changes);
        let memory = after.parse()?;
        let elsewhere = [Source { origin: "AGENTS.md", text: &own }];
        let Distilled { continuity, facts, threads, known, left, bare_secrets, unasked } =
            distil::distil(&memory, &sources, &elsewhere, filling.today, self.secrets());
        for (file, count) in bare_secrets {
            let rules = if count == 1 { "1 rule is" } else { &format!("{count} rules are") };
            let note = format!("{file}: {rules} nothing but a credential, and left out of memory");
            self.plan.notes.push(note);
        }
        if unasked > 0 {
            self.plan.notes.push(format!(
                "{unasked} contradictions are among rules that stay in their files alone, and no threads"
            ));
        }
        if known > 0 {
            self.plan
                .notes
                .push(format!("{known} rules were known already, and are no facts twice"));
        }
        if memory.continuity.source != continuity {
            let before = self.edits.said.get(CONTINUITY).filter(|said| !said.is_empty()).cloned();
            let added = format!("{} facts, {} threads", facts.len(), threads.len());
            let what = before.map_or(added.clone(), |before| format!("{before}; {added}"));
            self.edits.change(CONTINUITY, Some(continuity), what);
        }
        self.plan.facts = facts;
        self.plan.threads = threads;
        self.plan.left = left;
        Ok(())
    }

    /// Leaves a pointer where a tool would look for instructions and find none.
    fn point(&mut self, taken: &[&Found]) {
        for one in &vendor::VENDORS {
            let files: Vec<&&Found> = taken
                .iter()
                .filter(|found| found.vendor.name == one.name && !found.is_live)
                .collect();
            let Some(first) = files.first() else { continue };
            // A tool with rules in a folder alone finds its pointer where it looks first, unless
            // somebody's file stands there.
            let is_file = one.files.iter().any(|file| file.path == first.path);
            let at =
                if is_file { Some(first.path.as_str()) } else { one.files.first().map(|f| f.path) };
            let Some(at) = at.filter(|at| is_file || kind(self.workspace, at).is_none()) else {
                continue;
            };
            let kept: Vec<String> = files.iter().map(|found| found.legacy()).collect();
            let imported: Vec<String> = match one.pointer {
                Pointer::Imports(_) => files.iter().flat_map(|found| imports(found, at)).collect(),
                _ => Vec::new(),
            };
            if let Some(text) = vendor::pointer(one, at, &kept, &imported) {
                let what = format!("a pointer, so that {} finds both", one.title);
                self.edits.change(at, Some(text), what);
            }
        }
    }

    /// Puts the block into `AGENTS.md`, and what is personal into `.gitignore`.
    fn wire(&mut self, rules: &[&str]) -> Result<(), Error> {
        let mut kept = detect::kept(self.workspace);
        kept.extend(self.edits.changes.keys().filter(|path| path.starts_with("legacy/")).cloned());
        kept.sort();
        kept.dedup();
        let known = read_record(self.workspace)?;
        let mut record = known.clone();
        let path = detect::instructions(self.workspace);
        let agents = self.workspace.read_optional(&path)?;
        let current = agents.clone().unwrap_or_default();
        let text = wiring::put_block(&current, &wiring::agents_block(&kept, rules))
            .map_err(|_| InitError::BrokenBlock { path: path.clone() })?;
        if text != current {
            note_addition(&mut record, &path, agents.as_deref(), &text);
            self.edits.change(
                &path,
                Some(text),
                "tells agents that there is a memory; the rest untouched",
            );
        }
        let ignore = self.workspace.read_optional(".gitignore")?;
        if let Some(text) = wiring::put_ignored(ignore.as_deref().unwrap_or_default()) {
            note_addition(&mut record, ".gitignore", ignore.as_deref(), &text);
            self.edits.change(
                ".gitignore",
                Some(text),
                "keeps what is private out of git; the rest untouched",
            );
        }
        if record != known {
            self.plan.record = Some(serde_json::to_vec_pretty(&record).unwrap_or_default());
        }
        Ok(())
    }

    /// Refuses a plan after which lint would find errors that it does not find now.
    fn check(&self) -> Result<(), Error> {
        let after = self.snapshot.with(&self.edits.changes);
        if self.snapshot.get(CONTINUITY).is_some() {
            let before = self.snapshot.parse()?;
            return Ok(review::check(&before, &after)?);
        }
        let errors = lint::errors(&after.parse()?);
        if errors.is_empty() {
            return Ok(());
        }
        let findings = errors.into_iter().map(|finding| finding.message).collect();
        Err(InitError::WouldBeWrong { findings }.into())
    }

    fn finish(mut self) -> Result<InitPlan, Error> {
        self.plan.files = self.edits.finish(self.workspace)?;
        Ok(self.plan)
    }
}

/// Returns what a file imports, as seen from the folder of `at`.
fn imports(found: &Found, at: &str) -> Vec<String> {
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (from, to) = (folder(&found.path), folder(at));
    let paths = vendor::imports(&found.text).into_iter();
    paths
        .filter(|path| !path.ends_with("AGENTS.md"))
        .map(|path| match path {
            path if from == to || path.starts_with(['~', '/']) => path.to_owned(),
            path => {
                let up = "../".repeat(at.matches('/').count());
                let from = if from.is_empty() { from.clone() } else { format!("{from}/") };
                format!("{up}{from}{path}")
            }
        })
        .collect()
}

fn moved(one: &Found) -> Moved {
    Moved {
        vendor: one.vendor.title,
        from: one.path.clone(),
        to: one.legacy(),
        is_copy: one.is_live,
    }
}

fn note_addition(record: &mut Record, path: &str, before: Option<&str>, after: &str) {
    let how = match before {
        Some("") => Before::Empty,
        Some(text) if !text.ends_with('\n') => Before::Unended,
        _ => {
            // A block that is brought up to date stands where it stood.
            if let Some(known) = record.get_mut(path)
                && before.is_some_and(|text| sha256(text.as_bytes()) == known.written)
            {
                known.written = sha256(after.as_bytes());
            }
            return;
        }
    };
    record.insert(path.to_owned(), Addition { before: how, written: sha256(after.as_bytes()) });
}

/// Returns what is known about the files that we added to.
pub(super) fn read_record(workspace: &Workspace) -> Result<Record, Error> {
    // Without it a final line's end may be too many, which is no reason to stop.
    let text = workspace.read_optional(RECORD)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}
