//! What a stranger may put into a repository, an archive or a branch.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A secret in the user's own folder that no repository may see.
pub(super) const CANARY: &str = "canary-8f14e45fceea167a";

/// The user that commands run as where the tests run as root.
pub(super) const ORDINARY_USER: u32 = 65_534;

/// A fact like any other.
const CONTINUITY: &str = "# Continuity\n\n## Key Decisions\n\n- Hello, the server has a key\n  <!-- id: hello | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->\n";

/// A hostile repository.
pub(super) struct Repository {
    pub(super) family: &'static str,
    pub(super) name: &'static str,
    pub(super) build: fn(&Scene),
}

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
    fn root(&self) -> PathBuf {
        self.base.join("clone")
    }

    fn outside(&self) -> PathBuf {
        self.base.join("outside")
    }

    /// A command that code of the repository would run: it leaves a mark.
    fn evil(&self, mark: &str) -> String {
        format!("touch {}/pwned-{mark}; cat", self.base.display())
    }

    fn git(&self, folder: &Path, arguments: &[&str]) {
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
    fn cloned(&self, fill: impl FnOnce(&Path)) {
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
    fn unpacked(&self, fill: impl FnOnce(&Path)) {
        let root = self.root();
        std::fs::create_dir(&root).unwrap();
        friendly(&root);
        fill(&root);
    }

    /// Unpacks an archive that contains `.git`.
    fn unpacked_with_git(&self, fill: impl FnOnce(&Path)) {
        let root = self.root();
        std::fs::create_dir(&root).unwrap();
        self.git(&root, &["init", "-q"]);
        friendly(&root);
        self.git(&root, &["add", "-A", "."]);
        self.git(&root, &["commit", "-q", "-m", "x"]);
        fill(&root);
    }

    /// Pulls a hostile branch into a clone in which Quipu was used before.
    fn pulled(&self, fill: impl FnOnce(&Path)) {
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
fn plain_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
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

/// Fills a folder with what an honest repository has.
fn friendly(root: &Path) {
    write(root, "memory/continuity.md", CONTINUITY);
    write(
        root,
        "memory/sessions/2026-01-02-090000.md",
        "# S\n\n## Memory References\n- Referenced: hello\n",
    );
    write(root, "README.md", "# A project\n\nWe decided to use SQLite.\n");
    write(root, "src/main.rs", "fn main() {}\n");
    write(
        root,
        "docs/adr/0001-use-sqlite.md",
        "# 1. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use SQLite.\n",
    );
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn link(to: impl AsRef<Path>, root: &Path, path: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.is_dir() {
        std::fs::remove_dir_all(&path).unwrap();
    } else if path.symlink_metadata().is_ok() {
        std::fs::remove_file(&path).unwrap();
    }
    symlink(to, path).unwrap();
}

/// Makes git take a folder for a bare repository.
fn bare(root: &Path, folder: &str) {
    write(root, &format!("{folder}/HEAD"), "ref: refs/heads/main\n");
    write(root, &format!("{folder}/objects/.keep"), "");
    write(root, &format!("{folder}/refs/.keep"), "");
    write(
        root,
        &format!("{folder}/config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    );
}

/// Plants an interrupted operation that writes an executable git hook.
fn transaction(root: &Path, evil: &str) {
    let manifest = r#"{"operation":"fact add","at":"2026-01-01T00:00:00Z","paths":["x/hooks/post-checkout"],"modes":{"x/hooks/post-checkout":493}}"#;
    write(root, ".quipu/tx/manifest.json", manifest);
    write(root, ".quipu/tx/0.new", &format!("#!/bin/sh\n{evil}\n"));
    link(".git", root, "x");
}

/// Plants an operation to undo that writes an executable git hook.
fn undo(root: &Path, evil: &str) {
    let manifest = r#"{"operation":"review","at":"2026-01-01T00:00:00Z","paths":["x/hooks/post-commit"],"modes":{"x/hooks/post-commit":493}}"#;
    write(root, ".quipu/undo/00000001/manifest.json", manifest);
    write(root, ".quipu/undo/00000001/0.old", &format!("#!/bin/sh\n{evil}\n"));
    link(".git", root, "x");
}

/// Plants the record of an installation whose program is a shell.
fn installation(root: &Path, evil: &str) {
    let entry = r#"{"clients":["claude-code"],"what":"mcp","spot":{"Json":{"keys":["mcpServers","quipu"]}},"value":{"command":"/bin/sh","args":["mcp"]}}"#;
    let record = format!(
        r#"{{"format":1,"quipu":"0.1.0","command":"/bin/sh","files":[{{"path":".mcp.json","original":null,"written":"00","entries":[{entry}]}}]}}"#
    );
    write(root, ".quipu/install.json", &record);
    write(root, ".mcp.json", r#"{"mcpServers":{"quipu":{"command":"/bin/sh","args":["mcp"]}}}"#);
    write(root, "mcp", &format!("{evil}\n"));
    write(root, "hook", &format!("{evil}\n"));
}

/// Plants a token that the attacker knows.
fn tokens(root: &Path) {
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let token = format!(
        r#"[{{"name":"mallory","scope":"admin","channel":"main","created":"2026-01-01T00:00:00Z","hash":"{hash}"}}]"#
    );
    write(root, ".quipu/tokens.json", &token);
}

/// Plants sessions whose fields would become paths and arguments.
fn sessions(root: &Path, base: &Path) {
    let tree = format!("--output={}/pwned-tree x", base.display());
    let record =
        format!(r#"{{"id":"s1","agent":"a","tree":"{tree}","notes":[],"events":[],"reviews":[]}}"#);
    write(root, ".quipu/sessions/s1.json", &record);
    let record = r#"{"id":"../../../pwned-id","agent":"a","notes":[],"events":[],"reviews":[]}"#;
    write(root, ".quipu/sessions/s2.json", record);
    write(root, ".quipu/pending.json", record);
}

/// A nested repository laid out as a bare one, with a filter that git would run.
fn bare_project(scene: &Scene, root: &Path) {
    let inner = scene.base.join("inner");
    std::fs::create_dir(&inner).unwrap();
    scene.git(&inner, &["init", "-q"]);
    write(&inner, "memory/continuity.md", CONTINUITY);
    write(&inner, ".gitattributes", "* filter=evil diff=evil\n");
    write(&inner, "a.txt", "a\n");
    scene.git(&inner, &["add", "-A"]);
    scene.git(&inner, &["commit", "-q", "-m", "x"]);
    for (path, bytes) in plain_files(&inner.join(".git")) {
        if !path.starts_with("hooks/") && !path.starts_with("logs/") {
            let target = root.join("proj").join(path);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(target, bytes).unwrap();
        }
    }
    write(root, "proj/refs/tags/.keep", "");
    write(root, "proj/memory/continuity.md", CONTINUITY);
    write(root, "proj/.gitattributes", "* filter=evil diff=evil\n");
    write(root, "proj/a.txt", "changed\n");
    let evil = scene.evil("filter");
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter \"evil\"]\n\tclean = \"{evil}\"\n[diff \"evil\"]\n\ttextconv = \"{evil}\"\n"
    );
    write(root, "proj/config", &config);
    std::fs::remove_dir_all(inner).unwrap();
}

/// Adds lines to the configuration of a repository that came in an archive.
fn configured(scene: &Scene, lines: &str) {
    scene.unpacked_with_git(|root| {
        let path = root.join(".git/config");
        let config = std::fs::read_to_string(&path).unwrap() + lines;
        std::fs::write(path, config).unwrap();
        write(root, ".git/info/attributes", "* filter=evil diff=evil\n");
        write(root, ".gitattributes", "* filter=evil diff=evil\n");
        write(root, "README.md", "# Changed after the commit\n");
        write(root, "memory/continuity.md", &CONTINUITY.replace("Hello", "Hello again"));
    });
}

fn settings(scene: &Scene, text: &str) {
    scene.cloned(|root| write(root, "quipu.toml", text));
}

fn fifo(root: &Path, path: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.exists() {
        std::fs::remove_file(&path).unwrap();
    }
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Declares a repository.
macro_rules! repository {
    ($family:literal, $name:literal, $build:expr) => {
        Repository { family: $family, name: $name, build: $build }
    };
}

/// Returns every hostile repository.
pub(super) fn all() -> Vec<Repository> {
    let mut all = git();
    all.extend(more_of_git());
    all.extend(state());
    all.extend(links());
    all.extend(links_of_others());
    all.extend(special_files());
    all.extend(settings_files());
    all.extend(branches());
    all
}

fn git() -> Vec<Repository> {
    vec![
        repository!("git", "a folder laid out as a bare repository", |scene| {
            scene.cloned(|root| bare_project(scene, root));
        }),
        repository!("git", "a bare folder in an archive", |scene| {
            scene.unpacked(|root| bare_project(scene, root));
        }),
        repository!("git", "an archive whose configuration names filters", |scene| {
            let evil = scene.evil("clean");
            configured(
                scene,
                &format!(
                    "[filter \"evil\"]\n\tclean = \"{evil}\"\n\tsmudge = \"{evil}\"\n\tprocess = \"{evil}\"\n\trequired = true\n[diff \"evil\"]\n\ttextconv = \"{evil}\"\n\tcommand = \"{evil}\"\n"
                ),
            );
        }),
        repository!("git", "an archive whose configuration names a monitor", |scene| {
            let evil = scene.evil("monitor");
            configured(
                scene,
                &format!("[core]\n\tfsmonitor = \"{evil}\"\n\tuntrackedCache = true\n"),
            );
        }),
        repository!("git", "an archive whose configuration checks signatures", |scene| {
            let evil = scene.evil("gpg");
            configured(
                scene,
                &format!("[log]\n\tshowSignature = true\n[gpg]\n\tprogram = \"{evil}\"\n"),
            );
        }),
        repository!("git", "an archive whose configuration names programs of all kinds", |scene| {
            let evil = scene.evil("program");
            configured(
                scene,
                &format!(
                    "[core]\n\tpager = \"{evil}\"\n\teditor = \"{evil}\"\n\tsshCommand = \"{evil}\"\n\taskPass = \"{evil}\"\n\talternateRefsCommand = \"{evil}\"\n[diff]\n\texternal = \"{evil}\"\n[credential]\n\thelper = \"!{evil}\"\n[alias]\n\tls-files = \"!{evil}\"\n\tdiff-files = \"!{evil}\"\n"
                ),
            );
        }),
        repository!("git", "an archive whose work tree is elsewhere", |scene| {
            configured(scene, &format!("[core]\n\tworktree = {}\n", scene.outside().display()));
        }),
        repository!("git", "an archive that fetches what is missing", |scene| {
            let evil = scene.evil("fetch");
            configured(
                scene,
                &format!(
                    "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::sh -c \"{evil}\"\n\tpromisor = true\n[protocol \"ext\"]\n\tallow = always\n"
                ),
            );
            let objects = scene.root().join(".git/objects");
            for folder in std::fs::read_dir(objects).unwrap().take(3) {
                let folder = folder.unwrap().path();
                if folder.file_name().unwrap().len() == 2 {
                    std::fs::remove_dir_all(folder).unwrap();
                }
            }
        }),
    ]
}

fn more_of_git() -> Vec<Repository> {
    vec![
        repository!("git", "an archive whose hooks run", |scene| {
            let evil = scene.evil("hook");
            configured(scene, "[core]\n\thooksPath = .githooks\n");
            for name in
                ["post-checkout", "post-index-change", "pre-commit", "reference-transaction"]
            {
                let path = format!(".githooks/{name}");
                write(&scene.root(), &path, &format!("#!/bin/sh\n{evil}\n"));
                let mode = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(scene.root().join(path), mode).unwrap();
            }
        }),
        repository!("git", "a nested repository with a monitor", |scene| {
            let evil = scene.evil("nested");
            scene.unpacked_with_git(|root| {
                let inner = root.join("vendor/lib");
                std::fs::create_dir_all(&inner).unwrap();
                scene.git(&inner, &["init", "-q"]);
                write(&inner, "a.md", "a\n");
                scene.git(&inner, &["add", "-A"]);
                scene.git(&inner, &["commit", "-q", "-m", "x"]);
                scene.git(root, &["add", "-A"]);
                scene.git(root, &["commit", "-q", "-m", "y"]);
                let path = inner.join(".git/config");
                let config = std::fs::read_to_string(&path).unwrap();
                std::fs::write(path, format!("{config}[core]\n\tfsmonitor = \"{evil}\"\n"))
                    .unwrap();
                write(&inner, "a.md", "changed\n");
            });
        }),
        repository!("git", "a .git file that leads elsewhere", |scene| {
            scene.git(&scene.outside(), &["init", "-q"]);
            scene.unpacked(|root| {
                write(root, ".git", &format!("gitdir: {}/.git\n", scene.outside().display()));
            });
            // Git's own answer about another repository is no secret; its files are.
            std::fs::remove_dir_all(scene.outside().join(".git")).unwrap();
        }),
        repository!("git", "a program called git, with . in the PATH", |scene| {
            let evil = scene.evil("path");
            scene.cloned(|root| {
                for name in ["git", "quipu", "sh"] {
                    write(root, name, &format!("#!/bin/sh\n{evil}\n"));
                    let mode = std::fs::Permissions::from_mode(0o755);
                    std::fs::set_permissions(root.join(name), mode).unwrap();
                }
            });
        }),
    ]
}

fn state() -> Vec<Repository> {
    vec![
        repository!("state", "a committed operation", |scene| {
            scene.cloned(|root| transaction(root, &scene.evil("tx")));
        }),
        repository!("state", "a committed operation in a bare folder", |scene| {
            scene.cloned(|root| {
                transaction(root, &scene.evil("tx"));
                bare(root, ".quipu");
            });
        }),
        repository!("state", "an operation in an archive", |scene| {
            scene.unpacked(|root| transaction(root, &scene.evil("tx")));
        }),
        repository!("state", "an operation in an archive with git", |scene| {
            scene.unpacked_with_git(|root| transaction(root, &scene.evil("tx")));
        }),
        repository!("state", "a committed undo", |scene| {
            scene.cloned(|root| undo(root, &scene.evil("undo")));
        }),
        repository!("state", "an undo in an archive with git", |scene| {
            scene.unpacked_with_git(|root| undo(root, &scene.evil("undo")));
        }),
        repository!("state", "a committed installation", |scene| {
            scene.cloned(|root| installation(root, &scene.evil("doctor")));
        }),
        repository!("state", "a committed installation in a bare folder", |scene| {
            scene.cloned(|root| {
                installation(root, &scene.evil("doctor"));
                bare(root, ".quipu");
            });
        }),
        repository!("state", "an installation in an archive with git", |scene| {
            scene.unpacked_with_git(|root| installation(root, &scene.evil("doctor")));
        }),
        repository!("state", "committed tokens in a bare folder", |scene| {
            scene.cloned(|root| {
                tokens(root);
                bare(root, ".quipu");
            });
        }),
        repository!("state", "tokens in an archive", |scene| scene.unpacked(tokens)),
        repository!("state", "sessions in an archive with git", |scene| {
            scene.unpacked_with_git(|root| sessions(root, &scene.base));
        }),
        repository!("state", "a committed id of a state folder", |scene| {
            scene.cloned(|root| write(root, ".quipu/state", "../../../../outside\n"));
        }),
        repository!("state", "a committed database", |scene| {
            scene.cloned(|root| write(root, ".quipu/quipu.db", "SQLite format 3\0 and nonsense"));
        }),
        repository!("state", "a committed dream", |scene| {
            scene.cloned(|root| write(root, ".quipu/dream.json", "{\"actions\":[]}"));
        }),
    ]
}

fn links() -> Vec<Repository> {
    vec![
        repository!("links", "notes", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory/notes"
        ))),
        repository!("links", "sessions", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory/sessions"
        ))),
        repository!("links", "archive", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory/archive"
        ))),
        repository!("links", "the memory folder", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory"
        ))),
        repository!("links", "continuity.md", |scene| scene.cloned(|root| link(
            scene.outside().join("continuity.md"),
            root,
            "memory/continuity.md"
        ))),
        repository!("links", "continuity.md to .env", |scene| scene.cloned(|root| {
            write(root, ".env", &format!("KEY={CANARY}\n"));
            link("../.env", root, "memory/continuity.md");
        })),
        repository!("links", "a session log", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "memory/sessions/2026-01-03-090000.md"
        ))),
        repository!("links", "MEMORY.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "MEMORY.md"
        ))),
        repository!("links", "LONGMEMORY.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "LONGMEMORY.md"
        ))),
        repository!("links", "USER.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "USER.md"
        ))),
        repository!("links", "a day of the journal", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "memory/2026-01-01.md"
        ))),
        repository!("links", "quipu.toml", |scene| scene.cloned(|root| link(
            scene.outside().join("credentials"),
            root,
            "quipu.toml"
        ))),
        repository!("links", ".quipu", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            ".quipu"
        ))),
        repository!("links", "the lock", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".quipu/lock"
        ))),
        repository!("links", "the id of the state folder", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".quipu/state"
        ))),
        repository!("links", "the layout's version", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".agent/version.md"
        ))),
        repository!("links", "a folder above a note", |scene| scene.cloned(|root| {
            write(root, "memory/notes/a.md", "a\n");
            link(scene.outside(), root, "memory/notes/deep");
        })),
        repository!("links", "the folder for topics", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "tmp"
        ))),
    ]
}

