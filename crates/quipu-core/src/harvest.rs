//! What a team's own documents say that a memory should know: decisions, rules, plans.
//!
//! A document's text goes in, proposals come out, each with the place that it was taken from and the
//! reason. Whether a proposal is news, and what it contradicts, is asked of the memory elsewhere.

mod alike;
mod gist;
mod label;
mod likeness;
mod page;
mod place;
mod plan;
mod preference;
mod record;
mod rules;
mod status;
mod words;
mod write;

use serde::Serialize;

use self::gist::Gist;
use self::page::Page;
use self::place::Place;
pub use self::place::{companions, is_document, is_text, unread};
pub use self::plan::{Action, LeftOut, Looked, Plan, Step, plan, sources};
use self::record::Record;
pub use self::write::{
    SOURCE, SOURCE_ENDED, SOURCE_MARK, add, end, harvested, reopen, repoint, stamp,
};
use crate::doc::{KEY_DECISIONS, OPEN_THREADS};
use crate::prose;

/// A proposal has no more characters than this, its source aside.
const LONGEST: usize = 300;

/// No document has more rules than a person reads.
const MOST_RULES: usize = 12;

/// No document has more plans than a person reads.
const MOST_PLANS: usize = 20;

/// Why nothing is taken from a document that looks as if it should decide something.
const UNREADABLE: &str = "it looks like a record, and no decision could be read in it";

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    /// What was planned is done.
    Done,
    /// The document tells a status that is not known.
    Unknown,
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
            Self::Done => "done",
            Self::Unknown => "unknown",
        }
    }

    /// Tells whether it is to be written down.
    pub fn holds(self) -> bool {
        self == Self::Accepted
    }

    /// Tells whether it held once and does no more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Superseded | Self::Deprecated | Self::Rejected)
    }
}

/// Something that a memory may want to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Proposal {
    /// What it is.
    pub kind: Kind,
    /// Whether it holds.
    pub status: Status,
    /// Whether the document says so itself.
    #[serde(skip)]
    pub tells_status: bool,
    /// The words of a status that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_status: Option<String>,
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
        mark_of(self.kind, &self.text)
    }

    /// Returns the document that it stands in.
    pub fn path(&self) -> &str {
        path_of(&self.source)
    }
}

fn mark_of(kind: Kind, text: &str) -> String {
    let words = format!("{} {}", kind.as_str(), prose::bare(text));
    let mut hash: u32 = 0x811c_9dc5;
    for byte in words.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("m{hash:08x}")
}

/// Returns the path of a source pointer.
pub fn path_of(source: &str) -> &str {
    source.split_once('#').map_or(source, |(path, _)| path)
}

/// A document to read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it stands, from the workspace's root.
    pub path: &'a str,
    /// What it says.
    pub text: &'a str,
    /// What a file of metadata beside it says, such as a `kep.yaml`.
    pub companion: Option<&'a str>,
    /// Whether somebody named it: then it is read wherever it stands.
    pub is_named: bool,
}

/// What was read in a document.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What it proposes, in its order. What does not hold is there too, with its status.
    pub proposals: Vec<Proposal>,
    /// Why nothing was taken from a document that looks as if it should decide something.
    pub silent: Option<String>,
}

/// Returns what a document proposes; nothing where it is neither a document nor a record.
pub fn read(source: Source<'_>) -> Option<Reading> {
    let mut page = Page::read(source.path, source.text);
    if let Some(companion) = source.companion {
        page.add_fields(companion);
    }
    let place = Place { path: source.path, has_companion: source.companion.is_some() };
    if place.is_template() {
        return is_document(source.path).then(|| silent("it is a template"));
    }
    let is_filed = source.is_named || is_document(source.path);
    if !is_filed && !record::is_one_anywhere(&place, &page) {
        return None;
    }
    let mut reading = match record::read(&place, &page) {
        Ok(Some(record)) => with_rules(record, &place, &page),
        Ok(None) => rules::read(&place, &page),
        Err(why) => silent(why),
    };
    // A folder such as `adr/superseded` speaks for all that stands in it.
    if let Some(status) = place.status() {
        let is_open = |proposal: &&mut Proposal| {
            proposal.status.holds() && (status.is_over() || !proposal.tells_status)
        };
        reading.proposals.iter_mut().filter(is_open).for_each(|proposal| proposal.status = status);
    }
    let mut seen: Vec<Gist> = Vec::new();
    reading.proposals.retain(|proposal| {
        let gist = Gist::of(&proposal.text);
        let is_new = !seen.iter().any(|other| other.is_like(&gist));
        if is_new {
            seen.push(gist);
        }
        is_new
    });
    if reading.proposals.is_empty() && reading.silent.is_none() && record::is_record(&place, &page)
    {
        reading.silent = Some(UNREADABLE.to_owned());
    }
    Some(reading)
}

