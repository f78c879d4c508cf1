//! What one workspace does in its space: one transaction at a time, on one connection.
//!
//! Inside of a *scope* (an operation) reads see one snapshot. The first write takes the space's row,
//! which is the lock, and from then on everything goes into one transaction, until the scope ends:
//! then all of it is committed, or nothing. Without a scope every call is a transaction of its own.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::Database;
use super::connect::{Lent, Wire};
use super::listing::Listing;
use super::schema::ROLE;
use crate::error::{Failure, StoreError};

/// How a scope ends: what is written to the audit with it.
#[derive(Clone, Debug)]
pub struct AuditRecord {
    /// Who did it.
    pub who: String,
    /// What they did.
    pub operation: String,
}

/// A space, as one workspace uses it.
pub struct Link {
    pub(super) database: Database,
    pub(super) space: i64,
    name: String,
    inner: Mutex<Inner>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Link").field("name", &self.name).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Inner {
    lent: Option<Lent>,
    mode: Mode,
    is_scoped: bool,
    /// A statement failed, so nothing of this transaction can be committed.
    has_failed: bool,
    state: State,
    listing: Option<Arc<Listing>>,
    /// Uses of items that are written when a scope that only reads ends: nobody waits for them.
    uses: Vec<(String, i64, i64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Idle,
    Reading,
    Writing,
}

/// The space's row, as the transaction at hand sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) generation: i64,
    pub(super) head: Vec<u8>,
    pub(super) files: Vec<u8>,
    /// How many bytes the files may have together, and how many they have.
    pub(super) most_bytes: i64,
    pub(super) bytes: i64,
    /// Whether this transaction has written, so that nobody else knows this state.
    pub(super) is_own: bool,
}

impl State {
    /// Moves on to a state that no other transaction can come to.
    pub(super) fn advance(&mut self, ids: &[&str]) {
        self.generation += 1;
        let mut hasher = Sha256::new();
        hasher.update(&self.head);
        for id in ids {
            hasher.update(id);
            hasher.update([0]);
        }
        hasher.update(random().to_le_bytes());
        self.head = hasher.finalize().to_vec();
        self.is_own = true;
    }
}

/// A transaction at hand.
pub(super) struct At<'a> {
    pub(super) wire: &'a mut Wire,
    pub(super) space: i64,
    pub(super) state: &'a mut State,
    pub(super) listing: &'a mut Option<Arc<Listing>>,
}

/// Returns a random number that is not negative.
pub(super) fn random() -> i64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    i64::from_le_bytes(bytes) & i64::MAX
}

impl Link {
    pub(super) fn new(database: Database, space: i64, name: String) -> Self {
        Self { database, space, name, inner: Mutex::default() }
    }

    /// Returns the space's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a scope.
    pub fn enter(&self) {
        self.inner().is_scoped = true;
    }

    /// Takes the space's row, waiting up to `patience` for others; a scope keeps it until its end.
    ///
    /// # Errors
    /// When others keep it for too long, or the database cannot be reached.
    pub fn lock(&self, patience: Duration) -> Result<(), StoreError> {
        let mut inner = self.inner();
        if inner.mode != Mode::Writing {
            self.begin(&mut inner, Mode::Writing, Some(patience))?;
        }
        Ok(())
    }

    /// Tells whether a scope has begun.
    pub fn is_entered(&self) -> bool {
        self.inner().is_scoped
    }

    /// Tells whether the space's row is taken.
    pub fn is_locked(&self) -> bool {
        self.inner().mode == Mode::Writing
    }

    /// Ends a scope: commits what was written, with a row for the audit. Returns whether anything was.
    ///
    /// # Errors
    /// When it could not be committed; then nothing has changed.
    pub fn commit(&self, record: Option<&AuditRecord>) -> Result<bool, StoreError> {
        let mut inner = self.inner();
        inner.is_scoped = false;
        let wrote = inner.mode == Mode::Writing && inner.state.is_own;
        if wrote && let Some(record) = record {
            let done = audited(&mut inner, self.space, record, "done");
            if let Err(error) = done {
                drop(inner);
                self.roll_back();
                return Err(error);
            }
        }
        let uses = std::mem::take(&mut inner.uses);
        self.end(&mut inner, true)?;
        drop(inner);
        if !uses.is_empty() {
            self.write(|at| {
                at.state.is_own = true;
                write_uses(at.wire, at.space, &uses)
            })?;
        }
        Ok(wrote)
    }

    /// Notes that an item was used. Where a scope only reads, that is written after it, without the lock.
    pub(super) fn note_use(&self, item: &str, at: i64, uses: i64) -> Result<(), StoreError> {
        let mut inner = self.inner();
        if inner.is_scoped && inner.mode != Mode::Writing {
            inner.uses.push((item.to_owned(), at, uses));
            return Ok(());
        }
        drop(inner);
        self.write(|it| {
            it.state.is_own = true;
            write_uses(it.wire, it.space, &[(item.to_owned(), at, uses)])
        })
    }

    /// Ends a scope, and takes back what was written.
    pub fn roll_back(&self) {
        let mut inner = self.inner();
        inner.is_scoped = false;
        inner.uses.clear();
        // Where even that fails, the connection is closed, which takes it back too.
        let _ = self.end(&mut inner, false);
    }

