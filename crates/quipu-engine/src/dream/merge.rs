//! What says the same becomes one; what cannot both be true becomes a question.

use std::collections::{BTreeMap, HashSet};

use quipu_core::contradict;
use quipu_core::item::{Decision, Item, Kind, Layer, MemoryType, Source};
use quipu_core::journal::summary::{self, Said};
use quipu_core::journal::{Merged, Record};
use quipu_core::lifecycle::{self, Usage};
use quipu_core::question::{Question, QuestionKind};

use super::fade;
use super::flock::Flock;
use super::night::{Night, Progress};
use super::plan::Step;
use crate::error::Error;
use crate::questions::Judge;

/// So many of the same topic become one.
const LEAST: usize = 5;

/// More do not become one at once.
const MOST_MERGED: usize = 200;

/// What they become is no longer than this.
const LONGEST: usize = 2000;

/// A note is no longer than this.
const LONGEST_NOTE: usize = 400;

/// Less is left of what has faded: then the best of it will do.
const FADED: f64 = 0.5;

/// A judge that fails so often in a row is not asked again.
const PATIENCE: usize = 3;

/// The category of what stands for several of different categories.
const CATEGORY: &str = "consolidated";

/// Tells whether an item may become part of another: its time must not be lost with it.
fn may_merge(item: &Item) -> bool {
    item.valid_from.is_none() && item.valid_to.is_none() && !item.negative
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
    let mut tried: HashSet<(Option<usize>, Vec<usize>)> = HashSet::new();
    loop {
        let groups = flock.with_parts(night).groups();
        let total = groups.len();
        let mut merged = false;
        for (number, group) in groups.iter().enumerate() {
            if number % 100 == 0 && !progress("merge", number, total) {
                return Ok(());
            }
            let members: Vec<usize> = group.iter().map(|(at, _)| *at).collect();
            let changing = |at: &usize| night.may_change(*at) && may_merge(&night.items[*at]);
            let new: Vec<usize> =
                members.iter().copied().filter(changing).take(MOST_MERGED).collect();
            // What says the same later joins a merged memory; else enough of them become one.
            if let Some(whole) = most_parts(night, &members).filter(|_| !new.is_empty()) {
                let made = night.made_at(whole)?;
                let mut later = new.clone();
                later.retain(|at| night.items[*at].time > made);
                let is_new = !later.is_empty() && tried.insert((Some(whole), later.clone()));
                if is_new && merge(night, &later, Some(whole), judge)? {
                    merged = true;
                    continue;
                }
            }
            let is_enough = new.len() >= LEAST && tried.insert((None, new.clone()));
            merged |= is_enough && merge(night, &new, None, judge)?;
        }
        if merged {
            continue;
        }
        let gone = night.gone.len();
        for group in flock.holding(night).groups() {
            compare(night, &group)?;
        }
        if night.gone.len() == gone {
            progress("merge", total, total);
            return Ok(());
        }
    }
}

/// Returns the merged memory that most of a group are parts of, where it has room for more.
fn most_parts(night: &Night<'_>, members: &[usize]) -> Option<usize> {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for whole in members.iter().filter_map(|at| night.whole(*at)) {
        *count.entry(whole).or_default() += 1;
    }
    count.retain(|whole, _| night.parts(&night.items[*whole].id).len() < MOST_MERGED);
    count
        .into_iter()
        .max_by_key(|(whole, count)| (*count, std::cmp::Reverse(*whole)))
        .map(|one| one.0)
}

