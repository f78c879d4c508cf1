//! Settings: what a team chose in `quipu.toml`, what a user chose in a file of their own, in the
//! environment and by flags. [`keys`] says which setting may come from where, `load` puts them
//! together.

mod continuity;
mod explain;
mod guard;
mod hooks;
pub mod keys;
mod load;
mod meaning;
mod serve;
mod user;

use std::path::PathBuf;

use quipu_core::indexing::{self, FileKind};
use quipu_core::journal::Form;
use quipu_core::lifecycle::Settings;
use quipu_core::{journal, memory};
use serde::{Deserialize, Serialize};

use crate::error::Failure;

pub use self::continuity::ContinuityConfig;
pub use self::explain::{Origins, Setting, SettingSource};
pub use self::guard::{GuardConfig, GuardMode, GuardScope, OnSecret};
pub use self::hooks::HooksConfig;
pub use self::keys::{Class, KEYS, Shape, variable};
pub use self::load::Files;
pub use self::serve::ServeConfig;
pub use self::user::{UserFile, VARIABLE};

/// Settings of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Reviews.
    pub review: ReviewConfig,
    /// Lint.
    pub lint: LintConfig,
    /// Vectors.
    pub embedding: EmbeddingConfig,
    /// The journal's files.
    pub journal: JournalConfig,
    /// The change log.
    pub undo: UndoConfig,
    /// How memories live.
    pub lifecycle: Settings,
    /// Who answers questions when nobody sits there.
    pub judge: JudgeConfig,
    /// The journal: window, briefing, compaction, experiences. The original's names.
    pub continuity: ContinuityConfig,
    /// The server.
    pub serve: ServeConfig,
    /// The memory tool of Anthropic's API.
    #[serde(rename = "memoryTool")]
    pub memory_tool: MemoryToolConfig,
    /// What hooks of agents do.
    pub hooks: HooksConfig,
    /// Secrets on their way into the memory and into git.
    pub guard: GuardConfig,
    /// What a person should know about their settings: those of the repository that were not taken.
    #[serde(skip)]
    pub notices: Vec<String>,
    /// Where each changed setting comes from.
    #[serde(skip)]
    pub origins: Origins,
}

/// Settings of reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewConfig {
    /// Whether `session end` applies a review that is due, instead of showing it.
    pub auto: bool,
}

/// Which model makes vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// The table that is part of Quipu.
    #[default]
    BuiltIn,
    /// An OpenAI-shaped HTTP endpoint.
    Endpoint,
    /// A model in a folder.
    Transformer,
}

/// Settings of vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// Which model.
    pub provider: Provider,
    /// The endpoint's address, such as `http://localhost:11434/v1/embeddings`.
    pub url: String,
    /// The endpoint's model.
    pub model: String,
    /// The folder of a transformer, from the workspace's root.
    pub folder: String,
}

/// Settings of the judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgeConfig {
    /// The endpoint's address, such as `http://localhost:11434/v1/chat/completions`.
    pub url: String,
    /// The endpoint's model.
    pub model: String,
}

/// Settings of lint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LintConfig {
    /// Warnings to live with: `code` or `code:subject`.
    pub allow: Vec<String>,
}

/// Settings of the journal's files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalConfig {
    /// The zone whose days the daily logs are, such as `Europe/Berlin`.
    pub timezone: String,
    /// How new records are written.
    pub format: JournalFormat,
    /// Whether git may track the journal's files, which are private otherwise.
    pub tracked: bool,
}

/// Settings of the change log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct UndoConfig {
    /// How many days before the newest change others can be undone.
    pub days: u32,
}

impl Default for UndoConfig {
    fn default() -> Self {
        Self { days: 90 }
    }
}

/// How new records of the journal are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JournalFormat {
    /// As those that are there; Markdown where there are none.
    #[default]
    Auto,
    /// A bullet and a comment.
    Markdown,
    /// A line of JSON, as the original writes it.
    Json,
}

impl JournalConfig {
    /// Returns the form that somebody chose.
    pub(crate) fn form(&self) -> Option<Form> {
        match self.format {
            JournalFormat::Auto => None,
            JournalFormat::Markdown => Some(Form::Markdown),
            JournalFormat::Json => Some(Form::Json),
        }
    }
}

