//! The order of answers: everything between a search and what somebody reads, in one sequence.
//!
//! 1. The store orders by score; `quipu_core::rank` says what counts.
//! 2. [`overtaken`] puts what overtook a doubted memory before it, and takes out what is doubted for
//!    another reason. Where that leaves gaps, a wider search fills them.
//! 3. [`faded`] takes out what a person put away, where a question about the past looked at it.
//! 4. [`exchange`] orders the turns of conversations: who asks, who answers, who said how they want things
//!    ([`standing`]); where many are asked for, those of one session are not all there is ([`spread`]).
//! 5. The first ten are ordered by score and by evidence (`super::judge`).
//! 6. [`newer`] puts what something has become before what it was.
//! 7. [`successors`] puts what replaced an answer before it.
//! 8. Answers that fit into the budget are kept, and of these as many as were asked for.
//!
//! A question about what was so at a time (`as_of`) goes without steps 6 and 7, and without the
//! order of step 2. Who calls Quipu may leave answers out, and never puts them in another order.

mod exchange;
mod faded;
mod newer;
mod overtaken;
mod spread;
mod standing;
mod successors;

use std::collections::HashMap;

use quipu_core::item::{Item, Kind, Status};
use quipu_core::rank::intent;
use quipu_core::text;
use quipu_store::{Filter, Found, Hit, Search, Store};

use super::judge::{Judge, Judged};
use super::known::Known;
use super::{Answer, Question, Telling, answer, chain};
use crate::error::Error;
use crate::workspace::Workspace;

/// More results than anyone can read.
const MOST_RESULTS: usize = 1000;

/// So much of an answer's score a unit of the evidence's weight is worth. A turn of a conversation is
/// ordered by its exchange.
const BLEND: f32 = 1.0;

/// More or less evidence than this makes no more difference.
const STRONGEST: f32 = 4.0;

/// How the answers of one question are ordered.
pub(super) struct Ranking<'a> {
    pub(super) workspace: &'a Workspace,
    store: &'a dyn Store,
    question: &'a Question,
    filter: Filter,
    /// Whether what faded is looked at, which nobody asked for by name.
    looks_back: bool,
    /// Whether what is doubted is looked at, which nobody asked for by name.
    looks_at_doubted: bool,
    /// Whether code is left out, because nobody asked about it.
    leaves_code_out: bool,
}

impl<'a> Ranking<'a> {
    /// Decides what is looked at beside what `filter` lets through.
    pub(super) fn new(
        workspace: &'a Workspace,
        store: &'a dyn Store,
        question: &'a Question,
        mut filter: Filter,
        speaks_of_a_time: bool,
    ) -> Self {
        let looks_back = faded::look_back(question, speaks_of_a_time, &mut filter);
        let looks_at_doubted = overtaken::look_at_doubted(question, &mut filter);
        let leaves_code_out = leave_code_out(question, &mut filter);
        Self { workspace, store, question, filter, looks_back, looks_at_doubted, leaves_code_out }
    }

    /// Returns which items are looked at.
    pub(super) fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Returns how many items are looked at.
    pub(super) fn limit(&self) -> usize {
        // The page is ordered as a whole, so that fewer answers are the same ones.
        let count = if self.count() == 0 { 0 } else { self.count().max(exchange::POOL) };
        // Under a budget the shorter of more answers may fit.
        let wanted = if self.question.budget.is_some() { count.saturating_mul(4) } else { count };
        // What was replaced needs what replaced it beside it, and what somebody put away is taken
        // out, so more are looked at.
        let looks_further = self.looks_back || self.question.include.contains(&Status::Superseded);
        if looks_further && count > 0 { further(wanted) } else { wanted }
    }

    /// Returns what lets code through, where nobody asked about code and it was left out for that.
    pub(super) fn code_filter(&self) -> Option<Filter> {
        self.leaves_code_out.then(|| Filter { kinds: vec![Kind::Code], ..self.filter.clone() })
    }

    /// Returns what lets through what was put away or replaced, where nobody asked for that.
    pub(super) fn gone_filter(&self) -> Option<Filter> {
        let wanted = &self.question.include;
        let statuses: Vec<Status> = [Status::Superseded, Status::Archived]
            .into_iter()
            .filter(|status| !wanted.contains(status) && !self.filter.statuses.contains(status))
            .collect();
        let is_there = !statuses.is_empty() && self.question.as_of.is_none();
        is_there.then(|| Filter { statuses, ..self.filter.clone() })
    }

