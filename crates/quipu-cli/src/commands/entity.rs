//! `quipu entity`.

use std::fmt::Write as _;

use quipu_core::item::Item;
use quipu_engine::entities::EntityGraph;
use serde_json::json;

use crate::cli::EntityCommand;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{self, CYAN, DIM, Reply, styled};

pub(crate) fn run(command: EntityCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    match command {
        EntityCommand::List { words, count } => {
            let rows = workspace.entities(&words.join(" "), count)?;
            let data = json!({ "count": rows.len(), "entities": rows });
            let cells = rows.into_iter().map(|row| {
                vec![
                    row.name,
                    format!("{:?}", row.kind).to_lowercase(),
                    row.mentions.to_string(),
                    row.aliases.join(", "),
                ]
            });
            let cells: Vec<Vec<String>> = cells.collect();
            let exit = u8::from(cells.is_empty());
            let text = if cells.is_empty() {
                "no entity has such a name\n".to_owned()
            } else {
                reply::table(&["name", "kind", "mentions", "also"], cells)
            };
            Ok(Reply::new(text, data).exit(exit))
        }
        EntityCommand::Show { name, count } => {
            let shown = workspace.entity(&name, count)?;
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
            Ok(Reply::new(text, json!(shown)))
        }
        EntityCommand::Timeline { name, count } => {
            let shown = workspace.entity_timeline(&name, count)?;
            let mut text = format!("{}\n", styled(CYAN, &shown.name));
            items(&mut text, &shown.items);
            Ok(Reply::new(text, json!(shown)))
        }
        EntityCommand::Graph { name, hops, count, dot } => {
            let graph = workspace.entity_graph(&name, hops, count)?;
            let text = if dot { drawn(&graph) } else { outlined(&graph) };
            Ok(Reply::new(text, json!(graph)))
        }
        EntityCommand::Alias { name, alias, remove } => {
            same(&workspace.alias(&name, &alias, remove, &context.request("alias", false))?)
        }
        EntityCommand::Merge { from, into } => {
            same(&workspace.alias(&into, &from, false, &context.request("merge", false))?)
        }
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
fn outlined(graph: &EntityGraph) -> String {
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
fn drawn(graph: &EntityGraph) -> String {
    let mut text = String::from("graph memory {\n");
    for edge in &graph.edges {
        let _ = writeln!(text, "  {:?} -- {:?} [label={}];", edge.from, edge.to, edge.items);
    }
    text.push_str("}\n");
    text
}

#[expect(clippy::unnecessary_wraps, reason = "an arm of a command")]
fn same(group: &[String]) -> Result<Reply, CommandError> {
    let text = match group {
        [name] => format!("{} has no other name\n", styled(CYAN, name)),
        [name, others @ ..] => format!("{} is also {}\n", styled(CYAN, name), others.join(", ")),
        [] => String::new(),
    };
    Ok(Reply::new(text, json!({ "name": group.first(), "aliases": group.get(1..) })))
}
