//! Schemas of answers, and what many places share.

use serde_json::{Map, Value, json};

/// Points at something that many places share.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// Returns the schema of something that is left out where there is none of it: a query string has no `null`.
pub(super) fn without_nothing(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = &kinds[..] {
            let only = only.clone();
            schema["type"] = only;
        }
    }
    if let Some(Value::Array(names)) = schema.get_mut("enum") {
        names.retain(|name| !name.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null)
        && let Value::Object(schema) = &mut schema
    {
        schema.remove("default");
    }
    schema
}

/// Returns the schema of an answer; one of a write says which change it made.
pub(super) fn answer(output: Value, writes: bool) -> Value {
    if writes { json!({ "allOf": [output, reference("schemas", "Change")] }) } else { output }
}

/// Returns the schema of a page, made of that of an answer which has all of a list in a field.
pub(super) fn list_answer(output: &Value, field: &str) -> Value {
    let forms: Vec<&Value> = match output.get("anyOf").or(output.get("oneOf")) {
        Some(Value::Array(forms)) => forms.iter().collect(),
        _ => vec![output],
    };
    // Other forms of the answer are those of other arguments.
    let form = forms.into_iter().find(|form| form["properties"].get(field).is_some());
    let Some(form) = form else { return output.clone() };
    let items = form["properties"][field]["items"].clone();
    let mut properties = Map::new();
    properties.insert("items".to_owned(), json!({ "type": "array", "items": items }));
    properties.insert("next".to_owned(), reference("schemas", "Next"));
    for (name, schema) in form["properties"].as_object().into_iter().flatten() {
        if name != field {
            let name = if name == "items" { "all_items" } else { name };
            properties.insert(name.to_owned(), schema.clone());
        }
    }
    json!({ "type": "object", "properties": properties, "required": ["items", "next"] })
}

/// Returns what many places share.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn components() -> Value {
    let header = |name: &str, about: &str| {
        json!({
            "name": name, "in": "header", "schema": { "type": "string" }, "description": about,
        })
    };
    let text = json!({ "type": "string" });
    let maybe = json!({ "type": ["string", "null"] });
    json!({
        "securitySchemes": {
            "token": {
                "type": "http", "scheme": "bearer",
                "description": "A token of `quipu token add NAME`",
            },
            "cookie": {
                "type": "apiKey", "in": "cookie", "name": "quipu-8377",
                "description": "The page's, after signing in; its name ends with the port",
            },
        },
        "parameters": {
            "limit": {
                "name": "limit", "in": "query", "description": "How many items a page has",
                "schema": { "type": "integer", "minimum": 1, "maximum": 200, "default": 50 },
            },
            "after": {
                "name": "after", "in": "query", "schema": text,
                "description": "The page that follows: what the page before has in `next`",
            },
            "session": header("Quipu-Session", "The session that the caller has open"),
            "key": {
                "name": "Idempotency-Key", "in": "header",
                "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
                "description": "Makes retries safe: requests with the same key are carried out once",
            },
            "prefer": header("Prefer", "`respond-async` does not wait for the answer"),
            "ifMatch": header("If-Match", "The version that the edit was made from (412 where it is another)"),
            "ifNoneMatch": header("If-None-Match", "The version that the caller has (304 where it is this one)"),
        },
        "responses": {
            "problem": {
                "description": "Why it was refused, or failed",
                "content": {
                    "application/problem+json": { "schema": reference("schemas", "Problem") },
                },
            },
            "accepted": {
                "description": "It takes longer; `Location` says where its answer will be",
                "headers": { "Location": { "schema": text } },
                "content": { "application/json": { "schema": reference("schemas", "Job") } },
            },
        },
        "schemas": {
            "Next": { "type": ["string", "null"], "description": "What `after` takes; null on the last page" },
            "Problem": {
                "type": "object",
                "properties": {
                    "type": text,
                    "title": text,
                    "status": { "type": "integer", "minimum": 400, "maximum": 599 },
                    "detail": text,
                    "code": { "type": "string", "description": "A stable name of what is wrong" },
                    "hint": { "type": ["string", "null"], "description": "What to do next" },
                },
                "required": ["type", "title", "status", "detail", "code", "hint"],
            },
            "Change": {
                "type": "object",
                "properties": {
                    "change": { "type": "string", "description": "The change that was made; none where nothing was" },
                    "undo": {
                        "type": "object",
                        "description": "The request that takes the change back",
                        "properties": { "method": { "const": "POST" }, "href": text },
                        "required": ["method", "href"],
                    },
                    "repeated": {
                        "type": "boolean",
                        "description": "It was done before, by a request with the same Idempotency-Key",
                    },
                },
            },
            "Job": {
                "type": "object",
                "properties": {
                    "id": text,
                    "operation": text,
                    "state": { "enum": ["running", "cancelling", "done", "failed"] },
                    "by": maybe,
                    "started": { "type": "string", "format": "date-time" },
                    "step": text,
                    "done": { "type": "integer", "minimum": 0 },
                    "total": { "type": "integer", "minimum": 0 },
                    "answer": { "type": "object", "description": "What the operation answered, when it is done" },
                    "problem": reference("schemas", "Problem"),
                },
                "required": ["id", "operation", "state", "started", "step", "done", "total"],
            },
            "Me": {
                "type": "object",
                "properties": {
                    "person": { "type": "boolean" },
                    "name": maybe,
                    "permission": { "enum": ["read", "write", "admin"] },
                    "channel": { "enum": ["main", "heartbeat", "other"] },
                    "position": {
                        "type": "string",
                        "description": "Where in the stream of events the caller is: `after` of `/events`",
                    },
                },
                "required": ["person", "name", "permission", "channel"],
            },
            "Token": {
                "type": "object",
                "properties": {
                    "name": text,
                    "scope": { "enum": ["read", "write", "admin"] },
                    "channel": { "enum": ["main", "heartbeat", "other"] },
                    "created": { "type": "string", "format": "date-time" },
                    "token": { "type": "string", "description": "Only where it was made now" },
                },
                "required": ["name", "scope", "channel"],
            },
        },
    })
}
