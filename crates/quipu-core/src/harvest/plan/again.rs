//! What documents say again, and what they say at another place now.

use std::collections::BTreeSet;

use super::super::{Kind, path_of};
use super::unsaid::Now;
use super::{Action, Gist, Looked, Old, Planner, Proposal};

impl Planner<'_, '_> {
    /// Brings back what documents took back once and say again.
    ///
    /// What a person ended stays so: only what a document ended comes back with it.
    pub(super) fn bring_back(&mut self) {
        for proposal in std::mem::take(&mut self.silent) {
            let mark = proposal.mark();
            let same = self.old.of_mark(proposal.path(), &mark);
            let dead: Vec<&Old> = same.filter(|old| old.is_of(&proposal)).collect();
            if !dead.iter().any(|old| old.is_ended || self.has_lost_successor(old)) {
                continue;
            }
            self.plan.known -= 1;
            let closed = dead.iter().rev().find(|old| old.is_thread && !old.is_archived);
            if let Some(id) = closed.map(|old| old.id.clone()) {
                self.push(id, Action::Restore, &proposal, Vec::new());
                continue;
            }
            let supersedes = self.claimed(&proposal);
            self.say(Gist::of(&proposal.text));
            let id = self.name(&proposal);
            self.push(id, Action::Restore, &proposal, supersedes);
        }
    }

    /// Tells whether what took a fact's place holds no more, by the word of its own document.
    fn has_lost_successor(&self, old: &Old) -> bool {
        let Some(successor) = &old.superseded_by else { return false };
        let is_retired =
            self.plan.steps.iter().any(|s| s.action == Action::Retire && s.id == *successor);
        let Some(by) = self.old.with_id(successor) else { return false };
        let path = path_of(&by.source);
        let has_heir = self.at_source.keys().any(|source| path_of(source) == path);
        (is_retired || by.is_ended) && !has_heir && path != path_of(&old.source)
    }

    /// Lets facts follow documents that were moved.
    pub(super) fn follow(&mut self, looked: &Looked) {
        let mut moved: Vec<(String, Proposal)> = Vec::new();
        let gone = |old: &&Old| old.is_live && looked.gone.contains(path_of(&old.source));
        let mut now = None;
        for old in self.old.all.iter().filter(gone) {
            let now = now.get_or_insert_with(|| Now::of(&looked.proposals));
            let is_free = |one: &Proposal| {
                let is_there = |other: &Old| other.is_live && other.path() == one.path();
                !self.old.like(&old.gist).any(is_there)
            };
            let said = now.saying(old).into_iter().map(|at| &looked.proposals[at]);
            let found = said.into_iter().find(|one| {
                one.status.holds() && old.is_thread == (one.kind == Kind::Plan) && is_free(one)
            });
            if let Some(found) = found {
                let why = format!("its document was {}", path_of(&old.source));
                moved.push((old.id.clone(), Proposal { why, ..found.clone() }));
            }
        }
        for (id, proposal) in moved {
            self.push(id, Action::Move, &proposal, Vec::new());
        }
    }

    /// Notes which facts end by the word of their own documents: these come back with it.
    pub(super) fn note_ended(&mut self) {
        let steps = self.plan.steps.iter().filter(|step| step.action == Action::Retire);
        let retired: BTreeSet<String> = steps.map(|step| step.id.clone()).collect();
        for step in &mut self.plan.steps {
            let path = step.proposal.path();
            let is_own = |id: &&String| {
                let old = self.old.with_id(id);
                retired.contains(*id) || old.is_some_and(|old| path_of(&old.source) == path)
            };
            let own: Vec<String> = step.supersedes.iter().filter(is_own).cloned().collect();
            step.ended = if step.action == Action::Retire { vec![step.id.clone()] } else { own };
        }
    }
}
