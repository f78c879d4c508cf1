//! The order of answers: everything between a search and what somebody reads, in one sequence.
//!
//! 1. The store orders by score; `quipu_core::rank` says what counts.
//! 2. [`overtaken`] puts what overtook a doubted memory before it, and takes out what is doubted for
//!    another reason. Where that leaves gaps, a wider search fills them.
//! 3. [`faded`] takes out what a person put away, where a question about the past looked at it.
//! 4. [`newer`] puts the newer of two answers that cannot both hold first.
//! 5. [`successors`] puts what replaced an answer before it.
//! 6. Answers that fit into the budget are kept, and of these as many as were asked for.
//!
//! A question about what was so at a time (`as_of`) goes without steps 4 and 5, and without the
//! order of step 2. Who calls Quipu may leave answers out, and never puts them in another order.

mod faded;
mod newer;
mod overtaken;
mod successors;

use quipu_core::item::{Item, Status};
use quipu_core::text;
use quipu_store::{Filter, Found, Hit, Search, Store};

use super::known::Known;
use super::{Answer, Question, Telling, answer, chain};
use crate::error::Error;

/// More results than anyone can read.
const MOST_RESULTS: usize = 1000;

/// How the answers of one question are ordered.
pub(super) struct Ranking<'a> {
    store: &'a dyn Store,
    question: &'a Question,
    filter: Filter,
    /// Whether what faded is looked at, which nobody asked for by name.
    looks_back: bool,
    /// Whether what is doubted is looked at, which nobody asked for by name.
    looks_at_doubted: bool,
}

impl<'a> Ranking<'a> {
    /// Decides what is looked at beside what `filter` lets through.
    pub(super) fn new(
        store: &'a dyn Store,
        question: &'a Question,
        mut filter: Filter,
        speaks_of_a_time: bool,
    ) -> Self {
        let looks_back = faded::look_back(question, speaks_of_a_time, &mut filter);
        let looks_at_doubted = overtaken::look_at_doubted(question, &mut filter);
        Self { store, question, filter, looks_back, looks_at_doubted }
    }

    /// Returns which items are looked at.
    pub(super) fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Returns how many items are looked at.
    pub(super) fn limit(&self) -> usize {
        let count = self.count();
        // Under a budget the shorter of more answers may fit.
        let wanted = if self.question.budget.is_some() { count.saturating_mul(4) } else { count };
        // What was replaced needs what replaced it beside it, and what somebody put away is taken
        // out, so more are looked at.
        let looks_further = self.looks_back || self.question.include.contains(&Status::Superseded);
        if looks_further && count > 0 { further(wanted) } else { wanted }
    }

    fn count(&self) -> usize {
        self.question.count.unwrap_or(10).min(MOST_RESULTS)
    }

    /// Searches, and puts what overtook something before it.
    pub(super) fn found(&self, search: &Search, known: &mut Known<'_>) -> Result<Found, Error> {
        let mut found = self.store.search(search)?;
        if !self.looks_at_doubted {
            return Ok(found);
        }
        let (hits, took_out) = overtaken::newer_before(known, found.hits, &self.filter)?;
        found.hits = hits;
        // Few are doubted, so what they leave over is looked for only where they are.
        if took_out {
            let wider = Search { limit: further(search.limit), ..search.clone() };
            let more = self.store.search(&wider)?.hits;
            found.hits = overtaken::newer_before(known, more, &self.filter)?.0;
        }
        Ok(found)
    }

    /// Returns the answers in their order, and how many did not fit into the budget.
    pub(super) fn answers(
        &self,
        query: &str,
        hits: Vec<Hit>,
        telling: Telling,
        known: &mut Known<'_>,
    ) -> Result<(Vec<Answer>, usize), Error> {
        let hits = if self.looks_back { faded::without_forgotten(self.store, hits)? } else { hits };
        let items: Vec<&Item> = hits.iter().map(|hit| &hit.item).collect();
        let chains = chain::visible(known, &items, &self.filter)?;
        let hits = hits.into_iter().zip(chains);
        let mut answers: Vec<Answer> =
            hits.map(|(hit, chain)| answer(hit, chain, telling)).collect();
        if self.question.as_of.is_none() {
            newer::newer_first(query, &mut answers);
            successors::successors_first(known, &mut answers, &self.filter)?;
        }
        let count = self.count();
        let left_out = self.question.budget.map_or(0, |budget| cut_to(budget, count, &mut answers));
        answers.truncate(count);
        Ok((answers, left_out))
    }
}

/// Returns how many items are looked at where some of them may be taken out.
fn further(limit: usize) -> usize {
    limit.saturating_mul(3).saturating_add(50)
}

/// Keeps what fits into `budget` tokens, whole answers only; returns how many of the first `count` did
/// not.
fn cut_to(budget: usize, count: usize, results: &mut Vec<Answer>) -> usize {
    let before = results.len().min(count);
    let mut left = budget;
    results.retain(|answer| {
        let cost = text::tokens(&answer.text);
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    });
    before.saturating_sub(results.len())
}
