//! The settings in force.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::config::{Setting, UserFile};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Show the settings in force and where each comes from: the changed ones, or all
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ConfigShow {
    /// A setting, or what the names of some begin with, such as `hooks`
    pub key: Option<String>,
    /// Settings at their default too
    #[arg(short, long)]
    #[serde(default)]
    pub all: bool,
}

/// Settings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShownSettings {
    /// The settings, changed ones first.
    pub settings: Vec<Setting>,
    /// How many settings are at their default and not listed.
    pub at_default: usize,
    /// The user's own file, which may set each of them.
    pub user_file: String,
}

impl Output for ShownSettings {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for ConfigShow {
    const NAME: &'static str = "config";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Here;
    type Output = ShownSettings;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<ShownSettings, OperationError> {
        let config = on.config();
        let mut settings = match &self.key {
            Some(key) => config.settings_named(key)?,
            None => config.settings(),
        };
        let before = settings.len();
        if self.key.is_none() && !self.all {
            settings.retain(Setting::is_set);
        }
        let at_default = before - settings.len();
        let user_file = UserFile::place().unwrap_or_default().display().to_string();
        Ok(ShownSettings { settings, at_default, user_file })
    }
}
