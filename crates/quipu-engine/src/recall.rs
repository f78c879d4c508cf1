//! Asking: one question over facts, archived facts, session logs, documents and records.

mod chain;
mod filter;
mod gone;
mod judge;
mod known;
mod ranking;
mod scopes;
mod times;

use jiff::Timestamp;
use quipu_core::fact::TierLabel;
use quipu_core::item::{Kind, Layer, MemoryType, Mode, Scope, Status};
pub use quipu_core::rank::Confidence;
use quipu_core::rank::evidence::Evidence;
use quipu_core::rank::{Channels, intent};
use quipu_core::vector::Packed;
use quipu_embed::Role;
use quipu_store::{Found, Hit, Search, Sorted, label};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::chain::LONGEST_CHAIN;
pub(crate) use self::chain::all as chain_of;
use self::judge::Judge;
use self::known::Known;
use self::ranking::Ranking;
pub(crate) use self::scopes::scope_of;
pub use self::scopes::{note_answer_of_scopes, recall_scopes};
use self::times::Resolved;
use self::times::times;
use crate::cache::{Cache, CacheStats};
use crate::caller::Channel;
use crate::embedding;
use crate::error::Error;
use crate::index::{self, Indexed, LeftOut};
use crate::workspace::Workspace;

/// A longer question is cut: what matters is in its beginning.
const LONGEST_QUERY: usize = 8192;

/// A question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The words.
    pub query: String,
    /// How many answers; 10 where not said.
    pub count: Option<usize>,
    /// No more tokens than this in all answers together.
    pub budget: Option<usize>,
    /// Which types.
    pub mode: Option<Mode>,
    /// Only these kinds.
    pub kinds: Vec<Kind>,
    /// Only these layers.
    pub layers: Vec<Layer>,
    /// Only these types.
    pub types: Vec<MemoryType>,
    /// Statuses beside active.
    pub include: Vec<Status>,
    /// Only this session.
    pub session: Option<String>,
    /// Only this category.
    pub category: Option<String>,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// That mention this.
    pub entity: Option<String>,
    /// Learned at this time or later.
    pub since: Option<Timestamp>,
    /// Learned before.
    pub until: Option<Timestamp>,
    /// True then.
    pub as_of: Option<Timestamp>,
    /// Only experiences.
    pub experiences: bool,
    /// Secrets too.
    pub allow_secret: bool,
    /// Who asks.
    pub channel: Channel,
}

/// An answer to a question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Recalled {
    /// The question.
    pub query: String,
    /// How sure it is that they answer: `sure`, `likely`, or `none`, where they are only the nearest.
    pub confidence: Confidence,
    /// The best matches, best first.
    pub results: Vec<Answer>,
    /// What else a reader should know: that the only match was archived, or superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Which channels took part.
    pub channels: Vec<&'static str>,
    /// Why the answer may be worse than it could be.
    pub degraded: Vec<String>,
    /// What the words say about time.
    pub times: Vec<TimeSpan>,
    /// How many items there are, for those who may know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<usize>,
    /// How many of them the filters let through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<usize>,
    /// How many answers the budget left out.
    pub left_out: usize,
    /// What a hook had no time to index.
    #[serde(skip)]
    pub unindexed: Option<LeftOut>,
    /// What to try, where nothing was found.
    pub advice: Option<String>,
}

/// A span of time that the words of a question mean.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimeSpan {
    /// The words.
    pub words: String,
    /// From.
    pub from: Option<Timestamp>,
    /// To, exclusive.
    pub to: Option<Timestamp>,
}

/// One answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The id.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Who sees it.
    pub scope: Scope,
    /// Its words.
    pub text: String,
    /// How well it matches.
    pub score: f32,
    /// Where it comes from.
    pub source: Origin,
    /// Whether it still holds.
    pub status: Status,
    /// How long it is meant to last.
    pub layer: Layer,
    /// What sort of statement it is.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// The tier, for a fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierLabel>,
    /// When it was learned.
    pub time: Timestamp,
    /// Since when it is true, where somebody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// The sort of record, or the section of a fact.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// How important it is by itself.
    pub importance: f32,
    /// Whether it says that something is not so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub negative: bool,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The items that it replaced, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// What replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The items around it in its session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<String>,
    /// Others with the same words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
    /// Why it ranks where it does.
    pub why: Why,
}

