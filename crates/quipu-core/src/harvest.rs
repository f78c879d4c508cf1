//! What a team's own documents say that a memory should know: decisions, rules, plans.
//!
//! A document's text goes in, proposals come out, each with the place that it was taken from and the
//! reason. Whether a proposal is news, and what it contradicts, is asked of the memory elsewhere.

mod page;
mod plan;
mod record;
mod rules;
pub(crate) mod sentence;
mod words;
mod write;

use serde::Serialize;

use self::page::Page;
pub use self::plan::{Action, LeftOut, Plan, Step, plan};
use self::sentence::Gist;
pub use self::write::{SOURCE, SOURCE_MARK, add, harvested, stamp};
use crate::doc::{KEY_DECISIONS, OPEN_THREADS};
use crate::text;

/// A proposal has no more characters than this, its source aside.
const LONGEST: usize = 300;

/// No document has more rules than a person reads.
const MOST_RULES: usize = 12;

/// No document has more plans than a person reads.
const MOST_PLANS: usize = 20;

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Something was decided.
    Decision,
    /// Something has to be done in a certain way.
    Rule,
    /// Something is not going to be done.
    NonGoal,
    /// Something is going to be done.
    Plan,
}

impl Kind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rule => "rule",
            Self::NonGoal => "non-goal",
            Self::Plan => "plan",
        }
    }

    /// Returns the section of continuity that it belongs to.
    pub fn section(self) -> &'static str {
        match self {
            Self::Decision | Self::NonGoal => KEY_DECISIONS,
            Self::Rule => "Conventions",
            Self::Plan => OPEN_THREADS,
        }
    }
}

/// Whether what a document says holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It holds.
    Accepted,
    /// Nobody decided yet.
    Proposed,
    /// Something else holds instead.
    Superseded,
    /// It holds no more.
    Deprecated,
    /// It was turned down.
    Rejected,
}

impl Status {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Proposed => "proposed",
            Self::Superseded => "superseded",
            Self::Deprecated => "deprecated",
            Self::Rejected => "rejected",
        }
    }

    /// Tells whether it held once and does no more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Superseded | Self::Deprecated | Self::Rejected)
    }
}

/// Something that a memory may want to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// What it is.
    pub kind: Kind,
    /// Whether it holds.
    pub status: Status,
    /// A sentence or two.
    pub text: String,
    /// What to name it after.
    #[serde(skip)]
    pub name: String,
    /// Where it stands: the path, and the heading as an anchor.
    pub source: String,
    /// The same, as a line.
    pub line: usize,
    /// Whether the whole document is about it.
    pub is_record: bool,
    /// Why it was taken.
    pub why: String,
    /// What the document says there, for whoever finds better words.
    pub excerpt: String,
    /// The records that took its place: file names or numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub successors: Vec<String>,
    /// The records whose place it takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<String>,
}

impl Proposal {
    /// Returns a fingerprint of what the document says, by which a later harvest tells a change.
    pub fn mark(&self) -> String {
        let words = format!("{} {}", self.kind.as_str(), sentence::bare(&self.text));
        let mut hash: u32 = 0x811c_9dc5;
        for byte in words.bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        format!("m{hash:08x}")
    }

    /// Returns the document that it stands in.
    pub fn path(&self) -> &str {
        path_of(&self.source)
    }
}

/// Returns the path of a source pointer.
pub fn path_of(source: &str) -> &str {
    source.split_once('#').map_or(source, |(path, _)| path)
}

/// Returns what a document proposes, in its order. What does not hold is there too, with its status.
pub fn proposals(path: &str, text: &str) -> Vec<Proposal> {
    if is_template(path) {
        return Vec::new();
    }
    let page = Page::read(path, text);
    let place = Place { path };
    let mut found = match record::read(&place, &page) {
        Some(record) => record,
        None => rules::read(&place, &page),
    };
    let mut seen: Vec<Gist> = Vec::new();
    found.retain(|proposal| {
        let gist = Gist::of(&proposal.text);
        let is_new = !seen.iter().any(|other| other.is_like(&gist));
        if is_new {
            seen.push(gist);
        }
        is_new
    });
    found
}

