//! The rules of engram 0.5.2 ("the original"), as it documents them, over the same recall: how
//! important something is feeds on itself, every answer on the page counts as used, what contradicts
//! stays, and a cluster becomes its most important member.
//!
//! Left out, in its favour: the noise on its scores, drift, and cards that multiply.

use jiff::Timestamp;
use quipu_core::item::{Item, Layer};
use quipu_core::lifecycle;
use quipu_testkit::year::Dice;
use quipu_testkit::year::life::Knower;

const HALVING: f64 = 0.693;
const SAME_TOPIC: f32 = 0.8;
const LEAST: usize = 5;
const PROBES: usize = 5;

/// One of its rows.
struct Row {
    /// The statement whose words it has.
    statement: usize,
    text: String,
    layer: Layer,
    trust: f64,
    importance: f64,
    created: Timestamp,
    last_accessed: Timestamp,
    accesses: u32,
    confirmations: u32,
    pinned: bool,
    is_forgotten: bool,
    /// The row that it was merged into.
    into: Option<usize>,
}

/// A memory by the original's rules.
pub(super) struct Original {
    rows: Vec<Row>,
    vectors: Vec<Vec<f32>>,
    /// The rows that are near each.
    near: Vec<Vec<usize>>,
    /// The row of each statement.
    own: Vec<usize>,
    dice: Dice,
}

fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0) / 86_400.0
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(f32::MIN_POSITIVE)
}

impl Row {
    fn retention(&self, now: Timestamp) -> f64 {
        let half_life = 30.0 / (1.0 + 2.0 * (1.0 - self.trust));
        let t = days(self.last_accessed, now) / half_life;
        let turn = libm::exp(-HALVING * 0.5);
        let left = if t <= 0.5 {
            libm::exp(-HALVING * t)
        } else {
            (turn - HALVING * turn * (t - 0.5)).max(0.0)
        };
        let used = (0.05 * libm::log(1.0 + f64::from(self.accesses))).min(0.3);
        (left + if self.accesses > 0 { used } else { 0.0 }).min(1.0)
    }

    /// The eight terms; the base is what came out last time.
    fn recomputed(&self, now: Timestamp) -> f64 {
        let uses = f64::from(self.accesses);
        let span = days(self.created, self.last_accessed).max(1.0);
        let stability = if uses > 0.0 { (uses / (span + 1.0)).min(1.0) } else { 0.0 };
        let layer = match self.layer {
            Layer::Semantic => 0.3,
            Layer::Procedural => 0.2,
            Layer::Episodic => 0.1,
            Layer::Working | Layer::Codebase => 0.0,
        };
        let recency = libm::exp(-HALVING * days(self.last_accessed, now) / 30.0);
        let confirmed = (0.05 * libm::log(1.0 + f64::from(self.confirmations))).min(0.2);
        let sum = 0.25 * self.importance
            + 0.12 * (0.1 * libm::log(1.0 + uses)).min(1.0)
            + 0.12 * recency
            + 0.08 * stability
            + 0.15 * layer
            + 0.10 * self.trust
            + 0.10 * confirmed;
        sum.clamp(0.0, 1.0)
    }

    fn may_be_forgotten(&self, now: Timestamp) -> bool {
        !self.pinned
            && days(self.created, now) > 90.0
            && self.retention(now) < 0.15
            && self.importance < 0.3
            && self.accesses < 3
    }
}

impl Original {
    pub(super) fn new(seed: u64) -> Self {
        let dice = Dice::new(seed);
        Self { rows: Vec::new(), vectors: Vec::new(), near: Vec::new(), own: Vec::new(), dice }
    }

    /// Takes the next statement, as it was weighed; `duplicate_of` says the same.
    pub(super) fn tell(&mut self, item: &Item, vector: Vec<f32>, duplicate_of: Option<usize>) {
        if let Some(first) = duplicate_of {
            let row = self.own[first];
            self.rows[row].confirmations += 1;
        }
        let row = Row {
            statement: self.own.len(),
            text: item.text.clone(),
            layer: item.layer,
            trust: lifecycle::trust(item.source),
            importance: f64::from(item.importance),
            created: item.time,
            last_accessed: item.time,
            accesses: 0,
            confirmations: 0,
            pinned: item.pinned,
            is_forgotten: false,
            into: None,
        };
        self.own.push(self.rows.len());
        self.add(row, vector);
    }

    fn add(&mut self, row: Row, vector: Vec<f32>) {
        let is_near = |at: &usize| cosine(&self.vectors[*at], &vector) >= SAME_TOPIC;
        let near: Vec<usize> = (0..self.rows.len()).filter(is_near).collect();
        for other in &near {
            self.near[*other].push(self.rows.len());
        }
        self.near.push(near);
        self.rows.push(row);
        self.vectors.push(vector);
    }

