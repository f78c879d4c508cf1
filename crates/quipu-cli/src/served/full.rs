//! Every operation as a tool of its own.

use quipu_engine::operation::registry::Entry;
use quipu_engine::operation::{self, Audience};
use quipu_engine::operations;
use quipu_server::Effect;
use serde_json::Value;

use super::tool::{Action, Form, Param, Place, Taken, Tool};

/// Returns a tool for every operation.
pub(super) fn tools() -> Vec<Tool> {
    operations::ALL.iter().filter(|entry| is_for_tools(entry)).map(of).collect()
}

/// Tells whether an operation is offered here; the memory tool is a profile of its own.
fn is_for_tools(entry: &Entry) -> bool {
    entry.audience != Audience::Here && entry.name != "memory-tool"
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
    let mut tool = Tool::new(&entry.tool_name(), effect, &about);
    let schema = &*entry.input;
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut takes = Vec::new();
    // In the order of the help; what is only there at a terminal has no schema.
    for arg in command.get_arguments() {
        let name = arg.get_id().as_str();
        let Some(schema) = schema.get("properties").and_then(|all| all.get(name)) else {
            continue;
        };
        takes.push(Taken::new(name, required.iter().any(|needed| needed == name)));
        tool.params.push(field(name, schema));
    }
    if effect != Effect::Reads {
        takes.push(Taken::new("session", false));
        tool = tool.param("session", Form::Text, Place::Aside, "Your open session's id");
    }
    tool.actions.push(Action::new("", entry.name, takes));
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
    Param { name: name.to_owned(), about, form, place: Place::Field }
}
