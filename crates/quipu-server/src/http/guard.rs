//! Who and what gets in.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::app::App;
use super::host::{Host, Refusal};
use super::metrics::route_name;

/// A body that is not there by then does not come.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// What proxies say about whom they speak for.
const FORWARDED: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// Tokens are shorter.
const LONGEST_TOKEN: usize = 256;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Lets a request pass, or answers with why not.
pub(super) async fn guard<H: Host>(
    State(app): State<Arc<App<H>>>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let route = route_name(request.uri().path());
    app.metrics.begin();
    let page = request.headers().get(header::ORIGIN).cloned();
    let asks_first = request.method() == Method::OPTIONS && page.is_some();
    let mut response = match (checked(&app, request.headers()), asks_first) {
        (Err(refusal), _) => refuse(&app, &refusal),
        // A browser asks whether a page may; what it asks for itself comes with its token.
        (Ok(()), true) => StatusCode::NO_CONTENT.into_response(),
        (Ok(()), false) => match admitted(&app, request).await {
            Ok((parts, body)) => match unreadable(&parts, &body) {
                Some(answer) => answer,
                None => next.run(Request::from_parts(parts, Body::from(body))).await,
            },
            Err(refusal) => refuse(&app, &refusal),
        },
    };
    if let Some(page) = page.filter(|page| may_call(&app, page)) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, page);
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET, POST, OPTIONS"),
        );
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static("authorization, content-type, accept, mcp-protocol-version"),
        );
    }
    app.metrics.end(route, response.status().as_u16(), begun.elapsed());
    response
}

/// Answers with a refusal.
pub(super) fn refuse<H>(app: &App<H>, refusal: &Refusal) -> Response {
    app.metrics.refused(&refusal.code);
    let mut response = (refusal.status(), axum::Json(refusal.json())).into_response();
    if refusal.status == 401 {
        let ask = HeaderValue::from_static("Bearer realm=\"quipu\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
    }
    response
}

fn checked<H>(app: &App<H>, headers: &HeaderMap) -> Result<(), Refusal> {
    check_host(app, headers)?;
    check_origin(app, headers)
}

async fn admitted<H: Host>(app: &Arc<App<H>>, request: Request) -> Result<(Parts, Bytes), Refusal> {
    let headers = request.headers();
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip());
    // A proxy on this machine speaks for others.
    let is_forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name));
    let is_local = peer.is_some_and(|ip| ip.is_loopback()) && !is_forwarded;
    let address = peer.map(|ip| ip.to_string()).unwrap_or_default();
    let token = bearer(headers)?;
    // Whether it lives is nobody's secret, and a balancer has no token.
    let is_open = matches!(request.uri().path(), "/healthz" | "/readyz");
    let (mut parts, body) = request.into_parts();
    if is_open {
        if !is_local {
            in_time(app, &address)?;
        }
    } else {
        // A small file at most: handing it to another thread would cost more.
        match app.host.admit(token.as_deref(), is_local) {
            Ok(caller) => {
                // A process of this machine could do more harm in other ways.
                if !caller.is_local {
                    in_time(app, caller.agent.as_deref().unwrap_or(&address))?;
                }
                parts.extensions.insert(caller);
            }
            Err(refusal) => {
                // Who guesses tokens is counted by where they come from.
                in_time(app, &address)?;
                return Err(refusal);
            }
        }
    }
    let body = whole(body, app.door.max_body_bytes).await?;
    Ok((parts, body))
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

/// A page on another site can make a browser ask us under a name of its own: then the name gives it away.
fn check_host<H>(app: &App<H>, headers: &HeaderMap) -> Result<(), Refusal> {
    let mut all = headers.get_all(header::HOST).iter();
    let asked = all.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
    if all.next().is_none() && is_own_name(asked, &app.door.hosts) {
        return Ok(());
    }
    Err(Refusal::new(403, "host", format!("this server is not `{asked}`"))
        .hint("reach it by its address, or name it in serve.hosts"))
}

/// Tells whether a `Host` header names this server: by an address, as `localhost`, or by a name of its own.
fn is_own_name(asked: &str, hosts: &[String]) -> bool {
    let Some(name) = host_of(asked) else { return false };
    // Only a name can be bound to another address; an address is what it is.
    let is_address = name.starts_with('[') || name.parse::<Ipv4Addr>().is_ok();
    let is_known =
        |known: &str| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(asked);
    is_address || is_known("localhost") || hosts.iter().any(|known| is_known(known))
}

/// Returns the name or address in `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`; nothing where the text
/// is none of these.
fn host_of(text: &str) -> Option<&str> {
    let end = match text.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')?;
            rest[..end].parse::<Ipv6Addr>().ok()?;
            end + 2
        }
        None => text.find(':').unwrap_or(text.len()),
    };
    let (host, port) = text.split_at(end);
    let is_port = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    (is_port && !host.is_empty()).then_some(host)
}

fn may_call<H>(app: &App<H>, origin: &HeaderValue) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let port = app.door.listen.port();
    let is_own = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|name| origin == format!("http://{name}:{port}"));
    is_own || app.door.origins.iter().any(|known| known == origin)
}

/// A browser says which page asks. Programs say nothing.
fn check_origin<H>(app: &App<H>, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    if may_call(app, origin) {
        return Ok(());
    }
    let origin = origin.to_str().unwrap_or_default();
    Err(Refusal::new(403, "origin", format!("a page of `{origin}` may not call this server"))
        .hint("if it should, name it in serve.origins"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_ours_only_where_the_whole_of_it_is() {
        let hosts = ["memory.example".to_owned(), "proxy.example:444".to_owned()];
        let table = [
            ("localhost", true),
            ("LOCALHOST:8377", true),
            ("127.0.0.1", true),
            ("127.0.0.1:8377", true),
            ("192.168.1.7:80", true),
            ("[::1]", true),
            ("[::1]:8377", true),
            ("[fe80::1]:8377", true),
            ("memory.example", true),
            ("Memory.Example:443", true),
            ("proxy.example:444", true),
            ("proxy.example", false),
            ("proxy.example:445", false),
            ("", false),
            (":8377", false),
            ("evil.com", false),
            ("[::1].evil.com", false),
            ("[::1].evil.com:8377", false),
            ("[::1]:8377.evil.com", false),
            ("[::1]evil.com", false),
            ("evil.com[::1]", false),
            ("[evil.com]", false),
            ("[::1", false),
            ("::1", false),
            ("127.0.0.1.evil.com", false),
            ("127.0.0.1:8377.evil.com", false),
            ("127.0.0.1:+80", false),
            ("localhost.evil.com", false),
            ("localhost:8377@evil.com", false),
            ("localhost:80:80", false),
            ("memory.example.evil.com", false),
        ];
        for (asked, is_ours) in table {
            assert_eq!(is_own_name(asked, &hosts), is_ours, "{asked}");
        }
    }
}
