//! `quipu brief`: what a session starts with.

use std::fmt::Write as _;

use quipu_engine::brief::Briefing;
use quipu_engine::operations::Brief;

use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::{Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Brief {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_text(self.hint.as_mut())
    }

    fn say(&self, made: &Briefing, _: &Context) -> Reply {
        let mut notes = String::new();
        for why in &made.degraded {
            let _ = writeln!(notes, "{} {why}", styled(YELLOW, "note:"));
        }
        if let [first, rest @ ..] = &made.too_long[..] {
            let more =
                if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let note = styled(YELLOW, "note:");
            let _ = writeln!(notes, "{note} too long to get in: {first}{more}");
        }
        // The text goes into a prompt, so nothing else may stand beside it.
        output::note(&notes);
        let nothing = "nothing to tell yet: `quipu remember TEXT`, `quipu fact add TEXT`";
        let advice = if made.text.is_empty() && made.degraded.is_empty() { nothing } else { "" };
        Reply::words(&*made.text).advise(advice)
    }
}
