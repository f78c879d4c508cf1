//! `quipu why`.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_engine::numbers::Numbers;
use quipu_engine::operations::{Explained, Why};

use crate::context::Context;
use crate::reply::{CYAN, DIM, GREEN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Why {
    fn say(&self, explained: &Explained, _: &Context) -> Reply {
        let why = &explained.why;
        let mut text = String::new();
        let label = why.label.as_deref().unwrap_or("nothing");
        let tier = why.tier.as_deref().unwrap_or(label);
        let _ =
            writeln!(text, "{} is {}: {}", styled(CYAN, &why.id), styled(GREEN, tier), why.because);
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
            let _ = writeln!(
                text,
                "  named by {}: {}",
                counted(why.uses, "session"),
                why.sessions.join(", ")
            );
        }
        for seen in &explained.seen {
            let _ = writeln!(text, "  used in {}: {}", seen.session, seen.evidence);
        }
        // A fact fades by counting sessions; what time leaves of a memory does not concern it.
        if let Some(numbers) = explained.numbers.as_ref().filter(|_| !why.is_counted) {
            life(&mut text, numbers);
        }
        Reply::words(text)
    }
}

/// Tells what is left of a memory, and what its importance is made of.
fn life(text: &mut String, numbers: &Numbers) {
    let retention = &numbers.retention;
    let age = counted(retention.age_days.round(), "day");
    let fades = retention.half_life_days.map_or_else(
        || format!("what is {} does not fade with time", numbers.layer),
        |days| format!("{age} old; half of it fades in {}", counted(days.round(), "day")),
    );
    let _ = writeln!(text, "  fading: {fades}");
    let _ = writeln!(
        text,
        "  retention {:.2}: {:.2} left by time + {:.2} for {}",
        retention.value,
        retention.decayed,
        retention.reinforcement,
        counted(numbers.uses, "use")
    );
    let _ = writeln!(text, "  importance {:.2}:", numbers.importance.value);
    for term in &numbers.importance.terms {
        let sum = format!("{:.2} × {:.2} = {:.3}", term.value, term.weight, term.part);
        let _ = writeln!(text, "    {:<14}{}", term.name, styled(DIM, sum));
    }
    if numbers.pinned {
        text.push_str("  pinned: nothing touches it\n");
    }
    if let Some(layer) = numbers.earned {
        let _ = writeln!(text, "  has earned the layer {layer}");
    }
    if numbers.may_be_archived {
        text.push_str("  old, faded, unimportant and unused enough to be put away\n");
    }
}
