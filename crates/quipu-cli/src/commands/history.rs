//! `quipu history`.

use std::fmt::Write as _;

use quipu_engine::history;
use quipu_engine::operations::History;

use crate::commands::recall::chain;
use crate::context::Context;
use crate::reply::{CYAN, DIM, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for History {
    fn say(&self, history: &history::History, _: &Context) -> Reply {
        let mut text = format!("{}\n", styled(CYAN, &history.id));
        for entry in &history.entries {
            let _ = writeln!(
                text,
                "  {}  {} {}",
                entry.at.strftime("%Y-%m-%d %H:%M"),
                entry.what,
                styled(DIM, format!("({})", entry.by))
            );
            if !entry.reason.is_empty() {
                let _ = writeln!(text, "      {}", entry.reason);
            }
        }
        if !history.supersedes.is_empty() {
            let _ = writeln!(text, "  replaces {}", chain(&history.supersedes));
        }
        if let Some(successor) = &history.superseded_by {
            let _ = writeln!(text, "  superseded by {successor}");
        }
        Reply::words(text)
    }
}
