//! `quipu config`.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_engine::config::{Setting, SettingSource};
use quipu_engine::operations::{ConfigShow, ShownSettings};
use serde_json::Value;

use crate::context::Context;
use crate::layout;
use crate::reply::{BOLD, DIM, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for ConfigShow {
    fn say(&self, shown: &ShownSettings, _: &Context) -> Reply {
        if let ([only], Some(_)) = (&shown.settings[..], &self.key) {
            return Reply::words(one(only, &shown.user_file));
        }
        let mut text = String::new();
        for setting in &shown.settings {
            let value = in_words(&setting.value);
            let words = format!("{} = {value}", setting.key);
            layout::entry(&mut text, &words, &[origin(setting)]);
        }
        if shown.settings.is_empty() {
            text.push_str("no setting was changed: every one has its default\n");
        }
        let rest = match shown.at_default {
            0 => String::new(),
            some => format!(
                "{} at the default: `quipu config --all` lists them; ",
                counted(some, "setting")
            ),
        };
        Reply::words(text).advise(format!("{rest}`quipu config KEY` explains one"))
    }
}

/// Explains one setting.
fn one(setting: &Setting, user_file: &str) -> String {
    let mut text = format!("{} = {}\n", styled(BOLD, &setting.key), in_words(&setting.value));
    let mut line = |name: &str, what: &str| {
        let lines = layout::lines(what, layout::width().saturating_sub(15).max(20));
        for (at, what) in lines.iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let _ = writeln!(text, "  {} {what}", styled(DIM, format!("{name:<12}")));
        }
    };
    line("is for", setting.meaning);
    line("from", &origin(setting));
    if setting.is_set() {
        line("default", &in_words(&setting.default));
    }
    line("takes", setting.takes);
    if setting.by_repository == "no" {
        line("quipu.toml", "may not set it: cloning a repository is no consent to its settings");
    } else if setting.by_repository == "yes" {
        line("quipu.toml", "may set it, for everybody who clones the repository");
    } else {
        line("quipu.toml", &format!("may set it: {}", setting.by_repository));
    }
    line("your file", if user_file.is_empty() { "none" } else { user_file });
    line("variable", &setting.variable);
    line("once", &format!("quipu --set {}=VALUE …", setting.key));
    text
}

fn origin(setting: &Setting) -> String {
    let place = &setting.place;
    match setting.source {
        SettingSource::Default => "default".to_owned(),
        SettingSource::Repository => format!("quipu.toml, {place}"),
        SettingSource::User => format!("your file, {place}"),
        SettingSource::Environment => format!("environment, {place}"),
        SettingSource::Flag => format!("flag, {place}"),
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "(not set)".to_owned(),
        Value::String(text) if text.is_empty() => "(empty)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.is_empty() => "(none)".to_owned(),
        Value::Array(all) => all.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
