//! Merging old records of the window into few that stand for them. A plan; nothing is lost by it: the
//! merged records are in the daily logs or go to the archive, and the new ones name them.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Number;

use super::entry::{self, Part};
use super::summary::{self, Said};
use super::window::{self, Entry};
use super::{CHECKPOINT, COMPACTION, Form, Merged, Record, long};
use crate::item::{Sensitivity, Source};

/// Categories that are merged when they are old.
pub const COMPACTABLE: [&str; 2] = ["turn-summary", "note"];

/// Above the first level no more sessions than this are named.
const MOST_SESSIONS: usize = 64;

/// So many compaction records of one level become one of the next.
const FAN: usize = 8;

/// A summary is about a quarter of what it stands for, within these bounds.
const SHORTEST: usize = 2000;
const LONGEST: usize = 8000;

/// What is known about a record beside its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What it says now; nothing where it was forgotten, replaced or found wrong.
    pub text: Option<String>,
    /// Whether it must stay.
    pub pinned: bool,
    /// The strictest label on any copy of it.
    pub label: Option<Sensitivity>,
}

/// What is merged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How new records are written.
    pub form: Form,
    /// The time.
    pub now: Timestamp,
    /// Where the user is: a line has the day of that place.
    pub zone: TimeZone,
    /// Younger records stay.
    pub min_age_days: u32,
    /// The most characters of a summary.
    pub longest_summary: usize,
    /// Ids for new records, as many as there may be.
    pub ids: Vec<String>,
}

/// What a compaction would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The new records.
    pub records: Vec<Record>,
    /// The records that they stand for.
    pub merged: Vec<Entry>,
    /// The window afterwards.
    pub text: String,
    /// What is told of them in the long-term summaries; never a secret.
    pub summary: String,
    /// How many records there were.
    pub before: usize,
    /// How many there are.
    pub after: usize,
}

/// Plans a compaction of the window; nothing where nothing is in scope.
pub fn plan(source: &str, rules: &Rules, state: &dyn Fn(&Record) -> State) -> Option<Plan> {
    let entries = window::entries(source);
    let before = entries.len();
    let first = entries.first().map_or(source.len(), |entry| entry.span.start);
    let limit = limit(rules);
    let mut ids = rules.ids.iter().cloned();
    let (mut open, mut levels) = (Vec::new(), Vec::<Vec<Entry>>::new());
    for mut entry in entries {
        let known = state(&entry.record);
        if entry.record.provenance.timestamp > limit || known.pinned {
            continue;
        }
        let label = &mut entry.record.provenance.sensitivity;
        *label = known.label.map_or(*label, |known| label.stricter(known));
        // A secret stays where it is: no summary may tell it, and nothing else would.
        if *label == Sensitivity::Secret {
            continue;
        }
        if COMPACTABLE.contains(&&*entry.record.category) {
            open.push(entry);
        } else if let Some(level) = level(&entry.record) {
            if levels.len() <= level {
                levels.resize_with(level + 1, Vec::new);
            }
            levels[level].push(entry);
        }
    }
    let mut records = Vec::new();
    let mut merged: Vec<Entry> = Vec::new();
    let mut told = String::new();
    // The oldest first: what merged records say comes before what is merged now.
    for (level, mut old) in levels.into_iter().enumerate().rev() {
        if old.len() >= FAN {
            let text = summary_of(&old, rules, state);
            records.push(record(ids.next()?, &old, level + 1, &text, rules));
            merged.append(&mut old);
        }
    }
    if !open.is_empty() {
        let text = summary_of(&open, rules, state);
        told.clone_from(&text);
        records.push(record(ids.next()?, &open, 1, &text, rules));
        merged.append(&mut open);
    }
    if merged.is_empty() {
        return None;
    }
    merged.sort_by_key(|entry| entry.span.start);
    let left = window::without(source, merged.iter().map(|entry| &entry.span));
    let lines: String = records.iter().map(|record| record.written(rules.form)).collect();
    // Nothing before the first record was taken out, so its place is still the same.
    let text = format!("{}{lines}{}", &left[..first], &left[first..]);
    let after = before - merged.len() + records.len();
    Some(Plan { records, merged, text, summary: told, before, after })
}

