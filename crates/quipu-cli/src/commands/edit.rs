//! `quipu edit`.

use std::io::Write as _;
use std::process::Command;

use quipu_engine::operations::{Edit, Reworded};
use quipu_engine::report;

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for Edit {
    fn complete(&mut self, context: &Context) -> Result<(), CommandError> {
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
        self.text.is_none()
    }

    fn say(&self, output: &Reworded, _: &Context) -> Reply {
        match output {
            Reworded::Record { id, dry_run, .. } => {
                let verb = if *dry_run { "would change" } else { "changed" };
                Reply::words(format!("{verb} the words of {}\n", styled(CYAN, id)))
                    .advise("the old words stay in `quipu history`")
            }
            Reworded::Fact(changed) => {
                let done = format!("changed the words of {}", styled(CYAN, &changed.done.id));
                super::changed_words(&done, changed)
            }
        }
    }
}

/// Lets a person change `text` in their editor.
pub(super) fn in_editor(text: &str) -> Result<String, CommandError> {
    let set = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(CommandError::usage("no editor is set")
            .hint("set $EDITOR, or give the words with --text"));
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
