//! Spaces on a real `PostgreSQL`, started for the occasion: alike with folders, kills, load, many.

mod kill;
mod load;
mod many;
mod proxy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use quipu_engine::caller::Caller;
use quipu_engine::operation::Request;
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::space::{self, Database};
use quipu_engine::{Error, Workspace};
use quipu_testkit::alike;
use quipu_testkit::postgres::Server;
use serde_json::{Value, json};

/// What to do to spaces.
#[derive(Subcommand)]
pub(crate) enum Asked {
    /// Random operations of the registry on a folder and on a space, which must answer alike
    Alike {
        /// How many histories
        #[arg(long, default_value_t = 20)]
        histories: u64,
        /// How many operations each
        #[arg(long, default_value_t = 120)]
        steps: usize,
        /// The first seed (default: a new one, printed)
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Kill servers, and the database, while clients write: nothing acknowledged may be lost or doubled
    Kill(KillArgs),
    /// Writes and recalls beside a bare INSERT and beside a folder, in one run
    Load {
        /// For how long each part
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// Over how many spaces clients write
        #[arg(long, default_value_t = 1000)]
        spaces: usize,
    },
    /// A day of many spaces in a short time
    Many {
        /// How many spaces
        #[arg(long, default_value_t = 100_000)]
        spaces: u64,
        /// For how long
        #[arg(long, default_value_t = 120)]
        seconds: u64,
    },
}

/// How often to kill what.
#[derive(Args)]
pub(crate) struct KillArgs {
    /// Kill a server so often
    #[arg(long, default_value_t = 100)]
    servers: usize,
    /// Kill the database so often
    #[arg(long, default_value_t = 10)]
    database: usize,
    /// The database does not wait for its own log: this must fail
    #[arg(long)]
    careless: bool,
}

/// A database that keeps what it acknowledges.
const DURABLE: &str = "fsync = on\nfull_page_writes = on\nsynchronous_commit = on\n\
                       max_connections = 200\nshared_buffers = 512MB\nmax_wal_size = 2GB\n";

/// One that does not, for as long as a second.
const CARELESS: &str = "fsync = on\nfull_page_writes = on\nsynchronous_commit = off\n\
                        wal_writer_delay = 1000ms\nmax_connections = 200\nshared_buffers = 128MB\n";

/// A `PostgreSQL` of one's own, with a migrated database; gone when it is dropped.
pub(crate) struct Cluster {
    pub(crate) server: Server,
    _folder: tempfile::TempDir,
}

impl Cluster {
    fn start(settings: &'static str) -> Self {
        let folder = tempfile::Builder::new().prefix("qpg").tempdir().unwrap();
        let server = Server::own(folder.path().to_owned(), settings);
        let cluster = Self { server, _folder: folder };
        cluster.database().migrate().unwrap();
        cluster
    }

    pub(crate) fn url(&self) -> String {
        self.server.url("postgres")
    }

    pub(crate) fn database(&self) -> Database {
        Database::at(&self.url()).unwrap()
    }
}

/// Carries out what was asked; fails where something is not as it should be.
pub(crate) fn run(asked: &Asked) -> ExitCode {
    let (figures, is_fine) = match asked {
        Asked::Alike { histories, steps, seed } => alike(*histories, *steps, *seed),
        Asked::Kill(asked) => kill::run(asked),
        Asked::Load { seconds, spaces } => (load::run(*seconds, *spaces), true),
        Asked::Many { spaces, seconds } => many::run(*spaces, *seconds),
    };
    println!("{figures:#}");
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Remembers something in a space, as a server does.
pub(crate) fn remember(space: &Workspace, text: String) -> Result<String, Error> {
    let now = Timestamp::now();
    let request = Request {
        caller: Caller::PERSON,
        operation: "remember",
        now,
        today: now.to_zoned(jiff::tz::TimeZone::UTC).date(),
        session: None,
        dry_run: false,
    };
    let new = NewMemory { text, ..NewMemory::default() };
    space.as_one("remember", "bench", || {
        Ok(remember::remember(space, std::slice::from_ref(&new), &request)?.ids.remove(0))
    })
}

/// Returns a seed that nobody chose.
fn new_seed() -> u64 {
    u64::try_from(Timestamp::now().as_nanosecond() & 0xffff_ffff).unwrap_or(1)
}

fn alike(histories: u64, steps: usize, seed: Option<u64>) -> (Value, bool) {
    let cluster = Cluster::start(CARELESS);
    let database = cluster.database();
    let first = seed.unwrap_or_else(new_seed);
    println!("again: spaces alike --histories {histories} --steps {steps} --seed {first}");
    let (mut operations, mut refused, mut differences) = (0, 0, Vec::new());
    let mut kinds = std::collections::BTreeSet::new();
    for seed in first..first + histories {
        let folder: PathBuf = tempfile::tempdir().unwrap().keep();
        let made = std::process::Command::new(crate::speed::binary())
            .args(["init", "--yes", "-C"])
            .arg(&folder)
            .output()
            .unwrap();
        assert!(made.status.success());
        let fs = std::sync::Arc::new(quipu_engine::fs::RealFs);
        let workspace = quipu_engine::open::at(fs, &folder).unwrap();
        let name = format!("s{seed}");
        database.add_space(&name, 1 << 30, 0).unwrap();
        let of = space::open_space(&database, &name, &[]).unwrap();
        space::import(&workspace, &of).unwrap();
        let played = alike::play(&workspace, &of, seed, steps);
        for (name, (done, not)) in played.done {
            operations += done;
            refused += not;
            kinds.insert(name);
        }
        let told = played.differences.into_iter().map(|it| format!("seed {seed}: {it:?}"));
        differences.extend(told);
        let back = folder.join("back");
        space::export(&of, &back).unwrap();
        let diff = std::process::Command::new("diff")
            .arg("-r")
            .args([folder.join("memory"), back.join("memory")])
            .output()
            .unwrap();
        if !diff.status.success() {
            let told = String::from_utf8_lossy(&diff.stdout).into_owned();
            differences.push(format!("seed {seed}: files differ: {told}"));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        database.remove_space(&name).unwrap();
    }
    let is_fine = differences.is_empty();
    let figures = json!({
        "histories": histories, "first_seed": first, "operations": operations, "refused_alike": refused,
        "kinds": kinds.len(), "differences": differences,
    });
    (figures, is_fine)
}
