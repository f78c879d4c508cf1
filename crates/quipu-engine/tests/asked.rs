//! Operations as somebody asks for them with JSON.

use quipu_core::secret::{self, Scope};
use quipu_engine::caller::{Actor, Caller, Channel, Permission};
use quipu_engine::operation::registry::Asked;
use quipu_engine::operation::{Call, Effect, OperationError};
use quipu_engine::operations;
use quipu_testkit::TestRepo;
use quipu_testkit::repo::{now, today};
use serde_json::{Value, json};

fn asked(name: &str, arguments: &Value) -> Box<dyn Asked> {
    let object = arguments.as_object().cloned().unwrap();
    operations::named(name).unwrap().read(object).unwrap_or_else(|error| panic!("{error:?}"))
}

fn answer(
    repo: &TestRepo,
    permission: Permission,
    name: &str,
    arguments: &Value,
) -> Result<Value, OperationError> {
    let caller = Caller { permission, channel: Channel::Main, actor: Actor::Agent("a") };
    let progress = &|_: &str, _: usize, _: usize| true;
    let (now, today) = (now(), today());
    let call = Call {
        caller,
        now,
        today,
        session: None,
        scope: None,
        progress,
        is_here: false,
        counts: true,
        retry: None,
    };
    asked(name, arguments).answer(&repo.workspace(), &call)
}

#[test]
fn a_call_says_itself_whether_it_only_looks() {
    let view = json!({ "command": "{\"command\":\"view\",\"path\":\"/memories\"}" });
    let block = json!({ "command": "{\"type\":\"tool_use\",\"input\":{\"command\":\"view\"}}" });
    let delete = json!({ "command": "{\"command\":\"delete\",\"path\":\"/memories/a\"}" });
    let hidden = json!({ "command": "{\"command\":\"delete\",\"type\":\"view\"}" });
    let cases = [
        ("drift", json!({}), Effect::Reads),
        ("drift", json!({ "fix": true }), Effect::Writes),
        ("drift", json!({ "fix": true, "dry_run": true }), Effect::Reads),
        ("dream", json!({}), Effect::Writes),
        ("dream", json!({ "list": true }), Effect::Reads),
        ("dream", json!({ "undo": "" }), Effect::Writes),
        ("harvest", json!({}), Effect::Reads),
        ("harvest", json!({ "accept": [] }), Effect::Reads),
        ("harvest", json!({ "accept": ["1"] }), Effect::Writes),
        ("harvest", json!({ "accept": ["1"], "dry_run": true }), Effect::Reads),
        ("memory-tool", view, Effect::Reads),
        ("memory-tool", block, Effect::Reads),
        ("memory-tool", delete, Effect::Removes),
        ("memory-tool", hidden, Effect::Removes),
        ("memory-tool", json!({ "command": "{" }), Effect::Removes),
    ];
    for (name, arguments, effect) in cases {
        assert_eq!(asked(name, &arguments).effect(), effect, "{name} {arguments}");
    }
}

#[test]
fn what_excludes_each_other_does_so_in_json_too() {
    let repo = TestRepo::new();
    let cases = [
        ("dream", json!({ "list": true, "undo": "" })),
        ("dream", json!({ "list": true, "dry_run": true })),
        ("questions", json!({ "next": true, "answered": true })),
        ("answer", json!({})),
        ("answer", json!({ "id": "q" })),
        ("answer", json!({ "id": "q", "choice": "x", "undo": true })),
        ("answer", json!({ "id": "q", "judge": true })),
    ];
    for (name, arguments) in cases {
        let error = answer(&repo, Permission::Write, name, &arguments).unwrap_err();
        assert_eq!(error.code, "arguments", "{name} {arguments}");
    }
}

#[test]
fn who_may_look_may_not_have_the_memory_tool_write() {
    let repo = TestRepo::new();
    let create = json!({ "command": "{\"command\":\"create\",\"path\":\"/memories/a.md\",\"file_text\":\"x\"}" });
    let error = answer(&repo, Permission::Read, "memory-tool", &create).unwrap_err();
    assert_eq!(error.code, "forbidden");
    let view = json!({ "command": "{\"command\":\"view\",\"path\":\"/memories\"}" });
    let seen = answer(&repo, Permission::Read, "memory-tool", &view).unwrap();
    assert_eq!(seen["is_error"], false, "{seen}");
}

#[test]
fn a_credential_in_what_mentions_an_entity_is_blacked_out() {
    let repo = TestRepo::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert!(!secret::scan(&token, Scope::Credentials).is_empty());
    let workspace = repo.workspace_with(&[("guard.secrets", "allow")]);
    quipu_testkit::memories::remember(&workspace, &format!("at work Carla signs in with {token}"));
    let shown = answer(&repo, Permission::Read, "entity.show", &json!({ "name": "Carla" }));
    let shown = shown.unwrap().to_string();
    assert!(shown.contains("signs in with") && !shown.contains(&token), "{shown}");
}
