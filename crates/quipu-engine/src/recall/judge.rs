//! How sure the answers to one question are: the evidence for each of those that somebody reads, and the
//! confidence of the whole.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use quipu_core::hook::relevance;
use quipu_core::item::{Kind, Status};
use quipu_core::prose;
use quipu_core::rank::evidence::{self, Asked, Evidence, Fit, Said};
use quipu_core::rank::intent::{self, Intent};
use quipu_core::rank::words::{self, Value, Word};
use quipu_core::vector::{self, Packed};
use quipu_embed::{Role, StaticModel};
use quipu_store::Found;

use super::times::Resolved;
use super::{Answer, Confidence};
use crate::config::Provider;
use crate::error::Error;
use crate::workspace::Workspace;

/// So many answers are judged: those that somebody reads.
pub(super) const PAGE: usize = 10;

/// Any of the first so many may be the answer.
const FIRST: usize = 3;

/// Below this the evidence is too little to call anything an answer.
const LIKELY: f32 = -1.75;

/// From here on it is enough to be sure, where no other answer comes near.
const SURE: f32 = 0.0;

/// Another answer with so much more evidence makes the first one doubtful.
const OUTWEIGHED: f32 = 0.3;

/// Whoever answers has at least so much of the nearest meaning, and of the highest score.
const LEADS_IN_MEANING: f32 = 0.7;
const LEADS_IN_SCORE: f32 = 0.85;

/// A longer question is no question, but a text; its words are no longer one subject.
const MOST_WORDS: usize = 12;

/// So much of a long memory is read: the sentences that have the words of the question.
const LONGEST: usize = 400;

/// Who asks for all there is about something is content with less than an answer.
const FOR_ALL: f32 = 1.5;

/// What is of the sort that was asked for has at least so much to say for it.
const OF_SORT: f32 = -1.5;

/// Who asks for a time or a sort, and for nothing else, gets exactly that.
const BARE: [f32; 2] = [-3.0, 2.0];

/// What has so much of what the words tell has to do with them.
const COVERED: f32 = 0.6;

/// From here on a text is likely to have to do with a prompt that the evidence cannot read.
const LIKELY_RELATED: f32 = 0.5;

/// An answer as the evidence sees it.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    read: Arc<Read>,
    pub(super) weight: f32,
}

impl Judged {
    /// Returns what the answer says.
    pub(super) fn said(&self) -> &Said {
        &self.read.said
    }
}

/// What a turn of a conversation says by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Which share of the question it says in other words.
    pub(super) in_other_words: f32,
    /// How much nearer to the question the sentences of a long turn are that have its words, as a share of
    /// what is nearest.
    pub(super) nearer: f32,
}

/// A memory that was read, with a vector for each word that tells.
#[derive(Debug)]
struct Read {
    said: Said,
    vectors: Vec<Option<Arc<Packed>>>,
}

/// Memories that were read before, by their words.
#[derive(Debug, Default)]
struct ReadBefore {
    reads: HashMap<String, Arc<Read>>,
    /// The vectors of words, which are fewer than memories.
    words: HashMap<String, Arc<Packed>>,
}

impl ReadBefore {
    /// More are forgotten, all at once: reading them again takes a few microseconds each.
    const MOST: usize = 4096;

    fn read(&mut self, text: String, model: StaticModel) -> Arc<Read> {
        if let Some(read) = self.reads.get(&text) {
            return Arc::clone(read);
        }
        if self.reads.len() >= Self::MOST {
            self.reads.clear();
        }
        if self.words.len() >= 4 * Self::MOST {
            self.words.clear();
        }
        let said = Said::new(&text);
        let vectors = said
            .words
            .iter()
            .map(|word| {
                if !word.tells {
                    return None;
                }
                if let Some(known) = self.words.get(&word.plain) {
                    return Some(Arc::clone(known));
                }
                let made = Arc::new(Packed::new(&model.vector(&word.plain, Role::Question)));
                self.words.insert(word.plain.clone(), Arc::clone(&made));
                Some(made)
            })
            .collect();
        let read = Arc::new(Read { said, vectors });
        self.reads.insert(text, Arc::clone(&read));
        read
    }
}

