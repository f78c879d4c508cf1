//! The facts of a document that a text is compared with: an index by the beginnings of words finds a
//! handful, and [`relate`] looks at these alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::lexicon;
use super::relation::{Judgement, Relation, relate};
use super::statement::Statement;
use crate::doc::{Document, Fact, Form};
use crate::{prose, text};

/// A fact that the new text may conflict with.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Candidate {
    /// The fact.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Whether it never decays; then adding the new fact needs an explicit confirmation.
    pub is_core: bool,
    /// How sure it is that both cannot hold, 0 to 1; it only ranks.
    pub score: f64,
    /// Why it is listed.
    pub reasons: Vec<String>,
}

/// Something known that is near to what was written, for the writer to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Near {
    /// Its id.
    pub id: String,
    /// Its words, shortened.
    pub text: String,
    /// How the new statement stands to it, as far as rules can tell.
    pub relation: Relation,
    /// Why, where there is more to say than that both share words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether it is in the archive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// How a new text stands to what is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The fact that says the same in the same words.
    pub same: Option<String>,
    /// Facts that cannot hold beside it, the surest first.
    pub stops: Vec<Candidate>,
    /// What is near to it, the nearest first.
    pub nearest: Vec<Near>,
}

/// So many near facts are shown.
const MOST_NEAR: usize = 3;
/// All of them take no more tokens than this, ids and reasons included.
const MOST_TOKENS: usize = 150;
/// The words of one take no more characters than this.
const LONGEST: usize = 110;
/// So many facts that share words with a text are compared with it.
const MOST_COMPARED: usize = 48;
/// At least so alike in meaning and words, in percent, a memory is near.
const ALIKE: i32 = 35;
/// So many percent of likeness in meaning is a point of closeness in words worth.
const WORD_IN_PERCENT: i32 = 5;
/// Words count by their first letters, so that `retries` meets `retry`.
const BEGINNING: usize = 4;

/// Compares a text with the live facts of a document and with what is in the archive, by id and words.
pub fn check<'t>(
    document: &Document<'_>,
    archived: impl IntoIterator<Item = (&'t str, String)>,
    new: &str,
) -> Checked {
    let statement = Statement::of(new);
    let mut found = Known::of(document).compared(new, &statement);
    found.extend(archived_ones(archived, new, &statement));
    found.checked()
}

/// Returns the facts that each of many texts may conflict with, and those that are near to it.
pub fn candidates_of_each(document: &Document<'_>, texts: &[&str]) -> Vec<Vec<Candidate>> {
    let known = Known::of(document);
    let candidates = |text: &&str| {
        let found = known.compared(text, &Statement::of(text));
        found.0.into_iter().map(Compared::candidate).collect()
    };
    texts.iter().map(candidates).collect()
}

/// A memory that a new text is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// How alike the meanings are, in percent, where vectors were compared.
    pub alike: Option<i32>,
}

/// Returns which of some memories are near to a new text, the nearest first.
pub fn nearest_of(memories: &[Memory], new: &str) -> Vec<Near> {
    let statement = Statement::of(new);
    let mut found = AllCompared::default();
    for Memory { id, text, alike } in memories {
        let mut judgement = relate(&Statement::of(text), &statement);
        let alike = alike.unwrap_or(0);
        let is_alike =
            judgement.closeness.saturating_mul(WORD_IN_PERCENT).saturating_add(alike) >= ALIKE;
        if judgement.is_close() || is_alike {
            judgement.closeness =
                judgement.closeness.saturating_mul(WORD_IN_PERCENT).saturating_add(alike);
            found.0.push(Compared {
                id: id.clone(),
                text: text.clone(),
                is_core: false,
                archived: false,
                names_id: false,
                judgement,
            });
        }
    }
    found.sort();
    found.checked().nearest
}

/// What one comparison found.
#[derive(Clone, Debug)]
struct Compared {
    id: String,
    text: String,
    is_core: bool,
    archived: bool,
    names_id: bool,
    judgement: Judgement,
}

impl Compared {
    fn rank(&self) -> (bool, bool, i32, i32) {
        let same = self.judgement.relation == Relation::Same;
        (
            same,
            self.judgement.disagrees(),
            if self.judgement.disagrees() { self.judgement.score } else { 0 },
            self.judgement.closeness,
        )
    }

    fn candidate(self) -> Candidate {
        let mut reasons = Vec::new();
        let mut about = self.judgement.about.clone();
        about.truncate(4);
        if !about.is_empty() {
            reasons.push(format!("both are about {}", about.join(", ")));
        }
        if self.names_id {
            reasons.push(format!("it names `{}`", self.id));
        }
        if self.judgement.relation == Relation::Same {
            reasons.push("they say nearly the same".to_owned());
        }
        if !self.judgement.reason.is_empty() {
            reasons.push(self.judgement.reason.clone());
        }
        let score = if self.judgement.disagrees() {
            0.6 + f64::from(self.judgement.score.clamp(0, 400)) / 1000.0
        } else {
            f64::from(self.judgement.closeness.clamp(0, 30)) / 60.0
        };
        Candidate { id: self.id, text: self.text, is_core: self.is_core, score, reasons }
    }
}

#[derive(Clone, Debug, Default)]
struct AllCompared(Vec<Compared>);

impl AllCompared {
    fn extend(&mut self, more: Vec<Compared>) {
        self.0.extend(more);
        self.sort();
    }

    fn sort(&mut self) {
        self.0.sort_by(|a, b| b.rank().cmp(&a.rank()).then_with(|| a.id.cmp(&b.id)));
    }

