//! Writing through the REST API: retries, dry runs, edits of what changed meanwhile.

use std::thread;

use serde_json::{Value, json};

use crate::rest::{api, get, post, tree};
use crate::serve::Server;
use crate::{initialised, json as cli, run};

#[test]
fn a_create_that_is_retried_a_hundred_times_at_once_exists_once() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let makes = [
        ("/memories", json!({ "text": "Kettles are red" })),
        ("/facts", json!({ "text": "We keep kettles red", "agree": true })),
        ("/threads", json!({ "text": "Paint the kettles" })),
        ("/sessions", json!({ "agent": "painter" })),
    ];
    let ids: Vec<String> = makes.iter().map(|(path, body)| retried(&server, path, body)).collect();
    assert_eq!(get(&server, "/memories?kind=record")["total"], 1);
    // Threads are listed beside facts.
    assert_eq!(get(&server, "/facts")["items"].as_array().unwrap().len(), 2);
    assert_eq!(get(&server, "/threads")["items"].as_array().unwrap().len(), 1);
    assert_eq!(get(&server, "/sessions")["open"].as_array().unwrap().len(), 1);
    assert_eq!(get(&server, &format!("/memories/{}", ids[0]))["text"], "Kettles are red");
    let day = repo.read(&format!("memory/{}.md", cli_day(repo.root())));
    assert_eq!(day.matches("Kettles are red").count(), 1, "{day}");
}

fn cli_day(folder: &std::path::Path) -> String {
    cli(folder, &["timeline"]).1["items"][0]["at"].as_str().unwrap()[..10].to_owned()
}

