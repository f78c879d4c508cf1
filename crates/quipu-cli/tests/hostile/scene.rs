//! A user's home, a secret beside the workspace, and the workspace that a stranger made.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::plant::friendly;

/// A secret in the user's own folder that no repository may see.
pub(super) const CANARY: &str = "canary-8f14e45fceea167a";

/// The user that commands run as where the tests run as root.
pub(super) const ORDINARY_USER: u32 = 65_534;

/// A fact like any other.
pub(super) const CONTINUITY: &str = "# Continuity\n\n## Key Decisions\n\n- Hello, the server has a key\n  <!-- id: hello | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->\n";

/// A folder with a user's home, a secret beside the workspace, and the workspace.
pub(super) struct Scene {
    _folder: tempfile::TempDir,
    pub(super) name: &'static str,
    pub(super) base: PathBuf,
}

pub(super) fn is_root() -> bool {
    let owner = std::fs::metadata("/proc/self").map(|found| {
        use std::os::unix::fs::MetadataExt as _;
        found.uid()
    });
    owner.is_ok_and(|uid| uid == 0)
}

impl Scene {
    pub(super) fn new(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::set_permissions(&base, std::fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["bin", "home/.config", "home/tmp", "outside"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        std::fs::copy(env!("CARGO_BIN_EXE_quipu"), base.join("bin/quipu")).unwrap();
        let secret = format!("aws_secret_access_key = {CANARY}\n- {CANARY} secret key server\n");
        for name in ["secret.md", "credentials", "2026-01-01-000000.md", "continuity.md"] {
            std::fs::write(base.join("outside").join(name), &secret).unwrap();
        }
        let user =
            "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n";
        std::fs::write(base.join("home/.gitconfig"), user).unwrap();
        Self { _folder: folder, name, base }
    }

    /// The workspace.
    pub(super) fn root(&self) -> PathBuf {
        self.base.join("clone")
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.base.join("outside")
    }

    /// A command that code of the repository would run: it leaves a mark.
    pub(super) fn evil(&self, mark: &str) -> String {
        format!("touch {}/pwned-{mark}; cat", self.base.display())
    }

    pub(super) fn git(&self, folder: &Path, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(folder)
            .env("HOME", self.base.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{}: git {arguments:?}: {error}", self.name);
    }

    /// Clones a repository that `fill` filled.
    pub(super) fn cloned(&self, fill: impl FnOnce(&Path)) {
        let source = self.base.join("source");
        std::fs::create_dir(&source).unwrap();
        self.git(&source, &["init", "-q"]);
        friendly(&source);
        fill(&source);
        self.git(&source, &["add", "-f", "-A", "."]);
        self.git(&source, &["commit", "-q", "-m", "x"]);
        self.git(&self.base, &["clone", "-q", "source", "clone"]);
        std::fs::remove_dir_all(source).unwrap();
    }

    /// Unpacks an archive: there is no git.
    pub(super) fn unpacked(&self, fill: impl FnOnce(&Path)) {
        let root = self.root();
        std::fs::create_dir(&root).unwrap();
        friendly(&root);
        fill(&root);
    }

    /// Unpacks an archive that contains `.git`.
    pub(super) fn unpacked_with_git(&self, fill: impl FnOnce(&Path)) {
        let root = self.root();
        std::fs::create_dir(&root).unwrap();
        self.git(&root, &["init", "-q"]);
        friendly(&root);
        self.git(&root, &["add", "-A", "."]);
        self.git(&root, &["commit", "-q", "-m", "x"]);
        fill(&root);
    }

    /// Pulls a hostile branch into a clone in which Quipu was used before.
    pub(super) fn pulled(&self, fill: impl FnOnce(&Path)) {
        let source = self.base.join("source");
        std::fs::create_dir(&source).unwrap();
        self.git(&source, &["init", "-q"]);
        friendly(&source);
        self.git(&source, &["add", "-A", "."]);
        self.git(&source, &["commit", "-q", "-m", "x"]);
        self.git(&self.base, &["clone", "-q", "source", "clone"]);
        for arguments in
            [&["fact", "add", "Backups run at night"][..], &["remember", "Tea is at four"]]
        {
            let done = Command::new(self.base.join("bin/quipu"))
                .args(arguments)
                .current_dir(self.root())
                .env("HOME", self.base.join("home"))
                .env_remove("XDG_STATE_HOME")
                .env_remove("QUIPU_STATE_DIR")
                .output();
            assert!(done.unwrap().status.success());
        }
        fill(&source);
        self.git(&source, &["add", "-f", "-A", "."]);
        self.git(&source, &["commit", "-q", "-m", "y"]);
        self.git(&self.root(), &["checkout", "-q", "--", "."]);
        self.git(&self.root(), &["pull", "-q", "--no-rebase", "--no-edit"]);
    }

    /// Gives everything to the ordinary user.
    pub(super) fn hand_over(&self) {
        if is_root() {
            let user = format!("{ORDINARY_USER}:{ORDINARY_USER}");
            let done = Command::new("chown").args(["-R", "-h", &user]).arg(&self.base).status();
            assert!(done.unwrap().success());
        }
    }

    /// Returns the folders in which commands run: the root, and a subfolder where there is a memory.
    pub(super) fn folders(&self) -> Vec<String> {
        let inner = self.root().join("proj/memory").is_dir();
        let mut folders = vec!["clone".to_owned()];
        folders.extend(inner.then(|| "clone/proj".to_owned()));
        folders
    }

    /// Returns what stands in `PATH` before the usual folders.
    pub(super) fn path_before(&self) -> &'static str {
        if self.name.contains("PATH") { ".:" } else { "" }
    }

    /// Tells whether a process may have opened a path.
    pub(super) fn may_open(&self, path: &str) -> bool {
        let system = [
            "/usr/",
            "/lib",
            "/etc/",
            "/proc/",
            "/sys/",
            "/bin/",
            "/dev/null",
            "/dev/urandom",
            "/dev/tty",
        ];
        let own = ["clone", "home", "bin"].map(|name| format!("{}/{name}", self.base.display()));
        let is_below = |folder: &String| {
            path.strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // Quipu climbs to find a memory and git's folder; it looks at names there and reads nothing.
        let is_above = self.base.starts_with(path);
        system.iter().any(|name| path.starts_with(name)) || own.iter().any(is_below) || is_above
    }

    /// Returns the files that nothing may change: those outside, and git's own programs and settings.
    pub(super) fn untouchable(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = plain_files(&self.outside());
        let git = self.root().join(".git");
        for (path, bytes) in plain_files(&git) {
            if path.starts_with("hooks/") || path == "config" {
                files.insert(format!(".git/{path}"), bytes);
            }
        }
        files
    }

    /// Returns the marks that code of the repository left.
    pub(super) fn pwned(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.base).unwrap().map(|one| one.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("pwned")).collect()
    }

    /// Returns the files into which the user's secret was copied.
    pub(super) fn leaked(&self) -> Vec<String> {
        let mut leaked = Vec::new();
        for folder in ["clone", "home"] {
            for (path, bytes) in plain_files(&self.base.join(folder)) {
                if path != ".env" && String::from_utf8_lossy(&bytes).contains(CANARY) {
                    leaked.push(format!("{folder}/{path}"));
                }
            }
        }
        leaked
    }
}

/// Returns the plain files below a folder; a link is none, and a pipe would be waited for.
pub(super) fn plain_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries.map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                files.insert(name, std::fs::read(path).unwrap_or_default());
            }
        }
    }
    files
}
