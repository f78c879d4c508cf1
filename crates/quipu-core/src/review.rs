//! Ledger + projection + policy → one plan: what fades, what comes back, what is filed, what a
//! person has to look at.
//!
//! The counts always come from the whole ledger, so an incremental review and a full rebuild are
//! the same function. What happened since the last review only tells the story.

mod step;
mod ties;

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::step::{Action, Held, Item, Selection};
use crate::archive::{self, Departure, Reason};
use crate::contradict;
use crate::doc::{Document, Fact, Form, OPEN_THREADS};
use crate::edit;
use crate::lint::{self, Finding, LintCode};
use crate::memory::{
    ARCHIVE, ARCHIVE_INDEX, CONTINUITY, Changes, Memory, MemoryError, SHARED_QUOTATION, Snapshot,
};
use crate::policy::Sessions;
use crate::reactivation::{self, Arrivals};
use crate::refresh::{self, Refreshed};
use crate::text::{self, Edit, OverlapError, counted};
use crate::tier::{self, Rule};
use crate::verify;

/// What happened since the last review. It only tells the story: the counts come from all logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Window {
    /// Sessions written since.
    pub sessions: Sessions,
    /// Facts created in them.
    pub created: Vec<String>,
    /// Facts used in them.
    pub used: Vec<String>,
}

/// What a review would do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewPlan {
    /// The day it is made for.
    pub today: String,
    /// The newest session that it takes into account.
    pub through: Option<String>,
    /// What happened since the last review.
    pub window: Window,
    /// What made it due; empty where somebody merely asked.
    pub triggers: Vec<String>,
    /// The steps, selected ones only.
    pub items: Vec<Item>,
    /// What has to wait.
    pub held: Vec<Held>,
    /// Facts that have earned core, for a person to decide.
    pub core_proposals: Vec<Held>,
    /// What else was found: contradictions, broken links.
    pub notices: Vec<Finding>,
    /// Whether it is stamped: a review of single steps leaves no summary in the ledger.
    pub is_whole: bool,
    /// The block for the session log.
    pub summary: String,
    /// New texts by path.
    #[serde(skip)]
    pub changes: Changes,
}