/// What judges the answers to one question.
pub(super) struct Judge {
    pub(super) asked: Asked,
    model: StaticModel,
    /// The vector of the question.
    meaning: Vec<f32>,
    /// Its words that name who speaks, and no subject.
    speakers: Vec<String>,
    /// A vector for each word of the question that tells.
    vectors: BTreeMap<String, (Vec<i16>, f32)>,
    intent: Option<Intent>,
    asks_time: bool,
    /// The months that the question names.
    months: Vec<String>,
    /// Whether the question is about what holds now.
    pub(super) asks_current: bool,
    asks_for_all: bool,
    aim: Aim,
}

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// A subject.
    Subject,
    /// A time or a sort of memories, and nothing else.
    Bare,
    /// The evidence cannot tell: its words cannot be told apart, or are too many to be one subject.
    Unread,
}

impl Judge {
    /// Prepares to judge. `text` is the question without the words that speak of a time; `meaning` the question
    /// without the names of those who speak.
    pub(super) fn new(
        text: &str,
        (meaning, speakers): (&str, Vec<String>),
        intent: Option<Intent>,
        spans: &[Resolved],
        now: Timestamp,
    ) -> Result<Self, Error> {
        let is_over = |span: &Resolved| !span.is_event && span.moment.to <= now.as_second();
        let asks_past = spans.iter().any(is_over);
        let asked = Asked::new(text, BTreeMap::new()).asking_for(asks_past, intent.is_some());
        let telling = asked.telling().count();
        let speaks_of_time = !spans.is_empty();
        let has_subject =
            asked.telling().any(|word| !speaks_of_time || intent::is_subject(&word.plain));
        let has_topic = intent.as_ref().is_none_or(|intent| intent.has_topic);
        let is_readable = telling <= MOST_WORDS
            && !text.chars().any(prose::is_unspaced)
            && (telling > 0 || speaks_of_time || intent.is_some());
        let aim = match (is_readable, has_subject && has_topic) {
            (false, _) => Aim::Unread,
            (true, true) => Aim::Subject,
            (true, false) => Aim::Bare,
        };
        let model = StaticModel::built_in()?;
        let vectors = asked.telling().map(|word| {
            let packed = Packed::new(&model.vector(&word.plain, Role::Question));
            (word.plain.clone(), (packed.widened(), packed.scale))
        });
        Ok(Self {
            meaning: model.vector(meaning, Role::Question),
            speakers,
            vectors: vectors.collect(),
            model,
            asks_time: !spans.is_empty(),
            months: spans.iter().flat_map(|span| months(&words::words(&span.words))).collect(),
            asks_current: intent::asks_for_the_current(text),
            asks_for_all: intent::asks_for_all(text),
            aim,
            asked,
            intent,
        })
    }

    /// Notes how rare the words of the question are.
    pub(super) fn learn(&mut self, found: &Found) {
        let most = quipu_core::rank::rarity(1, found.items);
        let words = found.words.iter().zip(&found.rarities);
        // What nobody has said is as rare as can be.
        self.asked.set_rarity(
            words.map(|(word, rarity)| (word.clone(), (rarity / most).clamp(0.0, 1.0))).collect(),
        );
    }

    /// Tells whether the question names no subject, only a time or a sort of memories.
    pub(super) fn is_bare(&self) -> bool {
        self.aim == Aim::Bare
    }

    /// Tells whether the order of answers should follow the evidence.
    pub(super) fn orders(&self) -> bool {
        self.aim == Aim::Subject
    }

    /// Weighs the answers of the first page, and notes in each why.
    pub(super) fn judge(&self, workspace: &Workspace, answers: &mut [Answer]) -> Vec<Judged> {
        let page = answers.len().min(PAGE);
        let texts: Vec<String> = answers[..page].iter().map(Self::excerpt).collect();
        let reads: Vec<Arc<Read>> = workspace.kept(|before: &mut ReadBefore| {
            texts.into_iter().map(|text| before.read(text, self.model)).collect()
        });
        let is_used_as_name = |word: &Word| {
            let mut all = reads.iter().flat_map(|read| &read.said.words);
            all.any(|other| other.is_name && other.stem == word.stem)
        };
        let names: Vec<&str> = self
            .asked
            .telling()
            .filter(|word| is_used_as_name(word))
            .map(|word| word.stem.as_str())
            .collect();
        let exchanges: Vec<Option<Arc<Read>>> = workspace.kept(|before: &mut ReadBefore| {
            let exchange = |at| Some(before.read(exchange(&answers[..page], at)?, self.model));
            (0..page).map(exchange).collect()
        });
        let mut judged = Vec::with_capacity(page);
        let pairs = reads.iter().zip(&exchanges).zip(answers.iter_mut());
        for ((read, exchange), answer) in pairs {
            // The turns around a turn of a conversation say what it is about.
            let whole = exchange.as_ref().unwrap_or(read);
            let evidence = self.evidence(whole, answer, &names);
            let weight = self.weight(&evidence, answer);
            answer.why.evidence = evidence;
            answer.why.weight = weight;
            judged.push(Judged { read: Arc::clone(read), weight });
        }
        judged
    }

