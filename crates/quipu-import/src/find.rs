//! What could be imported on this machine: places where programs keep their memories.

use std::path::{Path, PathBuf};

use crate::detect::detect;
use crate::format::Format;
use crate::input::Input;

/// A place that something was found at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The format.
    pub format: Format,
    /// The path.
    pub path: PathBuf,
    /// How many files are there.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
}

/// Folders of this machine, as the environment names them.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The home folder.
    pub home: PathBuf,
    /// Values of environment variables that programs read.
    pub variables: Vec<(String, String)>,
}

impl Machine {
    fn variable(&self, name: &str) -> Option<PathBuf> {
        let found = self.variables.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| PathBuf::from(value))
    }

    fn home(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }

    /// Returns the places where programs keep their memories, whether or not something is there.
    fn places(&self) -> Vec<(Format, PathBuf)> {
        let mut places = Vec::new();
        let claude = self.variable("CLAUDE_CONFIG_DIR").unwrap_or_else(|| self.home(".claude"));
        for name in ["projects", "CLAUDE.md"] {
            places.push((Format::ClaudeCode, claude.join(name)));
        }
        let mem0 = self.variable("MEM0_DIR").unwrap_or_else(|| self.home(".mem0"));
        places.push((Format::Mem0, mem0.join("history.db")));
        if let Some(path) = self.variable("MEMORY_FILE_PATH") {
            places.push((Format::Mcp, path));
        }
        places.extend(self.npx());
        places.push((Format::BasicMemory, self.home("basic-memory")));
        let data = self.variable("XDG_DATA_HOME").unwrap_or_else(|| self.home(".local/share"));
        places.push((Format::Engram, data.join("engram/memory.db")));
        places.push((Format::Icm, data.join("icm/memories.db")));
        let own = self.variable("CLAUDE_MEM_DATA_DIR").unwrap_or_else(|| self.home(".claude-mem"));
        places.push((Format::ClaudeMem, own.join("claude-mem.db")));
        let codex = self.variable("CODEX_HOME").unwrap_or_else(|| self.home(".codex"));
        for name in ["memories", "sessions"] {
            places.push((Format::Codex, codex.join(name)));
        }
        for palace in [".config/mempalace/palace", ".mempalace/palace"] {
            places.push((Format::MemPalace, self.home(palace)));
        }
        places.push((Format::Perseus, self.home(".perseus-vault/data/perseus-vault.db")));
        for config in [".config", "Library/Application Support", "AppData/Roaming"] {
            let settings = "Cursor/User/globalStorage/state.vscdb";
            places.push((Format::Cursor, self.home(config).join(settings)));
        }
        for agent in folders(&self.home(".letta/agents")) {
            places.push((Format::Letta, agent.join("memory")));
        }
        let desks = ["", "Documents", "Desktop", "Notes", "notes", "vaults", "Obsidian"];
        for folder in desks.iter().flat_map(|name| folders(&self.home(name))) {
            if folder.join(".obsidian").is_dir() {
                places.push((Format::Obsidian, folder));
            }
        }
        places.sort();
        places.dedup();
        places
    }

    /// The official server keeps its file beside its program, which npx hides in a cache.
    fn npx(&self) -> Vec<(Format, PathBuf)> {
        let server = "node_modules/@modelcontextprotocol/server-memory/dist";
        let caches = folders(&self.home(".npm/_npx")).into_iter();
        let names = ["memory.jsonl", "memory.json"];
        let files = caches.flat_map(|cache| names.map(|name| cache.join(server).join(name)));
        files.map(|path| (Format::Mcp, path)).collect()
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().take(500);
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Looks at all known places.
pub fn find(machine: &Machine) -> Vec<Found> {
    let mut found = Vec::new();
    for (expected, path) in machine.places() {
        if !path.exists() {
            continue;
        }
        let Ok(input) = Input::open(&path) else { continue };
        let members = input.members();
        let (files, bytes) = (members.len(), members.iter().map(|one| one.size).sum());
        if files > 0 && detect(&input).is_ok_and(|format| format == expected) {
            found.push(Found { format: expected, path, files, bytes });
        }
    }
    found
}
