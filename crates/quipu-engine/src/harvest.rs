//! Harvests: reading what a team wrote, showing what of it the memory should know, writing what was
//! accepted.
//!
//! What documents say is found by `quipu_core::harvest`; here files are listed and read, and steps
//! are carried out, all of those that were chosen or none.

mod desk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use quipu_core::doc::Form;
use quipu_core::facts::{self, FactError, NewFact, Outcome};
use quipu_core::harvest::{self, Action, Kind as Found, LeftOut, Looked, Plan, Step};
use quipu_core::memory::Memory;
use serde::{Deserialize, Serialize};

use self::desk::{Desk, Read, Scoped};
use crate::codebase::files_below;
use crate::config::OnSecret;
use crate::error::{Error, Failure};
use crate::glob::Documents;
use crate::operation::Request;
use crate::parallel;
use crate::workspace::{Diff, Workspace};

/// So many documents are read before progress is told.
const CHUNK: usize = 128;

/// Why a harvest cannot be carried out as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HarvestError {
    /// There is nothing at a path.
    #[error("there is nothing at `{path}`")]
    NoSuchPath {
        /// The path.
        path: String,
    },
    /// A path leads out of the workspace.
    #[error("`{path}` is outside the workspace")]
    Outside {
        /// The path.
        path: String,
    },
    /// Words for a proposal are empty.
    #[error("the words for `{id}` are empty")]
    NoWords {
        /// The proposal.
        id: String,
    },
    /// Words for a proposal hold what looks like a secret.
    #[error("the words for `{id}` hold what looks like a secret ({categories})")]
    Secret {
        /// The proposal.
        id: String,
        /// What it looks like.
        categories: String,
    },
    /// A proposal has several words.
    #[error("`{id}` is named twice")]
    Twice {
        /// The proposal.
        id: String,
    },
    /// Something was accepted that is not proposed.
    #[error("`{name}` is neither the number nor the id of a proposal")]
    NoSuchProposal {
        /// What was named.
        name: String,
    },
}

impl Failure for HarvestError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoSuchPath { .. } => "no-such-path",
            Self::Outside { .. } => "outside-workspace",
            Self::NoWords { .. } => "empty-text",
            Self::Secret { .. } => "secret",
            Self::Twice { .. } => "named-twice",
            Self::NoSuchProposal { .. } => "no-such-proposal",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoSuchPath { .. } => {
                "name a file or folder of this workspace; nothing was changed"
            }
            Self::Outside { .. } => {
                "only documents of the workspace are harvested; nothing was changed"
            }
            Self::NoWords { .. } => {
                "leave `text` out to keep the words of the proposal, or the proposal out to skip it; nothing was changed"
            }
            Self::Secret { .. } => {
                "write (REDACTED) instead of the value; `guard.secrets = \"allow\"` in your own settings lets all pass; nothing was changed"
            }
            Self::Twice { .. } => "name each proposal once; nothing was changed",
            Self::NoSuchProposal { .. } => {
                "`quipu harvest` lists the proposals; ids stay the same when others are accepted; nothing was changed"
            }
        };
        Some(hint.to_owned())
    }
}

/// Which documents to read.
#[derive(Clone, Debug, Default)]
pub struct Where {
    /// Files and folders; by default the places where documents are kept.
    pub paths: Vec<PathBuf>,
    /// Patterns of which a path must match one.
    pub only: Vec<String>,
    /// How many proposals at most.
    pub limit: Option<usize>,
}

/// Somebody's own words for a proposal.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Reworded {
    /// The proposal.
    pub id: String,
    /// The words; by default those of the proposal.
    #[serde(default)]
    pub text: Option<String>,
    /// Where it goes; by default where the proposal says.
    #[serde(default)]
    pub section: Option<String>,
}

/// Which proposals to write.
#[derive(Clone, Debug)]
pub enum Pick {
    /// All.
    All,
    /// These, by number or id.
    Named(Vec<String>),
    /// These, in somebody's own words.
    Reworded(Vec<Reworded>),
}

/// What a harvest found.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Harvest {
    /// Documents that were read.
    pub documents: usize,
    /// What to do, and what was left out.
    #[serde(flatten)]
    pub plan: Plan,
    /// Proposals beyond the limit.
    pub beyond_limit: usize,
    /// Documents that could not be read, and why.
    pub skipped: Vec<(String, String)>,
    /// Texts that are no documents to harvest, and why.
    #[serde(skip)]
    pub unread: Vec<(String, String)>,
    /// Documents that should decide something, and why nothing was taken from them.
    pub silent: Vec<(String, String)>,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Accepted {
    /// New facts and threads.
    pub created: Vec<String>,
    /// Facts that were superseded.
    pub superseded: Vec<String>,
    /// Threads that were closed: done, or no longer planned.
    pub closed: Vec<String>,
    /// Threads that were opened again.
    pub reopened: Vec<String>,
    /// Facts whose documents were moved.
    pub moved: Vec<String>,
    /// Threads about contradictions.
    pub raised: Vec<String>,
}

