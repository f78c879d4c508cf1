//! The REST API: the place and the method of a request name an operation, its path, query and body are the arguments.

mod admin;
mod imports;
mod jobs;
mod openapi;
mod pages;
mod routes;

use std::sync::Arc;

use quipu_engine::operation::Effect;
use quipu_engine::operation::registry::{Entry, Object};
use quipu_engine::{digest, operations, retry};
use quipu_server::{ApiAnswer, ApiRequest, Caller, Listener, Refusal};
use serde_json::{Value, json};

pub(super) use self::imports::Uploads;
pub(super) use self::jobs::Jobs;
use self::jobs::{Job, LONG};
pub(crate) use self::openapi::description;
use self::pages::Wanted;
use self::routes::{List, ROUTES, Route};
use super::{Circumstances, Commands, Progress, Retry, Silence};
use crate::context;
use crate::error::{CommandError, status};

/// Where the API begins.
const BASE: &str = "/api/v1";

/// The longest `Idempotency-Key`.
const LONGEST_KEY: usize = 255;

/// Returns a failure as the server tells it.
pub(super) fn refusal(error: &CommandError) -> Refusal {
    let refusal = Refusal::new(status(error), error.code, &*error.message);
    match &error.hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

/// What a request asks for.
struct Asking {
    route: Option<&'static Route>,
    entry: &'static Entry,
    object: Object,
    session: Option<String>,
    wanted: Option<Wanted>,
    retry: Option<Retry>,
}

impl Commands {
    /// Answers a request.
    pub(super) fn api(
        self: &Arc<Self>,
        request: &ApiRequest,
        caller: &Caller,
    ) -> Result<ApiAnswer, Refusal> {
        if let Some(answer) = self.jobs.answer(request, caller) {
            return answer;
        }
        if let Some(answer) = admin::answer(self, request, caller) {
            return answer;
        }
        if let Some(answer) = imports::answer(self, request, caller) {
            return answer;
        }
        let mut asking = asking(request)?;
        let is_safe = request.method == "GET";
        let is_edit = request.if_match.is_some();
        if let Some(version) = &request.if_match {
            let seen = self.check_version(request, version, caller)?;
            // What changes between that look and the edit is found out by the operation, under the lock.
            let takes_words = asking.entry.input["properties"].get("instead_of").is_some();
            if let Some(text) = seen["text"].as_str().filter(|_| takes_words) {
                asking.object.insert("instead_of".to_owned(), json!(text));
            }
        }
        let told = |error: CommandError| match error.code {
            "edited-since" if is_edit => changed_since(),
            _ => refusal(&error),
        };
        let effect = self.check(&asking, is_safe, caller).map_err(told)?;
        let data = if effect != Effect::Reads && LONG.contains(&asking.entry.name) {
            let job = self.start(&mut asking, caller)?;
            match job.wait(request) {
                Some(outcome) => outcome?,
                None => return Ok(job.accepted()),
            }
        } else {
            let silence: Progress = Arc::new(Silence);
            self.ask(&mut asking, !is_safe, caller, &silence).map_err(told)?
        };
        Ok(shaped(request, &asking, data))
    }

    /// Looks at what is asked for before anything is done. A request that is safe changes nothing.
    fn check(
        &self,
        asking: &Asking,
        is_safe: bool,
        caller: &Caller,
    ) -> Result<Effect, CommandError> {
        if let Some(session) = &asking.session {
            self.check_session(session, caller)?;
        }
        let effect = asking.entry.read(asking.object.clone())?.effect();
        if is_safe && effect != Effect::Reads {
            let why = "with these arguments it would change the memory, and a GET changes nothing";
            return Err(CommandError::input("arguments", why).hint("send a POST"));
        }
        Ok(effect)
    }

    /// Does what is asked for.
    fn ask(
        &self,
        asking: &mut Asking,
        counts: bool,
        caller: &Caller,
        progress: &Progress,
    ) -> Result<Value, CommandError> {
        let asked = asking.entry.read(asking.object.clone())?;
        let circumstances = Circumstances {
            session: asking.session.clone(),
            counts,
            retry: asking.retry.take(),
            ..Circumstances::of(progress)
        };
        self.perform(&*asked, circumstances, caller)
    }

    /// Begins something that may take long, beside other requests.
    fn start(self: &Arc<Self>, asking: &mut Asking, caller: &Caller) -> Result<Arc<Job>, Refusal> {
        let job = self.jobs.begin(asking.entry.name, caller, context::now(&self.global))?;
        let (commands, caller, own) = (self.clone(), caller.clone(), job.clone());
        let mut asking = Asking {
            object: asking.object.clone(),
            session: asking.session.clone(),
            retry: asking.retry.take(),
            wanted: None,
            ..*asking
        };
        std::thread::spawn(move || {
            let progress: Progress =
                Arc::new(Reported { commands: commands.clone(), job: own.clone() });
            let done = commands.ask(&mut asking, true, &caller, &progress);
            let done = done.map(with_undo).map_err(|error| refusal(&error));
            own.end(&commands.jobs, done);
        });
        Ok(job)
    }

    /// Refuses an edit of something that is no longer as the caller saw it. Returns how it is.
    fn check_version(
        self: &Arc<Self>,
        request: &ApiRequest,
        version: &str,
        caller: &Caller,
    ) -> Result<Value, Refusal> {
        let read = ApiRequest {
            method: "GET".to_owned(),
            path: request.path.clone(),
            ..ApiRequest::default()
        };
        let found = ROUTES.iter().find(|route| {
            route.has_version && route.method == "GET" && route.matches(&read.path).is_some()
        });
        if found.is_none() {
            return Err(Refusal::new(400, "no-version", "nothing here has a version")
                .hint("leave `If-Match` out"));
        }
        let ApiAnswer { body, etag: now, .. } = self.api(&read, caller)?;
        let is_it = |one: &str| {
            let one = one.trim();
            one == "*" || now.as_deref().is_some_and(|now| one.trim_matches('"') == now)
        };
        if version.split(',').any(is_it) {
            return Ok(body);
        }
        Err(changed_since())
    }
}

fn changed_since() -> Refusal {
    Refusal::new(412, "edited-since", "it was changed since you read it")
        .hint("read it again, and make your change to what it says now")
}

/// Reports how far a job has come.
struct Reported {
    commands: Arc<Commands>,
    job: Arc<Job>,
}

impl Listener for Reported {
    fn heard(&self, step: &str, done: usize, total: usize) -> bool {
        self.job.heard(&self.commands.jobs, step, done, total)
    }
}

/// Adds how to take a change back.
fn with_undo(mut data: Value) -> Value {
    if let Some(change) = data.get("change").and_then(Value::as_str) {
        let href = format!("{BASE}/changes/{change}/undo");
        data["undo"] = json!({ "method": "POST", "href": href });
    }
    data
}

/// Finds out what a request asks for.
fn asking(request: &ApiRequest) -> Result<Asking, Refusal> {
    let (route, entry, values) = found(request)?;
    let (object, session, wanted, retry) = (Object::new(), None, None, None);
    let mut asking = Asking { route, entry, object, session, wanted, retry };
    let (mut limit, mut after) = (None, None);
    let list = route.and_then(|route| route.list);
    let is_paged = list.is_some_and(|list| !matches!(list, List::Native));
    for (name, value) in &request.query {
        match name.as_str() {
            "limit" if is_paged => limit = Some(value.as_str()),
            "after" if is_paged => after = Some(value.as_str()),
            "session" if !entry.input["properties"]["session"].is_object() => {
                asking.session = Some(value.clone());
            }
            name => asking.add(name, value)?,
        }
    }
    for (name, value) in &request.body {
        asking.say(name, value.clone());
    }
    for (name, value) in values {
        if name == "session" {
            asking.session = Some(value);
        } else {
            asking.say(name, Value::String(value));
        }
    }
    for flag in route.map_or(&[][..], |route| route.flags) {
        asking.object.insert((*flag).to_owned(), json!(true));
    }
    if asking.session.is_none() {
        asking.session.clone_from(&request.session);
    }
    if is_paged {
        let wanted = Wanted::read(limit, after).map_err(|error| refusal(&error))?;
        if let Some(List::Limited(_, field)) = list {
            asking.object.insert(field.to_owned(), json!(wanted.needed()));
        }
        asking.wanted = Some(wanted);
    }
    asking.retry = retry_of(request, &asking)?;
    Ok(asking)
}

/// Returns what a retry of a request is recognised by.
fn retry_of(request: &ApiRequest, asking: &Asking) -> Result<Option<Retry>, Refusal> {
    let Some(key) = request.idempotency_key.as_deref() else { return Ok(None) };
    // A structured header is a string in quotes; most clients send it bare.
    let key = key.trim().trim_matches('"');
    if key.is_empty() || key.len() > LONGEST_KEY {
        let why = format!("`Idempotency-Key` is a text of 1 to {LONGEST_KEY} characters");
        return Err(Refusal::new(400, "bad-header", why).hint("a UUID is usual"));
    }
    let mut object = asking.object.clone();
    object.insert("session".to_owned(), json!(asking.session));
    let place = format!("{} {}", request.method, request.path.join("/"));
    let request = retry::fingerprint(&place, &object);
    Ok(Some(Retry { key: key.to_owned(), request }))
}

type Found = (Option<&'static Route>, &'static Entry, Vec<(&'static str, String)>);

/// Returns the operation at a place.
fn found(request: &ApiRequest) -> Result<Found, Refusal> {
    if let [commands, name] = request.path.as_slice()
        && commands == "commands"
    {
        return command(&request.method, name);
    }
    let mut methods = Vec::new();
    for route in ROUTES {
        let Some(values) = route.matches(&request.path) else { continue };
        if route.method == request.method {
            let bug = || Refusal::new(500, "bug", "this place has no operation");
            return Ok((Some(route), route.entry().ok_or_else(bug)?, values));
        }
        methods.push(route.method);
    }
    if methods.is_empty() {
        return Err(Refusal::new(404, "no-route", "there is nothing at this path")
            .hint(format!("{BASE}/openapi.json lists what there is")));
    }
    methods.dedup();
    Err(Refusal::method(&request.method, &methods))
}

/// Returns an operation by its name: `fact.add`, `fact_add` and `fact add` are the same.
fn command(method: &str, name: &str) -> Result<Found, Refusal> {
    if method != "POST" {
        return Err(Refusal::method(method, &["POST"]));
    }
    let is_it = |entry: &&Entry| {
        entry.name == name || entry.tool_name() == name || entry.words().join(" ") == name
    };
    let entry = operations::ALL.iter().find(is_it).ok_or_else(|| {
        Refusal::new(404, "no-operation", format!("there is no operation `{name}`"))
            .hint(format!("{BASE}/openapi.json lists them"))
    })?;
    Ok((None, entry, Vec::new()))
}

impl Asking {
    /// Adds an argument under the name that the operation has for it.
    fn say(&mut self, name: &str, value: Value) {
        let field = self.route.map_or(name, |route| route.field(name));
        self.object.insert(field.to_owned(), value);
    }

    /// Adds an argument of a query string, where a name that is there several times is a list, and names in a list
    /// may be separated by commas.
    fn add(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let field = self.route.map_or(name, |route| route.field(name));
        let schema = &self.entry.input["properties"][field];
        if field == "dry_run" && !schema.is_object() {
            let why = format!("`{}` has no dry run", self.entry.name);
            return Err(Refusal::new(400, "no-dry-run", why).hint("leave `dry_run` out"));
        }
        let is_list = schema["type"] == "array"
            || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!("array")));
        if !is_list {
            self.object.insert(field.to_owned(), json!(value));
            return Ok(());
        }
        let has_names = schema["items"]["enum"].is_array();
        let more: Vec<Value> = if has_names {
            value.split(',').map(|one| json!(one.trim())).collect()
        } else {
            vec![json!(value)]
        };
        match self.object.get_mut(field) {
            Some(Value::Array(all)) => all.extend(more),
            _ => {
                self.object.insert(field.to_owned(), Value::Array(more));
            }
        }
        Ok(())
    }
}

/// Makes of an operation's answer what the API answers.
fn shaped(request: &ApiRequest, asking: &Asking, mut data: Value) -> ApiAnswer {
    if let (Some(wanted), Some(list)) = (&asking.wanted, asking.route.and_then(|route| route.list))
    {
        data = wanted.page(list, data);
    }
    if asking.entry.name == "recall" {
        pages::shorten_answers(&mut data);
    }
    data = with_undo(data);
    let is_for_show = data["dry_run"] == true;
    let place = asking.route.and_then(|route| route.makes).filter(|_| !is_for_show);
    let location = place.and_then(|place| {
        let id = data["id"].as_str()?;
        Some(format!("{BASE}{place}/{}", quipu_core::text::percent_encoded(id)))
    });
    let has_version =
        request.method == "GET" && asking.route.is_some_and(|route| route.has_version);
    let etag = has_version.then(|| {
        let mut etag = digest::sha256(data.to_string().as_bytes());
        etag.truncate(32);
        etag
    });
    let status = if place.is_some() { 201 } else { 200 };
    ApiAnswer { status, body: data, etag, location }
}
