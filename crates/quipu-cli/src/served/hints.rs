//! Errors for the model that reads them: what was wrong, what to do next. A command that a hint names
//! becomes the tool that does the same, with arguments that the tool takes.

use std::fmt::Write as _;

use super::tool::{Form, Tool};
use crate::error::CommandError;

/// A failure as a text.
pub(super) fn for_model(error: &CommandError, tools: &[Tool]) -> String {
    let mut text = error.message.clone();
    if let Some(hint) = &error.hint {
        // Whether a secret may be told or kept is for a person to say.
        let hint = if hint.contains("--allow-secret") {
            "leave the value out, or write (REDACTED) instead. If it is not a secret, call again with the reason in `not_a_secret`".to_owned()
        } else {
            in_tools(hint, tools)
        };
        text.push_str("\nWhat to do: ");
        text.push_str(&hint);
    }
    text
}

/// Replaces each `quipu …` in a hint by the call of a tool; what no tool does is left to a terminal.
pub(super) fn in_tools(hint: &str, tools: &[Tool]) -> String {
    let mut text = String::new();
    for (at, part) in hint.split('`').enumerate() {
        match part.strip_prefix("quipu ").filter(|_| at % 2 == 1) {
            Some(command) => match call(command, tools) {
                Some(call) => text.push_str(&call),
                None => {
                    let _ = write!(text, "`quipu {command}` in a terminal");
                }
            },
            None if at % 2 == 1 => {
                let _ = write!(text, "`{part}`");
            }
            None => text.push_str(part),
        }
    }
    text
}

/// Returns a command as the call of a tool; nothing where no tool takes all of it.
fn call(command: &str, tools: &[Tool]) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let names = words.iter().take(2).take_while(is_name).count();
    let (tool, action, rest) = (1..=names).rev().find_map(|length| {
        let operation = words[..length].join(".");
        tools.iter().find_map(|tool| {
            let action = tool.actions.iter().find(|action| action.is_of(&operation))?;
            Some((tool, action, &words[length..]))
        })
    })?;
    let mut given = Vec::new();
    if !action.name.is_empty() {
        given.push(format!("{}: {}", tool.key, action.name));
    }
    let mut needed = action.takes.iter().filter(|taken| taken.is_needed);
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        let Some(flag) = word.strip_prefix("--") else {
            given.push(format!("{}: {word}", needed.next()?.name));
            continue;
        };
        let field = flag.replace('-', "_");
        let taken = action.takes.iter().find(|taken| taken.field == field)?;
        let param = tool.params.iter().find(|param| param.name == taken.name)?;
        let value = if matches!(param.form, Form::Flag) { "true" } else { rest.next()? };
        given.push(format!("{}: {value}", taken.name));
    }
    let given = if given.is_empty() { String::new() } else { format!(" ({})", given.join(", ")) };
    Some(format!("`{}`{given}", tool.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Profile;
    use crate::served::catalog;

    #[test]
    fn commands_in_hints_become_calls_that_the_tools_take() {
        let tools = catalog::tools(Profile::Standard);
        for (hint, said) in [
            (
                "`quipu fact list --all` shows every id",
                "`fact` (action: list, all: true) shows every id",
            ),
            ("try `quipu recall WORDS`", "try `recall` (query: WORDS)"),
            ("`quipu session list`", "`session` (action: list)"),
            ("`quipu show ID`", "`show` (view: text, id: ID)"),
            ("`quipu init` makes one", "`quipu init` in a terminal makes one"),
            (
                "`quipu fact add TEXT --confirm-core`",
                "`quipu fact add TEXT --confirm-core` in a terminal",
            ),
            ("`since` is a day", "`since` is a day"),
        ] {
            assert_eq!(in_tools(hint, &tools), said);
        }
    }
}
