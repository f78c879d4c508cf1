//! `quipu adopt`: taking over what another version, or another person, left in `.quipu/`.

use quipu_engine::adoption;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use serde_json::json;

use super::ask;
use crate::cli::AdoptArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::Reply;

pub(crate) fn run(arguments: &AdoptArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let left = adoption::left_in_folder(&workspace);
    if left.waiting.is_empty() && !adoption::has_foreign_state(&workspace) {
        let data = json!({ "adopted": [], "waiting": [], "foreign": false });
        return Ok(Reply::new("there is nothing to take over\n", data));
    }
    let mut text = String::from(if left.is_foreign {
        "git does not say that `.quipu/` is yours: it came with this repository or archive,\n\
         or there is no git here. Take it over only if you made it yourself.\n"
    } else {
        "git says that `.quipu/` is not part of this repository. If you used Quipu 0.1 here, it is yours.\n\
         If you unpacked this folder from somebody's archive, it may be theirs.\n"
    });
    for one in &left.waiting {
        let _ = writeln!(text, "  it has {one}");
    }
    let is_person = context.caller().is_person();
    if !arguments.yes || !is_person {
        let can_ask = is_person && io::stdin().is_terminal() && output::is_watched();
        if !can_ask || context.global.json {
            text.push_str(
                "nothing was taken over; a person can do it at a terminal: quipu adopt\n",
            );
            let data =
                json!({ "adopted": [], "waiting": left.waiting, "foreign": left.is_foreign });
            return Ok(Reply::new(text, data).exit(1));
        }
        ask(&text)?;
    }
    let taken = adoption::adopt(&workspace)?;
    let count = taken.len();
    let text = match count {
        0 => "there was nothing to take over\n".to_owned(),
        1 => "took over 1 file\n".to_owned(),
        _ => format!("took over {count} files\n"),
    };
    Ok(Reply::new(text, json!({ "adopted": taken, "waiting": [], "foreign": left.is_foreign })))
}
