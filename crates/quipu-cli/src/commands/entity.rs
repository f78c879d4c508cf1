//! `quipu entity`.

use std::fmt::Write as _;

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
            for item in &shown.items {
                let first: String =
                    item.text.lines().next().unwrap_or_default().chars().take(100).collect();
                let day = item.time.strftime("%Y-%m-%d").to_string();
                let _ =
                    writeln!(text, "  {} {}  {first}", styled(DIM, day), styled(CYAN, &item.id));
            }
            Ok(Reply::new(text, json!(shown)))
        }
        EntityCommand::Alias { name, alias, remove } => {
            same(&workspace.alias(&name, &alias, remove, &context.request("alias", false))?)
        }
        EntityCommand::Merge { from, into } => {
            same(&workspace.alias(&into, &from, false, &context.request("merge", false))?)
        }
    }
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
