//! `quipu repair`.

use std::fmt::Write as _;

use quipu_core::text;
use quipu_engine::operations::{Repair, Repaired};

use crate::context::Context;
use crate::reply::{BOLD, Reply, styled};
use crate::spoken::Spoken;

/// So many of a kind are listed.
const LISTED: usize = 10;

/// A memory is shown with at most this many characters.
const LONGEST: usize = 80;

impl Spoken for Repair {
    fn say(&self, output: &Repaired, _: &Context) -> Reply {
        let (archived, aged) = (&output.found.archived, &output.found.aged);
        if archived.is_empty() && aged.is_empty() {
            return Reply::words("nothing to repair\n".to_owned());
        }
        let mut text = String::new();
        let heading =
            format!("{} memories were archived before 90 days without use", archived.len());
        let lines = archived.iter().map(|one| (format!("{} days", one.days), &one.id, &one.text));
        list(&mut text, &heading, lines.collect());
        let heading = format!("{} facts faded because empty session logs counted", aged.len());
        let lines = aged.iter().map(|one| {
            (format!("{} of {} sessions empty", one.empty, one.unused), &one.id, &one.text)
        });
        list(&mut text, &heading, lines.collect());
        if output.applied {
            text.push_str("all of them are active again\n");
            return Reply::words(text).advise("`quipu undo` takes it back".to_owned());
        }
        Reply::words(text).advise("`quipu repair --apply` brings them back".to_owned())
    }
}

fn list(text: &mut String, heading: &str, lines: Vec<(String, &String, &String)>) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "{}", styled(BOLD, heading));
    let more = lines.len().saturating_sub(LISTED);
    for (why, id, words) in lines.into_iter().take(LISTED) {
        let words = text::ellipsis(&text::collapse_whitespace(words), LONGEST);
        let _ = writeln!(text, "  {id}  {words} ({why})");
    }
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
}
