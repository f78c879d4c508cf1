//! Servers and the database are killed while clients write. This process keeps the ids that were acknowledged.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quipu_engine::space::{self, Database, SpaceToken};
use quipu_engine::{replay, tokens};
use serde_json::{Value, json};

use super::{CARELESS, Cluster, DURABLE, KillArgs};
use crate::speed::binary;

/// So many spaces are written to.
const SPACES: usize = 3;

/// So many clients write to each.
const CLIENTS: usize = 2;

/// So many servers run at once.
const SERVERS: usize = 2;

struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(url: &str) -> Self {
        let mut child = Command::new(binary())
            .args(["--json", "serve", "--listen", "127.0.0.1:0", "--no-schedule"])
            .args(["--set", "serve.requestsPerSecond=0", "--database", url])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_default();
        Self { child, address: told["listening"].as_str().unwrap_or_default().to_owned() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends one text; returns the id that was acknowledged.
fn post(address: &str, token: &str, text: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_mins(1))).ok()?;
    let body = json!({ "text": text }).to_string();
    write!(
        stream,
        "POST /api/v1/memories HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if !head.starts_with("HTTP/1.1 201") {
        return None;
    }
    let body: Value = serde_json::from_str(body).ok()?;
    Some(body["id"].as_str()?.to_owned())
}

/// What was acknowledged: the space, the id, and the mark in the text.
type Acknowledged = Mutex<Vec<(usize, String, String)>>;

/// Kills so often what `asked` says. Returns figures, and whether all is well.
pub(super) fn run(asked: &KillArgs) -> (Value, bool) {
    let cluster = Cluster::start(if asked.careless { CARELESS } else { DURABLE });
    let database = cluster.database();
    let mut keys = Vec::new();
    for number in 0..SPACES {
        let name = format!("s{number}");
        database.add_space(&name, 1 << 30, 0).unwrap();
        let token = tokens::new_token().unwrap();
        let who = SpaceToken {
            space: name,
            name: "bench".to_owned(),
            permission: "write".to_owned(),
            channel: "main".to_owned(),
        };
        database.add_token(&token, &who, 0).unwrap();
        keys.push(token);
    }
    let url = cluster.url();
    let servers: Vec<Mutex<Running>> =
        (0..SERVERS).map(|_| Mutex::new(Running::start(&url))).collect();
    let addresses: Vec<Mutex<String>> =
        servers.iter().map(|it| Mutex::new(it.lock().unwrap().address.clone())).collect();
    let acknowledged: Arc<Acknowledged> = Arc::default();
    let (asked_for, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for client in 0..SPACES * CLIENTS {
            let (addresses, keys) = (&addresses, &keys);
            let (acknowledged, asked_for, is_over) = (&acknowledged, &asked_for, &is_over);
            scope.spawn(move || {
                let space = client % SPACES;
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let address = addresses[number % SERVERS].lock().unwrap().clone();
                    let mark = format!("mark-{client}-{number}-end");
                    asked_for.fetch_add(1, Ordering::Relaxed);
                    let text = format!("{mark}: the kettle whistles in the kitchen");
                    match post(&address, &keys[space], &text) {
                        Some(id) => acknowledged.lock().unwrap().push((space, id, mark)),
                        None => std::thread::sleep(Duration::from_millis(5)),
                    }
                }
            });
        }
        let heard = || acknowledged.lock().unwrap().len();
        let wait = |more: usize| {
            let goal = heard() + more;
            let begun = Instant::now();
            while heard() < goal {
                assert!(begun.elapsed() < Duration::from_mins(2), "nothing is written any more");
                std::thread::sleep(Duration::from_millis(2));
            }
        };
        for number in 0..asked.servers {
            // At some place within a write: the delays walk through it.
            wait(1 + number % 3);
            std::thread::sleep(Duration::from_micros(((number * 377) % 20_000) as u64));
            let which = number % SERVERS;
            let mut running = servers[which].lock().unwrap();
            running.child.kill().unwrap();
            running.child.wait().unwrap();
            *running = Running::start(&url);
            addresses[which].lock().unwrap().clone_from(&running.address);
        }
        for number in 0..asked.database {
            wait(5);
            std::thread::sleep(Duration::from_micros(((number * 7919) % 50_000) as u64));
            cluster.server.kill_and_start().unwrap();
        }
        wait(5);
        is_over.store(true, Ordering::Relaxed);
    });
    drop(servers);
    let acknowledged = acknowledged.lock().unwrap();
    let found = look(&Database::at(&url).unwrap());
    let (mut lost, mut doubled) = (0, 0);
    for (space, id, mark) in acknowledged.iter() {
        let count = found[*space].0.get(mark).copied().unwrap_or_default();
        let has_id = found[*space].1.contains(&format!("id: {id}"));
        lost += usize::from(count == 0 || !has_id);
    }
    for (marks, _) in &found {
        doubled += marks.values().filter(|count| **count > 1).count();
    }
    let written: usize = found.iter().map(|it| it.0.len()).sum();
    let is_same = sound(&Database::at(&url).unwrap());
    let figures = json!({
        "servers_killed": asked.servers, "database_killed": asked.database, "asked": asked_for,
        "acknowledged": acknowledged.len(), "lost": lost, "doubled": doubled,
        "written_without_an_answer": written.saturating_sub(acknowledged.len()),
        "index_is_as_the_files_say": is_same, "seconds": started.elapsed().as_secs(),
    });
    (figures, lost == 0 && doubled == 0 && is_same)
}

/// Returns how often each mark is in the files of each space, and their text.
fn look(database: &Database) -> Vec<(BTreeMap<String, usize>, String)> {
    let of = |number: usize| {
        let space = space::open_space(database, &format!("s{number}"), &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("out");
        space::export(&space, &folder).unwrap();
        let text = days(&folder.join("memory"));
        let mut marks = BTreeMap::new();
        for (at, _) in text.match_indices("mark-") {
            let end = text[at..].find("-end").map_or(text.len(), |end| at + end + 4);
            *marks.entry(text[at..end].to_owned()).or_default() += 1;
        }
        (marks, text)
    };
    (0..SPACES).map(of).collect()
}

/// Returns what the day's files say.
fn days(folder: &Path) -> String {
    let mut text = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("20") && path.is_file() {
            text += &std::fs::read_to_string(&path).unwrap();
        }
    }
    text
}

/// Tells whether every index is what the files say.
fn sound(database: &Database) -> bool {
    (0..SPACES).all(|number| {
        let space = space::open_space(database, &format!("s{number}"), &[]).unwrap();
        let replayed =
            space.as_one("replay", "bench", || replay::replay(&space, true, &mut |_, _| {}));
        replayed.is_ok_and(|replayed| replayed.equal)
    })
}
