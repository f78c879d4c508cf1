//! Memory folders to test with: our own, and real ones written by others, which are read in place
//! from the folder beside the checkout.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::repo::files_in;

/// Returns the folder of real corpora, or says why the test is skipped.
pub fn folder(test: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let named = std::env::var_os("QUIPU_CORPORA").map(PathBuf::from);
    let found = named.unwrap_or(beside);
    if found.is_dir() {
        return Some(found);
    }
    report(&format!("{test}: skipped, there is no folder {} (set QUIPU_CORPORA)", found.display()));
    None
}

/// Returns the folder of our own corpora, which every clone has.
pub fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora")
}

/// Returns our own golden values, and those of the original where they are at hand.
pub fn golden(test: &str, ours: &str, original: &str) -> Vec<Value> {
    let theirs = folder(test).map(|folder| folder.join(original));
    [Some(own().join(ours)), theirs]
        .into_iter()
        .flatten()
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect()
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn report(text: &str) {
    eprintln!("{text}");
}

/// A git repository with a tag for each snapshot of a corpus.
#[derive(Debug)]
pub struct Corpus {
    folder: tempfile::TempDir,
}

impl Corpus {
    /// Clones the bundle in `corpus`, or commits the folders in its `snapshots`, one after the other.
    pub fn open(corpus: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bundle = corpus.join("snapshots.bundle");
        if bundle.exists() {
            let bundle = bundle.to_str().unwrap();
            git(folder.path(), &["clone", "--quiet", "--no-checkout", bundle, "."]);
        } else {
            git(folder.path(), &["init", "--quiet"]);
            for tag in Self::tags(corpus) {
                commit(folder.path(), &corpus.join("snapshots").join(&tag), &tag);
            }
        }
        Self { folder }
    }

    /// Returns the tags of one of our own corpora, oldest first.
    pub fn tags(corpus: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(corpus.join("snapshots")).unwrap();
        let mut tags: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        tags.sort();
        tags
    }

    /// Puts the files of a snapshot into the folder, and returns it.
    pub fn checkout(&self, tag: &str) -> &Path {
        git(self.folder.path(), &["checkout", "--quiet", "--force", tag]);
        git(self.folder.path(), &["clean", "--quiet", "-fdx"]);
        self.folder.path()
    }
}

/// Commits the files of a snapshot in place of those before them.
fn commit(root: &Path, snapshot: &Path, tag: &str) {
    git(root, &["rm", "-r", "--quiet", "--force", "--ignore-unmatch", "."]);
    for (path, bytes) in files_in(snapshot) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    git(root, &["add", "--all"]);
    git(root, &["commit", "--quiet", "--message", tag]);
    git(root, &["tag", tag]);
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    let settings = [
        "advice.detachedHead=false",
        "init.defaultBranch=main",
        "core.autocrlf=false",
        "user.name=Noor",
        "user.email=noor@example.org",
    ];
    command.args(settings.iter().flat_map(|setting| ["-c", setting]));
    let output = command.arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
