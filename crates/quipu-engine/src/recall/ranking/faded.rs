//! What faded is no answer about today. Who asks about a past time finds it: it was put away because
//! nobody needed it, and not because anybody wanted it gone.

use quipu_core::item::{Decision, Event, Status};
use quipu_core::journal;
use quipu_store::{Filter, Hit, Store};

use crate::error::Error;
use crate::recall::Question;

/// Lets what faded be found where a question speaks of a time; tells whether it does so.
pub(super) fn look_back(question: &Question, speaks_of_a_time: bool, filter: &mut Filter) -> bool {
    let looks_back = speaks_of_a_time && !question.include.contains(&Status::Archived);
    if looks_back {
        filter.statuses.push(Status::Archived);
    }
    looks_back
}

/// Takes out what somebody put away by hand.
pub(super) fn without_forgotten(store: &dyn Store, hits: Vec<Hit>) -> Result<Vec<Hit>, Error> {
    let is_archived = |hit: &&Hit| hit.item.status == Status::Archived;
    let archived: Vec<&str> =
        hits.iter().filter(is_archived).map(|hit| hit.item.id.as_str()).collect();
    let mut faded = store.events_of(&archived)?.into_iter().map(|events| has_faded(&events));
    // One for each that is archived, in their order.
    let is_kept = |hit: &Hit| !is_archived(&hit) || faded.next().unwrap_or(false);
    let kept: Vec<bool> = hits.iter().map(is_kept).collect();
    Ok(hits.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(hit, _)| hit).collect())
}

/// Tells by what happened to an item whether a dream put it away, and nobody has said anything about it
/// since.
fn has_faded(events: &[Event]) -> bool {
    let standing = journal::standing(events);
    let last =
        standing.iter().rfind(|event| matches!(event.decision, Some(Decision::Status { .. })));
    last.is_some_and(|event| event.actor == "dream")
}
