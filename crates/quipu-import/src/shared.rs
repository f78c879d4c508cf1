//! Names that readers and writers share.

/// The category of a memory that says how two things stand to each other.
pub(crate) const RELATION: &str = "relation";

/// The key of a note that holds a memory of ours.
pub(crate) const ID: &str = "quipu-id";

/// The key of a page that is made from notes.
pub(crate) const DERIVED: &str = "quipu-derived";

/// What stands between the words of a memory and its links and notes.
pub(crate) const LINKS: &str = "\n<!-- quipu: links and notes -->\n";

/// The entity of the official server that holds what is about none, and the kind of entity that it is.
pub(crate) const NOBODY: &str = "Quipu";
pub(crate) const NOTHING: &str = "memory";
