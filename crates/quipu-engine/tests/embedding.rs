//! Other models than the built-in one.

use quipu_engine::recall::{self, Question, Recalled};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{Workspace, index, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::{now, request};
use quipu_testkit::server::EmbeddingServer;

fn told(text: &str) -> NewMemory {
    NewMemory { text: text.to_owned(), ..NewMemory::default() }
}

fn asked(query: &str) -> Question {
    Question { query: query.to_owned(), ..Question::default() }
}

fn with_server(repo: &TestRepo, server: &EmbeddingServer) -> Workspace {
    repo.workspace_with(&[
        ("embedding.provider", "endpoint"),
        ("embedding.url", server.url()),
        ("embedding.model", "animals"),
    ])
}

#[test]
fn a_server_on_this_machine_makes_the_vectors() {
    let server = EmbeddingServer::start();
    let repo = TestRepo::new();
    let workspace = with_server(&repo, &server);
    let new = [told("my cat sleeps all day"), told("the tree grows"), told("stocks fell")];
    remember::remember(&workspace, &new, &request("remember")).unwrap();
    assert_eq!(server.requests(), 1, "many texts go in one request");
    let recalled = recall::recall(&workspace, &asked("CATS?"), now()).unwrap();
    assert!(recalled.results[0].text.contains("my cat"));
    assert!(recalled.channels.contains(&"dense") && recalled.degraded.is_empty());
}

#[test]
fn a_server_that_fails_costs_vectors_and_nothing_else() {
    let server = EmbeddingServer::start();
    let repo = TestRepo::new();
    let workspace = with_server(&repo, &server);
    server.set_broken(true);
    let done =
        remember::remember(&workspace, &[told("my dog barks at night")], &request("remember"))
            .unwrap();
    assert!(done.degraded.unwrap().contains("503"));
    let recalled = recall::recall(&workspace, &asked("barking"), now()).unwrap();
    assert_eq!(recalled.results.len(), 1, "words find it all the same");
    assert!(
        recalled.degraded.iter().any(|reason| reason.contains("503")),
        "{:?}",
        recalled.degraded
    );
    assert!(
        replay::reembed(&workspace, false, &mut |_, _| {}).unwrap_err().to_string().contains("503")
    );
    server.set_broken(false);
    assert_eq!(replay::reembed(&workspace, false, &mut |_, _| {}).unwrap(), 1);
    assert!(recall::recall(&workspace, &asked("barking"), now()).unwrap().degraded.is_empty());
}

#[test]
fn models_are_never_mixed() {
    let repo = TestRepo::new();
    remember::remember(&repo.workspace(), &[told("my cat sleeps all day")], &request("remember"))
        .unwrap();
    let server = EmbeddingServer::start();
    let workspace = with_server(&repo, &server);
    let recalled = recall::recall(&workspace, &asked("cat"), now()).unwrap();
    assert!(!recalled.channels.contains(&"dense"));
    assert!(recalled.degraded[0].contains("quipu reembed"), "{:?}", recalled.degraded);
    assert_eq!(replay::reembed(&workspace, false, &mut |_, _| {}).unwrap(), 1);
    let recalled = recall::recall(&workspace, &asked("cat"), now()).unwrap();
    assert!(recalled.channels.contains(&"dense") && recalled.degraded.is_empty());
    // Back again: the old vectors are gone, and made anew.
    let workspace = repo.workspace();
    assert!(!recall::recall(&workspace, &asked("cat"), now()).unwrap().degraded.is_empty());
    assert_eq!(replay::reembed(&workspace, false, &mut |_, _| {}).unwrap(), 1);
}

#[test]
fn rule_10_a_repo_cannot_send_memory_elsewhere() {
    for url in [
        "https://example.org/v1/embeddings",
        "http://localhost.example.org/v1",
        "http://localhost@example.org/v1",
        "http://127.0.0.1.example.org/",
        "ftp://localhost/",
        "http://127.0.0.1:9/v1/embeddings",
    ] {
        let repo = TestRepo::new();
        repo.write(
            "quipu.toml",
            &format!("[embedding]\nprovider = \"endpoint\"\nurl = \"{url}\"\nmodel = \"m\"\n"),
        );
        let workspace = repo.workspace();
        assert!(workspace.config().notices[0].contains("`embedding.url`"), "{url}");
        let recalled = recall::recall(&workspace, &asked("x"), now()).unwrap();
        assert_eq!(recalled.degraded, Vec::<String>::new(), "the built-in model answers");
    }
}

#[test]
fn vectors_of_an_older_table_are_made_anew() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new = [told("my cat sleeps all day"), told("the tree grows")];
    remember::remember(&workspace, &new, &request("remember")).unwrap();
    let before = recall::recall(&workspace, &asked("a feline naps"), now()).unwrap();
    assert_eq!(before.channels, ["lexical", "dense"]);
    drop(workspace);
    // As an older Quipu left it.
    let database = rusqlite::Connection::open(index::database(&repo.workspace())).unwrap();
    let older = "UPDATE model SET name = 'quipu-static-1' WHERE name LIKE 'quipu-static-%'";
    assert_eq!(database.execute(older, []).unwrap(), 1);
    drop(database);
    let workspace = repo.workspace();
    let recalled = recall::recall(&workspace, &asked("a feline naps"), now()).unwrap();
    assert_eq!(recalled.channels, ["lexical"]);
    assert!(recalled.degraded[0].contains("quipu reembed"), "{:?}", recalled.degraded);
    assert_eq!(replay::reembed(&workspace, false, &mut |_, _| {}).unwrap(), 2);
    let after = recall::recall(&workspace, &asked("a feline naps"), now()).unwrap();
    assert!(after.degraded.is_empty(), "{:?}", after.degraded);
    let scores = |recalled: &Recalled| -> Vec<(String, f32)> {
        recalled.results.iter().map(|answer| (answer.id.clone(), answer.score)).collect()
    };
    assert_eq!(scores(&after), scores(&before), "as if it had never been otherwise");
    assert_eq!(replay::reembed(&workspace, false, &mut |_, _| {}).unwrap(), 0);
}
