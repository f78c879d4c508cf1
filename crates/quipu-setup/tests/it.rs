//! What set-up does on real files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod init;
mod install;
mod legacy;
mod vcs;

#[test]
fn every_test_file_is_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    quipu_testkit::assert_no_forgotten_test_files(folder, include_str!("it.rs"));
}
