//! The built-in table by itself: how fast it is, what its first use costs, and what the beginning of
//! a vector finds.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use quipu_embed::{Embedder as _, Role, StaticModel};
use quipu_testkit::languages::{self, Tongue};
use serde_json::{Value, json};

use crate::compress::{best, dot, recalled, told};
use crate::data;
use crate::recall::bootstrap;

/// How many dimensions of a vector are looked at.
const PREFIXES: [usize; 4] = [64, 128, 192, 256];

/// How often all texts are embedded; the median counts.
const ROUNDS: usize = 51;

/// Measures, and prints figures for people or as JSON.
pub(crate) fn report(data: &[PathBuf], json: bool) {
    let figures = measure(data);
    if json {
        println!("{figures:#}");
    } else {
        print(&figures);
    }
}

/// Measures everything.
fn measure(data: &[PathBuf]) -> Value {
    // Before anything else has touched the table.
    let started = Instant::now();
    let model = StaticModel::built_in().unwrap();
    let opened = microseconds(started);
    black_box(model.vector("What is the first thing that is asked?", Role::Question));
    let first = microseconds(started);
    let sets: Vec<Value> = data.iter().map(|path| set(path, &model)).collect();
    json!({
        "model": model.id(),
        "bytes": StaticModel::BYTES,
        "opened_us": opened,
        "opened_and_first_vector_us": first,
        "speed": languages::parallel().iter().map(|it| speed(it, &model)).collect::<Vec<Value>>(),
        "sets": sets,
    })
}

fn microseconds(since: Instant) -> f64 {
    rounded(since.elapsed().as_secs_f64() * 1e6)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Facts and questions of one language, one after the other on one core.
fn speed(tongue: &Tongue, model: &StaticModel) -> Value {
    let told: Vec<&str> = tongue.facts.iter().map(|fact| fact.told.as_str()).collect();
    let asked: Vec<&str> = tongue.facts.iter().map(|fact| fact.asked.as_str()).collect();
    let memory = seconds_each(&told, |text| model.vector(text, Role::Memory));
    let question = seconds_each(&asked, |text| model.vector(text, Role::Question));
    let bytes: usize = told.iter().map(|text| text.len()).sum();
    json!({
        "language": tongue.language,
        "mean_bytes": bytes / told.len(),
        "texts_per_second": (1.0 / memory).round(),
        "question_us": rounded(question * 1e6),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a mean")]
fn seconds_each(texts: &[&str], embed: impl Fn(&str) -> Vec<f32>) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            for text in texts {
                black_box(embed(black_box(text)));
            }
            started.elapsed().as_secs_f64() / texts.len() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// What vectors cut after some dimensions find by themselves.
#[expect(clippy::cast_precision_loss, reason = "a mean")]
fn set(path: &Path, model: &StaticModel) -> Value {
    let mut found = [const { Vec::new() }; PREFIXES.len()];
    for space in data::read(path).values() {
        let memories: Vec<Vec<f32>> =
            space.memories.iter().map(|memory| model.vector(&told(memory), Role::Memory)).collect();
        for question in &space.questions {
            let asked = model.vector(&question.words, Role::Question);
            for (dims, found) in PREFIXES.into_iter().zip(&mut found) {
                let scores: Vec<f32> =
                    memories.iter().map(|memory| cosine(&memory[..dims], &asked[..dims])).collect();
                let best = best(&scores);
                let ids: Vec<&str> =
                    best.iter().map(|at| space.memories[*at].id.as_str()).collect();
                found.push(100.0 * recalled(question, &ids));
            }
        }
    }
    let prefixes = PREFIXES.into_iter().zip(&found).map(|(dims, found)| {
        let mean = found.iter().sum::<f64>() / found.len().max(1) as f64;
        json!({
            "dimensions": dims,
            "recall_at_10": rounded(mean),
            "recall_at_10_interval": bootstrap(found).map(rounded),
        })
    });
    json!({
        "set": path.file_name().map(|name| name.to_string_lossy().into_owned()),
        "prefixes": prefixes.collect::<Vec<Value>>(),
    })
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}

/// Prints the figures as tables.
fn print(figures: &Value) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    println!(
        "{}: {} bytes; opened in {} us, with the first vector {} us",
        figures["model"].as_str().unwrap(),
        figures["bytes"],
        figures["opened_us"],
        figures["opened_and_first_vector_us"]
    );
    for one in list(&figures["speed"]) {
        println!(
            "{:<10} texts of {} bytes: {:.0} a second; {} us a question",
            one["language"].as_str().unwrap(),
            one["mean_bytes"],
            one["texts_per_second"].as_f64().unwrap(),
            one["question_us"]
        );
    }
    for set in list(&figures["sets"]) {
        println!("{}", set["set"].as_str().unwrap());
        for prefix in list(&set["prefixes"]) {
            let [low, high] = [0, 1].map(|at| &prefix["recall_at_10_interval"][at]);
            println!(
                "  first {:>3} dimensions: dense R@10 {} ({low} to {high})",
                prefix["dimensions"].as_u64().unwrap(),
                prefix["recall_at_10"]
            );
        }
    }
}
