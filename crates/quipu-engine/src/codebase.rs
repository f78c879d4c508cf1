//! The codebase layer: what the source files of a repository declare, kept as items that are found like
//! all else. It is made from the code and can be made again, so it is no part of the ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;
use quipu_code::{Language, describe, describe_manifest, describe_tree, manifest, outline};
use quipu_core::item::{Item, Kind, Layer, MemoryType, Place, Source};
use quipu_core::secret::{self, Scope};
use quipu_store::{Batch, Store};
use serde::Serialize;

use crate::embedding;
use crate::error::Error;
use crate::found::Indexable;
use crate::fs::{self, FileSystem as _, RealFs};
use crate::git;
use crate::index::{self, CODE};
use crate::parallel;
use crate::workspace::Workspace;

/// So many files are read before others have their turn.
const CHUNK: usize = 200;

/// The item that tells which files there are.
const TREE: &str = "code:.";

/// Larger files are not read.
const LARGEST: u64 = 1 << 18;

/// What a scan found.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct CodeScan {
    /// Source files and manifests that there are.
    pub files: usize,
    /// Those that are new or changed since the last scan.
    pub changed: usize,
    /// Those that are gone.
    pub removed: usize,
    /// How many files of each language.
    pub languages: BTreeMap<String, usize>,
    /// Functions, types and the like in what changed.
    pub symbols: usize,
    /// Files that were not read, and why.
    pub skipped: Vec<(String, String)>,
}

/// A file as a scan sees it.
struct Seen {
    path: String,
    stamp: String,
    text: String,
}

/// What became of a file.
enum Read {
    Told { path: String, stamp: String, text: String, symbols: usize },
    Skipped { path: String, stamp: String, why: String },
}

