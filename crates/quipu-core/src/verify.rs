//! Facts that never decay are confirmed by a person now and then, so that permanent does not mean
//! unchecked.

use std::collections::BTreeSet;
use std::fmt::Write;

use jiff::civil::Date;
use serde::Serialize;

use crate::doc::Form;
use crate::edit;
use crate::facts::{self, FactError, Outcome};
use crate::lint;
use crate::memory::{Memory, VISION};
use crate::policy::{Policy, Sessions};
use crate::session::Event;
use crate::text::Edit;
use crate::tier::Rule;

const TO_CONFIRM: &str = ": to confirm";
const CONFIRMED: &str = ": confirmed";

/// What a person should confirm, and when.
#[derive(Clone, Debug, Serialize)]
pub struct InvariantCheck {
    /// Sessions since the last confirmation.
    pub since: Sessions,
    /// Whether that is too long ago.
    pub is_due: bool,
    /// Core facts, invariants and the vision: id and first line.
    pub ids: Vec<(String, String)>,
    /// The thread that already asks for it.
    pub open_thread: Option<String>,
}

/// Returns what a person should confirm, and whether that is due.
pub fn invariant_check(memory: &Memory<'_>) -> InvariantCheck {
    let Policy { verify_invariants_every, .. } = memory.policy;
    let since =
        memory.ledger.sessions_after(lint::stamp(&memory.continuity, "last_invariant_check"));
    let mut ids = Vec::new();
    for fact in memory.continuity.distinct_facts() {
        let permanent = matches!(memory.rule(fact), Rule::Core | Rule::Invariant);
        if permanent && fact.form != Form::Quoted {
            ids.push((fact.id().to_owned(), memory.continuity.title(fact, 70)));
        }
    }
    let vision = VISION.trim_start_matches("memory/");
    for (_, document) in memory.other.iter().filter(|(name, _)| *name == vision) {
        for fact in document.facts.iter().filter(|fact| fact.footer.is_core()) {
            ids.push((fact.id().to_owned(), "the vision, memory/vision.md".to_owned()));
        }
    }
    ids.sort();
    ids.dedup_by(|a, b| a.0 == b.0);
    let open_thread = memory
        .continuity
        .facts
        .iter()
        .find(|fact| {
            fact.id().starts_with("ot-reverify-invariants") && memory.continuity.is_pinned(fact)
        })
        .map(|fact| fact.id().to_owned());
    InvariantCheck { since, is_due: since >= verify_invariants_every, ids, open_thread }
}

/// Renders the thread that asks a person to confirm each invariant.
pub(crate) fn thread(id: &str, today: Date, invariants: &[(String, String)]) -> String {
    let mut block = String::from(
        "- [ ] Re-verify invariants (due): a person confirms each, `quipu verify ID` records it\n",
    );
    for (invariant, title) in invariants {
        let _ = writeln!(block, "  - {invariant}{TO_CONFIRM} — {title}");
    }
    let _ = writeln!(
        block,
        "  <!-- id: {id} | created: {today} | last_used: {today} | uses: 1 | tier: working -->"
    );
    block
}

/// Writes down that a person confirmed invariants; all of them closes the thread that asked.
///
/// # Errors
/// When an id is not among those to confirm.
pub fn confirm(
    memory: &Memory<'_>,
    ids: &[String],
    by: &str,
    today: Date,
) -> Result<Outcome, FactError> {
    let check = invariant_check(memory);
    let source = memory.continuity.source;
    let known: BTreeSet<&str> = check.ids.iter().map(|(id, _)| id.as_str()).collect();
    let wanted: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    for id in ids {
        if !known.contains(id.as_str()) {
            return match facts::live(memory, id) {
                Ok(_) => Err(FactError::Elsewhere {
                    id: id.clone(),
                    place: "neither core nor an invariant, so there is nothing to confirm",
                }),
                Err(error) => Err(error),
            };
        }
    }
    let mut edits = Vec::new();
    let mut open = known.clone();
    let thread = check.open_thread.as_deref().and_then(|id| memory.continuity.fact(id));
    if let Some(thread) = thread {
        let mut at = thread.block.start;
        for line in source[thread.block.clone()].split_inclusive('\n') {
            let item = line.trim_start().strip_prefix("- ").and_then(|item| item.split_once(':'));
            if let Some((id, _)) = item.filter(|(id, _)| known.contains(id)) {
                let rest = &line[line.find(':').unwrap_or_default()..];
                if rest.starts_with(CONFIRMED) {
                    open.remove(id);
                } else if wanted.contains(id)
                    && let Some(found) = line.find(TO_CONFIRM)
                {
                    let span = at + found..at + found + TO_CONFIRM.len();
                    edits.push(Edit::replace(span, format!("{CONFIRMED} {today} by {by}")));
                }
            }
            at += line.len();
        }
    }
    open.retain(|id| !wanted.contains(id));
    if open.is_empty() {
        let value = format!("{} (confirmed by {by})", memory.ledger.stamp_value(today));
        edits.extend(edit::set_state(&memory.continuity, "last_invariant_check", &value));
        edits.extend(thread.and_then(|thread| edit::set_checkbox(source, thread, true)));
    }
    let mut events: Vec<Event> =
        ids.iter().map(|id| Event::Confirmed { id: id.clone(), by: by.to_owned() }).collect();
    if open.is_empty()
        && let Some(thread) = thread
    {
        events.push(Event::Referenced { id: thread.id().to_owned() });
    }
    Ok(Outcome::continuity(memory, &edits, events))
}
