//! The scripts of the page as one file: a browser asks once, and what is packed together needs less room.
//!
//! Each module becomes a function that returns what it exports, in an order in which nothing is used before it is
//! there. The scripts in `web/` run as they are, too (`WEB_FROM=web scripts/web`), and say everything about imports and
//! exports on lines of their own; a test finds what this module cannot read.

use std::collections::BTreeMap;

/// Puts a script and everything that it imports into one.
///
/// # Errors
/// Says which line it does not understand, or which file is not there.
pub(super) fn bundle(root: &str, files: &[(&str, String)]) -> Result<String, String> {
    let mut bundle = Bundle { files, known: BTreeMap::new(), text: String::new() };
    bundle.add(root, true)?;
    Ok(bundle.text)
}

struct Bundle<'a> {
    files: &'a [(&'a str, String)],
    /// The name under which a module is known; none while it is being read.
    known: BTreeMap<String, Option<String>>,
    text: String,
}

impl Bundle<'_> {
    /// Adds a module after those that it imports.
    fn add(&mut self, path: &str, is_root: bool) -> Result<String, String> {
        match self.known.get(path) {
            Some(Some(name)) => return Ok(name.clone()),
            Some(None) => return Err(format!("{path} imports itself, by way of others")),
            None => self.known.insert(path.to_owned(), None),
        };
        let files = self.files;
        let file = files.iter().find(|(name, _)| *name == path);
        let (_, content) = file.ok_or_else(|| format!("there is no {path}"))?;
        let mut module = Module::default();
        for line in content.lines() {
            self.read(line, path, &mut module)?;
        }
        let name = format!("${}", self.known.values().flatten().count());
        let Module { body, exports } = module;
        if is_root {
            self.text.push_str(&body);
        } else {
            let exports = exports.join(",");
            self.text +=
                &["const ", &name, "=(()=>{", &body, "return{", &exports, "}})();\n"].concat();
        }
        self.known.insert(path.to_owned(), Some(name.clone()));
        Ok(name)
    }

    fn read(&mut self, line: &str, path: &str, module: &mut Module) -> Result<(), String> {
        let odd = |what: &str| format!("{path}: an {what} of another form: {line}");
        if let Some((names, from)) = imported(line) {
            let from = self.add(&resolved(path, from), false)?;
            let names = match names.strip_prefix("* as ") {
                Some(name) => name.to_owned(),
                None => names.replace(" as ", ":"),
            };
            module.say(&format!("const {names}={from};"));
        } else if let Some((before, names)) = exported(line) {
            module.say(before);
            module.exports.extend(names.split(',').map(|one| match one.split_once(" as ") {
                Some((here, there)) => format!("{there}:{here}"),
                None => one.to_owned(),
            }));
        } else if let Some(declared) = line.strip_prefix("export ") {
            let kinds = ["function ", "async function ", "const ", "class "];
            let name = kinds.iter().find_map(|kind| declared.strip_prefix(kind));
            let end = |one: char| !(one.is_ascii_alphanumeric() || one == '_' || one == '$');
            let name = name.and_then(|name| name.split(end).next());
            module.exports.push(name.ok_or_else(|| odd("export"))?.to_owned());
            module.say(declared);
        } else if line.starts_with("import ") || line.contains(" import(") {
            return Err(odd("import"));
        } else {
            module.say(line);
        }
        Ok(())
    }
}

#[derive(Default)]
struct Module {
    body: String,
    exports: Vec<String>,
}

impl Module {
    fn say(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }
}

/// Reads `import { a, b as c } from './x.js';` and `import * as a from './x.js';`.
fn imported(line: &str) -> Option<(&str, &str)> {
    let (names, from) = line.strip_prefix("import ")?.strip_suffix("';")?.split_once(" from '")?;
    (names.starts_with('{') || names.starts_with("* as ")).then_some((names, from))
}

/// Reads the list at the end of a library: what stands before it, and its names.
fn exported(line: &str) -> Option<(&str, &str)> {
    let (before, names) = line.rsplit_once("export{")?;
    Some((before, names.strip_suffix("};")?))
}

/// Returns the path that an import of a file means.
fn resolved(path: &str, said: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in said.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled(files: &[(&str, &str)]) -> Result<String, String> {
        let files: Vec<(&str, String)> =
            files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
        bundle("app.js", &files)
    }

    #[test]
    fn modules_come_once_and_before_those_that_use_them() {
        let text = bundled(&[
            (
                "app.js",
                "import { go as walk } from './lib/a.js';\nimport * as b from './b.js';\nwalk(b);",
            ),
            ("lib/a.js", "import { one } from '../b.js';\nexport function go() {\none();\n}"),
            ("b.js", "const x = 1;export{x as one,go};"),
        ]);
        let expected = "const $0=(()=>{const x = 1;\nreturn{one:x,go}})();\n\
            const $1=(()=>{const { one }=$0;\nfunction go() {\none();\n}\nreturn{go}})();\n\
            const { go:walk }=$1;\nconst b=$0;\nwalk(b);\n";
        assert_eq!(text.as_deref(), Ok(expected));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let wrong = |line: &str| bundled(&[("app.js", line)]).unwrap_err();
        assert_eq!(
            wrong("import x from './x.js';"),
            "app.js: an import of another form: import x from './x.js';"
        );
        assert!(wrong("export default 1;").starts_with("app.js: an export of another form"));
        assert!(wrong("import { x } from './x.js';").contains("there is no x.js"));
        let ring = bundled(&[
            ("app.js", "import { a } from './a.js';"),
            ("a.js", "import { b } from './b.js';\nexport const a = 1;"),
            ("b.js", "import { a } from './a.js';\nexport const b = 1;"),
        ]);
        assert!(ring.unwrap_err().contains("a.js imports itself"));
    }
}
