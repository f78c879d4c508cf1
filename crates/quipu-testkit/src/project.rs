//! A repository with a history, for what memories say about code.

use std::path::Path;
use std::process::Command;

use crate::TestRepo;

/// A repository whose commits are an hour apart.
#[derive(Debug)]
pub struct Project {
    /// The workspace.
    pub repo: TestRepo,
    hours: std::cell::Cell<u32>,
}

impl Default for Project {
    fn default() -> Self {
        Self::new()
    }
}

impl Project {
    /// Makes an empty repository.
    pub fn new() -> Self {
        let project = Self { repo: TestRepo::new(), hours: std::cell::Cell::new(0) };
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    /// Runs git; returns what it prints.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(self.repo.root(), arguments, self.hours.get())
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        self.repo.write(path, text);
    }

    /// Commits everything, an hour after the commit before.
    pub fn commit(&self) {
        self.hours.set(self.hours.get() + 1);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "a step"]);
    }

    /// Moves a file, and commits.
    pub fn rename(&self, from: &str, to: &str) {
        std::fs::create_dir_all(self.repo.root().join(to).parent().unwrap()).unwrap();
        self.git(&["mv", from, to]);
        self.commit();
    }

    /// Removes a file or folder, and commits.
    pub fn delete(&self, path: &str) {
        self.git(&["rm", "-q", "-r", path]);
        self.commit();
    }
}

/// Runs git, as if `hours` after the beginning of 2026; returns what it prints.
pub fn git(folder: &Path, arguments: &[&str], hours: u32) -> String {
    let date = format!("2026-01-{:02}T{:02}:00:00Z", 1 + hours / 24, hours % 24);
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A source file of twenty lines that no other has.
pub fn source(name: &str) -> String {
    let lines: Vec<String> = (0..20).map(|line| format!("{name} has its line {line}")).collect();
    lines.join("\n") + "\n"
}
