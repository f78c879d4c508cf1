//! What agents wait for: the start of a server, recalling and remembering through it; and servers under load and nonsense.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use quipu_engine::caller::Caller;
use quipu_engine::fs::RealFs;
use quipu_engine::operation::Request;
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{journal, open};
use serde_json::{Value, json};

use crate::dream::Dice;
use crate::speed::{binary, median, milliseconds, ratio};

/// Questions that are asked each way.
const QUESTIONS: usize = 200;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Asked {
    /// Memories in the folder
    #[arg(long, default_value_t = 10_000)]
    memories: usize,
    /// How often each server starts
    #[arg(long, default_value_t = 21)]
    runs: usize,
    /// The peer's script, run by node
    #[arg(long)]
    peer: Option<PathBuf>,
    /// So many clients at once over HTTP instead
    #[arg(long)]
    clients: Option<usize>,
    /// For how long
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// So many messages of nonsense over both transports instead
    #[arg(long, conflicts_with = "clients")]
    nonsense: Option<usize>,
    /// Of what the nonsense is made
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Measures what was asked for.
pub(crate) fn run(asked: &Asked) -> Value {
    match (asked.clients, asked.nonsense) {
        (Some(clients), _) => crowd(clients, asked.seconds),
        (_, Some(messages)) => nonsense(messages, asked.seed),
        _ => measure(asked.memories, asked.runs, asked.peer.as_deref()),
    }
}

/// A server at the other end of a pipe.
struct Server {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().unwrap());
        Self { child, to, from }
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.to.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.child.wait();
    }
}

fn quipu(folder: &Path) -> Command {
    let mut command = Command::new(binary());
    command.arg("-C").arg(folder).arg("mcp");
    command
}

/// Measures the start beside a peer, and recalling and remembering beside the engine's.
fn measure(memories: usize, runs: usize, peer: Option<&Path>) -> Value {
    let folder = tempfile::tempdir().unwrap();
    crate::dream::fill(folder.path(), memories, 7);
    let started = |command: &mut Command| {
        let begun = Instant::now();
        let mut server = Server::start(command);
        let answer = server.ask(HELLO);
        let took = begun.elapsed();
        assert!(answer.contains("serverInfo"), "{answer}");
        took
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        ours.push(started(&mut quipu(folder.path())));
        if let Some(peer) = peer {
            let mut command = Command::new("node");
            command.arg(peer).env("MEMORY_FILE_PATH", folder.path().join("peer.jsonl"));
            theirs.push(started(&mut command));
        }
    }
    let start = median(ours);
    let peer_start = (!theirs.is_empty()).then(|| median(theirs));
    let (engine, through) = recalls(folder.path());
    let (kept, kept_through) = remembers(folder.path(), memories);
    json!({
        "memories": memories,
        "start_ms": milliseconds(start),
        "peer_start_ms": peer_start.map(milliseconds),
        "peer_times_ours": peer_start.map(|peer| ratio(peer, start)),
        "recall_in_the_engine_ms": milliseconds(engine),
        "recall_through_mcp_ms": milliseconds(through),
        "mcp_times_engine": ratio(through, engine),
        "remember_in_the_engine_ms": milliseconds(kept),
        "remember_through_mcp_ms": milliseconds(kept_through),
        "remember_mcp_times_engine": ratio(kept_through, kept),
    })
}

/// The same questions to the engine and to a server, in turn, both warm.
fn recalls(folder: &Path) -> (Duration, Duration) {
    let workspace = open::discover(Arc::new(RealFs), folder).unwrap();
    let mut server = Server::start(&mut quipu(folder));
    server.ask(HELLO);
    let (mut engine, mut through) = (Vec::new(), Vec::new());
    for number in 0..QUESTIONS + 10 {
        let query = format!("what was said about project {number} and its release?");
        let question = Question { query: query.clone(), count: Some(10), ..Question::default() };
        let begun = Instant::now();
        let recalled = recall::recall(&workspace, &question, Timestamp::now()).unwrap();
        recall::note_answer(&workspace, &recalled, Timestamp::now());
        let took = begun.elapsed();
        let params = json!({ "name": "recall", "arguments": { "query": query } });
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let begun = Instant::now();
        let answer = server.ask(&line.to_string());
        let asked = begun.elapsed();
        assert!(!answer.contains("\"isError\":true"), "{answer}");
        // The first ones load the index.
        if number >= 10 {
            engine.push(took);
            through.push(asked);
        }
    }
    (median(engine), median(through))
}

