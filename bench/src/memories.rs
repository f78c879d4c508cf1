//! Remember and recall against a bare program on the same disk in the same run.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use quipu_engine::fs::RealFs;
use quipu_engine::open;
use quipu_engine::operation::Request;
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use serde_json::{Value, json};

use crate::bare::Bare;
use crate::speed::{binary, median, milliseconds, process, ratio};

/// How many questions are asked of each size.
const QUESTIONS: usize = 200;

/// How many single memories are written.
const SINGLES: usize = 300;

/// Measures one size.
pub(crate) fn measure(count: usize, runs: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let texts = texts(count + SINGLES);
    let (bulk, singles) = texts.split_at(count);
    let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
    std::fs::create_dir_all(folder.path().join("memory")).unwrap();
    // The command line looks for a memory to work on.
    std::fs::write(folder.path().join("memory/continuity.md"), "# Continuity\n").unwrap();
    let mut bare = Bare::open(folder.path());

    let started = Instant::now();
    for part in bulk.chunks(10_000) {
        let new: Vec<NewMemory> = part.iter().map(|text| told(text)).collect();
        remember::remember(&workspace, &new, &request()).unwrap();
    }
    let import = started.elapsed();
    let started = Instant::now();
    bulk.chunks(10_000).for_each(|part| bare.import(part));
    let bare_import = started.elapsed();

    let mut remember = Vec::new();
    let mut bare_remember = Vec::new();
    for text in singles {
        bare_remember.push(timed(|| bare.remember(text)));
        remember.push(timed(|| {
            remember::remember(&workspace, &[told(text)], &request()).unwrap();
        }));
    }

    let questions = questions(bulk);
    let mut recall = Vec::new();
    let mut bare_recall = Vec::new();
    let mut found = 0;
    for (question, answer) in &questions {
        bare_recall.push(timed(|| drop(bare.recall(question))));
        let asked = Question { query: question.clone(), ..Question::default() };
        recall.push(timed(|| {
            let recalled = recall::recall(&workspace, &asked, request().now).unwrap();
            found += usize::from(recalled.results.iter().any(|result| result.text == *answer));
        }));
    }
    drop(bare);
    let (fresh, bare_fresh) = processes(folder.path(), &questions, runs);
    let resident = resident(folder.path(), &questions[0].0);
    let (remember, bare_remember) = (median(remember), median(bare_remember));
    let p95 = percentile(&recall, 95);
    let (recall, bare_recall) = (median(recall), median(bare_recall));
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let per_second = |time: Duration| (count as f64 / time.as_secs_f64()).round();
    json!({
        "memories": count,
        "found_of_200": found,
        "import_per_second": per_second(import),
        "bare_import_per_second": per_second(bare_import),
        "remember_ms": milliseconds(remember),
        "bare_remember_ms": milliseconds(bare_remember),
        "remember_times_bare": ratio(remember, bare_remember),
        "recall_ms": milliseconds(recall),
        "recall_p95_ms": milliseconds(p95),
        "bare_recall_ms": milliseconds(bare_recall),
        "recall_times_bare": ratio(recall, bare_recall),
        "fresh_process_ms": milliseconds(fresh),
        "bare_process_ms": milliseconds(bare_fresh),
        "fresh_process_times_bare": ratio(fresh, bare_fresh),
        "resident_mb": resident,
    })
}

/// Fills a workspace with generated memories; returns their texts.
pub(crate) fn fill(root: &Path, count: usize) -> Vec<String> {
    let workspace = open::at(Arc::new(RealFs), root).unwrap();
    std::fs::create_dir_all(root.join("memory")).unwrap();
    std::fs::write(root.join("memory/continuity.md"), "# Continuity\n").unwrap();
    let texts = texts(count);
    for part in texts.chunks(10_000) {
        let new: Vec<NewMemory> = part.iter().map(|text| told(text)).collect();
        remember::remember(&workspace, &new, &request()).unwrap();
    }
    texts
}

pub(crate) fn told(text: &str) -> NewMemory {
    NewMemory { text: text.to_owned(), allow_secret: true, ..NewMemory::default() }
}

pub(crate) fn request() -> Request<'static> {
    let now: Timestamp = "2026-06-20T10:00:00Z".parse().unwrap();
    Request {
        caller: quipu_engine::caller::Caller::PERSON,
        operation: "remember",
        now,
        today: jiff::civil::Date::constant(2026, 6, 20),
        session: Some("bench"),
        dry_run: false,
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// A fresh process for each question: ours, and one that opens the database and asks FTS5.
fn processes(folder: &Path, questions: &[(String, String)], runs: usize) -> (Duration, Duration) {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let this = std::env::current_exe().unwrap();
    for (question, _) in questions.iter().cycle().take(runs) {
        bare.push(process(Command::new(&this).arg("bare").arg(folder).arg(question)));
        ours.push(process(
            Command::new(binary()).arg("-C").arg(folder).args(["recall", "--json"]).arg(question),
        ));
    }
    (median(ours), median(bare))
}

/// The most memory that a fresh recall holds, in megabytes, as the kernel counts it.
fn resident(folder: &Path, question: &str) -> Value {
    let script = "import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(binary())
        .arg("-C")
        .arg(folder)
        .args(["recall", "--json", question])
        .output();
    let kilobytes: Option<f64> =
        output.ok().and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse().ok());
    json!(kilobytes.map(|kilobytes| (kilobytes / 102.4).round() / 10.0))
}

/// Sentences of words that are as unevenly common as those of a language.
pub(crate) fn texts(count: usize) -> Vec<String> {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count)
        .map(|_| {
            let length = 12 + next() % 20;
            let words: Vec<String> = (0..length).map(|_| word(next())).collect();
            words.join(" ")
        })
        .collect()
}

/// Zipf: the square of an even number, over 30,000 words.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "which word it is need not be exact"
)]
pub(crate) fn word(random: u64) -> String {
    const SYLLABLES: [&str; 32] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
        "ta", "ve", "wi", "xo", "yu", "za", "bre", "cli", "dro", "flu", "gra", "ple", "sti", "tro",
        "spu", "cha", "she",
    ];
    let even = (random >> 11) as f64 / (1_u64 << 53) as f64;
    let mut rank = (even.powi(4) * 30_000.0) as usize;
    let mut word = String::new();
    for _ in 0..3 {
        word.push_str(SYLLABLES[rank % 32]);
        rank /= 32;
    }
    word
}

/// Six words of a memory, which is the answer.
pub(crate) fn questions(texts: &[String]) -> Vec<(String, String)> {
    let step = (texts.len() / QUESTIONS).max(1);
    let ask = |text: &String| {
        let words: Vec<&str> = text.split(' ').collect();
        let some: Vec<&str> = words.iter().step_by(words.len().div_ceil(6)).copied().collect();
        (some.join(" "), text.clone())
    };
    texts.iter().step_by(step).take(QUESTIONS).map(ask).collect()
}
