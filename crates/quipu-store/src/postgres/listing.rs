//! Every path of a space, as it was read once.

use std::collections::BTreeMap;
use std::ops::Bound;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageInfo {
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Differs whenever the contents do.
    pub version: i64,
    /// Its size in bytes.
    pub size: u64,
}

/// Every path of a space, in one state of it.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    pub(super) files: Vec<u8>,
    pub(super) pages: BTreeMap<String, PageInfo>,
}

impl Listing {
    /// Returns the names right below a folder with the full path of something at or below each.
    fn below<'a>(&'a self, folder: &str) -> impl Iterator<Item = (&'a str, &'a PageInfo)> + 'a {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = (Bound::Included(prefix.clone()), Bound::Unbounded);
        self.pages
            .range(from)
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(move |(path, info)| (&**path, info))
    }

    /// Returns what is at a path; a folder is there where anything is below it.
    pub(super) fn info(&self, path: &str) -> Option<PageInfo> {
        let own = self.pages.get(path).copied();
        if own.is_some_and(|info| !info.is_folder) {
            return own;
        }
        if path.is_empty() || own.is_some() || self.below(path).next().is_some() {
            // A folder changes when names in it come and go.
            let mut version = 0_i64;
            for (name, is_folder) in self.list(path) {
                let kind = if is_folder { 31 } else { 17 };
                for byte in name.bytes() {
                    version = version.wrapping_mul(131).wrapping_add(i64::from(byte));
                }
                version = version.wrapping_mul(131).wrapping_add(kind);
            }
            return Some(PageInfo { is_folder: true, version, size: 0 });
        }
        None
    }

    /// Returns the names in a folder, and whether each is a folder.
    pub(super) fn list(&self, folder: &str) -> Vec<(String, bool)> {
        let skip = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let mut names: BTreeMap<&str, bool> = BTreeMap::new();
        for (path, info) in self.below(folder) {
            let rest = &path[skip..];
            match rest.split_once('/') {
                Some((name, _)) => _ = names.insert(name, true),
                None if !rest.is_empty() => {
                    let known = names.entry(rest).or_default();
                    *known |= info.is_folder;
                }
                None => {}
            }
        }
        names.into_iter().map(|(name, is_folder)| (name.to_owned(), is_folder)).collect()
    }
}
