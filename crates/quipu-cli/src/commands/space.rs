//! `quipu space` and `quipu migrate`: memories in a PostgreSQL database.

use std::path::Path;
use std::time::Duration;

use quipu_core::printable::printable_line;
use quipu_engine::space::{self, Copied, Database, SpaceToken};
use quipu_engine::{Workspace, open, tokens};
use serde_json::json;

use crate::cli::{DatabaseArgs, SpaceCommand, TokenCommand};
use crate::context::{self, Context};
use crate::error::CommandError;
use crate::pool::{Admitted, Spaces, real_fs};
use crate::reply::{self, CYAN, Reply, styled};

/// A longer name does not fit on a line.
const LONGEST_NAME: usize = 63;

/// What servers take turns at: dreams, compaction, experiences.
const UPKEEP: &str = "upkeep";

const MB: i64 = 1024 * 1024;

/// Spaces of a database, for a server.
pub(crate) struct InDatabase(pub(crate) Database);

impl Spaces for InDatabase {
    fn open(&self, name: &str, settings: &[(String, String)]) -> Result<Workspace, CommandError> {
        space::open_space(&self.0, name, settings)
    }

    fn admit(&self, token: &str) -> Result<Option<Admitted>, CommandError> {
        let found = self.0.token(token)?;
        Ok(found.map(|SpaceToken { space, name, permission, channel }| Admitted {
            name,
            permission,
            channel,
            space: Some(space),
        }))
    }

    fn check(&self) -> Result<(), CommandError> {
        Ok(self.0.check_schema()?)
    }

    fn after(&self, name: &str, most: usize) -> Result<Vec<(String, i64)>, CommandError> {
        Ok(self.0.spaces_after(name, i64::try_from(most).unwrap_or(i64::MAX))?)
    }

    fn lease(&self, name: &str, holder: &str, time: Duration) -> Result<bool, CommandError> {
        Ok(self.0.lease(name, UPKEEP, holder, time)?)
    }

    fn end_lease(&self, name: &str, holder: &str) -> Result<(), CommandError> {
        Ok(self.0.end_lease(name, UPKEEP, holder)?)
    }

    fn numbers(&self) -> Vec<(&'static str, &'static str, bool, f64)> {
        let connections = self.0.connections();
        #[expect(clippy::cast_precision_loss, reason = "there are few")]
        let of = |name: &str| connections.get(name).copied().unwrap_or_default() as f64;
        vec![
            ("quipu_database_idle", "Connections to the database that wait.", false, of("idle")),
            ("quipu_database_in_use", "Connections that are in use.", false, of("in_use")),
        ]
    }
}

/// Opens a database whose schema fits.
pub(super) fn opened(at: &DatabaseArgs) -> Result<Database, CommandError> {
    let database = Database::at(&at.database)?;
    database.check_schema()?;
    Ok(database)
}

pub(crate) fn migrate(at: &DatabaseArgs) -> Result<Reply, CommandError> {
    let steps = Database::at(&at.database)?.migrate()?;
    let text = if steps.is_empty() {
        "nothing to do: the database has the newest schema\n".to_owned()
    } else {
        format!("migrated: {}\n", steps.join(", "))
    };
    Ok(Reply::new(text, json!({ "steps": steps })).advise("`quipu space add NAME` makes a space"))
}

