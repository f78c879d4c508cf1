//! The REST API from the outside: who gets in, what is answered, what a read may change.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::{Value, json};

use crate::callers::at_terminal;
use crate::serve::Server;
use crate::{initialised, json as cli, run};

/// Sends a request of the API; returns the status and the body as JSON. Work that takes long on a slow machine is
/// waited for, unless the request says that it does not wait.
pub(crate) fn api(server: &Server, headers: &[&str], line: &str, body: &Value) -> (u16, Value) {
    let (status, answer) = asked(server, headers, line, body);
    if status != 202 || headers.iter().any(|header| header.starts_with("Prefer:")) {
        return (status, answer);
    }
    let place = format!("GET /jobs/{}", answer["id"].as_str().unwrap());
    loop {
        let (_, job) = asked(server, headers, &place, &Value::Null);
        match (&job["answer"], &job["problem"]) {
            (Value::Null, Value::Null) => std::thread::yield_now(),
            (Value::Null, problem) => {
                return (problem["status"].as_u64().unwrap().try_into().unwrap(), problem.clone());
            }
            (answer, _) => return (200, answer.clone()),
        }
    }
}

fn asked(server: &Server, headers: &[&str], line: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let (method, path) = line.split_once(' ').unwrap();
    let (status, answer) = server.request(&format!("{method} /api/v1{path}"), headers, &body);
    (status, serde_json::from_str(&answer).unwrap_or(Value::String(answer)))
}

