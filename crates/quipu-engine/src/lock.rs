//! One lock a workspace: many readers, or one writer. The kernel releases it when a process dies.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Failure;

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds it.
    #[error("another quipu process is working on `{path}`", path = path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// The lock file cannot be used.
    #[error("cannot lock `{path}`", path = path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

impl Failure for LockError {
    fn code(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "busy",
            Self::Io { .. } => "io",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Busy { .. } => "wait for it to finish and try again",
            Self::Io { .. } => "check who may write in .quipu/",
        };
        Some(hint.to_owned())
    }
}

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    /// None where the home of the workspace holds it, until the operation ends.
    file: Option<File>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that was forked a moment ago has it open until it runs its
        // own program. Where this fails, closing has to do.
        if let Some(file) = &self.file {
            let _ = file.unlock();
        }
    }
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Beside other readers.
    Shared,
    /// Alone.
    Exclusive,
}

impl Lock {
    /// Returns a lock that the home of a workspace holds.
    pub(crate) fn held_by_home() -> Self {
        Self { file: None }
    }

    /// Takes the lock at `path`, waiting up to `patience` for others to finish.
    ///
    /// # Errors
    /// When others hold it for too long, or the file cannot be opened.
    pub fn take(path: &Path, mode: Mode, patience: Duration) -> Result<Self, LockError> {
        let fail = |source| LockError::Io { path: path.to_owned(), source };
        let file = crate::fs::open_lock(path, mode == Mode::Exclusive).map_err(fail)?;
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            let taken = match mode {
                Mode::Shared => file.try_lock_shared(),
                Mode::Exclusive => file.try_lock(),
            };
            match taken {
                Ok(()) => return Ok(Self { file: Some(file) }),
                Err(TryLockError::WouldBlock) if started.elapsed() < patience => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Busy { path: path.to_owned() });
                }
                Err(TryLockError::Error(source)) => return Err(fail(source)),
            }
        }
    }
}
