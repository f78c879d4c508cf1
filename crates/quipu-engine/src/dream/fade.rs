//! What faded is put away, what is used is promoted.

use quipu_core::item::{Decision, Item, Layer, Status};
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
            && let Some(verdict) = verdict(night, &night.items[at], &|| night.read(at))?
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

/// Returns what should become of a memory, where that is anything. `whole` reads it with its words, which
/// count where its numbers would let it go or rise.
pub(super) fn verdict(
    night: &Night<'_>,
    item: &Item,
    whole: &dyn Fn() -> Result<Item, Error>,
) -> Result<Option<Verdict>, Error> {
    let usage = night.usage(item);
    let (retention, importance) = night.numbers(item, &usage);
    let clock = (night.now, &night.workspace.config().lifecycle);
    let may_go =
        |item: &Item| lifecycle::may_be_archived(item, &usage, (retention, importance), clock);
    let rises = |item: &Item| lifecycle::promotion(item, &usage, importance, night.now);
    if rises(item).is_none() && !may_go(item) && !lifecycle::is_used_enough(item, &usage) {
        return Ok(None);
    }
    let words = whole()?;
    // Layer and importance are those of the plan so far.
    let item = &Item { text: words.text, title: words.title, notes: words.notes, ..item.clone() };
    let uses = usage.accesses.len();
    let mut numbers = format!("retention {retention:.2}, importance {importance:.2}, {uses} uses");
    if let Some(to) = rises(item) {
        let from = item.layer;
        if to == Layer::Semantic && importance < 0.7 {
            numbers.push_str(", and it says something that lasts");
        }
        let does = format!("promotes from {from} to {to}");
        return Ok(Some(Verdict { decision: Decision::Layer { from, to }, does, numbers }));
    }
    let (from, to) = (Status::Active, Status::Archived);
    let decision = Decision::Status { from, to };
    Ok(may_go(item).then(|| Verdict { decision, does: "archives".to_owned(), numbers }))
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