    /// Notes that somebody was refused.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_refusal(&self, record: &AuditRecord, why: &str) -> Result<(), StoreError> {
        self.write(|at| audit_row(at.wire, at.space, record, why))
    }

    /// Does something that reads.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&mut At<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run(Mode::Reading, work)
    }

    /// Does something that writes.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&mut At<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run(Mode::Writing, work)
    }

    fn run<T>(
        &self,
        mode: Mode,
        work: impl FnOnce(&mut At<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut inner = self.inner();
        let is_enough =
            inner.mode == Mode::Writing || (inner.mode == Mode::Reading && mode == Mode::Reading);
        if !is_enough {
            self.begin(&mut inner, mode, None)?;
        }
        let Inner { lent, state, listing, .. } = &mut *inner;
        let Some(lent) = lent else { return Err(StoreError::NoTransaction) };
        let done = work(&mut At { wire: lent.wire(), space: self.space, state, listing });
        if done.is_err() {
            inner.has_failed = true;
        }
        if !inner.is_scoped {
            let is_good = done.is_ok();
            self.end(&mut inner, is_good)?;
        }
        done
    }

    fn begin(
        &self,
        inner: &mut Inner,
        mode: Mode,
        patience: Option<Duration>,
    ) -> Result<(), StoreError> {
        // What was read before the lock was taken may be out of date by now.
        self.end(inner, false)?;
        let mut lent = self.database.lend()?;
        match self.begun(&mut lent, mode, patience) {
            Ok(state) => {
                if inner.listing.as_ref().is_some_and(|listing| listing.files != state.files) {
                    inner.listing = None;
                }
                (inner.lent, inner.mode, inner.has_failed) = (Some(lent), mode, false);
                inner.state = state;
                Ok(())
            }
            Err(error) => {
                lent.discard();
                Err(error)
            }
        }
    }

    fn begun(
        &self,
        lent: &mut Lent,
        mode: Mode,
        patience: Option<Duration>,
    ) -> Result<State, StoreError> {
        let wire = lent.wire();
        let has_role = self.database.has_role(wire)?;
        let mut sql = match mode {
            Mode::Writing => "BEGIN;".to_owned(),
            _ => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;".to_owned(),
        };
        if has_role {
            sql.push_str(" SET LOCAL ROLE ");
            sql.push_str(ROLE);
            sql.push(';');
        }
        if let Some(patience) = patience {
            // 0 would mean no limit.
            let _ = write!(sql, " SET LOCAL lock_timeout = {};", patience.as_millis().max(1));
        }
        // A number of ours, not words of a caller.
        let _ = write!(sql, " SET LOCAL quipu.space = '{}'", self.space);
        wire.batch(&sql)?;
        let sql = match mode {
            Mode::Writing => {
                "SELECT generation, head, files, most_bytes, bytes FROM space \
                 WHERE space = $1 FOR UPDATE"
            }
            _ => "SELECT generation, head, files, most_bytes, bytes FROM space WHERE space = $1",
        };
        let Some(row) = wire.row_if_any(sql, &[&self.space])? else {
            return Err(StoreError::NoSpace { name: self.name.clone() });
        };
        Ok(State {
            generation: row.get(0),
            head: row.get(1),
            files: row.get(2),
            most_bytes: row.get(3),
            bytes: row.get(4),
            is_own: false,
        })
    }

    /// Ends the transaction at hand.
    fn end(&self, inner: &mut Inner, commit: bool) -> Result<(), StoreError> {
        let Some(mut lent) = inner.lent.take() else { return Ok(()) };
        let mode = std::mem::take(&mut inner.mode);
        let is_own = inner.state.is_own;
        let may_commit = commit && !inner.has_failed;
        let saved = if may_commit && mode == Mode::Writing && is_own {
            save_state(lent.wire(), self.space, &inner.state)
        } else {
            Ok(())
        };
        let sql = if may_commit && saved.is_ok() { "COMMIT" } else { "ROLLBACK" };
        if sql == "ROLLBACK" && is_own {
            inner.listing = None;
        }
        match lent.wire().batch(sql) {
            Ok(()) => {}
            Err(error) => {
                inner.listing = None;
                lent.discard();
                // Nobody was told yet that anything was written.
                return if commit { Err(error) } else { Ok(()) };
            }
        }
        saved?;
        if commit && inner.has_failed && mode == Mode::Writing && is_own {
            let why = "a statement of this transaction failed before";
            return Err(StoreError::Database { failure: Failure::Other, cause: why.into() });
        }
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.roll_back();
    }
}

fn save_state(wire: &mut Wire, space: i64, state: &State) -> Result<(), StoreError> {
    wire.run(
        "UPDATE space SET generation = $2, head = $3, files = $4, bytes = $5 WHERE space = $1",
        &[&space, &state.generation, &state.head, &state.files, &state.bytes],
    )?;
    Ok(())
}

/// Writes uses of items; they only ever grow, so nobody needs the lock for them.
fn write_uses(wire: &mut Wire, space: i64, uses: &[(String, i64, i64)]) -> Result<(), StoreError> {
    let items: Vec<&str> = uses.iter().map(|it| &*it.0).collect();
    let times: Vec<i64> = uses.iter().map(|it| it.1).collect();
    let counts: Vec<i64> = uses.iter().map(|it| it.2).collect();
    wire.run(
        "INSERT INTO access (space, item, at, uses) \
         SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[])",
        &[&space, &items, &times, &counts],
    )?;
    Ok(())
}

fn audited(
    inner: &mut Inner,
    space: i64,
    record: &AuditRecord,
    outcome: &str,
) -> Result<(), StoreError> {
    let Some(lent) = &mut inner.lent else { return Ok(()) };
    audit_row(lent.wire(), space, record, outcome)
}

fn audit_row(
    wire: &mut Wire,
    space: i64,
    record: &AuditRecord,
    outcome: &str,
) -> Result<(), StoreError> {
    wire.run(
        "INSERT INTO audit (space, id, at, who, operation, outcome) \
         VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $3, $4, $5)",
        &[&space, &random(), &record.who, &record.operation, &outcome],
    )?;
    Ok(())
}
