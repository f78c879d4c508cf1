//! What one workspace does in its space: one transaction at a time, on one connection.
//!
//! Inside of a *scope* (an operation) reads see one snapshot. The first write takes the space's row,
//! which is the lock, and from then on everything goes into one transaction, until the scope ends:
//! then all of it is committed, or nothing. Without a scope every call is a transaction of its own.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postgres::SimpleQueryRow;
use quipu_core::text;
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
    /// It writes only what stands by itself, and does not take the space's row.
    Noting,
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
    /// How many bytes they had when the transaction began.
    bytes_before: i64,
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
        let uses = std::mem::take(&mut inner.uses);
        self.end(&mut inner, true, record)?;
        drop(inner);
        if !uses.is_empty() {
            // What was read has been read: a use that cannot be noted is no reason to say otherwise.
            let _ = self.note(&uses_statement(self.space, &uses));
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
            it.wire.batch(&uses_statement(it.space, &[(item.to_owned(), at, uses)]))
        })
    }

    /// Runs a statement that stands by itself, in one round trip and without the space's row: nobody waits for
    /// a writer, and no writer waits.
    fn note(&self, statement: &str) -> Result<(), StoreError> {
        let mut lent = self.database.lend()?;
        let begin = self.beginning(&mut lent, Mode::Noting, None);
        let done =
            begin.and_then(|begin| lent.wire().batch(&format!("{begin}; {statement}; COMMIT")));
        if done.is_err() {
            lent.abandon();
        }
        done
    }

    /// Ends a scope, and takes back what was written.
    pub fn roll_back(&self) {
        let mut inner = self.inner();
        inner.is_scoped = false;
        inner.uses.clear();
        // Where even that fails, the connection is closed, which takes it back too.
        let _ = self.end(&mut inner, false, None);
    }

    /// Notes that somebody was refused.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_refusal(&self, record: &AuditRecord, why: &str) -> Result<(), StoreError> {
        self.note(&audit_statement(self.space, record, why))
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
            self.end(&mut inner, is_good, None)?;
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
        self.end(inner, false, None)?;
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
                lent.abandon();
                Err(error)
            }
        }
    }

    /// Returns what begins a transaction about this space.
    fn beginning(
        &self,
        lent: &mut Lent,
        mode: Mode,
        patience: Option<Duration>,
    ) -> Result<String, StoreError> {
        let mut sql = match mode {
            Mode::Writing | Mode::Noting => "BEGIN;".to_owned(),
            _ => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;".to_owned(),
        };
        if self.database.has_role(lent.wire())? {
            sql.push_str(" SET LOCAL ROLE ");
            sql.push_str(ROLE);
            sql.push(';');
        }
        // 0 would mean no limit.
        let patience = patience.unwrap_or(PATIENCE).as_millis().max(1);
        let _ = write!(sql, " SET LOCAL lock_timeout = {patience}; {LIMITS};");
        // A number of ours, not words of a caller.
        let _ = write!(sql, " SET LOCAL quipu.space = '{}'", self.space);
        Ok(sql)
    }

    fn begun(
        &self,
        lent: &mut Lent,
        mode: Mode,
        patience: Option<Duration>,
    ) -> Result<State, StoreError> {
        let mut sql = self.beginning(lent, mode, patience)?;
        // One round trip for all of it.
        let _ = write!(
            sql,
            "; SELECT generation, encode(head, 'hex'), encode(files, 'hex'), most_bytes, bytes \
             FROM space WHERE space = {}",
            self.space
        );
        if mode == Mode::Writing {
            sql.push_str(" FOR UPDATE");
        }
        let Some(row) = lent.wire().simple_row(&sql)? else {
            return Err(StoreError::NoSpace { name: self.name.clone() });
        };
        let bytes = number(&row, 4)?;
        Ok(State {
            generation: number(&row, 0)?,
            head: bytes_of(&row, 1)?,
            files: bytes_of(&row, 2)?,
            most_bytes: number(&row, 3)?,
            bytes,
            bytes_before: bytes,
            is_own: false,
        })
    }

    /// Ends the transaction at hand, with a row for the audit where it wrote.
    fn end(
        &self,
        inner: &mut Inner,
        commit: bool,
        record: Option<&AuditRecord>,
    ) -> Result<(), StoreError> {
        let Some(mut lent) = inner.lent.take() else { return Ok(()) };
        let mode = std::mem::take(&mut inner.mode);
        let state = &inner.state;
        let wrote = mode == Mode::Writing && state.is_own;
        // Who makes a full space smaller may.
        let is_full = wrote && state.bytes > state.most_bytes && state.bytes > state.bytes_before;
        let may_commit = commit && !inner.has_failed && !is_full;
        let mut sql = String::new();
        if may_commit && wrote {
            sql = state_statement(self.space, state);
            if let Some(record) = record {
                sql.push_str("; ");
                sql.push_str(&audit_statement(self.space, record, "done"));
            }
            sql.push_str("; ");
        }
        sql.push_str(if may_commit { "COMMIT" } else { "ROLLBACK" });
        if !may_commit && state.is_own {
            inner.listing = None;
        }
        if let Err(error) = lent.wire().batch(&sql) {
            inner.listing = None;
            lent.abandon();
            // Nobody was told yet that anything was written.
            return if commit { Err(error) } else { Ok(()) };
        }
        if commit && is_full {
            return Err(StoreError::SpaceFull { most: inner.state.most_bytes });
        }
        if commit && inner.has_failed && wrote {
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

/// How long a transaction waits for the space's row, where nobody says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

/// A statement that hangs, or a caller that died, must not keep a space locked for ever.
const LIMITS: &str = "SET LOCAL statement_timeout = '120s'; \
                      SET LOCAL idle_in_transaction_session_timeout = '300s'";

/// Returns what sets the time limits of a transaction, so that they hold behind a pooler too.
pub(super) fn limits() -> String {
    format!("SET LOCAL lock_timeout = {}; {LIMITS}", PATIENCE.as_millis())
}

/// Reads a number of a row of text.
fn number(row: &SimpleQueryRow, at: usize) -> Result<i64, StoreError> {
    let text = row.get(at).and_then(|text| text.parse().ok());
    text.ok_or_else(|| StoreError::BadRow { what: "a space".to_owned() })
}

/// Reads bytes of a row of text.
fn bytes_of(row: &SimpleQueryRow, at: usize) -> Result<Vec<u8>, StoreError> {
    let pair = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes = row.get(at).and_then(|hex| hex.as_bytes().chunks(2).map(pair).collect());
    bytes.ok_or_else(|| StoreError::BadRow { what: "a space".to_owned() })
}

/// Returns the statement that keeps the space's row. It has numbers of ours alone, so that it goes with
/// the commit in one round trip.
fn state_statement(space: i64, state: &State) -> String {
    let State { generation, head, files, bytes, .. } = state;
    format!(
        "UPDATE space SET generation = {generation}, head = decode('{}', 'hex'), \
         files = decode('{}', 'hex'), bytes = {bytes} WHERE space = {space}",
        text::hex(head),
        text::hex(files)
    )
}

/// Returns the statement that notes uses of items; they only ever grow, so nobody needs the lock for them.
fn uses_statement(space: i64, uses: &[(String, i64, i64)]) -> String {
    let row = |(item, at, uses): &(String, i64, i64)| {
        format!("({space}, {}, {at}, {uses})", quoted(item))
    };
    let rows: Vec<String> = uses.iter().map(row).collect();
    format!("INSERT INTO access (space, item, at, uses) VALUES {}", rows.join(", "))
}

/// Returns words as an expression: they travel as numbers, so there is nothing in them to misread.
fn quoted(words: &str) -> String {
    let words = words.replace('\0', " ");
    format!("convert_from(decode('{}', 'hex'), 'UTF8')", text::hex(words.as_bytes()))
}

/// Returns the statement that adds a row to the audit.
pub(super) fn audit_statement(space: i64, record: &AuditRecord, outcome: &str) -> String {
    format!(
        "INSERT INTO audit (space, id, at, who, operation, outcome) \
         VALUES ({space}, {}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, {}, {}, {})",
        random(),
        quoted(&record.who),
        quoted(&record.operation),
        quoted(outcome)
    )
}
