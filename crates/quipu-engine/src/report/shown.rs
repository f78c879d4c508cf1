//! Anything that is remembered, with everything about it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::doc::Fact;
use quipu_core::fact::TierLabel;
use quipu_core::facts::{self, FactError};
use quipu_core::item::{Item, Kind, Link, Sensitivity, Source};
use quipu_core::journal::entry;
use quipu_core::memory::{Memory, MemoryError, SESSIONS};
use schemars::JsonSchema;
use serde::Serialize;

use super::{FactRow, refuse_secret, row};
use crate::error::Error;
use crate::import;
use crate::index;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// A fact with everything about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// The id.
    pub id: String,
    /// `fact`, `thread` or `session`.
    pub kind: &'static str,
    /// Its words.
    pub text: String,
    /// `active` or `superseded`.
    pub status: &'static str,
    /// The engine's layer for facts.
    pub layer: &'static str,
    /// The engine's type for facts.
    #[serde(rename = "type")]
    pub kind_of_memory: &'static str,
    /// The tier as labelled.
    pub tier: Option<TierLabel>,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The numbers.
    pub usage: Option<FactRow>,
    /// Sessions that used it, oldest first.
    pub sessions: Vec<String>,
    /// The chain of facts that it replaced, newest first.
    pub supersedes: Vec<String>,
    /// The fact that replaced it.
    pub superseded_by: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Other items that it points to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// What was noted beside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How it stands, where the index knows it.
    #[serde(flatten)]
    pub standing: Standing,
}

/// What the index knows about a memory beside its words.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Standing {
    /// Whether it comes first in every briefing.
    pub pinned: bool,
    /// Base importance, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f32>,
    /// Where it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Who may see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
    /// A word for the sort of record, or a fact's section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// When it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// Since when it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it is true, exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// The session that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The channel it came through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Who said independently that it is so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<String>,
    /// The item that it was merged into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
}

impl Standing {
    fn of(item: &Item) -> Self {
        Self {
            pinned: item.pinned,
            importance: Some(item.importance),
            source: Some(item.source),
            sensitivity: Some(item.sensitivity),
            category: Some(item.category.clone()).filter(|category| !category.is_empty()),
            // A fact that nobody dated has no time.
            time: Some(item.time).filter(|time| *time != Timestamp::UNIX_EPOCH),
            valid_from: item.valid_from,
            valid_to: item.valid_to,
            session: item.session.clone().or_else(|| item.origin.clone()),
            speaker: item.speaker.clone(),
            channel: item.channel.clone(),
            confirmed_by: item.confirmed_by.clone(),
            merged_into: item.merged_into.clone(),
        }
    }
}

/// Where something comes from.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Provenance {
    /// The file.
    pub path: String,
    /// The line.
    pub line: Option<usize>,
    /// The section.
    pub section: Option<String>,
    /// The session that created it.
    pub origin: Option<String>,
    /// The day.
    pub created: Option<String>,
    /// The program that it was imported from, and where it stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
}

/// Shows anything by its id, or by a beginning that only it has; a secret is not shown.
///
/// # Errors
/// When there is no such thing.
pub fn show(workspace: &Workspace, id: &str) -> Result<Shown, Error> {
    show_any(workspace, id, false)
}

