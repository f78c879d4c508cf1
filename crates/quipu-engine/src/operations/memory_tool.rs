//! The memory tool of Anthropic's API.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::caller::Permission;
use crate::memory_tool::{self, Command};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Carry out a command of Anthropic's memory tool over the notes of this workspace
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Answers with the words for the model; exit code 1 where they tell of an error.
With --json: {\"content\": …, \"is_error\": …}, and for a whole tool_use block a tool_result block.
docs/memory-tool.md tells more."
)]
pub struct MemoryTool {
    /// The command, such as {"command":"view","path":"/memories"}, or a `tool_use` block (default: read
    /// from stdin)
    #[arg(value_name = "JSON")]
    pub command: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// The words for the model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryToolAnswer {
    /// For a block of a message: what the answer is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub block: Option<&'static str>,
    /// For a block of a message: its id, as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<Value>,
    /// The words.
    pub content: String,
    /// Whether they tell of an error.
    pub is_error: bool,
}

impl Output for MemoryToolAnswer {
    // A note is shown as it is: a model changes it by the words that stand there.
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        self.is_error
    }
}

impl Operation for MemoryTool {
    const NAME: &'static str = "memory-tool";
    const EFFECT: Effect = Effect::Removes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const LOOKS_FIRST: bool = true;
    type Output = MemoryToolAnswer;

    fn effect(&self) -> Effect {
        match self.document() {
            Ok((_, command)) if command["command"] == "view" => Effect::Reads,
            _ => self.dry.effect(Self::EFFECT),
        }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<MemoryToolAnswer, OperationError> {
        let mut tool_use_id = None;
        let done = self.document().and_then(|(id, command)| {
            tool_use_id = id;
            let command: Command = serde_json::from_value(command).map_err(invalid)?;
            let request = call.request("memory-tool", self.dry.dry_run);
            memory_tool::memory_tool(on, &command, self.allow_secret, &request)
                .map_err(|error| error.told())
        });
        let is_error = done.is_err();
        let content = done.unwrap_or_else(|error| error);
        let block = tool_use_id.is_some().then_some("tool_result");
        Ok(MemoryToolAnswer { block, tool_use_id, content, is_error })
    }
}

impl MemoryTool {
    /// Returns the command as data, with the id of the block of a message that holds it.
    fn document(&self) -> Result<(Option<Value>, Value), String> {
        let given = self.command.as_deref().unwrap_or_default();
        let mut value: Value = serde_json::from_str(given).map_err(invalid)?;
        if value["type"] == "tool_use" {
            return Ok((Some(value["id"].take()), value["input"].take()));
        }
        Ok((None, value))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an argument of map_err")]
fn invalid(error: serde_json::Error) -> String {
    format!("Invalid memory command: {error}")
}
