//! What clients read by address.

use quipu_core::secret::{self, Scope};
use quipu_core::text::percent_decoded;
use quipu_server::{Caller, Document, NotFound, Resource};
use serde_json::{Value, json};

use super::{Commands, data, is_private, quoted};

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// So many session logs are listed; a template reaches the rest.
const LISTED_LOGS: usize = 10;

/// Returns what can be read, and templates of the rest.
pub(super) fn list(commands: &Commands, caller: &Caller) -> (Vec<Resource>, Vec<Resource>) {
    if !is_private(caller.channel) {
        return (Vec::new(), Vec::new());
    }
    let fixed = [
        ("quipu://brief", "Briefing", "What to know before you start", MARKDOWN),
        (
            "quipu://continuity",
            "Continuity",
            "The facts of the project, as they stand in its file",
            MARKDOWN,
        ),
        ("quipu://threads", "Open threads", "Work and questions that are not done", JSON),
        ("quipu://questions", "Open questions", "What needs judgement", JSON),
        ("quipu://status", "Status", "The memory at a glance", JSON),
    ];
    let mut resources: Vec<Resource> = fixed
        .into_iter()
        .map(|(uri, name, about, mime_type)| resource(uri, name, about, mime_type))
        .collect();
    let logs =
        data(commands, "session.list", json!({ "limit": LISTED_LOGS }), caller).unwrap_or_default();
    for log in logs["logs"].as_array().into_iter().flatten() {
        let id = text(&log["id"]);
        let uri = format!("quipu://session/{id}");
        resources.push(resource(&uri, &format!("Session {id}"), &text(&log["summary"]), MARKDOWN));
    }
    let templates = vec![
        resource(
            "quipu://memory/{id}",
            "Anything by its id",
            "A fact, thread, record or part of a log",
            JSON,
        ),
        resource("quipu://session/{id}", "A session log", "What happened in a session", MARKDOWN),
    ];
    (resources, templates)
}

fn resource(uri: &str, name: &str, about: &str, mime_type: &'static str) -> Resource {
    Resource {
        uri: uri.to_owned(),
        name: name.to_owned(),
        description: about.to_owned(),
        mime_type,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads a resource.
pub(super) fn read(commands: &Commands, uri: &str, caller: &Caller) -> Result<Document, NotFound> {
    let unknown = || NotFound(format!("there is no resource `{uri}`; `resources/list` has them"));
    let address = uri.strip_prefix("quipu://").ok_or_else(unknown)?;
    let read = |name: &str, object: Value| {
        let read = data(commands, name, object, caller);
        read.map_err(|error| NotFound(super::hints::for_model(&error, &commands.tools)))
    };
    let of_text =
        |data: Value| Document { mime_type: MARKDOWN, text: quoted(&text(&data["text"])) };
    let of_data = |data: Value| Document { mime_type: JSON, text: data.to_string() };
    match address.split_once('/') {
        None => match address {
            "brief" => read("brief", json!({}))
                .map(|data| Document { mime_type: MARKDOWN, text: text(&data["text"]) }),
            "threads" => read("thread.list", json!({})).map(of_data),
            "questions" => read("questions", json!({})).map(of_data),
            "status" => read("status", json!({})).map(of_data),
            "continuity" => {
                // Whoever may not see the status may not see the file.
                read("status", json!({}))?;
                let text = commands
                    .pool
                    .take(&commands.global, caller.space.as_deref())
                    .and_then(|workspace| workspace.read())
                    .map_err(|error| NotFound(format!("cannot read {uri}: {error}")))?;
                let text = text.get(quipu_core::memory::CONTINUITY).unwrap_or_default().to_owned();
                let text = secret::redacted(&text, Scope::Credentials);
                Ok(Document { mime_type: MARKDOWN, text: quoted(&text) })
            }
            _ => Err(unknown()),
        },
        Some(("session", id)) => {
            read("session.show", json!({ "id": percent_decoded(id) })).map(of_text)
        }
        Some(("memory", id)) => read("show", json!({ "id": percent_decoded(id) })).map(of_data),
        Some(_) => Err(unknown()),
    }
}

/// Returns ids that begin with what was typed.
pub(super) fn complete(
    commands: &Commands,
    argument: &str,
    typed: &str,
    caller: &Caller,
) -> Vec<String> {
    let lists = match argument {
        "id" | "fact" | "memory_id" => vec![
            ("fact.list", json!({ "all": true }), "facts"),
            ("thread.list", json!({ "all": true }), "threads"),
            ("session.list", json!({ "limit": 100 }), "logs"),
            ("journal.list", json!({ "limit": 500 }), "records"),
        ],
        "session" => vec![("session.list", json!({ "limit": 100 }), "logs")],
        "question" => vec![("questions", json!({}), "questions")],
        _ => Vec::new(),
    };
    let mut ids: Vec<String> = Vec::new();
    for (name, object, key) in lists {
        let listed = data(commands, name, object, caller).unwrap_or_default();
        let found = listed[key].as_array().into_iter().flatten().map(|one| text(&one["id"]));
        ids.extend(found.filter(|id| !id.is_empty() && id.starts_with(typed)));
    }
    ids.dedup();
    ids
}