/// The same things to remember for the engine and for a server, each warm and in a folder of its own: what
/// the other one remembered would be a repetition.
fn remembers(folder: &Path, memories: usize) -> (Duration, Duration) {
    let own = tempfile::tempdir().unwrap();
    crate::dream::fill(own.path(), memories, 7);
    let workspace = open::discover(Arc::new(RealFs), own.path()).unwrap();
    let mut server = Server::start(&mut quipu(folder));
    server.ask(HELLO);
    let (mut engine, mut through) = (Vec::new(), Vec::new());
    for number in 0..QUESTIONS + 10 {
        let text = format!("Ada moved project {number} to release {} on a Monday", number * 7);
        let now = Timestamp::now();
        let new = NewMemory { text: text.clone(), ..NewMemory::default() };
        let request = Request {
            operation: "remember",
            now,
            today: workspace.day(now),
            session: None,
            dry_run: false,
            caller: Caller::PERSON,
        };
        let begun = Instant::now();
        let done = remember::remember_one(&workspace, &new, &request).unwrap();
        let took = begun.elapsed();
        assert!(done.weighed.is_some(), "{done:?}");
        let params = json!({ "name": "remember", "arguments": { "text": text } });
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let begun = Instant::now();
        let answer = server.ask(&line.to_string());
        let asked = begun.elapsed();
        assert!(answer.contains("Remembered ["), "{answer}");
        // The first ones load the index.
        if number >= 10 {
            engine.push(took);
            through.push(asked);
        }
    }
    (median(engine), median(through))
}

/// A server over HTTP, as it was told to listen.
struct Listening {
    child: Child,
    address: String,
}

