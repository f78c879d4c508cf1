//! The scripts that git runs: they call what was there before, then Quipu.

use std::path::Path;

/// The hooks that Quipu has a part in.
pub(super) const HOOKS: [&str; 2] = ["pre-commit", "post-commit"];

const MARK: &str = "# quipu:hook ";

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

/// Tells whether a script is ours.
pub(super) fn is_ours(script: &[u8]) -> bool {
    let head = &script[..script.len().min(200)];
    String::from_utf8_lossy(head).contains(MARK)
}

/// Returns the script of a hook. `before` is the one that it calls first.
pub(super) fn script(hook: &str, before: Option<&[u8]>, workspace: &str, binary: &Path) -> String {
    let kept = kept_name(hook);
    let run = match before {
        None => None,
        // A manager may look at its own name in `$0`, which only a script read in place keeps.
        Some(script) if is_plain_shell(script) => Some("( . \"$before\" )"),
        Some(_) => Some("\"$before\" \"$@\""),
    };
    // Where pre-commit was installed again, it runs this script as the one that it found. It must not
    // be run by it in turn.
    let again =
        format!("case \"$0\" in *.legacy) ! grep -q {PRE_COMMIT} \"$before\" || before= ;; esac");
    let call = run.map_or_else(String::new, |run| {
        format!(
            "before=\"$(dirname \"$0\")/{kept}\"\n{again}\nif [ -x \"$before\" ]; then {run} || exit $?; fi\n"
        )
    });
    let absent = if hook == "pre-commit" {
        "  echo 'quipu: not installed here, so nothing was scanned for secrets' >&2\n"
    } else {
        ""
    };
    let workspace = quoted(workspace);
    format!(
        "#!/bin/sh\n{MARK}{hook}: `quipu git uninstall` puts back what was here\n{call}[ -d {workspace} ] || exit 0\n{}if [ -z \"$q\" ]; then\n{absent}  exit 0\nfi\nexec \"$q\" -C {workspace} git {hook}\n",
        find(binary)
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
        "q=\nif command -v quipu >/dev/null 2>&1; then q=quipu\nelif [ -x {binary} ]; then q={binary}\nfi\n"
    )
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn is_plain_shell(script: &[u8]) -> bool {
    let line = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let program = line.trim().strip_prefix("#!").map(str::trim);
    program.is_some_and(|program| {
        ["/bin/sh", "/usr/bin/sh", "/usr/bin/env sh"].contains(&program.trim_end_matches(" -e"))
    })
}
