//! Any text: hits stand in the text, and personal data only adds to them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_core::secret::{self, Scope};

fuzz_target!(|source: &str| {
    let memory = secret::scan(source, Scope::Memory);
    for hit in &memory {
        assert!(!source[hit.span.clone()].is_empty());
    }
    for hit in secret::scan(source, Scope::Credentials) {
        assert!(memory.contains(&hit));
    }
});
