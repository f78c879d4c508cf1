//! `quipu verify`.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_engine::operations::{InvariantsDue, Verified, Verify};

use crate::context::Context;
use crate::reply::{CYAN, GREEN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Verify {
    fn say(&self, output: &Verified, _: &Context) -> Reply {
        match output {
            Verified::Asked(asked) => to_confirm(asked),
            Verified::Confirmed(changed) => {
                let ids = styled(CYAN, changed.done.confirmed.join(", "));
                super::changed_words(&format!("{} confirmed {ids}", changed.done.by), changed)
            }
        }
    }
}

fn to_confirm(asked: &InvariantsDue) -> Reply {
    let mut text = String::new();
    let state = if asked.due { styled(YELLOW, "due") } else { styled(GREEN, "not due") };
    let _ = writeln!(
        text,
        "confirmation by a person is {state}: {} since the last",
        counted(asked.sessions_since, "session")
    );
    for invariant in &asked.invariants {
        let _ = writeln!(text, "  {}  {}", styled(CYAN, &invariant.id), invariant.title);
    }
    if asked.invariants.is_empty() {
        text.push_str("  there is no core fact, invariant or vision yet\n");
    }
    Reply::words(text).advise(
        "when a person has confirmed them: `quipu verify ID… --by NAME`, or `quipu verify --all --by NAME`",
    )
}
