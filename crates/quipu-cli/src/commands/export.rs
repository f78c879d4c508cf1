//! `quipu export`.

use std::fmt::Write as _;

use quipu_engine::export::Exported;
use quipu_engine::operations::Export;

use crate::context::Context;
use crate::output;
use crate::reply::{Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Export {
    fn say(&self, exported: &Exported, _: &Context) -> Reply {
        let mut told = String::new();
        let to = exported.path.as_ref().map(|path| format!(" to {}", path.display()));
        let _ = writeln!(
            told,
            "exported {} {} as {}{}",
            exported.items,
            if exported.items == 1 { "memory" } else { "memories" },
            exported.format,
            to.unwrap_or_default()
        );
        if exported.secrets > 0 {
            let _ = writeln!(
                told,
                "{} left out (--include-secret takes them along)",
                count(exported.secrets, "secret")
            );
        }
        if !exported.lost.is_empty() {
            let lost: Vec<String> =
                exported.lost.iter().map(|(field, count)| format!("{field} ({count})")).collect();
            let _ = writeln!(
                told,
                "{} {} cannot hold: {}",
                styled(YELLOW, "lost:"),
                exported.format,
                lost.join(", ")
            );
        }
        match &exported.text {
            // What others read goes to stdout alone.
            Some(text) => {
                output::note(&told);
                Reply::file(text)
            }
            None => Reply::words(told),
        }
    }
}

fn count(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
