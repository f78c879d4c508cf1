//! Which of the facts that a session was given the agent relied on: it cites one by its id, or its words and
//! edits show one. Whole numbers decide, and what was found is kept, so that every use can be explained.
//!
//! Only what the agent wrote can show a fact. What the user said or a tool returned explains the same words
//! without the fact, so that it weighs against it.

mod fact;
mod writing;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::fact::FactTerms;
use self::writing::Writing;
use super::transcript::{Role, Said};
use crate::fact::FactId;
use crate::prose::sentences;

/// A message that names more facts than this is a list: it uses none of them.
pub const MOST_IN_ONE_MESSAGE: usize = 5;

/// So does a sentence that names more than these.
const MOST_IN_ONE_SENTENCE: usize = 3;

/// Points for a name of code that nothing else is called: `seen_at_us`, `/v2`.
const EXACT: u32 = 4;

/// Points for a name or a value.
const NAME: u32 = 3;

/// Points for a word that few use.
const RARE: u32 = 2;

/// Points for any other word, and for one that others wrote before or that several facts have.
const ORDINARY: u32 = 1;

/// So many points show a fact, if one of its terms tells.
const ENOUGH: u32 = 4;

/// So many ordinary terms show a fact by themselves, if they are at least three quarters of it.
const FEWEST_TERMS: usize = 3;

/// A fact that was given to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
}

/// How the agent showed that it relied on a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Evidence {
    /// Its full id, in brackets or backticks, or as it was given.
    Id,
    /// Terms of the fact in one message or edit of the agent.
    Terms {
        /// The terms that only the fact explains.
        telling: Vec<String>,
        /// The others.
        ordinary: Vec<String>,
        /// What they count together.
        points: u32,
    },
}

impl Evidence {
    /// Returns it in words.
    pub fn in_words(&self) -> String {
        let quoted = |terms: &[String]| {
            terms.iter().map(|term| format!("`{term}`")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Id => "the agent named its id".to_owned(),
            Self::Terms { telling, ordinary, points } => {
                let also = if telling.is_empty() || ordinary.is_empty() { "" } else { " with " };
                let (telling, ordinary) = (quoted(telling), quoted(ordinary));
                format!("the agent wrote {telling}{also}{ordinary} ({points} points of {ENOUGH})")
            }
        }
    }
}

/// A fact that was used, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Use {
    /// The fact.
    pub id: String,
    /// What shows it.
    pub evidence: Evidence,
}

