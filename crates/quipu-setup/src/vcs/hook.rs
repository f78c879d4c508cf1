//! The scripts that git runs: they call what was there before, then Quipu, for each workspace.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The hooks that Quipu has a part in.
pub(super) const HOOKS: [&str; 3] = ["pre-commit", "pre-merge-commit", "post-commit"];

const MARK: &str = "# quipu:hook ";
const RUN: &str = "run ";
const FALLBACK: &str = "elif [ -x ";

/// Returns the name under which a hook that was there before is kept.
pub(super) fn kept_name(hook: &str) -> String {
    format!("{hook}.before-quipu")
}

/// What managers call a hook that they found: pre-commit runs it, lefthook only keeps it.
pub(super) const SET_ASIDE: [&str; 2] = ["legacy", "old"];

/// Tells whether a script of pre-commit runs what it found there before.
pub(super) fn runs_legacy(script: &[u8]) -> bool {
    String::from_utf8_lossy(script).contains(PRE_COMMIT)
}

/// What stands in every script of pre-commit.
const PRE_COMMIT: &str = "pre-commit.com";

/// Returns the command of Quipu's that a hook runs.
pub(super) fn command(hook: &str) -> &'static str {
    if hook == "post-commit" { "post-commit" } else { "pre-commit" }
}

/// Tells whether a script is ours to the byte: a line of it tells what the rest adds up to.
pub(super) fn is_ours(script: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(script) else { return false };
    let Some((head, sum, tail)) = around_sum(text) else { return false };
    sum == checksum(head, tail)
}

/// Tells whether a script was ours: somebody changed it since, or an older Quipu wrote it.
pub(super) fn was_ours(script: &[u8], hook: &str) -> bool {
    let text = String::from_utf8_lossy(script);
    let is_marked = text.lines().nth(1).is_some_and(|line| line.starts_with(MARK));
    is_marked && !is_ours(script) && calls(script, hook)
}

/// Tells whether a script calls Quipu, ours or not.
pub(super) fn calls(script: &[u8], hook: &str) -> bool {
    let call = format!(" git {}", command(hook));
    is_ours(script) || String::from_utf8_lossy(script).contains(&call)
}

/// Returns a script in parts: up to its sum, the sum, and the rest.
fn around_sum(text: &str) -> Option<(&str, &str, &str)> {
    let line = text.find('\n')? + 1;
    let rest = text[line..].strip_prefix(MARK)?;
    let (name, rest) = rest.split_once(' ')?;
    let start = line + MARK.len() + name.len() + 1;
    let end = start + rest.find(':')?;
    Some((&text[..start], &text[start..end], &text[end..]))
}

fn checksum(head: &str, tail: &str) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(head.as_bytes());
    hash.update(tail.as_bytes());
    hash.digest().to_string()[..12].to_owned()
}

/// A script of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    /// The workspaces that it serves, from the repository's root.
    pub(super) workspaces: Vec<String>,
    /// The binary to run where none is on the path.
    pub(super) binary: PathBuf,
}

impl Hook {
    /// Reads what a script of ours does.
    pub(super) fn parse(script: &[u8]) -> Option<Self> {
        if !is_ours(script) {
            return None;
        }
        let text = std::str::from_utf8(script).ok()?;
        let workspaces = text.lines().filter_map(|line| unquoted(line.strip_prefix(RUN)?));
        let binary = text.lines().find_map(|line| unquoted(line.strip_prefix(FALLBACK)?))?;
        Some(Self { workspaces: workspaces.collect(), binary: PathBuf::from(binary) })
    }

    /// Returns the script of a hook. `before` is the one that it calls first.
    pub(super) fn script(&self, hook: &str, before: Option<&[u8]>) -> String {
        let command = command(hook);
        let running = format!("QUIPU_RUNS_{}", hook.to_uppercase().replace('-', "_"));
        // A manager that keeps our hook and calls it would be called by it again.
        let mut tail = format!(
            ": `quipu git uninstall` puts back what was here\n[ \"${running}\" != \"$PWD\" ] || exit 0\n{running}=$PWD\nexport {running}\n"
        );
        tail.push_str(&before.map_or_else(String::new, |before| call(hook, before)));
        let folders: Vec<String> = self
            .workspaces
            .iter()
            .map(|workspace| format!("[ -d {} ]", quoted(workspace)))
            .collect();
        let _ = write!(tail, "{} || exit 0\n{}", folders.join(" || "), find(&self.binary));
        let absent = "  echo 'quipu: not installed here, so nothing was scanned for secrets' >&2\n";
        let absent = if command == "pre-commit" { absent } else { "" };
        let _ = write!(tail, "if [ -z \"$q\" ]; then\n{absent}  exit 0\nfi\n");
        let _ = write!(
            tail,
            "s=0\nrun() {{\n  w=$1; shift\n  [ ! -d \"$w\" ] || \"$q\" -C \"$w\" git {command} \"$@\" || s=$?\n}}\n"
        );
        for workspace in &self.workspaces {
            let _ = write!(tail, "{RUN}{}", quoted(workspace));
            let others = self.workspaces.iter().filter(|other| *other != workspace);
            for other in others {
                let _ = write!(tail, " --not-in {}", quoted(other));
            }
            tail.push('\n');
        }
        tail.push_str("exit $s\n");
        let head = format!("#!/bin/sh\n{MARK}{hook} ");
        let sum = checksum(&head, &tail);
        format!("{head}{sum}{tail}")
    }
}