pub(crate) fn get(server: &Server, path: &str) -> Value {
    let (status, answer) = api(server, &[], &format!("GET {path}"), &Value::Null);
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

pub(crate) fn post(server: &Server, path: &str, body: &Value) -> Value {
    let (status, answer) = api(server, &[], &format!("POST {path}"), body);
    assert!(matches!(status, 200 | 201), "{path}: {status} {answer}");
    answer
}

/// A server that a person started at a terminal, to sign in with a browser.
pub(crate) struct Page {
    child: Child,
    pub(crate) server: Server,
    code: String,
}

impl Page {
    pub(crate) fn open(folder: &Path) -> Self {
        let arguments = ["--json", "serve", "--open", "--listen", "127.0.0.1:0", "--no-schedule"];
        let (child, terminal) =
            at_terminal(folder, &arguments, &[("BROWSER", "true"), ("QUIPU_USER", "Ada")]);
        let mut line = String::new();
        BufReader::new(terminal).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let page = told["page"].as_str().unwrap();
        let code = page.split_once("/#code=").unwrap().1.to_owned();
        let server = Server::at(told["listening"].as_str().unwrap());
        Self { child, server, code }
    }

    /// Exchanges the code; returns the cookie as a header.
    pub(crate) fn sign_in(&self) -> Option<String> {
        let body = json!({ "code": self.code }).to_string();
        let line = "POST /api/v1/sign-in HTTP/1.1";
        let request = format!(
            "{line}\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.server.address,
            body.len()
        );
        let answer = self.server.whole(request.as_bytes());
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        let (pair, _) = cookie.split_once(';')?;
        Some(format!("Cookie: {pair}"))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every file of a folder but those of the index and of git, with its bytes.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            if entry.file_type().unwrap().is_dir() {
                if name != ".quipu" && name != ".git" {
                    folders.push(entry.path());
                }
            } else {
                found.insert(entry.path(), std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn what_is_made_is_found_changed_and_taken_back() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let (status, made) =
        api(&server, &[], "POST /memories", &json!({ "text": "Kettles are red", "tags": ["tea"] }));
    assert_eq!(status, 201, "{made}");
    let id = made["id"].as_str().unwrap();
    assert_eq!(get(&server, &format!("/memories/{id}"))["text"], "Kettles are red");
    assert_eq!(get(&server, "/memories?tag=tea")["items"][0]["id"], *id);
    assert_eq!(get(&server, "/memories?tag=coffee")["items"], json!([]));
    assert_eq!(get(&server, "/recall?q=kettles")["results"][0]["id"], *id);
    assert_eq!(get(&server, "/timeline")["items"][0]["about"], *id);

    let pinned = post(&server, &format!("/memories/{id}/pin"), &json!({ "reason": "often" }));
    assert_eq!(get(&server, "/memories?pinned=true")["total"], 1);
    let undo = &pinned["undo"];
    assert_eq!(undo["method"], "POST");
    post(&server, undo["href"].as_str().unwrap().strip_prefix("/api/v1").unwrap(), &json!({}));
    assert_eq!(get(&server, "/memories?pinned=true")["total"], 0);
    let changes = get(&server, "/changes?limit=2");
    assert_eq!(changes["items"][1]["id"], pinned["change"]);
    assert_eq!(changes["items"][1]["is_undone"], true);

    let (status, gone) = api(&server, &[], &format!("DELETE /memories/{id}"), &Value::Null);
    assert_eq!((status, gone["status"].as_str()), (200, Some("archived")), "{gone}");
    assert_eq!(get(&server, "/memories")["total"], 0);
    post(&server, &format!("/memories/{id}/restore"), &json!({}));
    let named = post(&server, "/commands/memory.list", &json!({}));
    assert_eq!(named["total"], 1);
}

#[test]
fn a_dry_run_changes_nothing() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let before = tree(repo.root());
    let (status, shown) =
        api(&server, &[], "POST /memories?dry_run=true", &json!({ "text": "Kettles are red" }));
    assert_eq!((status, &shown["dry_run"]), (200, &json!(true)), "{shown}");
    assert_eq!(shown["change"], Value::Null);
    assert_eq!(tree(repo.root()), before);
}

#[test]
fn an_edit_of_something_that_changed_meanwhile_is_refused() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let id = post(&server, "/memories", &json!({ "text": "Kettles are red" }))["id"].clone();
    let path = format!("/memories/{}", id.as_str().unwrap());
    let read = server.whole(
        format!(
            "GET /api/v1{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            server.address
        )
        .as_bytes(),
    );
    let etag = read.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let fits = format!("If-Match: {etag}");
    let edit =
        |text: &str| api(&server, &[&fits], &format!("PATCH {path}"), &json!({ "text": text }));
    assert_eq!(edit("Kettles are blue").0, 200);
    let (status, refused) = edit("Kettles are green");
    assert_eq!((status, refused["code"].as_str()), (412, Some("edited-since")));
    assert_eq!(get(&server, &path)["text"], "Kettles are blue");
    let known = format!("If-None-Match: {etag}");
    assert_eq!(api(&server, &[&known], &format!("GET {path}"), &Value::Null).0, 200);
}

#[test]
fn pages_together_are_the_list() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    for n in 0..7 {
        run(
            repo.root(),
            &["--now", "2026-03-01T10:00:00Z", "remember", &format!("Kettle {n} is red")],
        );
    }
    for path in ["/memories", "/memories?sort=oldest", "/timeline", "/changes", "/journal"] {
        let sign = if path.contains('?') { '&' } else { '?' };
        let whole = get(&server, &format!("{path}{sign}limit=200"));
        let whole = whole["items"].as_array().unwrap().clone();
        assert!(whole.len() >= 7, "{path}: {whole:?}");
        let (mut all, mut next) = (Vec::new(), String::new());
        loop {
            let page = get(&server, &format!("{path}{sign}limit=2{next}"));
            all.extend(page["items"].as_array().unwrap().clone());
            match page["next"].as_str() {
                Some(cursor) => next = format!("&after={}", cursor.replace('#', "%23")),
                None => break,
            }
        }
        assert_eq!(all, whole, "{path}");
    }
}

#[test]
fn a_refusal_is_a_problem_report() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let table = [
        ("GET /memories/nothing", json!(null), 404, "unknown-id"),
        ("GET /nothing", json!(null), 404, "no-route"),
        ("PUT /memories", json!({}), 405, "method"),
        ("GET /commands/status", json!(null), 405, "method"),
        ("POST /commands/nothing", json!({}), 404, "no-operation"),
        ("POST /memories", json!({}), 400, "arguments"),
        ("POST /memories", json!({ "text": "x", "colour": "red" }), 400, "arguments"),
        ("GET /memories?limit=0x", json!(null), 400, "arguments"),
        ("GET /facts?limit=201", json!(null), 400, "arguments"),
        ("GET /memories?after=x", json!(null), 400, "cursor"),
        ("GET /timeline?after=x", json!(null), 400, "cursor"),
        ("GET /changes?after=x", json!(null), 400, "cursor"),
        ("POST /invariants/confirm", json!({ "all": true }), 403, "not-a-person"),
        ("POST /memories/x/purge", json!({ "reason": "x", "yes": true }), 403, "forbidden"),
        ("POST /sessions/none/notes", json!({ "text": "x" }), 400, "session"),
    ];
    for (line, body, status, code) in table {
        let (answered, problem) = api(&server, &[], line, &body);
        assert_eq!((answered, problem["code"].as_str()), (status, Some(code)), "{line}: {problem}");
        assert_eq!(problem["status"], status);
        for member in ["type", "title", "detail"] {
            assert!(problem[member].is_string(), "{line}: {problem}");
        }
    }
}

