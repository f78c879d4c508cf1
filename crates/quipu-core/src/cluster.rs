//! Which vectors are near each other, without comparing all pairs.
//!
//! Vectors are sorted into cells around samples of themselves, found through samples of those. Each
//! vector, in order, joins the nearest leader of the cells around it, or leads from then on.

use crate::vector::{self, Packed};

/// So many vectors share a cell, about.
const CELL: u64 = 64;

/// Up to here every leader is looked at.
const FEW: usize = 2048;

/// So many cells around a vector are looked through.
const PROBES: usize = 6;

/// So many of the samples that lead to the cells.
const GATES: usize = 6;

/// In so many cells a leader is found.
const HOMES: usize = 3;

/// Many vectors side by side.
#[derive(Clone, Debug, Default)]
pub struct Points {
    dims: usize,
    scales: Vec<f32>,
    values: Vec<i8>,
}

/// Where a vector belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The vector that it joined: itself for a leader.
    pub leader: usize,
    /// How near it is to that.
    pub near: f32,
}

impl Points {
    /// Adds a vector, where it is of the same model as those before; tells whether it is.
    pub fn push(&mut self, vector: &Packed) -> bool {
        if self.scales.is_empty() {
            self.dims = vector.values.len();
        }
        if vector.values.len() != self.dims || self.dims == 0 {
            return false;
        }
        self.scales.push(vector.scale);
        self.values.extend_from_slice(&vector.values);
        true
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Returns a vector.
    pub fn get(&self, at: usize) -> (f32, &[i8]) {
        (self.scales[at], &self.values[at * self.dims..(at + 1) * self.dims])
    }

    /// Returns the mean direction of some of them.
    #[expect(clippy::cast_precision_loss, reason = "a step is a small number")]
    pub fn centre(&self, members: &[usize]) -> Packed {
        let mut sum = vec![0.0_f32; self.dims];
        for at in members {
            let (scale, values) = self.get(*at);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += scale * f32::from(*value);
            }
        }
        let count = members.len().max(1) as f32;
        for value in &mut sum {
            *value /= count;
        }
        Packed::new(&sum)
    }

    fn wide(&self, at: usize) -> (f32, Vec<i16>) {
        let (scale, values) = self.get(at);
        (scale, values.iter().copied().map(i16::from).collect())
    }

    fn near(&self, (scale, wide): &(f32, Vec<i16>), other: usize) -> f32 {
        let (other_scale, values) = self.get(other);
        scale * other_scale * vector::dot(values, wide)
    }
}

/// The cells of many vectors.
#[derive(Debug)]
pub struct Cells<'p> {
    points: &'p Points,
    /// The sample in the middle of each cell.
    middles: Vec<usize>,
    /// A few of the middles, each with the cells around it.
    gates: Vec<(usize, Vec<usize>)>,
}

impl<'p> Cells<'p> {
    /// Makes cells; few vectors are in one together. `dice` is a number for each vector that is its own:
    /// which of them are in the middle depends on nothing else, so that cells stay where they are when
    /// others come and go.
    pub fn new(points: &'p Points, dice: &[u64]) -> Self {
        let is_few = points.len() <= FEW;
        let chosen = |at: &usize| !is_few && dice[*at].is_multiple_of(CELL);
        let middles: Vec<usize> = (0..points.len()).filter(chosen).collect();
        let among = (middles.len().isqrt() as u64).next_power_of_two();
        let is_gate = |at: &usize| (dice[*at] / CELL).is_multiple_of(among);
        let gates = middles.iter().copied().filter(is_gate);
        let mut gates: Vec<(usize, Vec<usize>)> = gates.map(|at| (at, Vec::new())).collect();
        if gates.is_empty() {
            gates.extend(middles.first().map(|at| (*at, Vec::new())));
        }
        for (cell, middle) in middles.iter().enumerate() {
            let wide = points.wide(*middle);
            let nearest = best(gates.iter().map(|(gate, _)| points.near(&wide, *gate)), 1);
            if let Some(at) = nearest.first() {
                gates[*at].1.push(cell);
            }
        }
        Self { points, middles, gates }
    }

    /// Returns the cells around a vector, nearest first. It depends on nothing but the vectors, so
    /// do it on as many threads as there are.
    pub fn around(&self, at: usize) -> Vec<u32> {
        if self.middles.is_empty() {
            return vec![0];
        }
        let wide = self.points.wide(at);
        let gates = self.gates.iter().map(|(gate, _)| self.points.near(&wide, *gate));
        let cells: Vec<usize> =
            best(gates, GATES).into_iter().flat_map(|gate| self.gates[gate].1.clone()).collect();
        let near = cells.iter().map(|cell| self.points.near(&wide, self.middles[*cell]));
        let nearest = best(near, PROBES).into_iter();
        nearest.filter_map(|at| u32::try_from(cells[at]).ok()).collect()
    }

