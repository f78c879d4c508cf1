//! Places that are no operation on a memory.

use quipu_engine::operations;
use serde_json::{Value, json};

use super::super::imports::SAID;
use super::schemas::reference;

/// Returns them all: method, path, description.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn all() -> Vec<(&'static str, &'static str, Value)> {
    let names: Vec<&str> = operations::ALL.iter().map(|entry| entry.name).collect();
    let job = || reference("schemas", "Job");
    let list = |items: Value| {
        json!({
            "type": "object",
            "properties": {
                "items": { "type": "array", "items": items }, "next": reference("schemas", "Next"),
            },
            "required": ["items", "next"],
        })
    };
    let value = |name: &str| {
        json!({
            "name": name, "in": "path", "required": true,
            "schema": { "type": "string", "minLength": 1 },
        })
    };
    let object = || json!({ "type": "object" });
    let upload = || {
        json!({
            "type": "object",
            "properties": {
                "id": { "type": "string" }, "name": { "type": "string" },
                "size": { "type": "integer" }, "received": { "type": "integer" },
            },
            "required": ["id", "name", "size", "received"],
        })
    };
    vec![
        ("GET", "/me", place("Say who calls", None, &[], &[("200", reference("schemas", "Me"))])),
        (
            "POST",
            "/sign-in",
            open(place(
                "Sign a browser in: a code of `quipu serve --open`, or a token, becomes a cookie",
                Some(json!({
                    "type": "object",
                    "properties": { "code": { "type": "string" }, "token": { "type": "string" } },
                    "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
                })),
                &[],
                &[("200", reference("schemas", "Me"))],
            )),
        ),
        (
            "POST",
            "/sign-out",
            place("Sign a browser out", Some(object()), &[], &[("204", Value::Null)]),
        ),
        ("GET", "/openapi.json", place("Describe the API", None, &[], &[("200", object())])),
        ("GET", "/events", events()),
        (
            "POST",
            "/commands/{operation}",
            place(
                "Carry out any operation by its name",
                Some(object()),
                &[json!({
                    "name": "operation", "in": "path", "required": true,
                    "schema": { "enum": names },
                })],
                &[("200", object()), ("202", job())],
            ),
        ),
        ("GET", "/jobs", place("List long work", None, &[], &[("200", list(job()))])),
        (
            "GET",
            "/jobs/{id}",
            place("Ask about long work", None, &[value("id")], &[("200", job())]),
        ),
        (
            "DELETE",
            "/jobs/{id}",
            place(
                "Stop long work at its next step; a dream can be stopped, other work may run to its end",
                None,
                &[value("id")],
                &[("200", job()), ("202", job())],
            ),
        ),
        (
            "GET",
            "/imports",
            place("List the imports that were made", None, &[], &[("200", list(object()))]),
        ),
        (
            "POST",
            "/imports",
            write(place(
                "Begin to send a file of another program, to be imported",
                Some(json!({
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "size": { "type": "integer", "minimum": 1 },
                        "modified": {
                            "type": "string", "format": "date-time",
                            "description": "When the file was written: the time of what has no other",
                        },
                    },
                    "required": ["name", "size"], "additionalProperties": false,
                })),
                &[],
                &[("201", upload())],
            )),
        ),
        (
            "GET",
            "/imports/{id}",
            place("Say how much of a file has arrived", None, &[value("id")], &[("200", upload())]),
        ),
        (
            "DELETE",
            "/imports/{id}",
            write(place(
                "Take a file away that was sent",
                None,
                &[value("id")],
                &[("200", upload())],
            )),
        ),
        ("PUT", "/imports/{id}/content", content(value("id"), upload())),
        (
            "POST",
            "/imports/{id}/plan",
            write(place(
                "Show what importing a file would do",
                Some(how_to_read()),
                &[value("id")],
                &[("200", object()), ("202", job())],
            )),
        ),
        (
            "POST",
            "/imports/{id}/accept",
            write(place(
                "Import a file that was sent",
                Some(how_to_read()),
                &[value("id")],
                &[("200", object()), ("202", job())],
            )),
        ),
        (
            "GET",
            "/clients",
            admin(place(
                "List the clients of this machine",
                None,
                &[],
                &[(
                    "200",
                    json!({
                        "type": "object",
                        "properties": { "clients": { "type": "array", "items": object() } },
                        "required": ["clients"],
                    }),
                )],
            )),
        ),
        (
            "GET",
            "/config",
            admin(place(
                "Show every setting, its value in force and where it comes from",
                None,
                &[],
                &[(
                    "200",
                    json!({
                        "type": "object",
                        "properties": { "settings": { "type": "array", "items": object() } },
                        "required": ["settings"],
                    }),
                )],
            )),
        ),
        (
            "POST",
            "/doctor",
            admin(place(
                "Find out what is wrong with the installation; it starts programs",
                Some(object()),
                &[],
                &[(
                    "200",
                    json!({
                        "type": "object",
                        "properties": {
                            "findings": { "type": "integer", "minimum": 0 },
                            "checks": { "type": "array", "items": object() },
                        },
                        "required": ["findings", "checks"],
                    }),
                )],
            )),
        ),
        (
            "GET",
            "/tokens",
            admin(place(
                "List who has a token",
                None,
                &[],
                &[("200", list(reference("schemas", "Token")))],
            )),
        ),
        (
            "POST",
            "/tokens",
            admin(place(
                "Make a token; it is shown once",
                Some(json!({
                    "type": "object",
                    "properties": {
                        "name": { "type": "string", "minLength": 1, "maxLength": 64 },
                        "scope": { "enum": ["read", "write", "admin"] },
                        "channel": { "enum": ["main", "heartbeat", "other"] },
                    },
                    "required": ["name"], "additionalProperties": false,
                })),
                &[],
                &[("201", reference("schemas", "Token"))],
            )),
        ),
        (
            "DELETE",
            "/tokens/{name}",
            admin(place(
                "Take a token away, at once",
                None,
                &[value("name")],
                &[("200", object())],
            )),
        ),
    ]
}

