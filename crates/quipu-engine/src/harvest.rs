//! Harvests: reading what a team wrote, showing what of it the memory should know, writing what was
//! accepted.
//!
//! What documents say is found by `quipu_core::harvest`; here files are listed and read, and steps
//! are carried out, all of those that were chosen or none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use quipu_core::facts::{self, NewFact, Outcome};
use quipu_core::harvest::{self, Action, Kind as Found, LeftOut, Plan, Proposal, Step};
use quipu_core::memory::Memory;
use quipu_core::secret::{self, Scope};
use serde::{Deserialize, Serialize};

use crate::codebase::walked;
use crate::config::OnSecret;
use crate::error::Error;
use crate::fs::{FileSystem, Kind};
use crate::git;
use crate::operations::Request;
use crate::parallel;
use crate::workspace::{Diff, Workspace};

/// Larger documents are not read.
const LARGEST: u64 = 1 << 20;

/// So many documents are read before progress is told.
const CHUNK: usize = 128;

/// What takes a secret's place.
const REDACTED: &str = "(REDACTED)";

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
    /// Something was accepted that is not proposed.
    #[error("`{name}` is neither the number nor the id of a proposal")]
    NoSuchProposal {
        /// What was named.
        name: String,
    },
}

impl HarvestError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoSuchPath { .. } => "no-such-path",
            Self::Outside { .. } => "outside-workspace",
            Self::NoSuchProposal { .. } => "no-such-proposal",
        }
    }

    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::NoSuchPath { .. } => {
                "name a file or folder of this workspace; nothing was changed"
            }
            Self::Outside { .. } => {
                "only documents of the workspace are harvested; nothing was changed"
            }
            Self::NoSuchProposal { .. } => {
                "`quipu harvest` lists the proposals; ids stay the same when others are accepted; nothing was changed"
            }
        }
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
#[derive(Clone, Debug, Default, Serialize)]
pub struct Harvest {
    /// Documents that were read.
    pub documents: usize,
    /// What to do, and what was left out.
    #[serde(flatten)]
    pub plan: Plan,
    /// Proposals beyond the limit.
    pub beyond_limit: usize,
    /// Documents that were not read, and why.
    pub skipped: Vec<(String, String)>,
}

/// What was written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Accepted {
    /// New facts and threads.
    pub created: Vec<String>,
    /// Facts that were superseded.
    pub superseded: Vec<String>,
    /// Threads about contradictions.
    pub raised: Vec<String>,
}

/// What documents say.
struct Gathered {
    documents: usize,
    proposals: Vec<Proposal>,
    refused: Vec<LeftOut>,
    skipped: Vec<(String, String)>,
}

