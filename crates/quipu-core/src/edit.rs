//! Edits that operations make in a memory file: insert a block into a section, take one out, set a
//! footer field or a state line, tick a box.

use std::ops::Range;

use crate::doc::{self, Document, Fact, Section};
use crate::fact::{Field, Footer};
use crate::text::{self, Edit};

/// Inserts blocks (whole lines) at the end of a section's own text, before its subsections.
///
/// Blocks stand close where the section's facts do, and apart where they stand apart. A section
/// that is missing is added at the end of the file.
pub fn insert_blocks(document: &Document<'_>, title: &str, blocks: &[String]) -> Edit {
    match document.section(title) {
        Some(section) => insert_into(document, section, blocks),
        None => append_section(document, title, blocks),
    }
}

/// Adds a section with blocks at the end of the file.
pub(crate) fn append_section(document: &Document<'_>, title: &str, blocks: &[String]) -> Edit {
    let source = document.source;
    let ending = text::line_ending(source);
    let gap = if source.is_empty() || source.ends_with('\n') { "" } else { ending };
    let blank = if source.is_empty() { "" } else { ending };
    let heading = format!("{gap}{blank}## {title}{ending}{ending}");
    Edit::insert(source.len(), heading + &joined(blocks, false, ending))
}

/// Inserts blocks at the end of a section's own text.
pub(crate) fn insert_into(document: &Document<'_>, section: &Section, blocks: &[String]) -> Edit {
    let source = document.source;
    let ending = text::line_ending(source);
    let next = document.sections.partition_point(|other| other.heading.start < section.body.start);
    let subsection = document.sections.get(next).map(|inner| inner.heading.start);
    let subsection = subsection.filter(|start| section.body.contains(start));
    let own = section.body.start..subsection.unwrap_or(section.body.end);
    let is_empty = source[own.clone()].trim().is_empty();
    let last_word = own.start + source[own.clone()].trim_end().len();
    // The insertion goes after the line that the last word stands on.
    let at = match source[last_word..own.end].find('\n') {
        _ if is_empty => own.start,
        Some(newline) => last_word + newline + 1,
        None => own.end,
    };
    let apart = is_empty || stands_apart(document, &own);
    let unended = if at > 0 && !source[..at].ends_with('\n') { ending } else { "" };
    let before = if apart || !is_list_item(blocks.first()) { ending } else { "" };
    let after = match source[at..].lines().next() {
        Some(next) if !next.trim().is_empty() => ending,
        _ => "",
    };
    Edit::insert(
        at,
        format!("{unended}{before}{}{after}", joined(blocks, apart && !is_empty, ending)),
    )
}

fn is_list_item(block: Option<&String>) -> bool {
    block.is_some_and(|block| doc::without_marker(block).len() < block.len())
}

/// Puts blocks one after the other; what is no list item needs a blank line before it.
fn joined(blocks: &[String], apart: bool, ending: &str) -> String {
    let mut result = String::new();
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 && (apart || !is_list_item(Some(block))) {
            result.push_str(ending);
        }
        result.push_str(&text::with_line_ending(block, ending));
    }
    result
}

/// Tells whether what stands in `span` is separated by blank lines, or is no list yet.
fn stands_apart(document: &Document<'_>, span: &Range<usize>) -> bool {
    let source = document.source;
    let mut last: Option<&Fact> = None;
    for fact in document.facts_in(span) {
        if let Some(last) = last
            && last.block.end <= fact.block.start
        {
            return source[last.block.end..fact.block.start].contains('\n');
        }
        last = Some(fact);
    }
    let Some(last) = last else { return true };
    let follows = &source[last.block.end..span.end];
    // One fact alone: apart from the prose above it, and so is the next.
    !follows.trim().is_empty() || last.is_thread()
}

/// Takes a block out, with the blank line after it where one stands before it too.
///
/// Where the block was all that kept two paragraphs apart, a blank line takes its place.
pub fn remove_block(source: &str, block: Range<usize>) -> Edit {
    let is_blank = |line: &str| line.trim().is_empty();
    let above = source[..block.start].lines().next_back();
    let below = source[block.end..].split_inclusive('\n').next();
    match (above, below) {
        (None, Some(below)) if is_blank(below) => {
            Edit::remove(block.start..block.end + below.len())
        }
        (Some(above), Some(below)) if is_blank(above) && is_blank(below) => {
            Edit::remove(block.start..block.end + below.len())
        }
        (Some(above), Some(below)) if !is_blank(above) && would_join(above, below) => {
            Edit::replace(block, text::line_ending(source))
        }
        _ => Edit::remove(block),
    }
}