    /// Returns the row that stands for a statement.
    fn standing(&self, statement: usize) -> usize {
        let mut at = self.own[statement];
        while let Some(into) = self.rows[at].into {
            at = into;
        }
        at
    }

    /// Tells whether a statement, or what it was merged into, is there.
    pub(super) fn is_active(&self, statement: usize) -> bool {
        !self.rows[self.standing(statement)].is_forgotten
    }

    /// Ranks what was found by its own boosts, notes that all of the page was used, and returns the
    /// statement that comes first.
    pub(super) fn answer(&mut self, found: &[(usize, f32)], now: Timestamp) -> Option<usize> {
        let mut page: Vec<(f64, usize)> = Vec::new();
        for (statement, score) in found {
            let at = self.standing(*statement);
            let row = &self.rows[at];
            // A merged row has the words of one member, and is found by those alone.
            if row.is_forgotten || row.statement != *statement {
                continue;
            }
            let mut boost = 0.8 + 0.4 * row.importance;
            if row.layer == Layer::Episodic {
                boost *= 0.5 + 0.5 * libm::exp(-HALVING * days(row.created, now) / 30.0);
            }
            boost *= 1.0 + 0.1 * libm::log(1.0 + f64::from(row.accesses));
            page.push((f64::from(*score) * boost, at));
        }
        page.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        page.truncate(10);
        for (_, at) in &page {
            self.rows[*at].accesses += 1;
            self.rows[*at].last_accessed = now;
        }
        page.first().map(|(_, at)| self.rows[*at].statement)
    }

    /// Consolidates. `is_true` knows which statements hold.
    pub(super) fn dream(
        &mut self,
        now: Timestamp,
        judge: Option<&Knower>,
        is_true: &dyn Fn(usize) -> bool,
    ) {
        for row in self.rows.iter_mut().filter(|row| !row.is_forgotten) {
            if !matches!(row.layer, Layer::Episodic | Layer::Working) {
                continue;
            }
            if row.may_be_forgotten(now) {
                row.is_forgotten = true;
                continue;
            }
            if row.layer == Layer::Working && days(row.created, now) * 24.0 > 0.5 {
                row.layer = Layer::Episodic;
            } else if row.importance >= 0.7 && row.accesses >= 5 {
                row.layer = Layer::Semantic;
            }
            let new = row.recomputed(now);
            if (new - row.importance).abs() > 0.01 {
                row.importance = new;
            }
        }
        self.merge(now);
        if let Some(judge) = judge {
            self.probe(now, judge, is_true);
        }
    }

    fn merge(&mut self, now: Timestamp) {
        let mut taken = vec![false; self.rows.len()];
        let mut clusters: Vec<Vec<usize>> = Vec::new();
        for first in 0..self.rows.len() {
            if taken[first] || self.rows[first].is_forgotten {
                continue;
            }
            let free = |at: &usize| *at > first && !taken[*at] && !self.rows[*at].is_forgotten;
            let mut cluster = vec![first];
            cluster.extend(self.near[first].iter().copied().filter(free));
            for at in &cluster {
                taken[*at] = true;
            }
            if cluster.len() >= LEAST {
                clusters.push(cluster);
            }
        }
        for cluster in clusters {
            let more = |a: &usize, b: &usize| {
                self.rows[*a].importance.total_cmp(&self.rows[*b].importance).then(b.cmp(a))
            };
            let Some(best) = cluster.iter().copied().max_by(|a, b| more(a, b)) else { continue };
            let row = Row {
                statement: self.rows[best].statement,
                text: self.rows[best].text.clone(),
                layer: Layer::Semantic,
                trust: 0.4,
                importance: self.rows[best].importance,
                created: now,
                last_accessed: now,
                accesses: 0,
                confirmations: 0,
                pinned: false,
                is_forgotten: false,
                into: None,
            };
            let into = self.rows.len();
            for at in cluster {
                self.rows[at].is_forgotten = true;
                self.rows[at].into = Some(into);
            }
            self.add(row, self.vectors[best].clone());
        }
    }

    /// Asks about a few old beliefs; what is wrong becomes less important, and stays.
    fn probe(&mut self, now: Timestamp, judge: &Knower, is_true: &dyn Fn(usize) -> bool) {
        let mut old: Vec<usize> = (0..self.rows.len())
            .filter(|at| {
                let row = &self.rows[*at];
                !row.is_forgotten
                    && matches!(row.layer, Layer::Semantic | Layer::Procedural)
                    && days(row.last_accessed, now) > 14.0
            })
            .collect();
        for _ in 0..PROBES.min(old.len()) {
            let at = old.swap_remove(self.dice.below(old.len()));
            let row = &mut self.rows[at];
            if judge.answers(&row.text) && !is_true(row.statement) {
                row.importance = (row.importance * 0.7).max(0.1);
            }
        }
    }
}
