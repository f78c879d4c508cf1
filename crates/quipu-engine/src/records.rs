//! What every new record has: words, an id and a time.

use jiff::Timestamp;
use quipu_core::item::Decision;
use quipu_core::journal::Record;

use crate::error::Error;
use crate::ids::new_id;
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
    let (id, at) = (new_id()?, to_milliseconds(request.now));
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
