//! Memories of other programs, read where they lie: bytes in, a neutral stream of [`Draft`]s out. Nothing here writes
//! to a source, and nothing here knows the memory that the drafts go to.
//!
//! A source is an [`Input`] (a file, a folder, an archive); [`detect()`] says which [`Format`] it has, by what stands in
//! it; [`read()`] hands out what it holds. [`classify`] gives a draft the category, type and layer that its source has
//! no word for, by rules that name themselves. The other way round [`mod@write`] puts memories into formats of others.

pub mod classify;
pub mod database;
pub mod detect;
pub mod document;
pub mod draft;
pub mod elements;
mod encoding;
pub mod error;
pub mod find;
pub mod format;
pub mod head;
pub mod id;
pub mod input;
pub mod out;
pub mod reader;
mod shared;
pub mod text;
pub mod write;

pub use detect::detect;
pub use draft::{Draft, DraftLink, Origin, Skip};
pub use error::ImportError;
pub use format::Format;
pub use input::Input;
pub use out::Out;
pub use reader::{Options, read};
