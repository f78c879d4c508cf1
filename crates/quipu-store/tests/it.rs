//! What every store promises, and that ours keeps it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
mod precision;
mod promises;
mod replaced;
mod several;
mod sqlite;
