//! How a failure is told to a person, and which exit code it has.

use std::fmt::Write as _;

use quipu_engine::ErrorKind;
use quipu_engine::operation::OperationError;

use crate::output::{Style, styled};

/// A failure of a command.
pub(crate) type CommandError = OperationError;

/// Returns the exit code of a failure.
pub(crate) fn exit(error: &CommandError) -> u8 {
    match error.kind {
        ErrorKind::NoWorkspace | ErrorKind::Usage => 2,
        ErrorKind::Input
        | ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::Forbidden
        | ErrorKind::Damaged => 3,
        ErrorKind::Busy => 4,
        ErrorKind::Bug => 70,
    }
}

/// Returns the HTTP status of a failure.
pub(crate) fn status(error: &CommandError) -> u16 {
    match error.kind {
        ErrorKind::Usage | ErrorKind::Input => 400,
        ErrorKind::NotFound => 404,
        ErrorKind::Conflict => 409,
        ErrorKind::Forbidden => 403,
        ErrorKind::NoWorkspace | ErrorKind::Busy => 503,
        ErrorKind::Damaged | ErrorKind::Bug => 500,
    }
}

/// Returns a failure in words, styled.
pub(crate) fn text(error: &CommandError) -> String {
    let mut text = format!("{} {}\n", styled(Style::Red, "error:"), error.message);
    if let Some(hint) = &error.hint {
        let _ = writeln!(text, " {} {hint}", styled(Style::Bold, "hint:"));
    }
    text
}
