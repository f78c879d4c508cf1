//! The same facts in ten languages: what the table finds alone, what words find alone, and both as
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

/// How often the answer is first, among the first five, and among the first ten, in per cent.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Found {
    first: f64,
    among_five: f64,
    among_ten: f64,
}

/// How often a question of one language finds the memory in another among the first five, in per cent.
#[derive(Debug, Serialize)]
struct Across {
    asked_in: &'static str,
    told_in: &'static str,
    among_five: f64,
}

/// Everything that is measured.
#[derive(Debug, Serialize)]
struct Measured {
    tongues: Vec<Figures>,
    /// Questions in the words of a fact that is told in another language alone.
    across: Vec<Across>,
    /// The sentences that no template made, all languages side by side.
    free: Found,
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
fn measure() -> Measured {
    let tongues = languages::parallel();
    let (mut figures, mut across) = (Vec::new(), Vec::new());
    for tongue in &tongues {
        let told: Vec<&str> = tongue.facts.iter().map(|fact| fact.told.as_str()).collect();
        let corpus = Corpus::new(&told);
        figures.extend([true, false].map(|own_words| corpus.ask(tongue, 0, own_words)));
        for other in tongues.iter().filter(|other| other.language != tongue.language) {
            across.push(Across {
                asked_in: other.language,
                told_in: tongue.language,
                among_five: corpus.across(other),
            });
        }
    }
    let all = tongues.iter().flat_map(|tongue| &tongue.facts);
    let all: Vec<&str> = all.map(|fact| fact.told.as_str()).collect();
    let corpus = Corpus::new(&all);
    let mut start = 0;
    for tongue in &tongues {
        figures.extend([true, false].map(|own_words| corpus.ask(tongue, start, own_words)));
        start += tongue.facts.len();
    }
    Measured { tongues: figures, across, free: free() }
}

/// Asks for each sentence that no template made.
fn free() -> Found {
    let free = languages::free();
    let told: Vec<&str> = free.iter().map(|(_, told, _)| *told).collect();
    let corpus = Corpus::new(&told);
    let places: Vec<Option<usize>> = free
        .iter()
        .enumerate()
        .map(|(gold, (.., asked))| corpus.fused(asked).iter().position(|at| *at == gold))
        .collect();
    Found::of(&places)
}

impl Found {
    /// Counts how many places are among the first.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn of(places: &[Option<usize>]) -> Self {
        let share = |k: usize| {
            let within = places.iter().flatten().filter(|place| **place < k).count();
            100.0 * within as f64 / places.len() as f64
        };
        Self { first: share(1), among_five: share(5), among_ten: share(BEST) }
    }
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
            Found::of(&places)
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

    /// Asks the questions of another language about the facts, which are in the same order; returns the share that
    /// is among the first five.
    fn across(&self, asked: &Tongue) -> f64 {
        let places: Vec<Option<usize>> = asked
            .facts
            .iter()
            .enumerate()
            .map(|(gold, fact)| self.fused(&fact.asked).iter().position(|at| *at == gold))
            .collect();
        Found::of(&places).among_five
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
fn print(measured: &Measured) {
    println!(
        "R@1 / 5 / 10 asked in   memories              dense              words              fused  no vector"
    );
    let places = |found: &Found| {
        format!("{:.1} / {:.1} / {:.1}", found.first, found.among_five, found.among_ten)
    };
    for one in &measured.tongues {
        println!(
            "{:<11} {:<11} {:>8} {:>18} {:>18} {:>18} {:>9.1}%",
            one.language,
            if one.own_words { "own words" } else { "other words" },
            one.memories,
            places(&one.dense),
            places(&one.words),
            places(&one.fused),
            one.without_vector
        );
    }
    println!(
        "\nsentences that no template made, all languages side by side: {}",
        places(&measured.free)
    );
    println!("\nR@5 of a question in one language for a fact told in another alone");
    let told: Vec<&str> = measured.across.iter().map(|one| one.told_in).collect();
    for language in told.iter().collect::<std::collections::BTreeSet<_>>() {
        let of = measured.across.iter().filter(|one| one.told_in == *language);
        let shares: Vec<String> =
            of.map(|one| format!("{} {:.0}", one.asked_in, one.among_five)).collect();
        println!("told in {language:<11} {}", shares.join(", "));
    }
}
