//! Ids that are derived: the same memory of the same source has the same id, whenever and wherever it is imported.

use quipu_core::journal::short_id;
use sha2::{Digest as _, Sha256};

use crate::draft::Draft;

/// Returns the id that parts make: sixteen letters and digits, the first a letter. Among a million of them two are
/// the same once in ten trillion times.
pub fn derived(parts: &[&str]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update(part.as_bytes());
        sum.update([0]);
    }
    let sum = sum.finalize();
    let number = |at: usize| {
        let bytes: [u8; 8] = sum[at..at + 8].try_into().unwrap_or_default();
        u64::from_le_bytes(bytes)
    };
    format!("{}{}", short_id(number(0)), &short_id(number(8))[1..7])
}

/// Returns the id of a memory that has `id` in its source.
pub fn of_origin(format: &str, account: &str, id: &str) -> String {
    derived(&[format, account, id])
}

/// Returns the id of a draft: by its id in the source, else by its words.
pub fn of_draft(format: &str, draft: &Draft) -> String {
    if let Some(id) = &draft.origin.id {
        return of_origin(format, &draft.origin.account, id);
    }
    let time = match draft.time_from {
        // A file that was touched holds the same memories.
        Some(_) => String::new(),
        None => draft.time.map(|time| time.to_string()).unwrap_or_default(),
    };
    let speaker = draft.speaker.as_deref().unwrap_or_default();
    derived(&[format, &draft.origin.account, "", speaker, &time, &draft.text])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_every_part_and_on_nothing_else() {
        let id = derived(&["mem0", "ana", "44"]);
        assert_eq!(id, derived(&["mem0", "ana", "44"]));
        assert_eq!(id.len(), 16);
        assert!(id.starts_with(|c: char| c.is_ascii_lowercase()));
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
        assert_ne!(derived(&["a", "bc"]), derived(&["ab", "c"]));
        assert_ne!(derived(&["a", ""]), derived(&["a"]));
    }
}
