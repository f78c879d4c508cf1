//! What a server for many stands in front of.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::backend::{Backend, Caller};

/// Where the server stands, and whom it lets in.
#[derive(Clone, Debug)]
pub struct Door {
    /// The address.
    pub listen: SocketAddr,
    /// Names by which it is reached, beside the loopback ones and the address itself.
    pub hosts: Vec<String>,
    /// Web pages that may call it, beside its own.
    pub origins: Vec<String>,
    /// A larger request is refused.
    pub max_body_bytes: usize,
    /// So many requests a second from one caller; 0 is any number.
    pub requests_per_second: u32,
}

/// Why a request is refused.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The status.
    pub status: u16,
    /// A stable name.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl Refusal {
    /// Makes a refusal.
    pub fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self { status, code: code.to_owned(), message: message.into(), hint: None }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns it as data, in the form that the command line has too.
    pub fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }

    pub(super) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// What a server for many stands in front of.
pub trait Host: Send + Sync + 'static {
    /// Answers what MCP asks.
    type Backend: Backend;

    /// Returns who does.
    fn backend(&self) -> Arc<Self::Backend>;

    /// Says who comes with a token, or from this machine without one.
    ///
    /// # Errors
    /// When they are not let in.
    fn admit(&self, token: Option<&str>, is_local: bool) -> Result<Caller, Refusal>;

    /// Tells whether the memory can be used.
    ///
    /// # Errors
    /// When it cannot, and why.
    fn ready(&self) -> Result<(), String>;

    /// Returns numbers for the metrics: name, help, whether it only grows, value.
    fn numbers(&self) -> Vec<(&'static str, &'static str, bool, f64)>;

    /// Answers a call for the journal's files.
    ///
    /// # Errors
    /// When it is refused.
    fn gateway(&self, method: &str, params: &Value, caller: &Caller) -> Result<Value, Refusal>;

    /// Carries out a command of the memory tool.
    ///
    /// # Errors
    /// When it is refused; a command that fails is an answer.
    fn memory_tool(&self, command: &Value, caller: &Caller) -> Result<Value, Refusal>;

    /// Does what is due.
    fn tick(&self);
}
