//! Putting settings together: the repository's file, as far as it may say something; over it the user's
//! file, the environment, and flags.

use std::collections::BTreeSet;
use std::path::Path;

use quipu_core::text;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::keys::{KEYS, OTHER_NAMES, Shape, known, retired, variable};
use super::{BadConfig, Config, ConfigError, Origin, Origins, SettingSource, UserFile};
use crate::error::Error;

/// So many names stand in one notice, and so long may each be.
const MOST_NAMES: usize = 5;
const LONGEST_NAME: usize = 60;

/// The section of the user's file with settings for single workspaces.
const WORKSPACE: &str = "workspace";

/// The files that settings come from.
#[derive(Clone, Debug)]
pub struct Files<'a> {
    /// The text of the repository's `quipu.toml`.
    pub repository: &'a str,
    /// The user's file.
    pub user: UserFile,
    /// The workspace, so that the user's file can mean this one.
    pub root: &'a Path,
}

/// A setting in a file.
struct Given {
    name: String,
    line: usize,
    column: usize,
    value: Value,
}

impl Config {
    /// Reads the settings of the workspace `root`, whose `quipu.toml` says `repository`.
    ///
    /// # Errors
    /// When a file, the environment or a flag says something that makes no sense.
    pub fn of_workspace(
        root: &Path,
        repository: &str,
        flags: &[(String, String)],
    ) -> Result<Self, Error> {
        let user = UserFile::read().map_err(|(path, source)| BadConfig { path, source })?;
        let files = Files { repository, user, root };
        Self::load(&files, |name| std::env::var(name).ok(), flags).map_err(|source| {
            match file_of(&source) {
                Some(Origin::Repository) => {
                    BadConfig { path: root.join("quipu.toml"), source }.into()
                }
                Some(Origin::User) => BadConfig { path: files.user.path.clone(), source }.into(),
                None => source.into(),
            }
        })
    }

    /// Puts together what files, the environment and flags say: each wins over those before it.
    ///
    /// What a repository may not set is left out, and told in [`Config::notices`]; so is what its file
    /// has that this version does not know, which a newer one may.
    ///
    /// # Errors
    /// When a file is not TOML, a value makes no sense, or the user names a key that does not exist.
    pub fn load(
        files: &Files<'_>,
        environment: impl Fn(&str) -> Option<String>,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let mut table = Table::new();
        let mut origins = Origins::default();
        let mut ignored: Vec<&'static str> = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        let mut without_effect: BTreeSet<String> = BTreeSet::new();
        for given in read(files.repository, Origin::Repository)? {
            let Some((key, _, class)) = known(&given.name) else {
                match retired(&given.name) {
                    Some(notice) => without_effect.extend([notice]),
                    None => unknown.push(given.name),
                }
                continue;
            };
            let (taken, is_whole) = class.taken_from_repository(&given.value);
            if !is_whole {
                ignored.push(key);
            }
            if let Some(value) = taken {
                origins.note_line(key, Origin::Repository, given.line);
                put(&mut table, Origin::Repository, Given { value, ..given })?;
            }
        }
        let mut own: Vec<&str> = Vec::new();
        for given in of_user(files)? {
            if let Some((key, ..)) = known(&given.name) {
                own.push(key);
                origins.note_line(key, Origin::User, given.line);
            }
            without_effect.extend(retired(&given.name));
            put(&mut table, Origin::User, given)?;
        }
        for (key, shape, _) in KEYS {
            let others =
                OTHER_NAMES.iter().filter(|(_, known)| known == key).map(|(name, _)| *name);
            for name in others.chain([*key]) {
                let origin = variable(name);
                if let Some(value) = environment(&origin) {
                    own.push(key);
                    set(&mut table, key, *shape, &origin, &value)?;
                    origins.note(key, SettingSource::Environment, origin);
                }
            }
        }
        for (name, value) in flags {
            let Some((key, shape, _)) = known(name) else {
                let unknown = || ConfigError::Unknown { key: name.clone(), meant: near(name) };
                without_effect.insert(retired(name).ok_or_else(unknown)?);
                continue;
            };
            own.push(key);
            let origin = format!("--set {key}");
            set(&mut table, key, *shape, &origin, value)?;
            origins.note(key, SettingSource::Flag, origin);
        }
        // The files were fine, so what is wrong came from elsewhere.
        let mut config: Self = table
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::Other(error.message().to_owned()))?;
        config.check()?;
        // Who has set a key need not hear what others wanted.
        ignored.retain(|key| !own.contains(key));
        config.notices = notices(&ignored, &unknown, files);
        config.notices.extend(without_effect);
        config.origins = origins;
        Ok(config)
    }
}

