//! Charges cards, e.g. in a shop. And more.
//!
//! A second paragraph.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
pub use crate::money::Amount;
extern crate alloc;

/// The most that a card is charged.
pub const LIMIT: u64 = 1_000;
static mut COUNTER: u32 = 0;

/// A card of a customer.
///
/// With more text.
#[derive(Clone, Debug)]
pub struct Card<'a, T: Display = String>
where
    T: Clone,
{
    pub number: &'a str,
    extra: T,
}

struct Unit;
pub(crate) struct Pair(u8, u8);

/** What went wrong. */
pub enum Error {
    /// Nothing left.
    Empty,
    Other { code: u8 },
}

pub union Raw {
    a: u32,
    b: f32,
}

/// Something that can be charged.
pub trait Charge: Send {
    type Receipt;
    const RETRIES: u8 = 3;
    /// Charges it.
    fn charge(
        &mut self, // the card
        amount: Amount,
    ) -> Result<Self::Receipt, Error>;
    fn name(&self) -> String {
        "charge".to_owned()
    }
}

impl<'a, T: Display + Clone> Card<'a, T> {
    /// Makes a card.
    pub const fn new(number: &'a str, extra: T) -> Self {
        fn inner() {}
        Self { number, extra }
    }
    pub(crate) async unsafe fn pay<F>(&self, f: F) -> Option<u8> where F: Fn(u8) -> u8 {
        None
    }
    fn hidden(&self) {}
}

impl fmt::Display for Card<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number)
    }
}

pub type Receipts = BTreeMap<String, Amount>;

/// Makes a card of a number.
#[macro_export]
macro_rules! card {
    ($number:expr) => {
        $crate::Card::new($number)
    };
}

pub mod refund {
    use super::Card;
    /// Gives the money back to Zoë.
    pub fn rückzahlung(card: &Card) {}
    pub mod deep {
        pub fn er() {}
    }
}
mod elsewhere;

extern "C" {
    pub fn puts(s: *const u8) -> i32;
}

pub extern "C" fn exported(x: u32) -> u32 {
    x
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {}
}
