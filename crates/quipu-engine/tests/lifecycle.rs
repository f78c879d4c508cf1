//! How memories live: the numbers are those of engram 0.5.2, except where docs/life.md differs.

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::{Item, Kind, Layer, Source};
use quipu_core::lifecycle::{self, Decay, Settings, Usage};
use quipu_engine::remember::NewMemory;
use quipu_engine::{index, numbers};
use quipu_testkit::memories::{remember, told};
use quipu_testkit::repo::{ago, now, request};
use quipu_testkit::{TestRepo, corpora};
use serde_json::Value;

fn golden(test: &str) -> Vec<Value> {
    corpora::golden(test, "lifecycle.json", "engram-golden.json")
}

fn mode(retention: Decay) -> Settings {
    Settings { retention, ..Settings::default() }
}

/// The original's eight terms, and its weaker decay by trust.
fn original(retention: Decay) -> Settings {
    Settings {
        retention,
        trust_decay: 2.0,
        weight_base: 0.25,
        weight_access: 0.12,
        weight_recency: 0.12,
        weight_valence: 0.08,
        weight_stability: 0.08,
        weight_layer: 0.15,
        weight_trust: 0.10,
        weight_confirmations: 0.10,
        weight_activation: 0.0,
        ..Settings::default()
    }
}

/// Returns the importance with the original's stability and recency in place of ours: its stability is
/// greatest for a burst, and its recency does not know who is trusted.
fn as_the_original(item: &Item, usage: &Usage, settings: &Settings) -> f64 {
    let days = |from: Timestamp, to: Timestamp| to.duration_since(from).as_secs_f64() / 86_400.0;
    let last = usage.accesses.iter().copied().max().map_or(item.time, |last| last.max(item.time));
    #[expect(clippy::cast_precision_loss, reason = "few uses")]
    let uses = usage.accesses.len() as f64;
    let stability = (uses / (days(item.time, last).max(1.0) + 1.0)).min(1.0);
    let recency = (-0.693 * days(last, now()).max(0.0) / 30.0).exp();
    let terms = lifecycle::importance(item, usage, now(), settings).terms;
    let parts = terms.iter().map(|term| match term.name {
        "stability" => stability * term.weight,
        "recency" => recency * term.weight,
        _ => term.part,
    });
    parts.sum::<f64>().clamp(0.0, 1.0)
}

const MODES: [(Decay, &str); 3] =
    [(Decay::L2, "l2"), (Decay::Huber, "huber"), (Decay::Elastic, "elastic")];

#[test]
fn golden_retention_curves() {
    for golden in golden("golden_retention_curves") {
        for case in golden["retention"].as_array().unwrap() {
            let t = case["age"].as_f64().unwrap() / case["hl"].as_f64().unwrap();
            for (decay, name) in MODES {
                let found = lifecycle::decayed(t, &mode(decay));
                assert!((found - case[name].as_f64().unwrap()).abs() < 1e-12, "{name} {case}");
            }
        }
    }
}

#[test]
fn golden_surprise() {
    for golden in golden("golden_surprise") {
        for case in golden["surprise_sigmoid"].as_array().unwrap() {
            let (surprise, modifier) = lifecycle::surprise(case["mean_dist"].as_f64());
            assert!((surprise - case["surprise"].as_f64().unwrap()).abs() < 1e-12, "{case}");
            assert!((modifier - case["modifier"].as_f64().unwrap()).abs() < 1e-12, "{case}");
        }
    }
}