fn stands_for(entry: &Entry) -> usize {
    entry.record.merged.as_ref().map_or(1, |merged| merged.records.max(1))
}

/// Returns when the next record comes into scope, where none is; one that is written later comes later.
pub fn next_in_scope(source: &str, rules: &Rules) -> Timestamp {
    let entries = window::entries(source);
    let times = entries
        .iter()
        .filter(|entry| COMPACTABLE.contains(&&*entry.record.category))
        .map(|entry| entry.record.provenance.timestamp)
        .filter(|time| *time > limit(rules));
    let oldest = times.min().unwrap_or(rules.now);
    oldest.checked_add(age(rules)).unwrap_or(Timestamp::MAX)
}

fn age(rules: &Rules) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(rules.min_age_days))
}

fn limit(rules: &Rules) -> Timestamp {
    rules.now.checked_sub(age(rules)).unwrap_or(Timestamp::MIN)
}

/// Returns how often what a compaction record says was merged; a checkpoint says nothing.
fn level(record: &Record) -> Option<usize> {
    if record.category != COMPACTION || record.text == CHECKPOINT {
        return None;
    }
    match &record.merged {
        Some(merged) => usize::try_from(merged.level).ok().filter(|level| (1..64).contains(level)),
        // The original's: it stands for records, and does not say which.
        None if record.session_id == "system" => Some(1),
        None => None,
    }
}

fn summary_of(entries: &[Entry], rules: &Rules, state: &dyn Fn(&Record) -> State) -> String {
    let texts: Vec<(&Record, String)> = entries
        .iter()
        .filter_map(|entry| Some((&entry.record, state(&entry.record).text?)))
        .collect();
    let mut said: Vec<Said<'_>> = Vec::new();
    for (record, text) in &texts {
        let day = record.provenance.timestamp.to_zoned(rules.zone.clone()).date();
        if record.category == COMPACTION {
            // What got into a summary was worth as much as a person's words.
            let parts = long::dated(text, day).into_iter();
            said.extend(parts.map(|(day, text)| Said { day, by_person: true, text }));
        } else {
            said.push(Said { day, by_person: is_by_person(record), text });
        }
    }
    let size: usize = texts.iter().map(|(_, text)| text.chars().count()).sum();
    let budget = (size / 4).clamp(SHORTEST, LONGEST).min(rules.longest_summary);
    summary::extract(&said, budget)
}

/// Tells whether a person wrote a record, and no agent about what it did.
fn is_by_person(record: &Record) -> bool {
    record.item().is_some_and(|item| item.source == Source::Human)
}

/// What a record says that has no summary.
fn without_summary(entries: &[Entry]) -> String {
    let count = entries.len();
    let records = if count == 1 { "record" } else { "records" };
    format!("{count} {records} without a summary: `quipu journal list` shows them.")
}

fn record(id: String, entries: &[Entry], level: usize, text: &str, rules: &Rules) -> Record {
    let bare;
    let text = if text.is_empty() {
        bare = without_summary(entries);
        &bare
    } else {
        text
    };
    let mut record = Record::new(id, "system", COMPACTION, text, rules.now);
    "system".clone_into(&mut record.provenance.source_channel);
    record.provenance.confidence = Number::from(1);
    let labels = entries.iter().map(|entry| entry.record.provenance.sensitivity);
    record.provenance.sensitivity = labels.fold(Sensitivity::Public, Sensitivity::stricter);
    let mut sessions = BTreeSet::new();
    let (mut from, mut to) = (None, None);
    for Entry { record, .. } in entries {
        let time = record.provenance.timestamp;
        let of = record.merged.as_ref();
        let (first, last) = of.map_or((time, time), |merged| {
            (merged.from.unwrap_or(time), merged.to.unwrap_or(time))
        });
        from = Some(from.map_or(first, |from: Timestamp| from.min(first)));
        to = Some(to.map_or(last, |to: Timestamp| to.max(last)));
        match of {
            Some(merged) => sessions.extend(merged.sessions.iter().cloned()),
            None => drop(sessions.insert(record.session_id.clone())),
        }
    }
    // Over the levels they would grow without end; the merged records still name theirs.
    if level > 1 && sessions.len() > MOST_SESSIONS {
        sessions.clear();
    }
    record.merged = Some(Merged {
        ids: entries.iter().map(|entry| entry.record.id.clone()).collect(),
        sessions: sessions.into_iter().collect(),
        from,
        to,
        level: u32::try_from(level).unwrap_or(u32::MAX),
        records: entries.iter().map(stands_for).sum(),
    });
    record
}

