//! `quipu remember`.

use std::fmt::Write as _;
use std::path::Path;

use quipu_core::item::Scope;
use quipu_engine::operations::{Remember, RememberedNow};

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Remember {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        self.lines = match &self.batch {
            None => None,
            Some(path) if path == Path::new("-") => Some(Context::text_or_stdin("-")?),
            Some(path) => Some(std::fs::read_to_string(path).map_err(|error| {
                CommandError::input("batch", format!("cannot read `{}`: {error}", path.display()))
            })?),
        };
        match &mut self.text {
            Some(text) => Context::complete_words(text, &mut self.more),
            None => Ok(()),
        }
    }

    fn say(&self, done: &RememberedNow, _: &Context) -> Reply {
        let verb = if done.dry_run { "would remember" } else { "remembered" };
        let place = match done.scope {
            Scope::User => "for you, in every project".to_owned(),
            Scope::Project | Scope::Team => format!("for you, in this project ({})", done.path),
        };
        let mut text = match done.ids.all() {
            [] => "nothing to remember\n".to_owned(),
            [id] => format!("{verb} {} {}\n", styled(CYAN, id), styled(DIM, &place)),
            ids => format!("{verb} {} records {}\n", ids.len(), styled(DIM, &place)),
        };
        if let Some(compared) = &done.compared {
            if let Some(other) = &compared.duplicate_of {
                let _ = writeln!(text, "{} says nearly the same", styled(CYAN, other));
            }
            if !compared.contradicts.is_empty() {
                let others = compared.contradicts.iter().map(|other| styled(CYAN, other));
                let others = others.collect::<Vec<_>>().join(", ");
                let _ = writeln!(
                    text,
                    "{others} may say otherwise: `quipu questions` asks which holds"
                );
            }
            text.push_str(&super::near::near_words(&compared.nearest));
        }
        for left_out in &done.skipped {
            let (line, reason) = (left_out.line, &left_out.reason);
            let _ = writeln!(text, "{} line {line}: {reason}", styled(YELLOW, "left out:"));
        }
        if let Some(why) = &done.degraded {
            let _ = writeln!(text, "{} {why}", styled(YELLOW, "note:"));
        }
        match done.ids.all() {
            [id] if !done.dry_run => {
                let mut advice = "`quipu undo` takes it back".to_owned();
                if done.scope == Scope::Project {
                    let _ = write!(advice, "; `quipu share {id}` gives it to the team");
                }
                Reply::words(text).advise(advice)
            }
            _ => Reply::words(text),
        }
    }
}
