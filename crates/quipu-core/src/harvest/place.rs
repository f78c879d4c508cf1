//! Where documents are kept, and how proposals point at them.

use super::sentence::shortened;
use super::words::words;
use super::{Kind, LONGEST, Proposal, Status};

const EXTENSIONS: &[&str] = &["md", "markdown", "mdx", "rst", "adoc", "asciidoc", "txt"];

/// Folders whose texts are read.
const FOLDERS: &[&str] = &[
    "docs",
    "doc",
    "documentation",
    "wiki",
    "adr",
    "adrs",
    "adl",
    "decisions",
    "decision",
    "decision-records",
    "decision_records",
    "decision-log",
    "decision-logs",
    "decisionlog",
    "architecture-decisions",
    "architecture-decision-records",
    "architecture_decisions",
    "rfc",
    "rfcs",
    "rfds",
    "rfd",
    "peps",
    "pep",
    "keps",
    "kep",
    "enhancements",
    "enhancement-proposals",
    "proposals",
    "proposal",
    "design",
    "designs",
    "design-docs",
    "design-doc",
    "design_docs",
    "designdocs",
    "architecture",
    "arch",
    "arc42",
    "spec",
    "specs",
    "specification",
    "specifications",
    "blueprints",
    "blueprint",
    "handbook",
    "standards",
    "guidelines",
    "conventions",
    "policies",
    "policy",
    "principles",
    "process",
    "processes",
    "governance",
    "engineering",
    "meetings",
    "meeting-notes",
    "meeting_notes",
    "minutes",
    "notes",
    "planning",
    "roadmap",
    "roadmaps",
    "dev-docs",
    "internals",
    "knowledge",
    "knowledge-base",
    "kb",
    "dokumentation",
    "doku",
    "entscheidungen",
    "entscheidung",
    "architektur",
    "richtlinien",
    "konventionen",
    "protokolle",
    "handbuch",
    "documentacion",
    "documentación",
    "decisiones",
    "arquitectura",
    "normas",
    "actas",
    "reuniones",
    "diseño",
    "décisions",
    "conception",
    "réunions",
    "reunions",
    "normes",
    "documentação",
    "documentacao",
    "decisões",
    "decisoes",
    "arquitetura",
    "atas",
    "documentazione",
    "decisioni",
    "architettura",
    "verbali",
    "ドキュメント",
    "設計",
    "決定",
    "議事録",
    "規約",
    "文档",
    "设计",
    "决策",
    "规范",
    "会议纪要",
    "架构",
];

/// Folders in which each document is a record.
const RECORDS: &[&str] = &[
    "adr",
    "adrs",
    "adl",
    "decisions",
    "decision-records",
    "decision_records",
    "architecture-decisions",
    "architecture-decision-records",
    "architecture_decisions",
    "rfc",
    "rfcs",
    "rfds",
    "rfd",
    "peps",
    "keps",
    "enhancements",
    "enhancement-proposals",
    "entscheidungen",
    "decisiones",
    "décisions",
    "decisões",
    "decisoes",
    "decisioni",
    "proposals",
    "決定",
    "决策",
    "decision-log",
    "decision",
];

/// Folders whose rules count without a "MUST" in capitals.
const GUIDES: &[&str] = &[
    "handbook",
    "standards",
    "guidelines",
    "conventions",
    "policies",
    "policy",
    "principles",
    "process",
    "processes",
    "governance",
    "engineering",
    "richtlinien",
    "konventionen",
    "normas",
    "normes",
    "規約",
    "规范",
    "contributing",
];

/// Folders with texts for users.
const LESSONS: &[&str] = &[
    "guides",
    "guide",
    "tutorials",
    "tutorial",
    "manual",
    "how-to",
    "howto",
    "examples",
    "quickstart",
    "getting-started",
    "user-guide",
    "faq",
    "help",
    "anleitungen",
    "anleitung",
    "guias",
    "guías",
    "tutoriels",
    "manuel",
    "チュートリアル",
    "教程",
    "training",
    "onboarding",
    "runbooks",
    "samples",
];

const MEETINGS: &[&str] = &[
    "meetings",
    "meeting-notes",
    "meeting_notes",
    "minutes",
    "protokolle",
    "actas",
    "reuniones",
    "réunions",
    "reunions",
    "atas",
    "verbali",
    "議事録",
    "会议纪要",
    "standups",
    "retros",
    "notes",
];

const REFERENCES: &[&str] =
    &["reference", "references", "api", "cli", "referenz", "référence", "referencia"];

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
    "standards",
    "rules",
    "code-review",
    "code_review",
    "style-guide",
    "style_guide",
    "styleguide",
    "coding-style",
    "non-goals",
    "invariants",
    "policies",
    "meeting-notes",
    "minutes",
    "entscheidung",
    "fahrplan",
    "konventionen",
    "richtlinien",
    "architektur",
    "regeln",
    "grundsätze",
    "decisiones",
    "hoja-de-ruta",
    "convenciones",
    "normas",
    "arquitectura",
    "reglas",
    "feuille-de-route",
    "décisions",
    "conception",
    "règles",
    "regles",
    "decisões",
    "decisoes",
    "convenções",
    "convencoes",
    "regras",
    "arquitetura",
    "roteiro",
    "decisioni",
    "convenzioni",
    "regole",
    "architettura",
    "決定",
    "設計",
    "規約",
    "ロードマップ",
    "决策",
    "架构",
    "规范",
    "路线图",
    "设计",
    "draft-",
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
    "news",
    "releases",
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
    has_text(path) && unread(path).is_none()
}