impl ReviewPlan {
    /// Tells whether applying it changes a byte.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// The folder cannot be understood.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Two steps claim the same bytes: a bug of ours.
    #[error("the review's own edits collide")]
    Overlap(#[from] OverlapError),
    /// The plan would lose facts: a bug of ours.
    #[error("the plan would lose {}", ids.join(", "))]
    Shrinks {
        /// The facts.
        ids: Vec<String>,
    },
    /// The result has errors that the folder did not have.
    #[error("the result would be wrong: {}", findings.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join("; "))]
    Lint {
        /// The new errors.
        findings: Vec<Finding>,
    },
}

/// Plans a review.
///
/// `in_use` are the facts that sessions still open have used: they do not leave, though no log
/// names them yet.
///
/// # Errors
/// When the plan would lose a fact or leave the folder worse than it was; both are bugs of ours.
pub fn plan(
    memory: &Memory<'_>,
    today: Date,
    selection: &Selection,
    in_use: &BTreeSet<String>,
) -> Result<ReviewPlan, ReviewError> {
    let mut review = Review::new(memory, today, selection, in_use);
    review.reactivate();
    review.depart();
    review.refresh();
    review.fill_origins();
    review.verify();
    review.index();
    review.stamp();
    let plan = review.finish()?;
    check(memory, &memory.snapshot.with(&plan.changes))?;
    Ok(plan)
}

/// Refuses a result that lost a fact, or that has errors which were not there before.
///
/// # Errors
/// See above.
pub fn check(before: &Memory<'_>, after: &Snapshot) -> Result<(), ReviewError> {
    let after = before.after(after)?;
    let kept = after.ids();
    let lost: Vec<String> =
        before.ids().into_iter().filter(|id| !kept.contains(id)).map(str::to_owned).collect();
    if !lost.is_empty() {
        return Err(ReviewError::Shrinks { ids: lost });
    }
    let known: BTreeSet<(LintCode, String)> =
        lint::errors(before).into_iter().map(|finding| (finding.code, finding.subject)).collect();
    let findings: Vec<Finding> = lint::errors(&after)
        .into_iter()
        .filter(|finding| !known.contains(&(finding.code, finding.subject.clone())))
        .collect();
    if findings.is_empty() { Ok(()) } else { Err(ReviewError::Lint { findings }) }
}

struct Review<'m, 'a> {
    memory: &'m Memory<'a>,
    today: Date,
    selection: &'m Selection,
    in_use: &'m BTreeSet<String>,
    items: Vec<Item>,
    held: Vec<Held>,
    edits: Vec<Edit>,
    arrivals: Arrivals,
    departures: Vec<Departure>,
    /// Ids that leave continuity, so that nothing else edits their blocks.
    leaving: BTreeSet<&'m str>,
    returning: Vec<&'m str>,
    /// Quarter files with facts taken out.
    quarters: BTreeMap<String, String>,
    refreshed: Vec<Refreshed>,
    invariants_due: Option<Sessions>,
    mends_index: bool,
}

impl<'m, 'a> Review<'m, 'a> {
    fn new(
        memory: &'m Memory<'a>,
        today: Date,
        selection: &'m Selection,
        in_use: &'m BTreeSet<String>,
    ) -> Self {
        Self {
            memory,
            today,
            selection,
            in_use,
            items: Vec::new(),
            held: Vec::new(),
            edits: Vec::new(),
            arrivals: Arrivals::default(),
            departures: Vec::new(),
            leaving: BTreeSet::new(),
            returning: Vec::new(),
            quarters: BTreeMap::new(),
            refreshed: Vec::new(),
            invariants_due: None,
            mends_index: false,
        }
    }

    fn document(&self) -> &'m Document<'a> {
        &self.memory.continuity
    }

    /// Notes a step; returns whether it was selected.
    fn take(&mut self, action: Action, id: &str, why: String) -> bool {
        let taken = self.selection.takes(action, id);
        if taken {
            self.items.push(Item { action, id: id.to_owned(), why });
        }
        taken
    }

    fn hold(&mut self, id: &str, why: impl Into<String>) {
        self.held.push(Held { id: id.to_owned(), why: why.into() });
    }

    /// Brings back archived facts that the ledger names again.
    fn reactivate(&mut self) {
        let window = self.memory.policy.archive_window;
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        for (id, (_, fact)) in self.memory.archived() {
            let Some(usage) = self.memory.ledger.usage(id) else {
                continue;
            };
            // What a person forgot comes back when a person says so.
            let is_away = fact.footer.is_superseded() || fact.footer.is_held_by_human();
            if is_away || usage.since > window {
                continue;
            }
            if let Some(why) = self.memory.cannot_return(id) {
                self.hold(id, format!("it is {why}"));
            } else if self.document().unclosed_fence.is_some() {
                self.hold(id, "a code fence in continuity.md never closes: close it first");
            } else {
                let why = format!(
                    "used {} ago (archive_window {window})",
                    counted(usage.since, "session")
                );
                if self.take(Action::Reactivate, id, why) {
                    wanted.insert(fact.id());
                }
            }
        }
        for file in &self.memory.archive {
            let (facts, ids) =
                reactivation::come_back(&file.document, |fact| wanted.contains(fact.id()));
            for fact in &facts {
                let block = reactivation::returned_block(self.memory, &file.document, fact, false);
                let home = reactivation::home_section(&file.document, fact);
                self.arrivals.add(home, block);
            }
            if !facts.is_empty() {
                let path = format!("{ARCHIVE}{}", file.name);
                self.quarters.insert(path, reactivation::remove(&file.document, &facts));
                self.returning.extend(ids);
            }
        }
    }

