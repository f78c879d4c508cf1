//! `quipu why`.

use std::fmt::Write as _;

use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, GREEN, Reply, YELLOW, styled};

pub(crate) fn run(id: &str, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let why = workspace.why(id)?;
    super::tell_recovered(&workspace);
    let mut text = String::new();
    let label = why.label.as_deref().unwrap_or("nothing");
    let tier = why.tier.as_deref().unwrap_or(label);
    let _ = writeln!(text, "{} is {}: {}", styled(CYAN, &why.id), styled(GREEN, tier), why.because);
    if tier != label {
        let _ = writeln!(
            text,
            "  {} the footer still says `{label}`; `quipu refresh` corrects it",
            styled(YELLOW, "stale:")
        );
    }
    for (index, rule) in why.rules.iter().enumerate() {
        let line = format!("{:>2}. {}", index + 1, rule.rule);
        let _ = if rule.decided {
            writeln!(text, "  {} {line}", styled(GREEN, "→"))
        } else {
            writeln!(text, "    {}", styled(DIM, line))
        };
        if rule.decided {
            break;
        }
    }
    if let Some(next) = &why.next {
        let _ = writeln!(text, "  next: {next}");
    }
    if !why.sessions.is_empty() {
        let _ = writeln!(text, "  named by {} session(s): {}", why.uses, why.sessions.join(", "));
    }
    Ok(Reply::new(text, json!(why)))
}
