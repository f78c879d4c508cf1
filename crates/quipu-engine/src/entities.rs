//! Who and what the memory is about.

use quipu_core::entity::{EntityKind, filed_under};
use quipu_core::item::{Decision, Item};
use quipu_store::Store;
use serde::Serialize;

use crate::error::Error;
use crate::operations::Request;
use crate::recall::RecallError;
use crate::remember::decision_record;
use crate::workspace::Workspace;

/// An entity as a list shows it.
#[derive(Clone, Debug, Serialize)]
pub struct EntityRow {
    /// Its name.
    pub name: String,
    /// What sort of thing it is.
    pub kind: EntityKind,
    /// How many items mention it, by any of its names.
    pub mentions: usize,
    /// Its other names.
    pub aliases: Vec<String>,
}

/// An entity with the items that mention it.
#[derive(Clone, Debug, Serialize)]
pub struct EntityShown {
    /// Its name.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// The items that mention it, newest first.
    pub items: Vec<Item>,
}

/// So many mentions are looked at.
const MOST_MENTIONS: usize = 10_000;

impl Workspace {
    /// Lists entities whose name holds `part`, those that are mentioned most first.
    ///
    /// # Errors
    /// When the index cannot be used.
    pub fn entities(&self, part: &str, limit: usize) -> Result<Vec<EntityRow>, Error> {
        self.freshen()?;
        let store = self.store()?;
        let aliases = store.aliases()?;
        let mut rows: Vec<EntityRow> = Vec::new();
        for (entity, mentions) in store.entities(part, MOST_MENTIONS)? {
            let name = aliases.name_of(&entity.name);
            let is_alias = name != entity.name.to_lowercase();
            let shown = if is_alias { name } else { entity.name };
            match rows.iter_mut().find(|row| row.name.to_lowercase() == shown.to_lowercase()) {
                Some(row) => row.mentions += mentions,
                None => rows.push(EntityRow {
                    aliases: aliases.group(&shown)[1..].to_vec(),
                    name: shown,
                    kind: entity.kind,
                    mentions,
                }),
            }
            if rows.len() > limit {
                break;
            }
        }
        rows.sort_by(|a, b| b.mentions.cmp(&a.mentions).then_with(|| a.name.cmp(&b.name)));
        rows.truncate(limit);
        Ok(rows)
    }

    /// Shows an entity with the items that mention it by any of its names.
    ///
    /// # Errors
    /// When nothing mentions it.
    pub fn entity(&self, name: &str, limit: usize) -> Result<EntityShown, Error> {
        self.freshen()?;
        let store = self.store()?;
        let group = store.aliases()?.group(name);
        let mut items: Vec<Item> = Vec::new();
        for name in &group {
            for id in store.mentions(name, MOST_MENTIONS)? {
                if !items.iter().any(|item| item.id == id) {
                    items.extend(store.get(&id)?);
                }
            }
        }
        if items.is_empty() {
            return Err(RecallError::NoEntity { name: name.to_owned() }.into());
        }
        items.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.id.cmp(&b.id)));
        items.truncate(limit);
        Ok(EntityShown { name: group[0].clone(), aliases: group[1..].to_vec(), items })
    }

    /// Decides that an entity goes by another name too, or no longer; both then mean the same.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn alias(
        &self,
        name: &str,
        other: &str,
        remove: bool,
        request: &Request<'_>,
    ) -> Result<Vec<String>, Error> {
        self.freshen()?;
        let known = self.store()?.aliases()?;
        let (of, other) = (known.name_of(name), other.trim().to_lowercase());
        if other.is_empty() || of.is_empty() || (!remove && known.name_of(&other) == of) {
            return Err(RecallError::Itself { id: other }.into());
        }
        if !remove
            && self.store()?.mentions(&of, 1)?.is_empty()
            && self.store()?.mentions(&other, 1)?.is_empty()
        {
            return Err(RecallError::NoEntity { name: other }.into());
        }
        if !request.dry_run {
            let decision = Decision::Alias { name: other, remove };
            let session = self.session_for_records(request)?;
            let record = decision_record(&filed_under(&of), decision, "", &session, request)?;
            self.append(&[record], request.now)?;
        }
        Ok(self.store()?.aliases()?.group(&of))
    }
}
