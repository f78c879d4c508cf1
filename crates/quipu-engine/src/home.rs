//! A home that is no folder: where a workspace lives on a server.
//!
//! Use cases are written once, over [`crate::fs::FileSystem`] and [`quipu_store::Store`]. What differs is
//! when something is written for good: in a folder step by step, each of them recovered after a crash;
//! in a home all of an operation at once, when it ends well, or nothing of it.

use std::fmt::Debug;
use std::time::Duration;

use quipu_store::{Store, StoreError};

/// What a home does for its workspace.
pub trait Home: Debug + Send + Sync {
    /// Returns its name, for people.
    fn name(&self) -> &str;
    /// Returns the index.
    fn store(&self) -> Box<dyn Store>;
    /// Tells whether an operation is under way.
    fn is_entered(&self) -> bool;
    /// Begins an operation: until it ends, reads see one state, and writes are seen by nobody else.
    fn enter(&self);
    /// Keeps all others from writing until the operation ends.
    ///
    /// # Errors
    /// When others write for longer than `patience`, or the home cannot be reached.
    fn lock(&self, patience: Duration) -> Result<(), StoreError>;
    /// Ends an operation and keeps what it wrote, with a line on who did it.
    ///
    /// # Errors
    /// When that cannot be kept; then nothing has changed.
    fn commit(&self, who: &str, operation: &str) -> Result<(), StoreError>;
    /// Ends an operation and takes back what it wrote.
    fn roll_back(&self);
    /// Removes what can be made again from the files: the index.
    ///
    /// # Errors
    /// When it cannot be written.
    fn clear_index(&self) -> Result<(), StoreError>;
    /// Notes that somebody was refused.
    fn note_refusal(&self, who: &str, operation: &str, code: &str);
}