impl Default for JournalConfig {
    fn default() -> Self {
        let timezone = "UTC".to_owned();
        Self { timezone, format: JournalFormat::default(), tracked: false }
    }
}

/// Settings of the memory tool.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryToolConfig {
    /// The folder that the tool sees as `/memories`, from the workspace's root.
    pub folder: String,
}

impl Default for MemoryToolConfig {
    fn default() -> Self {
        Self { folder: "memory/notes".to_owned() }
    }
}

/// The file that a setting stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `quipu.toml`, which the repository brings along.
    Repository,
    /// The user's own file.
    User,
}

/// Why a setting cannot be used. What a file says is never part of it: a file that is not what it seems
/// may hold anything.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is not TOML.
    #[error("line {line}, column {column} is not TOML")]
    Syntax {
        /// Which file.
        file: Origin,
        /// 1-based.
        line: usize,
        /// 1-based.
        column: usize,
    },
    /// The file has a value that its key does not take.
    #[error("line {line}, column {column}: the value of `{key}` is not {wanted}")]
    InFile {
        /// Which file.
        file: Origin,
        /// 1-based.
        line: usize,
        /// 1-based.
        column: usize,
        /// The key.
        key: String,
        /// What it holds.
        wanted: &'static str,
    },
    /// The user's file has a key that does not exist.
    #[error("line {line}, column {column}: there is no setting `{key}`{}", did_you_mean(.meant.as_deref()))]
    UnknownInFile {
        /// 1-based.
        line: usize,
        /// 1-based.
        column: usize,
        /// What was given.
        key: String,
        /// What may have been meant.
        meant: Option<String>,
    },
    /// There is no such key.
    #[error("there is no setting `{key}`{}", did_you_mean(.meant.as_deref()))]
    Unknown {
        /// What was given.
        key: String,
        /// What may have been meant.
        meant: Option<String>,
    },
    /// A variable or a flag is not right.
    #[error("a setting of the environment or of --set cannot be used: {0}")]
    Other(String),
    /// The value is not what the key holds.
    #[error("{origin}: `{value}` is not {wanted}")]
    Value {
        /// The variable or the flag.
        origin: String,
        /// What was given.
        value: String,
        /// What the key holds.
        wanted: String,
    },
    /// A value makes no sense, wherever it comes from.
    #[error("`{key}` is not {wanted}")]
    Unusable {
        /// The key.
        key: &'static str,
        /// What it should be.
        wanted: String,
    },
    /// The user's file cannot be read.
    #[error("cannot read it: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// A file with settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` cannot be used", path = path.display())]
pub struct BadConfig {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: ConfigError,
}

const LISTED: &str = "docs/configuration.md lists every key";

impl Failure for BadConfig {
    fn code(&self) -> &'static str {
        self.source.code()
    }

    fn hint(&self) -> Option<String> {
        Some(LISTED.to_owned())
    }
}

impl Failure for ConfigError {
    fn code(&self) -> &'static str {
        "bad-config"
    }

    fn hint(&self) -> Option<String> {
        Some(LISTED.to_owned())
    }
}

fn did_you_mean(key: Option<&str>) -> String {
    key.map_or_else(String::new, |key| format!("; did you mean `{key}`?"))
}

