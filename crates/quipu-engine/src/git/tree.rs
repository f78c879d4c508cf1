//! How tracked files differ from a commit, without letting git read them.
//!
//! `git diff`, and also `git diff-files` for a file that is as new as the index, run the filters that
//! the configuration names for a file. So git only compares its index with a commit here, and Quipu
//! compares the index with the files itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quipu_core::text;

use super::{Entry, Index, git_within, top_of};
use crate::fs::{FileSystem as _, Kind, RealFs};

/// Files larger than this are compared by size and time.
const LARGEST_FILE: u64 = 64 * 1024 * 1024;

/// How both kinds of comparison are asked for.
const HOW: [&str; 6] =
    ["--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--ignore-submodules=all"];

/// A tracked file that is not as a commit has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Changed {
    /// The blob that the commit has; `None` for a new file.
    before: Option<String>,
    /// What says which bytes are there now; `None` for a file that is gone.
    now: Option<String>,
}

/// Returns the tracked files that are not as `commit` has them, by path from the repository's top.
fn difference(
    root: &Path,
    commit: &str,
    limit: Option<Duration>,
) -> Option<BTreeMap<String, Changed>> {
    // The name may come from a file: it must not be read as an option.
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let started = Instant::now();
    let top = top_of(root).ok()??;
    let staged = [&["diff-index", "--cached"], &HOW[..], &[commit, "--"]].concat();
    let mut changed: BTreeMap<String, Changed> = BTreeMap::new();
    for (path, before, now) in entries(&git_within(root, &staged, limit)?)? {
        changed.insert(path, Changed { before, now });
    }
    let index = Index::open(root)?;
    for (path, entry) in &index.entries {
        if limit.is_some_and(|limit| started.elapsed() > limit) {
            return None;
        }
        let staged = Some(entry.name());
        let now = match entry.look(&top.join(path), index.written) {
            Look::Same => continue,
            Look::Gone => None,
            Look::Changed(now) => Some(now),
        };
        let before = changed.get(path).map_or(staged, |known| known.before.clone());
        changed.insert(path.clone(), Changed { before, now });
    }
    changed.retain(|_, file| file.before != file.now);
    Some(changed)
}

/// What a tracked file looks like beside its entry in the index.
enum Look {
    Same,
    Gone,
    /// With what says which bytes are there now.
    Changed(String),
}

impl Entry {
    /// Returns the blob's name.
    fn name(&self) -> String {
        text::hex(&self.id)
    }

    /// Looks at a file. One that was written after the index, or at the same time, is read.
    fn look(&self, path: &Path, index_written: i128) -> Look {
        if !self.is_file {
            return Look::Same;
        }
        let Ok((kind, size)) = RealFs.stat(path) else { return Look::Gone };
        let written = RealFs.stamp(path).map_or(0, |stamp| stamp.written);
        let noted = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanoseconds);
        let is_noted = written == noted && size == u64::from(self.size);
        if kind != Kind::File || size > LARGEST_FILE {
            let is_same = kind == Kind::File && is_noted;
            let now = format!("{kind:?} {size} {written}");
            return if is_same { Look::Same } else { Look::Changed(now) };
        }
        if is_noted && written < index_written {
            return Look::Same;
        }
        let Ok(Ok(bytes)) = RealFs.read_up_to(path, LARGEST_FILE) else { return Look::Gone };
        let (now, staged) = (blob_name(&bytes), self.name());
        // Git may keep a file with CRLF as LF.
        let is_same = now == staged || blob_name(&without_cr(&bytes)) == staged;
        if is_same { Look::Same } else { Look::Changed(now) }
    }
}

fn without_cr(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            kept.push(*byte);
        }
    }
    kept
}

/// Returns the name that git gives these bytes, without any filter.
fn blob_name(bytes: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()).as_bytes());
    hash.update(bytes);
    hash.digest().to_string()
}

/// Returns the files that differ from `HEAD`, with the blob that it has of each.
pub(crate) fn changed_since(root: &Path, commit: &str) -> Vec<(PathBuf, Option<String>)> {
    let Ok(Some(top)) = top_of(root) else { return Vec::new() };
    let changed = difference(root, commit, None).unwrap_or_default().into_iter();
    changed.map(|(path, file)| (top.join(path), file.before)).collect()
}

/// A file with the blobs that git has of it, before and now.
type Staged = (String, Option<String>, Option<String>);

/// Reads `:100644 100644 OLD NEW M\0path\0` entries: path, old blob, new blob.
fn entries(answer: &[u8]) -> Option<Vec<Staged>> {
    let mut fields = answer.split(|byte| *byte == 0);
    let mut entries = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let head = str::from_utf8(head).ok()?;
        let mut parts = head.trim_start_matches(':').split(' ').skip(2);
        let blob = |id: &str| (!id.bytes().all(|byte| byte == b'0')).then(|| id.to_owned());
        let (before, now) = (blob(parts.next()?), blob(parts.next()?));
        // A name that is not UTF-8 cannot be one of ours, but it can change.
        entries.push((String::from_utf8_lossy(path).into_owned(), before, now));
    }
    Some(entries)
}
