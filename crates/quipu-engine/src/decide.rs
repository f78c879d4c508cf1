//! Deciding something about what is remembered; each decision is a line in the day's log.

use std::borrow::Cow;

use jiff::Timestamp;
use quipu_core::item::{Decision, Event, Filed, Item, Sensitivity, Status, may_become};
use quipu_core::journal::{self, Record};

use crate::config::OnSecret;
use crate::error::Error;
use crate::index;
use crate::operation::Request;
use crate::records::{check_words, decision_record};
use crate::refusal::Refusal;
use crate::secret_policy;
use crate::sessions;
use crate::workspace::Workspace;

/// So many records are written before others have their turn.
pub(crate) const CHUNK: usize = 500;

/// A decision about an item, and what happens to secrets in its words.
pub(crate) struct Deciding {
    pub(crate) decision: Decision,
    pub(crate) reason: String,
    pub(crate) policy: OnSecret,
}

/// Decides something about an item; the decision goes into the day's log alone.
///
/// # Errors
/// When there is no such item, the decision is not possible, or it cannot be written.
pub fn decide(
    workspace: &Workspace,
    id: &str,
    decision: Decision,
    reason: &str,
    request: &Request<'_>,
) -> Result<Item, Error> {
    let all = vec![(id.to_owned(), decision, reason.to_owned())];
    let mut items = decide_all(workspace, all, request)?;
    items.pop().ok_or_else(|| Refusal::unknown(id.to_owned()).into())
}

/// Changes the words of a record, unless it no longer says what the writer had before them.
///
/// # Errors
/// When there is no such record, it says something else by now, or it cannot be written.
pub fn reword(
    workspace: &Workspace,
    id: &str,
    text: String,
    instead_of: Option<&str>,
    request: &Request<'_>,
) -> Result<Item, Error> {
    let check = |item: &Item| match instead_of {
        Some(seen) if seen != item.text => Err(Refusal::EditedSince { id: item.id.clone() }.into()),
        _ => Ok(()),
    };
    let decisions = vec![(id.to_owned(), Decision::Edit { text }, String::new())];
    let mut items = decide_checked(workspace, decisions, Vec::new(), None, &check, request)?;
    items.pop().ok_or_else(|| Refusal::unknown(id.to_owned()).into())
}

/// Decides several things at once: item, decision and reason; all of them or none.
///
/// # Errors
/// When one of them is not possible, or they cannot be written; then nothing was decided.
pub fn decide_all(
    workspace: &Workspace,
    decisions: Vec<(String, Decision, String)>,
    request: &Request<'_>,
) -> Result<Vec<Item>, Error> {
    decide_signed(workspace, decisions, Vec::new(), None, request)
}

/// Decides several things at once and writes other records with them; who decides, and the run
/// that all of it belongs to, may be named.
pub(crate) fn decide_signed(
    workspace: &Workspace,
    decisions: Vec<(String, Decision, String)>,
    others: Vec<Record>,
    signed: Option<(&str, &str)>,
    request: &Request<'_>,
) -> Result<Vec<Item>, Error> {
    decide_checked(workspace, decisions, others, signed, &|_| Ok(()), request)
}

/// The same, where each item is looked at under the lock before something is decided about it.
fn decide_checked(
    workspace: &Workspace,
    decisions: Vec<(String, Decision, String)>,
    others: Vec<Record>,
    signed: Option<(&str, &str)>,
    check: &dyn Fn(&Item) -> Result<(), Error>,
    request: &Request<'_>,
) -> Result<Vec<Item>, Error> {
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let session = sessions::session_for_records(workspace, request)?;
    let (mut items, mut records): (Vec<Item>, Vec<Record>) = (Vec::new(), Vec::new());
    // What a dream or a judge says may repeat what somebody allowed: it does so without it.
    let policy = match signed {
        Some(_) => OnSecret::Redact,
        None => workspace.config().guard.on_said(),
    };
    for (id, decision, reason) in decisions {
        let mut item = index::resolve(workspace, &id)?;
        // One that was decided about a moment ago stands as that made it.
        if let Some(before) = items.iter().rev().find(|one| one.id == item.id) {
            item = before.clone();
        }
        check(&item)?;
        let decided = Deciding { decision, reason, policy };
        let (item, record) = decide_about(workspace, item, decided, &session, request)?;
        items.push(item);
        records.push(record);
    }
    records.extend(others);
    if let Some((by, run)) = signed {
        for record in &mut records {
            by.clone_into(&mut record.provenance.source_channel);
            record.run = Some(run.to_owned());
        }
    }
    if !request.dry_run {
        crate::journal::append_locked(workspace, &lock, &records, request.now)?;
        for id in confirmed(&records) {
            index::store(workspace)?.record_access(id, request.now, 1)?;
        }
    }
    Ok(items)
}

