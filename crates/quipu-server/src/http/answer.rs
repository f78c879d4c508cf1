//! What all answers have in common: refusals, versions, and work that blocks.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

use super::address;
use super::app::App;
use super::host::Refusal;

/// Answers with a refusal, in the form of the path: a problem report for the API.
pub(super) fn refuse<H>(app: &App<H>, path: &str, refusal: &Refusal) -> Response {
    app.metrics.refused(&refusal.code);
    let mut response = refusal_at(path, refusal);
    if refusal.status == 401 {
        let ask = HeaderValue::from_static("Bearer realm=\"quipu\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
    }
    response
}

/// Returns a refusal in the form of a path.
pub(super) fn refusal_at(path: &str, refusal: &Refusal) -> Response {
    if !refusal.methods.is_empty()
        && let Ok(methods) = HeaderValue::try_from(refusal.methods.join(", "))
    {
        let plain = Refusal { methods: Vec::new(), ..refusal.clone() };
        let mut response = refusal_at(path, &plain);
        response.headers_mut().insert(header::ALLOW, methods);
        return response;
    }
    if address::is_api(path) {
        let form = [(header::CONTENT_TYPE, "application/problem+json")];
        return (refusal.status(), form, refusal.problem().to_string()).into_response();
    }
    (refusal.status(), axum::Json(refusal.json())).into_response()
}

/// Tells whether the client has this version already; `etag` has its quotes.
pub(super) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let is_it = |one: &str| one.trim().trim_start_matches("W/") == etag;
    known.is_some_and(|known| known.split(',').any(is_it))
}

/// Does something that blocks, beside what else is under way.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let bug = || Refusal::new(500, "bug", "quipu stumbled over a bug of its own");
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(bug()))
}
