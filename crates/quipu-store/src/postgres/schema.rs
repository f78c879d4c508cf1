//! The database's shape, and how an empty or an older one comes to it.
//!
//! Migrating is a step of its own, never a side effect of a server that starts. A server works with
//! the schema that it knows and with the next one, so that a migration can run while old servers still
//! serve.

use postgres::Client;
use quipu_core::text;
use sha2::{Digest as _, Sha256};

use super::Database;
use crate::error::StoreError;

/// Every step from nothing to now; a step that was released never changes.
const MIGRATIONS: [(&str, &str); 1] =
    [("0001_spaces", include_str!("../../migrations/postgres/0001_spaces.sql"))];

/// The role that queries about spaces run as: row-level security holds for it.
pub(super) const ROLE: &str = "quipu_app";

/// Tables whose rows each belong to one space.
pub(super) const OF_A_SPACE: [&str; 18] = [
    "page",
    "entry",
    "event",
    "item",
    "session",
    "source",
    "entity",
    "mention",
    "access",
    "note",
    "experience",
    "model",
    "tail",
    "dead",
    "segment",
    "segment_part",
    "audit",
    "lease",
];

impl Database {
    /// Brings the database to the newest schema, in one transaction. Returns the names of the steps
    /// that were taken.
    ///
    /// # Errors
    /// When a newer Quipu made the database, or a step fails; then nothing has changed.
    pub fn migrate(&self) -> Result<Vec<&'static str>, StoreError> {
        let mut lent = self.lend()?;
        let client = lent.client();
        make_role(client);
        let mut transaction = client.transaction()?;
        // Two that migrate at once take turns.
        transaction.batch_execute(
            "CREATE TABLE IF NOT EXISTS migration \
             (number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL); \
             LOCK TABLE migration IN EXCLUSIVE MODE",
        )?;
        let rows = transaction
            .query("SELECT number, name, checksum FROM migration ORDER BY number", &[])?;
        for (row, (name, sql)) in rows.iter().zip(MIGRATIONS) {
            if row.get::<_, String>(2) != checksum(sql) {
                let what = format!("migration {name} is not the one that this Quipu knows");
                return Err(StoreError::BadRow { what });
            }
        }
        let Some(steps) = MIGRATIONS.get(rows.len()..) else {
            return Err(StoreError::NewerSchema { found: rows.len(), known: MIGRATIONS.len() });
        };
        for (number, (name, sql)) in (rows.len() + 1..).zip(steps) {
            transaction.batch_execute(sql)?;
            transaction.execute(
                "INSERT INTO migration (number, name, checksum) VALUES ($1, $2, $3)",
                &[&i64::try_from(number).unwrap_or(0), name, &checksum(sql)],
            )?;
        }
        // Also where nothing is new: whoever made the schema may not have been allowed to make the role.
        let has_role = may_grant(&mut transaction)?;
        transaction.batch_execute(&secured(has_role))?;
        transaction.commit()?;
        Ok(steps.iter().map(|(name, _)| *name).collect())
    }

    /// Returns how many migrations were made, and how many this Quipu knows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn schema(&self) -> Result<(usize, usize), StoreError> {
        let mut lent = self.lend()?;
        let client = lent.client();
        let exists: bool =
            client.query_one("SELECT to_regclass('migration') IS NOT NULL", &[])?.get(0);
        let found: i64 = if exists {
            client.query_one("SELECT count(*) FROM migration", &[])?.get(0)
        } else {
            0
        };
        Ok((usize::try_from(found).unwrap_or(0), MIGRATIONS.len()))
    }

    /// Refuses a database whose schema this Quipu does not know.
    ///
    /// # Errors
    /// When it was never migrated, or is more than one step ahead.
    pub fn check_schema(&self) -> Result<(), StoreError> {
        let (found, known) = self.schema()?;
        if found < known {
            return Err(StoreError::OlderSchema { found, known });
        }
        if found > known + 1 {
            return Err(StoreError::NewerSchema { found, known });
        }
        Ok(())
    }
}

fn checksum(sql: &str) -> String {
    text::hex(&Sha256::digest(sql))
}

/// Makes the role, where that is allowed: it belongs to the whole server, so another database may have
/// made it, also at this moment.
fn make_role(client: &mut Client) {
    let _ = client.batch_execute(&format!("CREATE ROLE {ROLE} NOLOGIN NOINHERIT"));
    let _ = client.batch_execute(&format!("GRANT {ROLE} TO CURRENT_USER"));
}

fn may_grant(client: &mut impl postgres::GenericClient) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)";
    Ok(client.query_one(sql, &[&ROLE])?.get(0))
}

/// Returns what makes a row visible only to who named its space.
fn secured(has_role: bool) -> String {
    let mut sql = String::new();
    let mut push = |line: String| {
        sql.push_str(&line);
        sql.push_str(";\n");
    };
    let names_it = "space = nullif(current_setting('quipu.space', true), '')::bigint";
    for table in OF_A_SPACE {
        push(format!("ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"));
        push(format!("ALTER TABLE {table} FORCE ROW LEVEL SECURITY"));
        push(format!("DROP POLICY IF EXISTS of_a_space ON {table}"));
        push(format!("CREATE POLICY of_a_space ON {table} USING ({names_it})"));
        if has_role {
            push(format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {ROLE}"));
        }
    }
    // The owner lists, makes and removes spaces; everybody else sees the one that they named.
    push("ALTER TABLE space ENABLE ROW LEVEL SECURITY".to_owned());
    push("DROP POLICY IF EXISTS of_a_space ON space".to_owned());
    push(format!("CREATE POLICY of_a_space ON space USING ({names_it})"));
    if has_role {
        push(format!("GRANT SELECT, UPDATE ON space TO {ROLE}"));
    }
    sql
}

/// Tells whether this login may become [`ROLE`].
///
/// # Errors
/// When it may not, and row-level security would not hold for it.
pub(super) fn has_role(client: &mut Client) -> Result<bool, StoreError> {
    let row = client.query_one(
        "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1 \
                        AND pg_has_role(current_user, oid, 'member')), \
                (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)",
        &[&ROLE],
    )?;
    match (row.get(0), row.get(1)) {
        (false, true) => Err(StoreError::NotIsolated),
        (has_role, _) => Ok(has_role),
    }
}