    fn evidence(&self, read: &Read, answer: &Answer, names: &[&str]) -> Evidence {
        let fit = Fit {
            cosine: answer.why.cosine,
            is_in_time: self.is_in_time(read, answer),
            is_of_sort: answer.why.channels.sort > 0.0,
        };
        let mut near = |word: &Word, at: usize| self.near(word, read, at);
        let is_named = |word: &Word| names.contains(&word.stem.as_str());
        Evidence::of(&self.asked, &read.said, fit, &mut near, &is_named)
    }

    /// Returns how near a word of the question is in meaning to the word at a place in a memory.
    fn near(&self, word: &Word, read: &Read, at: usize) -> f32 {
        let pair = self.vectors.get(&word.plain).zip(read.vectors[at].as_ref());
        pair.map_or(0.0, |((wide, scale), other)| {
            vector::dot(&other.values, wide) * scale * other.scale
        })
    }

    /// Reads each answer that somebody said by itself, and tells nothing of the others.
    pub(super) fn turns(&self, workspace: &Workspace, answers: &[Answer]) -> Vec<Turn> {
        let left_out = |word: &Word| self.speakers.contains(&word.plain);
        let highest = answers.iter().map(|answer| answer.why.cosine).fold(f32::EPSILON, f32::max);
        // A nearness by another model is no measure for one by the built-in table.
        let compares = workspace.config().embedding.provider == Provider::BuiltIn;
        workspace.kept(|before: &mut ReadBefore| {
            let mut turn = |answer: &Answer| {
                if answer.source.speaker.is_none() {
                    return Turn::default();
                }
                let excerpt = Self::excerpt(answer);
                let nearer = if compares && answer.text.len() > LONGEST {
                    let of_excerpt =
                        dot(&self.model.vector(&excerpt, Role::Question), &self.meaning);
                    (of_excerpt - answer.why.cosine) / highest
                } else {
                    0.0
                };
                let read = before.read(excerpt, self.model);
                let mut near = |word: &Word, at: usize| self.near(word, &read, at);
                let in_other_words =
                    evidence::in_other_words(&self.asked, &read.said, &mut near, &left_out);
                Turn { in_other_words, nearer }
            };
            answers.iter().map(&mut turn).collect()
        })
    }

    /// Tells whether an answer falls into the time that is asked for. What it says itself counts more than
    /// when it was written: what June cost is noted in July.
    fn is_in_time(&self, read: &Read, answer: &Answer) -> bool {
        let named = months(&read.said.words);
        if self.months.is_empty() || named.is_empty() {
            return answer.why.channels.time > 0.0;
        }
        named.iter().any(|month| self.months.contains(month))
    }

    fn weight(&self, evidence: &Evidence, answer: &Answer) -> f32 {
        let channels = &answer.why.channels;
        let fits = (!self.asks_time || channels.time > 0.0)
            && (self.intent.is_none() || channels.sort > 0.0);
        if !self.is_bare() {
            let weight = evidence.weight() + if self.asks_for_all { FOR_ALL } else { 0.0 };
            // Decisions were asked for, and it is one: what else was said may be in other words.
            let is_of_sort = fits && self.intent.is_some();
            return if is_of_sort { weight.max(OF_SORT) } else { weight };
        }
        BARE[usize::from(fits && (self.asks_time || self.intent.is_some()))]
    }