/// Shows anything by its id, a secret too where that is allowed.
///
/// # Errors
/// When there is no such thing.
pub fn show_any(workspace: &Workspace, id: &str, allow_secret: bool) -> Result<Shown, Error> {
    let snapshot = workspace.read()?;
    let memory = match snapshot.parse() {
        // A journal alone is a memory too.
        Err(MemoryError::NoContinuity) => return show_item(workspace, id, allow_secret),
        parsed => parsed?,
    };
    let stem = id.strip_suffix(".md").unwrap_or(id);
    if let Some(text) = snapshot.get(&format!("{SESSIONS}{stem}.md")) {
        return Ok(shown_session(stem, text));
    }
    let (path, document, fact) = match facts::find(&memory, id) {
        Ok(found) => found,
        // Not a fact: perhaps a record, or the beginning of an id.
        Err(unknown) => {
            return show_item(workspace, id, allow_secret).map_err(|error| {
                match (error.of(), unknown) {
                    // Ids of facts are words with hyphens between them.
                    (Some(Refusal::Unknown { .. }), unknown) if id.contains('-') => unknown.into(),
                    (
                        Some(Refusal::Unknown { alike, .. }),
                        FactError::Unknown { alike: facts, .. },
                    ) => {
                        let alike = facts.into_iter().chain(alike.iter().cloned()).collect();
                        Refusal::Unknown { id: id.to_owned(), alike }.into()
                    }
                    _ => error,
                }
            });
        }
    };
    let row = row(&memory, document, fact, path.clone());
    let indexed = indexed(workspace, id);
    let standing = indexed.as_ref().map(Standing::of).unwrap_or_default();
    let (tags, links, notes) =
        indexed.map(|item| (item.tags, item.links, item.notes)).unwrap_or_default();
    Ok(Shown {
        id: id.to_owned(),
        kind: row.kind,
        text: document.words(fact),
        status: match row.state {
            "purged" => "purged",
            _ if fact.footer.is_superseded() => "superseded",
            "archived" => "archived",
            _ => "active",
        },
        layer: "semantic",
        kind_of_memory: "fact",
        tier: fact.footer.tier_label(),
        provenance: Provenance {
            path,
            line: Some(fact.line),
            section: row.section.clone(),
            origin: fact
                .footer
                .get("origin")
                // One that names no log is not shown as true.
                .filter(|origin| memory.ledger.has_log(origin))
                .map(str::to_owned)
                .or_else(|| memory.ledger.origin(id).map(str::to_owned)),
            created: row.created.clone(),
            imported: None,
        },
        sessions: memory.ledger.sessions_of(id).map(str::to_owned).collect(),
        supersedes: chain(&memory, fact),
        superseded_by: fact.footer.superseded_by().map(str::to_owned),
        tags,
        links,
        notes,
        standing,
        usage: Some(row),
    })
}

/// Shows anything in the index: a record, a part of a log or of a document.
fn show_item(workspace: &Workspace, id: &str, allow_secret: bool) -> Result<Shown, Error> {
    index::freshen(workspace)?;
    let item = index::resolve(workspace, id)?;
    refuse_secret(&item, allow_secret)?;
    if matches!(item.kind, Kind::Fact | Kind::Thread | Kind::Archived) {
        return show(workspace, &item.id);
    }
    let imported = import::origin_in_words(workspace, &item);
    let place = item.place.clone().unwrap_or_default();
    let line = Some(place.line).filter(|line| *line > 0);
    let line = line.or_else(|| line_of(workspace, &place.path, &item.id));
    Ok(Shown {
        standing: Standing::of(&item),
        kind: item.kind.as_str(),
        status: item.status.as_str(),
        layer: item.layer.as_str(),
        kind_of_memory: item.memory_type.as_str(),
        tier: item.tier,
        provenance: Provenance {
            path: place.path,
            line,
            section: Some(item.title).filter(|title| !title.is_empty()),
            origin: item.session,
            created: Some(item.time.to_string()),
            imported,
        },
        usage: None,
        sessions: Vec::new(),
        supersedes: item.supersedes,
        superseded_by: item.superseded_by,
        tags: item.tags,
        links: item.links,
        notes: item.notes,
        id: item.id,
        text: item.text,
    })
}

/// Returns a fact as the index has it: its tags, links and notes are not in its file.
fn indexed(workspace: &Workspace, id: &str) -> Option<Item> {
    let is_there = index::is_made(workspace);
    is_there.then(|| index::store(workspace).ok()?.get(id).ok().flatten()).flatten()
}

/// Returns the line of a record, which stands in its file by its id.
fn line_of(workspace: &Workspace, path: &str, id: &str) -> Option<usize> {
    let text = workspace.read_optional(path).ok().flatten()?;
    let found = entry::entries(&text).find(|entry| entry.record.id == id)?;
    Some(text[..found.span.start].matches('\n').count() + 1)
}

fn shown_session(stem: &str, text: &str) -> Shown {
    Shown {
        id: stem.to_owned(),
        kind: "session",
        text: text.to_owned(),
        status: "active",
        layer: "episodic",
        kind_of_memory: "narrative",
        tier: None,
        provenance: Provenance { path: format!("{SESSIONS}{stem}.md"), ..Provenance::default() },
        usage: None,
        sessions: Vec::new(),
        supersedes: Vec::new(),
        superseded_by: None,
        tags: Vec::new(),
        links: Vec::new(),
        notes: Vec::new(),
        standing: Standing::default(),
    }
}

/// Returns the ids that `fact` replaced, directly and through others, newest first.
fn chain(memory: &Memory<'_>, fact: &Fact) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::from([fact.id().to_owned()]);
    let mut next = fact.footer.get("supersedes").map(str::to_owned);
    while let Some(id) = next {
        if !seen.insert(id.clone()) {
            break;
        }
        next = facts::find(memory, &id)
            .ok()
            .and_then(|(_, _, older)| older.footer.get("supersedes").map(str::to_owned));
        ids.push(id);
    }
    ids
}
