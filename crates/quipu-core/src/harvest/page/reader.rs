//! Reading a document line by line.

use super::markup::{plain, unstruck};
use super::{Block, Dialect, Page, Part, Shape, table};
use crate::harvest::words::{is_heading, words};
use crate::outline::Checkbox;

/// Directives that say something about the page.
const ASIDES: &[&str] =
    &["note", "warning", "caution", "attention", "important", "danger", "admonition", "deprecated"];

pub(super) struct Reader<'a> {
    dialect: Dialect,
    lines: &'a [&'a str],
    at: usize,
    page: Page,
    open: Option<Block>,
    /// The marks of headings in the order in which they first occur: rst has no fixed levels.
    marks: Vec<(char, bool)>,
    /// Whether table rows were read since the last line that is none.
    in_table: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(dialect: Dialect, lines: &'a [&'a str]) -> Self {
        let page = Page { parts: vec![Part::default()], ..Page::default() };
        Self { dialect, lines, at: 0, page, open: None, marks: Vec::new(), in_table: false }
    }

    fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Reads the whole document.
    pub(super) fn read(mut self) -> Page {
        self.front_matter();
        self.header();
        while self.at < self.lines.len() {
            self.step();
        }
        self.flush();
        self.page
    }

    fn front_matter(&mut self) {
        let mark = self.line(0).trim_end();
        if mark != "---" && mark != "+++" {
            return;
        }
        let Some(end) = self.lines[1..].iter().position(|line| line.trim_end() == mark) else {
            return;
        };
        self.page.fields.extend(fields(&self.lines[1..=end]));
        self.at = end + 2;
    }

    /// Reads lines `Key: value` that a document begins with, as a PEP does.
    fn header(&mut self) {
        let mut at = self.at;
        while at < self.lines.len() && self.line(at).trim().is_empty() {
            at += 1;
        }
        let mut found: Vec<(String, String)> = Vec::new();
        while let Some(line) = self.lines.get(at).filter(|line| !line.trim().is_empty()) {
            if let Some((key, value)) = header_field(line) {
                found.push((key, value));
            } else if let Some((_, value)) = found.last_mut().filter(|_| indent_of(line) > 0) {
                value.push(' ');
                value.push_str(line.trim());
            } else {
                return;
            }
            at += 1;
        }
        if found.len() >= 2 {
            self.page.fields.extend(found);
            self.at = at;
        }
    }

    fn step(&mut self) {
        let line = self.line(self.at);
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.flush();
            self.in_table = false;
            self.at += 1;
        } else if let Some(after) = self.skipped(trimmed) {
            self.flush();
            self.at = after;
        } else if let Some((level, raw, length)) = self.heading() {
            self.flush();
            let line = self.at + 1;
            let title = plain(&unstruck(&raw));
            self.page.parts.push(Part { title, raw, level, line, blocks: Vec::new() });
            self.at += length;
        } else {
            self.text(line, trimmed);
            self.at += 1;
        }
    }

    /// Returns where the text goes on after what `closes` tells the end of.
    fn after(&self, closes: &dyn Fn(&str) -> bool) -> usize {
        let rest = &self.lines[self.at + 1..];
        rest.iter()
            .position(|line| closes(line.trim()))
            .map_or(self.lines.len(), |n| self.at + n + 2)
    }

    /// Returns where the text goes on after code, directives and attributes.
    fn skipped(&mut self, trimmed: &str) -> Option<usize> {
        match self.dialect {
            Dialect::Asciidoc => self.skipped_asciidoc(trimmed),
            Dialect::Rst => self.skipped_rst(trimmed),
            Dialect::Plain => trimmed.contains("[Page ").then_some(self.at + 1),
            Dialect::Markdown => {
                let fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
                if let Some(mark) = fence {
                    return Some(self.after(&|line| line.starts_with(mark)));
                }
                if let Some(words) = trimmed.strip_prefix("!!! ") {
                    return Some(self.aside(words));
                }
                let is_definition = trimmed.starts_with('[') && trimmed.contains("]: ");
                (is_definition || trimmed.starts_with(":::")).then_some(self.at + 1)
            }
        }
    }

    fn skipped_asciidoc(&mut self, trimmed: &str) -> Option<usize> {
        if let Some((key, value)) = attribute(trimmed) {
            self.page.fields.push((key.to_lowercase(), value.to_owned()));
            return Some(self.at + 1);
        }
        if trimmed == "|===" {
            return Some(self.asciidoc_table());
        }
        let is_help = |line: &str| line == "[help]" || line.contains("arc42help");
        if trimmed.starts_with("ifdef::") && is_help(trimmed) {
            return Some(self.after(&|line| line.starts_with("endif::")));
        }
        if is_help(trimmed) && self.line(self.at + 1).trim() == "****" {
            self.at += 1;
            return Some(self.after(&|line| line == "****"));
        }
        if ["----", "....", "////", "++++"].contains(&trimmed) {
            return Some(self.after(&|line| line == trimmed));
        }
        let is_directive = ["ifdef::", "ifndef::", "endif::", "include::", "image::", "toc::"]
            .iter()
            .any(|name| trimmed.starts_with(name));
        let is_block_title = trimmed.starts_with('.')
            && !trimmed.starts_with(". ")
            && !trimmed.starts_with("..")
            && self.bold_heading(trimmed).is_none();
        let is_note = trimmed.starts_with("//")
            || (trimmed.starts_with('[') && trimmed.ends_with(']') && !trimmed.contains('#'));
        (is_note || is_directive || is_block_title).then_some(self.at + 1)
    }

    fn skipped_rst(&mut self, trimmed: &str) -> Option<usize> {
        // Further down a field is about the section that it stands in.
        if self.page.parts.len() <= 2
            && let Some((key, value)) = attribute(trimmed)
        {
            self.page.fields.push((key.to_lowercase(), value.to_owned()));
            return Some(self.at + 1);
        }
        if table::is_border(trimmed) {
            return Some(self.simple_table());
        }
        let directive = trimmed.strip_prefix(".. ")?;
        if directive.starts_with("list-table") {
            let after = self.after_indented();
            let from = self.at + 1;
            self.rows(table::listed(&self.lines[from..after]), from);
            return Some(after);
        }
        let is_aside = ASIDES.iter().any(|name| directive.starts_with(name));
        if is_aside && self.page.parts.len() <= 2 {
            let words = directive.replace("::", " ");
            return Some(self.aside(&words));
        }
        Some(self.after_indented())
    }

    /// Keeps a note that is set apart by its indent; returns where the text goes on.
    fn aside(&mut self, first: &str) -> usize {
        self.flush();
        let after = self.after_indented();
        let mut raw = first.to_owned();
        for line in &self.lines[self.at + 1..after] {
            raw.push(' ');
            raw.push_str(line.trim());
        }
        self.push(Block { shape: Shape::Aside, raw, line: self.at + 1 });
        after
    }

    fn asciidoc_table(&mut self) -> usize {
        self.flush();
        let end = self.after(&|line| line == "|===");
        let before = self.at.checked_sub(1).map_or("", |at| self.line(at));
        let from = self.at + 1;
        let inner = &self.lines[from.min(end)..end.saturating_sub(1).max(from.min(end))];
        self.rows(table::asciidoc(inner, table::columns(before)), from);
        end
    }

    /// Keeps rows, the first as the header.
    fn rows(&mut self, rows: Vec<(usize, Vec<String>)>, from: usize) {
        self.flush();
        for (index, (at, cells)) in rows.into_iter().enumerate() {
            let raw = cells.join(" | ");
            let shape = Shape::Row { cells, is_header: index == 0 };
            self.push(Block { shape, raw, line: from + at + 1 });
        }
    }

    fn simple_table(&mut self) -> usize {
        self.flush();
        let border = self.line(self.at);
        let mut at = self.at + 1;
        let mut borders = 1;
        while at < self.lines.len() {
            let line = self.line(at);
            at += 1;
            if table::is_border(line) {
                borders += 1;
                let is_end = self.line(at).trim().is_empty();
                if is_end || borders == 3 {
                    break;
                }
            } else if !line.trim().is_empty() {
                let cells = table::simple_row(border, line);
                let raw = cells.join(" | ");
                let shape = Shape::Row { cells, is_header: borders == 1 };
                self.push(Block { shape, raw, line: at });
            }
        }
        at
    }

    /// Returns the first line after this one that is not indented deeper.
    fn after_indented(&self) -> usize {
        let indent = indent_of(self.line(self.at));
        let rest = self.lines[self.at + 1..].iter();
        let length = rest.take_while(|line| line.trim().is_empty() || indent_of(line) > indent);
        self.at + 1 + length.count()
    }

    /// Returns the level, words and length of a heading that begins here.
    fn heading(&mut self) -> Option<(u8, String, usize)> {
        let line = self.line(self.at);
        let mark = if self.dialect == Dialect::Asciidoc { ['=', '#'] } else { ['#', '#'] };
        let marks = line.chars().take_while(|c| mark.contains(c)).count();
        if self.dialect != Dialect::Rst
            && (1..=6).contains(&marks)
            && line[marks..].starts_with(' ')
        {
            let title = line[marks..].trim().trim_end_matches(mark).trim_end();
            return Some((u8::try_from(marks).unwrap_or(6), title.to_owned(), 1));
        }
        if let Some(title) = self.bold_heading(line.trim()) {
            return Some((6, title, 1));
        }
        if self.dialect.has_underlines() {
            let (above, title, below) = (line, self.line(self.at + 1), self.line(self.at + 2));
            let has_above = underline(above).is_some() && underline(above) == underline(below);
            if has_above && self.dialect == Dialect::Rst && is_underlined(title.trim(), below) {
                return Some((self.level(below, true), title.trim().to_owned(), 3));
            }
            if self.open.is_none() && is_underlined(line.trim_end(), title) && !is_marked(line) {
                return Some((self.level(title, false), line.trim().to_owned(), 2));
            }
        }
        if self.dialect == Dialect::Plain { self.plain_heading(line) } else { None }
    }

    /// Returns the words of a bold line that stands where a heading could.
    fn bold_heading(&self, trimmed: &str) -> Option<String> {
        let inner = trimmed
            .strip_prefix("**")
            .and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"))
            .or_else(|| {
                trimmed
                    .strip_prefix('*')
                    .and_then(|rest| rest.trim_end_matches(':').strip_suffix('*'))
            })
            .or_else(|| trimmed.strip_prefix('.').filter(|_| self.dialect == Dialect::Asciidoc))?;
        let inner = inner.trim_end_matches(':');
        let is_known = !inner.contains('*') && is_heading(inner);
        (self.open.is_none() && is_known).then(|| inner.to_owned())
    }

    /// Returns a heading of a plain text: in capitals, or flush left above text that is indented.
    fn plain_heading(&self, line: &str) -> Option<(u8, String, usize)> {
        let is_alone = self.open.is_none() && self.line(self.at + 1).trim().is_empty();
        let letters = line.chars().filter(|c| c.is_alphabetic()).count();
        if !is_alone || letters < 4 || line.chars().count() > 60 {
            return None;
        }
        let words = line.trim().trim_end_matches(':').to_owned();
        if !line.chars().any(char::is_lowercase) {
            return Some((2, words, 1));
        }
        let next = self.lines[self.at + 1..].iter().find(|line| !line.trim().is_empty());
        let is_above =
            indent_of(line) == 0 && next.is_some_and(|next| (2..8).contains(&indent_of(next)));
        let is_title = is_above
            && !words.ends_with(['.', ',', ';'])
            && item(&words).is_none_or(|_| words.len() < 50);
        is_title.then_some((2, words, 1))
    }

    fn level(&mut self, underline: &str, has_above: bool) -> u8 {
        let mark = underline.trim().chars().next().unwrap_or('=');
        if self.dialect == Dialect::Markdown {
            return if mark == '=' { 1 } else { 2 };
        }
        let known = self.marks.iter().position(|known| *known == (mark, has_above));
        let index = known.unwrap_or_else(|| {
            self.marks.push((mark, has_above));
            self.marks.len() - 1
        });
        u8::try_from(index + 1).unwrap_or(6)
    }

    fn text(&mut self, line: &str, trimmed: &str) {
        let quoted = trimmed.trim_start_matches(['>', ' ']);
        let trimmed = if trimmed.starts_with('>') { quoted } else { trimmed };
        let field = attribute(trimmed).map(|(key, value)| format!("{key}: {value}"));
        let trimmed = field.as_deref().unwrap_or(trimmed);
        let label = label_kind(trimmed);
        if field.is_some() || label.is_some() {
            self.flush();
        }
        let indent = indent_of(line);
        let rest = item(trimmed);
        let is_code = indent >= 4 && self.open.is_none() && rest.is_none() && !self.after_item();
        if is_code
            || underline(trimmed).is_some()
            || trimmed.starts_with("+-")
            || trimmed.starts_with("+=")
        {
            return;
        }
        let is_open_row =
            trimmed.contains('|') && (self.in_table || is_delimiter(self.line(self.at + 1)));
        if (trimmed.starts_with('|') && trimmed.len() > 1) || is_open_row {
            self.row(trimmed);
            return;
        }
        self.in_table = false;
        if let Some((checkbox, words)) = rest {
            self.flush();
            let shape = Shape::Item { checkbox, indent };
            self.open = Some(Block { shape, raw: words.to_owned(), line: self.at + 1 });
        } else if let Some(open) = &mut self.open {
            open.raw.push(' ');
            open.raw.push_str(trimmed);
        } else {
            let raw = trimmed.to_owned();
            self.open = Some(Block { shape: Shape::Paragraph, raw, line: self.at + 1 });
        }
        // What follows a line about the document is no part of that line.
        if label == Some(true) {
            self.flush();
        }
    }

    fn after_item(&self) -> bool {
        let last = self.page.parts.last().and_then(|part| part.blocks.last());
        last.is_some_and(|block| matches!(block.shape, Shape::Item { .. }))
    }

    fn row(&mut self, trimmed: &str) {
        self.flush();
        let inner = trimmed.trim_start_matches('|').trim_end_matches('|');
        let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().to_owned()).collect();
        let is_rule = cells.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c)));
        if !is_rule {
            let shape = Shape::Row { cells, is_header: !self.in_table };
            self.push(Block { shape, raw: inner.to_owned(), line: self.at + 1 });
        }
        self.in_table = true;
    }

    fn flush(&mut self) {
        if let Some(block) = self.open.take() {
            self.push(block);
        }
    }

    fn push(&mut self, block: Block) {
        if let Some(part) = self.page.parts.last_mut() {
            part.blocks.push(block);
        }
    }
}

