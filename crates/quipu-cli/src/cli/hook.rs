//! The arguments of what agents and their runtimes call.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Clients: claude-code, codex, cursor, gemini, vscode, copilot, other.
Events: session-start, prompt, after-tool, pre-compact, stop, session-end; the clients' own names too
(SessionStart, UserPromptSubmit, BeforeAgent, beforeSubmitPrompt, PreCompress …).

The exit code is always 0. What goes wrong is a line in hook.log in the state folder (quipu doctor says where); with QUIPU_HOOK_DEBUG=1 it
is printed on stderr too. QUIPU_HOOK_SECONDS sets how long a hook may take. More in docs/hooks.md.")]
pub(crate) struct HookArgs {
    /// Who calls
    pub(crate) client: String,
    /// What happened
    pub(crate) event: String,
}
