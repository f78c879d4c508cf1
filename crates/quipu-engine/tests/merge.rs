//! Two branches of a memory, whatever happened on them, are one memory that lost nothing.

mod cases;
mod hand_written;

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use quipu_core::doc::{Document, Fact, Form};
use quipu_core::facts::{self, NewFact, NewWords, Outcome};
use quipu_core::lint::{self, LintCode};
use quipu_core::memory::{CONTINUITY, Changes, Memory, Snapshot};
use quipu_core::merge::{self, Elsewhere, FileKind, Question, Sides, three_way};
use quipu_core::review::{self, Selection};
use quipu_core::{refresh, text};
use quipu_testkit::generators::{IDS, odd_text, snapshot};
use quipu_testkit::repo::today;

/// What somebody does on a branch.
#[derive(Clone, Debug)]
enum Step {
    Add(u8, bool),
    Use(usize),
    Archive(usize),
    Close(usize),
    Supersede(usize, usize),
    Reword(usize, u8),
    Refresh,
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..IDS.len();
    prop_oneof![
        3 => (any::<u8>(), any::<bool>()).prop_map(|(n, thread)| Step::Add(n % 4, thread)),
        3 => which.clone().prop_map(Step::Use),
        2 => which.clone().prop_map(Step::Archive),
        2 => which.clone().prop_map(Step::Close),
        1 => (which.clone(), which.clone()).prop_map(|(old, new)| Step::Supersede(old, new)),
        3 => (which, any::<u8>()).prop_map(|(at, n)| Step::Reword(at, n % 3)),
        1 => Just(Step::Refresh),
    ]
}

fn outcome(memory: &Memory<'_>, step: &Step, branch: &str) -> Option<Outcome> {
    match step {
        Step::Add(n, is_thread) => {
            // Some of the texts are the same on both branches.
            let text = if *n == 0 {
                "The same on both".to_owned()
            } else {
                format!("Fact n{n} of {branch}")
            };
            // Who finds it said already says it no second time.
            let is_it = |id: &str| id == if *is_thread { "ot-same-both" } else { "same-both" };
            if *n == 0 && memory.ids().into_iter().any(is_it) {
                return None;
            }
            let (section, id) = (None, None);
            let new = NewFact { text, section, id, is_thread: *is_thread, allow_secret: true };
            facts::add(memory, &new, today()).ok().map(|(_, outcome)| outcome)
        }
        Step::Archive(at) => facts::archive(memory, &[IDS[*at].to_owned()], today()).ok(),
        Step::Close(at) => facts::set_done(memory, IDS[*at], true).ok(),
        Step::Supersede(old, new) => {
            facts::supersede(memory, IDS[*old], Some(IDS[*new]), true).ok()
        }
        Step::Reword(at, n) => {
            let words = if *n == 0 {
                "Said the same way".to_owned()
            } else {
                format!("Said w{n} by {branch}")
            };
            let new =
                NewWords { text: &words, instead_of: None, allow_secret: true, confirmed: true };
            facts::rewrite(memory, IDS[*at], &new).ok()
        }
        Step::Use(_) | Step::Refresh => None,
    }
}

fn refreshed(snapshot: &Snapshot) -> Snapshot {
    let memory = snapshot.parse().unwrap();
    let edits: Vec<text::Edit> =
        refresh::refresh(&memory).into_iter().flat_map(|change| change.edits).collect();
    let text = text::apply(memory.continuity.source, &edits).unwrap();
    snapshot.with(&Changes::from([(CONTINUITY.to_owned(), Some(text))]))
}

fn branch(base: &Snapshot, steps: &[Step], name: &str) -> Snapshot {
    let steps: Vec<(usize, Step)> = steps.iter().cloned().enumerate().collect();
    walk(base, &steps, name).0
}

/// Takes numbered steps; returns the folder, and those that were not refused.
fn walk(base: &Snapshot, steps: &[(usize, Step)], name: &str) -> (Snapshot, Vec<(usize, Step)>) {
    let (mut now, mut taken) = (base.clone(), Vec::new());
    for (number, step) in steps {
        let next = match step {
            Step::Refresh => Some(refreshed(&now)),
            Step::Use(at) => {
                let day = 20 + number;
                let minute = if name == "ours" { 10 } else { 20 };
                let path = format!("memory/sessions/2026-05-{day:02}-10{minute}00.md");
                let log =
                    format!("# Session\n\n## Memory References\n\n- Referenced: {}\n", IDS[*at]);
                Some(now.with(&Changes::from([(path, Some(log))])))
            }
            _ => now.parse().ok().and_then(|memory| {
                let changes = outcome(&memory, step, name)?.changes;
                let next = now.with(&changes);
                // The engine refuses what would do harm; so does this.
                review::check(&memory, &next).ok().map(|()| next)
            }),
        };
        if let Some(next) = next {
            now = next;
            taken.push((*number, step.clone()));
        }
    }
    (now, taken)
}