/// Reads the source files of the workspace's repository; those that have not changed since the last
/// scan are left as they are.
///
/// # Errors
/// When files cannot be listed or the index cannot be used.
pub fn scan_code(
    workspace: &Workspace,
    now: Timestamp,
    dry_run: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<CodeScan, Error> {
    index::freshen(workspace)?;
    let paths = source_files(workspace);
    let mut known: BTreeMap<String, String> = index::store(workspace)?
        .sources()?
        .into_iter()
        .filter_map(|(path, stamp)| Some((path.strip_prefix(CODE)?.to_owned(), stamp)))
        .collect();
    let mut scan = CodeScan { files: paths.len(), ..CodeScan::default() };
    let mut lines: Vec<(String, usize)> = Vec::new();
    for (number, chunk) in paths.chunks(CHUNK).enumerate() {
        progress(number * CHUNK, paths.len());
        let root = workspace.root();
        let read = parallel::map(chunk, |path| look_at(root, path));
        let mut changed = Vec::new();
        for (path, seen) in chunk.iter().zip(read) {
            let language = Language::of(path).map_or("manifest", Language::as_str);
            *scan.languages.entry(language.to_owned()).or_default() += 1;
            let before = known.remove(path);
            match seen {
                Ok(seen) => {
                    lines.push((path.clone(), seen.text.lines().count()));
                    if before.as_ref() != Some(&seen.stamp) {
                        changed.push(seen);
                    }
                }
                Err(why) => {
                    // What it said when it could be read does not hold any more.
                    known.extend(before.map(|stamp| (path.clone(), stamp)));
                    scan.skipped.push((path.clone(), why));
                }
            }
        }
        scan.changed += changed.len();
        let told = parallel::map(&changed, told);
        take_in_code(workspace, told, now, dry_run, &mut scan)?;
    }
    known.remove(".");
    scan.removed = known.len();
    let gone: Vec<String> = known.into_keys().collect();
    if !dry_run && (scan.changed > 0 || scan.removed > 0) {
        finish_scan(workspace, &gone, &lines, now)?;
    }
    progress(paths.len(), paths.len());
    Ok(scan)
}

/// Forgets the codebase layer, unless it is a dry run; returns how many items it has.
///
/// # Errors
/// When the index cannot be used.
pub fn forget_code(workspace: &Workspace, dry_run: bool) -> Result<usize, Error> {
    index::freshen(workspace)?;
    let remove = index::store(workspace)?.ids(CODE, usize::MAX)?;
    let count = remove.len();
    if dry_run {
        return Ok(count);
    }
    let known = index::store(workspace)?.sources()?.into_iter().map(|(path, _)| path);
    let sources = known.filter(|path| path.starts_with(CODE)).map(|path| (path, None));
    let sources = sources.collect();
    index::store(workspace)?.apply(&Batch { remove, sources, ..Batch::default() })?;
    Ok(count)
}

/// Returns the source files and manifests, in order: what git tracks or would, else what the folders hold.
fn source_files(workspace: &Workspace) -> Vec<String> {
    let is_meant = |path: &String| {
        let in_memory = path.starts_with("memory/") || path.starts_with(".quipu/");
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        let is_foreign = folders.split('/').any(quipu_code::is_skipped_directory);
        let is_source = Language::of(path).is_some() && !quipu_code::is_generated_name(path);
        let is_manifest = quipu_code::ManifestKind::of(path).is_some();
        !in_memory && !is_foreign && (is_source || is_manifest)
    };
    let listed = files_below(workspace.root());
    let mut paths: Vec<String> = listed.into_iter().filter(is_meant).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn take_in_code(
    workspace: &Workspace,
    told: Vec<Read>,
    now: Timestamp,
    dry_run: bool,
    scan: &mut CodeScan,
) -> Result<(), Error> {
    let mut items = Vec::new();
    let mut remove = Vec::new();
    let mut sources = Vec::new();
    for one in told {
        match one {
            Read::Told { path, stamp, text, symbols } => {
                scan.symbols += symbols;
                items.push(with_decisions(workspace, code_item(&path, &text, now))?);
                sources.push((format!("{CODE}{path}"), Some(stamp)));
            }
            Read::Skipped { path, stamp, why } => {
                // Not looked at again until it changes.
                remove.push(format!("{CODE}{path}"));
                sources.push((format!("{CODE}{path}"), Some(stamp)));
                scan.skipped.push((path, why));
            }
        }
    }
    if dry_run || sources.is_empty() {
        return Ok(());
    }
    let put = embedding::prepared(workspace, &items)?.puts;
    let model = embedding::embedder(workspace)?.id().to_owned();
    index::store(workspace)?.apply(&Batch { model, put, remove, sources, ..Batch::default() })?;
    Ok(())
}

/// Returns an item with what was decided about it: a pin outlives a change of the file.
fn with_decisions(workspace: &Workspace, base: Item) -> Result<Indexable, Error> {
    let filed = index::store(workspace)?.filed(&base.id)?;
    let mut item = base.clone();
    quipu_core::journal::fold(&mut item, filed.iter().map(|filed| &filed.event));
    Ok(Indexable { base, item, position: None })
}

/// Takes out what is gone, and tells which files there are.
fn finish_scan(
    workspace: &Workspace,
    gone: &[String],
    lines: &[(String, usize)],
    now: Timestamp,
) -> Result<(), Error> {
    let names: Vec<String> = gone.iter().map(|path| format!("{CODE}{path}")).collect();
    let tree = code_item(".", &describe_tree(lines), now);
    let mut sources: Vec<(String, Option<String>)> =
        names.iter().map(|name| (name.clone(), None)).collect();
    sources.push((TREE.to_owned(), Some(String::new())));
    let put = embedding::prepared(workspace, &[Indexable::plain(tree)])?.puts;
    let model = embedding::embedder(workspace)?.id().to_owned();
    index::store(workspace)?.apply(&Batch {
        model,
        put,
        remove: names,
        sources,
        ..Batch::default()
    })?;
    Ok(())
}

/// Takes the codebase layer over into another store, which was made from the ledger alone.
pub(crate) fn carry_code(workspace: &Workspace, new: &mut dyn Store) -> Result<(), Error> {
    let ids = index::store(workspace)?.ids(CODE, usize::MAX)?;
    let known = index::store(workspace)?.sources()?;
    let known = known.into_iter().filter(|(path, _)| path.starts_with(CODE));
    let sources = known.map(|(path, stamp)| (path, Some(stamp))).collect();
    let mut items = Vec::with_capacity(ids.len());
    for id in ids {
        let base = index::store(workspace)?.base(&id)?;
        items.extend(base.map(|base| with_decisions(workspace, base)).transpose()?);
    }
    let put = embedding::prepared(workspace, &items)?.puts;
    let model = embedding::embedder(workspace)?.id().to_owned();
    new.apply(&Batch { model, put, sources, ..Batch::default() })?;
    Ok(())
}

fn look_at(root: &Path, path: &str) -> Result<Seen, String> {
    let full = root.join(path);
    let read = RealFs.read_up_to(&full, LARGEST).map_err(|error| error.to_string())?;
    let bytes = read.map_err(|size| format!("it has {size} bytes"))?;
    let stamp = sha1_smol::Sha1::from(&bytes).digest().to_string();
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    Ok(Seen { path: path.to_owned(), stamp, text })
}

fn told(seen: &Seen) -> Read {
    let (path, stamp) = (seen.path.clone(), seen.stamp.clone());
    if let Some(manifest) = manifest(&path, &seen.text) {
        let text = describe_manifest(&path, &manifest);
        return Read::Told { path, stamp, text, symbols: 0 };
    }
    let Some(language) = Language::detect(&path, &seen.text) else {
        return Read::Skipped { path, stamp, why: "its language is not known".to_owned() };
    };
    match outline(language, &seen.text) {
        Ok(found) => {
            let text = describe(&path, language, &found);
            Read::Told { path, stamp, text, symbols: found.symbols.len() }
        }
        Err(why) => Read::Skipped { path, stamp, why: why.to_string() },
    }
}

fn code_item(path: &str, text: &str, now: Timestamp) -> Item {
    // A constant may be a key.
    let text = secret::redacted(text, Scope::Credentials);
    let mut item = Item::new(format!("{CODE}{path}"), Kind::Code, text, now);
    item.layer = Layer::Codebase;
    item.memory_type = MemoryType::Fact;
    item.source = Source::CodeScan;
    "code".clone_into(&mut item.category);
    item.place = (path != ".").then(|| Place { path: path.to_owned(), line: 1 });
    item
}

/// Returns the files below a folder, from there: those that git tracks or would track; without git,
/// all that are in no folder of tools.
pub fn files_below(root: &Path) -> Vec<String> {
    git::files(root).unwrap_or_else(|| walked(root))
}

/// Returns every file below a folder, without following links.
fn walked(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        for (name, kind) in RealFs.list(&root.join(&folder)).unwrap_or_default() {
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_own = !name.starts_with('.') && !quipu_code::is_skipped_directory(&name);
            if kind == fs::Kind::Folder && is_own && seen.insert(path.clone()) {
                open.push(path);
            } else if kind == fs::Kind::File {
                found.push(path);
            }
        }
    }
    found
}
