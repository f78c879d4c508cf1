//! The formats that are known.

use serde::{Deserialize, Serialize};

/// Defines the formats: one list says name, program and what it is.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $program:literal, $about:literal;)+) => {
        /// A format of another program, or our own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Format {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl Format {
            /// Every format, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name that `--as` takes, and that ids are made with.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Returns the name of the program.
            pub fn program(self) -> &'static str {
                match self { $(Self::$variant => $program),+ }
            }

            /// Returns what it is, in a few words.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }

            /// Returns the format of that name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|format| format.as_str() == name)
            }
        }
    };
}

formats! {
    /// Our own lossless export.
    Quipu = "quipu", "Quipu", "quipu.export/1, one JSON object a line";
    /// A folder with a journal: ours, or `CursorClaw`'s.
    Journal = "journal", "Quipu or CursorClaw", "MEMORY.md and daily logs with records";
    /// Memory files, instructions and transcripts of Claude Code.
    ClaudeCode = "claude-code", "Claude Code", "projects/*/memory, CLAUDE.md, transcripts";
    /// An export of `ChatGPT`.
    ChatGpt = "chatgpt", "ChatGPT", "export with conversations.json";
    /// An export of Claude.
    Claude = "claude", "Claude", "export with conversations.json and memories.json";
    /// What mem0 holds.
    Mem0 = "mem0", "mem0", "get_all() as JSON, history.db, an OpenMemory zip";
    /// The official MCP server.
    Mcp = "mcp", "MCP memory server", "memory.jsonl";
    /// Notes of basic-memory.
    BasicMemory = "basic-memory", "basic-memory", "Markdown with permalinks";
    /// What engram holds.
    Engram = "engram", "engram", "memory.db, or its JSON export";
    /// What claude-mem holds.
    ClaudeMem = "claude-mem", "claude-mem", "claude-mem.db, or its JSON export";
    /// A vault of Obsidian.
    Obsidian = "obsidian", "Obsidian", "a vault";
    /// Agents of Letta.
    Letta = "letta", "Letta", "an agent file (.af), or a MemFS folder";
    /// What ICM holds.
    Icm = "icm", "ICM", "memories.db";
    /// What Graphiti or Zep hands out.
    Graphiti = "graphiti", "Graphiti", "episodes and edges as JSON";
    /// Sessions of Codex.
    Codex = "codex", "Codex", "rollouts and memories";
    /// What the Gemini apps know of their use.
    Gemini = "gemini", "Gemini", "MyActivity.json of a Takeout";
    /// An export of Slack.
    Slack = "slack", "Slack", "an export with users.json";
    /// Drawers and facts of `MemPalace`.
    MemPalace = "mempalace", "MemPalace", "the databases of a palace";
    /// An archive of Hindsight.
    Hindsight = "hindsight", "Hindsight", "an archive with manifest.json";
    /// A vault of Perseus.
    Perseus = "perseus", "Perseus Vault", "perseus-vault.db";
    /// Conversations of Cursor.
    Cursor = "cursor", "Cursor", "state.vscdb";
    /// Mails.
    Mail = "mail", "mail", "mails: .eml files, or an mbox";
    /// Notes that our own export writes.
    Markdown = "markdown", "Markdown", "notes, bullets and paragraphs";
    /// A table with a header.
    Csv = "csv", "CSV", "a table with a column of words";
    /// Objects with words in them.
    Json = "json", "JSON", "a list of objects with words, or one a line";
    /// A line, or a bullet, a memory.
    List = "list", "a list", "a memory a line";
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl schemars::JsonSchema for Format {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Format".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<&str> = Self::ALL.iter().map(|format| format.as_str()).collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}
