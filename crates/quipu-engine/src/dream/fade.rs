//! What faded is put away, what is used is promoted.

use quipu_core::item::{Decision, Item, Status};
use quipu_core::journal::Record;
use quipu_core::lifecycle;

use super::night::{Night, Progress};
use super::plan::Step;
use crate::error::Error;

/// Plans promotions and archival.
pub(super) fn plan(night: &mut Night<'_>, progress: Progress<'_>) -> Result<(), Error> {
    let total = night.items.len();
    for at in 0..total {
        if at % 1000 == 0 && !progress("fade", at, total) {
            return Ok(());
        }
        if !night.may_change(at) {
            continue;
        }
        let mut records = Vec::new();
        let (mut does, mut why) = (Vec::new(), String::new());
        // One step may lead to the next, which the next dream would take.
        while night.holds(at)
            && let Some(verdict) = verdict(night, &night.items[at])
        {
            records.push(carry(night, at, &verdict));
            does.push(verdict.does);
            why = verdict.numbers;
        }
        if !records.is_empty() {
            let whole = night.read(at)?;
            let does = format!("{} {}", does.join(", "), Night::told(&whole));
            night.act(Step::Fade, (does, why), &[whole], records);
        }
    }
    progress("fade", total, total);
    Ok(())
}

/// What the numbers say should become of a memory.
pub(super) struct Verdict {
    decision: Decision,
    does: String,
    numbers: String,
}

/// Returns what should become of a memory, where that is anything.
pub(super) fn verdict(night: &Night<'_>, item: &Item) -> Option<Verdict> {
    let usage = night.usage(item);
    let (retention, importance) = night.numbers(item, &usage);
    let uses = usage.accesses.len();
    let numbers = format!("retention {retention:.2}, importance {importance:.2}, {uses} uses");
    if let Some(to) = lifecycle::promotion(item, &usage, importance, night.now) {
        let from = item.layer;
        let does = format!("promotes from {from} to {to}");
        return Some(Verdict { decision: Decision::Layer { from, to }, does, numbers });
    }
    let (from, to) = (Status::Active, Status::Archived);
    let decision = Decision::Status { from, to };
    let clock = (night.now, &night.workspace.config().lifecycle);
    lifecycle::may_be_archived(item, &usage, (retention, importance), clock).then(|| Verdict {
        decision,
        does: "archives".to_owned(),
        numbers,
    })
}

/// Writes a verdict down, and lets the rest of the plan know.
pub(super) fn carry(night: &mut Night<'_>, at: usize, verdict: &Verdict) -> Record {
    night.items[at].decide(&verdict.decision);
    if night.items[at].status != Status::Active {
        night.gone.insert(at);
    }
    let id = night.items[at].id.clone();
    night.decide(&id, verdict.decision.clone(), &verdict.numbers)
}
