//! What set-up of version 0.1 noted about the files it wrote into, so that they can be given back:
//! `init.json` and `install.json`.
//!
//! These types describe files of 0.1 and never change. What set-up writes today is decided in
//! `quipu-setup`, whose tests compare the two.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::transaction::is_inside;

/// The format of `install.json` in version 0.1.
const FORMAT: u32 = 1;

/// The files that `quipu init` added to, by path.
type Additions = BTreeMap<String, Addition>;

#[derive(Serialize, Deserialize)]
struct Addition {
    before: Before,
    written: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Before {
    Empty,
    Unended,
}

/// What `quipu install` wrote into files of clients.
#[derive(Serialize, Deserialize)]
struct Installed {
    format: u32,
    quipu: String,
    command: String,
    files: Vec<InstalledFile>,
    #[serde(default)]
    folders: Vec<PathBuf>,
    #[serde(default)]
    made_state: bool,
}

#[derive(Serialize, Deserialize)]
struct InstalledFile {
    path: PathBuf,
    original: Option<String>,
    written: String,
    entries: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    clients: Vec<String>,
    what: String,
    spot: Spot,
    value: Value,
    #[serde(default)]
    receipt: EntryReceipt,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Spot {
    Json { path: Vec<String>, slot: Slot },
    Table { parent: String },
    Block { parent: String },
    File,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Slot {
    Key(String),
    Ending(String),
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct EntryReceipt {
    #[serde(skip_serializing_if = "is_default")]
    made: usize,
    #[serde(skip_serializing_if = "is_default")]
    broke: bool,
    #[serde(skip_serializing_if = "is_default")]
    replaced: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads `init.json` strictly; returns it as it may be written again.
pub(super) fn of_init(bytes: &[u8]) -> Option<Vec<u8>> {
    let additions: Additions = serde_json::from_slice(bytes).ok()?;
    additions.keys().all(|path| is_inside(path)).then(|| serde_json::to_vec(&additions).ok())?
}

/// Reads a project's `install.json` strictly; returns it as it may be written again.
pub(super) fn of_install(bytes: &[u8]) -> Option<Vec<u8>> {
    let installed: Installed = serde_json::from_slice(bytes).ok()?;
    let mut paths = installed.files.iter().map(|file| &file.path).chain(&installed.folders);
    let are_inside = paths.all(|path| path.to_str().is_some_and(is_inside));
    if installed.format != FORMAT || !are_inside {
        return None;
    }
    let mut bytes = serde_json::to_vec_pretty(&installed).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}
