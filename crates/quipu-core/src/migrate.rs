//! What other tools keep about a project, and what of it becomes memory: text in, facts out.
//!
//! [`vendor`] knows whose file is whose, [`rules`] finds the rules in one, [`distil`] makes facts of
//! many: one for what several say, a thread where two cannot both hold.

mod disagree;
pub mod distil;
pub mod rules;
pub mod vendor;

/// The folder of originals.
pub const LEGACY: &str = "legacy/";

/// Returns where a vendor's file is kept.
pub fn legacy_path(vendor: &str, path: &str) -> String {
    format!("{LEGACY}{vendor}/{path}")
}

/// Returns the vendor's name and the path that a kept file had.
pub fn original_path(legacy: &str) -> Option<(&str, &str)> {
    legacy.strip_prefix(LEGACY)?.split_once('/')
}