/// Where an answer comes from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Origin {
    /// Who it was learned from.
    pub from: quipu_core::item::Source,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The section.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// The session it belongs to, or was learned in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The channel it came through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
}

/// Why an answer ranks where it does.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Why {
    /// What each channel said, 0 to 1.
    pub channels: Channels,
    /// What each is worth; the score is the sum of the products.
    pub weights: Channels,
    /// How near the meanings are, by themselves.
    pub cosine: f32,
    /// The words of the question that it has.
    pub words: Vec<String>,
    /// Which share of what the question's words tell it has; rare words tell more.
    pub coverage: f32,
    /// How many of the rarest words there are would tell as much as its own.
    pub rare_words: f32,
    /// What speaks for it as the answer, and against it.
    pub evidence: Evidence,
    /// All of that together; 0 is as likely as not. Only the first ten answers are weighed.
    pub weight: f32,
    /// The answers that say what it was before, and come after it for that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ahead_of: Vec<String>,
    /// The reason in words.
    pub because: String,
}

impl Why {
    /// Tells whether the evidence is enough to say that the memory has to do with the question.
    pub(crate) fn is_relevant(&self) -> bool {
        judge::is_likely(self.weight)
    }
}

/// Answers a question from everything that is remembered.
///
/// # Errors
/// When the index or the files cannot be used.
pub fn recall(
    workspace: &Workspace,
    question: &Question,
    now: Timestamp,
) -> Result<Recalled, Error> {
    index::mending(workspace, || recall_kept(workspace, question, now))
}

fn recall_kept(
    workspace: &Workspace,
    question: &Question,
    now: Timestamp,
) -> Result<Recalled, Error> {
    let day = workspace.day(now);
    let key = format!("{day} {question:?}");
    if let Some(world) = index::world(workspace)?
        && let Some(answer) =
            workspace.kept(|kept: &mut Cache<Recalled>| kept.get(&key, world, now))
    {
        return Ok(answer);
    }
    let before = index::files(workspace)?;
    let indexed = index::freshen(workspace)?;
    let generation = index::store(workspace)?.generation()?;
    let answer = recall_anew(workspace, question, &indexed, now)?;
    // What is not whole is not worth keeping.
    if answer.degraded.is_empty()
        && let Some(world) = index::unchanged_world(workspace, before, generation)?
    {
        let until = holds_until(workspace, now)?;
        workspace.kept(|kept: &mut Cache<Recalled>| {
            kept.put(key, world, (now, until), answer.clone());
        });
    }
    Ok(answer)
}

/// Answers a question for a process that asks only one: nothing is kept.
pub(crate) fn recall_once(
    workspace: &Workspace,
    question: &Question,
    now: Timestamp,
) -> Result<Recalled, Error> {
    index::mending(workspace, || {
        let indexed = index::freshen(workspace)?;
        recall_anew(workspace, question, &indexed, now)
    })
}

/// Returns until when an answer stays the same, if nobody writes.
pub(crate) fn holds_until(workspace: &Workspace, now: Timestamp) -> Result<Timestamp, Error> {
    Ok(index::store(workspace)?.next_change(now)?.unwrap_or(Timestamp::MAX))
}

/// Returns how often repeated questions were answered from memory.
pub fn recall_cache(workspace: &Workspace) -> CacheStats {
    workspace.kept(|kept: &mut Cache<Recalled>| kept.stats())
}

