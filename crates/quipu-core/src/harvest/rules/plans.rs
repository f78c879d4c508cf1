//! Roadmaps: what is open, what is done, what was given up.

use super::{Reader, is_top_item, words_of};
use crate::harvest::page::{Block, Shape, unstruck};
use crate::harvest::status::{Standing, is_struck};
use crate::harvest::words;
use crate::harvest::{Kind, LONGEST, Proposal, Status};
use crate::outline::Checkbox;
use crate::prose::{first_sentences, word_count};

impl Reader<'_> {
    pub(super) fn has_boxes(&self) -> bool {
        let is_box = |block: &Block| {
            matches!(block.shape, Shape::Item { checkbox: Checkbox::Open | Checkbox::Done, .. })
        };
        self.part.blocks.iter().any(is_box)
    }

    pub(super) fn plans(&self) -> Vec<Proposal> {
        let blocks = self.part.blocks.iter().filter(|block| is_top_item(block));
        blocks
            .filter_map(|block| {
                let said = first_sentences(&words_of(block), 1, LONGEST);
                let is_said = word_count(&said) >= 1
                    && !words::is_hole(&said)
                    && said.chars().any(char::is_alphabetic);
                is_said.then(|| {
                    // What was decided on the way is more than a plan.
                    if words::is_decided(&said) {
                        return self.proposal(
                            Kind::Decision,
                            &said,
                            block,
                            "it says that it was decided",
                        );
                    }
                    self.plan(&said, block, self.plan_status(block))
                })
            })
            .collect()
    }

    /// Returns a plan, with the heading that says when.
    pub(super) fn plan(&self, said: &str, block: &Block, status: Status) -> Proposal {
        let heading = words::bare_title(&self.part.title);
        let when = if heading.is_empty() || self.is_title() {
            String::new()
        } else {
            format!(" ({heading})")
        };
        let text = format!("Roadmap{when}: {said}");
        let why = match status {
            Status::Done => "an item of a roadmap that is done",
            Status::Accepted => "an open item of a roadmap",
            _ => "an item of a roadmap that was given up",
        };
        let mut proposal = self.proposal(Kind::Plan, &text, block, why);
        said.clone_into(&mut proposal.name);
        proposal.status = status;
        proposal
    }

    fn plan_status(&self, block: &Block) -> Status {
        let raw = block.raw.trim_start();
        let told = Standing::of_block(block);
        if matches!(block.shape, Shape::Item { checkbox: Checkbox::Done, .. })
            || ["✅", "✔", "☑", "🎉"].iter().any(|mark| raw.starts_with(mark))
            || (told.told.is_some() && told.status() == Status::Accepted)
        {
            return Status::Done;
        }
        let is_given_up = is_struck(&block.raw)
            || told.status().is_over()
            || ["❌", "🚫", "🗑"].iter().any(|mark| unstruck(raw).starts_with(mark))
            || words::is_dropped(&self.part.title);
        if is_given_up {
            Status::Rejected
        } else if words::is_past(&self.part.title) {
            Status::Done
        } else {
            Status::Accepted
        }
    }
}
