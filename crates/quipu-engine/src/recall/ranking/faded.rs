//! What faded is no answer about today. Who asks about a past time finds it: it was put away because
//! nobody needed it, and not because anybody wanted it gone.

use quipu_core::item::{Decision, Item, Status};
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
    let mut kept = Vec::with_capacity(hits.len());
    for hit in hits {
        if hit.item.status != Status::Archived || has_faded(store, &hit.item)? {
            kept.push(hit);
        }
    }
    Ok(kept)
}

/// Tells whether a dream put it away, and nobody has said anything about it since.
fn has_faded(store: &dyn Store, item: &Item) -> Result<bool, Error> {
    let events = store.events(&item.id)?;
    let standing = journal::standing(&events);
    let last =
        standing.iter().rfind(|event| matches!(event.decision, Some(Decision::Status { .. })));
    Ok(last.is_some_and(|event| event.actor == "dream"))
}
