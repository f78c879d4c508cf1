//! Vectors of what has faded take less room; what comes back gets its own again.

use std::collections::HashMap;

use jiff::Timestamp;
use quipu_core::item::{Item, Sensitivity};
use quipu_core::lifecycle::{self, Settings, Usage};
use quipu_core::vector::{Packed, Width};
use quipu_embed::Role;
use quipu_store::{Compressed, Precision};
use serde::Serialize;

use crate::embedding::{self, embedded_text};
use crate::error::Error;
use crate::index;
use crate::index::open::database_files;
use crate::numbers;
use crate::workspace::Workspace;

/// More is left of what keeps all its bits.
const WARM: f64 = 0.5;

/// More is left of what keeps four.
const COLD: f64 = 0.2;

/// A dream does not bother about less.
const WORTH_IT: u64 = 1 << 20;

/// What became of the vectors.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct CompressReport {
    /// How many vectors have each width, and what changed.
    #[serde(flatten)]
    pub vectors: Compressed,
    /// Bytes of the database before.
    pub file_before: u64,
    /// And after.
    pub file_after: u64,
    /// Only what would happen: nothing was changed.
    pub dry_run: bool,
    /// How many memories should have each width: 8, 4 and 2 bits.
    pub wanted: [usize; 3],
}

/// Which width each item should have, and where its vectors come from.
struct ByRetention<'w> {
    workspace: &'w Workspace,
    widths: HashMap<String, Width>,
    only_looks: bool,
    progress: &'w mut dyn FnMut(usize, usize),
}

impl Precision for ByRetention<'_> {
    fn width(&mut self, id: &str) -> Width {
        self.widths.get(id).copied().unwrap_or(Width::Eight)
    }

    fn fresh(&mut self, ids: &[String]) -> Vec<Option<Vec<Packed>>> {
        ids.iter().map(|id| vectors_of(self.workspace, id)).collect()
    }

    fn only_looks(&self) -> bool {
        self.only_looks
    }

    fn progress(&mut self, done: usize, total: usize) {
        (self.progress)(done, total);
    }
}

/// Returns the width that a memory should have.
fn width(item: &Item, usage: &Usage, now: Timestamp, settings: &Settings) -> Width {
    if item.pinned {
        return Width::Eight;
    }
    match lifecycle::retention(item, usage, now, settings).value {
        left if left > WARM => Width::Eight,
        left if left > COLD => Width::Four,
        _ => Width::Two,
    }
}

/// Gives every vector the width that its memory's retention asks for, and the room back to the disk.
///
/// # Errors
/// When the index cannot be used; what was done until then stays, and is right.
pub fn compress(
    workspace: &Workspace,
    now: Timestamp,
    dry_run: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<CompressReport, Error> {
    index::freshen(workspace)?;
    let widths = wanted_widths(workspace, now)?;
    let count = |width: Width| widths.values().filter(|one| **one == width).count();
    let wanted = [count(Width::Eight), count(Width::Four), count(Width::Two)];
    let model = embedding::embedder(workspace)?.id().to_owned();
    let file_before = bytes_on_disk(workspace);
    let mut precision = ByRetention { workspace, widths, only_looks: dry_run, progress };
    // Another connection, for vectors are made from words that are read meanwhile.
    let mut store = index::another_store(workspace)?;
    let vectors = store.compress(&model, &mut precision)?;
    drop(store);
    if vectors.has_changed() && !dry_run {
        index::store(workspace)?.shrink()?;
    }
    let file_after = bytes_on_disk(workspace);
    Ok(CompressReport { vectors, file_before, file_after, dry_run, wanted })
}

/// Returns the size of the database, with what waits beside it.
fn bytes_on_disk(workspace: &Workspace) -> u64 {
    let files = database_files(&index::database(workspace));
    files.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

/// Compresses as part of a dream, where that is worth it; returns how many vectors changed.
pub(crate) fn compress_in_dream(workspace: &Workspace, now: Timestamp) -> Result<usize, Error> {
    let model = embedding::embedder(workspace)?.id().to_owned();
    let counts = index::store(workspace)?.counts(&model)?;
    if counts.vector_bytes < WORTH_IT {
        return Ok(0);
    }
    let done = compress(workspace, now, false, &mut |_, _| {})?;
    Ok(done.vectors.narrowed + done.vectors.widened)
}

fn wanted_widths(workspace: &Workspace, now: Timestamp) -> Result<HashMap<String, Width>, Error> {
    let settings = &workspace.config().lifecycle;
    let mut uses = numbers::all_uses(workspace)?;
    let mut widths = HashMap::new();
    index::store(workspace)?.each(&mut |item| {
        let usage = Usage::of(&item, uses.remove(&item.id).unwrap_or_default());
        let width = width(&item, &usage, now, settings);
        widths.insert(item.id, width);
        true
    })?;
    Ok(widths)
}

/// Makes the vectors of an item anew; nothing where that cannot be.
fn vectors_of(workspace: &Workspace, id: &str) -> Option<Vec<Packed>> {
    let item = index::store(workspace).ok()?.get(id).ok()??;
    let embedder = embedding::embedder(workspace).ok()?;
    // A secret is never sent to a server.
    if embedder.batch().is_some() && item.sensitivity == Sensitivity::Secret {
        return None;
    }
    let vectors = embedder.embed(&[&embedded_text(&item)], Role::Memory).ok()?;
    let packed = vectors.iter().map(|vector| Packed::new(vector));
    Some(packed.filter(|vector| !vector.is_zero()).collect())
}
