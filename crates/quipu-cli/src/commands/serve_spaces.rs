//! `quipu serve --database`: the memories of many, each in a space.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use quipu_engine::config::Config;
use quipu_server::Door;

use super::listening;
use super::space::{InDatabase, opened};
use crate::cli::{DatabaseArgs, ServeArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::Reply;
use crate::served::{Admits, Commands, Served};

pub(super) fn run(
    arguments: &ServeArgs,
    database: &str,
    context: &Context,
) -> Result<Reply, CommandError> {
    if arguments.no_token || arguments.open {
        let why = "a token says which space a caller may use, so `--database` needs tokens";
        return Err(CommandError::usage(why)
            .hint("leave `--no-token` and `--open` out; `quipu token add NAME --space SPACE` makes a token"));
    }
    let database = opened(&DatabaseArgs { database: database.to_owned() })?;
    // No repository sets anything here: only who runs the server does.
    let config = Config::of_workspace(Path::new("/"), "", &context.global.settings)?.serve;
    let listen = listening::address(arguments, &config.listen)?;
    let door = Door {
        listen,
        hosts: config.hosts,
        origins: config.origins,
        max_body_bytes: config.max_body_bytes,
        requests_per_second: config.requests_per_second,
        drain: Duration::from_secs(arguments.drain),
        sign_ins: Arc::default(),
    };
    // Its connections are closed here, when nothing else runs any more, and not inside of the server.
    let spaces = Box::new(InDatabase(database.clone()));
    let commands = Commands::for_spaces(context.global.clone(), arguments.profile, spaces);
    // Who watches the server has no space, and sees the numbers of all.
    let of_watcher = std::env::var("QUIPU_METRICS_TOKEN").ok().filter(|token| token.len() >= 16);
    let admits = Admits { watcher: of_watcher, ..Admits::default() };
    let json = context.global.json;
    let told = |address: SocketAddr| {
        // Whoever closed stdout does not want to know.
        let _ = if json {
            output::json_line(&serde_json::json!({ "listening": address }))
        } else {
            output::out(&format!(
                "quipu serves the spaces of a database on http://{address} (MCP: /mcp)\n"
            ))
        };
    };
    let served =
        quipu_server::serve(Served::new(commands, admits, !arguments.no_schedule), door, told);
    drop(database);
    served.map_err(|error| listening::cannot_listen(listen, &error))?;
    Ok(Reply::default())
}
