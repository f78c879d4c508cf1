//! The index as it was last read, which all stores of a process that have the same file open share.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::StoreError;
use crate::index::View;

/// A store whose contents were replaced as a whole counts its writes from the next multiple of this.
const REPLACED: i64 = 1 << 32;

/// Returns the generation of contents that take the place of those at a generation: from any generation
/// before it nothing can be used again.
pub(super) fn replaced(generation: i64) -> i64 {
    (generation / REPLACED + 1) * REPLACED
}

/// Which file stands at a path: two files that are there at the same time have different ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileNumber(u64, u64);

impl FileNumber {
    /// Returns the number of a file; none where files have no numbers.
    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        path.metadata().ok().map(|found| Self(found.dev(), found.ino()))
    }

    /// Returns the number of a file; none where files have no numbers.
    #[cfg(not(unix))]
    pub(super) fn of(_path: &Path) -> Option<Self> {
        None
    }
}

/// The index of one database as it was last read.
#[derive(Debug, Default)]
pub(super) struct Views {
    last: Mutex<Option<Arc<View>>>,
}

/// The views of all files that are open.
static OPEN: Mutex<BTreeMap<FileNumber, Weak<Views>>> = Mutex::new(BTreeMap::new());

impl Views {
    /// Returns the views of a file, the same for everybody who has it open.
    ///
    /// Whoever holds them has the file open, so that no other file can get its number. That is why they
    /// must be dropped before the file is closed.
    pub(super) fn of_file(file: FileNumber) -> Arc<Self> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(views) = open.get(&file).and_then(Weak::upgrade) {
            return views;
        }
        open.retain(|_, views| views.strong_count() > 0);
        let views = Arc::default();
        open.insert(file, Arc::downgrade(&views));
        views
    }

    /// Returns the model whose vectors were last read, with how many numbers they have.
    pub(super) fn model(&self) -> Option<(i64, usize)> {
        self.last().as_ref().map(|view| (view.model, view.dims))
    }

    /// Returns the view at a generation, with the vectors of a model. Where nobody has read that, `read`
    /// does, and gets an older one from which it may take what has not changed.
    pub(super) fn get(
        &self,
        (generation, model): (i64, i64),
        read: impl FnOnce(Option<&View>) -> Result<View, StoreError>,
    ) -> Result<Arc<View>, StoreError> {
        // Others wait meanwhile: they most likely want the same.
        let mut last = self.last();
        if let Some(view) = &*last
            && (view.generation, view.model) == (generation, model)
        {
            return Ok(Arc::clone(view));
        }
        let is_older = |view: &&View| {
            view.generation <= generation && view.generation / REPLACED == generation / REPLACED
        };
        let view = Arc::new(read(last.as_deref().filter(is_older))?);
        // A reader that began before the last write keeps what it read to itself.
        if last.as_ref().is_none_or(|last| last.generation <= generation) {
            *last = Some(Arc::clone(&view));
        }
        Ok(view)
    }

    /// Forgets what was read.
    pub(super) fn forget(&self) {
        *self.last() = None;
    }

    fn last(&self) -> MutexGuard<'_, Option<Arc<View>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
