//! What every request finds: the host, the door and what is counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::host::Door;
use super::metrics::Metrics;
use super::rate::Rate;

/// What every request finds.
pub(super) struct App<H> {
    pub(super) host: Arc<H>,
    pub(super) door: Door,
    pub(super) metrics: Metrics,
    rate: Mutex<Rate>,
}

impl<H> App<H> {
    /// Begins with nothing counted.
    pub(super) fn new(host: Arc<H>, door: Door) -> Self {
        let rate = Mutex::new(Rate::new(door.requests_per_second));
        Self { host, door, metrics: Metrics::default(), rate }
    }

    /// Returns how often each caller has asked.
    pub(super) fn rate(&self) -> MutexGuard<'_, Rate> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
