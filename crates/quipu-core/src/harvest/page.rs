//! A document as harvests see it: headings with the paragraphs, list items and table rows below them.
//!
//! Markdown, reStructuredText, `AsciiDoc` and plain text are read line by line. Only what tells
//! decisions from the rest is modelled; code, directives and comments are left out.

use crate::outline::Checkbox;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Markdown,
    Rst,
    Asciidoc,
    Plain,
}

impl Dialect {
    fn of(path: &str) -> Self {
        match path.rsplit('.').next().unwrap_or_default().to_lowercase().as_str() {
            "rst" => Self::Rst,
            "adoc" | "asciidoc" => Self::Asciidoc,
            "txt" => Self::Plain,
            _ => Self::Markdown,
        }
    }

    fn has_underlines(self) -> bool {
        matches!(self, Self::Rst | Self::Plain | Self::Markdown)
    }
}

/// What a piece of text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Paragraph,
    Item { checkbox: Checkbox, indent: usize },
    Row { cells: Vec<String>, is_header: bool },
}

/// A paragraph, a list item or a table row, on one line.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) shape: Shape,
    /// As it is written, markup included.
    pub(crate) raw: String,
    /// 1-based.
    pub(crate) line: usize,
}

/// A heading with what stands right below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// The heading's words; nothing before the first heading.
    pub(crate) title: String,
    pub(crate) level: u8,
    /// 1-based.
    pub(crate) line: usize,
    pub(crate) blocks: Vec<Block>,
}

/// A document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// Fields before the text: front matter, attributes.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) parts: Vec<Part>,
}

impl Page {
    /// Reads a document; `path` tells how it is written.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let dialect = Dialect::of(path);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = if dialect == Dialect::Markdown { without_comments(text) } else { text.into() };
        let lines: Vec<&str> = text.lines().collect();
        let mut reader = Reader::new(dialect, &lines);
        reader.front_matter();
        while reader.at < lines.len() {
            reader.step();
        }
        reader.flush();
        reader.page
    }

    /// Returns the document's title: its first heading, or the front matter's.
    pub(crate) fn title(&self) -> Option<&str> {
        let heading = self.parts.iter().map(|part| part.title.as_str()).find(|t| !t.is_empty());
        heading.or_else(|| self.field("title"))
    }

    /// Returns a field of the front matter.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the parts below a part, deeper than it, in order.
    pub(crate) fn below(&self, index: usize) -> impl Iterator<Item = &Part> {
        let level = self.parts[index].level;
        self.parts[index + 1..].iter().take_while(move |part| part.level > level)
    }
}

