//! `quipu serve` from the outside: who gets in, who does not, and what they are told.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::{initialised, json as cli, quipu, run};

/// A server of its own; killed when the test ends.
pub(crate) struct Server {
    child: Option<Child>,
    pub(crate) address: String,
}

impl Server {
    /// Starts a server that lets this machine in.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let open: Vec<&str> = ["--no-token"].into_iter().chain(arguments.iter().copied()).collect();
        Self::closed(folder, &open)
    }

    /// Starts a server that asks for a token.
    pub(crate) fn closed(folder: &Path, arguments: &[&str]) -> Self {
        Self::with(folder, arguments, |_| {})
    }

    /// The same, in an environment of its own.
    pub(crate) fn with(
        folder: &Path,
        arguments: &[&str],
        prepare: impl FnOnce(&mut Command),
    ) -> Self {
        let mut command = quipu(folder);
        prepare(&mut command);
        let mut child = command
            .args(["--json", "serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let address = told["listening"].as_str().unwrap().to_owned();
        Self { child: Some(child), address }
    }

    /// Tells the server to stop, and waits until it has.
    #[cfg(unix)]
    pub(crate) fn stop_well(&mut self) {
        self.tell_to_stop();
        let child = self.child.as_mut().unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// Tells the server to stop.
    #[cfg(unix)]
    pub(crate) fn tell_to_stop(&self) {
        let pid = self.child.as_ref().unwrap().id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    }

    /// A server that somebody else started, and ends.
    pub(crate) fn at(address: &str) -> Self {
        Self { child: None, address: address.to_owned() }
    }

    /// Sends bytes as they are; returns the status and the body.
    pub(crate) fn raw(&self, bytes: &[u8]) -> (u16, String) {
        let answer = self.whole(bytes);
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.unwrap_or_else(|| panic!("no answer: {answer:?}")), body.to_owned())
    }

    /// Sends bytes as they are; returns the whole answer.
    pub(crate) fn whole(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        // A server that refuses may close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn request(&self, line: &str, headers: &[&str], body: &str) -> (u16, String) {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            let _ = write!(request, "Host: {}\r\n", self.address);
        }
        for header in headers {
            let _ = write!(request, "{header}\r\n");
        }
        if !body.is_empty() {
            request.push_str("Content-Type: application/json\r\n");
            request.push_str("Accept: application/json, text/event-stream\r\n");
            let _ = write!(request, "Content-Length: {}\r\n", body.len());
        }
        self.raw(format!("{request}\r\n{body}").as_bytes())
    }

    /// Calls the gateway.
    fn rpc(&self, headers: &[&str], method: &str, params: &Value) -> (u16, Value) {
        let body = json!({ "method": method, "params": params }).to_string();
        let (status, answer) = self.request("POST /rpc", headers, &body);
        (status, serde_json::from_str(&answer).unwrap_or_default())
    }

    /// Calls a tool over MCP; returns the status and the result.
    fn call(&self, headers: &[&str], tool: &str, arguments: &Value) -> (u16, Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let (status, answer) = self.request("POST /mcp", headers, &body.to_string());
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| json!(answer));
        (status, answer["result"].clone())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn code(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    body["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_request_under_another_name_or_from_another_page_is_refused() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    assert_eq!(server.request("GET /healthz", &[], ""), (200, "ok\n".to_owned()));
    assert_eq!(server.request("GET /readyz", &[], "").0, 200);
    let (status, body) = server.request("GET /healthz", &["Host: evil.example"], "");
    assert_eq!((status, code(&body)), (403, "host".to_owned()));
    let (status, _) = server.request("GET /healthz", &["Host: [::1].evil.example"], "");
    assert_eq!(status, 403);
    let twice = ["Host: localhost", "Host: evil.example"];
    assert!(matches!(server.request("GET /healthz", &twice, "").0, 400 | 403));
    let (status, body) = server.request("GET /metrics", &["Origin: https://evil.example"], "");
    assert_eq!((status, code(&body)), (403, "origin".to_owned()));
    let (status, body) = server.request("GET /metrics", &["Origin: null"], "");
    assert_eq!((status, code(&body)), (403, "origin".to_owned()));
    let own = format!("Origin: http://{}", server.address);
    assert_eq!(server.request("GET /metrics", &[&own], "").0, 200);
    assert_eq!(server.request("GET /etc/passwd", &[], "").0, 404);
    let (_, metrics) = server.request("GET /metrics", &[], "");
    assert!(metrics.contains("quipu_http_refused_total{code=\"host\"}"), "{metrics}");
    assert!(metrics.contains("quipu_recall_cache_hits"), "{metrics}");
}

#[test]
fn an_address_that_others_reach_needs_tokens() {
    let repo = initialised();
    let (status, out, error) = run(repo.root(), &["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(status, 3, "{out}");
    assert!(error.contains("quipu token add"), "{error}");
    let (status, _, error) = run(repo.root(), &["serve", "--listen", "0.0.0.0:0", "--no-token"]);
    assert_eq!(status, 2);
    assert!(error.contains("other machines"), "{error}");
}

#[test]
fn this_machine_needs_a_token_too_unless_it_is_told_otherwise() {
    let repo = initialised();
    for flags in [&[][..], &["--require-token"]] {
        let words: Vec<&str> =
            ["serve", "--listen", "127.0.0.1:0"].iter().chain(flags).copied().collect();
        let (status, _, error) = run(repo.root(), &words);
        assert_eq!(status, 3, "{error}");
        assert!(error.contains("quipu token add NAME") && error.contains("--no-token"), "{error}");
    }
    let (_, made) = cli(repo.root(), &["token", "add", "me"]);
    let mine = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    let server = Server::closed(repo.root(), &[]);
    let question = json!({ "query": "knots" });
    assert_eq!(server.call(&[], "recall", &question).0, 401);
    assert_eq!(server.rpc(&[], "memory.listLogs", &json!({})).0, 401);
    assert_eq!(server.request("POST /memory-tool", &[], "{}").0, 401);
    assert_eq!(server.request("GET /metrics", &[], "").0, 401);
    assert_eq!(server.call(&[&mine], "recall", &question).0, 200);
    let open = Server::start(repo.root(), &[]);
    assert_eq!(open.call(&[], "recall", &question).0, 200);
}

#[test]
fn a_person_without_a_token_gets_one_for_the_run() {
    let repo = initialised();
    let words = ["--json", "serve", "--listen", "127.0.0.1:0"];
    let (child, terminal) = crate::callers::at_terminal(repo.root(), &words, &[]);
    let mut line = String::new();
    BufReader::new(terminal).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let address = told["listening"].as_str().unwrap().to_owned();
    let server = Server { child: Some(child), address };
    let token = format!("Authorization: Bearer {}", told["token"].as_str().unwrap());
    let question = json!({ "query": "knots" });
    assert_eq!(server.call(&[], "recall", &question).0, 401);
    assert_eq!(server.call(&["Authorization: Bearer quipu_00"], "recall", &question).0, 401);
    assert_eq!(server.call(&[&token], "recall", &question).0, 200);
    let forwarded = [token.as_str(), "X-Forwarded-For: 192.0.2.7"];
    assert_eq!(server.call(&forwarded, "recall", &question).0, 401, "it is for this machine");
    let (_, listed) = cli(repo.root(), &["token", "list"]);
    assert_eq!(listed["count"], 0, "it is kept nowhere");
}

#[test]
fn a_message_that_cannot_be_read_is_answered() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let table = [
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\\ud800\"}", json!(4), -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":", json!("x"), -32700),
        ("[]", json!(null), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":9}", json!(9), -32600),
    ];
    for (body, id, code) in table {
        let (status, answer) = server.request("POST /mcp", &[], body);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(status, 400, "{body}");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{body}");
    }
}

#[test]
fn tokens_are_hashed_scoped_and_revoked_at_once() {
    let repo = initialised();
    let make = |name: &str, scope: &str, channel: &str| {
        let words = ["token", "add", name, "--permission", scope, "--channel", channel];
        let (_, made) = cli(repo.root(), &words);
        format!("Authorization: Bearer {}", made["token"].as_str().unwrap())
    };
    let reader = make("reader", "read", "main");
    let writer = make("writer", "write", "main");
    let guest = make("guest", "write", "other");
    let kept =
        std::fs::read_to_string(quipu_testkit::state_of(repo.root(), "tokens.json")).unwrap();
    assert!(!kept.contains(reader.rsplit(' ').next().unwrap()), "a token is nowhere in the clear");
    let (code_again, _) = cli(repo.root(), &["token", "add", "reader"]);
    assert_eq!(code_again, 3, "a name is taken once");

    let server = Server::closed(repo.root(), &[]);
    assert_eq!(server.request("GET /healthz", &[], "").0, 200, "whether it lives is no secret");
    assert_eq!(server.request("GET /metrics", &[], "").0, 401);
    let (status, body) = server.request("GET /metrics", &["Authorization: Bearer nonsense"], "");
    assert_eq!((status, code(&body)), (401, "token".to_owned()));
    assert_eq!(server.request("GET /metrics", &["Authorization: Basic eDp5"], "").0, 401);
    assert_eq!(server.request("GET /metrics", &[&reader], "").0, 200);

    let fact = json!({ "text": "The vault opens at nine", "format": "json" });
    let (status, refused) = server.call(&[&reader], "remember", &fact);
    assert_eq!((status, &refused["isError"]), (200, &json!(true)));
    assert!(refused.to_string().contains("permission `write`"), "{refused}");
    let (_, kept) = server.call(&[&writer], "remember", &fact);
    assert!(kept["structuredContent"]["id"].is_string(), "{kept}");
    let question = json!({ "query": "when does the vault open?" });
    let (_, found) = server.call(&[&reader], "recall", &question);
    assert!(found.to_string().contains("nine"), "{found}");
    let (_, hidden) = server.call(&[&guest], "recall", &question);
    assert!(!hidden.to_string().contains("nine"), "private memory stays in the main channel");
    let (status, body) = server.request("GET /metrics", &[&guest], "");
    assert_eq!((status, code(&body)), (403, "channel".to_owned()));
    let (status, denied) = server.rpc(&[&guest], "memory.listLogs", &json!({}));
    assert_eq!((status, denied["error"]["code"].as_str()), (403, Some("channel")));
    for method in ["memory.writeFile", "memory.getFile"] {
        let params = json!({ "path": "MEMORY.md", "content": "" });
        let (status, denied) = server.rpc(&[&reader], method, &params);
        assert_eq!((status, denied["error"]["code"].as_str()), (403, Some("forbidden")));
    }
    let wrapped = json!({
        "type": "tool_use", "id": "t", "command": "view",
        "input": { "command": "delete", "path": "/memories/a.md" },
    });
    let (status, body) = server.request("POST /memory-tool", &[&reader], &wrapped.to_string());
    assert_eq!((status, code(&body)), (403, "forbidden".to_owned()), "{body}");

    run(repo.root(), &["token", "revoke", "writer"]);
    assert_eq!(server.request("GET /metrics", &[&writer], "").0, 401);
}

#[test]
fn who_comes_through_a_proxy_is_not_of_this_machine() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let (status, body) = server.request("GET /metrics", &["X-Forwarded-For: 192.0.2.7"], "");
    assert_eq!((status, code(&body)), (401, "token".to_owned()));
    let (status, _) = server.request("GET /healthz", &["Host: 192.0.2.1:8377"], "");
    assert_eq!(status, 200, "an address cannot be bound to another");
}

#[test]
fn a_page_that_may_call_is_told_so() {
    let repo = initialised();
    let page = "Origin: https://pages.example";
    let server = Server::start(repo.root(), &["--set", "serve.origins=https://pages.example"]);
    assert_eq!(server.request("OPTIONS /mcp", &[page], "").0, 204);
    assert_eq!(server.request("OPTIONS /mcp", &["Origin: https://evil.example"], "").0, 403);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let ask = format!(
        "GET /metrics HTTP/1.1\r\nHost: {}\r\n{page}\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("access-control-allow-origin: https://pages.example"), "{answer}");
}

#[test]
fn what_a_repo_brings_along_opens_no_door() {
    let repo = initialised();
    repo.write("quipu.toml", "[serve]\norigins = [\"https://evil.example\"]\n");
    let (_, _, error) = run(repo.root(), &["status"]);
    assert!(error.contains("`serve.origins`") && error.contains("ignored"), "{error}");
    repo.write("quipu.toml", "");
    run(repo.root(), &["token", "add", "mallory", "--permission", "admin"]);
    // A copy of the folder brings no token along, whatever stands in its `.quipu`.
    let tokens = std::fs::read(quipu_testkit::state_of(repo.root(), "tokens.json")).unwrap();
    let copy = quipu_testkit::TestRepo::copy_of(repo.root());
    copy.write_bytes(".quipu/tokens.json", &tokens);
    let (status, listed, _) = run(copy.root(), &["token", "list"]);
    assert_eq!(status, 1, "there is none");
    assert!(!listed.contains("mallory"), "{listed}");
}

#[test]
fn the_gateway_reads_and_writes_the_journal_and_nothing_else() {
    let repo = initialised();
    let today = ["--now", "2026-03-01T10:00:00Z"];
    run(repo.root(), &[&today[..], &["remember", "Tea is at four"]].concat());
    run(repo.root(), &[&today[..], &["remember", "Coffee is at nine"]].concat());
    let server = Server::start(repo.root(), &[]);
    let (_, listed) = server.rpc(&[], "memory.listLogs", &json!({}));
    let file = json!({ "name": "2026-03-01.md", "path": "memory/2026-03-01.md" });
    assert_eq!(listed["result"]["files"], json!([file]));
    let (_, got) = server.rpc(&[], "memory.getFile", &json!({ "path": "MEMORY.md" }));
    let before = got["result"]["content"].as_str().unwrap().to_owned();
    assert!(before.contains("Tea is at four"));
    let (_, missing) =
        server.rpc(&[], "memory.getFile", &json!({ "path": "memory/2020-01-01.md" }));
    assert_eq!(missing["result"]["content"], "");
    for path in
        ["", "quipu.toml", "memory/../quipu.toml", "/etc/passwd", "LONGMEMORY.md", "memory/x.md"]
    {
        let (status, refused) = server.rpc(&[], "memory.getFile", &json!({ "path": path }));
        assert_eq!((status, refused["error"]["code"].as_str()), (400, Some("bad-path")), "{path}");
    }

    let without: String =
        before.split_inclusive('\n').filter(|line| !line.contains("Coffee")).collect();
    let write = |content: &str, more: &Value| {
        let mut params = json!({ "path": "MEMORY.md", "content": content });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        server.rpc(&[], "memory.writeFile", &params)
    };
    let (status, refused) = write(&without, &json!({}));
    assert_eq!((status, refused["error"]["code"].as_str()), (409, Some("loses-records")));
    assert_eq!(repo.read("MEMORY.md"), before, "nothing was changed");
    let (status, stale) = write(&format!("{before}Mine\n"), &json!({ "insteadOf": "older" }));
    assert_eq!((status, stale["error"]["code"].as_str()), (409, Some("edited-since")));
    let (status, done) = write(&format!("{before}Mine\n"), &json!({ "insteadOf": before }));
    assert_eq!((status, &done["result"]["ok"]), (200, &json!(true)), "{done}");
    assert!(repo.read("MEMORY.md").ends_with("Mine\n"));
    let (status, done) = write(&without, &json!({ "mayLose": true }));
    assert_eq!((status, &done["result"]["ok"]), (200, &json!(true)), "{done}");
    assert_eq!(crate::callers::person(repo.root(), &["undo"], &[]).0, 0);
    assert_eq!(crate::callers::person(repo.root(), &["undo"], &[]).0, 0);
    assert_eq!(repo.read("MEMORY.md"), before, "what was written is versioned");
    let (status, none) = server.rpc(&[], "memory.burn", &json!({}));
    assert_eq!((status, none["error"]["code"].as_str()), (404, Some("no-method")));
}

#[test]
fn the_memory_tool_is_there_over_http() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let call = |command: Value| {
        let (status, body) = server.request("POST /memory-tool", &[], &command.to_string());
        (status, serde_json::from_str::<Value>(&body).unwrap_or_default())
    };
    let (status, made) =
        call(json!({ "command": "create", "path": "/memories/a.md", "file_text": "One\n" }));
    assert_eq!((status, &made["is_error"]), (200, &json!(false)), "{made}");
    let (_, again) =
        call(json!({ "command": "create", "path": "/memories/a.md", "file_text": "Two\n" }));
    assert_eq!(again["content"], "File /memories/a.md already exists");
    assert_eq!(again["is_error"], true);
    let (_, out) = call(json!({ "command": "view", "path": "/etc" }));
    assert_eq!(out["is_error"], true);
}

#[test]
fn a_body_that_is_too_large_or_no_json_is_refused() {
    let repo = initialised();
    let server = Server::start(repo.root(), &["--set", "serve.maxBodyBytes=2000"]);
    let (status, body) = server.request("POST /mcp", &[], &"x".repeat(3000));
    assert_eq!((status, code(&body)), (413, "too-large".to_owned()));
    let (status, _) = server.request("POST /rpc", &[], "{");
    assert_eq!(status, 400);
    let (status, _) = server.request("POST /mcp", &[], "{");
    assert!((400..500).contains(&status), "{status}");
    assert_eq!(server.raw(b"nonsense\r\n\r\n").0, 400);
    assert_eq!(server.request("GET /healthz", &[], "").0, 200, "it is still there");
}

#[test]
fn a_client_that_is_too_slow_is_sent_away() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let head = format!(
        "POST /rpc HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{{",
        server.address
    );
    let (status, body) = server.raw(head.as_bytes());
    assert_eq!((status, code(&body)), (408, "too-slow".to_owned()));
}

