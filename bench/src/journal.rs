//! The journal: what a briefing holds of what it should, how fast it is, and many writers at once while
//! the window is trimmed and compacted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::Sensitivity;
use quipu_core::journal::{self, Record};
use quipu_engine::brief::{self, BriefRequest, Briefing};
use quipu_engine::caller::Channel;
use quipu_engine::compaction::CompactRequest;
use quipu_engine::fs::RealFs;
use quipu_engine::operation::Request;
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{Workspace, index, open, replay, upkeep};
use serde_json::{Value, json};

use crate::speed::{binary, median, milliseconds, process, ratio};

/// The default cap of a briefing.
const CAP: usize = 32_000;

/// A journal with marks on what must be told, and on what must not.
struct Generated {
    records: Vec<Record>,
    continuity: String,
    wanted: BTreeMap<&'static str, Vec<String>>,
    secrets: Vec<String>,
}

/// Numbers by chance, the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap_or(0)
    }

    fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 40] = [
            "the",
            "build",
            "module",
            "server",
            "request",
            "query",
            "index",
            "cache",
            "token",
            "deploy",
            "branch",
            "merge",
            "review",
            "test",
            "failed",
            "passed",
            "slow",
            "fast",
            "customer",
            "invoice",
            "shipment",
            "address",
            "parser",
            "window",
            "button",
            "layout",
            "colour",
            "migration",
            "schema",
            "table",
            "column",
            "retry",
            "timeout",
            "queue",
            "worker",
            "backup",
            "restore",
            "release",
            "ticket",
            "meeting",
        ];
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}

fn now() -> Timestamp {
    "2026-06-20T18:00:00Z".parse().unwrap()
}

fn generate(count: usize, seed: u64) -> Generated {
    let mut chance = Chance(seed | 1);
    let mut records = Vec::with_capacity(count);
    let span = 400 * 86_400;
    for number in 0..count {
        // Evenly over four hundred days, the last of which is today.
        let back =
            span - span * (i64::try_from(number).unwrap() + 1) / i64::try_from(count).unwrap();
        let at = now().checked_sub(SignedDuration::from_secs(back)).unwrap();
        let category = match chance.below(100) {
            0..70 => "turn-summary",
            70..92 => "note",
            92..97 => "heartbeat",
            _ => "learned",
        };
        let text = if category == "heartbeat" {
            "all quiet".to_owned()
        } else {
            let length = 8 + chance.below(18);
            format!("{} ({number})", chance.words(length))
        };
        let id = format!("r{number}");
        records.push(Record::new(id, &format!("s{}", number / 40), category, &text, at));
    }
    let mut made = Generated {
        records,
        continuity: "# Continuity\n\n## Open Threads\n\n".to_owned(),
        wanted: BTreeMap::new(),
        secrets: Vec::new(),
    };
    for number in 0..10 {
        let text = format!("needle thread {number}: {}", chance.words(9));
        let _ = write!(
            made.continuity,
            "- [ ] {text}\n  <!-- id: needle-thread-{number} | created: 2026-03-01 | last_used: - | uses: 0 | tier: working -->\n"
        );
        made.wanted.entry("open threads").or_default().push(text);
    }
    let today = made
        .records
        .iter()
        .position(|record| record.provenance.timestamp >= "2026-06-20T00:00:00Z".parse().unwrap());
    let today = today.unwrap_or(count - 1);
    for (kind, how_many, from, to) in [
        ("pinned", 8, 0, today),
        ("preferences", 12, 0, today),
        ("today", 8, today, count),
        ("secret", 30, 0, count),
    ] {
        let mut taken = BTreeSet::new();
        while taken.len() < how_many.min(to - from) {
            taken.insert(from + chance.below(to - from));
        }
        for at in taken {
            let text = format!("needle {kind} {at}: {}", chance.words(10));
            let record = &mut made.records[at];
            record.text.clone_from(&text);
            match kind {
                "pinned" => record.pinned = true,
                "preferences" => "user-preference".clone_into(&mut record.category),
                "secret" => record.provenance.sensitivity = Sensitivity::Secret,
                _ => {}
            }
            if kind == "secret" {
                made.secrets.push(text);
            } else {
                made.wanted.entry(kind).or_default().push(text);
            }
        }
    }
    // A secret may have taken the place of another needle.
    let still: BTreeSet<&str> = made
        .records
        .iter()
        .filter(|record| record.provenance.sensitivity != Sensitivity::Secret)
        .map(|record| record.text.as_str())
        .collect();
    for (kind, texts) in &mut made.wanted {
        texts.retain(|text| *kind == "open threads" || still.contains(text.as_str()));
    }
    made
}

