//! `quipu scan`: the codebase layer.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::ScanArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::progress::Bar;
use crate::reply::{DIM, Reply, styled};

/// So many files that were not read are named.
const MOST_NAMED: usize = 10;

pub(crate) fn run(arguments: &ScanArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    if arguments.forget {
        let count = workspace.forget_code()?;
        let text = format!("forgot {count} items of the codebase layer\n");
        let advice = "`quipu scan` reads the code again";
        return Ok(Reply::new(text, json!({ "forgotten": count })).advise(advice));
    }
    let dry_run = arguments.dry.dry_run;
    let bar = Bar::new(context, "reading code");
    let mut progress = |done: usize, total: usize| bar.set(done, total);
    let scan = workspace.scan_code(context.now(), dry_run, &mut progress)?;
    drop(bar);
    super::tell_recovered(&workspace);
    let verb = if dry_run { "would read" } else { "read" };
    let mut text = format!(
        "{verb} {} new or changed of {} files, {} symbols; {} are gone\n",
        scan.changed, scan.files, scan.symbols, scan.removed
    );
    let languages: Vec<String> =
        scan.languages.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let _ = writeln!(text, "{}", styled(DIM, languages.join(", ")));
    for (path, why) in scan.skipped.iter().take(MOST_NAMED) {
        let _ = writeln!(text, "  {path}: {why}");
    }
    if scan.skipped.len() > MOST_NAMED {
        let _ = writeln!(text, "  … and {} more", scan.skipped.len() - MOST_NAMED);
    }
    let mut data = json!(scan);
    data["dry_run"] = json!(dry_run);
    let advice = if scan.files == 0 {
        "no source files were found: Rust, Python, TypeScript, JavaScript, Go, Java, C and C++ are read"
    } else {
        "`quipu recall --layer codebase …` asks the code; `quipu show code:PATH` shows a file's outline"
    };
    Ok(Reply::new(text, data).advise(advice))
}