pub(crate) fn run(command: SpaceCommand, context: &Context) -> Result<Reply, CommandError> {
    let settings = &context.global.settings;
    match command {
        SpaceCommand::Add { name, quota, empty, at } => {
            check_name(&name)?;
            let database = opened(&at)?;
            database.add_space(&name, i64::from(quota) * MB, context.now().as_millisecond())?;
            if !empty {
                let workspace = space::open_space(&database, &name, settings)?;
                space::begin(&workspace, &name, context.today())?;
            }
            let text = format!("made the space {}\n", styled(CYAN, &name));
            Ok(Reply::new(text, json!({ "name": name, "quota_mb": quota })).advise(format!(
                "`quipu token add WHO --space {name}` makes a token for it; `quipu serve --database URL` serves it"
            )))
        }
        SpaceCommand::List { at } => {
            let spaces = opened(&at)?.spaces()?;
            let data = json!({ "count": spaces.len(), "spaces": spaces });
            if spaces.is_empty() {
                return Ok(Reply::new("there are no spaces\n", data).exit(1));
            }
            let mb = |bytes: i64| format!("{} MB", bytes.div_euclid(MB));
            let rows = spaces
                .into_iter()
                .map(|it| vec![it.name, format!("{} bytes", it.bytes), mb(it.most_bytes)]);
            Ok(Reply::new(reply::table(&["space", "size", "quota"], rows.collect()), data))
        }
        SpaceCommand::Quota { name, mb, at } => {
            opened(&at)?.set_quota(&name, i64::from(mb) * MB)?;
            let text = format!("the files of {} may take {mb} MB\n", styled(CYAN, &name));
            Ok(Reply::new(text, json!({ "name": name, "quota_mb": mb })))
        }
        SpaceCommand::Audit { name, limit, at } => {
            let lines = opened(&at)?.audit(name.as_deref(), i64::from(limit))?;
            let data = json!({ "space": name, "count": lines.len(), "lines": lines });
            if lines.is_empty() {
                return Ok(Reply::new("nothing was written yet\n", data).exit(1));
            }
            let time = |at: i64| {
                let time = jiff::Timestamp::from_millisecond(at).unwrap_or_default();
                time.strftime("%Y-%m-%d %H:%M:%S").to_string()
            };
            let plain = |text: &str| printable_line(text).into_owned();
            let rows = lines.iter().map(|it| {
                vec![time(it.at), plain(&it.who), plain(&it.operation), plain(&it.outcome)]
            });
            let heads = ["time (UTC)", "who", "what", "outcome"];
            Ok(Reply::new(reply::table(&heads, rows.collect()), data))
        }
        SpaceCommand::Import { name, folder, at } => {
            let database = opened(&at)?;
            let from = open::discover(real_fs(), &folder)?;
            let into = space::open_space(&database, &name, settings)?;
            Ok(copied("imported", &name, space::import(&from, &into)?, from.root()))
        }
        SpaceCommand::Export { name, folder, at } => {
            let database = opened(&at)?;
            let from = space::open_space(&database, &name, settings)?;
            Ok(copied("exported", &name, space::export(&from, &folder)?, &folder))
        }
        SpaceCommand::Remove { name, yes, at } => {
            if !yes {
                let why = format!("`{name}` and all that it remembers would be gone for good");
                return Err(CommandError::usage(why)
                    .hint("`--yes` does it; `quipu space export NAME FOLDER` keeps a copy"));
            }
            opened(&at)?.remove_space(&name)?;
            Ok(Reply::new(format!("removed the space {name}\n"), json!({ "removed": name })))
        }
    }
}

fn copied(done: &str, name: &str, copied: Copied, folder: &Path) -> Reply {
    let Copied { files, bytes } = copied;
    let text = format!("{done} {files} files ({bytes} bytes)\n");
    let data = json!({ "space": name, "folder": folder, "files": files, "bytes": bytes });
    Reply::new(text, data)
}

fn check_name(name: &str) -> Result<(), CommandError> {
    let fits = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
    };
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins && name.len() <= LONGEST_NAME && name.bytes().all(fits) {
        return Ok(());
    }
    let why = format!("`{name}` cannot be the name of a space");
    Err(CommandError::usage(why)
        .hint("it has small letters, digits, `-`, `_` and `.`, and begins with a letter or digit"))
}

/// Does with the tokens of a space what `quipu token` does with those of a folder.
pub(super) fn token(
    command: TokenCommand,
    space: &str,
    database: Option<String>,
    context: &Context,
) -> Result<Reply, CommandError> {
    let Some(database) = database else {
        return Err(CommandError::usage("`--space` needs the database that the space is in")
            .hint("name it with `--database URL`, or in QUIPU_DATABASE"));
    };
    let database = opened(&DatabaseArgs { database })?;
    match command {
        TokenCommand::Add { name, permission, channel, .. } => {
            let token = tokens::new_token()?;
            let now = context::now(&context.global).as_millisecond();
            let data = json!({
                "name": name, "space": space, "permission": permission, "channel": channel,
                "token": token,
            });
            let who = SpaceToken { space: space.to_owned(), name, permission, channel };
            database.add_token(&token, &who, now)?;
            Ok(Reply::new(format!("{token}\n"), data).advise(format!(
                "it is shown this once: give it to {} as `Authorization: Bearer TOKEN`",
                who.name
            )))
        }
        TokenCommand::List { .. } => {
            let tokens = database.tokens(space)?;
            let data = json!({ "count": tokens.len(), "tokens": tokens });
            if tokens.is_empty() {
                return Ok(Reply::new("nobody has a token\n", data).exit(1));
            }
            let rows = tokens.into_iter().map(|it| vec![it.name, it.permission, it.channel]);
            Ok(Reply::new(reply::table(&["name", "permission", "channel"], rows.collect()), data))
        }
        TokenCommand::Revoke { name, .. } => {
            if !database.revoke_token(space, &name)? {
                return Err(CommandError::input(
                    "token",
                    format!("there is no token for `{name}`"),
                )
                .hint("`quipu token list --space SPACE` shows the names"));
            }
            let text = format!("{} does not get in any more\n", styled(CYAN, &name));
            Ok(Reply::new(text, json!({ "name": name, "revoked": true })))
        }
    }
}
