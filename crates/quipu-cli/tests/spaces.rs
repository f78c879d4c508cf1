//! Memories in PostgreSQL from the outside: spaces, their tokens, and a server for all of them.

use std::path::Path;
use std::process::Command;

use quipu_testkit::TestRepo;
use quipu_testkit::postgres::{self, TestDatabase};
use serde_json::{Value, json};

use crate::serve::Server;
use crate::{initialised, quipu, run};

/// A migrated database, as a person at the command line sees it.
struct Spaces<'a> {
    folder: TestRepo,
    database: TestDatabase<'a>,
}

impl<'a> Spaces<'a> {
    fn new(server: &'a postgres::Server) -> Self {
        let spaces = Self { folder: TestRepo::new(), database: server.database() };
        spaces.says(&["migrate"]);
        spaces
    }

    fn command(&self) -> Command {
        let mut command = quipu(self.folder.root());
        command.env("QUIPU_DATABASE", self.database.url());
        command
    }

    /// Runs a command that has to work; returns what it says.
    fn says(&self, arguments: &[&str]) -> Value {
        let output = self.command().arg("--json").args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {told}");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// Runs a command that is refused; returns its exit code and what it says.
    fn refuses(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command().args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), told)
    }

    fn token(&self, who: &str, space: &str, permission: &str) -> String {
        let arguments = ["token", "add", who, "--space", space, "--permission", permission];
        self.says(&arguments)["token"].as_str().unwrap().to_owned()
    }

    fn serve(&self) -> Server {
        let url = self.database.url();
        Server::closed(self.folder.root(), &["--database", &url])
    }
}

/// A server, as who has a token sees it.
struct Client<'a> {
    server: &'a Server,
    token: String,
}

impl Client<'_> {
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let (address, token) = (&self.server.address, &self.token);
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let (status, answer) = self.server.raw(request.as_bytes());
        (status, serde_json::from_str(&answer).unwrap_or(Value::String(answer)))
    }

    fn remember(&self, text: &str) -> String {
        let body = json!({ "text": text });
        let (status, answer) = self.send("POST", "/api/v1/memories", Some(&body));
        assert_eq!(status, 201, "{answer}");
        answer["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn recall(&self, text: &str) -> Vec<String> {
        let (status, answer) = self.send("POST", "/api/v1/recall", Some(&json!({ "q": text })));
        assert_eq!(status, 200, "{answer}");
        let found = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
        found.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls a tool over MCP; returns what it says.
    fn tool(&self, name: &str, arguments: &Value) -> Value {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": arguments },
        });
        let (status, answer) = self.send("POST", "/mcp", Some(&call));
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

#[test]
fn a_space_is_served_to_who_has_its_token() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    spaces.says(&["space", "add", "beta"]);
    let running = spaces.serve();
    let client = |who: &str, space: &str| Client {
        server: &running,
        token: spaces.token(who, space, "write"),
    };
    let (ada, bob) = (client("ada", "alpha"), client("bob", "beta"));
    let id = ada.remember("The gateway of the Berlin office listens on port 8377");
    assert_eq!(ada.recall("Berlin gateway port"), std::slice::from_ref(&id));
    assert_eq!(bob.recall("Berlin gateway port"), Vec::<String>::new());
    assert_eq!(bob.send("GET", &format!("/api/v1/memories/{id}"), None).0, 404);
    assert!(ada.tool("recall", &json!({ "query": "Berlin" })).to_string().contains(&id));
    assert!(!bob.tool("recall", &json!({ "query": "Berlin" })).to_string().contains(&id));
    let fact = ada.send("POST", "/api/v1/facts", Some(&json!({ "text": "Retries back off" })));
    assert_eq!(fact.0, 201, "{}", fact.1);
    // Another server sees what this one acknowledged.
    let other = spaces.serve();
    let again = Client { server: &other, token: ada.token.clone() };
    assert_eq!(again.recall("Berlin gateway port"), [id]);
    // A token that was taken away lets nobody in any more, at once and everywhere.
    spaces.says(&["token", "revoke", "ada", "--space", "alpha"]);
    assert_eq!(again.send("GET", "/api/v1/status", None).0, 401);
    assert_eq!(ada.send("GET", "/api/v1/status", None).0, 401);
}

#[test]
fn what_needs_a_folder_says_so_in_a_space() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    let running = spaces.serve();
    let admin = Client { server: &running, token: spaces.token("ada", "alpha", "admin") };
    let (status, answer) = admin.send("GET", "/api/v1/drift", None);
    assert_eq!((status, &answer["code"]), (400, &json!("needs-folder")), "{answer}");
    assert_eq!(admin.send("GET", "/api/v1/tokens", None).0, 409);
    assert_eq!(admin.send("GET", "/readyz", None).0, 200);
}