    /// Searches, and takes out what a person put away.
    pub(super) fn hits(&self, search: &Search) -> Result<Vec<Hit>, Error> {
        faded::without_forgotten(self.store, self.store.search(search)?.hits)
    }

    /// Returns how many answers are asked for.
    pub(super) fn count(&self) -> usize {
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
        hits: Vec<Hit>,
        telling: Telling,
        judge: &Judge,
        known: &mut Known<'_>,
    ) -> Result<(Vec<Answer>, usize), Error> {
        let hits = if self.looks_back { faded::without_forgotten(self.store, hits)? } else { hits };
        let before = exchange::before(&hits);
        let items: Vec<&Item> = hits.iter().map(|hit| &hit.item).collect();
        let chains = chain::visible(known, &items, &self.filter)?;
        let hits = hits.into_iter().zip(chains);
        let mut answers: Vec<Answer> =
            hits.map(|(hit, chain)| answer(hit, chain, telling)).collect();
        let pool = answers.len().min(exchange::POOL);
        let turns = judge.turns(self.workspace, &answers[..pool]);
        let mut exchanges = exchange::worth(&answers[..pool], &before, &turns);
        if !exchanges.is_empty() {
            if spread::asks_for_many(&self.question.query) {
                spread::spread(&answers[..pool], &mut exchanges);
            }
            let value = |answer: &Answer, (): &()| valued(answer, &exchanges);
            order(&mut answers, vec![(); pool], value);
        }
        let mut judged = judge.judge(self.workspace, &mut answers);
        // What is like a text, or an experience, is asked for by the text as a whole.
        if judge.orders() && !self.question.experiences {
            judged = order(&mut answers, judged, |answer, judged: &Judged| {
                let is_turn = answer.source.speaker.is_some();
                let evidence = judged.weight.clamp(-STRONGEST, STRONGEST);
                valued(answer, &exchanges) + if is_turn { 0.0 } else { BLEND * evidence }
            });
        }
        if self.question.as_of.is_none() && !judge.is_bare() {
            newer::newer_first(self.store, judge, &mut judged, &mut answers)?;
        }
        if self.question.as_of.is_none() {
            successors::successors_first(known, &mut answers, &self.filter)?;
        }
        let count = self.count();
        let left_out = self.question.budget.map_or(0, |budget| cut_to(budget, count, &mut answers));
        answers.truncate(count);
        Ok((answers, left_out))
    }
}

/// Leaves code out of what is looked at, where a question is not about code; tells whether it did so.
fn leave_code_out(question: &Question, filter: &mut Filter) -> bool {
    let says_what = !question.kinds.is_empty() || !question.layers.is_empty();
    if says_what || intent::asks_about_code(&question.query) {
        return false;
    }
    if filter.kinds.is_empty() {
        filter.kinds.extend(Kind::ALL);
    }
    filter.kinds.retain(|kind| *kind != Kind::Code);
    true
}

/// Returns the score of an answer with what its exchange is worth.
fn valued(answer: &Answer, exchanges: &HashMap<String, f32>) -> f32 {
    answer.score + exchanges.get(&answer.id).copied().unwrap_or_default()
}

/// Orders the first answers, as many as `with` has something for, by value; highest first. What is doubted
/// stays behind what overtook it.
fn order<T>(answers: &mut Vec<Answer>, with: Vec<T>, value: impl Fn(&Answer, &T) -> f32) -> Vec<T> {
    let rest = answers.split_off(with.len());
    let mut groups: Vec<Vec<(Answer, T)>> = Vec::new();
    for (answer, with) in answers.drain(..).zip(with) {
        let follows = answer.status == Status::Challenged;
        match groups.last_mut().filter(|_| follows) {
            Some(group) => group.push((answer, with)),
            None => groups.push(vec![(answer, with)]),
        }
    }
    let best = |group: &[(Answer, T)]| {
        group.iter().map(|(answer, with)| value(answer, with)).fold(f32::MIN, f32::max)
    };
    // Equal ones stay in their order.
    groups.sort_by(|a, b| best(b).total_cmp(&best(a)));
    let (mut ordered, with): (Vec<Answer>, Vec<T>) = groups.into_iter().flatten().unzip();
    ordered.extend(rest);
    *answers = ordered;
    with
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
