//! The page in a real browser. `scripts/web --measure` does the measuring, because browsers are driven by node.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::speed::binary;

/// Measures the page; the limits are in the figures beside what they are about.
pub(crate) fn run(memories: usize) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/web");
    let output = Command::new(script)
        .arg("--measure")
        .arg(binary())
        .arg(memories.to_string())
        .env("CI", "true")
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "scripts/web --measure failed");
    serde_json::from_slice(&output.stdout).unwrap()
}
