//! What one can ask a store, and what it answers.

use jiff::Timestamp;
use quipu_core::item::{Item, Kind, Layer, MemoryType, Mode, Sensitivity, Status};
use quipu_core::rank::Channels;
use quipu_core::terms::Term;
use quipu_core::vector::Packed;

/// A span of time that a query speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Its beginning, in seconds.
    pub from: i64,
    /// Its end, exclusive.
    pub to: i64,
    /// A session, and not a day that people may tell of the day after.
    pub is_exact: bool,
    /// How much it is what the question is about; 1 for a detail.
    pub strength: f32,
}

impl Moment {
    /// Returns how well a time fits: inside, or a day beside a single day, for people tell of
    /// things the day after.
    pub(crate) fn holds(&self, time: i64) -> f32 {
        const DAY: i64 = 24 * 60 * 60;
        let is_day = !self.is_exact && self.to.saturating_sub(self.from) <= DAY;
        if time >= self.from && time < self.to {
            self.strength
        } else if is_day && time >= self.from - DAY && time < self.to + DAY {
            0.8
        } else {
            0.0
        }
    }
}

/// Which items may be answers. Applied before anything is cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Which types.
    pub mode: Mode,
    /// Only these kinds; all where empty.
    pub kinds: Vec<Kind>,
    /// Only these layers; all where empty.
    pub layers: Vec<Layer>,
    /// Only these types; all where empty.
    pub types: Vec<MemoryType>,
    /// Statuses that are returned.
    pub statuses: Vec<Status>,
    /// Sensitivities that the asker may see.
    pub sensitivities: Vec<Sensitivity>,
    /// Learned at this time or later.
    pub since: Option<Timestamp>,
    /// Learned before this time.
    pub until: Option<Timestamp>,
    /// True at this time, whatever has replaced it since.
    pub as_of: Option<Timestamp>,
    /// Not over by this time, nor far ahead of it.
    pub now: Option<Timestamp>,
    /// Only experiences.
    pub experiences: bool,
    /// Every one of these holds: any of its labels (see [`label`]) is on the item.
    pub labels: Vec<Vec<Term>>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            mode: Mode::FullContext,
            kinds: Vec::new(),
            layers: Vec::new(),
            types: Vec::new(),
            statuses: vec![Status::Active],
            sensitivities: vec![
                Sensitivity::Public,
                Sensitivity::Private,
                Sensitivity::Operational,
            ],
            since: None,
            until: None,
            as_of: None,
            now: None,
            experiences: false,
            labels: Vec::new(),
        }
    }
}

/// Labels that items carry in the index beside their words.
pub mod label {
    use quipu_core::terms::{self, Term};

    /// The label of a tag.
    pub fn tag(name: &str) -> Term {
        terms::label('t', &name.to_lowercase())
    }

    /// The label of what is pinned.
    pub fn pinned() -> Term {
        terms::label('f', "pinned")
    }

    /// The label of a category.
    pub fn category(name: &str) -> Term {
        terms::label('c', &name.to_lowercase())
    }

    /// The label of a session.
    pub fn session(name: &str) -> Term {
        terms::label('s', name)
    }

    /// The label of a word that a speaker is called by.
    pub fn speaker(word: Term) -> Term {
        terms::label('p', &word.to_string())
    }

    /// The label of an entity.
    pub fn entity(name: &str) -> Term {
        terms::label('e', &name.to_lowercase())
    }
}

/// A sort of items that a query asks for by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorted {
    /// What has any of these labels is one (see [`label`]).
    pub labels: Vec<Term>,
    /// What is of one of these kinds is one.
    pub kinds: Vec<Kind>,
    /// How much it is what the question is about; 1 where it is all.
    pub strength: f32,
}

/// A question.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The words.
    pub text: String,
    /// Their vector.
    pub vector: Option<Packed>,
    /// The model that made it.
    pub model: String,
    /// Which items may be answers.
    pub filter: Filter,
    /// Times that the words speak of.
    pub moments: Vec<Moment>,
    /// The sort of items that the words ask for.
    pub sort: Option<Sorted>,
    /// How many hits at most.
    pub limit: usize,
}

/// A match.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The item.
    pub item: Item,
    /// All channels together.
    pub score: f32,
    /// What each channel said.
    pub channels: Channels,
    /// How near the meanings are, by themselves.
    pub cosine: f32,
    /// The words of the query that it has.
    pub words: Vec<String>,
    /// How telling these are, all together: rare words count more.
    pub telling: f32,
    /// Ids of the item before and the one after in its session.
    pub neighbours: [Option<String>; 2],
    /// Ids of items with the same words, folded into this one.
    pub same: Vec<String>,
}

impl Hit {
    /// An item that did not match itself, but belongs to one that did.
    pub fn fetched(item: Item, score: f32) -> Self {
        Self {
            item,
            score,
            channels: Channels::default(),
            cosine: 0.0,
            words: Vec::new(),
            telling: 0.0,
            neighbours: [None, None],
            same: Vec::new(),
        }
    }
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The best matches, best first.
    pub hits: Vec<Hit>,
    /// How many items there are.
    pub items: usize,
    /// How many of them the filter lets through.
    pub allowed: usize,
    /// How many of them have a vector of the model.
    pub embedded: usize,
    /// The words that were looked for.
    pub words: Vec<String>,
    /// How telling each of these is.
    pub rarities: Vec<f32>,
    /// How telling these are, all together.
    pub telling: f32,
}
