//! `go.mod`.

use super::Manifest;

/// Reads a `go.mod`. What is only needed by others is left out.
pub(super) fn read(manifest: &mut Manifest, text: &str) {
    let mut is_list = false;
    for line in text.lines() {
        let (line, comment) = line.split_once("//").unwrap_or((line, ""));
        let line = line.trim();
        if let Some(name) = line.strip_prefix("module ") {
            manifest.name = Some(name.trim().trim_matches('"').to_owned());
            continue;
        }
        let rest = line.strip_prefix("require").filter(|rest| rest.starts_with([' ', '\t', '(']));
        let entry = match rest.map(str::trim) {
            Some("(") => {
                is_list = true;
                continue;
            }
            Some(rest) => rest,
            None if line == ")" => {
                is_list = false;
                continue;
            }
            None if is_list => line,
            None => continue,
        };
        if !comment.trim().starts_with("indirect") {
            let (name, version) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
            manifest.depend(name.trim_matches('"'), Some(version), false);
        }
    }
}