/// Sends a request a hundred times at once; returns the one id that all of them got.
fn retried(server: &Server, path: &str, body: &Value) -> String {
    let line = format!("POST {path}");
    let key = format!("Idempotency-Key: \"key of {path}\"");
    let answers: Vec<(u16, Value)> = thread::scope(|scope| {
        let send = || api(server, &[&key], &line, body);
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(send)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let first = &answers[0].1;
    for (status, answer) in &answers {
        assert_eq!(*status, 201, "{answer}");
        assert_eq!((&answer["id"], &answer["change"]), (&first["id"], &first["change"]));
        assert!(answer["undo"]["href"].is_string(), "{answer}");
    }
    let own = answers.iter().filter(|(_, answer)| answer["repeated"] != true).count();
    assert_eq!(own, 1, "one of them was the first");
    first["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_key_is_for_one_request_of_one_caller() {
    let repo = initialised();
    let token = |name: &str| {
        let (_, made) = cli(repo.root(), &["token", "add", name, "--permission", "write"]);
        format!("Authorization: Bearer {}", made["token"].as_str().unwrap())
    };
    let (ada, bob) = (token("ada"), token("bob"));
    let server = Server::start(repo.root(), &[]);
    let key = "Idempotency-Key: 3f2c";
    let send = |who: &str, line: &str, body: &Value| api(&server, &[who, key], line, body);
    let red = json!({ "text": "Kettles are red" });
    let (_, first) = send(&ada, "POST /memories", &red);
    let (status, refused) = send(&ada, "POST /memories", &json!({ "text": "Kettles are blue" }));
    assert_eq!((status, refused["code"].as_str()), (409, Some("key-reused")), "{refused}");
    let (status, refused) = send(&ada, "POST /threads", &red);
    assert_eq!((status, refused["code"].as_str()), (409, Some("key-reused")), "{refused}");
    let (status, other) = send(&bob, "POST /memories", &red);
    assert_eq!(status, 201);
    assert_ne!(other["id"], first["id"], "a key of another caller is another key");
    let (_, looked) = send(&ada, "POST /memories?dry_run=true", &json!({ "text": "x y z" }));
    assert_eq!(looked["dry_run"], true, "a dry run uses no key up");
    let long = format!("Idempotency-Key: {}", "x".repeat(256));
    assert_eq!(api(&server, &[&ada, &long], "POST /memories", &red).0, 400);
}

#[test]
fn a_retry_recognises_what_was_written_when_the_answer_is_lost() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let key = "Idempotency-Key: 3f2c";
    let send = |path: &str, text: &str| {
        let body = json!({ "text": text });
        api(&server, &[key], &format!("POST {path}"), &body)
    };
    let forget_answers = || {
        let folder = quipu_testkit::state_of(repo.root(), "requests");
        std::fs::remove_dir_all(folder).unwrap();
    };
    let (_, first) = send("/memories", "Kettles are red");
    forget_answers();
    let (status, again) = send("/memories", "Kettles are red");
    assert_eq!((status, &again["id"]), (201, &first["id"]), "{again}");
    forget_answers();
    let (status, refused) = send("/memories", "Kettles are blue");
    assert_eq!((status, refused["code"].as_str()), (409, Some("key-reused")), "{refused}");
    assert_eq!(get(&server, "/memories")["total"], 1);

    let key = "Idempotency-Key: 4a4a";
    let body = json!({ "text": "Paint the kettles" });
    let send = || api(&server, &[key], "POST /threads", &body);
    assert_eq!(send().0, 201);
    forget_answers();
    let (status, refused) = send();
    assert_eq!((status, refused["code"].as_str()), (409, Some("already-done")), "{refused}");
    assert_eq!(get(&server, "/threads")["items"].as_array().unwrap().len(), 1);
}

#[test]
fn what_was_not_decided_may_be_asked_again_with_the_same_key() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    post(&server, "/facts", &json!({ "text": "Retries use exponential backoff, 3 attempts" }));
    let key = "Idempotency-Key: 3f2c";
    let text = "Retries use exponential backoff, 5 attempts";
    let (_, open) = api(&server, &[key], "POST /facts", &json!({ "text": text }));
    assert_eq!(open["added"], false, "{open}");
    let (_, done) = api(&server, &[key], "POST /facts", &json!({ "text": text, "agree": true }));
    assert_eq!(done["added"], true, "{done}");
    let before = tree(repo.root());
    let (_, again) = api(&server, &[key], "POST /facts", &json!({ "text": text, "agree": true }));
    assert_eq!((&again["id"], &again["repeated"]), (&done["id"], &json!(true)));
    assert_eq!(tree(repo.root()), before);
}

#[test]
fn every_change_can_be_looked_at_before_it_is_made() {
    let repo = initialised();
    let root = repo.root();
    let (_, made) = cli(root, &["remember", "Ada Lovelace paints kettles red in `paint.rs`"]);
    let id = made["id"].as_str().unwrap();
    let (_, other) = cli(root, &["remember", "We asked Bob Marlin about `paint.rs`"]);
    let other = other["id"].as_str().unwrap();
    cli(root, &["session", "start", "--agent", "a"]);
    let session = cli(root, &["session", "list"]).1["open"][0]["id"].clone();
    let server = Server::start(root, &["--no-schedule"]);
    let memory = format!("/memories/{id}");
    let table = [
        (format!("{memory}/status"), json!({ "status": "challenged" })),
        (format!("{memory}/promote"), json!({})),
        (format!("{memory}/demote"), json!({ "to": "working" })),
        (format!("{memory}/pin"), json!({})),
        (format!("{memory}/confirm"), json!({})),
        (format!("{memory}/challenge"), json!({ "reason": "x" })),
        (format!("{memory}/invalidate"), json!({ "reason": "x" })),
        (format!("{memory}/tag"), json!({ "tags": ["x"] })),
        (format!("{memory}/link"), json!({ "to": other })),
        (format!("{memory}/annotate"), json!({ "note": "see x" })),
        (format!("{memory}/merge"), json!({ "into": other })),
        (format!("{memory}/uses"), json!({})),
        ("/entities/ada%20lovelace/aliases".to_owned(), json!({ "alias": "the painter" })),
        ("/entities/bob%20marlin/merge".to_owned(), json!({ "into": "ada lovelace" })),
        ("/sessions".to_owned(), json!({ "agent": "b" })),
        (format!("/sessions/{}/notes", session.as_str().unwrap()), json!({ "text": "x" })),
    ];
    // The index is not part of it.
    let _ = get(&server, &memory);
    let (before, history) = (tree(root), get(&server, &format!("{memory}/history")));
    let (changes, accesses) =
        (get(&server, "/changes"), get(&server, "/stats")["accesses"].clone());
    for (path, body) in &table {
        let shown = post(&server, &format!("{path}?dry_run=true"), body);
        assert_eq!((&shown["dry_run"], &shown["change"]), (&json!(true), &Value::Null), "{path}");
    }
    assert_eq!(tree(root), before);
    assert_eq!(get(&server, &format!("{memory}/history")), history);
    assert_eq!(get(&server, "/changes"), changes);
    assert_eq!(get(&server, "/stats")["accesses"], accesses);
    assert_eq!(get(&server, "/sessions")["open"].as_array().unwrap().len(), 1);
    for (path, body) in &table {
        // Some of them exclude each other.
        let (status, done) = api(&server, &[], &format!("POST {path}"), body);
        assert!(status < 500 && status != 404, "{path}: {status} {done}");
        assert!(status >= 400 || done["dry_run"] == false, "{path}: {done}");
    }
}

#[test]
fn a_memory_says_everything_that_is_known_about_it() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    post(&server, "/memories", &json!({ "text": "The first line of the day" }));
    let said = json!({
        "text": "Kettles are red", "tags": ["tea"], "category": "decision", "pin": true,
    });
    let old = post(&server, "/memories", &said)["id"].as_str().unwrap().to_owned();
    let said = json!({ "text": "Kettles are blue", "supersedes": old });
    let new = post(&server, "/memories", &said)["id"].as_str().unwrap().to_owned();
    let old = get(&server, &format!("/memories/{old}"));
    assert_eq!(old["pinned"], true, "{old}");
    assert!(old["importance"].is_number() && old["category"] == "decision", "{old}");
    assert_eq!((&old["source"], &old["sensitivity"]), (&json!("ai"), &json!("private-user")));
    assert_eq!((&old["tags"], &old["superseded_by"]), (&json!(["tea"]), &json!(new)));
    assert!(old["time"].is_string() && old["session"].is_string(), "{old}");
    let (path, line) = (old["provenance"]["path"].as_str().unwrap(), &old["provenance"]["line"]);
    let text = repo.read(path);
    let line = text.lines().nth(usize::try_from(line.as_u64().unwrap()).unwrap() - 1);
    assert!(line.unwrap().contains("Kettles are red"), "{text}");
    let new = get(&server, &format!("/memories/{new}"));
    assert_eq!((&new["supersedes"], &new["pinned"]), (&json!([old["id"]]), &json!(false)));

    let fact = post(&server, "/facts", &json!({ "text": "We drink tea at four" }));
    let fact = fact["id"].as_str().unwrap();
    post(&server, &format!("/memories/{fact}/pin"), &json!({}));
    let fact = get(&server, &format!("/memories/{fact}"));
    assert_eq!((&fact["pinned"], &fact["category"]), (&json!(true), &json!("Key Decisions")));
    assert!(fact["provenance"]["line"].is_number() && fact["importance"].is_number(), "{fact}");
}

