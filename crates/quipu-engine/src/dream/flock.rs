//! Which memories are near each other, by their vectors.

use std::collections::BTreeMap;

use quipu_core::cluster::{Cells, Place, Points};
use quipu_core::item::{Item, Kind, Layer, Sensitivity, Source};
use quipu_core::vector::{Packed, Width};
use quipu_core::{journal, terms};
use quipu_embed::{Embedder, Role};

use super::night::Night;
use crate::embedding::{self, embedded_text};
use crate::error::Error;
use crate::index;
use crate::parallel;
use crate::weigh::SAME_TOPIC;

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
        let embedder = embedding::embedder(night.workspace)?;
        let mut vectors: BTreeMap<usize, Packed> = BTreeMap::new();
        let mut narrow: Vec<usize> = Vec::new();
        index::store(night.workspace)?.vectors(embedder.id(), &mut |id, stored| {
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
    pub(super) fn holding(&self, night: &Night<'_>) -> Self {
        self.only(&|at| night.holds(at))
    }

    /// Returns those that still hold, and the parts of merged memories that others may join.
    pub(super) fn with_parts(&self, night: &Night<'_>) -> Self {
        self.only(&|at| night.holds(at) || night.whole(at).is_some())
    }

    fn only(&self, belongs: &dyn Fn(usize) -> bool) -> Self {
        let mut flock = Self::default();
        for (at, owner) in self.owners.iter().enumerate().filter(|(_, at)| belongs(**at)) {
            let (scale, values) = self.points.get(at);
            flock.points.push(&Packed { scale, values: values.to_vec() });
            flock.owners.push(*owner);
            flock.dice.push(self.dice[at]);
            flock.labels.push(self.labels[at]);
        }
        flock
    }

    /// Returns groups of items that are near their first, each with how near; the first leads.
    pub(super) fn groups(&self) -> Vec<Vec<(usize, f32)>> {
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
