//! For Quipu's own tests; nothing ships it.
#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod alike;
pub mod corpora;
pub mod faults;
pub mod generators;
pub mod journal;
pub mod languages;
#[cfg(unix)]
pub mod machines;
pub mod memories;
pub mod nights;
pub mod postgres;
pub mod project;
pub mod questions;
pub mod repo;
pub mod server;
pub mod worlds;
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn property_tests_draw_the_same_cases_on_every_run() {
        let draw = || {
            let mut runner = TestRunner::new(ProptestConfig::default());
            any::<u64>().new_tree(&mut runner).unwrap().current()
        };
        assert_eq!(
            draw(),
            draw(),
            "PROPTEST_RNG_SEED is not set: run tests with cargo from within the repository, \
             whose .cargo/config.toml sets it"
        );
    }

    /// The seed comes from the environment, by way of `ProptestConfig::default()`. A test that chooses
    /// its own is out of reach of `.cargo/config.toml` and of `scripts/explore`.
    #[test]
    fn no_property_test_chooses_its_own_seed() {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quipu-testkit/src/lib.rs");
        assert!(files.contains(&own), "the sources of the workspace were not found");
        for path in files.iter().filter(|path| **path != own) {
            let text = fs::read_to_string(path).unwrap();
            for word in ["rng_seed", "RngSeed", "TestRng", "new_with_rng", "::deterministic()"] {
                assert!(
                    !text.contains(word),
                    "{} uses `{word}`: property tests take their seed from PROPTEST_RNG_SEED",
                    path.display()
                );
            }
            // `scripts/explore` finds what `proptest!` declares, and runs the store's suite by name.
            let is_listed = path.ends_with("quipu-store/tests/conformance.rs")
                || path.ends_with("quipu-store/tests/precision.rs")
                || path.ends_with("quipu-store/tests/postgres.rs");
            assert!(
                is_listed || !text.contains("TestRunner::new"),
                "{}: declare properties with `proptest!`, so that scripts/explore finds them",
                path.display()
            );
        }
    }
}
