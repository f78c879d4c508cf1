//! Which files and folders say nothing about a code base: what others wrote, and what a tool made.

/// Folders of dependencies, build outputs and caches.
const SKIPPED: [&str; 34] = [
    ".git",
    ".gradle",
    ".hg",
    ".idea",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".pytest_cache",
    ".quipu",
    ".ruff_cache",
    ".svelte-kit",
    ".svn",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    ".vscode",
    ".yarn",
    "__pycache__",
    "bower_components",
    "build",
    "coverage",
    "dist",
    "jspm_packages",
    "node_modules",
    "obj",
    "out",
    "site-packages",
    "target",
    "third_party",
    "vendor",
    "venv",
    "virtualenv",
];

/// How the names of generated files end.
const GENERATED_ENDS: [&str; 14] = [
    ".bundle.js",
    ".designer.cs",
    ".g.cs",
    ".gen.go",
    ".generated.ts",
    ".min.js",
    ".min.mjs",
    ".pb.cc",
    ".pb.go",
    ".pb.h",
    "_generated.go",
    "_pb.js",
    "_pb2.py",
    "_pb2_grpc.py",
];

/// Tells whether a folder of that name is not the project's own source.
pub fn is_skipped_directory(name: &str) -> bool {
    SKIPPED.binary_search(&name).is_ok() || name.ends_with(".egg-info")
}

/// Tells whether a file's name says that a tool made it.
pub fn is_generated_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    GENERATED_ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_others_are_skipped() {
        assert!(SKIPPED.is_sorted());
        assert!(is_skipped_directory("node_modules"));
        assert!(is_skipped_directory("quipu.egg-info"));
        assert!(!is_skipped_directory("src"));
    }

    #[test]
    fn a_name_can_say_that_a_tool_made_the_file() {
        assert!(is_generated_name("web/jQuery.min.js"));
        assert!(is_generated_name("api/user.pb.go"));
        assert!(!is_generated_name("src/admin.js"));
    }
}