/// Returns the lines that call the hook that was there before: in a process of its own, so that its
/// settings hold, and `set -e` stops it.
fn call(hook: &str, before: &[u8]) -> String {
    let kept = kept_name(hook);
    let run = match plain_shell(before) {
        // A manager may look at its own name in `$0`, which only a script read in place keeps.
        Some(shell) => format!("{shell} -c '. \"$(dirname \"$0\")/{kept}\"' \"$0\" \"$@\""),
        None => "\"$before\" \"$@\"".to_owned(),
    };
    // Where pre-commit was installed again, it runs this script as the one that it found. It must not
    // be run by it in turn.
    let again =
        format!("case \"$0\" in *.legacy) ! grep -q {PRE_COMMIT} \"$before\" || before= ;; esac");
    format!(
        "before=\"$(dirname \"$0\")/{kept}\"\n{again}\nif [ -x \"$before\" ]; then {run} || exit $?; fi\n"
    )
}

/// Returns the command by which git merges a file. Where Quipu is missing or fails, git merges it as text.
pub(super) fn driver(binary: &Path) -> String {
    let binary = quoted(&binary.to_string_lossy());
    format!(
        "q=; if command -v quipu >/dev/null 2>&1; then q=quipu; elif [ -x {binary} ]; then q={binary}; fi; \
         if [ -n \"$q\" ]; then \"$q\" git merge --ours %X --theirs %Y -- %O %A %B %P && exit 0; fi; \
         echo 'quipu: not merged by its rules, git merges it as text:' %P >&2; \
         git merge-file -L ours -L base -L theirs %A %O %B"
    )
}

/// Sets `$q` to the binary: the one on the path, else the one that installed this.
fn find(binary: &Path) -> String {
    let binary = quoted(&binary.to_string_lossy());
    format!(
        "q=\nif command -v quipu >/dev/null 2>&1; then q=quipu\n{FALLBACK}{binary} ]; then q={binary}\nfi\n"
    )
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Reads the word that [`quoted`] wrote at the beginning of a text.
fn unquoted(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        match after.strip_prefix("\\''") {
            Some(more) => {
                word.push('\'');
                rest = more;
            }
            None => return Some(word),
        }
    }
}

/// Returns how to start the shell that a script names, where that is the plain one.
fn plain_shell(script: &[u8]) -> Option<String> {
    let line = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).ok()?;
    let program = line.strip_prefix("#!")?.trim();
    let (shell, options) = program.split_once(' ').unwrap_or((program, ""));
    let options = options.trim();
    let are_settings =
        options.strip_prefix('-').is_some_and(|o| o.bytes().all(|b| b"aefnuvx".contains(&b)));
    match (shell, options) {
        ("/usr/bin/env", "sh") | ("/bin/sh" | "/usr/bin/sh", "") => Some(program.to_owned()),
        ("/bin/sh" | "/usr/bin/sh", _) if are_settings => Some(format!("{shell} {options}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(workspaces: &[&str]) -> Hook {
        let workspaces = workspaces.iter().map(|&workspace| workspace.to_owned()).collect();
        Hook { workspaces, binary: PathBuf::from("/opt/it's/quipu") }
    }

    #[test]
    fn a_script_tells_what_it_does_and_whether_somebody_changed_it() {
        for hook in [hook(&["."]), hook(&["a b", "it's", "."])] {
            let script = hook.script("pre-commit", Some(b"#!/bin/sh\n"));
            assert_eq!(Hook::parse(script.as_bytes()), Some(hook));
            let edited = script.clone() + "echo mine\n";
            assert!(!is_ours(edited.as_bytes()) && was_ours(edited.as_bytes(), "pre-commit"));
            assert!(!was_ours(script.as_bytes(), "pre-commit"));
        }
        let foreign = b"#!/bin/sh\n# quipu:hook is what runs after this\nmake lint\n";
        assert!(!is_ours(foreign) && !was_ours(foreign, "pre-commit"));
    }

    #[test]
    fn the_shell_of_a_script_keeps_its_settings() {
        let shell = |line: &str| plain_shell(format!("{line}\nx\n").as_bytes());
        assert_eq!(shell("#!/bin/sh").as_deref(), Some("/bin/sh"));
        assert_eq!(shell("#! /bin/sh -eu").as_deref(), Some("/bin/sh -eu"));
        assert_eq!(shell("#!/usr/bin/env sh").as_deref(), Some("/usr/bin/env sh"));
        for other in ["#!/bin/bash", "#!/usr/bin/env bash", "#!/bin/sh -c x", "echo"] {
            assert_eq!(shell(other), None, "{other}");
        }
    }
}
