//! Who may talk to a server: names with a scope and a channel, and the hash of each one's token.

use jiff::Timestamp;
use quipu_core::text::hex;
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::error::{Error, Failure};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// Where they are kept, in the state folder: not a part of the memory.
const FILE: &str = "tokens.json";

/// How a token begins, so that people and scanners know one.
const PREFIX: &str = "quipu_";

/// Why a token is neither made nor taken away.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Somebody has that name.
    #[error("there is a token for `{name}` already")]
    Taken {
        /// The name.
        name: String,
    },
    /// Nobody has that name.
    #[error("there is no token for `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
}

impl Failure for TokenError {
    fn code(&self) -> &'static str {
        "token"
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Taken { .. } => "`quipu token revoke NAME` takes it away first",
            Self::Unknown { .. } => "`quipu token list` shows the names",
        };
        Some(hint.to_owned())
    }
}

/// Somebody who may talk to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Their name.
    pub name: String,
    /// What they may do: `read`, `write` or `admin`.
    pub scope: String,
    /// Where they speak from: `main`, `heartbeat` or `other`.
    pub channel: String,
    /// When it was made.
    pub created: Timestamp,
    /// What tells the token, and does not give it away.
    hash: String,
}

/// Returns a new token of 32 random bytes.
///
/// # Errors
/// When the system has no random numbers.
pub fn new_token() -> Result<String, Error> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random)
        .map_err(|error| Refusal::NoRandomness { reason: error.to_string() })?;
    Ok(format!("{PREFIX}{}", hex(&random)))
}

/// Tells whether two tokens are the same, in a time that says nothing about them.
pub fn is_same(one: &str, other: &str) -> bool {
    sha256(one.as_bytes()) == sha256(other.as_bytes())
}

/// Reads the tokens of version 0.1 strictly; returns them as they may be written again.
pub(crate) fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    let tokens: Vec<Token> = serde_json::from_slice(bytes).ok()?;
    let is_hash = |hash: &str| hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let is_known = |token: &Token| {
        ["read", "write", "admin"].contains(&&*token.scope)
            && ["main", "heartbeat", "other"].contains(&&*token.channel)
            && is_hash(&token.hash)
    };
    tokens.iter().all(is_known).then(|| serde_json::to_vec_pretty(&tokens).ok())?
}

/// Returns the names in a file of tokens, as far as it can be read.
pub(crate) fn names_in(bytes: &[u8]) -> Vec<String> {
    let tokens: Vec<Token> = serde_json::from_slice(bytes).unwrap_or_default();
    tokens.into_iter().map(|token| format!("{} ({})", token.name, token.scope)).collect()
}

/// Returns who may talk to a server.
///
/// # Errors
/// When the file cannot be read.
pub fn tokens(workspace: &Workspace) -> Result<Vec<Token>, Error> {
    let bytes = match workspace.fs().read(&workspace.state(FILE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(crate::workspace::reading(FILE, source)),
    };
    serde_json::from_slice(&bytes).map_err(|error| crate::workspace::reading(FILE, error.into()))
}

/// Makes a token for somebody; it is told once, and only its hash is kept.
///
/// # Errors
/// When the name is taken, or the file cannot be written.
pub fn add_token(
    workspace: &Workspace,
    (name, scope, channel): (&str, &str, &str),
    now: Timestamp,
) -> Result<String, Error> {
    let _lock = workspace.lock_for_writing()?;
    let mut tokens = tokens(workspace)?;
    if tokens.iter().any(|token| token.name == name) {
        return Err(TokenError::Taken { name: name.to_owned() }.into());
    }
    let told = new_token()?;
    tokens.push(Token {
        name: name.to_owned(),
        scope: scope.to_owned(),
        channel: channel.to_owned(),
        created: now,
        hash: sha256(told.as_bytes()),
    });
    keep_tokens(workspace, &tokens)?;
    Ok(told)
}

/// Takes a token away: from now on nobody gets in with it.
///
/// # Errors
/// When nobody has that name, or the file cannot be written.
pub fn revoke_token(workspace: &Workspace, name: &str) -> Result<Token, Error> {
    let _lock = workspace.lock_for_writing()?;
    let mut tokens = tokens(workspace)?;
    let Some(at) = tokens.iter().position(|token| token.name == name) else {
        return Err(TokenError::Unknown { name: name.to_owned() }.into());
    };
    let gone = tokens.remove(at);
    keep_tokens(workspace, &tokens)?;
    Ok(gone)
}

/// Returns whose token it is.
///
/// # Errors
/// When the file cannot be read.
pub fn token_of(workspace: &Workspace, told: &str) -> Result<Option<Token>, Error> {
    // Hashes are compared, so how long it takes says nothing about the token.
    let hash = sha256(told.as_bytes());
    Ok(tokens(workspace)?.into_iter().find(|token| token.hash == hash))
}

fn keep_tokens(workspace: &Workspace, tokens: &[Token]) -> Result<(), Error> {
    let json = serde_json::to_vec_pretty(tokens).map_err(std::io::Error::from);
    let written = json.and_then(|json| workspace.write_state(FILE, &json));
    written.map_err(|source| Refusal::NotWritten { path: FILE.to_owned(), source }.into())
}
