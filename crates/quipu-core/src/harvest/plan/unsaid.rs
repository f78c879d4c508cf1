//! What documents no longer say.

use std::collections::{BTreeMap, BTreeSet};

use super::super::alike::{Alike, Sharing};
use super::super::{LONGEST, MOST_PLANS, path_of};
use super::old::planned;
use super::{Action, Gist, Looked, Old, Planner, Proposal, gone};
use crate::prose::{bare, sentences};

impl Planner<'_, '_> {
    /// Retires what stood in a document that is gone, and what a document no longer says or lists.
    pub(super) fn retire_unsaid(&mut self, looked: &Looked) {
        let mut unsaid = Vec::new();
        let now = Now::of(&looked.proposals);
        let mut written: BTreeMap<&str, Written> = BTreeMap::new();
        for old in
            self.old.all.iter().filter(|old| old.is_live && (!old.is_thread || old.is_plan()))
        {
            let path = path_of(&old.source);
            if looked.gone.contains(path) {
                // A document that was moved says it elsewhere.
                if !now.saying(old).into_iter().any(|at| looked.proposals[at].status.holds()) {
                    unsaid.push(gone(old, "its document is gone"));
                }
                continue;
            }
            if !looked.read.contains(path) {
                continue;
            }
            let said = now.saying(old).into_iter().map(|at| &looked.proposals[at]);
            if said.into_iter().any(|one| one.path() == path) || now.plans(old) {
                continue;
            }
            if old.is_thread {
                let held = now.held.get(path).copied().unwrap_or_default();
                if held < MOST_PLANS {
                    unsaid.push(gone(old, "its document no longer lists it"));
                }
            } else if let Some(text) = looked.texts.get(path)
                && !is_still_written(
                    old,
                    &now,
                    written.entry(path).or_insert_with(|| Written::of(text)),
                )
            {
                unsaid.push(gone(old, "its document no longer says it"));
            }
        }
        for (id, proposal) in unsaid {
            self.push(id, Action::Retire, &proposal, Vec::new());
        }
    }
}

/// What documents say now, and how it is found.
pub(super) struct Now<'p> {
    proposals: &'p [Proposal],
    gists: Vec<Gist>,
    alike: Alike,
    by_mark: BTreeMap<String, Vec<usize>>,
    by_name: BTreeMap<(&'p str, String), Vec<usize>>,
    sources: BTreeSet<&'p str>,
    /// How much of what a document says holds.
    held: BTreeMap<&'p str, usize>,
}

impl<'p> Now<'p> {
    pub(super) fn of(proposals: &'p [Proposal]) -> Self {
        let gists: Vec<Gist> = proposals.iter().map(|one| Gist::of(&one.text)).collect();
        let alike = Alike::new(gists.iter().enumerate());
        let mut by_mark: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut by_name: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
        let mut held: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, one) in proposals.iter().enumerate() {
            by_mark.entry(one.mark()).or_default().push(at);
            by_name.entry((one.path(), bare(&one.name))).or_default().push(at);
            *held.entry(one.path()).or_default() += usize::from(one.status.holds());
        }
        let sources = proposals.iter().map(|one| one.source.as_str()).collect();
        Self { proposals, gists, alike, by_mark, by_name, sources, held }
    }

    /// Returns the proposals that say what a fact says, in order.
    pub(super) fn saying(&self, old: &Old) -> BTreeSet<usize> {
        let mut found = self.alike.find(&old.gist);
        found.retain(|at| self.gists[*at].is_like(&old.gist));
        found.extend(self.by_mark.get(&old.mark).into_iter().flatten());
        found
    }

    /// Tells whether a proposal is about the same plan.
    fn plans(&self, old: &Old) -> bool {
        let key = (old.path(), bare(planned(&old.words)));
        let named = self.by_name.get(&key).into_iter().flatten();
        named.into_iter().any(|at| old.is_same_plan(&self.proposals[*at]))
    }
}

/// What a document says in any words.
struct Written {
    gists: Vec<Gist>,
    words: Sharing,
}

impl Written {
    fn of(text: &str) -> Self {
        let mut gists = Vec::new();
        for unit in units(text) {
            let whole = (unit.chars().count() <= LONGEST).then_some(unit.as_str());
            gists.extend(whole.into_iter().chain(sentences(&unit)).map(Gist::of));
        }
        let words = Sharing::new(Gist::HELD, gists.iter().enumerate());
        Self { gists, words }
    }

    /// Tells whether most of a text stands somewhere.
    fn holds(&self, gist: &Gist) -> bool {
        // What has no words stands everywhere.
        if gist.telling.is_empty() {
            return self.gists.iter().any(|said| gist.is_mostly_in(said));
        }
        let found = self.words.find(gist, Gist::MOSTLY);
        found.into_iter().any(|at| gist.is_mostly_in(&self.gists[at]))
    }
}

/// Tells whether a document may still say a fact in words that a harvest does not take, or takes in
/// another way than it did.
fn is_still_written(old: &Old, now: &Now<'_>, written: &Written) -> bool {
    // Somebody's own words cannot be looked for; the place can.
    if old.kind.is_none() && now.sources.contains(old.source.as_str()) {
        return true;
    }
    written.holds(&Gist::of(without_lead(&old.words)))
}

/// Returns what is no goal, without the words that say so.
fn without_lead(words: &str) -> &str {
    let is_non_goal = words.starts_with("Not planned:") || words.starts_with("Not a goal of ");
    words.split_once(": ").filter(|_| is_non_goal).map_or(words, |(_, said)| said)
}

/// Returns a document's paragraphs, list items, headings and rows.
fn units(text: &str) -> Vec<String> {
    let mut units: Vec<String> = vec![String::new()];
    for line in text.lines() {
        let line = line.trim();
        let begins = line.starts_with(['-', '*', '+', '#', '|', '>', '='])
            || line.starts_with(|c: char| c.is_ascii_digit());
        if line.is_empty() || begins || units.last().is_some_and(|unit| unit.starts_with('#')) {
            units.push(String::new());
        }
        if let Some(unit) = units.last_mut().filter(|_| !line.is_empty()) {
            unit.push_str(line);
            unit.push(' ');
        }
    }
    units.retain(|unit| !unit.trim().is_empty());
    units
}
