//! Any continuity file: reading is lossless, a review loses nothing, and a second one does nothing.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use quipu_core::memory::{Memory, Snapshot};
use quipu_core::review::{self, ReviewError, ReviewPlan, Selection};
use quipu_core::{doc::Document, text};

const LOG: &str = "## Memory References\n\n- Created: a-b, c-d\n";

fn plan(memory: &Memory<'_>) -> Result<ReviewPlan, ReviewError> {
    let today = jiff::civil::Date::constant(2026, 6, 20);
    review::plan(memory, today, &Selection::default(), &BTreeSet::new())
}

fuzz_target!(|source: &str| {
    let document = Document::parse(source);
    assert_eq!(text::apply(source, &[]).unwrap(), source);
    for fact in &document.facts {
        let _ = (document.words(fact), &source[fact.block.clone()]);
    }
    let mut snapshot = Snapshot::default();
    snapshot.files.insert("memory/continuity.md".to_owned(), source.into());
    snapshot.files.insert("memory/sessions/2026-01-01-000000.md".to_owned(), LOG.into());
    for day in 1..25 {
        let path = format!("memory/sessions/2026-02-{day:02}-000000.md");
        snapshot.files.insert(path, "## Memory References\n\n(none)\n".into());
    }
    let memory = snapshot.parse().unwrap();
    match plan(&memory) {
        Ok(planned) => {
            let once = snapshot.with(&planned.changes);
            let again = plan(&once.parse().unwrap()).unwrap();
            assert!(again.is_empty(), "{:?}", again.items);
        }
        // A refusal changes nothing; edits that collide are a bug.
        Err(ReviewError::Overlap(error)) => panic!("{error}"),
        Err(_) => {}
    }
});
