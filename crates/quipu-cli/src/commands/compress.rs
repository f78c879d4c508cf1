//! `quipu compress`.

use std::fmt::Write as _;

use quipu_engine::compress::CompressReport;
use quipu_engine::operations::Compress;

use crate::context::Context;
use crate::reply::{Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Compress {
    fn say(&self, done: &CompressReport, _: &Context) -> Reply {
        let advice = if done.dry_run {
            "`quipu compress` does it; words are never touched, and a memory that is used again gets its vector back"
        } else {
            ""
        };
        Reply::words(words(done)).advise(advice)
    }
}

fn words(done: &CompressReport) -> String {
    let mut text = String::new();
    let [eight, four, two] = done.wanted;
    if done.dry_run {
        let _ =
            writeln!(text, "by retention {eight} memories keep 8 bits, {four} get 4, {two} get 2");
        let now = done.vectors.precision;
        let _ = writeln!(text, "now {} have 8, {} have 4, {} have 2", now.eight, now.four, now.two);
        let (narrowed, widened) = (done.vectors.narrowed, done.vectors.widened);
        let _ = writeln!(text, "{narrowed} vectors would be narrowed, {widened} made anew");
        return text;
    }
    let vectors = &done.vectors;
    if vectors.has_changed() {
        let _ =
            writeln!(text, "{} vectors narrowed, {} made anew", vectors.narrowed, vectors.widened);
    } else {
        text.push_str("every vector has the width that its memory asks for\n");
    }
    let now = vectors.precision;
    let _ = writeln!(text, "{} have 8 bits, {} have 4, {} have 2", now.eight, now.four, now.two);
    let _ = writeln!(
        text,
        "vectors: {} KiB, were {} KiB; database: {} KiB, was {} KiB",
        vectors.bytes_after / 1024,
        vectors.bytes_before / 1024,
        done.file_after / 1024,
        done.file_before / 1024
    );
    if vectors.missing > 0 {
        let _ = writeln!(
            text,
            "{} {} stay narrow until the model answers: run it again then",
            styled(YELLOW, "note:"),
            vectors.missing
        );
    }
    text
}
