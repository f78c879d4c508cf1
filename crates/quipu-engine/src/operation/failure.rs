//! A failure as every surface tells it.

use std::error::Error as _;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::error::{Error, ErrorKind};

/// Why an operation was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationError {
    /// Whose fault it is; exit codes and HTTP statuses follow from it.
    pub kind: ErrorKind,
    /// A stable name.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl OperationError {
    /// The caller asked for something that makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, code: "usage", message: message.into(), hint: None }
    }

    /// Something that was given or found is not right.
    pub fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Input, code, message: message.into(), hint: None }
    }

    /// The caller may not do this.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Forbidden, code, message: message.into(), hint: None }
    }

    /// We failed, not the caller.
    pub fn bug() -> Self {
        Self {
            kind: ErrorKind::Bug,
            code: "bug",
            message: "quipu stumbled over a bug of its own".to_owned(),
            hint: Some(
                "what was under way is finished or taken back by the next command".to_owned(),
            ),
        }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The failure as data.
    pub fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

impl<E: Into<Error>> From<E> for OperationError {
    fn from(error: E) -> Self {
        let error: Error = error.into();
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let _ = write!(message, ": {}", inner.to_string().trim_end());
            cause = inner.source();
        }
        Self { kind: error.kind(), code: error.code(), message, hint: error.hint() }
    }
}
