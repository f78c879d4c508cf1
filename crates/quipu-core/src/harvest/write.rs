//! Harvested facts in the projection: how they say where they came from.

use jiff::civil::Date;

use super::{Proposal, path_of};
use crate::doc::{Document, Fact};
use crate::edit;
use crate::facts::{self, FactError, NewFact, Outcome};
use crate::memory::{CONTINUITY, Changes, Memory};
use crate::session::Event;
use crate::text::{self, Edit};

/// The footer field that says where a fact was taken from.
pub const SOURCE: &str = "source";

/// The footer field by which a later harvest tells whether the document says something else now.
pub const SOURCE_MARK: &str = "source-mark";

/// The footer field with the day on which a fact's document no longer said it.
pub const SOURCE_ENDED: &str = "source-ended";

/// Returns the facts of a file that were harvested, each with its source and mark. A fact with a source
/// and no mark was written by somebody who says where it is from: it is theirs.
pub fn harvested<'d>(
    document: &'d Document<'_>,
) -> impl Iterator<Item = (&'d Fact, &'d str, &'d str)> {
    document.facts.iter().filter_map(|fact| {
        let source = fact.footer.get(SOURCE)?;
        let mark = fact.footer.get(SOURCE_MARK).filter(|mark| !mark.is_empty())?;
        Some((fact, source, mark))
    })
}

/// Writes a fact that was harvested; returns its id beside the outcome.
///
/// # Errors
/// When the fact is refused.
pub fn add(
    memory: &Memory<'_>,
    new: &NewFact,
    proposal: &Proposal,
    today: Date,
) -> Result<(String, Outcome), FactError> {
    let (id, mut outcome) = facts::add(memory, new, today)?;
    let Some(Some(source)) = outcome.changes.get(CONTINUITY) else { return Ok((id, outcome)) };
    let document = Document::parse(source);
    let Some(fact) = document.fact(&id) else { return Ok((id, outcome)) };
    let fields = format!(" | {SOURCE}: {} | {SOURCE_MARK}: {}", proposal.source, proposal.mark());
    let at = fact.footer.end_of_fields(source);
    let edited =
        text::apply(source, &[Edit::insert(at, fields)]).unwrap_or_else(|_| source.clone());
    outcome.changes.insert(CONTINUITY.to_owned(), Some(edited));
    Ok((id, outcome))
}

/// Notes that a fact's own document does not say it any more, so that it comes back when it does.
///
/// # Errors
/// When there is no such fact.
pub fn end(memory: &Memory<'_>, id: &str, today: Date) -> Result<Outcome, FactError> {
    let fact = facts::live(memory, id)?;
    let source = memory.continuity.source;
    let edit = edit::set_field(source, &fact.footer, SOURCE_ENDED, &today.to_string());
    let edits: Vec<Edit> = edit.into_iter().collect();
    Ok(Outcome::continuity(memory, &edits, Vec::new()))
}

/// Opens a thread again that its document lists again.
///
/// # Errors
/// When there is no such thread.
pub fn reopen(memory: &Memory<'_>, id: &str) -> Result<Outcome, FactError> {
    let fact = facts::live(memory, id)?;
    let source = memory.continuity.source;
    let mut edits: Vec<Edit> = Vec::new();
    edits.extend(edit::set_checkbox(source, fact, false));
    edits.extend(edit::remove_field(source, &fact.footer, SOURCE_ENDED));
    Ok(Outcome::continuity(memory, &edits, vec![Event::Referenced { id: id.to_owned() }]))
}

/// Lets a fact point to where its document stands now; its own words stay.
///
/// # Errors
/// When there is no such fact.
pub fn repoint(memory: &Memory<'_>, id: &str, to: &Proposal) -> Result<Outcome, FactError> {
    let fact = facts::live(memory, id)?;
    let source = memory.continuity.source;
    let old = fact.footer.get(SOURCE).map(path_of).unwrap_or_default();
    let pointer = format!(" ({old})");
    let mut edits: Vec<Edit> = Vec::new();
    edits.extend(edit::set_field(source, &fact.footer, SOURCE, &to.source));
    edits.extend(edit::set_field(source, &fact.footer, SOURCE_MARK, &to.mark()));
    let words = &source[fact.block.start..fact.footer.span.start];
    if let Some(at) = words.rfind(&pointer).filter(|_| !old.is_empty()) {
        let start = fact.block.start + at;
        edits.push(Edit::replace(start..start + pointer.len(), format!(" ({})", to.path())));
    }
    Ok(Outcome::continuity(memory, &edits, Vec::new()))
}

/// Returns the projection with the time of this harvest in it.
pub fn stamp(memory: &Memory<'_>, today: Date) -> Changes {
    let value = match memory.ledger.logs.last() {
        Some(log) => format!("{today} | through {}", log.stem),
        None => today.to_string(),
    };
    let source = memory.continuity.source;
    let mut changes = Changes::new();
    if let Some(edit) = edit::set_state(&memory.continuity, "last_harvest", &value)
        && let Ok(text) = text::apply(source, &[edit])
    {
        changes.insert(CONTINUITY.to_owned(), Some(text));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_whose_source_somebody_wrote_is_theirs() {
        let source = "## Facts\n\n- Ann owns it.\n  <!-- id: ann | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: working | source: interview with Ann -->\n- Taken.\n  <!-- id: taken | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: working | source: docs/a.md | source-mark: 12ab -->\n";
        let document = Document::parse(source);
        let ids: Vec<&str> = harvested(&document).map(|(fact, ..)| fact.id()).collect();
        assert_eq!(ids, ["taken"]);
    }
}
