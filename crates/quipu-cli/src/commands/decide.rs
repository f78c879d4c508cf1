//! What is decided about a memory: `forget`, `restore`, `purge`, `memory …`.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};

use quipu_core::item::{Item, Scope};
use quipu_core::text;
use quipu_engine::operations::{
    Forget, MemoryAnnotate, MemoryChallenge, MemoryConfirm, MemoryDecided, MemoryDemote,
    MemoryInvalidate, MemoryLink, MemoryMerge, MemoryPin, MemoryPromote, MemorySimilar,
    MemoryStatus, MemoryTag, MemoryUnmerge, MemoryUnpin, MemoryUse, Purge, PurgedWords, PutAway,
    PutAwayItem, Restore, UsedMemory,
};
use quipu_engine::recall::Recalled;
use quipu_engine::{Workspace, undo};

use super::recall;
use crate::context::Context;
use crate::error::CommandError;
use crate::layout;
use crate::output;
use crate::reply::{CYAN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Forget {
    fn ask(&mut self, workspace: &Workspace, context: &Context) -> Result<(), CommandError> {
        if !self.id.is_empty() {
            return Ok(());
        }
        let Some(last) = last_remembered(workspace, context)? else {
            return Err(CommandError::input("nothing", "there is nothing to forget")
                .hint("`quipu list` shows what is remembered"));
        };
        let mut shown = String::new();
        layout::entry(&mut shown, &text::headline(&last.text), std::slice::from_ref(&last.id));
        if !self.yes && !self.dry.dry_run {
            if context.global.json || !output::is_terminal() {
                let why = format!("the last thing remembered is `{}`: {}", last.id, last.text);
                return Err(CommandError::usage(text::ellipsis(&why, 200))
                    .hint("`quipu forget --yes` forgets it, `quipu forget ID` something else"));
            }
            super::ask(&format!("Forget what was remembered last?\n{shown}"))?;
        }
        self.id = last.id;
        Ok(())
    }

    fn talks(&self) -> bool {
        self.id.is_empty() && !self.yes
    }

    fn say(&self, output: &PutAway, _: &Context) -> Reply {
        match output {
            PutAway::Fact(changed) => {
                let id = &changed.done.id;
                let done = format!("forgot {}: it is in the archive", styled(CYAN, id));
                let mut reply = super::changed_words(&done, changed);
                if !changed.dry_run {
                    let _ = write!(reply.advice, ", and so does `quipu restore {id}`");
                }
                reply
            }
            PutAway::Record { standing, dry_run } => status(standing, *dry_run)
                .advise(format!("`quipu restore {}` takes it back", standing.id)),
        }
    }
}

impl Spoken for Restore {
    fn say(&self, output: &PutAway, _: &Context) -> Reply {
        match output {
            PutAway::Fact(changed) => {
                let id = styled(CYAN, &changed.done.id);
                super::changed_words(&format!("brought {id} back from the archive"), changed)
            }
            PutAway::Record { standing, dry_run } => status(standing, *dry_run)
                .advise(format!("`quipu forget {}` takes it back", standing.id)),
        }
    }
}

/// Returns what was remembered last: in the project, or in the user's own memory where that is later and no
/// scope was named.
fn last_remembered(workspace: &Workspace, context: &Context) -> Result<Option<Item>, CommandError> {
    let here = match context.global.scope {
        Some(Scope::User) if !workspace.is_user_scope() => None,
        _ => undo::last_remembered(workspace)?,
    };
    let own = match (context.global.scope, workspace.user_scope()?) {
        (None | Some(Scope::User), Some(user)) => undo::last_remembered(user)?,
        _ => None,
    };
    let last = here.into_iter().chain(own).max_by(|a, b| a.1.cmp(&b.1));
    Ok(last.map(|(item, _)| item))
}

fn status(standing: &PutAwayItem, dry_run: bool) -> Reply {
    let verb = if dry_run { "would be" } else { "is" };
    Reply::words(format!("{} {verb} {}\n", styled(CYAN, &standing.id), standing.status))
}

impl Spoken for Purge {
    fn complete(&mut self, context: &Context) -> Result<(), CommandError> {
        if self.value {
            // Nobody types a secret for nothing.
            context.glimpse()?;
            self.typed = Some(asked_value()?);
        }
        Ok(())
    }

    fn talks(&self) -> bool {
        self.value
    }

    fn say(&self, output: &PurgedWords, _: &Context) -> Reply {
        let purged = &output.purged;
        let mut text = String::new();
        if purged.files.is_empty() && self.value {
            text.push_str("the value is nowhere in this memory\n");
            not_reached(&mut text, &purged.not_reached);
            return Reply::words(text);
        }
        if purged.resumed {
            text.push_str("finished a purge that had been interrupted\n");
        }
        let verb = if self.yes { "removed" } else { "would remove" };
        let what = match &self.id {
            Some(_) => format!("the words of {}", styled(CYAN, &purged.id)),
            None => "the value".to_owned(),
        };
        let _ = writeln!(text, "{verb} {what} from:");
        for file in &purged.files {
            let _ = writeln!(text, "  {file}");
        }
        if self.id.is_some() {
            text.push_str("  the index\n");
        }
        if !purged.renamed.is_empty() {
            let new = purged.renamed.join(", ");
            let _ = writeln!(text, "ids that were made of the words are called now: {new}");
        }
        not_reached(&mut text, &purged.not_reached);
        let reply = Reply::words(text);
        if self.yes {
            return reply;
        }
        if self.dry.dry_run {
            return reply.advise("nothing was changed");
        }
        reply.advise("this cannot be undone: run it again with --yes")
    }
}

fn not_reached(text: &mut String, places: &[String]) {
    for place in places {
        let _ = writeln!(text, "{} {place}", styled(YELLOW, "not reached:"));
    }
}

/// Asks for a value on the terminal without showing it, or reads a line of what is piped in. It is
/// never an argument: other users see those in the list of processes, and shells keep them.
fn asked_value() -> Result<String, CommandError> {
    let reading = |error: std::io::Error| {
        CommandError::input("no-value", format!("the value cannot be read: {error}"))
    };
    let line = if std::io::stdin().is_terminal() {
        let terminal = console::Term::stderr();
        terminal.write_str("Value to remove (not shown): ").map_err(reading)?;
        terminal.read_secure_line().map_err(reading)?
    } else {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(reading)?;
        line
    };
    let value = line.trim_end_matches(['\n', '\r']);
    if value.trim().is_empty() {
        let hint =
            "type it when asked, or pipe it in: `pass show x | quipu purge --value -r leaked`";
        return Err(CommandError::input("no-value", "no value was given").hint(hint));
    }
    Ok(value.to_owned())
}

/// Says what was decided.
macro_rules! spoken {
    ($($operation:ident)*) => {$(
        impl Spoken for $operation {
            fn say(&self, output: &MemoryDecided, _: &Context) -> Reply {
                decided(output)
            }
        }
    )*};
}

spoken! {
    MemoryStatus MemoryPromote MemoryDemote MemoryConfirm MemoryChallenge MemoryInvalidate MemoryMerge
    MemoryUnmerge MemoryPin MemoryUnpin MemoryTag MemoryLink MemoryAnnotate
}

fn decided(output: &MemoryDecided) -> Reply {
    let mut text = String::new();
    for (id, words) in &output.in_words {
        let would = if output.dry_run { "would be: " } else { "" };
        let _ = writeln!(text, "{}: {would}{words}", styled(CYAN, id));
    }
    if output.dry_run {
        return Reply::words(text).advise("nothing was changed");
    }
    Reply::words(text).advise("`quipu history ID` tells what happened to it")
}

impl Spoken for MemoryUse {
    fn say(&self, used: &UsedMemory, _: &Context) -> Reply {
        let verb = if used.dry_run { "would be" } else { "is" };
        Reply::words(format!("{} {verb} noted as used\n", styled(CYAN, &used.id)))
    }
}

impl Spoken for MemorySimilar {
    fn say(&self, recalled: &Recalled, _: &Context) -> Reply {
        Reply::words(recall::words(recalled, true))
    }
}
