//! Asking a server that speaks JSON, with the care that memory needs: directly where it is on this
//! machine, never on to another address.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// So much of what a server says in anger is told.
const LONGEST_COMPLAINT: usize = 200;

/// A server at an address.
#[derive(Debug)]
pub struct Server {
    url: String,
    key: Option<String>,
    agent: ureq::Agent,
}

impl Server {
    /// Prepares to ask the server at `url`, with a key where one is needed. What is on this machine is
    /// asked directly, whatever proxies are set.
    pub fn new(url: &str, key: Option<String>, is_local: bool, patience: Duration) -> Self {
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(patience))
            .http_status_as_error(false)
            .max_redirects(0);
        if is_local {
            config = config.proxy(None);
        }
        Self { url: url.to_owned(), key, agent: config.build().into() }
    }

    /// Returns its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Asks, and reads the answer.
    ///
    /// # Errors
    /// In words, when it cannot be reached, refuses, or says something else.
    pub fn ask<A: DeserializeOwned>(&self, body: &impl Serialize) -> Result<A, String> {
        let mut request = self.agent.post(&self.url);
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request.send_json(body).map_err(|error| error.to_string())?;
        let status = response.status();
        if !status.is_success() {
            let said = response.body_mut().read_to_string().unwrap_or_default();
            let said: String = said.chars().take(LONGEST_COMPLAINT).collect();
            return Err(format!("it answered {status}: {said}"));
        }
        response.body_mut().read_json().map_err(|error| error.to_string())
    }
}
