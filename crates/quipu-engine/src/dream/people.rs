//! What is known about each entity: its card, and bridges between those that never meet.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::card;
use quipu_core::entity::{self, EntityKind};
use quipu_core::item::{Decision, Item, Kind, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_core::question::{Question, QuestionKind};

use super::flock::Flock;
use super::night::{Night, Progress};
use super::plan::Step;
use crate::error::Error;
use crate::index;
use crate::questions::BRIDGE;

/// So many memories make a card.
const ENOUGH_FOR_A_CARD: usize = 5;

/// So many cards are kept.
const MOST_CARDS: usize = 50;

/// So often a card was taken back, and made again.
const MOST_NUMBERS: usize = 8;

/// A card is made from the newest of them.
const MOST_TOLD: usize = 60;

/// So many memories give an entity a meaning.
const ENOUGH_FOR_A_MEANING: usize = 3;

/// So many entities are compared.
const MOST_COMPARED: usize = 100;

/// Entities of different contexts are related when their meanings are this near: nearer is the same
/// thing, farther is nothing.
const RELATED: std::ops::RangeInclusive<f32> = 0.75..=0.90;

/// An entity with where it is mentioned.
struct Known {
    /// All its names.
    names: Vec<String>,
    /// The items.
    items: BTreeSet<usize>,
    /// What the plan so far adds.
    made: BTreeSet<usize>,
}

impl Known {
    fn count(&self) -> usize {
        self.items.len() + self.made.len()
    }
}

/// Who is mentioned where, those that are mentioned most first.
pub(super) struct Company {
    entities: Vec<Known>,
}

impl Company {
    /// Counts mentions among what holds, and is open to be told.
    pub(super) fn count(night: &Night<'_>) -> Result<Self, Error> {
        let store = index::store(night.workspace)?;
        let aliases = store.aliases()?;
        let mut found: BTreeMap<String, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        store.each_mention(&mut |entity, id| {
            if is_somebody(entity.kind)
                && let Some(at) = night.place(id)
                && night.holds(at)
                && may_tell(&night.items[at])
            {
                found.entry(aliases.name_of(&entity.name)).or_default().0.insert(at);
            }
        })?;
        // What somebody said tells of them.
        for (at, item) in night.items.iter().enumerate() {
            if let Some(speaker) = &item.speaker
                && night.holds(at)
                && may_tell(item)
            {
                let name = speaker.trim().to_lowercase();
                found.entry(aliases.name_of(&name)).or_default().0.insert(at);
            }
        }
        for (number, item) in night.made.iter().enumerate().filter(|(_, item)| may_tell(item)) {
            for one in entity::extract(&item.text).into_iter().filter(|one| is_somebody(one.kind)) {
                found.entry(aliases.name_of(&one.name)).or_default().1.insert(number);
            }
        }
        let mut entities: Vec<Known> = found
            .into_iter()
            .map(|(name, (items, made))| Known { names: aliases.group(&name), items, made })
            .filter(|known| known.count() >= ENOUGH_FOR_A_MEANING)
            .collect();
        entities.sort_by(|a, b| b.count().cmp(&a.count()).then_with(|| a.names.cmp(&b.names)));
        Ok(Self { entities })
    }
}

fn is_somebody(kind: EntityKind) -> bool {
    kind == EntityKind::Name
}

/// Tells whether an item may stand on a card, which the user's own agents see.
fn may_tell(item: &Item) -> bool {
    matches!(item.sensitivity, Sensitivity::Public | Sensitivity::Private)
        && matches!(item.kind, Kind::Record | Kind::Fact | Kind::Thread)
        && (item.source != Source::Dream || item.category != card::CATEGORY)
        && item.category != BRIDGE
}

/// Plans cards: one an entity, written anew where it would say something else, and put away where too
/// little is left to tell.
pub(super) fn cards(
    night: &mut Night<'_>,
    company: &Company,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let mut left: BTreeSet<usize> = (0..night.items.len())
        .filter(|at| night.items[*at].category == card::CATEGORY && night.may_change(*at))
        .collect();
    let total = company.entities.len();
    for (number, known) in company.entities.iter().enumerate() {
        if number % 100 == 0 && !progress("cards", number, total) {
            return Ok(());
        }
        let Some(name) = known.names.first() else { continue };
        let has_one = (0..MOST_NUMBERS).any(|number| {
            night.place(&card::id(name, number)).is_some_and(|at| left.contains(&at))
        });
        if known.count() < ENOUGH_FOR_A_CARD || (number >= MOST_CARDS && !has_one) {
            continue;
        }
        let told = told(night, known)?;
        if is_shouted(name, &told) {
            continue;
        }
        let (id, place) = card_place(night, name)?;
        if let Some(at) = place {
            left.remove(&at);
        }
        let told_of: Vec<&Item> = told.iter().collect();
        let text = card::written(&known.names, &told_of);
        card_of(night, (name, id, place), &text, told)?;
    }
    for at in left {
        let card = night.read(at)?;
        let why = "too little is known by now";
        let put_away = Decision::Status { from: Status::Active, to: Status::Archived };
        let record = night.decide(&card.id, put_away, why);
        let does = format!("puts a card away: {}", Night::told(&card));
        night.act(Step::Cards, (does, why.to_owned()), &[card], vec![record]);
        night.gone.insert(at);
    }
    progress("cards", total, total);
    Ok(())
}

/// Tells whether a name is mostly written in capitals: ADR and PATCH are nobody to keep a card of.
fn is_shouted(name: &str, told: &[Item]) -> bool {
    let capitals = name.to_uppercase();
    let shouted = told.iter().filter(|item| item.text.contains(&capitals)).count();
    shouted * 2 > told.len()
}

/// Returns what a card is made from, oldest first.
fn told(night: &Night<'_>, known: &Known) -> Result<Vec<Item>, Error> {
    let mut newest: Vec<usize> = known.items.iter().copied().collect();
    newest.sort_by_key(|at| (night.items[*at].time, *at));
    let mut told: Vec<Item> = Vec::new();
    for at in newest.split_off(newest.len().saturating_sub(MOST_TOLD)) {
        told.push(night.read(at)?);
    }
    told.extend(known.made.iter().map(|number| night.made[*number].clone()));
    // Among those that are in the store already the next dream finds the same.
    told.sort_by(|a, b| (a.time, &a.id).cmp(&(b.time, &b.id)));
    Ok(told.split_off(told.len().saturating_sub(MOST_TOLD)))
}

/// Returns the id of an entity's card and where it is; an id whose card was taken back is not used again.
fn card_place(night: &Night<'_>, name: &str) -> Result<(String, Option<usize>), Error> {
    let mut number = 0;
    loop {
        let id = card::id(name, number);
        let place = night.place(&id);
        if place.is_some() || index::store(night.workspace)?.filed(&id)?.is_empty() {
            return Ok((id, place));
        }
        number += 1;
    }
}

fn card_of(
    night: &mut Night<'_>,
    (name, id, place): (&str, String, Option<usize>),
    text: &str,
    mut told: Vec<Item>,
) -> Result<(), Error> {
    // What the plan makes itself is not there yet.
    told.retain(|item| night.place(&item.id).is_some());
    let Some(at) = place else {
        let mut record = night.say(Some(id), card::CATEGORY, text);
        record.layer = Some(Layer::Semantic);
        record.memory_type = Some(MemoryType::Fact);
        record.importance = Some(0.8);
        let why = (format!("makes a card for {name}"), "enough is known".to_owned());
        night.act(Step::Cards, why, &told, vec![record]);
        return Ok(());
    };
    let known = night.read(at)?;
    if known.pinned {
        return Ok(());
    }
    let mut records = Vec::new();
    if known.status != Status::Active {
        // What a person put away stays away.
        if !night.was_last_judged_by_a_dream(&known)? {
            return Ok(());
        }
        let back = Decision::Status { from: known.status, to: Status::Active };
        records.push(night.decide(&id, back, "enough is known again"));
    }
    if known.text != text {
        let edit = Decision::Edit { text: text.to_owned() };
        records.push(night.decide(&id, edit, "more is known"));
    }
    if !records.is_empty() {
        told.push(known);
        let why = (format!("writes the card of {name} anew"), "more is known".to_owned());
        night.act(Step::Cards, why, &told, records);
    }
    Ok(())
}

/// Plans questions about entities that are never mentioned together, and mean something alike.
pub(super) fn bridges(night: &mut Night<'_>, company: &Company, flock: &Flock) {
    let mut meanings = Vec::new();
    for known in company.entities.iter().take(MOST_COMPARED) {
        let vectors = flock.of(&known.items.iter().copied().collect::<Vec<_>>());
        if vectors.len() >= ENOUGH_FOR_A_MEANING {
            meanings.push((known, flock.centre(&vectors)));
        }
    }
    let mut pairs: Vec<(f32, Question)> = Vec::new();
    for (at, (one, centre)) in meanings.iter().enumerate() {
        for (other, other_centre) in &meanings[at + 1..] {
            let near = centre.cosine(other_centre);
            let (name, other_name) = (&one.names[0], &other.names[0]);
            let never_meet =
                one.items.is_disjoint(&other.items) && one.made.is_disjoint(&other.made);
            if RELATED.contains(&near) && never_meet && !overlap(name, other_name) {
                let mut both = [(name.clone(), one.count()), (other_name.clone(), other.count())];
                both.sort();
                let why = format!(
                    "{} and {} memories speak of them, none of both, {:.0} % alike",
                    both[0].1,
                    both[1].1,
                    near * 100.0
                );
                let names = both.map(|(name, _)| name).to_vec();
                pairs.push((near, Question::new(QuestionKind::Bridge, names, why)));
            }
        }
    }
    pairs.retain(|(_, question)| !night.was_asked(question));
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.subjects.cmp(&b.1.subjects)));
    pairs.truncate(night.room_for(QuestionKind::Bridge));
    for (_, question) in pairs {
        night.act_by_asking(Step::Bridges, question);
    }
}

/// Tells whether one name is part of the other: then they are one thing, or nearly.
fn overlap(a: &str, b: &str) -> bool {
    a.contains(b) || b.contains(a)
}
