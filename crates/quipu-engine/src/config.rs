//! `quipu.toml`: what a team chose. Every key has a default, an environment variable and a flag.

mod continuity;
mod guard;
mod hooks;
mod serve;

use quipu_core::indexing::{self, FileKind};
use quipu_core::lifecycle::Settings;
use quipu_core::{journal, memory};
use serde::Deserialize;
use toml::{Table, Value};

pub use self::continuity::ContinuityConfig;
pub use self::guard::{GuardConfig, GuardMode, GuardScope, OnSecret};
pub use self::hooks::HooksConfig;
pub use self::serve::ServeConfig;

/// Settings of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
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
}

/// Settings of reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewConfig {
    /// Whether `session end` applies a review that is due, instead of showing it.
    pub auto: bool,
}

/// Which model makes vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
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
    /// Whether the address comes from the caller, and not from a file that a repo brings along.
    #[serde(skip)]
    pub url_is_own: bool,
}

/// Settings of the judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgeConfig {
    /// The endpoint's address, such as `http://localhost:11434/v1/chat/completions`.
    pub url: String,
    /// The endpoint's model.
    pub model: String,
    /// Whether the address comes from the caller, and not from a file that a repo brings along.
    #[serde(skip)]
    pub url_is_own: bool,
}

/// Settings of lint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LintConfig {
    /// Warnings to live with: `code` or `code:subject`.
    pub allow: Vec<String>,
}

/// Settings of the journal's files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalConfig {
    /// The zone whose days the daily logs are, such as `Europe/Berlin`.
    pub timezone: String,
}

impl Default for JournalConfig {
    fn default() -> Self {
        Self { timezone: "UTC".to_owned() }
    }
}

/// Settings of the memory tool.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
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

/// What a setting holds, so that it can be read from a variable or a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Yes or no.
    Switch,
    /// A number without a point.
    Whole,
    /// A number.
    Number,
    /// Words.
    Text,
    /// Words, separated by commas.
    List,
}

