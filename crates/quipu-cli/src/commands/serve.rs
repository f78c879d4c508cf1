//! `quipu serve`: the memory for many.

use std::net::SocketAddr;

use quipu_server::Door;

use crate::cli::ServeArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::Reply;
use crate::served::{Commands, Served};

pub(crate) fn run(arguments: &ServeArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let config = workspace.config().serve.clone();
    let listen = match arguments.listen {
        Some(listen) => listen,
        None => config.listen.parse().map_err(|_| {
            CommandError::input("bad-config", format!("serve.listen is `{}`", config.listen))
        })?,
    };
    let has_tokens = !workspace.tokens()?.is_empty();
    if (!listen.ip().is_loopback() || arguments.require_token) && !has_tokens {
        let why = if arguments.require_token {
            "nobody has a token, so nobody would get in".to_owned()
        } else {
            format!("{listen} can be reached from other machines, and nobody has a token")
        };
        return Err(CommandError::input("no-token", why)
            .hint("`quipu token add NAME` makes one; 127.0.0.1 needs none"));
    }
    let root = workspace.root().to_owned();
    drop(workspace);
    let door = Door {
        listen,
        hosts: config.hosts,
        origins: config.origins,
        max_body_bytes: config.max_body_bytes,
        requests_per_second: config.requests_per_second,
    };
    let commands = Commands::for_many(context.global.clone(), arguments.profile);
    let host = Served::new(commands, arguments.require_token, !arguments.no_schedule);
    let json = context.global.json;
    let told = |address: SocketAddr| {
        // Whoever closed stdout does not want to know.
        let _ = if json {
            output::json_line(&serde_json::json!({ "listening": address, "root": root }))
        } else {
            let root = root.display();
            output::out(&format!("quipu serves {root} on http://{address} (MCP: /mcp)\n"))
        };
    };
    quipu_server::serve(host, door, told).map_err(|error| {
        CommandError::input("io", format!("cannot listen on {listen}: {error}"))
            .hint("another server may be there; `--listen 127.0.0.1:0` takes a free port")
    })?;
    Ok(Reply::default())
}
