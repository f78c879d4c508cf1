//! `quipu entity`.

use std::fmt::Write as _;

use quipu_core::item::Item;
use quipu_engine::entities::{self, EntityShown};
use quipu_engine::operations::{
    Entities, EntityAlias, EntityGraph, EntityList, EntityMap, EntityMerge, EntityNames,
    EntityShow, EntityTimeline,
};

use crate::context::Context;
use crate::reply::{self, CYAN, DIM, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for EntityList {
    fn say(&self, output: &Entities, _: &Context) -> Reply {
        if output.entities.is_empty() {
            return Reply::words("no entity has such a name\n");
        }
        let cells = output.entities.iter().map(|row| {
            vec![
                row.name.clone(),
                format!("{:?}", row.kind).to_lowercase(),
                row.mentions.to_string(),
                row.aliases.join(", "),
            ]
        });
        Reply::words(reply::table(&["name", "kind", "mentions", "also"], cells.collect()))
    }
}

impl Spoken for EntityShow {
    fn say(&self, shown: &EntityShown, _: &Context) -> Reply {
        let mut text = styled(CYAN, &shown.name);
        if !shown.aliases.is_empty() {
            let _ = write!(text, ", also {}", shown.aliases.join(", "));
        }
        text.push('\n');
        if let Some(card) = &shown.card {
            // Its first line is the name again.
            for line in card.lines().skip(1) {
                let _ = writeln!(text, "  {line}");
            }
            text.push('\n');
        }
        items(&mut text, &shown.items);
        Reply::words(text)
    }
}

impl Spoken for EntityTimeline {
    fn say(&self, shown: &EntityShown, _: &Context) -> Reply {
        let mut text = format!("{}\n", styled(CYAN, &shown.name));
        items(&mut text, &shown.items);
        Reply::words(text)
    }
}

impl Spoken for EntityGraph {
    fn say(&self, graph: &entities::EntityGraph, _: &Context) -> Reply {
        Reply::words(if self.dot { drawn(graph) } else { outlined(graph) })
    }
}

impl Spoken for EntityMap {
    fn say(&self, map: &entities::EntityMap, _: &Context) -> Reply {
        if map.nodes.is_empty() {
            return Reply::words("nobody and nothing is mentioned yet\n");
        }
        let mut text = String::new();
        for node in &map.nodes {
            let ties = map.edges.iter().filter(|edge| edge.from == node.name);
            let ties: Vec<String> =
                ties.take(5).map(|edge| format!("{} ({})", edge.to, edge.items)).collect();
            let name = styled(CYAN, &node.name);
            let _ = writeln!(text, "{name} {}  {}", node.mentions, styled(DIM, ties.join(", ")));
        }
        let reply = Reply::words(text);
        if map.is_cut { reply.advise("there are more: `--count`") } else { reply }
    }
}

impl Spoken for EntityAlias {
    fn say(&self, names: &EntityNames, _: &Context) -> Reply {
        Reply::words(called(names))
    }
}

impl Spoken for EntityMerge {
    fn say(&self, names: &EntityNames, _: &Context) -> Reply {
        Reply::words(called(names))
    }
}

fn items(text: &mut String, items: &[Item]) {
    for item in items {
        let first: String =
            item.text.lines().next().unwrap_or_default().chars().take(100).collect();
        let day = item.time.strftime("%Y-%m-%d").to_string();
        let _ = writeln!(text, "  {} {}  {first}", styled(DIM, day), styled(CYAN, &item.id));
    }
}

/// A graph as lines: who is reached from whom.
fn outlined(graph: &entities::EntityGraph) -> String {
    let mut text = format!("{}\n", styled(CYAN, &graph.name));
    for edge in &graph.edges {
        let hops = graph.nodes.iter().find(|node| node.name == edge.from).map_or(0, |one| one.hops);
        let indent = "  ".repeat(hops + 1);
        let from = if hops == 0 { String::new() } else { format!("{} — ", edge.from) };
        let items = styled(DIM, format!("({} together)", edge.items));
        let _ = writeln!(text, "{indent}{from}{} {items}", edge.to);
    }
    text
}

/// A graph for Graphviz.
fn drawn(graph: &entities::EntityGraph) -> String {
    let mut text = String::from("graph memory {\n");
    for edge in &graph.edges {
        let _ = writeln!(text, "  {:?} -- {:?} [label={}];", edge.from, edge.to, edge.items);
    }
    text.push_str("}\n");
    text
}

fn called(names: &EntityNames) -> String {
    let others = names.aliases.as_deref().unwrap_or_default();
    let (has, is) = if names.dry_run { ("would have", "would be") } else { ("has", "is") };
    match &names.name {
        Some(name) if others.is_empty() => {
            format!("{} {has} no other name\n", styled(CYAN, name))
        }
        Some(name) => format!("{} {is} also {}\n", styled(CYAN, name), others.join(", ")),
        None => String::new(),
    }
}
