//! Quality of recall, through the public engine: remember everything, ask everything.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use quipu_core::text::tokens;
use quipu_engine::Workspace;
use quipu_engine::fs::RealFs;
use quipu_engine::open;
use quipu_engine::operation::Request;
use quipu_engine::recall;
use quipu_engine::recall::Question as Asked;
use quipu_engine::remember;
use quipu_engine::remember::NewMemory;
use serde::Serialize;
use serde_json::{Value, json};

use crate::baselines::{Baseline, Bm25, Hashed};
use crate::data::{self, Question, Space};

/// How many answers are asked for: enough to rank ten sessions.
const ASKED: usize = 200;

/// So many answers are written out with what spoke for them.
const SEEN: usize = 60;

/// How one system does on a set.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Quality {
    recall_at_1: f64,
    recall_at_3: f64,
    recall_at_5: f64,
    recall_at_10: f64,
    recall_at_20: f64,
    /// 95 % of bootstrap samples of the questions lie within.
    recall_at_10_interval: [f64; 2],
    session_recall_at_5: f64,
    session_recall_at_10: f64,
    session_any_at_5: f64,
    session_all_at_5: f64,
    session_any_at_10: f64,
    session_all_at_10: f64,
    ndcg_at_10: f64,
    tokens_at_10: f64,
    /// Of the answers that fit into 500 tokens.
    recall_in_500_tokens: f64,
    by_type: BTreeMap<String, f64>,
    by_type_at_1: BTreeMap<String, f64>,
}

/// What a run measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    set: String,
    memories: usize,
    questions: usize,
    #[serde(flatten)]
    quipu: Quality,
    latency_ms: Latency,
    ingest_per_second: f64,
    bm25: Quality,
    hashed_vectors: Quality,
}

#[derive(Debug, Serialize)]
struct Latency {
    p50: f64,
    p95: f64,
}

/// What was found for one question: memory indexes, best first.
struct Answered<'a> {
    question: &'a Question,
    found: Vec<usize>,
    space: &'a Space,
    /// The first answers with what spoke for each, where they come from Quipu.
    seen: Vec<Value>,
}

/// Measures one set.
pub(crate) fn measure(path: &Path, dump: Option<&Path>) -> Figures {
    let spaces = data::read(path);
    let mut latencies = Vec::new();
    let mut ingest = 0.0;
    let (mut ours, mut bm25, mut hashed) = (Vec::new(), Vec::new(), Vec::new());
    for space in spaces.values() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
        let started = Instant::now();
        let ids = ingest_space(&workspace, space);
        ingest += started.elapsed().as_secs_f64();
        let index: BTreeMap<&str, usize> =
            ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        let newest = space.memories.iter().filter_map(|memory| memory.time.as_deref());
        let newest = newest.map(data::time).max().unwrap_or_default();
        let (plain, hash) = (Bm25::new(&space.memories), Hashed::new(&space.memories));
        for question in &space.questions {
            let asked =
                Asked { query: question.words.clone(), count: Some(ASKED), ..Asked::default() };
            let now = question.time.as_deref().map_or(newest, data::time);
            let started = Instant::now();
            let recalled = recall::recall(&workspace, &asked, now).unwrap();
            latencies.push(started.elapsed().as_secs_f64() * 1000.0);
            let mut found = Vec::new();
            for answer in &recalled.results {
                // What was folded into an answer comes with it.
                let with = std::iter::once(&answer.id).chain(&answer.same);
                found.extend(with.filter_map(|id| index.get(id.as_str()).copied()));
            }
            let seen = if dump.is_some() { seen(&recalled, &index, space) } else { Vec::new() };
            let other = |found| Answered { question, found, space, seen: Vec::new() };
            ours.push(Answered { question, found, space, seen });
            bm25.push(other(plain.rank(&question.words)));
            hashed.push(other(hash.rank(&question.words)));
        }
    }
    if let Some(path) = dump {
        write_dump(path, &ours);
    }
    latencies.sort_by(f64::total_cmp);
    let at = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index"
        )]
        let index = (latencies.len() as f64 * share) as usize;
        latencies.get(index.min(latencies.len().saturating_sub(1))).copied().unwrap_or(0.0)
    };
    let memories = spaces.values().map(|space| space.memories.len()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let ingest_per_second = memories as f64 / ingest.max(1e-9);
    Figures {
        set: path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned()),
        memories,
        questions: ours.len(),
        quipu: quality(&ours),
        latency_ms: Latency { p50: at(0.5), p95: at(0.95) },
        ingest_per_second,
        bm25: quality(&bm25),
        hashed_vectors: quality(&hashed),
    }
}

