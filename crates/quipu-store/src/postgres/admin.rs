//! Spaces and tokens of a database: making, listing and removing them. Each act leaves a row in the audit.

use std::sync::Arc;
use std::time::Duration;

use postgres::error::SqlState;
use sha2::{Digest as _, Sha256};

use super::Database;
use super::link::{AuditRecord, Link, audit_statement, random};
use super::schema::OF_A_SPACE;
use crate::error::StoreError;

/// A space, as an administrator sees it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SpaceInfo {
    /// Its name.
    pub name: String,
    /// Bytes of its files.
    pub bytes: i64,
    /// How many these may be.
    pub most_bytes: i64,
    /// How often it was written to.
    pub generation: i64,
}

/// Somebody who may talk to a server about one space.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SpaceToken {
    /// The space's name.
    pub space: String,
    /// Their name.
    pub name: String,
    /// `read`, `write` or `admin`.
    pub permission: String,
    /// `main`, `heartbeat` or `other`.
    pub channel: String,
}

/// A row of the audit: who did something, or was refused.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AuditLine {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub who: String,
    /// What they did, or wanted to do.
    pub operation: String,
    /// `done`, or why it was refused.
    pub outcome: String,
}

/// Who makes and removes spaces and tokens.
const OPERATOR: &str = "operator";

/// What is done to the database as a whole is audited under this number, which no space has.
const NO_SPACE: i64 = 0;

fn audited(space: i64, operation: String) -> String {
    let record = AuditRecord { who: OPERATOR.to_owned(), operation };
    let sql = audit_statement(space, &record, "done");
    // Numbers of ours, not words of a caller.
    format!("SET LOCAL quipu.space = '{space}'; {sql}")
}

