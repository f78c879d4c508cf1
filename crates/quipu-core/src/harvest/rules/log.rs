//! Logs and minutes: entries, and lines that are labelled as decisions.

use super::{
    Reader, begins_with_date, is_date, is_top_item, is_worth, standing_as, with_reason, words_of,
};
use crate::harvest::label::{is_about, labels};
use crate::harvest::likeness::shared;
use crate::harvest::page::{Block, Shape, plain, unstruck};
use crate::harvest::record::{self, titled};
use crate::harvest::status::{Standing, banner, without_remark};
use crate::harvest::words::{self, Role, words};
use crate::harvest::{Kind, LONGEST, Proposal};
use crate::prose::{first_sentences, word_count};

impl Reader<'_> {
    /// Returns what lines such as `Decision: …` say.
    pub(super) fn labelled(&self) -> Option<Vec<Proposal>> {
        let all: Vec<(&Block, String, String)> = (self.part.blocks.iter())
            .filter(|block| block.shape != Shape::Aside)
            .flat_map(|block| {
                labels(block).into_iter().map(move |(key, value)| (block, key, value))
            })
            .collect();
        let told = |names: &[&str]| {
            all.iter().filter(|(_, key, _)| names.contains(&key.as_str())).collect::<Vec<_>>()
        };
        let decisions = told(&words().decision_labels);
        if decisions.is_empty() {
            return None;
        }
        let standing = Standing::of_entry(self.page, self.at);
        let reason = told(&words().reason_labels).first().map(|(.., value)| plain(value));
        let single = decisions.len() == 1;
        let title = without_remark(&self.part.raw);
        let title = words::bare_title(&title);
        let found = decisions.into_iter().filter_map(|(block, _, value)| {
            let said = self.value_below(block, value);
            // A date alone says when, not what.
            if word_count(&said) < 2 || !said.chars().any(char::is_alphabetic) || !is_worth(&said) {
                return None;
            }
            let is_entry = single
                && (self.place.is_record() || (self.part.level > 1 && !self.is_title()))
                && words::role(title) == Role::Other
                && !is_date(title);
            let text = if is_entry && word_count(title) >= 2 && shared(title, &said) < 60 {
                titled(title, &said)
            } else {
                said
            };
            let text = with_reason(&text, reason.as_deref().filter(|_| single));
            let proposal =
                self.proposal(Kind::Decision, &text, block, "it is labelled as a decision");
            Some(standing_as(proposal, &standing.clone().or(Standing::of_block(block))))
        });
        Some(found.collect())
    }

    /// Returns what a label says: on its line, or in the list or paragraph below it.
    fn value_below(&self, block: &Block, value: &str) -> String {
        let value = plain(value);
        if word_count(&value) > 0 {
            return first_sentences(&value, 2, LONGEST);
        }
        let below = self.part.blocks.iter().skip_while(|other| other.line <= block.line);
        let mut below = below.filter(|other| !is_about(other)).peekable();
        let is_list = below.peek().is_some_and(|first| record::is_item(first));
        let count = if is_list { 4 } else { 1 };
        let parts: Vec<String> = below
            .take_while(|other| record::is_item(other) == is_list)
            .take(count)
            .map(|other| first_sentences(&plain(&other.raw), 2, LONGEST))
            .collect();
        parts.join("; ")
    }

    /// Returns the decision of a heading such as `Decision: only squash merges`.
    pub(super) fn decided_title(&self) -> Option<Vec<Proposal>> {
        let title = without_remark(&self.part.raw);
        let title = words::decided_title(words::bare_title(&title))?;
        let prose =
            self.part.blocks.iter().find(|block| record::is_prose(block) && !is_about(block));
        let said =
            prose.map(|block| first_sentences(&plain(&block.raw), 2, LONGEST)).unwrap_or_default();
        let text = match said.as_str() {
            "" => title.to_owned(),
            said if shared(title, said) >= 60 => said.to_owned(),
            said => titled(title, said),
        };
        if !is_worth(&text) {
            return Some(Vec::new());
        }
        let block = Block { shape: Shape::Paragraph, raw: text.clone(), line: self.part.line };
        let proposal = self.proposal(
            Kind::Decision,
            &text,
            prose.unwrap_or(&block),
            "its heading says that it was decided",
        );
        Some(vec![standing_as(proposal, &Standing::of_entry(self.page, self.at))])
    }

    /// Returns the entry of a decision log that the part is.
    pub(super) fn entry(&self) -> Option<Vec<Proposal>> {
        let parent = self.parent().map_or(Role::Other, |part| words::role(&part.title));
        let in_log = (self.habit.is_log && !self.is_title()) || parent == Role::Decisions;
        if self.habit.is_log && self.is_title() {
            let dated = self.dated_blocks();
            return (!dated.is_empty()).then_some(dated);
        }
        if !in_log || self.role == Role::Status {
            return None;
        }
        if self.role == Role::Decision {
            return self.decision_below_entry();
        }
        if self.role != Role::Other {
            return Some(Vec::new());
        }
        let title = without_remark(&self.part.raw);
        let title = words::bare_title(&title).trim_end_matches([' ', '-', '–', '—', ':']);
        let has_items = self.part.blocks.iter().any(is_top_item);
        let is_grouping = is_date(title) || (word_count(title) < 2 && has_items);
        if is_grouping {
            return Some(self.items(Kind::Decision, "an entry of a decision log"));
        }
        let has_decision_below = self.page.below(self.at).any(|part| {
            words::role(&part.title) == Role::Decision
                || words::decided_title(&part.title).is_some()
        });
        if has_decision_below {
            return Some(Vec::new());
        }
        let said = self.said_by_entry();
        let block = said.as_ref().map(|(block, _)| *block);
        let text = match &said {
            Some((_, said)) if shared(title, said) >= 60 => said.clone(),
            Some((_, said)) => titled(title, said),
            // A title alone may say it all.
            None if word_count(title) >= 3 && begins_with_date(&self.part.title) => {
                title.to_owned()
            }
            None => return Some(Vec::new()),
        };
        let own = Block { shape: Shape::Paragraph, raw: text.clone(), line: self.part.line };
        let mut proposal = self.proposal(
            Kind::Decision,
            &text,
            block.unwrap_or(&own),
            "an entry of a decision log",
        );
        title.clone_into(&mut proposal.name);
        Some(vec![standing_as(proposal, &Standing::of_entry(self.page, self.at))])
    }

    /// Returns the lines and paragraphs of a log that begin with a date.
    fn dated_blocks(&self) -> Vec<Proposal> {
        let is_dated = |block: &&Block| {
            !matches!(block.shape, Shape::Row { .. }) && begins_with_date(&unstruck(&block.raw))
        };
        let blocks = self.part.blocks.iter().filter(is_dated);
        blocks
            .filter_map(|block| {
                let said = words_of(block);
                let text = first_sentences(words::bare_title(&said), 2, LONGEST);
                (word_count(&text) >= 2 && is_worth(&text)).then(|| {
                    let proposal =
                        self.proposal(Kind::Decision, &text, block, "an entry of a decision log");
                    standing_as(proposal, &Standing::of_block(block))
                })
            })
            .collect()
    }

    /// Returns the first words of an entry that are about its subject.
    fn said_by_entry(&self) -> Option<(&Block, String)> {
        let is_own = |block: &&Block| {
            let is_note = block.shape == Shape::Aside || banner(&block.raw).is_some();
            let is_row = matches!(block.shape, Shape::Row { .. });
            word_count(&block.raw) >= 2 && !is_about(block) && !is_note && !is_row
        };
        let block = self.part.blocks.iter().find(is_own)?;
        let said = first_sentences(&plain(&unstruck(&block.raw)), 2, LONGEST);
        (is_worth(&said) && !said.ends_with(['?', '？'])).then_some((block, said))
    }

    /// Returns the decision of an entry that has sections of its own.
    fn decision_below_entry(&self) -> Option<Vec<Proposal>> {
        let parent = self.parent_at();
        let title = parent.map(|at| without_remark(&self.page.parts[at].raw)).unwrap_or_default();
        let title = words::bare_title(&title);
        let block = self
            .part
            .blocks
            .iter()
            .find(|block| word_count(&block.raw) >= 2 && !is_about(block))?;
        let said = first_sentences(&plain(&block.raw), 2, LONGEST);
        if !is_worth(&said) {
            return Some(Vec::new());
        }
        let text = if title.is_empty() || shared(title, &said) >= 60 {
            said
        } else {
            titled(title, &said)
        };
        let mut proposal =
            self.proposal(Kind::Decision, &text, block, "an entry of a decision log");
        // Sections of entries are called the same; the entry is what one looks for.
        if let Some(at) = parent {
            proposal.source = self.place.source(&self.page.parts[at].title);
        }
        if word_count(title) > 1 {
            title.clone_into(&mut proposal.name);
        }
        let standing = parent.map(|at| Standing::of_entry(self.page, at)).unwrap_or_default();
        Some(vec![standing_as(proposal, &standing)])
    }
}
