//! A journal file may hold anything: records come back as they were written, and everything is
//! indexed without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_core::indexing;
use quipu_core::journal::{self, Record};

fuzz_target!(|text: &str| {
    for (_, record) in journal::records(text) {
        let again = Record::parse(&record.line());
        assert_eq!(again.as_ref(), Some(&record));
        let _ = record.item();
        let _ = record.event();
    }
    let _ = indexing::session("memory/sessions/2026-01-01-000000.md", text);
    let _ = indexing::document("memory/vision.md", text);
    let items = indexing::facts([("memory/continuity.md", text), ("memory/archive/2026-Q1.md", text)]);
    let ids: std::collections::BTreeSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), items.len(), "every fact once");
});
