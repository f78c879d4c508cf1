//! Documents as text: what stands in a page for people, without what makes it look nice.
//!
//! Plain texts, pages and mails are read by [`read`]. PDF, DOCX, PPTX, ODT and EPUB are foreign: whoever made them may have
//! meant harm, and their readers are large. [`read_foreign`] is for a process of its own, with limits.

mod html;
mod mail;
mod markup;
pub(crate) mod office;
mod pdf;

use serde::{Deserialize, Serialize};

use crate::encoding;

pub use self::html::html_text;
pub(crate) use self::mail::{Mail, is_mail, mail};

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// What a document says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// What kind of file it is.
    pub mime: String,
    /// Its title.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When, as it says itself.
    pub created: Option<jiff::Timestamp>,
    /// Its words, as Markdown.
    pub body: String,
    /// Whether the lines of the words are those of the file.
    pub has_its_lines: bool,
    /// Whether a line `<!-- page 3 -->` stands before the words of each page.
    pub has_pages: bool,
}

/// Tells whether a document is to be read by [`read_foreign`].
pub fn is_foreign(bytes: &[u8]) -> bool {
    // Some programs write a few bytes before the mark of a PDF.
    let beginning = &bytes[..bytes.len().min(1024)];
    bytes.starts_with(b"PK\x03\x04") || beginning.windows(5).any(|part| part == b"%PDF-")
}

/// Reads a PDF, or a document of Word, `OpenDocument` or EPUB.
///
/// # Errors
/// When it is none of these, or is broken.
pub fn read_foreign(bytes: &[u8]) -> Result<Document, Unreadable> {
    if bytes.starts_with(b"PK\x03\x04") { office::read(bytes) } else { pdf::read(bytes) }
}

/// Reads a document; nothing where it is of no kind that can be read.
///
/// What it is follows from what stands in it: a page, a mail, or a text.
pub fn read(bytes: &[u8]) -> Option<Document> {
    // Other controls than these are in no text.
    let is_strange = |byte: &u8| *byte < 0x20 && !b"\t\n\r\x0c\x1b".contains(byte);
    let is_marked = encoding::utf16(bytes).is_some();
    if !is_marked && bytes.iter().any(is_strange) || is_foreign(bytes) {
        return None;
    }
    if let Some(mail) = mail::read(bytes) {
        return Some(mail);
    }
    let text = &*encoding::decoded(bytes.to_vec());
    let beginning = text.trim_start().get(..512.min(text.trim_start().len())).unwrap_or(text);
    let beginning = beginning.to_lowercase();
    if beginning.starts_with("<!doctype html")
        || beginning.contains("<html")
        || beginning.contains("<body")
    {
        let (title, body) = (html::title(text), html_text(text));
        let mime = "text/html".to_owned();
        return Some(Document { mime, title, body, ..Document::default() });
    }
    let note = crate::head::Note::read(text);
    let heading = note.body.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let title = note.text("title").or_else(|| heading.map(str::to_owned));
    let created = ["created", "date"].iter().find_map(|key| note.text(key));
    let created = created.and_then(|text| crate::text::time_of(&text, &jiff::tz::TimeZone::UTC));
    // The lines of a head stay, so that those below keep their numbers.
    let body = "\n".repeat(note.line - 1) + &note.body.replace("\r\n", "\n");
    let mime =
        if heading.is_some() || !note.head.is_empty() { "text/markdown" } else { "text/plain" };
    let author = note.text("author");
    let mime = mime.to_owned();
    Some(Document { mime, title, author, created, body, has_its_lines: true, has_pages: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_by_what_stands_in_them() {
        let page = read(b"<!DOCTYPE html><title>Tea &amp; more</title><p>Buy sencha.</p>").unwrap();
        assert_eq!(
            (&*page.mime, page.title.as_deref(), &*page.body),
            ("text/html", Some("Tea & more"), "Buy sencha.")
        );
        let text = read(b"---\ntitle: Plan\n---\n# A\nwords\n").unwrap();
        assert_eq!((text.title.as_deref(), &*text.body), (Some("Plan"), "\n\n\n# A\nwords\n"));
        let mail = "From: Ana <ana@example.org>\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nDate: Fri, 2 Jan 2026 10:00:00 +0000\r\nMessage-ID: <x@y>\r\nContent-Type: text/plain\r\n\r\nMeet at four.\r\n> old words\r\n-- \r\nAna\r\n";
        let mail = read(mail.as_bytes()).unwrap();
        assert_eq!((mail.title.as_deref(), &*mail.body), (Some("Café"), "Meet at four."));
        assert_eq!(mail.created.unwrap().to_string(), "2026-01-02T10:00:00Z");
        assert!(read(b"%PDF-1.7").is_none() && read(b"a\0b").is_none());
    }
}
