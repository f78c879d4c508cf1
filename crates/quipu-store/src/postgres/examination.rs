//! What a database is like, for who runs it: whether it keeps what it acknowledges, and spaces apart.

use super::Database;
use super::schema::{OF_A_SPACE, ROLE};
use crate::error::StoreError;

/// What was found out about a database. Nothing is judged here.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "they are settings of a database")]
pub struct Examined {
    /// The version of `PostgreSQL`, as it says it.
    pub version: String,
    /// The same as a number, such as 150018.
    pub version_number: i32,
    /// How texts are encoded.
    pub encoding: String,
    /// How many migrations were made; 0 where there was none.
    pub schema: usize,
    /// How many this Quipu knows.
    pub known_schema: usize,
    /// Whether the role for queries about spaces is there, and this login may become it.
    pub has_role: bool,
    /// Whether this login is above row-level security.
    pub is_above_security: bool,
    /// Tables of spaces that row-level security does not hold for.
    pub open_tables: Vec<String>,
    /// Whether this is a standby.
    pub is_standby: bool,
    /// What a commit waits for.
    pub synchronous_commit: String,
    /// Which standbys must have a commit; empty where none must.
    pub synchronous_standbys: String,
    /// Which standbys are connected, and how: `name: sync`. Empty where this login may not see that.
    pub standbys: Vec<String>,
    /// Whether what is written is made to reach the disk.
    pub has_fsync: bool,
    /// Whether pages survive a write that was cut off.
    pub has_full_page_writes: bool,
    /// Whether room is given back by itself.
    pub has_autovacuum: bool,
    /// How many connections there may be, and how many there are.
    pub most_connections: i64,
    /// How many connections there are.
    pub connections: i64,
    /// Whether connections to it are encrypted.
    pub is_encrypted: bool,
    /// Time limits, in milliseconds, as transactions of Quipu have them: for a statement, for a lock, and
    /// for a transaction that nobody goes on with.
    pub limits: [i64; 3],
    /// How many spaces there are; none where the schema is not there.
    pub spaces: Option<i64>,
}

const SETTINGS: &str = "SELECT version(), current_setting('server_version_num')::int, \
     current_setting('server_encoding'), pg_is_in_recovery(), current_setting('synchronous_commit'), \
     current_setting('synchronous_standby_names'), current_setting('fsync') = 'on', \
     current_setting('full_page_writes') = 'on', current_setting('autovacuum') = 'on', \
     current_setting('max_connections')::bigint, (SELECT count(*) FROM pg_stat_activity \
     WHERE backend_type = 'client backend'), \
     coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), \
     coalesce((SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user), false), \
     EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1 \
     AND pg_has_role(current_user, oid, 'member'))";

impl Database {
    /// Finds out what this database is like. Nothing is changed.
    ///
    /// # Errors
    /// When it cannot be reached or read.
    pub fn examined(&self) -> Result<Examined, StoreError> {
        let schema = self.schema()?;
        let mut lent = self.lend()?;
        let client = lent.client();
        let row = client.query_one(SETTINGS, &[&ROLE])?;
        let tables: Vec<&str> = OF_A_SPACE.into_iter().chain(["space"]).collect();
        let open = client.query(
            "SELECT relname::text FROM pg_class WHERE oid IN (SELECT to_regclass(name) \
             FROM unnest($1::text[]) AS name) AND NOT (relrowsecurity \
             AND (relforcerowsecurity OR relname = 'space')) ORDER BY relname",
            &[&tables],
        )?;
        let standbys = client.query(
            "SELECT coalesce(application_name, '') || ': ' || coalesce(sync_state, '') \
             FROM pg_stat_replication WHERE sync_state IS NOT NULL ORDER BY 1",
            &[],
        )?;
        let spaces = match schema.0 {
            0 => None,
            _ => Some(client.query_one("SELECT count(*) FROM space", &[])?.get(0)),
        };
        let mut transaction = client.transaction()?;
        transaction.batch_execute(&super::link::limits())?;
        let limits = transaction.query(
            "SELECT setting::bigint FROM pg_settings WHERE name = ANY($1) ORDER BY name DESC",
            &[&LIMITS.as_slice()],
        )?;
        let limit = |at: usize| limits.get(at).map_or(0, |row| row.get(0));
        let limits = [limit(0), limit(1), limit(2)];
        drop(transaction);
        Ok(Examined {
            version: row.get(0),
            version_number: row.get(1),
            encoding: row.get(2),
            schema: schema.0,
            known_schema: schema.1,
            is_standby: row.get(3),
            synchronous_commit: row.get(4),
            synchronous_standbys: row.get(5),
            has_fsync: row.get(6),
            has_full_page_writes: row.get(7),
            has_autovacuum: row.get(8),
            most_connections: row.get(9),
            connections: row.get(10),
            is_encrypted: row.get(11),
            is_above_security: row.get(12),
            has_role: row.get(13),
            open_tables: open.iter().map(|row| row.get(0)).collect(),
            standbys: standbys.iter().map(|row| row.get(0)).collect(),
            limits,
            spaces,
        })
    }
}

/// In the order of their names, from the last: statement, lock, idle.
const LIMITS: [&str; 3] =
    ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
