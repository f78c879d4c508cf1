//! Any session log: every token stands in the text, and what is created or listed is a token.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_core::ledger::{Ledger, SessionLog};

fuzz_target!(|source: &str| {
    let log = SessionLog::parse("2026-01-01-000000", source);
    assert!(log.tokens.iter().all(|token| source.contains(token)));
    assert!(log.created.is_subset(&log.tokens));
    assert!(log.listed.is_subset(&log.tokens));
    let ledger = Ledger::parse([("2026-01-01-000000.md", source), ("2026-01-02-000000.md", "")]);
    for token in log.tokens {
        let usage = ledger.usage(token).unwrap();
        assert_eq!((usage.uses, usage.since.0), (1, 1));
    }
});
