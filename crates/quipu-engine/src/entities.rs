//! Who and what the memory is about.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::card;
use quipu_core::entity::{self, Aliases, EntityKind, filed_under};
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

/// Who is mentioned most, and with whom.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct EntityMap {
    /// Those that are mentioned most first.
    pub nodes: Vec<MapNode>,
    /// Who is mentioned with whom, the strongest ties first.
    pub edges: Vec<GraphEdge>,
    /// Whether there is more than is shown.
    pub is_cut: bool,
}

/// An entity on the map.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MapNode {
    /// Its name.
    pub name: String,
    /// What sort of thing it is.
    pub kind: EntityKind,
    /// How many items mention it.
    pub mentions: usize,
}

/// A map has at most so many entities, and so many times as many ties.
const LARGEST_MAP: usize = 500;
const TIES: usize = 4;

/// An item that mentions more than this ties nobody to anybody.
const MOST_IN_ITEM: usize = 20;

/// So many mentions are looked at.
const MOST_MENTIONS: usize = 10_000;

/// Returns which names mean the same: as was decided, and where a short name is that of one full name only.
pub(crate) fn aliases(workspace: &Workspace) -> Result<Aliases, Error> {
    let store = index::store(workspace)?;
    let names: Vec<String> = store
        .entities("", MOST_MENTIONS)?
        .into_iter()
        .filter(|(entity, _)| entity.kind == EntityKind::Name)
        .map(|(entity, _)| entity.name)
        .collect();
    let all = entity::full_names(names.iter().map(String::as_str), &|_, _| false);
    let mut full = BTreeMap::new();
    for (short, long) in all {
        // Who is spoken of beside the other is somebody else.
        let of_long: BTreeSet<String> = store.mentions(&long, MOST_MENTIONS)?.into_iter().collect();
        let of_short = store.mentions(&short, MOST_MENTIONS)?;
        let both: Vec<&str> =
            of_short.iter().filter(|id| of_long.contains(*id)).map(String::as_str).collect();
        let items = store.items(&both)?;
        let are_two =
            items.iter().flatten().any(|item| entity::speaks_of_both(&item.text, &short, &long));
        if !are_two {
            full.insert(short, long);
        }
    }
    Ok(store.aliases()?.with_full_names(full))
}

/// Lists entities whose name holds `part`, those that are mentioned most first.
///
/// # Errors
/// When the index cannot be used.
pub fn entities(workspace: &Workspace, part: &str, limit: usize) -> Result<Vec<EntityRow>, Error> {
    index::freshen(workspace)?;
    let aliases = aliases(workspace)?;
    let store = index::store(workspace)?;
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
    for row in rows.iter_mut().filter(|row| !row.aliases.is_empty()) {
        let mut ids: BTreeSet<String> = BTreeSet::new();
        for name in aliases.group(&row.name) {
            ids.extend(store.mentions(&name, MOST_MENTIONS)?);
        }
        row.mentions = ids.len();
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
    let group = aliases(workspace)?.group(name);
    let store = index::store(workspace)?;
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
    let aliases = aliases(workspace)?;
    let store = index::store(workspace)?;
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

/// Returns the entities that are mentioned most, at most `limit`, and who is mentioned with whom.
///
/// # Errors
/// When the index cannot be used.
pub fn entity_map(workspace: &Workspace, limit: usize) -> Result<EntityMap, Error> {
    let limit = limit.min(LARGEST_MAP);
    // Days and addresses lead from everything to everything.
    let is_shown = |row: &EntityRow| !matches!(row.kind, EntityKind::Date | EntityKind::Url);
    let mut rows = entities(workspace, "", MOST_MENTIONS)?;
    rows.retain(is_shown);
    let is_cut = rows.len() > limit;
    rows.truncate(limit);
    let store = index::store(workspace)?;
    let mut mentioned: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for name in std::iter::once(&row.name).chain(&row.aliases) {
            for item in store.mentions(name, MOST_MENTIONS)? {
                mentioned.entry(item).or_default().insert(at);
            }
        }
    }
    let mut ties: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for together in mentioned.values().filter(|together| together.len() <= MOST_IN_ITEM) {
        for (at, one) in together.iter().enumerate() {
            for other in together.iter().skip(at + 1) {
                *ties.entry((*one, *other)).or_default() += 1;
            }
        }
    }
    let mut ties: Vec<((usize, usize), usize)> = ties.into_iter().collect();
    ties.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ties.truncate(limit * TIES);
    let name = |at: usize| rows[at].name.clone();
    let edges = ties
        .into_iter()
        .map(|((from, to), items)| GraphEdge { from: name(from), to: name(to), items })
        .collect();
    let node = |row: &EntityRow| MapNode {
        name: row.name.clone(),
        kind: row.kind,
        mentions: row.mentions,
    };
    Ok(EntityMap { nodes: rows.iter().map(node).collect(), edges, is_cut })
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
        return Err(
            Refusal::Itself { id: other, is_so: "is already a name of it, or empty" }.into()
        );
    }
    if !remove
        && index::store(workspace)?.mentions(&of, 1)?.is_empty()
        && index::store(workspace)?.mentions(&other, 1)?.is_empty()
    {
        return Err(Refusal::NoEntity { name: other }.into());
    }
    if request.dry_run {
        let mut group = known.group(&of);
        group.retain(|name| *name != other);
        if !remove {
            group.extend(known.group(&other));
        }
        return Ok(group);
    }
    let decision = Decision::Alias { name: other, remove };
    let session = sessions::session_for_records(workspace, request)?;
    let record = decision_record(&filed_under(&of), decision, "", &session, request)?;
    compaction::append(workspace, &[record], request.now)?;
    Ok(aliases(workspace)?.group(&of))
}