/// Returns the facts that the agent relied on, by id. `is_fact` tells which ids are facts of the memory;
/// one that was not given counts where it is cited.
pub fn uses(given: &[Given], said: &[Said], is_fact: impl Fn(&str) -> bool) -> Vec<Use> {
    let facts = fact::terms(given);
    let mut found: Vec<Use> = Vec::new();
    let mut known = Writing::default();
    let mut asks_for_memory = false;
    for one in said {
        if one.role == Role::User {
            asks_for_memory = is_about_memory(&one.text);
        }
        if matches!(one.role, Role::User | Role::Tool) {
            // What recall returned is the fact, and not another reason to know of it.
            if one.role == Role::User || !is_recalled(&one.text) {
                known.add(&one.text);
            }
            continue;
        }
        let mut new = shown(&facts, one, &known, &is_fact);
        // Who is asked what is remembered says it, and relies on nothing.
        let is_recital =
            new.len() > 1 && (asks_for_memory || (given.len() > 3 && new.len() == given.len()));
        new.retain(|_| !is_recital);
        for new in new {
            if !found.iter().any(|other| other.id == new.id) {
                found.push(new);
            }
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

/// Returns the facts that one message or edit shows.
fn shown(
    facts: &[FactTerms],
    one: &Said,
    known: &Writing,
    is_fact: &impl Fn(&str) -> bool,
) -> Vec<Use> {
    let is_prose = one.path().is_none_or(|path| !path.to_lowercase().ends_with(".md"));
    let is_said = match one.role {
        Role::Agent => true,
        Role::Command => one.text.contains("git commit") || one.text.contains("git -C"),
        _ => false,
    };
    let mut cited = if is_said { citations(&one.text) } else { BTreeSet::new() };
    // An id that was given needs no marks, unless the agent repeats what it read.
    let is_named = |id: &&str| (is_said || (one.role == Role::Edit && is_prose)) && !known.has(id);
    let named = facts.iter().map(|fact| fact.id).filter(is_named);
    cited.extend(named.filter(|id| writing::has_word(&one.text, id)).map(str::to_owned));
    // Ids that are no facts make a list longer, too.
    if cited.len() > MOST_IN_ONE_MESSAGE || is_list(&one.text, &cited) {
        return Vec::new();
    }
    cited.retain(|id| is_fact(id));
    let mut uses: Vec<Use> =
        cited.iter().map(|id| Use { id: id.clone(), evidence: Evidence::Id }).collect();
    if one.role != Role::Command {
        let passages: Vec<Writing> = writing::passages(one).collect();
        let place = Writing::of(one.path().unwrap_or_default());
        let others = facts.iter().filter(|fact| !cited.contains(fact.id));
        uses.extend(others.filter_map(|fact| {
            let evidence =
                passages.iter().find_map(|passage| fact.evidence(passage, &place, known))?;
            Some(Use { id: fact.id.to_owned(), evidence })
        }));
    }
    if uses.len() > MOST_IN_ONE_MESSAGE { Vec::new() } else { uses }
}

/// Returns how many different names, numbers and words that few use a text has.
pub fn telling_words(text: &str) -> usize {
    fact::telling(text)
}

/// Tells whether a prompt names what a fact is about: a name in it, or most of its words.
pub fn is_named(fact: &Given, prompt: &str) -> bool {
    let prompt = Writing::of(prompt);
    fact::terms(std::slice::from_ref(fact)).iter().any(|terms| terms.is_named_in(&prompt))
}

/// Tells whether a tool returned memory: a briefing or what was recalled.
pub fn is_recalled(text: &str) -> bool {
    text.contains("quipu-memory") || text.contains("\"results\"") || text.contains("\"origin\"")
}

/// Tells whether a user asks what is remembered.
fn is_about_memory(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| writing::has_word(&lower, word));
    has(&["what", "which", "list", "show", "tell", "summarise", "summarize", "recite"])
        && has(&["memory", "memories", "remember", "facts", "know", "knows"])
}

/// Tells whether a message lists ids: each in a line of its own, or many in one sentence.
fn is_list(text: &str, ids: &BTreeSet<String>) -> bool {
    let begins = |line: &&str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        ids.iter().any(|id| line.starts_with(&**id))
    };
    let many = |sentence: &&str| {
        ids.iter().filter(|id| sentence.contains(&***id)).count() > MOST_IN_ONE_SENTENCE
    };
    text.lines().filter(begins).count() > 2
        || text.lines().flat_map(sentences).any(|one| many(&one))
}

/// Returns the ids that a text cites: in brackets or backticks, alone or between commas.
pub fn citations(text: &str) -> BTreeSet<String> {
    let mut cited = BTreeSet::new();
    for (open, close) in [('[', ']'), ('`', '`')] {
        let mut rest = text;
        while let Some(start) = rest.find(open) {
            let inside = &rest[start + open.len_utf8()..];
            let Some(end) = inside.find([close, '\n']) else {
                rest = inside;
                continue;
            };
            let is_closed = inside[end..].starts_with(close);
            if is_closed {
                let ids = inside[..end].split([',', ' ']).map(|id| id.trim_matches('`'));
                let all: Option<Vec<FactId>> =
                    ids.filter(|id| !id.is_empty()).map(|id| id.parse().ok()).collect();
                cited.extend(all.into_iter().flatten().map(|id| id.as_str().to_owned()));
            }
            rest = &inside[end + usize::from(is_closed)..];
        }
    }
    cited
}
