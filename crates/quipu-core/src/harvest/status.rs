//! Whether what a document says holds: one reader for every shape in which documents tell it.
//!
//! A field of the front matter or header, a line, a row or a column of a table, a section, a banner
//! before the first section, and the title: struck out, or with a remark in brackets.

use super::Status;
use super::label::{labels, row_label};
use super::page::{Block, Page, Part, Shape, plain, unstruck};
use super::words::{self, Role, is_spaceless, padded, words};
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
            if matches!(block.shape, Shape::Row { .. } | Shape::Item { .. }) {
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

/// Tells whether all of a title or item is struck out, its number aside.
pub(super) fn is_struck(raw: &str) -> bool {
    let Some(start) = raw.find("~~") else { return false };
    let Some(length) = raw[start + 2..].find("~~") else { return false };
    let inner = &raw[start + 2..start + 2 + length];
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    letters(inner) * 2 > letters(raw)
}

/// Returns the remark that a title carries about its status, as it is written.
fn remark(raw: &str) -> Option<String> {
    let raw = plain(&unstruck(
        &raw.replace('[', "(")
            .replace(']', ")")
            .replace(['（', '【', '［'], "(")
            .replace(['）', '】', '］'], ")"),
    ));
    for inner in raw.split('(').skip(1).filter_map(|rest| rest.split(')').next()) {
        if leading(inner).is_some() {
            return Some(inner.to_owned());
        }
    }
    // `DEPRECATED: the title`, `The title — superseded by 12`.
    let first = raw.split([':', '：']).next().unwrap_or_default();
    let is_loud = first.chars().any(char::is_alphabetic) && !first.chars().any(char::is_lowercase);
    if first.len() < raw.len()
        && (is_loud || first.chars().any(is_spaceless))
        && leading(first).is_some_and(is_not_held)
    {
        return Some(first.to_owned());
    }
    for mark in [" — ", " – ", " - ", " | "] {
        if let Some((_, last)) = raw.rsplit_once(mark)
            && leading(last).is_some_and(is_not_held)
        {
            return Some(last.to_owned());
        }
    }
    None
}

fn is_not_held(status: Status) -> bool {
    status != Status::Accepted
}

/// Returns a title without the remark about its status.
pub(super) fn without_remark(raw: &str) -> String {
    let mut title = unstruck(raw);
    for (open, close) in [('[', ']'), ('(', ')'), ('（', '）'), ('【', '】')] {
        let Some(start) = title.find(open) else { continue };
        let Some(length) = title[start..].find(close) else { continue };
        let inner = &title[start + open.len_utf8()..start + length];
        let is_link = title[start + length + close.len_utf8()..].starts_with('(');
        // `(blocked by the upgrade)` is worth more than a status.
        let is_open =
            leading(inner) == Some(Status::Proposed) && inner.split_whitespace().count() > 2;
        if leading(inner).is_some() && !is_link && !is_open {
            title.replace_range(start..start + length + close.len_utf8(), "");
        }
    }
    plain(&title)
}

/// Returns the status that a note about the document tells, where it holds no more or not yet.
pub(super) fn banner(raw: &str) -> Option<Status> {
    let text = plain(&raw.replace("![", "["));
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = text.split(['.', '。', '!', '—', '–', ';']).next().unwrap_or(text);
    if first.split_whitespace().count() > 16 {
        return None;
    }
    let after_label =
        first.split_once(':').map(|(_, rest)| rest).filter(|rest| leading(rest).is_some());
    leading(after_label.unwrap_or(first)).filter(|status| is_not_held(*status))
}

/// Returns the status that a text begins with, where the text goes on as a remark would.
fn leading(text: &str) -> Option<Status> {
    if text.chars().any(is_spaceless) {
        return spaceless(text).filter(|_| text.chars().count() <= 40);
    }
    let clause = padded(&text.replace(['_', '-'], " "));
    let clause: Vec<&str> = clause.split_whitespace().collect();
    let (status, length) = begins(&clause)?;
    // `replaced by` says itself that more follows.
    if length > 1 && words().follows.contains(&clause[length - 1]) {
        return Some(status);
    }
    let next = clause.get(length);
    next.is_none_or(|next| {
        words().follows.contains(next)
            || next.starts_with(|c: char| c.is_ascii_digit())
            || is_break(text, next)
    })
    .then_some(status)
}

/// Tells whether a mark stands before a word.
fn is_break(text: &str, word: &str) -> bool {
    let lower = text.to_lowercase();
    let before = lower.find(word).map_or("", |at| lower[..at].trim_end());
    before.ends_with([',', ':', ';', '(', '/', '!', '.'])
}

/// Returns the status that words begin with, and how many words were used up.
fn begins(clause: &[&str]) -> Option<(Status, usize)> {
    let is_filler = |word: &&str| {
        words().fillers.contains(word) || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let from_here = |skip: usize| {
        let rest = clause[skip..].join(" ");
        let is_negated =
            words().not.iter().any(|not| rest == *not || rest.starts_with(&format!("{not} ")));
        let exact = words().statuses.iter().find_map(|(phrase, status)| {
            let (phrase, must_end) =
                phrase.strip_suffix('!').map_or((*phrase, false), |p| (p, true));
            let after = rest.strip_prefix(phrase)?;
            let fits = after.is_empty() || (after.starts_with(' ') && !must_end);
            fits.then(|| (*status, skip + phrase.split(' ').count()))
        });
        if exact.is_some() || !is_negated {
            return exact.or_else(|| Some((misspelt(clause.get(skip)?)?, skip + 1)));
        }
        // `Not accepted`, in whatever words.
        let (status, length) = begins(&clause[skip + 1..])?;
        let turned = if status == Status::Accepted { Status::Rejected } else { Status::Unknown };
        (turned != Status::Unknown).then_some((turned, skip + 1 + length))
    };
    let mut skip = 0;
    loop {
        if skip >= clause.len() {
            return None;
        }
        if let Some(found) = from_here(skip) {
            return Some(found);
        }
        if !is_filler(&clause[skip]) {
            return None;
        }
        skip += 1;
    }
}

/// Returns the status that a word means with a slip or two.
fn misspelt(word: &str) -> Option<Status> {
    if words::is_relation(word) {
        return None;
    }
    let length = word.chars().count();
    let most = match length {
        0..8 => return None,
        8..10 => 1,
        _ => 2,
    };
    let known =
        words().statuses.iter().filter(|(phrase, _)| phrase.len() >= 8 && !phrase.contains(' '));
    known
        .map(|(phrase, status)| (crate::naming::distance(word, phrase), *status))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, status)| status)
}

