//! What happens to the memory, for clients that listen.

use std::sync::Arc;

use quipu_engine::watch::Watcher;
use quipu_server::{Caller, Channel, Listening, Notice, Refusal};
use serde_json::json;

use super::Commands;
use super::api::refusal;
use crate::error::CommandError;

/// A client that listens.
pub(super) struct Listener {
    commands: Arc<Commands>,
    /// The space that is listened to, on a server of many.
    space: Option<String>,
    watcher: Watcher,
    /// The last step of work that it has heard of.
    step: u64,
    /// Whether it was told where it stands.
    is_greeted: bool,
}

impl Listener {
    /// Begins to listen, from now on or after a position.
    pub(super) fn begin(
        commands: Arc<Commands>,
        after: Option<&str>,
        caller: &Caller,
    ) -> Result<Self, CommandError> {
        if caller.channel != Channel::Main {
            // What is remembered, and when, is private as a whole.
            let why = "events are available on the main channel only";
            return Err(CommandError::forbidden("channel", why));
        }
        let workspace = commands.pool.take(&commands.global, caller.space.as_deref())?;
        let watcher = Watcher::begin(&workspace, after)?;
        drop(workspace);
        let step = commands.jobs.last_step();
        let space = caller.space.clone();
        Ok(Self { commands, space, watcher, step, is_greeted: false })
    }

    fn found(&mut self) -> Result<Vec<Notice>, CommandError> {
        let workspace = self.commands.pool.take(&self.commands.global, self.space.as_deref())?;
        let mut notices = Vec::new();
        if !self.is_greeted {
            self.is_greeted = true;
            let (position, name) = (Some(self.watcher.to_string()), Some("ready"));
            notices.push(Notice { position, name, data: json!({}) });
        }
        let found = self.watcher.look(&workspace)?;
        notices.extend(found.into_iter().map(|(position, happening)| Notice {
            position: Some(position),
            name: None,
            data: json!(happening),
        }));
        let step = self.commands.jobs.last_step();
        let moved = self.commands.jobs.moved_since(self.step, self.space.as_deref());
        self.step = step;
        notices.extend(moved.into_iter().map(|data| {
            // It is no part of the ledger, so it has no place in it.
            Notice { position: None, name: Some("progress"), data }
        }));
        Ok(notices)
    }
}

impl Listening for Listener {
    fn look(&mut self) -> Result<Vec<Notice>, Refusal> {
        self.found().map_err(|error| refusal(&error))
    }
}
