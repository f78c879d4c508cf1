//! Documents about many things: decision logs, roadmaps, design documents, guides for contributors.

use super::page::{Block, Page, Part, Shape, plain};
use super::record::{label, titled};
use super::sentence::{first_sentences, sentences, shared, word_count};
use super::words::{self, Role};
use super::{Kind, LONGEST, MOST_PLANS, MOST_RULES, Place, Proposal, Status};
use crate::outline::Checkbox;

/// Returns what a document says that should be known.
pub(super) fn read(place: &Place<'_>, page: &Page) -> Vec<Proposal> {
    let stem = place.stem();
    let title = page.title().unwrap_or_default().to_lowercase();
    let is_named =
        |names: &[&str]| names.iter().any(|name| stem.contains(name) || title.contains(name));
    // A glossary says what words mean, whatever the words.
    if is_named(&["glossar", "glosario"]) {
        return Vec::new();
    }
    let habit = Habit {
        is_log: is_named(&["decision", "entscheidung", "decisiones", "décisions", "decisões"]),
        is_roadmap: is_named(&[
            "roadmap",
            "backlog",
            "fahrplan",
            "hoja de ruta",
            "hoja-de-ruta",
            "feuille de route",
            "feuille-de-route",
        ]) || stem == "todo",
        is_guide: is_named(&[
            "contribut",
            "convention",
            "guideline",
            "principle",
            "architecture",
            "style",
            "beitragen",
            "richtlinie",
            "contribuir",
            "convencion",
            "contribuer",
            "arquitectura",
            "architektur",
            "invariant",
            "ground rules",
        ]),
    };
    let mut found = Vec::new();
    let mut skipped_below: Option<u8> = None;
    for (at, part) in page.parts.iter().enumerate() {
        if skipped_below.is_some_and(|level| part.level > level) {
            continue;
        }
        skipped_below = None;
        let role = words::role(&part.title);
        if role == Role::Options || (habit.is_roadmap && words::is_past(&part.title)) {
            skipped_below = Some(part.level);
            continue;
        }
        let reader = Reader { place, page, part, at, role, habit };
        found.extend(reader.read());
    }
    limit(&mut found, Kind::Rule, MOST_RULES);
    limit(&mut found, Kind::Plan, MOST_PLANS);
    found
}

/// Leaves no more of a kind than a person reads.
fn limit(found: &mut Vec<Proposal>, kind: Kind, most: usize) {
    let mut left = most;
    found.retain(|proposal| {
        let is_kept = proposal.kind != kind || left > 0;
        left = left.saturating_sub(usize::from(proposal.kind == kind));
        is_kept
    });
}

