//! A workspace that lives in a home: an operation is one transaction, and the home's lock is the lock.

use std::io;
use std::time::Duration;

use quipu_store::StoreError;

use super::Workspace;
use crate::error::{Error, ErrorKind, HomeError};
use crate::home::Home;
use crate::lock::{Lock, LockError};

impl Workspace {
    /// Does something as one operation: in a home all of it is kept when it ends well, and nothing
    /// otherwise. In a folder every step is kept as it is done.
    ///
    /// # Errors
    /// When it fails, or cannot be kept.
    pub fn as_one<T>(
        &self,
        operation: &str,
        who: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(home) = self.home().filter(|home| !home.is_entered()) else { return work() };
        home.enter();
        let done = work().map_err(|error| {
            if !is_cut_off(&error) {
                return error;
            }
            HomeError::CutOff { space: home.name().to_owned() }.into()
        });
        let kept = match &done {
            Ok(_) => home.commit(who, operation).map_err(|error| unreachable(home, error)),
            Err(error) => {
                home.roll_back();
                if error.kind() == ErrorKind::Forbidden {
                    home.note_refusal(who, operation, error.code());
                }
                Ok(())
            }
        };
        if done.is_err() || kept.is_err() {
            // It may tell of what was taken back.
            self.forget_kept();
        }
        kept.and(done)
    }

    /// Refuses what needs a folder.
    ///
    /// # Errors
    /// When this workspace lives on a server.
    pub fn needs_folder(&self, operation: &str) -> Result<(), Error> {
        match self.home() {
            Some(home) => Err(HomeError::NeedsFolder {
                operation: operation.replace('.', " "),
                space: home.name().to_owned(),
            }
            .into()),
            None => Ok(()),
        }
    }
}

/// Tells whether something failed because the home could not be reached, whatever it was.
fn is_cut_off(error: &Error) -> bool {
    let is_cut_off = |error: &StoreError| error.is_unreachable();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let of_file = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.downcast_ref().is_some_and(is_cut_off)
            || of_file.and_then(|error| error.downcast_ref()).is_some_and(is_cut_off)
        {
            return true;
        }
        cause = inner.source();
    }
    false
}

fn unreachable(home: &dyn Home, source: StoreError) -> Error {
    HomeError::Unreachable { space: home.name().to_owned(), source }.into()
}

/// Takes a home's lock.
pub(super) fn lock(home: &dyn Home, patience: Duration) -> Result<Lock, Error> {
    if !home.is_entered() {
        return Err(HomeError::OutsideOperation { space: home.name().to_owned() }.into());
    }
    match home.lock(patience) {
        Ok(()) => Ok(Lock::held_by_home()),
        Err(error) if error.is_busy() => Err(LockError::Busy { path: home.name().into() }.into()),
        Err(error) => Err(unreachable(home, error)),
    }
}
