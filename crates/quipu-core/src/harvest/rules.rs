//! Documents about many things: decision logs, roadmaps, design documents, guides for contributors.

mod columns;
mod habit;
mod log;
mod plans;

use self::columns::Columns;
use self::habit::Habit;
use super::label::is_about;
use super::page::{Block, Page, Part, Shape, plain};
use super::place::Place;
use super::record::{stopped, title_of, titled, with_standing};
use super::status::{Standing, is_struck, without_remark};
use super::words::{self, Role};
use super::{Kind, LONGEST, MOST_PLANS, MOST_RULES, Proposal, Reading, Status, silent};
use crate::harvest::likeness::shared;
use crate::prose::{first_sentences, sentences, word_count};

/// A record has no more rules beside its decision.
const MOST_BESIDE: usize = 5;

/// Returns what a document says that should be known.
pub(super) fn read(place: &Place<'_>, page: &Page) -> Reading {
    let mut habit = Habit::of(place, page);
    if habit.is_silent {
        return Reading::default();
    }
    let standing = Standing::of_document(page);
    if standing.is_template {
        return silent("it is a template");
    }
    habit.is_approved = standing.told.is_some() && standing.status().holds();
    let mut found = Vec::new();
    let mut skipped_below: Option<u8> = None;
    let mut over: Option<(u8, Standing)> = None;
    for (at, part) in page.parts.iter().enumerate() {
        if skipped_below.is_some_and(|level| part.level > level) {
            continue;
        }
        skipped_below = None;
        over = over.filter(|(level, _)| part.level > *level);
        let role = words::role(&part.title);
        let reader = Reader { place, page, part, at, role, habit };
        // `Superseded decisions`: what stands there held once.
        let heading = Standing::of_heading(&part.title);
        // In a guide `Review` is about how to review.
        let is_topic = habit.is_guide && part.title.eq_ignore_ascii_case("review");
        if heading.told.is_some() && over.is_none() && !habit.is_roadmap && !is_topic {
            over = Some((part.level, heading));
        }
        if let Some((_, standing)) = &over {
            found.extend(with_standing(reader.once_decided(), standing));
        } else if habit.is_roadmap
            && role != Role::NonGoals
            && (words::is_past(&part.title) || words::is_dropped(&part.title))
        {
            found.extend(reader.plans());
        } else if role == Role::Options || (habit.is_guide && words::is_lesson(&part.title)) {
            skipped_below = Some(part.level);
        } else {
            found.extend(reader.read());
        }
    }
    // A log or a roadmap is never finished; only one that is over says nothing.
    let is_living = habit.is_roadmap || habit.is_log;
    if !standing.status().holds() && (!is_living || standing.status().is_over()) {
        for proposal in found.iter_mut().filter(|proposal| proposal.status == Status::Accepted) {
            proposal.status = standing.status();
            proposal.unknown_status = standing.unknown().map(str::to_owned);
            proposal.successors.clone_from(&standing.successors);
        }
    }
    limit(&mut found, Kind::Rule, MOST_RULES);
    limit(&mut found, Kind::Plan, MOST_PLANS);
    Reading { proposals: found, silent: None }
}

/// Returns the rules and non-goals that stand in a record beside its decision.
pub(super) fn beside(
    place: &Place<'_>,
    page: &Page,
    decisive: usize,
    title: &str,
) -> Vec<Proposal> {
    let habit = Habit::default();
    let mut found = Vec::new();
    let mut skipped_below: Option<u8> = None;
    for (at, part) in page.parts.iter().enumerate() {
        if skipped_below.is_some_and(|level| part.level > level) {
            continue;
        }
        skipped_below = None;
        let role = words::role(&part.title);
        if role == Role::Options {
            skipped_below = Some(part.level);
            continue;
        }
        let reader = Reader { place, page, part, at, role, habit };
        if role == Role::NonGoals {
            found.extend(reader.non_goals(title));
        } else if at == decisive || !matches!(role, Role::Context | Role::Status | Role::Reason) {
            found.extend(reader.sentences().into_iter().filter(|found| found.kind == Kind::Rule));
        }
    }
    limit(&mut found, Kind::Rule, MOST_BESIDE);
    found
}

/// Leaves no more of a kind than a person reads; what holds no more is not counted.
fn limit(found: &mut Vec<Proposal>, kind: Kind, most: usize) {
    let mut left = most;
    found.retain(|proposal| {
        let counts = proposal.kind == kind && proposal.status == Status::Accepted;
        let is_kept = !counts || left > 0;
        left = left.saturating_sub(usize::from(counts));
        is_kept
    });
}

