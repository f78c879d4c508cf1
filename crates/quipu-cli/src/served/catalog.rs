//! Which tools a profile has.

use std::fmt::Write as _;

use clap::ValueEnum as _;
use quipu_server::Effect;

use super::tool::{Taken, Tool};
use super::{full, seeds, standard};
use crate::cli::Profile;

/// Returns the tools of a profile.
pub(super) fn tools(profile: Profile) -> Vec<Tool> {
    match profile {
        Profile::Standard => in_words(standard::tools()),
        Profile::Full => in_words(full::tools()),
        Profile::Cursorclaw => seeds::cursorclaw(),
        Profile::Engram => seeds::engram(),
        Profile::Memory => seeds::memory(),
    }
}

/// The tools of our own profiles answer in words; those of the seeds as their clients expect.
fn in_words(tools: Vec<Tool>) -> Vec<Tool> {
    tools.into_iter().map(Tool::in_words).collect()
}

/// Returns the tool reference as Markdown.
pub(crate) fn reference() -> String {
    let mut text = "# MCP tools\n\nMade by `quipu mcp --reference` from the schemas; a test keeps it current.\n".to_owned();
    for profile in Profile::value_variants() {
        let Some(name) = profile.to_possible_value() else { continue };
        let tools = tools(*profile);
        let about = name.get_help().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(text, "\n## Profile `{}`\n\n{about}. {} tools.", name.get_name(), tools.len());
        for tool in &tools {
            one(&mut text, tool);
        }
    }
    text
}

fn one(text: &mut String, tool: &Tool) {
    let effect = match tool.effect {
        Effect::Reads => "reads",
        Effect::Writes => "writes",
        Effect::Removes => "puts away",
    };
    let _ = writeln!(text, "\n### `{}` ({effect})\n\n{}\n", tool.name, tool.about);
    for action in &tool.actions {
        if action.name.is_empty() {
            continue;
        }
        let takes: Vec<String> = action.takes.iter().map(Taken::told).collect();
        let _ = writeln!(text, "- `{}: {}`: {}", tool.key, action.name, takes.join(", "));
    }
    let told = tool.told();
    let needed = told.input.get("required").cloned().unwrap_or_default();
    if tool.params.is_empty() {
        text.push_str("Takes nothing.\n");
        return;
    }
    text.push_str("\n| argument | form | |\n|---|---|---|\n");
    for param in &tool.params {
        let schema = &told.input["properties"][&param.name];
        let form = match (schema["enum"].as_array(), schema["type"].as_str()) {
            (Some(names), _) => {
                let names: Vec<&str> = names.iter().filter_map(|name| name.as_str()).collect();
                names.join(", ")
            }
            (None, Some("array")) => "list".to_owned(),
            (None, form) => form.unwrap_or_default().to_owned(),
        };
        let is_needed =
            needed.as_array().is_some_and(|names| names.iter().any(|name| *name == *param.name));
        let mark = if is_needed { " (needed)" } else { "" };
        let about = param.about.replace('|', "\\|");
        let _ = writeln!(text, "| `{}`{mark} | {form} | {about} |", param.name);
    }
}
