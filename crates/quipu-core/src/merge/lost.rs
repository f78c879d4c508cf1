//! Facts that a merge would lose.

use super::{Sides, ids};
use crate::doc::{self, Document, Form};
use crate::edit;
use crate::reactivation::Arrivals;
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
            let block = edit::dedent(&source[facts.block.clone()]);
            Some((facts, if block.ends_with('\n') { block } else { block + "\n" }))
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

/// Inserts blocks above a line.
fn above(text: &str, line: usize, blocks: &str) -> Edit {
    let at = text::lines(text).nth(line - 1).map_or(0, |line| line.start);
    Edit::insert(at, format!("\n{blocks}\n"))
}
