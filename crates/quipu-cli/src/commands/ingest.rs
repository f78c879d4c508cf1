//! `quipu ingest`.

use std::fmt::Write as _;

use quipu_engine::ingest::Ingested;
use quipu_engine::operations::Ingest;

use crate::context::Context;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Ingest {
    fn say(&self, done: &Ingested, _: &Context) -> Reply {
        let mut text = String::new();
        for one in &done.documents {
            let title = one.title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
            let _ = writeln!(
                text,
                "{:<8} {}{title}  {}",
                one.state,
                styled(CYAN, &one.source),
                styled(DIM, &one.path)
            );
        }
        for (source, why) in &done.left_out {
            let _ = writeln!(text, "{} {source}: {why}", styled(YELLOW, "left out"));
        }
        if done.redacted > 0 {
            let _ = writeln!(
                text,
                "{} {} with a credential, which is blacked out",
                styled(YELLOW, "secrets:"),
                done.redacted
            );
        }
        let reply = Reply::words(text);
        if done.applied {
            reply.advise("`quipu recall` finds what stands in them; `quipu undo` takes it back")
        } else {
            reply
        }
    }
}
