//! Documents: each becomes a file of text in `memory/library/`, which says where it is from, and is found by its
//! headings. Reading a document again brings its file up to date; what stands under the same heading keeps its id,
//! and with it how often it was used.

mod library;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quipu_core::text::{collapse_whitespace, ellipsis};
use quipu_import::document;
use quipu_import::head::quoted;
use quipu_import::input::Member;
use quipu_import::{Format, ImportError, Input, Options, detect};
use schemars::JsonSchema;
use serde::Serialize;

use self::library::Library;
use crate::digest::sha256;
use crate::error::Error;
use crate::extract;
use crate::fs::outside;
use crate::git;
use crate::import::{self, Imported};
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::secret_policy;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{Workspace, stamp};

/// How files end that may be documents.
const ENDINGS: [&str; 19] = [
    ".md",
    ".markdown",
    ".mdx",
    ".txt",
    ".text",
    ".rst",
    ".adoc",
    ".asciidoc",
    ".org",
    ".html",
    ".htm",
    ".xhtml",
    ".eml",
    ".pdf",
    ".docx",
    ".pptx",
    ".odt",
    ".epub",
    ".tex",
];

/// A name of a file has at most so many letters of the document's own.
const LONGEST_NAME: usize = 40;

/// What became of documents.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Ingested {
    /// Those that were read.
    pub documents: Vec<Read>,
    /// Those that were not, and why.
    pub left_out: BTreeMap<String, String>,
    /// Those that were read before and are gone: with `prune` their text goes too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// How many files of folders and archives are no documents.
    pub other_files: usize,
    /// Conversations, which are imported turn by turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<Imported>,
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
    /// `new`, `changed`, `moved` or `known`.
    pub state: &'static str,
    /// Its title.
    pub title: Option<String>,
    /// What kind of file it is.
    pub mime: String,
    /// How many bytes of text it has.
    pub bytes: usize,
}

/// What to read, and how.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Files, folders and archives.
    pub paths: Vec<PathBuf>,
    /// Forget the text of documents that are gone.
    pub prune: bool,
}

