//! Spaces and tokens of a database: making, listing and removing them.

use std::sync::Arc;

use postgres::error::SqlState;
use sha2::{Digest as _, Sha256};

use super::Database;
use super::link::{Link, random};
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

impl Database {
    /// Makes an empty space.
    ///
    /// # Errors
    /// When the name is taken, or the database cannot be written.
    pub fn add_space(&self, name: &str, most_bytes: i64, now_ms: i64) -> Result<(), StoreError> {
        let mut lent = self.lend()?;
        let done = lent.client().execute(
            "INSERT INTO space (space, name, created, head, files, most_bytes) \
             VALUES ($1, $2, $3, $4, $4, $5)",
            &[&random(), &name, &now_ms, &random().to_le_bytes().as_slice(), &most_bytes],
        );
        match done {
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                Err(StoreError::SpaceExists { name: name.to_owned() })
            }
            Err(error) => Err(error.into()),
            Ok(_) => Ok(()),
        }
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
        let sql = "DELETE FROM token WHERE space = $1 AND name = $2";
        Ok(lent.client().execute(sql, &[&space, &name])? > 0)
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
