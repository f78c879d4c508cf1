//! The use cases on facts, threads and reviews: read, plan, apply, and record for the session log.

use std::borrow::Cow;

use quipu_core::archive;
use quipu_core::contradict::{self, Candidate, Checked, Near};
use quipu_core::fact::Tier;
use quipu_core::facts::{self, NewFact, NewWords, Outcome};
use quipu_core::lint::{self, Finding, Waivers};
use quipu_core::memory::{ARCHIVE_INDEX, CONTINUITY, Changes, Memory, MemoryError, Snapshot};
use quipu_core::refresh::{self, Refreshed};
use quipu_core::review::{self, ReviewPlan, Selection};
use quipu_core::secret::{self, OnSecret, Scope};
use quipu_core::session::{Event, Events};
use quipu_core::{text, verify};

use crate::error::Error;
use crate::git;
use crate::journal;
use crate::operation::Request;
use crate::parallel;
use crate::secret_policy::guarded_words;
use crate::sessions;
use crate::workspace::{Diff, Workspace};

/// Fewer characters are no beginning of an id.
const SHORTEST_PREFIX: usize = 4;

/// What to do about facts that a new one may contradict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The fact that the new one replaces.
    pub supersedes: Option<String>,
    /// Raise a `Contradiction:` thread that names them.
    pub raise: bool,
    /// They agree; core facts excepted.
    pub agree: bool,
    /// The caller knows that a core fact is concerned, and goes on.
    pub confirm_core: bool,
}

/// What became of a new fact.
#[derive(Debug)]
pub enum Added {
    /// It was written.
    Written {
        /// Its id.
        id: String,
        /// Whether its section was made for it.
        is_new_section: bool,
        /// The thread that was raised about contradictions.
        thread: Option<String>,
        /// What it may contradict all the same.
        candidates: Vec<Candidate>,
        /// What is known that is near to it.
        nearest: Vec<Near>,
    },
    /// A live fact says the same in the same words.
    AlreadyThere {
        /// That fact.
        id: String,
    },
    /// It was not written: the caller has to choose first.
    Undecided {
        /// What it may contradict, likeliest first.
        candidates: Vec<Candidate>,
        /// What is known that is near to it, the archive included.
        nearest: Vec<Near>,
    },
}

/// What became of new words for a fact.
#[derive(Debug)]
pub enum Reworded {
    /// They were written.
    Written {
        /// What is known that is near to them.
        nearest: Vec<Near>,
    },
    /// They were not written: they turn around what the fact said, or may contradict another one.
    Undecided {
        /// What they may contradict, likeliest first.
        candidates: Vec<Candidate>,
        /// What is known that is near to them.
        nearest: Vec<Near>,
    },
}

/// Compares words with the live facts and the archive.
fn checked(memory: &Memory<'_>, text: &str) -> Checked {
    let archived = memory.archived().into_iter().filter(|(id, (_, fact))| {
        !fact.footer.is_superseded() && memory.continuity.fact(id).is_none()
    });
    let archived = archived.map(|(id, (file, fact))| (id, file.document.words(fact)));
    contradict::check(&memory.continuity, archived, text)
}

