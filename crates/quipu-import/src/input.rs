//! What is given to read: a file, a folder or an archive, as a list of members. Foreign input is untrusted: it has
//! limits, no link in it is followed, and no name in it leads anywhere.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use tempfile::NamedTempFile;
use zip::ZipArchive;

use crate::encoding;
use crate::error::ImportError;

/// A text that is read whole is no longer than this.
pub const LONGEST_TEXT: u64 = 64 * 1024 * 1024;

/// So many members a folder or an archive may have.
const MOST_MEMBERS: usize = 100_000;

/// So much an archive may hold when it is unpacked, with the archives in it.
const MOST_EXPANDED: u64 = 4 * 1024 * 1024 * 1024;

/// So much all of what is packed with gzip may come to, however often it is read.
const MOST_GUNZIPPED: u64 = 2 * MOST_EXPANDED;

/// So much larger than what it is packed in something may be.
const MOST_RATIO: u64 = 200;

/// What is packed in less than this may be of any ratio.
const SMALL: u64 = 64 * 1024;

/// A member of an archive up to this size is unpacked in memory.
const IN_MEMORY: u64 = 1024 * 1024;

/// How the names of databases end.
const DATABASES: [&str; 5] = [".db", ".sqlite", ".sqlite3", ".db3", ".vscdb"];

/// How deep folders are looked into.
const DEEPEST: usize = 16;

/// Folders that hold no memories, but much else.
const NOT_LOOKED_INTO: [&str; 8] =
    [".git", ".hg", ".svn", "node_modules", "target", ".trash", "__pycache__", ".venv"];

/// Something to import from.
#[derive(Debug)]
pub struct Input {
    /// What the caller named.
    path: PathBuf,
    /// The same, as it is shown.
    shown: String,
    members: Vec<Member>,
    is_folder: bool,
    /// Archives in the archive, and what stdin said; removed with the input.
    kept: Vec<NamedTempFile>,
    /// The size of the archive that was given.
    packed: u64,
    /// What its members come to, and those of archives in it.
    expanded: u64,
    /// What gzip may still come to.
    gunzips: Arc<AtomicU64>,
    /// Archives that are open: the list of members is read once.
    archives: Mutex<BTreeMap<PathBuf, ZipArchive<BufReader<File>>>>,
    /// What is there and is not read: its name, and why.
    left_out: Vec<(String, &'static str)>,
}

/// One file in what is given.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its path there, with `/`.
    pub name: String,
    /// Its size, unpacked.
    pub size: u64,
    /// When it was written.
    pub modified: Option<Timestamp>,
    at: At,
}

#[derive(Clone, Debug)]
enum At {
    File(PathBuf),
    Archive { archive: PathBuf, index: usize },
}

