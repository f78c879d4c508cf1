//! Facts that a merge would lose, and facts that it would bring back.

use std::collections::BTreeSet;

use super::fact::{self, Removal};
use super::{Elsewhere, Question, Sides, ids, piece};
use crate::doc::{self, Document, Fact, Form};
use crate::edit;
use crate::reactivation::{self, Arrivals};
use crate::text::{self, Edit};

/// So many facts are put back one after the other; more at once.
const FEW: usize = 32;

/// Puts back facts that fell between two pieces: an odd file must not cost one.
pub(super) fn with_all_facts(merged: String, sides: Sides<'_>) -> String {
    let (base, ours, theirs) = (ids(sides.base), ids(sides.ours), ids(sides.theirs));
    let stays = |id: &&String| !base.contains(*id) || (ours.contains(*id) && theirs.contains(*id));
    let mut result = merged;
    let mut there = ids(&result);
    for (source, known) in [(sides.ours, &ours), (sides.theirs, &theirs)] {
        let document = Document::parse(source);
        let missing: Vec<&String> =
            known.iter().filter(stays).filter(|id| !there.contains(*id)).collect();
        let of = |id: &str| {
            let facts = document.with_id(id).rev().find(|fact| fact.form != Form::Quoted)?;
            Some((facts, fact::ended(edit::dedent(&source[facts.block.clone()]))))
        };
        for id in missing.iter().take(FEW) {
            if there.contains(*id) {
                continue;
            }
            let Some((fact, block)) = of(id) else { continue };
            let after = Document::parse(&result);
            let edit = if let Some(line) = after.unclosed_fence {
                // All below a fence that never closes is code: what is none goes above it.
                above(&result, line, &block)
            } else {
                let section = fact.section.as_deref().unwrap_or(doc::KEY_DECISIONS);
                edit::insert_blocks(&after, section, &[block])
            };
            result = text::apply(&result, &[edit]).unwrap_or(result);
            there = ids(&result);
        }
        if missing.len() > FEW {
            let mut arrivals = Arrivals::default();
            let mut all = String::new();
            for id in missing {
                // One may bring others along that are nested in it.
                let Some((fact, block)) = of(id).filter(|_| !there.contains(id)) else { continue };
                there.extend(ids(&block));
                all.push_str(&block);
                arrivals.add(fact.section.as_deref().unwrap_or(doc::KEY_DECISIONS), block);
            }
            result = match Document::parse(&result).unclosed_fence {
                Some(line) => {
                    let edit = above(&result, line, &all);
                    text::apply(&result, &[edit]).unwrap_or(result)
                }
                None => arrivals.settle(&result),
            };
            there = ids(&result);
        }
    }
    result
}

/// Takes out facts that one side filed and that came back inside a fact of the other side. Where what
/// stood between the two is gone, an indented fact is nested in the one above it, and was merged as a
/// part of that. What becomes of it is decided as if it stood alone.
pub(super) fn without_returned(
    merged: String,
    sides: Sides<'_>,
    elsewhere: &Elsewhere,
    questions: &mut BTreeSet<Question>,
) -> String {
    let (base, ours, theirs) = (Document::parse(sides.base), ids(sides.ours), ids(sides.theirs));
    let document = Document::parse(&merged);
    if document.unclosed_fence.is_some() {
        // Below a fence that never closes a copy would be code.
        return merged;
    }
    let before = |id: &str| {
        let is_filed = elsewhere.0.contains_key(id) && !(ours.contains(id) && theirs.contains(id));
        base.with_id(id).rev().find(|fact| is_filed && fact.form != Form::Quoted)
    };
    // What stays must not leave with it, nor lose its words.
    let (returned, _) = reactivation::come_back(&document, |fact| {
        let leaves = |fact: &Fact| fact.form == Form::Quoted || before(fact.id()).is_some();
        fact.form != Form::Quoted
            && leaves(fact)
            && document.facts_in(&fact.block).into_iter().all(leaves)
            && document.bare_footer_below(fact).is_none()
    });
    let (mut edits, mut copies, mut at) = (Vec::new(), Arrivals::default(), 0);
    for fact in returned {
        let Some(old) = before(fact.id()).filter(|_| fact.block.start >= at) else { continue };
        let (old, kept) = (piece::alone(&base, old), piece::alone(&document, fact));
        match fact::removed(&old, &kept, elsewhere, questions) {
            Removal::Stays(_) => continue,
            Removal::Gone => {}
            Removal::Copy(text) => {
                let section = fact.section.as_deref().unwrap_or(doc::KEY_DECISIONS);
                copies.add(section, fact::ended(edit::dedent(&text)));
            }
        }
        edits.push(edit::remove_block(&merged, fact.block.clone()));
        at = fact.block.end;
    }
    if edits.is_empty() {
        return merged;
    }
    text::apply(&merged, &edits).map_or_else(|_| merged.clone(), |text| copies.settle(&text))
}

/// Inserts blocks above a line.
fn above(text: &str, line: usize, blocks: &str) -> Edit {
    let at = text::lines(text).nth(line - 1).map_or(0, |line| line.start);
    Edit::insert(at, format!("\n{blocks}\n"))
}
