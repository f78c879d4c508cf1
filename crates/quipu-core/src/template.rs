//! The files that `quipu init` writes.

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