/// Returns a record's decision, and the rules that stand beside it.
fn with_rules(record: Record, place: &Place<'_>, page: &Page) -> Reading {
    let Record { decision, title, at, standing } = record;
    let mut proposals = vec![decision];
    proposals.extend(rules::beside(place, page, at, &title));
    let mut proposals = record::with_standing(proposals, &standing);
    proposals[0].replaces = standing.replaces;
    Reading { proposals, silent: None }
}

fn silent(why: &str) -> Reading {
    Reading { proposals: Vec::new(), silent: Some(why.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, text: &str) -> Vec<String> {
        let source = Source { path, text, companion: None, is_named: false };
        let found = read(source).map(|reading| reading.proposals).unwrap_or_default();
        let holds = found.into_iter().filter(|proposal| proposal.status.holds());
        holds.map(|proposal| proposal.text).collect()
    }

    fn madr(title: &str, outcome: &str) -> Vec<String> {
        let text = format!(
            "---\nstatus: accepted\n---\n# {title}\n\n## Considered Options\n\n* Alpha\n* OpenMetrics\n\n\
             ## Decision Outcome\n\n{outcome}\n"
        );
        said("docs/adr/0001-x.md", &text)
    }

    #[test]
    fn an_option_is_told_with_what_it_answers() {
        for (title, outcome, expected) in [
            ("Use Bun", "Chosen option: \"Bun\".", "Use Bun"),
            (
                "Use Zigbee for valves",
                "Chosen option: \"Zigbee\", because batteries last.",
                "Use Zigbee for valves: Zigbee, because batteries last.",
            ),
            ("Metrics format", "Chosen option: 2", "Metrics format: OpenMetrics"),
            (
                "Metrics format",
                "Chosen option: \"Option 2: OpenMetrics\", because Prometheus reads it.",
                "Metrics format: OpenMetrics, because Prometheus reads it.",
            ),
            (
                "Webhooks",
                "Chosen option: \"retry for 72 hours with backoff\", because of weekends.",
                "Retry for 72 hours with backoff, because of weekends.",
            ),
        ] {
            assert_eq!(madr(title, outcome), [expected]);
        }
    }

    #[test]
    fn names_keep_their_small_letters() {
        let log = |said: &str| format!("# Decisions\n\n## Decisions\n\n- {said}\n");
        for (text, expected) in [
            ("gRPC carries all calls", "gRPC carries all calls"),
            ("iOS and macOS come first", "iOS and macOS come first"),
            ("npm is used for packages", "npm is used for packages"),
            ("pnpm locks the packages", "pnpm locks the packages"),
            ("pH is measured daily", "pH is measured daily"),
            ("`cargo fmt` runs first", "`cargo fmt` runs first"),
            ("orders live in one place", "Orders live in one place"),
            ("über die Straße geht es", "Über die Straße geht es"),
        ] {
            assert_eq!(said("DECISIONS.md", &log(text)), [expected]);
        }
    }

    #[test]
    fn a_list_goes_on_without_a_colon_and_an_approved_design_decides() {
        let record = "# State store\n\n## Status\n\nAccepted\n\n## Decision\n\nWe will\n\n\
                      1. keep state in SQLite,\n2. copy it daily.\n";
        let expected = "State store: We will keep state in SQLite; copy it daily";
        assert_eq!(said("docs/adr/0001-x.md", record), [expected]);
        let design = "# Scheduler v2\n\nStatus: Approved\n\n## Proposed design\n\n\
                      The scheduler serialises zones that share a pump.\n";
        assert_eq!(
            said("docs/design/s.md", design),
            ["The scheduler serialises zones that share a pump."]
        );
        assert!(said("docs/design/s.md", &design.replace("Approved", "Draft")).is_empty());
        assert!(said("docs/design/s.md", &design.replace("Status: Approved\n", "")).is_empty());
    }

    #[test]
    fn documents_for_contributors_and_of_rules_are_known_by_their_names() {
        for path in
            ["MITWIRKEN.md", "BEITRAGEN.md", "CONTRIBUIR.md", "CONTRIBUER.md", "CONTRIBUINDO.md"]
        {
            assert!(is_document(path), "{path}");
            assert_eq!(said(path, "# X\n\nTests must pass before a merge.\n").len(), 1, "{path}");
        }
        for path in ["docs/handbook/releases.md", "process/changes.md", "docs/policies/history.md"]
        {
            assert_eq!(unread(path), None, "{path}");
        }
        for path in
            ["CHANGES.md", "docs/history.md", "crates/a/RELEASES.md", "docs/handbook/changelog.md"]
        {
            assert!(unread(path).is_some(), "{path}");
        }
        let roadmap = "# Hoja de ruta\n\n## Próximamente\n\n- Mapas sin conexión\n";
        assert_eq!(said("hoja-de-ruta.md", roadmap).len(), 1);
    }
}
