//! `quipu compress`.

use std::fmt::Write as _;

use quipu_engine::compress::CompressReport;
use serde_json::json;

use crate::cli::CompressArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::progress::Bar;
use crate::reply::{Reply, YELLOW, styled};

pub(crate) fn run(arguments: &CompressArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let bar = Bar::new(context, "compressing");
    let mut progress = |done: usize, total: usize| bar.set(done, total);
    let done = workspace.compress(context.now(), arguments.dry.dry_run, &mut progress)?;
    drop(bar);
    super::tell_recovered(&workspace);
    let advice = if done.dry_run {
        "`quipu compress` does it; words are never touched, and a memory that is used again gets its vector back"
    } else {
        ""
    };
    Ok(Reply::new(words(&done), json!(done)).advise(advice))
}

fn words(done: &CompressReport) -> String {
    let mut text = String::new();
    let [eight, four, two] = done.wanted;
    if done.dry_run {
        let _ =
            writeln!(text, "by retention {eight} memories keep 8 bits, {four} get 4, {two} get 2");
        let now = done.vectors.precision;
        let _ = writeln!(text, "now {} have 8, {} have 4, {} have 2", now.eight, now.four, now.two);
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