impl Config {
    /// Refuses what would fail later, at a worse time.
    fn check(&self) -> Result<(), ConfigError> {
        let bad = |key: &'static str, wanted: String| ConfigError::Unusable { key, wanted };
        let zone = &self.journal.timezone;
        if jiff::tz::TimeZone::get(zone).is_err() {
            let wanted = "a time zone such as Europe/Berlin".to_owned();
            return Err(bad("journal.timezone", wanted));
        }
        let life = &self.lifecycle;
        let numbers = [
            ("lifecycle.halfLifeDays", life.half_life_days, 0.001),
            ("lifecycle.huberDelta", life.huber_delta, 0.0),
            ("lifecycle.trustDecay", life.trust_decay, 0.0),
            ("lifecycle.archiveAfterDays", life.archive_after_days, 0.0),
        ];
        for (key, value, least) in numbers {
            if !value.is_finite() || value < least {
                return Err(bad(key, format!("a number of {least} or more")));
            }
        }
        let continuity = &self.continuity;
        let threshold = continuity.experience_uniqueness_threshold;
        if !(0.0..=1.0).contains(&threshold) {
            let wanted = "between 0 and 1".to_owned();
            let key = "continuity.experienceUniquenessThreshold";
            return Err(bad(key, wanted));
        }
        if let Some(cron) = &continuity.memory_compaction_schedule_cron
            && let Err(reason) = journal::schedule::check_cron(cron)
        {
            let wanted = format!("a cron expression such as `0 3 * * *` ({reason})");
            return Err(bad("continuity.memoryCompactionScheduleCron", wanted));
        }
        let cron = &self.serve.dream_cron;
        if let Err(reason) = journal::schedule::check_cron(cron)
            && !cron.is_empty()
        {
            let wanted = format!("a cron expression such as `0 3 * * *` ({reason})");
            return Err(bad("serve.dreamCron", wanted));
        }
        if self.serve.listen.parse::<std::net::SocketAddr>().is_err() {
            let wanted = "an address and a port such as 127.0.0.1:8377".to_owned();
            return Err(bad("serve.listen", wanted));
        }
        let paths = [
            ("continuity.memoryArchivePath", continuity.memory_archive_path.as_deref()),
            ("continuity.longMemoryPath", Some(&*continuity.long_memory_path)),
        ];
        for (key, path) in paths {
            if path.is_some_and(|path| !is_inside(path)) {
                let wanted =
                    "a path inside the workspace that ends in .md and has no other use".to_owned();
                return Err(bad(key, wanted));
            }
        }
        if !is_free_folder(&self.memory_tool.folder) {
            let wanted = "a folder inside the workspace that has no other use".to_owned();
            return Err(bad("memoryTool.folder", wanted));
        }
        let threshold = self.hooks.prompt_threshold;
        if !(0.0..=1.0).contains(&threshold) {
            let wanted = "between 0 and 1".to_owned();
            return Err(bad("hooks.promptThreshold", wanted));
        }
        let long = continuity.long_memory_path.to_lowercase();
        let archive = continuity.memory_archive_path.as_deref().unwrap_or(journal::ARCHIVE);
        if long == archive.to_lowercase() || long == journal::ARCHIVE.to_lowercase() {
            let wanted = "a file of its own".to_owned();
            return Err(bad("continuity.longMemoryPath", wanted));
        }
        if archive.eq_ignore_ascii_case(journal::LONG) {
            let wanted = "a file of its own".to_owned();
            return Err(bad("continuity.memoryArchivePath", wanted));
        }
        Ok(())
    }

    /// Returns what a path holds; the journal's archive and the notes may be anywhere.
    pub(crate) fn file_kind(&self, path: &str) -> Option<FileKind> {
        if self.continuity.memory_archive_path.as_deref() == Some(path) {
            return Some(FileKind::Journal);
        }
        let inside = path.strip_prefix(self.memory_tool.folder.as_str());
        if inside.is_some_and(|rest| rest.starts_with('/') && !rest.contains("/.")) {
            return Some(FileKind::Note);
        }
        indexing::file_kind(path)
    }
}

/// Tells whether a path stays inside the workspace, and is no file that means something else.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "as in the memory folder")]
fn is_inside(path: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let taken = indexing::file_kind(path).is_some_and(|kind| kind != FileKind::Document)
        && path != journal::ARCHIVE;
    let reserved = [journal::PRIMARY, journal::USER, journal::long::ARCHIVE, memory::POLICY];
    let reserved = reserved.iter().any(|taken| taken.eq_ignore_ascii_case(path));
    path.ends_with(".md")
        && !path.contains('\\')
        && path.split('/').all(is_plain)
        && !path.starts_with('.')
        && !taken
        && !reserved
}

/// Tells whether a folder stays inside the workspace, and holds nothing that means something else.
fn is_free_folder(path: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    let lower = path.to_lowercase();
    let taken = ["memory", "memory/sessions", "memory/archive"];
    let inside_taken = ["memory/sessions/", "memory/archive/"];
    !path.contains(['\\', ':', '\0'])
        && path.split('/').all(is_plain)
        && !taken.contains(&lower.as_str())
        && !inside_taken.iter().any(|folder| lower.starts_with(folder))
}
