//! `quipu edit`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use quipu_core::contradict::{Candidate, Near};
use quipu_engine::operations::{Edit, Reworded};
use quipu_engine::report;

use super::near::{candidate_words, near_words, other_near_words};
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Edit {
    fn complete(&mut self, context: &Context) -> Result<(), CommandError> {
        if !self.words.is_empty() {
            self.text = Some(std::mem::take(&mut self.words).join(" "));
        }
        if self.text.is_none() {
            let workspace = context.glimpse()?;
            let shown = report::show_any(&workspace, &self.id, self.allow_secret);
            crate::spoken::tell_recovered(&workspace);
            let current = shown?.text;
            self.text = Some(in_editor(&current)?);
            self.instead_of = Some(current);
            return Ok(());
        }
        Context::complete_text(self.text.as_mut())
    }

    fn talks(&self) -> bool {
        self.text.is_none() && self.words.is_empty()
    }

    fn say(&self, output: &Reworded, _: &Context) -> Reply {
        match output {
            Reworded::Record { id, dry_run, nearest, .. } => {
                let verb = if *dry_run { "would change" } else { "changed" };
                let near = near_words(nearest);
                Reply::words(format!("{verb} the words of {}\n{near}", styled(CYAN, id))).advise(
                    format!("`quipu undo` takes it back; `quipu log {id}` has the old words"),
                )
            }
            Reworded::Undecided { id, candidates, choices, nearest, .. } => {
                undecided(self, id, candidates, choices, nearest)
            }
            Reworded::Fact(changed) => {
                let done = format!("changed the words of {}", styled(CYAN, &changed.done.id));
                let mut reply = super::changed_words(&done, changed);
                reply.text.push_str(&near_words(&changed.done.nearest));
                reply
            }
        }
    }
}

/// Reports what the new words may contradict, and what the caller can do about it.
fn undecided(
    edit: &Edit,
    id: &str,
    candidates: &[Candidate],
    choices: &[&str],
    nearest: &[Near],
) -> Reply {
    let mut text = format!(
        "{} the new words may conflict with what is known:\n",
        styled(YELLOW, "not changed:")
    );
    text.push_str(&candidate_words(candidates));
    text.push_str(&other_near_words(nearest, candidates));
    if edit.instead_of.is_some() {
        // They came from an editor and would be lost.
        let words = edit.text.as_deref().unwrap_or_default().trim_end();
        text.push_str("your words:\n");
        for line in words.lines() {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
    }
    text.push_str("choose:\n");
    let replace = "the decision changed: keep the old fact as superseded";
    let _ = writeln!(text, "  quipu fact add \"…\" --supersedes {id}   {replace}");
    for choice in choices {
        let (flag, meaning) = match *choice {
            "confirm_core" => {
                ("--confirm-core", "a core fact is concerned, and a person confirmed it")
            }
            _ => ("--agree", "it is a correction, and agrees with the facts listed: write it"),
        };
        let _ = writeln!(text, "  quipu edit {id} \"…\" {flag}   {meaning}");
    }
    Reply::words(text)
}

/// Lets a person change `text` in their editor.
pub(super) fn in_editor(text: &str) -> Result<String, CommandError> {
    let set = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(CommandError::usage("no editor is set")
            .hint("set $EDITOR, or give the words: `quipu edit ID new words`"));
    };
    let failed = |error: std::io::Error| {
        CommandError::input("editor", format!("cannot run `{editor}`: {error}"))
    };
    let mut file =
        tempfile::Builder::new().prefix("quipu-").suffix(".md").tempfile().map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    // A shell reads the setting, as it does for git: it may have arguments and quotes.
    let command = format!("{editor} \"$1\"");
    let status = Command::new("sh")
        .args(["-c", &command, "sh"])
        .arg(file.path())
        .status()
        .map_err(failed)?;
    if !status.success() {
        return Err(CommandError::input("editor", "the editor gave up; nothing was changed"));
    }
    std::fs::read_to_string(file.path()).map_err(failed)
}