/// Returns `after` without blank lines at its end that `before` did not have there.
pub fn tidy_end(before: &str, after: String) -> String {
    let blank_end = |text: &str| text.len() - text.trim_end().len() > text::line_ending(text).len();
    if !blank_end(&after) || blank_end(before) {
        return after;
    }
    let kept = after.trim_end().len();
    let end = after[kept..].find('\n').map_or(kept, |newline| kept + newline + 1);
    after[..end].to_owned()
}

/// Tells whether `below` would be read as a continuation of the paragraph that `above` ends.
fn would_join(above: &str, below: &str) -> bool {
    let below = below.trim_start();
    let begins_anew = below.is_empty()
        || below.starts_with('#')
        || below.starts_with("<!--")
        || doc::without_marker(below).len() < below.len();
    !begins_anew && !above.trim_end().ends_with("-->")
}

/// Sets a field of a footer: replaces its value, or adds it at the end.
pub fn set_field(source: &str, footer: &Footer, key: &str, value: &str) -> Option<Edit> {
    set(source, footer, footer.fields.iter().rev().find(|field| field.key == key), key, value)
}

/// Sets a field of a footer that is known to stand there, or not to.
pub(crate) fn set(
    source: &str,
    footer: &Footer,
    field: Option<&Field>,
    key: &str,
    value: &str,
) -> Option<Edit> {
    match field {
        Some(field) if field.value == value => None,
        Some(field) if field.span.is_empty() => {
            Some(Edit::insert(field.span.start, format!(" {value}")))
        }
        Some(field) => Some(Edit::replace(field.span.clone(), value)),
        None => Some(Edit::insert(footer.end_of_fields(source), format!(" | {key}: {value}"))),
    }
}

/// Takes a field out of a footer, with the `|` before it.
pub fn remove_field(source: &str, footer: &Footer, key: &str) -> Option<Edit> {
    remove(source, footer.fields.iter().rev().find(|field| field.key == key)?)
}

/// Takes a field out of its footer, with the `|` before it.
pub(crate) fn remove(source: &str, field: &Field) -> Option<Edit> {
    let bar = source[..field.span.start].rfind('|')?;
    let start = source[..bar].trim_end().len();
    Some(Edit::remove(start..field.span.end))
}

/// Sets the line `- **key:** value`; adds it to the end of Project State where it is missing, and
/// that section to the end of the file where there is none.
pub fn set_state(document: &Document<'_>, key: &str, value: &str) -> Option<Edit> {
    let source = document.source;
    if let Some(line) = document.own_state(key) {
        let replacement = format!(" {value}");
        return (source[line.span.clone()] != replacement)
            .then(|| Edit::replace(line.span, replacement));
    }
    // Below a code fence that never closes, a new line would be code.
    if document.unclosed_fence.is_some() {
        return None;
    }
    let ending = text::line_ending(source);
    let added = format!("- **{key}:** {value}{ending}");
    let Some(section) = document.section("Project State") else {
        // At the end, where a new list item changes nothing about what stands above.
        let unended = if source.is_empty() || source.ends_with('\n') { "" } else { ending };
        let blank = if source.is_empty() { "" } else { ending };
        let heading = format!("{unended}{blank}## Project State{ending}{ending}");
        return Some(Edit::insert(source.len(), heading + &added));
    };
    let mut at = None;
    for line in text::lines(&source[section.body.clone()]) {
        let is_state = line.text.starts_with("- **") && line.text.contains(":**");
        if is_state && !document.is_in_fact(section.body.start + line.start) {
            at = Some(section.body.start + line.end);
        }
    }
    let (at, blank) = at.map_or((section.body.start, ending), |at| (at, ""));
    let unended = if at == 0 || source[..at].ends_with('\n') { "" } else { ending };
    Some(Edit::insert(at, format!("{unended}{blank}{added}{blank}")))
}

