//! The clients that are known: how one sees that they are used, which files they read, and what stands
//! in them. Formats differ more than one would think; each difference is said here once.

pub use quipu_core::hook::Event;

use super::machine::Base::{
    Claude, ClaudeState, Code, Codex, Config, Copilot, Goose, Home, Project, Zed,
};
use super::machine::{Location, Scope};

/// The name under which clients know the server.
pub const NAME: &str = "quipu";

/// How a server is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerShape {
    /// `mcpServers.quipu` with `command` and `args`.
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// The same with `"type": "local"` and the tools that may be used.
    Copilot,
    /// `servers.quipu`, as VS Code has it.
    VsCode,
    /// `context_servers.quipu`.
    Zed,
    /// `mcp.quipu`, the command and its arguments in one list.
    OneList,
    /// `amp.mcpServers` is one key, with a dot in it.
    Amp,
    /// `[mcp_servers.quipu]`.
    Codex,
    /// `extensions.quipu` in YAML.
    Goose,
    /// A YAML file of its own.
    Continue,
}

/// How hooks are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookShape {
    /// Groups with a matcher, times in seconds.
    Claude,
    /// The same, times in milliseconds.
    Gemini,
    /// A flat list of commands, and a version.
    Cursor,
    /// A file of its own, one command a shell.
    Copilot,
}

/// A file that may hold a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: Location,
    pub(super) shape: ServerShape,
}

/// Where a client's hooks stand, and what it calls the events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hooks {
    pub(super) project: Location,
    pub(super) user: Location,
    pub(super) shape: HookShape,
    /// The name that `quipu hook` gets: clients that read the same file share one.
    pub(super) name: &'static str,
    pub(super) events: &'static [(Event, &'static str)],
}

/// A program that an agent runs in.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The name in commands.
    pub name: &'static str,
    /// The name that people know.
    pub title: &'static str,
    pub(super) aliases: &'static [&'static str],
    pub(super) binaries: &'static [&'static str],
    /// What is there where it is used.
    pub(super) signs: &'static [Location],
    /// Files that may hold the server, the usual one of each scope first.
    pub(super) servers: &'static [Place],
    pub(super) hooks: Option<Hooks>,
    /// What its user has to do once, for what a project brings.
    pub(super) note: &'static str,
}

impl Client {
    /// Returns what its user has to do once; most clients trust the home folder without a question.
    pub(super) fn note_in(&self, scope: Scope) -> &'static str {
        match (scope, self.name) {
            (Scope::Project, _) => self.note,
            (Scope::User, "codex") => CODEX_TRUST,
            (Scope::User, _) => "",
        }
    }
}

const CODEX_TRUST: &str = "Codex runs new hooks once you have trusted them: type /hooks";

const fn place(at: Location, shape: ServerShape) -> Place {
    Place { at, shape }
}

const CLAUDE_EVENTS: &[(Event, &str)] = &[
    (Event::SessionStart, "SessionStart"),
    (Event::Prompt, "UserPromptSubmit"),
    (Event::AfterTool, "PostToolUse"),
    (Event::PreCompact, "PreCompact"),
    (Event::Stop, "Stop"),
    (Event::SessionEnd, "SessionEnd"),
];

const COPILOT_HOOKS: Hooks = Hooks {
    project: Project.at(".github/hooks/quipu.json"),
    user: Copilot.at("hooks/quipu.json"),
    shape: HookShape::Copilot,
    name: "copilot",
    events: &[
        (Event::SessionStart, "sessionStart"),
        (Event::Prompt, "userPromptSubmitted"),
        (Event::AfterTool, "postToolUse"),
        (Event::PreCompact, "preCompact"),
        (Event::Stop, "agentStop"),
        (Event::SessionEnd, "sessionEnd"),
    ],
};

