//! Bytes and their hash, in hexadecimal digits.

use quipu_core::text;
use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 of some bytes, in 64 lowercase digits.
pub fn sha256(bytes: &[u8]) -> String {
    text::hex(&Sha256::digest(bytes))
}