/// A part of a document on its way to proposals.
struct Reader<'p> {
    place: &'p Place<'p>,
    page: &'p Page,
    part: &'p Part,
    at: usize,
    role: Role,
    habit: Habit,
}

impl Reader<'_> {
    fn read(&self) -> Vec<Proposal> {
        if self.role == Role::NonGoals {
            let title = if self.habit.is_roadmap { String::new() } else { title_of(self.page) };
            return self.non_goals(&title);
        }
        let tables = self.rows();
        if !tables.is_empty() || self.habit.is_index {
            return tables;
        }
        if let Some(labelled) = self.labelled() {
            return labelled;
        }
        if let Some(titled) = self.decided_title() {
            return titled;
        }
        let listed = match self.role {
            Role::Decisions => self.listed(Kind::Decision, "it is in a list of decisions"),
            Role::Rules => self.items(Kind::Rule, "it is in a list of rules"),
            Role::Other if self.habit.is_rulebook => {
                self.items(Kind::Rule, "it is in a list of rules")
            }
            _ => Vec::new(),
        };
        if !listed.is_empty() {
            return listed;
        }
        if self.habit.is_roadmap
            && (words::is_plan(&self.part.title) || self.has_boxes() || self.is_title())
        {
            return self.plans();
        }
        if let Some(entry) = self.entry() {
            return entry;
        }
        let mut found: Vec<Proposal> = self.approved().into_iter().collect();
        found.extend(self.sentences());
        found
    }

    /// Returns what an approved design document proposes.
    fn approved(&self) -> Option<Proposal> {
        let lower = self.part.title.to_lowercase();
        let proposes = self.role == Role::Summary
            && (lower.starts_with("propos") || lower.starts_with("vorgeschlagen"));
        if !proposes || !self.habit.is_approved {
            return None;
        }
        let is_said = |block: &&Block| block.shape == Shape::Paragraph && !is_about(block);
        let block = self.part.blocks.iter().find(is_said)?;
        let said = first_sentences(&plain(&block.raw), 2, LONGEST);
        if word_count(&said) < 4 || said.ends_with([':', '?']) || !is_worth(&said) {
            return None;
        }
        let title = title_of(self.page);
        let is_titled = word_count(&title) > 1 && shared(&title, &said) < 60;
        let text = if is_titled { titled(&title, &said) } else { said };
        let why = "an approved document proposes it";
        Some(self.proposal(Kind::Decision, &text, block, why))
    }

    /// Returns what stands below a heading that says it is over.
    fn once_decided(&self) -> Vec<Proposal> {
        let rows = self.rows();
        if !rows.is_empty() {
            return rows;
        }
        let why = "it is under a heading for what no longer holds";
        let items = self.items(Kind::Decision, why);
        if items.is_empty() { self.entry().unwrap_or_default() } else { items }
    }

    fn proposal(&self, kind: Kind, text: &str, block: &Block, why: &str) -> Proposal {
        let mut proposal = self.place.proposal(kind, text, (&self.part.title, block.line), why);
        proposal.excerpt.clone_from(&block.raw);
        proposal
    }

    fn non_goals(&self, title: &str) -> Vec<Proposal> {
        let is_named = word_count(title) >= 1 && title.chars().count() < 80;
        let lead =
            if is_named { format!("Not a goal of {title}: ") } else { "Not planned: ".to_owned() };
        let why = "it is under a heading for what will not be done";
        let blocks = self.part.blocks.iter().filter(|block| is_top_item(block));
        blocks
            .filter(|block| word_count(&words_of(block)) >= 1 && !words::is_hole(&words_of(block)))
            .map(|block| {
                let text = format!("{lead}{}", first_sentences(&words_of(block), 2, LONGEST));
                let proposal = self.proposal(Kind::NonGoal, &text, block, why);
                standing_as(proposal, &Standing::of_block(block))
            })
            .collect()
    }

    fn items(&self, kind: Kind, why: &str) -> Vec<Proposal> {
        let blocks = self
            .part
            .blocks
            .iter()
            .filter(|block| is_top_item(block) && !is_link(block) && !is_about(block));
        blocks
            .filter_map(|block| {
                let said = words_of(block);
                let text = first_sentences(words::bare_title(&said), 2, LONGEST);
                let is_said =
                    word_count(&text) >= 2 && !text.ends_with(['?', '？']) && is_worth(&said);
                let is_said = is_said && (kind != Kind::Rule || !words::is_aside(&text));
                let is_lead = text.ends_with([':', '：']);
                is_said.then(|| {
                    let text = if is_lead { self.with_items_below(&text, block) } else { text };
                    let text = if words::is_denial(&self.part.title) {
                        titled(&self.part.title, &text)
                    } else {
                        text
                    };
                    let proposal = self.proposal(kind, &text, block, why);
                    standing_as(proposal, &Standing::of_block(block))
                })
            })
            .collect()
    }

    /// Returns an item's words with those of the items below it.
    fn with_items_below(&self, lead: &str, block: &Block) -> String {
        let below = self.part.blocks.iter().skip_while(|other| other.line <= block.line);
        let below = below.take_while(|other| !is_top_item(other)).map(|other| plain(&other.raw));
        let parts: Vec<String> = below.collect();
        format!("{lead} {}", parts.join("; "))
    }

    /// Returns list items, or where there are none, paragraphs.
    fn listed(&self, kind: Kind, why: &str) -> Vec<Proposal> {
        let items = self.items(kind, why);
        let has_parts = self.page.below(self.at).next().is_some();
        if !items.is_empty() || has_parts {
            return items;
        }
        let blocks = self
            .part
            .blocks
            .iter()
            .filter(|block| block.shape == Shape::Paragraph && !is_about(block));
        let is_said =
            |said: &str| word_count(said) >= 4 && !said.ends_with([':', '?']) && is_worth(said);
        blocks
            .filter_map(|block| {
                let said = first_sentences(&plain(&block.raw), 2, LONGEST);
                is_said(&said).then(|| self.proposal(kind, &said, block, why))
            })
            .collect()
    }

    /// Returns the rows of tables that have a column for decisions.
    fn rows(&self) -> Vec<Proposal> {
        let mut found = Vec::new();
        let mut columns: Option<Columns> = None;
        for block in &self.part.blocks {
            let Shape::Row { cells, is_header } = &block.shape else { continue };
            if *is_header {
                columns = Columns::of(cells, self.habit.is_roadmap);
            } else if let Some(columns) = &columns
                && let Some((text, standing)) = columns.text(cells)
            {
                if columns.is_plan {
                    found.push(self.plan(&text, block, columns::plan_status(&standing)));
                } else {
                    let (kind, why) = if columns.is_rule {
                        (Kind::Rule, "a row of a table of rules")
                    } else {
                        (Kind::Decision, "a row of a table of decisions")
                    };
                    let proposal = self.proposal(kind, &text, block, why);
                    found.push(standing_as(proposal, &standing));
                }
            }
        }
        found
    }

    fn parent_at(&self) -> Option<usize> {
        (0..self.at).rev().find(|at| self.page.parts[*at].level < self.part.level)
    }

    fn parent(&self) -> Option<&Part> {
        self.parent_at().map(|at| &self.page.parts[at])
    }

    /// Tells whether the part is the document's title with what stands right below it.
    fn is_title(&self) -> bool {
        self.page
            .parts
            .iter()
            .position(|part| !part.title.is_empty())
            .is_none_or(|first| self.at <= first)
    }

    /// Returns the sentences that state a rule or a decision.
    fn sentences(&self) -> Vec<Proposal> {
        let mut found = Vec::new();
        for block in self.part.blocks.iter().filter(|block| !is_struck(&block.raw)) {
            let texts = match &block.shape {
                Shape::Row { cells, is_header: false } if self.habit.is_guide => {
                    cells.iter().map(|cell| plain(cell)).collect()
                }
                Shape::Row { .. } | Shape::Aside => Vec::new(),
                _ => vec![plain(&block.raw)],
            };
            for text in texts {
                self.sentences_of(&text, block, &mut found);
            }
        }
        found
    }

    fn sentences_of(&self, text: &str, block: &Block, found: &mut Vec<Proposal>) {
        if ["RFC 2119", "RFC2119", "BCP 14"].iter().any(|name| text.contains(name)) {
            return;
        }
        let all = sentences(text);
        let mut last = None;
        for index in 0..all.len() {
            let Some(proposal) = self.sentence(&all, index, block) else { continue };
            // What leans on the rule before it says that too.
            if last.is_some_and(|last| last + 1 == index) && words::leans_back(all[index]) {
                found.pop();
            }
            found.push(proposal);
            last = Some(index);
        }
    }

    fn sentence(&self, all: &[&str], index: usize, block: &Block) -> Option<Proposal> {
        let sentence = all[index];
        let is_rule = |sentence: &str| {
            words::is_loud_rule(sentence) || (self.habit.is_guide && words::is_quiet_rule(sentence))
        };
        let is_decided = words::is_decided(sentence);
        let is_whole = word_count(sentence) >= 3 && !sentence.ends_with([':', '?', '？', '：']);
        if !(is_rule(sentence) || is_decided) || !is_whole || !is_worth(sentence) {
            return None;
        }
        let fits = |other: &str| sentence.chars().count() + other.chars().count() < LONGEST;
        let mut whole = without_verdict(sentence);
        if words::leans_back(sentence) {
            let before = index.checked_sub(1).map(|at| all[at]).filter(|before| fits(before))?;
            whole = format!("{before} {sentence}");
        }
        let next = all.get(index + 1).filter(|next| {
            words::is_reason(next) && !is_rule(next) && !words::is_decided(next) && fits(next)
        });
        if let Some(next) = next.filter(|_| !words::has_reason(sentence)) {
            whole = format!("{whole} {next}");
        }
        let (kind, why) = if is_decided {
            (Kind::Decision, "it says that it was decided")
        } else {
            (Kind::Rule, "it says what must or must never be done")
        };
        Some(self.proposal(kind, &whole, block, why))
    }
}

