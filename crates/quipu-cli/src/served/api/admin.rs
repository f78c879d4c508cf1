//! The machine around the memory: clients that are set up, what is wrong with the installation, who has a token. None
//! of it is an operation on a memory, and all of it needs the permission `admin`.

use quipu_core::secret;
use quipu_engine::tokens::{self, Token};
use quipu_server::{ApiAnswer, ApiRequest, Caller, Channel, Refusal, Scope};
use serde_json::{Value, json};

use super::{BASE, refusal};
use crate::context::{self, Context};
use crate::error::CommandError;
use crate::machine::{checks_json, examined, seen, seen_json};
use crate::served::Commands;

/// The places, with their methods.
pub(super) const PLACES: [(&str, &str); 6] = [
    ("GET", "/clients"),
    ("GET", "/config"),
    ("POST", "/doctor"),
    ("GET", "/tokens"),
    ("POST", "/tokens"),
    ("DELETE", "/tokens/{name}"),
];

/// Answers a request about the machine; nothing where it is about something else.
pub(super) fn answer(
    commands: &Commands,
    request: &ApiRequest,
    caller: &Caller,
) -> Option<Result<ApiAnswer, Refusal>> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    if !matches!(path[..], ["clients" | "config" | "doctor" | "tokens"] | ["tokens", _]) {
        return None;
    }
    if caller.space.is_some() {
        let why = "a space knows no machine and no tokens of its own";
        let hint = "who runs the server uses `quipu token add NAME --space SPACE`";
        return Some(Err(Refusal::new(409, "needs-folder", why).hint(hint)));
    }
    Some(allowed(caller).and_then(|()| done(commands, request, &path)))
}

fn allowed(caller: &Caller) -> Result<(), Refusal> {
    if caller.scope == Scope::Admin && caller.channel == Channel::Main {
        return Ok(());
    }
    let why = "this needs the permission `admin`, and this caller has less";
    Err(Refusal::new(403, "forbidden", why)
        .hint("a person can make a token with more: `quipu token add NAME --scope admin`"))
}

fn done(commands: &Commands, request: &ApiRequest, path: &[&str]) -> Result<ApiAnswer, Refusal> {
    let told = |error: CommandError| refusal(&error);
    let context = Context::new(commands.global.clone());
    let plain = |body: Value| ApiAnswer { status: 200, body, etag: None, location: None };
    match (request.method.as_str(), path) {
        ("GET", ["clients"]) => seen(&context).map(|seen| plain(seen_json(&seen))).map_err(told),
        ("GET", ["config"]) => settings(commands).map(plain).map_err(told),
        // It starts programs, to see whether they can be started.
        ("POST", ["doctor"]) => {
            let checks = examined(None, true, &context).map_err(told)?;
            Ok(plain(checks_json(&checks)))
        }
        ("GET", ["tokens"]) => list(commands).map(plain).map_err(told),
        ("POST", ["tokens"]) => add(commands, request),
        ("DELETE", ["tokens", name]) => revoke(commands, name).map(plain),
        _ => {
            let fits = |place: &&(&str, &str)| {
                place.1.split('/').nth(1) == path.first().copied()
                    && place.1.split('/').count() == path.len() + 1
            };
            let methods: Vec<&str> = PLACES.iter().filter(fits).map(|place| place.0).collect();
            Err(Refusal::method(&request.method, &methods))
        }
    }
}

fn row(token: &Token) -> Value {
    json!({
        "name": token.name, "scope": token.scope, "channel": token.channel,
        "created": token.created,
    })
}

/// Returns the settings in force, without what looks like a credential.
fn settings(commands: &Commands) -> Result<Value, CommandError> {
    let workspace = commands.pool.take(&commands.global, None)?;
    let mut settings = json!(workspace.config().settings());
    for setting in settings.as_array_mut().into_iter().flatten() {
        if let Some(value) = setting["value"].as_str() {
            setting["value"] = json!(secret::redacted(value, secret::Scope::Credentials));
        }
    }
    Ok(json!({ "settings": settings }))
}

fn list(commands: &Commands) -> Result<Value, CommandError> {
    let workspace = commands.pool.take(&commands.global, None)?;
    let items: Vec<Value> = tokens::tokens(&workspace)?.iter().map(row).collect();
    Ok(json!({ "items": items, "next": null }))
}

fn add(commands: &Commands, request: &ApiRequest) -> Result<ApiAnswer, Refusal> {
    let wrong = |why: String| Refusal::new(400, "arguments", why);
    let takes = ["name", "scope", "channel"];
    if let Some(other) = request.body.keys().find(|key| !takes.contains(&key.as_str())) {
        let why = format!("there is no argument `{other}`");
        return Err(wrong(why).hint("it takes name, scope, channel"));
    }
    let said = |name: &str, names: &[&str], usual: &str| match &request.body.get(name) {
        None | Some(Value::Null) => Ok(usual.to_owned()),
        Some(Value::String(said)) if names.is_empty() || names.contains(&said.as_str()) => {
            Ok(said.clone())
        }
        Some(other) => Err(wrong(format!("`{name}` cannot be {other}"))
            .hint(format!("it is one of {}", names.join(", ")))),
    };
    let name = said("name", &[], "")?;
    let name = quipu_core::text::collapse_whitespace(&name);
    if name.is_empty() || name.len() > 64 || name.contains(char::is_control) {
        return Err(wrong("`name` says whose token it is, in 1 to 64 characters".to_owned()));
    }
    let scope = said("scope", &["read", "write", "admin"], "write")?;
    let channel = said("channel", &["main", "heartbeat", "other"], "main")?;
    let made = || {
        let workspace = commands.pool.take(&commands.global, None)?;
        let now = context::now(&commands.global);
        let token = tokens::add_token(&workspace, (&name, &scope, &channel), now)?;
        Ok(json!({ "name": name, "scope": scope, "channel": channel, "token": token }))
    };
    let body = made().map_err(|error: CommandError| match error.code {
        "token" => Refusal::new(409, "token", error.message.clone()),
        _ => refusal(&error),
    })?;
    let location = Some(format!("{BASE}/tokens/{}", quipu_core::text::percent_encoded(&name)));
    Ok(ApiAnswer { status: 201, body, etag: None, location })
}

fn revoke(commands: &Commands, name: &str) -> Result<Value, Refusal> {
    let revoked = || {
        let workspace = commands.pool.take(&commands.global, None)?;
        tokens::revoke_token(&workspace, name)
    };
    let gone = revoked().map_err(|error| match error.code {
        "token" => Refusal::new(404, "token", error.message.clone()),
        _ => refusal(&error),
    })?;
    Ok(json!({ "name": gone.name, "revoked": true }))
}