/// Every key, with what it holds.
pub const KEYS: &[(&str, Shape)] = &[
    ("review.auto", Shape::Switch),
    ("lint.allow", Shape::List),
    ("embedding.provider", Shape::Text),
    ("embedding.url", Shape::Text),
    ("embedding.model", Shape::Text),
    ("embedding.folder", Shape::Text),
    ("judge.url", Shape::Text),
    ("judge.model", Shape::Text),
    ("journal.timezone", Shape::Text),
    ("guard.secrets", Shape::Text),
    ("guard.mode", Shape::Text),
    ("guard.scope", Shape::Text),
    ("guard.nudge", Shape::Switch),
    ("serve.listen", Shape::Text),
    ("serve.hosts", Shape::List),
    ("serve.origins", Shape::List),
    ("serve.maxBodyBytes", Shape::Whole),
    ("serve.requestsPerSecond", Shape::Whole),
    ("serve.dreamCron", Shape::Text),
    ("lifecycle.retention", Shape::Text),
    ("lifecycle.halfLifeDays", Shape::Number),
    ("lifecycle.huberDelta", Shape::Number),
    ("lifecycle.elasticRho", Shape::Number),
    ("lifecycle.trustDecay", Shape::Number),
    ("lifecycle.archiveAfterDays", Shape::Number),
    ("lifecycle.archiveUnusedAfterDays", Shape::Number),
    ("lifecycle.weightBase", Shape::Number),
    ("lifecycle.weightAccess", Shape::Number),
    ("lifecycle.weightRecency", Shape::Number),
    ("lifecycle.weightValence", Shape::Number),
    ("lifecycle.weightStability", Shape::Number),
    ("lifecycle.weightLayer", Shape::Number),
    ("lifecycle.weightTrust", Shape::Number),
    ("lifecycle.weightConfirmations", Shape::Number),
    ("lifecycle.weightActivation", Shape::Number),
    ("continuity.sessionMemoryEnabled", Shape::Switch),
    ("continuity.sessionMemoryCap", Shape::Whole),
    ("continuity.includeRecentTopics", Shape::Switch),
    ("continuity.includeLongMemoryInSession", Shape::Switch),
    ("continuity.injectExperienceContext", Shape::Switch),
    ("continuity.memoryEmbeddingsEnabled", Shape::Switch),
    ("continuity.memoryEmbeddingsMaxRecords", Shape::Whole),
    ("continuity.memorySizeWarnChars", Shape::Whole),
    ("continuity.substrateSizeWarnChars", Shape::Whole),
    ("continuity.memoryMaxRecords", Shape::Whole),
    ("continuity.memoryMaxChars", Shape::Whole),
    ("continuity.memoryArchivePath", Shape::Text),
    ("continuity.memoryProtectedCategories", Shape::List),
    ("continuity.memoryCompactionEnabled", Shape::Switch),
    ("continuity.memoryCompactionScheduleCron", Shape::Text),
    ("continuity.memoryCompactionIntervalMs", Shape::Whole),
    ("continuity.memoryCompactionThresholdRecords", Shape::Whole),
    ("continuity.memoryCompactionThresholdChars", Shape::Whole),
    ("continuity.memoryCompactionMinAgeDays", Shape::Whole),
    ("continuity.longMemoryPath", Shape::Text),
    ("continuity.longMemoryMaxChars", Shape::Whole),
    ("continuity.experienceStoreEnabled", Shape::Switch),
    ("continuity.experienceStorePath", Shape::Text),
    ("continuity.experienceUniquenessThreshold", Shape::Number),
    ("continuity.experienceMaxCount", Shape::Whole),
    ("continuity.integrityExemptCategories", Shape::List),
    ("continuity.integrityStaleDays", Shape::Whole),
    ("memoryTool.folder", Shape::Text),
    ("hooks.sessionStart", Shape::Switch),
    ("hooks.prompt", Shape::Switch),
    ("hooks.afterTool", Shape::Switch),
    ("hooks.preCompact", Shape::Switch),
    ("hooks.stop", Shape::Switch),
    ("hooks.sessionEnd", Shape::Switch),
    ("hooks.briefChars", Shape::Whole),
    ("hooks.resumeChars", Shape::Whole),
    ("hooks.promptThreshold", Shape::Number),
    ("hooks.promptCount", Shape::Whole),
    ("hooks.promptChars", Shape::Whole),
    ("hooks.afterToolEvery", Shape::Whole),
    ("hooks.extractMost", Shape::Whole),
    ("hooks.turnChars", Shape::Whole),
];

/// Other names that keys go by: the original's, and those of its plans.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("continuity.memoryCompactionSchedule", "continuity.memoryCompactionScheduleCron"),
    ("continuity.memoryCompactionMaxRecords", "continuity.memoryCompactionThresholdRecords"),
    ("continuity.memoryCompactionMaxChars", "continuity.memoryCompactionThresholdChars"),
];

/// Why a setting cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is not right.
    #[error(transparent)]
    File(#[from] toml::de::Error),
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
}

fn did_you_mean(key: Option<&str>) -> String {
    key.map_or_else(String::new, |key| format!("; did you mean `{key}`?"))
}

