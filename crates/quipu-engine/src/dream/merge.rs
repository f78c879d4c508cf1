//! What says the same becomes one; what cannot both be true becomes a question.

use std::collections::{BTreeMap, HashSet};

use quipu_core::cluster::{Cells, Place, Points};
use quipu_core::contradict;
use quipu_core::item::{
    Decision, Item, Kind, Layer, MemoryType, Sensitivity, Source, Status, Weight,
};
use quipu_core::journal::summary::{self, Said};
use quipu_core::journal::{self, Merged};
use quipu_core::lifecycle;
use quipu_core::question::{Question, QuestionKind};
use quipu_core::secret::{self, Scope};
use quipu_core::terms;
use quipu_core::vector::{Packed, Width};
use quipu_embed::{Embedder, Role};
use quipu_store::Store;

use super::fade;
use super::night::{Night, Progress};
use super::plan::Step;
use crate::embedding::embedded_text;
use crate::error::Error;
use crate::judge::Judge;
use crate::parallel;

/// Nearer than this is the same topic.
pub(crate) const SAME_TOPIC: f32 = 0.8;

/// Nearer than this says the same.
pub(crate) const SAME: f32 = 0.92;

/// So many of the same topic become one.
const LEAST: usize = 5;

/// More do not become one at once.
const MOST_MERGED: usize = 200;

/// What they become is no longer than this.
const LONGEST: usize = 1500;

/// A note is no longer than this.
const LONGEST_NOTE: usize = 400;

/// Less is left of what has faded: then the best of it will do.
const FADED: f64 = 0.5;

/// A judge that fails so often in a row is not asked again.
const PATIENCE: usize = 3;

/// The category of what stands for several of different categories.
const CATEGORY: &str = "consolidated";

/// The vectors of items that may be together.
#[derive(Default)]
pub(super) struct Flock {
    points: Points,
    /// The item of each vector.
    owners: Vec<usize>,
    /// A number of its own for each.
    dice: Vec<u64>,
    /// Who may see each: words must not become less public by being merged.
    labels: Vec<Sensitivity>,
}

impl Flock {
    /// Reads the vectors.
    pub(super) fn read(night: &Night<'_>) -> Result<Self, Error> {
        let embedder = night.workspace.embedder()?;
        let mut vectors: BTreeMap<usize, Packed> = BTreeMap::new();
        let mut narrow: Vec<usize> = Vec::new();
        night.workspace.store()?.vectors(embedder.id(), &mut |id, stored| {
            if let Some(at) = night.place(id).filter(|at| takes_part(&night.items[*at])) {
                // A server is not asked again for all that has faded.
                if stored.width == Width::Eight || embedder.batch().is_some() {
                    vectors.entry(at).or_insert(stored.vector);
                } else {
                    narrow.push(at);
                }
            }
            true
        })?;
        // Who belongs together must not depend on how much room their vectors have.
        vectors.extend(made_anew(night, &*embedder, narrow)?);
        let mut flock = Self::default();
        for (at, vector) in vectors {
            if flock.points.push(&vector) {
                flock.owners.push(at);
                flock.dice.push(terms::label('g', &night.items[at].id));
                flock.labels.push(night.items[at].sensitivity);
            }
        }
        Ok(flock)
    }

    /// Returns where the vector of each of some items is.
    pub(super) fn of(&self, items: &[usize]) -> Vec<usize> {
        items.iter().filter_map(|at| self.owners.binary_search(at).ok()).collect()
    }

    /// Returns the mean direction of some items.
    pub(super) fn centre(&self, vectors: &[usize]) -> Packed {
        self.points.centre(vectors)
    }

    /// Returns those that still hold.
    fn holding(&self, night: &Night<'_>) -> Self {
        let mut flock = Self::default();
        for (at, owner) in self.owners.iter().enumerate().filter(|(_, at)| night.holds(**at)) {
            let (scale, values) = self.points.get(at);
            flock.points.push(&Packed { scale, values: values.to_vec() });
            flock.owners.push(*owner);
            flock.dice.push(self.dice[at]);
            flock.labels.push(self.labels[at]);
        }
        flock
    }