impl Input {
    /// Looks at what the caller named; `-` is stdin.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than anything that is meant.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let shown = path.display().to_string();
        let mut input = Self::empty(path.to_owned(), shown.clone());
        if path == Path::new("-") {
            input.take_all("stdin", &mut io::stdin().lock())?;
            return Ok(input);
        }
        let about = std::fs::metadata(path).map_err(ImportError::io(&shown))?;
        if about.is_dir() {
            input.is_folder = true;
            input.look_into(path, "", 0)?;
            input.members.sort_by(|a, b| a.name.cmp(&b.name));
        } else if about.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            input.add_file(path, name, 0)?;
        } else {
            let source = io::Error::other("it is no plain file");
            return Err(ImportError::Io { path: shown, source });
        }
        Ok(input)
    }

    /// Takes what a file holds, from a caller who sends it.
    ///
    /// # Errors
    /// When it cannot be kept while it is read.
    pub fn of_text(text: &str) -> Result<Self, ImportError> {
        let mut input = Self::empty(PathBuf::new(), String::new());
        input.take_all("content", &mut text.as_bytes())?;
        Ok(input)
    }

    fn empty(path: PathBuf, shown: String) -> Self {
        Self {
            path,
            shown,
            members: Vec::new(),
            is_folder: false,
            kept: Vec::new(),
            packed: 0,
            expanded: 0,
            gunzips: Arc::new(AtomicU64::new(MOST_GUNZIPPED)),
            archives: Mutex::default(),
            left_out: Vec::new(),
        }
    }

    /// Returns it under another name for people.
    #[must_use]
    pub fn called(self, shown: &str) -> Self {
        Self { shown: shown.to_owned(), ..self }
    }

    /// Takes what somebody says until they end.
    fn take_all(&mut self, shown: &str, from: &mut dyn Read) -> Result<(), ImportError> {
        let shown = shown.to_owned();
        let mut copy = NamedTempFile::new().map_err(ImportError::io(&shown))?;
        let mut limited = from.take(MOST_EXPANDED);
        io::copy(&mut limited, &mut copy).map_err(ImportError::io(&shown))?;
        copy.flush().map_err(ImportError::io(&shown))?;
        // When it was said is no time of what it says.
        copy.as_file().set_modified(SystemTime::UNIX_EPOCH).map_err(ImportError::io(&shown))?;
        let path = copy.path().to_owned();
        self.kept.push(copy);
        self.shown.clone_from(&shown);
        self.add_file(&path, shown, 0)
    }

    /// Lists the files of a folder. Links are left out: they could lead anywhere.
    fn look_into(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), ImportError> {
        let shown = folder.display().to_string();
        let entries = std::fs::read_dir(folder).map_err(ImportError::io(&shown))?;
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && depth < DEEPEST && !NOT_LOOKED_INTO.contains(&name.as_str()) {
                self.look_into(&path, &format!("{prefix}{name}/"), depth + 1)?;
            } else if kind.is_file() {
                self.push(Member::of_file(&path, format!("{prefix}{name}")))?;
            }
        }
        Ok(())
    }

    fn push(&mut self, member: Member) -> Result<(), ImportError> {
        if self.members.len() >= MOST_MEMBERS {
            return Err(self.too_large(format!("more than {MOST_MEMBERS} files")));
        }
        self.members.push(member);
        Ok(())
    }

    fn add_file(&mut self, path: &Path, name: String, depth: usize) -> Result<(), ImportError> {
        if !begins_with(path, b"PK\x03\x04") {
            return self.push(Member::of_file(path, name));
        }
        self.add_archive(path, &name, depth)
    }

    fn add_archive(&mut self, path: &Path, name: &str, depth: usize) -> Result<(), ImportError> {
        let shown = self.shown.clone();
        let file = File::open(path).map_err(ImportError::io(&shown))?;
        let packed = file.metadata().map_or(0, |about| about.len());
        let bad = |error: zip::result::ZipError| ImportError::NotThat {
            path: shown.clone(),
            format: "a zip archive".to_owned(),
            why: error.to_string(),
        };
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(bad)?;
        if archive.len() > 10_000 {
            return Err(self.too_large("more than 10,000 members".to_owned()));
        }
        // A document of an office program is one file, though an archive to look at.
        if crate::document::office::is_document(archive.file_names().flatten()) {
            return self.push(Member::of_file(path, name.to_owned()));
        }
        let prefix = if depth == 0 { String::new() } else { format!("{name}/") };
        let mut inner = Vec::new();
        let mut expanded = 0_u64;
        for index in 0..archive.len() {
            let member = archive.by_index_raw(index).map_err(bad)?;
            let is_plain = member.enclosed_name().is_some() && !member.is_symlink();
            let Ok(name) = member.name().map(|name| format!("{prefix}{name}")) else { continue };
            if member.is_dir() {
                continue;
            }
            if !member.is_file() || !is_plain {
                self.left_out.push((name, "its name leads out of the archive"));
                continue;
            }
            if member.encrypted() {
                self.left_out.push((name, "it is locked with a password"));
                continue;
            }
            expanded = expanded.saturating_add(member.size());
            let modified = member.last_modified().and_then(zip_time);
            let (size, at) = (member.size(), At::Archive { archive: path.to_owned(), index });
            drop(member);
            let member = Member { name, size, modified, at };
            let is_archive = member.is(&[".zip"]);
            // A database is opened where it lies, so that it has to lie somewhere.
            let is_database = member.is(&DATABASES);
            if is_archive && depth > 0 {
                self.left_out.push((member.name, "an archive in an archive in an archive"));
            } else if is_archive || is_database {
                inner.push(member);
            } else {
                self.push(member)?;
            }
        }
        if depth == 0 {
            self.packed = packed.max(4096);
        }
        self.expanded = self.expanded.saturating_add(expanded);
        if self.expanded > MOST_EXPANDED || self.expanded / MOST_RATIO > self.packed {
            return Err(self.too_large(format!("it would unpack to {} bytes", self.expanded)));
        }
        for member in inner {
            let mut copy = NamedTempFile::new().map_err(ImportError::io(&shown))?;
            let mut limited = self.read(&member)?.take(MOST_EXPANDED);
            io::copy(&mut limited, &mut copy).map_err(ImportError::io(&shown))?;
            let path = copy.path().to_owned();
            self.kept.push(copy);
            if member.is(&[".zip"]) {
                self.add_file(&path, member.name, depth + 1)?;
            } else {
                self.push(Member { at: At::File(path), ..member })?;
            }
        }
        Ok(())
    }

    fn too_large(&self, what: String) -> ImportError {
        ImportError::TooLarge { path: self.shown.clone(), what }
    }

    /// Returns the path that the caller named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what it is called, for people.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Tells whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// Returns what is there and is not read: its name, and why.
    pub fn left_out(&self) -> &[(String, &'static str)] {
        &self.left_out
    }

    /// Returns its files, by name.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns its files whose names end like this. A file that is alone is meant, whatever it is called.
    pub fn ending<'m>(&'m self, ends: &'m [&str]) -> impl Iterator<Item = &'m Member> {
        let is_alone = self.members.len() == 1 && !self.is_folder;
        self.members.iter().filter(move |one| is_alone || one.is(ends))
    }

    /// Returns the file of that name.
    pub fn named(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|one| one.name == name)
    }

    /// Opens a file; what is packed with gzip is unpacked.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read<'r>(&self, member: &Member) -> Result<Box<dyn Read + 'r>, ImportError> {
        self.read_up_to(member, u64::MAX)
    }

    /// Opens a file of which no more than `most` bytes will be read.
    fn read_up_to<'r>(
        &self,
        member: &Member,
        most: u64,
    ) -> Result<Box<dyn Read + 'r>, ImportError> {
        let shown = self.place(member);
        let plain: Box<dyn Read> = match &member.at {
            At::File(path) => Box::new(File::open(path).map_err(ImportError::io(&shown))?),
            At::Archive { archive, index } => {
                // What is packed twice may need a little more than it comes to.
                let most = member.size.saturating_add(1).min(most.saturating_add(SMALL));
                self.member_of(archive, *index, most).map_err(ImportError::io(&shown))?
            }
        };
        let mut buffered = BufReader::with_capacity(64 * 1024, plain);
        let first = io::BufRead::fill_buf(&mut buffered).map_err(ImportError::io(&shown))?;
        if first.starts_with(&[0x1f, 0x8b]) {
            let own = MOST_EXPANDED.min(member.size.max(SMALL).saturating_mul(MOST_RATIO));
            let inner = MultiGzDecoder::new(buffered);
            return Ok(Box::new(Gunzipped { inner, own, all: self.gunzips.clone() }));
        }
        if encoding::utf16(first).is_some() {
            return Ok(Box::new(encoding::Utf16::new(buffered)));
        }
        Ok(Box::new(buffered))
    }

    /// Reads a member of an archive; what is longer than `most` ends there.
    fn member_of(&self, path: &Path, index: usize, most: u64) -> io::Result<Box<dyn Read>> {
        let mut archives = self.archives.lock().unwrap_or_else(PoisonError::into_inner);
        if !archives.contains_key(path) {
            archives.insert(path.to_owned(), ZipArchive::new(BufReader::new(File::open(path)?))?);
        }
        let archive = archives.get_mut(path).ok_or(io::ErrorKind::NotFound)?;
        let mut member = archive.by_index(index)?.take(most);
        // The archive cannot lend what it owns, so that the bytes are copied.
        if most <= IN_MEMORY {
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes)?;
            return Ok(Box::new(Cursor::new(bytes)));
        }
        let mut copy = tempfile::tempfile()?;
        io::copy(&mut member, &mut copy)?;
        io::Seek::rewind(&mut copy)?;
        Ok(Box::new(copy))
    }

    /// Returns the beginning of a file, at most so many bytes.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn beginning(&self, member: &Member, most: u64) -> Result<Vec<u8>, ImportError> {
        let mut bytes = Vec::new();
        let shown = self.place(member);
        let mut reader = self.read_up_to(member, most)?.take(most);
        reader.read_to_end(&mut bytes).map_err(ImportError::io(&shown))?;
        Ok(bytes)
    }

    /// Returns a file as bytes.
    ///
    /// # Errors
    /// When it cannot be read, or is longer than a text may be.
    pub fn bytes(&self, member: &Member) -> Result<Vec<u8>, ImportError> {
        let bytes = self.beginning(member, LONGEST_TEXT + 1)?;
        if bytes.len() as u64 > LONGEST_TEXT {
            let what = format!("a text of more than {LONGEST_TEXT} bytes");
            return Err(ImportError::TooLarge { path: self.place(member), what });
        }
        Ok(bytes)
    }

    /// Returns a file as text, without a mark of byte order; what is no UTF-8 is taken for the code page of the West.
    ///
    /// # Errors
    /// When it cannot be read, or is longer than a text may be.
    pub fn text(&self, member: &Member) -> Result<String, ImportError> {
        Ok(encoding::decoded(self.bytes(member)?))
    }

    /// Returns where a plain file is; nothing for what is in an archive.
    pub fn path_of<'m>(&self, member: &'m Member) -> Option<&'m Path> {
        match &member.at {
            At::File(path) => Some(path),
            At::Archive { .. } => None,
        }
    }

    /// Returns what a file is called, for people.
    pub fn place(&self, member: &Member) -> String {
        if self.members.len() == 1 { self.shown.clone() } else { member.name.clone() }
    }
}

