//! What stands around a command in a file that others get through git: where the program is not installed, their
//! client notices nothing. A hook ends without a word, and the server answers as one that has no tools.
//!
//! The guard is a line of POSIX shell. Clients run hooks by a shell anyway; servers are started by `sh -c`.

use super::clients::Event;

/// How an entry starts the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start<'a> {
    /// The program.
    pub(super) command: &'a str,
    /// Whether a machine without the program should notice nothing.
    pub(super) is_guarded: bool,
}

/// The shell that starts a guarded server.
const SHELL: [&str; 2] = ["sh", "-c"];

/// A server without tools: it answers every request with what `initialize` and all lists may be answered with.
const NO_TOOLS: &str = r#"while IFS= read -r l; do case $l in *'"id":'*) i=${l##*'"id":'}; i=${i%%[,\}]*}; v=${l##*'"protocolVersion":'}; case $v in '"'*) v=${v#?}; v=${v%%'"'*};; *) v=2025-06-18;; esac; printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"%s","capabilities":{},"serverInfo":{"name":"quipu","version":"0"},"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}}\n' "$i" "$v";; esac; done"#;

/// Returns the command and the arguments that start the server.
pub(super) fn server(start: Start<'_>) -> (String, Vec<String>) {
    if !start.is_guarded {
        return (start.command.to_owned(), vec!["mcp".to_owned()]);
    }
    let [shell, option] = SHELL.map(str::to_owned);
    (shell, vec![option, format!("{}{NO_TOOLS}", server_guard(&quoted(start.command)))])
}

fn server_guard(quoted: &str) -> String {
    format!("command -v {quoted} >/dev/null 2>&1 && exec {quoted} mcp; ")
}

/// Returns the command line of a hook. It ends as it does without a guard, which is how it is found again.
pub(super) fn hook(start: Start<'_>, name: &str, event: Event) -> String {
    let quoted = quoted(start.command);
    let line = format!("{quoted} hook {name} {}", event.as_str());
    if start.is_guarded { format!("{}{line}", hook_guard(&quoted)) } else { line }
}

fn hook_guard(quoted: &str) -> String {
    format!("command -v {quoted} >/dev/null 2>&1 || exit 0; exec ")
}

/// Returns the same for PowerShell, which calls a quoted program by `&`.
pub(super) fn powershell(start: Start<'_>, name: &str, event: Event) -> String {
    let quoted = quoted(start.command);
    let call = if quoted.starts_with('"') { format!("& {quoted}") } else { quoted.clone() };
    let line = format!("{call} hook {name} {}", event.as_str());
    if start.is_guarded {
        format!("if (Get-Command {quoted} -ErrorAction SilentlyContinue) {{ {line} }}")
    } else {
        line
    }
}

fn quoted(command: &str) -> String {
    if command.contains(char::is_whitespace) {
        format!("\"{command}\"")
    } else {
        command.to_owned()
    }
}

/// Returns a command line without the guard around it; one that only looks like a guard stays as it is.
pub(super) fn without(parts: &[&str]) -> String {
    match parts {
        [shell, option, script] if [*shell, *option] == SHELL => {
            let guarded = script.strip_prefix("command -v ").and_then(|rest| {
                let (quoted, _) = rest.split_once(" >/dev/null ")?;
                let whole = format!("{}{NO_TOOLS}", server_guard(quoted));
                (**script == whole).then(|| format!("{} mcp", quoted.trim_matches('"')))
            });
            guarded.unwrap_or_else(|| parts.join(" "))
        }
        [line] => {
            let guarded = line.strip_prefix("command -v ").and_then(|rest| {
                let (quoted, _) = rest.split_once(" >/dev/null ")?;
                line.strip_prefix(&hook_guard(quoted))
            });
            guarded.unwrap_or(line).to_owned()
        }
        _ => parts.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_comes_off_and_nothing_that_only_looks_like_one() {
        for command in ["quipu", "/opt/my tools/quipu"] {
            let start = Start { command, is_guarded: true };
            let plain = Start { command, is_guarded: false };
            let (shell, args) = server(start);
            let parts: Vec<&str> =
                std::iter::once(&*shell).chain(args.iter().map(|one| &**one)).collect();
            assert_eq!(without(&parts), format!("{command} mcp"));
            let line = hook(start, "cursor", Event::Stop);
            assert!(line.ends_with(" hook cursor stop"), "{line}");
            assert_eq!(without(&[&line]), hook(plain, "cursor", Event::Stop));
            let evil = line.replace("|| exit 0;", "|| exit 0; evil;");
            assert_eq!(without(&[&evil]), evil);
            let evil = format!("{} evil", args[1]);
            assert_eq!(without(&["sh", "-c", &evil]), format!("sh -c {evil}"));
        }
    }
}
