//! Documents: each becomes a file of text in `memory/library/`, which says where it is from, and is found by its
//! headings. Reading a document again brings its file up to date; what stands under the same heading keeps its id,
//! and with it how often it was used.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quipu_core::journal::LIBRARY;
use quipu_core::text::{collapse_whitespace, ellipsis};
use quipu_import::document;
use quipu_import::head::quoted;
use quipu_import::id::derived;
use quipu_import::input::Member;
use quipu_import::{ImportError, Input};
use schemars::JsonSchema;
use serde::Serialize;

use crate::digest::sha256;
use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::secret_policy;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Workspace, stamp};

/// A name of a file has at most so many letters of the document's own.
const LONGEST_NAME: usize = 40;

/// What became of documents.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Ingested {
    /// Those that were read.
    pub documents: Vec<Read>,
    /// Those that were not, and why.
    pub left_out: BTreeMap<String, String>,
    /// In how many a credential was blacked out.
    pub redacted: usize,
    /// Whether something was written.
    pub applied: bool,
}

/// A document that was read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Read {
    /// Where it is.
    pub source: String,
    /// Its file in the memory.
    pub path: String,
    /// `new`, `changed` or `known`.
    pub state: &'static str,
    /// Its title.
    pub title: Option<String>,
    /// What kind of file it is.
    pub mime: &'static str,
    /// How many bytes of text it has.
    pub bytes: usize,
}

/// Reads documents, or shows what would be read; all of it is written, or nothing.
///
/// # Errors
/// When a path cannot be read, or the files cannot be written.
pub fn ingest(
    workspace: &Workspace,
    paths: &[PathBuf],
    request: &Request<'_>,
    progress: &dyn Fn(&str, usize, usize) -> bool,
) -> Result<Ingested, Error> {
    let mut ingested = Ingested::default();
    let mut files = FileChanges::new();
    let lock = if request.dry_run { None } else { Some(workspace.lock_for_writing()?) };
    for path in paths {
        let input = Input::open(path)?;
        let total = input.members().len();
        for (number, member) in input.members().iter().enumerate() {
            progress("reading documents", number, total);
            let source = source_of(workspace, &input, member);
            match one(workspace, &input, member, &source, &mut ingested)? {
                Outcome::File(path, text) => drop(files.insert(path, Some(text.into_bytes()))),
                Outcome::LeftOut(why) => drop(ingested.left_out.insert(source, why.to_owned())),
                Outcome::Known => {}
            }
        }
    }
    let Some(lock) = lock.filter(|_| !files.is_empty()) else { return Ok(ingested) };
    let mut expected = FileChanges::new();
    for path in files.keys() {
        ledger::prepare_folder_of(workspace, path)?;
        expected.insert(path.clone(), workspace.transactions().read(path)?);
    }
    let options = CommitOptions::default();
    let at = stamp(request.now);
    workspace.transactions().commit("ingest", &at, &files, &expected, options)?;
    ingested.applied = true;
    // It is written; an index that cannot follow now does so with the next command.
    let _ = index::index_locked(workspace, &lock, &mut |done, total| {
        progress("indexing", done, total);
    });
    Ok(ingested)
}

/// Returns what a document is called: its path in the workspace, or where it is on this machine.
fn source_of(workspace: &Workspace, input: &Input, member: &Member) -> String {
    let full = if let Some(path) = input.path_of(member) {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    } else {
        // In an archive: the archive, and the name in it.
        let archive = std::path::absolute(input.path()).unwrap_or_default();
        PathBuf::from(format!("{}!{}", archive.display(), member.name))
    };
    let inside = full.strip_prefix(workspace.root()).map(Path::to_owned);
    inside.unwrap_or(full).to_string_lossy().replace('\\', "/")
}

/// What reading one document came to.
enum Outcome {
    /// Its file has to be written: path and text.
    File(String, String),
    /// It is no document that can be read, or must not be.
    LeftOut(&'static str),
    /// Its file says what it says.
    Known,
}

/// Reads one document; returns its file where that has to be written, or why it is left out.
fn one(
    workspace: &Workspace,
    input: &Input,
    member: &Member,
    source: &str,
    ingested: &mut Ingested,
) -> Result<Outcome, Error> {
    let bytes = match input.bytes(member) {
        Ok(bytes) => bytes,
        Err(ImportError::TooLarge { .. }) => {
            return Ok(Outcome::LeftOut("it is larger than a text may be"));
        }
        Err(error) => return Err(error.into()),
    };
    let Some(document) = document::read(&bytes) else {
        return Ok(Outcome::LeftOut(
            "it is no text, page or mail; convert it first (`pandoc -t markdown`, `pdftotext`)",
        ));
    };
    if !document.body.chars().any(char::is_alphanumeric) {
        return Ok(Outcome::LeftOut("it has no words"));
    }
    let policy = workspace.config().guard.on_read();
    let mut blacked = false;
    let mut guarded = |text: &str| -> Option<String> {
        let clean = secret_policy::guarded(policy, text).ok()?;
        blacked |= *clean != *text;
        Some(clean.into_owned())
    };
    let (Some(body), Some(source)) = (guarded(&document.body), guarded(source)) else {
        return Ok(Outcome::LeftOut("it holds a credential (guard.secrets = refuse)"));
    };
    let title =
        document.title.as_deref().and_then(&mut guarded).map(|title| collapse_whitespace(&title));
    let author = document.author.as_deref().and_then(&mut guarded);
    let path = format!("{LIBRARY}{}-{}.md", slug(&source), &derived(&["document", &source])[..8]);
    let mut head = format!("---\nsource: {}\n", quoted(&source));
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(head, "{key}: {}", quoted(&value));
        }
    };
    put("title", title.clone());
    put("author", author);
    let time = document.created.or(member.modified);
    put("created", time.map(|time| time.to_string()));
    put("mime", Some(document.mime.to_owned()));
    put("sha256", Some(sha256(&bytes)));
    put("lines", document.has_its_lines.then(|| "same".to_owned()));
    let text = format!("{head}---\n{}\n", body.trim_end());
    let before = workspace.read_optional(&path)?;
    let state = match &before {
        None => "new",
        Some(before) if *before == text => "known",
        Some(_) => "changed",
    };
    ingested.redacted += usize::from(blacked);
    ingested.documents.push(Read {
        source,
        path: path.clone(),
        state,
        title,
        mime: document.mime,
        bytes: body.len(),
    });
    Ok(if state == "known" { Outcome::Known } else { Outcome::File(path, text) })
}

/// Returns the beginning of a file's name as it can stand in another one.
fn slug(source: &str) -> String {
    let name = source.rsplit(['/', '!']).next().unwrap_or(source);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain: String =
        stem.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let slug = ellipsis(&parts.join("-"), LONGEST_NAME).replace('…', "");
    if slug.is_empty() { "document".to_owned() } else { slug.trim_end_matches('-').to_owned() }
}
