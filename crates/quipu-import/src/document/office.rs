//! Documents of office programs and books: archives of XML. Text in them becomes Markdown with their headings.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Cursor, Read as _};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use zip::ZipArchive;

use super::markup::{Tag, Token, Tokens, first};
use super::{Document, Unreadable, html_text};

/// One file in such an archive is no larger than this.
const LONGEST_MEMBER: u64 = 64 * 1024 * 1024;

/// The words of a document are no longer than this.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

/// The file that says that an archive is a document of Word.
const WORD: &str = "word/document.xml";

/// The file that says that an archive is a presentation.
const SLIDES: &str = "ppt/presentation.xml";

/// The file that says that an archive is a book.
const BOOK: &str = "META-INF/container.xml";

/// The file that holds the words of an `OpenDocument`.
const OPEN: &str = "content.xml";

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// Tells whether an archive with such members is one document, and not several.
pub(crate) fn is_document(names: impl Iterator<Item = impl AsRef<str>>) -> bool {
    let names: BTreeSet<String> = names.map(|name| name.as_ref().to_owned()).collect();
    let has = |name: &str| names.contains(name);
    has(WORD) || has(SLIDES) || has(BOOK) || (has(OPEN) && has("mimetype"))
}

/// Reads a document in an archive.
pub(super) fn read(bytes: &[u8]) -> Result<Document, Unreadable> {
    let broken =
        |error: zip::result::ZipError| Unreadable(format!("its archive is broken: {error}"));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let has = |archive: &Archive<'_>, name: &str| archive.index_for_name(name).is_some();
    if has(&archive, WORD) {
        return word(&mut archive);
    }
    if has(&archive, SLIDES) {
        return slides(&mut archive);
    }
    if has(&archive, BOOK) {
        return book(&mut archive);
    }
    if has(&archive, OPEN) && has(&archive, "mimetype") {
        return open(&mut archive);
    }
    Err(Unreadable(
        "it is an archive, but no document of Word, PowerPoint, OpenDocument or EPUB".to_owned(),
    ))
}

