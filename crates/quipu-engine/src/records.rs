//! What every new record has: words, an id that sorts by time, and the time.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use quipu_core::item::Decision;
use quipu_core::journal::Record;

use crate::error::Error;
use crate::operation::Request;
use crate::refusal::Refusal;

/// A record longer than this is a document, and belongs into a file.
const LONGEST_TEXT: usize = 1024 * 1024;

/// Refuses what has no words, or too many.
pub(crate) fn check_words(words: &str) -> Result<(), Refusal> {
    if !words.chars().any(char::is_alphanumeric) {
        return Err(Refusal::NoWords);
    }
    if words.len() > LONGEST_TEXT {
        return Err(Refusal::TooLong { size: words.len(), most: LONGEST_TEXT });
    }
    Ok(())
}

/// Returns the record of a decision about something.
pub(crate) fn decision_record(
    target: &str,
    decision: Decision,
    reason: &str,
    session: &str,
    request: &Request<'_>,
) -> Result<Record, Error> {
    let (id, at) = (new_id(request.now)?, to_milliseconds(request.now));
    let mut record = Record::deciding(id, session, target, (decision, reason), at);
    if let Some(agent) = request.caller.recorded_as() {
        agent.clone_into(&mut record.provenance.source_channel);
    }
    Ok(record)
}

/// Records carry milliseconds, as the original's do.
pub(crate) fn to_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

/// Returns an id that sorts by time.
pub(crate) fn new_id(now: Timestamp) -> Result<String, Error> {
    // Records of one process and millisecond stay in the order in which they were written. The count begins
    // anew with every millisecond: else an id would tell how much this process has written for others.
    static LAST: Mutex<(i64, u32)> = Mutex::new((0, 0));
    let mut random = [0_u8; 10];
    getrandom::fill(&mut random)
        .map_err(|error| Refusal::NoRandomness { reason: error.to_string() })?;
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let millisecond = now.as_millisecond();
    let number = if last.0 == millisecond { last.1.wrapping_add(1) } else { 0 };
    *last = (millisecond, number);
    drop(last);
    let bits = |shift: u32, mask: u32| u8::try_from(number >> shift & mask).unwrap_or(0);
    // The format takes the first half of the first byte, and two bits of the third.
    random[..4].copy_from_slice(&[bits(22, 15), bits(14, 255), bits(8, 63), bits(0, 255)]);
    let milliseconds = u64::try_from(millisecond).unwrap_or(0);
    let id = uuid::Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid();
    Ok(id.to_string())
}