/// Returns the environment variable of a key.
pub fn variable(key: &str) -> String {
    let mut name = String::from("QUIPU_");
    for c in key.chars() {
        match c {
            '.' => name.push('_'),
            c if c.is_ascii_uppercase() => name.extend(['_', c]),
            c => name.push(c.to_ascii_uppercase()),
        }
    }
    name
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// When it is not TOML, has a key that Quipu does not know, or a value that makes no sense.
    pub fn parse(source: &str) -> Result<Self, ConfigError> {
        Self::load(source, |_| None, &[])
    }

    /// Reads a configuration file; the environment wins over it, and flags over both.
    ///
    /// # Errors
    /// As [`Config::parse`], also for what the environment and flags say.
    pub fn load(
        source: &str,
        environment: impl Fn(&str) -> Option<String>,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        // Read by itself first, for errors that tell the line.
        let _: Self = toml::from_str(source)?;
        let mut table: Table = toml::from_str(source)?;
        let mut own: Vec<&str> = Vec::new();
        for (key, shape) in KEYS {
            let others =
                OTHER_NAMES.iter().filter(|(_, known)| known == key).map(|(other, _)| *other);
            for name in others.chain([*key]) {
                let origin = variable(name);
                if let Some(value) = environment(&origin) {
                    own.push(key);
                    set(&mut table, key, *shape, &origin, &value)?;
                }
            }
        }
        for (name, value) in flags {
            let key = OTHER_NAMES.iter().find(|(other, _)| other == name).map_or(&**name, |o| o.1);
            let Some((key, shape)) = KEYS.iter().find(|(known, _)| *known == key) else {
                let last = key.rsplit('.').next().unwrap_or(key).to_lowercase();
                let near = KEYS.iter().find(|(known, _)| known.to_lowercase().ends_with(&last));
                let meant = near.map(|(known, _)| (*known).to_owned());
                return Err(ConfigError::Unknown { key: name.clone(), meant });
            };
            own.push(key);
            set(&mut table, key, *shape, &format!("--set {key}"), value)?;
        }
        // The file alone was fine, so what is wrong came from elsewhere.
        let mut config: Self = table
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::Other(error.message().to_owned()))?;
        config.embedding.url_is_own = own.contains(&"embedding.url");
        config.judge.url_is_own = own.contains(&"judge.url");
        let is_own = |key: &str, is_empty: bool| is_empty || own.contains(&key);
        config.serve.doors_are_own = is_own("serve.hosts", config.serve.hosts.is_empty())
            && is_own("serve.origins", config.serve.origins.is_empty());
        config.check()?;
        Ok(config)
    }

    /// Refuses what would fail later, at a worse time.
    fn check(&self) -> Result<(), ConfigError> {
        let bad = |key: &str, value: &str, wanted: String| ConfigError::Value {
            origin: key.to_owned(),
            value: value.to_owned(),
            wanted,
        };
        let zone = &self.journal.timezone;
        if jiff::tz::TimeZone::get(zone).is_err() {
            let wanted = "a time zone such as Europe/Berlin".to_owned();
            return Err(bad("journal.timezone", zone, wanted));
        }
        let life = &self.lifecycle;
        let numbers = [
            ("lifecycle.halfLifeDays", life.half_life_days, 0.001),
            ("lifecycle.huberDelta", life.huber_delta, 0.0),
            ("lifecycle.trustDecay", life.trust_decay, 0.0),
            ("lifecycle.archiveAfterDays", life.archive_after_days, 0.0),
            ("lifecycle.archiveUnusedAfterDays", life.archive_unused_after_days, 0.0),
        ];
        for (key, value, least) in numbers {
            if !value.is_finite() || value < least {
                return Err(bad(key, &value.to_string(), format!("a number of {least} or more")));
            }
        }
        let continuity = &self.continuity;
        let threshold = continuity.experience_uniqueness_threshold;
        if !(0.0..=1.0).contains(&threshold) {
            let wanted = "between 0 and 1".to_owned();
            let key = "continuity.experienceUniquenessThreshold";
            return Err(bad(key, &threshold.to_string(), wanted));
        }
        if let Some(cron) = &continuity.memory_compaction_schedule_cron
            && let Err(reason) = journal::schedule::check_cron(cron)
        {
            let wanted = format!("a cron expression such as `0 3 * * *` ({reason})");
            return Err(bad("continuity.memoryCompactionScheduleCron", cron, wanted));
        }
        let cron = &self.serve.dream_cron;
        if let Err(reason) = journal::schedule::check_cron(cron)
            && !cron.is_empty()
        {
            let wanted = format!("a cron expression such as `0 3 * * *` ({reason})");
            return Err(bad("serve.dreamCron", cron, wanted));
        }
        if self.serve.listen.parse::<std::net::SocketAddr>().is_err() {
            let wanted = "an address and a port such as 127.0.0.1:8377".to_owned();
            return Err(bad("serve.listen", &self.serve.listen, wanted));
        }
        let paths = [
            ("continuity.memoryArchivePath", continuity.memory_archive_path.as_deref()),
            ("continuity.longMemoryPath", Some(&*continuity.long_memory_path)),
        ];
        for (key, path) in paths {
            if let Some(path) = path.filter(|path| !is_inside(path)) {
                let wanted =
                    "a path inside the workspace that ends in .md and has no other use".to_owned();
                return Err(bad(key, path, wanted));
            }
        }
        if !is_free_folder(&self.memory_tool.folder) {
            let wanted = "a folder inside the workspace that has no other use".to_owned();
            return Err(bad("memoryTool.folder", &self.memory_tool.folder, wanted));
        }
        let threshold = self.hooks.prompt_threshold;
        if !(0.0..=1.0).contains(&threshold) {
            let wanted = "between 0 and 1".to_owned();
            return Err(bad("hooks.promptThreshold", &threshold.to_string(), wanted));
        }
        let long = continuity.long_memory_path.to_lowercase();
        let archive = continuity.memory_archive_path.as_deref().unwrap_or(journal::ARCHIVE);
        if long == archive.to_lowercase() || long == journal::ARCHIVE.to_lowercase() {
            let wanted = "a file of its own".to_owned();
            return Err(bad("continuity.longMemoryPath", &continuity.long_memory_path, wanted));
        }
        if archive.eq_ignore_ascii_case(journal::LONG) {
            let wanted = "a file of its own".to_owned();
            return Err(bad("continuity.memoryArchivePath", archive, wanted));
        }
        Ok(())
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

fn set(
    table: &mut Table,
    key: &str,
    shape: Shape,
    origin: &str,
    text: &str,
) -> Result<(), ConfigError> {
    let bad = |wanted: &str| ConfigError::Value {
        origin: origin.to_owned(),
        value: text.to_owned(),
        wanted: wanted.to_owned(),
    };
    let (section, name) = key.split_once('.').unwrap_or(("", key));
    let section = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
    let Value::Table(section) = section else { return Err(bad("a table")) };
    for (other, _) in OTHER_NAMES.iter().filter(|(_, known)| *known == key) {
        section.remove(other.rsplit('.').next().unwrap_or(other));
    }
    let trimmed = text.trim();
    if trimmed.is_empty() && shape != Shape::List {
        // Set to nothing means the default.
        section.remove(name);
        return Ok(());
    }
    let value = match shape {
        Shape::Switch => match trimmed {
            "1" | "true" | "yes" | "on" => Value::Boolean(true),
            "0" | "false" | "no" | "off" => Value::Boolean(false),
            _ => return Err(bad("true or false")),
        },
        Shape::Whole => {
            let number = trimmed.parse::<i64>().ok().filter(|number| *number >= 0);
            Value::Integer(number.ok_or_else(|| bad("a whole number, 0 or more"))?)
        }
        Shape::Number => Value::Float(trimmed.parse().map_err(|_| bad("a number"))?),
        Shape::Text => Value::String(text.to_owned()),
        Shape::List => {
            let before = section.remove(name);
            let mut all = match before {
                // Waivers add up; any other list is what was said last.
                Some(Value::Array(all)) if key == "lint.allow" => all,
                _ => Vec::new(),
            };
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            all.extend(words.map(|word| Value::String(word.to_owned())));
            Value::Array(all)
        }
    };
    section.insert(name.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(key: &str, value: &str) -> Vec<(String, String)> {
        vec![(key.to_owned(), value.to_owned())]
    }

    #[test]
    fn the_environment_wins_over_the_file_and_a_flag_over_both() {
        let file = "[review]\nauto = false\n";
        let get = |key: &str| (key == "QUIPU_REVIEW_AUTO").then(|| "true".to_owned());
        assert!(Config::load(file, get, &[]).unwrap().review.auto);
        assert!(!Config::load(file, get, &flag("review.auto", "off")).unwrap().review.auto);
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_it() {
        let error = Config::parse("[review]\nautos = true\n").unwrap_err();
        assert!(error.to_string().contains("autos"), "{error}");
        let error = Config::load("", |_| None, &flag("memoryMaxRecords", "5")).unwrap_err();
        assert!(error.to_string().contains("continuity.memoryMaxRecords"), "{error}");
    }

    #[test]
    fn every_key_can_be_set_by_variable_and_by_flag() {
        for (key, shape) in KEYS {
            let value = match (*key, shape) {
                ("journal.timezone", _) => "Asia/Tokyo",
                ("embedding.provider", _) => "endpoint",
                ("guard.mode", _) => "warn",
                ("guard.scope", _) => "all",
                ("guard.secrets", _) => "redact",
                ("lifecycle.retention", _) => "l2",
                ("lifecycle.huberDelta", _) => "0.25",
                ("continuity.memoryCompactionScheduleCron" | "serve.dreamCron", _) => "0 4 * * *",
                ("serve.listen", _) => "127.0.0.1:9999",
                ("continuity.memoryArchivePath" | "continuity.longMemoryPath", _) => "memory/x.md",
                ("hooks.promptThreshold", _) => "0.99",
                (_, Shape::Switch) => "true",
                (_, Shape::Whole) => "77",
                (_, Shape::Number) => "0.5",
                (_, Shape::Text | Shape::List) => "word",
            };
            let by_flag = Config::load("", |_| None, &flag(key, value)).unwrap();
            let name = variable(key);
            let get = |wanted: &str| (wanted == name).then(|| value.to_owned());
            assert_eq!(Config::load("", get, &[]).unwrap(), by_flag, "{key}");
            let opposite = if value == "true" { "false" } else { "" };
            let other = Config::load("", |_| None, &flag(key, opposite)).unwrap();
            assert_ne!(by_flag, other, "{key} = {value} changes nothing");
        }
    }

    #[test]
    fn the_names_of_the_original_and_of_its_plans_mean_the_same() {
        let one = Config::parse("[continuity]\nmemoryCompactionMaxRecords = 9\n").unwrap();
        let other = Config::parse("[continuity]\nmemoryCompactionThresholdRecords = 9\n").unwrap();
        assert_eq!(one, other);
        assert_eq!(one.continuity.memory_compaction_threshold_records, Some(9));
    }

    #[test]
    fn what_would_fail_later_is_refused_at_once() {
        for (key, value) in [
            ("journal.timezone", "Atlantis/Capital"),
            ("continuity.memoryCompactionScheduleCron", "now and then"),
            ("continuity.experienceUniquenessThreshold", "2"),
            ("serve.listen", "everywhere"),
            ("serve.dreamCron", "at night"),
            ("continuity.memoryArchivePath", "../elsewhere.md"),
            ("continuity.memoryArchivePath", "memory/continuity.md"),
            ("continuity.longMemoryPath", "/etc/passwd"),
            ("continuity.longMemoryPath", "memory/MEMORY-archive.md"),
            ("continuity.longMemoryPath", "memory/LONGMEMORY-archive.md"),
            ("continuity.memoryArchivePath", "LONGMEMORY.md"),
            ("continuity.memoryArchivePath", "user.md"),
            ("embedding.provider", "abacus"),
            ("guard.mode", "maybe"),
            ("lifecycle.retention", "cubic"),
            ("lifecycle.halfLifeDays", "0"),
            ("memoryTool.folder", "../elsewhere"),
            ("memoryTool.folder", "/tmp"),
            ("memoryTool.folder", "memory/sessions"),
            ("memoryTool.folder", ".git/notes"),
            ("hooks.promptThreshold", "1.5"),
            ("continuity.memoryMaxRecords", "-5"),
            ("continuity.memoryMaxRecords", "many"),
        ] {
            assert!(Config::load("", |_| None, &flag(key, value)).is_err(), "{key} = {value}");
        }
    }
}
