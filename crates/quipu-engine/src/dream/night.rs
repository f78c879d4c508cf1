//! The memory as a dream sees it: one look at everything, and what was planned since.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use quipu_core::item::{Decision, Event, Item, Sensitivity, Source, Status};
use quipu_core::journal::{self, Record};
use quipu_core::lifecycle::{self, Usage};
use quipu_core::question::{self, Question, QuestionKind};
use quipu_core::terms;

use super::plan::{Action, Step, look};
use crate::error::Error;
use crate::index;
use crate::numbers;
use crate::records::to_milliseconds;
use crate::workspace::Workspace;

/// What dreams are filed under: no item has such an id.
pub(crate) const FILED: &str = "dream:";

/// Hears how far a step is, and says whether to go on.
pub type Progress<'p> = &'p mut dyn FnMut(&str, usize, usize) -> bool;

/// Everything at one moment.
pub(super) struct Night<'w> {
    pub(super) workspace: &'w Workspace,
    pub(super) now: Timestamp,
    pub(super) run: String,
    session: String,
    /// Every item without its words, in order of id.
    pub(super) items: Vec<Item>,
    places: HashMap<String, usize>,
    uses: HashMap<String, Vec<Timestamp>>,
    /// The memories that a dream merged, by what they became part of in the end, oldest first.
    parts: HashMap<String, Vec<usize>>,
    /// What the plan so far takes out of sight.
    pub(super) gone: HashSet<usize>,
    /// What the plan so far adds.
    pub(super) made: Vec<Item>,
    asked: HashSet<String>,
    /// Questions that somebody answered.
    settled: HashSet<String>,
    open: BTreeMap<QuestionKind, usize>,
    /// How many wait in all, however long.
    waiting: BTreeMap<QuestionKind, usize>,
    written: u64,
    pub(super) actions: Vec<Action>,
    /// How often in a row the judge failed.
    pub(super) judge_failed: Cell<usize>,
    /// What could not be done, and why.
    pub(super) notes: RefCell<Vec<String>>,
}

impl<'w> Night<'w> {
    /// Looks at everything.
    pub(super) fn look(workspace: &'w Workspace, now: Timestamp) -> Result<Self, Error> {
        // As the record that says so.
        let now = to_milliseconds(now);
        let mut items = Vec::new();
        index::store(workspace)?.each(&mut |mut item| {
            // Words are read again where they are needed.
            item.text = String::new();
            item.title = String::new();
            item.notes = Vec::new();
            items.push(item);
            true
        })?;
        // Ids are random; what a dream does must not depend on them.
        items.sort_by(|a: &Item, b: &Item| (a.time, &a.id).cmp(&(b.time, &b.id)));
        let places: HashMap<String, usize> =
            items.iter().enumerate().map(|(at, item)| (item.id.clone(), at)).collect();
        let mut uses = numbers::all_uses(workspace)?;
        let parts = parts(&items, &places);
        for (whole, parts) in &parts {
            let of_parts = parts.iter().filter_map(|at| uses.get(&items[*at].id).cloned());
            let mut all: Vec<Timestamp> = of_parts.flatten().collect();
            all.extend(uses.remove(whole).unwrap_or_default());
            all.sort();
            uses.insert(whole.clone(), all);
        }
        let runs = index::store(workspace)?.filed_under(FILED)?.len();
        let run = format!("dream-{}-{}", now.strftime("%Y-%m-%dT%H%M%SZ"), runs + 1);
        let session = workspace.day(now).to_string();
        let mut night = Self {
            workspace,
            now,
            run,
            session,
            items,
            places,
            uses,
            parts,
            gone: HashSet::new(),
            made: Vec::new(),
            asked: HashSet::new(),
            settled: HashSet::new(),
            open: BTreeMap::new(),
            waiting: BTreeMap::new(),
            written: 0,
            actions: Vec::new(),
            judge_failed: Cell::new(0),
            notes: RefCell::new(Vec::new()),
        };
        for asked in question::queue(&index::store(workspace)?.filed_under(question::FILED)?) {
            let find = |id: &str| night.place(id).map(|at| night.items[at].clone());
            let kind = asked.question.kind;
            if asked.answer.is_none() {
                // One that answered itself takes nobody's place, nor one that nobody cares to answer.
                let is_doubt = kind == QuestionKind::Contradiction
                    && asked
                        .question
                        .subjects
                        .first()
                        .and_then(|id| find(id))
                        .is_some_and(|item| item.status == Status::Challenged);
                let waits = asked.question.waits(&find) && !is_doubt;
                let is_fresh = now.duration_since(asked.at).as_hours() < 24 * PATIENCE_DAYS;
                let counts = waits && (is_fresh || most_open(kind) == MOST_OPEN);
                *night.open.entry(kind).or_default() += usize::from(counts);
                *night.waiting.entry(kind).or_default() += usize::from(waits);
            } else {
                night.settled.insert(asked.id.clone());
            }
            night.asked.insert(asked.id);
        }
        Ok(night)
    }