/// Plans one merge, of new memories alone or into what was merged before; tells whether it can be.
fn merge(
    night: &mut Night<'_>,
    at: &[usize],
    whole: Option<usize>,
    judge: Option<&dyn Judge>,
) -> Result<bool, Error> {
    let mut members = Vec::with_capacity(at.len());
    let parts = whole.map(|whole| night.parts(&night.items[whole].id).to_vec()).unwrap_or_default();
    for one in at.iter().chain(&parts) {
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
    // Those of a group have the same.
    record.provenance.sensitivity = members[0].sensitivity;
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
    if fades_at_once(night, &record, &members) {
        return Ok(false);
    }
    let why = format!("{} memories of one topic", members.len());
    let headline = quipu_core::text::headline(&words);
    let does = match whole {
        Some(_) => format!("adds {} to what was merged before: {headline}", at.len()),
        None => format!("merges {} memories into one: {headline}", members.len()),
    };
    night.made.extend(record.item());
    let into = record.id.clone();
    let mut records = vec![record];
    let mut changing: Vec<Item> = Vec::new();
    for one in at.iter().chain(&whole) {
        changing.push(night.read(*one)?);
    }
    for item in &changing {
        records.push(night.decide(&item.id, Decision::Merge { into: into.clone() }, &why));
    }
    night.gone.extend(at.iter().chain(&whole));
    night.act(Step::Merge, (does, why), &changing, records);
    Ok(true)
}

/// Tells whether the next dream would put away what is merged now: then its parts may as well stay.
fn fades_at_once(night: &Night<'_>, record: &Record, members: &[Item]) -> bool {
    let Some(item) = record.item() else { return false };
    let of_parts = members.iter().flat_map(|member| night.usage(member).accesses);
    let usage = Usage::of(&item, of_parts.collect());
    let clock = (night.now, &night.workspace.config().lifecycle);
    lifecycle::may_be_archived(&item, &usage, night.numbers(&item, &usage), clock)
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
    let mut lasting: Vec<&Item> = members.iter().filter(|item| item.lasts()).collect();
    while let Some((older, newer)) = {
        let texts: Vec<&str> = lasting.iter().map(|item| item.text.as_str()).collect();
        contradict::first_conflict(&texts)
    } {
        let asked = Question::contradiction(lasting[older], lasting[newer]);
        if !asked.is_some_and(|question| night.was_answered(&question)) {
            return true;
        }
        lasting.remove(newer);
    }
    false
}

/// Says what they say: every distinct sentence, where that fits; of what has faded the best of them;
/// else in a judge's words, or not at all.
fn words(night: &Night<'_>, members: &[Item], judge: Option<&dyn Judge>) -> Option<String> {
    let said: Vec<Said<'_>> = members
        .iter()
        .map(|item| Said {
            day: night.workspace.day(item.time),
            by_person: item.source == Source::Human,
            text: &item.text,
        })
        .collect();
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

fn is_note(text: &str) -> bool {
    text.chars().count() <= LONGEST_NOTE && !text.contains("```") && text.lines().count() <= 4
}

/// Asks about what contradicts, and notes what repeats, among a group that stays.
fn compare(night: &mut Night<'_>, group: &[(usize, f32)]) -> Result<(), Error> {
    let Some((leader, _)) = group.first().copied() else { return Ok(()) };
    let first = night.read(leader)?;
    for (at, near) in group.iter().copied().skip(1) {
        let item = night.read(at)?;
        let is_later = (first.time, &first.id) <= (item.time, &item.id);
        let (older, newer, newer_at) =
            if is_later { (&first, &item, at) } else { (&item, &first, leader) };
        if contradict::conflict(&older.text, &newer.text).is_some() {
            // Two facts are a matter of the review.
            if let Some(question) = Question::contradiction(older, newer)
                && (older.kind == Kind::Record || newer.kind == Kind::Record)
            {
                night.act_by_asking(Step::Merge, question);
            }
            continue;
        }
        if near < lifecycle::SAME || !night.may_change(newer_at) {
            continue;
        }
        if first.lasts() && item.lasts() && !contradict::is_identical(&first.text, &item.text) {
            let subjects = vec![older.id.clone(), newer.id.clone()];
            let why = format!("their words are {:.0} % alike", near * 100.0);
            let question = Question::new(QuestionKind::Duplicate, subjects, why);
            night.act_by_asking(Step::Merge, question);
        }
        if night.items[newer_at].surprise.is_none() {
            note_repeat(night, older, (newer, newer_at), near)?;
        }
    }
    Ok(())
}

/// Notes that one memory repeats another; less important by that, it may be put away.
fn note_repeat(
    night: &mut Night<'_>,
    older: &Item,
    (newer, at): (&Item, usize),
    near: f32,
) -> Result<(), Error> {
    let weigh = Decision::Weigh(lifecycle::weight(
        Some(f64::from(1.0 - near)),
        Some((older.id.clone(), near)),
    ));
    let mut after = newer.clone();
    after.decide(&weigh);
    // Noted once, also where the groups are gone through again.
    night.items[at].surprise = after.surprise;
    let why = format!("{:.0} % alike", near * 100.0);
    let mut records = vec![night.decide(&newer.id, weigh, "it repeats another")];
    if let Some(by) = lifecycle::independent(older, newer) {
        records.push(night.decide(&older.id, Decision::Confirm { by }, "said again by another"));
    }
    if let Some(verdict) = fade::verdict(night, &after, &|| Ok(newer.clone()))? {
        records.push(fade::carry(night, at, &verdict));
    }
    let does = format!("notes that {} says what {} says", newer.id, older.id);
    night.act(Step::Merge, (does, why), std::slice::from_ref(newer), records);
    Ok(())
}
