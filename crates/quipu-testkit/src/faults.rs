//! File systems that fail, stop or forget at a chosen step.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use quipu_engine::fs::{FileSystem, Kind, RealFs, Stamp};

/// The machine's file system, without waiting for the disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSyncFs;

/// What goes wrong at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The step fails, the following ones work.
    Fail,
    /// The step and all that follow fail: the disk is full.
    Full,
    /// The process stops: a write is cut in half, nothing happens afterwards.
    Stop,
    /// The machine stops: what was not made durable is gone.
    PowerCut,
    /// The process really aborts.
    Abort,
}

/// What somebody else does, told a path.
type Act = Box<dyn Fn(&Path) + Send + Sync>;

/// A file system that goes wrong at one step of those that write.
pub struct FaultFs {
    fault: Fault,
    at: usize,
    state: Mutex<State>,
    before_rename: Option<Act>,
}

#[derive(Debug, Default)]
struct State {
    steps: usize,
    is_over: bool,
    volatile: Vec<Volatile>,
}

/// Something that a power cut takes back.
#[derive(Debug)]
enum Volatile {
    /// A file's contents, as they were before.
    Contents { path: PathBuf, before: Option<Vec<u8>> },
    /// A name in a folder, with what it stood for before.
    Name { path: PathBuf, before: Option<Vec<u8>>, moved_from: Option<PathBuf> },
}

impl FaultFs {
    /// Goes wrong at step `at`, counted from zero.
    pub fn new(fault: Fault, at: usize) -> Self {
        Self { fault, at, state: Mutex::default(), before_rename: None }
    }

    /// Lets somebody else act before a file is moved over another, whose path they hear.
    #[must_use]
    pub fn before_rename(mut self, act: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        self.before_rename = Some(Box::new(act));
        self
    }

    /// Tells whether the step was reached.
    pub fn happened(&self) -> bool {
        self.state.lock().unwrap().is_over
    }

    /// Counts a step; returns whether it goes wrong, and whether for half.
    fn step(&self) -> Result<(), Wrong> {
        let mut state = self.state.lock().unwrap();
        if state.is_over {
            return match self.fault {
                Fault::Fail => Ok(()),
                _ => Err(Wrong::Refused),
            };
        }
        if state.steps < self.at {
            state.steps += 1;
            return Ok(());
        }
        state.is_over = true;
        match self.fault {
            Fault::Fail | Fault::Full => Err(Wrong::Refused),
            Fault::Stop => Err(Wrong::Halfway),
            Fault::Abort => std::process::abort(),
            Fault::PowerCut => {
                forget(&mut state.volatile);
                Err(Wrong::Refused)
            }
        }
    }

    fn note(&self, volatile: Volatile) {
        if self.fault == Fault::PowerCut {
            self.state.lock().unwrap().volatile.push(volatile);
        }
    }

    /// Writes, or half of it.
    fn put(
        &self,
        path: &Path,
        bytes: &[u8],
        write: impl Fn(&Path, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.step() {
            Ok(()) => {
                let before = RealFs.read(path).ok();
                if before.is_none() {
                    self.note(Volatile::Name {
                        path: path.to_owned(),
                        before: None,
                        moved_from: None,
                    });
                }
                self.note(Volatile::Contents { path: path.to_owned(), before });
                write(path, bytes)
            }
            Err(Wrong::Halfway) => {
                write(path, &bytes[..bytes.len() / 2])?;
                Err(Wrong::Halfway.into())
            }
            Err(wrong) => Err(wrong.into()),
        }
    }

    fn durable(&self, keep: impl Fn(&Volatile) -> bool) {
        self.state.lock().unwrap().volatile.retain(keep);
    }
}

enum Wrong {
    Refused,
    Halfway,
}

impl From<Wrong> for io::Error {
    fn from(_: Wrong) -> Self {
        Self::new(io::ErrorKind::StorageFull, "injected fault")
    }
}

/// Takes back what was never made durable, the newest first.
fn forget(volatile: &mut Vec<Volatile>) {
    for entry in volatile.drain(..).rev() {
        match entry {
            Volatile::Contents { path, before }
            | Volatile::Name { path, before, moved_from: None } => match before {
                Some(bytes) => std::fs::write(&path, bytes).unwrap_or_default(),
                None => std::fs::remove_file(&path).unwrap_or_default(),
            },
            Volatile::Name { path, before, moved_from: Some(from) } => {
                std::fs::rename(&path, &from).unwrap_or_default();
                if let Some(bytes) = before {
                    std::fs::write(&path, bytes).unwrap_or_default();
                }
            }
        }
    }
}

impl FileSystem for FaultFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        RealFs.read(path)
    }

    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Result<Vec<u8>, u64>> {
        RealFs.read_up_to(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, Kind)>> {
        RealFs.list(path)
    }

    fn stat(&self, path: &Path) -> io::Result<(Kind, u64)> {
        RealFs.stat(path)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        RealFs.stamp(path)
    }

    fn read_last_byte(&self, path: &Path, size: u64) -> io::Result<u8> {
        RealFs.read_last_byte(path, size)
    }

    fn create_folders(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        RealFs.create_folders(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.put(path, bytes, |path, bytes| NoSyncFs.write(path, bytes))
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.put(path, bytes, |path, bytes| NoSyncFs.append(path, bytes))
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        self.step()?;
        self.note(Volatile::Contents { path: path.to_owned(), before: RealFs.read(path).ok() });
        RealFs.truncate(path, size)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        self.durable(
            |entry| !matches!(entry, Volatile::Contents { path: file, .. } if file == path),
        );
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        self.durable(
            |entry| !matches!(entry, Volatile::Name { path: file, .. } if file.parent() == Some(path)),
        );
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        if let Some(act) = &self.before_rename {
            act(to);
        }
        let (before, moved_from) = (RealFs.read(to).ok(), Some(from.to_owned()));
        RealFs.rename(from, to)?;
        self.note(Volatile::Name { path: to.to_owned(), before, moved_from });
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        let before = RealFs.read(path).ok();
        RealFs.remove_file(path)?;
        self.note(Volatile::Name { path: path.to_owned(), before, moved_from: None });
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        RealFs.remove_folder(path)
    }

    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        RealFs.copy_permissions(from, to)
    }
}

impl FileSystem for NoSyncFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        RealFs.read(path)
    }

    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Result<Vec<u8>, u64>> {
        RealFs.read_up_to(path, limit)
    }

    /// Lists in an order that no file system has, since none may be relied on.
    fn list(&self, path: &Path) -> io::Result<Vec<(String, Kind)>> {
        let mut entries = RealFs.list(path)?;
        entries.sort_by_key(|(name, _)| name.chars().rev().collect::<String>());
        Ok(entries)
    }

    fn stat(&self, path: &Path) -> io::Result<(Kind, u64)> {
        RealFs.stat(path)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        RealFs.stamp(path)
    }

    fn read_last_byte(&self, path: &Path, size: u64) -> io::Result<u8> {
        RealFs.read_last_byte(path, size)
    }

    fn create_folders(&self, path: &Path) -> io::Result<()> {
        RealFs.create_folders(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealFs.write(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealFs.append(path, bytes)
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        RealFs.truncate(path, size)
    }

    fn sync_file(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealFs.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        RealFs.remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        RealFs.remove_folder(path)
    }

    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealFs.copy_permissions(from, to)
    }
}