/// What begins a remark about an earlier status.
const BEFORE: &[&str] = &[
    "was",
    "previously",
    "formerly",
    "originally",
    "initially",
    "before",
    "früher",
    "ursprünglich",
    "zuvor",
    "auparavant",
    "initialement",
    "antes",
    "anteriormente",
    "prima",
];

/// Returns the statuses that a text lists: each that begins a clause.
fn statuses(text: &str) -> Vec<Status> {
    let text = plain(&text.replace("![", "["));
    let split = text
        .replace("->", "→")
        .replace("=>", "→")
        .replace(" - ", "→")
        .replace(" and ", "→")
        .replace(" then ", "→");
    let marks = [
        ',', ';', '.', ':', '(', ')', '[', ']', '→', '|', '/', '–', '—', '<', '>', '"', '!', '、',
        '。', '（', '）', '：', '，',
    ];
    let mut found: Vec<Status> = Vec::new();
    for (index, clause) in split.split(marks).enumerate() {
        let first = clause.split_whitespace().next().unwrap_or_default().to_lowercase();
        // What it once was is told last.
        if index > 0 && BEFORE.contains(&first.as_str()) {
            break;
        }
        // `Accepted; rejected alternatives are listed below`.
        if !found.is_empty() && leading(clause).is_none() {
            continue;
        }
        let words = padded(&clause.replace(['_', '-'], " "));
        let mut words: Vec<&str> = words.split_whitespace().collect();
        // A date ends a clause: `2024-01-02 proposed 2024-02-03 accepted`.
        while !words.is_empty() {
            let digits = words
                .iter()
                .take_while(|word| word.starts_with(|c: char| c.is_ascii_digit()))
                .count();
            words.drain(..digits);
            let length = words
                .iter()
                .take_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
                .count();
            let mut clause = words[..length].to_vec();
            if length < words.len() {
                clause.push("#");
            }
            found.extend(begins(&clause).map(|(status, _)| status));
            words.drain(..length);
        }
    }
    if found.is_empty() && text.chars().any(is_spaceless) {
        found.extend(spaceless(&text));
    }
    if found.is_empty() {
        let emoji = [
            ("✅", Status::Accepted),
            ("🟢", Status::Accepted),
            ("✔", Status::Accepted),
            ("❌", Status::Rejected),
            ("🚫", Status::Rejected),
            ("🔴", Status::Rejected),
            ("🚧", Status::Proposed),
            ("📝", Status::Proposed),
            ("🟡", Status::Proposed),
            ("🗑", Status::Deprecated),
            ("⚰", Status::Deprecated),
        ];
        let is_bare = !text.chars().any(char::is_alphabetic);
        found.extend(
            emoji
                .iter()
                .find(|(mark, _)| is_bare && text.contains(mark))
                .map(|(_, status)| *status),
        );
    }
    found
}

/// Returns the status of a text in a script without spaces: one that is over counts, else the first.
fn spaceless(text: &str) -> Option<Status> {
    let known = words().statuses.iter().filter(|(phrase, _)| phrase.chars().any(is_spaceless));
    let mut found: Vec<(usize, usize, Status)> = known
        .filter_map(|(phrase, status)| text.find(phrase).map(|at| (at, phrase.len(), *status)))
        .collect();
    // `未承認` begins before `承認` and is longer.
    found.sort_by_key(|(at, length, _)| (*at, std::cmp::Reverse(*length)));
    let covered = |(at, length, _): &(usize, usize, Status)| {
        found
            .iter()
            .any(|(from, long, _)| *from <= *at && at + length <= from + long && long > length)
    };
    let open: Vec<&(usize, usize, Status)> = found.iter().filter(|one| !covered(one)).collect();
    let over = open.iter().find(|(_, _, status)| status.is_over());
    over.or(open.first()).map(|(_, _, status)| *status)
}

/// Tells whether a line lists statuses to choose from, as a template does.
pub(super) fn is_choice(line: &str) -> bool {
    if line.contains('{') && line.contains('}') {
        return true;
    }
    let pieces: Vec<&str> = line.split(['|', '/', '…', '｜']).collect();
    let named = pieces.iter().filter(|piece| !statuses(piece).is_empty()).count();
    named >= 3 || (named >= 2 && line.contains('…'))
}

/// Tells whether a line is about another record, or about nothing.
fn is_relation(text: &str) -> bool {
    let text = padded(&plain(text));
    let first = text[1..].split(' ').next().unwrap_or_default();
    words::is_relation(first) || words::replaces(&text)
}

/// Returns the words of a status that is not known, for whoever has to read it.
fn unknown(text: &str) -> Option<String> {
    let text = plain(text);
    let has_words = text.chars().any(char::is_alphabetic);
    has_words.then(|| crate::text::ellipsis(&text, 40))
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
