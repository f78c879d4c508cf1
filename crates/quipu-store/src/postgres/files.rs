//! The files of a space, as rows: a page says what is there, its entries hold the bytes. Adding to a
//! file adds an entry, whatever its size.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::link::{At, Link, random};
use super::listing::Listing;
pub use super::listing::PageInfo;
use crate::error::StoreError;

/// So many bytes of texts a process keeps.
const MOST_KEPT: usize = 256 << 20;

/// A version and its bytes.
type Text = (i64, Arc<Vec<u8>>);

/// Texts that were read, by space, path and version: no two texts have the same.
#[derive(Default)]
struct Texts {
    known: HashMap<(i64, String), Text>,
    bytes: usize,
}

static TEXTS: Mutex<Option<Texts>> = Mutex::new(None);

fn kept(space: i64, path: &str, version: i64) -> Option<Arc<Vec<u8>>> {
    let texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (known, bytes) = texts.as_ref()?.known.get(&(space, path.to_owned()))?;
    (*known == version).then(|| Arc::clone(bytes))
}

fn keep(space: i64, path: &str, version: i64, bytes: &Arc<Vec<u8>>) {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = texts.get_or_insert_default();
    if texts.bytes + bytes.len() > MOST_KEPT {
        *texts = Texts::default();
    }
    texts.bytes += bytes.len();
    let old = texts.known.insert((space, path.to_owned()), (version, Arc::clone(bytes)));
    texts.bytes -= old.map_or(0, |(_, old)| old.len());
}

/// The files of a space, as a link sees them. Paths are relative, with `/` between names.
#[derive(Clone, Debug)]
pub struct SpaceFiles {
    link: Arc<Link>,
}

impl SpaceFiles {
    /// Returns the files of a space.
    pub fn of(link: Arc<Link>) -> Self {
        Self { link }
    }

    /// Returns what is at a path.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn info(&self, path: &str) -> Result<Option<PageInfo>, StoreError> {
        self.link.read(|at| Ok(listing(at)?.info(path)))
    }

    /// Returns the names in a folder, and whether each is a folder; none where there is no folder.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, folder: &str) -> Result<Option<Vec<(String, bool)>>, StoreError> {
        self.link.read(|at| {
            let listing = listing(at)?;
            let is_folder = listing.info(folder).is_some_and(|info| info.is_folder);
            Ok(is_folder.then(|| listing.list(folder)))
        })
    }

    /// Returns the paths of all files.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn paths(&self) -> Result<Vec<String>, StoreError> {
        self.link.read(|at| {
            let listing = listing(at)?;
            let files = listing.pages.iter().filter(|(_, info)| !info.is_folder);
            Ok(files.map(|(path, _)| path.clone()).collect())
        })
    }

    /// Returns the bytes of a file; none where there is none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn read(&self, path: &str) -> Result<Option<Arc<Vec<u8>>>, StoreError> {
        self.link.read(|at| {
            let found = listing(at)?.pages.get(path).copied();
            match found.filter(|info| !info.is_folder) {
                Some(info) => contents(at, path, info.version).map(Some),
                None => Ok(None),
            }
        })
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create_folder(&self, path: &str) -> Result<(), StoreError> {
        if path.is_empty() || self.info(path)?.is_some() {
            return Ok(());
        }
        self.link.write(|at| {
            insert_page(at, path, PageInfo { is_folder: true, version: random(), size: 0 }, 0)
        })
    }

    /// Writes a file, replacing what was there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.link.write(|at| {
            remove(at, path)?;
            let size = bytes.len() as u64;
            insert_page(at, path, PageInfo { is_folder: false, version: random(), size }, 1)?;
            insert_entry(at, path, 0, bytes)
        })
    }

    /// Adds to the end of a file, and makes it where there is none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.link.write(|at| {
            let Some(info) = listing(at)?.pages.get(path).copied() else {
                let size = bytes.len() as u64;
                insert_page(at, path, PageInfo { is_folder: false, version: random(), size }, 1)?;
                return insert_entry(at, path, 0, bytes);
            };
            let info = PageInfo { version: random(), size: info.size + bytes.len() as u64, ..info };
            let sql = "UPDATE page SET version = $3, size = $4, next_part = next_part + 1 \
                       WHERE space = $1 AND path = $2 RETURNING next_part - 1";
            let size = i64::try_from(info.size).unwrap_or(i64::MAX);
            let part = at.wire.row(sql, &[&at.space, &path, &info.version, &size])?.get(0);
            change(at, |pages| _ = pages.insert(path.to_owned(), info))?;
            insert_entry(at, path, part, bytes)
        })
    }

    /// Moves a file or a folder over what is at `to`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        if from == to {
            return Ok(());
        }
        self.link.write(|at| {
            remove(at, to)?;
            for sql in [
                "UPDATE page SET path = $3 || substr(path, char_length($2) + 1) \
                 WHERE space = $1 AND (path = $2 OR starts_with(path, $2 || '/'))",
                "UPDATE entry SET path = $3 || substr(path, char_length($2) + 1) \
                 WHERE space = $1 AND (path = $2 OR starts_with(path, $2 || '/'))",
            ] {
                at.wire.run(sql, &[&at.space, &from, &to])?;
            }
            let (inside, moved) = (format!("{from}/"), from.len());
            change(at, |pages| {
                let is_moved = |path: &String| path == from || path.starts_with(&inside);
                let paths: Vec<String> =
                    pages.keys().filter(|path| is_moved(path)).cloned().collect();
                for path in paths {
                    if let Some(info) = pages.remove(&path) {
                        pages.insert(format!("{to}{}", &path[moved..]), info);
                    }
                }
            })
        })
    }

    /// Removes a file, or a folder with all that is in it. Tells whether there was one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remove(&self, path: &str) -> Result<bool, StoreError> {
        if self.info(path)?.is_none() {
            return Ok(false);
        }
        self.link.write(|at| remove(at, path))?;
        Ok(true)
    }
}

