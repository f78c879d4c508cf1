//! Workspaces that stay open between calls: an index that is loaded need not be loaded again.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use quipu_engine::fs::{FileSystem, RealFs};
use quipu_engine::tokens::Token;
use quipu_engine::workspace::user_folder;
use quipu_engine::{Workspace, brief, open, recall};

use crate::cli::Global;
use crate::error::CommandError;
use crate::output::{self, Style, styled};

/// So many workspaces wait for the next call; each holds an index in memory.
const MOST_IDLE: usize = 8;

/// Who came with a token.
pub(crate) struct Admitted {
    /// Their name.
    pub(crate) name: String,
    /// `read`, `write` or `admin`.
    pub(crate) permission: String,
    /// `main`, `heartbeat` or `other`.
    pub(crate) channel: String,
    /// The space that the token is for, on a server of many.
    pub(crate) space: Option<String>,
}

impl From<Token> for Admitted {
    fn from(token: Token) -> Self {
        let Token { name, scope, channel, .. } = token;
        Self { name, permission: scope, channel, space: None }
    }
}

/// Memories on a server, by name.
pub(crate) trait Spaces: Send + Sync {
    /// Opens one.
    fn open(&self, name: &str, settings: &[(String, String)]) -> Result<Workspace, CommandError>;
    /// Says who has a token, and for which space.
    fn admit(&self, token: &str) -> Result<Option<Admitted>, CommandError>;
    /// Tells whether they can be used.
    fn check(&self) -> Result<(), CommandError>;
    /// Returns some in order of name, after one, with how often each was written to.
    fn after(&self, name: &str, most: usize) -> Result<Vec<(String, i64)>, CommandError>;
    /// Takes the upkeep of one for a time, unless another server has it.
    fn lease(&self, name: &str, holder: &str, time: Duration) -> Result<bool, CommandError>;
    /// Gives it back.
    fn end_lease(&self, name: &str, holder: &str) -> Result<(), CommandError>;
    /// Returns numbers of the database for the metrics.
    fn numbers(&self) -> Vec<(&'static str, &'static str, bool, f64)>;
}

/// So many spaces are counted one by one: numbers by name must not grow without end.
const MOST_COUNTED: usize = 200;

/// What the others are called; no space can have that name.
const OTHERS: &str = "(others)";

/// So many spaces wait for the next call; what they have read is shared, and counted elsewhere.
const MOST_IDLE_SPACES: usize = 256;

/// Workspaces that nobody uses right now.
#[derive(Default)]
pub(crate) struct Pool {
    /// Where there are many memories: a caller's token says which is theirs.
    spaces: Option<Box<dyn Spaces>>,
    idle: Mutex<Vec<Idle>>,
    /// Where the client works, where it said so.
    place: Mutex<Option<PathBuf>>,
    /// How often each space was asked for; all beyond the first ones are one.
    uses: Mutex<BTreeMap<String, u64>>,
    /// Whether all callers are the user of this machine, whose own memory answers too.
    is_of_one_user: bool,
}

struct Idle {
    workspace: Workspace,
    space: Option<String>,
    configured: Option<SystemTime>,
}

impl Pool {
    /// Workspaces for a client of the user of this machine.
    pub(crate) fn of_one_user() -> Self {
        Self { is_of_one_user: true, ..Self::default() }
    }

    /// Workspaces of many, each in their space.
    #[cfg(feature = "postgres")]
    pub(crate) fn of_spaces(spaces: Box<dyn Spaces>) -> Self {
        Self { spaces: Some(spaces), ..Self::default() }
    }

    /// Returns the memories on this server, where there are many.
    pub(crate) fn spaces(&self) -> Option<&dyn Spaces> {
        self.spaces.as_deref()
    }

    /// Tells whether there are many memories here.
    pub(crate) fn has_spaces(&self) -> bool {
        self.spaces.is_some()
    }