/// Carries out an operation on facts and records its events.
///
/// # Errors
/// When the operation is refused or a step fails; then nothing has changed.
pub fn edit_facts<T>(
    workspace: &Workspace,
    request: &Request<'_>,
    operate: impl FnOnce(&Memory<'_>) -> Result<(T, Outcome), Error>,
) -> Result<(T, Diff), Error> {
    workspace.change(request.operation, request.now, request.dry_run, |memory| {
        let (result, outcome) = operate(memory)?;
        let mut changes = outcome.changes;
        if !outcome.events.0.is_empty() {
            let events = outcome.events.0;
            changes.extend(sessions::recorded(workspace, request.session, |session| {
                session.events.0.extend(events);
            })?);
        }
        Ok((result, changes))
    })
}

/// Writes a new fact or thread, unless it may contradict others and the caller has not chosen.
///
/// # Errors
/// When the fact is refused or a step fails.
pub fn add_fact(
    workspace: &Workspace,
    new: &NewFact,
    choice: &Choice,
    request: &Request<'_>,
) -> Result<(Added, Diff), Error> {
    let (text, allow_secret) = admitted(workspace, &new.text, new.allow_secret);
    let new = &NewFact { text: text.into_owned(), allow_secret, ..new.clone() };
    edit_facts(workspace, request, |memory| {
        let Checked { same, stops: mut candidates, mut nearest } =
            if new.is_thread { Checked::default() } else { checked(memory, &new.text) };
        if let Some(id) = same.filter(|_| choice.supersedes.is_none()) {
            return Ok((Added::AlreadyThere { id }, Outcome::default()));
        }
        if let Some(old) = &choice.supersedes {
            facts::refuse_permanent(memory, facts::live(memory, old)?, choice.confirm_core)?;
            candidates.retain(|candidate| candidate.id != *old);
            nearest.retain(|near| near.id != *old);
        }
        let open = |candidate: &&Candidate| {
            if candidate.is_core { !choice.confirm_core } else { !choice.agree && !choice.raise }
        };
        if !new.is_thread && candidates.iter().any(|candidate| open(&candidate)) {
            return Ok((Added::Undecided { candidates, nearest }, Outcome::default()));
        }
        let is_new_section =
            new.section.as_ref().is_some_and(|title| memory.continuity.section(title).is_none());
        let (id, mut outcome) = facts::add(memory, new, request.today)?;
        if let Some(old) = &choice.supersedes {
            let snapshot = memory.snapshot.with(&outcome.changes);
            outcome = outcome.then(facts::supersede(&snapshot.parse()?, old, Some(&id), true)?);
        }
        let mut thread = None;
        if choice.raise && !candidates.is_empty() {
            let others: Vec<String> =
                candidates.iter().map(|candidate| format!("`{}`", candidate.id)).collect();
            let question = NewFact {
                text: format!("Contradiction: `{id}` and {}: which holds?", others.join(", ")),
                section: None,
                id: Some(format!("ot-contradiction-{id}")),
                is_thread: true,
                allow_secret: true,
            };
            let snapshot = memory.snapshot.with(&outcome.changes);
            let (raised, more) = facts::add(&snapshot.parse()?, &question, request.today)?;
            thread = Some(raised);
            outcome = outcome.then(more);
        }
        Ok((Added::Written { id, is_new_section, thread, candidates, nearest }, outcome))
    })
}

/// Returns the id of a fact in full, where only one begins so; any other as it is, for those who know what is
/// missing.
pub fn full_id(workspace: &Workspace, given: &str) -> String {
    let full = |snapshot: &Snapshot| {
        let memory = snapshot.parse().ok()?;
        let ids = memory.ids();
        if ids.contains(given) || given.chars().count() < SHORTEST_PREFIX {
            return None;
        }
        let mut found = ids.into_iter().filter(|id| id.starts_with(given));
        let first = found.next()?.to_owned();
        found.next().is_none().then_some(first)
    };
    let snapshot = workspace.read().ok();
    snapshot.as_ref().and_then(full).unwrap_or_else(|| given.to_owned())
}

/// Returns the ids of facts in full.
pub fn full_ids(workspace: &Workspace, given: &[String]) -> Vec<String> {
    given.iter().map(|id| full_id(workspace, id)).collect()
}

/// Marks a fact as superseded.
///
/// # Errors
/// When it is no live fact.
pub fn supersede(
    workspace: &Workspace,
    old: &str,
    new: Option<&str>,
    confirmed: bool,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    simple(workspace, request, |memory| facts::supersede(memory, old, new, confirmed))
}

/// Makes a fact permanent.
///
/// # Errors
/// When it is no live fact.
pub fn make_core(workspace: &Workspace, id: &str, request: &Request<'_>) -> Result<Diff, Error> {
    simple(workspace, request, |memory| facts::make_core(memory, id))
}

/// Sets a tier by a person's word, or with `None` gives the decision back to the rules.
///
/// # Errors
/// When it is no live fact, or no tier to set by hand.
pub fn set_tier(
    workspace: &Workspace,
    id: &str,
    tier: Option<Tier>,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    simple(workspace, request, |memory| facts::set_tier(memory, id, tier))
}

/// Moves facts to the archive.
///
/// # Errors
/// When one must not go there.
pub fn archive(
    workspace: &Workspace,
    ids: &[String],
    request: &Request<'_>,
) -> Result<Diff, Error> {
    simple(workspace, request, |memory| facts::archive(memory, ids, request.today))
}

/// Forgets facts. For a person they move to the archive whatever protects them, for an agent only where the
/// rules allow it.
///
/// # Errors
/// When one must not go there.
pub fn forget(workspace: &Workspace, ids: &[String], request: &Request<'_>) -> Result<Diff, Error> {
    if !request.caller.is_person() {
        return archive(workspace, ids, request);
    }
    simple(workspace, request, |memory| facts::forget(memory, ids, request.today))
}

/// Moves a fact that becomes private again to the archive.
///
/// # Errors
/// When it must not go there.
pub fn unshare(workspace: &Workspace, id: &str, request: &Request<'_>) -> Result<Diff, Error> {
    let is_person = request.caller.is_person();
    simple(workspace, request, |memory| facts::unshare(memory, id, is_person, request.today))
}

/// Brings facts back from the archive.
///
/// # Errors
/// When one is not there, or was superseded.
pub fn reactivate(
    workspace: &Workspace,
    ids: &[String],
    request: &Request<'_>,
) -> Result<Diff, Error> {
    simple(workspace, request, |memory| facts::reactivate(memory, ids, request.today))
}

/// Records that a fact was of use.
///
/// # Errors
/// When there is no such fact.
pub fn note_use(workspace: &Workspace, id: &str, request: &Request<'_>) -> Result<Diff, Error> {
    simple(workspace, request, |memory| {
        facts::find(memory, id)?;
        let events = Events(vec![Event::Referenced { id: id.to_owned() }]);
        Ok(Outcome { events, ..Outcome::default() })
    })
}

/// Closes a thread, or opens it again.
///
/// # Errors
/// When it is no live thread.
pub fn set_done(
    workspace: &Workspace,
    id: &str,
    done: bool,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    simple(workspace, request, |memory| facts::set_done(memory, id, done))
}

/// Replaces a fact's words, unless they turn around what it said or may contradict another fact, and the
/// caller does not say that they agree.
///
/// # Errors
/// When it is no live fact, or the words cannot stand in the file.
pub fn reword(
    workspace: &Workspace,
    id: &str,
    words: &NewWords<'_>,
    agree: bool,
    request: &Request<'_>,
) -> Result<(Reworded, Diff), Error> {
    let (text, allow_secret) = admitted(workspace, words.text, words.allow_secret);
    let words = &NewWords { text: &text, allow_secret, ..*words };
    edit_facts(workspace, request, |memory| {
        let outcome = facts::rewrite(memory, id, words)?;
        let fact = facts::live(memory, id)?;
        if fact.is_thread() || outcome.changes.is_empty() {
            return Ok((Reworded::Written { nearest: Vec::new() }, outcome));
        }
        let Checked { stops: mut candidates, mut nearest, .. } = checked(memory, words.text);
        candidates.retain(|candidate| candidate.id != id);
        nearest.retain(|near| near.id != id);
        let before = memory.continuity.words(fact);
        if let Some(why) = contradict::conflict(&before, words.text) {
            let itself = Candidate {
                id: id.to_owned(),
                text: before,
                is_core: false,
                score: 1.0,
                reasons: vec!["the new words change what it says".to_owned(), why],
            };
            candidates.insert(0, itself);
        }
        let is_open = |candidate: &Candidate| {
            if candidate.is_core { !words.confirmed } else { !agree }
        };
        if candidates.iter().any(is_open) {
            return Ok((Reworded::Undecided { candidates, nearest }, Outcome::default()));
        }
        Ok((Reworded::Written { nearest }, outcome))
    })
}

/// Returns the words of a fact as `guard.secrets` lets them in, and whether they are looked at no
/// more; what it refuses, the fact's own check refuses.
fn admitted<'w>(workspace: &Workspace, words: &'w str, allow_secret: bool) -> (Cow<'w, str>, bool) {
    let policy = if allow_secret { OnSecret::Allow } else { workspace.config().guard.on_said() };
    let admitted = secret::admitted(policy, words, Scope::Memory);
    (admitted.unwrap_or(Cow::Borrowed(words)), policy == OnSecret::Allow)
}

