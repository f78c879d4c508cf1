//! Load: what a space costs beside a bare INSERT, and beside a folder, in one run.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use quipu_engine::recall::{self, Question};
use quipu_engine::space::{self, Database};
use quipu_engine::{Workspace, open};
use serde_json::{Value, json};

use super::{Cluster, DURABLE, proxy, remember};

/// So many clients write to many spaces, and so many to one.
const CLIENTS: u64 = 64;
const CLIENTS_OF_ONE: u64 = 32;

/// So many memories are recalled among.
const MEMORIES: usize = 2000;

/// Runs `work` on so many threads for a time, which counts by itself. Returns how often a second.
fn together(clients: u64, seconds: u64, work: impl Fn(u64, &dyn Fn() -> bool) + Sync) -> f64 {
    let done = AtomicU64::new(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for client in 0..clients {
            let (work, done) = (&work, &done);
            // Counts what was done, and tells whether to go on.
            let goes_on = move || {
                done.fetch_add(1, Ordering::Relaxed);
                Instant::now() < end
            };
            scope.spawn(move || work(client, &goes_on));
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "nobody counts so far")]
    let rate = (done.load(Ordering::Relaxed).saturating_sub(clients)) as f64;
    rate / started.elapsed().as_secs_f64()
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Measures everything.
pub(super) fn run(seconds: u64, spaces: usize) -> Value {
    let cluster = Cluster::start(DURABLE);
    let url = cluster.url();
    let database = cluster.database();
    for number in 0..spaces {
        database.add_space(&format!("s{number}"), 1 << 30, 0).unwrap();
    }
    database.add_space("hot", 1 << 30, 0).unwrap();
    let mut owner = Client::connect(&url, NoTls).unwrap();
    owner.batch_execute("CREATE TABLE bare (space bigint, id text, bytes bytea)").unwrap();
    let bare = together(CLIENTS, seconds, |client, goes_on| {
        let mut connection = Client::connect(&url, NoTls).unwrap();
        let insert = connection.prepare("INSERT INTO bare VALUES ($1, $2, $3)").unwrap();
        let number = i64::try_from(client).unwrap();
        while goes_on() {
            let bytes = [b'x'; 200].as_slice();
            connection.execute(&insert, &[&number, &"ten-letters", &bytes]).unwrap();
        }
    });
    let errors = AtomicU64::new(0);
    let write = |on: &Workspace, number: u64| {
        let text = format!("number {number}: the kettle whistles in the kitchen");
        if remember(on, text).is_err() {
            errors.fetch_add(1, Ordering::Relaxed);
        }
    };
    let many = together(CLIENTS, seconds, |client, goes_on| {
        let mut open: HashMap<u64, Workspace> = HashMap::new();
        let mut number = client;
        while goes_on() {
            number += CLIENTS;
            let space = number % u64::try_from(spaces).unwrap();
            let on = open.entry(space).or_insert_with(|| {
                space::open_space(&database, &format!("s{space}"), &[]).unwrap()
            });
            write(on, number);
        }
    });
    let hot = together(CLIENTS_OF_ONE, seconds, |client, goes_on| {
        let on = space::open_space(&database, "hot", &[]).unwrap();
        let mut number = client;
        while goes_on() {
            number += CLIENTS_OF_ONE;
            write(&on, number);
        }
    });
    json!({
        "bare_inserts_a_second": bare.round(),
        "remembers_a_second_over_many_spaces": many.round(),
        "beside_bare": rounded(many / bare),
        "remembers_a_second_in_one_space": hot.round(),
        "errors": errors,
        "recall": recalled(&cluster, seconds),
    })
}

/// A warm recall in a folder and in a space, and how often the space waits for the database.
fn recalled(cluster: &Cluster, seconds: u64) -> Value {
    let folder = tempfile::tempdir().unwrap();
    crate::dream::fill(folder.path(), MEMORIES, 7);
    let fs = std::sync::Arc::new(quipu_engine::fs::RealFs);
    let on = open::at(fs, folder.path()).unwrap();
    let database = cluster.database();
    database.add_space("recalled", 1 << 30, 0).unwrap();
    let of = space::open_space(&database, "recalled", &[]).unwrap();
    space::import(&on, &of).unwrap();
    drop((of, database));
    let socket = tempfile::Builder::new().prefix("qpx").tempdir().unwrap();
    let trips = proxy::between(socket.path(), cluster.server.folder());
    let through = |path: &Path| format!("host={} user=postgres dbname=postgres", path.display());
    let direct = Database::at(&cluster.url()).unwrap();
    let counted = Database::at(&through(socket.path())).unwrap();
    let in_space = space::open_space(&direct, "recalled", &[]).unwrap();
    let looked_at = space::open_space(&counted, "recalled", &[]).unwrap();
    let mut client = Client::connect(&cluster.url(), NoTls).unwrap();
    let select = client.prepare("SELECT 1").unwrap();
    let mut times: [Vec<Duration>; 3] = Default::default();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut most_trips = 0;
    for number in 0.. {
        let ask = |on: &Workspace| {
            // A new question each time: the same one would be answered from before.
            let query = format!("who said what about the kitchen in week {number}");
            let question = Question { query, ..Question::default() };
            let begun = Instant::now();
            on.as_one("recall", "bench", || recall::recall(on, &question, jiff::Timestamp::now()))
                .unwrap();
            begun.elapsed()
        };
        times[0].push(ask(&on));
        times[1].push(ask(&in_space));
        let begun = Instant::now();
        client.query(&select, &[]).unwrap();
        times[2].push(begun.elapsed());
        let before = trips.load(Ordering::Relaxed);
        ask(&looked_at);
        let took = trips.load(Ordering::Relaxed) - before;
        // The first ones read the index and prepare statements.
        if number > 10 {
            most_trips = took.max(most_trips);
        }
        if Instant::now() >= end && number > 20 {
            break;
        }
    }
    let [folder, space, trip] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1000.0
    });
    json!({
        "memories": MEMORIES, "folder_ms": rounded(folder), "space_ms": rounded(space),
        "round_trip_ms": rounded(trip), "round_trips": most_trips,
        "goal_ms": rounded(2.0f64.mul_add(trip, folder) * 1.1),
    })
}
