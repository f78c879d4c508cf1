//! Connections to one database, kept for the next caller.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use postgres::config::Host;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Row, SimpleQueryMessage, SimpleQueryRow, Statement};
use rustls::ClientConfig;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::schema;
use super::views::Views;
use crate::error::{Failure, StoreError};

/// So many connections one process opens at most.
const MOST: usize = 16;

/// How long a caller waits for one of them.
const PATIENCE: Duration = Duration::from_secs(30);

/// A database that holds spaces. Clones share their connections and what they have read.
#[derive(Clone)]
pub struct Database {
    shared: Arc<Shared>,
}

struct Shared {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    idle: Mutex<Idle>,
    freed: Condvar,
    views: Views,
}

#[derive(Default)]
struct Idle {
    wires: Vec<Wire>,
    lent: usize,
    /// Whether queries about spaces run as the role [`schema::ROLE`].
    has_role: Option<bool>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The configuration holds a password.
        formatter.debug_struct("Database").finish_non_exhaustive()
    }
}

impl Database {
    /// Takes the address of a database, such as `postgres://user@host/name`. Nothing is asked yet.
    ///
    /// # Errors
    /// When the address makes no sense.
    pub fn at(url: &str) -> Result<Self, StoreError> {
        let mut config = Config::from_str(url)
            .map_err(|error| StoreError::BadAddress { why: cause_of(&error) })?;
        config.application_name("quipu");
        // TLS is for hosts with a name: a socket of this machine has none.
        let is_local = config.get_hosts().iter().all(|host| !matches!(host, Host::Tcp(_)));
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        let mut roots = rustls::RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| StoreError::BadAddress { why: error.to_string() })?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let shared = Shared {
            config,
            tls: (!is_local).then(|| MakeRustlsConnect::new(tls)),
            idle: Mutex::default(),
            freed: Condvar::new(),
            views: Views::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    pub(super) fn views(&self) -> &Views {
        &self.shared.views
    }

    /// Lends a connection.
    pub(super) fn lend(&self) -> Result<Lent, StoreError> {
        let started = Instant::now();
        let mut idle = self.idle();
        loop {
            while let Some(wire) = idle.wires.pop() {
                if !wire.client.is_closed() {
                    idle.lent += 1;
                    return Ok(Lent { database: self.clone(), wire: Some(wire) });
                }
            }
            if idle.lent < MOST {
                break;
            }
            let left = PATIENCE.saturating_sub(started.elapsed());
            if left.is_zero() {
                let why = format!("all {MOST} connections to the database are in use");
                return Err(StoreError::Database { failure: Failure::Busy, cause: why.into() });
            }
            idle = self
                .shared
                .freed
                .wait_timeout(idle, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        idle.lent += 1;
        drop(idle);
        match self.connected() {
            Ok(client) => {
                let wire = Wire { client, statements: HashMap::new() };
                Ok(Lent { database: self.clone(), wire: Some(wire) })
            }
            Err(error) => {
                self.idle().lent -= 1;
                self.shared.freed.notify_one();
                Err(error)
            }
        }
    }

    fn connected(&self) -> Result<Client, StoreError> {
        let mut client = match &self.shared.tls {
            Some(tls) => self.shared.config.connect(tls.clone())?,
            None => self.shared.config.connect(NoTls)?,
        };
        // A statement that hangs, or a caller that died, must not keep a space locked for ever.
        client.batch_execute(
            "SET statement_timeout = '120s'; SET lock_timeout = '30s'; \
             SET idle_in_transaction_session_timeout = '300s'; SET client_min_messages = warning",
        )?;
        Ok(client)
    }

    /// Tells whether queries about spaces run as a role that row-level security holds for. Where the
    /// login itself is above row-level security, there must be one.
    pub(super) fn has_role(&self, wire: &mut Wire) -> Result<bool, StoreError> {
        if let Some(known) = self.idle().has_role {
            return Ok(known);
        }
        let found = schema::has_role(&mut wire.client)?;
        self.idle().has_role = Some(found);
        Ok(found)
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many connections are lent and how many wait, by name.
    pub fn connections(&self) -> BTreeMap<&'static str, usize> {
        let idle = self.idle();
        BTreeMap::from([("idle", idle.wires.len()), ("in_use", idle.lent)])
    }
}

/// Returns the innermost reason of an error.
fn cause_of(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(cause) = inner.source() {
        inner = cause;
    }
    inner.to_string()
}

/// A connection with the statements that were prepared on it.
pub(super) struct Wire {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Wire {
    fn prepared(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        #[cfg(test)]
        let statement = self.client.prepare(&super::isolation::tampered(sql))?;
        #[cfg(not(test))]
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Returns the rows that a statement finds.
    pub(super) fn rows(
        &mut self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepared(sql)?;
        Ok(self.client.query(&statement, values)?)
    }

    /// Returns the only row that a statement finds.
    pub(super) fn row(&mut self, sql: &'static str, values: Values<'_>) -> Result<Row, StoreError> {
        let statement = self.prepared(sql)?;
        Ok(self.client.query_one(&statement, values)?)
    }

    /// Returns the row that a statement finds, where it finds one.
    pub(super) fn row_if_any(
        &mut self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Option<Row>, StoreError> {
        let statement = self.prepared(sql)?;
        Ok(self.client.query_opt(&statement, values)?)
    }

    /// Runs a statement; returns how many rows it changed.
    pub(super) fn run(&mut self, sql: &'static str, values: Values<'_>) -> Result<u64, StoreError> {
        let statement = self.prepared(sql)?;
        Ok(self.client.execute(&statement, values)?)
    }

    /// Runs statements without values, in one round trip.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        #[cfg(test)]
        let sql = &super::isolation::tampered(sql);
        Ok(self.client.batch_execute(sql)?)
    }

    /// Runs statements without values in one round trip; returns the row that they find.
    pub(super) fn simple_row(&mut self, sql: &str) -> Result<Option<SimpleQueryRow>, StoreError> {
        #[cfg(test)]
        let sql = &super::isolation::tampered(sql);
        let messages = self.client.simple_query(sql)?;
        Ok(messages.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        }))
    }

    /// Returns the bare connection.
    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.client
    }
}

/// A connection for one caller; it goes back when it is dropped.
pub(super) struct Lent {
    database: Database,
    wire: Option<Wire>,
}

impl Lent {
    pub(super) fn wire(&mut self) -> &mut Wire {
        self.wire.as_mut().expect("a lent connection is there until it is dropped")
    }

    pub(super) fn client(&mut self) -> &mut Client {
        self.wire().client()
    }

    /// Takes back what is under way. Where even that fails nobody knows in which state the connection is,
    /// and it is closed.
    pub(super) fn abandon(mut self) {
        if self.wire().batch("ROLLBACK").is_err() {
            self.wire = None;
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut idle = self.database.idle();
        idle.lent -= 1;
        if let Some(wire) = self.wire.take().filter(|wire| !wire.client.is_closed()) {
            idle.wires.push(wire);
        }
        drop(idle);
        self.database.shared.freed.notify_one();
    }
}
