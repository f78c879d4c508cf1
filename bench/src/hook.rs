//! Hooks: which memories a prompt brings along, how long that takes beside a bare process, and what many
//! starts leave behind.

mod prompts;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quipu_core::hook::relevance::{self, Evidence};
use quipu_engine::fs::RealFs;
use quipu_engine::open;
use quipu_engine::recall;
use quipu_engine::recall::Question as Asked;
use serde_json::{Value, json};

use self::prompts::CHORES;
use crate::bare::Bare;
use crate::data::{self, Question, Space};
use crate::memories;
use crate::recall::ingest_space;
use crate::speed::{binary, milliseconds, process, ratio};

/// How many memories a prompt brings along at most.
const GIVEN: usize = 3;

/// Of the questions of other spaces every so many is asked in the wrong place.
const STRIDE: usize = 7;

const THRESHOLDS: [f32; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// A memory that was found for a prompt.
struct Found {
    confidence: f32,
    is_gold: bool,
    is_near_gold: bool,
}

/// A prompt and what was found for it.
struct Asking {
    set: String,
    /// `own`, `other` or `chore`.
    kind: &'static str,
    found: Vec<Found>,
}

/// Measures which prompts bring which memories along, by threshold.
fn quality(sets: &[PathBuf]) -> Value {
    let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
    let all: Vec<(String, BTreeMap<String, Space>)> =
        sets.iter().map(|path| (name(path).unwrap_or_default(), data::read(path))).collect();
    let every: Vec<&Question> =
        all.iter().flat_map(|(_, spaces)| spaces.values().flat_map(|s| &s.questions)).collect();
    let mut asked = Vec::new();
    for (set, spaces) in &all {
        for (name, space) in spaces {
            asked.extend(ask_space(set, name, space, &every));
        }
    }
    let rows: Vec<Value> = THRESHOLDS.iter().map(|threshold| row(&asked, *threshold)).collect();
    json!({ "prompts": asked.len(), "thresholds": rows })
}

fn ask_space(set: &str, name: &str, space: &Space, every: &[&Question]) -> Vec<Asking> {
    let folder = tempfile::tempdir().unwrap();
    let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
    let ids = ingest_space(&workspace, space);
    let index: BTreeMap<&str, usize> =
        ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let newest = space.memories.iter().filter_map(|memory| memory.time.as_deref());
    let newest = newest.map(data::time).max().unwrap_or_default();
    let own =
        space.questions.iter().map(|question| ("own", question.words.as_str(), Some(question)));
    let others = every.iter().filter(|question| question.space != *name).step_by(STRIDE);
    let others = others.map(|question| ("other", question.words.as_str(), None));
    let chores = CHORES.iter().map(|prompt| ("chore", *prompt, None));
    let mut asked = Vec::new();
    for (kind, words, question) in own.chain(others).chain(chores) {
        let mut asking = Asking { set: set.to_owned(), kind, found: Vec::new() };
        if relevance::asks_for_something(words) {
            let asks = Asked { query: words.to_owned(), count: Some(GIVEN), ..Asked::default() };
            for answer in recall::recall(&workspace, &asks, newest).unwrap().results {
                let memory = &space.memories[index[answer.id.as_str()]];
                let evidence = Evidence {
                    cosine: answer.why.cosine,
                    coverage: answer.why.coverage,
                    rare_words: answer.why.rare_words,
                };
                asking.found.push(Found {
                    confidence: evidence.confidence(),
                    is_gold: question.is_some_and(|q| q.gold.contains(&memory.id)),
                    is_near_gold: question
                        .is_some_and(|q| q.gold_sessions.contains(&memory.session)),
                });
            }
        }
        asked.push(asking);
    }
    asked
}

#[expect(clippy::cast_precision_loss, reason = "shares")]
fn row(asked: &[Asking], threshold: f32) -> Value {
    let given = |asking: &Asking| -> Vec<usize> {
        let sure = |at: &usize| asking.found[*at].confidence >= threshold;
        (0..asking.found.len()).filter(sure).collect()
    };
    let percent =
        |part: usize, whole: usize| (1000.0 * part as f64 / whole.max(1) as f64).round() / 10.0;
    let own: Vec<&Asking> = asked.iter().filter(|asking| asking.kind == "own").collect();
    let all: Vec<&Found> =
        own.iter().flat_map(|one| given(one).into_iter().map(|at| &one.found[at])).collect();
    let answered =
        own.iter().filter(|one| given(one).into_iter().any(|at| one.found[at].is_gold)).count();
    let mut spoken: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for asking in asked {
        let counts = spoken.entry(format!("{} {}", asking.set, asking.kind)).or_default();
        counts.0 += usize::from(!given(asking).is_empty());
        counts.1 += 1;
    }
    let spoken: BTreeMap<String, f64> =
        spoken.into_iter().map(|(key, (spoke, whole))| (key, percent(spoke, whole))).collect();
    json!({
        "threshold": format!("{threshold:.1}"),
        "questions_with_an_answer": percent(answered, own.len()),
        "precision": percent(all.iter().filter(|found| found.is_gold).count(), all.len()),
        "precision_session": percent(all.iter().filter(|found| found.is_near_gold).count(), all.len()),
        "spoke": spoken,
    })
}

/// Measures fresh processes over generated memories: ours, and one that opens a database and asks FTS5.
fn speed(count: usize, runs: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let texts = memories::fill(root, count);
    Bare::open(root).import(&texts);
    let questions = memories::questions(&texts);
    let this = std::env::current_exe().unwrap();
    let mut times: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    let mut spoke = 0;
    for (number, (question, _)) in questions.iter().cycle().take(runs).enumerate() {
        let bare = process(Command::new(&this).arg("bare").arg(root).arg(question));
        times.entry("bare").or_default().push(bare);
        let session = format!("s-{number}");
        for (name, event, prompt) in [
            ("prompt", "prompt", question.as_str()),
            ("silent_prompt", "prompt", "thanks, continue"),
            ("session_start", "session-start", ""),
            ("stop", "stop", ""),
            ("session_end", "session-end", ""),
        ] {
            let payload = json!({
                "session_id": session, "cwd": root, "prompt": prompt, "source": "startup",
                "last_assistant_message": format!("{question} and some more words for turn {number}"),
            });
            let started = Instant::now();
            let said = hook(event, &payload);
            times.entry(name).or_default().push(started.elapsed());
            spoke += usize::from(name == "prompt" && !said.is_empty());
        }
    }
    let at = |times: &[Duration], percent: usize| {
        let mut times = times.to_vec();
        times.sort_unstable();
        times[(times.len() * percent / 100).min(times.len() - 1)]
    };
    let bare = times["bare"].clone();
    let row = |times: &Vec<Duration>| {
        json!({
            "p50_ms": milliseconds(at(times, 50)),
            "p95_ms": milliseconds(at(times, 95)),
            "p50_times_bare": ratio(at(times, 50), at(&bare, 50)),
            "p95_times_bare": ratio(at(times, 95), at(&bare, 95)),
        })
    };
    let rows: BTreeMap<&str, Value> = times.iter().map(|(name, all)| (*name, row(all))).collect();
    json!({ "memories": count, "runs": runs, "prompts_answered": spoke, "events": rows })
}

/// Runs a hook as Claude Code does; returns what it says.
fn hook(event: &str, payload: &Value) -> Vec<u8> {
    let mut child = Command::new(binary())
        .args(["hook", "claude-code", event])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "a hook failed");
    output.stdout
}