#[test]
fn a_use_is_counted_when_somebody_says_so() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let record = post(&server, "/memories", &json!({ "text": "Kettles are red" }))["id"].clone();
    let record = record.as_str().unwrap();
    let accesses = || get(&server, "/stats")["accesses"].as_u64().unwrap();
    let before = accesses();
    let used = post(&server, &format!("/memories/{record}/uses"), &json!({}));
    assert_eq!((&used["id"], &used["kind"]), (&json!(record), &json!("record")));
    assert_eq!(accesses(), before + 1);

    let fact = post(&server, "/facts", &json!({ "text": "We drink tea at four" }))["id"].clone();
    let fact = fact.as_str().unwrap();
    let session = post(&server, "/sessions", &json!({ "agent": "a" }))["id"].clone();
    let own = format!("Quipu-Session: {}", session.as_str().unwrap());
    let (status, used) = api(&server, &[&own], &format!("POST /memories/{fact}/uses"), &json!({}));
    assert_eq!((status, &used["kind"]), (200, &json!("fact")), "{used}");
    let shown = get(&server, &format!("/sessions/{}", session.as_str().unwrap()));
    assert!(shown["session"]["events"].to_string().contains(fact), "{shown}");
    let (status, _) = api(&server, &[], "POST /memories/nothing/uses", &json!({}));
    assert_eq!(status, 404);
}

