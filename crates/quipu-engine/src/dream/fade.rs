//! What faded is put away, what is used is promoted.

use quipu_core::item::{Decision, Status};
use quipu_core::lifecycle;
use quipu_core::text;

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
        let item = night.items[at].clone();
        let usage = night.usage(&item);
        let (retention, importance) = night.numbers(&item, &usage);
        let uses = usage.accesses.len();
        let numbers = format!("retention {retention:.2}, importance {importance:.2}, {uses} uses");
        let (decision, does) = if let Some(to) =
            lifecycle::promotion(&item, &usage, importance, night.now)
        {
            let from = item.layer;
            (Decision::Layer { from, to }, format!("promotes from {from} to {to}"))
        } else if lifecycle::may_be_archived(&item, &usage, (retention, importance), night.now) {
            night.gone.insert(at);
            let (from, to) = (Status::Active, Status::Archived);
            (Decision::Status { from, to }, "archives".to_owned())
        } else {
            continue;
        };
        let record = night.decide(&item.id, decision, &numbers);
        let whole = night.read(at)?;
        let does = format!("{does} “{}”", text::headline(&whole.text));
        night.act(Step::Fade, (does, numbers), &[whole], vec![record]);
    }
    progress("fade", total, total);
    Ok(())
}
