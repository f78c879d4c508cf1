//! Where readers put what they find.

use std::collections::BTreeMap;

use crate::draft::{Draft, Skip};
use crate::error::ImportError;

/// So many broken places are named; the rest is counted.
const MOST_NAMED: usize = 10;

/// What a reader tells while it reads.
pub struct Out<'a> {
    put: &'a mut dyn FnMut(Draft) -> Result<(), ImportError>,
    /// How much was left out, by reason.
    pub skipped: BTreeMap<Skip, usize>,
    /// How many memories were read.
    pub read: usize,
    /// What a person should know about the source.
    pub warnings: Vec<String>,
    /// The version of the program that wrote it, where it says so.
    pub version: Option<String>,
    unreadable: usize,
}

impl std::fmt::Debug for Out<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Out").field("read", &self.read).finish_non_exhaustive()
    }
}

impl<'a> Out<'a> {
    /// Makes one that hands drafts to `put`.
    pub fn new(put: &'a mut dyn FnMut(Draft) -> Result<(), ImportError>) -> Self {
        Self {
            put,
            skipped: BTreeMap::new(),
            read: 0,
            warnings: Vec::new(),
            version: None,
            unreadable: 0,
        }
    }

    /// Takes a draft; one without words is counted and left out.
    ///
    /// # Errors
    /// When whoever takes it cannot.
    pub fn put(&mut self, mut draft: Draft) -> Result<(), ImportError> {
        let text = crate::text::tidy(&draft.text);
        if !text.chars().any(char::is_alphanumeric) {
            self.skip(Skip::Empty);
            return Ok(());
        }
        draft.text = text;
        self.read += 1;
        (self.put)(draft)
    }

    /// Counts something that is left out.
    pub fn skip(&mut self, why: Skip) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Counts something that cannot be read, and names the first ones.
    pub fn unreadable(&mut self, place: &str, why: &str) {
        self.skip(Skip::Unreadable);
        self.unreadable += 1;
        if self.unreadable <= MOST_NAMED {
            self.warnings.push(format!("{place}: {why}"));
        }
    }

    /// Tells a person something, once.
    pub fn warn(&mut self, words: impl Into<String>) {
        let words = words.into();
        if !self.warnings.contains(&words) {
            self.warnings.push(words);
        }
    }
}