/// Takes `Good, because …;` off a consequence that ends in a rule.
fn without_verdict(sentence: &str) -> String {
    let begins =
        ["Good, because", "Bad, because", "Neutral, because", "Good because", "Bad because"];
    if begins.iter().any(|verdict| sentence.starts_with(verdict))
        && let Some((_, rule)) = sentence.split_once("; ")
        && words::is_loud_rule(rule)
    {
        return rule.to_owned();
    }
    sentence.to_owned()
}

/// Returns a proposal with the standing that an entry tells.
fn standing_as(mut proposal: Proposal, standing: &Standing) -> Proposal {
    proposal.status = standing.status();
    proposal.tells_status = standing.told.is_some();
    proposal.unknown_status = standing.unknown().map(str::to_owned);
    proposal.successors.clone_from(&standing.successors);
    proposal
}

/// Returns an item's words without remarks about its status, and without signs before them.
fn words_of(block: &Block) -> String {
    let said = without_remark(&block.raw);
    said.trim_start_matches(|c: char| !c.is_alphanumeric() && !"`\"'(„“«\u{300c}@#/.".contains(c))
        .trim()
        .to_owned()
}

fn with_reason(text: &str, reason: Option<&str>) -> String {
    let Some(reason) = reason.filter(|_| !words::has_reason(text)) else { return text.to_owned() };
    let reason = first_sentences(reason, 1, LONGEST);
    let whole = format!("{} Why: {reason}", stopped(text));
    let is_told = word_count(&reason) >= 1 && whole.chars().count() <= LONGEST;
    if is_told { whole } else { text.to_owned() }
}

