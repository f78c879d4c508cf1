//! Checks of this repository that no compiler makes: `cargo run -p xtask -- shape`.
#![expect(clippy::print_stdout, reason = "a tool for the terminal")]

mod shape;
mod source;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    if std::env::args().nth(1).as_deref() != Some("shape") {
        println!("usage: cargo run -p xtask -- shape");
        return ExitCode::from(2);
    }
    let findings = shape::findings(root);
    for finding in &findings {
        println!("{finding}");
    }
    println!("{}", if findings.is_empty() { "the shape holds" } else { "the shape is broken" });
    ExitCode::from(u8::from(!findings.is_empty()))
}
