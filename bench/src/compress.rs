//! What narrow vectors cost and save: fidelity, quality of recall, time and bytes, by width.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use quipu_core::item::{Item, Kind};
use quipu_core::vector::{self, Asked, Calibration, Coarse, Packed, Width};
use quipu_embed::{Embedder as _, Role, StaticModel};
use quipu_engine::fs::RealFs;
use quipu_engine::index;
use quipu_engine::open;
use quipu_engine::recall::Question as Query;
use quipu_store::{Batch, Precision, Put, SqliteStore, Store as _};
use serde_json::{Value, json};

use crate::data::{self, Memory, Question, Space};
use crate::{memories, recall};

/// How many of the best are looked at.
const BEST: usize = 10;

/// How many memories the database has that is measured in bytes.
const MEMORIES: u16 = 20_000;

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
    let model = StaticModel::built_in().unwrap();
    let sets: Vec<Value> = data.iter().map(|path| set(path, &model)).collect();
    json!({ "sets": sets, "speed": speed(&model), "disk": disk(&model) })
}

/// What was added up over the spaces of a set.
#[derive(Default)]
struct Sums {
    memories: f64,
    questions: f64,
    cosine: BTreeMap<u8, f64>,
    overlap: BTreeMap<u8, f64>,
    dense: BTreeMap<u8, f64>,
    pairs: f64,
    preferred: BTreeMap<u8, f64>,
    fused: BTreeMap<String, f64>,
}

fn set(path: &Path, model: &StaticModel) -> Value {
    let mut sums = Sums::default();
    for space in data::read(path).values() {
        vectors(space, model, &mut sums);
        fused(space, model, &mut sums);
    }
    let share = |sum: &f64, of: f64| (sum / of * 10_000.0).round() / 100.0;
    let widths = [Width::Eight, Width::Four, Width::Two].map(|width| {
        let bits = width.bits();
        let head = if width == Width::Eight { 4 } else { 8 };
        json!({
            "bits": bits,
            "bytes": width.bytes(256) + head,
            "cosine": (sums.cosine[&bits] / sums.memories * 1e5).round() / 1e5,
            "overlap_at_10": share(&sums.overlap[&bits], sums.questions),
            "dense_recall_at_10": share(&sums.dense[&bits], sums.questions),
            "fused_recall_at_10": share(&sums.fused[&bits.to_string()], sums.questions),
            "precise_preferred": share(&sums.preferred[&bits], sums.pairs),
        })
    });
    json!({
        "set": path.file_name().map(|name| name.to_string_lossy().into_owned()),
        "widths": widths,
        "dense_recall_at_10_in_32_bits": share(&sums.dense[&32], sums.questions),
        "fused_mixed": share(&sums.fused["mixed"], sums.questions),
        "fused_made_anew": share(&sums.fused["anew"], sums.questions),
    })
}

/// As the engine embeds a turn.
pub(crate) fn told(memory: &Memory) -> String {
    match &memory.speaker {
        Some(speaker) => format!("{speaker}: {}", memory.text),
        None => memory.text.clone(),
    }
}

pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn best(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    order.truncate(BEST);
    order
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn recalled(question: &Question, found: &[&str]) -> f64 {
    let gold: BTreeSet<&str> = question.gold.iter().map(String::as_str).collect();
    let hits = found.iter().take(BEST).filter(|id| gold.contains(**id)).count();
    hits as f64 / gold.len().max(1) as f64
}

/// Fidelity of the vectors, and what they find by themselves, against numbers of 32 bits.
fn vectors(space: &Space, model: &StaticModel, sums: &mut Sums) {
    let exact: Vec<Vec<f32>> =
        space.memories.iter().map(|memory| model.vector(&told(memory), Role::Memory)).collect();
    let packed: Vec<Packed> = exact.iter().map(|vector| Packed::new(vector)).collect();
    let calibration = Calibration::new(exact[0].len(), &packed);
    let narrow = [Width::Two, Width::Four].map(|width| {
        let coarse = packed.iter().map(|it| Coarse::new(&it.unpacked(), width, &calibration));
        (width, coarse.collect::<Vec<Coarse>>())
    });
    let mut add_cosine = |bits: u8, decoded: &[f32], exact: &[f32]| {
        let lengths = (dot(decoded, decoded) * dot(exact, exact)).sqrt();
        let cosine = if lengths > 0.0 { dot(decoded, exact) / lengths } else { 1.0 };
        *sums.cosine.entry(bits).or_default() += f64::from(cosine);
    };
    for (at, exact) in exact.iter().enumerate() {
        sums.memories += 1.0;
        add_cosine(8, &packed[at].unpacked(), exact);
        for (width, coarse) in &narrow {
            add_cosine(width.bits(), &coarse[at].decoded(&calibration), exact);
        }
    }
    for question in &space.questions {
        let asked = model.vector(&question.words, Role::Question);
        let reference: Vec<f32> = exact.iter().map(|vector| dot(&asked, vector)).collect();
        let reference = best(&reference);
        let ids: Vec<&str> = reference.iter().map(|at| space.memories[*at].id.as_str()).collect();
        *sums.dense.entry(32).or_default() += recalled(question, &ids);
        let asked = Packed::new(&asked);
        let full: Vec<f32> = packed.iter().map(|vector| vector.cosine(&asked)).collect();
        let mut rankings = vec![(8, full.clone())];
        for (width, coarse) in &narrow {
            let asked = Asked::new(&asked, *width, &calibration);
            let near = coarse.iter().map(|it| asked.near(it.scale, it.error, &it.codes));
            rankings.push((width.bits(), near.collect()));
        }
        sums.questions += 1.0;
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        for (bits, scores) in rankings {
            let found = best(&scores);
            let same = found.iter().filter(|at| reference.contains(at)).count();
            *sums.overlap.entry(bits).or_default() += same as f64 / reference.len() as f64;
            let ids: Vec<&str> = found.iter().map(|at| space.memories[*at].id.as_str()).collect();
            *sums.dense.entry(bits).or_default() += recalled(question, &ids);
            let preferred = reference.iter().filter(|at| scores[**at] < full[**at]).count();
            *sums.preferred.entry(bits).or_default() += preferred as f64;
        }
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        {
            sums.pairs += reference.len() as f64;
        }
    }
}

/// Says which width an item should have.
type Rule<'a> = &'a dyn Fn(&str) -> Width;

/// Widths by rule; the texts are at hand.
struct By<'a> {
    model: &'a StaticModel,
    width: Rule<'a>,
    texts: BTreeMap<String, String>,
}

