//! The arguments of what agents and their runtimes call.

use clap::Args;

use super::DryRun;

#[derive(Debug, Args)]
#[command(
    after_help = "Answers with the words for the model; exit code 1 where they tell of an error.
With --json: {\"content\": …, \"is_error\": …}, and for a whole tool_use block a tool_result block.
docs/memory-tool.md tells more."
)]
pub(crate) struct MemoryToolArgs {
    /// The command, such as {"command":"view","path":"/memories"}, or a tool_use block (default: read
    /// from stdin)
    #[arg(value_name = "JSON")]
    pub(crate) command: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    pub(crate) allow_secret: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}
