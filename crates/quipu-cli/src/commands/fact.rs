//! `quipu fact`.

use std::fmt::Write as _;

use quipu_core::contradict::Candidate;
use quipu_core::fact::{Tier, TierLabel};
use quipu_engine::operations::{
    ArchivedFacts, Changed, FactAdd, FactAdded, FactArchive, FactCore, FactList, FactReactivate,
    FactSupersede, FactTier, Facts, ReactivatedFacts, Superseded, TierSet, Written,
};
use quipu_engine::report::FactRow;

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{BOLD, CYAN, DIM, Reply, YELLOW, styled, table};
use crate::spoken::Spoken;

impl Spoken for FactAdd {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_text(Some(&mut self.text))
    }

    fn say(&self, output: &FactAdded, _: &Context) -> Reply {
        let written = match output {
            FactAdded::Undecided { candidates, choices, .. } => {
                return undecided(candidates, choices, self.agree || self.raise);
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
        super::changed_words(&done, written)
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
fn undecided(candidates: &[Candidate], choices: &[&str], has_chosen: bool) -> Reply {
    let mut text =
        format!("{} it may conflict with what is known:\n", styled(YELLOW, "not added:"));
    for candidate in candidates {
        let mark = if candidate.is_core { " (core)" } else { "" };
        let _ = writeln!(
            text,
            "  {}{}  {}",
            styled(CYAN, &candidate.id),
            styled(BOLD, mark),
            first_line(&candidate.text)
        );
        let _ = writeln!(text, "      {}", styled(DIM, candidate.reasons.join("; ")));
    }
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

fn first_line(text: &str) -> String {
    quipu_core::text::ellipsis(text.lines().next().unwrap_or_default(), 100)
}

/// Returns a table of facts or threads.
pub(crate) fn listed(rows: &[FactRow], what: &str) -> String {
    if rows.is_empty() {
        return format!("no {what}\n");
    }
    let cells = |row: &FactRow| {
        let since = row.sessions_since_last_use.map_or("–".to_owned(), |since| since.to_string());
        let label = row.tier.as_ref().map_or("–", TierLabel::as_str);
        let tier = match &row.computed_tier {
            Some(computed) if computed.as_str() != label => format!("{label}→{computed}"),
            _ => label.to_owned(),
        };
        let tier = match row.state {
            "done" => format!("{tier} [x]"),
            "open" => format!("{tier} [ ]"),
            "archived" if tier != Tier::Archived.as_str() => format!("{tier} (archived)"),
            _ => tier,
        };
        vec![row.id.clone(), tier, row.uses.to_string(), since, row.title.clone()]
    };
    table(&["id", "tier", "uses", "idle", "text"], rows.iter().map(cells).collect())
}