/// Writes the files that the records would have left.
fn write(folder: &Path, made: &Generated) {
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    std::fs::write(folder.join("memory/continuity.md"), &made.continuity).unwrap();
    let mut days: BTreeMap<String, String> = BTreeMap::new();
    let mut window = journal::header(journal::Form::Json).to_owned();
    for record in &made.records {
        let day = record.provenance.timestamp.to_zoned(jiff::tz::TimeZone::UTC).date();
        let line = record.line();
        days.entry(journal::daily_path(day)).or_default().push_str(&line);
        window.push_str(&line);
    }
    for (path, text) in days {
        std::fs::write(folder.join(path), text).unwrap();
    }
    std::fs::write(folder.join("MEMORY.md"), window).unwrap();
}

/// What the original injects: the window and the days from the beginning, cut at the cap.
fn oldest_first(made: &Generated) -> String {
    let all: String = made.records.iter().map(Record::line).collect();
    all.chars().take(CAP).collect()
}

/// The simplest remedy: whole lines from the end.
fn newest_first(made: &Generated) -> String {
    let mut left = CAP;
    let lines = made.records.iter().rev().map(Record::line).take_while(|line| {
        let cost = line.chars().count();
        let fits = cost <= left;
        left -= cost.min(left);
        fits
    });
    lines.collect()
}

fn open(folder: &Path, settings: &[(&str, &str)]) -> Workspace {
    let settings: Vec<(String, String)> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    open::at_with(Arc::new(RealFs), folder, &settings).unwrap()
}

fn brief(workspace: &Workspace, hint: Option<&str>) -> Briefing {
    let hint = hint.map(str::to_owned);
    let request =
        BriefRequest { now: now(), cap: None, tokens: None, hint, channel: Channel::Main };
    brief::brief(workspace, &request).unwrap()
}

/// Measures what briefings hold of what they should.
pub(crate) fn quality(records: usize, journals: usize) -> Value {
    let mut rows: BTreeMap<String, BTreeMap<&str, (usize, usize)>> = BTreeMap::new();
    let (mut leaks, mut repeated, mut longest) = (0, 0, 0);
    for seed in 0..journals {
        let made = generate(records, 0x9e37_79b9_7f4a_7c15 ^ (seed as u64 + 1) << 20);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &made);
        let told = brief(&open(folder.path(), &[]), None);
        longest = longest.max(told.chars);
        leaks += made.secrets.iter().filter(|text| told.text.contains(*text)).count();
        let mut seen = BTreeSet::new();
        let lines = told.text.lines().filter(|line| line.starts_with("- "));
        repeated += lines.filter(|line| !seen.insert(line.split("] ").last())).count();
        let texts = [
            ("quipu", told.text),
            ("oldest first (the original)", oldest_first(&made)),
            ("newest first", newest_first(&made)),
        ];
        for (name, text) in texts {
            for (kind, wanted) in &made.wanted {
                let found = wanted.iter().filter(|needle| text.contains(*needle)).count();
                let counts = rows.entry(name.to_owned()).or_default().entry(kind).or_default();
                counts.0 += found;
                counts.1 += wanted.len();
            }
        }
    }
    let share = |(found, wanted): (usize, usize)| format!("{found}/{wanted}");
    let rows: BTreeMap<String, BTreeMap<&str, String>> = rows
        .into_iter()
        .map(|(name, kinds)| {
            let mut row: BTreeMap<&str, String> =
                kinds.iter().map(|(kind, counts)| (*kind, share(*counts))).collect();
            let all = kinds.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            row.insert("all", share(all));
            (name, row)
        })
        .collect();
    json!({
        "journals": journals,
        "records": records,
        "needles_found": rows,
        "secrets_told": leaks,
        "said_twice": repeated,
        "longest_briefing": longest,
        "cap": CAP,
    })
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

