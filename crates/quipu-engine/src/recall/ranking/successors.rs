//! What was replaced is an answer only below what replaced it.

use quipu_core::item::Status;
use quipu_store::{Filter, Hit, Store};

use crate::error::Error;
use crate::recall::{Answer, Telling, answer, chain};

/// Puts what was replaced below what replaced it, which is fetched where it did not match itself.
pub(super) fn successors_first(
    store: &dyn Store,
    results: &mut Vec<Answer>,
    filter: &Filter,
) -> Result<(), Error> {
    let mut at = 0;
    while at < results.len() {
        let place = |id: &str| results.iter().position(|answer| answer.id == id);
        let successor = results[at].superseded_by.clone();
        let successor = successor.filter(|_| results[at].status == Status::Superseded);
        match successor.as_deref().map(|id| (id, place(id))) {
            Some((_, Some(newer))) if newer > at => {
                let newer = results.remove(newer);
                results.insert(at, newer);
            }
            Some((id, None)) => match store.get(id)? {
                Some(item) if filter.sensitivities.contains(&item.sensitivity) => {
                    let as_good = results[at].score;
                    let chain = chain::visible(store, &item, filter)?;
                    results
                        .insert(at, answer(Hit::fetched(item, as_good), chain, Telling::default()));
                }
                _ => at += 1,
            },
            _ => at += 1,
        }
    }
    Ok(())
}
