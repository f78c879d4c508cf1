//! Keeping a copy of a memory, and putting it back.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::backup::{self, BackedUp};
use crate::caller::Permission;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Write the whole memory into one file that can be verified; with --restore, put one back
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Backup {
    /// The backup (default: NAME-DATE.quipu-backup.zip beside the workspace)
    #[arg(value_hint = ValueHint::FilePath)]
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// Only look whether a backup is whole
    #[arg(long, requires = "file", conflicts_with_all = ["restore", "into"])]
    #[serde(default)]
    pub verify: bool,
    /// Put a backup back
    #[arg(long, requires_all = ["file", "into"])]
    #[serde(default)]
    pub restore: bool,
    /// The folder to put it into: one with nothing in it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "restore")]
    #[serde(default)]
    pub into: Option<PathBuf>,
    /// Put it in place of what is there, which is set aside
    #[arg(long, requires = "restore")]
    #[serde(default)]
    pub replace: bool,
}

impl Output for BackedUp {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        self.replayed == Some(false)
    }
}

impl Backup {
    /// Returns what needs no memory of one's own: looking at a backup, and putting one back.
    ///
    /// # Errors
    /// When the backup is not whole, or cannot be put there.
    pub fn beside(&self, now: jiff::Timestamp) -> Result<Option<BackedUp>, OperationError> {
        let Some(file) = &self.file else { return Ok(None) };
        if self.verify {
            return backup::verify(file).map(Some);
        }
        match &self.into {
            Some(into) if self.restore => backup::restore(file, into, self.replace, now).map(Some),
            _ => Ok(None),
        }
    }
}

impl Operation for Backup {
    const NAME: &'static str = "backup";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Here;
    type Output = BackedUp;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<BackedUp, OperationError> {
        if let Some(done) = self.beside(call.now)? {
            return Ok(done);
        }
        let usual = || {
            let name = on.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
            let day = on.day(call.now);
            on.root().with_file_name(format!("{name}-{day}.quipu-backup.zip"))
        };
        backup::backup(on, &self.file.clone().unwrap_or_else(usual), call.now)
    }
}
