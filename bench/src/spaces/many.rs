//! A day of many spaces in a short time: most sleep, few are busy, all rest in one database.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use quipu_engine::recall::{self, Question};
use quipu_engine::space::{self, Database};
use quipu_engine::{Error, Workspace};
use serde_json::{Value, json};

use super::{Cluster, DURABLE, remember};

/// So many servers share the database, each with so many clients.
const SERVERS: u64 = 2;
const CLIENTS: u64 = 8;

/// Of so many calls one writes.
const ONE_WRITES: u64 = 5;

/// A server keeps so many spaces open.
const MOST_OPEN: usize = 32;

/// How long calls took, and how many failed.
#[derive(Default)]
struct Seen {
    first: Mutex<Vec<Duration>>,
    recalls: Mutex<Vec<Duration>>,
    writes: Mutex<Vec<Duration>>,
    errors: AtomicU64,
    /// A read at one server right after an acknowledgement at the other.
    crossed: AtomicU64,
    stale: AtomicU64,
}

fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Draws a space: the first ones far more often than the last (Zipf's law, nearly).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank that is a little off is as good"
)]
fn drawn(number: u64, spaces: u64) -> u64 {
    let part = mixed(number) as f64 / u64::MAX as f64;
    ((spaces as f64).powf(part) as u64 - 1).min(spaces - 1)
}

/// Plays the day. Returns figures, and whether nothing failed.
pub(super) fn run(spaces: u64, seconds: u64) -> (Value, bool) {
    let cluster = Cluster::start(DURABLE);
    let mut owner = Client::connect(&cluster.url(), NoTls).unwrap();
    let begun = Instant::now();
    // As `quipu space add --empty` makes them, all at once.
    owner
        .execute(
            "INSERT INTO space (space, name, created, head, files, most_bytes) \
             SELECT n + 1, 's' || n, 0, decode(md5(n::text), 'hex'), decode(md5('f' || n), 'hex'), \
             1 << 30 FROM generate_series(0, $1::bigint - 1) AS n",
            &[&i64::try_from(spaces).unwrap()],
        )
        .unwrap();
    let made = begun.elapsed();
    let size = |owner: &mut Client| -> i64 {
        let sql = "SELECT pg_database_size(current_database())";
        owner.query_one(sql, &[]).unwrap().get(0)
    };
    let before = size(&mut owner);
    let servers: Vec<Database> = (0..SERVERS).map(|_| cluster.database()).collect();
    let (seen, is_over) = (Seen::default(), AtomicBool::new(false));
    let written = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for client in 0..SERVERS * CLIENTS {
            let (seen, is_over, written, servers) = (&seen, &is_over, &written, &servers);
            scope.spawn(move || {
                let own = usize::try_from(client % SERVERS).unwrap();
                let mut open = HashMap::new();
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let number = client + number * SERVERS * CLIENTS;
                    let done = call(servers, own, &mut open, (number, spaces), seen);
                    match done {
                        Ok(true) => _ = written.fetch_add(1, Ordering::Relaxed),
                        Ok(false) => {}
                        Err(_) => _ = seen.errors.fetch_add(1, Ordering::Relaxed),
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_secs(seconds));
        is_over.store(true, Ordering::Relaxed);
    });
    let after = size(&mut owner);
    let sql = "SELECT count(DISTINCT space), count(*) FROM item";
    let row = owner.query_one(sql, &[]).unwrap();
    let (awake, items): (i64, i64) = (row.get(0), row.get(1));
    let errors = seen.errors.load(Ordering::Relaxed);
    let stale = seen.stale.load(Ordering::Relaxed);
    let figures = json!({
        "spaces": spaces, "made_in_seconds": made.as_secs_f64(), "seconds": seconds,
        "bytes_of_an_empty_space": before / i64::try_from(spaces).unwrap(),
        "spaces_that_woke_up": awake, "memories": items,
        "bytes_a_memory": (after - before) / items.max(1),
        "first_call_ms": spread(&seen.first), "recall_ms": spread(&seen.recalls),
        "remember_ms": spread(&seen.writes), "errors": errors,
        "read_at_the_other_server": seen.crossed, "of_these_stale": stale,
        "resident_mb": resident(),
    });
    (figures, errors == 0 && stale == 0)
}

/// One call of one client. Tells whether it wrote.
fn call(
    servers: &[Database],
    own: usize,
    open: &mut HashMap<(usize, u64), Workspace>,
    (number, spaces): (u64, u64),
    seen: &Seen,
) -> Result<bool, Error> {
    let space = drawn(number, spaces);
    let begun = Instant::now();
    let is_new = !open.contains_key(&(own, space));
    if open.len() > MOST_OPEN {
        open.clear();
    }
    let name = format!("s{space}");
    if is_new {
        open.insert((own, space), space::open_space(&servers[own], &name, &[])?);
    }
    let on = &open[&(own, space)];
    let note = |to: &Mutex<Vec<Duration>>| {
        (if is_new { &seen.first } else { to }).lock().unwrap().push(begun.elapsed());
    };
    if !mixed(number + 1).is_multiple_of(ONE_WRITES) {
        let question =
            Question { query: format!("the kettle of week {number}"), ..Question::default() };
        on.as_one("recall", "bench", || recall::recall(on, &question, jiff::Timestamp::now()))?;
        note(&seen.recalls);
        return Ok(false);
    }
    let id = remember(on, format!("in week {number} the kettle whistles in kitchen {space}"))?;
    note(&seen.writes);
    if number.is_multiple_of(3) {
        let other = space::open_space(&servers[1 - own], &name, &[])?;
        let found = other.as_one("show", "bench", || {
            Ok(quipu_engine::replay::index_ids(&other)?.contains(&id))
        })?;
        seen.crossed.fetch_add(1, Ordering::Relaxed);
        seen.stale.fetch_add(u64::from(!found), Ordering::Relaxed);
    }
    Ok(true)
}

/// The median, the 95th and the 99th of a hundred, in milliseconds.
fn spread(times: &Mutex<Vec<Duration>>) -> Value {
    let mut times = times.lock().unwrap();
    times.sort_unstable();
    let at = |part: usize| {
        let time = times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
        time.map_or(0.0, |time| (time.as_secs_f64() * 10_000.0).round() / 10.0)
    };
    json!({ "calls": times.len(), "p50": at(50), "p95": at(95), "p99": at(99) })
}

/// How much memory this process has.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}
