//! `GET /events`: what others write is heard, and nothing is missed by whoever comes back.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::rest::{api, post};
use crate::serve::Server;
use crate::{initialised, json as cli, run};

/// One that listens.
struct Listener {
    stream: BufReader<TcpStream>,
    /// The position after what was heard last.
    position: String,
}

impl Listener {
    fn begin(server: &Server, headers: &[&str]) -> Self {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut head = format!("GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n", server.address);
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        write!(stream, "{head}\r\n").unwrap();
        let mut listener = Self { stream: BufReader::new(stream), position: String::new() };
        let mut status = String::new();
        listener.stream.read_line(&mut status).unwrap();
        assert!(status.contains(" 200 "), "{status}");
        let (name, _) = listener.event();
        assert_eq!(name, "ready");
        listener
    }

    /// Waits for the next event; returns its name and its data.
    fn event(&mut self) -> (String, Value) {
        let (mut name, mut data) = ("message".to_owned(), None);
        loop {
            let mut line = String::new();
            assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the stream ended");
            let line = line.trim_end();
            if let Some(id) = line.strip_prefix("id: ") {
                id.clone_into(&mut self.position);
            } else if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut name);
            } else if let Some(json) = line.strip_prefix("data: ") {
                data = Some(serde_json::from_str(json).unwrap());
            } else if line.is_empty()
                && let Some(data) = data.take()
            {
                return (name, data);
            }
        }
    }

    /// Waits for something that happened to an id.
    fn about(&mut self, id: &Value) -> Value {
        loop {
            let (_, data) = self.event();
            if data["id"] == *id {
                return data;
            }
        }
    }
}

#[test]
fn what_another_process_writes_is_heard() {
    let repo = initialised();
    let root = repo.root();
    let server = Server::start(root, &["--no-schedule"]);
    let mut listener = Listener::begin(&server, &[]);
    let (_, made) = cli(root, &["remember", "Kettles are red"]);
    let heard = listener.about(&made["id"]);
    assert_eq!((&heard["what"], &heard["kind"]), (&json!("remembered"), &json!("record")));
    assert_eq!((&heard["by"], &heard["change"]), (&json!("script"), &made["change"]), "{heard}");
    assert!(heard["at"].is_string() && !heard.to_string().contains("Kettles"), "{heard}");

    run(root, &["memory", "pin", made["id"].as_str().unwrap()]);
    assert_eq!(listener.about(&made["id"])["what"], "decided");
    let (_, fact) = cli(root, &["fact", "add", "We drink tea at four", "--agree"]);
    let heard = listener.about(&fact["id"]);
    assert_eq!((&heard["what"], &heard["kind"]), (&json!("added"), &json!("fact")), "{heard}");
    assert_eq!(heard["change"], fact["change"], "{heard}");
    // A person with an editor.
    let text = repo.read("memory/continuity.md").replace("tea at four", "tea at five");
    repo.write("memory/continuity.md", &text);
    assert_eq!(listener.about(&fact["id"])["what"], "changed");
    let (_, session) = cli(root, &["session", "start", "--agent", "a"]);
    assert_eq!(listener.about(&session["id"])["kind"], "session");
    run(root, &["undo", fact["change"].as_str().unwrap()]);
}

#[test]
fn whoever_comes_back_hears_what_they_missed() {
    let repo = initialised();
    let root = repo.root();
    cli(root, &["--now", "2026-03-01T10:00:00Z", "remember", "Kettle 0 is red"]);
    let server = Server::start(root, &["--no-schedule"]);
    let mut listener = Listener::begin(&server, &[]);
    let (_, first) = cli(root, &["--now", "2026-03-01T11:00:00Z", "remember", "Kettle 1 is red"]);
    listener.about(&first["id"]);
    let position = listener.position.clone();
    drop(listener);
    drop(server);
    let mut missed = Vec::new();
    // On the same day, after midnight, and on the day after that.
    for (n, now) in ["01T12:00:00Z", "02T00:30:00Z", "03T08:00:00Z"].iter().enumerate() {
        let (now, text) = (format!("2026-03-{now}"), format!("Mug {n} is blue"));
        missed.push(cli(root, &["--now", &now, "remember", &text]).1["id"].clone());
    }
    run(root, &["memory", "pin", missed[1].as_str().unwrap()]);
    let (_, fact) = cli(root, &["fact", "add", "We drink tea at four", "--agree"]);
    let server = Server::start(root, &["--no-schedule"]);
    let header = format!("Last-Event-ID: {position}");
    let mut listener = Listener::begin(&server, &[&header]);
    let mut heard: Vec<Value> = Vec::new();
    while !heard.iter().any(|one| one["what"] == "decided" && one["id"] == missed[1]) {
        heard.push(listener.event().1);
    }
    let remembered: Vec<&Value> =
        heard.iter().filter(|one| one["what"] == "remembered").map(|one| &one["id"]).collect();
    assert_eq!(remembered, missed.iter().collect::<Vec<_>>(), "{heard:?}");
    // Which facts changed meanwhile is not known, but that some did.
    assert_eq!((&heard[0]["what"], &heard[0]["kind"]), (&json!("changed"), &json!("file")));
    assert_ne!(fact["id"], Value::Null);

    // From the position after everything there is nothing to hear but what comes.
    let header = format!("Last-Event-ID: {}", listener.position);
    let mut listener = Listener::begin(&server, &[&header]);
    let next = post(&server, "/memories", &json!({ "text": "Saucers are green" }));
    assert_eq!(listener.event().1["id"], next["id"]);
    let mut lost = Listener::begin(&server, &["Last-Event-ID: something else"]);
    assert_eq!(lost.event().1["what"], "reset");
    let shorter = format!("Last-Event-ID: {}", position.replacen("2026-03-01.", "2026-03-01.9", 1));
    let mut lost = Listener::begin(&server, &[&shorter]);
    let mut heard = Vec::new();
    while !heard.contains(&json!("reset")) {
        heard.push(lost.event().1["what"].clone());
    }
}

#[test]
fn listeners_hear_what_they_may_see() {
    let repo = initialised();
    let root = repo.root();
    let words = ["token", "add", "guest", "--permission", "read", "--channel", "other"];
    let guest = cli(root, &words).1["token"].as_str().unwrap().to_owned();
    let server = Server::start(root, &["--no-schedule"]);
    let guest = format!("Authorization: Bearer {guest}");
    let (status, refused) = api(&server, &[&guest], "GET /events", &Value::Null);
    assert_eq!((status, refused["code"].as_str()), (403, Some("channel")));
    let foreign = "Sec-Fetch-Site: cross-site";
    assert_eq!(api(&server, &[foreign], "GET /events", &Value::Null).0, 403);
    let mut listener = Listener::begin(&server, &[]);
    run(root, &["remember", "The key is under the mat", "--sensitivity", "secret"]);
    let (_, open) = cli(root, &["remember", "Kettles are red"]);
    let (_, heard) = listener.event();
    assert_eq!(heard["id"], open["id"], "of a secret not even the id is told");
}

#[test]
fn a_server_with_listeners_still_ends() {
    let repo = initialised();
    let mut server = Server::start(repo.root(), &["--no-schedule"]);
    let _listener = Listener::begin(&server, &[]);
    server.stop_well();
}
