//! `quipu open`: the page in a browser, by a server that is there already, or one that is started for it.

use quipu_core::text::percent_encoded;
use quipu_engine::{Workspace, report};
use serde_json::json;

use super::serve;
use crate::browser;
use crate::cli::{OpenArgs, ServeArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::Reply;
use crate::running::Running;

pub(crate) fn run(arguments: &OpenArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let page = match &arguments.id {
        Some(id) => page_of(&workspace, id)?,
        None => "/".to_owned(),
    };
    let found = Running::read(&workspace);
    drop(workspace);
    let code = found.as_ref().and_then(|running| running.code(context));
    if let (Some(Running { address, .. }), Some(code)) = (found, code) {
        let page = format!("http://{address}{page}#code={code}");
        browser::open(&page);
        let text = format!("the page, signed in as you (good once, for a minute): {page}\n");
        return Ok(Reply::new(text, json!({ "page": page, "started": false })));
    }
    // Another memory may have the usual port.
    let arguments = ServeArgs { listen: Some(([127, 0, 0, 1], 0).into()), ..ServeArgs::opening() };
    serve::run_at(&arguments, &page, context)
}

/// Returns the address of something that is remembered.
fn page_of(workspace: &Workspace, id: &str) -> Result<String, CommandError> {
    let shown = report::show_any(workspace, id, false)?;
    let folder = if shown.kind == "session" { "sessions" } else { "m" };
    Ok(format!("/{folder}/{}", percent_encoded(&shown.id)))
}
