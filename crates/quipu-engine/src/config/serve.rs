//! Settings of the server.

use serde::{Deserialize, Serialize};

/// Settings of the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ServeConfig {
    /// Where it listens. Another address than a loopback one needs tokens.
    pub listen: String,
    /// Names by which it is reached, beside the loopback ones and the address itself.
    pub hosts: Vec<String>,
    /// Web pages that may call it, such as `https://memory.example.com`, beside its own.
    pub origins: Vec<String>,
    /// A larger request is refused.
    pub max_body_bytes: usize,
    /// So many requests a second from one token, or from one address that has none; 0 is any number.
    pub requests_per_second: u32,
    /// When it dreams, as a cron expression in the journal's time zone; empty is never.
    pub dream_cron: String,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8377".to_owned(),
            hosts: Vec::new(),
            origins: Vec::new(),
            max_body_bytes: 4 * 1024 * 1024,
            requests_per_second: 500,
            dream_cron: "0 3 * * *".to_owned(),
        }
    }
}