/// What sort of document it is.
#[derive(Clone, Copy)]
struct Habit {
    is_log: bool,
    is_roadmap: bool,
    is_guide: bool,
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
            return self.items(Kind::NonGoal, "it stands under what is not going to be done");
        }
        let tables = self.rows();
        if !tables.is_empty() {
            return tables;
        }
        if let Some(labelled) = self.labelled() {
            return labelled;
        }
        if self.role == Role::Decisions {
            let items = self.items(Kind::Decision, "it stands in a list of decisions");
            if !items.is_empty() {
                return items;
            }
        }
        if self.habit.is_roadmap && (words::is_plan(&self.part.title) || self.has_boxes()) {
            return self.plans();
        }
        if let Some(entry) = self.entry() {
            return entry;
        }
        self.sentences()
    }

    /// Returns where the part's blocks are, for a pointer.
    fn heading(&self) -> &str {
        &self.part.title
    }

    fn proposal(&self, kind: Kind, text: &str, block: &Block, why: &str) -> Proposal {
        let mut proposal = self.place.proposal(kind, text, (self.heading(), block.line), why);
        proposal.excerpt.clone_from(&block.raw);
        proposal
    }

    fn items(&self, kind: Kind, why: &str) -> Vec<Proposal> {
        let lead = if kind == Kind::NonGoal { "Not planned: " } else { "" };
        let blocks = self.part.blocks.iter().filter(|block| is_top_item(block) && !is_link(block));
        blocks
            .filter(|block| word_count(&plain(&block.raw)) >= 2)
            .map(|block| {
                let text = format!("{lead}{}", first_sentences(&plain(&block.raw), 2, LONGEST));
                let mut proposal = self.proposal(kind, &text, block, why);
                if block.raw.trim_start().starts_with("~~") {
                    proposal.status = Status::Superseded;
                }
                proposal
            })
            .filter(|proposal| is_worth(&proposal.text))
            .collect()
    }

    /// Returns the rows of tables that have a column for decisions.
    fn rows(&self) -> Vec<Proposal> {
        let mut found = Vec::new();
        let mut columns: Option<Columns> = None;
        for block in &self.part.blocks {
            let Shape::Row { cells, is_header } = &block.shape else { continue };
            if *is_header {
                columns = Columns::of(cells);
            } else if let Some(columns) = &columns
                && let Some((text, status)) = columns.text(cells)
            {
                let why = "a row of a table of decisions";
                let mut proposal = self.proposal(Kind::Decision, &text, block, why);
                proposal.status = status;
                found.push(proposal);
            }
        }
        found
    }

    /// Returns what lines such as `Decision: …` say.
    fn labelled(&self) -> Option<Vec<Proposal>> {
        let labels: Vec<(&Block, String, String)> = (self.part.blocks.iter())
            .filter(|block| !matches!(block.shape, Shape::Row { .. }))
            .filter_map(|block| label(block).map(|(key, value)| (block, key, value)))
            .collect();
        let told = |names: &[&str]| {
            labels.iter().filter(|(_, key, _)| names.contains(&key.as_str())).collect::<Vec<_>>()
        };
        let decisions = told(words::DECISION_LABELS);
        if decisions.is_empty() {
            return None;
        }
        let status =
            told(words::STATUS_LABELS).first().and_then(|(.., value)| words::status(value));
        let reason = told(words::REASON_LABELS).first().map(|(.., value)| plain(value));
        let single = decisions.len() == 1;
        let title = words::bare_title(&self.part.title);
        let found = decisions.into_iter().filter_map(|(block, _, value)| {
            let said = first_sentences(&plain(value), 2, LONGEST);
            // A date alone says when, not what.
            if word_count(&said) < 2 || !said.chars().any(char::is_alphabetic) {
                return None;
            }
            let is_entry = single && self.part.level > 1 && words::role(title) == Role::Other;
            let text = if is_entry && word_count(title) >= 2 && shared(title, &said) < 60 {
                titled(title, &said)
            } else {
                said
            };
            let text = with_reason(&text, reason.as_deref().filter(|_| single));
            let mut proposal =
                self.proposal(Kind::Decision, &text, block, "it is labelled as a decision");
            proposal.status = status.unwrap_or(Status::Accepted);
            Some(proposal)
        });
        Some(found.collect())
    }

    /// Returns the entry of a decision log that the part is.
    fn entry(&self) -> Option<Vec<Proposal>> {
        let parent = self.parent().map_or(Role::Other, |part| words::role(&part.title));
        let in_log = (self.habit.is_log && self.part.level >= 2) || parent == Role::Decisions;
        if !in_log || self.role == Role::Status {
            return None;
        }
        if self.role == Role::Decision {
            return self.decision_below_entry();
        }
        if self.role != Role::Other {
            return Some(Vec::new());
        }
        let title = words::bare_title(&self.part.title);
        let has_items = self.part.blocks.iter().any(is_top_item);
        let is_grouping = is_date(&self.part.title) || (word_count(title) < 2 && has_items);
        if is_grouping {
            return Some(self.items(Kind::Decision, "an entry of a decision log"));
        }
        let has_decision_below =
            self.page.below(self.at).any(|part| words::role(&part.title) == Role::Decision);
        let prose =
            self.part.blocks.iter().find(|block| word_count(&block.raw) >= 3 && !is_status(block));
        let Some(block) = prose.filter(|_| !has_decision_below) else { return Some(Vec::new()) };
        let said = first_sentences(&plain(&block.raw), 2, LONGEST);
        let text = if shared(title, &said) >= 60 { said } else { titled(title, &said) };
        let mut proposal =
            self.proposal(Kind::Decision, &text, block, "an entry of a decision log");
        title.clone_into(&mut proposal.name);
        proposal.status = self.status().unwrap_or(Status::Accepted);
        Some(vec![proposal])
    }

    /// Returns the decision of an entry that has sections of its own.
    fn decision_below_entry(&self) -> Option<Vec<Proposal>> {
        let title = self.parent().map(|part| words::bare_title(&part.title)).unwrap_or_default();
        let block = self.part.blocks.iter().find(|block| word_count(&block.raw) >= 2)?;
        let said = first_sentences(&plain(&block.raw), 2, LONGEST);
        let text = if title.is_empty() || shared(title, &said) >= 60 {
            said
        } else {
            titled(title, &said)
        };
        let mut proposal =
            self.proposal(Kind::Decision, &text, block, "an entry of a decision log");
        if word_count(title) > 1 {
            title.clone_into(&mut proposal.name);
        }
        let siblings = self.page.parts[..self.at]
            .iter()
            .rev()
            .take_while(|part| part.level >= self.part.level);
        let after =
            self.page.parts[self.at + 1..].iter().take_while(|part| part.level >= self.part.level);
        let told = siblings.chain(after).filter(|part| words::role(&part.title) == Role::Status);
        let status = told.flat_map(|part| &part.blocks).find_map(|block| words::status(&block.raw));
        proposal.status = status.unwrap_or(Status::Accepted);
        Some(vec![proposal])
    }

    fn status(&self) -> Option<Status> {
        let labels = self.part.blocks.iter().filter_map(label);
        let mut told = labels.filter(|(key, _)| words::STATUS_LABELS.contains(&key.as_str()));
        let own = told.find_map(|(_, value)| words::status(&value));
        own.or_else(|| {
            let below =
                self.page.below(self.at).find(|part| words::role(&part.title) == Role::Status)?;
            below.blocks.iter().find_map(|block| words::status(&block.raw))
        })
    }

    fn parent(&self) -> Option<&Part> {
        self.page.parts[..self.at].iter().rev().find(|part| part.level < self.part.level)
    }

    fn has_boxes(&self) -> bool {
        let is_box = |block: &Block| {
            matches!(block.shape, Shape::Item { checkbox: Checkbox::Open | Checkbox::Done, .. })
        };
        self.part.blocks.iter().any(is_box)
    }

    fn plans(&self) -> Vec<Proposal> {
        let is_open = |block: &&Block| {
            let is_done = matches!(block.shape, Shape::Item { checkbox: Checkbox::Done, .. });
            let marks = ["✅", "✔", "☑", "~~"];
            !is_done && !marks.iter().any(|mark| block.raw.trim_start().starts_with(mark))
        };
        let heading = words::bare_title(&self.part.title);
        let blocks = self.part.blocks.iter().filter(|block| is_top_item(block)).filter(is_open);
        blocks
            .filter(|block| word_count(&plain(&block.raw)) >= 2)
            .map(|block| {
                let said = first_sentences(&plain(&block.raw), 1, LONGEST);
                // What was decided on the way is more than a plan.
                if words::is_decided(&said) {
                    return self.proposal(
                        Kind::Decision,
                        &said,
                        block,
                        "it says that it was decided",
                    );
                }
                let when = if heading.is_empty() { String::new() } else { format!(" ({heading})") };
                let text = format!("Roadmap{when}: {said}");
                let mut proposal =
                    self.proposal(Kind::Plan, &text, block, "an open item of a roadmap");
                proposal.name = said;
                proposal
            })
            .filter(|proposal| is_worth(&proposal.text))
            .collect()
    }

    /// Returns the sentences that state a rule or a decision.
    fn sentences(&self) -> Vec<Proposal> {
        let mut found = Vec::new();
        for block in
            self.part.blocks.iter().filter(|block| !matches!(block.shape, Shape::Row { .. }))
        {
            let text = plain(&block.raw);
            if text.contains("RFC 2119") || text.contains("RFC2119") || text.contains("BCP 14") {
                continue;
            }
            let all = sentences(&text);
            for (index, sentence) in all.iter().enumerate() {
                let is_rule = words::is_loud_rule(sentence)
                    || (self.habit.is_guide && words::is_quiet_rule(sentence));
                let is_decided = words::is_decided(sentence);
                let is_whole = word_count(sentence) >= 4 && !sentence.ends_with([':', '?']);
                if !(is_rule || is_decided) || !is_whole || !is_worth(sentence) {
                    continue;
                }
                let next = all.get(index + 1).filter(|next| words::has_reason(next));
                let fits = |next: &&&str| sentence.chars().count() + next.chars().count() < LONGEST;
                let whole = match next.filter(|next| !words::has_reason(sentence) && fits(next)) {
                    Some(next) => format!("{sentence} {next}"),
                    None => (*sentence).to_owned(),
                };
                let (kind, why) = if is_decided {
                    (Kind::Decision, "it says that it was decided")
                } else {
                    (Kind::Rule, "it says what must or must never be done")
                };
                found.push(self.proposal(kind, &whole, block, why));
            }
        }
        found
    }
}

