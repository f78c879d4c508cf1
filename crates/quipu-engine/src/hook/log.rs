//! `.quipu/hook.log`: what went wrong in hooks, a line each, never more than a screenful or two.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use jiff::Timestamp;
use quipu_core::printable::printable_line;
use quipu_core::secret::{self, Scope};
use quipu_core::text;

/// Where the log grows beyond this, its older half goes.
const LARGEST: u64 = 64 * 1024;

/// A longer line tells no more.
const LONGEST: usize = 500;

/// Adds a line to the log of hooks, without secrets. A log that cannot be written is no reason to fail.
pub fn log(root: &Path, now: Timestamp, line: &str) {
    let folder = root.join(".quipu");
    // Nothing is made in a folder that is no workspace of ours.
    if !folder.is_dir() {
        return;
    }
    let path = folder.join("hook.log");
    let line = printable_line(line);
    let line = secret::redacted(&text::collapse_whitespace(&line), Scope::Credentials);
    let line =
        format!("{} {}\n", now.strftime("%Y-%m-%dT%H:%M:%SZ"), text::ellipsis(&line, LONGEST));
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > LARGEST) {
        let old = fs::read_to_string(&path).unwrap_or_default();
        let lines: Vec<&str> = old.lines().collect();
        let kept = lines[lines.len() / 2..].join("\n") + "\n";
        // See above.
        let _ = fs::write(&path, kept);
    }
    let file = fs::OpenOptions::new().append(true).create(true).open(&path);
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_short_and_keeps_its_newest_lines_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        log(folder.path(), Timestamp::UNIX_EPOCH, "nobody asked for a folder");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::create_dir(folder.path().join(".quipu")).unwrap();
        for number in 0..1000 {
            let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
            let line = format!("{number}:\n{token} {}", "x".repeat(1000));
            log(folder.path(), Timestamp::UNIX_EPOCH, &line);
        }
        let text = fs::read_to_string(folder.path().join(".quipu/hook.log")).unwrap();
        assert!(text.len() as u64 <= LARGEST + 1024, "{}", text.len());
        assert!(text.lines().last().unwrap().starts_with("1970-01-01T00:00:00Z 999: (REDACTED) x"));
        assert!(!text.contains("ghp_"));
    }
}
