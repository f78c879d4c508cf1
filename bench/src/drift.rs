//! What drift finds in repositories with a random past, against the truth that their maker knows,
//! and beside looking whether a path is there.

mod history;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use quipu_core::claim::{ClaimKind, claims};
use quipu_core::indexing::{self, FileKind};
use quipu_core::item::{Item, Kind};
use quipu_engine::drift::{self, DriftReport, Verdict};
use quipu_engine::fs::RealFs;
use quipu_engine::{Workspace, open};
use serde_json::{Value, json};

use crate::ledger::Numbers;
use history::{Maker, Truth, git};

/// How people say where something is.
const PRESENT: [&str; 8] = [
    "The retry logic lives in `{}`, next to the queue.",
    "See {}:42 for how windows are counted.",
    "When the cache is cold, {} is read first. Keep it small.",
    "- **Parser**: {} (owner: Ana)",
    "We added the export in [this file]({}).",
    "Start reading at `{}#L10`; it is used to compute the quota.",
    "Leases are renewed every minute ({}).",
    "The token check was fixed. It is in {}.",
];

/// How they say that it is there no more.
const PAST: [&str; 8] = [
    "We deleted {} in the clean-up.",
    "`{}` was removed together with its tests.",
    "Renamed {} because nobody understood the name.",
    "{} no longer exists.",
    "The old `{}` had a bug in its window.",
    "The export used to be in {}.",
    "Removed files:\n\n- {}\n",
    "There is no {} any more, look in the guide.",
];

/// What never was in the repository.
const FOREIGN: [&str; 10] = [
    "The server reads /etc/quipu/server.toml first.",
    "Notes are in ~/notes/plan.md.",
    "See https://example.com/src/queue.rs and github.com/owner/repo.",
    "Use `@scope/name` or `owner/repo`, and/or text/html.",
    "Logs go to logs/YYYY-MM-DD.txt and src/<name>/x.rs.",
    "The other team keeps it in billing/src/charge.py.",
    "Copy path/to/file.rs to foo/bar.py.",
    "On branch `feature/login` since 2026/04/20.",
    "A plan: put the digest into src/later/digest_plan.rs.",
    "The `build.sbt` of the old company was long.",
];

/// A claim that the maker knows the truth about.
struct Case {
    text: String,
    /// Whether it is gone.
    is_gone: bool,
    /// What it is called today, where it is gone.
    now: Option<String>,
    group: &'static str,
}

