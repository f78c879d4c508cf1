//! Whether what a document says holds: one reader for every shape in which documents tell it.
//!
//! A field of the front matter or header, a line, a row or a column of a table, a section, a banner
//! before the first section, and the title: struck out, or with a remark in brackets.

mod told;

pub(super) use self::told::{banner, is_struck, without_remark};
use self::told::{begins, is_choice, is_not_held, is_relation, remark, statuses, unknown};
use super::Status;
use super::label::{is_label, labels, row_label};
use super::page::{Block, Page, Part, Shape, plain};
use super::words::{self, Role, padded, words};
use crate::outline::Checkbox;

/// What a text tells about a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// A status that is known.
    Known(Status),
    /// Words that stand where a status is told and are none that is known.
    Unknown(String),
}

/// What a document or an entry says about its own validity.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    pub(super) told: Option<Told>,
    pub(super) successors: Vec<String>,
    pub(super) replaces: Vec<String>,
    /// Whether it lists statuses to choose from, as a template does.
    pub(super) is_template: bool,
}

impl Standing {
    /// Returns the standing of a document: all of its header, and its status section.
    pub(super) fn of_record(page: &Page) -> Self {
        let mut reader = Reader::default();
        reader.fields(&page.fields);
        for part in page.parts.iter().take(3) {
            reader.title(&part.raw);
            reader.labels(&part.blocks);
            reader.columns(&part.blocks);
        }
        for part in preface(page) {
            reader.banners(&part.blocks);
        }
        for part in page.parts.iter().filter(|part| words::role(&part.title) == Role::Status) {
            reader.section(part);
        }
        reader.standing()
    }

    /// Returns the standing of a document that says many things: only what stands before them counts.
    pub(super) fn of_document(page: &Page) -> Self {
        let mut reader = Reader::default();
        reader.fields(&page.fields);
        for part in preface(page) {
            reader.title(&part.raw);
            reader.labels(&part.blocks);
            if !part.blocks.iter().any(is_decision_table) {
                reader.columns(&part.blocks);
            }
            reader.banners(&part.blocks);
        }
        let sections: Vec<&Part> =
            page.parts.iter().filter(|part| words::role(&part.title) == Role::Status).collect();
        if let [only] = sections[..]
            && only.level <= 2
        {
            reader.section(only);
        }
        reader.standing()
    }

    /// Returns the standing of an entry: a heading with what stands below it.
    pub(super) fn of_entry(page: &Page, at: usize) -> Self {
        let mut reader = Reader::default();
        let part = &page.parts[at];
        reader.title(&part.raw);
        reader.labels(&part.blocks);
        reader.banners(&part.blocks);
        for below in page.below(at).filter(|below| words::role(&below.title) == Role::Status) {
            reader.section(below);
        }
        reader.standing()
    }

    /// Returns the standing of a single block, such as a list item.
    pub(super) fn of_block(block: &Block) -> Self {
        let mut reader = Reader::default();
        reader.title(&block.raw);
        reader.standing()
    }

    /// Returns the standing that a cell tells.
    pub(super) fn of_text(text: &str) -> Self {
        let mut reader = Reader::default();
        reader.line(text, true);
        reader.standing()
    }

    /// Returns the standing that a heading gives to what stands below it: `Superseded decisions`.
    pub(super) fn of_heading(title: &str) -> Self {
        let words = padded(title);
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let nouns = [
            "decisions",
            "decision",
            "entscheidungen",
            "décisions",
            "decisiones",
            "decisões",
            "decisioni",
            "records",
            "adrs",
            "entries",
            "rules",
        ];
        words.retain(|word| !nouns.contains(word));
        let told = match words[..] {
            [word] => begins(&[word]).map(|(status, _)| status),
            _ => None,
        };
        let told = told.filter(|status| is_not_held(*status)).map(Told::Known);
        Self { told, ..Self::default() }
    }

    /// Returns this standing, or another one where this tells nothing.
    pub(super) fn or(self, other: Self) -> Self {
        if self.told.is_some() { self } else { other }
    }

    /// Returns the status; what tells none holds.
    pub(super) fn status(&self) -> Status {
        match &self.told {
            Some(Told::Known(status)) => *status,
            Some(Told::Unknown(_)) => Status::Unknown,
            None => Status::Accepted,
        }
    }

