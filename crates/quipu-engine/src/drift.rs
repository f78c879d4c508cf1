//! Whether what memories say about a repository still holds: which of their paths, names of code,
//! scripts and dependencies are there, and which the history of the default branch shows to have
//! gone.
//!
//! What is checked out decides nothing: the same branches give the same answer from any of them. Nor
//! does the clock. Absence alone is no evidence: what the history never had is unknown.

mod manifest;
mod manifests;
mod past;
mod paths;
mod repository;
mod symbols;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use quipu_core::card;
use quipu_core::claim::{Claim, ClaimKind, claims, is_historic};
use quipu_core::item::{Item, Kind, Layer, Sensitivity, Source, Status};
use serde::Serialize;

use crate::error::Error;
use crate::fs::{FileSystem as _, RealFs};
use crate::index;
use crate::workspace::Workspace;
use repository::Repository;

/// A path that somebody wrote down.
#[derive(Clone, Debug)]
struct Asked {
    /// What it may mean, from the repository's root, likeliest first.
    candidates: Vec<String>,
    /// The path as it was written, where folders before it may have been left out.
    ending: Option<String>,
    /// Whether one of the candidates exists on disk.
    on_disk: Vec<bool>,
}

/// What the repository says about a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// It is there.
    Alive,
    /// It was there, and is no more.
    Gone {
        /// The commit that took it away; none where a merge did.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// When that was committed.
        #[serde(skip_serializing_if = "Option::is_none")]
        when: Option<Timestamp>,
        /// What it is called today.
        #[serde(skip_serializing_if = "Option::is_none")]
        now: Option<String>,
        /// Whether there is no doubt: a path that stood exactly there, and that no branch of one's own has.
        certain: bool,
        /// A branch of one's own that still has it, since it left the default one before that commit.
        #[serde(skip_serializing_if = "Option::is_none")]
        still_on: Option<String>,
    },
    /// Nobody can tell: it never was in this repository.
    Unknown,
}

impl Verdict {
    fn now(&self) -> Option<&String> {
        match self {
            Self::Gone { now, .. } => now.as_ref(),
            _ => None,
        }
    }

    fn when(&self) -> Option<Timestamp> {
        match self {
            Self::Gone { when, .. } => *when,
            _ => None,
        }
    }
}

/// How much of the past is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Past {
    /// All of it.
    Whole,
    /// A shallow clone has only the end: what went before is unknown.
    CutOff,
    /// There is no git, or no commit yet: nothing can be shown to have gone.
    None,
}

/// A claim that no longer holds.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct DriftFinding {
    /// The memory.
    pub id: String,
    /// What it says.
    pub claim: Claim,
    /// What the repository says.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The same in words.
    pub reason: String,
}

/// How well a memory, or all of them, fit the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DriftScore {
    /// Claims that hold.
    pub alive: usize,
    /// Claims that certainly do not.
    pub gone: usize,
    /// Claims that seem not to.
    pub doubtful: usize,
    /// Claims that nobody can tell about.
    pub unknown: usize,
}

impl DriftScore {
    /// Returns 100 where nothing has gone, and less the more has, without ever reaching 0.
    ///
    /// It is the share of what holds among what is known, where one certain loss weighs as much as two
    /// claims that hold, a doubtful one as much as one, and one claim is taken to hold from the start,
    /// so that a memory with a single dead path gets 33 and not 0.
    #[expect(clippy::cast_precision_loss, reason = "nobody makes 2^52 claims")]
    pub fn value(&self) -> f64 {
        let holds = self.alive + 1;
        let known = holds + 2 * self.gone + self.doubtful;
        100.0 * holds as f64 / known as f64
    }

    fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Alive => self.alive += 1,
            Verdict::Gone { certain: true, .. } => self.gone += 1,
            Verdict::Gone { .. } => self.doubtful += 1,
            Verdict::Unknown => self.unknown += 1,
        }
    }
}

/// What was found out about many memories.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct DriftReport {
    /// How many memories were looked at.
    pub checked: usize,
    /// How many claims they make, without those about the past.
    pub claims: usize,
    /// How much of the past is known.
    pub past: Past,
    /// The branch that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What no longer holds, in the order of the memories and of their texts.
    pub findings: Vec<DriftFinding>,
    /// The score of each memory that makes a claim.
    pub items: BTreeMap<String, DriftScore>,
    /// The score of all of them together; who prints it adds the value.
    #[serde(skip)]
    pub score: DriftScore,
}

/// Judges what everything that holds says about the repository. Nothing is changed.
///
/// # Errors
/// When the index cannot be used.
pub fn drift(workspace: &Workspace) -> Result<DriftReport, Error> {
    index::freshen(workspace)?;
    Ok(drift_check(workspace, &checked_for_drift(workspace)?))
}

