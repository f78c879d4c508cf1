//! Harvests: reading what a team wrote, showing what of it the memory should know, writing what was
//! accepted.
//!
//! What documents say is found by `quipu_core::harvest`; here files are listed and read, and steps
//! are carried out, all of those that were chosen or none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use quipu_core::doc::Form;
use quipu_core::facts::{self, NewFact, Outcome};
use quipu_core::harvest::{
    self, Action, Kind as Found, LeftOut, Looked, Plan, Proposal, Reading, Source, Step,
};
use quipu_core::memory::Memory;
use quipu_core::secret::{self, Scope};
use serde::{Deserialize, Serialize};

use crate::codebase::walked;
use crate::config::Secrets;
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
    /// Documents that could not be read, and why.
    pub skipped: Vec<(String, String)>,
    /// Texts that are no documents to harvest, and why.
    #[serde(skip)]
    pub unread: Vec<(String, String)>,
    /// Documents that should decide something, and why nothing was taken from them.
    pub silent: Vec<(String, String)>,
}

/// What was written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Accepted {
    /// New facts and threads.
    pub created: Vec<String>,
    /// Facts that were superseded.
    pub superseded: Vec<String>,
    /// Threads that were closed: done, or no longer planned.
    pub closed: Vec<String>,
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

/// What one document says.
enum Read {
    Document {
        reading: Reading,
        refused: Vec<LeftOut>,
    },
    /// It stands where no documents are kept, and is no record.
    NoRecord,
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
        self.planned(&snapshot.parse()?, gathered, place)
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
            let harvest = self.planned(memory, gathered, place)?;
            let chosen = chosen(&harvest.plan.steps, pick)?;
            let mut writer = Writer {
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
        let (paths, unread, companions) = self.documents(place)?;
        let mut gathered = Gathered { unread, ..Gathered::default() };
        for (number, chunk) in paths.chunks(CHUNK).enumerate() {
            progress(number * CHUNK, paths.len());
            let desk =
                Desk { fs: self.fs(), root: self.root(), secrets: self.config().harvest.secrets };
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
                        let why = "it stands in no folder for documents, and is no record";
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
        &self,
        place: &Where,
    ) -> Result<(Vec<String>, Vec<(String, String)>, BTreeMap<String, String>), Error> {
        let scope = self.scope(place)?;
        let listed: BTreeSet<String> =
            git::files(self.root()).unwrap_or_else(|| walked(self.root())).into_iter().collect();
        let is_own = |path: &&String| !path.starts_with("memory/") && scope.has(path);
        let unread = listed
            .iter()
            .filter(is_own)
            .filter_map(|path| harvest::unread(path).map(|why| (path.clone(), why.to_owned())));
        let unread = unread.collect();
        let paths: Vec<String> = listed
            .iter()
            .filter(|path| scope.has(path) && harvest::is_text(path) && self.is_there(path))
            .cloned()
            .collect();
        let beside = paths.iter().filter_map(|path| {
            let companion =
                harvest::companions(path).into_iter().find(|one| listed.contains(one))?;
            Some((path.clone(), companion))
        });
        let beside = beside.collect();
        Ok((paths, unread, beside))
    }

    /// Tells whether something stands at a path: git also lists what was deleted and not yet committed.
    fn is_there(&self, path: &str) -> bool {
        !matches!(self.fs().stat(&self.root().join(path)), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
    }

    fn scope<'p>(&self, place: &'p Where) -> Result<Scoped<'p>, HarvestError> {
        let named =
            place.paths.iter().map(|path| self.named(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Scoped { named, only: &place.only })
    }

    fn planned(
        &self,
        memory: &Memory<'_>,
        gathered: Gathered,
        place: &Where,
    ) -> Result<Harvest, Error> {
        let scope = self.scope(place)?;
        let mut looked = gathered.looked;
        let known = harvest::sources(memory);
        looked.gone =
            known.into_iter().filter(|path| scope.has(path) && !self.is_there(path)).collect();
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

/// Which paths are meant.
struct Scoped<'p> {
    named: Vec<String>,
    only: &'p [String],
}

impl Scoped<'_> {
    fn has(&self, path: &str) -> bool {
        let is_named = |named: &String| {
            named.is_empty()
                || path == named
                || path.strip_prefix(named.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        (self.named.is_empty() || self.named.iter().any(is_named))
            && (self.only.is_empty() || self.only.iter().any(|glob| matches(glob, path)))
    }
}

/// Where documents are read.
struct Desk<'a> {
    fs: &'a dyn FileSystem,
    root: &'a Path,
    secrets: Secrets,
}

impl Desk<'_> {
    /// Reads one document: what it proposes, and what is refused because of secrets.
    fn look_at(&self, path: &str, companion: Option<&str>, is_named: bool) -> Result<Read, String> {
        let is_document = is_named || harvest::is_document(path);
        let text = match self.text(path) {
            Ok(text) => text,
            // What is no document is not missed.
            Err(_) if !is_document => return Ok(Read::NoRecord),
            Err(why) => return Err(why),
        };
        let beside = companion.and_then(|companion| self.text(companion).ok());
        // Before anything is cut: half a key is no longer seen as one.
        let safe = secret::redacted(&text, Scope::Memory);
        let had = text.matches(REDACTED).count();
        let source = Source { path, text: &safe, companion: beside.as_deref(), is_named };
        let Some(mut reading) = harvest::read(source) else { return Ok(Read::NoRecord) };
        if self.secrets == Secrets::Redact || safe.matches(REDACTED).count() == had {
            return Ok(Read::Document { reading, refused: Vec::new() });
        }
        let (refused, found): (Vec<Proposal>, Vec<Proposal>) =
            reading.proposals.into_iter().partition(|proposal| {
                proposal.text.contains(REDACTED) || proposal.excerpt.contains(REDACTED)
            });
        reading.proposals = found;
        let why = "it looks like it holds a secret (harvest.secrets = \"refuse\")";
        let refused = refused.iter().map(|proposal| LeftOut::of(proposal, why)).collect();
        Ok(Read::Document { reading, refused })
    }

    fn text(&self, path: &str) -> Result<String, String> {
        let full = self.root.join(path);
        match self.fs.stat(&full).map_err(|error| error.to_string())?.0 {
            Kind::File => {}
            Kind::Link => {
                return Err("it is a link; what it leads to is read where it stands".to_owned());
            }
            Kind::Folder => return Err("it is a folder".to_owned()),
            Kind::Other => return Err("it is no file".to_owned()),
        }
        if !secret::scan(path, Scope::Memory).is_empty() {
            return Err("its name looks like a secret".to_owned());
        }
        let bytes =
            self.fs.read_up_to(&full, LARGEST).map_err(|error| error.to_string())?.map_err(
                |size| format!("it has {size} bytes, and more than {LARGEST} are not read"),
            )?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|byte| *byte == b'\n').count();
            format!("line {line} is not UTF-8; save it as UTF-8")
        })?;
        if text.contains('\0') {
            return Err("it is not text".to_owned());
        }
        Ok(text)
    }
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
            allow_secret: false,
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
        if let Some(form) =
            now.continuity.fact(old).filter(|fact| fact.is_thread()).map(|fact| fact.form)
        {
            if form == Form::OpenThread {
                self.then(facts::set_done(&now, old, true)?);
                self.accepted.closed.push(old.to_owned());
            }
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
            allow_secret: false,
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