fn recall_anew(
    workspace: &Workspace,
    question: &Question,
    indexed: &Indexed,
    now: Timestamp,
) -> Result<Recalled, Error> {
    let mut degraded = filter::notes(indexed, question.channel);
    let mut query = question.query.trim();
    if query.len() > LONGEST_QUERY {
        let cut = (0..=LONGEST_QUERY).rev().find(|at| query.is_char_boundary(*at));
        query = &query[..cut.unwrap_or(0)];
        degraded.push(format!("only the first {LONGEST_QUERY} bytes of the question count"));
    }
    let store = index::store(workspace)?;
    let records = workspace.config().continuity.memory_embeddings_enabled || question.experiences;
    let aliases = filter::aliases(&*store, question.channel)?;
    let filter = filter::filter(question, &aliases, now, records);
    let spans = times(workspace, &*store, query, &filter, now)?;
    let text = without_times(query, &spans);
    // "Before the trial started" is a time here, and no subject.
    let intent = intent::intent(&without_events(&text, &spans));
    let names_no_subject = intent.as_ref().is_some_and(|intent| !intent.has_topic);
    let speakers = store.speakers_in(query, &filter.sensitivities)?;
    let meaning = without_names(query, &speakers);
    let mut judge = Judge::new(&text, (&meaning, speakers), intent.clone(), &spans, now)?;
    let ranking = Ranking::new(workspace, &*store, question, filter, !spans.is_empty());
    let filter = ranking.filter();
    let embedder = embedding::embedder(workspace)?;
    let vector = match embedder.embed(&[&meaning], Role::Question) {
        Ok(vectors) => vectors.first().map(|vector| Packed::new(vector)),
        Err(error) => {
            degraded.push(format!("no vector for the question: {error}"));
            None
        }
    };
    let search = Search {
        // "What did we decide?" asks for decisions, and not for the word.
        text: if names_no_subject { String::new() } else { text },
        vector: vector.filter(|_| !names_no_subject),
        model: embedder.id().to_owned(),
        filter: filter.clone(),
        moments: spans.iter().map(|span| span.moment).collect(),
        sort: intent.map(|intent| sorted(&intent)),
        limit: ranking.limit(),
    };
    let mut known = Known::new(&*store);
    let found = ranking.found(&search, &mut known)?;
    if found.embedded < found.items && found.items > 0 {
        degraded.push(format!(
            "{} of {} items have no vector of {} yet: run `quipu reembed`",
            found.items - found.embedded,
            found.items,
            embedder.id()
        ));
    }
    let mut channels = vec!["lexical"];
    if found.embedded > 0 && search.vector.as_ref().is_some_and(|vector| !vector.is_zero()) {
        channels.push("dense");
    }
    if !spans.is_empty() {
        channels.push("time");
    }
    let advice = advice(question, query, &found);
    // How much there is, is nothing for other channels to know.
    let is_main = question.channel == Channel::Main;
    let (items, allowed) = (is_main.then_some(found.items), is_main.then_some(found.allowed));
    let telling = Telling { asked: found.telling, most: quipu_core::rank::rarity(1, found.items) };
    judge.learn(&found);
    let all_allowed = found.allowed == found.items;
    let (mut results, left_out) = ranking.answers(found.hits, telling, &judge, &mut known)?;
    let mut confidence = judge.confidence(&results);
    let mut hint = None;
    if confidence != Confidence::Sure && !all_allowed {
        let looked = gone::look(&ranking, &search, &judge, &mut known, &mut results)?;
        hint = looked.hint;
        confidence = looked.confidence.unwrap_or(confidence);
    }
    if question.channel == Channel::Other {
        filter::leave_out_hidden(&mut known, &mut results, filter)?;
    }
    Ok(Recalled {
        query: query.to_owned(),
        confidence,
        results,
        hint,
        channels,
        degraded,
        times: spans.into_iter().map(Into::into).collect(),
        items,
        allowed,
        left_out,
        unindexed: indexed.left_out,
        advice,
    })
}

/// Returns the sort of items that a question asks for by name, as the index knows it.
fn sorted(intent: &intent::Intent) -> Sorted {
    /// What is of the sort, where the question names a subject too.
    const WITH_TOPIC: f32 = 0.5;
    Sorted {
        labels: intent.sort.categories().iter().map(|name| label::category(name)).collect(),
        kinds: intent.sort.kinds().to_vec(),
        strength: if intent.has_topic { WITH_TOPIC } else { 1.0 },
    }
}

/// Notes that the best answer of a question was of use, where it is sure to be one.
pub fn note_answer(workspace: &Workspace, recalled: &crate::recall::Recalled, now: Timestamp) {
    if recalled.confidence != Confidence::Sure {
        return;
    }
    if let Some(first) = recalled.results.first() {
        index::note_access(workspace, &first.id, now);
    }
}

/// Returns the words without those that were understood as a time: "last week" is no topic.
fn without_times(query: &str, spans: &[Resolved]) -> String {
    let mut rest = query.to_owned();
    for span in spans.iter().filter(|span| !span.is_event) {
        rest = rest.replacen(&span.words, " ", 1);
    }
    rest
}

/// Returns the words without those that name something that happened, as a time.
fn without_events(text: &str, spans: &[Resolved]) -> String {
    let events = spans.iter().filter(|span| span.is_event);
    events.fold(text.to_owned(), |rest, span| rest.replacen(&span.words, " ", 1))
}