fn links_of_others() -> Vec<Repository> {
    vec![
        repository!("links of others", "AGENTS.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "AGENTS.md"
        ))),
        repository!("links of others", "CLAUDE.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "CLAUDE.md"
        ))),
        repository!("links of others", ".gitignore", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".gitignore"
        ))),
        repository!("links of others", "a folder of rules", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            ".cursor"
        ))),
        repository!("links of others", "settings of a client", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            ".claude"
        ))),
        repository!("links of others", "documents", |scene| scene.cloned(|root| {
            link(scene.outside(), root, "docs/decisions");
            link(scene.outside().join("secret.md"), root, "docs/adr/0002-linked.md");
        })),
        repository!("links of others", "source files", |scene| scene.cloned(|root| {
            link(scene.outside().join("secret.md"), root, "src/lib.rs");
            link(scene.outside(), root, "src/inner");
        })),
        repository!("links of others", "manifests in an archive", |scene| scene.unpacked(|root| {
            link(scene.outside().join("credentials"), root, "Cargo.toml");
            link(scene.outside().join("credentials"), root, "package.json");
        })),
        repository!("links of others", "the list of waivers", |scene| scene.cloned(|root| link(
            "/dev/zero",
            root,
            ".agent/secret-scan-ignore"
        ))),
    ]
}

