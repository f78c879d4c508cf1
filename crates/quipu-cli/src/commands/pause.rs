//! `quipu pause` and `quipu resume`.

use quipu_engine::pause;
use serde_json::json;

use crate::cli::PauseArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{Reply, YELLOW, styled};

pub(crate) fn run(arguments: &PauseArgs, context: &Context) -> Result<Reply, CommandError> {
    if arguments.length.is_some_and(|length| !length.is_positive()) {
        return Err(CommandError::usage("`--for` takes a time such as 1h or 30m".to_owned()));
    }
    let workspace = context.workspace()?;
    let session = context.global.session.as_deref();
    let paused = pause::pause(&workspace, context.now(), arguments.length, session)?;
    let json = json!({ "paused": paused });
    Ok(Reply::new(format!("{}\n", styled(YELLOW, paused.words())), json)
        .advise("what you type yourself, such as `quipu remember`, is kept all the same"))
}

pub(crate) fn resume(context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let session = context.global.session.as_deref();
    let ended = pause::resume(&workspace, context.now(), session)?;
    let json = json!({ "ended": ended });
    let text = if ended.is_empty() { "nothing was off the record" } else { "back on the record" };
    Ok(Reply::new(format!("{text}\n"), json))
}
