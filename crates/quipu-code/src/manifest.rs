//! What a project's manifest says: its name, what it depends on, what can be run.
//!
//! Tolerant by design: a manifest that cannot be parsed gives nothing, one that is odd gives what is
//! understood. What a build script computes is not known here.

mod cargo;
mod go;
mod jvm;
mod npm;
mod python;
mod recipes;

use quipu_core::text::{collapse_whitespace, ellipsis};
use serde::{Deserialize, Serialize};

/// What a project says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Which tool reads it.
    pub kind: ManifestKind,
    /// What the project is called.
    pub name: Option<String>,
    /// What it depends on, in order.
    pub dependencies: Vec<Dependency>,
    /// What can be run, or is built: a name and what it does.
    pub scripts: Vec<(String, String)>,
}

/// Something that a project depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The version that is asked for, as written.
    pub version: Option<String>,
    /// Whether only tests and builds need it.
    pub dev: bool,
}

/// Which tool reads a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestKind {
    /// `Cargo.toml`.
    Cargo,
    /// `package.json`.
    Npm,
    /// `pyproject.toml`.
    PyProject,
    /// `requirements.txt`.
    Requirements,
    /// `go.mod`.
    GoModule,
    /// `pom.xml`.
    Maven,
    /// `build.gradle` or `build.gradle.kts`.
    Gradle,
    /// A `Makefile`.
    Make,
    /// A `justfile`.
    Just,
    /// `CMakeLists.txt`.
    CMake,
}

/// A manifest larger than this is data.
const MOST_BYTES: usize = 1 << 20;

/// A project depends on no more than this, and runs no more than this.
const MOST_ENTRIES: usize = 1_000;

impl ManifestKind {
    /// The names of all of them, as a shell would match them.
    pub const PATTERNS: &[&str] = &[
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "requirements*.txt",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        ".justfile",
        "CMakeLists.txt",
    ];

    /// Returns the kind that a path's name says.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        let is_requirements =
            name.strip_suffix(".txt").is_some_and(|stem| stem.starts_with("requirements"));
        Some(match name {
            "Cargo.toml" => Self::Cargo,
            "package.json" => Self::Npm,
            "pyproject.toml" => Self::PyProject,
            "go.mod" => Self::GoModule,
            "pom.xml" => Self::Maven,
            "build.gradle" | "build.gradle.kts" => Self::Gradle,
            "Makefile" | "makefile" | "GNUmakefile" => Self::Make,
            "justfile" | "Justfile" | ".justfile" => Self::Just,
            "CMakeLists.txt" => Self::CMake,
            _ if is_requirements => Self::Requirements,
            _ => return None,
        })
    }

    /// Returns the name of the tool.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cargo => "Cargo",
            Self::Npm => "npm",
            Self::PyProject => "Python project",
            Self::Requirements => "pip",
            Self::GoModule => "Go module",
            Self::Maven => "Maven",
            Self::Gradle => "Gradle",
            Self::Make => "make",
            Self::Just => "just",
            Self::CMake => "CMake",
        }
    }
}

impl Manifest {
    /// Returns a manifest that says nothing yet.
    fn new(kind: ManifestKind) -> Self {
        Self { kind, name: None, dependencies: Vec::new(), scripts: Vec::new() }
    }

    /// Adds a dependency. One that is named twice is needed as the stricter of both says.
    fn depend(&mut self, name: &str, version: Option<&str>, dev: bool) {
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        if let Some(known) = self.dependencies.iter_mut().find(|known| known.name == name) {
            known.dev &= dev;
            known.version = known.version.take().or_else(|| version.map(str::to_owned));
        } else if !name.is_empty() && self.dependencies.len() < MOST_ENTRIES {
            let version = version.map(str::to_owned);
            self.dependencies.push(Dependency { name: name.to_owned(), version, dev });
        }
    }

    /// Adds something that can be run.
    fn script(&mut self, name: &str, does: &str) {
        let is_new = self.scripts.iter().all(|(known, _)| known != name);
        if is_new && !name.is_empty() && self.scripts.len() < MOST_ENTRIES {
            let does = ellipsis(&collapse_whitespace(does), 200);
            self.scripts.push((name.to_owned(), does));
        }
    }
}

/// Returns what a manifest says, where its name is one that is known and its text can be parsed.
pub fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let kind = ManifestKind::of(path)?;
    if text.len() > MOST_BYTES {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut manifest = Manifest::new(kind);
    match kind {
        ManifestKind::Cargo => cargo::read(&mut manifest, text)?,
        ManifestKind::Npm => npm::read(&mut manifest, text)?,
        ManifestKind::PyProject => python::read_project(&mut manifest, text)?,
        ManifestKind::Requirements => python::read_requirements(&mut manifest, path, text),
        ManifestKind::GoModule => go::read(&mut manifest, text),
        ManifestKind::Maven => jvm::read_maven(&mut manifest, text),
        ManifestKind::Gradle => jvm::read_gradle(&mut manifest, text),
        ManifestKind::Make => recipes::read_make(&mut manifest, text),
        ManifestKind::Just => recipes::read_just(&mut manifest, text),
        ManifestKind::CMake => recipes::read_cmake(&mut manifest, text),
    }
    Some(manifest)
}
