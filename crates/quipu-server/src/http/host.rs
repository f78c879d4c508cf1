//! What a server for many stands in front of.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::sign_in::SignIns;
use crate::backend::{Backend, Caller};

/// Where the server listens, and whom it lets in.
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
    /// How long it goes on, saying that it is not ready, when it is told to stop: others notice and turn away.
    pub drain: Duration,
    /// Who is signed in with a browser.
    pub sign_ins: Arc<SignIns>,
}

/// A request of the REST API.
#[derive(Clone, Debug, Default)]
pub struct ApiRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// The parts of the path after `/api/v1/`, decoded.
    pub path: Vec<String>,
    /// The query string, decoded, in order.
    pub query: Vec<(String, String)>,
    /// The body; empty where there was none.
    pub body: Map<String, Value>,
    /// The body as it is, where it is a piece of a file and not JSON.
    pub bytes: Option<Vec<u8>>,
    /// The session that the caller has open (`Quipu-Session`).
    pub session: Option<String>,
    /// What makes a retry recognisable (`Idempotency-Key`).
    pub idempotency_key: Option<String>,
    /// The version that an edit was made from (`If-Match`).
    pub if_match: Option<String>,
    /// Whether the caller waits a moment for work that takes long (without `Prefer: respond-async`).
    pub is_patient: bool,
}

/// An answer of the REST API.
#[derive(Clone, Debug)]
pub struct ApiAnswer {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Value,
    /// The version of what was read (`ETag`).
    pub etag: Option<String>,
    /// Where what was made is found (`Location`).
    pub location: Option<String>,
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
    /// The methods that are there, where the one that was asked for is not.
    pub methods: Vec<&'static str>,
}

impl Refusal {
    /// Makes a refusal.
    pub fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            methods: Vec::new(),
        }
    }

    /// Says that a method is not there, and which are.
    pub fn method(asked: &str, methods: &[&'static str]) -> Self {
        let refusal = Self::new(405, "method", format!("`{asked}` does not go here"));
        let refusal = refusal.hint(format!("there are {}", methods.join(", ")));
        Self { methods: methods.to_vec(), ..refusal }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns it as a problem report (RFC 9457), which the REST API answers with.
    pub fn problem(&self) -> Value {
        let title = match self.status {
            400 => "The request makes no sense",
            401 => "Not signed in",
            403 => "Not allowed",
            404 => "Not found",
            405 => "No such method here",
            408 => "Too slow",
            409 => "It does not fit what is there",
            412 => "Changed meanwhile",
            413 => "Too large",
            415 => "Not JSON",
            429 => "Too many requests",
            503 => "Not available now",
            _ => "The server failed",
        };
        json!({
            "type": format!("urn:quipu:problem:{}", self.code),
            "title": title,
            "status": self.status,
            "detail": self.message,
            "code": self.code,
            "hint": self.hint,
        })
    }

    /// Returns it as data, in the form that the command line has too.
    pub fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }

    pub(super) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Something that happened, for clients that listen.
#[derive(Clone, Debug)]
pub struct Notice {
    /// The position after it, from which a client may go on listening.
    pub position: Option<String>,
    /// What sort of notice it is, where it is not of the usual one.
    pub name: Option<&'static str>,
    /// What happened.
    pub data: Value,
}

/// Somebody who listens. Looking blocks, for a moment.
pub trait Listening: Send + 'static {
    /// Returns what happened since the last look.
    ///
    /// # Errors
    /// When nothing more will be heard.
    fn look(&mut self) -> Result<Vec<Notice>, Refusal>;
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

    /// Tells whether [`Self::admit`] waits for another machine, instead of reading a small file.
    fn admits_slowly(&self) -> bool {
        false
    }

    /// Tells whether the memory can be used.
    ///
    /// # Errors
    /// When it cannot, and why.
    fn ready(&self) -> Result<(), String>;

    /// Returns numbers for the metrics: name, help, whether it only grows, value.
    fn numbers(&self) -> Vec<(&'static str, &'static str, bool, f64)>;

    /// Returns numbers of single memories for the metrics, as far as a caller may see them: name, help, the
    /// memory, value. They only grow.
    fn numbers_by_space(&self, _caller: &Caller) -> Vec<(&'static str, &'static str, String, u64)> {
        Vec::new()
    }

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

    /// Answers a request of the REST API.
    ///
    /// # Errors
    /// When it is refused, or fails.
    fn api(&self, request: &ApiRequest, caller: &Caller) -> Result<ApiAnswer, Refusal>;

    /// Lets a caller listen to what happens from now on, or after a position.
    ///
    /// # Errors
    /// When they may not.
    fn listen(&self, after: Option<&str>, caller: &Caller) -> Result<Box<dyn Listening>, Refusal>;

    /// Returns the description of the REST API (`OpenAPI`).
    fn description(&self) -> Value;

    /// Does what is due.
    fn tick(&self);
}
