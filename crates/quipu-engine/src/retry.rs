//! Requests that are sent again because their answer was lost: each is carried out once, and every retry gets the
//! first answer.
//!
//! Answers are kept in the state folder for a day. What a request makes has an id that is derived from its key, so a
//! retry also recognises what an earlier process made before it died.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest;
use crate::error::{Error, Failure};
use crate::lock::Lock;
use crate::workspace::{ReadError, Workspace};

/// The folder of kept answers.
const FOLDER: &str = "requests";

/// How long a retry waits for the first attempt.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long an answer is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// From this many files on, old ones are removed.
const MANY_FILES: usize = 1000;

/// How often that is looked at.
const SOME_FILES: usize = 50;

/// Why a retry is refused.
#[derive(Debug, thiserror::Error)]
pub enum RetryError {
    /// The key belongs to another request.
    #[error("this key was used for another request")]
    OtherRequest,
}

impl Failure for RetryError {
    fn code(&self) -> &'static str {
        "key-reused"
    }

    fn hint(&self) -> Option<String> {
        Some("choose a new key for every new request".to_owned())
    }
}

/// What a retry of a request is recognised by: it is carried out once.
#[derive(Clone, Copy, Debug)]
pub struct RetryKey<'a> {
    /// The key that the caller chose.
    pub key: &'a str,
    /// A fingerprint of what is asked.
    pub request: &'a str,
}

/// An answer that was given.
#[derive(Serialize, Deserialize)]
struct KeptAnswer {
    /// What was asked, as a fingerprint.
    request: String,
    at: Timestamp,
    answer: Value,
}

/// Carries out a request, unless one with the same key and from the same caller was carried out before: then its
/// answer is returned again.
pub(crate) fn once(
    on: &Workspace,
    retry: RetryKey<'_>,
    (by, now): (&str, Timestamp),
    act: impl FnOnce(&str) -> Result<Value, Error>,
) -> Result<Value, Error> {
    let name = digest::sha256(format!("{by}\n{}", retry.key).as_bytes());
    let kept = Kept { on, name: &name };
    let _turn = kept.wait()?;
    if let Some(KeptAnswer { request, mut answer, .. }) = kept.read() {
        if request != retry.request {
            return Err(RetryError::OtherRequest.into());
        }
        if let Value::Object(answer) = &mut answer {
            answer.insert("repeated".to_owned(), Value::Bool(true));
        }
        return Ok(answer);
    }
    let answer = act(&name)?;
    // What changed nothing may be asked again.
    if answer.get("change").is_some() {
        let request = retry.request.to_owned();
        kept.write(&KeptAnswer { request, at: now, answer: answer.clone() });
        kept.forget_old(now);
    }
    Ok(answer)
}

/// The answer of one key.
struct Kept<'a> {
    on: &'a Workspace,
    name: &'a str,
}

impl Kept<'_> {
    /// Waits until nobody else is carrying out the same request.
    fn wait(&self) -> Result<Lock, Error> {
        self.on.prepare_state()?;
        let folder = self.on.state(FOLDER);
        self.on.fs().create_folders(&folder).map_err(|source| ReadError::State { source })?;
        self.on.lock_work(&format!("{FOLDER}/{}.lock", self.name), PATIENCE)
    }

    fn file(&self) -> String {
        format!("{FOLDER}/{}.json", self.name)
    }

    fn read(&self) -> Option<KeptAnswer> {
        let bytes = self.on.fs().read(&self.on.state(&self.file())).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps an answer. Where that fails, a retry is recognised by the ids that it would make.
    fn write(&self, answer: &KeptAnswer) {
        if let Ok(bytes) = serde_json::to_vec(answer) {
            let _ = self.on.write_state(&self.file(), &bytes);
        }
    }

    /// Removes old answers, where many have gathered.
    fn forget_old(&self, now: Timestamp) {
        let entries = self.on.fs().list(&self.on.state(FOLDER)).unwrap_or_default();
        if entries.len() < MANY_FILES || !entries.len().is_multiple_of(SOME_FILES) {
            return;
        }
        for (name, _) in entries {
            let Some(name) = name.strip_suffix(".json") else { continue };
            let kept = Kept { on: self.on, name };
            let is_old = kept.read().is_none_or(|kept| now.duration_since(kept.at) > KEPT);
            if is_old {
                // The lock goes last. A file that stays is looked at again.
                let lock = format!("{FOLDER}/{name}.lock");
                let _ = self.on.fs().remove_file(&self.on.state(&kept.file()));
                let _ = self.on.fs().remove_file(&self.on.state(&lock));
            }
        }
    }
}

/// Returns a fingerprint of a request.
pub fn fingerprint(operation: &str, arguments: &Map<String, Value>) -> String {
    let arguments = Value::Object(arguments.clone());
    digest::sha256(format!("{operation}\n{arguments}").as_bytes())
}
