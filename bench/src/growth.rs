//! How time grows with what a repository holds: whoever writes twice as much may make us twice as slow,
//! and no slower.

mod families;
mod steps;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde::Serialize;

use self::families::Family;
use self::steps::Step;

/// Twice the input may take so many times as long.
const MOST: f64 = 2.3;

/// Shorter times say nothing about growth: the processor's time is counted in hundredths of a second.
const SHORTEST: Duration = Duration::from_millis(100);

/// Nothing may take longer.
const LONGEST: Duration = Duration::from_mins(1);

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Asked {
    /// Only these kinds of input
    #[arg(long, value_delimiter = ',')]
    family: Vec<String>,
    /// Only these steps
    #[arg(long, value_delimiter = ',')]
    step: Vec<String>,
    /// The smallest of the three sizes (default: the first at which a step takes long enough)
    #[arg(long)]
    size: Option<usize>,
    /// How often each is measured; the best counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The binary to measure (default: `quipu` beside this one)
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Name the families and steps, and measure nothing
    #[arg(long)]
    list: bool,
    /// Print figures as JSON
    #[arg(long)]
    json: bool,
}

/// What one step took in one family.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    family: &'static str,
    step: &'static str,
    /// The sizes, each twice the one before.
    sizes: Vec<usize>,
    /// The best times in milliseconds, of the processor where that can be told.
    milliseconds: Vec<f64>,
    /// How many times as long each took as the one before.
    ratios: Vec<f64>,
    /// The exit code at the largest size.
    exit: Option<i32>,
    /// What there is to say about it: too short to tell, or not done in time.
    remark: &'static str,
    passes: bool,
}

/// Measures, reports, and tells whether everything grows as it may.
pub(crate) fn report(asked: &Asked) -> bool {
    if asked.list {
        let line = |family: &Family| println!("{:<20} {}", family.name, family.about);
        families::ALL.iter().for_each(line);
        let names: Vec<&str> = steps::ALL.iter().map(|step| step.name).collect();
        println!("steps: {}", names.join(", "));
        return true;
    }
    let known = |names: &[String], all: &[&str]| {
        let unknown: Vec<&String> =
            names.iter().filter(|name| !all.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "not known: {unknown:?}; there are {all:?}");
    };
    known(&asked.family, &families::ALL.each_ref().map(|family| family.name));
    known(&asked.step, &steps::ALL.each_ref().map(|step| step.name));
    let is_asked =
        |names: &[String], name: &str| names.is_empty() || names.iter().any(|asked| asked == name);
    let binary = asked.binary.clone().unwrap_or_else(crate::speed::binary);
    let binary = binary.canonicalize().unwrap();
    let mut rows = Vec::new();
    if !asked.json {
        println!("{:<20} {:<13} {:>8} {:>34} ratios", "family", "step", "size", "milliseconds");
    }
    for family in families::ALL.iter().filter(|family| is_asked(&asked.family, family.name)) {
        let mut folders = Folders::new(family);
        for step in steps::ALL.iter().filter(|step| is_asked(&asked.step, step.name)) {
            let row = measure(&mut folders, step, asked, &binary);
            if !asked.json {
                print(&row);
            }
            rows.push(row);
        }
    }
    if asked.json {
        println!("{}", serde_json::to_string_pretty(&rows).unwrap());
    }
    let failed = rows.iter().filter(|row| !row.passes).count();
    if !asked.json {
        println!(
            "{} measured, {failed} grow more than {MOST} times when the input doubles",
            rows.len()
        );
    }
    failed == 0
}

fn print(row: &Row) {
    let joined = |numbers: &[f64], digits: usize| -> String {
        let words: Vec<String> =
            numbers.iter().map(|number| format!("{number:>10.digits$}")).collect();
        words.join(" ")
    };
    println!(
        "{:<20} {:<13} {:>8} {:>34} {:<24}{}{}{}",
        row.family,
        row.step,
        row.sizes.first().copied().unwrap_or_default(),
        joined(&row.milliseconds, 0),
        joined(&row.ratios, 2),
        row.remark,
        if row.exit.is_none_or(|code| code > 1) {
            format!(" exit {:?}", row.exit)
        } else {
            String::new()
        },
        if row.passes { "" } else { " FAILS" },
    );
}

/// The workspaces of a family, made once for each size.
struct Folders<'f> {
    family: &'f Family,
    base: tempfile::TempDir,
    made: BTreeMap<usize, PathBuf>,
}

impl<'f> Folders<'f> {
    fn new(family: &'f Family) -> Self {
        Self { family, base: tempfile::tempdir().unwrap(), made: BTreeMap::new() }
    }