    /// Finds what leaves: superseded facts at once, faded ones and done threads past the window.
    fn depart(&mut self) {
        let memory = self.memory;
        let mut candidates: Vec<(&'m Fact, Reason, String)> = Vec::new();
        for fact in self.document().distinct_facts() {
            if self.in_use.contains(fact.id()) && !fact.footer.is_superseded() {
                continue;
            }
            match departure_reason(memory, fact) {
                Leaves::Stays => {}
                Leaves::Held(why) => self.hold(fact.id(), why),
                Leaves::Goes(reason, words) => candidates.push((fact, reason, words)),
            }
        }
        let archived = memory.archived();
        candidates.retain(|(fact, reason, words)| {
            let action = match reason {
                Reason::Superseded => Action::File,
                Reason::Faded | Reason::Forgotten | Reason::Unshared => Action::Archive,
                Reason::Swept => Action::Sweep,
            };
            if self.document().copies(fact.id()) > 1 {
                self.hold(
                    fact.id(),
                    "its id occurs twice in continuity.md: give one of them another id",
                );
                return false;
            }
            if memory.shares_a_quotation(self.document(), fact) {
                self.hold(fact.id(), format!("it is {SHARED_QUOTATION}"));
                return false;
            }
            if archived.contains_key(fact.id()) {
                self.hold(fact.id(), "it is in the archive already: delete one by hand");
                return false;
            }
            self.take(action, fact.id(), words.clone())
        });
        let held = ties::hold_tied(self.document(), &mut candidates);
        self.items.retain(|item| !held.contains_key(item.id.as_str()));
        let mut held: Vec<(&str, (usize, String))> = held.into_iter().collect();
        held.sort_by_key(|(_, (order, _))| *order);
        for (id, (_, why)) in held {
            self.hold(id, why);
        }
        self.leaving.extend(candidates.iter().map(|(fact, ..)| fact.id()));
        let (edits, departures) =
            archive::depart(self.document(), &candidates, &|id| memory.ledger.origin(id));
        self.edits.extend(edits);
        self.departures = departures;
    }

    fn refresh(&mut self) {
        for refreshed in refresh::refresh(self.memory) {
            if self.leaving.contains(refreshed.id.as_str()) {
                continue;
            }
            let why = refreshed.words();
            if self.take(Action::Refresh, &refreshed.id, why) {
                self.edits.extend(refreshed.edits.iter().cloned());
                self.refreshed.push(refreshed);
            }
        }
    }

    fn fill_origins(&mut self) {
        for fact in &self.document().facts {
            if fact.footer.get("origin").is_some()
                || fact.form == Form::Quoted
                || self.leaving.contains(fact.id())
            {
                continue;
            }
            let Some(origin) = self.memory.ledger.origin(fact.id()) else {
                continue;
            };
            let source = self.document().source;
            if self.take(Action::Origin, fact.id(), format!("created in {origin}"))
                && let Some(edit) = edit::set_field(source, &fact.footer, "origin", origin)
            {
                self.edits.push(edit);
            }
        }
    }

    /// Raises one thread that lists the invariants, when they are due for confirmation.
    fn verify(&mut self) {
        let due = verify::invariant_check(self.memory);
        let cannot_add = self.document().unclosed_fence.is_some();
        if !due.is_due || due.open_thread.is_some() || due.ids.is_empty() || cannot_add {
            return;
        }
        let id = format!("ot-reverify-invariants-{}", self.today.strftime("%Y%m%d"));
        if self.memory.knows(&id) {
            return;
        }
        let why =
            format!("{} since a person confirmed the invariants", counted(due.since, "session"));
        if self.take(Action::Verify, &id, why) {
            self.invariants_due = Some(due.since);
            let block = verify::thread(&id, self.today, &due.ids);
            self.arrivals.add(OPEN_THREADS, block);
        }
    }

    fn stamp(&mut self) {
        let Some(edit) = edit::set_state(self.document(), "last_review", &self.stamp_value())
        else {
            return;
        };
        if self.take(Action::Stamp, "last_review", self.stamp_value()) {
            self.edits.push(edit);
        }
    }

    fn stamp_value(&self) -> String {
        self.memory.ledger.stamp_value(self.today)
    }

    /// Notes that the index of the archive will be made again, where it does not agree with the archive.
    fn index(&mut self) {
        let faults = archive::index_faults(self.memory);
        if !faults.is_empty() {
            let (missing, returned) = (faults.missing.len(), faults.returned.len());
            let why =
                format!("it lacks {missing} archived facts and lists {returned} that came back");
            self.mends_index = self.take(Action::Index, "archive-index", why);
        }
    }

    fn finish(self) -> Result<ReviewPlan, ReviewError> {
        let memory = self.memory;
        let mut changes = Changes::new();
        let continuity = text::apply(self.document().source, &self.edits)?;
        let continuity = self.arrivals.settle(&edit::tidy_end(self.document().source, continuity));
        if continuity != self.document().source {
            changes.insert(CONTINUITY.to_owned(), Some(continuity));
        }
        changes.extend(archive::changes(
            memory.snapshot,
            self.today,
            &self.departures,
            &self.returning,
            self.quarters.clone(),
        ));
        if self.mends_index {
            let after = memory.snapshot.with(&changes);
            let index = archive::mended_index(&memory.after(&after)?);
            changes.extend(index.map(|index| (ARCHIVE_INDEX.to_owned(), Some(index))));
        }
        let mut items = self.items.clone();
        items.sort_by_key(|item| item.action);
        Ok(ReviewPlan {
            today: self.today.to_string(),
            through: memory.ledger.logs.last().map(|log| log.stem.to_owned()),
            window: window(memory),
            triggers: triggers(memory),
            is_whole: self.selection.takes(Action::Stamp, "last_review"),
            summary: self.summary(),
            core_proposals: core_proposals(memory),
            notices: notices(memory),
            items,
            held: self.held,
            changes,
        })
    }

    fn summary(&self) -> String {
        let of = |action| {
            self.items.iter().filter(move |item| item.action == action).collect::<Vec<&Item>>()
        };
        let listed = |items: &[&Item]| {
            let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
            if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) }
        };
        let through = match self.memory.ledger.logs.last() {
            Some(log) => format!(", through {}", log.stem),
            None => String::new(),
        };
        let mut lines = vec![format!("## Memory Review ({}{through})", self.today), String::new()];
        for (label, action) in [
            ("Reactivated", Action::Reactivate),
            ("Superseded filed", Action::File),
            ("Archived", Action::Archive),
            ("Swept threads", Action::Sweep),
        ] {
            let items = of(action);
            lines.push(format!("- {label}: {}{}", items.len(), listed(&items)));
        }
        let moves = tier_moves(&self.refreshed);
        let count: usize = moves.values().sum();
        let words: Vec<String> = moves.iter().map(|(move_, n)| format!("{n} {move_}")).collect();
        let words =
            if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
        lines.push(format!("- Tier changes: {count}{words}"));
        let invariants = match self.invariants_due {
            Some(since) => format!("due ({since} sessions), thread raised"),
            None => "not due".to_owned(),
        };
        lines.push(format!("- Invariants: {invariants}"));
        lines.join("\n") + "\n"
    }
}