impl Precision for By<'_> {
    fn width(&mut self, id: &str) -> Width {
        (self.width)(id)
    }

    fn fresh(&mut self, ids: &[String]) -> Vec<Option<Vec<Packed>>> {
        let made = |text: &String| vec![Packed::new(&self.model.vector(text, Role::Memory))];
        ids.iter().map(|id| self.texts.get(id).map(made)).collect()
    }
}

/// Quality of recall with all channels, through the engine.
fn fused(space: &Space, model: &StaticModel, sums: &mut Sums) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
    let ids = recall::ingest_space(&workspace, space);
    let index: BTreeMap<&str, &str> =
        ids.iter().zip(&space.memories).map(|(id, it)| (id.as_str(), it.id.as_str())).collect();
    let newest = space.memories.iter().filter_map(|memory| memory.time.as_deref());
    let newest = newest.map(data::time).max().unwrap_or_default();
    let mut ask = |name: &str| {
        for question in &space.questions {
            let query =
                Query { query: question.words.clone(), count: Some(50), ..Query::default() };
            let now = question.time.as_deref().map_or(newest, data::time);
            let answer = quipu_engine::recall::recall(&workspace, &query, now).unwrap();
            let with = |id: &String| index.get(id.as_str()).copied();
            let found: Vec<&str> = answer
                .results
                .iter()
                .flat_map(|result| std::iter::once(&result.id).chain(&result.same))
                .filter_map(with)
                .collect();
            *sums.fused.entry(name.to_owned()).or_default() += recalled(question, &found);
        }
    };
    ask("8");
    let mut store = SqliteStore::open(&index::database(&workspace)).unwrap();
    let texts = || ids.iter().cloned().zip(space.memories.iter().map(told)).collect();
    let third = |id: &str| Width::ALL[ids.iter().position(|it| it == id).unwrap_or(0) % 3];
    let steps: [(&str, Rule<'_>); 4] = [
        ("4", &|_| Width::Four),
        ("2", &|_| Width::Two),
        ("mixed", &third),
        ("anew", &|_| Width::Eight),
    ];
    for (name, width) in steps {
        let done = store.compress(model.id(), &mut By { model, width, texts: texts() }).unwrap();
        assert!(done.has_changed() && done.missing == 0, "{name}: {done:?}");
        ask(name);
    }
}

