//! `hook.log` in the state folder: what went wrong in hooks, a line each, a screenful or two at most.

use std::path::Path;

use jiff::Timestamp;
use quipu_core::printable::printable_line;
use quipu_core::secret::{self, Scope};
use quipu_core::text;

use crate::fs::{FileSystem as _, RealFs};
use crate::state::{default_state_home, folder_of};

/// Where the log grows beyond this, its older half goes.
const LARGEST: u64 = 64 * 1024;

/// A longer line tells no more.
const LONGEST: usize = 500;

/// Adds a line to the log of hooks, without secrets. A log that cannot be written is no reason to
/// fail, and nothing is made in a workspace that has no state yet.
pub fn log(root: &Path, now: Timestamp, line: &str) {
    log_in(&default_state_home(), root, now, line);
}

fn log_in(home: &Path, root: &Path, now: Timestamp, line: &str) {
    let Some(folder) = folder_of(home, root) else { return };
    let (fs, path) = (RealFs, folder.join("hook.log"));
    let line = text::collapse_whitespace(line);
    let line = secret::redacted(&printable_line(&line), Scope::Credentials);
    let line =
        format!("{} {}\n", now.strftime("%Y-%m-%dT%H:%M:%SZ"), text::ellipsis(&line, LONGEST));
    if fs.stat(&path).is_ok_and(|(_, size)| size > LARGEST) {
        let old = String::from_utf8_lossy(&fs.read(&path).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = old.lines().collect();
        let kept = lines[lines.len() / 2..].join("\n") + "\n";
        // A log that stays long does no harm.
        let _ = fs.write(&path, kept.as_bytes());
    }
    let _ = fs.append(&path, line.as_bytes());
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::open;

    #[test]
    fn a_log_stays_short_and_keeps_its_newest_lines_without_secrets() {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let log = |line: &str| log_in(home.path(), folder.path(), Timestamp::UNIX_EPOCH, line);
        let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
        let workspace = workspace.keeping_state_in(home.path());
        log("nobody asked for a folder");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        workspace.prepare_state().unwrap();
        for number in 0..1000 {
            let token = format!("ghp_{}", "q7Zx2Lm9Vt4Kp8Rw3Nb6Yd1Hs5Jf0Gc7Xa2E");
            let line = format!("{number}:\n{token} {}", "x".repeat(1000));
            log(&line);
        }
        let text = fs::read_to_string(workspace.state("hook.log")).unwrap();
        assert!(text.len() as u64 <= LARGEST + 1024, "{}", text.len());
        assert!(text.lines().last().unwrap().starts_with("1970-01-01T00:00:00Z 999: (REDACTED) x"));
        assert!(!text.contains("ghp_"));
    }
}