fn place(
    summary: &str,
    body: Option<Value>,
    parameters: &[Value],
    answers: &[(&str, Value)],
) -> Value {
    let mut responses = json!({ "default": reference("responses", "problem") });
    for (status, schema) in answers {
        let mut answer = json!({ "description": "What was asked for" });
        if !schema.is_null() {
            answer["content"] = json!({ "application/json": { "schema": schema } });
        }
        responses[*status] = answer;
    }
    let mut place = json!({ "summary": summary, "parameters": parameters, "responses": responses });
    if let Some(schema) = body {
        place["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    }
    place
}

/// A piece of a file, as it is.
fn content(id: Value, upload: Value) -> Value {
    let offset = json!({
        "name": "offset", "in": "query", "schema": { "type": "integer", "minimum": 0 },
        "description": "Where the piece begins: where the last one ended",
    });
    let summary = "Send a piece of a file; serve.maxBodyBytes says how large it may be";
    let mut place = write(place(summary, None, &[id, offset], &[("200", upload)]));
    place["requestBody"] = json!({
        "required": true,
        "content": { "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } },
    });
    place
}

/// What a caller says about how a file is read.
fn how_to_read() -> Value {
    let entry = operations::named("import");
    let known = entry.and_then(|entry| entry.input["properties"].as_object());
    let said = known.into_iter().flatten().filter(|(name, _)| SAID.contains(&name.as_str()));
    let properties: serde_json::Map<String, Value> =
        said.map(|(name, schema)| (name.clone(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn write(mut place: Value) -> Value {
    place["x-permission"] = json!("write");
    place
}

fn admin(mut place: Value) -> Value {
    place["x-permission"] = json!("admin");
    place
}

/// Marks a place that is there for everybody.
fn open(mut place: Value) -> Value {
    place["security"] = json!([]);
    place
}

fn events() -> Value {
    let mut place = place(
        "Hear what anybody writes, as server-sent events",
        None,
        &[
            json!({
                "name": "Last-Event-ID", "in": "header", "schema": { "type": "string" },
                "description": "Go on after this position",
            }),
            json!({
                "name": "after", "in": "query", "schema": { "type": "string" },
                "description": "The same, for those who cannot set a header",
            }),
        ],
        &[],
    );
    place["description"] = json!(
        "First comes an event `ready`, with the position. Events without a name are `{what, id, kind, by, at, \
         change}`; `reset` asks to read everything anew. Events named `progress` are jobs. A stream ends after a \
         while; a browser goes on by itself where it stood."
    );
    place["responses"]["200"] = json!({
        "description": "Events, until somebody goes away",
        "content": { "text/event-stream": { "schema": { "type": "string" } } },
    });
    place
}
