//! For Quipu's own tests; nothing ships it.
#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod corpora;
pub mod faults;
pub mod generators;
pub mod languages;
pub mod questions;
pub mod repo;
pub mod server;
pub mod year;

pub use faults::{Fault, FaultFs, NoSyncFs};
pub use repo::{TestRepo, state_home_of, state_of};

/// Fails when a folder holds a test file that its `it.rs` does not list.
pub fn assert_no_forgotten_test_files(folder: &str, listing: &str) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs") else { continue };
        assert!(
            module == "it" || listing.contains(&format!("mod {module};")),
            "{name} is not listed in it.rs, so its tests never run"
        );
    }
}
