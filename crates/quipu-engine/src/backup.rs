//! Everything of a memory in one file, that says of itself whether it is whole; and putting it back.
//!
//! A backup is a zip archive: a manifest first, with the size and hash of every file, then the files. The index is
//! not in it: it is made again from them, and a restored memory is compared with itself that way.

use std::collections::BTreeSet;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use quipu_core::journal::entry::{self, Part};
use quipu_core::text::hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::digest::sha256;
use crate::error::Error;
use crate::fs::outside;
use crate::ledger;
use crate::open;
use crate::replay;
use crate::workspace::Workspace;

/// The format that the manifest names.
const FORMAT: &str = "quipu.backup/1";

/// The manifest's name; it is the first file.
const MANIFEST: &str = "manifest.json";

/// The settings of a workspace.
const SETTINGS: &str = "quipu.toml";

/// The seal at the end of a backup has so many bytes.
const SEAL: usize = 64;

/// A file of a memory is not larger than this.
const LARGEST_FILE: u64 = 2 * 1024 * 1024 * 1024;

/// All of a manifest is not larger than this.
const LARGEST_MANIFEST: u64 = 64 * 1024 * 1024;

/// So much larger than the backup its files may be together. Text is packed to a tenth, not to a thousandth.
const MOST_RATIO: u64 = 200;

/// A backup of less may be of any ratio.
const SMALL: u64 = 64 * 1024;

/// What a backup says about itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Manifest {
    format: String,
    made: Timestamp,
    by: String,
    /// The name of the folder that it is of.
    root: String,
    files: Vec<Entry>,
    /// The hash of the hashes of all files.
    total_sha256: String,
    /// Whether the archive ends with the hash of all that stands before it.
    #[serde(default)]
    sealed: bool,
}

/// One file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    path: String,
    size: u64,
    sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
}

/// What a backup holds, and where it is or was put back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BackedUp {
    /// The backup.
    pub path: PathBuf,
    /// How many files are in it.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
    /// When it was made.
    pub made: Timestamp,
    /// The version that made it.
    pub by: String,
    /// Records that are in it.
    pub records: usize,
    /// Lines that were meant to be records, and cannot be read: they were so in the memory already.
    pub broken: usize,
    /// Where it was put back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<PathBuf>,
    /// What stood there before, and where it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<PathBuf>,
    /// Whether the index was made again from what was put back, and says the same twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
}

/// Writes a backup of a memory, and looks whether it is whole.
///
/// # Errors
/// When the memory cannot be read, or the backup not written.
pub fn backup(workspace: &Workspace, path: &Path, now: Timestamp) -> Result<BackedUp, Error> {
    outside::refuse_links(workspace.root(), path)?;
    // Nobody writes meanwhile, and what an earlier process left half done is finished.
    let lock = workspace.lock_for_writing()?;
    let mut entries = Vec::new();
    let mut paths = ledger::memory_files(workspace)?;
    if workspace.fs().stat(&workspace.root().join(SETTINGS)).is_ok() {
        paths.push(SETTINGS.to_owned());
    }
    let read = |path: &str| {
        let bytes = workspace.fs().read(&workspace.root().join(path));
        bytes.map_err(|source| crate::workspace::reading(path, source))
    };
    for path in &paths {
        let bytes = read(path)?;
        entries.push(Entry {
            path: path.clone(),
            size: bytes.len() as u64,
            sha256: sha256(&bytes),
            mode: workspace.fs().mode(&workspace.root().join(path)).map(|mode| mode & 0o777),
        });
    }
    let root = workspace.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        made: now,
        by: concat!("quipu ", env!("CARGO_PKG_VERSION")).to_owned(),
        root,
        total_sha256: total(&entries),
        files: entries,
        sealed: true,
    };
    let mut failed = None;
    let written = outside::write_whole(path, |sink| {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let mut archive = ZipWriter::new_stream(Sealing::of(sink));
        // The place of the seal.
        archive.set_comment("0".repeat(SEAL))?;
        archive.start_file(MANIFEST, options)?;
        serde_json::to_writer_pretty(&mut archive, &manifest)?;
        for one in &manifest.files {
            match read(&one.path) {
                Ok(bytes) => {
                    archive.start_file(
                        &one.path,
                        options.large_file(one.size > u64::from(u32::MAX)),
                    )?;
                    archive.write_all(&bytes)?;
                }
                Err(error) => failed = Some(error),
            }
        }
        archive.finish()?.into_inner().seal()
    });
    if let Some(error) = failed {
        return Err(error);
    }
    drop(lock);
    written.map_err(|error| {
        Error::input("io", format!("cannot write `{}`: {error}", path.display()))
            .hint("nothing was changed; an older backup of that name is as it was")
    })?;
    verify(path)
}

