//! The user's own settings: a file outside of every repository.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::ConfigError;

/// The variable that names the file; set to nothing, there is none.
pub const VARIABLE: &str = "QUIPU_CONFIG";

/// Nobody writes so many settings.
const LARGEST: u64 = 1024 * 1024;

/// The user's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserFile {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// What it says; nothing where there is none.
    pub text: String,
}

impl UserFile {
    /// Returns where the file of this user is, or would be; nothing where there shall be none.
    pub fn place() -> Option<PathBuf> {
        path(|name| std::env::var_os(name).map(PathBuf::from))
    }

    /// Reads the file of whoever started this process.
    ///
    /// # Errors
    /// When it is there and cannot be read. The path is that of the file.
    pub(super) fn read() -> Result<Self, (PathBuf, ConfigError)> {
        let Some(path) = Self::place() else {
            return Ok(Self::default());
        };
        match text(&path) {
            Ok(text) => Ok(Self { path, text }),
            Err(reason) => Err((path, ConfigError::Unreadable { reason })),
        }
    }
}

/// Returns where the file is, by the environment; nothing where there shall be none.
fn path(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(path) = variable(VARIABLE) {
        return Some(path).filter(|path| !path.as_os_str().is_empty());
    }
    // A relative folder would be another one in each repository.
    let folder = |name: &str| variable(name).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        folder("APPDATA")
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
    };
    Some(folder?.join("quipu").join("config.toml"))
}

fn text(path: &Path) -> Result<String, String> {
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        // A part of the path is a file, so that nothing can be behind it.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(String::new()),
        Err(error) => return Err(error.to_string()),
    };
    if !about.is_file() {
        return Err("it is not a plain file".to_owned());
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let read = file.take(LARGEST + 1).read_to_string(&mut text);
    let size = read.map_err(|error| error.to_string())?;
    if size as u64 > LARGEST {
        return Err(format!("it has more than {LARGEST} bytes"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_file_is_where_the_environment_says() {
        let with = |set: &[(&str, &str)]| {
            path(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, path)| PathBuf::from(path))
            })
        };
        let home = ("HOME", "/home/me");
        assert_eq!(with(&[home]), Some("/home/me/.config/quipu/config.toml".into()));
        assert_eq!(
            with(&[home, ("XDG_CONFIG_HOME", "/conf")]),
            Some("/conf/quipu/config.toml".into())
        );
        assert_eq!(
            with(&[home, ("XDG_CONFIG_HOME", "conf")]),
            Some("/home/me/.config/quipu/config.toml".into()),
            "a relative folder is none"
        );
        assert_eq!(with(&[home, (VARIABLE, "/my.toml")]), Some("/my.toml".into()));
        assert_eq!(with(&[home, (VARIABLE, "")]), None);
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn only_a_plain_file_of_bearable_size_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert!(text(folder.path()).is_err());
        let file = folder.path().join("config.toml");
        assert_eq!(text(&file), Ok(String::new()));
        std::fs::write(&file, "x".repeat(1024 * 1024 + 1)).unwrap();
        assert!(text(&file).is_err());
        assert_eq!(text(&file.join("beneath")), Ok(String::new()));
    }
}