/// What documents say.
#[derive(Default)]
struct Gathered {
    looked: Looked,
    refused: Vec<LeftOut>,
    skipped: Vec<(String, String)>,
    unread: Vec<(String, String)>,
    silent: Vec<(String, String)>,
}

/// Returns what the documents say that the memory should know. Nothing is written.
///
/// # Errors
/// When a path is not of the workspace, or the memory cannot be read.
pub fn harvest(
    workspace: &Workspace,
    place: &Where,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Harvest, Error> {
    let gathered = gathered(workspace, place, progress)?;
    let snapshot = workspace.read()?;
    planned(workspace, &snapshot.parse()?, gathered, place)
}

/// Writes proposals into the memory, all that are picked or none, and notes the day.
///
/// # Errors
/// When something else than a proposal is picked, one is refused, or a step fails; then nothing
/// has changed.
pub fn accept_harvest(
    workspace: &Workspace,
    place: &Where,
    pick: &Pick,
    request: &Request<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Harvest, Accepted, Diff), Error> {
    let gathered = gathered(workspace, place, progress)?;
    let ((harvest, accepted), diff) = crate::facts::edit_facts(workspace, request, |memory| {
        let harvest = planned(workspace, memory, gathered, place)?;
        let chosen = chosen(&harvest.plan.steps, pick)?;
        let mut writer = Writer {
            allow_secret: workspace.config().guard.on_read() == OnSecret::Allow,
            today: request.today,
            outcome: Outcome::default(),
            accepted: Accepted::default(),
        };
        for step in &chosen {
            writer.carry_out(memory, step)?;
        }
        let snapshot = memory.snapshot.with(&writer.outcome.changes);
        let stamped = harvest::stamp(&memory.after(&snapshot)?, request.today);
        writer.outcome.changes.extend(stamped);
        Ok(((harvest, writer.accepted), writer.outcome))
    })?;
    Ok((harvest, accepted, diff))
}

fn gathered(
    workspace: &Workspace,
    place: &Where,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Gathered, Error> {
    let (paths, unread, companions) = documents(workspace, place)?;
    let mut gathered = Gathered { unread, ..Gathered::default() };
    for (number, chunk) in paths.chunks(CHUNK).enumerate() {
        progress(number * CHUNK, paths.len());
        let desk = Desk {
            fs: workspace.fs(),
            root: workspace.root(),
            secrets: workspace.config().guard.on_read(),
        };
        let is_named = !place.paths.is_empty();
        let read = parallel::map(chunk, |path| {
            desk.look_at(path, companions.get(path).map(String::as_str), is_named)
        });
        for (path, read) in chunk.iter().zip(read) {
            match read {
                Ok(Read::Document { reading, refused }) => {
                    gathered.looked.read.insert(path.clone());
                    gathered.looked.proposals.extend(reading.proposals);
                    gathered.refused.extend(refused);
                    gathered.silent.extend(reading.silent.map(|why| (path.clone(), why)));
                }
                Ok(Read::NoRecord) => {
                    let why = "it is not in a folder for documents, and not a decision record";
                    gathered.unread.push((path.clone(), why.to_owned()));
                }
                Err(why) => gathered.skipped.push((path.clone(), why)),
            }
        }
    }
    progress(paths.len(), paths.len());
    Ok(gathered)
}

/// Returns the texts, in order: what git tracks or would, else what the folders hold. Beside them
/// those that are never read, and the files of metadata that belong to texts.
#[expect(clippy::type_complexity, reason = "three lists of one walk")]
fn documents(
    workspace: &Workspace,
    place: &Where,
) -> Result<(Vec<String>, Vec<(String, String)>, BTreeMap<String, String>), Error> {
    let scope = scope(workspace, place)?;
    let listed: BTreeSet<String> = files_below(workspace.root()).into_iter().collect();
    let is_own = |path: &&String| !path.starts_with("memory/") && scope.has(path);
    let unread = listed
        .iter()
        .filter(is_own)
        .filter_map(|path| harvest::unread(path).map(|why| (path.clone(), why.to_owned())));
    let unread = unread.collect();
    let paths: Vec<String> = listed
        .iter()
        .filter(|path| scope.has(path) && harvest::is_text(path) && is_there(workspace, path))
        .cloned()
        .collect();
    let beside = paths.iter().filter_map(|path| {
        let companion = harvest::companions(path).into_iter().find(|one| listed.contains(one))?;
        Some((path.clone(), companion))
    });
    let beside = beside.collect();
    Ok((paths, unread, beside))
}

/// Tells whether something stands at a path: git also lists what was deleted and not yet committed.
fn is_there(workspace: &Workspace, path: &str) -> bool {
    !matches!(workspace.fs().stat(&workspace.root().join(path)), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

fn scope(workspace: &Workspace, place: &Where) -> Result<Scoped, HarvestError> {
    let named =
        place.paths.iter().map(|path| named(workspace, path)).collect::<Result<Vec<_>, _>>()?;
    let only = (!place.only.is_empty()).then(|| Documents::of(&place.only));
    Ok(Scoped { named, only })
}

fn planned(
    workspace: &Workspace,
    memory: &Memory<'_>,
    gathered: Gathered,
    place: &Where,
) -> Result<Harvest, Error> {
    let scope = scope(workspace, place)?;
    let mut looked = gathered.looked;
    let known = harvest::sources(memory);
    let desk = Desk {
        fs: workspace.fs(),
        root: workspace.root(),
        secrets: workspace.config().guard.on_read(),
    };
    let still = known.iter().filter(|path| looked.read.contains(*path));
    looked.texts = still.filter_map(|path| Some((path.clone(), desk.text(path).ok()?))).collect();
    looked.gone =
        known.into_iter().filter(|path| scope.has(path) && !is_there(workspace, path)).collect();
    let mut plan = harvest::plan(memory, &looked);
    plan.left_out.extend(gathered.refused);
    let most = place.limit.unwrap_or(usize::MAX);
    let beyond_limit = plan.steps.len().saturating_sub(most);
    plan.steps.truncate(most);
    Ok(Harvest {
        documents: looked.read.len(),
        plan,
        beyond_limit,
        skipped: gathered.skipped,
        unread: gathered.unread,
        silent: gathered.silent,
    })
}

/// Returns a path from the workspace's root; nothing for the root itself.
fn named(workspace: &Workspace, path: &Path) -> Result<String, HarvestError> {
    let shown = path.display().to_string();
    let full = workspace.root().join(path);
    let real = full.canonicalize().map_err(|_| HarvestError::NoSuchPath { path: shown.clone() })?;
    let root = workspace.root().canonicalize().unwrap_or_else(|_| workspace.root().to_owned());
    let inside = real.strip_prefix(root).map_err(|_| HarvestError::Outside { path: shown })?;
    let parts: Vec<String> =
        inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    Ok(parts.join("/"))
}

/// Returns the steps that are picked, in the plan's order.
fn chosen(steps: &[Step], pick: &Pick) -> Result<Vec<Step>, HarvestError> {
    let position = |name: &str| {
        let found =
            steps.iter().position(|step| step.id == name || step.number.to_string() == name);
        found.ok_or_else(|| HarvestError::NoSuchProposal { name: name.to_owned() })
    };
    match pick {
        Pick::All => Ok(steps.to_vec()),
        Pick::Named(names) => {
            let picked =
                names.iter().map(|name| position(name)).collect::<Result<BTreeSet<_>, _>>()?;
            Ok(picked.into_iter().map(|at| steps[at].clone()).collect())
        }
        Pick::Reworded(all) => {
            let mut picked: Vec<(usize, Step)> = Vec::new();
            for one in all {
                let at = position(&one.id)?;
                let mut step = steps[at].clone();
                step.section = one.section.clone().unwrap_or(step.section);
                if let Some(text) = &one.text {
                    let text = text.trim();
                    if !text.chars().any(char::is_alphanumeric) {
                        return Err(HarvestError::NoWords { id: step.id });
                    }
                    step.own_words = Some(text.to_owned());
                }
                if picked.iter().any(|(other, _)| *other == at) {
                    return Err(HarvestError::Twice { id: step.id });
                }
                picked.push((at, step));
            }
            picked.sort_by_key(|(at, _)| *at);
            Ok(picked.into_iter().map(|(_, step)| step).collect())
        }
    }
}

/// Carries out steps one after the other, in memory.
struct Writer {
    allow_secret: bool,
    today: Date,
    outcome: Outcome,
    accepted: Accepted,
}

impl Writer {
    fn carry_out(&mut self, memory: &Memory<'_>, step: &Step) -> Result<(), Error> {
        match step.action {
            Action::Restore if self.reopen(memory, step)? => Ok(()),
            Action::Move => {
                let snapshot = memory.snapshot.with(&self.outcome.changes);
                let now = memory.after(&snapshot)?;
                self.then(harvest::repoint(&now, &step.id, &step.proposal)?);
                self.accepted.moved.push(step.id.clone());
                Ok(())
            }
            Action::Add | Action::Replace | Action::Restore => {
                self.add(memory, step)?;
                for old in &step.supersedes {
                    self.supersede(memory, old, Some(&step.id), step)?;
                }
                if !step.conflicts.is_empty() {
                    let question =
                        format!("Contradiction: `{}` and {}: which holds?", step.id, names(step));
                    self.raise(memory, &format!("ot-contradiction-{}", step.id), &question, step)?;
                }
                Ok(())
            }
            Action::Retire => self.supersede(memory, &step.id, step.superseded_by.as_deref(), step),
            Action::Ask => {
                let said = quipu_core::text::ellipsis(step.words(), 160);
                let question = format!(
                    "Contradiction: {} and {}, which says \"{said}\" ({}): which holds?",
                    names(step),
                    step.proposal.path(),
                    step.proposal.status.as_str()
                );
                self.raise(memory, &step.id, &question, step)
            }
        }
    }

    fn add(&mut self, memory: &Memory<'_>, step: &Step) -> Result<(), Error> {
        let new = NewFact {
            text: format!("{} ({})", step.words(), step.proposal.path()),
            section: Some(step.section.clone()),
            id: Some(step.id.clone()),
            is_thread: step.proposal.kind == Found::Plan,
            allow_secret: self.allow_secret,
        };
        let snapshot = memory.snapshot.with(&self.outcome.changes);
        let added = harvest::add(&memory.after(&snapshot)?, &new, &step.proposal, self.today);
        let (id, more) = added.map_err(|error| match error {
            FactError::Secret { categories } => {
                let categories = categories.join(", ");
                HarvestError::Secret { id: step.id.clone(), categories }.into()
            }
            other => Error::from(other),
        })?;
        self.then(more);
        self.accepted.created.push(id);
        Ok(())
    }

    fn supersede(
        &mut self,
        memory: &Memory<'_>,
        old: &str,
        new: Option<&str>,
        step: &Step,
    ) -> Result<(), Error> {
        if self.end(memory, old, new)? && step.ended.iter().any(|id| id == old) {
            let snapshot = memory.snapshot.with(&self.outcome.changes);
            self.then(harvest::end(&memory.after(&snapshot)?, old, self.today)?);
        }
        Ok(())
    }

    /// Opens the thread of a step again; tells whether there is one.
    fn reopen(&mut self, memory: &Memory<'_>, step: &Step) -> Result<bool, Error> {
        let snapshot = memory.snapshot.with(&self.outcome.changes);
        let now = memory.after(&snapshot)?;
        let is_closed =
            |id: &str| now.continuity.fact(id).is_some_and(|fact| fact.form == Form::DoneThread);
        if !is_closed(&step.id) {
            return Ok(false);
        }
        self.then(harvest::reopen(&now, &step.id)?);
        self.accepted.reopened.push(step.id.clone());
        Ok(true)
    }

    /// Supersedes a fact or closes a thread; tells whether it held until now.
    fn end(&mut self, memory: &Memory<'_>, old: &str, new: Option<&str>) -> Result<bool, Error> {
        let snapshot = memory.snapshot.with(&self.outcome.changes);
        let now = memory.after(&snapshot)?;
        let holds =
            |id: &str| now.continuity.fact(id).is_some_and(|fact| !fact.footer.is_superseded());
        // An earlier step may have done it, and a successor may not have been picked.
        if !holds(old) {
            return Ok(false);
        }
        if let Some(form) =
            now.continuity.fact(old).filter(|fact| fact.is_thread()).map(|fact| fact.form)
        {
            let is_open = form == Form::OpenThread;
            if is_open {
                self.then(facts::set_done(&now, old, true)?);
                self.accepted.closed.push(old.to_owned());
            }
            return Ok(is_open);
        }
        let more = facts::supersede(&now, old, new.filter(|new| holds(new)), false)?;
        self.then(more);
        self.accepted.superseded.push(old.to_owned());
        Ok(true)
    }

    fn raise(
        &mut self,
        memory: &Memory<'_>,
        id: &str,
        question: &str,
        step: &Step,
    ) -> Result<(), Error> {
        let new = NewFact {
            text: question.to_owned(),
            section: None,
            id: Some(id.to_owned()),
            is_thread: true,
            allow_secret: self.allow_secret,
        };
        let snapshot = memory.snapshot.with(&self.outcome.changes);
        let now = memory.after(&snapshot)?;
        if now.knows(id) {
            return Ok(());
        }
        let (id, more) = harvest::add(&now, &new, &step.proposal, self.today)?;
        self.then(more);
        self.accepted.raised.push(id);
        Ok(())
    }

    fn then(&mut self, more: Outcome) {
        self.outcome = std::mem::take(&mut self.outcome).then(more);
    }
}

fn names(step: &Step) -> String {
    let names: Vec<String> = step.conflicts.iter().map(|other| format!("`{}`", other.id)).collect();
    names.join(", ")
}