fn tier_moves(refreshed: &[Refreshed]) -> BTreeMap<String, usize> {
    let mut moves = BTreeMap::new();
    for change in refreshed.iter().filter(|change| change.changes_tier()) {
        *moves.entry(change.tier_move()).or_insert(0) += 1;
    }
    moves
}

/// Whether a fact leaves continuity.
enum Leaves {
    Stays,
    Held(&'static str),
    Goes(Reason, String),
}

fn departure_reason(memory: &Memory<'_>, fact: &Fact) -> Leaves {
    let rule = memory.rule(fact);
    let is_open = memory.continuity.is_pinned(fact);
    let window = memory.policy.archive_window;
    let reason = match rule {
        Rule::Superseded if fact.footer.is_core() => {
            return Leaves::Held("it is core and has a successor: a person decides which holds");
        }
        Rule::Superseded if is_open => {
            return Leaves::Held("it is an open thread: close it first (`quipu thread close`)");
        }
        Rule::Superseded => {
            let words = fact.footer.superseded_by().map_or_else(
                || "superseded".to_owned(),
                |successor| format!("superseded by {successor}"),
            );
            Some((Reason::Superseded, words))
        }
        Rule::Faded => {
            let since = memory.ledger.usage(fact.id()).map_or(Sessions(0), |usage| usage.since);
            let reason = if fact.form == Form::DoneThread { Reason::Swept } else { Reason::Faded };
            let words =
                format!("{} ({since} sessions unused, archive_window {window})", reason.as_str());
            Some((reason, words))
        }
        // No session names the thread: its age decides.
        Rule::NeverReferenced if fact.form == Form::DoneThread => {
            memory.case(fact).age.filter(|age| *age > window).map(|age| {
                (Reason::Swept, format!("swept ({age} sessions old, archive_window {window})"))
            })
        }
        _ => None,
    };
    match reason {
        None => Leaves::Stays,
        Some(_) if fact.form == Form::Quoted => Leaves::Held("its footer is quoted as code"),
        Some((reason, words)) => Leaves::Goes(reason, words),
    }
}

/// Returns what happened since the last review.
fn window(memory: &Memory<'_>) -> Window {
    let since = lint::stamp(&memory.continuity, "last_review").unwrap_or_default();
    let known = memory.ids();
    let (mut created, mut used) = (BTreeSet::new(), BTreeSet::new());
    for log in memory.ledger.logs.iter().filter(|log| log.stem > since) {
        created.extend(log.created.iter().filter(|id| known.contains(**id)));
        used.extend(log.tokens.iter().filter(|id| known.contains(**id)));
    }
    let owned = |ids: BTreeSet<&&str>| ids.into_iter().map(|id| (*id).to_owned()).collect();
    let sessions = lint::sessions_since_review(memory);
    Window { sessions, created: owned(created), used: owned(used) }
}

/// Returns what makes a review due.
pub fn triggers(memory: &Memory<'_>) -> Vec<String> {
    lint::health(memory).into_iter().map(|finding| finding.message).collect()
}

/// Returns the facts that were active in enough reviews in a row to be proposed for core.
///
/// The reviews are those that left a summary in the ledger; the tier at each follows from the logs
/// up to it.
/// Returns the facts that are used so much that they may belong to the core, where the policy wants to know.
pub fn core_proposals(memory: &Memory<'_>) -> Vec<Held> {
    let policy = memory.policy;
    if !policy.auto_core {
        return Vec::new();
    }
    let reviews: Vec<usize> = (memory.ledger.logs.iter().enumerate())
        .filter(|(_, log)| log.has_review)
        .map(|(index, _)| index + 1)
        .collect();
    let mut proposals = Vec::new();
    for fact in memory.continuity.distinct_facts() {
        let Some(usage) = memory.ledger.usage(fact.id()) else {
            continue;
        };
        if !memory.decays(fact) || fact.is_thread() || usage.uses < policy.core_min_uses as usize {
            continue;
        }
        let active_at = |sessions: &&usize| {
            tier::rule(&memory.case_at(fact, **sessions), &policy) == Rule::InUse
        };
        let in_a_row = reviews.iter().rev().take_while(active_at).count();
        if in_a_row >= policy.core_min_reviews as usize {
            let why = format!(
                "{} uses and active in the last {in_a_row} reviews; `quipu fact core {}` makes it permanent",
                usage.uses,
                fact.id()
            );
            proposals.push(Held { id: fact.id().to_owned(), why });
        }
    }
    proposals
}

/// Returns what a review meets on its way: broken links, and new facts that contradict others.
fn notices(memory: &Memory<'_>) -> Vec<Finding> {
    let mut notices = lint::integrity(memory);
    notices.extend(contradict::among_new(memory));
    notices
}