impl Workspace {
    /// Returns what the documents say that the memory should know. Nothing is written.
    ///
    /// # Errors
    /// When a path is not of the workspace, or the memory cannot be read.
    pub fn harvest(
        &self,
        place: &Where,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Harvest, Error> {
        let gathered = self.gathered(place, progress)?;
        let snapshot = self.read()?;
        Ok(planned(&snapshot.parse()?, gathered, place.limit))
    }

    /// Writes proposals into the memory, all that are picked or none, and notes the day.
    ///
    /// # Errors
    /// When something else than a proposal is picked, one is refused, or a step fails; then nothing
    /// has changed.
    pub fn accept_harvest(
        &self,
        place: &Where,
        pick: &Pick,
        request: &Request<'_>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(Harvest, Accepted, Diff), Error> {
        let gathered = self.gathered(place, progress)?;
        let ((harvest, accepted), diff) = self.edit_facts(request, |memory| {
            let harvest = planned(memory, gathered, place.limit);
            let chosen = chosen(&harvest.plan.steps, pick)?;
            let mut writer = Writer {
                allow_secret: self.config().guard.on_read() == OnSecret::Allow,
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
        &self,
        place: &Where,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Gathered, Error> {
        let paths = self.documents(place)?;
        let mut gathered = Gathered {
            documents: 0,
            proposals: Vec::new(),
            refused: Vec::new(),
            skipped: Vec::new(),
        };
        for (number, chunk) in paths.chunks(CHUNK).enumerate() {
            progress(number * CHUNK, paths.len());
            let (fs, root, secrets) = (self.fs(), self.root(), self.config().guard.on_read());
            let read = parallel::map(chunk, |path| look_at(fs, root, path, secrets));
            for (path, read) in chunk.iter().zip(read) {
                match read {
                    Ok((proposals, refused)) => {
                        gathered.documents += 1;
                        gathered.proposals.extend(proposals);
                        gathered.refused.extend(refused);
                    }
                    Err(why) => gathered.skipped.push((path.clone(), why)),
                }
            }
        }
        progress(paths.len(), paths.len());
        Ok(gathered)
    }

    /// Returns the documents, in order: what git tracks or would, else what the folders hold.
    fn documents(&self, place: &Where) -> Result<Vec<String>, Error> {
        let named =
            place.paths.iter().map(|path| self.named(path)).collect::<Result<Vec<_>, _>>()?;
        let is_named = |path: &str| {
            named.iter().any(|named| {
                named.is_empty()
                    || path == named
                    || path.strip_prefix(named.as_str()).is_some_and(|r| r.starts_with('/'))
            })
        };
        let is_meant = |path: &String| {
            let is_document = if named.is_empty() {
                harvest::is_document(path)
            } else {
                is_named(path) && harvest::is_text(path)
            };
            is_document
                && (place.only.is_empty() || place.only.iter().any(|glob| matches(glob, path)))
        };
        let listed = git::files(self.root()).unwrap_or_else(|| walked(self.root()));
        let mut paths: Vec<String> = listed.into_iter().filter(is_meant).collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Returns a path from the workspace's root; nothing for the root itself.
    fn named(&self, path: &Path) -> Result<String, HarvestError> {
        let shown = path.display().to_string();
        let full = self.root().join(path);
        let real =
            full.canonicalize().map_err(|_| HarvestError::NoSuchPath { path: shown.clone() })?;
        let root = self.root().canonicalize().unwrap_or_else(|_| self.root().to_owned());
        let inside = real.strip_prefix(root).map_err(|_| HarvestError::Outside { path: shown })?;
        let parts: Vec<String> = inside
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        Ok(parts.join("/"))
    }
}

/// Reads one document: what it proposes, and what is refused because of secrets.
fn look_at(
    fs: &dyn FileSystem,
    root: &Path,
    path: &str,
    secrets: OnSecret,
) -> Result<(Vec<Proposal>, Vec<LeftOut>), String> {
    let full = root.join(path);
    match fs.stat(&full).map_err(|error| error.to_string())?.0 {
        Kind::File => {}
        Kind::Link => {
            return Err("it is a link; what it leads to is read where it stands".to_owned());
        }
        Kind::Folder => return Err("it is a folder".to_owned()),
        Kind::Other => return Err("it is no file".to_owned()),
    }
    let is_kept = secrets == OnSecret::Allow;
    if !is_kept && !secret::scan(path, Scope::Memory).is_empty() {
        return Err("its name looks like a secret".to_owned());
    }
    let bytes = fs
        .read_up_to(&full, LARGEST)
        .map_err(|error| error.to_string())?
        .map_err(|size| format!("it has {size} bytes, and more than {LARGEST} are not read"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        format!("line {line} is not UTF-8; save it as UTF-8")
    })?;
    if text.contains('\0') {
        return Err("it is not text".to_owned());
    }
    if is_kept {
        return Ok((harvest::proposals(path, &text), Vec::new()));
    }
    // Before anything is cut: half a key is no longer seen as one.
    let safe = secret::redacted(&text, Scope::Memory);
    let had = text.matches(REDACTED).count();
    let found = harvest::proposals(path, &safe);
    if secrets == OnSecret::Redact || safe.matches(REDACTED).count() == had {
        return Ok((found, Vec::new()));
    }
    let (refused, found): (Vec<Proposal>, Vec<Proposal>) =
        found.into_iter().partition(|proposal| {
            proposal.text.contains(REDACTED) || proposal.excerpt.contains(REDACTED)
        });
    let why = "it looks like it holds a secret (guard.secrets = \"refuse\")";
    Ok((found, refused.iter().map(|proposal| LeftOut::of(proposal, why)).collect()))
}

fn planned(memory: &Memory<'_>, gathered: Gathered, limit: Option<usize>) -> Harvest {
    let mut plan = harvest::plan(memory, &gathered.proposals);
    plan.left_out.extend(gathered.refused);
    let most = limit.unwrap_or(usize::MAX);
    let beyond_limit = plan.steps.len().saturating_sub(most);
    plan.steps.truncate(most);
    Harvest { documents: gathered.documents, plan, beyond_limit, skipped: gathered.skipped }
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
                    step.own_words = Some(text.trim().to_owned());
                }
                picked.retain(|(other, _)| *other != at);
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
            Action::Add | Action::Replace => {
                self.add(memory, step)?;
                for old in &step.supersedes {
                    self.supersede(memory, old, Some(&step.id))?;
                }
                if !step.conflicts.is_empty() {
                    let question =
                        format!("Contradiction: `{}` and {}: which holds?", step.id, names(step));
                    self.raise(memory, &format!("ot-contradiction-{}", step.id), &question, step)?;
                }
                Ok(())
            }
            Action::Retire => self.supersede(memory, &step.id, step.superseded_by.as_deref()),
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
        let (id, more) = harvest::add(&memory.after(&snapshot)?, &new, &step.proposal, self.today)?;
        self.then(more);
        self.accepted.created.push(id);
        Ok(())
    }

    fn supersede(
        &mut self,
        memory: &Memory<'_>,
        old: &str,
        new: Option<&str>,
    ) -> Result<(), Error> {
        let snapshot = memory.snapshot.with(&self.outcome.changes);
        let now = memory.after(&snapshot)?;
        let holds =
            |id: &str| now.continuity.fact(id).is_some_and(|fact| !fact.footer.is_superseded());
        // An earlier step may have done it, and a successor may not have been picked.
        if !holds(old) {
            return Ok(());
        }
        let more = facts::supersede(&now, old, new.filter(|new| holds(new)), false)?;
        self.then(more);
        self.accepted.superseded.push(old.to_owned());
        Ok(())
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

/// Tells whether a path matches a pattern: `*` within a name, `**` across folders, `?` one character.
///
/// A pattern without `/` is matched against the name alone.
fn matches(glob: &str, path: &str) -> bool {
    let subject = if glob.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
    let (glob, subject): (Vec<char>, Vec<char>) =
        (glob.chars().collect(), subject.chars().collect());
    // reached[i]: the pattern so far matches the first i characters.
    let mut reached = vec![false; subject.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < glob.len() {
        let (is_star, crosses) = (glob[at] == '*', glob.get(at..at + 2) == Some(&['*', '*']));
        if is_star {
            for i in 0..subject.len() {
                reached[i + 1] |= reached[i] && (crosses || subject[i] != '/');
            }
            at += if crosses { 2 } else { 1 };
            // `**/` also stands for no folder at all.
            if crosses && glob.get(at) == Some(&'/') {
                let starts: Vec<bool> = (0..=subject.len())
                    .map(|i| reached[i] && (i == 0 || subject[i - 1] == '/'))
                    .collect();
                reached = starts;
                at += 1;
            }
            continue;
        }
        for i in (0..subject.len()).rev() {
            let fits = glob[at] == subject[i] || (glob[at] == '?' && subject[i] != '/');
            reached[i + 1] = reached[i] && fits;
        }
        reached[0] = false;
        at += 1;
    }
    reached[subject.len()]
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_names_and_paths() {
        for (glob, path, expected) in [
            ("*.md", "docs/adr/a.md", true),
            ("docs/*.md", "docs/adr/a.md", false),
            ("docs/**/*.md", "docs/adr/a.md", true),
            ("docs/**/*.md", "docs/a.md", true),
            ("docs/**", "docs/adr/a.md", true),
            ("a?.md", "docs/ab.md", true),
            ("*.rst", "docs/a.md", false),
            ("", "a.md", false),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
    }
}
