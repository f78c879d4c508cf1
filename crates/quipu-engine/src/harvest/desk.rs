//! Reading one document of a harvest, with its secrets blacked out.

use std::path::Path;

use quipu_core::harvest::{self, LeftOut, Proposal, Reading, Source};
use quipu_core::secret::{self, Scope};

use crate::config::OnSecret;
use crate::fs::{FileSystem, Kind};
use crate::glob::Documents;

/// Larger documents are not read.
const LARGEST: u64 = 1 << 20;

/// What takes a secret's place.
const REDACTED: &str = "(REDACTED)";

/// What one document says.
pub(super) enum Read {
    Document {
        reading: Reading,
        refused: Vec<LeftOut>,
    },
    /// It stands where no documents are kept, and is no record.
    NoRecord,
}

/// Which paths are meant.
pub(super) struct Scoped {
    pub(super) named: Vec<String>,
    /// All where there is none.
    pub(super) only: Option<Documents>,
}

impl Scoped {
    pub(super) fn has(&self, path: &str) -> bool {
        let is_named = |named: &String| {
            named.is_empty()
                || path == named
                || path.strip_prefix(named.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        (self.named.is_empty() || self.named.iter().any(is_named))
            && self.only.as_ref().is_none_or(|only| only.has(path))
    }
}

/// Where documents are read.
pub(super) struct Desk<'a> {
    pub(super) fs: &'a dyn FileSystem,
    pub(super) root: &'a Path,
    pub(super) secrets: OnSecret,
}

impl Desk<'_> {
    /// Reads one document: what it proposes, and what is refused because of secrets.
    pub(super) fn look_at(
        &self,
        path: &str,
        companion: Option<&str>,
        is_named: bool,
    ) -> Result<Read, String> {
        let is_document = is_named || harvest::is_document(path);
        let text = match self.text(path) {
            Ok(text) => text,
            // What is no document is not missed.
            Err(_) if !is_document => return Ok(Read::NoRecord),
            Err(why) => return Err(why),
        };
        let beside = companion.and_then(|companion| self.text(companion).ok());
        // Before anything is cut: half a key is no longer seen as one.
        let safe = match self.secrets {
            OnSecret::Allow => text.clone(),
            OnSecret::Redact | OnSecret::Refuse => secret::redacted(&text, Scope::Memory),
        };
        let had = text.matches(REDACTED).count();
        let source = Source { path, text: &safe, companion: beside.as_deref(), is_named };
        let Some(mut reading) = harvest::read(source) else { return Ok(Read::NoRecord) };
        if self.secrets != OnSecret::Refuse || safe.matches(REDACTED).count() == had {
            return Ok(Read::Document { reading, refused: Vec::new() });
        }
        let (refused, found): (Vec<Proposal>, Vec<Proposal>) =
            reading.proposals.into_iter().partition(|proposal| {
                proposal.text.contains(REDACTED) || proposal.excerpt.contains(REDACTED)
            });
        reading.proposals = found;
        let why = "it looks like it holds a secret (guard.secrets = \"refuse\")";
        let refused = refused.iter().map(|proposal| LeftOut::of(proposal, why)).collect();
        Ok(Read::Document { reading, refused })
    }

    /// Returns what a document says.
    pub(super) fn text(&self, path: &str) -> Result<String, String> {
        let full = self.root.join(path);
        match self.fs.stat(&full).map_err(|error| error.to_string())?.0 {
            Kind::File => {}
            Kind::Link => {
                return Err("it is a link; its target is read in its own place".to_owned());
            }
            Kind::Folder => return Err("it is a folder".to_owned()),
            Kind::Other => return Err("it is no file".to_owned()),
        }
        if self.secrets != OnSecret::Allow && !secret::scan(path, Scope::Memory).is_empty() {
            return Err("its name looks like a secret".to_owned());
        }
        let bytes =
            self.fs.read_up_to(&full, LARGEST).map_err(|error| error.to_string())?.map_err(
                |size| format!("it has {size} bytes, and more than {LARGEST} are not read"),
            )?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|byte| *byte == b'\n').count();
            format!("line {line} is not UTF-8; save it as UTF-8")
        })?;
        if text.contains('\0') {
            return Err("it is not text".to_owned());
        }
        Ok(text)
    }
}
