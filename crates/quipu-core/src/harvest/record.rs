//! Documents about one decision: ADRs after Nygard or MADR, RFCs, and what teams made of them.

use super::page::{Block, Page, Part, Shape, plain};
use super::sentence::{first_sentences, shared, word_count};
use super::words::{self, Role};
use super::{Kind, LONGEST, Place, Proposal, Status};
use crate::text;

/// An excerpt has no more characters than this.
const EXCERPT: usize = 1_200;

/// What a document says about its own validity.
struct Standing {
    status: Option<Status>,
    successors: Vec<String>,
    replaces: Vec<String>,
    is_template: bool,
}

/// Returns the decision of a document that is about one, or nothing where it is about something else.
pub(super) fn read(place: &Place<'_>, page: &Page) -> Option<Vec<Proposal>> {
    let standing = standing(page);
    if standing.is_template {
        return Some(Vec::new());
    }
    let at = decisive(place, page, &standing)?;
    let part = &page.parts[at];
    let title = page.title().map(words::bare_title).unwrap_or_default();
    let mut blocks: Vec<&Block> = part.blocks.iter().filter(|block| !is_label(block)).collect();
    if blocks.is_empty() {
        blocks = page.below(at).take(1).flat_map(|part| &part.blocks).collect();
    }
    let said = decision(&blocks);
    if said.is_empty() {
        return Some(Vec::new());
    }
    let text = composed(title, &said, page);
    let heading = if part.title.is_empty() { "" } else { &part.title };
    let status = standing.status.unwrap_or(Status::Accepted);
    let told = if standing.status.is_some() {
        "its status is"
    } else {
        "it tells no status, so it counts as"
    };
    let why = format!("a decision record; {told} {}", status.as_str());
    let line = blocks.first().map_or(part.line.max(1), |block| block.line);
    let mut proposal = place.proposal(Kind::Decision, &text, (heading, line), &why);
    proposal.status = status;
    proposal.is_record = true;
    if word_count(title) > 1 {
        title.clone_into(&mut proposal.name);
    }
    let raw: Vec<&str> = blocks.iter().map(|block| block.raw.as_str()).collect();
    proposal.excerpt = text::ellipsis(&raw.join("\n"), EXCERPT);
    proposal.successors = standing.successors;
    proposal.replaces = standing.replaces;
    Some(vec![proposal])
}

/// Returns the part that holds the decision, where the document is about one.
fn decisive(place: &Place<'_>, page: &Page, standing: &Standing) -> Option<usize> {
    let with = |role: Role| {
        let parts = page.parts.iter().enumerate();
        parts
            .filter(|(_, part)| words::role(&part.title) == role)
            .map(|(at, _)| at)
            .collect::<Vec<_>>()
    };
    let is_filed = is_record_path(place);
    let has_frame = !with(Role::Context).is_empty() || !with(Role::Consequences).is_empty();
    match with(Role::Decision)[..] {
        [at] if is_filed || has_frame || standing.status.is_some() => return Some(at),
        [] => {}
        _ => return None,
    }
    if !is_filed {
        return None;
    }
    let summary = with(Role::Summary).first().copied();
    summary.or_else(|| {
        // A short record has a title and says what it says.
        let plain = |part: &Part| words::role(&part.title) == Role::Other;
        let has_words =
            |part: &Part| part.blocks.iter().any(|block| !is_label(block) && is_prose(block));
        let count = page.parts.iter().filter(|part| !part.title.is_empty()).count();
        (count <= 2).then(|| page.parts.iter().position(|part| plain(part) && has_words(part)))?
    })
}

/// Tells whether a path is where records are kept.
fn is_record_path(place: &Place<'_>) -> bool {
    let stem = place.stem();
    if ["readme", "index", "template", "overview"].contains(&stem.as_str()) {
        return false;
    }
    let digits = stem.bytes().take_while(u8::is_ascii_digit).count();
    // Four digits and more after them are a year, and notes of a day are no record.
    let is_dated = digits == 4
        && stem[digits..].strip_prefix(['-', '_', '.']).is_some_and(|rest| {
            rest.len() > 1 && rest.bytes().take(2).all(|byte| byte.is_ascii_digit())
        });
    let numbered = digits >= 3 && !is_dated;
    let named = ["adr-", "adr_", "adr0", "rfc-", "rfc_", "rfc0", "kep-"]
        .iter()
        .any(|name| stem.starts_with(name));
    let kept = place.folders().any(|folder| {
        let folders = [
            "adr",
            "adrs",
            "decisions",
            "decision-records",
            "rfc",
            "rfcs",
            "entscheidungen",
            "decisiones",
            "décisions",
            "proposals",
        ];
        folders.contains(&folder.as_str())
    });
    let is_log = ["decisions", "decision-log", "log", "entscheidungen", "decisiones"]
        .contains(&stem.as_str());
    (numbered || named || kept) && !is_log
}

