//! Quality of recall, and speed as ratios against a named peer or limit in one run.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports, and fails loudly"
)]

mod baselines;
mod data;
mod ledger;
mod recall;
mod speed;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Quality of recall on questions with known answers, beside plain BM25 and hashed vectors
    Recall {
        /// A folder with `corpus.jsonl` and `questions.jsonl`, or an original `LoCoMo`, `LongMemEval`
        /// or BEAM file
        #[arg(long, required = true)]
        data: Vec<PathBuf>,
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
        /// Write each question with what was found into this file
        #[arg(long)]
        dump: Option<PathBuf>,
    },
    /// Lint, refresh and review, against Python and against reading the bytes
    Speed {
        /// A workspace to measure on
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// How often each command runs
        #[arg(long, default_value_t = 21)]
        runs: usize,
        /// Sessions of the generated ledger
        #[arg(long, default_value_t = 10_000)]
        sessions: usize,
        /// Facts of the generated ledger
        #[arg(long, default_value_t = 2_000)]
        facts: usize,
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
    },
}

fn main() {
    match Cli::parse().command {
        Command::Recall { data, json, dump } => {
            let figures: Vec<_> =
                data.iter().map(|path| recall::measure(path, dump.as_deref())).collect();
            if json {
                println!("{}", serde_json::to_string_pretty(&figures).unwrap());
            } else {
                figures.iter().for_each(recall::print);
            }
        }
        Command::Speed { corpus, runs, sessions, facts, json } => {
            let figures = speed::measure(corpus, runs, sessions, facts);
            if json {
                println!("{}", serde_json::to_string_pretty(&figures).unwrap());
            } else {
                speed::print(&figures);
            }
        }
    }
}
