//! What every request finds: the host, the door and what is counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::host::{Door, Host, Refusal};
use super::metrics::Metrics;
use super::rate::Rate;
use crate::backend::Caller;

/// So many clients listen at once.
const MOST_LISTENERS: usize = 64;

/// What every request finds.
pub(super) struct App<H> {
    pub(super) host: Arc<H>,
    pub(super) door: Door,
    pub(super) metrics: Metrics,
    /// Ends when the server is told to stop.
    pub(super) leaving: CancellationToken,
    /// Ends when the server does.
    pub(super) stop: CancellationToken,
    /// How many clients may listen.
    pub(super) seats: Arc<Semaphore>,
    rate: Mutex<Rate>,
}

impl<H: Host> App<H> {
    /// Says who comes with a token, or from this machine without one.
    pub(super) fn admit(&self, token: Option<&str>, is_local: bool) -> Result<Caller, Refusal> {
        if self.host.admits_slowly() {
            // Others go on meanwhile.
            return tokio::task::block_in_place(|| self.host.admit(token, is_local));
        }
        self.host.admit(token, is_local)
    }
}

impl<H> App<H> {
    /// Begins with nothing counted.
    pub(super) fn new(
        host: Arc<H>,
        door: Door,
        (leaving, stop): (CancellationToken, CancellationToken),
    ) -> Self {
        let rate = Mutex::new(Rate::new(door.requests_per_second));
        let seats = Arc::new(Semaphore::new(MOST_LISTENERS));
        Self { host, door, metrics: Metrics::default(), leaving, stop, seats, rate }
    }

    /// Returns how often each caller has asked.
    pub(super) fn rate(&self) -> MutexGuard<'_, Rate> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
