//! The arguments of what agents and their runtimes call.

use clap::Args;

use super::DryRun;

#[derive(Debug, Args)]
#[command(after_help = "Clients: claude-code, codex, cursor, gemini, vscode, copilot, other.
Events: session-start, prompt, after-tool, pre-compact, stop, session-end; the clients' own names too
(SessionStart, UserPromptSubmit, BeforeAgent, beforeSubmitPrompt, PreCompress …).

The exit code is always 0. What goes wrong is a line in hook.log in the state folder (quipu doctor says where); with QUIPU_HOOK_DEBUG=1 it
is told on stderr too. docs/hooks.md tells more.")]
pub(crate) struct HookArgs {
    /// Who calls
    pub(crate) client: String,
    /// What happened
    pub(crate) event: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Answers with the words for the model; exit code 1 where they tell of an error.
With --json: {\"content\": …, \"is_error\": …}, and for a whole tool_use block a tool_result block.
docs/memory-tool.md tells more."
)]
pub(crate) struct MemoryToolArgs {
    /// The command, such as {"command":"view","path":"/memories"}, or a `tool_use` block (default: read
    /// from stdin)
    #[arg(value_name = "JSON")]
    pub(crate) command: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    pub(crate) allow_secret: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}