#[test]
fn a_folder_goes_into_a_space_and_comes_back_byte_for_byte() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    let repo = initialised();
    run(repo.root(), &["remember", "Elephants remember everything"]);
    run(repo.root(), &["fact", "add", "Retries back off exponentially"]);
    spaces.says(&["space", "add", "copy", "--empty"]);
    let from = repo.root().to_str().unwrap();
    let told = spaces.says(&["space", "import", "copy", from]);
    assert!(told["files"].as_u64().unwrap() > 5, "{told}");
    let back = spaces.folder.root().join("back");
    spaces.says(&["space", "export", "copy", back.to_str().unwrap()]);
    let same = |path: &str| {
        let files = [repo.root().join(path), back.join(path)];
        let status = Command::new("diff").arg("-r").args(&files).status().unwrap();
        assert!(status.success(), "{path}");
    };
    ["memory", "MEMORY.md"].into_iter().for_each(same);
    // What was imported is found.
    let running = spaces.serve();
    let ada = Client { server: &running, token: spaces.token("ada", "copy", "write") };
    assert_eq!(ada.recall("elephants").len(), 1);
    // Nothing is written over.
    let (code, told) = spaces.refuses(&["space", "import", "copy", from]);
    assert_eq!(code, 3, "{told}");
    assert!(told.contains("holds a memory already"), "{told}");
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces { folder: TestRepo::new(), database: server.database() };
    let expect = |arguments: &[&str], code: i32, words: &str| {
        let (found, told) = spaces.refuses(arguments);
        assert!(found == code && told.contains(words), "{arguments:?}: {found} {told}");
    };
    expect(&["space", "list"], 3, "quipu migrate");
    spaces.says(&["migrate"]);
    expect(&["space", "add", "No Spaces"], 2, "cannot be the name");
    spaces.says(&["space", "add", "one"]);
    expect(&["space", "add", "one"], 3, "already");
    expect(&["token", "add", "ada", "--space", "two"], 3, "there is no space `two`");
    expect(&["space", "remove", "one"], 2, "--yes");
    expect(&["serve", "--no-token"], 2, "a token says which space");
    expect(&["space", "list", "--database", "host=/nowhere dbname=x"], 4, "database");
    spaces.says(&["space", "remove", "one", "--yes"]);
    assert!(!Path::new("/quipu-space").exists());
}

#[test]
fn what_a_server_acknowledged_survives_its_death() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    let token = spaces.token("ada", "alpha", "write");
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let running = spaces.serve();
        let ada = Client { server: &running, token: token.clone() };
        for number in 0..4 {
            acknowledged.push(ada.remember(&format!("Round {round} keeps the number {number}")));
        }
        // The server is killed where it stands when it is dropped.
    }
    let running = spaces.serve();
    let ada = Client { server: &running, token };
    for id in acknowledged {
        assert_eq!(ada.send("GET", &format!("/api/v1/memories/{id}"), None).0, 200, "{id}");
    }
}

#[test]
fn a_database_is_examined_and_each_finding_says_what_to_do() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces { folder: TestRepo::new(), database: server.database() };
    let url = spaces.database.url();
    let examined = |address: &str| {
        let arguments = ["--json", "doctor", "--database", address];
        let output = spaces.command().args(arguments).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = told["checks"].as_array().unwrap_or_else(|| panic!("{told}")).clone();
        let wrong = |check: &&Value| check["state"] == "wrong";
        let names = checks.iter().filter(wrong).map(|check| check["name"].as_str().unwrap());
        (output.status.code().unwrap(), names.map(str::to_owned).collect::<Vec<_>>())
    };
    // The server for tests does not wait for its disk, and says so.
    assert_eq!(examined(&url), (1, vec!["schema".to_owned(), "disk".to_owned()]));
    spaces.says(&["migrate"]);
    assert_eq!(examined(&url), (1, vec!["disk".to_owned()]));
    spaces.database.execute("ALTER TABLE item DISABLE ROW LEVEL SECURITY");
    spaces.database.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', \
         current_database()); END $$",
    );
    let found = ["security", "disk", "commits"].map(str::to_owned).to_vec();
    assert_eq!(examined(&url), (1, found));
    spaces.says(&["migrate"]);
    assert_eq!(examined(&url).1, ["disk", "commits"]);
    assert_eq!(examined("host=/nowhere dbname=x"), (1, vec!["reachable".to_owned()]));
    // Without an address the one that everything else uses.
    let output = spaces.command().args(["doctor", "--database"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("synchronous_commit is off"));
}

