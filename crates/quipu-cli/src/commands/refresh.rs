//! `quipu refresh`.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_engine::operations::{Changed, Refresh, RefreshedFacts};

use crate::context::Context;
use crate::reply::{CYAN, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for Refresh {
    fn say(&self, output: &Changed<RefreshedFacts>, _: &Context) -> Reply {
        let refreshed = &output.done.refreshed;
        if refreshed.is_empty() {
            return Reply::words("every footer already matches the session logs\n");
        }
        let verb = if output.dry_run { "would refresh" } else { "refreshed" };
        let mut text = format!("{verb} {}:\n", counted(refreshed.len(), "footer"));
        for change in refreshed {
            let _ = writeln!(text, "  {}: {}", styled(CYAN, &change.id), change.words);
        }
        Reply::words(text)
    }
}
