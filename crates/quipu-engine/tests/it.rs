//! What the engine does on real files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archive_index;
mod asked;
mod bad_input;
mod codebase;
mod compress;
mod conversations;
mod damage;
mod defects;
mod dream;
mod drift;
mod drift_consequences;
mod embedding;
mod engram_defects;
mod faults;
mod harvest;
mod journal;
mod journal_convert;
mod journal_forms;
mod journal_integrity;
mod journal_promises;
mod judge;
mod judgement;
mod languages;
mod lifecycle;
mod limits;
mod merge;
mod nights;
mod operations;
mod overtaken;
mod properties;
mod purge;
mod recall;
mod recall_integrity;
mod remember;
mod repair;
mod secret_policy;
mod secrets;
mod sessions;
mod undo;
mod undo_operations;
mod window_words;
mod worlds;
mod year;

#[test]
fn every_test_file_is_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    quipu_testkit::assert_no_forgotten_test_files(folder, include_str!("it.rs"));
}
