//! What must not get in, and what looking must not change.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use crate::callers::at_terminal;
use crate::rest::{Page, api, get};
use crate::serve::Server;
use crate::{initialised, json as cli, quipu, run};

/// Every place of the API that answers a GET, with values of this memory.
fn places(server: &Server, values: &[(&str, &str)]) -> Vec<String> {
    let description = get(server, "/openapi.json");
    let paths = description["paths"].as_object().unwrap();
    let safe = paths.iter().filter(|(_, item)| item.get("get").is_some());
    let filled = safe.map(|(path, _)| {
        let mut path = path.clone();
        for (name, value) in values {
            path = path.replace(&format!("{{{name}}}"), value);
        }
        path
    });
    filled.filter(|path| path != "/events").collect()
}

#[test]
fn looking_at_every_place_there_is_changes_and_counts_nothing() {
    let repo = initialised();
    let root = repo.root();
    let (_, made) = cli(root, &["remember", "We asked Ada Lovelace about `paint.rs`"]);
    run(root, &["fact", "add", "We keep kettles red", "--agree"]);
    let (_, session) = cli(root, &["session", "start", "--agent", "a"]);
    let words = ["token", "add", "boss", "--permission", "admin"];
    let boss = cli(root, &words).1["token"].as_str().unwrap().to_owned();
    let boss = format!("Authorization: Bearer {boss}");
    let server = Server::start(root, &["--no-schedule"]);
    let values = [
        ("id", made["id"].as_str().unwrap()),
        ("name", "ada%20lovelace"),
        ("session", session["id"].as_str().unwrap()),
    ];
    let look = || {
        let own = format!("Quipu-Session: {}", session["id"].as_str().unwrap());
        for path in places(&server, &values) {
            // Some places want an argument that has no usual value.
            let path = if path == "/recall" { "/recall?q=kettles".to_owned() } else { path };
            let (status, answer) =
                api(&server, &[&boss, &own], &format!("GET {path}"), &Value::Null);
            assert!(status < 500, "{path}: {answer}");
        }
    };
    // The first look may complete the index.
    look();
    let (before, accesses) = (crate::rest::tree(root), get(&server, "/stats")["accesses"].clone());
    let changes = get(&server, "/changes");
    look();
    assert_eq!(crate::rest::tree(root), before);
    assert_eq!(get(&server, "/stats")["accesses"], accesses);
    assert_eq!(get(&server, "/changes"), changes);
    let shown = get(&server, &format!("/sessions/{}", session["id"].as_str().unwrap()));
    assert_eq!(shown["session"]["events"], json!([]), "{shown}");
}

#[test]
fn nobody_gets_in_anywhere_without_a_token_or_under_another_name() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["token", "add", "me"]);
    let server = Server::closed(root, &["--no-schedule"]);
    let open = Server::start(root, &["--no-schedule"]);
    let wrong = ["Authorization: Bearer quipu_00", "Authorization: Basic eDp5", "Cookie: quipu=1"];
    let foreign =
        ["Host: evil.example", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"];
    let values = [("id", "x"), ("name", "x"), ("session", "x"), ("operation", "status")];
    let description = get(&open, "/openapi.json");
    for (path, item) in description["paths"].as_object().unwrap() {
        let mut filled = path.clone();
        for (name, value) in values {
            filled = filled.replace(&format!("{{{name}}}"), value);
        }
        for method in item.as_object().unwrap().keys() {
            let line = format!("{} {filled}", method.to_uppercase());
            let body = if method == "get" { Value::Null } else { json!({}) };
            for header in foreign {
                let (status, answer) = api(&open, &[header], &line, &body);
                assert_eq!(status, 403, "{line} {header}: {answer}");
            }
            if path == "/sign-in" {
                continue;
            }
            assert_eq!(api(&server, &[], &line, &body).0, 401, "{line}");
            for header in wrong {
                assert_eq!(api(&server, &[header], &line, &body).0, 401, "{line} {header}");
            }
        }
    }
    let (status, _) = api(&server, &[], "POST /sign-in", &json!({ "code": "0" }));
    assert_eq!(status, 401);
    let (status, _) = api(&server, &[], "POST /sign-in/codes", &json!({ "secret": "0" }));
    assert_eq!(status, 401);
}

#[test]
fn another_command_opens_the_page_of_a_server_that_runs() {
    let repo = initialised();
    let root = repo.root();
    let (_, made) = cli(root, &["remember", "Kettles are red"]);
    let id = made["id"].as_str().unwrap();
    let page = Page::open(root);
    let arguments = ["--json", "open", id];
    let (mut child, terminal) =
        at_terminal(root, &arguments, &[("BROWSER", "true"), ("QUIPU_USER", "Bob")]);
    let mut told = String::new();
    let mut terminal = BufReader::new(terminal);
    // A terminal that nobody writes to any more answers with a failure.
    while terminal.read_line(&mut told).is_ok_and(|read| read > 0) {}
    assert!(child.wait().unwrap().success(), "{told}");
    let address = format!("http://{}/m/{id}#code=", page.server.address);
    let code = told.split_once(&address).unwrap_or_else(|| panic!("{told}")).1;
    let code = code.split('"').next().unwrap();
    let body = json!({ "code": code });
    let (status, me) = api(&page.server, &[], "POST /sign-in", &body);
    assert_eq!((status, &me["person"], &me["name"]), (200, &json!(true), &json!("Bob")), "{me}");
    assert_eq!(api(&page.server, &[], "POST /sign-in", &body).0, 401, "a replayed code");
    let (status, _, error) = run(root, &["open", "nothing"]);
    assert!(status == 3 && error.contains("nothing"), "{error}");
}

#[test]
fn who_opens_the_page_from_an_agents_session_is_an_agent() {
    let repo = initialised();
    let root = repo.root();
    let page = Page::open(root);
    let mut command = quipu(root);
    command.args(["--json", "open"]).env("CLAUDECODE", "1").env("BROWSER", "true");
    let told = crate::answer(&command.output().unwrap()).1;
    let told: Value = serde_json::from_str(&told).unwrap();
    let code = told["page"].as_str().unwrap().split_once("#code=").unwrap().1;
    let (_, me) = api(&page.server, &[], "POST /sign-in", &json!({ "code": code }));
    assert_eq!((&me["person"], &me["name"]), (&json!(false), &json!("claude-code")), "{me}");
    assert_eq!(me["permission"], "write");
}