#[test]
fn golden_lifecycle_cases() {
    for golden in golden("golden_lifecycle_cases") {
        let mut compared = 0;
        for case in golden["lifecycle_cases"].as_array().unwrap() {
            let days = |key: &str| -> Timestamp {
                #[expect(clippy::cast_possible_truncation, reason = "milliseconds of some years")]
                let milliseconds = (case[key].as_f64().unwrap() * 86_400_000.0).round() as i64;
                now().checked_sub(SignedDuration::from_millis(milliseconds)).unwrap()
            };
            let Some(layer) = Layer::named(case["layer"].as_str().unwrap()) else { continue };
            let source = match case["source"].as_str().unwrap() {
                "remember:human" => Source::Human,
                "remember:ai" => Source::Ai,
                "interaction" => Source::Interaction,
                "ingest" => Source::Ingest,
                "code_scan" => Source::CodeScan,
                "dream" => Source::Dream,
                _ => continue,
            };
            let uses = usize::try_from(case["access"].as_u64().unwrap()).unwrap();
            let mut item = Item::new("m", Kind::Record, "words", days("created_age_d"));
            (item.layer, item.source) = (layer, source);
            #[expect(clippy::cast_possible_truncation, reason = "four digits")]
            {
                item.importance = case["importance"].as_f64().unwrap() as f32;
                item.valence = case["valence"].as_f64().unwrap() as f32;
            }
            item.pinned = case["meta"]["pinned"] == true;
            let confirmations = case["meta"]["confirmations"].as_u64().unwrap_or(0);
            let usage = Usage {
                accesses: vec![days("last_age_d"); uses],
                confirmations: u32::try_from(confirmations).unwrap(),
            };
            // The original notes a last access also where it counts none.
            let touched = Item { time: days("last_age_d"), ..item.clone() };
            let basis = if uses == 0 { &touched } else { &item };
            let settings = original(Decay::Huber);
            let importance = as_the_original(basis, &usage, &settings);
            let expected = case["importance_score"].as_f64().unwrap();
            assert!((importance - expected).abs() < 1e-4, "{importance}: {case}");
            for (decay, name) in MODES {
                let found = lifecycle::retention(basis, &usage, now(), &original(decay)).value;
                if matches!(layer, Layer::Working | Layer::Episodic) {
                    let expected = case[format!("ret_{name}")].as_f64().unwrap();
                    assert!((found - expected).abs() < 1e-6, "{name} {found}: {case}");
                } else {
                    // Exception: knowledge, procedures and code do not fade.
                    assert!((found - 1.0).abs() < 1e-12, "{case}");
                }
            }
            // The original asks what it stored, which is the base before it first recomputes.
            let stored = case["importance"].as_f64().unwrap();
            let promoted = lifecycle::promotion(&item, &usage, stored, now());
            assert_eq!(promoted.map(Layer::as_str), case["promote"].as_str(), "{case}");
            let left = lifecycle::retention(basis, &usage, now(), &settings).value;
            let archived =
                lifecycle::may_be_archived(&item, &usage, (left, stored), (now(), &settings));
            // Exception: code is never put away.
            // Exception: 90 days since the last use, and not since it was made.
            let is_too_soon = uses > 0 && case["last_age_d"].as_f64().unwrap() <= 90.0;
            let is_expected = case["forget"] == archived
                || (!archived && (layer == Layer::Codebase || is_too_soon));
            assert!(is_expected, "{archived}: {case}");
            compared += 1;
        }
        assert!(compared > 40, "only {compared} cases were understood");
    }
}

#[test]
fn numbers_explain_themselves_and_use_keeps_a_memory() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let old = quipu_engine::operation::Request { now: ago(40), ..request("remember") };
    let told = NewMemory { source: Some(Source::Ingest), ..told("the import runs at night") };
    let id = quipu_engine::remember::remember(&workspace, &[told], &old).unwrap().ids.remove(0);
    let before = numbers::numbers(&workspace, &id, now()).unwrap();
    assert!(before.retention.value < 1e-9, "10 days of half-life, 40 days old: {before:?}");
    assert_eq!(before.retention.half_life_days, Some(10.0));
    let sum: f64 = before.importance.terms.iter().map(|term| term.part).sum();
    assert!((sum - before.importance.value).abs() < 1e-12);
    index::note_access(&workspace, &id, ago(1));
    let after = numbers::numbers(&workspace, &id, now()).unwrap();
    assert!(after.retention.value > 0.9 && after.importance.value > before.importance.value);
    // What a person learned and calls a lesson does not fade.
    let lesson =
        NewMemory { category: "learned".to_owned(), ..quipu_testkit::memories::told("a lesson") };
    let lesson =
        quipu_engine::remember::remember(&workspace, &[lesson], &old).unwrap().ids.remove(0);
    assert!(
        (numbers::numbers(&workspace, &lesson, now()).unwrap().retention.value - 1.0).abs() < 1e-12
    );
}

#[test]
fn a_curve_goes_through_now_and_tells_when_it_fades() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "a thought of today");
    let curve = numbers::curve(&workspace, &id, None, 90, now()).unwrap();
    assert!((curve.now - 1.0).abs() < 1e-9);
    assert!(curve.points.windows(2).all(|pair| pair[1].1 <= pair[0].1), "it only falls");
    let faded = curve.fades_in_days.unwrap();
    // The line of Huber's curve meets 0.15 a little before 1.7 half-lives.
    assert!((45.0..55.0).contains(&faded), "{faded}");
    let slower = numbers::curve(&workspace, &id, Some(Decay::L2), 90, now()).unwrap();
    assert!(slower.fades_in_days.unwrap() > faded);
}
