//! `quipu refresh`.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::DryRun;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, diff_json, styled};

pub(crate) fn run(dry: DryRun, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let (refreshed, diff) = workspace.refresh(&context.request("refresh", dry.dry_run))?;
    super::tell_recovered(&workspace);
    let mut text = String::new();
    if refreshed.is_empty() {
        text.push_str("every footer already matches the session logs\n");
    } else {
        let verb = if dry.dry_run { "would refresh" } else { "refreshed" };
        let _ = writeln!(text, "{verb} {} footer(s):", refreshed.len());
        for change in &refreshed {
            let _ = writeln!(text, "  {}: {}", styled(CYAN, &change.id), change.words());
        }
    }
    let change = |from: &Option<String>, to: &Option<String>| json!({ "from": from, "to": to });
    let rows: Vec<_> = refreshed
        .iter()
        .map(|row| {
            json!({
                "id": row.id,
                "tier": change(&row.tier.0, &row.tier.1),
                "uses": change(&row.uses.0, &Some(row.uses.1.clone())),
                "last_used": change(&row.last_used.0, &Some(row.last_used.1.clone())),
            })
        })
        .collect();
    let json = json!({ "dry_run": dry.dry_run, "refreshed": rows, "changes": diff_json(&diff) });
    Ok(Reply::new(text, json))
}
