//! How exactly vectors are kept.

use quipu_core::vector::{Packed, Width};
use serde::Serialize;

/// Says how exactly the vectors of each item should be kept, and helps to get there.
pub trait Precision {
    /// Returns the width for an item.
    fn width(&mut self, id: &str) -> Width;

    /// Returns vectors of full precision, for items that should be more exact than they are; none
    /// for one leaves it as it is. Called without a lock on the store's database.
    fn fresh(&mut self, ids: &[String]) -> Vec<Option<Vec<Packed>>> {
        vec![None; ids.len()]
    }

    /// Tells whether nothing is to be changed: what would change is only counted.
    fn only_looks(&self) -> bool {
        false
    }

    /// Hears how many of how many documents were looked at.
    fn progress(&mut self, _done: usize, _total: usize) {}
}

/// How many items have vectors of each width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Widths {
    /// Of eight bits.
    pub eight: usize,
    /// Of four bits.
    pub four: usize,
    /// Of two bits.
    pub two: usize,
}

impl Widths {
    /// Returns how many there are of a width.
    pub fn of(&self, width: Width) -> usize {
        match width {
            Width::Two => self.two,
            Width::Four => self.four,
            Width::Eight => self.eight,
        }
    }

    /// Returns how many there are.
    pub fn total(&self) -> usize {
        self.eight + self.four + self.two
    }

    pub(crate) fn of_mut(&mut self, width: Width) -> &mut usize {
        match width {
            Width::Two => &mut self.two,
            Width::Four => &mut self.four,
            Width::Eight => &mut self.eight,
        }
    }
}

/// What compressing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Compressed {
    /// Items whose vectors take fewer bits now.
    pub narrowed: usize,
    /// Items whose vectors take more.
    pub widened: usize,
    /// Items that should be more exact, but nobody had a vector for them.
    pub missing: usize,
    /// How many items have vectors of each width now.
    pub precision: Widths,
    /// Bytes of the model's vectors before.
    pub bytes_before: u64,
    /// Bytes of the model's vectors now.
    pub bytes_after: u64,
}

impl Compressed {
    /// Tells whether anything changed.
    pub fn has_changed(&self) -> bool {
        self.narrowed + self.widened > 0
    }
}