/// Returns the fields of front matter or of a file of metadata: YAML or TOML, as far as it is flat.
pub(super) fn fields(lines: &[&str]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in lines {
        let is_nested = line.starts_with([' ', '-', '#', '\t']);
        if let Some(item) = line.trim().strip_prefix("- ").filter(|_| is_nested) {
            // A list of one is a value.
            if let Some((_, value)) = found.last_mut().filter(|(_, value)| value.is_empty()) {
                *value = unquoted(item);
            }
        } else if let Some((key, value)) = line.split_once([':', '=']).filter(|_| !is_nested) {
            found.push((unquoted(key).to_lowercase(), unquoted(value)));
        }
    }
    found
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).trim().to_owned()
}

/// Returns a line `Key: value` with a capital first letter.
fn header_field(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let is_key = key.starts_with(char::is_uppercase)
        && key.chars().count() <= 30
        && key.chars().all(|c| c.is_alphanumeric() || " -_".contains(c))
        && key.split(' ').count() <= 3;
    let is_value = value.is_empty() || value.starts_with([' ', '\t']);
    (is_key && is_value).then(|| (key.trim().to_lowercase(), value.trim().to_owned()))
}

/// Tells whether a line begins with a known label; where it does, whether its value ends with the line.
fn label_kind(trimmed: &str) -> Option<bool> {
    let (key, value) = trimmed.split_once([':', '：'])?;
    if key.chars().count() > 34 {
        return None;
    }
    let key = plain(key).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let known = words();
    let is_about = [&known.status_labels, &known.other_labels]
        .iter()
        .any(|names| names.contains(&key.as_str()));
    let is_said = [&known.decision_labels, &known.reason_labels]
        .iter()
        .any(|names| names.contains(&key.as_str()));
    let has_value = value.chars().any(char::is_alphanumeric);
    (is_about || is_said).then_some(is_about && has_value)
}