const EXTENSIONS: &[&str] = &["md", "markdown", "mdx", "rst", "adoc", "asciidoc", "txt"];

const FOLDERS: &[&str] = &[
    "docs",
    "doc",
    "documentation",
    "wiki",
    "adr",
    "adrs",
    "decisions",
    "decision-records",
    "rfc",
    "rfcs",
    "design",
    "designs",
    "design-docs",
    "proposals",
    "notes",
    "architecture",
    "specs",
    "dokumentation",
    "entscheidungen",
    "doku",
    "documentacion",
    "documentación",
    "decisiones",
    "décisions",
    "conception",
];

const FOREIGN: &[&str] = &[
    "node_modules",
    "vendor",
    "venv",
    ".venv",
    "target",
    "dist",
    "build",
    ".git",
    "site-packages",
    "third_party",
    "third-party",
    "memory",
    ".agent",
    ".quipu",
    "legacy",
    "agent-skills",
    "templates",
    "testdata",
    "fixtures",
];

const NAMES: &[&str] = &[
    "adr",
    "decision",
    "roadmap",
    "todo",
    "backlog",
    "architecture",
    "design",
    "contributing",
    "rfc",
    "glossary",
    "conventions",
    "principles",
    "guidelines",
    "entscheidung",
    "fahrplan",
    "decisiones",
    "hoja-de-ruta",
    "feuille-de-route",
    "arquitectura",
];

const NEVER: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "license",
    "licence",
    "copying",
    "code_of_conduct",
    "code-of-conduct",
    "authors",
    "notice",
    "release-notes",
    "release_notes",
    "agents",
    "claude",
    "gemini",
    "requirements",
    "robots",
    "llms",
    "cmakelists",
];

/// Tells whether a path is a document that people write decisions into.
pub fn is_document(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    is_text(path)
        && (NAMES.iter().any(|known| name.starts_with(known))
            || folders.split('/').any(|folder| FOLDERS.contains(&folder)))
}

/// Tells whether a path is a document that can be harvested where somebody names it.
pub fn is_text(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    EXTENSIONS.contains(&extension)
        && !folders.split('/').any(|folder| FOREIGN.contains(&folder))
        && !NEVER.contains(&stem)
}

fn is_template(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    ["template", "vorlage", "plantilla", "modèle", "modele", "example-adr"]
        .iter()
        .any(|word| name.contains(word))
        || name.starts_with("0000-")
}

/// The document that proposals are taken from.
struct Place<'a> {
    path: &'a str,
}

impl Place<'_> {
    /// Returns a pointer that a browser of repositories follows.
    fn source(&self, heading: &str) -> String {
        let anchor = slug(heading);
        let path = self.path.replace('|', "%7C").replace('#', "%23").replace('>', "%3E");
        if anchor.is_empty() { path } else { format!("{path}#{anchor}") }
    }

    fn folders(&self) -> impl Iterator<Item = String> {
        let folders = self.path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.to_lowercase().split('/').map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    fn stem(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or(self.path).to_lowercase();
        name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
    }

    fn proposal(&self, kind: Kind, text: &str, at: (&str, usize), why: &str) -> Proposal {
        // What would be read as structure in the projection, from documents of any kind.
        let text = text.replace("<!--", "").replace("-->", "→").replace("```", "`");
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let mut short = text::ellipsis(text.trim(), LONGEST);
        if let Some(first) = short.chars().next().filter(|c| c.is_lowercase()) {
            short = first.to_uppercase().chain(short.chars().skip(1)).collect();
        }
        Proposal {
            kind,
            status: Status::Accepted,
            name: short.clone(),
            text: short,
            source: self.source(at.0),
            line: at.1,
            is_record: false,
            why: why.to_owned(),
            excerpt: String::new(),
            successors: Vec::new(),
            replaces: Vec::new(),
        }
    }
}

/// Returns the anchor of a heading, as forges make it.
fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