/// Returns an item as a decision makes it, and the record that says so.
pub(crate) fn decide_about(
    workspace: &Workspace,
    item: Item,
    deciding: Deciding,
    session: &str,
    request: &Request<'_>,
) -> Result<(Item, Record), Error> {
    let is_secret = item.sensitivity == Sensitivity::Secret;
    let policy = if is_secret { OnSecret::Allow } else { deciding.policy };
    let decision = guarded_decision(policy, deciding.decision)?;
    let reason = secret_policy::guarded(policy, &deciding.reason)?;
    let (item, decision) = decided(workspace, item, decision)?;
    let mut record = decision_record(&item.id, decision, &reason, session, request)?;
    if is_secret {
        record.provenance.sensitivity = Sensitivity::Secret;
    }
    Ok((item, record))
}

/// Returns an item as a decision makes it, and the decision in full, where it is possible.
fn decided(
    workspace: &Workspace,
    mut item: Item,
    decision: Decision,
) -> Result<(Item, Decision), Error> {
    let owned = item.is_owned_by_a_file();
    let decision = match decision {
        Decision::Status { to, .. } => {
            if owned {
                return Err(Refusal::OwnedByFile { id: item.id, does: "status" }.into());
            }
            refuse_transition(&item, to)?;
            Decision::Status { from: item.status, to }
        }
        Decision::Edit { text } if text.trim() == item.text => {
            return Err(Refusal::Itself { id: item.id, is_so: "already has these words" }.into());
        }
        Decision::Edit { text } => {
            if owned {
                return Err(Refusal::OwnedByFile { id: item.id, does: "edit" }.into());
            }
            check_words(text.trim())?;
            let text = match item.sensitivity {
                Sensitivity::Secret => text.trim().to_owned(),
                _ => secret_policy::guarded(workspace.config().guard.on_said(), text.trim())?
                    .into_owned(),
            };
            Decision::Edit { text }
        }
        Decision::Link { to, relation, remove } => {
            let other = index::resolve(workspace, &to)?;
            if other.id == item.id {
                return Err(
                    Refusal::Itself { id: item.id, is_so: "cannot be linked to itself" }.into()
                );
            }
            Decision::Link { to: other.id, relation, remove }
        }
        Decision::Layer { to, .. } => {
            if owned {
                return Err(Refusal::OwnedByFile { id: item.id, does: "layer" }.into());
            }
            if to == item.layer {
                return Err(
                    Refusal::Itself { id: item.id, is_so: "is already in this layer" }.into()
                );
            }
            Decision::Layer { from: item.layer, to }
        }
        Decision::Confirm { by } if item.confirmed_by.contains(&by) => {
            return Err(Refusal::Itself {
                id: item.id,
                is_so: "is already confirmed by this name",
            }
            .into());
        }
        Decision::Merge { into } => {
            if owned {
                return Err(Refusal::OwnedByFile { id: item.id, does: "status" }.into());
            }
            if item.pinned {
                return Err(Refusal::Pinned { id: item.id }.into());
            }
            let other = index::resolve(workspace, &into)?;
            if other.id == item.id {
                return Err(
                    Refusal::Itself { id: item.id, is_so: "cannot be merged into itself" }.into()
                );
            }
            if other.status != Status::Active {
                let (id, status) = (other.id, other.status);
                return Err(Refusal::NotActive { id, status }.into());
            }
            refuse_transition(&item, Status::Merged)?;
            Decision::Merge { into: other.id }
        }
        Decision::Supersede { by } => {
            refuse_transition(&item, Status::Superseded)?;
            Decision::Supersede { by }
        }
        Decision::Pin { pinned } if pinned == item.pinned => {
            let is_so = if pinned { "is already pinned" } else { "is not pinned" };
            return Err(Refusal::Itself { id: item.id, is_so }.into());
        }
        Decision::Annotate { note } if note.trim().is_empty() => {
            return Err(Refusal::NoWords.into());
        }
        other => other,
    };
    item.decide(&decision);
    Ok((item, decision))
}

