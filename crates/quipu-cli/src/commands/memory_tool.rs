//! `quipu memory-tool`.

use quipu_engine::memory_tool::{Command, MemoryToolError};
use serde_json::{Value, json};

use crate::cli::MemoryToolArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::Reply;

pub(crate) fn run(arguments: &MemoryToolArgs, context: &Context) -> Result<Reply, CommandError> {
    let given = context.text_or_stdin(arguments.command.as_deref().unwrap_or("-"))?;
    let workspace = context.workspace()?;
    let mut call = None;
    let done = parsed(&given, &mut call).and_then(|command| {
        let request = context.request("memory-tool", arguments.dry.dry_run);
        let done = workspace.memory_tool(&command, arguments.allow_secret, &request);
        done.map_err(|error: MemoryToolError| error.told())
    });
    super::tell_recovered(&workspace);
    let is_error = done.is_err();
    let told = done.unwrap_or_else(|error| error);
    let answer = match call {
        Some(id) => json!({
            "type": "tool_result", "tool_use_id": id, "content": told, "is_error": is_error,
        }),
        None => json!({ "content": told, "is_error": is_error }),
    };
    Ok(Reply::new(told, answer).exit(u8::from(is_error)))
}

/// Reads a command, or the block of a message that holds one; then `call` is its id.
fn parsed(given: &str, call: &mut Option<Value>) -> Result<Command, String> {
    let told = |error: serde_json::Error| format!("Invalid memory command: {error}");
    let mut value: Value = serde_json::from_str(given).map_err(told)?;
    if value["type"] == "tool_use" {
        *call = Some(value["id"].take());
        value = value["input"].take();
    }
    serde_json::from_value(value).map_err(told)
}
