//! The files that `quipu init` writes.

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::naming;

/// `memory/continuity.md`.
pub const CONTINUITY: &str = include_str!("../templates/continuity.md");
/// `memory/decay-policy.md`.
pub const POLICY: &str = include_str!("../templates/decay-policy.md");
/// `memory/instructions.md`.
pub const INSTRUCTIONS: &str = include_str!("../templates/instructions.md");
/// `memory/vision.md`.
pub const VISION: &str = include_str!("../templates/vision.md");
/// `memory/PROTOCOL.md`.
pub const PROTOCOL: &str = include_str!("../templates/PROTOCOL.md");
/// `memory/archive/INDEX.md`.
pub const ARCHIVE_INDEX: &str = include_str!("../templates/archive-INDEX.md");
/// The block in `AGENTS.md`, markers included.
pub const AGENTS_BLOCK: &str = include_str!("../templates/agents-block.md");

/// What is filled in.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// The project's name.
    pub project: &'a str,
    /// The day.
    pub today: Date,
    /// Quipu's version.
    pub version: &'a str,
}

impl Filling<'_> {
    /// Returns a template, filled in.
    pub fn fill(&self, template: &str) -> String {
        let vision =
            naming::derive_id(&format!("vision {}", self.project), false, &BTreeSet::new());
        template
            .replace("{{project}}", self.project)
            .replace("{{today}}", &self.today.to_string())
            .replace("{{vision_id}}", &vision)
            .replace("{{quipu_version}}", self.version)
    }
}
