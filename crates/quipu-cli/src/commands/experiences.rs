//! `quipu experiences …`.

use std::fmt::Write as _;

use quipu_core::text;
use quipu_engine::operations::{
    AddedExperience, ExperiencesAdd, ExperiencesImport, ExperiencesList, ExperiencesQuery,
    FoundExperiences, ImportedExperiences, ListedExperiences,
};

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// A longer text is told by its beginning.
const LONGEST: usize = 500;

impl Spoken for ExperiencesQuery {
    fn say(&self, found: &FoundExperiences, _: &Context) -> Reply {
        let mut shown = String::new();
        for one in &found.results {
            let _ = writeln!(
                shown,
                "{:.2} {} [{}] {}",
                one.score,
                styled(CYAN, &one.id),
                one.category,
                text::ellipsis(&text::collapse_whitespace(&one.text), LONGEST)
            );
        }
        if let Some(advice) = &found.advice {
            let _ = writeln!(shown, "nothing found: {advice}");
        }
        Reply::words(shown)
    }
}

impl Spoken for ExperiencesList {
    fn say(&self, all: &ListedExperiences, _: &Context) -> Reply {
        let mut shown = String::new();
        for one in &all.experiences {
            let _ = writeln!(
                shown,
                "{} {} [{}] {}",
                styled(DIM, one.time.strftime("%Y-%m-%d")),
                styled(CYAN, &one.id),
                one.category,
                text::ellipsis(&text::collapse_whitespace(&one.text), LONGEST)
            );
        }
        if all.count > self.limit {
            let more = format!("{} older ones: `--limit`", all.count - self.limit);
            let _ = writeln!(shown, "{}", styled(DIM, more));
        }
        if all.count == 0 {
            shown.push_str("no experiences yet\n");
        }
        Reply::words(shown)
    }
}

impl Spoken for ExperiencesAdd {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_text(Some(&mut self.text))
    }

    fn say(&self, output: &AddedExperience, _: &Context) -> Reply {
        match output {
            AddedExperience::Added { id, dry_run, .. } => {
                let verb = if *dry_run { "would add" } else { "added" };
                Reply::words(format!("{verb} {}\n", styled(CYAN, id)))
            }
            AddedExperience::Known { like, similarity, .. } => {
                let shown = format!(
                    "{} {} says nearly the same ({similarity:.2})\n",
                    styled(YELLOW, "not added:"),
                    styled(CYAN, like)
                );
                Reply::words(shown).advise("--force adds it all the same")
            }
        }
    }
}

impl Spoken for ExperiencesImport {
    fn say(&self, done: &ImportedExperiences, _: &Context) -> Reply {
        let verb = if done.dry_run { "would take over" } else { "took over" };
        let mut shown = format!("{verb} {} experiences\n", done.ids.len());
        if done.refused > 0 {
            let _ = writeln!(shown, "{} secret or empty, left out", done.refused);
        }
        Reply::words(shown)
    }
}