    /// Returns the words of a status that is not known.
    pub(super) fn unknown(&self) -> Option<&str> {
        match &self.told {
            Some(Told::Unknown(text)) => Some(text),
            _ => None,
        }
    }
}

/// Returns what stands before the first section.
fn preface(page: &Page) -> &[Part] {
    let first = page
        .parts
        .iter()
        .skip(1)
        .position(|part| part.level > 1 || words::role(&part.title) != Role::Other);
    let end = first.map_or(page.parts.len(), |at| at + 1).clamp(1, 2);
    // A document may begin with its second level.
    let is_titled = page.parts.get(1).is_some_and(|part| {
        words::role(&part.title) == Role::Other
            && part.level <= 2
            && page.parts[0].blocks.is_empty()
    });
    if end == 1
        && is_titled
        && page.parts.iter().filter(|p| p.level <= page.parts[1].level).count() <= 2
    {
        return &page.parts[..2];
    }
    &page.parts[..end.min(page.parts.len())]
}

fn is_decision_table(block: &Block) -> bool {
    let Shape::Row { cells, is_header: true } = &block.shape else { return false };
    cells.iter().any(|cell| words().decision_labels.contains(&plain(cell).to_lowercase().as_str()))
}

/// Collects what a document says about itself.
#[derive(Default)]
struct Reader {
    found: Vec<Status>,
    unknown: Option<String>,
    standing: Standing,
}

impl Reader {
    fn standing(self) -> Standing {
        // A record lists what it went through: what came last in a record's life counts.
        let rank = |status: &Status| match status {
            Status::Superseded => 5,
            Status::Deprecated => 4,
            Status::Rejected => 3,
            Status::Accepted | Status::Done => 2,
            Status::Proposed => 1,
            Status::Unknown => 0,
        };
        let known = self.found.into_iter().max_by_key(rank).map(Told::Known);
        Standing { told: known.or(self.unknown.map(Told::Unknown)), ..self.standing }
    }

    fn fields(&mut self, fields: &[(String, String)]) {
        let value = |names: &[&str]| {
            let mut all = fields.iter().filter(|(_, value)| !value.is_empty());
            all.find(|(key, _)| names.contains(&key.as_str())).map(|(_, value)| value.as_str())
        };
        match value(&words().status_labels) {
            Some(told) => self.line(told, true),
            None => {
                if let Some(stage) = value(&["stage", "maturity", "phase", "lifecycle"]) {
                    self.line(stage, true);
                }
            }
        }
        let is_true = |name: &str| {
            value(&[name])
                .is_some_and(|value| ["true", "yes", "1"].contains(&value.to_lowercase().as_str()))
        };
        for (name, status) in [
            ("deprecated", Status::Deprecated),
            ("obsolete", Status::Deprecated),
            ("archived", Status::Deprecated),
            ("superseded", Status::Superseded),
            ("rejected", Status::Rejected),
            ("withdrawn", Status::Rejected),
            ("draft", Status::Proposed),
            ("wip", Status::Proposed),
        ] {
            if is_true(name) {
                self.found.push(status);
            }
        }
        for (key, value) in fields.iter().filter(|(_, value)| is_value(value)) {
            self.relation(key, value);
        }
    }

    /// Reads a line about another record.
    fn relation(&mut self, key: &str, value: &str) {
        let key = key.replace(['-', '_'], " ");
        if SUCCESSORS.contains(&key.as_str()) {
            self.standing.successors.extend(references(value));
            self.found.push(Status::Superseded);
        } else if PREDECESSORS.contains(&key.as_str()) {
            self.standing.replaces.extend(references(value));
        }
    }

    fn labels(&mut self, blocks: &[Block]) {
        for (key, value) in blocks.iter().flat_map(labels) {
            if words().status_labels.contains(&key.as_str()) {
                self.line(&value, true);
            } else if is_value(&value) {
                self.relation(&key, &value);
            }
        }
    }

    /// Reads a table that has a column for the status, and one row.
    fn columns(&mut self, blocks: &[Block]) {
        let rows: Vec<&Vec<String>> = blocks
            .iter()
            .filter_map(|block| match &block.shape {
                Shape::Row { cells, .. } => Some(cells),
                _ => None,
            })
            .collect();
        let [header, row] = rows[..] else { return };
        let is_status =
            |cell: &String| words().status_labels.contains(&plain(cell).to_lowercase().as_str());
        if header.len() > 1
            && row_label(header).is_none_or(|(_, value)| value.is_empty() || header.len() > 1)
            && let Some(at) = header.iter().position(is_status)
            && let Some(cell) = row.get(at)
        {
            self.line(cell, true);
        }
    }