    /// Lets every vector join a leader that is at least `threshold` near, or lead. `around` is what
    /// [`Self::around`] says of each; `may_join` tells of a leader and another whether they may be together.
    pub fn groups(
        &self,
        around: &[Vec<u32>],
        threshold: f32,
        may_join: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Place> {
        let mut leaders: Vec<Vec<usize>> = vec![Vec::new(); self.middles.len().max(1)];
        let mut places = Vec::with_capacity(self.points.len());
        for (at, cells) in around.iter().enumerate() {
            let wide = self.points.wide(at);
            let mut place: Option<Place> = None;
            for leader in cells.iter().flat_map(|cell| &leaders[*cell as usize]) {
                let near = self.points.near(&wide, *leader);
                let is_better = place.is_none_or(|best| {
                    near > best.near || (near >= best.near && *leader < best.leader)
                });
                if near >= threshold && is_better && may_join(*leader, at) {
                    place = Some(Place { leader: *leader, near });
                }
            }
            if place.is_none() {
                // In more than one cell, for those on the other side of a border.
                for cell in cells.iter().take(HOMES) {
                    leaders[*cell as usize].push(at);
                }
            }
            places.push(place.unwrap_or(Place { leader: at, near: 1.0 }));
        }
        places
    }
}

/// Returns the places of the greatest, greatest first; of equals the first.
fn best(values: impl Iterator<Item = f32>, count: usize) -> Vec<usize> {
    let mut all: Vec<(f32, usize)> = values.enumerate().map(|(at, value)| (value, at)).collect();
    let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if count < all.len() {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator, so that the test needs no crate for it.
    fn noise(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        #[expect(clippy::cast_precision_loss, reason = "24 bits")]
        let unit = (*seed >> 40) as f32 / (1_u64 << 24) as f32;
        unit - 0.5
    }

    /// Topics with some members each: near their topic, far from others.
    fn flock(topics: usize, each: usize) -> (Points, Vec<usize>) {
        let mut seed = 7;
        let mut points = Points::default();
        let centres: Vec<Vec<f32>> =
            (0..topics).map(|_| (0..64).map(|_| noise(&mut seed)).collect()).collect();
        let mut truth = Vec::new();
        for _ in 0..each {
            for (topic, centre) in centres.iter().enumerate() {
                let near: Vec<f32> =
                    centre.iter().map(|value| value + 0.25 * noise(&mut seed)).collect();
                points.push(&Packed::new(&near));
                truth.push(topic);
            }
        }
        (points, truth)
    }

    fn grouped(points: &Points) -> Vec<Place> {
        let dice: Vec<u64> =
            (0..points.len() as u64).map(|at| crate::terms::scattered(at, 1)).collect();
        let cells = Cells::new(points, &dice);
        let around: Vec<Vec<u32>> = (0..points.len()).map(|at| cells.around(at)).collect();
        cells.groups(&around, 0.8, &|_, _| true)
    }

    #[test]
    fn members_find_their_leader_among_few_and_among_many() {
        for (topics, each) in [(50, 6), (1500, 6)] {
            let (points, truth) = flock(topics, each);
            let places = grouped(&points);
            let right = places
                .iter()
                .enumerate()
                .filter(|(at, place)| truth[place.leader] == truth[*at] && place.leader < topics)
                .count();
            assert!(right * 100 >= places.len() * 95, "{right} of {}", places.len());
            assert!(places.iter().enumerate().all(|(at, place)| truth[place.leader] == truth[at]));
        }
    }

    #[test]
    fn the_same_vectors_are_grouped_alike() {
        let (points, _) = flock(700, 5);
        assert_eq!(grouped(&points), grouped(&points));
    }

    #[test]
    fn who_may_not_join_leads() {
        let (points, _) = flock(1, 3);
        let cells = Cells::new(&points, &[0; 3]);
        let around: Vec<Vec<u32>> = (0..3).map(|at| cells.around(at)).collect();
        let places = cells.groups(&around, 0.8, &|_, at| at != 2);
        assert_eq!(places.iter().map(|place| place.leader).collect::<Vec<_>>(), [0, 0, 2]);
    }
}
