//! `quipu token`: who may talk to a server.

use quipu_engine::tokens;
use serde_json::json;

use crate::cli::TokenCommand;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{self, CYAN, Reply, styled};

pub(crate) fn run(command: TokenCommand, context: &Context) -> Result<Reply, CommandError> {
    #[cfg(feature = "postgres")]
    if let Some(space) = command.of().space.clone() {
        let database = command.of().database.clone();
        return super::space::token(command, &space, database, context);
    }
    let workspace = context.workspace()?;
    match command {
        TokenCommand::Add { name, permission, channel, .. } => {
            let token =
                tokens::add_token(&workspace, (&name, &permission, &channel), context.now())?;
            let data = json!({ "name": name, "permission": permission, "channel": channel, "token": token });
            let text = format!("{token}\n");
            Ok(Reply::new(text, data).advise(format!(
                "it is shown this once: give it to {name} as `Authorization: Bearer TOKEN`\n\
                 `quipu token revoke {name}` takes it away"
            )))
        }
        TokenCommand::List { .. } => {
            let tokens = tokens::tokens(&workspace)?;
            let told = |token: &quipu_engine::tokens::Token| {
                json!({
                    "name": token.name, "permission": token.scope, "channel": token.channel,
                    "created": token.created,
                })
            };
            let listed: Vec<_> = tokens.iter().map(told).collect();
            let data = json!({ "count": listed.len(), "tokens": listed });
            if tokens.is_empty() {
                return Ok(Reply::new("nobody has a token\n", data).exit(1));
            }
            let rows = tokens.into_iter().map(|token| {
                let day = token.created.strftime("%Y-%m-%d").to_string();
                vec![token.name, token.scope, token.channel, day]
            });
            Ok(Reply::new(
                reply::table(&["name", "permission", "channel", "since"], rows.collect()),
                data,
            ))
        }
        TokenCommand::Revoke { name, .. } => {
            let gone = tokens::revoke_token(&workspace, &name)?;
            let text = format!("{} does not get in any more\n", styled(CYAN, &gone.name));
            Ok(Reply::new(text, json!({ "name": gone.name, "revoked": true })))
        }
    }
}