#[test]
fn of_two_edits_at_once_one_wins_and_the_other_hears_of_it() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let record = post(&server, "/memories", &json!({ "text": "Kettles are red" }));
    let fact = post(&server, "/facts", &json!({ "text": "We drink tea at four" }));
    for made in [record, fact] {
        let path = format!("/memories/{}", made["id"].as_str().unwrap());
        let head = format!("GET /api/v1{path} HTTP/1.1\r\nHost: {}\r\n", server.address);
        let read = server.whole(format!("{head}Connection: close\r\n\r\n").as_bytes());
        let etag = read.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
        let fits = format!("If-Match: {etag}");
        let statuses: Vec<u16> = thread::scope(|scope| {
            let edit = |n: usize| {
                let (server, path, fits) = (&server, &path, &fits);
                move || {
                    let body = json!({ "text": format!("Number {n} was here first") });
                    api(server, &[fits], &format!("PATCH {path}"), &body).0
                }
            };
            let edits: Vec<_> = (0..16).map(|n| scope.spawn(edit(n))).collect();
            edits.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let won = statuses.iter().filter(|status| **status == 200).count();
        let lost = statuses.iter().filter(|status| **status == 412).count();
        assert_eq!((won, lost), (1, 15), "{path} {statuses:?}");
    }
}

#[test]
fn long_work_is_taken_up_and_asked_about() {
    let repo = initialised();
    let server = Server::start(repo.root(), &["--no-schedule"]);
    post(&server, "/memories", &json!({ "text": "Kettles are red" }));
    let at_once = post(&server, "/dreams", &json!({}));
    assert!(at_once["actions"].is_array(), "{at_once}");
    let later = "Prefer: respond-async";
    let (status, job) = api(&server, &[later], "POST /dreams", &json!({}));
    assert_eq!((status, &job["operation"]), (202, &json!("dream")), "{job}");
    let place = format!("/jobs/{}", job["id"].as_str().unwrap());
    let mut seen = get(&server, &place);
    while seen["state"] == "running" {
        thread::yield_now();
        seen = get(&server, &place);
    }
    assert_eq!(seen["state"], "done", "{seen}");
    assert!(seen["answer"]["actions"].is_array(), "{seen}");
    assert_eq!(get(&server, "/jobs")["items"].as_array().unwrap().len(), 2);
    let (_, failed) =
        api(&server, &[later], "POST /commands/answer", &json!({ "id": "none", "answer": "x" }));
    assert_eq!(failed["code"], "arguments", "what makes no sense is refused at once: {failed}");
    let (status, answered) = api(&server, &[later], "GET /dreams/plan", &Value::Null);
    assert_eq!(status, 200, "to look is no work: {answered}");
}

#[test]
fn the_machine_is_an_administrators_business() {
    let repo = initialised();
    let root = repo.root();
    let token = |name: &str, scope: &str| {
        let (_, made) = cli(root, &["token", "add", name, "--permission", scope]);
        format!("Authorization: Bearer {}", made["token"].as_str().unwrap())
    };
    let (writer, admin) = (token("writer", "write"), token("boss", "admin"));
    let server = Server::start(root, &["--no-schedule"]);
    let table = [
        ("GET", "/clients"),
        ("GET", "/config"),
        ("POST", "/doctor"),
        ("GET", "/tokens"),
        ("POST", "/tokens"),
    ];
    for (method, path) in table {
        let body = if method == "POST" { json!({}) } else { Value::Null };
        let (status, refused) = api(&server, &[&writer], &format!("{method} {path}"), &body);
        assert_eq!((status, refused["code"].as_str()), (403, Some("forbidden")), "{path}");
    }
    let (_, clients) = api(&server, &[&admin], "GET /clients", &Value::Null);
    assert!(clients["clients"].as_array().unwrap().len() > 5, "{clients}");
    let (_, config) = api(&server, &[&admin], "GET /config", &Value::Null);
    let settings = config["settings"].as_array().unwrap();
    let half_life = settings.iter().find(|one| one["key"] == "lifecycle.halfLifeDays").unwrap();
    assert_eq!(half_life["source"], "default", "{half_life}");
    let body = json!({ "name": "new", "scope": "read" });
    let (status, made) = api(&server, &[&admin], "POST /tokens", &body);
    assert_eq!(status, 201, "{made}");
    let new = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    assert_eq!(api(&server, &[&new], "GET /status", &Value::Null).0, 200);
    assert_eq!(api(&server, &[&admin], "POST /tokens", &body).0, 409);
    let wrong = json!({ "name": "other", "scope": "god" });
    assert_eq!(api(&server, &[&admin], "POST /tokens", &wrong).0, 400);
    let (_, listed) = api(&server, &[&admin], "GET /tokens", &Value::Null);
    assert_eq!(listed["items"].as_array().unwrap().len(), 3);
    assert!(!listed.to_string().contains("hash"), "{listed}");
    assert_eq!(api(&server, &[&admin], "DELETE /tokens/new", &Value::Null).0, 200);
    assert_eq!(api(&server, &[&new], "GET /status", &Value::Null).0, 401);
    assert_eq!(api(&server, &[&admin], "DELETE /tokens/new", &Value::Null).0, 404);
    assert_eq!(api(&server, &[&admin], "PUT /tokens", &json!({})).0, 405);
}

#[test]
fn the_whole_graph_is_small_enough_to_draw() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["remember", "We asked Ada Lovelace and Bob Marlin about `paint.rs`"]);
    run(root, &["remember", "Ada Lovelace and Bob Marlin met at noon"]);
    let server = Server::start(root, &["--no-schedule"]);
    let graph = get(&server, "/graph");
    let tie = &graph["edges"][0];
    let names = [tie["from"].as_str().unwrap(), tie["to"].as_str().unwrap()];
    assert!(names.iter().all(|name| ["ada lovelace", "bob marlin"].contains(name)), "{graph}");
    assert_eq!((&tie["items"], &graph["is_cut"]), (&json!(2), &json!(false)));
    let small = get(&server, "/graph?limit=1");
    assert_eq!((small["nodes"].as_array().unwrap().len(), &small["is_cut"]), (1, &json!(true)));
}