impl Member {
    fn of_file(path: &Path, name: String) -> Self {
        let about = std::fs::metadata(path).ok();
        // A file from the beginning of time has lost its time.
        let modified = about.as_ref().and_then(|about| about.modified().ok());
        let modified = modified.filter(|time| *time > SystemTime::UNIX_EPOCH);
        Self {
            name,
            size: about.map_or(0, |about| about.len()),
            modified: modified.and_then(|time| Timestamp::try_from(time).ok()).map(to_second),
            at: At::File(path.to_owned()),
        }
    }

    /// Tells whether its name ends like one of these.
    pub fn is(&self, ends: &[&str]) -> bool {
        let name = self.name.to_lowercase();
        ends.iter().any(|end| name.ends_with(end))
    }

    /// Returns its name without folders.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Returns its name without folders and ending.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// What gzip unpacks, up to where it is more than anything that was meant.
struct Gunzipped<R> {
    inner: R,
    /// What this may still come to.
    own: u64,
    /// What everything may still come to.
    all: Arc<AtomicU64>,
}

impl<R: Read> Read for Gunzipped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let more = count as u64;
        let all = self
            .all
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        match self.own.checked_sub(more) {
            Some(left) if all.is_ok() => self.own = left,
            _ => return Err(io::Error::other("it unpacks to more than anything that is meant")),
        }
        Ok(count)
    }
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let mut bytes = vec![0; magic.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).is_ok() && bytes == magic
}

fn zip_time(time: zip::DateTime) -> Option<Timestamp> {
    let date = jiff::civil::Date::new(
        i16::try_from(time.year()).ok()?,
        i8::try_from(time.month()).ok()?,
        i8::try_from(time.day()).ok()?,
    );
    let (hour, minute) = (i8::try_from(time.hour()).ok()?, i8::try_from(time.minute()).ok()?);
    let at = date.ok()?.at(hour, minute, i8::try_from(time.second().min(59)).ok()?, 0);
    at.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn to_second(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}
