//! Numbers in few bytes. What is read back comes from our own database, but a broken one must not
//! bring us down: reading stops at the first byte that makes no sense.

/// Appends a number, seven bits a byte.
pub(crate) fn push_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

/// Reads a number and moves on.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for shift in (0..32).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Writes which documents hold a term, and how often: ordinals ascending.
pub(crate) fn encode_postings(postings: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(postings.len() * 2);
    let mut before = 0;
    for (ordinal, count) in postings {
        let gap = ordinal - before;
        // Most counts are one: the gap's lowest bit says so.
        if *count == 1 {
            push_varint(&mut bytes, gap << 1 | 1);
        } else {
            push_varint(&mut bytes, gap << 1);
            push_varint(&mut bytes, *count);
        }
        before = *ordinal;
    }
    bytes
}

/// Reads what [`encode_postings`] wrote.
pub(crate) fn decode_postings(mut bytes: &[u8], mut each: impl FnMut(u32, u32)) {
    let mut ordinal = 0_u32;
    while let Some(coded) = take_varint(&mut bytes) {
        ordinal = ordinal.wrapping_add(coded >> 1);
        let count = if coded & 1 == 1 { Some(1) } else { take_varint(&mut bytes) };
        let Some(count) = count else { return };
        each(ordinal, count);
    }
}

/// Writes the terms of one document.
pub(crate) fn encode_terms(terms: &[(u64, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(terms.len() * 9);
    for (term, count) in terms {
        bytes.extend_from_slice(&term.to_le_bytes());
        push_varint(&mut bytes, *count);
    }
    bytes
}

/// Reads what [`encode_terms`] wrote.
pub(crate) fn decode_terms(mut bytes: &[u8]) -> Vec<(u64, u32)> {
    let mut terms = Vec::with_capacity(bytes.len() / 9);
    while let Some((term, rest)) = bytes.split_first_chunk::<8>() {
        bytes = rest;
        let Some(count) = take_varint(&mut bytes) else { break };
        terms.push((u64::from_le_bytes(*term), count));
    }
    terms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn postings_come_back(
            gaps in prop::collection::vec((1_u32..5000, 1_u32..300), 0..200)
        ) {
            let mut ordinal = 0;
            let postings: Vec<(u32, u32)> = gaps
                .into_iter()
                .map(|(gap, count)| {
                    ordinal += gap;
                    (ordinal, count)
                })
                .collect();
            let mut read = Vec::new();
            decode_postings(&encode_postings(&postings), |o, c| read.push((o, c)));
            prop_assert_eq!(read, postings);
        }

        #[test]
        fn terms_come_back(terms in prop::collection::vec((any::<u64>(), any::<u32>()), 0..50)) {
            prop_assert_eq!(decode_terms(&encode_terms(&terms)), terms);
        }

        #[test]
        fn broken_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            decode_postings(&bytes, |_, _| ());
            decode_terms(&bytes);
        }
    }
}