fn is_top_item(block: &Block) -> bool {
    matches!(block.shape, Shape::Item { indent, .. } if indent < 2)
}

fn links_to_record(raw: &str) -> bool {
    raw.contains("](") && [".md", ".adoc", ".rst"].iter().any(|end| raw.contains(end))
}

/// Tells whether an item is a line of an index.
fn is_link(block: &Block) -> bool {
    links_to_record(&block.raw) && block.raw.trim_start().starts_with(['[', '*'])
}

fn begins_with_date(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let date: String =
        text.chars().take_while(|c| c.is_ascii_digit() || "-./".contains(*c)).collect();
    date.chars().filter(char::is_ascii_digit).count() >= 5 && date.contains(['-', '.', '/'])
}

fn is_date(title: &str) -> bool {
    let letters = title.chars().filter(|c| c.is_alphabetic()).count();
    let digits = title.chars().filter(char::is_ascii_digit).count();
    digits >= 4
        && (letters == 0 || (letters <= 9 && word_count(title) <= 3 && begins_with_month(title)))
}

/// Tells whether a title such as `March 2024` or `12 mai 2024` is a month of a year.
fn begins_with_month(title: &str) -> bool {
    let lower = title.to_lowercase();
    let months = [
        "jan", "feb", "fév", "mar", "mär", "apr", "avr", "abr", "may", "mai", "mag", "jun", "jui",
        "giu", "jul", "lug", "aug", "aoû", "ago", "sep", "set", "oct", "okt", "out", "ott", "nov",
        "dec", "dez", "déc", "dic", "ene", "gen",
    ];
    lower.split_whitespace().any(|word| months.iter().any(|month| word.starts_with(month)))
}

/// Tells whether a text is more than a placeholder.
fn is_worth(text: &str) -> bool {
    let holes = ["{", "TODO", "TBD", "[insert", "Lorem ipsum", "…}"];
    word_count(text) >= 2
        && !holes.iter().any(|hole| text.contains(hole))
        && !words::is_hole(text)
        && !words::is_leftover(text)
}