    fn section(&mut self, part: &Part) {
        let has_boxes = part.blocks.iter().any(|block| {
            matches!(block.shape, Shape::Item { checkbox: Checkbox::Open | Checkbox::Done, .. })
        });
        for (index, block) in part.blocks.iter().enumerate() {
            let is_ticked = matches!(block.shape, Shape::Item { checkbox: Checkbox::Done, .. });
            if !has_boxes || is_ticked {
                let text = match labels(block).first() {
                    Some((key, value)) if words().status_labels.contains(&key.as_str()) => {
                        value.clone()
                    }
                    _ => block.raw.clone(),
                };
                self.line(&text, index == 0 || is_ticked);
            }
        }
    }

    /// Reads a text that stands where a status is told.
    fn line(&mut self, text: &str, must_tell: bool) {
        if is_choice(text) {
            self.standing.is_template = true;
            return;
        }
        let statuses = statuses(text);
        if statuses.iter().any(|status| matches!(status, Status::Superseded | Status::Deprecated)) {
            self.standing.successors.extend(references(text));
        } else if words::replaces(text) {
            self.standing.replaces.extend(references(text));
        }
        let is_empty = statuses.is_empty();
        self.found.extend(statuses);
        if is_empty && must_tell && self.unknown.is_none() && !is_relation(text) {
            self.unknown = unknown(text);
        }
    }

    /// Reads a title: struck out, or with a remark.
    fn title(&mut self, raw: &str) {
        if let Some(remark) = remark(raw) {
            if !is_choice(&remark) {
                self.found.extend(statuses(&remark));
                self.standing.successors.extend(references(&remark));
            }
        } else if is_struck(raw) {
            self.found.push(Status::Superseded);
        } else if ["❌", "🚫", "⛔", "🗑"].iter().any(|mark| raw.contains(mark)) {
            self.found.push(Status::Rejected);
        }
    }

    /// Reads notes such as `This RFC was superseded by RFC 31.`
    fn banners(&mut self, blocks: &[Block]) {
        for block in blocks {
            let is_labelled = labels(block).first().is_some_and(|(key, _)| is_label(key));
            if matches!(block.shape, Shape::Row { .. } | Shape::Item { .. }) || is_labelled {
                continue;
            }
            if let Some(status) = banner(&block.raw) {
                self.found.push(status);
                self.standing.successors.extend(references(&block.raw));
            }
        }
    }
}

const SUCCESSORS: &[&str] = &[
    "superseded by",
    "replaced by",
    "obsoleted by",
    "ersetzt durch",
    "abgelöst durch",
    "sustituida por",
    "sustituido por",
    "reemplazada por",
    "reemplazado por",
    "remplacé par",
    "remplacée par",
    "substituída por",
    "substituído por",
    "sostituita da",
    "sostituito da",
    "successor",
    "nachfolger",
    "後継",
    "取代者",
    "supersededby",
    "replacedby",
];

const PREDECESSORS: &[&str] = &[
    "supersedes",
    "replaces",
    "obsoletes",
    "ersetzt",
    "löst ab",
    "sustituye a",
    "sustituye",
    "reemplaza a",
    "reemplaza",
    "remplace",
    "substitui",
    "sostituisce",
    "置き換え対象",
    "取代",
];

fn is_value(value: &str) -> bool {
    let value = value.trim().to_lowercase();
    let nothing = [
        "", "-", "—", "none", "n/a", "no", "false", "null", "~", "[]", "keine", "aucun", "ninguno",
    ];
    !nothing.contains(&value.as_str())
}

