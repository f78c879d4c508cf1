//! The settings in force, each with its value and where it comes from.

use std::collections::BTreeMap;

use quipu_core::{naming, text};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::keys::{KEYS, known, variable};
use super::{Config, ConfigError, Origin};

/// Where each changed setting comes from: the last place that sets it.
#[derive(Clone, Debug, Default)]
pub struct Origins(BTreeMap<&'static str, (SettingSource, String)>);

impl PartialEq for Origins {
    /// Settings are equal whatever they come from.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Origins {
    pub(super) fn note(&mut self, key: &'static str, source: SettingSource, place: String) {
        self.0.insert(key, (source, place));
    }

    pub(super) fn note_line(&mut self, key: &'static str, file: Origin, line: usize) {
        let source = match file {
            Origin::Repository => SettingSource::Repository,
            Origin::User => SettingSource::User,
        };
        self.note(key, source, format!("line {line}"));
    }
}

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingSource {
    /// Its default.
    Default,
    /// `quipu.toml` of the repository.
    Repository,
    /// The user's own file.
    User,
    /// An environment variable.
    Environment,
    /// `--set`.
    Flag,
}

/// A setting in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value; none where it is not set and has no default.
    pub value: Value,
    /// The value without any setting.
    pub default: Value,
    /// Where the value comes from.
    pub source: SettingSource,
    /// The line of the file, the variable or the flag.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// What it is for.
    pub meaning: &'static str,
    /// What it holds.
    pub takes: &'static str,
    /// Whether a repository may set it.
    pub by_repository: String,
    /// Its environment variable.
    pub variable: String,
}

impl Setting {
    /// Returns whether it was changed.
    pub fn is_set(&self) -> bool {
        self.source != SettingSource::Default
    }
}

impl Config {
    /// Returns every setting, changed ones first.
    pub fn settings(&self) -> Vec<Setting> {
        let (mine, plain) = (values(self), values(&Self::default()));
        let value = |values: &Value, key: &str| {
            let (section, name) = key.split_once('.').unwrap_or(("", key));
            short(values[section][name].clone())
        };
        let mut settings: Vec<Setting> = KEYS
            .iter()
            .map(|(key, shape, class)| {
                let origin = self.origins.0.get(key).cloned();
                let (source, place) = origin.unwrap_or((SettingSource::Default, String::new()));
                Setting {
                    key: (*key).to_owned(),
                    value: value(&mine, key),
                    default: value(&plain, key),
                    source,
                    place,
                    meaning: super::meaning::of(key),
                    takes: shape.in_words(),
                    by_repository: class.in_words(),
                    variable: variable(key),
                }
            })
            .collect();
        settings.sort_by_key(|setting| setting.source == SettingSource::Default);
        settings
    }

    /// Returns the settings whose names begin with `prefix`.
    ///
    /// # Errors
    /// When none does.
    pub fn settings_named(&self, prefix: &str) -> Result<Vec<Setting>, ConfigError> {
        let name = known(prefix).map_or(prefix, |(key, ..)| key).to_lowercase();
        let mut settings = self.settings();
        settings.retain(|setting| {
            let key = setting.key.to_lowercase();
            key == name || key.strip_prefix(&name).is_some_and(|rest| rest.starts_with('.'))
        });
        if settings.is_empty() {
            let all =
                KEYS.iter().flat_map(|(key, ..)| [*key, key.split('.').next().unwrap_or(key)]);
            let meant = naming::alike(prefix, &all.collect()).into_iter().next();
            return Err(ConfigError::Unknown { key: prefix.to_owned(), meant });
        }
        Ok(settings)
    }
}

fn values(config: &Config) -> Value {
    serde_json::to_value(config).unwrap_or_default()
}

/// Writes a number of single precision as it was given: 0.6, and not 0.6000000238418579.
fn short(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() => serde_json::json!(text::rounded(number)),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_listed_with_its_default() {
        let settings = Config::default().settings();
        assert_eq!(settings.len(), KEYS.len());
        for setting in &settings {
            assert_eq!(setting.value, setting.default, "{}", setting.key);
            assert_eq!(setting.source, SettingSource::Default);
        }
        let threshold = settings.iter().find(|one| one.key == "hooks.promptThreshold").unwrap();
        assert_eq!(threshold.value.to_string(), "0.6");
        let optional = ["guard.secrets", "guard.mode"];
        for setting in settings.iter().filter(|one| one.default.is_null()) {
            let is_open = setting.key.starts_with("continuity.memory");
            assert!(is_open || optional.contains(&&*setting.key), "{} has a value", setting.key);
        }
    }
}
