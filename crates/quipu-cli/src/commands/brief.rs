//! `quipu brief`: what a session starts with.

use std::fmt::Write as _;

use quipu_engine::brief::{BriefRequest, Briefing};
use serde_json::json;

use crate::cli::BriefArgs;
use crate::context::{Context, channel};
use crate::error::CommandError;
use crate::output;
use crate::reply::{Reply, YELLOW, styled};

pub(crate) fn run(arguments: &BriefArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let hint = arguments.hint.as_deref().map(|text| context.text_or_stdin(text)).transpose()?;
    let made = workspace.brief(&BriefRequest {
        now: context.now(),
        cap: arguments.cap,
        tokens: arguments.tokens,
        hint,
        channel: channel(&arguments.channel),
    })?;
    super::tell_recovered(&workspace);
    let mut notes = String::new();
    for why in &made.degraded {
        let _ = writeln!(notes, "{} {why}", styled(YELLOW, "note:"));
    }
    if let [first, rest @ ..] = &made.too_long[..] {
        let more =
            if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let _ = writeln!(notes, "{} too long to get in: {first}{more}", styled(YELLOW, "note:"));
    }
    // The text goes into a prompt, so nothing else may stand beside it.
    output::note(&notes);
    let nothing = "nothing to tell yet: `quipu remember TEXT`, `quipu fact add TEXT`";
    let advice = if made.text.is_empty() && made.degraded.is_empty() { nothing } else { "" };
    Ok(Reply::new(made.marked(), json!(Briefing { text: made.marked(), ..made })).advise(advice))
}
