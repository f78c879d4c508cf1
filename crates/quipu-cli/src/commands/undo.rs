//! `quipu undo`.

use std::fmt::Write as _;

use quipu_engine::operations::{Undo, Undone};

use crate::context::Context;
use crate::reply::{BOLD, DIM, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for Undo {
    fn say(&self, output: &Undone, _: &Context) -> Reply {
        let mut text = String::new();
        match output {
            Undone::Listed { history } => {
                for entry in history {
                    let _ = writeln!(
                        text,
                        "{}  {}  {}",
                        styled(DIM, &entry.at),
                        styled(BOLD, &entry.operation),
                        shown(&entry.paths).join(", ")
                    );
                }
                if history.is_empty() {
                    text.push_str("there is nothing to undo\n");
                }
            }
            Undone::Done { undone, dry_run } => {
                let verb = if *dry_run { "would undo" } else { "undid" };
                let operation = styled(BOLD, &undone.operation);
                let _ = writeln!(text, "{verb} {operation} of {}", undone.at);
                for path in shown(&undone.paths) {
                    let _ = writeln!(text, "  {path}");
                }
            }
        }
        Reply::words(text)
    }
}

/// Returns the paths that are memory, not Quipu's own state.
fn shown(paths: &[String]) -> Vec<&str> {
    paths.iter().map(String::as_str).filter(|path| !path.starts_with(".quipu/")).collect()
}
