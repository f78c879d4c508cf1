//! Taking a memory along: in our own format, or in one of others.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use quipu_core::item::{Kind, Layer, Status};
use quipu_import::write::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::export::{self, Exported, Selection};
use crate::operation::input::{Moment, names, separated};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// A format to export to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// Ours: nothing is lost.
    #[default]
    Jsonl,
    /// A note a memory.
    Markdown,
    /// The same for Obsidian.
    Obsidian,
    /// Notes of basic-memory.
    BasicMemory,
    /// The official MCP server.
    Mcp,
    /// mem0.
    Mem0,
    /// A table.
    Csv,
    /// A site to read.
    Html,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Jsonl,
        Self::Markdown,
        Self::Obsidian,
        Self::BasicMemory,
        Self::Mcp,
        Self::Mem0,
        Self::Csv,
        Self::Html,
    ];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Markdown => "markdown",
            Self::Obsidian => "obsidian",
            Self::BasicMemory => "basic-memory",
            Self::Mcp => "mcp",
            Self::Mem0 => "mem0",
            Self::Csv => "csv",
            Self::Html => "html",
        }
    }

    /// Returns the format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.as_str() == name)
    }

    fn target(self) -> Option<Target> {
        Some(match self {
            Self::Jsonl => return None,
            Self::Markdown => Target::Markdown,
            Self::Obsidian => Target::Obsidian,
            Self::BasicMemory => Target::BasicMemory,
            Self::Mcp => Target::Mcp,
            Self::Mem0 => Target::Mem0,
            Self::Csv => Target::Csv,
            Self::Html => Target::Html,
        })
    }
}

/// Write the memory into a file or folder that others read
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Export {
    /// The file or folder (default: stdout, where the format is one file)
    #[arg(value_hint = ValueHint::AnyPath)]
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// The format: jsonl loses nothing, the others say what they lose
    #[arg(short, long, visible_alias = "to", default_value = "jsonl", value_parser = names!(ExportFormat))]
    #[serde(default)]
    pub format: ExportFormat,
    /// Only what was learned since then
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub since: Option<Moment>,
    /// Only with one of these tags
    #[arg(short, long, value_name = "TAG", value_delimiter = ',')]
    #[serde(default)]
    pub tag: Vec<String>,
    /// Only of this kind
    #[arg(long, value_parser = names!(Kind))]
    #[serde(default)]
    pub kind: Vec<Kind>,
    /// Only of this layer
    #[arg(long, value_parser = names!(Layer))]
    #[serde(default)]
    pub layer: Option<Layer>,
    /// Only with this status
    #[arg(long, value_parser = names!(Status))]
    #[serde(default)]
    pub status: Option<Status>,
    /// Only of this session
    #[arg(long = "of-session", value_name = "SESSION")]
    #[serde(default)]
    pub session: Option<String>,
    /// With what is secret
    #[arg(long)]
    #[serde(default)]
    pub include_secret: bool,
}

impl Output for Exported {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.text.iter_mut().for_each(each);
    }
}

impl Operation for Export {
    const NAME: &'static str = "export";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Here;
    type Output = Exported;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Exported, OperationError> {
        let selection = Selection {
            since: self.since.as_ref().map(|since| since.begin(call.today)),
            tags: separated(&self.tag),
            kinds: self.kind.clone(),
            layer: self.layer,
            status: self.status,
            session: self.session.clone(),
            include_secret: self.include_secret,
        };
        let path = self.path.as_deref().filter(|path| *path != Path::new("-"));
        let how = (self.format.as_str(), call.now);
        export::export(on, self.format.target(), &selection, path, how)
    }
}