/// Returns what is checked: facts, threads and records that hold; a card only repeats them.
pub(crate) fn checked_for_drift(workspace: &Workspace) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    index::store(workspace)?.each(&mut |item| {
        let is_meant = matches!(item.kind, Kind::Fact | Kind::Thread | Kind::Record)
            && item.status == Status::Active
            && item.category != card::CATEGORY
            && item.sensitivity != Sensitivity::Secret;
        if is_meant && !claims(&item.text).is_empty() {
            items.push(item);
        }
        true
    })?;
    Ok(items)
}

/// Judges what memories say about the repository that the workspace is in.
///
/// What was read from code is made anew from code, and is left out; so is what says that something
/// is not there. Nothing is changed.
pub fn drift_check(workspace: &Workspace, items: &[Item]) -> DriftReport {
    let evidence = Evidence::of(workspace.root());
    let mut asked: Vec<(&Item, Claim)> = Vec::new();
    let mut checked = 0;
    for item in items.iter().filter(|item| is_checked(item)) {
        checked += 1;
        let said = claims(&item.text).into_iter().filter(|claim| !claim.historic);
        asked.extend(said.map(|claim| (item, claim)));
    }
    let questions: Vec<(&Claim, Option<&str>)> =
        asked.iter().map(|(item, claim)| (claim, folder_of(item))).collect();
    let verdicts = evidence.judge(&questions);
    let mut report = DriftReport {
        checked,
        claims: asked.len(),
        past: evidence.past(),
        branch: evidence.repository.as_ref().map(|repository| repository.branch.clone()),
        findings: Vec::new(),
        items: BTreeMap::new(),
        score: DriftScore::default(),
    };
    for ((item, claim), verdict) in asked.into_iter().zip(verdicts) {
        report.items.entry(item.id.clone()).or_default().count(&verdict);
        report.score.count(&verdict);
        if matches!(verdict, Verdict::Gone { .. }) {
            let reason = reason(&claim, &verdict);
            report.findings.push(DriftFinding { id: item.id.clone(), claim, verdict, reason });
        }
    }
    report
}

fn is_checked(item: &Item) -> bool {
    item.layer != Layer::Codebase
        && item.source != Source::CodeScan
        && !item.negative
        && !is_historic(&item.title)
}

/// Returns the folder of the file that holds an item; links in it are relative to that.
fn folder_of(item: &Item) -> Option<&str> {
    item.place.as_ref()?.path.rsplit_once('/').map(|(folder, _)| folder)
}

/// Says what became of a claim.
fn reason(claim: &Claim, verdict: &Verdict) -> String {
    let Verdict::Gone { commit, when, now, certain, still_on } = verdict else {
        return String::new();
    };
    let commit = commit.as_deref().map(|id| format!(" in {}", id.get(..10).unwrap_or(id)));
    let day = when.map(|when| format!(" ({})", when.strftime("%Y-%m-%d")));
    let how = match (now, claim.kind) {
        (Some(now), ClaimKind::Path) => format!("was moved to `{now}`"),
        (Some(now), _) => format!("was renamed to `{now}`"),
        (None, ClaimKind::Path) => "was deleted".to_owned(),
        (None, ClaimKind::Symbol) => "went out of the code".to_owned(),
        (None, _) => "went out of the project's files".to_owned(),
    };
    let doubt = match (still_on, claim.kind) {
        (Some(branch), _) => format!("; branch `{branch}`, which lags behind, still has it"),
        (None, ClaimKind::Path) if !certain => {
            "; it may have meant another file of that name".to_owned()
        }
        _ => String::new(),
    };
    format!("`{claim}` {how}{}{}{doubt}", commit.unwrap_or_default(), day.unwrap_or_default())
}

/// What a repository can tell about claims.
#[derive(Debug)]
pub struct Evidence {
    /// The workspace's folder as it was named.
    named: PathBuf,
    /// The same without links.
    root: PathBuf,
    repository: Option<Repository>,
}

impl Evidence {
    /// Opens what there is around a workspace's folder.
    pub fn of(root: &Path) -> Self {
        let named = root.to_owned();
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let repository = Repository::open(&root);
        Self { named, root, repository }
    }

    /// Tells how much of the past is known.
    pub fn past(&self) -> Past {
        match &self.repository {
            None => Past::None,
            Some(repository) if repository.is_shallow => Past::CutOff,
            Some(_) => Past::Whole,
        }
    }