pub(crate) fn ingest_space(workspace: &Workspace, space: &Space) -> Vec<String> {
    let now = Timestamp::UNIX_EPOCH;
    let request = Request {
        caller: quipu_engine::caller::Caller::PERSON,
        operation: "remember",
        now,
        today: now.to_zoned(jiff::tz::TimeZone::UTC).date(),
        session: Some("bench"),
        dry_run: false,
    };
    let new: Vec<NewMemory> = space
        .memories
        .iter()
        .map(|memory| NewMemory {
            text: memory.text.clone(),
            category: "turn".to_owned(),
            session: Some(memory.session.clone()),
            speaker: memory.speaker.clone(),
            time: memory.time.as_deref().map(data::time),
            allow_secret: true,
            ..NewMemory::default()
        })
        .collect();
    remember::remember(workspace, &new, &request).unwrap().ids
}

/// Returns the first answers with what spoke for each.
fn seen(recalled: &recall::Recalled, index: &BTreeMap<&str, usize>, space: &Space) -> Vec<Value> {
    let of = |answer: &recall::Answer| {
        let at = index.get(answer.id.as_str())?;
        Some(json!({
            "id": space.memories[*at].id, "score": answer.score, "cosine": answer.why.cosine,
            "channels": answer.why.channels, "words": answer.why.words,
            "coverage": answer.why.coverage, "rare_words": answer.why.rare_words,
            "weight": answer.why.weight,
        }))
    };
    recalled.results.iter().take(SEEN).filter_map(of).collect()
}