    /// Returns groups of items that are near their first, each with how near; the first leads.
    fn groups(&self) -> Vec<Vec<(usize, f32)>> {
        let cells = Cells::new(&self.points, &self.dice);
        let all: Vec<usize> = (0..self.points.len()).collect();
        let around = parallel::map(&all, |at| cells.around(*at));
        let may_join = |a: usize, b: usize| self.labels[a] == self.labels[b];
        let places = cells.groups(&around, SAME_TOPIC, &may_join);
        let mut groups: BTreeMap<usize, Vec<(usize, f32)>> = BTreeMap::new();
        for (at, Place { leader, near }) in places.into_iter().enumerate() {
            groups.entry(leader).or_default().push((self.owners[at], near));
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }
}

/// Makes vectors in full.
fn made_anew(
    night: &Night<'_>,
    embedder: &dyn Embedder,
    mut narrow: Vec<usize>,
) -> Result<Vec<(usize, Packed)>, Error> {
    narrow.sort_unstable();
    narrow.dedup();
    let mut made = Vec::with_capacity(narrow.len());
    for some in narrow.chunks(4096) {
        let mut items = Vec::with_capacity(some.len());
        for at in some {
            items.push((*at, night.read(*at)?));
        }
        let vectors = parallel::map(&items, |(at, item)| {
            let vectors = embedder.embed(&[&embedded_text(item)], Role::Memory).ok()?;
            let vector = vectors.first().map(|vector| Packed::new(vector))?;
            (!vector.is_zero()).then_some((*at, vector))
        });
        made.extend(vectors.into_iter().flatten());
    }
    Ok(made)
}

/// Tells whether an item is compared with others: records and facts, and nothing that a dream made.
fn takes_part(item: &Item) -> bool {
    matches!(item.kind, Kind::Record | Kind::Fact)
        && item.sensitivity != Sensitivity::Secret
        && item.source != Source::Dream
        && item.layer != Layer::Codebase
        && item.category != journal::COMPACTION
}

/// Tells whether an item may become part of another: its time must not be lost with it.
fn may_merge(item: &Item) -> bool {
    item.valid_from.is_none() && item.valid_to.is_none() && !item.negative
}

fn lasts(item: &Item) -> bool {
    matches!(item.layer, Layer::Semantic | Layer::Procedural)
}

/// Plans merges, and questions about what contradicts or repeats.
///
/// Groups are looked for until none is left that would merge: what is left is then what the next
/// dream finds, and it finds nothing to do.
pub(super) fn plan(
    night: &mut Night<'_>,
    flock: &Flock,
    judge: Option<&dyn Judge>,
    progress: Progress<'_>,
) -> Result<(), Error> {
    // Groups that cannot become one are not tried again.
    let mut tried: HashSet<Vec<usize>> = HashSet::new();
    loop {
        let groups = flock.holding(night).groups();
        let total = groups.len();
        let mut merged = false;
        let mut rest = Vec::new();
        for (number, group) in groups.into_iter().enumerate() {
            if number % 100 == 0 && !progress("merge", number, total) {
                return Ok(());
            }
            let changing = group
                .iter()
                .filter(|(at, _)| night.may_change(*at) && may_merge(&night.items[*at]));
            let members: Vec<usize> = changing.map(|(at, _)| *at).take(MOST_MERGED).collect();
            let is_new = members.len() >= LEAST && !tried.contains(&members);
            if is_new && merge(night, &members, judge)? {
                merged = true;
            } else {
                if is_new {
                    tried.insert(members);
                }
                rest.push(group);
            }
        }
        if merged {
            continue;
        }
        let gone = night.gone.len();
        for group in rest {
            compare(night, &group)?;
        }
        if night.gone.len() == gone {
            progress("merge", total, total);
            return Ok(());
        }
    }
}

/// Plans one merge; tells whether it can be.
fn merge(night: &mut Night<'_>, at: &[usize], judge: Option<&dyn Judge>) -> Result<bool, Error> {
    let mut members = Vec::with_capacity(at.len());
    for one in at {
        members.push(night.read(*one)?);
    }
    members.sort_by(|a, b| (a.time, &a.id).cmp(&(b.time, &b.id)));
    if has_conflict(night, &members) {
        return Ok(false);
    }
    let Some(words) = words(night, &members, judge) else { return Ok(false) };
    let same = |of: fn(&Item) -> &str| {
        let first = of(&members[0]);
        members.iter().all(|item| of(item) == first).then(|| first.to_owned())
    };
    let category = same(|item| &item.category).unwrap_or_else(|| CATEGORY.to_owned());
    let mut record = night.say(None, &category, &words);
    let (layer, memory_type) = becomes(&members);
    record.layer = Some(layer);
    record.memory_type = Some(memory_type);
    record.importance = Some(members.iter().map(|item| item.importance).fold(0.0, f32::max));
    let label =
        members.iter().fold(Sensitivity::Public, |label, item| label.stricter(item.sensitivity));
    record.provenance.sensitivity = label;
    record.speaker = same(|item| item.speaker.as_deref().unwrap_or_default())
        .filter(|speaker| !speaker.is_empty());
    let mut tags: Vec<String> = members.iter().flat_map(|item| item.tags.clone()).collect();
    tags.sort();
    tags.dedup();
    record.tags = tags;
    record.valid_from = members.first().map(|item| item.time);
    let mut sessions: Vec<String> =
        members.iter().filter_map(|item| item.session.clone()).collect();
    sessions.sort();
    sessions.dedup();
    record.merged = Some(Merged {
        ids: members.iter().map(|item| item.id.clone()).collect(),
        sessions,
        from: members.first().map(|item| item.time),
        to: members.last().map(|item| item.time),
        level: 1,
        records: members.len(),
    });
    let why = format!("{} memories of one topic", members.len());
    let does = format!(
        "merges {} memories into one: {}",
        members.len(),
        quipu_core::text::headline(&words)
    );
    night.made.extend(record.item());
    let into = record.id.clone();
    let mut records = vec![record];
    for item in &members {
        records.push(night.decide(&item.id, Decision::Merge { into: into.clone() }, &why));
    }
    night.gone.extend(at);
    night.act(Step::Merge, (does, why), &members, records);
    Ok(true)
}

/// Returns what several become: five times that something happened is no knowledge, and goes on fading.
fn becomes(members: &[Item]) -> (Layer, MemoryType) {
    let has = |layer: Layer| members.iter().any(|item| item.layer == layer);
    match (has(Layer::Semantic), has(Layer::Procedural)) {
        (false, false) => (Layer::Episodic, MemoryType::Narrative),
        (false, true) if !has(Layer::Episodic) => (Layer::Procedural, MemoryType::Procedure),
        _ => (Layer::Semantic, MemoryType::Fact),
    }
}

/// Tells whether two of them cannot both hold, as far as nobody has said that they can. What happened
/// twice with other numbers happened twice: only what lasts can contradict.
fn has_conflict(night: &Night<'_>, members: &[Item]) -> bool {
    let mut lasting: Vec<&Item> = members.iter().filter(|item| lasts(item)).collect();
    while let Some((older, newer)) = {
        let texts: Vec<&str> = lasting.iter().map(|item| item.text.as_str()).collect();
        contradict::first_conflict(&texts)
    } {
        if !night.was_answered(&contradiction(lasting[older], lasting[newer], String::new())) {
            return true;
        }
        lasting.remove(newer);
    }
    false
}

fn contradiction(older: &Item, newer: &Item, why: String) -> Question {
    let subjects = vec![older.id.clone(), newer.id.clone()];
    Question::new(QuestionKind::Contradiction, subjects, why)
}

/// Returns the question which of two memories holds, the older first, where both last, both cannot, and
/// its value may be told.
pub(crate) fn contradiction_between(older: &Item, newer: &Item) -> Option<Question> {
    let may_ask = lasts(older)
        && lasts(newer)
        && older.status == Status::Active
        && !holds_credential(older)
        && !holds_credential(newer);
    let why = may_ask.then(|| contradict::conflict(&older.text, &newer.text)).flatten()?;
    Some(contradiction(older, newer, why))
}

/// Says what they say: every distinct sentence, where that fits; of what has faded the best of them;
/// else in a judge's words, or not at all.
fn words(night: &Night<'_>, members: &[Item], judge: Option<&dyn Judge>) -> Option<String> {
    let said: Vec<Said<'_>> =
        members.iter().map(|item| Said { at: item.time, text: &item.text }).collect();
    // Sentences taken out of longer texts, or lines of code, say little by themselves.
    let are_notes = members.iter().all(|item| is_note(&item.text));
    if let Some(words) = summary::union(&said, LONGEST).filter(|_| are_notes) {
        return Some(words);
    }
    if let Some(judge) = judge.filter(|_| night.judge_failed.get() < PATIENCE) {
        let texts: Vec<&str> = members.iter().map(|item| item.text.as_str()).collect();
        match judge.summarise(&texts, LONGEST) {
            Ok(words) => {
                night.judge_failed.set(0);
                return Some(words);
            }
            Err(error) => {
                night.judge_failed.set(night.judge_failed.get() + 1);
                night.notes.borrow_mut().push(error.to_string());
            }
        }
    }
    let settings = &night.workspace.config().lifecycle;
    let left =
        |item: &Item| lifecycle::retention(item, &night.usage(item), night.now, settings).value;
    let all_faded = members.iter().all(|item| left(item) < FADED);
    (all_faded && are_notes).then(|| summary::extract(&said, LONGEST))
}

fn holds_credential(item: &Item) -> bool {
    !secret::scan(&item.text, Scope::Credentials).is_empty()
}

fn is_note(text: &str) -> bool {
    text.chars().count() <= LONGEST_NOTE && !text.contains("```") && text.lines().count() <= 4
}

/// Asks about what contradicts, and notes what repeats, among a group that stays.
fn compare(night: &mut Night<'_>, group: &[(usize, f32)]) -> Result<(), Error> {
    let Some((leader, _)) = group.first().copied() else { return Ok(()) };
    let first = night.read(leader)?;
    for (at, near) in group.iter().copied().skip(1) {
        let item = night.read(at)?;
        // Its value would stand in the question.
        if holds_credential(&first) || holds_credential(&item) {
            continue;
        }
        let is_later = (first.time, &first.id) <= (item.time, &item.id);
        let (older, newer, newer_at) =
            if is_later { (&first, &item, at) } else { (&item, &first, leader) };
        if lasts(&first) && lasts(&item) {
            if let Some(why) = contradict::conflict(&older.text, &newer.text) {
                // Two facts are a matter of the review.
                if older.kind == Kind::Record || newer.kind == Kind::Record {
                    night.act_by_asking(Step::Merge, contradiction(older, newer, why));
                }
                continue;
            }
            if near >= SAME && newer.kind == Kind::Record && night.may_change(newer_at) {
                let subjects = vec![older.id.clone(), newer.id.clone()];
                let why = format!("their words are {:.0} % alike", near * 100.0);
                night.act_by_asking(
                    Step::Merge,
                    Question::new(QuestionKind::Duplicate, subjects, why),
                );
            }
        }
        let repeats = near >= SAME && contradict::conflict(&older.text, &newer.text).is_none();
        if repeats && night.items[newer_at].surprise.is_none() && night.may_change(newer_at) {
            note_repeat(night, older, (newer, newer_at), near);
        }
    }
    Ok(())
}

/// Notes that one memory repeats another; less important by that, it may be put away.
fn note_repeat(night: &mut Night<'_>, older: &Item, (newer, at): (&Item, usize), near: f32) {
    let weigh =
        Decision::Weigh(weight(Some(f64::from(1.0 - near)), Some((older.id.clone(), near))));
    let mut after = newer.clone();
    after.decide(&weigh);
    // Noted once, also where the groups are gone through again.
    night.items[at].surprise = after.surprise;
    let why = format!("{:.0} % alike", near * 100.0);
    let mut records = vec![night.decide(&newer.id, weigh, "it repeats another")];
    if let Some(by) = independent(older, newer) {
        records.push(night.decide(&older.id, Decision::Confirm { by }, "said again by another"));
    }
    if let Some(verdict) = fade::verdict(night, &after) {
        records.push(fade::carry(night, at, &verdict));
    }
    let does = format!("notes that {} says what {} says", newer.id, older.id);
    night.act(Step::Merge, (does, why), std::slice::from_ref(newer), records);
}

/// Returns how new something is, from the mean distance to its nearest and the nearest of all.
pub(crate) fn weight(distance: Option<f64>, nearest: Option<(String, f32)>) -> Weight {
    let (surprise, modifier) = lifecycle::surprise(distance);
    let duplicate = nearest.as_ref().is_some_and(|(_, near)| *near >= SAME);
    // One copy among strangers looks new by the mean, and is not.
    let modifier = if duplicate { modifier.min(0.0) } else { modifier };
    #[expect(clippy::cast_possible_truncation, reason = "four digits are kept")]
    let rounded = |value: f64| (libm::round(value * 1e4) / 1e4) as f32;
    Weight {
        surprise: rounded(surprise),
        modifier: rounded(modifier),
        nearest: nearest.map(|(id, _)| id),
        duplicate,
    }
}

/// Returns who says it again, where that is somebody else than who said it first.
pub(crate) fn independent(older: &Item, newer: &Item) -> Option<String> {
    let who = |item: &Item| match &item.speaker {
        Some(speaker) => speaker.to_lowercase(),
        None => format!("{} {}", item.source, item.channel.as_deref().unwrap_or_default()),
    };
    let by = who(newer).trim().to_owned();
    (who(older).trim() != by && !older.confirmed_by.contains(&by)).then_some(by)
}
