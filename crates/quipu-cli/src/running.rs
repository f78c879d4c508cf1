//! A server that is running, as other programs of the same user find it.

use std::net::SocketAddr;
use std::time::Duration;

use quipu_embed::Server;
use quipu_engine::Workspace;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::Context;

/// The state file of a server that is running.
const FILE: &str = "server.json";

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that is running, for other programs of the same user.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Running {
    /// Where this machine reaches it.
    pub(crate) address: SocketAddr,
    /// What it gives codes for.
    pub(crate) secret: String,
}

impl Running {
    pub(crate) fn read(workspace: &Workspace) -> Option<Self> {
        let bytes = workspace.fs().read(&workspace.state_folder().join(FILE)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Lets others know of it.
    pub(crate) fn write(&self, workspace: &Workspace) {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        // Where this fails, `quipu open` starts a server of its own.
        let _ = workspace.prepare_state().map(|()| workspace.write_state(FILE, &bytes));
    }

    /// Takes note that it has ended, unless another one has begun since.
    pub(crate) fn forget(&self, workspace: &Workspace) {
        if Self::read(workspace).as_ref() == Some(self) {
            let _ = workspace.fs().remove_file(&workspace.state_folder().join(FILE));
        }
    }

    /// Returns a code with which a browser signs in; nothing where no server answers.
    pub(crate) fn code(&self, context: &Context) -> Option<String> {
        let visitor = context.at_the_door();
        let url = format!("http://{}/api/v1/sign-in/codes", self.address);
        let asked = json!({
            "secret": self.secret, "person": visitor.is_person, "name": visitor.agent,
        });
        let answer: Value = Server::new(&url, None, true, PATIENCE).ask(&asked).ok()?;
        answer["code"].as_str().map(str::to_owned)
    }
}
