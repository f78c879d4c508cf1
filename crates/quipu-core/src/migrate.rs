//! What other tools keep about a project, and what of it becomes memory: text in, facts out.
//!
//! [`vendor`] knows whose file is whose, [`rules`] finds the rules in one, [`distil`] makes facts of
//! many: one for what several say, a thread where two cannot both hold.

pub mod adapter;
mod disagree;
pub mod distil;
pub mod rules;
pub mod vendor;

pub use crate::memory::LEGACY;

/// Returns where a vendor's file is kept.
pub fn legacy_path(vendor: &str, path: &str) -> String {
    format!("{LEGACY}{vendor}/{path}")
}

/// Tells whether a path of a repo is that of a kept file, also of a memory below a folder.
pub fn is_kept(path: &str) -> bool {
    let below = path.split_once("/legacy/").map(|(_, rest)| rest);
    let rest = path.strip_prefix(LEGACY).or(below);
    rest.and_then(|rest| rest.split_once('/'))
        .is_some_and(|(name, _)| vendor::Vendor::named(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_file_is_one_of_a_vendor() {
        for path in ["legacy/claude/CLAUDE.md", "packages/api/legacy/cursor/.cursorrules"] {
            assert!(is_kept(path), "{path}");
        }
        for path in ["legacy/billing/main.c", "legacy/claude", "src/legacy.rs", "CLAUDE.md"] {
            assert!(!is_kept(path), "{path}");
        }
    }
}