/// Every client that is known.
pub static CLIENTS: [Client; 15] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        aliases: &["claude"],
        binaries: &["claude"],
        signs: &[
            Project.at(".claude"),
            Project.at("CLAUDE.md"),
            Claude.at(""),
            Home.at(".claude.json"),
        ],
        servers: &[
            place(Project.at(".mcp.json"), ServerShape::Typed),
            place(ClaudeState.at(".claude.json"), ServerShape::Typed),
        ],
        hooks: Some(Hooks {
            project: Project.at(".claude/settings.json"),
            user: Claude.at("settings.json"),
            shape: HookShape::Claude,
            name: "claude-code",
            events: CLAUDE_EVENTS,
        }),
        note: "Claude Code asks once whether to use the servers of .mcp.json",
    },
    Client {
        name: "codex",
        title: "Codex CLI",
        aliases: &["codex-cli", "openai-codex"],
        binaries: &["codex"],
        signs: &[Project.at(".codex"), Codex.at("")],
        servers: &[
            place(Project.at(".codex/config.toml"), ServerShape::Codex),
            place(Codex.at("config.toml"), ServerShape::Codex),
        ],
        hooks: Some(Hooks {
            project: Project.at(".codex/hooks.json"),
            user: Codex.at("hooks.json"),
            shape: HookShape::Claude,
            name: "codex",
            events: CLAUDE_EVENTS,
        }),
        note: "Codex runs new hooks once you have trusted them: type /hooks; it reads .codex/ only in \
               projects that you trust",
    },
    Client {
        name: "cursor",
        title: "Cursor",
        aliases: &[],
        binaries: &["cursor", "cursor-agent"],
        signs: &[Project.at(".cursor"), Home.at(".cursor")],
        servers: &[
            place(Project.at(".cursor/mcp.json"), ServerShape::Plain),
            place(Home.at(".cursor/mcp.json"), ServerShape::Plain),
        ],
        hooks: Some(Hooks {
            project: Project.at(".cursor/hooks.json"),
            user: Home.at(".cursor/hooks.json"),
            shape: HookShape::Cursor,
            name: "cursor",
            events: &[
                (Event::SessionStart, "sessionStart"),
                (Event::Prompt, "beforeSubmitPrompt"),
                (Event::AfterTool, "postToolUse"),
                (Event::PreCompact, "preCompact"),
                (Event::Stop, "stop"),
                (Event::SessionEnd, "sessionEnd"),
            ],
        }),
        note: "Cursor asks once whether to enable the server",
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        aliases: &["gemini-cli"],
        binaries: &["gemini"],
        signs: &[Project.at(".gemini"), Project.at("GEMINI.md"), Home.at(".gemini")],
        servers: &[
            place(Project.at(".gemini/settings.json"), ServerShape::Plain),
            place(Home.at(".gemini/settings.json"), ServerShape::Plain),
        ],
        hooks: Some(Hooks {
            project: Project.at(".gemini/settings.json"),
            user: Home.at(".gemini/settings.json"),
            shape: HookShape::Gemini,
            name: "gemini",
            events: &[
                (Event::SessionStart, "SessionStart"),
                (Event::Prompt, "BeforeAgent"),
                (Event::AfterTool, "AfterTool"),
                (Event::PreCompact, "PreCompress"),
                (Event::Stop, "AfterAgent"),
                (Event::SessionEnd, "SessionEnd"),
            ],
        }),
        note: "",
    },
    Client {
        name: "vscode",
        title: "VS Code",
        aliases: &["vs-code", "code"],
        binaries: &["code"],
        signs: &[Project.at(".vscode"), Code.at("")],
        servers: &[
            place(Project.at(".vscode/mcp.json"), ServerShape::VsCode),
            place(Code.at("mcp.json"), ServerShape::VsCode),
        ],
        hooks: Some(COPILOT_HOOKS),
        note: "VS Code asks once whether to trust the server",
    },
    Client {
        name: "copilot",
        title: "Copilot CLI",
        aliases: &["copilot-cli", "github-copilot"],
        binaries: &["copilot"],
        signs: &[
            Project.at(".github/copilot-instructions.md"),
            Project.at(".github/hooks"),
            Copilot.at(""),
        ],
        servers: &[
            place(Project.at(".mcp.json"), ServerShape::Typed),
            place(Copilot.at("mcp-config.json"), ServerShape::Copilot),
        ],
        hooks: Some(COPILOT_HOOKS),
        note: "Copilot reads a project's files once you trust its folder",
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        aliases: &[],
        binaries: &["windsurf"],
        signs: &[
            Project.at(".windsurf"),
            Project.at(".windsurfrules"),
            Home.at(".codeium/windsurf"),
        ],
        servers: &[place(Home.at(".codeium/windsurf/mcp_config.json"), ServerShape::Plain)],
        hooks: None,
        note: "",
    },
    Client {
        name: "zed",
        title: "Zed",
        aliases: &[],
        binaries: &["zed", "zeditor"],
        signs: &[Project.at(".zed"), Zed.at("")],
        servers: &[
            place(Project.at(".zed/settings.json"), ServerShape::Zed),
            place(Zed.at("settings.json"), ServerShape::Zed),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "cline",
        title: "Cline",
        aliases: &[],
        binaries: &["cline"],
        signs: &[
            Project.at(".clinerules"),
            Code.at("globalStorage/saoudrizwan.claude-dev"),
            Home.at(".cline"),
        ],
        servers: &[
            place(
                Code.at("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
                ServerShape::Plain,
            ),
            place(Home.at(".cline/data/settings/cline_mcp_settings.json"), ServerShape::Plain),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "roo",
        title: "Roo Code",
        aliases: &["roo-code", "roo-cline"],
        binaries: &[],
        signs: &[Project.at(".roo"), Code.at("globalStorage/rooveterinaryinc.roo-cline")],
        servers: &[
            place(Project.at(".roo/mcp.json"), ServerShape::Plain),
            place(
                Code.at("globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
                ServerShape::Plain,
            ),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "kilo",
        title: "Kilo Code",
        aliases: &["kilo-code", "kilocode"],
        binaries: &["kilo", "kilocode"],
        signs: &[
            Project.at(".kilo"),
            Project.at("kilo.jsonc"),
            Project.at("kilo.json"),
            Project.at(".kilocode"),
            Config.at("kilo"),
            Code.at("globalStorage/kilocode.kilo-code"),
        ],
        servers: &[
            place(Project.at(".kilo/kilo.jsonc"), ServerShape::OneList),
            place(Project.at(".kilo/kilo.json"), ServerShape::OneList),
            place(Project.at("kilo.jsonc"), ServerShape::OneList),
            place(Project.at("kilo.json"), ServerShape::OneList),
            // What Kilo read before it had a file of its own.
            place(Project.at(".kilocode/mcp.json"), ServerShape::Plain),
            place(Config.at("kilo/kilo.jsonc"), ServerShape::OneList),
            place(Config.at("kilo/kilo.json"), ServerShape::OneList),
            place(
                Code.at("globalStorage/kilocode.kilo-code/settings/mcp_settings.json"),
                ServerShape::Plain,
            ),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "opencode",
        title: "OpenCode",
        aliases: &["open-code"],
        binaries: &["opencode"],
        signs: &[
            Project.at("opencode.json"),
            Project.at("opencode.jsonc"),
            Project.at(".opencode"),
            Config.at("opencode"),
        ],
        servers: &[
            place(Project.at("opencode.json"), ServerShape::OneList),
            place(Project.at("opencode.jsonc"), ServerShape::OneList),
            place(Config.at("opencode/opencode.json"), ServerShape::OneList),
            place(Config.at("opencode/opencode.jsonc"), ServerShape::OneList),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "continue",
        title: "Continue",
        aliases: &[],
        binaries: &["cn"],
        signs: &[Project.at(".continue"), Home.at(".continue")],
        servers: &[
            place(Project.at(".continue/mcpServers/quipu.yaml"), ServerShape::Continue),
            place(Home.at(".continue/mcpServers/quipu.yaml"), ServerShape::Continue),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "amp",
        title: "Amp",
        aliases: &[],
        binaries: &["amp"],
        signs: &[Project.at(".amp"), Home.at(".config/amp")],
        servers: &[
            place(Project.at(".amp/settings.json"), ServerShape::Amp),
            place(Project.at(".amp/settings.jsonc"), ServerShape::Amp),
            place(Home.at(".config/amp/settings.json"), ServerShape::Amp),
            place(Home.at(".config/amp/settings.jsonc"), ServerShape::Amp),
        ],
        hooks: None,
        note: "Amp asks for approval of a server that a project brings",
    },
    Client {
        name: "goose",
        title: "Goose",
        aliases: &["block-goose"],
        binaries: &["goose"],
        signs: &[Project.at(".goosehints"), Goose.at("")],
        servers: &[place(Goose.at("config.yaml"), ServerShape::Goose)],
        hooks: None,
        note: "",
    },
];

impl Client {
    /// Returns the client of that name or alias.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        CLIENTS.iter().find(|client| client.name == name || client.aliases.contains(&name.as_str()))
    }

    /// Returns its other names.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Tells whether it calls hooks.
    pub fn has_hooks(&self) -> bool {
        self.hooks.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_aliases_mean_one_client_each() {
        let mut seen = BTreeSet::new();
        for client in &CLIENTS {
            for name in std::iter::once(&client.name).chain(client.aliases) {
                assert!(seen.insert(*name), "{name} is taken");
                assert_eq!(Client::named(name).unwrap().name, client.name);
            }
        }
        assert!(Client::named("Claude").is_some() && Client::named("emacs").is_none());
    }
}