/// Replaces the box of a thread.
pub fn set_checkbox(source: &str, fact: &Fact, done: bool) -> Option<Edit> {
    let block = &source[fact.block.clone()];
    let box_at = block.find('[')?;
    let (from, to) = if done { (&["[ ]"][..], "[x]") } else { (&["[x]", "[X]"][..], "[ ]") };
    let stands = fact.is_thread() && from.iter().any(|mark| block[box_at..].starts_with(mark));
    let start = fact.block.start + box_at;
    stands.then(|| Edit::replace(start..start + 3, to))
}

/// Returns `block` without the indentation of its first line.
pub fn dedent(block: &str) -> String {
    let indent = block.len() - block.trim_start_matches([' ', '\t']).len();
    block
        .split_inclusive('\n')
        .map(|line| {
            let white = line.len() - line.trim_start_matches([' ', '\t']).len();
            &line[white.min(indent)..]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inserted(source: &str, title: &str) -> String {
        let document = Document::parse(source);
        text::apply(source, &[insert_blocks(&document, title, &["- new\n".to_owned()])]).unwrap()
    }

    #[test]
    fn a_block_goes_to_the_end_of_the_sections_own_text() {
        assert_eq!(inserted("## A\n\n> why\n\n## B\n", "A"), "## A\n\n> why\n\n- new\n\n## B\n");
        assert_eq!(inserted("## A\n## B\n", "A"), "## A\n\n- new\n\n## B\n");
        assert_eq!(
            inserted("## A\n\n> why\n\n### Sub\n\n- x\n", "A"),
            "## A\n\n> why\n\n- new\n\n### Sub\n\n- x\n"
        );
        assert_eq!(inserted("# T", "A"), "# T\n\n## A\n\n- new\n");
        assert_eq!(inserted("## A\n\n- x", "A"), "## A\n\n- x\n\n- new\n");
    }

    #[test]
    fn close_lists_stay_close_and_crlf_stays_crlf() {
        let facts = "## A\r\n\r\n- x\r\n  <!-- id: x-x | uses: 1 -->\r\n- y\r\n  <!-- id: y-y | uses: 1 -->\r\n";
        assert_eq!(inserted(facts, "a"), format!("{facts}- new\r\n"));
    }

    #[test]
    fn removing_a_block_leaves_no_double_blank_line() {
        let source = "a\n\n- x\n\nb\n";
        let edit = remove_block(source, 3..7);
        assert_eq!(text::apply(source, &[edit]).unwrap(), "a\n\nb\n");
        let close = "- w\n- x\n\nb\n";
        assert_eq!(text::apply(close, &[remove_block(close, 4..8)]).unwrap(), "- w\n\nb\n");
    }

    #[test]
    fn fields_are_set_added_and_taken_out() {
        let source = "- x\n  <!-- id: a-b | tier: working | odd -->\n";
        let document = Document::parse(source);
        let footer = &document.facts[0].footer;
        let with = |edit: Option<Edit>| {
            text::apply(source, &edit.into_iter().collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(
            with(set_field(source, footer, "tier", "core")),
            source.replace("working", "core")
        );
        assert_eq!(
            with(set_field(source, footer, "origin", "s")),
            source.replace("odd", "odd | origin: s")
        );
        assert_eq!(
            with(remove_field(source, footer, "tier")),
            source.replace(" | tier: working", "")
        );
        assert_eq!(set_field(source, footer, "tier", "working"), None);
    }

    #[test]
    fn state_lines_are_replaced_or_added() {
        let source =
            "## Project State\n\n- **project:** x\n- **last_review:** (none yet)\n\n## A\n";
        let document = Document::parse(source);
        let with = |key| text::apply(source, &[set_state(&document, key, "v").unwrap()]).unwrap();
        assert_eq!(with("last_review"), source.replace("(none yet)", "v"));
        assert_eq!(
            with("last_harvest"),
            source.replace("(none yet)\n", "(none yet)\n- **last_harvest:** v\n")
        );
    }

    #[test]
    fn dedent_moves_a_nested_block_to_the_margin() {
        assert_eq!(dedent("  - x\n    y\n\n   z\n"), "- x\n  y\n\n z\n");
    }
}
