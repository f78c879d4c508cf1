//! What the engine keeps about anything that is remembered: a fact, a thread, a section of a
//! session log, a record of the journal. Files and events go in, an [`Item`] comes out.

mod decision;
pub(crate) mod question;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fact::TierLabel;
use crate::named::named;
pub use decision::{Decision, Event, Filed, Weight, may_become};

named! {
    /// Who sees a memory.
    Scope {
        /// Everybody who clones the repository: facts, threads and session logs.
        Team = "team",
        /// This user in this project: the journal.
        Project = "project",
        /// This user in every project.
        User = "user",
    }
}

named! {
    /// Where a caller speaks from. Private and injected memory goes to the main channel only.
    #[derive(Default)]
    Channel {
        /// The user's own session.
        #[default]
        Main = "main",
        /// A timer of the user's agent.
        Heartbeat = "heartbeat",
        /// Anyone else.
        Other = "other",
    }
}

impl Channel {
    /// Returns the sensitivities that are shown there.
    pub fn may_see(self) -> &'static [Sensitivity] {
        match self {
            // Those of the user's own agents.
            Self::Main | Self::Heartbeat => Sensitivity::Private.seen_beside(),
            Self::Other => Sensitivity::Public.seen_beside(),
        }
    }
}

named! {
    /// Where an item lives.
    Kind {
        /// A live fact in `continuity.md`.
        Fact = "fact",
        /// A checkbox fact.
        Thread = "thread",
        /// A fact in the archive.
        Archived = "archived-fact",
        /// A section of a session log.
        Session = "session",
        /// A section of another text of the memory folder, such as the vision.
        Document = "document",
        /// A record of the journal.
        Record = "record",
        /// What a source file declares.
        Code = "code",
    }
}

named! {
    /// How long an item is meant to last.
    Layer {
        /// What is at hand now.
        Working = "working",
        /// What happened.
        Episodic = "episodic",
        /// What is known.
        Semantic = "semantic",
        /// How things are done.
        Procedural = "procedural",
        /// What the code says.
        Codebase = "codebase",
    }
}

named! {
    /// What sort of statement an item makes.
    MemoryType {
        /// A state of affairs.
        Fact = "fact",
        /// A rule, a decision or a way to do something.
        Procedure = "procedure",
        /// A story.
        Narrative = "narrative",
    }
}

named! {
    /// Whether an item still holds.
    Status {
        /// It holds.
        Active = "active",
        /// Somebody doubts it.
        Challenged = "challenged",
        /// It is wrong.
        Invalidated = "invalidated",
        /// Another item says it too.
        Merged = "merged",
        /// A newer item replaced it.
        Superseded = "superseded",
        /// It was put away.
        Archived = "archived",
    }
}

named! {
    /// Who may see an item.
    Sensitivity {
        /// Anyone.
        Public = "public",
        /// The user's own agents.
        Private = "private-user",
        /// Nobody, unless asked for by name.
        Secret = "secret",
        /// Those who run the system.
        Operational = "operational",
    }
}

named! {
    /// Where an item was learned.
    Source {
        /// A person wrote it.
        Human = "human",
        /// An agent wrote it.
        Ai = "ai",
        /// It was said in a conversation.
        Interaction = "interaction",
        /// It was imported.
        Ingest = "ingest",
        /// It was read from code.
        CodeScan = "code-scan",
        /// The dream cycle made it.
        Dream = "dream",
    }
}

named! {
    /// What sort of thing happened.
    EntryKind {
        /// Something was remembered.
        Remembered = "remembered",
        /// A fact was written, or a thread was opened.
        Fact = "fact",
        /// Something was decided about a memory.
        Decided = "decided",
        /// A question came up.
        Asked = "asked",
        /// A question was answered.
        Answered = "answered",
        /// A dream went through the memory.
        Dreamed = "dreamed",
        /// A session ended.
        Session = "session",
    }
}

named! {
    /// The order of a list of items.
    #[derive(Default)]
    ListOrder {
        /// The newest first.
        #[default]
        Newest = "newest",
        /// The oldest first.
        Oldest = "oldest",
        /// The most important first.
        Important = "important",
    }
}

named! {
    /// Which types a recall returns.
    Mode {
        /// Facts only.
        FactsOnly = "facts_only",
        /// Facts and procedures.
        FactsPlusRules = "facts_plus_rules",
        /// Everything.
        FullContext = "full_context",
    }
}

