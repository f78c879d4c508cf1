//! `quipu serve`: the memory for many.

use quipu_engine::tokens;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quipu_server::{Door, Visitor};

use super::listening;
use crate::browser;
use crate::cli::ServeArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::Reply;
use crate::running::Running;
use crate::served::{self, Admits, Commands, Served};

pub(crate) fn run(arguments: &ServeArgs, context: &Context) -> Result<Reply, CommandError> {
    run_at(arguments, "/", context)
}

/// The same, where a browser is opened at a page.
pub(super) fn run_at(
    arguments: &ServeArgs,
    page: &str,
    context: &Context,
) -> Result<Reply, CommandError> {
    if arguments.openapi {
        let description = served::description();
        let text = serde_json::to_string_pretty(&description).map_err(|_| CommandError::bug())?;
        return Ok(Reply::new(text + "\n", description));
    }
    #[cfg(feature = "postgres")]
    if let Some(database) = &arguments.database {
        return super::serve_spaces::run(arguments, database, context);
    }
    let workspace = context.workspace()?;
    let config = workspace.config().serve.clone();
    let listen = listening::address(arguments, &config.listen)?;
    let is_loopback = listen.ip().is_loopback();
    if arguments.no_token && !is_loopback {
        let why = format!("{listen} can be reached from other machines, so it needs tokens");
        return Err(CommandError::usage(why)
            .hint("leave `--no-token` out; `quipu token add NAME` makes a token"));
    }
    let needs_one = !arguments.no_token && tokens::tokens(&workspace)?.is_empty();
    // A person can take a token from their screen; a script has to have one before.
    let may_show = is_loopback && context.caller().is_person();
    // A browser that signs in needs no token.
    if needs_one && !may_show && !arguments.open {
        let why = "there is no token, so nobody could use the server";
        return Err(CommandError::input("no-token", why).hint(
            "`quipu token add NAME` makes one; `--no-token` lets every program of this machine in (127.0.0.1 only)",
        ));
    }
    let token = if needs_one && may_show { Some(quipu_engine::tokens::new_token()?) } else { None };
    let root = workspace.root().to_owned();
    let door = Door {
        listen,
        hosts: config.hosts,
        origins: config.origins,
        max_body_bytes: config.max_body_bytes,
        requests_per_second: config.requests_per_second,
        drain: Duration::from_secs(arguments.drain),
        sign_ins: Arc::default(),
    };
    let visitor = arguments.open.then(|| Visitor::Known(context.at_the_door()));
    let sign_ins = door.sign_ins.clone();
    let commands = Commands::for_many(context.global.clone(), arguments.profile);
    let admits = Admits { without_token: arguments.no_token, token: token.clone(), watcher: None };
    let host = Served::new(commands, admits, !arguments.no_schedule);
    let json = context.global.json;
    let mut running = None;
    let told = |address: SocketAddr| {
        let code = visitor.and_then(|visitor| sign_ins.new_code(visitor, Instant::now()));
        let here = reached_at(address);
        let page = code.map(|code| format!("http://{here}{page}#code={code}"));
        if let Some(secret) = sign_ins.new_opener() {
            let begun = Running { address: here, secret };
            begun.write(&workspace);
            running = Some(begun);
        }
        // Whoever closed stdout does not want to know.
        let _ = if json {
            let told = serde_json::json!({
                "listening": address, "root": root, "token": token, "page": page,
            });
            output::json_line(&told)
        } else {
            let place = format!("quipu serves {} on http://{address} (MCP: /mcp)", root.display());
            let usage = token.as_deref().map(|token| use_of(token) + "\n").unwrap_or_default();
            let page = page.as_deref().map(|page| {
                format!("the page, signed in as you (good once, for a minute): {page}\n")
            });
            output::out(&format!("{place}\n{usage}{}", page.unwrap_or_default()))
        };
        if let Some(page) = page {
            browser::open(&page);
        }
    };
    let served = quipu_server::serve(host, door, told);
    if let Some(running) = &running {
        running.forget(&workspace);
    }
    served.map_err(|error| listening::cannot_listen(listen, &error))?;
    Ok(Reply::default())
}

/// Returns the address by which this machine reaches a server that listens there.
fn reached_at(listen: SocketAddr) -> SocketAddr {
    match listen {
        SocketAddr::V4(any) if any.ip().is_unspecified() => {
            (Ipv4Addr::LOCALHOST, any.port()).into()
        }
        SocketAddr::V6(any) if any.ip().is_unspecified() => {
            (Ipv6Addr::LOCALHOST, any.port()).into()
        }
        other => other,
    }
}

/// Says what to do with a token that was made for this run.
fn use_of(token: &str) -> String {
    format!(
        "token for this run: {token}\n\
         send it as `Authorization: Bearer TOKEN`; `quipu token add NAME` makes one that stays, \
         `--no-token` lets every program of this machine in"
    )
}
