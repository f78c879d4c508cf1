//! Everything that the command line can do, read from its own definition.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use quipu_server::Effect;

use quipu_engine::operation::registry::Entry;
use quipu_engine::operation::{self, Audience};
use quipu_engine::operations;
use serde_json::Value;

use super::access;
use super::tool::{Action, Form, Param, Place, Tool};
use crate::cli::Cli;

/// Commands for people at a terminal, and for setting things up.
const LEFT_OUT: [&str; 14] = [
    "demo",
    "completions",
    "git",
    "man",
    "mcp",
    "serve",
    "hook",
    "install",
    "adopt",
    "uninstall",
    "memory-tool",
    "token",
    "help",
    "doctor",
];

/// Options that need a terminal or a file, that show secrets, or that are the server's own affair.
const NOT_OFFERED: [&str; 10] = [
    "interactive",
    "watch",
    "follow",
    "sarif",
    "dot",
    "allow_secret",
    "by",
    "channel",
    "help",
    "version",
];

/// Returns a tool for every command.
pub(super) fn tools() -> Vec<Tool> {
    let mut tools: Vec<Tool> =
        operations::ALL.iter().filter(|entry| entry.audience != Audience::Here).map(of).collect();
    collect(&Cli::command(), &mut Vec::new(), &mut tools);
    tools
}

/// Makes a tool of an operation.
fn of(entry: &Entry) -> Tool {
    let effect = match entry.effect {
        operation::Effect::Reads => Effect::Reads,
        operation::Effect::Writes => Effect::Writes,
        operation::Effect::Removes => Effect::Removes,
    };
    let command = (entry.command)();
    let help = command.get_about().map(ToString::to_string).unwrap_or_default();
    let about = entry.for_agents.map_or(help, str::to_owned);
    let words = entry.words();
    let mut tool = Tool::new(&entry.tool_name(), &words.join(" "), effect, &about);
    let schema = (entry.input)();
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut takes = Vec::new();
    // In the order of the help; what is only there at a terminal has no schema.
    for arg in command.get_arguments() {
        let name = arg.get_id().as_str();
        let Some(schema) = schema.get("properties").and_then(|all| all.get(name)) else {
            continue;
        };
        takes.push((name.to_owned(), required.iter().any(|needed| needed == name)));
        tool.params.push(field(name, schema));
    }
    if effect != Effect::Reads {
        takes.push(("session".to_owned(), false));
        tool = tool.param("session", Form::Text, Place::Aside, "Your open session's id");
    }
    let command = words.iter().map(|&word| word.to_owned()).collect();
    tool.actions.push(Action { name: String::new(), command, takes });
    tool.is_whole = true;
    tool
}

/// Makes a parameter of a field.
fn field(name: &str, schema: &Value) -> Param {
    let names = |schema: &Value| -> Vec<String> {
        let names = schema["enum"].as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str),
        kind => kind.as_str(),
    };
    let form = match kind {
        Some("boolean") => Form::Flag,
        Some("integer") => Form::Whole,
        Some("number") => Form::Number,
        Some("array") if schema["items"]["enum"].is_array() => {
            Form::SomeOf(names(&schema["items"]))
        }
        Some("array") => Form::Texts,
        _ if schema["enum"].is_array() => Form::OneOf(names(schema)),
        _ => Form::Text,
    };
    // A doc comment may go over several lines.
    let about = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    // Nobody types here, so nothing is read from a terminal.
    let about = about.replace(" (`-` reads it from stdin)", "");
    Param { name: name.to_owned(), about, form, place: Place::Aside }
}

fn collect(command: &Command, path: &mut Vec<String>, tools: &mut Vec<Tool>) {
    for inner in command.get_subcommands() {
        if path.is_empty() && LEFT_OUT.contains(&inner.get_name()) {
            continue;
        }
        path.push(inner.get_name().to_owned());
        if inner.has_subcommands() {
            collect(inner, path, tools);
        } else {
            tools.push(tool(inner, path));
        }
        path.pop();
    }
}

fn tool(command: &Command, path: &[String]) -> Tool {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let name = path.join("_").replace('-', "_");
    let effect = match path {
        // These look, and act where they are told to.
        [only] if matches!(&**only, "drift" | "verify") => Effect::Writes,
        path if access::only_reads(&path.join(" ")) => Effect::Reads,
        [first, ..] if matches!(&**first, "purge" | "forget") => Effect::Removes,
        _ => Effect::Writes,
    };
    let mut tool = Tool::new(&name, &path.join(" "), effect, &about);
    let mut takes = Vec::new();
    for arg in command.get_arguments().filter(|arg| is_offered(arg)) {
        // A value to remove would pass through the model, which must not see it.
        if name == "purge" && matches!(arg.get_id().as_str(), "value" | "yes_short") {
            continue;
        }
        // Without words these two would open an editor.
        let edits = arg.get_id() == "text" && matches!(&*name, "edit" | "user_edit");
        let is_purged = arg.get_id() == "id" && name == "purge";
        takes.push((arg.get_id().to_string(), arg.is_required_set() || edits || is_purged));
        tool.params.push(param(arg));
    }
    if effect != Effect::Reads {
        takes.push(("session".to_owned(), false));
        tool = tool.param("session", Form::Text, Place::Aside, "Your open session's id");
    }
    tool.actions.push(Action { name: String::new(), command: path.to_vec(), takes });
    tool
}

fn is_offered(arg: &Arg) -> bool {
    // A path would let a client read and write files that are no memory.
    let is_file = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    !is_file && !arg.is_global_set() && !NOT_OFFERED.contains(&arg.get_id().as_str())
}

fn param(arg: &Arg) -> Param {
    let names: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let takes_many = matches!(arg.get_action(), ArgAction::Append);
    let form = match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => Form::Flag,
        _ if !names.is_empty() && takes_many => Form::SomeOf(names),
        _ if !names.is_empty() => Form::OneOf(names),
        _ if takes_many => Form::Texts,
        _ => number(arg).unwrap_or(Form::Text),
    };
    let place = match arg.get_long() {
        Some(long) => Place::Option(format!("--{long}")),
        None => Place::Word,
    };
    let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
    // Nobody types here, so nothing is read from a terminal.
    let about = about.replace(" (`-` reads it from stdin)", "");
    Param { name: arg.get_id().to_string(), about, form, place }
}

fn number(arg: &Arg) -> Option<Form> {
    let type_id = arg.get_value_parser().type_id();
    if type_id == TypeId::of::<usize>()
        || type_id == TypeId::of::<u64>()
        || type_id == TypeId::of::<u32>()
    {
        return Some(Form::Whole);
    }
    (type_id == TypeId::of::<f32>() || type_id == TypeId::of::<f64>()).then_some(Form::Number)
}
