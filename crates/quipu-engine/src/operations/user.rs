//! What the user says about themselves.

use clap::Args;
use quipu_core::journal::USER;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::user;
use crate::workspace::Workspace;

/// Show USER.md
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct UserShow {}

/// What the user says about themselves.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UserText {
    /// The file.
    pub path: String,
    /// Its words, where it is there.
    pub text: Option<String>,
}

impl Output for UserText {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.text.iter_mut().for_each(each);
    }

    fn wants_attention(&self) -> bool {
        self.text.is_none()
    }
}

impl Operation for UserShow {
    const NAME: &'static str = "user.show";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = UserText;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<UserText, OperationError> {
        Ok(UserText { path: USER.to_owned(), text: user::user(on)? })
    }
}

/// Change USER.md
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct UserEdit {
    /// The new text (`-` reads it from stdin; default: open $EDITOR)
    #[arg(long, allow_hyphen_values = true)]
    #[schemars(required)]
    pub text: Option<String>,
    /// The text that you edited: a file that says something else by now is left alone
    #[arg(skip)]
    pub instead_of: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A file about the user that was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UserEdited {
    /// The file.
    pub path: String,
}

impl Output for UserEdited {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for UserEdit {
    const NAME: &'static str = "user.edit";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<UserEdited>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<UserEdited>, OperationError> {
        let Some(text) = &self.text else {
            return Err(OperationError::input("arguments", "`text` is missing"));
        };
        let is_ended = text.is_empty() || text.ends_with('\n');
        let text = if is_ended { text.clone() } else { format!("{text}\n") };
        let dry_run = self.dry.dry_run;
        let request = call.request("user edit", dry_run);
        let diff =
            user::set_user(on, &text, self.instead_of.as_deref(), self.allow_secret, &request);
        Changed::of(UserEdited { path: USER.to_owned() }, diff, dry_run, on, call)
    }
}