/// Where a table tells what.
struct Columns {
    decision: usize,
    reason: Option<usize>,
    subject: Option<usize>,
    status: Option<usize>,
}

impl Columns {
    fn of(cells: &[String]) -> Option<Self> {
        let names: Vec<String> = cells.iter().map(|cell| plain(cell).to_lowercase()).collect();
        let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
        let decision = find(words::DECISION_COLUMNS)?;
        let subject = find(words::SUBJECT_COLUMNS).filter(|at| *at != decision);
        Some(Self {
            decision,
            reason: find(words::REASON_COLUMNS),
            subject,
            status: find(words::STATUS_LABELS),
        })
    }

    /// Returns a row's words and status; a row that links to a record says nothing by itself.
    fn text(&self, cells: &[String]) -> Option<(String, Status)> {
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map(|cell| plain(cell));
        let raw = cells.get(self.decision)?;
        let said = cell(Some(self.decision))
            .filter(|said| word_count(said) >= 1 && !links_to_record(raw))?;
        let subject =
            cell(self.subject).filter(|subject| !subject.is_empty() && shared(subject, &said) < 60);
        let text = subject.map_or(said.clone(), |subject| format!("{subject}: {said}"));
        let reason = cell(self.reason).filter(|reason| word_count(reason) >= 2);
        let text = with_reason(&text, reason.as_deref());
        let status = cell(self.status).and_then(|status| words::status(&status));
        (word_count(&text) >= 3).then(|| (text, status.unwrap_or(Status::Accepted)))
    }
}