/// Writes an archive whose last bytes become the hash of all others: what is no content has no hash of its own.
struct Sealing<'s> {
    to: &'s mut dyn outside::Sink,
    sum: Sha256,
    /// The last bytes so far, which are not written yet.
    last: Vec<u8>,
}

impl<'s> Sealing<'s> {
    fn of(to: &'s mut dyn outside::Sink) -> Self {
        Self { to, sum: Sha256::new(), last: Vec::new() }
    }

    fn seal(self) -> io::Result<()> {
        self.to.write_all(hex(&self.sum.finalize()).as_bytes())
    }
}

impl Write for Sealing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.last.extend_from_slice(bytes);
        let ready = self.last.len().saturating_sub(SEAL);
        self.sum.update(&self.last[..ready]);
        self.to.write_all(&self.last[..ready])?;
        self.last.drain(..ready);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Tells whether a file ends with the hash of all that stands before it.
fn is_sealed(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let size = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut before = file.by_ref().take(size.saturating_sub(SEAL as u64));
    let (mut sum, mut piece) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match before.read(&mut piece)? {
            0 => break,
            count => sum.update(&piece[..count]),
        }
    }
    let mut seal = Vec::new();
    file.read_to_end(&mut seal)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(seal == hex(&sum.finalize()).as_bytes())
}

fn total(entries: &[Entry]) -> String {
    let all: Vec<String> =
        entries.iter().map(|one| format!("{} {} {}\n", one.path, one.size, one.sha256)).collect();
    sha256(all.concat().as_bytes())
}

/// Reads a whole backup and compares every byte with what its manifest says.
///
/// # Errors
/// When it is no backup, or not whole.
pub fn verify(path: &Path) -> Result<BackedUp, Error> {
    let mut found = BackedUp {
        path: path.to_owned(),
        files: 0,
        bytes: 0,
        made: Timestamp::UNIX_EPOCH,
        by: String::new(),
        records: 0,
        broken: 0,
        into: None,
        set_aside: None,
        replayed: None,
    };
    let manifest = each_file(path, &mut |one, bytes| {
        found.files += 1;
        found.bytes += one.size;
        if let Ok(text) = std::str::from_utf8(bytes) {
            for part in entry::parts(text) {
                match part {
                    Part::Record(_) => found.records += 1,
                    Part::Broken { .. } => found.broken += 1,
                    Part::Own { .. } => {}
                }
            }
        }
        Ok(())
    })?;
    (found.made, found.by) = (manifest.made, manifest.by);
    Ok(found)
}

/// Takes a file of a backup.
type EachFile<'e> = dyn FnMut(&Entry, &[u8]) -> Result<(), Error> + 'e;