/// Returns the paths of the state at hand.
fn listing<'a>(at: &'a mut At<'_>) -> Result<&'a mut Arc<Listing>, StoreError> {
    if at.listing.is_none() {
        let sql = "SELECT path, is_folder, version, size FROM page WHERE space = $1";
        let mut pages = BTreeMap::new();
        for row in at.wire.rows(sql, &[&at.space])? {
            let size = u64::try_from(row.get::<_, i64>(3)).unwrap_or(0);
            let info = PageInfo { is_folder: row.get(1), version: row.get(2), size };
            pages.insert(row.get(0), info);
        }
        *at.listing = Some(Arc::new(Listing { files: at.state.files.clone(), pages }));
    }
    at.listing.as_mut().ok_or(StoreError::NoTransaction)
}

/// Changes the paths of the state at hand as its rows were changed.
fn change(
    at: &mut At<'_>,
    with: impl FnOnce(&mut BTreeMap<String, PageInfo>),
) -> Result<(), StoreError> {
    let files = random().to_le_bytes().to_vec();
    let listing = Arc::make_mut(listing(at)?);
    with(&mut listing.pages);
    listing.files.clone_from(&files);
    at.state.files = files;
    at.state.is_own = true;
    Ok(())
}

fn contents(at: &mut At<'_>, path: &str, version: i64) -> Result<Arc<Vec<u8>>, StoreError> {
    if let Some(known) = kept(at.space, path, version) {
        return Ok(known);
    }
    let sql = "SELECT bytes FROM entry WHERE space = $1 AND path = $2 ORDER BY part";
    let rows = at.wire.rows(sql, &[&at.space, &path])?;
    let bytes: Vec<u8> = rows.iter().flat_map(|row| row.get::<_, &[u8]>(0)).copied().collect();
    let bytes = Arc::new(bytes);
    keep(at.space, path, version, &bytes);
    Ok(bytes)
}

fn insert_page(
    at: &mut At<'_>,
    path: &str,
    info: PageInfo,
    next_part: i64,
) -> Result<(), StoreError> {
    // Read before the row is there, or it would be counted twice.
    listing(at)?;
    let size = i64::try_from(info.size).unwrap_or(i64::MAX);
    at.wire.run(
        "INSERT INTO page (space, path, is_folder, version, size, next_part) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[&at.space, &path, &info.is_folder, &info.version, &size, &next_part],
    )?;
    change(at, |pages| _ = pages.insert(path.to_owned(), info))
}

fn insert_entry(at: &mut At<'_>, path: &str, part: i64, bytes: &[u8]) -> Result<(), StoreError> {
    // Whether that is too much is asked at the end: a purge writes before it removes.
    at.state.bytes += i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    at.wire.run(
        "INSERT INTO entry (space, path, part, bytes) VALUES ($1, $2, $3, $4)",
        &[&at.space, &path, &part, &bytes],
    )?;
    Ok(())
}

/// Removes what is at a path and below it.
fn remove(at: &mut At<'_>, path: &str) -> Result<(), StoreError> {
    let inside = format!("{path}/");
    let is_gone = |it: &String| it == path || it.starts_with(&inside);
    let pages = &listing(at)?.pages;
    let gone: Vec<String> = pages.keys().filter(|it| is_gone(it)).cloned().collect();
    if gone.is_empty() {
        return Ok(());
    }
    let freed: u64 = gone.iter().filter_map(|path| pages.get(path)).map(|info| info.size).sum();
    for sql in [
        "DELETE FROM page WHERE space = $1 AND path = ANY($2)",
        "DELETE FROM entry WHERE space = $1 AND path = ANY($2)",
    ] {
        at.wire.run(sql, &[&at.space, &gone])?;
    }
    at.state.bytes -= i64::try_from(freed).unwrap_or(0);
    change(at, |pages| pages.retain(|it, _| !is_gone(it)))
}
