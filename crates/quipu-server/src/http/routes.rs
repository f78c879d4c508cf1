//! What is behind the door.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answer::{self, blocking, refuse};
use super::app::App;
use super::host::{Door, Host, Refusal};
use super::{api, guard, web};
use crate::backend::{Caller, Channel};
use crate::mcp::Mcp;

/// Puts everything together.
pub(super) fn app<H: Host>(
    host: Arc<H>,
    door: Door,
    (leaving, stop): (&CancellationToken, &CancellationToken),
) -> Router {
    let mcp = mcp(&*host, stop);
    let app = Arc::new(App::new(host, door, (leaving.clone(), stop.clone())));
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready::<H>))
        .route("/metrics", get(metrics::<H>))
        .route("/rpc", post(rpc::<H>))
        .route("/memory-tool", post(memory_tool::<H>))
        .route_service("/mcp", mcp)
        .merge(api::routes())
        .merge(web::routes())
        .fallback(|uri: axum::http::Uri| async move {
            let refusal = Refusal::new(404, "no-route", "there is nothing at this path");
            answer::refusal_at(uri.path(), &refusal)
        })
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard::guard::<H>))
        .with_state(app)
}

/// MCP without sessions: every request says all that it needs.
fn mcp<H: Host>(
    host: &H,
    stop: &CancellationToken,
) -> StreamableHttpService<Mcp<H::Backend>, NeverSessionManager> {
    let backend = host.backend();
    // Host and Origin are looked at before.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_cancellation_token(stop.clone())
        .disable_allowed_hosts()
        .with_max_request_body_bytes(usize::MAX);
    StreamableHttpService::new(
        move || Ok(Mcp::at_once(backend.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}

async fn ready<H: Host>(State(app): State<Arc<App<H>>>) -> Response {
    if app.leaving.is_cancelled() {
        let why = "the server is about to stop\n";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    let host = app.host.clone();
    let ready = tokio::task::spawn_blocking(move || host.ready()).await;
    match ready.unwrap_or_else(|_| Err("a bug of quipu".to_owned())) {
        Ok(()) => "ready\n".into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response(),
    }
}

async fn metrics<H: Host>(
    State(app): State<Arc<App<H>>>,
    Extension(caller): Extension<Caller>,
) -> Response {
    // How much is asked and found is the user's own business.
    if caller.channel != Channel::Main {
        let why = "`metrics` are available on the main channel only";
        return refuse(&app, "/", &Refusal::new(403, "channel", why));
    }
    let host = app.host.clone();
    let numbers = move || (host.numbers(), host.numbers_by_space(&caller));
    let (numbers, by_space) = tokio::task::spawn_blocking(numbers).await.unwrap_or_default();
    let form = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (form, app.metrics.text(&numbers, &by_space)).into_response()
}

/// The gateway's calls: `{"method": "memory.getFile", "params": {…}}`, with or without JSON-RPC's frame.
async fn rpc<H: Host>(
    State(app): State<Arc<App<H>>>,
    Extension(caller): Extension<Caller>,
    call: Result<Json<Value>, axum::extract::rejection::JsonRejection>,
) -> Response {
    let call = match read(call) {
        Ok(call) => call,
        Err(refusal) => return refuse(&app, "/", &refusal),
    };
    let host = app.host.clone();
    let (id, framed) = (call["id"].clone(), call["jsonrpc"] == "2.0");
    let answered = blocking(move || {
        let method = call["method"].as_str().unwrap_or_default();
        host.gateway(method, &call["params"], &caller)
    });
    match answered.await {
        Ok(result) if framed => {
            Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
        }
        Ok(result) => Json(json!({ "result": result })).into_response(),
        Err(refusal) => refuse(&app, "/", &refusal),
    }
}

async fn memory_tool<H: Host>(
    State(app): State<Arc<App<H>>>,
    Extension(caller): Extension<Caller>,
    command: Result<Json<Value>, axum::extract::rejection::JsonRejection>,
) -> Response {
    let host = app.host.clone();
    let answered = match read(command) {
        Ok(command) => blocking(move || host.memory_tool(&command, &caller)).await,
        Err(refusal) => Err(refusal),
    };
    match answered {
        Ok(result) => Json(result).into_response(),
        Err(refusal) => refuse(&app, "/", &refusal),
    }
}

fn read(
    body: Result<Json<Value>, axum::extract::rejection::JsonRejection>,
) -> Result<Value, Refusal> {
    body.map(|Json(value)| value)
        .map_err(|error| Refusal::new(error.status().as_u16(), "bad-json", error.body_text()))
}