/// Blanks out HTML comments; lines stay where they are.
fn without_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        result.push_str(&rest[..start]);
        let end = rest[start..].find("-->").map_or(rest.len(), |end| start + end + "-->".len());
        result.extend(rest[start..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

struct Reader<'a> {
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
    fn new(dialect: Dialect, lines: &'a [&'a str]) -> Self {
        let page = Page { parts: vec![Part::default()], ..Page::default() };
        Self { dialect, lines, at: 0, page, open: None, marks: Vec::new(), in_table: false }
    }

    fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    fn front_matter(&mut self) {
        if self.line(0).trim_end() != "---" {
            return;
        }
        let Some(end) = self.lines[1..].iter().position(|line| line.trim_end() == "---") else {
            return;
        };
        for line in &self.lines[1..=end] {
            if let Some((key, value)) = line.split_once(':')
                && !line.starts_with([' ', '-', '#'])
            {
                let value = value.trim().trim_matches(['"', '\'']);
                self.page.fields.push((key.trim().to_lowercase(), value.to_owned()));
            }
        }
        self.at = end + 2;
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
        } else if let Some((level, title, length)) = self.heading() {
            self.flush();
            let line = self.at + 1;
            self.page.parts.push(Part { title, level, line, blocks: Vec::new() });
            self.at += length;
        } else {
            self.text(line, trimmed);
            self.at += 1;
        }
    }

    /// Returns where the text goes on after code, directives and attributes.
    fn skipped(&mut self, trimmed: &str) -> Option<usize> {
        let closing = |closes: &dyn Fn(&str) -> bool| {
            let rest = &self.lines[self.at + 1..];
            rest.iter()
                .position(|line| closes(line.trim()))
                .map_or(self.lines.len(), |n| self.at + n + 2)
        };
        let fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match self.dialect {
            Dialect::Asciidoc => {
                if let Some((key, value)) = attribute(trimmed) {
                    self.page.fields.push((key.to_lowercase(), value.to_owned()));
                    return Some(self.at + 1);
                }
                let is_code = ["----", "....", "////", "++++"].contains(&trimmed);
                let is_note = trimmed.starts_with("//")
                    || trimmed == "|==="
                    || (trimmed.starts_with('[') && trimmed.ends_with(']'));
                if is_code {
                    return Some(closing(&|line| line == trimmed));
                }
                is_note.then_some(self.at + 1)
            }
            Dialect::Rst => {
                // Further down a field is about the section that it stands in.
                if self.page.parts.len() <= 2
                    && let Some((key, value)) = attribute(trimmed)
                {
                    self.page.fields.push((key.to_lowercase(), value.to_owned()));
                    return Some(self.at + 1);
                }
                if trimmed.starts_with(".. ") && !trimmed.starts_with(".. list-table") {
                    return Some(self.after_indented());
                }
                trimmed.starts_with(".. ").then_some(self.at + 1)
            }
            _ => fence.map(|mark| closing(&|line| line.starts_with(mark))),
        }
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
            return Some((u8::try_from(marks).unwrap_or(6), plain(title), 1));
        }
        if self.dialect.has_underlines() {
            let (above, title, below) = (line, self.line(self.at + 1), self.line(self.at + 2));
            let has_above = underline(above).is_some() && underline(above) == underline(below);
            if has_above && self.dialect == Dialect::Rst && is_underlined(title.trim(), below) {
                return Some((self.level(below, true), plain(title), 3));
            }
            if self.open.is_none() && is_underlined(line.trim_end(), title) && !is_marked(line) {
                return Some((self.level(title, false), plain(line), 2));
            }
        }
        let is_alone = self.open.is_none() && self.line(self.at + 1).trim().is_empty();
        let letters = line.chars().filter(|c| c.is_alphabetic()).count();
        let is_loud =
            letters >= 4 && line.chars().count() <= 60 && !line.chars().any(char::is_lowercase);
        (self.dialect == Dialect::Plain && is_alone && is_loud)
            .then(|| (2, line.trim().trim_end_matches(':').to_owned(), 1))
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
        if field.is_some() {
            self.flush();
        }
        let trimmed = field.as_deref().unwrap_or(trimmed);
        let indent = indent_of(line);
        let rest = item(trimmed);
        let is_code = indent >= 4 && self.open.is_none() && rest.is_none() && !self.after_item();
        if is_code || underline(trimmed).is_some() {
            return;
        }
        if trimmed.starts_with('|') && trimmed.len() > 1 {
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

/// Returns words without the markup of links, emphasis, roles and tags.
pub(crate) fn plain(raw: &str) -> String {
    let mut result = String::with_capacity(raw.len());
    let mut rest = raw;
    let mut in_code = false;
    while let Some(c) = rest.chars().next() {
        if c == '`' {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            rest = &rest[ticks..];
            in_code = !in_code;
            result.push('`');
            continue;
        }
        if !in_code && let Some((words, after)) = markup(rest) {
            result.push_str(&words);
            rest = after;
            continue;
        }
        let is_strong =
            rest.starts_with("**") || (rest.starts_with("__") && is_edge(&result, &rest[2..]));
        if !in_code && is_strong {
            rest = &rest[2..];
            continue;
        }
        let is_emphasis = !in_code && "*_".contains(c) && is_edge(&result, &rest[1..]);
        if !is_emphasis {
            result.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    // A role such as :ref:`words` leaves its name, a reference its underscore.
    let result = result.replace("`_", "`");
    let unroled =
        [":ref:`", ":doc:`", ":term:`"].iter().fold(result, |text, role| text.replace(role, "`"));
    crate::text::collapse_whitespace(&unroled)
}

/// Tells whether a `*` or `_` opens or closes emphasis, and is no part of a name.
fn is_edge(before: &str, after: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (left, right) = (before.chars().next_back(), after.chars().next());
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    is_word(left) != is_word(right) && !(is_space(left) && is_space(right))
}

/// Returns the words of a link, an image, a tag or struck-out text, and what follows it.
fn markup(rest: &str) -> Option<(String, &str)> {
    if let Some(after) = rest.strip_prefix("![") {
        let end = after.find(')')?;
        return Some((String::new(), &after[end + 1..]));
    }
    if let Some(after) = rest.strip_prefix("~~") {
        let end = after.find("~~")?;
        return Some((String::new(), &after[end + 2..]));
    }
    if let Some(after) = rest.strip_prefix('[') {
        let (words, after) = after.split_once(']')?;
        let target = |open: char, close: char| {
            after.strip_prefix(open).and_then(|inner| inner.split_once(close)).map(|(_, rest)| rest)
        };
        let after = target('(', ')').or_else(|| target('[', ']')).unwrap_or(after);
        return (!words.trim().is_empty()).then(|| (plain(words), after));
    }
    if let Some(after) = rest.strip_prefix('<') {
        let (tag, after) = after.split_once('>')?;
        let is_tag =
            tag.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) && tag.len() < 200;
        return is_tag.then(|| (String::new(), after));
    }
    let link = ["link:", "xref:"].into_iter().find_map(|name| rest.strip_prefix(name))?;
    let (target, after) = link.split_once('[')?;
    let (words, after) = after.split_once(']')?;
    (!target.contains(' ')).then(|| (words.to_owned(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(path: &str, text: &str) -> Vec<(u8, String)> {
        let page = Page::read(path, text);
        page.parts[1..].iter().map(|part| (part.level, part.title.clone())).collect()
    }

    #[test]
    fn headings_are_read_in_every_dialect() {
        let expected = vec![(1, "One".to_owned()), (2, "Two".to_owned())];
        assert_eq!(titles("a.md", "# One\n\ntext\n\n## Two ##\n"), expected);
        assert_eq!(titles("a.md", "One\n===\n\ntext\n\nTwo\n---\nx\n"), expected);
        assert_eq!(titles("a.rst", "===\nOne\n===\n\ntext\n\nTwo\n---\n\nx\n"), expected);
        assert_eq!(titles("a.adoc", "= One\n\n== Two\n\n----\n== code\n----\n"), expected);
        assert_eq!(titles("a.txt", "One\n===\n\nTwo\n---\r\n"), expected);
        assert_eq!(titles("a.txt", "THE DECISION\n\nWords.\n"), [(2, "THE DECISION".to_owned())]);
    }

    #[test]
    fn code_and_comments_are_no_text() {
        let page = Page::read("a.md", "# T\n\n```\nMUST\n```\n<!--\nNEVER\n-->\n- [ ] do\n  it\n");
        let blocks: Vec<&str> = page.parts[1].blocks.iter().map(|b| b.raw.as_str()).collect();
        assert_eq!(blocks, ["do it"]);
        assert_eq!(page.parts[1].blocks[0].line, 9);
    }

    #[test]
    fn markup_is_taken_off() {
        assert_eq!(
            plain("**Use** [the *queue*](q.md) of `a_b`, __now__"),
            "Use the queue of `a_b`, now"
        );
        assert_eq!(plain("snake_case and 2 * 3 <br/> stay"), "snake_case and 2 * 3 stay");
        assert_eq!(plain("see link:x.html[the page] and ``lit``"), "see the page and `lit`");
    }

    #[test]
    fn tables_have_a_header_and_rows() {
        let page = Page::read("a.md", "| Decision | Why |\n|---|---|\n| Use X | fast |\n");
        let rows: Vec<bool> = (page.parts[0].blocks.iter())
            .map(|block| matches!(block.shape, Shape::Row { is_header: true, .. }))
            .collect();
        assert_eq!(rows, [true, false]);
    }
}
