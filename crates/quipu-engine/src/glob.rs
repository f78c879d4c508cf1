//! Shell patterns for paths.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns of files that are let through, as shells and `.agent/secret-scan-ignore` have them: a star
/// stands for folders too, and a pattern fits a path or its last part.
#[derive(Debug)]
pub struct Waivers(GlobSet);

impl Waivers {
    /// Reads a file of patterns, one a line; what stands behind `#` is none.
    pub fn parse(source: &str) -> Self {
        let lines = source.lines().map(str::trim);
        Self::of(lines.filter(|line| !line.is_empty() && !line.starts_with('#')))
    }

    /// Takes patterns.
    pub fn of<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        // Shells ask for braces before they look for files: here they are signs like others.
        let plain = |pattern: &str| pattern.replace('{', "[{]").replace('}', "[}]");
        let plain = patterns.into_iter().map(plain);
        Self(set(plain.filter_map(|pattern| {
            built(GlobBuilder::new(&pattern).backslash_escape(false), &pattern)
        })))
    }

    /// Tells whether a path is let through.
    pub fn has(&self, path: &str) -> bool {
        self.0.is_match(path) || self.0.is_match(last_part(path))
    }
}

/// Patterns of documents that are meant: `*` stays within a name, `**` crosses folders, and a pattern
/// without `/` is one of names.
#[derive(Debug)]
pub(crate) struct Documents {
    paths: GlobSet,
    names: GlobSet,
}

impl Documents {
    /// Takes patterns.
    pub(crate) fn of(patterns: &[String]) -> Self {
        let build =
            |pattern: &&String| built(GlobBuilder::new(pattern).literal_separator(true), pattern);
        let (paths, names): (Vec<&String>, Vec<&String>) =
            patterns.iter().partition(|pattern| pattern.contains('/'));
        let of = |patterns: &[&String]| set(patterns.iter().filter_map(build));
        Self { paths: of(&paths), names: of(&names) }
    }

    /// Tells whether a path is meant.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.paths.is_match(path) || self.names.is_match(last_part(path))
    }
}

/// Builds a pattern; what is none, such as a bracket without its other half, stands for itself.
fn built(builder: &GlobBuilder<'_>, pattern: &str) -> Option<Glob> {
    builder.build().or_else(|_| Glob::new(&globset::escape(pattern))).ok()
}

fn set(globs: impl Iterator<Item = Glob>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(glob);
    }
    // Only a pattern of megabytes is refused: it fits nothing.
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waivers_fit_paths_and_names_across_folders() {
        let waivers = Waivers::parse("# mine\n*.env\nfixtures/*\ntest_[0-9].py\na{b\n[x\n");
        for path in ["config/local.env", "fixtures/a/b.json", "src/test_1.py", "a{b", "x/[x"] {
            assert!(waivers.has(path), "{path}");
        }
        for path in ["# mine", "local.environment", "src/test_x.py", "src/fixtures.json", "ab"] {
            assert!(!waivers.has(path), "{path}");
        }
        assert!(!Waivers::parse("").has(""));
    }

    #[test]
    fn a_pattern_of_many_stars_is_no_trap() {
        let pattern = format!("{}b", "*a".repeat(60));
        assert!(!Waivers::of([&*pattern]).has(&"a".repeat(2000)));
        assert!(Waivers::of([&*pattern]).has(&format!("{}b", "a".repeat(2000))));
    }

    #[test]
    fn patterns_of_documents_keep_to_their_folder() {
        for (pattern, path, expected) in [
            ("*.md", "docs/adr/a.md", true),
            ("docs/*.md", "docs/adr/a.md", false),
            ("docs/**/*.md", "docs/adr/a.md", true),
            ("docs/**/*.md", "docs/a.md", true),
            ("docs/**", "docs/adr/a.md", true),
            ("a?.md", "docs/ab.md", true),
            ("*.{md,rst}", "docs/a.rst", true),
            ("*.rst", "docs/a.md", false),
            ("", "a.md", false),
        ] {
            let documents = Documents::of(&[pattern.to_owned()]);
            assert_eq!(documents.has(path), expected, "{pattern} {path}");
        }
    }
}