/// Merges two folders as git does: a file that one side left alone is the other's.
fn merged(base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> Snapshot {
    merged_asking(base, ours, theirs).0
}

/// The same, with the questions that it raises.
fn merged_asking(base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> (Snapshot, Vec<Question>) {
    let mut questions = Vec::new();
    let paths: BTreeSet<&String> = ours.files.keys().chain(theirs.files.keys()).collect();
    let mut result = Snapshot::default();
    for path in paths {
        let (old, x, y) = (base.get(path), ours.get(path), theirs.get(path));
        let text = match (x, y) {
            _ if x == y || y == old => x.map(str::to_owned),
            _ if x == old => y.map(str::to_owned),
            (Some(x), Some(y)) => {
                let kind = FileKind::of(path).unwrap_or_else(|| panic!("{path} has no rule"));
                let sides = Sides { base: old.unwrap_or_default(), ours: x, theirs: y };
                let mut elsewhere = Elsewhere::default();
                for side in [ours, theirs] {
                    add_others(&mut elsewhere, side, path);
                }
                let done = three_way(kind, sides, &elsewhere);
                questions.extend(done.questions);
                Some(done.text)
            }
            _ => panic!("{path} was removed and changed"),
        };
        result.files.extend(text.map(|text| (path.clone(), text.into())));
    }
    (result, questions)
}

fn add_others(elsewhere: &mut Elsewhere, side: &Snapshot, path: &str) {
    for (other, text) in &side.files {
        if other != path && !other.starts_with("memory/sessions/") {
            elsewhere.add(text);
        }
    }
}

/// The words of every fact, by id.
fn words(snapshot: &Snapshot) -> BTreeMap<String, BTreeSet<String>> {
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in &snapshot.files {
        if path.starts_with("memory/sessions/") {
            continue;
        }
        let document = Document::parse(source);
        for fact in document.facts.iter().filter(|fact| fact.form != Form::Quoted) {
            let said = document.words(fact).replace('\r', "");
            words.entry(fact.id().to_owned()).or_default().insert(said);
        }
    }
    words
}

fn all_lines(words: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let all = words.values().flatten().flat_map(|said| said.lines());
    all.map(|line| line.trim().to_owned()).collect()
}

/// What a review says about one fact: where it is, what its footer says, its box and its words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    file: String,
    fields: BTreeMap<String, String>,
    form: String,
    words: String,
}

/// A folder after its review.
#[derive(Debug, PartialEq, Eq)]
struct Reviewed {
    standings: BTreeMap<String, BTreeSet<Standing>>,
    steps: BTreeSet<(String, String)>,
    held: BTreeSet<(String, String)>,
    core_proposals: BTreeSet<String>,
    triggers: Vec<String>,
    sessions: String,
    through: Option<String>,
}

/// The same without the numbers that stop where a fact leaves: when it was counted last decides them.
fn uncounted(standings: Option<&BTreeSet<Standing>>) -> BTreeSet<Standing> {
    let mut all = BTreeSet::new();
    for mut standing in standings.into_iter().flatten().cloned() {
        standing.fields.retain(|key, _| !["last_used", "uses", "origin"].contains(&&**key));
        all.insert(standing);
    }
    all
}

/// Tells whether the merge found what one of two orders of the same steps says.
///
/// A footer's `supersedes` may come from the other order: the fact that it names says the same by
/// `superseded-by`. After one step the next may be refused, so that neither order has both links of a
/// chain; the merge has.
fn is_said_by_either(
    found: Option<&BTreeSet<Standing>>,
    ways: [Option<&BTreeSet<Standing>>; 2],
) -> bool {
    const LINK: &str = "supersedes";
    let links = |standings: Option<&BTreeSet<Standing>>| -> BTreeSet<String> {
        let all = standings.into_iter().flatten();
        all.filter_map(|standing| standing.fields.get(LINK).cloned()).collect()
    };
    let unlinked = |standings: Option<&BTreeSet<Standing>>| -> BTreeSet<Standing> {
        let all = uncounted(standings).into_iter().map(|mut standing| {
            standing.fields.remove(LINK);
            standing
        });
        all.collect()
    };
    let known: BTreeSet<String> = ways.into_iter().flat_map(links).collect();
    links(found).is_subset(&known) && ways.iter().any(|way| unlinked(*way) == unlinked(found))
}

fn reviewed(folder: &Snapshot) -> Option<Reviewed> {
    let memory = folder.parse().ok()?;
    let plan = review::plan(&memory, today(), &Selection::default(), &BTreeSet::new()).ok()?;
    let after = folder.with(&plan.changes);
    let mut standings: BTreeMap<String, BTreeSet<Standing>> = BTreeMap::new();
    for (path, source) in &after.files {
        if path.starts_with("memory/sessions/") {
            continue;
        }
        let document = Document::parse(source);
        for fact in document.facts.iter().filter(|fact| fact.form != Form::Quoted) {
            let fields = fact.footer.fields.iter();
            // Of a key that stands twice the last one counts.
            let fields = fields.map(|field| (field.key.clone(), field.value.clone())).collect();
            let standing = Standing {
                file: path.clone(),
                fields,
                form: format!("{:?}", fact.form),
                words: text::collapse_whitespace(&document.words(fact)),
            };
            standings.entry(fact.id().to_owned()).or_default().insert(standing);
        }
    }
    let step = |item: &review::Item| (item.action.as_str().to_owned(), item.id.clone());
    Some(Reviewed {
        standings,
        // How many numbers are stale depends on who counted last; what they become does not.
        steps: plan.items.iter().map(step).filter(|(what, _)| what != "refresh").collect(),
        held: plan.held.iter().map(|held| (held.id.clone(), held.why.clone())).collect(),
        core_proposals: plan.core_proposals.iter().map(|held| held.id.clone()).collect(),
        triggers: plan.triggers,
        sessions: format!("{:?}", plan.window.sessions),
        through: plan.through,
    })
}

fn errors(snapshot: &Snapshot) -> BTreeSet<(LintCode, String)> {
    let memory = snapshot.parse().unwrap();
    lint::errors(&memory).into_iter().map(|finding| (finding.code, finding.subject)).collect()
}

/// The union of two ledgers is what one person would have done who did both, one after the
/// other. Where the order makes no difference, the review after the merge is that of the union;
/// where it does, the merge keeps what either order says, or asks.
fn assert_review_of_both_ledgers(
    base: &Snapshot,
    ours: Vec<Step>,
    theirs: Vec<Step>,
) -> Result<(), TestCaseError> {
    let numbered = |steps: Vec<Step>| steps.into_iter().enumerate().collect::<Vec<_>>();
    let (x, ours) = walk(base, &numbered(ours), "ours");
    let (y, theirs) = walk(base, &numbered(theirs), "theirs");
    let one = reviewed(&walk(&x, &theirs, "theirs").0);
    let other = reviewed(&walk(&y, &ours, "ours").0);
    let (Some(one), Some(other)) = (one, other) else {
        return Err(TestCaseError::reject("an odd folder"));
    };
    let (done, asked) = merged_asking(base, &x, &y);
    let Some(merged) = reviewed(&done) else {
        return Err(TestCaseError::fail("the merged folder cannot be reviewed"));
    };
    let all: BTreeSet<&String> = one.standings.keys().chain(other.standings.keys()).collect();
    // Who came last overwrote what the other said: the union of both has both.
    let (before, said) = (words(base), [words(&x), words(&y)]);
    let is_overwritten = |id: &String| {
        let kept: Vec<&str> = one.standings[id].iter().map(|fact| fact.words.as_str()).collect();
        let mut new = said.iter().filter_map(|side| side.get(id)).flatten();
        new.any(|text| {
            let is_new = !before.get(id).is_some_and(|old| old.contains(text));
            is_new && !kept.contains(&text::collapse_whitespace(text).as_str())
        })
    };
    let (same, disputed): (Vec<&String>, Vec<&String>) = all
        .into_iter()
        .partition(|id| one.standings.get(*id) == other.standings.get(*id) && !is_overwritten(id));
    // To the original an indented item and a paragraph belong to the box above them, and the merge
    // may have put a thread there.
    let after = Document::parse(done.get(CONTINUITY).unwrap_or_default());
    let is_below = |id: &str| {
        let is_loose = |fact: &Fact| {
            let is_indented = after.source[fact.block.clone()].starts_with([' ', '\t']);
            fact.form == Form::Paragraph || is_indented
        };
        after.facts.iter().any(|fact| fact.id() == id && is_loose(fact))
    };
    // The review's own thread lists the others.
    let is_list = |id: &str| id.starts_with("ot-reverify-invariants-");
    for id in same.into_iter().filter(|id| disputed.is_empty() || !is_list(id)) {
        let found = merged.standings.get(id);
        if disputed.is_empty() || !is_below(id) {
            prop_assert_eq!(
                found,
                one.standings.get(id),
                "{} {:?}\n{}",
                id,
                merged.held,
                done.get(CONTINUITY).unwrap_or_default()
            );
        }
    }
    for id in disputed.iter().filter(|id| !is_list(id) && !is_below(id)) {
        let found = merged.standings.get(*id);
        let is_asked = asked.iter().any(|question| question.text.contains(&format!("`{id}`")));
        let ways = [&one, &other].map(|way| way.standings.get(*id));
        prop_assert!(
            is_asked || is_said_by_either(found, ways),
            "{}: {:?}\nnot {:?}\nnor {:?}",
            id,
            found,
            ways[0],
            ways[1]
        );
    }
    // What was filed before the review need not be filed by it: only equal ways are compared.
    if disputed.is_empty() && one == other {
        prop_assert_eq!(&merged, &one);
    }
    Ok(())
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    ProptestConfig { cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_merge_loses_no_id_no_words_and_no_event(
        base in snapshot(),
        ours in vec(step(), 0..6),
        theirs in vec(step(), 0..6),
    ) {
        let (ours, theirs) = (branch(&base, &ours, "ours"), branch(&base, &theirs, "theirs"));
        let done = merged(&base, &ours, &theirs);
        prop_assert_eq!(&merged(&base, &theirs, &ours), &done, "the order of merging matters");

        let (before, x, y, after) = (words(&base), words(&ours), words(&theirs), words(&done));
        let lines = all_lines(&after);
        for side in [&x, &y] {
            for (id, said) in side {
                prop_assert!(after.contains_key(id), "{} is lost", id);
                for text in said.iter().filter(|text| !before.get(id).is_some_and(|old| old.contains(*text))) {
                    for line in text.lines() {
                        prop_assert!(lines.contains(line.trim()), "{:?} of {} is lost", line, id);
                    }
                }
            }
        }
        for (path, text) in ours.files.iter().chain(&theirs.files) {
            if path.starts_with("memory/sessions/") {
                prop_assert_eq!(done.get(path), Some(text.as_ref()));
            }
        }
        for (path, text) in &done.files {
            prop_assert!(!text.contains("<<<<<<<") && !text.contains(">>>>>>>"), "{}", path);
        }
        let known: BTreeSet<_> = errors(&base).into_iter().chain(errors(&ours)).chain(errors(&theirs)).collect();
        let new: Vec<_> = errors(&done).into_iter().filter(|error| !known.contains(error)).collect();
        prop_assert!(
            new.iter().all(|(code, _)| *code == LintCode::OverArchived),
            "{:?}\n{}", new, done.get(CONTINUITY).unwrap_or_default()
        );
    }

    #[test]
    fn a_review_after_a_merge_is_the_review_of_both_ledgers(
        base in snapshot(),
        ours in vec(step(), 0..6),
        theirs in vec(step(), 0..6),
    ) {
        assert_review_of_both_ledgers(&base, ours, theirs)?;
    }

    #[test]
    fn a_side_that_changed_nothing_costs_the_other_no_byte(base in odd_text(), other in odd_text()) {
        let none = Elsewhere::default();
        for kind in [FileKind::Continuity, FileKind::Quarter, FileKind::Index, FileKind::Journal, FileKind::Long] {
            for sides in [
                Sides { base: &base, ours: &base, theirs: &other },
                Sides { base: &base, ours: &other, theirs: &base },
                Sides { base: &base, ours: &other, theirs: &other },
            ] {
                prop_assert_eq!(&three_way(kind, sides, &none).text, &other);
            }
        }
    }

    #[test]
    fn odd_texts_merge_without_losing_a_fact(base in odd_text(), ours in odd_text(), theirs in odd_text()) {
        let none = Elsewhere::default();
        for kind in [FileKind::Continuity, FileKind::Quarter, FileKind::Index, FileKind::Journal, FileKind::Long, FileKind::SessionLog] {
            let sides = Sides { base: &base, ours: &ours, theirs: &theirs };
            let done = three_way(kind, sides, &none);
            let swapped = Sides { base: &base, ours: &theirs, theirs: &ours };
            prop_assert_eq!(&three_way(kind, swapped, &none), &done);
            if kind == FileKind::Continuity {
                let (old, after) = (merge::ids(&base), merge::ids(&done.text));
                for id in merge::ids(&ours).iter().chain(&merge::ids(&theirs)) {
                    prop_assert!(after.contains(id) || old.contains(id), "{} is lost in {:?}", id, done.text);
                }
            }
        }
    }
}