/// Returns the records that a line names: file names of its links, else numbers.
pub(super) fn references(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for target in line.split(['(', ')', '<', '>', '`', '[', ']', ' ', '"']) {
        let name = target.rsplit('/').next().unwrap_or(target);
        let name = name.split('#').next().unwrap_or(name).trim_end_matches([',', '.', ';']);
        if super::is_text(name) && name.len() > 3 {
            found.push(name.to_owned());
        }
    }
    if found.is_empty() {
        let lower = line.to_lowercase();
        for name in [
            "adr",
            "rfc",
            "pep",
            "kep",
            "record",
            "decision",
            "entscheidung",
            "decisión",
            "décision",
            "decisão",
            "decisione",
            "#",
        ] {
            for (at, _) in lower.match_indices(name) {
                let after = lower[at + name.len()..]
                    .trim_start_matches([' ', '-', '#', '_', 'n', 'r', '.', 'o', 'º', '°']);
                let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
                if let Ok(number) = digits.parse::<u32>() {
                    found.push(number.to_string());
                }
            }
        }
        if let Ok(number) = line.trim().parse::<u32>() {
            found.push(number.to_string());
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Status {
        Standing::of_text(text).status()
    }

    #[test]
    fn the_last_status_of_a_record_counts() {
        for (text, status) in [
            ("Accepted, superseded by ADR-9", Status::Superseded),
            ("Proposed 2024, accepted 2025", Status::Accepted),
            ("Accepted, but not before the old one is replaced (Q2)", Status::Accepted),
            ("Angenommen", Status::Accepted),
            ("Ersetzt durch ADR-7", Status::Superseded),
            ("Akzeptiert, ersetzt ADR-7", Status::Accepted),
            ("~~Proposed~~ Accepted", Status::Accepted),
            ("Superceeded by 12", Status::Superseded),
            ("Depricated", Status::Deprecated),
            ("Not yet accepted", Status::Proposed),
            ("Not accepted", Status::Rejected),
            ("aufgehoben am 02.05.2023", Status::Deprecated),
            ("écartée par le comité", Status::Rejected),
            ("廃止（ADR-005 に置き換え）", Status::Deprecated),
            ("未承認", Status::Proposed),
            ("已采纳", Status::Accepted),
            ("✅ Accepted on 2024-01-01", Status::Accepted),
            ("the usual", Status::Unknown),
        ] {
            assert_eq!(told(text), status, "{text}");
        }
        assert!(is_choice("{proposed | rejected | accepted | deprecated}"));
        assert!(is_choice("Proposed | Accepted | Superseded"));
        assert!(!is_choice("Accepted"));
    }

    #[test]
    fn every_shape_of_a_header_tells_the_status() {
        for text in [
            "---\nstatus: deprecated\n---\n# T\n",
            "---\ndeprecated: true\n---\n# T\n",
            "+++\nstatus = \"deprecated\"\n+++\n# T\n",
            "# T\n\nStatus: Deprecated\n",
            "# T\n\n**Author:** me  **Status:** Deprecated  **Date:** today\n",
            "# T\n\n* **Status**: Deprecated\n",
            "# T\n\n| Status | Deprecated |\n|---|---|\n| Owner | me |\n",
            "# T\n\n| Created | Status |\n|---|---|\n| 2024 | Deprecated |\n",
            "# T\n\n<!-- status: deprecated -->\n",
            "# T\n\n## Status\n\nDeprecated\n",
            "# T\n\n## Status\n\n- [ ] Accepted\n- [x] Deprecated\n",
            "# T\n\n> **Warning** This decision is deprecated.\n",
            "# T\n\n_Deprecated since 2024._\n",
            "# T [DEPRECATED]\n",
            "# DEPRECATED: T\n",
            "# T\n\nStatus = Deprecated\n",
        ] {
            let page = Page::read("a.md", text);
            assert_eq!(Standing::of_record(&page).status(), Status::Deprecated, "{text}");
        }
        let page = Page::read("a.adoc", "= T\n\nStatus:: veraltet\nDatum:: 2024\n\n== X\n");
        assert_eq!(Standing::of_record(&page).status(), Status::Deprecated);
        let page =
            Page::read("a.rst", "CEP: 3\nTitle: T\nStatus: Deferred\n\nAbstract\n========\n\nx\n");
        assert_eq!(Standing::of_record(&page).status(), Status::Proposed);
        let page = Page::read("a.md", "# T\n\nDeprecated endpoints answer with 410.\n");
        assert_eq!(Standing::of_record(&page).status(), Status::Accepted);
        let page = Page::read("a.md", "# ~~T is kept~~\n\nWords.\n");
        assert_eq!(Standing::of_record(&page).status(), Status::Superseded);
    }
}
