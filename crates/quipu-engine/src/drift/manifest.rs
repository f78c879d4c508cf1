//! What a project declares: scripts, targets and dependencies, read from its own files.

use std::collections::BTreeSet;

use quipu_code::{Manifest, ManifestKind};
use quipu_core::claim::Runner;

/// Where Cargo's aliases stand.
pub(super) const ALIASES: &str = ".cargo/config.toml";

/// What one file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) scripts: BTreeSet<(Runner, String)>,
    /// Packages, as [`package`] spells them.
    pub(super) dependencies: BTreeSet<String>,
}

/// Tells whether a path is one of a file that declares something.
pub(super) fn is_manifest(path: &str) -> bool {
    ManifestKind::of(path).is_some() || path.ends_with(ALIASES)
}

/// Returns a package's name as all ecosystems would compare it.
pub(super) fn package(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// Reads what a file declares; what cannot be read declares nothing.
pub(super) fn read(path: &str, text: &str) -> Declared {
    if path.ends_with(ALIASES) {
        return aliases(text).unwrap_or_default();
    }
    quipu_code::manifest(path, text).map(|manifest| declared(&manifest)).unwrap_or_default()
}

fn aliases(text: &str) -> Option<Declared> {
    let config: toml::Table = text.parse().ok()?;
    let aliases = config.get("alias")?.as_table()?;
    let scripts = aliases.keys().map(|name| (Runner::Cargo, name.clone())).collect();
    Some(Declared { scripts, ..Declared::default() })
}

fn declared(manifest: &Manifest) -> Declared {
    let runner = match manifest.kind {
        ManifestKind::Npm => Some(Runner::Npm),
        ManifestKind::Make => Some(Runner::Make),
        ManifestKind::Just => Some(Runner::Just),
        ManifestKind::PyProject => Some(Runner::Python),
        _ => None,
    };
    let names = manifest.scripts.iter().map(|(name, _)| name.clone());
    let mut scripts: BTreeSet<(Runner, String)> = runner
        .into_iter()
        .flat_map(|runner| names.clone().map(move |name| (runner, name)))
        .collect();
    if manifest.kind == ManifestKind::Cargo && manifest.name.as_deref() == Some("xtask") {
        scripts.insert((Runner::Cargo, "xtask".to_owned()));
    }
    let packages = manifest.dependencies.iter().map(|one| &one.name).chain(&manifest.name);
    // People call a module by the end of its path, and an artifact without its group.
    let called = packages.flat_map(|name| [Some(&**name), name.rsplit(['/', ':']).next()]);
    let dependencies = called.flatten().map(package).collect();
    Declared { scripts, dependencies }
}
