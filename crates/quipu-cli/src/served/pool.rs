//! Workspaces that stay open between calls: an index that is loaded need not be loaded again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use quipu_engine::Workspace;

use crate::cli::Global;
use crate::context::{self, Lease};
use crate::error::CommandError;

/// So many workspaces wait for the next call; each holds an index in memory.
const MOST_IDLE: usize = 8;

/// Workspaces that nobody uses right now.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Idle>>,
    /// Where the client works, where it said so.
    place: Mutex<Option<PathBuf>>,
}

struct Idle {
    workspace: Workspace,
    configured: Option<SystemTime>,
}

impl Pool {
    /// Lends a workspace: the one used last, or a new one.
    pub(crate) fn take(self: &Arc<Self>, global: &Global) -> Result<Lease, CommandError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Idle { workspace, configured }) = idle.pop() {
            // Settings are read when a workspace is opened.
            if configured == configured_at(&workspace) {
                return Ok(Lease::of(self.clone(), workspace));
            }
        }
        drop(idle);
        let start = match &global.directory {
            Some(directory) => directory.clone(),
            None => self.place().unwrap_or_else(|| PathBuf::from(".")),
        };
        let workspace = Workspace::discover_with(context::real_fs(), &start, &global.settings)?;
        Ok(Lease::of(self.clone(), workspace))
    }

    /// Takes a workspace back.
    pub(crate) fn give_back(&self, workspace: Workspace) {
        let configured = configured_at(&workspace);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(Idle { workspace, configured });
        }
    }

    /// Returns what the workspaces that wait can tell, for the metrics.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, &'static str, bool, f64)> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = |of: fn(&Workspace) -> u64| {
            #[expect(clippy::cast_precision_loss, reason = "nobody counts so far")]
            let total = idle.iter().map(|idle| of(&idle.workspace)).sum::<u64>() as f64;
            total
        };
        vec![
            (
                "quipu_recall_cache_hits",
                "Recalls that were answered before.",
                true,
                sum(|it| it.recall_cache().hits),
            ),
            (
                "quipu_recall_cache_misses",
                "Recalls that had to be made.",
                true,
                sum(|it| it.recall_cache().misses),
            ),
            (
                "quipu_brief_cache_hits",
                "Briefings that were made before.",
                true,
                sum(|it| it.brief_cache().hits),
            ),
            (
                "quipu_brief_cache_misses",
                "Briefings that had to be made.",
                true,
                sum(|it| it.brief_cache().misses),
            ),
            ("quipu_workspaces_idle", "Open workspaces that wait for a call.", false, sum(|_| 1)),
        ]
    }

    /// Chooses the first of some folders that has a memory.
    pub(crate) fn settle(&self, folders: impl Iterator<Item = PathBuf>) {
        let mut folders = folders;
        let found = folders.find(|folder| Workspace::discover(context::real_fs(), folder).is_ok());
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    fn place(&self) -> Option<PathBuf> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn configured_at(workspace: &Workspace) -> Option<SystemTime> {
    let found = std::fs::metadata(workspace.root().join("quipu.toml")).ok()?;
    found.modified().ok()
}
