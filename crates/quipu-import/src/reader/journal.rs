//! A folder with a journal: another workspace of ours, or one of `CursorClaw`. Records keep their own ids' words;
//! decisions about them are applied, so that what was put away there is put away here.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::indexing;
use quipu_core::item::{Event, Item, Kind, Status};
use quipu_core::journal::{self, entry};
use quipu_core::memory::{ARCHIVE, CONTINUITY};

use super::Options;
use super::quipu::draft_of;
use crate::draft::Skip;
use crate::error::ImportError;
use crate::input::Input;
use crate::out::Out;

/// Tells whether a text has records of the journal.
pub(crate) fn has_records(text: &str) -> bool {
    let looks =
        text.contains("\"provenance\"") || (text.contains("<!-- id:") && text.contains("| at:"));
    looks && entry::entries(text).next().is_some()
}

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    let mut items: Vec<(Item, String)> = Vec::new();
    let mut events: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut facts: Vec<(String, String)> = Vec::new();
    for member in input.ending(&[".md", ".jsonl", "stdin"]) {
        let text = input.text(member)?;
        if member.name == CONTINUITY || member.name.starts_with(ARCHIVE) {
            facts.push((member.name.clone(), text));
            continue;
        }
        for (_, record) in journal::records(&text) {
            // The window repeats what the days have.
            if !known.insert(record.id.clone()) {
                continue;
            }
            if let Some(item) = record.item() {
                items.push((item, member.name.clone()));
            } else {
                let event = record.event();
                events.entry(event.item.clone()).or_default().push(event);
            }
        }
    }
    let files = facts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    for item in indexing::facts(files) {
        let path = item.place.as_ref().map(|place| place.path.clone()).unwrap_or_default();
        items.push((item, path));
    }
    for (mut item, file) in items {
        let mut decided = events.remove(&item.id).unwrap_or_default();
        decided.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        if journal::is_taken_back(&item.id, &decided) || journal::is_purged(&item, &decided) {
            out.skip(Skip::Deleted);
            continue;
        }
        journal::fold(&mut item, &decided);
        let last = decided.last().map(|event| (event.at, event.reason.clone()));
        // A fact of the team's becomes a record of one's own: its section says what it is about.
        let section = (item.kind != Kind::Record).then(|| std::mem::take(&mut item.category));
        let mut draft = draft_of(item, options.keep_pins);
        if let Some(section) = section {
            draft.tags.push(crate::text::as_tag(&section));
            draft.tags.retain(|tag| !tag.is_empty());
            draft.category = None;
            draft.heading = Some(section).filter(|section| !section.is_empty());
        }
        if draft.status != Status::Active {
            draft.decided = last;
        }
        draft.origin.file = file;
        out.put(draft)?;
    }
    Ok(())
}
