//! Mails as text: what was written, without what was quoted and the signature.

use jiff::Timestamp;
use mailparse::{MailHeaderMap as _, ParsedMail};

use super::{Document, html_text};

/// Mails in mails are looked into so deep.
const DEEPEST: usize = 16;

/// A mail, and what it belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    /// Its own id.
    pub(crate) id: Option<String>,
    /// The id of the mail that its conversation began with.
    pub(crate) thread: Option<String>,
    /// What it says.
    pub(crate) document: Document,
}

/// Tells whether something begins like a mail: with the lines that every one has.
pub(crate) fn is_mail(bytes: &[u8]) -> bool {
    let end = bytes.len().min(16 * 1024);
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let head = head.split("\r\n\r\n").next().unwrap_or_default();
    let head = head.split("\n\n").next().unwrap_or_default();
    let has = |name: &str| head.lines().any(|line| line.starts_with(name));
    has("from:") && (has("message-id:") || has("date:")) && has("subject:")
}

/// Reads a mail; nothing where it is none.
pub(super) fn read(bytes: &[u8]) -> Option<Document> {
    mail(bytes).map(|mail| mail.document)
}

/// Reads a mail with what it belongs to; nothing where it is none.
pub(crate) fn mail(bytes: &[u8]) -> Option<Mail> {
    if !is_mail(bytes) {
        return None;
    }
    let mail = mailparse::parse_mail(bytes).ok()?;
    let header =
        |name: &str| mail.headers.get_first_value(name).filter(|text| !text.trim().is_empty());
    let created = header("Date").and_then(|text| mailparse::dateparse(&text).ok());
    let id_in = |name: &str| {
        let text = header(name)?;
        let id = text.split_whitespace().next()?.trim_matches(['<', '>']).to_owned();
        (!id.is_empty()).then_some(id)
    };
    let document = Document {
        mime: "message/rfc822".to_owned(),
        title: header("Subject"),
        author: header("From"),
        created: created.and_then(|second| Timestamp::from_second(second).ok()),
        body: own_words(&words(&mail, 0)?),
        ..Document::default()
    };
    let thread = id_in("References").or_else(|| id_in("In-Reply-To"));
    Some(Mail { id: id_in("Message-ID"), thread, document })
}

/// Returns the words of a mail: those in plain text, else those of its page. Attachments are none.
fn words(mail: &ParsedMail<'_>, depth: usize) -> Option<String> {
    let of = |mime: &str| {
        let mut found = Vec::new();
        collect(mail, mime, depth, &mut found);
        found.into_iter().next()
    };
    of("text/plain").or_else(|| of("text/html").map(|html| html_text(&html)))
}

fn collect(mail: &ParsedMail<'_>, mime: &str, depth: usize, found: &mut Vec<String>) {
    let is_attached =
        mail.get_content_disposition().disposition == mailparse::DispositionType::Attachment;
    if depth > DEEPEST || is_attached {
        return;
    }
    if mail.subparts.is_empty() && mail.ctype.mimetype.eq_ignore_ascii_case(mime) {
        found.extend(mail.get_body());
    }
    mail.subparts.iter().for_each(|part| collect(part, mime, depth + 1, found));
}

/// Returns a text without lines that others wrote, and without the signature.
fn own_words(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.trim_end_matches('\r') != "-- ");
    let own: Vec<&str> = lines.filter(|line| !line.starts_with('>')).collect();
    crate::text::tidy(&own.join("\n"))
}
