//! The description of the REST API (OpenAPI 3.1), made from the routes and from the types of the operations.

mod places;
mod schemas;

use std::collections::{BTreeMap, BTreeSet};

use quipu_engine::operation::registry::Entry;
use quipu_engine::operation::{Audience, Effect};
use quipu_engine::operations;
use serde_json::{Map, Value, json};

use self::schemas::{answer, list_answer, reference};
use super::BASE;
use super::jobs::LONG;
use super::routes::{List, ROUTES, Route};

/// What the description begins with.
const ABOUT: &str = "The memory of a project for programs: the same operations as the command line and the MCP \
server, with the same arguments and answers.\n\nEvery GET is safe: it writes nothing but the index, and counts \
neither as a use nor as an access. Every write takes `dry_run=true`, which shows what it would do. Answers of writes \
have `change`, and `undo` says how to take it back. Lists are pages: `items`, and `next`, which `after` takes. \
Refusals are problem reports (RFC 9457) with a stable `code`.";

/// Arguments with which operations that only look would do more; they are for other methods.
const MORE: [&str; 7] = ["dry_run", "fix", "all", "ids", "undo", "judge", "change"];

/// Returns the description.
pub(crate) fn description() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let Some(entry) = route.entry() else { continue };
        add(&mut paths, route.path, route.method, of_route(route, entry));
    }
    let has_place: BTreeSet<&str> = ROUTES.iter().map(|route| route.operation).collect();
    let others = operations::ALL
        .iter()
        .filter(|entry| entry.audience != Audience::Here && !has_place.contains(entry.name));
    for entry in others {
        let path = format!("/commands/{}", entry.name);
        let route = Route::new("POST", "/commands/{operation}", entry.name);
        add(&mut paths, &path, "POST", of_route(&route, entry));
    }
    for (method, path, what) in places::all() {
        add(&mut paths, path, method, what);
    }
    let mut components = schemas::components();
    share(&mut paths, &mut components["schemas"]);
    let mut description = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Quipu",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": BASE }],
        "security": [{ "token": [] }, { "cookie": [] }],
        "paths": paths,
        "components": components,
    });
    write_pairs_as_lists(&mut description);
    description
}

/// Describes pairs of equal things as lists of two, which every tool can read.
fn write_pairs_as_lists(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let parts = object.get("prefixItems").and_then(Value::as_array);
            let first = parts.and_then(|parts| parts.first()).cloned();
            let is_uniform =
                parts.is_some_and(|parts| parts.iter().all(|one| Some(one) == first.as_ref()));
            if let Some(first) = first.filter(|_| is_uniform) {
                object.remove("prefixItems");
                object.insert("items".to_owned(), first);
            }
            object.values_mut().for_each(write_pairs_as_lists);
        }
        Value::Array(all) => all.iter_mut().for_each(write_pairs_as_lists),
        _ => {}
    }
}

fn add(paths: &mut Map<String, Value>, path: &str, method: &str, mut what: Value) {
    let name = format!("{}{}", method.to_lowercase(), path).replace(['/', '.', '-'], "_");
    what["operationId"] = json!(name.replace(['{', '}'], ""));
    let subject = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    what["tags"] = json!([subject]);
    let item = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
    item[method.to_lowercase()] = what;
}

/// Moves schemas of answers that several places have to where they can share them, under the name of the first.
fn share(paths: &mut Map<String, Value>, shared: &mut Value) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for what in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let of = what["operationId"].as_str().unwrap_or_default().to_owned();
        let Some(responses) = what["responses"].as_object_mut() else { continue };
        for response in responses.values_mut() {
            let Some(schema) = response.pointer_mut("/content/application~1json/schema") else {
                continue;
            };
            // What a write answers is what the operation does, and which change it made.
            let schema = match schema.pointer_mut("/allOf/0") {
                Some(_) => &mut schema["allOf"][0],
                None => schema,
            };
            if schema.get("$ref").is_some() {
                continue;
            }
            let text = schema.to_string();
            let name = names.entry(text).or_insert_with(|| {
                shared[&of] = schema.clone();
                of.clone()
            });
            *schema = reference("schemas", name);
        }
    }
}

