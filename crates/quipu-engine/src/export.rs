//! A memory in a form that others read: our own, which loses nothing, and formats of other programs, which say what
//! they lose.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use quipu_core::item::{Item, Kind, Layer, Sensitivity, Status};
use quipu_core::journal::{self, entry};
use quipu_core::printable::json_escaped;
use quipu_import::write::{From, Memory, Target};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::digest::sha256;
use crate::error::Error;
use crate::fs::outside;
use crate::import::{CHANNEL, ORIGIN};
use crate::index;
use crate::ledger;
use crate::workspace::Workspace;

/// What is exported: everything, where nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Learned since then.
    pub since: Option<Timestamp>,
    /// With one of these tags.
    pub tags: Vec<String>,
    /// Of one of these kinds.
    pub kinds: Vec<Kind>,
    /// Of this layer.
    pub layer: Option<Layer>,
    /// With this status.
    pub status: Option<Status>,
    /// Of this session.
    pub session: Option<String>,
    /// With what is secret.
    pub include_secret: bool,
}

/// What an export wrote.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Exported {
    /// The format.
    pub format: String,
    /// How many memories.
    pub items: usize,
    /// How many files: of the memory in our own format, of the export in others.
    pub files: usize,
    /// How many secrets were left out.
    pub secrets: usize,
    /// What the format cannot hold, and how many memories have it.
    pub lost: BTreeMap<&'static str, usize>,
    /// Where it was written; nothing for stdout.
    pub path: Option<PathBuf>,
    /// The text for stdout.
    #[serde(skip)]
    pub text: Option<String>,
}

impl Selection {
    fn is_all(&self) -> bool {
        self.as_json().is_empty()
    }

    fn as_json(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                all.insert(key.to_owned(), value);
            }
        };
        put("kind", (!self.kinds.is_empty()).then(|| json!(self.kinds)));
        put("layer", self.layer.map(|one| json!(one)));
        put("session", self.session.as_ref().map(|one| json!(one)));
        put("since", self.since.map(|one| json!(one)));
        put("status", self.status.map(|one| json!(one)));
        put("tag", (!self.tags.is_empty()).then(|| json!(self.tags)));
        all
    }

    fn has(&self, item: &Item) -> bool {
        self.since.is_none_or(|since| item.time >= since)
            && (self.tags.is_empty() || self.tags.iter().any(|tag| item.tags.contains(tag)))
            && (self.kinds.is_empty() || self.kinds.contains(&item.kind))
            && self.layer.is_none_or(|layer| layer == item.layer)
            && self.status.is_none_or(|status| status == item.status)
            && self.session.as_ref().is_none_or(|one| item.session.as_ref() == Some(one))
    }
}

/// Exports a memory in another format, or in our own where `target` is none.
///
/// # Errors
/// When the memory cannot be read, or the export not written.
pub fn export(
    workspace: &Workspace,
    target: Option<Target>,
    selection: &Selection,
    path: Option<&Path>,
    (name, now): (&str, Timestamp),
) -> Result<Exported, Error> {
    if let Some(path) = path {
        outside::refuse_links(workspace.root(), path)?;
    }
    let lock = workspace.lock_for_reading()?;
    index::freshen(workspace)?;
    let (items, secrets) = items(workspace, selection)?;
    let mut exported = Exported {
        format: name.to_owned(),
        items: items.len(),
        secrets,
        path: path.map(Path::to_owned),
        ..Exported::default()
    };
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| Error::input("io", format!("cannot write `{path}`: {error}"))
    };
    let Some(target) = target else {
        let (text, files) = lossless(workspace, &items, selection, now)?;
        exported.files = files;
        drop(lock);
        match path {
            Some(path) => {
                let write = |sink: &mut dyn outside::Sink| sink.write_all(text.as_bytes());
                outside::write_whole(path, write).map_err(failed(path))?;
            }
            None => exported.text = Some(text),
        }
        return Ok(exported);
    };
    let origins = origins(workspace)?;
    drop(lock);
    let is_memory = |item: &Item| !matches!(item.kind, Kind::Code | Kind::Session | Kind::Document);
    let all = items.into_iter().filter(is_memory).map(|item| {
        let origin = origins.get(&item.id).cloned();
        Memory { item, origin }
    });
    let all: Vec<Memory> = all.collect();
    exported.items = all.len();
    exported.lost = target.losses(&all);
    let files = target.write(&all);
    exported.files = files.len();
    match (path, target.is_folder()) {
        (None, true) => {
            return Err(Error::usage(format!("`{name}` is a folder of files: say where"))
                .hint(format!("quipu export --format {name} DIR")));
        }
        (Some(folder), true) => {
            outside::make_empty_folder(folder).map_err(failed(folder))?;
            outside::write_files(folder, &files).map_err(failed(folder))?;
        }
        (path, false) => {
            let text = files.into_iter().next().map(|(_, text)| text).unwrap_or_default();
            match path {
                Some(path) => {
                    let write = |sink: &mut dyn outside::Sink| sink.write_all(text.as_bytes());
                    outside::write_whole(path, write).map_err(failed(path))?;
                }
                None => exported.text = Some(text),
            }
        }
    }
    Ok(exported)
}

