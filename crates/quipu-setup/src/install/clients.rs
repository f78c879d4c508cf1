//! The clients that are known: how one sees that they are used, which files they read, and what stands
//! in them. Formats differ more than one would think; each difference is said here once.

pub use quipu_core::hook::Event;

use super::machine::{Base, Location};

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
    /// What its user has to do once.
    pub(super) note: &'static str,
}

const fn project(path: &'static str) -> Location {
    Location { base: Base::Project, path }
}

const fn home(path: &'static str) -> Location {
    Location { base: Base::Home, path }
}

const fn config(path: &'static str) -> Location {
    Location { base: Base::Config, path }
}

const fn code(path: &'static str) -> Location {
    Location { base: Base::Code, path }
}

const fn claude(path: &'static str) -> Location {
    Location { base: Base::Claude, path }
}

const fn codex(path: &'static str) -> Location {
    Location { base: Base::Codex, path }
}

const fn copilot(path: &'static str) -> Location {
    Location { base: Base::Copilot, path }
}

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
    project: project(".github/hooks/quipu.json"),
    user: copilot("hooks/quipu.json"),
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
        signs: &[project(".claude"), project("CLAUDE.md"), claude(""), home(".claude.json")],
        servers: &[
            place(project(".mcp.json"), ServerShape::Typed),
            place(Location { base: Base::ClaudeState, path: ".claude.json" }, ServerShape::Typed),
        ],
        hooks: Some(Hooks {
            project: project(".claude/settings.json"),
            user: claude("settings.json"),
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
        signs: &[project(".codex"), codex("")],
        servers: &[
            place(project(".codex/config.toml"), ServerShape::Codex),
            place(codex("config.toml"), ServerShape::Codex),
        ],
        hooks: Some(Hooks {
            project: project(".codex/hooks.json"),
            user: codex("hooks.json"),
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
        signs: &[project(".cursor"), home(".cursor")],
        servers: &[
            place(project(".cursor/mcp.json"), ServerShape::Plain),
            place(home(".cursor/mcp.json"), ServerShape::Plain),
        ],
        hooks: Some(Hooks {
            project: project(".cursor/hooks.json"),
            user: home(".cursor/hooks.json"),
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
        signs: &[project(".gemini"), project("GEMINI.md"), home(".gemini")],
        servers: &[
            place(project(".gemini/settings.json"), ServerShape::Plain),
            place(home(".gemini/settings.json"), ServerShape::Plain),
        ],
        hooks: Some(Hooks {
            project: project(".gemini/settings.json"),
            user: home(".gemini/settings.json"),
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
        signs: &[project(".vscode"), code("")],
        servers: &[
            place(project(".vscode/mcp.json"), ServerShape::VsCode),
            place(code("mcp.json"), ServerShape::VsCode),
        ],
        hooks: Some(COPILOT_HOOKS),
        note: "VS Code asks once whether to trust the server",
    },
    Client {
        name: "copilot",
        title: "Copilot CLI",
        aliases: &["copilot-cli", "github-copilot"],
        binaries: &["copilot"],
        signs: &[project(".github/copilot-instructions.md"), project(".github/hooks"), copilot("")],
        servers: &[
            place(project(".mcp.json"), ServerShape::Typed),
            place(copilot("mcp-config.json"), ServerShape::Copilot),
        ],
        hooks: Some(COPILOT_HOOKS),
        note: "Copilot reads a project's files once you trust its folder",
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        aliases: &[],
        binaries: &["windsurf"],
        signs: &[project(".windsurf"), project(".windsurfrules"), home(".codeium/windsurf")],
        servers: &[place(home(".codeium/windsurf/mcp_config.json"), ServerShape::Plain)],
        hooks: None,
        note: "",
    },
    Client {
        name: "zed",
        title: "Zed",
        aliases: &[],
        binaries: &["zed", "zeditor"],
        signs: &[project(".zed"), Location { base: Base::Zed, path: "" }],
        servers: &[
            place(project(".zed/settings.json"), ServerShape::Zed),
            place(Location { base: Base::Zed, path: "settings.json" }, ServerShape::Zed),
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
            project(".clinerules"),
            code("globalStorage/saoudrizwan.claude-dev"),
            home(".cline"),
        ],
        servers: &[
            place(
                code("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
                ServerShape::Plain,
            ),
            place(home(".cline/data/settings/cline_mcp_settings.json"), ServerShape::Plain),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "roo",
        title: "Roo Code",
        aliases: &["roo-code", "roo-cline"],
        binaries: &[],
        signs: &[project(".roo"), code("globalStorage/rooveterinaryinc.roo-cline")],
        servers: &[
            place(project(".roo/mcp.json"), ServerShape::Plain),
            place(
                code("globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
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
            project(".kilo"),
            project("kilo.jsonc"),
            project("kilo.json"),
            project(".kilocode"),
            config("kilo"),
            code("globalStorage/kilocode.kilo-code"),
        ],
        servers: &[
            place(project(".kilo/kilo.jsonc"), ServerShape::OneList),
            place(project(".kilo/kilo.json"), ServerShape::OneList),
            place(project("kilo.jsonc"), ServerShape::OneList),
            place(project("kilo.json"), ServerShape::OneList),
            // What Kilo read before it had a file of its own.
            place(project(".kilocode/mcp.json"), ServerShape::Plain),
            place(config("kilo/kilo.jsonc"), ServerShape::OneList),
            place(config("kilo/kilo.json"), ServerShape::OneList),
            place(
                code("globalStorage/kilocode.kilo-code/settings/mcp_settings.json"),
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
            project("opencode.json"),
            project("opencode.jsonc"),
            project(".opencode"),
            config("opencode"),
        ],
        servers: &[
            place(project("opencode.json"), ServerShape::OneList),
            place(project("opencode.jsonc"), ServerShape::OneList),
            place(config("opencode/opencode.json"), ServerShape::OneList),
            place(config("opencode/opencode.jsonc"), ServerShape::OneList),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "continue",
        title: "Continue",
        aliases: &[],
        binaries: &["cn"],
        signs: &[project(".continue"), home(".continue")],
        servers: &[
            place(project(".continue/mcpServers/quipu.yaml"), ServerShape::Continue),
            place(home(".continue/mcpServers/quipu.yaml"), ServerShape::Continue),
        ],
        hooks: None,
        note: "",
    },
    Client {
        name: "amp",
        title: "Amp",
        aliases: &[],
        binaries: &["amp"],
        signs: &[project(".amp"), home(".config/amp")],
        servers: &[
            place(project(".amp/settings.json"), ServerShape::Amp),
            place(project(".amp/settings.jsonc"), ServerShape::Amp),
            place(home(".config/amp/settings.json"), ServerShape::Amp),
            place(home(".config/amp/settings.jsonc"), ServerShape::Amp),
        ],
        hooks: None,
        note: "Amp asks for approval of a server that a project brings",
    },
    Client {
        name: "goose",
        title: "Goose",
        aliases: &["block-goose"],
        binaries: &["goose"],
        signs: &[project(".goosehints"), Location { base: Base::Goose, path: "" }],
        servers: &[place(Location { base: Base::Goose, path: "config.yaml" }, ServerShape::Goose)],
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

    /// Returns what it calls the events, in the order of a session.
    pub fn events(&self) -> &'static [(Event, &'static str)] {
        self.hooks.map_or(&[], |hooks| hooks.events)
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
