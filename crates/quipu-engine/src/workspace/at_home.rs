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
        let space = || home.name().to_owned();
        let done = work().map_err(|error| {
            if is_because(&error, StoreError::is_unreachable) {
                HomeError::CutOff { space: space() }.into()
            } else if is_because(&error, StoreError::is_collision) {
                HomeError::Collided { space: space() }.into()
            } else {
                error
            }
        });
        let kept = match &done {
            Ok(_) => home.commit(who, operation).map_err(|error| match error {
                StoreError::SpaceFull { .. } => HomeError::Database(error).into(),
                error if error.is_collision() => HomeError::Collided { space: space() }.into(),
                error => unreachable(home, error),
            }),
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

/// Does something again that another transaction got in the way of, which took back all of it.
pub(crate) fn again<T>(mut work: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 0..MOST_COLLISIONS {
        match work() {
            Err(error) if matches!(error.of(), Some(HomeError::Collided { .. })) => {}
            done => return done,
        }
    }
    work()
}

/// So often something is done again before its caller hears of it.
const MOST_COLLISIONS: usize = 3;

/// Tells whether something failed because of a failure of the home, whatever it was.
fn is_because(error: &Error, of: fn(&StoreError) -> bool) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let of_file = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.downcast_ref().is_some_and(of)
            || of_file.and_then(|error| error.downcast_ref()).is_some_and(of)
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
