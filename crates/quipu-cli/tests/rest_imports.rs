//! Imports over the REST API: a file comes in pieces, is looked at, and is imported or left.

use serde_json::{Value, json};

use crate::rest::{api, get, post};
use crate::serve::Server;
use crate::{initialised, json as cli};

const GRAPH: &str = "{\"type\":\"entity\",\"name\":\"Ana\",\"entityType\":\"person\",\"observations\":[\"likes black tea\",\"lives in Porto\"]}\n";

/// Sends a piece of a file.
fn piece(server: &Server, id: &str, offset: usize, bytes: &str) -> (u16, Value) {
    let line = format!("PUT /api/v1/imports/{id}/content?offset={offset}");
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n{bytes}",
        server.address,
        bytes.len()
    );
    let answer = server.whole(request.as_bytes());
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or_default())
}

#[test]
fn a_file_is_sent_looked_at_imported_and_taken_back() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let begun = post(
        &server,
        "/imports",
        &json!({ "name": "../memory.jsonl", "size": GRAPH.len(), "modified": "2025-03-01T10:00:00Z" }),
    );
    assert_eq!((&begun["name"], &begun["received"]), (&json!("memory.jsonl"), &json!(0)));
    let id = begun["id"].as_str().unwrap();
    let (status, problem) = api(&server, &[], &format!("POST /imports/{id}/plan"), &json!({}));
    assert_eq!((status, &problem["code"]), (409, &json!("incomplete")));
    let (first, second) = GRAPH.split_at(40);
    assert_eq!(piece(&server, id, 0, first).1["received"], 40);
    assert_eq!(piece(&server, id, 0, first).1["code"], "offset", "a piece is sent once");
    assert_eq!(piece(&server, id, 40, second).1["received"], GRAPH.len());
    let before = get(&server, "/memories")["items"].as_array().unwrap().len();
    let plan = post(&server, &format!("/imports/{id}/plan"), &json!({ "explain": true }));
    assert_eq!(
        (&plan["format"], &plan["new"], &plan["applied"]),
        (&json!("mcp"), &json!(2), &json!(false)),
        "{plan}"
    );
    assert_eq!(plan["files"], json!(["memory.jsonl"]), "no path of this machine is told");
    assert_eq!(plan["samples"][0]["time"], "2025-03-01T10:00:00Z", "nothing is dated today");
    assert_eq!(get(&server, "/memories")["items"].as_array().unwrap().len(), before);
    let done = post(&server, &format!("/imports/{id}/accept"), &json!({}));
    assert_eq!(done["new"], 2, "{done}");
    assert_eq!(get(&server, "/imports")["items"][0]["memories"], 2);
    let found = get(&server, "/recall?q=where+does+Ana+live");
    assert!(found["results"][0]["text"].as_str().unwrap().contains("Porto"), "{found}");
    let (status, _) = api(&server, &[], &format!("GET /imports/{id}"), &Value::Null);
    assert_eq!(status, 404, "what was imported is kept no longer");
    let undo = done["undo"]["href"].as_str().unwrap().strip_prefix("/api/v1").unwrap().to_owned();
    post(&server, &undo, &json!({}));
    assert_eq!(get(&server, "/memories")["items"].as_array().unwrap().len(), before);
}

#[test]
fn who_sends_a_file_names_no_file_of_this_machine() {
    let repo = initialised();
    let source = repo.root().join("private.jsonl");
    std::fs::write(&source, GRAPH).unwrap();
    let server = Server::start(repo.root(), &[]);
    for body in [json!({ "source": source }), json!({ "paths": [source] }), json!({ "find": true })]
    {
        let (status, problem) = api(&server, &[], "POST /commands/import", &body);
        assert_eq!((status, &problem["code"]), (400, &json!("arguments")), "{body} {problem}");
    }
    let (status, _) =
        api(&server, &[], "POST /commands/import", &json!({ "upload": source, "yes": true }));
    assert_eq!(status, 400);
    let plan = post(&server, "/commands/import", &json!({ "content": GRAPH }));
    assert_eq!((&plan["new"], &plan["applied"]), (&json!(2), &json!(false)), "{plan}");
    assert_eq!(plan["samples"][0]["time"], Value::Null, "nothing is dated today");
    let done = post(&server, "/commands/import", &json!({ "content": GRAPH, "yes": true }));
    assert_eq!((&done["applied"], done["undo"].is_object()), (&json!(true), true), "{done}");
    assert_eq!(cli(repo.root(), &["import", "--list"]).1["runs"][0]["memories"], 2);
}

#[test]
fn a_file_that_nobody_knows_is_said_to_be_so_and_can_be_taken_away() {
    let repo = initialised();
    let server = Server::start(repo.root(), &[]);
    let words = "just a line\nand another\n";
    let begun = post(&server, "/imports", &json!({ "name": "notes", "size": words.len() }));
    let id = begun["id"].as_str().unwrap();
    assert_eq!(piece(&server, id, 0, words).0, 200);
    let (status, problem) = api(&server, &[], &format!("POST /imports/{id}/plan"), &json!({}));
    assert_eq!((status, &problem["code"]), (400, &json!("unknown-format")), "{problem}");
    let plan = post(&server, &format!("/imports/{id}/plan"), &json!({ "as": "list" }));
    assert_eq!(plan["format"], "list", "{plan}");
    let (status, problem) =
        api(&server, &[], &format!("POST /imports/{id}/plan"), &json!({ "yes": true }));
    assert_eq!((status, &problem["code"]), (400, &json!("arguments")), "{problem}");
    let (status, _) = api(&server, &[], &format!("DELETE /imports/{id}"), &Value::Null);
    assert_eq!(status, 200);
    for (line, body, expected) in [
        (format!("POST /imports/{id}/accept"), json!({}), 404),
        ("POST /imports".to_owned(), json!({ "name": "x", "size": 0 }), 400),
        ("POST /imports".to_owned(), json!({ "name": "x", "size": 1_u64 << 40 }), 413),
        ("PATCH /imports".to_owned(), json!({}), 405),
    ] {
        assert_eq!(api(&server, &[], &line, &body).0, expected, "{line}");
    }
}
