//! `quipu remember`.

use std::fmt::Write as _;
use std::path::Path;

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
        Context::complete_text(self.text.as_mut())
    }

    fn say(&self, done: &RememberedNow, _: &Context) -> Reply {
        let verb = if done.dry_run { "would remember" } else { "remembered" };
        let mut text = match done.ids.all() {
            [] => "nothing to remember\n".to_owned(),
            [id] => format!("{verb} {} {}\n", styled(CYAN, id), styled(DIM, &done.path)),
            ids => format!("{verb} {} records {}\n", ids.len(), styled(DIM, &done.path)),
        };
        if let Some(compared) = &done.compared {
            if let Some(other) = &compared.duplicate_of {
                let _ = writeln!(text, "{} says nearly the same", styled(CYAN, other));
            }
            for other in &compared.contradicts {
                let other = styled(CYAN, other);
                let _ =
                    writeln!(text, "{other} may say otherwise: `quipu questions` asks which holds");
            }
        }
        if let Some(why) = &done.degraded {
            let _ = writeln!(text, "{} {why}", styled(YELLOW, "note:"));
        }
        match done.ids.all() {
            [id] if !done.dry_run => {
                Reply::words(text).advise(format!("`quipu forget {id}` takes it back"))
            }
            _ => Reply::words(text),
        }
    }
}