fn indent_of(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Returns a line `:key: value`.
fn attribute(trimmed: &str) -> Option<(&str, &str)> {
    let (key, value) = trimmed.strip_prefix(':')?.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c));
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key.trim(), value.trim()))
}

/// Returns the character that a line consists of, where it rules off.
fn underline(line: &str) -> Option<char> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| "=-~^\"'`#*+.:_".contains(*c))?;
    (line.chars().count() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

fn is_underlined(title: &str, below: &str) -> bool {
    let long = below.trim_end().chars().count();
    let words = title.chars().count();
    words > 0 && underline(below).is_some() && underline(title).is_none() && long + 2 >= words
}

/// Tells whether a line stands between a table's header and its rows.
fn is_delimiter(line: &str) -> bool {
    line.contains('|') && line.contains("--") && line.chars().all(|c| "|-: ".contains(c))
}

fn is_marked(line: &str) -> bool {
    item(line.trim()).is_some() || line.trim_start().starts_with(['|', '>'])
}

/// Returns a list item's box and words.
fn item(trimmed: &str) -> Option<(Checkbox, &str)> {
    let stars = trimmed.len() - trimmed.trim_start_matches('*').len();
    let bullet = trimmed
        .strip_prefix(['-', '+', '•'])
        .or_else(|| trimmed.get(stars..).filter(|_| stars > 0));
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = trimmed[digits..].strip_prefix(['.', ')']).filter(|_| (1..=3).contains(&digits));
    let counted = trimmed.strip_prefix("#.").or_else(|| trimmed.strip_prefix('.'));
    let rest = bullet.or(numbered).or(counted)?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    // The first cell of a list-table.
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    for (mark, checkbox) in
        [("[ ]", Checkbox::Open), ("[x]", Checkbox::Done), ("[X]", Checkbox::Done)]
    {
        if let Some(rest) = rest.strip_prefix(mark) {
            return Some((checkbox, rest.trim_start()));
        }
    }
    Some((Checkbox::None, rest))
}
