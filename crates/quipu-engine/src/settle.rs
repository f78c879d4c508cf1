//! What was at hand in a session becomes part of what happened when the session ends.

use std::collections::HashMap;

use quipu_core::item::{Decision, Item, Kind, Layer, Status};
use quipu_core::lifecycle;
use quipu_store::Filter;

use crate::compaction;
use crate::error::Error;
use crate::index;
use crate::numbers;
use crate::operation::Request;
use crate::records::decision_record;
use crate::workspace::Workspace;

/// More memories than this are not at hand at once.
const MOST: usize = 1000;

/// Moves working memories to the episodic layer: those of a session that ended, and those that are older
/// than half an hour or were used twice. No dream is needed for it. Returns how many.
///
/// # Errors
/// When the index or the log cannot be used.
pub fn settle_working(
    workspace: &Workspace,
    session: &str,
    request: &Request<'_>,
) -> Result<usize, Error> {
    if request.dry_run || !index::is_made(workspace) {
        return Ok(0);
    }
    index::freshen(workspace)?;
    let filter = Filter {
        kinds: vec![Kind::Record],
        layers: vec![Layer::Working],
        statuses: vec![Status::Active],
        ..Filter::default()
    };
    let (at_hand, _) = index::store(workspace)?.newest(&filter, MOST)?;
    let mut uses = if at_hand.is_empty() { HashMap::new() } else { numbers::all_uses(workspace)? };
    let mut records = Vec::new();
    for item in at_hand {
        let is_over = item.session.as_deref() == Some(session);
        let usage = lifecycle::Usage::of(&item, uses.remove(&item.id).unwrap_or_default());
        let earned = |item: &Item| lifecycle::promotion(item, &usage, 0.0, request.now).is_some();
        if !is_over && !earned(&item) {
            continue;
        }
        let decision = Decision::Layer { from: Layer::Working, to: Layer::Episodic };
        let why = if is_over { "its session ended" } else { "no longer at hand" };
        records.push(decision_record(&item.id, decision, why, session, request)?);
    }
    if !records.is_empty() {
        compaction::append(workspace, &records, request.now)?;
    }
    Ok(records.len())
}