fn special_files() -> Vec<Repository> {
    vec![
        repository!("special files", "a pipe as continuity.md", |scene| scene
            .unpacked(|root| fifo(root, "memory/continuity.md"))),
        repository!("special files", "a pipe as a note", |scene| scene
            .unpacked(|root| fifo(root, "memory/notes/a.md"))),
        repository!("special files", "a pipe as a day", |scene| scene
            .unpacked(|root| fifo(root, "memory/2026-01-01.md"))),
        repository!("special files", "a pipe as the lock", |scene| scene
            .unpacked(|root| fifo(root, ".quipu/lock"))),
        repository!("special files", "a pipe as quipu.toml", |scene| scene
            .unpacked(|root| fifo(root, "quipu.toml"))),
        repository!("special files", "quipu.toml without end", |scene| scene.cloned(|root| link(
            "/dev/zero",
            root,
            "quipu.toml"
        ))),
        repository!("special files", "folders in place of files", |scene| scene.cloned(|root| {
            std::fs::remove_file(root.join("memory/continuity.md")).unwrap();
            for path in [
                "memory/continuity.md/a",
                "MEMORY.md/a",
                "quipu.toml/a",
                "USER.md/a",
                ".quipu/lock/a",
            ] {
                write(root, path, "a\n");
            }
        })),
    ]
}

