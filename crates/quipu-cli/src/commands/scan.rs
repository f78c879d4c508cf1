//! `quipu scan`: the codebase layer.

use std::fmt::Write as _;

use quipu_engine::codebase::CodeScan;
use quipu_engine::operations::{Scan, Scanned};

use crate::context::Context;
use crate::reply::{DIM, Reply, styled};
use crate::spoken::Spoken;

/// So many files that were not read are named.
const MOST_NAMED: usize = 10;

impl Spoken for Scan {
    fn say(&self, output: &Scanned, _: &Context) -> Reply {
        match output {
            Scanned::Forgotten { forgotten, dry_run } => {
                let verb = if *dry_run { "would forget" } else { "forgot" };
                let text = format!("{verb} {forgotten} items of the codebase layer\n");
                Reply::words(text).advise("`quipu scan` reads the code again")
            }
            Scanned::Read { scan, dry_run } => read(scan, *dry_run),
        }
    }
}

fn read(scan: &CodeScan, dry_run: bool) -> Reply {
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
    let advice = if scan.files == 0 {
        "no source files were found: Rust, Python, TypeScript, JavaScript, Go, Java, C and C++ are read"
    } else {
        "`quipu recall --layer codebase …` asks the code; `quipu show code:PATH` shows a file's outline"
    };
    Reply::words(text).advise(advice)
}
