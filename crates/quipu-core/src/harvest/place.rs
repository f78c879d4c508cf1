//! Where documents are kept, and how proposals point at them.

mod lists;

use self::lists::{
    EXTENSIONS, FOLDERS, FOREIGN, GUIDES, LESSONS, MEETINGS, NAMES, NEVER, RECORDS, REFERENCES,
    SHELVES, SOMETIMES, TOOLS, has, names,
};
use super::words::words;
use super::{Kind, LONGEST, Proposal, Status};
use crate::prose::shortened;

/// Tells whether a path is a document that people write decisions into.
pub fn is_document(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    is_text(path)
        && (names(NAMES).any(|known| name.starts_with(known))
            || folders.split('/').any(|folder| has(FOLDERS, folder)))
}

/// Tells whether a path is a document that can be harvested where somebody names it.
pub fn is_text(path: &str) -> bool {
    has_text(path) && unread(path).is_none()
}

fn has_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.rsplit_once('.').is_some_and(|(_, extension)| has(EXTENSIONS, extension))
}

/// Returns why a text is never read; nothing for what is no text.
pub fn unread(path: &str) -> Option<&'static str> {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if !has_text(path) {
        None
    } else if folders.split('/').any(|folder| has(FOREIGN, folder)) {
        Some("it is in a folder of foreign files")
    } else if has(NEVER, stem)
        || (has(SOMETIMES, stem) && !folders.split('/').any(|folder| has(GUIDES, folder)))
    {
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
        let kept = self.folders().last().is_some_and(|folder| has(RECORDS, &folder));
        numbered || named || coded || kept
    }

    /// Tells whether it is the index of a folder in which a record is kept: `blueprints/payments/index.md`.
    pub(super) fn is_in_folder_of_its_own(&self) -> bool {
        let folders: Vec<String> = self.folders().collect();
        let above = folders.len().checked_sub(2).map(|at| folders[at].as_str());
        is_index(&self.stem())
            && above.is_some_and(|above| {
                has(RECORDS, above)
                    || ["blueprints", "blueprint", "design-docs", "designs"].contains(&above)
            })
    }

    /// Returns the status that a folder gives to all that stands in it: `adr/superseded`.
    pub(super) fn status(&self) -> Option<Status> {
        self.folders().find_map(|folder| {
            let found = SHELVES.iter().find(|(_, names)| has(names, &folder));
            found.map(|(status, _)| *status)
        })
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

    fn is_in(&self, known: &str) -> bool {
        self.folders().any(|folder| has(known, &folder))
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
        if let Some(first) = short.chars().next().filter(|c| c.is_lowercase() && !is_name(&short)) {
            short = first.to_uppercase().chain(short.chars().skip(1)).collect();
        }
        Proposal {
            kind,
            status: Status::Accepted,
            tells_status: false,
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

/// Tells whether a text begins with a name that is written as it is: `gRPC`, `npm`, `src/main.rs`.
fn is_name(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_plain =
        word.chars().all(|c| (c.is_alphabetic() && !c.is_uppercase()) || "-'’".contains(c));
    let is_spoken = word.chars().any(|c| !c.is_ascii() || "aeiouy".contains(c));
    !is_plain || !is_spoken || has(TOOLS, word)
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
