//! `quipu man` and `quipu completions`.

use std::path::Path;

use clap_complete::Shell;
use serde_json::json;

use crate::error::CommandError;
use crate::grammar::grammar;
use crate::reply::Reply;

pub(crate) fn completions(shell: Shell) -> Reply {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut grammar(), "quipu", &mut script);
    let text = String::from_utf8_lossy(&script).into_owned();
    Reply::new(text.clone(), json!({ "shell": shell.to_string(), "script": text }))
}

pub(crate) fn run(out: Option<&Path>) -> Result<Reply, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::input("io", format!("cannot write the manual: {error}"))
    };
    if let Some(folder) = out {
        std::fs::create_dir_all(folder).map_err(failed)?;
        clap_mangen::generate_to(grammar(), folder).map_err(failed)?;
        let text = format!("wrote the manual pages to {}\n", folder.display());
        return Ok(Reply::new(text, json!({ "folder": folder })));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(grammar()).render(&mut page).map_err(failed)?;
    let text = String::from_utf8_lossy(&page).into_owned();
    Ok(Reply::new(text.clone(), json!({ "page": text })))
}
