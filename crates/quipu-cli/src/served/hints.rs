//! Errors for the model that reads them: what was wrong, what to do next.

use crate::error::CommandError;

/// A command line that a tool made and the parser refused: an argument has a wrong value.
pub(super) fn of_clap(error: &clap::Error) -> CommandError {
    let told = error.render().to_string();
    let first = told.lines().next().unwrap_or_default();
    let first = first.trim_start_matches("error: ");
    CommandError::input("arguments", in_tool_words(first))
        .hint("check the argument against the tool's schema")
}

/// Writes `--as-of <TIME>` as `as_of`.
fn in_tool_words(text: &str) -> String {
    let word = |word: &str| {
        let quoted = word.strip_prefix('\'').unwrap_or(word);
        match quoted.strip_prefix("--") {
            Some(option) => {
                let option = option.trim_end_matches('\'').replace('-', "_");
                format!("`{option}`")
            }
            None => word.to_owned(),
        }
    };
    let words: Vec<String> =
        text.split(' ').filter(|word| !word.starts_with('<')).map(word).collect();
    words.join(" ")
}

/// A failure as a text.
pub(super) fn for_model(error: &CommandError) -> String {
    let mut text = error.message.clone();
    if let Some(hint) = &error.hint {
        // Whether a secret may be told or kept is for a person to say.
        let hint = if hint.contains("--allow-secret") {
            "leave the value out, or write (REDACTED) instead of it; where it is no secret at all, call again with `not_a_secret`: why it is none"
        } else {
            hint
        };
        text.push_str("\nWhat to do: ");
        text.push_str(hint);
    }
    text
}