#[test]
fn reading_changes_nothing_and_counts_as_no_use() {
    let repo = initialised();
    let root = repo.root();
    let (_, made) = cli(root, &["remember", "Kettles are red"]);
    let id = made["id"].as_str().unwrap();
    run(root, &["fact", "add", "We keep kettles red", "--id", "red-kettles", "--agree"]);
    let (_, session) = cli(root, &["session", "start", "--agent", "a"]);
    let session = session["id"].as_str().unwrap();
    let server = Server::start(root, &["--no-schedule"]);
    let count = || get(&server, "/stats")["accesses"].clone();
    let (before, accesses) = (tree(root), count());
    let paths = [
        "/status",
        "/stats",
        "/lint",
        "/brief",
        "/user",
        "/recall?q=kettles",
        "/memories",
        "/facts",
        "/cords",
        "/threads",
        "/sessions",
        "/questions",
        "/review",
        "/invariants",
        "/dreams",
        "/dreams/plan",
        "/drift",
        "/entities",
        "/timeline",
        "/journal",
        "/experiences",
        "/changes",
        "/me",
        "/memories/red-kettles",
    ];
    for path in paths {
        get(&server, path);
        let own = format!("Quipu-Session: {session}");
        assert_eq!(api(&server, &[&own], &format!("GET {path}"), &Value::Null).0, 200);
    }
    for more in ["", "/why", "/curve", "/history", "/similar"] {
        get(&server, &format!("/memories/{id}{more}"));
    }
    assert_eq!(tree(root), before);
    assert_eq!(count(), accesses);
    let shown = get(&server, &format!("/sessions/{session}"));
    assert_eq!(shown["session"]["events"], json!([]), "{shown}");
    // An agent's question is one.
    post(&server, "/recall", &json!({ "query": "kettles" }));
    assert_ne!(count(), accesses);
}

#[test]
fn what_another_page_makes_a_browser_send_is_refused() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let own = format!("Origin: http://{}", server.address);
    let body = json!({ "text": "x y z" });
    let table: [(&[&str], u16); 8] = [
        (&["Host: evil.example"], 403),
        (&["Origin: https://evil.example"], 403),
        (&["Origin: null"], 403),
        (&["Origin: http://localhost:3000"], 403),
        (&["Sec-Fetch-Site: cross-site"], 403),
        (&["Sec-Fetch-Site: same-site"], 403),
        (&["Sec-Fetch-Site: same-origin", &own], 200),
        (&[], 200),
    ];
    for (headers, status) in table {
        let (answered, answer) = api(&server, headers, "GET /status", &Value::Null);
        assert_eq!(answered, status, "{headers:?} {answer}");
        let (answered, answer) = api(&server, headers, "POST /memories?dry_run=true", &body);
        assert_eq!(answered, status, "{headers:?} {answer}");
        // The page itself is no secret, but nobody gets it under another name.
        let is_host = headers.iter().any(|header| header.starts_with("Host:"));
        if is_host {
            assert_eq!(server.request("GET /assets/app.js", headers, "").0, 403);
        }
    }
    // A form cannot say that it is JSON.
    let text =
        "POST /api/v1/memories HTTP/1.1\r\nConnection: close\r\nContent-Type: text/plain\r\n";
    let text = format!("{text}Host: {}\r\nContent-Length: 2\r\n\r\n{{}}", server.address);
    assert_eq!(server.raw(text.as_bytes()).0, 415);
    let bare =
        "POST /api/v1/commands/status HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n";
    let bare = format!("{bare}Host: {}\r\n\r\n", server.address);
    assert_eq!(server.raw(bare.as_bytes()).0, 415);
}

