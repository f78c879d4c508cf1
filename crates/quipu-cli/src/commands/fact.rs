//! `quipu fact`.

use std::fmt::Write as _;

use quipu_core::contradict::{Candidate, Near};
use quipu_core::fact::TierLabel;
use quipu_core::text::counted;
use quipu_engine::operations::{
    ArchivedFacts, Changed, FactAdd, FactAdded, FactArchive, FactCore, FactList, FactReactivate,
    FactSupersede, FactTier, Facts, ReactivatedFacts, Superseded, TierSet, Written,
};
use quipu_engine::report::FactRow;

use super::near::{candidate_words, near_words, other_near_words};
use crate::context::Context;
use crate::error::CommandError;
use crate::layout;
use crate::reply::{CYAN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for FactAdd {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_words(&mut self.text, &mut self.more)
    }

    fn say(&self, output: &FactAdded, _: &Context) -> Reply {
        let written = match output {
            FactAdded::Undecided { candidates, choices, nearest, .. } => {
                return undecided(candidates, choices, nearest, self.agree || self.raise);
            }
            FactAdded::AlreadyThere { id, .. } => {
                return Reply::words(format!("already there: {}\n", styled(CYAN, id)));
            }
            FactAdded::Written(written) => written,
        };
        let Written { id, section, is_new_section, supersedes, thread, .. } = &written.done;
        let new = if *is_new_section { "the new section " } else { "" };
        let mut done = format!("added {} to {new}{section}", styled(CYAN, id));
        if let Some(old) = supersedes {
            let _ = write!(done, ", superseding {}", styled(CYAN, old));
        }
        if let Some(thread) = thread {
            let _ = write!(done, "; raised {}", styled(CYAN, thread));
        }
        let mut reply = super::changed_words(&done, written);
        reply.text.push_str(&near_words(&written.done.nearest));
        reply
    }
}

impl Spoken for FactList {
    fn say(&self, output: &Facts, _: &Context) -> Reply {
        Reply::words(listed(&output.facts, "facts"))
    }
}

impl Spoken for FactSupersede {
    fn say(&self, output: &Changed<Superseded>, _: &Context) -> Reply {
        let old = styled(CYAN, &output.done.superseded);
        let done = match &output.done.by {
            Some(new) => format!("superseded {old} by {}", styled(CYAN, new)),
            None => format!("marked {old} as no longer true"),
        };
        super::changed_words(&done, output)
    }
}

impl Spoken for FactCore {
    fn say(&self, output: &Changed<TierSet>, _: &Context) -> Reply {
        let done = format!("made {} core: it never decays", styled(CYAN, &self.id));
        super::changed_words(&done, output)
    }
}

impl Spoken for FactTier {
    fn say(&self, output: &Changed<TierSet>, _: &Context) -> Reply {
        let id = styled(CYAN, &self.id);
        let done = match output.done.tier {
            Some(tier) => format!("set {id} to {tier}, held by a person"),
            None => format!("gave the tier of {id} back to the rules"),
        };
        super::changed_words(&done, output)
    }
}

impl Spoken for FactArchive {
    fn say(&self, output: &Changed<ArchivedFacts>, _: &Context) -> Reply {
        let done = format!("archived {}", styled(CYAN, self.ids.join(", ")));
        super::changed_words(&done, output)
    }
}

impl Spoken for FactReactivate {
    fn say(&self, output: &Changed<ReactivatedFacts>, _: &Context) -> Reply {
        let done = format!("brought back {}", styled(CYAN, self.ids.join(", ")));
        super::changed_words(&done, output)
    }
}

/// Tells what the fact may contradict, and what the caller can do about it.
pub(super) fn undecided(
    candidates: &[Candidate],
    choices: &[&str],
    nearest: &[Near],
    has_chosen: bool,
) -> Reply {
    let mut text =
        format!("{} it may conflict with what is known:\n", styled(YELLOW, "not added:"));
    text.push_str(&candidate_words(candidates));
    text.push_str(&other_near_words(nearest, candidates));
    text.push_str("choose, and run it again with one of:\n");
    if has_chosen {
        text.insert_str(0, "a core fact is concerned: --agree and --raise are not enough\n");
    }
    for choice in choices {
        let (flag, meaning) = match *choice {
            "raise" => ("--raise", "not clear: write it and open a Contradiction thread"),
            "agree" => ("--agree", "they agree: write it"),
            "confirm_core" => {
                ("--confirm-core", "a core fact is concerned, and a person confirmed the new one")
            }
            _ => ("--supersedes ID", "it replaces that fact"),
        };
        let _ = writeln!(text, "  {flag:<16} {meaning}");
    }
    Reply::words(text)
}

/// Returns facts or threads, each with its words first.
pub(crate) fn listed(rows: &[FactRow], what: &str) -> String {
    if rows.is_empty() {
        return format!("no {what}\n");
    }
    let mut text = String::new();
    for row in rows {
        let box_of = match row.state {
            "done" => "[x] ",
            "open" => "[ ] ",
            _ => "",
        };
        layout::entry(&mut text, &format!("{box_of}{}", row.title), &standing(row));
    }
    text
}

/// Returns a fact's id, tier and uses.
fn standing(row: &FactRow) -> Vec<String> {
    let label = row.tier.as_ref().map_or("no tier", TierLabel::as_str);
    let tier = match &row.computed_tier {
        Some(computed) if computed.as_str() != label => format!("{label}, soon {computed}"),
        _ => label.to_owned(),
    };
    let mut about = vec![row.id.clone(), tier.clone()];
    if matches!(row.state, "archived" | "superseded") && tier != row.state {
        about.push(row.state.to_owned());
    }
    about.push(match row.sessions_since_last_use {
        Some(since) if since.0 == 0 => {
            format!("used {}, last in the newest session", times(row.uses))
        }
        Some(since) => format!("used {}, last {} ago", times(row.uses), counted(since, "session")),
        None => "not used yet".to_owned(),
    });
    about
}

/// Returns how often something was done.
pub(super) fn times(number: usize) -> String {
    if number == 1 { "once".to_owned() } else { counted(number, "time") }
}