/// Returns the items that are meant, by id, and how many secrets were left out.
fn items(workspace: &Workspace, selection: &Selection) -> Result<(Vec<Item>, usize), Error> {
    let (mut items, mut secrets) = (Vec::new(), 0);
    index::store(workspace)?.each(&mut |item| {
        if item.kind != Kind::Code && selection.has(&item) {
            if item.sensitivity == Sensitivity::Secret && !selection.include_secret {
                secrets += 1;
            } else {
                items.push(item);
            }
        }
        true
    })?;
    items.sort_by(|a, b| a.id.cmp(&b.id));
    Ok((items, secrets))
}

/// Returns where each imported memory is from.
fn origins(workspace: &Workspace) -> Result<BTreeMap<String, From>, Error> {
    let mut origins = BTreeMap::new();
    for path in ledger::imports(workspace) {
        let text = workspace.read_optional(&path)?.unwrap_or_default();
        for (_, record) in journal::records(&text) {
            let channel = record.provenance.source_channel;
            let Some(tool) = channel.strip_prefix(CHANNEL) else { continue };
            let Some(Value::String(origin)) = record.unknown.get(ORIGIN) else { continue };
            let Ok(origin) = serde_json::from_str::<Value>(origin) else { continue };
            let from = From {
                tool: tool.to_owned(),
                id: origin["id"].as_str().map(str::to_owned),
                extra: origin["extra"].as_object().cloned().unwrap_or_default(),
            };
            origins.insert(record.id, from);
        }
    }
    Ok(origins)
}

/// Returns our own format: every file of the memory, then what is known about each item, for readers.
fn lossless(
    workspace: &Workspace,
    items: &[Item],
    selection: &Selection,
    now: Timestamp,
) -> Result<(String, usize), Error> {
    let mut text = String::new();
    let name = workspace.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Nothing in it steers a terminal that it is shown on; for a program it says the same.
    let mut push = |value: Value| {
        let _ = writeln!(text, "{}", json_escaped(&value.to_string()));
    };
    push(json!({
        "by": concat!("quipu ", env!("CARGO_PKG_VERSION")),
        "filter": selection.as_json(),
        "format": "quipu.export/1",
        "made": now,
        "secrets": selection.include_secret,
        "t": "header",
        "workspace": name,
    }));
    let mut files = 0;
    if selection.is_all() {
        for path in ledger::memory_files(workspace)? {
            let Some(words) = workspace.read_optional(&path)? else { continue };
            let words = if selection.include_secret { words } else { without_secrets(&words) };
            push(
                json!({"path": path, "sha256": sha256(words.as_bytes()), "t": "file", "text": words}),
            );
            files += 1;
        }
    }
    for item in items {
        // By way of text, which has a number of one digit as that.
        let mut value = serde_json::to_string(item)
            .and_then(|text| serde_json::from_str::<Value>(&text))
            .map_err(|_| Error::bug())?;
        if let Value::Object(fields) = &mut value {
            fields.insert("derived".to_owned(), json!(true));
            fields.insert("t".to_owned(), json!("item"));
        }
        push(value);
    }
    let known: std::collections::BTreeSet<&str> =
        items.iter().map(|item| item.id.as_str()).collect();
    for (id, last, uses) in index::store(workspace)?.all_accesses()? {
        if known.contains(id.as_str()) {
            push(json!({"id": id, "last": last, "t": "use", "uses": uses}));
        }
    }
    let sum = sha256(text.as_bytes());
    let end = json!({"files": files, "items": items.len(), "sha256": sum, "t": "end"});
    let _ = writeln!(text, "{end}");
    Ok((text, files))
}

/// Returns a file of records without those that are secret.
fn without_secrets(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for one in entry::entries(text) {
        if one.record.provenance.sensitivity == Sensitivity::Secret {
            left.push_str(&text[from..one.span.start]);
            from = one.span.end;
        }
    }
    left.push_str(&text[from..]);
    left
}