/// Records that a person confirmed invariants.
///
/// # Errors
/// When an id is not among those to confirm.
pub fn confirm(
    workspace: &Workspace,
    ids: &[String],
    by: &str,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    request.caller.must_be_person("confirm invariants")?;
    let by = &*guarded_words(workspace.config(), by)?;
    simple(workspace, request, |memory| verify::confirm(memory, ids, by, request.today))
}

fn simple(
    workspace: &Workspace,
    request: &Request<'_>,
    operate: impl FnOnce(&Memory<'_>) -> Result<Outcome, facts::FactError>,
) -> Result<Diff, Error> {
    let ((), diff) = edit_facts(workspace, request, |memory| Ok(((), operate(memory)?)))?;
    Ok(diff)
}

/// Brings the derived fields of every footer up to date.
///
/// # Errors
/// When a file cannot be read or written.
pub fn refresh(
    workspace: &Workspace,
    request: &Request<'_>,
) -> Result<(Vec<Refreshed>, Diff), Error> {
    workspace.change(request.operation, request.now, request.dry_run, |memory| {
        let refreshed = refresh::refresh(memory);
        let edits: Vec<text::Edit> =
            refreshed.iter().flat_map(|change| change.edits.iter().cloned()).collect();
        let text =
            text::apply(memory.continuity.source, &edits).map_err(review::ReviewError::from)?;
        let mut changes = Changes::from([(CONTINUITY.to_owned(), Some(text))]);
        // The index of the archive is derived too.
        let index = archive::mended_index(memory);
        changes.extend(index.map(|index| (ARCHIVE_INDEX.to_owned(), Some(index))));
        Ok((refreshed, changes))
    })
}

/// Brings the projection up to date with the ledger.
///
/// # Errors
/// When the plan would do harm, or a step fails.
pub fn review(
    workspace: &Workspace,
    selection: &Selection,
    request: &Request<'_>,
) -> Result<(ReviewPlan, Diff), Error> {
    workspace.change(request.operation, request.now, request.dry_run, |memory| {
        let plan =
            review::plan(memory, request.today, selection, &sessions::ids_in_use(workspace)?)?;
        let mut changes = plan.changes.clone();
        if !changes.is_empty() && plan.is_whole {
            let summary = plan.summary.clone();
            changes.extend(sessions::recorded(workspace, request.session, |session| {
                session.reviews.push(summary);
            })?);
        }
        Ok((plan, changes))
    })
}

/// Returns what is wrong with the memory.
///
/// `history` asks git for every change that a commit ever made to a session log.
///
/// # Errors
/// When a file cannot be read or the policy makes no sense.
pub fn lint(workspace: &Workspace, history: bool) -> Result<Linted, Error> {
    let snapshot = workspace.read()?;
    let waivers = Waivers(workspace.config().lint.allow.clone());
    let memory = match snapshot.parse() {
        // A profile that has a journal and nothing else.
        Err(MemoryError::NoContinuity) if journal::has_journal(workspace) => {
            let mut findings = journal::broken_records(workspace)?;
            lint::settle(&mut findings, &waivers);
            return Ok(Linted { findings, ..Linted::default() });
        }
        parsed => parsed?,
    };
    let files: Vec<(String, &str)> = lint::memory_files(&snapshot).collect();
    let secrets =
        parallel::map(&files, |(path, source)| lint::secret_findings(path, source, Scope::Memory));
    let mut findings = lint::structure(&memory);
    findings.extend(secrets.into_iter().flatten());
    findings.extend(lint::uncounted(&memory, &sessions::ids_in_use(workspace)?));
    findings.extend(git::changed_logs(workspace.root(), &snapshot));
    let staged = git::staged_logs(workspace.root());
    let is_new =
        |new: &Finding| !findings.iter().any(|old| (old.code, &old.path) == (new.code, &new.path));
    let staged: Vec<Finding> = staged.into_iter().filter(is_new).collect();
    findings.extend(staged);
    findings.extend(journal::broken_records(workspace)?);
    findings.extend(journal::tracked_findings(workspace));
    if history {
        findings.extend(git::rewritten_logs(workspace.root()));
    }
    lint::settle(&mut findings, &waivers);
    Ok(Linted {
        facts: memory.continuity.distinct_facts().len(),
        archived: memory.archived().len(),
        sessions: memory.ledger.len(),
        policy: memory.policy,
        findings,
    })
}

/// The findings of a lint, and what it looked at.
#[derive(Debug, Default)]
pub struct Linted {
    /// Facts in continuity.
    pub facts: usize,
    /// Facts in the archive.
    pub archived: usize,
    /// Session logs.
    pub sessions: usize,
    /// The policy in force.
    pub policy: quipu_core::policy::Policy,
    /// What is wrong, errors first.
    pub findings: Vec<Finding>,
}

impl Linted {
    /// Returns how many findings are errors.
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|f| f.severity == lint::Severity::Error).count()
    }

    /// Returns how many findings are warnings.
    pub fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}
