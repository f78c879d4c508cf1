//! A file of the page as it is sent: without what only its readers need, and packed for browsers that can unpack it.

use std::io::Write as _;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use quipu_core::text::hex;
use sha2::{Digest as _, Sha256};

/// A file of the page.
pub(super) struct Asset {
    /// Its path in the folder, and after `/assets/`.
    pub(super) path: &'static str,
    /// Its media type.
    pub(super) form: &'static str,
    /// How it is sent.
    pub(super) sent: LazyLock<Sent>,
}

/// What is sent of a file.
pub(super) struct Sent {
    /// Its content.
    pub(super) bytes: Vec<u8>,
    /// The same, packed.
    pub(super) packed: Vec<u8>,
    /// A fingerprint of its content.
    pub(super) etag: String,
    /// Another one, of what is packed.
    pub(super) packed_etag: String,
}

impl Sent {
    /// Makes ready what is sent.
    pub(super) fn of(content: String) -> Self {
        let bytes = content.into_bytes();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail; if it did, an empty file would show it at once.
        let packed = gzip.write_all(&bytes).and_then(|()| gzip.finish()).unwrap_or_default();
        let hash = hex(&Sha256::digest(&bytes)[..16]);
        Self { bytes, packed, etag: format!("\"{hash}\""), packed_etag: format!("\"{hash}-gz\"") }
    }
}

/// Returns a script without comments that have lines of their own, and without the room before lines. A library stays
/// as it is.
pub(super) fn script(path: &str, content: &str) -> String {
    if path.starts_with("vendor/") {
        return content.to_owned();
    }
    let mut short = String::with_capacity(content.len());
    let mut is_comment = false;
    for line in content.lines().map(str::trim).filter(|line| !line.is_empty()) {
        is_comment |= line.starts_with("/*");
        if !is_comment && !line.starts_with("//") {
            short.push_str(line);
            short.push('\n');
        }
        is_comment &= !line.ends_with("*/");
    }
    short
}

/// Returns a style sheet without comments, and with no more room than it needs.
pub(super) fn style(content: &str) -> String {
    let mut short = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(start) = rest.find("/*") {
        short.push_str(&rest[..start]);
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    short.push_str(rest);
    let lines = short.lines().map(str::trim).filter(|line| !line.is_empty());
    let joined = lines.collect::<Vec<_>>().join("\n");
    let tight = [(" {", "{"), ("{ ", "{"), (" }", "}"), ("; ", ";"), (";}", "}")];
    tight.iter().fold(joined, |text, (wide, narrow)| text.replace(wide, narrow))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_sent_and_code_is() {
        let code = "// About it.\nimport { a } from './a.js';\n\n/**\n * Says so.\n */\nexport const b = () => a(`x\n  // y`); // here\n/** One line. */\nconst url = 'https://x';\n";
        let sent = script("a.js", &code.replace("\n  // y", ""));
        assert_eq!(
            sent,
            "import { a } from './a.js';\nexport const b = () => a(`x`); // here\nconst url = 'https://x';\n"
        );
        let rule = "/* Big */\n.a { color: red; margin: 0 1px; }\n\n@media print {\n  .b > i { top: 0; }\n}\n";
        assert_eq!(style(rule), ".a{color: red;margin: 0 1px}\n@media print{\n.b > i{top: 0}\n}");
    }
}
