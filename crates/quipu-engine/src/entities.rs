//! Who and what the memory is about.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::card;
use quipu_core::entity::{EntityKind, filed_under};
use quipu_core::item::{Decision, Item, Status};
use serde::Serialize;

use crate::compaction;
use crate::config::OnSecret;
use crate::error::Error;
use crate::index;
use crate::operation::Request;
use crate::records::decision_record;
use crate::refusal::Refusal;
use crate::secret_policy;
use crate::sessions;
use crate::workspace::Workspace;

/// An entity as a list shows it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct EntityShown {
    /// Its name.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// What is known about it on one page, where a dream wrote that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// The items that mention it, newest first.
    pub items: Vec<Item>,
}

/// An entity with those around it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct EntityGraph {
    /// The entity in the middle.
    pub name: String,
    /// Everyone who is found, with how many steps away.
    pub nodes: Vec<GraphNode>,
    /// Who is mentioned with whom.
    pub edges: Vec<GraphEdge>,
}

/// An entity of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GraphNode {
    /// Its name.
    pub name: String,
    /// What sort of thing it is; nothing for the one in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntityKind>,
    /// How many steps away it is.
    pub hops: usize,
}

/// Two entities that are mentioned together.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GraphEdge {
    /// One.
    pub from: String,
    /// The other.
    pub to: String,
    /// How many items mention both.
    pub items: usize,
}

/// So many mentions are looked at.
const MOST_MENTIONS: usize = 10_000;

/// Lists entities whose name holds `part`, those that are mentioned most first.
///
/// # Errors
/// When the index cannot be used.
pub fn entities(workspace: &Workspace, part: &str, limit: usize) -> Result<Vec<EntityRow>, Error> {
    index::freshen(workspace)?;
    let store = index::store(workspace)?;
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
pub fn entity(workspace: &Workspace, name: &str, limit: usize) -> Result<EntityShown, Error> {
    index::freshen(workspace)?;
    let store = index::store(workspace)?;
    let group = store.aliases()?.group(name);
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for name in &group {
        ids.extend(store.mentions(name, MOST_MENTIONS)?);
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut items: Vec<Item> = store.items(&ids)?.into_iter().flatten().collect();
    if items.is_empty() {
        return Err(Refusal::NoEntity { name: name.to_owned() }.into());
    }
    items.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.id.cmp(&b.id)));
    let cards = store.ids(&card::id(&group[0], 0), 8)?;
    let cards: Vec<&str> = cards.iter().map(String::as_str).collect();
    let mut cards = store.items(&cards)?.into_iter().flatten();
    let card = cards.find(|card| card.status == Status::Active).map(|card| card.text);
    items.truncate(limit);
    Ok(EntityShown { name: group[0].clone(), aliases: group[1..].to_vec(), card, items })
}

/// Returns what mentions an entity, oldest first, at most the newest `limit`.
///
/// # Errors
/// When nothing mentions it.
pub fn entity_timeline(
    workspace: &Workspace,
    name: &str,
    limit: usize,
) -> Result<EntityShown, Error> {
    let mut shown = entity(workspace, name, limit)?;
    shown.items.reverse();
    Ok(shown)
}

/// Returns an entity with those that are mentioned with it, and so on, `hops` steps; from each the
/// `width` that it is mentioned with most.
///
/// # Errors
/// When nothing mentions it.
pub fn entity_graph(
    workspace: &Workspace,
    name: &str,
    hops: usize,
    width: usize,
) -> Result<EntityGraph, Error> {
    index::freshen(workspace)?;
    let store = index::store(workspace)?;
    let aliases = store.aliases()?;
    let middle = aliases.name_of(name);
    let mut nodes = vec![GraphNode { name: middle.clone(), kind: None, hops: 0 }];
    let mut edges: Vec<GraphEdge> = Vec::new();
    let mut next = 0;
    while let Some(node) = nodes.get(next).filter(|node| node.hops < hops).cloned() {
        next += 1;
        let mut beside: BTreeMap<String, (EntityKind, usize)> = BTreeMap::new();
        for alias in aliases.group(&node.name) {
            for (entity, items) in store.mentioned_with(&alias, MOST_MENTIONS)? {
                let other = aliases.name_of(&entity.name);
                // Days and addresses lead from everything to everything.
                if !matches!(entity.kind, EntityKind::Date | EntityKind::Url) && other != node.name
                {
                    beside.entry(other).or_insert((entity.kind, 0)).1 += items;
                }
            }
        }
        let mut beside: Vec<_> = beside.into_iter().collect();
        beside.sort_by(|a, b| b.1.1.cmp(&a.1.1).then_with(|| a.0.cmp(&b.0)));
        for (other, (kind, items)) in beside.into_iter().take(width) {
            let is_known = |edge: &GraphEdge| edge.from == other && edge.to == node.name;
            if !edges.iter().any(is_known) {
                edges.push(GraphEdge { from: node.name.clone(), to: other.clone(), items });
            }
            if !nodes.iter().any(|one| one.name == other) {
                nodes.push(GraphNode { name: other, kind: Some(kind), hops: node.hops + 1 });
            }
        }
    }
    if nodes.len() == 1 && store.mentions(&middle, 1)?.is_empty() {
        return Err(Refusal::NoEntity { name: name.to_owned() }.into());
    }
    Ok(EntityGraph { name: middle, nodes, edges })
}

/// Decides that an entity goes by another name too, or no longer; both then mean the same.
///
/// # Errors
/// When it cannot be written.
pub fn alias(
    workspace: &Workspace,
    name: &str,
    other: &str,
    remove: bool,
    request: &Request<'_>,
) -> Result<Vec<String>, Error> {
    if !remove && workspace.config().guard.on_said() != OnSecret::Allow {
        // What something is called is refused, not changed: others ask for it by that.
        secret_policy::guarded(OnSecret::Refuse, other)?;
    }
    index::freshen(workspace)?;
    let known = index::store(workspace)?.aliases()?;
    let (of, other) = (known.name_of(name), other.trim().to_lowercase());
    if other.is_empty() || of.is_empty() || (!remove && known.name_of(&other) == of) {
        return Err(Refusal::Itself { id: other }.into());
    }
    if !remove
        && index::store(workspace)?.mentions(&of, 1)?.is_empty()
        && index::store(workspace)?.mentions(&other, 1)?.is_empty()
    {
        return Err(Refusal::NoEntity { name: other }.into());
    }
    if !request.dry_run {
        let decision = Decision::Alias { name: other, remove };
        let session = sessions::session_for_records(workspace, request)?;
        let record = decision_record(&filed_under(&of), decision, "", &session, request)?;
        compaction::append(workspace, &[record], request.now)?;
    }
    Ok(index::store(workspace)?.aliases()?.group(&of))
}
