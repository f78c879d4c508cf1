//! Real memory folders written by others, read in place from the folder beside the checkout.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of corpora, or says why the test is skipped.
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

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn report(text: &str) {
    eprintln!("{text}");
}

/// A clone of a corpus with a tag for each snapshot.
#[derive(Debug)]
pub struct Corpus {
    folder: tempfile::TempDir,
}

impl Corpus {
    /// Clones the bundle in `corpus`.
    pub fn open(corpus: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bundle = corpus.join("snapshots.bundle");
        git(folder.path(), &["clone", "--quiet", "--no-checkout", bundle.to_str().unwrap(), "."]);
        Self { folder }
    }

    /// Puts the files of a snapshot into the folder, and returns it.
    pub fn checkout(&self, tag: &str) -> &Path {
        git(self.folder.path(), &["checkout", "--quiet", "--force", tag]);
        git(self.folder.path(), &["clean", "--quiet", "-fdx"]);
        self.folder.path()
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-c").arg("advice.detachedHead=false").arg("-c").arg("init.defaultBranch=main");
    let output = command.arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
