//! Who and what gets in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::address::{is_api, is_open};
use super::answer::refuse;
use super::api::FILE;
use super::app::App;
use super::headers;
use super::host::{Host, Refusal};
use super::metrics::route_name;
use super::origin::{self, Page};
use super::sign_in::{Visitor, cookie_of};
use crate::backend::Caller;

/// A body that is not there by then does not come.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// What proxies say about whom they speak for.
const FORWARDED: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// Tokens are shorter.
const LONGEST_TOKEN: usize = 256;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) std::net::SocketAddr);

/// Lets a request pass, or answers with why not.
pub(super) async fn guard<H: Host>(
    State(app): State<Arc<App<H>>>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let path = request.uri().path().to_owned();
    let route = route_name(&path);
    app.metrics.begin();
    let page = origin::may_call(&app.door, request.headers());
    let asks_first =
        request.method() == Method::OPTIONS && request.headers().contains_key(header::ORIGIN);
    let mut response = match (origin::check(&app.door, request.headers()), asks_first) {
        (Err(refusal), _) => refuse(&app, &path, &refusal),
        // A browser asks whether a page may; what it asks for itself comes with its token.
        (Ok(_), true) => StatusCode::NO_CONTENT.into_response(),
        (Ok(from), false) => match admitted(&app, request, from).await {
            Ok((parts, body)) => match unreadable(&parts, &body) {
                Some(answer) => answer,
                None => next.run(Request::from_parts(parts, Body::from(body))).await,
            },
            Err(refusal) => refuse(&app, &path, &refusal),
        },
    };
    if let Some(page) = page {
        headers::let_page_read(response.headers_mut(), page);
    }
    headers::secure(response.headers_mut(), is_api(&path));
    app.metrics.end(route, response.status().as_u16(), begun.elapsed());
    response
}

async fn admitted<H: Host>(
    app: &Arc<App<H>>,
    request: Request,
    from: Page,
) -> Result<(Parts, Bytes), Refusal> {
    let headers = request.headers();
    let path = request.uri().path();
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip());
    // A proxy on this machine speaks for others.
    let is_forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name));
    let is_local = peer.is_some_and(|ip| ip.is_loopback()) && !is_forwarded;
    let address = peer.map(|ip| ip.to_string()).unwrap_or_default();
    let token = bearer(headers)?;
    if is_api(path) {
        origin::check_site(headers, from)?;
    }
    if is_open(path) {
        if !is_local {
            in_time(app, &address)?;
        }
    } else {
        // A small file at most: handing it to another thread would cost more.
        match caller(app, &request, token.as_deref(), from, is_local) {
            Ok(caller) => {
                // A process of this machine could do more harm in other ways.
                if !caller.is_local {
                    let who = caller.agent.as_deref().unwrap_or(&address);
                    // The same name in two spaces is two callers.
                    match &caller.space {
                        Some(space) => in_time(app, &format!("{space}/{who}"))?,
                        None => in_time(app, who)?,
                    }
                }
                let (mut parts, body) = request.into_parts();
                parts.extensions.insert(caller);
                let body = whole(body, app.door.max_body_bytes).await?;
                check_form(&parts, &body, token.is_some())?;
                return Ok((parts, body));
            }
            Err(refusal) => {
                // Who guesses tokens is counted by where they come from.
                in_time(app, &address)?;
                return Err(refusal);
            }
        }
    }
    let (parts, body) = request.into_parts();
    let body = whole(body, app.door.max_body_bytes).await?;
    check_form(&parts, &body, false)?;
    Ok((parts, body))
}

/// Returns who calls: by their token; by the cookie of our own page, for the API only; or by where they come from.
fn caller<H: Host>(
    app: &App<H>,
    request: &Request,
    token: Option<&str>,
    from: Page,
    is_local: bool,
) -> Result<Caller, Refusal> {
    let may_have_cookie = token.is_none() && from == Page::Own && is_api(request.uri().path());
    let cookie = cookie_of(request.headers(), app.door.listen.port()).filter(|_| may_have_cookie);
    let visitor = cookie.and_then(|cookie| app.door.sign_ins.visitor(cookie, Instant::now()));
    match visitor {
        Some(Visitor::Known(caller)) => Ok(Caller { is_local, ..caller }),
        Some(Visitor::Token(token)) => app.admit(Some(&token), is_local),
        None => app.admit(token, is_local),
    }
}

/// Refuses what a form of another page could send: whoever has no token of their own says that it is JSON.
fn check_form(parts: &Parts, body: &Bytes, has_token: bool) -> Result<(), Refusal> {
    let writes = matches!(parts.method, Method::POST | Method::PUT | Method::PATCH);
    if !is_api(parts.uri.path()) || !writes || (has_token && body.is_empty()) {
        return Ok(());
    }
    let form = parts.headers.get(header::CONTENT_TYPE).and_then(|form| form.to_str().ok());
    let form = form.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is_json = form.eq_ignore_ascii_case("application/json")
        || form.eq_ignore_ascii_case("application/merge-patch+json");
    // A page of somebody else cannot send this type without asking first, either.
    let is_file = form == FILE && parts.method == Method::PUT;
    if is_json || is_file {
        return Ok(());
    }
    Err(Refusal::new(415, "not-json", "the body is not said to be JSON")
        .hint("send `Content-Type: application/json`"))
}

/// Answers a message of MCP that cannot be read, in the form that its clients understand.
fn unreadable(parts: &Parts, body: &Bytes) -> Option<Response> {
    if parts.method != Method::POST || parts.uri.path() != "/mcp" {
        return None;
    }
    let answer = crate::message::refusal(body)?;
    let form = [(header::CONTENT_TYPE, "application/json")];
    Some((StatusCode::BAD_REQUEST, form, answer).into_response())
}

fn in_time<H>(app: &App<H>, who: &str) -> Result<(), Refusal> {
    app.rate().ask(who, Instant::now()).map_err(|wait| {
        Refusal::new(429, "too-many-requests", "this caller asks too often")
            .hint(format!("ask again in {} ms", wait.as_millis() + 1))
    })
}

/// Reads a body to its end, so that nobody behind this waits for a client.
async fn whole(body: Body, most: usize) -> Result<Bytes, Refusal> {
    let read = tokio::time::timeout(BODY_PATIENCE, axum::body::to_bytes(body, most)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => {
            Err(Refusal::new(413, "too-large", format!("a request has at most {most} bytes"))
                .hint("send less, or raise serve.maxBodyBytes"))
        }
        Err(_) => {
            let seconds = BODY_PATIENCE.as_secs();
            Err(Refusal::new(
                408,
                "too-slow",
                format!("the request was not there after {seconds} s"),
            ))
        }
    }
}

fn bearer(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|value| value.split_once(' '));
    match token {
        Some((scheme, token))
            if scheme.eq_ignore_ascii_case("bearer") && token.len() <= LONGEST_TOKEN =>
        {
            Ok(Some(token.trim().to_owned()))
        }
        _ => Err(Refusal::new(401, "token", "the Authorization header is not `Bearer TOKEN`")),
    }
}
