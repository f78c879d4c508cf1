//! What documents no longer say.

use super::super::sentence::sentences;
use super::super::{LONGEST, MOST_PLANS, path_of};
use super::{Action, Gist, Looked, Old, Planner, Proposal, gone};

impl Planner<'_, '_> {
    /// Retires what stood in a document that is gone, and what a document no longer says or lists.
    pub(super) fn retire_unsaid(&mut self, looked: &Looked) {
        let mut unsaid = Vec::new();
        for old in self.old.iter().filter(|old| old.is_live && (!old.is_thread || old.is_plan())) {
            let path = path_of(&old.source);
            let is_said_now =
                |one: &&Proposal| one.mark() == old.mark || Gist::of(&one.text).is_like(&old.gist);
            if looked.gone.contains(path) {
                // A document that was moved says it elsewhere.
                if !looked.proposals.iter().any(|one| one.status.holds() && is_said_now(&one)) {
                    unsaid.push(gone(old, "its document is gone"));
                }
                continue;
            }
            if !looked.read.contains(path) {
                continue;
            }
            let here: Vec<&Proposal> =
                looked.proposals.iter().filter(|one| one.path() == path).collect();
            if here.iter().any(|one| is_said_now(one) || old.is_same_plan(one)) {
                continue;
            }
            if old.is_thread {
                let is_full = here.iter().filter(|one| one.status.holds()).count() >= MOST_PLANS;
                if !is_full {
                    unsaid.push(gone(old, "its document no longer lists it"));
                }
            } else if let Some(text) = looked.texts.get(path)
                && !is_still_written(old, &here, text)
            {
                unsaid.push(gone(old, "its document no longer says it"));
            }
        }
        for (id, proposal) in unsaid {
            self.push(id, Action::Retire, &proposal, Vec::new());
        }
    }
}

/// Tells whether a document may still say a fact in words that a harvest does not take, or takes in
/// another way than it did.
fn is_still_written(old: &Old, here: &[&Proposal], text: &str) -> bool {
    // Somebody's own words cannot be looked for; the place can.
    if old.kind.is_none() && here.iter().any(|one| one.source == old.source) {
        return true;
    }
    let words = without_lead(&old.words);
    let gist = Gist::of(words);
    units(text).iter().any(|unit| {
        let whole = (unit.chars().count() <= LONGEST).then_some(unit.as_str());
        whole.into_iter().chain(sentences(unit)).any(|said| gist.is_mostly_in(&Gist::of(said)))
    })
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
