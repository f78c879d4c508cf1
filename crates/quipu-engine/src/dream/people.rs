//! What is known about each entity: its card, and bridges between those that never meet.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::card;
use quipu_core::entity::{self, EntityKind};
use quipu_core::item::{Decision, Item, Kind, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_core::question::{Question, QuestionKind};
use quipu_store::Store;

use super::merge::Flock;
use super::night::{Night, Progress};
use super::plan::Step;
use crate::error::Error;

/// So many memories make a card.
const ENOUGH_FOR_A_CARD: usize = 5;

/// So many cards are kept.
const MOST_CARDS: usize = 50;

/// A card is made from the newest of them.
const MOST_TOLD: usize = 60;

/// So many memories give an entity a meaning.
const ENOUGH_FOR_A_MEANING: usize = 3;

/// So many entities are compared.
const MOST_COMPARED: usize = 100;

/// Entities of different contexts are related when their meanings are this near: nearer is the same
/// thing, farther is nothing.
const RELATED: std::ops::RangeInclusive<f32> = 0.75..=0.90;

/// Who is mentioned where.
pub(super) struct Company {
    /// The entities that are mentioned most, each with all its names and the items, in order.
    entities: Vec<(Vec<String>, BTreeSet<usize>, Vec<usize>)>,
}

impl Company {
    /// Counts mentions among what holds, and is open to be told.
    pub(super) fn count(night: &Night<'_>) -> Result<Self, Error> {
        let store = night.workspace.store()?;
        let aliases = store.aliases()?;
        let mut found: BTreeMap<String, (BTreeSet<usize>, Vec<usize>)> = BTreeMap::new();
        store.each_mention(&mut |entity, id| {
            if is_somebody(entity.kind)
                && let Some(at) = night.place(id)
                && night.holds(at)
                && may_tell(&night.items[at])
            {
                found.entry(aliases.name_of(&entity.name)).or_default().0.insert(at);
            }
        })?;
        for (number, item) in night.made.iter().enumerate().filter(|(_, item)| may_tell(item)) {
            for one in entity::extract(&item.text).into_iter().filter(|one| is_somebody(one.kind)) {
                found.entry(aliases.name_of(&one.name)).or_default().1.push(number);
            }
        }
        let mut entities: Vec<_> = found
            .into_iter()
            .filter(|(_, (items, made))| items.len() + made.len() >= ENOUGH_FOR_A_MEANING)
            .map(|(name, (items, made))| (aliases.group(&name), items, made))
            .collect();
        entities.sort_by(|a, b| {
            let count =
                |one: &(Vec<String>, BTreeSet<usize>, Vec<usize>)| one.1.len() + one.2.len();
            count(b).cmp(&count(a)).then_with(|| a.0.cmp(&b.0))
        });
        entities.truncate(MOST_COMPARED);
        Ok(Self { entities })
    }
}

fn is_somebody(kind: EntityKind) -> bool {
    matches!(kind, EntityKind::Name | EntityKind::Identifier | EntityKind::Term)
}

/// Tells whether an item may stand on a card, which the user's own agents see.
fn may_tell(item: &Item) -> bool {
    matches!(item.sensitivity, Sensitivity::Public | Sensitivity::Private)
        && matches!(item.kind, Kind::Record | Kind::Fact | Kind::Thread)
        && (item.source != Source::Dream || item.category != card::CATEGORY)
        && item.category != BRIDGE
}

/// The category of what a judge said about two entities.
pub(crate) const BRIDGE: &str = "bridge";

/// Plans cards: one an entity, written anew where it would say something else.
pub(super) fn cards(
    night: &mut Night<'_>,
    company: &Company,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let enough = company
        .entities
        .iter()
        .filter(|(_, items, made)| items.len() + made.len() >= ENOUGH_FOR_A_CARD);
    let chosen: Vec<_> = enough.take(MOST_CARDS).collect();
    for (number, (names, items, made)) in chosen.iter().enumerate() {
        if !progress("cards", number, chosen.len()) {
            return Ok(());
        }
        let mut newest: Vec<usize> = items.iter().copied().collect();
        newest.sort_by_key(|at| (night.items[*at].time, *at));
        let mut told: Vec<Item> = Vec::new();
        for at in newest.split_off(newest.len().saturating_sub(MOST_TOLD)) {
            told.push(night.read(at)?);
        }
        told.extend(made.iter().map(|number| night.made[*number].clone()));
        // Among those that are in the store already the next dream finds the same.
        told.sort_by(|a, b| (a.time, &a.id).cmp(&(b.time, &b.id)));
        let told = told.split_off(told.len().saturating_sub(MOST_TOLD));
        let told: Vec<&Item> = told.iter().collect();
        card_of(night, names, &card::written(names, &told))?;
    }
    progress("cards", chosen.len(), chosen.len());
    Ok(())
}

fn card_of(night: &mut Night<'_>, names: &[String], text: &str) -> Result<(), Error> {
    let Some(name) = names.first() else { return Ok(()) };
    let id = card::id(name);
    let known = match night.place(&id) {
        Some(at) => Some(night.read(at)?),
        None => None,
    };
    match known {
        // Somebody put it away, or holds on to it.
        Some(known) if known.status != Status::Active || known.pinned => {}
        Some(known) if known.text == text => {}
        Some(known) => {
            let edit = Decision::Edit { text: text.to_owned() };
            let record = night.decide(&id, edit, "more is known");
            let why = (format!("writes the card of {name} anew"), "more is known".to_owned());
            night.act(Step::Cards, why, &[known], vec![record]);
        }
        None => {
            let mut record = night.say(Some(id), card::CATEGORY, text);
            record.layer = Some(Layer::Semantic);
            record.memory_type = Some(MemoryType::Fact);
            record.importance = Some(0.8);
            let why = (format!("makes a card for {name}"), "enough is known".to_owned());
            night.act(Step::Cards, why, &[], vec![record]);
        }
    }
    Ok(())
}

/// Plans questions about entities that are never mentioned together, and mean something alike.
pub(super) fn bridges(night: &mut Night<'_>, company: &Company, flock: &Flock) {
    let mut meanings = Vec::new();
    for (names, items, _) in &company.entities {
        let vectors = flock.of(&items.iter().copied().collect::<Vec<_>>());
        if vectors.len() >= ENOUGH_FOR_A_MEANING {
            meanings.push((&names[0], items, flock.centre(&vectors)));
        }
    }
    let mut pairs: Vec<(f32, Question)> = Vec::new();
    for (at, (name, items, centre)) in meanings.iter().enumerate() {
        for (other, others, other_centre) in &meanings[at + 1..] {
            let near = centre.cosine(other_centre);
            if RELATED.contains(&near) && items.is_disjoint(others) && !overlap(name, other) {
                let mut names = vec![(*name).clone(), (*other).clone()];
                names.sort();
                let why = format!(
                    "{} and {} memories speak of them, none of both, {:.0} % alike",
                    items.len(),
                    others.len(),
                    near * 100.0
                );
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