fn with_reason(text: &str, reason: Option<&str>) -> String {
    let Some(reason) = reason.filter(|_| !words::has_reason(text)) else { return text.to_owned() };
    let whole =
        format!("{}. Why: {}", text.trim_end_matches('.'), first_sentences(reason, 1, LONGEST));
    if whole.chars().count() <= LONGEST { whole } else { text.to_owned() }
}

fn is_top_item(block: &Block) -> bool {
    matches!(block.shape, Shape::Item { indent, .. } if indent < 2)
}

fn is_status(block: &Block) -> bool {
    label(block).is_some_and(|(key, _)| {
        words::STATUS_LABELS.contains(&key.as_str()) || words::OTHER_LABELS.contains(&key.as_str())
    })
}

fn links_to_record(raw: &str) -> bool {
    raw.contains("](") && [".md", ".adoc", ".rst"].iter().any(|end| raw.contains(end))
}

/// Tells whether an item is a line of an index.
fn is_link(block: &Block) -> bool {
    links_to_record(&block.raw) && block.raw.trim_start().starts_with(['[', '*'])
}

fn is_date(title: &str) -> bool {
    let bare = words::bare_title(title);
    let digits = title.chars().filter(char::is_ascii_digit).count();
    digits >= 4 && word_count(bare) < 2
}

/// Tells whether a text is more than a placeholder.
fn is_worth(text: &str) -> bool {
    let holes = ["{", "TODO", "TBD", "[insert", "Lorem ipsum", "…}"];
    word_count(text) >= 3 && !holes.iter().any(|hole| text.contains(hole))
}