    /// Returns a verdict for each claim; beside each stands the folder, from the workspace's root, of
    /// the file that makes it.
    pub fn judge(&self, claims: &[(&Claim, Option<&str>)]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Unknown; claims.len()];
        let group = |is_meant: fn(ClaimKind) -> bool| -> Vec<usize> {
            (0..claims.len()).filter(|at| is_meant(claims[*at].0.kind)).collect()
        };
        let mut put = |places: Vec<usize>, found: Vec<Verdict>| {
            for (at, verdict) in places.into_iter().zip(found) {
                verdicts[at] = verdict;
            }
        };
        let places = group(|kind| kind == ClaimKind::Path);
        let found = self.judge_paths(&places.iter().map(|at| claims[*at]).collect::<Vec<_>>());
        put(places, found);
        let places = group(|kind| kind == ClaimKind::Symbol);
        let asked: Vec<&Claim> = places.iter().map(|at| claims[*at].0).collect();
        if let (Some(repository), false) = (&self.repository, asked.is_empty()) {
            put(places, symbols::judge(repository, &asked));
        }
        let places = group(|kind| matches!(kind, ClaimKind::Script(_) | ClaimKind::Dependency));
        let asked: Vec<&Claim> = places.iter().map(|at| claims[*at].0).collect();
        if !asked.is_empty() {
            let found = match &self.repository {
                Some(repository) => manifests::judge(repository, &asked),
                None => self.judge_declared(&asked),
            };
            put(places, found);
        }
        verdicts
    }

    fn judge_paths(&self, claims: &[(&Claim, Option<&str>)]) -> Vec<Verdict> {
        let asked: Vec<Option<Asked>> =
            claims.iter().map(|(claim, folder)| self.asked(&claim.text, *folder)).collect();
        let known: Vec<Asked> = asked.iter().flatten().cloned().collect();
        let on_disk = |asked: &Asked| {
            if asked.on_disk.contains(&true) { Verdict::Alive } else { Verdict::Unknown }
        };
        let found = self.repository.as_ref().map_or_else(
            || known.iter().map(on_disk).collect(),
            |repository| paths::judge(repository, &known),
        );
        let mut found = found.into_iter();
        asked
            .iter()
            .map(|asked| asked.as_ref().and_then(|_| found.next()).unwrap_or(Verdict::Unknown))
            .collect()
    }

    /// Returns what a path may mean; none where it leads out of the repository.
    fn asked(&self, text: &str, folder: Option<&str>) -> Option<Asked> {
        let prefix = self.repository.as_ref().map_or("", |repository| &repository.prefix);
        let top = self.repository.as_ref().map_or(&self.root, |repository| &repository.top);
        if text.starts_with('~') {
            return None;
        }
        let mut candidates: Vec<String> = Vec::new();
        if text.starts_with('/') {
            let below = |base: &str, folder: &Path| {
                joined(base, Path::new(text).strip_prefix(folder).ok()?.to_str()?)
            };
            candidates.extend(below(prefix, &self.named).or_else(|| below("", top)));
        } else {
            let beside = folder.map(|folder| format!("{prefix}{folder}"));
            for base in [Some(prefix.to_owned()), Some(String::new()), beside].into_iter().flatten()
            {
                candidates.extend(joined(&base, text));
            }
        }
        let mut seen = Vec::new();
        candidates.retain(|path| {
            let is_new = !path.is_empty() && !seen.contains(path);
            seen.push(path.clone());
            is_new
        });
        if candidates.is_empty() {
            return None;
        }
        let on_disk = candidates.iter().map(|path| RealFs.stat(&top.join(path)).is_ok()).collect();
        let is_whole = text.starts_with(['/', '.']);
        let ending = (!is_whole).then(|| text.trim_end_matches('/').to_owned());
        Some(Asked { candidates, ending, on_disk })
    }

    /// Without git, what the files in the workspace's root declare is all there is.
    fn judge_declared(&self, claims: &[&Claim]) -> Vec<Verdict> {
        let here = RealFs.list(&self.root).unwrap_or_default().into_iter().map(|(name, _)| name);
        let names = here.chain([manifest::ALIASES.to_owned()]);
        let declared: Vec<manifest::Declared> = names
            .filter(|name| manifest::is_manifest(name))
            .filter_map(|name| {
                let read = RealFs.read_up_to(&self.root.join(&name), LARGEST_MANIFEST);
                Some((name, String::from_utf8(read.ok()?.ok()?).ok()?))
            })
            .map(|(name, text)| manifest::read(&name, &text))
            .collect();
        let is_there = |claim: &Claim| declared.iter().any(|one| manifests::has(one, claim));
        let verdict = |claim: &&Claim| {
            if is_there(claim) { Verdict::Alive } else { Verdict::Unknown }
        };
        claims.iter().map(verdict).collect()
    }
}

/// Nobody writes a larger manifest by hand.
const LARGEST_MANIFEST: u64 = 4 * 1024 * 1024;

/// Joins a path to a folder, without `.` and `..`; none where that leads out.
fn joined(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}
