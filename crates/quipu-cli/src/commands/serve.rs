//! `quipu serve`: the memory for many.

use quipu_engine::tokens;
use std::net::SocketAddr;

use quipu_server::Door;

use crate::cli::ServeArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::Reply;
use crate::served::{Admits, Commands, Served};

pub(crate) fn run(arguments: &ServeArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let config = workspace.config().serve.clone();
    let listen = match arguments.listen {
        Some(listen) => listen,
        None => config.listen.parse().map_err(|_| {
            CommandError::input("bad-config", format!("serve.listen is `{}`", config.listen))
        })?,
    };
    let is_loopback = listen.ip().is_loopback();
    if arguments.no_token && !is_loopback {
        let why = format!("{listen} can be reached from other machines, so it needs tokens");
        return Err(CommandError::usage(why)
            .hint("leave `--no-token` out; `quipu token add NAME` makes a token"));
    }
    let needs_one = !arguments.no_token && tokens::tokens(&workspace)?.is_empty();
    // A person can take a token from their screen; a script has to have one before.
    let may_show = is_loopback && context.caller().is_person();
    if needs_one && !may_show {
        let why = "there is no token, so nobody could use the server";
        return Err(CommandError::input("no-token", why).hint(
            "`quipu token add NAME` makes one; `--no-token` lets every program of this machine in (127.0.0.1 only)",
        ));
    }
    let token = if needs_one { Some(quipu_engine::tokens::new_token()?) } else { None };
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
    let admits = Admits { without_token: arguments.no_token, token: token.clone() };
    let host = Served::new(commands, admits, !arguments.no_schedule);
    let json = context.global.json;
    let told = |address: SocketAddr| {
        // Whoever closed stdout does not want to know.
        let _ = if json {
            let told = serde_json::json!({ "listening": address, "root": root, "token": token });
            output::json_line(&told)
        } else {
            let place = format!("quipu serves {} on http://{address} (MCP: /mcp)", root.display());
            let usage = token.as_deref().map(|token| use_of(token) + "\n").unwrap_or_default();
            output::out(&format!("{place}\n{usage}"))
        };
    };
    quipu_server::serve(host, door, told).map_err(|error| {
        CommandError::input("io", format!("cannot listen on {listen}: {error}"))
            .hint("another server may be there; `--listen 127.0.0.1:0` takes a free port")
    })?;
    Ok(Reply::default())
}

/// Says what to do with a token that was made for this run.
fn use_of(token: &str) -> String {
    format!(
        "token for this run: {token}\n\
         send it as `Authorization: Bearer TOKEN`; `quipu token add NAME` makes one that stays, \
         `--no-token` lets every program of this machine in"
    )
}
