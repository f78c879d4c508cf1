//! Quality of recall, and speed as ratios against a named peer or limit in one run.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports, and fails loudly"
)]

mod bare;
mod baselines;
mod compress;
mod data;
mod dream;
mod drift;
mod embed;
mod growth;
mod hook;
mod journal;
mod languages;
mod ledger;
mod mcp;
mod memories;
mod plot;
mod purge;
mod recall;
mod scratch;
mod soak;
#[cfg(unix)]
mod spaces;
mod speed;
mod tokens;
mod web;
mod worlds;
mod year;

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
    /// Vectors of eight, four and two bits: fidelity, quality of recall, time and bytes
    Compress {
        /// A set as for `recall`
        #[arg(long, default_values = ["../shared/bench/locomo-dev", "../shared/bench/beam-dev"])]
        data: Vec<PathBuf>,
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
    },
    /// The built-in table: texts a second, first use, and what the beginning of a vector finds
    Embed {
        /// A set as for `recall`
        #[arg(long, default_values = ["../shared/bench/locomo-dev", "../shared/bench/beam-dev"])]
        data: Vec<PathBuf>,
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
    },
    /// The same facts in ten languages: by vectors alone, by words alone, and as shipped
    Languages {
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
    },
    /// How sure recall is, on worlds with questions that have an answer and questions that have none
    Worlds {
        /// A file of worlds; the development half where not given
        #[arg(long)]
        data: Option<PathBuf>,
        /// The questions about a project in the place of worlds: `dev` or `test`
        #[arg(long, value_parser = half, conflicts_with = "data")]
        project: Option<quipu_testkit::worlds::Half>,
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
        /// How many memories to remember and recall among
        #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000])]
        memories: Vec<usize>,
        /// Leave lint, refresh and review out
        #[arg(long)]
        only_memories: bool,
        /// Draw the times over the sizes into this SVG file
        #[arg(long)]
        plot: Option<PathBuf>,
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
    },
    /// The page in a browser: first paint beside a bare page, the delay of what others write, the size of lists
    Web {
        /// The size of the large memory; 0 leaves it out
        #[arg(long, default_value_t = 100_000)]
        memories: usize,
    },
    /// Many processes that remember and recall at once; none may fail, nothing may be lost
    Soak {
        /// How many processes
        #[arg(long, default_value_t = 16)]
        processes: usize,
        /// For how long
        #[arg(long, default_value_t = 120)]
        seconds: u64,
    },
    /// Processes that are killed at any moment; nothing that was acknowledged may be lost
    Kill {
        /// How often
        #[arg(long, default_value_t = 500)]
        times: usize,
        /// Kill purges so often instead; the next one must finish, and nothing may have the words
        #[arg(long, value_name = "N")]
        purge: Option<usize>,
        /// Kill purges at one system call after the other (needs strace), and not at random moments
        #[arg(long, requires = "purge")]
        at_calls: bool,
    },
    /// What briefings of generated journals hold of what they should, beside truncation
    Brief {
        /// Records in each journal
        #[arg(long, default_value_t = 20_000)]
        records: usize,
        /// How many journals
        #[arg(long, default_value_t = 10)]
        journals: usize,
    },
    /// Append, briefing and repeated recall, against bare bytes
    Journal {
        /// Records in the journal
        #[arg(long, default_value_t = 100_000)]
        records: usize,
        /// How often each command runs
        #[arg(long, default_value_t = 21)]
        runs: usize,
    },
    /// Many processes that append while the window is trimmed and compacted
    Stress {
        /// How many processes
        #[arg(long, default_value_t = 32)]
        processes: usize,
        /// How many records each appends
        #[arg(long, default_value_t = 1000)]
        records: usize,
    },
    /// Dreams over memories of several sizes, or dreams that are killed
    Dream {
        /// How many memories
        #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000])]
        memories: Vec<usize>,
        /// Kill dreams so many times instead, over the first size
        #[arg(long)]
        kill: Option<usize>,
        /// Draw the time for each memory over the sizes into this SVG file
        #[arg(long)]
        plot: Option<PathBuf>,
    },
    /// Fills a folder with generated memories, to try things on
    Fill {
        /// The folder
        folder: PathBuf,
        /// How many memories
        #[arg(long, default_value_t = 10_000)]
        memories: usize,
        /// Which ones
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Two machines that work and sync for a month, with purges and killed syncs: they must end with the same memory
    #[cfg(unix)]
    Machines {
        /// What draws each month
        #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 3, 4, 5])]
        seed: Vec<u64>,
        /// How many days each has
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=30))]
        days: u64,
    },
    /// Servers: start beside a peer, recall beside the engine, many clients at once, nonsense
    Mcp(mcp::Asked),
    /// What an agent pays for, beside peers that npm installs; and which answers survive when long memories are cut
    Tokens {
        /// A set as for `recall`; one that is not there is named and left out
        #[arg(long, default_values = ["../shared/bench/locomo-dev", "../shared/bench/beam-dev", "../shared/bench/beam-dev-2"])]
        data: Vec<PathBuf>,
        /// Leave the peers out
        #[arg(long)]
        only_quipu: bool,
    },
    /// What drift finds in repositories with a random past, against the truth
    Drift {
        /// Of what the past is made
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many commits
        #[arg(long, default_value_t = 400)]
        commits: usize,
        /// Print figures as JSON, with each wrong answer
        #[arg(long)]
        json: bool,
        /// A real workspace in a repository: prints what is found there, for people to judge
        #[arg(long)]
        folder: Option<PathBuf>,
    },
    /// A dream every night over everyday memories: whether anything untrue was written
    Nights {
        /// Which worlds
        #[arg(long, value_delimiter = ',', default_values_t = [1])]
        seed: Vec<u64>,
        /// How many memories
        #[arg(long, default_value_t = 2000)]
        memories: usize,
    },
    /// A year of sessions, questions and dreams: what is still active, and which answers are stale
    Year {
        /// Which years
        #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 3])]
        seed: Vec<u64>,
        /// How long each is
        #[arg(long, default_value_t = 1)]
        years: i64,
        /// A line of Quipu's configuration, such as `lifecycle.archiveAfterDays=90.0`
        #[arg(long)]
        set: Vec<String>,
        /// Leave out what it is compared with
        #[arg(long)]
        only_quipu: bool,
        /// Print figures as JSON, with every month
        #[arg(long)]
        json: bool,
    },
    /// Which memories a prompt brings along, how fast hooks are, and what many starts leave behind
    Hook {
        /// A set as for `recall`
        #[arg(long, default_values = ["../shared/bench/locomo-dev", "../shared/bench/beam-dev"])]
        data: Vec<PathBuf>,
        /// Among how many memories the time is taken
        #[arg(long, default_value_t = 10_000)]
        memories: usize,
        /// How often each event happens
        #[arg(long, default_value_t = 200)]
        runs: usize,
        /// How many sessions begin in a row
        #[arg(long, default_value_t = 1000)]
        starts: usize,
        /// Print figures as JSON
        #[arg(long)]
        json: bool,
    },
    /// Spaces on a `PostgreSQL` that is started for it: alike with folders, kills, load, a day of many spaces
    #[cfg(unix)]
    #[command(subcommand)]
    Spaces(spaces::Asked),
    /// How time grows with what a repository holds; fails where twice the input takes over 2.3 times as long
    Growth(growth::Asked),
    /// What the processes of `stress` do
    #[command(hide = true)]
    Append {
        /// The workspace
        folder: PathBuf,
        /// Who it is
        name: String,
        /// How many
        records: usize,
        /// The most records in the window; nothing for no limit
        #[arg(default_value = "")]
        limit: String,
    },
    /// Reads files: what a briefing is compared with
    #[command(hide = true)]
    Read {
        /// The workspace
        folder: PathBuf,
        /// The files
        paths: Vec<String>,
    },
    /// What the processes of `soak` and `kill` do
    #[command(hide = true)]
    Work {
        /// The workspace
        folder: PathBuf,
        /// Who it is
        name: String,
        /// For how long
        seconds: u64,
    },
    /// One query of `SQLite`'s FTS5, as a process of its own: what recall is compared with
    Bare {
        /// The folder with the database
        folder: PathBuf,
        /// The words
        query: String,
    },
}

