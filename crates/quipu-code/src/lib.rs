//! What a code base says about itself: outlines of source files, manifests, and the words for both.
//!
//! Text in, values out: no module reads a file, a clock or the environment. Walking the file system
//! and storing what is found are `quipu-engine`'s.

mod describe;
mod doc;
mod language;
mod languages;
mod manifest;
mod noise;
mod outline;
mod parse;
mod symbol;
mod text;
mod walk;

pub use describe::{describe, describe_manifest, describe_tree};
pub use language::Language;
pub use manifest::{Dependency, Manifest, ManifestKind, manifest};
pub use noise::{is_generated_name, is_skipped_directory};
pub use outline::{Skipped, outline};
pub use symbol::{Outline, Symbol, SymbolKind};
