//! Who may read what Quipu writes.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use quipu_testkit::TestRepo;

use crate::{answer, quipu};

/// Runs a command line with a umask that lets everybody read.
fn open_handed(folder: &Path, arguments: &[&str]) {
    let plain = quipu(folder);
    let mut command = Command::new("sh");
    command.args(["-c", "umask 022; exec \"$@\"", "sh"]).arg(plain.get_program());
    command.args(plain.get_args()).args(arguments);
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let (code, out, error) = answer(&command.output().unwrap());
    assert_eq!(code, 0, "{arguments:?}: {out}{error}");
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn private_files_are_for_their_owner_and_shared_ones_for_all() {
    let repo = TestRepo::new();
    let root = repo.root();
    let at =
        |words: &[&str]| open_handed(root, &[&["--now", "2026-03-02T09:00:00Z"], words].concat());
    at(&["init", "--project", "x"]);
    at(&["session", "start", "--agent", "a"]);
    at(&["fact", "add", "Exports are streamed"]);
    at(&["remember", "They like tea"]);
    at(&["user", "edit", "--text", "# Somebody"]);
    at(&["session", "end", "--did", "things"]);
    for name in ["MEMORY.md", "USER.md", "memory/2026-03-02.md"] {
        assert_eq!(mode(&root.join(name)), 0o600, "{name}");
    }
    for name in ["memory/continuity.md", "memory/sessions/2026-03-02-090000.md", "AGENTS.md"] {
        assert_eq!(mode(&root.join(name)), 0o644, "{name}");
    }
}

#[test]
fn a_file_that_is_there_keeps_its_mode() {
    let repo = TestRepo::new();
    let root = repo.root();
    open_handed(root, &["init", "--project", "x"]);
    for name in ["MEMORY.md", "USER.md"] {
        repo.write(name, "# Mine\n");
        std::fs::set_permissions(root.join(name), std::fs::Permissions::from_mode(0o664)).unwrap();
    }
    open_handed(root, &["remember", "They like tea"]);
    open_handed(root, &["user", "edit", "--text", "# Somebody"]);
    for name in ["MEMORY.md", "USER.md"] {
        assert_eq!(mode(&root.join(name)), 0o664, "{name}");
    }
}

#[test]
fn a_full_disk_still_answers() {
    let repo = crate::initialised();
    let root = repo.root();
    open_handed(root, &["remember", "The parrot speaks Portuguese"]);
    open_handed(root, &["recall", "parrot"]);
    // Something that the index has not heard of yet, so that it would have to be written.
    let continuity = repo.read("memory/continuity.md")
        + "\n## Key Decisions\n\n- The heron eats fish\n  <!-- id: heron | created: 2026-03-01 | uses: 1 -->\n";
    repo.write("memory/continuity.md", &continuity);
    for words in [&["recall", "parrot"][..], &["recall", "heron"], &["brief"], &["show", "heron"]] {
        let plain = quipu(root);
        let mut command = Command::new("sh");
        // Nothing can be written to a file; the signal for that is ignored, so that writing fails.
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
        command.args(["-c", script, "sh"]).arg(plain.get_program());
        command.args(plain.get_args()).args(words);
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let (code, out, error) = answer(&command.output().unwrap());
        assert_eq!(code, 0, "{words:?}: {out}{error}");
        let wanted = if words.contains(&"parrot") { "Portuguese" } else { "eats fish" };
        assert!(out.contains(wanted), "{words:?}: {out}{error}");
    }
}
