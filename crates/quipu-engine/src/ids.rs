//! Ids of what is new.

use std::cell::Cell;

use quipu_core::journal;
use sha2::{Digest as _, Sha256};

use crate::refusal::Refusal;

thread_local! {
    /// The number that the next id of this thread is made from, where a run is to be repeated.
    static NEXT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Makes all ids of this thread follow from a number, so that a simulation can be repeated.
pub fn repeat_from(seed: u64) {
    NEXT.set(Some(seed));
}

/// Returns an id for something new: ten random letters and digits.
///
/// # Errors
/// When the system gives no random numbers.
pub(crate) fn new_id() -> Result<String, Refusal> {
    if let Some(seed) = NEXT.get() {
        NEXT.set(Some(seed.wrapping_add(1)));
        return Ok(journal::short_id(mixed(seed)));
    }
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random)
        .map_err(|error| Refusal::NoRandomness { reason: error.to_string() })?;
    Ok(journal::short_id(u64::from_le_bytes(random)))
}

/// Returns an id that is derived from something else, and always the same for it. `kind` keeps ids of different
/// things apart.
pub(crate) fn derived_id(kind: &str, from: &str) -> String {
    let hash = Sha256::digest(format!("{kind}\n{from}"));
    let number = hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
    journal::short_id(number)
}

/// Spreads a number over 64 bits (`SplitMix64`).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
