//! What can be run: targets of a `Makefile`, recipes of a `justfile`, targets of `CMakeLists.txt`.

use super::Manifest;

/// Reads the targets of a `Makefile`, each with its first command or what it needs.
pub(super) fn read_make(manifest: &mut Manifest, text: &str) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with(['\t', ' ', '#', '.', '$', '-']) {
            continue;
        }
        let Some((targets, needs)) = line.split_once(':') else { continue };
        // `a := b`, `a ::= b` and `a ?= b` are variables; a pattern is no target that one can name.
        if needs.trim_start_matches(':').starts_with('=') || targets.contains(['=', '%', '$']) {
            continue;
        }
        let needs = needs.trim_start_matches(':');
        let (needs, about) = needs.split_once("##").unwrap_or((needs, ""));
        let command = lines.peek().and_then(|next| next.strip_prefix('\t'));
        let command = command.unwrap_or_default().trim_start_matches(['@', '-', '+']);
        let does = [about.trim(), command.trim(), needs.trim()];
        let does = does.into_iter().find(|does| !does.is_empty()).unwrap_or_default();
        for target in targets.split_whitespace() {
            manifest.script(target, does.trim_end_matches('\\'));
        }
    }
}

/// Reads the recipes of a `justfile`, each with the comment before it or its first command.
pub(super) fn read_just(manifest: &mut Manifest, text: &str) {
    let mut about = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(comment) = line.strip_prefix('#') {
            about = comment.trim();
            continue;
        }
        // Attributes stand between a recipe and its comment.
        if line.starts_with('[') {
            continue;
        }
        let comment = std::mem::take(&mut about);
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((head, rest)) = line.split_once(':') else { continue };
        let name = head.split_whitespace().next().unwrap_or_default().trim_start_matches('@');
        let is_name = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter));
        let is_setting = matches!(name, "set" | "alias" | "export" | "import" | "mod");
        // `name := value` is a variable; a recipe that begins with `_` is hidden.
        if rest.starts_with('=') || !is_name || is_setting || name.starts_with('_') {
            continue;
        }
        let command = lines.peek().filter(|next| next.starts_with([' ', '\t']));
        let command = command.map_or("", |next| next.trim().trim_start_matches(['@', '-']));
        manifest.script(name, if comment.is_empty() { command } else { comment });
    }
}

/// Reads the project and the targets of a `CMakeLists.txt`.
pub(super) fn read_cmake(manifest: &mut Manifest, text: &str) {
    for (command, arguments) in calls(text) {
        let mut words = arguments.split_whitespace().map(|word| word.trim_matches('"'));
        let Some(first) = words.next() else { continue };
        match command.to_ascii_lowercase().as_str() {
            "project" => manifest.name = manifest.name.take().or_else(|| Some(first.to_owned())),
            "add_executable" => manifest.script(first, "executable"),
            "add_library" => manifest.script(first, "library"),
            "add_custom_target" => manifest.script(first, "target"),
            "add_test" => {
                let name = if first == "NAME" { words.next().unwrap_or(first) } else { first };
                manifest.script(name, "test");
            }
            "find_package" => {
                let version = words.next().filter(|word| word.starts_with(char::is_numeric));
                manifest.depend(first, version, false);
            }
            _ => {}
        }
    }
}

/// Returns the calls of a `CMakeLists.txt`: a name and the text between its brackets.
fn calls(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let open = rest.find('(')?;
        let before = &rest[..open];
        let line = before.rsplit('\n').next().unwrap_or(before);
        let name = if line.contains('#') { "" } else { line.trim() };
        let after = &rest[open + 1..];
        let close = after.find(')').unwrap_or(after.len());
        rest = after.get(close + 1..).unwrap_or_default();
        Some((name, &after[..close]))
    })
}
