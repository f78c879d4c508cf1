//! How a newer statement stands to older ones: the same, an update, a conflict, compatible or unrelated.
//!
//! This is the one place that decides it, for facts, records, rules, proposals and branches. Nothing here
//! picks a winner: the caller stops, asks or shows what was found.

mod compare;
mod cues;
mod evidence;
mod facts;
mod lexicon;
mod order;
pub mod outdated;
mod quantity;
mod relation;
mod said;
mod slots;
mod statement;
mod telling;
mod units;
mod weights;

use std::collections::BTreeSet;

use crate::doc::Fact;
use crate::lint::{Finding, LintCode, stamp};
use crate::memory::{CONTINUITY, Memory};

pub use self::facts::{
    Candidate, Checked, Memory as Known, Near, candidates_of_each, check, nearest_of,
};
pub(crate) use self::order::{is_in_order, reversed};
pub use self::relation::{CLOSE, Judgement, Relation, feature_rows, relate};
pub use self::statement::Statement;
pub use self::telling::Telling;
pub use self::weights::FEATURES;

/// A review compares no more pairs than this, the newest facts first: it must stay quick.
const MOST_COMPARISONS: usize = 100_000;

/// Tells whether a text denies something.
pub(crate) fn is_negated(text: &str) -> bool {
    Statement::of(text).is_negated()
}

/// Returns the first two of some texts, oldest first, that cannot both hold.
pub fn first_conflict(texts: &[&str]) -> Option<(usize, usize)> {
    let statements: Vec<Statement> = texts.iter().map(|text| Statement::of(text)).collect();
    (0..statements.len()).find_map(|newer| {
        let older =
            (0..newer).find(|older| relate(&statements[*older], &statements[newer]).disagrees())?;
        Some((older, newer))
    })
}

/// Returns why two texts about the same thing cannot both hold, the older first; nothing where they can,
/// or are about different things.
pub fn conflict(older: &str, newer: &str) -> Option<String> {
    let judgement = relate(&Statement::of(older), &Statement::of(newer));
    judgement.disagrees().then_some(judgement.reason)
}

/// Tells whether two statements are about the same thing and give it another value, the older first.
pub fn says_otherwise(older: &str, newer: &str) -> bool {
    conflict(older, newer).is_some()
}

/// Tells whether two texts are the same words, but for case, punctuation and white space.
pub fn is_identical(one: &str, other: &str) -> bool {
    let bare = crate::prose::bare(one);
    !bare.is_empty() && bare == crate::prose::bare(other)
}

/// Returns a finding for each fact created since the last review that conflicts with another. Before the
/// first review every fact is new.
pub(crate) fn among_new(memory: &Memory<'_>) -> Vec<Finding> {
    let document = &memory.continuity;
    let since = stamp(document, "last_review");
    let since = since.map(|since| since.get(..10).unwrap_or(since));
    let is_new = |fact: &&Fact| match since {
        Some(since) => fact.footer.get("created").is_some_and(|created| created > since),
        None => true,
    };
    let facts = document.distinct_facts().into_iter();
    let new: Vec<&Fact> = facts
        .filter(|fact| !fact.is_thread() && !fact.footer.is_superseded())
        .filter(is_new)
        .collect();
    if new.is_empty() {
        return Vec::new();
    }
    let known = facts::Known::of(document);
    let most = (MOST_COMPARISONS / known.len().max(1)).max(1);
    let mut findings = Vec::new();
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    for fact in new.into_iter().rev().take(most) {
        let linked = [fact.footer.get("supersedes"), Some(fact.id())];
        let others = known.checked(&document.words(fact)).stops;
        let other = others.into_iter().find(|other| !linked.contains(&Some(other.id.as_str())));
        let Some(other) = other else { continue };
        if found.contains(&(other.id.clone(), fact.id().to_owned())) {
            continue;
        }
        found.insert((fact.id().to_owned(), other.id.clone()));
        findings.push(Finding {
            severity: LintCode::Contradiction.severity(),
            code: LintCode::Contradiction,
            subject: fact.id().to_owned(),
            path: CONTINUITY.to_owned(),
            line: Some(fact.line),
            message: format!(
                "`{}` may contradict `{}`: {}",
                fact.id(),
                other.id,
                other.reasons.join("; ")
            ),
            hint: format!(
                "if it replaces it, `quipu fact supersede {} {}`; if unsure, `quipu thread open \"Contradiction: …\"`",
                other.id,
                fact.id()
            ),
        });
    }
    findings
}

#[cfg(test)]
mod tests;