#[test]
fn who_asks_too_often_is_told_to_wait() {
    let repo = initialised();
    let (_, made) = cli(repo.root(), &["token", "add", "busy"]);
    let token = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    let server = Server::start(repo.root(), &["--set", "serve.requestsPerSecond=3"]);
    let statuses: Vec<u16> =
        (0..12).map(|_| server.request("GET /metrics", &[&token], "").0).collect();
    assert!(statuses.contains(&429) && statuses[0] == 200, "{statuses:?}");
    assert_eq!(server.request("GET /metrics", &[], "").0, 200, "others do not wait");
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_stop_ends_well() {
    let repo = initialised();
    let mut server = Server::start(repo.root(), &[]);
    server.call(&[], "remember", &json!({ "text": "The last thing it heard" }));
    server.stop_well();
    let (_, found) = cli(repo.root(), &["recall", "the last thing it heard"]);
    assert_eq!(found["results"][0]["text"], "The last thing it heard");
    assert!(!quipu_testkit::state_of(repo.root(), "tx").exists());
}

#[test]
fn what_is_due_is_done_while_it_serves() {
    let repo = initialised();
    for day in 1..9 {
        let now = format!("2026-01-0{day}T10:00:00Z");
        let text = format!("Routine note number {day} of the winter");
        run(repo.root(), &["--now", &now, "remember", &text]);
    }
    let server = Server::start(
        repo.root(),
        &["--set", "continuity.memoryCompactionEnabled=true", "--now", "2026-03-01T04:00:00Z"],
    );
    for _ in 0..100 {
        if repo.root().join("LONGMEMORY.md").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(repo.read("LONGMEMORY.md").contains("winter"));
    drop(server);
}
