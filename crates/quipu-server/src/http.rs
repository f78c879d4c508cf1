//! Many clients at an address: MCP, health, metrics, the journal's files, the memory tool.
//!
//! A request passes, in this order: the host it asks for, the page it comes from, the token, the rate, the size and
//! the time of its body. Each refusal is a status with `{"error": {code, message, hint}}`. The REST API and the web
//! page get routes of their own in [`routes`], behind the same guards.

mod address;
mod answer;
mod api;
mod app;
mod asset;
mod bundle;
mod events;
mod guard;
mod headers;
mod host;
mod metrics;
mod origin;
mod rate;
mod routes;
mod sign_in;
mod web;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use host::{ApiAnswer, ApiRequest, Door, Host, Listening, Notice, Refusal};
pub use sign_in::{SignIns, Visitor};

/// A client that does not say what it wants by then is sent away.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);

/// So many connections at once; more wait to be taken up.
const MOST_CONNECTIONS: usize = 1024;

/// Calls that are under way get so long to end when the server does.
const LAST_CALLS: Duration = Duration::from_secs(10);

/// How often the server looks whether something is due.
const TICK: Duration = Duration::from_secs(30);

/// Serves until the process is told to stop. `told` hears where it listens.
///
/// # Errors
/// When the address cannot be used.
pub fn serve<H: Host>(host: H, door: Door, told: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(door.listen).await?;
        let address = listener.local_addr()?;
        told(address);
        let stop = CancellationToken::new();
        let host = Arc::new(host);
        let ticking = tokio::spawn(tick(host.clone(), stop.clone()));
        let app = routes::app(host, Door { listen: address, ..door }, &stop);
        accept(&listener, app, &stop).await;
        // It ends with the token, after what it has under way.
        let _ = tokio::time::timeout(LAST_CALLS, ticking).await;
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

async fn accept(listener: &TcpListener, app: axum::Router, stop: &CancellationToken) {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let stopped = stopped();
    tokio::pin!(stopped);
    loop {
        let permit = tokio::select! {
            permit = room.clone().acquire_owned() => permit,
            () = &mut stopped => break,
        };
        // Nobody closes the semaphore.
        let Ok(permit) = permit else { break };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => {
                let Ok(accepted) = accepted else {
                    // Too many open files, most likely: others need time to close theirs.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                accepted
            },
            () = &mut stopped => break,
        };
        let served = graceful.watch(connection(stream, peer, app.clone()));
        tokio::spawn(async move {
            // A client that goes away, or is too slow, is no failure of ours.
            let _ = served.await;
            drop(permit);
        });
    }
    stop.cancel();
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(LAST_CALLS) => {}
    }
}

/// One connection, with the address of its other end on every request.
fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: axum::Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Answers are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    // Whoever does not read their answers does not keep a connection for ever.
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, 30_000);
    let app = app.layer(axum::Extension(guard::Peer(peer)));
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
}

/// Ends when the process is told to stop.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Lets the host do what is due, again and again.
async fn tick<H: Host>(host: Arc<H>, stop: CancellationToken) {
    loop {
        let working = host.clone();
        // A host that stumbles is asked again later.
        let _ = tokio::task::spawn_blocking(move || working.tick()).await;
        tokio::select! {
            () = tokio::time::sleep(TICK) => {}
            () = stop.cancelled() => return,
        }
    }
}