    /// Lends a workspace: the one used last, or a new one. On a server of many it is the space of the
    /// caller's token, and nobody without one gets any.
    pub(crate) fn take(
        self: &Arc<Self>,
        global: &Global,
        space: Option<&str>,
    ) -> Result<Lease, CommandError> {
        if let Some(spaces) = &self.spaces {
            return self.take_space(&**spaces, global, space);
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Idle { workspace, configured, .. }) = idle.pop() {
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
        let user = if self.is_of_one_user { user_folder() } else { None };
        let workspace = open::discover_with(real_fs(), &start, &global.settings)?;
        Ok(Lease::of(self.clone(), workspace.with_user_scope(user)))
    }

    fn take_space(
        self: &Arc<Self>,
        spaces: &dyn Spaces,
        global: &Global,
        space: Option<&str>,
    ) -> Result<Lease, CommandError> {
        let Some(space) = space else {
            let why = "this server has many memories, and this caller has a token for none of them";
            return Err(CommandError::forbidden("forbidden", why));
        };
        self.count(space);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|idle| idle.space.as_deref() == Some(space));
        if let Some(at) = at {
            return Ok(Lease::of(self.clone(), idle.remove(at).workspace));
        }
        drop(idle);
        Ok(Lease::of(self.clone(), spaces.open(space, &global.settings)?))
    }

    fn count(&self, space: &str) {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = uses.len() < MOST_COUNTED || uses.contains_key(space);
        *uses.entry(if is_known { space } else { OTHERS }.to_owned()).or_default() += 1;
    }

    /// Returns how often spaces were asked for: one's own, or all for who has none.
    pub(crate) fn uses(&self, space: Option<&str>) -> Vec<(String, u64)> {
        let uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let may_see = |name: &String| space.is_none_or(|space| space == name);
        uses.iter().filter(|(name, _)| may_see(name)).map(|(name, n)| (name.clone(), *n)).collect()
    }

    /// Takes a workspace back.
    pub(crate) fn give_back(&self, workspace: Workspace) {
        let configured = configured_at(&workspace);
        let space = workspace.home().map(|home| home.name().to_owned());
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if self.has_spaces() && idle.len() >= MOST_IDLE_SPACES {
            idle.remove(0);
        }
        if self.has_spaces() || idle.len() < MOST_IDLE {
            idle.push(Idle { workspace, space, configured });
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
        let of_database = self.spaces.iter().flat_map(|spaces| spaces.numbers());
        let own = [
            (
                "quipu_recall_cache_hits",
                "Recalls that were answered before.",
                true,
                sum(|it| recall::recall_cache(it).hits),
            ),
            (
                "quipu_recall_cache_misses",
                "Recalls that had to be made.",
                true,
                sum(|it| recall::recall_cache(it).misses),
            ),
            (
                "quipu_brief_cache_hits",
                "Briefings that were made before.",
                true,
                sum(|it| brief::brief_cache(it).hits),
            ),
            (
                "quipu_brief_cache_misses",
                "Briefings that had to be made.",
                true,
                sum(|it| brief::brief_cache(it).misses),
            ),
            ("quipu_workspaces_idle", "Open workspaces that wait for a call.", false, sum(|_| 1)),
        ];
        own.into_iter().chain(of_database).collect()
    }

    /// Chooses the first of some folders that has a memory.
    pub(crate) fn settle(&self, folders: impl Iterator<Item = PathBuf>) {
        let mut folders = folders;
        let found = folders.find(|folder| open::discover(real_fs(), folder).is_ok());
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    fn place(&self) -> Option<PathBuf> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A workspace for one command; one of a server's goes back to the others.
pub(crate) struct Lease {
    workspace: Option<Workspace>,
    pool: Option<Arc<Pool>>,
}

impl Lease {
    /// Lends a workspace that nobody else waits for.
    pub(crate) fn owned(workspace: Workspace) -> Self {
        Self { workspace: Some(workspace), pool: None }
    }

    /// Lends a workspace of a pool.
    pub(crate) fn of(pool: Arc<Pool>, workspace: Workspace) -> Self {
        Self { workspace: Some(workspace), pool: Some(pool) }
    }
}

impl Deref for Lease {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        self.workspace.as_ref().expect("a lease has its workspace until it ends")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        for notice in self.workspace.iter().flat_map(Workspace::take_notices) {
            output::note(&format!("{} {notice}\n", styled(Style::Yellow, "note:")));
        }
        // What a panic went through may be half done.
        if let (Some(pool), Some(workspace), false) =
            (&self.pool, self.workspace.take(), std::thread::panicking())
        {
            pool.give_back(workspace);
        }
    }
}

/// The machine's file system.
pub(crate) fn real_fs() -> Arc<dyn FileSystem> {
    Arc::new(RealFs)
}

fn configured_at(workspace: &Workspace) -> Option<SystemTime> {
    let found = std::fs::metadata(workspace.root().join("quipu.toml")).ok()?;
    found.modified().ok()
}