    fn checked(self) -> Checked {
        let is_same = |one: &&Compared| !one.archived && one.judgement.relation == Relation::Same;
        let same = self.0.iter().find(is_same).map(|one| one.id.clone());
        let mut nearest = Vec::new();
        let mut tokens = 0;
        for one in self.0.iter().take(MOST_NEAR) {
            let near = Near {
                id: one.id.clone(),
                text: text::ellipsis(&text::collapse_whitespace(&one.text), LONGEST),
                relation: one.judgement.relation,
                reason: if one.names_id && one.judgement.reason.is_empty() {
                    "the new words name it".to_owned()
                } else {
                    text::ellipsis(&one.judgement.reason, LONGEST)
                },
                archived: one.archived,
            };
            tokens +=
                text::tokens(&near.id) + text::tokens(&near.text) + text::tokens(&near.reason);
            if tokens > MOST_TOKENS {
                break;
            }
            nearest.push(near);
        }
        let stops = self.0.into_iter().filter(|one| !one.archived && one.judgement.disagrees());
        Checked { same, stops: stops.map(Compared::candidate).collect(), nearest }
    }
}

/// The live facts of a document, by the beginnings of their words.
pub(super) struct Known<'d, 'a> {
    document: &'d Document<'a>,
    facts: Vec<(&'d Fact, String)>,
    with: Beginnings,
}

impl<'d, 'a> Known<'d, 'a> {
    pub(super) fn of(document: &'d Document<'a>) -> Self {
        let facts: Vec<(&Fact, String)> = document
            .distinct_facts()
            .into_iter()
            .filter(|fact| !fact.footer.is_superseded())
            .filter(|fact| !matches!(fact.form, Form::Quoted | Form::DoneThread))
            .map(|fact| (fact, document.words(fact)))
            .collect();
        let with = Beginnings::of(facts.iter().map(|(_, words)| words.as_str()));
        Self { document, facts, with }
    }

    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(super) fn checked(&self, new: &str) -> Checked {
        self.compared(new, &Statement::of(new)).checked()
    }

    fn compared(&self, new: &str, statement: &Statement) -> AllCompared {
        let mut places: BTreeSet<usize> = self.with.likeliest(statement).into_iter().collect();
        let named: BTreeSet<usize> = if new.contains(['-', '`']) {
            (0..self.facts.len()).filter(|at| new.contains(self.facts[*at].0.id())).collect()
        } else {
            BTreeSet::new()
        };
        places.extend(&named);
        let mut found = AllCompared::default();
        for at in places {
            let (fact, words) = &self.facts[at];
            let judgement = relate(&Statement::of(words), statement);
            if judgement.is_close() || named.contains(&at) {
                found.0.push(Compared {
                    id: fact.id().to_owned(),
                    text: words.clone(),
                    is_core: fact.footer.is_core() || self.document.is_invariant(fact),
                    archived: false,
                    names_id: named.contains(&at),
                    judgement,
                });
            }
        }
        found.sort();
        found
    }
}

fn archived_ones<'t>(
    archived: impl IntoIterator<Item = (&'t str, String)>,
    new: &str,
    statement: &Statement,
) -> Vec<Compared> {
    let all: Vec<(&str, String)> = archived.into_iter().collect();
    let with = Beginnings::of(all.iter().map(|(_, words)| words.as_str()));
    let judged = with.likeliest(statement).into_iter().filter_map(|at| {
        let (id, words) = &all[at];
        let judgement = relate(&Statement::of(words), statement);
        // Of what has faded only what says the same or the opposite is news.
        let counts = judgement.relation == Relation::Same || judgement.disagrees();
        let names_id = new.contains(*id);
        counts.then(|| Compared {
            id: (*id).to_owned(),
            text: words.clone(),
            is_core: false,
            archived: true,
            names_id,
            judgement,
        })
    });
    judged.collect()
}

/// Which texts have a word that begins with some letters.
struct Beginnings {
    with: BTreeMap<String, Vec<usize>>,
    count: usize,
}

impl Beginnings {
    fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut with: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut count = 0;
        for (at, text) in texts.enumerate() {
            count = at + 1;
            for word in prose::words(text, "") {
                let beginning = beginning(word);
                if lexicon::is_function_word(&beginning) {
                    continue;
                }
                match with.get_mut(&beginning) {
                    Some(places) if places.last() == Some(&at) => {}
                    Some(places) => places.push(at),
                    None => drop(with.insert(beginning, vec![at])),
                }
            }
        }
        Self { with, count }
    }

    /// Returns the texts that share the rarest words with a statement, or words that mean the same.
    fn likeliest(&self, statement: &Statement) -> Vec<usize> {
        let mut weights: BTreeMap<usize, usize> = BTreeMap::new();
        for (wanted, is_said) in statement.wanted() {
            let Some(places) = self.with.get(&beginning(&wanted)) else { continue };
            let rarity = 1000 * (1 + usize::from(is_said)) / places.len();
            // What every second text has tells nothing, where there are many.
            if self.count > 4 * MOST_COMPARED && places.len() * 2 > self.count {
                continue;
            }
            for at in places {
                *weights.entry(*at).or_default() += rarity;
            }
        }
        let mut places: Vec<(usize, usize)> =
            weights.into_iter().map(|(at, weight)| (weight, at)).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        places.into_iter().take(MOST_COMPARED).map(|(_, at)| at).collect()
    }
}

fn beginning(word: &str) -> String {
    word.chars().take(BEGINNING).flat_map(char::to_lowercase).collect()
}
