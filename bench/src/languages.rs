//! The same facts in five languages: what the table finds alone, what words find alone, and both as
//! shipped.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use quipu_core::item::{Item, Kind};
use quipu_core::vector::Packed;
use quipu_embed::{Role, StaticModel};
use quipu_engine::fs::RealFs;
use quipu_engine::recall::{self, Question};
use quipu_engine::{Workspace, open, remember};
use quipu_store::{Batch, Put, Search, SqliteStore, Store as _};
use quipu_testkit::languages::{self, Fact, Tongue};
use serde::Serialize;

use crate::memories;

/// How many of the best are looked at.
const BEST: usize = 10;

/// How often the answer is first, and among the first ten, in per cent.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Found {
    recall_at_1: f64,
    recall_at_10: f64,
}

/// What was found for the questions of one language.
#[derive(Debug, Serialize)]
struct Figures {
    language: &'static str,
    /// Whether they are asked in words of the fact.
    own_words: bool,
    /// How many memories there are to choose from.
    memories: usize,
    dense: Found,
    words: Found,
    fused: Found,
    /// The share of facts of which the table knows no piece.
    without_vector: f64,
}

/// Measures, and prints figures for people or as JSON.
pub(crate) fn report(json: bool) {
    let figures = measure();
    if json {
        println!("{}", serde_json::to_string_pretty(&figures).unwrap());
    } else {
        print(&figures);
    }
}

/// Measures each language by itself, then each among all of them.
fn measure() -> Vec<Figures> {
    let tongues = languages::parallel();
    let mut figures = Vec::new();
    for tongue in &tongues {
        let told: Vec<&str> = tongue.facts.iter().map(|fact| fact.told.as_str()).collect();
        let corpus = Corpus::new(&told);
        figures.extend([true, false].map(|own_words| corpus.ask(tongue, 0, own_words)));
    }
    let all = tongues.iter().flat_map(|tongue| &tongue.facts);
    let all: Vec<&str> = all.map(|fact| fact.told.as_str()).collect();
    let corpus = Corpus::new(&all);
    let mut start = 0;
    for tongue in &tongues {
        figures.extend([true, false].map(|own_words| corpus.ask(tongue, start, own_words)));
        start += tongue.facts.len();
    }
    figures
}

/// Memories in three forms: vectors, an index of words without any, and a workspace.
struct Corpus {
    model: StaticModel,
    vectors: Vec<Vec<f32>>,
    words: SqliteStore,
    workspace: Workspace,
    ids: BTreeMap<String, usize>,
    _folder: tempfile::TempDir,
}

impl Corpus {
    fn new(told: &[&str]) -> Self {
        let model = StaticModel::built_in().unwrap();
        let mut words = SqliteStore::in_memory().unwrap();
        let item = |(at, text): (usize, &&str)| {
            Item::new(at.to_string(), Kind::Record, (*text).to_owned(), Timestamp::UNIX_EPOCH)
        };
        let put = told.iter().enumerate().map(item).map(|item| Put::new(item, None, Vec::new()));
        words.apply(&Batch { put: put.collect(), ..Batch::default() }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
        let new: Vec<_> = told.iter().map(|text| memories::told(text)).collect();
        let ids = remember::remember(&workspace, &new, &memories::request()).unwrap().ids;
        Self {
            model,
            vectors: told.iter().map(|text| model.vector(text, Role::Memory)).collect(),
            words,
            workspace,
            ids: ids.into_iter().enumerate().map(|(at, id)| (id, at)).collect(),
            _folder: folder,
        }
    }

    /// Asks about the facts of a language, the first of which is at `start`.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn ask(&self, tongue: &Tongue, start: usize, own_words: bool) -> Figures {
        let own = start..start + tongue.facts.len();
        let share = |count: usize| 100.0 * count as f64 / tongue.facts.len() as f64;
        let asked = |fact: &Fact| {
            if own_words { fact.asked.clone() } else { fact.asked_otherwise.clone() }
        };
        let found = |rank: &dyn Fn(&str) -> Vec<usize>| {
            let places: Vec<Option<usize>> = own
                .clone()
                .zip(&tongue.facts)
                .map(|(gold, fact)| rank(&asked(fact)).iter().position(|at| *at == gold))
                .collect();
            let within = |k: usize| places.iter().flatten().filter(|place| **place < k).count();
            Found { recall_at_1: share(within(1)), recall_at_10: share(within(BEST)) }
        };
        let is_empty = |vector: &&Vec<f32>| vector.iter().all(|value| *value == 0.0);
        Figures {
            language: tongue.language,
            own_words,
            memories: self.vectors.len(),
            dense: found(&|question| self.dense(question)),
            words: found(&|question| self.words(question)),
            fused: found(&|question| self.fused(question)),
            without_vector: share(self.vectors[own.clone()].iter().filter(is_empty).count()),
        }
    }

    fn dense(&self, question: &str) -> Vec<usize> {
        let asked = Packed::new(&self.model.vector(question, Role::Question));
        let near = |vector: &Vec<f32>| Packed::new(vector).cosine(&asked);
        let scores: Vec<f32> = self.vectors.iter().map(near).collect();
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        order.truncate(BEST);
        order
    }

    fn words(&self, question: &str) -> Vec<usize> {
        let search = Search { text: question.to_owned(), limit: BEST, ..Search::default() };
        let found = self.words.search(&search).unwrap();
        found.hits.iter().map(|hit| hit.item.id.parse().unwrap()).collect()
    }

    fn fused(&self, question: &str) -> Vec<usize> {
        let asked = Question { query: question.to_owned(), ..Question::default() };
        let recalled = recall::recall(&self.workspace, &asked, memories::request().now).unwrap();
        recalled.results.iter().map(|answer| self.ids[&answer.id]).collect()
    }
}

/// Prints figures for people.
fn print(figures: &[Figures]) {
    println!(
        "R@1 / R@10  asked in    memories          dense          words          fused  no vector"
    );
    for one in figures {
        let pair = |found: &Found| format!("{:.1} / {:.1}", found.recall_at_1, found.recall_at_10);
        println!(
            "{:<11} {:<11} {:>8} {:>14} {:>14} {:>14} {:>9.1}%",
            one.language,
            if one.own_words { "own words" } else { "other words" },
            one.memories,
            pair(&one.dense),
            pair(&one.words),
            pair(&one.fused),
            one.without_vector
        );
    }
}
