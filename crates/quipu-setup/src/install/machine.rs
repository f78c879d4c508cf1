//! Where things are on this machine: the home folder and what programs keep in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use quipu_engine::state;

/// Whose configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The project's, which its people share.
    Project,
    /// The home folder's.
    User,
}

impl Scope {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// What a path in the table of clients starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The project's root.
    Project,
    /// The home folder.
    Home,
    /// `~/.config`, or where the user has put it.
    Config,
    /// VS Code's folder for its user.
    Code,
    /// `~/.claude`.
    Claude,
    /// Where `.claude.json` lies: the home folder.
    ClaudeState,
    /// `~/.codex`.
    Codex,
    /// `~/.copilot`.
    Copilot,
    Zed,
    Goose,
}

/// A path from a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) base: Base,
    pub(super) path: &'static str,
}

impl Base {
    pub(super) const fn at(self, path: &'static str) -> Location {
        Location { base: self, path }
    }
}

impl Location {
    pub(super) fn is_of(self, scope: Scope) -> bool {
        (self.base == Base::Project) == (scope == Scope::Project)
    }
}

/// The home folder and the settings that move things in it.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The home folder.
    pub home: PathBuf,
    /// Folders in which programs are looked for.
    pub path: Option<OsString>,
    config: Option<PathBuf>,
    state: Option<PathBuf>,
    own_state: Option<PathBuf>,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    copilot: Option<PathBuf>,
}

impl Machine {
    /// A machine with this home folder, and everything in its usual place.
    pub fn at(home: PathBuf, path: Option<OsString>) -> Self {
        Self { home, path, ..Self::default() }
    }

    /// Keeps state in another folder than the usual one.
    #[must_use]
    pub fn keeping_state_in(self, folder: &Path) -> Self {
        Self { own_state: Some(folder.to_owned()), ..self }
    }

    /// The machine that the environment describes; `None` without a home folder.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let folder =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"))?;
        Some(Self {
            home,
            path: variable("PATH"),
            config: folder("XDG_CONFIG_HOME"),
            state: folder("XDG_STATE_HOME"),
            own_state: folder(state::VARIABLE),
            claude: folder("CLAUDE_CONFIG_DIR"),
            codex: folder("CODEX_HOME"),
            copilot: folder("COPILOT_HOME"),
        })
    }

    /// Returns the folder in which Quipu keeps its state.
    pub fn state(&self) -> PathBuf {
        if let Some(folder) = &self.own_state {
            return folder.clone();
        }
        state::usual_home(&self.home, self.state.as_deref())
    }

    pub(super) fn resolve(&self, location: Location, root: &Path) -> PathBuf {
        let config = || self.config.clone().unwrap_or_else(|| self.home.join(".config"));
        let own = |moved: &Option<PathBuf>, usual: &str| {
            moved.clone().unwrap_or_else(|| self.home.join(usual))
        };
        let roaming = || self.home.join("AppData/Roaming");
        let base = match location.base {
            Base::Project => root.to_owned(),
            Base::Home => self.home.clone(),
            Base::Config => config(),
            Base::Code if cfg!(windows) => roaming().join("Code/User"),
            Base::Code if cfg!(target_os = "macos") => {
                self.home.join("Library/Application Support/Code/User")
            }
            Base::Code => config().join("Code/User"),
            Base::Claude => own(&self.claude, ".claude"),
            Base::ClaudeState => own(&self.claude, ""),
            Base::Codex => own(&self.codex, ".codex"),
            Base::Copilot => own(&self.copilot, ".copilot"),
            Base::Zed if cfg!(windows) => roaming().join("Zed"),
            Base::Zed if cfg!(target_os = "macos") => self.home.join(".config/zed"),
            Base::Zed => config().join("zed"),
            Base::Goose if cfg!(windows) => roaming().join("Block/goose/config"),
            Base::Goose => config().join("goose"),
        };
        if location.path.is_empty() { base } else { base.join(location.path) }
    }

    /// Returns where a program is found on the path.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let names: &[String] = if cfg!(windows) {
            &[format!("{name}.exe"), format!("{name}.cmd"), name.to_owned()]
        } else {
            &[name.to_owned()]
        };
        let folders = self.path.as_ref().map(std::env::split_paths).into_iter().flatten();
        folders
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .find(|file| is_runnable(file))
    }

    /// Returns where the command of an entry is found: on the path, or where it says.
    pub fn command(&self, command: &str) -> Option<PathBuf> {
        let path = Path::new(command);
        if path.components().count() > 1 {
            return is_runnable(path).then(|| path.to_owned());
        }
        self.program(command)
    }
}

#[cfg(unix)]
fn is_runnable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_runnable(file: &Path) -> bool {
    file.is_file()
}