    /// Returns where an item is.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Tells whether an item still holds, by the plan so far.
    pub(super) fn holds(&self, at: usize) -> bool {
        self.items[at].status == Status::Active && !self.gone.contains(&at)
    }

    /// Tells whether the engine may change an item: it is no file's, and nobody pinned it.
    pub(super) fn may_change(&self, at: usize) -> bool {
        let item = &self.items[at];
        !item.is_owned_by_a_file() && !item.pinned && self.holds(at)
    }

    /// Returns what a dream merged into an item, directly or by way of others, oldest first.
    pub(super) fn parts(&self, id: &str) -> &[usize] {
        self.parts.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns the merged memory that an item is part of, where that one may still change.
    pub(super) fn whole(&self, at: usize) -> Option<usize> {
        let whole = self.place(&whole_of(&self.items, &self.places, at)?)?;
        let is_ours = self.items[whole].source == Source::Dream;
        (is_ours && self.may_change(whole)).then_some(whole)
    }

    /// Returns when a dream made an item: its own time is that of what it tells.
    pub(super) fn made_at(&self, at: usize) -> Result<Timestamp, Error> {
        let item = &self.items[at];
        let events = index::store(self.workspace)?.events(&item.id)?;
        Ok(events.first().map_or(item.time, |event| event.at))
    }

    /// Returns how an item was used; the uses of its parts are its own.
    pub(super) fn usage(&self, item: &Item) -> Usage {
        Usage::of(item, self.uses.get(&item.id).cloned().unwrap_or_default())
    }

    /// Returns how much of an item is left, and how important it is.
    pub(super) fn numbers(&self, item: &Item, usage: &Usage) -> (f64, f64) {
        let settings = &self.workspace.config().lifecycle;
        let retention = lifecycle::retention(item, usage, self.now, settings).value;
        (retention, lifecycle::importance(item, usage, self.now, settings).value)
    }

    /// Tells whether an item has its status from a dream, and not from a person.
    pub(super) fn was_last_judged_by_a_dream(&self, item: &Item) -> Result<bool, Error> {
        let events = index::store(self.workspace)?.events(&item.id)?;
        let standing = journal::standing(&events);
        let is_status = |event: &&&Event| matches!(event.decision, Some(Decision::Status { .. }));
        Ok(standing.iter().rfind(is_status).is_some_and(|event| event.actor == "dream"))
    }

    /// Returns an item with its words.
    pub(super) fn read(&self, at: usize) -> Result<Item, Error> {
        let found = index::store(self.workspace)?.get(&self.items[at].id)?;
        Ok(found.unwrap_or_else(|| self.items[at].clone()))
    }

    /// Returns the name of the next record: the same plan gives the same names.
    fn next_id(&mut self) -> String {
        self.written += 1;
        journal::short_id(terms::label('d', &format!("{} {}", self.run, self.written)))
    }

    /// Makes a record that decides something.
    pub(super) fn decide(&mut self, target: &str, decision: Decision, reason: &str) -> Record {
        let id = self.next_id();
        self.signed(Record::deciding(id, &self.session, target, (decision, reason), self.now))
    }

    /// Makes a record that says something.
    pub(super) fn say(&mut self, id: Option<String>, category: &str, text: &str) -> Record {
        let id = id.unwrap_or_else(|| self.next_id());
        let mut record = Record::new(id, &self.session, category, text, self.now);
        record.source = Some(Source::Dream);
        self.signed(record)
    }

    fn signed(&self, mut record: Record) -> Record {
        "dream".clone_into(&mut record.provenance.source_channel);
        record.run = Some(self.run.clone());
        record
    }

    /// Returns a memory in a few words; a secret by its name alone.
    pub(super) fn told(item: &Item) -> String {
        if item.sensitivity == Sensitivity::Secret {
            return item.id.clone();
        }
        format!("“{}”", quipu_core::text::headline(&item.text))
    }

    /// Adds an action. `about` are the memories that it changes, as they are now.
    pub(super) fn act(
        &mut self,
        step: Step,
        (does, why): (String, String),
        about: &[Item],
        records: Vec<Record>,
    ) {
        let ids: Vec<String> = about.iter().map(|item| item.id.clone()).collect();
        let found = about.iter().map(|item| (item.id.clone(), look(item))).collect();
        let told: Vec<&str> = records.iter().filter_map(|one| one.target.as_deref()).collect();
        let name = journal::fingerprint(&format!("{does} {}", told.join(" ")), "act");
        let id = format!("{}-{}", step.as_str(), name.get(..8).unwrap_or(&name));
        self.actions.push(Action { id, step, does, why, about: ids, found, records });
    }

    /// Returns how many more questions of a kind may be asked before somebody answers some.
    pub(super) fn room_for(&self, kind: QuestionKind) -> usize {
        let count = |of: &BTreeMap<QuestionKind, usize>| of.get(&kind).copied().unwrap_or(0);
        let in_all = (4 * most_open(kind)).saturating_sub(count(&self.waiting));
        most_open(kind).saturating_sub(count(&self.open)).min(in_all)
    }

    /// Tells whether somebody asked this before.
    pub(super) fn was_asked(&self, question: &Question) -> bool {
        self.asked.contains(&question.id())
    }

    /// Tells whether somebody answered this.
    pub(super) fn was_answered(&self, question: &Question) -> bool {
        self.settled.contains(&question.id())
    }

    /// Makes the record of a question, unless it was asked before or too many of its kind are open.
    pub(super) fn ask(&mut self, question: Question) -> Option<Record> {
        if self.was_asked(&question) || self.room_for(question.kind) == 0 {
            return None;
        }
        self.asked.insert(question.id());
        *self.open.entry(question.kind).or_default() += 1;
        *self.waiting.entry(question.kind).or_default() += 1;
        let (filed, reason) = (question.filed_under(), question.reason.clone());
        Some(self.decide(&filed, Decision::Ask { question: Box::new(question) }, &reason))
    }

    /// Makes the record of a question about what is doubted with it, unless it was asked before. It takes
    /// nobody's place: doubt without a question would hide a memory for good.
    pub(super) fn ask_about_a_doubt(&mut self, question: Question) -> Option<Record> {
        if !self.asked.insert(question.id()) {
            return None;
        }
        let (filed, reason) = (question.filed_under(), question.reason.clone());
        Some(self.decide(&filed, Decision::Ask { question: Box::new(question) }, &reason))
    }

    /// Adds an action that asks, and does nothing else.
    pub(super) fn act_by_asking(&mut self, step: Step, question: Question) {
        let subject = question.subjects.first().and_then(|id| self.place(id));
        let subject = subject.and_then(|at| self.read(at).ok()).map(|item| Self::told(&item));
        let does = format!("asks: {} {}", question.in_words(), subject.unwrap_or_default());
        let (does, why) = (does.trim_end().to_owned(), question.reason.clone());
        if let Some(record) = self.ask(question.clone()) {
            self.act(step, (does, why), &[], vec![record]);
            if let Some(action) = self.actions.last_mut() {
                action.about = question.subjects;
            }
        }
    }
}

/// Nobody reads a list without end: so many questions of a kind wait at most.
const MOST_OPEN: usize = 50;

/// A sample that nobody answers for so long makes room for another.
const PATIENCE_DAYS: i64 = 30;

fn most_open(kind: QuestionKind) -> usize {
    match kind {
        QuestionKind::Belief | QuestionKind::Bridge => 5,
        _ => MOST_OPEN,
    }
}

/// Returns the id of what a merged item became part of in the end.
fn whole_of(items: &[Item], places: &HashMap<String, usize>, at: usize) -> Option<String> {
    let mut into = items[at].merged_into.as_ref().filter(|_| items[at].status == Status::Merged)?;
    // A chain cannot be longer than there are items, whatever was decided by hand.
    for _ in 0..items.len() {
        let next = places.get(into).map(|at| &items[*at]);
        match next
            .and_then(|item| item.merged_into.as_ref().filter(|_| item.status == Status::Merged))
        {
            Some(next) => into = next,
            None => break,
        }
    }
    Some(into.clone())
}

/// Returns the items that are part of others. What was put together itself is no part: its parts are.
fn parts(items: &[Item], places: &HashMap<String, usize>) -> HashMap<String, Vec<usize>> {
    let mut parts: HashMap<String, Vec<usize>> = HashMap::new();
    for at in 0..items.len() {
        if items[at].source != Source::Dream
            && let Some(whole) = whole_of(items, places, at)
        {
            parts.entry(whole).or_default().push(at);
        }
    }
    parts
}