/// Starts this program again with a state folder of its own, which is gone afterwards: benchmarks
/// leave nothing in the user's. Returns the exit code, or nothing where that was done already.
fn with_own_state() -> Option<std::process::ExitCode> {
    if std::env::var_os(quipu_engine::state::VARIABLE).is_some() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(std::env::args_os().skip(1))
        .env(quipu_engine::state::VARIABLE, folder.path())
        .status()
        .unwrap();
    Some(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1).into())
}

fn half(name: &str) -> Result<quipu_testkit::worlds::Half, String> {
    match name {
        "dev" => Ok(quipu_testkit::worlds::Half::Dev),
        "test" => Ok(quipu_testkit::worlds::Half::Test),
        _ => Err("dev or test".to_owned()),
    }
}

fn main() -> std::process::ExitCode {
    if let Some(code) = with_own_state() {
        return code;
    }
    run()
}

#[expect(clippy::too_many_lines, reason = "one arm for each benchmark")]
fn run() -> std::process::ExitCode {
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
        Command::Compress { data, json } => compress::report(&data, json),
        Command::Embed { data, json } => embed::report(&data, json),
        Command::Languages { json } => languages::report(json),
        Command::Worlds { data, project } => worlds::report(data.as_deref(), project),
        Command::Web { memories } => println!("{:#}", web::run(memories)),
        Command::Soak { processes, seconds } => {
            soak::report(&soak::together(processes, seconds));
        }
        Command::Kill { purge: Some(times), at_calls, .. } => {
            purge::report(&purge::killed(times, at_calls));
        }
        Command::Kill { times, .. } => soak::report(&soak::killed(times)),
        Command::Brief { records, journals } => {
            println!("{:#}", journal::quality(records, journals));
        }
        Command::Journal { records, runs } => println!("{:#}", journal::speed(records, runs)),
        Command::Stress { processes, records } => {
            let figures = journal::stress(processes, records);
            let is_whole = figures["twice"] == 0 && figures["torn"] == 0;
            soak::report(&figures);
            assert!(is_whole && figures["own_text_kept"] == true, "something is not whole");
        }
        Command::Dream { memories, kill: Some(times), .. } => {
            println!("{:#}", dream::killed(times, memories[0]));
        }
        Command::Dream { memories, kill: None, plot } => {
            let figures = dream::speed(&memories);
            if let (Some(path), Some(rows)) = (plot, figures["dreams"].as_array()) {
                std::fs::write(path, plot::svg(rows, plot::DREAMS)).unwrap();
            }
            println!("{figures:#}");
        }
        Command::Fill { folder, memories, seed } => dream::fill(&folder, memories, seed),
        #[cfg(unix)]
        Command::Machines { seed, days } => {
            let mut is_well = true;
            for seed in seed {
                let month = quipu_testkit::machines::Month { binary: &speed::binary(), seed, days };
                let lived = quipu_testkit::machines::live(month);
                is_well &= lived.wrong.is_empty();
                println!("{}", lived.figures());
            }
            assert!(is_well, "the machines do not end with the same memory");
        }
        Command::Mcp(asked) => println!("{:#}", mcp::run(&asked)),
        Command::Tokens { data, only_quipu } => {
            if !tokens::report(&data, !only_quipu) {
                return std::process::ExitCode::FAILURE;
            }
        }
        Command::Drift { folder: Some(folder), .. } => println!("{:#}", drift::look(&folder)),
        Command::Drift { seed, commits, json, folder: None } => {
            let figures = drift::measure(seed, commits);
            if json {
                println!("{}", serde_json::to_string_pretty(&figures).unwrap());
            } else {
                drift::report(&figures);
            }
            drift::require(&figures);
        }
        Command::Nights { seed, memories } => {
            for seed in seed {
                let dreamt = quipu_testkit::nights::live(memories, seed, true, 10);
                let awake = quipu_testkit::nights::live(memories, seed, false, 10);
                println!("seed {seed}, {memories} memories, with dreams: {dreamt:#?}");
                println!("without dreams, days told: {:?}", awake.days_told);
            }
        }
        Command::Year { seed, years, set, only_quipu, json } => {
            let config = set.join("\n");
            let measure = |seed: &u64| year::measure(*seed, years, &config, only_quipu);
            let figures: Vec<_> = seed.iter().map(measure).collect();
            if json {
                println!("{}", serde_json::to_string_pretty(&figures).unwrap());
            } else {
                year::print(&figures);
            }
        }
        Command::Hook { data, memories, runs, starts, json } => {
            hook::report(&data, (memories, runs), starts, json);
        }
        #[cfg(unix)]
        Command::Spaces(asked) => return spaces::run(&asked),
        Command::Growth(asked) => {
            if !growth::report(&asked) {
                return std::process::ExitCode::FAILURE;
            }
        }
        Command::Append { folder, name, records, limit } => {
            journal::append(&folder, &name, records, &limit);
        }
        Command::Read { folder, paths } => journal::read(&folder, &paths),
        Command::Work { folder, name, seconds } => soak::work(&folder, &name, seconds),
        Command::Bare { folder, query } => {
            bare::Bare::open(&folder).recall(&query).iter().for_each(|text| println!("{text}"));
        }
        Command::Speed { corpus, runs, sessions, facts, memories, only_memories, plot, json } => {
            let mut figures = if only_memories {
                serde_json::json!({})
            } else {
                speed::measure(corpus, runs, sessions, facts)
            };
            let measured = memories.iter().map(|count| memories::measure(*count, runs));
            let measured: Vec<serde_json::Value> = measured.collect();
            if let Some(path) = plot {
                std::fs::write(path, plot::svg(&measured, plot::MEMORIES)).unwrap();
            }
            figures["memories"] = measured.into();
            if json {
                println!("{}", serde_json::to_string_pretty(&figures).unwrap());
            } else {
                speed::print(&figures);
            }
        }
    }
    std::process::ExitCode::SUCCESS
}