/// Describes a place of an operation.
fn of_route(route: &Route, entry: &Entry) -> Value {
    let is_safe = route.method == "GET";
    let writes = !is_safe && (entry.effect != Effect::Reads || entry.looks_first);
    let mut parameters: Vec<Value> = route.values().map(in_path).collect();
    if route.path.starts_with("/commands/") {
        parameters.clear();
    }
    let properties = entry.input.get("properties").and_then(Value::as_object);
    let hides = is_safe && entry.effect != Effect::Reads;
    let taken: Vec<(&String, &Value)> = properties
        .into_iter()
        .flatten()
        .filter(|(name, _)| route.is_free(name) && !(hides && MORE.contains(&name.as_str())))
        .collect();
    let has_body = matches!(route.method, "POST" | "PUT" | "PATCH");
    let mut described = json!({});
    if has_body {
        let has_dry_run = taken.iter().any(|(name, _)| *name == "dry_run");
        if has_dry_run {
            parameters.push(json!({
                "name": "dry_run", "in": "query", "schema": { "type": "boolean" },
                "description": "Show what would change, and change nothing",
            }));
        }
        described["requestBody"] = body(entry, &taken);
    } else {
        parameters.extend(taken.iter().map(|(name, schema)| {
            let needed = entry.input.get("required").and_then(Value::as_array);
            let is_needed = needed.is_some_and(|all| all.iter().any(|one| one == *name));
            in_query(route.said(name), schema, is_needed)
        }));
        if route.list.is_some_and(|list| !matches!(list, List::Native)) {
            parameters.push(reference("parameters", "limit"));
            parameters.push(reference("parameters", "after"));
        }
    }
    if entry.audience == Audience::Main && !route.path.contains("{session}") {
        parameters.push(reference("parameters", "session"));
    }
    if writes {
        parameters.push(reference("parameters", "key"));
    }
    let is_long = writes && LONG.contains(&entry.name);
    if is_long {
        parameters.push(reference("parameters", "prefer"));
    }
    let is_edit = matches!(route.method, "PATCH" | "PUT");
    if is_edit {
        parameters.push(reference("parameters", "ifMatch"));
    }
    if route.has_version {
        parameters.push(reference("parameters", "ifNoneMatch"));
    }
    let command = (entry.command)();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    described["summary"] = json!(about);
    described["description"] = json!(format!("The operation `{}`.", entry.name));
    described["x-permission"] = json!(entry.permission.as_str());
    described["parameters"] = json!(parameters);
    described["responses"] = responses(route, entry, writes, is_long);
    described
}

fn in_path(name: &str) -> Value {
    json!({
        "name": name, "in": "path", "required": true,
        "schema": { "type": "string", "minLength": 1 },
    })
}

fn in_query(name: &str, schema: &Value, is_needed: bool) -> Value {
    let mut schema = schemas::without_nothing(schema);
    let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    let mut parameter = json!({ "name": name, "in": "query", "schema": schema });
    if let Some(about) = about {
        parameter["description"] = about;
    }
    if is_needed {
        parameter["required"] = json!(true);
    }
    parameter
}

fn body(entry: &Entry, taken: &[(&String, &Value)]) -> Value {
    let names: BTreeSet<&str> = taken.iter().map(|(name, _)| name.as_str()).collect();
    let needed: Vec<&Value> = entry
        .input
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|name| name.as_str().is_some_and(|name| names.contains(name)))
        .collect();
    let properties: Map<String, Value> =
        taken.iter().map(|(name, schema)| ((*name).clone(), (*schema).clone())).collect();
    let mut schema = json!({
        "type": "object", "properties": properties, "additionalProperties": false,
    });
    if !needed.is_empty() {
        schema["required"] = json!(needed);
    }
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn responses(route: &Route, entry: &Entry, writes: bool, is_long: bool) -> Value {
    let output = Value::Object(entry.output.clone());
    let schema = match route.list {
        Some(List::Field(field) | List::Limited(field, _)) => list_answer(&output, field),
        _ => answer(output, writes),
    };
    let content = json!({ "application/json": { "schema": schema } });
    let mut done = json!({ "description": "What was asked for", "content": content });
    if route.has_version {
        done["headers"] = json!({ "ETag": { "schema": { "type": "string" } } });
    }
    let mut responses = json!({ "200": done });
    if route.makes.is_some() {
        responses["201"] = json!({
            "description": "It was made",
            "headers": { "Location": { "schema": { "type": "string" } } },
            "content": content,
        });
    }
    if is_long {
        responses["202"] = reference("responses", "accepted");
    }
    if route.has_version {
        responses["304"] = json!({ "description": "It is as the caller knows it" });
    }
    responses["default"] = reference("responses", "problem");
    responses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(value: &Value, look: &mut dyn FnMut(&str, &Value)) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    look(key, value);
                    each(value, look);
                }
            }
            Value::Array(all) => all.iter().for_each(|one| each(one, look)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_name_is_there_once() {
        let description = description();
        let mut names = BTreeSet::new();
        each(&description, &mut |key, value| match key {
            "$ref" => {
                let place = value.as_str().unwrap().strip_prefix('#').unwrap();
                assert!(description.pointer(place).is_some(), "{value}");
            }
            "operationId" => {
                let name = value.as_str().unwrap();
                assert!(names.insert(name.to_owned()), "{name} is there twice");
                assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{name}");
            }
            _ => {}
        });
    }

    #[test]
    fn every_operation_is_described() {
        let description = description().to_string();
        for entry in operations::ALL.iter().filter(|entry| entry.audience != Audience::Here) {
            let said = format!("The operation `{}`.", entry.name);
            assert!(description.contains(&said), "{}", entry.name);
        }
    }

    #[test]
    fn every_value_of_a_path_is_described() {
        let description = description();
        for (path, item) in description["paths"].as_object().unwrap() {
            for (method, what) in item.as_object().unwrap() {
                let parameters = what["parameters"].as_array();
                let in_path =
                    parameters.into_iter().flatten().filter(|one| one["in"] == "path").filter(
                        |one| path.contains(&format!("{{{}}}", one["name"].as_str().unwrap())),
                    );
                let count = in_path.count();
                assert_eq!(count, path.matches('{').count(), "{method} {path}");
            }
        }
    }
}