/// Right and wrong answers of a group.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Tally {
    fn count(&mut self, is_so: bool, is_said: bool) {
        match (is_so, is_said) {
            (true, true) => self.right += 1,
            (false, true) => self.wrong += 1,
            (true, false) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn figures(&self) -> Value {
        let share = |other: usize| match self.right + other {
            0 => Value::Null,
            all => json!(
                100.0 * f64::from(u32::try_from(self.right).unwrap())
                    / f64::from(u32::try_from(all).unwrap())
            ),
        };
        json!({
            "right": self.right,
            "wrong": self.wrong,
            "missed": self.missed,
            "precision": share(self.wrong),
            "recall": share(self.missed),
        })
    }
}

/// Makes a repository, asks about it, and compares.
pub(crate) fn measure(seed: u64, commits: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let truth = Maker::write(root, seed, commits);
    let cases = cases(&truth, seed);
    let items: Vec<Item> = cases
        .iter()
        .enumerate()
        .map(|(at, case)| {
            Item::new(format!("m{at}"), Kind::Record, &case.text, jiff::Timestamp::UNIX_EPOCH)
        })
        .collect();
    let workspace = open::at(Arc::new(RealFs), root).unwrap();
    let started = Instant::now();
    let report = drift::drift_check(&workspace, &items);
    let seconds = started.elapsed().as_secs_f64();
    let is_steady = is_steady(root, &workspace, &items, &report);
    let mut figures = compare(&cases, &report, root);
    figures["seed"] = json!(seed);
    figures["commits"] = json!(commits);
    figures["memories"] = json!(cases.len());
    figures["claims"] = json!(report.claims);
    figures["paths_ever"] = json!(truth.seen.len());
    figures["paths_now"] = json!(truth.living.len());
    figures["seconds"] = json!((seconds * 1000.0).round() / 1000.0);
    figures["same_on_every_branch"] = json!(is_steady);
    figures
}

/// Tells whether the answer is the same whatever is checked out.
fn is_steady(root: &Path, workspace: &Workspace, items: &[Item], report: &DriftReport) -> bool {
    let first = serde_json::to_string(report).unwrap();
    ["topic-1", "main~20", "main"].iter().all(|branch| {
        git(root, &["checkout", "-q", branch]);
        serde_json::to_string(&drift::drift_check(workspace, items)).unwrap() == first
    })
}

/// Looks at the facts, sessions and documents of a real workspace.
pub(crate) fn look(folder: &Path) -> Value {
    let workspace = open::at(Arc::new(RealFs), folder).unwrap();
    let snapshot = workspace.read().unwrap();
    let files = || snapshot.files.iter().map(|(path, text)| (path.as_str(), &**text));
    let facts = files().filter(|(path, _)| indexing::file_kind(path) == Some(FileKind::Facts));
    let mut items = indexing::facts(facts);
    for (path, text) in files() {
        match indexing::file_kind(path) {
            Some(FileKind::Session) => items.extend(indexing::session(path, text)),
            Some(FileKind::Document) => items.extend(indexing::document(path, text)),
            _ => {}
        }
    }
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for claim in items.iter().flat_map(|item| claims(&item.text)) {
        let past = if claim.historic { ", past" } else { "" };
        let kind = format!("{}{past}", claim.kind.as_str());
        said.entry(kind).or_default().insert(claim.to_string());
    }
    json!({ "claims": said, "report": drift::drift_check(&workspace, &items) })
}

fn compare(cases: &[Case], report: &DriftReport, root: &Path) -> Value {
    let mut found: BTreeMap<&str, &Verdict> = BTreeMap::new();
    for finding in &report.findings {
        found.insert(&finding.id, &finding.verdict);
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut certain = Tally::default();
    let mut errors: Vec<Value> = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let verdict = found.get(&*format!("m{at}")).copied();
        let said = verdict.is_some();
        tallies.entry(format!("{}: gone", case.group)).or_default().count(case.is_gone, said);
        let now = match verdict {
            Some(Verdict::Gone { now, .. }) => now.clone(),
            _ => None,
        };
        // Where most of a folder went is a matter of opinion.
        if case.group != "folders" {
            let moved = tallies.entry(format!("{}: renamed", case.group)).or_default();
            moved.right += usize::from(now.is_some() && now == case.now);
            moved.wrong += usize::from(now.is_some() && now != case.now);
            moved.missed += usize::from(case.now.is_some() && now != case.now);
        }
        if case.group == "paths" {
            let is_certain = matches!(verdict, Some(Verdict::Gone { certain: true, .. }));
            certain.count(case.is_gone, is_certain);
            let claimed = claims(&case.text);
            let is_missing = claimed
                .iter()
                .any(|claim| claim.kind == ClaimKind::Path && !root.join(&claim.text).exists());
            let naive = tallies.entry("paths: missing on disk".to_owned()).or_default();
            naive.count(case.is_gone, is_missing);
        }
        if said != case.is_gone || (now != case.now && case.group != "folders") {
            errors.push(json!({
                "text": case.text, "gone": case.is_gone, "now": case.now, "found": verdict,
            }));
        }
    }
    tallies.insert("paths: certainly gone".to_owned(), certain);
    let figures: BTreeMap<String, Value> =
        tallies.into_iter().map(|(name, tally)| (name, tally.figures())).collect();
    json!({ "figures": figures, "errors": errors })
}

/// Makes memories about what is there, what is gone and what never was.
fn cases(truth: &Truth, seed: u64) -> Vec<Case> {
    let mut numbers = Numbers(seed ^ 0xfeed);
    let mut cases = Vec::new();
    let fill = |form: &str, name: &str| form.replace("{}", name);
    for (path, lineage) in &truth.seen {
        let is_gone = !truth.living.contains(path) && !truth.on_branches.contains(path);
        let now = truth.places.get(lineage).filter(|_| is_gone).cloned();
        let text = fill(PRESENT[numbers.below(PRESENT.len())], path);
        cases.push(Case { text, is_gone, now, group: "paths" });
        if numbers.below(3) == 0 {
            let text = fill(PAST[numbers.below(PAST.len())], path);
            cases.push(Case { text, is_gone: false, now: None, group: "paths" });
        }
        if numbers.below(3) == 0 {
            let (folder, name) = path.rsplit_once('/').unwrap();
            let never = format!("{folder}/{}_{name}", numbers.below(1000));
            if !truth.seen.contains_key(&never) {
                let text = fill(PRESENT[numbers.below(PRESENT.len())], &never);
                cases.push(Case { text, is_gone: false, now: None, group: "paths" });
            }
        }
    }
    for text in FOREIGN {
        cases.push(Case { text: text.to_owned(), is_gone: false, now: None, group: "paths" });
    }
    cases.extend(folders(truth));
    // More names than anybody asks about at once would not be looked for.
    for name in truth.names.iter().filter(|_| numbers.below(4) == 0).collect::<Vec<_>>() {
        let is_gone = !truth.living_names.contains(name);
        let text = format!("Call `{name}()` before the window closes.");
        let mut now = truth.renamed.get(name).filter(|_| is_gone);
        while let Some(next) = now.and_then(|name| truth.renamed.get(name)) {
            now = Some(next);
        }
        let now = now.filter(|name| truth.living_names.contains(*name)).cloned();
        cases.push(Case { text, is_gone, now, group: "names" });
    }
    cases
}

fn folders(truth: &Truth) -> Vec<Case> {
    let folders_of = |path: &str| -> Vec<String> {
        path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect()
    };
    let living: BTreeSet<String> = truth.living.iter().flat_map(|path| folders_of(path)).collect();
    let branches: BTreeSet<String> =
        truth.on_branches.iter().flat_map(|path| folders_of(path)).collect();
    let ever: BTreeSet<String> = truth.seen.keys().flat_map(|path| folders_of(path)).collect();
    ever.into_iter()
        .map(|folder| Case {
            text: format!("All of it is below `{folder}/`."),
            is_gone: !living.contains(&folder) && !branches.contains(&folder),
            now: None,
            group: "folders",
        })
        .collect()
}

/// Prints figures, and fails where they are not good enough.
pub(crate) fn report(figures: &Value) {
    println!(
        "{} commits, {} paths ever, {} now; {} memories with {} claims in {} s",
        figures["commits"],
        figures["paths_ever"],
        figures["paths_now"],
        figures["memories"],
        figures["claims"],
        figures["seconds"]
    );
    for (name, one) in figures["figures"].as_object().unwrap() {
        let percent =
            |value: &Value| value.as_f64().map_or("-".to_owned(), |share| format!("{share:.2} %"));
        println!(
            "{name:24} precision {:>9}, recall {:>9} ({} right, {} wrong, {} missed)",
            percent(&one["precision"]),
            percent(&one["recall"]),
            one["right"],
            one["wrong"],
            one["missed"]
        );
    }
    println!("same on every branch: {}", figures["same_on_every_branch"]);
}

/// Fails where precision is below 99 % or recall below 95 %.
pub(crate) fn require(figures: &Value) {
    for name in ["paths: gone", "paths: renamed"] {
        let one = &figures["figures"][name];
        let share = |key: &str| one[key].as_f64().unwrap_or(100.0);
        assert!(share("precision") >= 99.0 && share("recall") >= 95.0, "{name}: {one}");
    }
    assert!(figures["same_on_every_branch"] == true, "what is checked out changed the answer");
}