fn has_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Returns why a text is never read; nothing for what is no text.
pub fn unread(path: &str) -> Option<&'static str> {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if !has_text(path) {
        None
    } else if folders.split('/').any(|folder| FOREIGN.contains(&folder)) {
        Some("it stands in a folder of others' files")
    } else if NEVER.contains(&stem) {
        Some("it is a changelog, a licence or instructions for tools")
    } else {
        None
    }
}

/// Returns the files of metadata that may stand beside a document, the likelier first.
pub fn companions(path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let beside =
        |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let mut found = vec![
        beside(&format!("{stem}.yaml")),
        beside(&format!("{stem}.yml")),
        beside(&format!("{stem}.toml")),
    ];
    if ["readme", "index"].contains(&stem.to_lowercase().as_str()) {
        for name in ["kep", "rfc", "adr", "metadata", "meta"] {
            found.push(beside(&format!("{name}.yaml")));
            found.push(beside(&format!("{name}.yml")));
        }
    }
    found
}

/// The document that proposals are taken from.
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) has_companion: bool,
}

impl Place<'_> {
    /// Returns a pointer that a browser of repositories follows.
    pub(super) fn source(&self, heading: &str) -> String {
        let anchor = slug(heading);
        let path = self.path.replace('|', "%7C").replace('#', "%23").replace('>', "%3E");
        if anchor.is_empty() { path } else { format!("{path}#{anchor}") }
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = String> {
        let folders = self.path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.to_lowercase().split('/').map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    pub(super) fn stem(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or(self.path).to_lowercase();
        name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
    }

    /// Returns the name that stands for the document: its folder's where it is the folder's index.
    pub(super) fn telling_name(&self) -> String {
        let stem = self.stem();
        if is_index(&stem) {
            return self.folders().last().unwrap_or(stem);
        }
        stem
    }

    pub(super) fn is_template(&self) -> bool {
        let has_word = |name: &str| words().templates.iter().any(|word| name.contains(word));
        has_word(&self.stem()) || (is_index(&self.stem()) && has_word(&self.telling_name()))
    }

    /// Tells whether it is one record of many, by where it stands.
    pub(super) fn is_record(&self) -> bool {
        let stem = self.telling_name();
        let is_own = is_index(&self.stem());
        let logs = [
            "decisions",
            "decision-log",
            "log",
            "entscheidungen",
            "decisiones",
            "decisoes",
            "decisioni",
            "overview",
            "template",
        ];
        if logs.contains(&stem.as_str()) {
            return false;
        }
        let numbered = number_length(&stem) >= 3 && !is_dated(&stem);
        if is_own {
            return numbered || self.has_companion;
        }
        let named = ["adr", "rfc", "kep", "pep", "dr", "rfd", "ard", "ep"].iter().any(|name| {
            let rest = stem.strip_prefix(name).map(|rest| rest.trim_start_matches(['-', '_', ' ']));
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        // `cep-0014`, `nep-0012`: a short word and a number.
        let coded = stem.split_once(['-', '_']).is_some_and(|(word, rest)| {
            word.len() <= 4 && word.ends_with('p') && number_length(rest) >= 3
        });
        let kept = self.folders().last().is_some_and(|folder| RECORDS.contains(&folder.as_str()));
        numbered || named || coded || kept
    }

    pub(super) fn is_guide(&self) -> bool {
        self.is_in(GUIDES)
    }

    pub(super) fn is_lesson(&self) -> bool {
        self.is_in(LESSONS)
    }

    pub(super) fn is_meeting(&self) -> bool {
        self.is_in(MEETINGS) || is_dated(&self.stem())
    }

    pub(super) fn is_reference(&self) -> bool {
        self.is_in(REFERENCES)
    }

    fn is_in(&self, known: &[&str]) -> bool {
        self.folders().any(|folder| known.contains(&folder.as_str()))
    }

    pub(super) fn proposal(
        &self,
        kind: Kind,
        text: &str,
        at: (&str, usize),
        why: &str,
    ) -> Proposal {
        // What would be read as structure in the projection, from documents of any kind.
        let text = text.replace("<!--", "").replace("-->", "→").replace("```", "`");
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let mut short = shortened(text.trim(), LONGEST);
        if let Some(first) = short.chars().next().filter(|c| c.is_lowercase()) {
            short = first.to_uppercase().chain(short.chars().skip(1)).collect();
        }
        Proposal {
            kind,
            status: Status::Accepted,
            unknown_status: None,
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

pub(super) fn is_index(stem: &str) -> bool {
    ["readme", "index", "_index"].contains(&stem)
}

fn number_length(stem: &str) -> usize {
    stem.bytes().take_while(u8::is_ascii_digit).count()
}

/// Tells whether a name begins with a date: notes of a day are no record.
fn is_dated(stem: &str) -> bool {
    let digits = number_length(stem);
    let has_month = digits == 4
        && stem[digits..].strip_prefix(['-', '_', '.']).is_some_and(|rest| {
            rest.len() > 1 && rest.bytes().take(2).all(|byte| byte.is_ascii_digit())
        });
    has_month || (digits == 8 && (stem.starts_with("19") || stem.starts_with("20")))
}

/// Returns the anchor of a heading, as forges make it.
fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