/// Begins many sessions one after another; tells what is left of them.
fn starts(times: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    memories::fill(root, 100);
    let git = |arguments: &[&str]| {
        let done = Command::new("git").arg("-C").arg(root).args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--allow-empty", "-m", "x"]);
    let started = Instant::now();
    for number in 0..times {
        let payload =
            json!({ "session_id": format!("s-{number}"), "cwd": root, "source": "startup" });
        assert!(!hook("session-start", &payload).is_empty(), "no briefing");
    }
    let elapsed = started.elapsed();
    let lock = std::fs::File::open(root.join(".quipu/lock")).unwrap();
    let home = std::env::var_os(quipu_engine::state::VARIABLE).unwrap();
    let state = quipu_engine::state::folder_of(Path::new(&home), root).unwrap();
    let files = files_below(&state);
    let is_temporary = |path: &&String| {
        path.contains(".json.new") || path.ends_with("-tmp") || path.contains("/tx/")
    };
    let left: Vec<&String> = files.iter().filter(is_temporary).collect();
    json!({
        "starts": times,
        "ms_each": milliseconds(elapsed / u32::try_from(times.max(1)).unwrap()),
        "processes_left": processes_about(root),
        "lock_held": lock.try_lock().is_err(),
        "temporary_files_left": left,
        "files_in_state_folder": files.len(),
        "log": std::fs::read_to_string(state.join("hook.log")).unwrap_or_default(),
    })
}

fn files_below(folder: &Path) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut next = vec![folder.to_owned()];
    while let Some(folder) = next.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                next.push(entry.path());
            } else {
                files.insert(entry.path().display().to_string());
            }
        }
    }
    files
}

/// Counts processes that work in a folder or were told of it, where the system tells.
fn processes_about(folder: &Path) -> usize {
    let name = folder.display().to_string();
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_about = |entry: &std::fs::DirEntry| {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let works_there =
            std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        entry.file_name() != own.as_str()
            && (works_there || String::from_utf8_lossy(&words).contains(&name))
    };
    entries.filter(is_about).count()
}

/// Measures everything and prints it.
pub(crate) fn report(data: &[PathBuf], (memories, runs): (usize, usize), times: usize, json: bool) {
    let figures = json!({
        "quality": quality(data),
        "speed": speed(memories, runs),
        "starts": starts(times),
    });
    if json {
        println!("{figures:#}");
    } else {
        print(&figures);
    }
}

/// Prints figures for people.
fn print(figures: &Value) {
    println!(
        "{} prompts; of each threshold: questions whose answer was given, memories that were right",
        figures["quality"]["prompts"]
    );
    for row in figures["quality"]["thresholds"].as_array().into_iter().flatten() {
        println!(
            "  {}  answered {:>5} %  right {:>5} %  right session {:>5} %  spoke {}",
            row["threshold"].as_str().unwrap_or_default(),
            row["questions_with_an_answer"],
            row["precision"],
            row["precision_session"],
            row["spoke"]
        );
    }
    println!(
        "{} memories, {} runs, {} prompts answered",
        figures["speed"]["memories"],
        figures["speed"]["runs"],
        figures["speed"]["prompts_answered"]
    );
    for (name, row) in figures["speed"]["events"].as_object().into_iter().flatten() {
        println!(
            "  {name:<14} p50 {:>7} ms ({} x bare)  p95 {:>7} ms ({} x bare)",
            row["p50_ms"], row["p50_times_bare"], row["p95_ms"], row["p95_times_bare"]
        );
    }
    println!("after many starts: {}", figures["starts"]);
}
