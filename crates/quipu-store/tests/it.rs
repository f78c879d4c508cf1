//! What every store promises, and that ours keeps it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod precision;
mod promises;
mod replaced;
// The testkit as a dependency would build the engine for the tests of the store.
#[cfg(feature = "postgres")]
#[expect(dead_code, unreachable_pub, reason = "the testkit offers more than these tests use")]
#[path = "../../quipu-testkit/src/postgres.rs"]
mod server;
mod several;
mod sqlite;
#[cfg(feature = "postgres")]
mod statements;