/// Takes back every event of a run; returns how many.
pub(crate) fn take_back(
    workspace: &Workspace,
    run: &str,
    at: Timestamp,
    reason: &str,
    request: &Request<'_>,
) -> Result<usize, Error> {
    let session = sessions::session_for_records(workspace, request)?;
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let day = workspace.day(at);
    let mut filed = index::store(workspace)?.filed_in(&journal::daily_path(day))?;
    filed.extend(index::store(workspace)?.filed_in(&journal::events_path(day))?);
    let belongs = |event: &Event| {
        let own = event.run.as_deref().and_then(|own| own.strip_prefix(run));
        own.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_note = |event: &Event| matches!(event.decision, Some(Decision::Dreamed { .. }));
    // Last first, so that what was made goes after what was said about it; that there was a dream
    // at all goes last, so that one who dies in between can go on.
    let (notes, others): (Vec<&Filed>, Vec<&Filed>) =
        filed.iter().filter(|one| belongs(&one.event)).rev().partition(|one| is_note(&one.event));
    let mut records = Vec::new();
    for Filed { event, .. } in others.into_iter().chain(notes) {
        // What somebody answered stays asked and answered.
        let was_asked = matches!(event.decision, Some(Decision::Ask { .. }));
        if was_asked && is_answered_by_others(workspace, &event.item, &belongs)? {
            continue;
        }
        if stands(workspace, &event.item, &event.id)? {
            let revert = Decision::Revert { event: event.id.clone() };
            records.push(decision_record(&event.item, revert, reason, &session, request)?);
        }
    }
    if !request.dry_run {
        for chunk in records.chunks(CHUNK) {
            crate::journal::append_locked(workspace, &lock, chunk, request.now)?;
        }
    }
    Ok(records.len())
}

/// Tells whether a question was answered outside of a run.
fn is_answered_by_others(
    workspace: &Workspace,
    filed_under: &str,
    belongs: &dyn Fn(&Event) -> bool,
) -> Result<bool, Error> {
    let events = index::store(workspace)?.events(filed_under)?;
    Ok(journal::standing(&events)
        .into_iter()
        .any(|event| matches!(event.decision, Some(Decision::Answer { .. })) && !belongs(event)))
}

/// Tells whether an event about an item counts, and was not taken back.
pub(crate) fn stands(workspace: &Workspace, item: &str, event: &str) -> Result<bool, Error> {
    let filed = index::store(workspace)?.filed(item)?;
    let standing = journal::standing(filed.iter().map(|filed| &filed.event));
    Ok(standing.into_iter().any(|one| one.id == event))
}

/// Returns the items that records confirm: who confirms something has used it.
pub(crate) fn confirmed(records: &[Record]) -> impl Iterator<Item = &str> {
    let confirms = |record: &&Record| matches!(record.decision, Some(Decision::Confirm { .. }));
    records.iter().filter(confirms).filter_map(|record| record.target.as_deref())
}

/// Returns a decision whose words may be written.
fn guarded_decision(policy: OnSecret, decision: Decision) -> Result<Decision, Error> {
    let words = |text: &str| secret_policy::guarded(policy, text).map(Cow::into_owned);
    Ok(match decision {
        Decision::Annotate { note } => Decision::Annotate { note: words(&note)? },
        Decision::Confirm { by } => Decision::Confirm { by: words(&by)? },
        Decision::Link { to, relation, remove } => {
            Decision::Link { to, relation: words(&relation)?, remove }
        }
        Decision::Tag { add, remove } => {
            let add = add.iter().map(|tag| words(tag)).collect::<Result<_, _>>()?;
            Decision::Tag { add, remove }
        }
        other => other,
    })
}

/// Refuses a change of status that is not possible.
pub(crate) fn refuse_transition(item: &Item, to: Status) -> Result<(), Refusal> {
    if may_become(item.status, to) {
        return Ok(());
    }
    Err(Refusal::Transition { id: item.id.clone(), from: item.status, to })
}