fn write_dump(path: &Path, answered: &[Answered<'_>]) {
    let mut file = std::fs::File::create(path).unwrap();
    for answer in answered {
        let found: Vec<&str> =
            answer.found.iter().take(20).map(|at| answer.space.memories[*at].id.as_str()).collect();
        let line = json!({
            "id": answer.question.id,
            "question": answer.question.words,
            "gold": answer.question.gold,
            "type": answer.question.kind,
            "space": answer.question.space,
            "found": found,
            "seen": answer.seen,
        });
        writeln!(file, "{line}").unwrap();
    }
}

/// What one question yields.
struct Scores {
    recall: [f64; 5],
    in_500_tokens: f64,
    session_recall: [f64; 2],
    session_any: [f64; 2],
    session_all: [f64; 2],
    ndcg: f64,
    tokens: f64,
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn scores(answer: &Answered<'_>) -> Scores {
    let gold: BTreeSet<&str> = answer.question.gold.iter().map(String::as_str).collect();
    let memories = &answer.space.memories;
    let ids: Vec<&str> = answer.found.iter().map(|at| memories[*at].id.as_str()).collect();
    let among = |k: usize| ids.iter().take(k).filter(|id| gold.contains(**id)).count() as f64;
    // How many of the answers fit into so many tokens.
    let within = |budget: usize| {
        let mut left = budget;
        let costs = answer.found.iter().map(|at| tokens(&memories[*at].text));
        costs.take_while(|cost| left.checked_sub(*cost).map(|rest| left = rest).is_some()).count()
    };
    let share = |count: f64, all: usize| if all == 0 { 0.0 } else { count / all as f64 };
    let mut sessions: Vec<&str> = Vec::new();
    for at in &answer.found {
        let session = memories[*at].session.as_str();
        if !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    let wanted: BTreeSet<&str> = answer.question.gold_sessions.iter().map(String::as_str).collect();
    let hit = |k: usize| sessions.iter().take(k).filter(|s| wanted.contains(**s)).count();
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let got: f64 = ids
        .iter()
        .take(10)
        .enumerate()
        .filter(|(_, id)| gold.contains(**id))
        .map(|(rank, _)| gain(rank))
        .sum();
    let best: f64 = (0..gold.len().min(10)).map(gain).sum();
    Scores {
        in_500_tokens: share(among(within(500)), gold.len()),
        recall: [5, 10, 20, 1, 3].map(|k| share(among(k), gold.len())),
        session_recall: [5, 10].map(|k| share(hit(k) as f64, wanted.len())),
        session_any: [5, 10].map(|k| f64::from(u8::from(hit(k) > 0))),
        session_all: [5, 10].map(|k| f64::from(u8::from(hit(k) == wanted.len()))),
        ndcg: if best > 0.0 { got / best } else { 0.0 },
        tokens: answer.found.iter().take(10).map(|at| tokens(&memories[*at].text) as f64).sum(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn quality(answered: &[Answered<'_>]) -> Quality {
    let scores: Vec<Scores> = answered.iter().map(scores).collect();
    let mean = |of: &dyn Fn(&Scores) -> f64| {
        100.0 * scores.iter().map(of).sum::<f64>() / scores.len().max(1) as f64
    };
    let by_type = |at: usize| -> BTreeMap<String, f64> {
        let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for (answer, score) in answered.iter().zip(&scores) {
            let sum = sums.entry(answer.question.kind.clone()).or_default();
            sum.0 += 100.0 * score.recall[at];
            sum.1 += 1.0;
        }
        sums.into_iter().map(|(kind, (sum, n))| (kind, sum / n)).collect()
    };
    let per_question: Vec<f64> = scores.iter().map(|score| 100.0 * score.recall[1]).collect();
    Quality {
        recall_at_1: mean(&|score| score.recall[3]),
        recall_at_3: mean(&|score| score.recall[4]),
        recall_at_5: mean(&|score| score.recall[0]),
        recall_at_10: mean(&|score| score.recall[1]),
        recall_at_20: mean(&|score| score.recall[2]),
        recall_at_10_interval: bootstrap(&per_question),
        session_recall_at_5: mean(&|score| score.session_recall[0]),
        session_recall_at_10: mean(&|score| score.session_recall[1]),
        session_any_at_5: mean(&|score| score.session_any[0]),
        session_all_at_5: mean(&|score| score.session_all[0]),
        session_any_at_10: mean(&|score| score.session_any[1]),
        session_all_at_10: mean(&|score| score.session_all[1]),
        ndcg_at_10: mean(&|score| score.ndcg),
        tokens_at_10: mean(&|score| score.tokens) / 100.0,
        recall_in_500_tokens: mean(&|score| score.in_500_tokens),
        by_type: by_type(1),
        by_type_at_1: by_type(3),
    }
}

/// The middle 95 % of the means of 1,000 samples with replacement; always the same ones.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn bootstrap(values: &[f64]) -> [f64; 2] {
    if values.is_empty() {
        return [0.0, 0.0];
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut means: Vec<f64> = (0..1000)
        .map(|_| {
            let pick = |_| values[usize::try_from(next() % values.len() as u64).unwrap()];
            (0..values.len()).map(pick).sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    [means[25], means[974]]
}

/// Prints figures for people.
pub(crate) fn print(figures: &Figures) {
    println!(
        "\n{}: {} memories, {} questions; ingested {:.0}/s; recall p50 {:.2} ms, p95 {:.2} ms",
        figures.set,
        figures.memories,
        figures.questions,
        figures.ingest_per_second,
        figures.latency_ms.p50,
        figures.latency_ms.p95
    );
    println!(
        "                  R@1    R@3    R@5   R@10   R@20   sR@5  sR@10  any@5  all@5 any@10 all@10 NDCG@10  tokens  in 500"
    );
    for (name, quality) in [
        ("quipu", &figures.quipu),
        ("BM25", &figures.bm25),
        ("hashed vectors", &figures.hashed_vectors),
    ] {
        println!(
            "{name:<15} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:7.1} {:7.0} {:7.1}",
            quality.recall_at_1,
            quality.recall_at_3,
            quality.recall_at_5,
            quality.recall_at_10,
            quality.recall_at_20,
            quality.session_recall_at_5,
            quality.session_recall_at_10,
            quality.session_any_at_5,
            quality.session_all_at_5,
            quality.session_any_at_10,
            quality.session_all_at_10,
            quality.ndcg_at_10,
            quality.tokens_at_10,
            quality.recall_in_500_tokens
        );
    }
    let [low, high] = figures.quipu.recall_at_10_interval;
    println!("quipu R@10, 95 % of bootstrap samples: {low:.1} to {high:.1}");
    for (k, by_type) in [(10, &figures.quipu.by_type), (1, &figures.quipu.by_type_at_1)] {
        let types: Vec<String> =
            by_type.iter().map(|(kind, value)| format!("{kind} {value:.1}")).collect();
        println!("quipu R@{k} by type: {}", types.join(", "));
    }
}
