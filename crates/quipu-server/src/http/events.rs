//! What happens, as server-sent events: clients that listen hear what anybody writes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_stream::wrappers::ReceiverStream;

use super::address::API;
use super::answer::{self, blocking};
use super::app::App;
use super::host::{Host, Listening, Notice, Refusal};
use crate::backend::Caller;

/// How often the server looks for what happened while somebody listens.
const INTERVAL: Duration = Duration::from_millis(500);

/// A connection on which nothing happens hears this often that it still is one.
const PING: Duration = Duration::from_secs(15);

/// A stream ends after this time. A browser connects again by itself and misses nothing; whether the caller may still
/// listen is looked at then.
const LONGEST: Duration = Duration::from_mins(15);

/// So many notices wait for a client that reads slowly.
const MOST_WAITING: usize = 64;

/// A position is shorter.
const LONGEST_POSITION: usize = 200;

/// Tells a client what happens, until it goes away or the server ends.
pub(super) async fn events<H: Host>(
    State(app): State<Arc<App<H>>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Response {
    let refuse = |refusal: &Refusal| answer::refuse(&app, API, refusal);
    let Ok(seat) = app.seats.clone().try_acquire_owned() else {
        let refusal = Refusal::new(503, "busy", "too many clients listen already");
        return refuse(&refusal.hint("close the streams of tabs that nobody looks at"));
    };
    // A browser sends the header when it connects again; a page that closed its stream says it in the address.
    let said = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let asked = query.into_iter().find(|(name, _)| name == "after").map(|(_, value)| value);
    let after = said.or(asked).filter(|after| after.len() <= LONGEST_POSITION);
    let host = app.host.clone();
    let begun = blocking(move || {
        let mut listening = host.listen(after.as_deref(), &caller)?;
        // The first look says where the client stands.
        let first = listening.look()?;
        Ok((listening, first))
    });
    let (listening, first) = match begun.await {
        Ok(begun) => begun,
        Err(refusal) => return refuse(&refusal),
    };
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    let stop = app.stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = tell(listening, first, &sender) => {}
            () = sender.closed() => {}
            () = stop.cancelled() => {}
            () = tokio::time::sleep(LONGEST) => {}
        }
        drop(seat);
    });
    let alive = KeepAlive::new().interval(PING).text("ping");
    let stream = Sse::new(ReceiverStream::new(receiver)).keep_alive(alive);
    // Otherwise a proxy gathers events until it has many.
    ([("x-accel-buffering", "no")], stream).into_response()
}

/// Looks again and again, and sends what it finds.
async fn tell(
    mut listening: Box<dyn Listening>,
    first: Vec<Notice>,
    sender: &mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut found = first;
    loop {
        for notice in found {
            if sender.send(Ok(event(notice))).await.is_err() {
                return;
            }
        }
        ticks.tick().await;
        let looked = tokio::task::spawn_blocking(move || {
            let found = listening.look();
            (listening, found)
        });
        // The client connects again, and hears then why there is nothing to hear.
        let Ok((back, Ok(next))) = looked.await else { return };
        (listening, found) = (back, next);
    }
}

fn event(notice: Notice) -> Event {
    let event = Event::default().data(notice.data.to_string());
    let event = match notice.position {
        Some(position) => event.id(position),
        None => event,
    };
    match notice.name {
        Some(name) => event.event(name),
        None => event,
    }
}
