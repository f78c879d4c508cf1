//! Readers and writers from the outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fixed_point;
mod hostile;
mod kinds;
mod mutated;
mod peers;
mod sources;
mod stores;
mod strange;
