//! What is known about each entity: its card, and bridges between those that never meet.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::card;
use quipu_core::entity::{self, EntityKind};
use quipu_core::item::{Decision, Item, Kind, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_core::question::{Question, QuestionKind};
use quipu_core::secret::{self, Scope};
use quipu_core::terms::{self, Term};
use quipu_core::text;
use quipu_core::vector::Packed;

use super::flock::Flock;
use super::night::{Night, Progress};
use super::plan::Step;
use crate::entities;
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

/// Farther apart they have nothing to do with each other, whatever words they share; nearer they are the
/// same thing, or stand in the same template.
const RELATED: std::ops::RangeInclusive<f32> = 0.45..=0.90;

/// So many rare words both must be told with.
const LEAST_SHARED: usize = 2;

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
        let aliases = entities::aliases(night.workspace)?;
        let store = index::store(night.workspace)?;
        let mut found: BTreeMap<String, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        // A word that begins a sentence is a name where any memory uses it as one.
        let mut used_as_names: BTreeSet<String> = BTreeSet::new();
        store.each_mention(&mut |entity, id| {
            if is_somebody(entity.kind) && !used_as_names.contains(&entity.name) {
                used_as_names.insert(entity.name.clone());
            }
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
            for one in entity::extract(&item.text) {
                let name = aliases.name_of(&one.name);
                if is_somebody(one.kind)
                    || (one.kind == EntityKind::Word && used_as_names.contains(&one.name))
                {
                    found.entry(name).or_default().1.insert(number);
                }
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
        let text = card::written(&known.names, &told_of, night.workspace.zone());
        card_of(night, (name, id, place), &text, told)?;
    }
    for at in left {
        let card = night.read(at)?;
        let why = "too little is known";
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

/// Two entities that may have to do with each other.
struct Pair {
    near: f32,
    question: Question,
}

/// Plans questions about entities that are never mentioned together, and of which the same is told.
/// Likeness of vectors is no reason by itself: two names in the same template are alike. There must be
/// something that both have in common and few others have, and the question quotes it.
pub(super) fn bridges(
    night: &mut Night<'_>,
    company: &Company,
    flock: &Flock,
) -> Result<(), Error> {
    let mut known: Vec<(&Known, Packed, Vec<Told>)> = Vec::new();
    let mut holders: BTreeMap<Term, BTreeSet<usize>> = BTreeMap::new();
    for (number, one) in company.entities.iter().take(MOST_COMPARED).enumerate() {
        let vectors = flock.of(&one.items.iter().copied().collect::<Vec<_>>());
        let mut told = Vec::new();
        for at in one.items.iter().rev().take(MOST_TOLD) {
            let item = night.read(*at)?;
            let own: BTreeSet<Term> = one.names.iter().flat_map(|name| terms_of(name)).collect();
            let terms: BTreeSet<Term> =
                terms_of(&item.text).filter(|term| !own.contains(term)).collect();
            for term in &terms {
                holders.entry(*term).or_default().insert(number);
            }
            let text = secret::redacted(&item.text, Scope::Credentials);
            told.push(Told { text, terms });
        }
        if vectors.len() >= ENOUGH_FOR_A_MEANING {
            known.push((one, flock.centre(&vectors), told));
        }
    }
    let compared = company.entities.len().min(MOST_COMPARED);
    // Told of more than a few, a word says nothing about two of them.
    let is_rare =
        |term: &Term| holders.get(term).is_some_and(|of| of.len() <= 2.max(compared / 10));
    let mut pairs: Vec<Pair> = Vec::new();
    for (at, (one, centre, told)) in known.iter().enumerate() {
        for (other, other_centre, other_told) in &known[at + 1..] {
            let near = centre.cosine(other_centre);
            let (name, other_name) = (&one.names[0], &other.names[0]);
            let never_meet =
                one.items.is_disjoint(&other.items) && one.made.is_disjoint(&other.made);
            if !RELATED.contains(&near) || !never_meet || overlap(name, other_name) {
                continue;
            }
            let Some((first, second)) = in_common(told, other_told, &is_rare) else { continue };
            let mut both = [(name, one.count(), first), (other_name, other.count(), second)];
            both.sort();
            let why = format!(
                "{}: “{}” ({} memories); {}: “{}” ({} memories); none speaks of both",
                both[0].0,
                text::headline(both[0].2),
                both[0].1,
                both[1].0,
                text::headline(both[1].2),
                both[1].1,
            );
            let names = both.map(|(name, ..)| name.clone()).to_vec();
            pairs.push(Pair { near, question: Question::new(QuestionKind::Bridge, names, why) });
        }
    }
    pairs.retain(|pair| !night.was_asked(&pair.question));
    pairs.sort_by(|a, b| {
        b.near.total_cmp(&a.near).then_with(|| a.question.subjects.cmp(&b.question.subjects))
    });
    pairs.truncate(night.room_for(QuestionKind::Bridge));
    for pair in pairs {
        night.act_by_asking(Step::Bridges, pair.question);
    }
    Ok(())
}

/// What a memory tells of an entity: its words beside the name.
struct Told {
    text: String,
    terms: BTreeSet<Term>,
}

fn terms_of(text: &str) -> impl Iterator<Item = Term> {
    terms::of_document(text).counts.into_iter().map(|(term, _)| term)
}

/// Returns the memory of each that has most in common with one of the other, where that is enough:
/// two words that few others are told with.
fn in_common<'t>(
    told: &'t [Told],
    others: &'t [Told],
    is_rare: &dyn Fn(&Term) -> bool,
) -> Option<(&'t str, &'t str)> {
    let mut best: Option<(usize, &str, &str)> = None;
    for one in told {
        let rare: BTreeSet<Term> = one.terms.iter().copied().filter(|term| is_rare(term)).collect();
        for other in others {
            let shared = rare.intersection(&other.terms).count();
            if shared >= LEAST_SHARED && best.is_none_or(|(most, ..)| shared > most) {
                best = Some((shared, &one.text, &other.text));
            }
        }
    }
    best.map(|(_, one, other)| (one, other))
}

/// Tells whether one name is part of the other: then they are one thing, or nearly.
fn overlap(a: &str, b: &str) -> bool {
    a.contains(b) || b.contains(a)
}