fn settings_files() -> Vec<Repository> {
    vec![
        repository!("settings", "an endpoint for every prompt", |scene| settings(
            scene,
            "[embedding]\nprovider = \"endpoint\"\nurl = \"http://127.0.0.1:9/v1/embeddings\"\nmodel = \"x\"\n"
        )),
        repository!("settings", "a judge elsewhere", |scene| settings(
            scene,
            "[judge]\nurl = \"http://127.0.0.1:9/v1/chat\"\nmodel = \"x\"\n"
        )),
        repository!("settings", "a model in another folder", |scene| settings(
            scene,
            "[embedding]\nprovider = \"transformer\"\nfolder = \"../outside\"\n"
        )),
        repository!("settings", "journal files outside", |scene| settings(
            scene,
            "[continuity]\nlongMemoryPath = \"../outside/secret.md\"\nmemoryArchivePath = \"../outside/archive.md\"\nexperienceStorePath = \"../outside/e.json\"\n"
        )),
        repository!("settings", "notes outside", |scene| settings(
            scene,
            "[memoryTool]\nfolder = \"../outside\"\n"
        )),
        repository!("settings", "notes in git's folder", |scene| settings(
            scene,
            "[memoryTool]\nfolder = \".git/hooks\"\n"
        )),
        repository!("settings", "a server for everybody", |scene| settings(
            scene,
            "[serve]\nlisten = \"0.0.0.0:0\"\nhosts = [\"*\"]\norigins = [\"*\"]\n"
        )),
        repository!("settings", "no guard", |scene| settings(
            scene,
            "[guard]\nmode = \"off\"\nsecrets = \"allow\"\n[lint]\nallow = [\"*\"]\n"
        )),
    ]
}

fn branches() -> Vec<Repository> {
    vec![
        repository!("branches", "a branch with an operation", |scene| scene
            .pulled(|root| transaction(root, &scene.evil("tx")))),
        repository!("branches", "a branch with an undo", |scene| scene
            .pulled(|root| undo(root, &scene.evil("undo")))),
        repository!("branches", "a branch with tokens and sessions", |scene| scene.pulled(
            |root| {
                tokens(root);
                sessions(root, &scene.base);
                installation(root, &scene.evil("doctor"));
            }
        )),
        repository!("branches", "a branch with another state", |scene| scene.pulled(|root| write(
            root,
            ".quipu/state",
            "abcdefghijklmnopqrstuvwxyz\n"
        ))),
        repository!("branches", "a branch with links", |scene| scene.pulled(|root| {
            link(scene.outside(), root, "memory/notes");
            link(scene.outside().join("secret.md"), root, "USER.md");
        })),
    ]
}