#[test]
fn a_person_signs_in_once_with_a_code_and_acts_as_a_person() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["fact", "add", "We keep kettles red", "--id", "red-kettles", "--agree"]);
    let page = Page::open(root);
    let server = &page.server;
    assert_eq!(api(server, &[], "GET /status", &Value::Null).0, 401);
    assert_eq!(server.request("GET /", &[], "").0, 200);
    let cookie = page.sign_in().unwrap();
    assert!(page.sign_in().is_none(), "a replayed code");
    let (status, me) = api(server, &[&cookie], "GET /me", &Value::Null);
    assert_eq!((status, &me["person"], &me["permission"]), (200, &json!(true), &json!("admin")));
    assert_eq!(me["name"], "Ada");
    let (status, done) = api(server, &[&cookie], "POST /facts/red-kettles/core", &json!({}));
    assert_eq!(status, 200, "{done}");
    let (status, done) =
        api(server, &[&cookie], "POST /invariants/confirm", &json!({ "all": true }));
    assert_eq!(status, 200, "{done}");
    // The cookie is for the API of our own page.
    assert_eq!(server.request("GET /metrics", &[&cookie], "").0, 401);
    let foreign = "Origin: https://evil.example";
    assert_eq!(api(server, &[&cookie, foreign], "GET /status", &Value::Null).0, 403);
    let wrong = format!("{}0", &cookie[..cookie.len() - 1]);
    let wrong = if wrong == cookie { format!("{}1", &cookie[..cookie.len() - 1]) } else { wrong };
    assert_eq!(api(server, &[&wrong], "GET /status", &Value::Null).0, 401);
    let token = "Authorization: Bearer quipu_0";
    assert_eq!(api(server, &[&cookie, token], "GET /status", &Value::Null).0, 401);
    api(server, &[&cookie], "POST /sign-out", &json!({}));
    assert_eq!(api(server, &[&cookie], "GET /status", &Value::Null).0, 401);
}

#[test]
fn a_token_is_enough_for_its_permission_and_no_person() {
    let repo = initialised();
    let root = repo.root();
    let (_, made) = cli(root, &["token", "add", "reader", "--permission", "read"]);
    let token = made["token"].as_str().unwrap();
    let server = Server::closed(root, &[]);
    assert_eq!(api(&server, &[], "GET /status", &Value::Null).0, 401);
    let bearer = format!("Authorization: Bearer {token}");
    assert_eq!(api(&server, &[&bearer], "GET /status", &Value::Null).0, 200);
    let (status, refused) = api(&server, &[&bearer], "POST /memories", &json!({ "text": "x y" }));
    assert_eq!((status, refused["code"].as_str()), (403, Some("forbidden")), "{refused}");
    let (_, mut me) = api(&server, &[&bearer], "GET /me", &Value::Null);
    let position = me.as_object_mut().unwrap().remove("position");
    assert!(position.is_some_and(|position| position.is_string()));
    assert_eq!(
        me,
        json!({
            "person": false, "name": "reader", "permission": "read", "channel": "main",
        })
    );
    let (status, me) = api(&server, &[], "POST /sign-in", &json!({ "token": token }));
    assert_eq!((status, &me["person"]), (200, &json!(false)));
    let (status, _) = api(&server, &[], "POST /sign-in", &json!({ "token": "quipu_0" }));
    assert_eq!(status, 401);
}

#[test]
fn the_description_of_the_api_is_current() {
    let repo = initialised();
    let (_, printed, _) = run(repo.root(), &["serve", "--openapi"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let why = "docs/openapi.json is not what `quipu serve --openapi` prints: write it anew";
    assert!(kept == printed, "{why}");
    let server = Server::start(repo.root(), &[]);
    let answered = get(&server, "/openapi.json");
    assert_eq!(answered, serde_json::from_str::<Value>(&printed).unwrap());
}
