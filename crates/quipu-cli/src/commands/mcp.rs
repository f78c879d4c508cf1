//! `quipu mcp`: the memory for one agent.

use std::io::IsTerminal as _;

use quipu_server::{Caller, Channel, Scope};
use serde_json::json;

use crate::cli::McpArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::Reply;
use crate::served::{self, Commands};

pub(crate) fn run(arguments: &McpArgs, context: &Context) -> Result<Reply, CommandError> {
    if arguments.reference {
        let text = served::reference();
        let data = json!({ "text": text });
        return Ok(Reply::new(text, data));
    }
    let channel = match &*arguments.channel {
        "heartbeat" => Channel::Heartbeat,
        "other" => Channel::Other,
        _ => Channel::Main,
    };
    let scope = if arguments.read_only { Scope::Read } else { Scope::Admin };
    if std::io::stdin().is_terminal() {
        let note = "waiting for an MCP client on stdin; `quipu install` sets one up\n";
        output::note(note);
    }
    let commands = Commands::for_one(context.global.clone(), arguments.profile);
    let caller =
        Caller { scope, channel, agent: None, is_local: true, is_person: false, space: None };
    quipu_server::stdio(commands, caller)
        .map_err(|error| CommandError::input("mcp", format!("the client went away: {error}")))?;
    // stdout was the client's; nothing is left to say.
    Ok(Reply::default())
}