/// Returns the file that an error is about.
fn file_of(error: &ConfigError) -> Option<Origin> {
    match error {
        ConfigError::Syntax { file, .. } | ConfigError::InFile { file, .. } => Some(*file),
        ConfigError::UnknownInFile { .. } => Some(Origin::User),
        _ => None,
    }
}

/// Returns what the user's file says about a workspace: what it says about all, then about this one.
fn of_user(files: &Files<'_>) -> Result<Vec<Given>, ConfigError> {
    let (mut result, mut here) = (Vec::new(), Vec::new());
    let root = files.root.to_string_lossy();
    for given in read(&files.user.text, Origin::User)? {
        match given.name.strip_prefix(WORKSPACE).and_then(|rest| rest.strip_prefix('.')) {
            None => result.push(given),
            Some(path) => {
                let is_here = path.trim_end_matches(['/', '\\']) == root;
                // What is meant for another workspace is checked where it is used.
                let Value::Table(table) = given.value else { continue };
                if !is_here {
                    continue;
                }
                let (line, column) = (given.line, given.column);
                for (section, inner) in table {
                    let Value::Table(inner) = inner else {
                        here.push(Given { name: section, line, column, value: inner });
                        continue;
                    };
                    here.extend(inner.into_iter().map(|(name, value)| Given {
                        name: format!("{section}.{name}"),
                        line,
                        column,
                        value,
                    }));
                }
            }
        }
    }
    result.extend(here);
    for Given { name, line, column, .. } in &result {
        if known(name).is_none() && retired(name).is_none() {
            let (line, column, key) = (*line, *column, name.clone());
            return Err(ConfigError::UnknownInFile { line, column, meant: near(name), key });
        }
    }
    Ok(result)
}

/// Returns the settings of a file, in the order of their names.
fn read(source: &str, file: Origin) -> Result<Vec<Given>, ConfigError> {
    let failed = |error: &toml::de::Error| {
        let (line, column) = place(source, error.span().map_or(0, |span| span.start));
        ConfigError::Syntax { file, line, column }
    };
    let spans = DeTable::parse(source).map_err(|error| failed(&error))?;
    let table: Table = toml::from_str(source).map_err(|error| failed(&error))?;
    let mut result = Vec::new();
    for (section, inner) in spans.get_ref() {
        let name: &str = section.get_ref();
        let mut push = |name: String, at: usize, value: &Value| {
            let (line, column) = place(source, at);
            result.push(Given { name, line, column, value: value.clone() });
        };
        match (inner.get_ref(), table.get(name)) {
            (DeValue::Table(keys), Some(Value::Table(values))) => {
                for (key, _) in keys {
                    let inner: &str = key.get_ref();
                    if let Some(value) = values.get(inner) {
                        push(format!("{name}.{inner}"), key.span().start, value);
                    }
                }
            }
            (_, Some(value)) => push(name.to_owned(), section.span().start, value),
            (_, None) => {}
        }
    }
    Ok(result)
}

