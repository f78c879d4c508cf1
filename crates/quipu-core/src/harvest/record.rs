//! Documents about one decision: ADRs after Nygard or MADR, RFCs, and what teams made of them.

mod option;

use self::option::{answered, chosen, is_chosen};
use super::label::{is_about, label};
use super::page::{Block, Page, Part, Shape, plain};
use super::place::{Place, is_index};
use super::status::{Standing, without_remark};
use super::words::{self, Role, words};
use super::{Kind, LONGEST, Proposal, UNREADABLE};
use crate::harvest::likeness::shared;
use crate::prose::{first_sentences, sentences, word_count};
use crate::text;

/// An excerpt has no more characters than this.
const EXCERPT: usize = 1_200;

/// A document about one decision.
pub(super) struct Record {
    /// The decision.
    pub(super) decision: Proposal,
    /// What the record is called.
    pub(super) title: String,
    /// The part that holds the decision.
    pub(super) at: usize,
    /// Whether the record holds.
    pub(super) standing: Standing,
}

/// Returns the decision of a document that is about one, or nothing where it is about something else.
///
/// # Errors
/// Says why nothing is read in a document that looks like a record.
pub(super) fn read(place: &Place<'_>, page: &Page) -> Result<Option<Record>, &'static str> {
    let standing = Standing::of_record(page);
    if standing.is_template || is_blank_form(page) {
        return Err("it is a template");
    }
    let Some(at) = decisive(place, page, &standing) else { return Ok(None) };
    let part = &page.parts[at];
    let title = title_of(page);
    let (said, blocks) = said(page, at);
    if said.is_empty() || words::is_hole(&said) {
        return Err(UNREADABLE);
    }
    let is_option = blocks
        .iter()
        .find(|block| is_prose(block) || is_item(block))
        .is_some_and(|block| is_chosen(&plain(&block.raw)));
    let text = composed(&title, &said, page, is_option);
    let status = standing.status();
    let told = match (&standing.told, standing.unknown()) {
        (_, Some(unknown)) => format!("its status `{unknown}` is not known"),
        (Some(_), None) => format!("its status is {}", status.as_str()),
        (None, None) => format!("it has no status, so it counts as {}", status.as_str()),
    };
    let line = blocks.first().map_or(part.line.max(1), |block| block.line);
    let why = format!("a decision record; {told}");
    let mut proposal = place.proposal(Kind::Decision, &text, (&part.title, line), &why);
    proposal.is_record = true;
    if word_count(&title) > 1 {
        proposal.name.clone_from(&title);
    }
    let raw: Vec<&str> = blocks.iter().map(|block| block.raw.as_str()).collect();
    proposal.excerpt = text::ellipsis(&raw.join("\n"), EXCERPT);
    Ok(Some(Record { decision: proposal, title, at, standing }))
}

/// Returns what a record is called, without number and remarks.
pub(super) fn title_of(page: &Page) -> String {
    let title = page.title().unwrap_or_default();
    let heading = page.parts.iter().find(|part| part.title == title && !title.is_empty());
    let title = without_remark(heading.map_or(title, |part| &part.raw));
    let title = words::bare_title(&title).to_owned();
    // `trailing_commas`, as a feature is named.
    if title.contains('_') && !title.contains(' ') {
        return title.trim_matches('`').replace('_', " ");
    }
    title
}

/// Tells whether a document is nothing but a form to fill in.
fn is_blank_form(page: &Page) -> bool {
    let title = page.title().unwrap_or_default();
    let marks = [
        "{",
        "NNNN",
        "XXXX",
        "[TITLE]",
        "[title]",
        "[short title",
        "ADR-XXX",
        "YYYY-MM-DD",
        "<title>",
        "your short",
    ];
    let lower = title.to_lowercase();
    marks.iter().any(|mark| title.contains(mark) || lower.starts_with(&mark.to_lowercase()))
        || page.fields.iter().any(|(key, value)| {
            ["feature name", "start date", "title"].contains(&key.as_str())
                && value.contains("fill me in")
        })
        || page
            .parts
            .first()
            .is_some_and(|part| part.blocks.iter().any(|block| block.raw.contains("fill me in")))
}

/// Tells whether a document is a record by what it says, wherever it stands.
pub(super) fn is_one_anywhere(place: &Place<'_>, page: &Page) -> bool {
    let standing = Standing::of_record(page);
    if standing.is_template || is_blank_form(page) {
        return false;
    }
    let has = |role: Role| page.parts.iter().any(|part| words::role(&part.title) == role);
    let is_coded = place.is_record() || has_number(page);
    let has_told = standing.told.is_some();
    has_header(page) && (has(Role::Decision) || has(Role::Summary) || has_told)
        || (has(Role::Decision)
            && has_told
            && (is_coded || has(Role::Context) || has(Role::Consequences)))
        || (has(Role::Decision) && is_coded && has(Role::Context))
        || (is_coded && has_told && has(Role::Summary))
}

/// Tells whether a document should hold a decision: by where it stands or by its header.
pub(super) fn is_record(place: &Place<'_>, page: &Page) -> bool {
    (place.is_record() && !is_about_records(page))
        || (has_header(page) && page.title().is_some() && !is_about_records(page))
}

/// Tells whether a document's title has a number as records have.
fn has_number(page: &Page) -> bool {
    let title = page.title().unwrap_or_default();
    let bare = words::bare_title(title);
    bare.len() < title.len() && title.chars().any(|c| c.is_ascii_digit())
}

/// Tells whether a document begins with the header of an RFC or a PEP.
fn has_header(page: &Page) -> bool {
    let known = [
        "feature name",
        "rfc pr",
        "start date",
        "rfc",
        "pep",
        "kep",
        "kep-number",
        "rfc-number",
        "adr",
        "content-type",
        "post-history",
        "superseded-by",
    ];
    let in_fields = page.fields.iter().filter(|(key, _)| {
        known.contains(&key.as_str()) || (key.len() <= 4 && key.ends_with("ep"))
    });
    let labels = page.parts.iter().take(1).flat_map(|part| &part.blocks).filter_map(label);
    let in_labels = labels.filter(|(key, _)| known.contains(&key.as_str()));
    in_fields.count() + in_labels.count() >= 1
        && (page.field("title").is_some()
            || page.field("status").is_some()
            || page.parts[0].blocks.len() > 1)
}

/// Tells whether a document is about how records are written.
pub(super) fn is_about_records(page: &Page) -> bool {
    let title = words::padded(page.title().unwrap_or_default());
    let kinds = [
        "adr",
        "adrs",
        "rfc",
        "rfcs",
        "cep",
        "ceps",
        "pep",
        "peps",
        "kep",
        "keps",
        "proposals",
        "decision records",
        "decision record",
        "records",
    ];
    let about = [
        "process",
        "purpose",
        "guidelines",
        "workflow",
        "work flow",
        "how to",
        "index",
        "list",
        "overview",
        "readme",
        "template",
        "creating",
        "writing",
        "lifecycle",
    ];
    let has = |names: &[&str]| names.iter().any(|name| words::has(&title, name));
    let last = title.split_whitespace().last().unwrap_or_default();
    let is_list = ["adrs", "rfcs", "ceps", "peps", "keps", "records", "proposals"].contains(&last);
    has(&kinds) && (has(&about) || is_list)
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
    let is_filed = place.is_record()
        || has_header(page)
        || (place.is_in_folder_of_its_own() && standing.told.is_some());
    let has_frame = !with(Role::Context).is_empty() || !with(Role::Consequences).is_empty();
    match with(Role::Decision)[..] {
        [at] if is_filed || has_frame || standing.told.is_some() => return Some(at),
        [] => {}
        [first, ..] if is_filed && is_single(page) => {
            let all = with(Role::Decision);
            let has_words = |at: &&usize| page.parts[**at].blocks.iter().any(is_prose);
            return all.iter().find(has_words).copied().or(Some(first));
        }
        _ => return None,
    }
    let titled = page.parts.iter().position(|part| words::decided_title(&part.title).is_some());
    if titled.is_some() && is_filed && is_single(page) {
        return titled;
    }
    if !is_filed || is_about_records(page) {
        return None;
    }
    // `**Decision:** …` is read with its label.
    let is_labelled = |block: &Block| {
        label(block).is_some_and(|(key, _)| words().decision_labels.contains(&key.as_str()))
    };
    if page.parts.iter().flat_map(|part| &part.blocks).any(is_labelled) {
        return None;
    }
    let summary =
        with(Role::Summary).into_iter().find(|at| page.parts[*at].blocks.iter().any(is_prose));
    summary.or_else(|| {
        // A short record has a title and says what it says.
        let plain = |part: &Part| words::role(&part.title) == Role::Other;
        let has_words =
            |part: &Part| part.blocks.iter().any(|block| !is_about(block) && is_prose(block));
        let is_frame = |part: &&Part| {
            !part.title.is_empty() && matches!(words::role(&part.title), Role::Other)
        };
        let count = page.parts.iter().filter(is_frame).count();
        let has_log = page
            .parts
            .iter()
            .any(|part| matches!(words::role(&part.title), Role::Decisions | Role::Rules));
        (count <= 1 && !has_log)
            .then(|| page.parts.iter().position(|part| plain(part) && has_words(part)))?
    })
}

/// Tells whether a document has one title, and no entries with decisions of their own.
fn is_single(page: &Page) -> bool {
    let is_decision = |part: &&Part| words::role(&part.title) == Role::Decision;
    let levels: Vec<u8> = page.parts.iter().filter(is_decision).map(|part| part.level).collect();
    let top = page.parts.iter().filter(|part| part.level == 1).count();
    top <= 1 && levels.iter().all(|level| *level <= 2)
}

/// Returns what the decisive part decides, and the blocks that say it.
fn said(page: &Page, at: usize) -> (String, Vec<&Block>) {
    let part = &page.parts[at];
    let is_own = |block: &&Block| {
        !is_about(block) && !words::is_leftover(&plain(&block.raw)) && !is_note(block)
    };
    let mut blocks: Vec<&Block> = part.blocks.iter().filter(is_own).collect();
    if !blocks.iter().any(|block| is_prose(block) || is_item(block)) {
        blocks = page.below(at).take(1).flat_map(|part| &part.blocks).filter(is_own).collect();
    }
    let said = decision(&blocks, page);
    match words::decided_title(&part.title) {
        Some(title) if shared(title, &said) < 60 => {
            let title = title.to_owned();
            (if said.is_empty() { title } else { titled(&title, &said) }, blocks)
        }
        _ => (said, blocks),
    }
}

/// Tells whether a block is a note about the document's status.
fn is_note(block: &Block) -> bool {
    block.shape == Shape::Aside || super::status::banner(&block.raw).is_some()
}

pub(super) fn is_prose(block: &Block) -> bool {
    let is_boilerplate = block.raw.contains("RFC 2119") || block.raw.contains("RFC2119");
    let is_text = !matches!(block.shape, Shape::Row { .. } | Shape::Aside);
    is_text && word_count(&block.raw) >= 2 && !is_boilerplate
}

/// Returns what some blocks decide, in a sentence or two.
fn decision(blocks: &[&Block], page: &Page) -> String {
    let Some(first) = blocks.iter().find(|block| is_prose(block) || is_item(block)) else {
        return String::new();
    };
    let text = plain(&first.raw);
    let rest: Vec<&&Block> = blocks.iter().filter(|block| block.line > first.line).collect();
    let is_open = !text.ends_with(['.', '!', '?', '。', '！', '？', ';']);
    let goes_on = text.ends_with(':')
        || text.ends_with("because")
        || text.ends_with("since")
        // `We will`, and then a list.
        || (is_open && !is_chosen(&text) && rest.first().is_some_and(|next| is_item(next)));
    if is_item(first) || goes_on {
        let mut parts: Vec<String> = Vec::new();
        if is_item(first) {
            parts.push(text.trim_end_matches('.').to_owned());
        }
        let items = rest.iter().take_while(|block| is_item(block));
        parts.extend(
            items.map(|block| plain(&block.raw).trim_end_matches(['.', ';', ',']).to_owned()),
        );
        let lead = if is_item(first) { String::new() } else { format!("{} ", chosen(&text, page)) };
        return fitted(&lead, &parts);
    }
    let said = first_sentences(&chosen(&text, page), 2, LONGEST);
    // The next paragraph may be the one that tells why.
    let next = rest
        .first()
        .filter(|block| !words::has_reason(&said) && is_prose(block) && !is_item(block));
    if let Some(next) = next {
        let reason = first_sentences(&plain(&next.raw), 1, LONGEST);
        if words::has_reason(&reason) && said.chars().count() + reason.chars().count() < LONGEST {
            return format!("{} {reason}", stopped(&said));
        }
    }
    said
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
    result.trim_end().to_owned()
}

pub(super) fn is_item(block: &Block) -> bool {
    matches!(block.shape, Shape::Item { .. })
}

/// Returns what is said below its title.
pub(super) fn titled(title: &str, said: &str) -> String {
    let mark = if title.ends_with(['?', '!', '.', ':', '？', '。']) { "" } else { ":" };
    format!("{title}{mark} {said}")
}

/// Returns a text that ends as a sentence does.
pub(super) fn stopped(text: &str) -> String {
    let is_stopped = text.ends_with(['.', '!', '?', '…', '。', '！', '？', ':']);
    if is_stopped { text.to_owned() } else { format!("{text}.") }
}

/// Returns a decision with its title where it does not say it itself, and with a reason where there is room.
fn composed(title: &str, said: &str, page: &Page, is_option: bool) -> String {
    let is_said = word_count(title) < 2
        || shared(title, said) >= 60
        || title.chars().count() + said.chars().count() + 2 > LONGEST;
    let named = is_option.then(|| answered(title, said)).flatten();
    let mut text =
        named.unwrap_or_else(|| if is_said { said.to_owned() } else { titled(title, said) });
    if words::has_reason(&text) {
        return text;
    }
    let reason = |role: Role| {
        let part = page.parts.iter().find(|part| words::role(&part.title) == role)?;
        let block = part.blocks.iter().find(|block| is_prose(block) && !is_about(block))?;
        let text = plain(&block.raw);
        let first = sentences(&text).first().copied().unwrap_or_default().to_owned();
        let is_told = word_count(&first) >= 3
            && !first.ends_with(['?', ':', '？'])
            && !words::is_leftover(&first)
            && !words::is_hole(&first);
        is_told.then_some(first)
    };
    if let Some(reason) = reason(Role::Reason).or_else(|| reason(Role::Context))
        && text.chars().count() + reason.chars().count() + 7 <= LONGEST
    {
        text = format!("{} Why: {reason}", stopped(&text));
    }
    text
}

/// Tells whether a document is the index of a folder of records.
pub(super) fn is_index_of_records(place: &Place<'_>, page: &Page) -> bool {
    is_index(&place.stem())
        && (is_about_records(page)
            || Place {
                path: &format!("{}x.md", place.path.trim_end_matches(|c| c != '/')),
                has_companion: false,
            }
            .is_record())
}

/// Returns proposals with the standing of the document or entry that they stand in.
pub(super) fn with_standing(mut proposals: Vec<Proposal>, standing: &Standing) -> Vec<Proposal> {
    for proposal in &mut proposals {
        proposal.status = standing.status();
        proposal.tells_status = standing.told.is_some();
        proposal.unknown_status = standing.unknown().map(str::to_owned);
        proposal.successors.clone_from(&standing.successors);
    }
    proposals
}
