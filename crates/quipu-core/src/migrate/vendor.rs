//! Whose instructions stand in which file, and who reads `AGENTS.md` without being told.

/// How a vendor's tool learns of `AGENTS.md` once its own file has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// It reads `AGENTS.md` itself.
    Needless,
    /// A file in the old place imports it; what stands before a path makes it an import.
    Imports(&'static str),
    /// A file in the old place says so in words.
    Words,
}

/// A file of a vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// The path from the root.
    pub path: &'static str,
    /// The file that must name it; anybody could have written it otherwise.
    pub named_in: Option<&'static str>,
}

/// A folder of a vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The path from the root.
    pub path: &'static str,
    /// How the names of its files end.
    pub endings: &'static [&'static str],
    /// Whether the tool goes on writing there: it is copied and stays.
    pub is_live: bool,
}

/// A tool with files of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vendor {
    /// The folder in `legacy/`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its files.
    pub files: &'static [File],
    /// Its folders, looked through to the bottom.
    pub folders: &'static [Folder],
    /// How it learns of `AGENTS.md`.
    pub pointer: Pointer,
}

const fn file(path: &'static str) -> File {
    File { path, named_in: None }
}

const fn folder(path: &'static str, endings: &'static [&'static str]) -> Folder {
    Folder { path, endings, is_live: false }
}

const fn live(path: &'static str) -> Folder {
    Folder { path, endings: &[".md"], is_live: true }
}

const MARKDOWN: &[&str] = &[".md"];

/// Every vendor that is known. Codex is not among them: its file is `AGENTS.md`, which stays.
pub const VENDORS: [Vendor; 10] = [
    Vendor {
        name: "claude",
        title: "Claude Code",
        files: &[file("CLAUDE.md"), file(".claude/CLAUDE.md")],
        folders: &[
            folder(".claude/rules", MARKDOWN),
            live(".claude/memory"),
            live(".claude/agent-memory"),
        ],
        pointer: Pointer::Imports("@"),
    },
    Vendor {
        name: "cursor",
        title: "Cursor",
        files: &[file(".cursorrules")],
        folders: &[folder(".cursor/rules", &[".mdc", ".md"])],
        pointer: Pointer::Needless,
    },
    Vendor {
        name: "gemini",
        title: "Gemini CLI",
        files: &[file("GEMINI.md"), file(".gemini/GEMINI.md")],
        folders: &[],
        pointer: Pointer::Imports("@./"),
    },
    Vendor {
        name: "copilot",
        title: "GitHub Copilot",
        files: &[file(".github/copilot-instructions.md")],
        folders: &[folder(".github/instructions", &[".instructions.md"])],
        pointer: Pointer::Needless,
    },
    Vendor {
        name: "windsurf",
        title: "Windsurf",
        files: &[file(".windsurfrules")],
        folders: &[folder(".windsurf/rules", MARKDOWN)],
        pointer: Pointer::Needless,
    },
    Vendor {
        name: "cline",
        title: "Cline",
        files: &[file(".clinerules")],
        folders: &[folder(".clinerules", &[".md", ".txt"])],
        pointer: Pointer::Needless,
    },
    Vendor {
        name: "roo",
        title: "Roo Code",
        files: &[file(".roorules")],
        folders: &[folder(".roo/rules", &[".md", ".txt"])],
        pointer: Pointer::Needless,
    },
    Vendor {
        name: "aider",
        title: "Aider",
        files: &[
            file(".aider.conventions.md"),
            File { path: "CONVENTIONS.md", named_in: Some(".aider.conf.yml") },
        ],
        folders: &[],
        pointer: Pointer::Words,
    },
    Vendor {
        name: "kiro",
        title: "Kiro",
        files: &[],
        folders: &[folder(".kiro/steering", MARKDOWN)],
        pointer: Pointer::Needless,
    },
    Vendor {
        name: "continue",
        title: "Continue",
        files: &[file(".continuerules")],
        folders: &[folder(".continue/rules", MARKDOWN)],
        pointer: Pointer::Needless,
    },
];

impl Vendor {
    /// Returns the vendor of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        VENDORS.iter().find(|vendor| vendor.name == name)
    }
}

