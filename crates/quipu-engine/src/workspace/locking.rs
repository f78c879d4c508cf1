//! One writer or many readers, and what a writer finds to be finished first.

use std::path::PathBuf;
use std::time::Duration;

use super::{ReadError, Workspace, at_home};
use crate::error::Error;
use crate::fs::Kind;
use crate::lock::{Lock, LockError, Mode};
use crate::state;

/// How long a command waits for another to finish.
const PATIENCE: Duration = Duration::from_secs(30);

impl Workspace {
    /// Returns the file that is locked. Version 0.1 locks the same one.
    pub fn lock_path(&self) -> PathBuf {
        self.root.join(state::FOLDER).join("lock")
    }

    /// Takes the lock together with other readers. A reader needs no lock where nobody has ever
    /// written through Quipu, or where the medium lets nobody write.
    ///
    /// # Errors
    /// When another process keeps the lock, or what it left behind cannot be finished.
    pub fn lock_for_reading(&self) -> Result<Option<Lock>, Error> {
        if self.home().is_some() {
            // An operation sees one state from its first question on.
            return Ok(None);
        }
        let path = self.lock_path();
        let lock = match Lock::take(&path, Mode::Shared, self.patience()) {
            Ok(lock) => lock,
            Err(LockError::Io { .. }) => return Ok(None),
            Err(busy) => return Err(busy.into()),
        };
        if self.fs.stat(&self.state("tx")).is_err() && !self.has_unfinished_purge() {
            return Ok(Some(lock));
        }
        drop(lock);
        self.lock_for_writing().map(Some)
    }

    /// Takes the lock alone, and finishes what an earlier process left behind.
    ///
    /// # Errors
    /// When another process keeps the lock, or what was left behind cannot be finished.
    pub fn lock_for_writing(&self) -> Result<Lock, Error> {
        if let Some(home) = self.home() {
            return at_home::lock(home, self.patience());
        }
        // A process that lives on need not look at every write whether the folder is still there.
        let take = || Lock::take(&self.lock_path(), Mode::Exclusive, self.patience());
        let taken = if self.is_prepared.get() { Some(take()) } else { None };
        let lock = match taken {
            Some(Ok(lock)) => lock,
            Some(Err(busy @ LockError::Busy { .. })) => return Err(busy.into()),
            Some(Err(LockError::Io { .. })) | None => {
                self.prepare_state()?;
                take()?
            }
        };
        self.is_prepared.set(true);
        self.recover()?;
        (self.duties.finish_purge)(self, &lock)?;
        Ok(lock)
    }

    /// Takes the lock alone if nobody else holds it for longer than `patience`.
    pub(crate) fn try_lock_for_writing(&self, patience: Duration) -> Result<Option<Lock>, Error> {
        if let Some(home) = self.home() {
            return match at_home::lock(home, patience) {
                Ok(lock) => Ok(Some(lock)),
                Err(error) if error.code() == "busy" => Ok(None),
                Err(error) => Err(error),
            };
        }
        self.prepare_state()?;
        match Lock::take(&self.lock_path(), Mode::Exclusive, patience) {
            Ok(lock) => {
                self.recover()?;
                (self.duties.finish_purge)(self, &lock)?;
                Ok(Some(lock))
            }
            Err(LockError::Busy { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a lock of its own for one kind of work, which is a state file.
    ///
    /// # Errors
    /// When somebody else keeps it for longer than `patience`.
    pub(crate) fn lock_work(&self, file: &str, patience: Duration) -> Result<Lock, Error> {
        match self.home() {
            // Its lock is for all kinds of work.
            Some(home) => at_home::lock(home, patience),
            None => Ok(Lock::take(&self.state(file), Mode::Exclusive, patience)?),
        }
    }

    fn recover(&self) -> Result<(), Error> {
        if let Some(recovered) = self.transactions().recover()? {
            self.recovered.borrow_mut().push(recovered);
        }
        Ok(())
    }

    /// Makes `.quipu` for the lock, and the state folder for everything else.
    ///
    /// # Errors
    /// When one of them cannot be made.
    pub fn prepare_state(&self) -> Result<(), Error> {
        if self.home().is_some() {
            return Ok(());
        }
        let folder = self.root.join(state::FOLDER);
        if let Ok((Kind::Link, _)) = self.fs.stat(&folder) {
            return Err(ReadError::Linked { path: state::FOLDER.to_owned() }.into());
        }
        let prepare = || {
            if self.fs.stat(&folder).is_err() {
                self.fs.create_folders(&folder)?;
                self.fs.sync_folder(&self.root)?;
            }
            // Nobody should ever commit this folder, also where `init` never ran.
            let ignore = folder.join(".gitignore");
            let is_there = self.fs.stat(&ignore).is_ok_and(|(_, size)| size > 0);
            if is_there { Ok(()) } else { self.fs.write(&ignore, b"*\n") }
        };
        prepare().map_err(|source| ReadError::State { source })?;
        self.claim_state()
    }

    /// Gives the workspace a state folder, where it has none. A process that lives on looks again, for
    /// somebody may have removed `.quipu` meanwhile.
    fn claim_state(&self) -> Result<(), Error> {
        let known = self.state_folder.borrow().clone();
        let found = self.states().find();
        if found.is_some() && found == known {
            return Ok(());
        }
        let had_files = self.states().has_foreign_files();
        let folder = self.states().claim(known.as_deref(), |folder| {
            if had_files {
                let notice = (self.duties.adopt)(&*self.fs, &self.root, folder);
                self.notices.borrow_mut().extend(notice);
            }
        })?;
        *self.state_folder.borrow_mut() = Some(folder);
        Ok(())
    }

    fn patience(&self) -> Duration {
        self.hurry.get().unwrap_or(PATIENCE)
    }
}