/// Returns a line `Label: value` of a block.
pub(super) fn label(block: &Block) -> Option<(String, String)> {
    if let Shape::Row { cells, .. } = &block.shape {
        let [key, value] = cells.as_slice() else { return None };
        return Some((plain(key).to_lowercase(), value.clone()));
    }
    let (key, value) = block.raw.split_once(':')?;
    let key = plain(key).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let value = value.trim_start_matches("**").trim_start_matches('*').trim();
    (key.chars().count() <= 30).then(|| (key, value.to_owned()))
}

/// Tells whether a block says something about the document, and nothing about its subject.
fn is_label(block: &Block) -> bool {
    label(block).is_some_and(|(key, _)| {
        let key = key.as_str();
        words::STATUS_LABELS.contains(&key) || words::OTHER_LABELS.contains(&key)
    })
}

fn is_prose(block: &Block) -> bool {
    let is_boilerplate = block.raw.contains("RFC 2119") || block.raw.contains("RFC2119");
    !matches!(block.shape, Shape::Row { .. }) && word_count(&block.raw) >= 3 && !is_boilerplate
}

/// Returns what a document says about its validity: in its front matter, a line, or a section.
fn standing(page: &Page) -> Standing {
    let mut told: Vec<String> = Vec::new();
    told.extend(words::STATUS_LABELS.iter().filter_map(|name| page.field(name)).map(str::to_owned));
    let mut replaces = Vec::new();
    for field in ["supersedes", "replaces", "obsoletes"] {
        replaces.extend(page.field(field).map(references).unwrap_or_default());
    }
    let mut successors = Vec::new();
    for field in ["superseded-by", "superseded_by", "superseded by", "replaced-by", "obsoleted-by"]
    {
        let Some(value) = page.field(field).filter(|value| !value.is_empty()) else { continue };
        successors.extend(references(value));
        told.push("superseded".to_owned());
    }
    for part in page.parts.iter().take(3) {
        for (key, value) in part.blocks.iter().filter_map(label) {
            if words::STATUS_LABELS.contains(&key.as_str()) {
                told.push(value);
            } else if ["supersedes", "replaces", "ersetzt", "sustituye a", "remplace"]
                .contains(&key.as_str())
            {
                replaces.extend(references(&value));
            } else if [
                "superseded by",
                "replaced by",
                "ersetzt durch",
                "sustituida por",
                "remplacé par",
            ]
            .contains(&key.as_str())
            {
                successors.extend(references(&value));
                told.push("superseded".to_owned());
            }
        }
    }
    for part in page.parts.iter().filter(|part| words::role(&part.title) == Role::Status) {
        told.extend(part.blocks.iter().map(|block| block.raw.clone()));
    }
    let is_template = told.iter().any(|line| words::is_choice(line));
    for line in &told {
        if words::status(line) == Some(Status::Superseded) {
            successors.extend(references(line));
        } else if words::replaces(line) {
            replaces.extend(references(line));
        }
    }
    let statuses: Vec<Status> = told.iter().filter_map(|line| words::status(line)).collect();
    let rank = |status: &Status| match status {
        Status::Superseded => 4,
        Status::Deprecated => 3,
        Status::Rejected => 2,
        Status::Accepted => 1,
        Status::Proposed => 0,
    };
    let status = statuses.into_iter().max_by_key(rank);
    Standing { status, successors, replaces, is_template }
}