/// Nanoseconds a vector: the nearness that counts the error, beside the bare cosine.
fn speed(model: &StaticModel) -> Value {
    let texts = memories::texts(MEMORIES.into());
    let packed: Vec<Packed> =
        texts.iter().map(|text| Packed::new(&model.vector(text, Role::Memory))).collect();
    let question = Packed::new(&model.vector(&texts[7], Role::Question));
    let calibration = Calibration::new(question.values.len(), &packed);
    let values: Vec<i8> = packed.iter().flat_map(|it| it.values.iter().copied()).collect();
    let wide = question.widened();
    let mut full = || {
        let rows = values.chunks_exact(wide.len()).zip(&packed);
        let near = rows.map(|(row, it)| it.scale * question.scale * vector::dot(row, &wide));
        black_box(near.fold(0.0, f32::max));
    };
    let mut figures = json!({});
    for width in [Width::Four, Width::Two] {
        let started = Instant::now();
        let coarse: Vec<Coarse> =
            packed.iter().map(|it| Coarse::new(&it.unpacked(), width, &calibration)).collect();
        let packing = started.elapsed().as_secs_f64() * 1e6 / f64::from(MEMORIES);
        // Side by side, as they are in the index.
        let codes: Vec<u8> = coarse.iter().flat_map(|it| it.codes.iter().copied()).collect();
        let heads: Vec<(f32, f32)> = coarse.iter().map(|it| (it.scale, it.error)).collect();
        let asked = Asked::new(&question, width, &calibration);
        let rows = || codes.chunks_exact(coarse[0].codes.len()).zip(&heads);
        let mut cosine = || {
            let near = rows().map(|(row, (scale, _))| asked.product(*scale, row));
            black_box(near.fold(0.0, f32::max));
        };
        let mut near = || {
            let near = rows().map(|(row, (scale, error))| asked.near(*scale, *error, row));
            black_box(near.fold(0.0, f32::max));
        };
        let [full, cosine, near] = nanoseconds([&mut full, &mut cosine, &mut near]);
        figures["cosine_8_ns"] = json!(full);
        figures[format!("bits_{}", width.bits())] = json!({
            "cosine_ns": cosine,
            "frqad_ns": near,
            "frqad_times_cosine": (near / cosine * 100.0).round() / 100.0,
            "packing_us": (packing * 10.0).round() / 10.0,
        });
    }
    figures
}

/// Returns the median time for one vector of passes over all of them, run in turn.
fn nanoseconds<const N: usize>(mut passes: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..51 {
        for (pass, times) in passes.iter_mut().zip(&mut times) {
            let started = Instant::now();
            pass();
            times.push(started.elapsed().as_secs_f64() * 1e9 / f64::from(MEMORIES));
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        (times[times.len() / 2] * 10.0).round() / 10.0
    })
}

/// Bytes of a database before and after.
fn disk(model: &StaticModel) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("q.db")).unwrap();
    let texts = memories::texts(MEMORIES.into());
    for (part, texts) in texts.chunks(2_000).enumerate() {
        let put = texts.iter().enumerate().map(|(at, text)| {
            let id = format!("m{part}-{at}");
            let item = Item::new(id, Kind::Record, text.clone(), Timestamp::UNIX_EPOCH);
            Put::new(item, None, vec![Packed::new(&model.vector(text, Role::Memory))])
        });
        let model = model.id().to_owned();
        store.apply(&Batch { model, put: put.collect(), ..Batch::default() }).unwrap();
    }
    let mut figures = Vec::new();
    for width in [Width::Eight, Width::Four, Width::Two] {
        let started = Instant::now();
        let mut by = By { model, width: &|_| width, texts: BTreeMap::new() };
        store.compress(model.id(), &mut by).unwrap();
        let seconds = started.elapsed().as_secs_f64();
        assert!(store.shrink().unwrap());
        let counts = store.counts(model.id()).unwrap();
        assert_eq!(counts.precision.of(width), usize::from(MEMORIES));
        figures.push(json!({
            "bits": width.bits(),
            "memories": MEMORIES,
            "database_bytes": counts.bytes,
            "vector_bytes": counts.vector_bytes,
            "seconds": (seconds * 100.0).round() / 100.0,
        }));
    }
    figures.into()
}

/// Prints the figures as tables.
fn print(figures: &Value) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for set in list(&figures["sets"]) {
        println!("{}", set["set"].as_str().unwrap());
        println!("  bits  bytes   cosine  overlap@10  dense R@10  fused R@10  precise preferred");
        for width in list(&set["widths"]) {
            let [bits, bytes, cosine, overlap, dense, fused, preferred] = [
                "bits",
                "bytes",
                "cosine",
                "overlap_at_10",
                "dense_recall_at_10",
                "fused_recall_at_10",
                "precise_preferred",
            ]
            .map(|key| width[key].to_string());
            println!(
                "  {bits:>4}  {bytes:>5}  {cosine:>7}  {overlap:>10}  {dense:>10}  {fused:>10}  \
                 {preferred:>17}"
            );
        }
        println!(
            "  32 bits: dense R@10 {}; a third of each width: fused R@10 {}; all made anew: {}",
            set["dense_recall_at_10_in_32_bits"], set["fused_mixed"], set["fused_made_anew"]
        );
    }
    println!("time a vector: cosine in 8 bits {} ns", figures["speed"]["cosine_8_ns"]);
    for (name, what) in [("bits_4", "4 bits"), ("bits_2", "2 bits")] {
        let one = &figures["speed"][name];
        println!(
            "  {what}: cosine {} ns, FRQAD {} ns: {} times",
            one["cosine_ns"], one["frqad_ns"], one["frqad_times_cosine"]
        );
    }
    for width in list(&figures["disk"]) {
        println!(
            "{} memories in {} bits: database {} KiB, vectors {} KiB, {} s",
            width["memories"],
            width["bits"],
            width["database_bytes"].as_u64().unwrap() / 1024,
            width["vector_bytes"].as_u64().unwrap() / 1024,
            width["seconds"],
        );
    }
}
