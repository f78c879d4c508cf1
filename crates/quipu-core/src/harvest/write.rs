//! Harvested facts in the projection: how they say where they came from.

use jiff::civil::Date;

use super::Proposal;
use crate::doc::{Document, Fact};
use crate::edit;
use crate::facts::{self, FactError, NewFact, Outcome};
use crate::memory::{CONTINUITY, Changes, Memory};
use crate::text::{self, Edit};

/// The footer field that says where a fact was taken from.
pub const SOURCE: &str = "source";

/// The footer field by which a later harvest tells whether the document says something else now.
pub const SOURCE_MARK: &str = "source-mark";

/// Returns the facts of a file that were harvested, each with its source and mark.
pub fn harvested<'d>(
    document: &'d Document<'_>,
) -> impl Iterator<Item = (&'d Fact, &'d str, &'d str)> {
    document.facts.iter().filter_map(|fact| {
        let source = fact.footer.get(SOURCE)?;
        Some((fact, source, fact.footer.get(SOURCE_MARK).unwrap_or_default()))
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
