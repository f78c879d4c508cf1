//! PDF as text: words page by page.

use super::{Document, Unreadable};

#[cfg(feature = "documents")]
pub(super) fn read(bytes: &[u8]) -> Result<Document, Unreadable> {
    use unpdf::{PageMarkerStyle, ParseOptions, RenderOptions};

    let broken = |error: unpdf::Error| Unreadable(format!("the PDF cannot be read: {error}"));
    let mut options = ParseOptions::new().lenient();
    // One process reads one document, within limits: more threads would only make these harder to hold.
    options.parallel = false;
    let parsed = unpdf::parse_bytes_with_options(bytes, options).map_err(broken)?;
    let empty = parsed.pages.iter().filter(|page| page.plain_text().trim().is_empty()).count();
    if empty * 2 > parsed.pages.len() || parsed.pages.is_empty() {
        return Err(Unreadable("its pages are pictures without text (a scan)".to_owned()));
    }
    let style = RenderOptions::new().with_page_markers(PageMarkerStyle::Comment);
    let body = unpdf::render::to_markdown(&parsed, &style).map_err(broken)?;
    let about = &parsed.metadata;
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    Ok(Document {
        mime: "application/pdf".to_owned(),
        title: said(&about.title),
        author: said(&about.author),
        created: about.created.and_then(|time| jiff::Timestamp::from_second(time.timestamp()).ok()),
        body,
        has_pages: true,
        ..Document::default()
    })
}

#[cfg(not(feature = "documents"))]
pub(super) fn read(_: &[u8]) -> Result<Document, Unreadable> {
    Err(Unreadable(
        "this build of Quipu reads no PDF (cargo feature `documents`); `pdftotext` makes text of it".to_owned(),
    ))
}
