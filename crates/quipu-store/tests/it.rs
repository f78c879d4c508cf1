//! What every store promises, and that ours keeps it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod precision;
mod promises;
mod replaced;
#[cfg(feature = "postgres")]
#[path = "../../quipu-testkit/src/postgres.rs"]
mod server;
mod several;
mod sqlite;