/// Returns the records that a line names: file names of its links, else numbers.
fn references(line: &str) -> Vec<String> {
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
        for name in ["adr", "rfc", "record", "decision", "entscheidung", "decisión", "#"] {
            for (at, _) in lower.match_indices(name) {
                let after = lower[at + name.len()..]
                    .trim_start_matches([' ', '-', '#', '_', 'n', 'r', '.', 'o', 'º']);
                let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
                if let Ok(number) = digits.parse::<u32>() {
                    found.push(number.to_string());
                }
            }
        }
        let bare = line.trim();
        if let Ok(number) = bare.parse::<u32>() {
            found.push(number.to_string());
        }
    }
    found.dedup();
    found
}

/// Returns what some blocks decide, in a sentence or two.
fn decision(blocks: &[&Block]) -> String {
    let Some(first) = blocks.iter().find(|block| is_prose(block) || is_item(block)) else {
        return String::new();
    };
    let text = plain(&first.raw);
    let rest: Vec<&&Block> = blocks.iter().filter(|block| block.line > first.line).collect();
    if is_item(first) || text.ends_with(':') {
        let mut parts: Vec<String> = Vec::new();
        if is_item(first) {
            parts.push(text.trim_end_matches('.').to_owned());
        }
        let items = rest.iter().take_while(|block| is_item(block));
        parts.extend(
            items.map(|block| plain(&block.raw).trim_end_matches(['.', ';', ',']).to_owned()),
        );
        let lead = if is_item(first) { String::new() } else { format!("{text} ") };
        return fitted(&lead, &parts);
    }
    let sentences = first_sentences(&chosen(&text), 2, LONGEST);
    // The next paragraph may be the one that tells why.
    match rest
        .first()
        .filter(|block| !words::has_reason(&sentences) && is_prose(block) && !is_item(block))
    {
        Some(next) => {
            let reason = first_sentences(&plain(&next.raw), 1, LONGEST);
            if words::has_reason(&reason)
                && sentences.chars().count() + reason.chars().count() < LONGEST
            {
                format!("{sentences} {reason}")
            } else {
                sentences
            }
        }
        None => sentences,
    }
}

/// Returns as many parts as fit, whole.
fn fitted(lead: &str, parts: &[String]) -> String {
    let mut result = lead.to_owned();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            if result.chars().count() + part.chars().count() + 2 > LONGEST {
                break;
            }
            result.push_str("; ");
        }
        result.push_str(part);
    }
    result
}

/// Takes the form of MADR off: `Chosen option: "X", because Y`.
fn chosen(text: &str) -> String {
    let lead = [
        "chosen option:",
        "chosen option is",
        "gewählte option:",
        "opción elegida:",
        "option choisie :",
        "option retenue :",
        "option choisie:",
        "opção escolhida:",
    ];
    let lower = text.to_lowercase();
    for lead in lead {
        if lower.starts_with(lead) && text.is_char_boundary(lead.len()) {
            let rest = text[lead.len()..].trim();
            return rest.replacen(['"', '“', '„', '«'], "", 1).replacen(
                ['"', '”', '“', '»'],
                "",
                1,
            );
        }
    }
    text.to_owned()
}

fn is_item(block: &Block) -> bool {
    matches!(block.shape, Shape::Item { .. })
}

/// Returns what is said below its title.
pub(super) fn titled(title: &str, said: &str) -> String {
    let mark = if title.ends_with(['?', '!', '.', ':']) { "" } else { ":" };
    format!("{title}{mark} {said}")
}

/// Returns a decision with its title where it does not say it itself, and with a reason where there is room.
fn composed(title: &str, said: &str, page: &Page) -> String {
    let is_said = word_count(title) < 2 || shared(title, said) >= 60;
    let mut text = if is_said { said.to_owned() } else { titled(title, said) };
    if words::has_reason(&text) {
        return text;
    }
    let reason = |role: Role| {
        let part = page.parts.iter().find(|part| words::role(&part.title) == role)?;
        let block = part.blocks.iter().find(|block| is_prose(block) && !is_label(block))?;
        Some(first_sentences(&plain(&block.raw), 1, LONGEST))
    };
    if let Some(reason) = reason(Role::Reason).or_else(|| reason(Role::Context))
        && text.chars().count() + reason.chars().count() + 7 <= LONGEST
    {
        if !text.ends_with(['.', '!', '?', '…']) {
            text.push('.');
        }
        text.push_str(" Why: ");
        text.push_str(&reason);
    }
    text
}