/// Hands out the files of a backup, each compared with what the manifest says.
fn each_file(path: &Path, each: &mut EachFile<'_>) -> Result<Manifest, Error> {
    let shown = path.display();
    let damaged = |why: String| {
        Error::input("bad-backup", format!("`{shown}` is no whole backup: {why}"))
            .hint("nothing was changed; use another backup")
    };
    let unread = |error: io::Error| Error::input("io", format!("cannot read `{shown}`: {error}"));
    let mut file = outside::open_named(path).map_err(unread)?;
    let packed = file.metadata().map_or(0, |about| about.len());
    let is_sealed = is_sealed(&mut file).map_err(unread)?;
    let mut archive =
        ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.to_string()))?;
    let mut read = |name: &str, most: u64| -> Result<Vec<u8>, Error> {
        let member = archive.by_name(name).map_err(|error| damaged(format!("{name}: {error}")))?;
        let mut bytes = Vec::new();
        let done = member.take(most.saturating_add(1)).read_to_end(&mut bytes);
        done.map_err(|error| damaged(format!("{name}: {error}")))?;
        Ok(bytes)
    };
    let manifest: Manifest = serde_json::from_slice(&read(MANIFEST, LARGEST_MANIFEST)?)
        .map_err(|error| damaged(format!("its manifest cannot be read: {error}")))?;
    if manifest.format != FORMAT {
        return Err(damaged(format!("it is of format `{}`", manifest.format)));
    }
    // Backups of earlier versions have no seal.
    if manifest.sealed && !is_sealed {
        return Err(damaged("something in it was changed".to_owned()));
    }
    if manifest.total_sha256 != total(&manifest.files) {
        return Err(damaged("its manifest was changed".to_owned()));
    }
    let sizes = manifest.files.iter().map(|one| one.size);
    let together = sizes.fold(0_u64, u64::saturating_add);
    if together / MOST_RATIO > packed.max(SMALL) {
        return Err(damaged(format!("it would unpack to {together} bytes")));
    }
    let mut paths = BTreeSet::new();
    for one in &manifest.files {
        let is_ours = one.path == SETTINGS || ledger::is_file_of_memory(&one.path);
        if !is_ours || one.size > LARGEST_FILE || !paths.insert(&one.path) {
            return Err(damaged(format!("{} is no file of a memory", one.path)));
        }
        let bytes = read(&one.path, one.size)?;
        if bytes.len() as u64 != one.size || sha256(&bytes) != one.sha256 {
            return Err(damaged(format!("{} is not what it was", one.path)));
        }
        each(one, &bytes)?;
    }
    let expected = manifest.files.len() + 1;
    if archive.len() != expected {
        return Err(damaged(format!("it has {} files instead of {expected}", archive.len())));
    }
    Ok(manifest)
}

/// Puts a backup back: into a folder with nothing in it, or in place of the memory there, which is set aside.
///
/// # Errors
/// When the backup is not whole, or something is in the folder; then nothing has changed.
pub fn restore(path: &Path, into: &Path, replace: bool, now: Timestamp) -> Result<BackedUp, Error> {
    let mut found = verify(path)?;
    let failed = |error: io::Error| {
        Error::input("io", format!("cannot write to `{}`: {error}", into.display()))
    };
    let stamp = now.strftime("%Y%m%d-%H%M%S").to_string();
    let mut name = into.file_name().unwrap_or_default().to_owned();
    name.push(format!(".restoring-{stamp}"));
    let beside = into.with_file_name(name);
    outside::make_empty_folder(&beside).map_err(failed)?;
    let filled = each_file(path, &mut |one, bytes| {
        outside::write_below(&beside, &one.path, bytes, one.mode).map_err(failed)
    });
    if let Err(error) = filled {
        outside::drop_folder(&beside);
        return Err(error);
    }
    for folder in quipu_core::journal::PRIVATE_FOLDERS {
        if beside.join(folder).is_dir() {
            let ignore = quipu_core::journal::private_folder_ignore(folder);
            let path = format!("{folder}.gitignore");
            outside::write_below(&beside, &path, ignore.as_bytes(), None).map_err(failed)?;
        }
    }
    let is_free = outside::make_empty_folder(into).is_ok();
    if !is_free && !replace {
        outside::drop_folder(&beside);
        let why = format!("something is in `{}` already", into.display());
        return Err(Error::input("not-empty", why).hint(
            "choose an empty folder, or --replace: what is there is set aside, not removed",
        ));
    }
    if !is_free {
        let aside = outside::set_aside(into, &format!("before-restore-{stamp}")).map_err(failed)?;
        found.set_aside = Some(aside);
    }
    outside::put_folder(&beside, into).map_err(failed)?;
    found.into = Some(into.to_owned());
    let workspace = open::at(std::sync::Arc::new(crate::fs::RealFs), into)?;
    found.replayed = Some(is_whole(&workspace)?);
    Ok(found)
}

/// Tells whether the index that was made from the files says the same as one that is made again.
fn is_whole(workspace: &Workspace) -> Result<bool, Error> {
    Ok(replay::replay(workspace, true, &mut |_, _| {})?.equal)
}
