//! What is decided about a memory: `forget`, `restore`, `purge`, `memory …`.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};

use quipu_engine::operations::{
    Forget, MemoryAnnotate, MemoryChallenge, MemoryConfirm, MemoryDecided, MemoryDemote,
    MemoryInvalidate, MemoryLink, MemoryMerge, MemoryPin, MemoryPromote, MemorySimilar,
    MemoryStatus, MemoryTag, MemoryUnmerge, MemoryUnpin, MemoryUse, Purge, PurgedWords, PutAway,
    PutAwayItem, Restore, UsedMemory,
};
use quipu_engine::recall::Recalled;

use super::recall;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Forget {
    fn say(&self, output: &PutAway, _: &Context) -> Reply {
        match output {
            PutAway::Fact(changed) => {
                let done = format!("moved {} to the archive", styled(CYAN, &changed.done.id));
                super::changed_words(&done, changed)
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