impl Sensitivity {
    /// Returns the stricter of two labels.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if other.strictness() > self.strictness() { other } else { self }
    }

    /// Returns the labels that everyone who may see this one may see too.
    ///
    /// What is stored beside an item (how new it was, who confirmed it, that it is an experience) may
    /// depend on items with these labels only: else a reader of the item could learn about items that
    /// they may not see.
    pub fn seen_beside(self) -> &'static [Self] {
        match self {
            Self::Public => &[Self::Public],
            Self::Operational | Self::Private => &[Self::Public, Self::Private, Self::Operational],
            Self::Secret => Self::ALL,
        }
    }

    /// Returns how few may see it: the strictest has the greatest number.
    fn strictness(self) -> u8 {
        match self {
            Self::Public => 0,
            Self::Operational => 1,
            Self::Private => 2,
            Self::Secret => 3,
        }
    }
}

impl Mode {
    /// Tells whether items of this type are returned.
    pub fn includes(self, kind: MemoryType) -> bool {
        match self {
            Self::FactsOnly => kind == MemoryType::Fact,
            Self::FactsPlusRules => kind != MemoryType::Narrative,
            Self::FullContext => true,
        }
    }
}

/// What a link to an item says that was there first, and says the same.
pub const DUPLICATE_OF: &str = "duplicate-of";

/// What a newer memory that says otherwise is to a doubted one.
pub const OVERTAKEN_BY: &str = "overtaken-by";

/// A link from one item to another.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Link {
    /// The other item.
    pub to: String,
    /// What it is to this one, such as `related`.
    pub relation: String,
}

/// Anything that is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Item {
    /// Its name: a fact's id, a record's, or `log#section`.
    pub id: String,
    /// Where it lives.
    pub kind: Kind,
    /// Its words.
    pub text: String,
    /// The headings above it, for a part of a longer text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The file it is in, and the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// How long it is meant to last.
    pub layer: Layer,
    /// What sort of statement it makes.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Whether it still holds.
    pub status: Status,
    /// Who may see it.
    pub sensitivity: Sensitivity,
    /// Where it was learned.
    pub source: Source,
    /// Base importance, 0 to 1.
    pub importance: f32,
    /// How unlike all before it it was, 0 to 1, where somebody measured that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surprise: Option<f32>,
    /// How pleasant it is, −1 to 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub valence: f32,
    /// A word for the sort of record, or a fact's section.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// The session it belongs to, among others that stand beside it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The session that a fact was learned in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The channel it came through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// When it was learned.
    pub time: Timestamp,
    /// Since when it is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it is true, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Other items that it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// What was noted beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The items it replaced, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// The item that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Whether it says that something is *not* so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub negative: bool,
    /// Who said independently that it is so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<String>,
    /// The item that it was merged into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// Whether it comes first in every briefing, and never leaves the window.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// The tier in the shared layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierLabel>,
}

