//! Errors for the model that reads them: what was wrong, what to do next.

use crate::error::CommandError;

/// A failure as a text.
pub(super) fn for_model(error: &CommandError) -> String {
    let mut text = error.message.clone();
    if let Some(hint) = &error.hint {
        // Whether a secret may be told or kept is for a person to say.
        let hint = if hint.contains("--allow-secret") {
            "leave the value out, or write (REDACTED) instead. If it is not a secret, call again with the reason in `not_a_secret`"
        } else {
            hint
        };
        text.push_str("\nWhat to do: ");
        text.push_str(hint);
    }
    text
}