/// Reads documents, or shows what would be read; all of it is written, or nothing. Conversations among them are
/// imported, each as a change of its own.
///
/// # Errors
/// When a path cannot be read, or the files cannot be written.
pub fn ingest(
    workspace: &Workspace,
    asked: &Asked,
    request: &Request<'_>,
    progress: &dyn Fn(&str, usize, usize) -> bool,
) -> Result<Ingested, Error> {
    let mut ingested = Ingested::default();
    let mut inputs = Vec::new();
    for path in &asked.paths {
        // A place that is gone may still be asked about: what was read from it is here.
        if asked.prune && !path.exists() {
            continue;
        }
        outside::refuse_links(workspace.root(), path)?;
        let input = Input::open(path)?;
        match conversations(&input) {
            Some(format) => {
                let options = Options {
                    with_chats: true,
                    zone: workspace.zone().clone(),
                    ..Options::default()
                };
                let asked = import::Asked {
                    paths: vec![path.clone()],
                    upload: None,
                    content: None,
                    format: Some(format),
                    options,
                    explain: false,
                };
                let imported = import::import(workspace, &asked, request, progress)?;
                ingested.applied |= imported.applied;
                ingested.conversations.push(imported);
            }
            None => inputs.push(input),
        }
    }
    let mut files = FileChanges::new();
    let lock = if request.dry_run { None } else { Some(workspace.lock_for_writing()?) };
    let mut library = Library::of(workspace);
    for input in &inputs {
        let chosen = chosen(input);
        for (number, member) in chosen.iter().enumerate() {
            progress("reading documents", number, chosen.len());
            let source = source_of(workspace, input, member);
            match one(workspace, input, member, &source, &mut library, &mut ingested)? {
                Outcome::File(path, text) => drop(files.insert(path, Some(text.into_bytes()))),
                Outcome::LeftOut(why) => drop(ingested.left_out.insert(source, why.into_owned())),
                Outcome::Known => {}
            }
        }
        ingested.other_files += input.members().len() - chosen.len();
    }
    let places: Vec<String> = asked.paths.iter().map(|path| place_of(workspace, path)).collect();
    for (source, path) in library.gone(&places) {
        ingested.gone.push(source);
        if asked.prune {
            files.insert(path, None);
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

/// Returns the format of a file or an archive that holds conversations.
fn conversations(input: &Input) -> Option<Format> {
    let is_data = |member: &Member| {
        let beginning = input.beginning(member, 64).unwrap_or_default();
        beginning.trim_ascii_start().starts_with(b"{")
            || beginning.trim_ascii_start().starts_with(b"[")
    };
    // Folders hold documents, and notes of agents beside them.
    if input.is_folder() || !input.members().iter().any(is_data) {
        return None;
    }
    let chats = [
        Format::ClaudeCode,
        Format::ChatGpt,
        Format::Claude,
        Format::Codex,
        Format::Gemini,
        Format::Slack,
    ];
    detect(input).ok().filter(|format| chats.contains(format))
}

/// Returns the members that may be documents: of a folder or an archive those with the ending of one, and of a
/// repository none that git ignores. A file that the caller named is always meant.
fn chosen(input: &Input) -> Vec<&Member> {
    if input.members().len() == 1 && !input.is_folder() {
        return input.members().iter().collect();
    }
    let listed: Option<BTreeSet<String>> = input
        .is_folder()
        .then(|| git::files(input.path()))
        .flatten()
        .map(|files| files.into_iter().collect());
    let is_listed = |name: &str| listed.as_ref().is_none_or(|listed| listed.contains(name));
    let is_hidden =
        |name: &str| name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
    let members = input.members().iter();
    members
        .filter(|one| {
            let is_document = one.is(&ENDINGS) || !one.file_name().contains('.');
            is_document && !is_hidden(&one.name) && is_listed(&one.name)
        })
        .collect()
}

/// Returns what sources below a path begin with.
fn place_of(workspace: &Workspace, path: &Path) -> String {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let inside = full.strip_prefix(workspace.root()).map(Path::to_owned);
    inside.unwrap_or(full).to_string_lossy().replace('\\', "/").trim_end_matches('/').to_owned()
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
    LeftOut(Cow<'static, str>),
    /// Its file says what it says.
    Known,
}

/// Reads one document; returns its file where that has to be written, or why it is left out.
fn one(
    workspace: &Workspace,
    input: &Input,
    member: &Member,
    source: &str,
    library: &mut Library<'_>,
    ingested: &mut Ingested,
) -> Result<Outcome, Error> {
    let bytes = match input.bytes(member) {
        Ok(bytes) => bytes,
        Err(ImportError::TooLarge { .. }) => {
            return Ok(Outcome::LeftOut("it is larger than a text may be".into()));
        }
        Err(error) => return Err(error.into()),
    };
    let document = if document::is_foreign(&bytes) {
        match extract::document(&bytes) {
            Ok(document) => document,
            Err(why) => return Ok(Outcome::LeftOut(why.0.into())),
        }
    } else {
        match document::read(&bytes) {
            Some(document) => document,
            None => return Ok(Outcome::LeftOut("it is no document that can be read".into())),
        }
    };
    if !document.body.chars().any(char::is_alphanumeric) {
        return Ok(Outcome::LeftOut("it has no words".into()));
    }
    let policy = workspace.config().guard.on_read();
    let mut blacked = false;
    let mut guarded = |text: &str| -> Option<String> {
        let clean = secret_policy::guarded(policy, text).ok()?;
        blacked |= *clean != *text;
        Some(clean.into_owned())
    };
    let (Some(body), Some(source)) = (guarded(&document.body), guarded(source)) else {
        return Ok(Outcome::LeftOut("it holds a credential (guard.secrets = refuse)".into()));
    };
    let title =
        document.title.as_deref().and_then(&mut guarded).map(|title| collapse_whitespace(&title));
    let author = document.author.as_deref().and_then(&mut guarded);
    let hash = sha256(&bytes);
    let (path, was_at) = library.file_of(&source, &hash);
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
    put("mime", Some(document.mime.clone()));
    put("sha256", Some(hash));
    put("lines", document.has_its_lines.then(|| "same".to_owned()));
    put("pages", document.has_pages.then(|| "marked".to_owned()));
    let text = format!("{head}---\n{}\n", body.trim_end());
    let before = workspace.read_optional(&path)?;
    let state = match &before {
        None => "new",
        Some(before) if *before == text => "known",
        Some(_) if was_at.is_some() => "moved",
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