/// Where an item stands in the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Place {
    /// The file, from the workspace's root.
    pub path: String,
    /// 1-based line; 0 for a record, which is found there by its id.
    #[serde(default, skip_serializing_if = "is_none")]
    pub line: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(value: &f32) -> bool {
    *value == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_none(line: &usize) -> bool {
    *line == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Item {
    /// Makes an item with the usual values for its kind.
    pub fn new(
        id: impl Into<String>,
        kind: Kind,
        text: impl Into<String>,
        time: Timestamp,
    ) -> Self {
        Self {
            id: id.into(),
            kind,
            text: text.into(),
            title: String::new(),
            place: None,
            layer: Layer::Episodic,
            memory_type: MemoryType::Narrative,
            status: Status::Active,
            sensitivity: Sensitivity::Private,
            source: Source::Human,
            importance: 0.5,
            surprise: None,
            valence: 0.0,
            category: String::new(),
            session: None,
            origin: None,
            speaker: None,
            channel: None,
            time,
            valid_from: None,
            valid_to: None,
            tags: Vec::new(),
            links: Vec::new(),
            notes: Vec::new(),
            supersedes: Vec::new(),
            superseded_by: None,
            negative: false,
            confirmed_by: Vec::new(),
            merged_into: None,
            pinned: false,
            tier: None,
        }
    }

    /// Tells whether a person's words in a file decide about it, and not the engine.
    pub fn is_owned_by_a_file(&self) -> bool {
        self.kind != Kind::Record
    }

    /// Tells whether it is knowledge, or a way to do something: that does not fade.
    pub fn lasts(&self) -> bool {
        matches!(self.layer, Layer::Semantic | Layer::Procedural)
    }

    /// Applies what was decided about it.
    ///
    /// Files own what is in them: words and status of a fact change in its file only.
    pub fn decide(&mut self, decision: &Decision) {
        let owned = self.is_owned_by_a_file();
        match decision {
            Decision::Status { to, .. } if !owned => {
                // Back from being replaced means that it holds again.
                if self.status == Status::Superseded && *to != Status::Superseded {
                    self.superseded_by = None;
                    self.valid_to = None;
                }
                if *to != Status::Merged {
                    self.merged_into = None;
                }
                self.status = *to;
            }
            Decision::Layer { to, .. } if !owned => self.layer = *to,
            Decision::Merge { into } if !owned => {
                self.status = Status::Merged;
                self.merged_into = Some(into.clone());
            }
            Decision::Confirm { by } => {
                if !self.confirmed_by.contains(by) {
                    self.confirmed_by.push(by.clone());
                }
            }
            Decision::Edit { text } if !owned => self.text.clone_from(text),
            Decision::Supersede { by } if !owned => {
                self.status = Status::Superseded;
                self.superseded_by = Some(by.clone());
            }
            Decision::Tag { add, remove } => {
                self.tags.retain(|tag| !remove.contains(tag));
                for tag in add {
                    if !self.tags.contains(tag) {
                        self.tags.push(tag.clone());
                    }
                }
                self.tags.sort();
            }
            Decision::Link { to, relation, remove } => {
                let link = Link { to: to.clone(), relation: relation.clone() };
                self.links.retain(|other| *other != link);
                if !remove {
                    self.links.push(link);
                    self.links.sort();
                }
            }
            Decision::Annotate { note } => self.notes.push(note.clone()),
            Decision::Pin { pinned } => self.pinned = *pinned,
            Decision::Importance { to } => self.importance = to.clamp(0.0, 1.0),
            Decision::Weigh(weight) => {
                self.surprise = Some(weight.surprise);
                self.importance = (self.importance + weight.modifier).clamp(0.05, 1.0);
                if let Some(nearest) = weight.nearest.as_ref().filter(|_| weight.duplicate) {
                    let link = Link { to: nearest.clone(), relation: DUPLICATE_OF.to_owned() };
                    if !self.links.contains(&link) {
                        self.links.push(link);
                        self.links.sort();
                    }
                }
            }
            Decision::Status { .. }
            | Decision::Edit { .. }
            | Decision::Supersede { .. }
            | Decision::Layer { .. }
            | Decision::Merge { .. }
            | Decision::Alias { .. }
            | Decision::Ask { .. }
            | Decision::Answer { .. }
            | Decision::Revert { .. }
            | Decision::Dreamed { .. }
            | Decision::Purge { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Item {
        Item::new("r1", Kind::Record, "retries back off", Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn decisions_add_up() {
        let mut item = record();
        item.decide(&Decision::Tag { add: vec!["net".into(), "api".into()], remove: vec![] });
        item.decide(&Decision::Tag { add: vec![], remove: vec!["net".into()] });
        item.decide(&Decision::Edit { text: "retries back off with jitter".into() });
        item.decide(&Decision::Status { from: Status::Active, to: Status::Archived });
        assert_eq!(item.tags, ["api"]);
        assert_eq!(item.text, "retries back off with jitter");
        assert_eq!(item.status, Status::Archived);
    }

    #[test]
    fn rule_4_files_own_their_words_and_status() {
        let mut item = record();
        item.kind = Kind::Fact;
        item.decide(&Decision::Edit { text: "other".into() });
        item.decide(&Decision::Status { from: Status::Active, to: Status::Invalidated });
        item.decide(&Decision::Annotate { note: "see the log".into() });
        assert_eq!(item.text, "retries back off");
        assert_eq!(item.status, Status::Active);
        assert_eq!(item.notes, ["see the log"]);
    }

    #[test]
    fn an_item_survives_json() {
        let mut item = record();
        item.tags.push("x".into());
        item.valid_to = Some(Timestamp::UNIX_EPOCH);
        let json = serde_json::to_string(&item).unwrap();
        assert_eq!(serde_json::from_str::<Item>(&json).unwrap(), item);
    }

    #[test]
    fn the_ways_between_statuses_are_these_and_no_others() {
        use Status::{Active, Archived, Challenged, Invalidated, Merged, Superseded};
        let ways = |from: Status| -> Vec<Status> {
            Status::ALL.iter().copied().filter(|to| may_become(from, *to)).collect()
        };
        assert_eq!(ways(Active), [Challenged, Invalidated, Merged, Superseded, Archived]);
        assert_eq!(ways(Challenged), [Active, Invalidated, Merged, Superseded, Archived]);
        for from in [Invalidated, Merged, Superseded] {
            assert_eq!(ways(from), [Active, Archived]);
        }
        assert_eq!(ways(Archived), [Active]);
    }

    #[test]
    fn every_status_can_be_taken_back() {
        for from in Status::ALL {
            let back = may_become(*from, Status::Active);
            assert_eq!(back, *from != Status::Active, "{from}");
        }
    }
}