/// Tells what would be wrong with a plan: something that must stay left, or a line of the user's did.
///
/// # Errors
/// When carrying it out would lose something.
pub fn check(source: &str, plan: &Plan, rules: &Rules) -> Result<(), String> {
    let before = window::entries(source);
    let after = window::entries(&plan.text);
    if after.len() >= before.len() && plan.merged.len() > plan.records.len() {
        return Err(format!("{} records became {}", before.len(), after.len()));
    }
    let kept: BTreeSet<&str> = after.iter().map(|entry| &*entry.record.id).collect();
    let named: BTreeSet<&str> = plan
        .records
        .iter()
        .flat_map(|record| record.merged.iter().flat_map(|merged| merged.ids.iter()))
        .map(String::as_str)
        .collect();
    for Entry { record, .. } in &before {
        let left = !kept.contains(&*record.id);
        if left && !named.contains(&*record.id) {
            return Err(format!("record {} would be gone", record.id));
        }
        let is_recent = record.provenance.timestamp > limit(rules);
        let is_ours = COMPACTABLE.contains(&&*record.category) || record.category == COMPACTION;
        let is_secret = record.provenance.sensitivity == Sensitivity::Secret;
        if left && (is_recent || !is_ours || is_secret) {
            return Err(format!("record {} must stay", record.id));
        }
    }
    let own = |source: &str| -> Vec<String> {
        let own = entry::parts(source).filter(|part| !matches!(part, Part::Record(_)));
        own.map(|part| source[part.span()].to_owned()).collect()
    };
    if own(source) != own(&plan.text) {
        return Err("a line that is no record would change".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-03-01T00:00:00Z".parse().unwrap()
    }

    fn rules() -> Rules {
        let ids = (0..16).map(|n| format!("new{n}")).collect();
        Rules {
            form: Form::Json,
            now: now(),
            zone: TimeZone::UTC,
            min_age_days: 7,
            longest_summary: 8000,
            ids,
        }
    }

    fn days_ago(id: &str, category: &str, text: &str, days: i64) -> Record {
        let at = now().checked_sub(SignedDuration::from_hours(24 * days)).unwrap();
        Record::new(id, "s1", category, text, at)
    }

    fn as_written(record: &Record) -> State {
        State { text: Some(record.text.clone()), pinned: record.pinned, label: None }
    }

    #[test]
    fn old_notes_are_merged_and_the_rest_stays_in_place() {
        let source = format!(
            "# M\n\n{}mine\n{}{}{}{}",
            days_ago("a", "note", "old", 60).line(),
            days_ago("l", "learned", "lesson", 60).line(),
            days_ago("b", "turn-summary", "older", 30).line(),
            days_ago("h", "heartbeat", "hb", 60).line(),
            days_ago("n", "note", "new", 1).line(),
        );
        let plan = plan(&source, &rules(), &as_written).unwrap();
        check(&source, &plan, &rules()).unwrap();
        assert_eq!((plan.before, plan.after), (5, 4));
        let merged = plan.records[0].merged.as_ref().unwrap();
        assert_eq!(merged.ids, ["a", "b"]);
        assert_eq!(merged.sessions, ["s1"]);
        assert!(merged.from < merged.to);
        assert_eq!(plan.summary, "- 2025-12-31: old\n- 2026-01-30: older");
        let expected = format!(
            "# M\n\n{}mine\n{}{}{}",
            plan.records[0].line(),
            days_ago("l", "learned", "lesson", 60).line(),
            days_ago("h", "heartbeat", "hb", 60).line(),
            days_ago("n", "note", "new", 1).line(),
        );
        assert_eq!(plan.text, expected);
    }

    #[test]
    fn a_secret_stays_in_the_window_and_out_of_the_summary() {
        let mut hidden = days_ago("s", "note", "the word is hunter2", 60);
        hidden.provenance.sensitivity = Sensitivity::Secret;
        let source = format!("{}{}", days_ago("a", "note", "plain", 60).line(), hidden.line());
        let plan = plan(&source, &rules(), &as_written).unwrap();
        check(&source, &plan, &rules()).unwrap();
        assert!(plan.text.contains(&hidden.line()) && !plan.summary.contains("hunter2"));
        assert_eq!(plan.records.len(), 1);
        assert_eq!(plan.records[0].merged.as_ref().unwrap().ids, ["a"]);
    }

    #[test]
    fn a_label_that_is_stricter_elsewhere_counts() {
        let mut open = days_ago("a", "note", "plain", 60);
        open.provenance.sensitivity = Sensitivity::Public;
        let with = |label| {
            let state = move |record: &Record| State { label: Some(label), ..as_written(record) };
            plan(&open.line(), &rules(), &state)
        };
        let private = with(Sensitivity::Private).unwrap();
        assert_eq!(private.records[0].provenance.sensitivity, Sensitivity::Private);
        assert_eq!(with(Sensitivity::Secret), None, "it stays where it is");
    }

    #[test]
    fn what_was_forgotten_is_named_but_not_told() {
        let source = format!(
            "{}{}",
            days_ago("a", "note", "holds", 60).line(),
            days_ago("b", "note", "was wrong", 60).line()
        );
        let state = |record: &Record| State {
            text: Some(record.text.clone()).filter(|_| record.id == "a"),
            ..State::default()
        };
        let plan = plan(&source, &rules(), &state).unwrap();
        assert_eq!(plan.records[0].text, "- 2025-12-31: holds");
        assert_eq!(plan.records[0].merged.as_ref().unwrap().ids, ["a", "b"]);
    }

    #[test]
    fn a_pinned_record_stays() {
        let mut pinned = days_ago("a", "note", "stays", 60);
        pinned.pinned = true;
        assert_eq!(plan(&pinned.line(), &rules(), &as_written), None);
    }

    #[test]
    fn compaction_records_are_merged_again_so_that_they_stay_few() {
        let mut source = String::new();
        let mut now = now();
        let mut most = 0;
        let mut archive: BTreeSet<String> = BTreeSet::new();
        for number in 0..400 {
            now = now.checked_add(SignedDuration::from_hours(24)).unwrap();
            let record = Record::new(
                format!("r{number}"),
                "s",
                "note",
                &format!("thing {number} happened"),
                now,
            );
            source.push_str(&record.line());
            let ids = (0..8).map(|n| format!("c{number}-{n}")).collect();
            let rules = Rules { now, ids, ..rules() };
            if let Some(plan) = plan(&source, &rules, &as_written) {
                check(&source, &plan, &rules).unwrap();
                archive.extend(plan.merged.iter().map(|entry| entry.record.id.clone()));
                source = plan.text;
            }
            most = most.max(window::entries(&source).len());
        }
        assert!(most < 60, "{most} records at once");
        let top = window::entries(&source).into_iter().filter_map(|entry| entry.record.merged);
        assert_eq!(top.map(|merged| merged.records).sum::<usize>(), 400 - 7);
        assert!((0..390).all(|number| archive.contains(&format!("r{number}"))));
    }
}
