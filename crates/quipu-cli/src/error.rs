//! How a failure is told: kind, message, cause and hint, and the exit code.

use std::error::Error as _;
use std::fmt::Write as _;

use quipu_engine::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::reply::{BOLD, RED, styled};

/// A failure of a command.
#[derive(Debug)]
pub(crate) struct CommandError {
    exit: u8,
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl CommandError {
    /// The caller asked for something that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: 2, code: "usage", message: message.into(), hint: None }
    }

    /// Something that was given or found is not right.
    pub(crate) fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self { exit: 3, code, message: message.into(), hint: None }
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What went wrong, in words.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        self.exit
    }

    /// The failure in words, styled.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} {}\n", styled(RED, "error:"), self.message);
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, " {} {hint}", styled(BOLD, "hint:"));
        }
        text
    }

    /// The failure as data.
    pub(crate) fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let _ = write!(message, ": {}", inner.to_string().trim_end());
            cause = inner.source();
        }
        Self {
            exit: match error.kind() {
                ErrorKind::NoWorkspace => 2,
                ErrorKind::Input => 3,
                ErrorKind::Busy => 4,
                ErrorKind::Bug => 70,
            },
            code: error.code(),
            message,
            hint: error.hint(),
        }
    }
}
