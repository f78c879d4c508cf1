//! The REST API, as far as it is about HTTP: signing in, and taking a request apart for the host.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Json, Router};
use quipu_core::text::percent_decoded;
use serde_json::{Map, Value, json};

use super::address::{API, CODES, SIGN_IN};
use super::answer::{self, blocking};
use super::app::App;
use super::events;
use super::host::{ApiAnswer, ApiRequest, Host, Refusal};
use super::sign_in::{self, Visitor};
use crate::backend::{Caller, Channel, Scope};

/// The media type of a piece of a file.
pub(super) const FILE: &str = "application/octet-stream";

/// Returns the routes of the API.
pub(super) fn routes<H: Host>() -> Router<Arc<App<H>>> {
    Router::new()
        .route(SIGN_IN, post(sign_in::<H>))
        .route(CODES, post(code::<H>))
        .route("/api/v1/sign-out", post(sign_out::<H>))
        .route("/api/v1/me", get(me::<H>))
        .route("/api/v1/openapi.json", get(description::<H>))
        .route("/api/v1/events", get(events::events::<H>))
        .route("/api/v1/{*path}", any(call::<H>))
}

fn refuse<H>(app: &App<H>, refusal: &Refusal) -> Response {
    answer::refuse(app, API, refusal)
}

/// Takes a code or a token, and gives a cookie.
async fn sign_in<H: Host>(
    State(app): State<Arc<App<H>>>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> Response {
    match signed_in(&app, &headers, &body) {
        Ok((cookie, caller)) => {
            let mut response = Json(about(&caller)).into_response();
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(refusal) => refuse(&app, &refusal),
    }
}

fn signed_in<H: Host>(
    app: &App<H>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(HeaderValue, Caller), Refusal> {
    let said = object(body)?;
    let said = |name: &str| said.get(name).and_then(Value::as_str);
    let (now, ins) = (Instant::now(), &app.door.sign_ins);
    let visitor = match (said("code"), said("token")) {
        (Some(code), None) => ins.redeem(code, now).ok_or_else(|| {
            Refusal::new(401, "code", "this code is not good: it is used, or older than a minute")
                .hint("`quipu serve --open` and `quipu open` make a new one")
        })?,
        (None, Some(token)) => Visitor::Token(token.to_owned()),
        _ => {
            let why = "either `code` or `token` is needed";
            return Err(Refusal::new(400, "arguments", why));
        }
    };
    let caller = match &visitor {
        Visitor::Known(caller) => caller.clone(),
        Visitor::Token(token) => app.admit(Some(token), true)?,
    };
    let no_randomness = || Refusal::new(500, "no-randomness", "the system gives no random numbers");
    let value = ins.sign_in(visitor, now).ok_or_else(no_randomness)?;
    let is_secure = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let cookie = sign_in::set_cookie(app.door.listen.port(), &value, is_secure);
    Ok((cookie.ok_or_else(no_randomness)?, caller))
}

/// Gives a program of the user a code, with which their browser signs in.
async fn code<H: Host>(State(app): State<Arc<App<H>>>, body: axum::body::Bytes) -> Response {
    let made = object(&body).and_then(|said| {
        let text = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_person = said.get("person") == Some(&Value::Bool(true));
        let caller = Caller {
            scope: if is_person { Scope::Admin } else { Scope::Write },
            channel: Channel::Main,
            agent: text("name"),
            is_local: true,
            is_person,
            space: None,
        };
        let secret = text("secret").unwrap_or_default();
        let visitor = Visitor::Known(caller);
        app.door.sign_ins.code_for(&secret, visitor, Instant::now()).ok_or_else(|| {
            Refusal::new(401, "secret", "this is not the secret of this server")
                .hint("`quipu open` knows it, for those who may read the user's state folder")
        })
    });
    match made {
        Ok(code) => Json(json!({ "code": code })).into_response(),
        Err(refusal) => refuse(&app, &refusal),
    }
}

async fn sign_out<H: Host>(State(app): State<Arc<App<H>>>, headers: HeaderMap) -> Response {
    let port = app.door.listen.port();
    if let Some(cookie) = sign_in::cookie_of(&headers, port) {
        app.door.sign_ins.sign_out(cookie);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = sign_in::clear_cookie(port) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Says who calls, and where in the stream of events the caller is: what is written from here on, `/events?after=`
/// reports.
async fn me<H: Host>(
    State(app): State<Arc<App<H>>>,
    Extension(caller): Extension<Caller>,
) -> Response {
    let mut about = about(&caller);
    let host = app.host.clone();
    let position = blocking(move || {
        let first = host.listen(None, &caller)?.look()?;
        Ok(first.into_iter().find_map(|notice| notice.position))
    });
    // Who may not listen has no place in the stream.
    if let Ok(Some(position)) = position.await {
        about["position"] = json!(position);
    }
    Json(about).into_response()
}

fn about(caller: &Caller) -> Value {
    json!({
        "person": caller.is_person,
        "name": caller.agent,
        "permission": caller.scope.as_str(),
        "channel": caller.channel.as_str(),
    })
}

async fn description<H: Host>(State(app): State<Arc<App<H>>>) -> Response {
    let host = app.host.clone();
    match blocking(move || Ok(host.description())).await {
        Ok(description) => Json(description).into_response(),
        Err(refusal) => refuse(&app, &refusal),
    }
}

/// Answers everything that is an operation.
async fn call<H: Host>(
    State(app): State<Arc<App<H>>>,
    Extension(caller): Extension<Caller>,
    method: Method,
    uri: axum::http::Uri,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> Response {
    let request = match request(&method, uri.path(), query, &headers, &body) {
        Ok(request) => request,
        Err(refusal) => return refuse(&app, &refusal),
    };
    let host = app.host.clone();
    match blocking(move || host.api(&request, &caller)).await {
        Ok(answer) => respond(answer, &headers),
        Err(refusal) => refuse(&app, &refusal),
    }
}

fn request(
    method: &Method,
    path: &str,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<ApiRequest, Refusal> {
    let Query(query) = query.map_err(|error| Refusal::new(400, "bad-query", error.body_text()))?;
    let said = |name: &str| -> Result<Option<String>, Refusal> {
        let Some(value) = headers.get(name) else { return Ok(None) };
        let unreadable = |_| Refusal::new(400, "bad-header", format!("`{name}` is not plain text"));
        value.to_str().map(|value| Some(value.to_owned())).map_err(unreadable)
    };
    let is_file = said("content-type")?.is_some_and(|form| form == FILE);
    let parts = path.strip_prefix(API).unwrap_or_default().split('/');
    Ok(ApiRequest {
        method: method.as_str().to_owned(),
        path: parts.map(percent_decoded).collect(),
        query,
        body: if body.is_empty() || is_file { Map::new() } else { object(body)? },
        bytes: is_file.then(|| body.to_vec()),
        session: said("quipu-session")?,
        idempotency_key: said("idempotency-key")?,
        if_match: said("if-match")?,
        is_patient: !said("prefer")?.is_some_and(|prefer| prefer.contains("respond-async")),
    })
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let refused = |why: String| Refusal::new(400, "bad-json", why);
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(refused("the body is not a JSON object".to_owned())),
        Err(error) => Err(refused(format!("the body is not JSON: {error}"))),
    }
}

fn respond(answer: ApiAnswer, headers: &HeaderMap) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let etag = answer.etag.as_deref().map(|etag| format!("\"{etag}\""));
    let is_known = etag.as_deref().is_some_and(|etag| answer::is_known(headers, etag));
    let mut response = if is_known && status == StatusCode::OK {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        (status, Json(answer.body)).into_response()
    };
    let more = [(header::ETAG, etag), (header::LOCATION, answer.location)];
    for (name, value) in more {
        if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