impl Database {
    /// Makes an empty space.
    ///
    /// # Errors
    /// When the name is taken, or the database cannot be written.
    pub fn add_space(&self, name: &str, most_bytes: i64, now_ms: i64) -> Result<(), StoreError> {
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        let space = random().max(NO_SPACE + 1);
        let done = transaction.execute(
            "INSERT INTO space (space, name, created, head, files, most_bytes) \
             VALUES ($1, $2, $3, $4, $4, $5)",
            &[&space, &name, &now_ms, &random().to_le_bytes().as_slice(), &most_bytes],
        );
        match done {
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                return Err(StoreError::SpaceExists { name: name.to_owned() });
            }
            done => done?,
        };
        transaction.batch_execute(&audited(NO_SPACE, format!("space add {name}")))?;
        transaction.commit()?;
        Ok(())
    }

    /// Says how many bytes the files of a space may have together. Who has more already may only remove.
    ///
    /// # Errors
    /// When there is no such space, or the database cannot be written.
    pub fn set_quota(&self, name: &str, most_bytes: i64) -> Result<(), StoreError> {
        let space = self.number_of(name)?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        let sql = "UPDATE space SET most_bytes = $2 WHERE space = $1";
        transaction.execute(sql, &[&space, &most_bytes])?;
        transaction.batch_execute(&audited(space, format!("space quota {most_bytes}")))?;
        transaction.commit()?;
        Ok(())
    }

    /// Returns the newest rows of the audit, newest first: of a space, or of the database as a whole.
    ///
    /// # Errors
    /// When there is no such space, or the database cannot be read.
    pub fn audit(&self, name: Option<&str>, most: i64) -> Result<Vec<AuditLine>, StoreError> {
        let space = name.map_or(Ok(NO_SPACE), |name| self.number_of(name))?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        transaction.batch_execute(&format!("SET LOCAL quipu.space = '{space}'"))?;
        let rows = transaction.query(
            "SELECT at, who, operation, outcome FROM audit WHERE space = $1 \
             ORDER BY at DESC, id LIMIT $2",
            &[&space, &most],
        )?;
        let line = |row: &postgres::Row| AuditLine {
            at: row.get(0),
            who: row.get(1),
            operation: row.get(2),
            outcome: row.get(3),
        };
        Ok(rows.iter().map(line).collect())
    }

    /// Returns some spaces in order of name, after one, with how often each was written to.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn spaces_after(&self, name: &str, most: i64) -> Result<Vec<(String, i64)>, StoreError> {
        let mut lent = self.lend()?;
        let sql = "SELECT name, generation FROM space WHERE name > $1 ORDER BY name LIMIT $2";
        let rows = lent.wire().rows(sql, &[&name, &most])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Takes a job of a space for a time, unless another server has it. The database's clock counts.
    ///
    /// # Errors
    /// When there is no such space, or the database cannot be written.
    pub fn lease(
        &self,
        name: &str,
        job: &str,
        holder: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let space = self.number_of(name)?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        transaction.batch_execute(&format!("SET LOCAL quipu.space = '{space}'"))?;
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let taken = transaction.execute(
            "INSERT INTO lease (space, job, holder, until) \
             VALUES ($1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $4) \
             ON CONFLICT (space, job) DO UPDATE SET holder = excluded.holder, until = excluded.until \
             WHERE lease.holder = excluded.holder \
             OR lease.until <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
            &[&space, &job, &holder, &time],
        )?;
        transaction.commit()?;
        Ok(taken > 0)
    }

    /// Gives a job back before its time is over.
    ///
    /// # Errors
    /// When there is no such space, or the database cannot be written.
    pub fn end_lease(&self, name: &str, job: &str, holder: &str) -> Result<(), StoreError> {
        let space = self.number_of(name)?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        transaction.batch_execute(&format!("SET LOCAL quipu.space = '{space}'"))?;
        let sql = "DELETE FROM lease WHERE space = $1 AND job = $2 AND holder = $3";
        transaction.execute(sql, &[&space, &job, &holder])?;
        transaction.commit()?;
        Ok(())
    }

    /// Returns all spaces, by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn spaces(&self) -> Result<Vec<SpaceInfo>, StoreError> {
        let mut lent = self.lend()?;
        let sql = "SELECT name, bytes, most_bytes, generation FROM space ORDER BY name";
        let rows = lent.client().query(sql, &[])?;
        let info = |row: &postgres::Row| SpaceInfo {
            name: row.get(0),
            bytes: row.get(1),
            most_bytes: row.get(2),
            generation: row.get(3),
        };
        Ok(rows.iter().map(info).collect())
    }

    fn number_of(&self, name: &str) -> Result<i64, StoreError> {
        let mut lent = self.lend()?;
        let row = lent.client().query_opt("SELECT space FROM space WHERE name = $1", &[&name])?;
        row.map(|row| row.get(0)).ok_or_else(|| StoreError::NoSpace { name: name.to_owned() })
    }

    /// Returns what a workspace does in a space.
    ///
    /// # Errors
    /// When there is no such space.
    pub fn link(&self, name: &str) -> Result<Arc<Link>, StoreError> {
        let space = self.number_of(name)?;
        Ok(Arc::new(Link::new(self.clone(), space, name.to_owned())))
    }

    /// Removes a space with all that it holds, and its tokens.
    ///
    /// # Errors
    /// When there is none, or it cannot be removed; then nothing has changed.
    pub fn remove_space(&self, name: &str) -> Result<(), StoreError> {
        let space = self.number_of(name)?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        transaction.batch_execute(&format!("SET LOCAL quipu.space = '{space}'"))?;
        transaction.execute("SELECT 1 FROM space WHERE space = $1 FOR UPDATE", &[&space])?;
        for table in OF_A_SPACE.into_iter().chain(["token", "space"]) {
            transaction.execute(&format!("DELETE FROM {table} WHERE space = $1"), &[&space])?;
        }
        transaction.batch_execute(&audited(NO_SPACE, format!("space remove {name}")))?;
        transaction.commit()?;
        Ok(())
    }

    /// Lets somebody in who has a token, of which only the hash is kept.
    ///
    /// # Errors
    /// When there is no such space, or the name has a token there.
    pub fn add_token(&self, token: &str, who: &SpaceToken, now_ms: i64) -> Result<(), StoreError> {
        let space = self.number_of(&who.space)?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        transaction.execute("SELECT 1 FROM space WHERE space = $1 FOR UPDATE", &[&space])?;
        let sql = "SELECT 1 FROM token WHERE space = $1 AND name = $2";
        if transaction.query_opt(sql, &[&space, &who.name])?.is_some() {
            return Err(StoreError::TokenExists { name: who.name.clone() });
        }
        transaction.execute(
            "INSERT INTO token (hash, space, name, permission, channel, created) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[&hash(token), &space, &who.name, &who.permission, &who.channel, &now_ms],
        )?;
        let act = format!("token add {} {} {}", who.name, who.permission, who.channel);
        transaction.batch_execute(&audited(space, act))?;
        transaction.commit()?;
        Ok(())
    }

    /// Returns whose token it is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn token(&self, token: &str) -> Result<Option<SpaceToken>, StoreError> {
        let mut lent = self.lend()?;
        // Hashes are compared, so how long it takes says nothing about the token.
        let sql = "SELECT space.name, token.name, permission, channel FROM token \
                   JOIN space USING (space) WHERE hash = $1";
        Ok(lent.wire().row_if_any(sql, &[&hash(token)])?.as_ref().map(token_row))
    }

    /// Returns who may talk to a server about a space.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tokens(&self, space: &str) -> Result<Vec<SpaceToken>, StoreError> {
        let space = self.number_of(space)?;
        let mut lent = self.lend()?;
        let sql = "SELECT space.name, token.name, permission, channel FROM token \
                   JOIN space USING (space) WHERE token.space = $1 ORDER BY token.name";
        Ok(lent.client().query(sql, &[&space])?.iter().map(token_row).collect())
    }

    /// Takes a token away. Tells whether there was one.
    ///
    /// # Errors
    /// When there is no such space, or the database cannot be written.
    pub fn revoke_token(&self, space: &str, name: &str) -> Result<bool, StoreError> {
        let space = self.number_of(space)?;
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        let sql = "DELETE FROM token WHERE space = $1 AND name = $2";
        let is_gone = transaction.execute(sql, &[&space, &name])? > 0;
        if is_gone {
            transaction.batch_execute(&audited(space, format!("token revoke {name}")))?;
        }
        transaction.commit()?;
        Ok(is_gone)
    }

    /// Tells whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub fn ping(&self) -> Result<(), StoreError> {
        self.lend()?.wire().batch("SELECT 1")
    }
}

fn token_row(row: &postgres::Row) -> SpaceToken {
    SpaceToken { space: row.get(0), name: row.get(1), permission: row.get(2), channel: row.get(3) }
}

fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token).to_vec()
}