    /// Returns a fresh copy of the workspace at a size.
    fn copy(&mut self, size: usize) -> tempfile::TempDir {
        let path = self.made.entry(size).or_insert_with(|| {
            let root = self.base.path().join(size.to_string());
            for (path, text) in (self.family.files)(size) {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            root
        });
        let copy = tempfile::tempdir().unwrap();
        copy_folder(path, &copy.path().join("workspace"));
        copy
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// How long a step took, and how it ended.
#[derive(Clone, Copy)]
struct Took {
    time: Duration,
    exit: Option<i32>,
}

fn once(folders: &mut Folders<'_>, step: &Step, size: usize, binary: &Path) -> Took {
    let copy = folders.copy(size);
    let root = copy.path().join("workspace");
    step.prepare(binary, &root, folders.family);
    let mut command = step.command(binary, &root, folders.family);
    command.stdin(Stdio::piped());
    let (start, before) = (Instant::now(), of_children());
    let mut child = command.spawn().unwrap();
    // Whoever reads nothing may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(step.stdin.as_bytes());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            let used = of_children().zip(before);
            let used = used.and_then(|(after, before)| after.checked_sub(before));
            return Took { time: used.unwrap_or(start.elapsed()), exit: status.code() };
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            return Took { time: LONGEST, exit: None };
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

/// Returns how long processes that this one waited for had a processor, where the system tells. Others
/// that are busy on the same machine disturb that least.
fn of_children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let hundredths = |at: usize| fields.split_whitespace().nth(at)?.parse::<u64>().ok();
    Some(Duration::from_millis((hundredths(13)? + hundredths(14)?) * 10))
}

fn best(folders: &mut Folders<'_>, step: &Step, size: usize, asked: &Asked, binary: &Path) -> Took {
    let mut best = once(folders, step, size, binary);
    // What takes long is disturbed little.
    let runs = if best.time > LONGEST / 10 { 1 } else { asked.runs.max(1) };
    for _ in 1..runs {
        let took = once(folders, step, size, binary);
        if took.time < best.time {
            best = took;
        }
    }
    best
}

/// Returns the first size at which a step takes long enough to tell how its time grows.
fn first_size(folders: &mut Folders<'_>, step: &Step, asked: &Asked, binary: &Path) -> usize {
    let most = folders.family.most / 4;
    let enough = SHORTEST.max(best(folders, step, 4, asked, binary).time * 4);
    let mut size = (folders.family.most / 512).max(16);
    while size < most {
        let time = once(folders, step, size, binary).time;
        if time >= enough {
            break;
        }
        // Far from it in larger steps, so that little is measured in vain.
        size = (size * if time * 4 < enough { 4 } else { 2 }).min(most);
    }
    size
}

fn measure(folders: &mut Folders<'_>, step: &Step, asked: &Asked, binary: &Path) -> Row {
    let family = folders.family;
    let start = asked.size.unwrap_or_else(|| first_size(folders, step, asked, binary));
    let sizes = vec![start, start * 2, start * 4];
    let mut took: Vec<Took> = Vec::new();
    for size in &sizes {
        took.push(best(folders, step, *size, asked, binary));
        if took.last().is_some_and(|took| took.time >= LONGEST) {
            break;
        }
    }
    let in_time = took.last().is_some_and(|took| took.time < LONGEST);
    let ratio = |pair: &[Took]| pair[1].time.as_secs_f64() / pair[0].time.as_secs_f64();
    // Where others disturbed it, another look tells.
    for at in 1..took.len() {
        for _ in 0..asked.runs {
            if !in_time || took[0].time < SHORTEST || ratio(&took[at - 1..=at]) <= MOST {
                break;
            }
            for side in [at - 1, at] {
                let again = once(folders, step, sizes[side], binary);
                if again.time < took[side].time {
                    took[side] = again;
                }
            }
        }
    }
    let ratios: Vec<f64> = took.windows(2).map(ratio).collect();
    let is_short = took[0].time < SHORTEST;
    let grows = ratios.iter().any(|ratio| *ratio > MOST);
    Row {
        family: family.name,
        step: step.name,
        sizes,
        milliseconds: took.iter().map(|took| took.time.as_secs_f64() * 1000.0).collect(),
        exit: took.last().and_then(|took| took.exit),
        remark: match (in_time, is_short) {
            (false, _) => "not done in time",
            (true, true) => "short",
            (true, false) => "",
        },
        passes: in_time && (is_short || !grows),
        ratios,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quipu_core::review::Selection;

    use quipu_engine::fs::RealFs;
    use quipu_engine::operation::Request;
    use quipu_engine::recall::Question;
    use quipu_engine::{facts, open, recall};

    use super::*;

    /// What is measured must be what its name says, and usable: an error is quick at any size.
    #[test]
    fn every_family_is_a_workspace_that_can_be_used() {
        for family in &families::ALL {
            let mut folders = Folders::new(family);
            let copy = folders.copy(24);
            let root = copy.path().join("workspace");
            assert!(root.join(family.main).is_file(), "{} has no {}", family.name, family.main);
            let workspace = open::at(Arc::new(RealFs), &root).unwrap();
            let workspace = workspace.keeping_state_in(&root.with_file_name("state"));
            let request = Request {
                caller: quipu_engine::caller::Caller::PERSON,
                operation: "review",
                now: "2026-06-20T10:00:00Z".parse().unwrap(),
                today: jiff::civil::Date::constant(2026, 6, 20),
                session: None,
                dry_run: true,
            };
            let review = facts::review(&workspace, &Selection::default(), &request);
            assert!(review.is_ok(), "{}: {:?}", family.name, review.err());
            let question = Question { query: "parcel service".to_owned(), ..Question::default() };
            let found = recall::recall(&workspace, &question, request.now).unwrap();
            assert!(
                found.results.iter().any(|answer| answer.id == families::KNOWN),
                "{}",
                family.name
            );
        }
    }

    #[test]
    fn larger_families_have_more_in_them() {
        for family in &families::ALL {
            let bytes =
                |size| -> usize { (family.files)(size).iter().map(|(_, text)| text.len()).sum() };
            let (small, large) = (bytes(2000), bytes(4000));
            let grown = (large - small) * 100 / small;
            assert!((60..=130).contains(&grown), "{} grows by {grown} %", family.name);
        }
    }
}