impl Listening {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(binary())
            .arg("-C")
            .arg(folder)
            .args(["--json", "serve", "--no-token", "--no-schedule", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Self { child, address: told["listening"].as_str().unwrap().to_owned() }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One call on a connection that stays; returns the body.
fn post(stream: &mut TcpStream, address: &str, body: &str) -> std::io::Result<String> {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes())?;
    let mut reader = BufReader::new(stream);
    let (mut length, mut status) = (0, String::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::Error::other("the server closed the connection"));
        }
        if status.is_empty() {
            status.clone_from(&line);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut answer = vec![0; length];
    reader.read_exact(&mut answer)?;
    if !status.contains(" 200 ") {
        return Err(std::io::Error::other(status));
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Many clients at once, each remembering and recalling on its own connection; none may fail.
fn crowd(clients: usize, seconds: u64) -> Value {
    let folder = tempfile::tempdir().unwrap();
    crate::dream::fill(folder.path(), 2000, 7);
    let server = Listening::start(folder.path());
    let (calls, kept) = (AtomicU64::new(0), AtomicU64::new(0));
    let end = Instant::now() + Duration::from_secs(seconds);
    let slowest = std::thread::scope(|scope| {
        let one = |client: usize| {
            let (server, calls, kept) = (&server, &calls, &kept);
            move || {
                let mut stream = TcpStream::connect(&server.address).unwrap();
                let mut slowest = Duration::ZERO;
                for turn in 0.. {
                    if Instant::now() >= end {
                        break;
                    }
                    let text = format!("Client {client} saw the number {turn}");
                    let (tool, arguments) = if turn % 4 == 0 {
                        ("remember", json!({ "text": text }))
                    } else {
                        (
                            "recall",
                            json!({ "query": format!("what did client {client} see {turn}") }),
                        )
                    };
                    let params = json!({ "name": tool, "arguments": arguments });
                    let call = json!({ "jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params });
                    let begun = Instant::now();
                    let answer = post(&mut stream, &server.address, &call.to_string()).unwrap();
                    slowest = slowest.max(begun.elapsed());
                    let answer: Value = serde_json::from_str(&answer).unwrap();
                    assert_ne!(answer["result"]["isError"], true, "{answer}");
                    assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
                    calls.fetch_add(1, Ordering::Relaxed);
                    kept.fetch_add(u64::from(tool == "remember"), Ordering::Relaxed);
                }
                slowest
            }
        };
        let threads: Vec<_> = (0..clients).map(|client| scope.spawn(one(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).max().unwrap()
    });
    drop(server);
    let workspace = open::discover(Arc::new(RealFs), folder.path()).unwrap();
    let listed =
        journal::records(&workspace, &quipu_engine::journal::RecordQuery::default()).unwrap();
    let found = listed.records.iter().filter(|one| one.record.text.starts_with("Client ")).count();
    assert_eq!(found as u64, kept.load(Ordering::Relaxed), "what was acknowledged is there");
    json!({
        "clients": clients,
        "seconds": seconds,
        "calls": calls.load(Ordering::Relaxed),
        "remembered": found,
        "slowest_ms": milliseconds(slowest),
        "errors": 0,
    })
}

const SEEDS: [&str; 8] = [
    HELLO,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"x","count":3}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fact","arguments":{"action":"add","text":"a fact","dry_run":true}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"session","arguments":{"action":"show","id":"../../x"}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"quipu://memory/x"}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"start","arguments":{"task":"t"}}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"quipu://memory/{id}"},"argument":{"name":"id","value":"a"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
];

/// A message with something wrong in it.
fn mutated(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = SEEDS[dice.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(5) {
            0 => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, u8::try_from(dice.below(256)).unwrap()),
            3 => {
                let end = (at + dice.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let other = SEEDS[dice.below(SEEDS.len())].as_bytes();
                let from = dice.below(other.len());
                bytes.splice(at..at, other[from..].iter().copied());
            }
        }
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

/// Sends nonsense over both transports; the servers must live, and answer what makes sense afterwards.
fn nonsense(messages: usize, seed: u64) -> Value {
    let folder = tempfile::tempdir().unwrap();
    crate::dream::fill(folder.path(), 200, 7);
    let mut dice = Dice::new(seed);
    let mut restarts = 0;
    let mut left = messages;
    while left > 0 {
        let mut server = Server::start(&mut quipu(folder.path()));
        // Half of the servers hear nonsense before anything else; such a client may be hung up on.
        let greeted = dice.below(2) == 0;
        if greeted {
            server.ask(HELLO);
        }
        let part = left.min(200);
        let mut input = Vec::new();
        for _ in 0..part {
            input.extend(mutated(&mut dice));
            input.push(b'\n');
        }
        left -= part;
        let last = r#"{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"status","arguments":{}}}"#;
        input.extend(format!("{last}\n").into_bytes());
        let mut to = server.to.take().unwrap();
        let writer = std::thread::spawn(move || {
            let _ = to.write_all(&input);
        });
        let mut said = Vec::new();
        server.from.read_to_end(&mut said).unwrap();
        writer.join().unwrap();
        let said = String::from_utf8_lossy(&said).into_owned();
        for line in said.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "not JSON: {line}");
        }
        if greeted {
            assert!(said.contains("\"id\":\"last\""), "the server did not answer at the end");
        }
        let ended = server.child.wait().unwrap();
        assert!(ended.code().is_some_and(|code| code != 70 && code != 101), "{ended}");
        restarts += 1;
    }
    let http = Listening::start(folder.path());
    for _ in 0..messages {
        let mut request = Vec::new();
        let body = mutated(&mut dice);
        let path = ["/mcp", "/rpc", "/memory-tool", "/metrics", "/%00", "/mcp/../x"][dice.below(6)];
        let verb = ["POST", "GET", "PUT", "DELETE", "OPTIONS", "\u{7}"][dice.below(6)];
        request.extend(
            format!("{verb} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", http.address)
                .into_bytes(),
        );
        request.extend(format!("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes());
        request.extend(body);
        if dice.below(3) == 0 {
            let at = dice.below(request.len());
            request[at] = u8::try_from(dice.below(256)).unwrap();
        }
        let mut stream = TcpStream::connect(&http.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 5"), "{}", String::from_utf8_lossy(&answer));
    }
    let mut stream = TcpStream::connect(&http.address).unwrap();
    let status = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{}}}"#;
    let alive = post(&mut stream, &http.address, status).unwrap();
    assert!(alive.contains("structuredContent"), "{alive}");
    json!({ "messages": messages, "seed": seed, "stdio_servers": restarts, "crashes": 0 })
}