#[test]
fn a_full_space_says_so_and_who_runs_the_server_sees_who_wrote() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    let running = spaces.serve();
    let ada = Client { server: &running, token: spaces.token("ada", "alpha", "write") };
    let id = ada.remember("The kettle whistles");
    spaces.says(&["space", "quota", "alpha", "0"]);
    let (status, answer) =
        ada.send("POST", "/api/v1/memories", Some(&json!({ "text": "The cat sleeps" })));
    assert_eq!(answer["code"], "space-full", "{status} {answer}");
    assert_eq!(ada.recall("kettle"), [id]);
    assert_eq!(ada.recall("cat sleeps"), Vec::<String>::new());
    assert_eq!(
        ada.send("POST", "/api/v1/commands/purge", Some(&json!({ "id": "x", "reason": "r" }))).0,
        403
    );
    spaces.says(&["space", "quota", "alpha", "10"]);
    ada.remember("The cat sleeps");
    let told = spaces.says(&["space", "audit", "alpha"]);
    let lines = told["lines"].as_array().unwrap();
    let of = |what: &str| lines.iter().filter(|line| line["operation"] == what).collect::<Vec<_>>();
    assert_eq!(of("remember").len(), 2, "{told}");
    assert!(of("remember").iter().all(|it| it["who"] == "ada" && it["outcome"] == "done"));
    assert_eq!(of("purge")[0]["outcome"], "forbidden", "{told}");
    assert_eq!(spaces.says(&["space", "audit"])["lines"][0]["operation"], "space add alpha");
    let (code, told) = spaces.refuses(&["space", "quota", "beta", "1"]);
    assert!(code == 3 && told.contains("there is no space `beta`"), "{code} {told}");
}

#[test]
fn nobody_sees_the_files_or_the_numbers_of_another_space() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    spaces.says(&["space", "add", "beta"]);
    let url = spaces.database.url();
    let of_watcher = "a-token-of-who-watches-the-server";
    let running = Server::with(spaces.folder.root(), &["--database", &url], |command| {
        command.env("QUIPU_METRICS_TOKEN", of_watcher);
    });
    // The same name and all permissions: what differs is the space.
    let client =
        |space: &str| Client { server: &running, token: spaces.token("ada", space, "admin") };
    let (ada, other) = (client("alpha"), client("beta"));
    ada.remember("The kettle whistles");
    let begun = json!({ "name": "a.json", "size": 2 });
    let (status, upload) = ada.send("POST", "/api/v1/imports", Some(&begun));
    assert_eq!(status, 201, "{upload}");
    let place = format!("/api/v1/imports/{}", upload["id"].as_str().unwrap());
    assert_eq!(ada.send("GET", &place, None).0, 200);
    assert_eq!(other.send("GET", &place, None).0, 404);
    assert_eq!(other.send("DELETE", &place, None).0, 404);
    assert_eq!(ada.send("GET", &place, None).0, 200);
    let metrics = |client: &Client<'_>| client.send("GET", "/metrics", None).1.to_string();
    assert!(metrics(&ada).contains("quipu_space_requests_total{space=\\\"alpha\\\"}"));
    assert!(!metrics(&other).contains("alpha"), "{}", metrics(&other));
    // Who watches sees all numbers, and no memory.
    let watcher = Client { server: &running, token: of_watcher.to_owned() };
    assert!(metrics(&watcher).contains("alpha"));
    assert_eq!(watcher.send("GET", "/api/v1/status", None).0, 403);
    assert_eq!(watcher.send("POST", "/api/v1/recall", Some(&json!({ "q": "kettle" }))).0, 403);
}

#[test]
fn a_server_that_is_told_to_stop_says_that_it_is_not_ready_and_ends_what_it_does() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    let url = spaces.database.url();
    let mut running = Server::closed(spaces.folder.root(), &["--database", &url, "--drain", "3"]);
    let token = spaces.token("ada", "alpha", "write");
    let ready = |running: &Server| {
        Client { server: running, token: token.clone() }.send("GET", "/readyz", None)
    };
    assert_eq!(ready(&running).0, 200);
    running.tell_to_stop();
    // The signal takes a moment to arrive.
    let found = (0..2000).map(|_| ready(&running)).find(|answer| answer.0 != 200);
    let (status, why) = found.unwrap();
    assert!(status == 503 && why.to_string().contains("about to stop"), "{status} {why}");
    let ada = Client { server: &running, token: token.clone() };
    let id = ada.remember("What is said in the last seconds stays");
    running.stop_well();
    let again = spaces.serve();
    let ada = Client { server: &again, token };
    assert_eq!(ada.recall("last seconds"), [id]);
}

#[test]
fn an_index_is_made_again_from_what_the_space_holds() {
    let Some(server) = postgres::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.says(&["space", "add", "alpha"]);
    let running = spaces.serve();
    let ada = Client { server: &running, token: spaces.token("ada", "alpha", "admin") };
    let id = ada.remember("The kettle whistles");
    let replay = |arguments: &Value| {
        let (status, answer) = ada.send("POST", "/api/v1/commands/replay", Some(arguments));
        assert_eq!(status, 200, "{answer}");
        answer
    };
    assert_eq!(replay(&json!({}))["replaced"], false);
    spaces.database.execute("DELETE FROM item; UPDATE space SET head = 'x', generation = 77");
    assert_eq!(replay(&json!({ "check": true }))["equal"], false);
    assert_eq!(replay(&json!({}))["replaced"], true);
    assert_eq!(replay(&json!({ "check": true }))["equal"], true);
    assert_eq!(ada.recall("kettle"), [id]);
}