fn member(archive: &mut Archive<'_>, name: &str) -> Result<String, Unreadable> {
    let missing = |error: zip::result::ZipError| Unreadable(format!("`{name}` in it: {error}"));
    let file = archive.by_name(name).map_err(missing)?;
    let mut bytes = Vec::new();
    file.take(LONGEST_MEMBER + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Unreadable(format!("`{name}` in it: {error}")))?;
    if bytes.len() as u64 > LONGEST_MEMBER {
        return Err(Unreadable(format!("`{name}` in it is larger than {LONGEST_MEMBER} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn time(text: Option<String>) -> Option<Timestamp> {
    crate::text::time_of(text?.trim(), &TimeZone::UTC)
}

/// Paragraphs, headings, items and tables, as Markdown.
#[derive(Default)]
struct Body {
    text: String,
    /// What the paragraph at hand says so far.
    words: String,
    /// The level of the heading that it is.
    level: usize,
    is_item: bool,
    /// How many cells it stands in.
    cells: usize,
}

impl Body {
    fn begin(&mut self) {
        (self.level, self.is_item) = (0, false);
        if self.cells == 0 {
            self.words.clear();
        }
    }

    fn end(&mut self) {
        if self.cells > 0 {
            self.words.push(' ');
            return;
        }
        let words = self.words.trim();
        if !words.is_empty() && self.text.len() + words.len() < LONGEST_BODY {
            let is_list = self.is_item
                && self.text.lines().next_back().is_some_and(|line| line.starts_with("- "));
            self.text.push_str(if is_list {
                "\n"
            } else if self.text.is_empty() {
                ""
            } else {
                "\n\n"
            });
            match (self.level, self.is_item) {
                (0, true) => self.text.push_str("- "),
                (0, false) => {}
                (level, _) => {
                    self.text.extend(std::iter::repeat_n('#', level.min(6)));
                    self.text.push(' ');
                }
            }
            self.text.push_str(words);
        }
        self.words.clear();
    }

    /// Ends a row of a table.
    fn row(&mut self) {
        if self.cells > 0 {
            return;
        }
        let row = self.words.split_whitespace().collect::<Vec<_>>().join(" ");
        let row = row.trim_matches([' ', '|']);
        if !row.is_empty() && self.text.len() + row.len() < LONGEST_BODY {
            let is_first =
                !self.text.lines().next_back().is_some_and(|line| line.starts_with("| "));
            self.text.push_str(if self.text.is_empty() {
                ""
            } else if is_first {
                "\n\n"
            } else {
                "\n"
            });
            self.text.push_str("| ");
            self.text.push_str(row);
            self.text.push_str(" |");
        }
        self.words.clear();
    }
}

/// The level of a heading, as the style of a paragraph names it: `Heading2`, `berschrift2`, `Title`.
fn level_of(style: &str) -> usize {
    if style.eq_ignore_ascii_case("title") {
        return 1;
    }
    let is_heading = style.to_lowercase();
    let is_heading =
        ["heading", "berschrift", "titre", "ttulo"].iter().any(|name| is_heading.contains(name));
    let digit = style.chars().next_back().and_then(|c| c.to_digit(10)).filter(|_| is_heading);
    digit.map_or(0, |digit| digit as usize)
}

fn word(archive: &mut Archive<'_>) -> Result<Document, Unreadable> {
    let text = member(archive, WORD)?;
    let mut body = Body::default();
    let (mut in_text, mut in_style) = (false, 0_usize);
    // What an older Word shows instead of a newer one says the same again.
    let mut again = 0_usize;
    for token in Tokens::of(&text) {
        match &token {
            Token::Start(tag) if tag.name == "Fallback" && !tag.is_empty => again += 1,
            Token::End("Fallback") => again = again.saturating_sub(1),
            _ => {}
        }
        if again > 0 {
            continue;
        }
        match token {
            Token::Start(tag) => match tag.name {
                "p" => {
                    body.begin();
                    if tag.is_empty {
                        body.end();
                    }
                }
                "t" if !tag.is_empty => in_text = true,
                "tab" if in_style == 0 => body.words.push('\t'),
                "br" | "cr" => body.words.push('\n'),
                "pPr" if !tag.is_empty => in_style += 1,
                "pStyle" => {
                    let style = tag.value("val").unwrap_or_default();
                    body.level = level_of(&style);
                    body.is_item |= style.to_lowercase().contains("list");
                }
                "numPr" => body.is_item = true,
                "tc" if !tag.is_empty => body.cells += 1,
                _ => {}
            },
            Token::End(name) => match name {
                "p" => body.end(),
                "t" => in_text = false,
                "pPr" => in_style = in_style.saturating_sub(1),
                "tc" => {
                    body.cells = body.cells.saturating_sub(1);
                    body.words.push_str(" | ");
                }
                "tr" => body.row(),
                _ => {}
            },
            Token::Text(words) if in_text => body.words.push_str(&words),
            Token::Text(_) => {}
        }
    }
    let about = member(archive, "docProps/core.xml").unwrap_or_default();
    Ok(Document {
        mime: "application/vnd.openxmlformats-officedocument.wordprocessingml.document".to_owned(),
        title: first(&about, "title"),
        author: first(&about, "creator"),
        created: time(first(&about, "created")),
        body: body.text,
        ..Document::default()
    })
}

/// A presentation: a page a slide, with its title as a heading and what its speaker noted.
fn slides(archive: &mut Archive<'_>) -> Result<Document, Unreadable> {
    // Slides are shown in the order of the presentation, which names them by way of a list of targets.
    let targets = member(archive, "ppt/_rels/presentation.xml.rels").unwrap_or_default();
    let targets: Vec<(Option<String>, Option<String>)> = Tokens::of(&targets)
        .filter_map(|token| match token {
            Token::Start(tag) if tag.name == "Relationship" => {
                Some((tag.value("Id"), tag.value("Target")))
            }
            _ => None,
        })
        .collect();
    let order = member(archive, SLIDES)?;
    let order = Tokens::of(&order).filter_map(|token| match token {
        // It has two ids: its own, and that of its target.
        Token::Start(tag) if tag.name == "sldId" => Some(tag.values("id")),
        _ => None,
    });
    let mut text = String::new();
    for (number, ids) in order.enumerate() {
        let is_meant = |id: &Option<String>| id.as_ref().is_some_and(|id| ids.contains(id));
        let target = targets.iter().find(|(id, _)| is_meant(id));
        let Some(target) = target.and_then(|(_, target)| target.as_deref()) else { continue };
        let path = inside("ppt", target);
        // A slide that is missing costs only itself.
        let Ok(slide) = member(archive, &path) else { continue };
        let name = path.rsplit('/').next().unwrap_or_default();
        let notes = member(archive, &path.replace(name, &format!("_rels/{name}.rels")));
        let notes = notes.ok().and_then(|all| {
            Tokens::of(&all).find_map(|token| match token {
                Token::Start(tag) if tag.value("Type")?.ends_with("/notesSlide") => {
                    tag.value("Target")
                }
                _ => None,
            })
        });
        let notes = notes.and_then(|target| member(archive, &inside("ppt/slides", &target)).ok());
        let words =
            [slide_words(&slide), notes.map(|notes| slide_words(&notes)).unwrap_or_default()];
        let words = words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>();
        if text.len() + words.iter().map(String::len).sum::<usize>() < LONGEST_BODY {
            let _ = write!(text, "<!-- page {} -->\n{}\n\n", number + 1, words.join("\n\n"));
        }
    }
    let about = member(archive, "docProps/core.xml").unwrap_or_default();
    Ok(Document {
        mime: "application/vnd.openxmlformats-officedocument.presentationml.presentation"
            .to_owned(),
        title: first(&about, "title"),
        author: first(&about, "creator"),
        created: time(first(&about, "created")),
        body: text.trim_end().to_owned(),
        has_pages: true,
        ..Document::default()
    })
}

/// Returns what stands on a slide, or in the notes beside it.
fn slide_words(slide: &str) -> String {
    let mut body = Body::default();
    let (mut in_text, mut level, mut is_left_out) = (false, 0, false);
    for token in Tokens::of(slide) {
        match token {
            Token::Start(tag) => match tag.name {
                "sp" => (level, is_left_out) = (0, false),
                // Numbers of slides, dates and footers are the same on all of them.
                "ph" => match tag.value("type").as_deref() {
                    Some("title" | "ctrTitle") => level = 2,
                    Some("sldNum" | "dt" | "ftr" | "hdr") => is_left_out = true,
                    _ => {}
                },
                "p" if !tag.is_empty => {
                    body.begin();
                    body.level = level;
                }
                "t" if !tag.is_empty => in_text = true,
                "br" => body.words.push('\n'),
                "tc" if !tag.is_empty => body.cells += 1,
                _ => {}
            },
            Token::End(name) => match name {
                "p" => body.end(),
                "t" => in_text = false,
                "tc" => {
                    body.cells = body.cells.saturating_sub(1);
                    body.words.push_str(" | ");
                }
                "tr" => body.row(),
                _ => {}
            },
            Token::Text(words) if in_text && !is_left_out => body.words.push_str(&words),
            Token::Text(_) => {}
        }
    }
    body.text
}

fn open(archive: &mut Archive<'_>) -> Result<Document, Unreadable> {
    let text = member(archive, OPEN)?;
    let mut body = Body::default();
    let (mut items, mut paragraphs) = (0_usize, 0_usize);
    // Notes of reviewers and what was deleted stand in the text, and are none of it.
    let mut left_out: Option<String> = None;
    for token in Tokens::of(&text) {
        if let Some(name) = &left_out {
            if matches!(&token, Token::End(end) if end == name) {
                left_out = None;
            }
            continue;
        }
        match token {
            Token::Start(tag) => match tag.name {
                "annotation" | "tracked-changes" | "forms" if !tag.is_empty => {
                    left_out = Some(tag.name.to_owned());
                }
                "h" | "p" => {
                    paragraphs += usize::from(!tag.is_empty);
                    body.begin();
                    body.is_item = items > 0;
                    if tag.name == "h" {
                        body.level = number(&tag, "outline-level").clamp(1, 6);
                    }
                }
                "list-item" if !tag.is_empty => items += 1,
                "tab" => body.words.push('\t'),
                "line-break" => body.words.push('\n'),
                "s" => body.words.extend(std::iter::repeat_n(' ', number(&tag, "c").clamp(1, 80))),
                "table-cell" if !tag.is_empty => body.cells += 1,
                _ => {}
            },
            Token::End(name) => match name {
                "h" | "p" => {
                    paragraphs = paragraphs.saturating_sub(1);
                    body.end();
                }
                "list-item" => items = items.saturating_sub(1),
                "table-cell" => {
                    body.cells = body.cells.saturating_sub(1);
                    body.words.push_str(" | ");
                }
                "table-row" => body.row(),
                _ => {}
            },
            Token::Text(words) if paragraphs > 0 => body.words.push_str(&words),
            Token::Text(_) => {}
        }
    }
    let about = member(archive, "meta.xml").unwrap_or_default();
    let mime = member(archive, "mimetype").unwrap_or_default();
    Ok(Document {
        mime: mime.trim().chars().take(100).collect(),
        title: first(&about, "title"),
        author: first(&about, "initial-creator").or_else(|| first(&about, "creator")),
        created: time(first(&about, "creation-date").or_else(|| first(&about, "date"))),
        body: body.text,
        ..Document::default()
    })
}

fn number(tag: &Tag<'_>, name: &str) -> usize {
    tag.value(name).and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn book(archive: &mut Archive<'_>) -> Result<Document, Unreadable> {
    let container = member(archive, BOOK)?;
    let package = Tokens::of(&container).find_map(|token| match token {
        Token::Start(tag) if tag.name == "rootfile" => tag.value("full-path"),
        _ => None,
    });
    let package = package.ok_or_else(|| Unreadable("the book names no package".to_owned()))?;
    let about = member(archive, &package)?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (mut files, mut order) = (Vec::new(), Vec::new());
    for token in Tokens::of(&about) {
        let Token::Start(tag) = token else { continue };
        match tag.name {
            "item" => files.push((tag.value("id"), tag.value("href"))),
            "itemref" => order.extend(tag.value("idref")),
            _ => {}
        }
    }
    let mut body = String::new();
    for id in order {
        let href = files.iter().find(|(other, _)| other.as_ref() == Some(&id));
        let Some(href) = href.and_then(|(_, href)| href.as_deref()) else { continue };
        // A chapter that is missing costs only itself.
        let Ok(page) = member(archive, &inside(folder, href)) else { continue };
        let words = html_text(&page);
        if !words.is_empty() && body.len() + words.len() < LONGEST_BODY {
            body.push_str(if body.is_empty() { "" } else { "\n\n" });
            body.push_str(&words);
        }
    }
    Ok(Document {
        mime: "application/epub+zip".to_owned(),
        title: first(&about, "title"),
        author: first(&about, "creator"),
        created: time(first(&about, "date")),
        body,
        ..Document::default()
    })
}

/// Returns where a file of a book is: its address in the package, from the package's folder.
fn inside(folder: &str, href: &str) -> String {
    let folder = if href.starts_with('/') { "" } else { folder };
    let href = quipu_core::text::percent_decoded(href.split('#').next().unwrap_or(href));
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
