//! Speed of Quipu, as ratios against a named peer or limit in one run.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports, and fails loudly"
)]

mod ledger;
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
    let Command::Speed { corpus, runs, sessions, facts, json } = Cli::parse().command;
    let figures = speed::measure(corpus, runs, sessions, facts);
    if json {
        println!("{}", serde_json::to_string_pretty(&figures).unwrap());
    } else {
        speed::print(&figures);
    }
}
