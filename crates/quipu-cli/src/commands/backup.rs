//! `quipu backup`.

use std::fmt::Write as _;

use quipu_engine::backup::BackedUp;
use quipu_engine::operations::Backup;

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Backup {
    fn outside(&self, context: &Context) -> Result<Option<Reply>, CommandError> {
        let Some(done) = self.beside(context.now())? else { return Ok(None) };
        let mut reply = self.say(&done, context);
        reply.json = serde_json::to_value(&done).unwrap_or_default();
        Ok(Some(reply.exit(u8::from(done.replayed == Some(false)))))
    }

    fn say(&self, done: &BackedUp, _: &Context) -> Reply {
        let mut text = String::new();
        let about = format!("{} files, {} records", done.files, done.records);
        let path = done.path.display();
        match &done.into {
            Some(into) => {
                let _ = writeln!(text, "restored {about} into {}", into.display());
                if let Some(aside) = &done.set_aside {
                    let _ = writeln!(text, "what stood there is in {}", aside.display());
                }
                let _ = writeln!(text, "{}", match done.replayed {
                    Some(true) => "every file is what it was, and the index made from them is the same twice".to_owned(),
                    _ => format!("{} the index made from the files differs: `quipu replay`", styled(YELLOW, "warning:")),
                });
            }
            None if self.verify => {
                let _ = writeln!(
                    text,
                    "{path} is whole: {about}, made {} by {}",
                    done.made.strftime("%Y-%m-%d %H:%M"),
                    done.by
                );
            }
            None => {
                let _ = writeln!(text, "wrote {path}: {about}; every byte was read back");
            }
        }
        if done.broken > 0 {
            let _ = writeln!(
                text,
                "{} {} lines were meant to be records and cannot be read: `quipu lint` names them",
                styled(YELLOW, "note:"),
                done.broken
            );
        }
        let reply = Reply::words(text);
        if done.into.is_none() && !self.verify {
            return reply.advise(format!("`quipu backup --restore {path} --into DIR` puts it back; it is not encrypted: `age` is a tool for that"));
        }
        reply
    }
}