    /// Returns as much of a memory as the evidence reads.
    fn excerpt(answer: &Answer) -> String {
        let text = &answer.text;
        if text.len() <= LONGEST {
            return text.clone();
        }
        let mut sentences: Vec<(usize, usize, &str)> = prose::sentences(text)
            .into_iter()
            .enumerate()
            .map(|(at, sentence)| {
                let lower = sentence.to_lowercase();
                let has = |word: &&String| lower.contains(word.as_str());
                (answer.why.words.iter().filter(has).count(), at, sentence)
            })
            .collect();
        sentences.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut excerpt = String::new();
        for (.., sentence) in sentences {
            if !excerpt.is_empty() && excerpt.len() + sentence.len() > LONGEST {
                break;
            }
            let end = sentence.floor_char_boundary(LONGEST);
            excerpt.push_str(&sentence[..end]);
            excerpt.push(' ');
        }
        excerpt
    }

    /// Returns how near the texts of two answers are in meaning.
    pub(super) fn likeness(&self, one: &Answer, other: &Answer) -> f32 {
        let of = |answer: &Answer| self.model.vector(&answer.text, Role::Question);
        dot(&of(one), &of(other))
    }

    /// Returns how sure the answers are, in their order.
    pub(super) fn confidence(&self, answers: &[Answer]) -> Confidence {
        let Some(first) = answers.first() else { return Confidence::None };
        if self.aim == Aim::Unread {
            return by_relevance(answers);
        }
        let best = answers.iter().take(FIRST).map(|answer| answer.why.weight);
        if best.fold(f32::MIN, f32::max) < LIKELY {
            return Confidence::None;
        }
        let is_plain = first.status == Status::Active && first.kind != Kind::Code;
        // What it replaced says the same of another time, and is no rival.
        let others = answers.iter().skip(1).take(PAGE).filter(|other| {
            !first.supersedes.contains(&other.id) && !first.why.ahead_of.contains(&other.id)
        });
        let nearest = others.map(|other| other.why.weight).fold(f32::MIN, f32::max);
        let stands_out =
            self.is_bare() || (nearest - first.why.weight <= OUTWEIGHED && leads(first, answers));
        if is_plain && first.why.weight >= SURE && stands_out {
            Confidence::Sure
        } else {
            Confidence::Likely
        }
    }
}

/// Tells whether an answer leads by its words and by its meaning, and not by one of them alone; what something
/// became stands for what it was.
fn leads(first: &Answer, answers: &[Answer]) -> bool {
    let most = |of: fn(&Answer) -> f32| answers.iter().take(PAGE).map(of).fold(0.0, f32::max);
    let has_meaning = first.why.channels.time > 0.0
        || first.why.channels.dense >= LEADS_IN_MEANING * most(|answer| answer.why.channels.dense);
    let has_score = first.score >= LEADS_IN_SCORE * most(|answer| answer.score);
    !first.why.ahead_of.is_empty() || (has_meaning && has_score)
}

/// Returns a turn of a conversation with those around it, as far as they were found too.
fn exchange(answers: &[Answer], at: usize) -> Option<String> {
    let turn = &answers[at];
    turn.source.speaker.as_ref()?;
    let is_beside = |other: &&Answer| turn.neighbours.contains(&other.id);
    let beside: Vec<String> = answers.iter().filter(is_beside).map(Judge::excerpt).collect();
    (!beside.is_empty()).then(|| format!("{} {}", Judge::excerpt(turn), beside.join(" ")))
}

/// Tells whether so much evidence is enough to call something an answer.
pub(super) fn is_likely(weight: f32) -> bool {
    weight >= LIKELY
}

/// Returns how sure answers are to a question whose words cannot be told apart.
fn by_relevance(answers: &[Answer]) -> Confidence {
    let is_related = |answer: &Answer| {
        let why = &answer.why;
        let evidence = relevance::Evidence {
            cosine: why.cosine,
            coverage: why.coverage,
            rare_words: why.rare_words,
        };
        evidence.confidence() >= LIKELY_RELATED || why.coverage >= COVERED
    };
    if answers.iter().take(FIRST).any(is_related) { Confidence::Likely } else { Confidence::None }
}

/// Returns the months that words name.
fn months(words: &[Word]) -> Vec<String> {
    let is_month = |word: &&Word| word.value == Some(Value::Date) && words::is_month(&word.plain);
    words.iter().filter(is_month).map(|word| word.plain.clone()).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