/// Returns the words without the names of those who speak: whose words are asked for is a matter of
/// the speaker channel, and a name has no meaning that could be near another.
fn without_names(query: &str, names: &[String]) -> String {
    if names.is_empty() {
        return query.to_owned();
    }
    let is_name = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        bare.starts_with(char::is_uppercase) && names.contains(&bare.to_lowercase())
    };
    let kept: Vec<&str> = query.split_whitespace().filter(|word| !is_name(word)).collect();
    kept.join(" ")
}

/// Says why nothing was found, and what to try.
fn advice(question: &Question, query: &str, found: &Found) -> Option<String> {
    if !found.hits.is_empty() {
        return None;
    }
    Some(if found.items == 0 {
        "nothing is remembered yet: try `quipu remember` or `quipu fact add`".to_owned()
    } else if question.count == Some(0) {
        "you asked for no answers: try `-k 10`".to_owned()
    } else if found.allowed == 0 {
        "the filters leave nothing over: leave one out, or look with `--include archived,superseded`".to_owned()
    } else if query.is_empty() {
        "the question is empty: ask with a few words".to_owned()
    } else if found.words.is_empty() {
        "the question has no words that tell anything: name the thing you look for".to_owned()
    } else {
        let words: Vec<String> = found.words.iter().map(|word| format!("“{word}”")).collect();
        format!("no memory has {}; try other words", words.join(" or "))
    })
}

/// How telling words are, to measure those of an answer by.
#[derive(Clone, Copy, Default)]
struct Telling {
    /// All words of the question together.
    asked: f32,
    /// A word that only one item has.
    most: f32,
}

fn answer(hit: Hit, chain: Vec<String>, telling: Telling) -> Answer {
    let because = because(&hit);
    let item = hit.item;
    Answer {
        id: item.id,
        kind: item.kind,
        scope: scopes::scope_of(item.kind),
        text: item.text,
        score: hit.score,
        source: Origin {
            from: item.source,
            path: item.place.as_ref().map(|place| place.path.clone()),
            line: item.place.as_ref().map(|place| place.line).filter(|line| *line > 0),
            section: item.title,
            session: item.session.or(item.origin),
            speaker: item.speaker,
            channel: item.channel,
        },
        status: item.status,
        layer: item.layer,
        memory_type: item.memory_type,
        tier: item.tier,
        time: item.time,
        valid_from: item.valid_from,
        valid_to: item.valid_to,
        category: item.category,
        importance: item.importance,
        negative: item.negative,
        tags: item.tags,
        supersedes: chain,
        superseded_by: item.superseded_by,
        neighbours: hit.neighbours.into_iter().flatten().collect(),
        same: hit.same,
        why: Why {
            channels: hit.channels,
            weights: quipu_core::rank::WEIGHTS,
            cosine: hit.cosine,
            words: hit.words,
            coverage: if telling.asked > 0.0 { hit.telling / telling.asked } else { 0.0 },
            rare_words: if telling.most > 0.0 { hit.telling / telling.most } else { 0.0 },
            evidence: Evidence::default(),
            weight: f32::MIN,
            ahead_of: Vec::new(),
            because,
        },
    }
}

fn because(hit: &Hit) -> String {
    let mut reasons = Vec::new();
    if !hit.words.is_empty() {
        reasons.push(format!("has {}", hit.words.join(", ")));
    } else if hit.channels.lexical > 0.0 {
        reasons.push("its neighbours have the words".to_owned());
    }
    if hit.channels == Channels::default() {
        return "holds in place of the next one".to_owned();
    }
    if hit.cosine >= 0.5 {
        reasons.push("means nearly the same".to_owned());
    } else if hit.cosine >= 0.3 {
        reasons.push("is about similar things".to_owned());
    }
    if hit.channels.speaker > 0.0 {
        reasons.push("said by who is asked about".to_owned());
    }
    if hit.channels.named > 0.0 {
        reasons.push("has the names".to_owned());
    }
    if hit.channels.time > 0.0 {
        reasons.push("falls into the time".to_owned());
    }
    if hit.channels.sort > 0.0 {
        reasons.push("is of the sort that was asked for".to_owned());
    }
    if reasons.is_empty() {
        reasons.push("is the nearest there is".to_owned());
    }
    reasons.join("; ")
}