/// Measures append, briefing and repeated recall.
pub(crate) fn speed(records: usize, runs: usize) -> Value {
    let made = generate(records, 77);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &made);
    let workspace = open(folder.path(), &[]);
    index::index(&workspace, &mut |_, _| {}).unwrap();
    // Files that were written just now are looked at twice; let the clock tick.
    std::thread::sleep(Duration::from_millis(50));

    let log = folder.path().join("bare.log");
    let (mut bare_append, mut append) = (Vec::new(), Vec::new());
    for number in 0..300 {
        let text = format!("appended {number}: the kettle whistles in the kitchen");
        let line = Record::new("0", "s", "note", &text, now()).line();
        // As any program does that is told a file's name.
        bare_append.push(timed(|| {
            let mut bare = OpenOptions::new().append(true).create(true).open(&log).unwrap();
            bare.write_all(line.as_bytes()).unwrap();
            bare.sync_all().unwrap();
        }));
        let new = NewMemory { text, ..NewMemory::default() };
        let request = request("append", now());
        append.push(timed(|| {
            remember::remember(&workspace, &[new], &request).unwrap();
        }));
    }
    drop(workspace);
    std::thread::sleep(Duration::from_millis(50));

    // The files that a briefing draws on, read as bytes by a process of its own.
    let paths: Vec<String> =
        ["MEMORY.md", "memory/continuity.md", "memory/2026-06-20.md", "memory/2026-06-19.md"]
            .map(str::to_owned)
            .to_vec();
    let (mut reading, mut cold) = (Vec::new(), Vec::new());
    let executable = std::env::current_exe().unwrap();
    for _ in 0..runs {
        let mut read = Command::new(&executable);
        read.arg("read").arg(folder.path()).args(&paths);
        reading.push(process(&mut read));
        let mut command = Command::new(binary());
        command.arg("-C").arg(folder.path()).args(["--now", "2026-06-20T18:00:00Z", "brief"]);
        cold.push(process(&mut command));
    }
    let workspace = open(folder.path(), &[]);
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let (mut asked, mut asked_again) = (Vec::new(), Vec::new());
    for run in 0..runs {
        let cap = Some(CAP - run);
        let request =
            BriefRequest { now: now(), cap, tokens: None, hint: None, channel: Channel::Main };
        first.push(timed(|| drop(brief::brief(&workspace, &request).unwrap())));
        again.push(timed(|| drop(brief::brief(&workspace, &request).unwrap())));
        let query = format!("migration of the schema number {run}");
        let question = Question { query, ..Question::default() };
        asked.push(timed(|| drop(recall::recall(&workspace, &question, now()).unwrap())));
        asked_again.push(timed(|| drop(recall::recall(&workspace, &question, now()).unwrap())));
    }
    assert!(recall::recall_cache(&workspace).hits >= runs as u64, "the cache was not used");
    let (append, bare_append) = (median(append), median(bare_append));
    let (cold, reading) = (median(cold), median(reading));
    let (first, again) = (median(first), median(again));
    let (asked, asked_again) = (median(asked), median(asked_again));
    json!({
        "records": records,
        "append_ms": milliseconds(append),
        "bare_open_append_and_sync_ms": milliseconds(bare_append),
        "append_ratio": ratio(append, bare_append),
        "brief_process_ms": milliseconds(cold),
        "reading_the_bytes_process_ms": milliseconds(reading),
        "brief_ratio": ratio(cold, reading),
        "brief_in_process_ms": milliseconds(first),
        "brief_again_ms": milliseconds(again),
        "brief_cold_over_again": ratio(cold, again),
        "recall_ms": milliseconds(asked),
        "recall_again_ms": milliseconds(asked_again),
        "recall_over_again": ratio(asked, asked_again),
        "recall_cache": recall::recall_cache(&workspace),
    })
}

fn request(operation: &str, now: Timestamp) -> Request<'_> {
    Request {
        caller: quipu_engine::caller::Caller::PERSON,
        operation,
        now,
        today: now.to_zoned(jiff::tz::TimeZone::UTC).date(),
        session: Some("bench"),
        dry_run: false,
    }
}

/// Reads files, as a process of its own.
pub(crate) fn read(folder: &Path, paths: &[String]) {
    let bytes: usize =
        paths.iter().map(|path| std::fs::read(folder.join(path)).unwrap().len()).sum();
    println!("{bytes}");
}

/// Everything that leaves the window is kept beside it.
const ARCHIVED: (&str, &str) = ("continuity.memoryArchivePath", journal::ARCHIVE);

/// What one of many writers does: appends records, and prints each id that was acknowledged.
pub(crate) fn append(folder: &Path, name: &str, records: usize, limit: &str) {
    let workspace = open(folder, &[("continuity.memoryMaxRecords", limit), ARCHIVED]);
    let mut out = std::io::stdout();
    for number in 0..records {
        let at = Timestamp::now();
        let text = format!("{name}, record {number}: the kettle whistles in the kitchen");
        let new = NewMemory { text, ..NewMemory::default() };
        let done = remember::remember(&workspace, &[new], &request("append", at)).unwrap();
        assert!(done.degraded.is_none(), "{:?}", done.degraded);
        writeln!(out, "{}", done.ids[0]).unwrap();
    }
    out.flush().unwrap();
}