/// Returns the paths that a text imports: `@path`, outside of code.
pub fn imports(source: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut in_fence = false;
    for line in source.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence {
            continue;
        }
        // Every second part stands between backticks.
        for words in line.split('`').step_by(2) {
            for word in words.split_whitespace() {
                let path = word.trim_end_matches(['.', ',', ';', ':', ')']).strip_prefix('@');
                // `@someone` is a person.
                let is_path = |path: &&str| path.contains('/') || path.contains('.');
                if let Some(path) = path.filter(is_path)
                    && !found.contains(&path)
                {
                    found.push(path);
                }
            }
        }
    }
    found
}

/// Returns the pointer for a tool that does not read `AGENTS.md`, in its first file; none for others.
pub fn fresh_pointer(vendor: &Vendor) -> Option<(&'static str, String)> {
    let Pointer::Imports(mark) = vendor.pointer else { return None };
    let at = vendor.files.first()?.path;
    let text = format!(
        "{}\nThe instructions of this repo are in `AGENTS.md`, and its memory in `memory/`.\n\n{mark}AGENTS.md\n{}\n",
        crate::wiring::BEGIN,
        crate::wiring::END
    );
    Some((at, text))
}

/// Returns what stands in a vendor's old place: thin, between our markers. `at` is that place,
/// `kept` the originals, `imported` what they import themselves.
pub fn pointer(vendor: &Vendor, at: &str, kept: &[String], imported: &[String]) -> Option<String> {
    let up = "../".repeat(at.matches('/').count());
    let list: Vec<String> = kept.iter().map(|path| format!("`{path}`")).collect();
    let mut text = format!(
        "The instructions of this repo are in `AGENTS.md`, and its memory in `memory/`. What stood here \
         before is kept, word for word, in {}.\n",
        list.join(", ")
    );
    match vendor.pointer {
        Pointer::Needless => return None,
        Pointer::Words => text.push_str("Read both before you begin.\n"),
        Pointer::Imports(mark) => {
            // `@./../x` is no path that anybody would write.
            let mark = if up.is_empty() { mark } else { "@" };
            text.push('\n');
            for path in std::iter::once("AGENTS.md").chain(kept.iter().map(String::as_str)) {
                text.extend([mark, &up, path, "\n"]);
            }
            // Relative to the original's old place, which is this one.
            for path in imported {
                text.extend(["@", path, "\n"]);
            }
        }
    }
    Some(format!("{}\n{text}{}\n", crate::wiring::BEGIN, crate::wiring::END))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_imports_what_the_original_did() {
        let original = "See @docs/style.md, ask @ada.\n`@not/this.md`\n```\n@nor/this.md\n```\n";
        let imported: Vec<String> = imports(original).into_iter().map(str::to_owned).collect();
        assert_eq!(imported, ["docs/style.md"]);
        let claude = Vendor::named("claude").unwrap();
        let kept = ["legacy/claude/CLAUDE.md".to_owned()];
        let text = pointer(claude, "CLAUDE.md", &kept, &imported).unwrap();
        assert!(
            text.ends_with(
                "@AGENTS.md\n@legacy/claude/CLAUDE.md\n@docs/style.md\n<!-- quipu:end -->\n"
            ),
            "{text}"
        );
        let inside = pointer(claude, ".claude/CLAUDE.md", &kept, &[]).unwrap();
        assert!(inside.contains("\n@../AGENTS.md\n"), "{inside}");
        let gemini = pointer(Vendor::named("gemini").unwrap(), "GEMINI.md", &kept, &[]).unwrap();
        assert!(gemini.contains("\n@./AGENTS.md\n"), "{gemini}");
        assert_eq!(pointer(Vendor::named("cursor").unwrap(), ".cursorrules", &kept, &[]), None);
    }
}
