//! Pieces of hostile repositories: links, pipes, planted state, configuration of git.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::scene::{CONTINUITY, Scene, plain_files};

/// Fills a folder with what an honest repository has.
pub(super) fn friendly(root: &Path) {
    write(root, "memory/continuity.md", CONTINUITY);
    write(
        root,
        "memory/sessions/2026-01-02-090000.md",
        "# S\n\n## Memory References\n- Referenced: hello\n",
    );
    write(root, "README.md", "# A project\n\nWe decided to use SQLite.\n");
    write(root, "src/main.rs", "fn main() {}\n");
    write(
        root,
        "docs/adr/0001-use-sqlite.md",
        "# 1. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use SQLite.\n",
    );
}

pub(super) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(super) fn link(to: impl AsRef<Path>, root: &Path, path: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.is_dir() {
        std::fs::remove_dir_all(&path).unwrap();
    } else if path.symlink_metadata().is_ok() {
        std::fs::remove_file(&path).unwrap();
    }
    symlink(to, path).unwrap();
}

/// Makes git take a folder for a bare repository.
pub(super) fn bare(root: &Path, folder: &str) {
    write(root, &format!("{folder}/HEAD"), "ref: refs/heads/main\n");
    write(root, &format!("{folder}/objects/.keep"), "");
    write(root, &format!("{folder}/refs/.keep"), "");
    write(
        root,
        &format!("{folder}/config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    );
}

/// Plants an interrupted operation that writes an executable git hook.
pub(super) fn transaction(root: &Path, evil: &str) {
    let manifest = r#"{"operation":"fact add","at":"2026-01-01T00:00:00Z","paths":["x/hooks/post-checkout"],"modes":{"x/hooks/post-checkout":493}}"#;
    write(root, ".quipu/tx/manifest.json", manifest);
    write(root, ".quipu/tx/0.new", &format!("#!/bin/sh\n{evil}\n"));
    link(".git", root, "x");
}

/// Plants an operation to undo that writes an executable git hook.
pub(super) fn undo(root: &Path, evil: &str) {
    let manifest = r#"{"operation":"review","at":"2026-01-01T00:00:00Z","paths":["x/hooks/post-commit"],"modes":{"x/hooks/post-commit":493}}"#;
    write(root, ".quipu/undo/00000001/manifest.json", manifest);
    write(root, ".quipu/undo/00000001/0.old", &format!("#!/bin/sh\n{evil}\n"));
    link(".git", root, "x");
}

/// Plants the record of an installation whose program is a shell.
pub(super) fn installation(root: &Path, evil: &str) {
    let entry = r#"{"clients":["claude-code"],"what":"mcp","spot":{"Json":{"keys":["mcpServers","quipu"]}},"value":{"command":"/bin/sh","args":["mcp"]}}"#;
    let record = format!(
        r#"{{"format":1,"quipu":"0.1.0","command":"/bin/sh","files":[{{"path":".mcp.json","original":null,"written":"00","entries":[{entry}]}}]}}"#
    );
    write(root, ".quipu/install.json", &record);
    write(root, ".mcp.json", r#"{"mcpServers":{"quipu":{"command":"/bin/sh","args":["mcp"]}}}"#);
    write(root, "mcp", &format!("{evil}\n"));
    write(root, "hook", &format!("{evil}\n"));
}

/// Plants a token that the attacker knows.
pub(super) fn tokens(root: &Path) {
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let token = format!(
        r#"[{{"name":"mallory","scope":"admin","channel":"main","created":"2026-01-01T00:00:00Z","hash":"{hash}"}}]"#
    );
    write(root, ".quipu/tokens.json", &token);
}

/// Plants sessions whose fields would become paths and arguments.
pub(super) fn sessions(root: &Path, base: &Path) {
    let tree = format!("--output={}/pwned-tree x", base.display());
    let record =
        format!(r#"{{"id":"s1","agent":"a","tree":"{tree}","notes":[],"events":[],"reviews":[]}}"#);
    write(root, ".quipu/sessions/s1.json", &record);
    let record = r#"{"id":"../../../pwned-id","agent":"a","notes":[],"events":[],"reviews":[]}"#;
    write(root, ".quipu/sessions/s2.json", record);
    write(root, ".quipu/pending.json", record);
}

/// A nested repository laid out as a bare one, with a filter that git would run.
pub(super) fn bare_project(scene: &Scene, root: &Path) {
    let inner = scene.base.join("inner");
    std::fs::create_dir(&inner).unwrap();
    scene.git(&inner, &["init", "-q"]);
    write(&inner, "memory/continuity.md", CONTINUITY);
    write(&inner, ".gitattributes", "* filter=evil diff=evil\n");
    write(&inner, "a.txt", "a\n");
    scene.git(&inner, &["add", "-A"]);
    scene.git(&inner, &["commit", "-q", "-m", "x"]);
    for (path, bytes) in plain_files(&inner.join(".git")) {
        if !path.starts_with("hooks/") && !path.starts_with("logs/") {
            let target = root.join("proj").join(path);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(target, bytes).unwrap();
        }
    }
    write(root, "proj/refs/tags/.keep", "");
    write(root, "proj/memory/continuity.md", CONTINUITY);
    write(root, "proj/.gitattributes", "* filter=evil diff=evil\n");
    write(root, "proj/a.txt", "changed\n");
    let evil = scene.evil("filter");
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter \"evil\"]\n\tclean = \"{evil}\"\n[diff \"evil\"]\n\ttextconv = \"{evil}\"\n"
    );
    write(root, "proj/config", &config);
    std::fs::remove_dir_all(inner).unwrap();
}

/// Adds lines to the configuration of a repository that came in an archive.
pub(super) fn configured(scene: &Scene, lines: &str) {
    scene.unpacked_with_git(|root| {
        let path = root.join(".git/config");
        let config = std::fs::read_to_string(&path).unwrap() + lines;
        std::fs::write(path, config).unwrap();
        write(root, ".git/info/attributes", "* filter=evil diff=evil\n");
        write(root, ".gitattributes", "* filter=evil diff=evil\n");
        write(root, "README.md", "# Changed after the commit\n");
        write(root, "memory/continuity.md", &CONTINUITY.replace("Hello", "Hello again"));
    });
}

pub(super) fn settings(scene: &Scene, text: &str) {
    scene.cloned(|root| write(root, "quipu.toml", text));
}

pub(super) fn fifo(root: &Path, path: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.exists() {
        std::fs::remove_file(&path).unwrap();
    }
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}