/// Many processes append while the window is trimmed and compacted.
pub(crate) fn stress(processes: usize, records: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let old: Vec<Record> = generate(2000, 5).records;
    let window: String = old.iter().map(Record::line).collect();
    std::fs::write(root.join("MEMORY.md"), format!("# Mine\n\nmy own line\n{window}")).unwrap();
    let started = Instant::now();
    let executable = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..processes)
        .map(|number| {
            let mut command = Command::new(&executable);
            command.arg("append").arg(root).arg(format!("agent-{number}"));
            command.args([&records.to_string(), "500"]);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let (mut trims, mut compactions, mut merged) = (0, 0, 0);
    let (acknowledged, failed) = std::thread::scope(|scope| {
        let writers: Vec<_> = children
            .into_iter()
            .map(|child| scope.spawn(move || child.wait_with_output().unwrap()))
            .collect();
        // Records are merged as soon as they are a moment old, so that both work on the same lines.
        let eager = [("continuity.memoryCompactionMinAgeDays", "0"), ARCHIVED];
        let workspace = open(root, &eager);
        while writers.iter().any(|writer| !writer.is_finished()) {
            let limits = journal::window::Limits { records: Some(300), ..Default::default() };
            trims += quipu_engine::journal::trim(&workspace, &limits, Timestamp::now(), false)
                .unwrap()
                .dropped;
            let ask = CompactRequest {
                now: Timestamp::now(),
                if_due: false,
                force: true,
                dry_run: false,
            };
            let done = upkeep::compact(&workspace, &ask).unwrap();
            compactions += usize::from(done.records_compacted > 0);
            merged += done.records_compacted;
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut acknowledged: Vec<String> = Vec::new();
        let mut failed = 0;
        for writer in writers {
            let output = writer.join().unwrap();
            failed += usize::from(!output.status.success());
            acknowledged
                .extend(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned));
        }
        (acknowledged, failed)
    });
    let seconds = started.elapsed().as_secs_f64();
    let mut figures = check(root, &acknowledged, &old);
    figures["processes"] = json!(processes);
    figures["errors"] = json!(failed + processes * records - acknowledged.len());
    figures["records_trimmed"] = json!(trims);
    figures["compactions"] = json!(compactions);
    figures["records_merged"] = json!(merged);
    figures["seconds"] = json!(seconds.round());
    figures
}

fn check(root: &Path, acknowledged: &[String], old: &[Record]) -> Value {
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let names = std::fs::read_dir(root.join("memory")).unwrap();
    let mut in_days: BTreeMap<String, usize> = BTreeMap::new();
    let mut torn = 0;
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        if journal::is_daily(&name) {
            for line in text(&format!("memory/{name}")).lines() {
                match Record::parse(line) {
                    Some(record) => *in_days.entry(record.id).or_default() += 1,
                    None => torn += 1,
                }
            }
        }
    }
    let window = text("MEMORY.md");
    let archive = text(journal::ARCHIVE);
    let mut reachable: BTreeSet<String> = BTreeSet::new();
    for (_, record) in journal::records(&window).chain(journal::records(&archive)) {
        reachable.extend(record.merged.into_iter().flat_map(|merged| merged.ids));
        reachable.insert(record.id);
    }
    let everything = |id: &String| reachable.contains(id) || in_days.contains_key(id);
    let unreachable = acknowledged.iter().filter(|id| !reachable.contains(*id)).count();
    let lost = unreachable
        + acknowledged.iter().filter(|id| !in_days.contains_key(*id)).count()
        + old.iter().filter(|record| !everything(&record.id)).count();
    let workspace = open(root, &[ARCHIVED]);
    index::index(&workspace, &mut |_, _| {}).unwrap();
    let connection = rusqlite::Connection::open(index::database(&workspace)).unwrap();
    let integrity: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    let own = window.lines().filter(|line| Record::parse(line).is_none()).collect::<Vec<_>>();
    json!({
        "acknowledged": acknowledged.len(),
        "in_daily_logs": in_days.len(),
        "twice": in_days.values().filter(|count| **count > 1).count(),
        "torn": torn,
        "lost": lost,
        "left_in_the_window": journal::records(&window).count(),
        "own_text_kept": own == ["# Mine", "", "my own line"],
        "integrity_check": integrity,
        "replay_equal": replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal,
    })
}
