//! What source files and manifests say.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod descriptions;
mod manifests;
mod robustness;
mod samples;