/// Returns the 1-based line and column of an offset.
fn place(source: &str, at: usize) -> (usize, usize) {
    let before = source.get(..at).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// Puts a setting of a file into the table, over what is there.
fn put(table: &mut Table, file: Origin, given: Given) -> Result<(), ConfigError> {
    let Some((key, shape, _)) = known(&given.name) else { return Ok(()) };
    let Given { line, column, value, .. } = given;
    let (section, name) = key.split_once('.').unwrap_or(("", key));
    let mut alone = Table::new();
    alone.insert(
        section.to_owned(),
        Value::Table(Table::from_iter([(name.to_owned(), value.clone())])),
    );
    if alone.try_into::<Config>().is_err() {
        let (key, wanted) = ((*key).to_owned(), shape.in_words());
        return Err(ConfigError::InFile { file, line, column, key, wanted });
    }
    let section = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
    let Value::Table(section) = section else { return Ok(()) };
    match (section.get_mut(name), value) {
        // Waivers add up.
        (Some(Value::Array(all)), Value::Array(more)) if *key == "lint.allow" => all.extend(more),
        (_, value) => {
            section.insert(name.to_owned(), value);
        }
    }
    Ok(())
}

/// Returns a key that may have been meant.
fn near(name: &str) -> Option<String> {
    let last = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let near = KEYS.iter().find(|(known, ..)| known.to_lowercase().ends_with(&last));
    near.map(|(known, ..)| (*known).to_owned())
}

/// Returns what to tell a person of the repository's file.
fn notices(ignored: &[&str], unknown: &[String], files: &Files<'_>) -> Vec<String> {
    let listed = |names: &mut dyn Iterator<Item = &str>| {
        let all: Vec<String> =
            names.map(|name| format!("`{}`", text::ellipsis(name, LONGEST_NAME))).collect();
        match all.len().checked_sub(MOST_NAMES) {
            Some(more @ 1..) => format!("{} and {more} more", all[..MOST_NAMES].join(", ")),
            _ => all.join(", "),
        }
    };
    let mut result = Vec::new();
    if !ignored.is_empty() {
        let names = listed(&mut ignored.iter().copied());
        let place = if files.user.path.as_os_str().is_empty() {
            "the environment".to_owned()
        } else {
            format!("`{}`", files.user.path.display())
        };
        result.push(format!(
            "quipu.toml sets {names}, which a repository may not set in this way: ignored; \
             if you want it, set it in {place}"
        ));
    }
    if !unknown.is_empty() {
        let names = listed(&mut unknown.iter().map(String::as_str));
        result.push(format!("quipu.toml sets {names}, which this version does not know: ignored"));
    }
    result
}

/// Puts a value of a variable or a flag into the table.
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
    use super::super::keys::Class;
    use super::*;

    /// Files of which only the repository's says something.
    fn of(repository: &str) -> Files<'_> {
        Files { repository, user: UserFile::default(), root: Path::new("/srv/repo") }
    }

    /// Files of which only the user's says something.
    fn by_user(text: &str) -> Files<'static> {
        let user = UserFile { path: "/home/me/quipu.toml".into(), text: text.to_owned() };
        Files { repository: "", user, root: Path::new("/srv/repo") }
    }

    fn parsed(repository: &str) -> Result<Config, ConfigError> {
        Config::load(&of(repository), |_| None, &[])
    }

    fn flag(key: &str, value: &str) -> Vec<(String, String)> {
        vec![(key.to_owned(), value.to_owned())]
    }

    #[test]
    fn the_environment_wins_over_the_file_and_a_flag_over_both() {
        let file = "[review]\nauto = false\n";
        let get = |key: &str| (key == "QUIPU_REVIEW_AUTO").then(|| "true".to_owned());
        assert!(Config::load(&of(file), get, &[]).unwrap().review.auto);
        assert!(!Config::load(&of(file), get, &flag("review.auto", "off")).unwrap().review.auto);
    }

    #[test]
    fn an_unknown_key_of_the_user_is_an_error_and_of_a_repository_a_notice() {
        let error = Config::load(&by_user("[review]\nautos = true\n"), |_| None, &[]).unwrap_err();
        assert!(error.to_string().contains("line 2, column 1"), "{error}");
        assert!(error.to_string().contains("review.autos"), "{error}");
        let error = Config::load(&of(""), |_| None, &flag("memoryMaxRecords", "5")).unwrap_err();
        assert!(error.to_string().contains("continuity.memoryMaxRecords"), "{error}");
        let config = parsed("newest = 1\n[review]\nauto = true\nautos = true\n").unwrap();
        assert!(config.review.auto);
        let [notice] = &config.notices[..] else { panic!("{:?}", config.notices) };
        assert!(notice.contains("`newest`, `review.autos`"), "{notice}");
    }

    /// A value that the key holds and that is not its default.
    fn value_of(key: &str, shape: Shape) -> &'static str {
        match (key, shape) {
            ("journal.format", _) => "json",
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
        }
    }

    /// The same in TOML.
    fn toml_of(key: &str, shape: Shape, value: &str) -> String {
        let value = match shape {
            Shape::Switch | Shape::Whole | Shape::Number => value.to_owned(),
            Shape::Text => format!("\"{value}\""),
            Shape::List => format!("[\"{value}\"]"),
        };
        format!("{key} = {value}\n")
    }

    #[test]
    fn a_setting_of_an_older_version_is_known_and_has_no_effect() {
        const KEY: &str = "continuity.memoryEmbeddingsMaxRecords";
        let text = format!("{KEY} = 9\n");
        let files = Files { repository: &text, ..by_user(&text) };
        let config = Config::load(&files, |_| None, &flag(KEY, "9")).unwrap();
        let [notice] = &config.notices[..] else { panic!("{:?}", config.notices) };
        assert!(notice.contains(KEY) && notice.contains("no effect"), "{notice}");
        assert_eq!(Config { notices: Vec::new(), ..config }, Config::default());
    }

    #[test]
    fn every_key_of_the_user_is_taken_and_a_repositorys_by_its_class() {
        for (key, shape, class) in KEYS {
            let value = value_of(key, *shape);
            let text = toml_of(key, *shape, value);
            let by_flag = Config::load(&of(""), |_| None, &flag(key, value)).unwrap();
            let user = Config::load(&by_user(&text), |_| None, &[]).unwrap();
            assert_eq!(user, by_flag, "{key} of the user");
            let here = format!("[workspace.\"/srv/repo\"]\n{text}");
            let here = Config::load(&by_user(&here), |_| None, &[]).unwrap();
            assert_eq!(here, by_flag, "{key} of the user, for this workspace");
            let there = format!("[workspace.\"/srv/other\"]\n{text}");
            let there = Config::load(&by_user(&there), |_| None, &[]).unwrap();
            assert_eq!(there, Config::default(), "{key} of the user, for another workspace");
            let repository = parsed(&text).unwrap();
            let is_weaker = match class {
                Class::Repository | Class::Waivers => false,
                Class::User | Class::OneOf(_) => true,
                Class::AtMost(limit) => value.parse::<f64>().unwrap() > *limit,
                Class::AtLeast(limit) => value.parse::<f64>().unwrap() < *limit,
            };
            if is_weaker {
                let [notice] = &repository.notices[..] else { panic!("{key}: no notice") };
                assert!(notice.contains(key), "{notice}");
                assert_eq!(Config { notices: Vec::new(), ..repository }, Config::default());
            } else {
                assert_eq!(repository, by_flag, "{key} of a repository");
            }
        }
    }

    #[test]
    fn a_limit_for_repositories_is_the_default() {
        for (key, shape, class) in KEYS {
            let (Class::AtMost(limit) | Class::AtLeast(limit)) = class else { continue };
            let config = parsed(&toml_of(key, *shape, &limit.to_string())).unwrap();
            assert_eq!(config, Config::default(), "{key}");
            let beyond = if matches!(class, Class::AtMost(_)) { limit + 1.0 } else { limit / 2.0 };
            let weaker = parsed(&toml_of(key, *shape, &beyond.to_string())).unwrap();
            assert_eq!(weaker.notices.len(), 1, "{key}");
        }
        for text in
            ["guard.secrets = \"refuse\"", "guard.mode = \"block\"", "guard.scope = \"all\""]
        {
            assert_eq!(parsed(text).unwrap().notices, Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn findings_about_secrets_are_waived_by_the_user_alone() {
        let text = "[lint]\nallow = [\"no-references:a.md\", \"secret-material:x\", \"secret-suspected\"]\n";
        let config = parsed(text).unwrap();
        assert_eq!(config.lint.allow, ["no-references:a.md"]);
        assert!(config.notices[0].contains("lint.allow"), "{:?}", config.notices);
        let user = UserFile { path: "/x".into(), text: text.to_owned() };
        let both = Files { repository: "[lint]\nallow = [\"a\"]\n", user, root: Path::new("/r") };
        let config = Config::load(&both, |_| None, &[]).unwrap();
        assert_eq!(config.lint.allow.len(), 4, "waivers add up");
    }

    #[test]
    fn the_user_wins_over_the_repository_and_hears_nothing_of_it() {
        let mut files = by_user(
            "[hooks]\nbriefChars = 100\n[workspace.\"/srv/repo/\".guard]\nmode = \"warn\"\n",
        );
        files.repository = "[hooks]\nbriefChars = 50\n[guard]\nmode = \"off\"\n";
        let config = Config::load(&files, |_| None, &[]).unwrap();
        assert_eq!(config.hooks.brief_chars, 100);
        assert_eq!(config.guard.mode, Some(super::super::GuardMode::Warn));
        assert_eq!(config.notices, Vec::<String>::new());
        let config = Config::load(&files, |_| None, &flag("guard.mode", "block")).unwrap();
        assert_eq!(config.guard.mode, Some(super::super::GuardMode::Block));
    }

    #[test]
    fn an_error_tells_where_and_never_what_the_file_says() {
        for (text, place) in [
            ("[default]\naws_secret_access_key wJalrXUtnFEMI\n", "line 2"),
            ("ghp_wJalrXUtnFEMI\n", "line 1"),
            ("\n\nguard.mode = \"wJalrXUtnFEMI\"\n", "line 3, column 7"),
            ("journal.timezone = 5 # wJalrXUtnFEMI\n", "line 1, column 9"),
            ("journal.timezone = \"wJalrXUtnFEMI\"\n", "journal.timezone"),
        ] {
            for files in [of(text), by_user(text)] {
                let Err(error) = Config::load(&files, |_| None, &[]) else { continue };
                let mut told = format!("{error}");
                let mut source = std::error::Error::source(&error);
                while let Some(inner) = source {
                    told.push_str(&inner.to_string());
                    source = inner.source();
                }
                assert!(!told.contains("wJalrXUtnFEMI"), "{told}");
                assert!(told.contains(place), "{told}");
            }
        }
        assert!(Config::load(&by_user("guard.mode = \"x\""), |_| None, &[]).is_err());
        assert!(parsed("[x").is_err());
    }

    #[test]
    fn every_key_can_be_set_by_variable_and_by_flag() {
        for (key, shape, _) in KEYS {
            let value = value_of(key, *shape);
            let by_flag = Config::load(&of(""), |_| None, &flag(key, value)).unwrap();
            let name = variable(key);
            let get = |wanted: &str| (wanted == name).then(|| value.to_owned());
            assert_eq!(Config::load(&of(""), get, &[]).unwrap(), by_flag, "{key}");
            let opposite = if value == "true" { "false" } else { "" };
            let other = Config::load(&of(""), |_| None, &flag(key, opposite)).unwrap();
            assert_ne!(by_flag, other, "{key} = {value} changes nothing");
        }
    }

    #[test]
    fn the_names_of_the_original_and_of_its_plans_mean_the_same() {
        let one = parsed("[continuity]\nmemoryCompactionMaxRecords = 9\n").unwrap();
        let other = parsed("[continuity]\nmemoryCompactionThresholdRecords = 9\n").unwrap();
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
            assert!(Config::load(&of(""), |_| None, &flag(key, value)).is_err(), "{key} = {value}");
        }
    }
}
