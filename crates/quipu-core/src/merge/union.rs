//! Two copies of a file of the ledger as one: every record of both, ordered by time and id, and every line of its user.
//! A record whose words were purged stays purged, whatever the other copy says.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::Sides;
use crate::journal::entry::{self, Part};

/// What the words of a purged record begin with.
pub const PURGED: &str = "(PURGED ";

/// The records and lines of one copy.
#[derive(Default)]
struct Copy<'a> {
    records: BTreeMap<(Timestamp, String), &'a str>,
    /// Lines of its user, and those that cannot be read, by the record that they stand below.
    lines: BTreeMap<Option<String>, Vec<&'a str>>,
}

/// Returns the union of two copies. What only one of them changed since `base` is as that one has it; a record that one
/// of them no longer has comes back, because a ledger loses nothing.
pub fn unite(sides: Sides<'_>) -> String {
    let Sides { base, ours, theirs } = sides;
    // Where something was purged, a copy of it may stand in what only one side changed.
    let is_plain = !base.contains(PURGED);
    if ours == theirs || (is_plain && theirs == base) {
        return ours.to_owned();
    }
    if is_plain && ours == base {
        return theirs.to_owned();
    }
    let [base, ours, theirs] = [base, ours, theirs].map(read);
    let keys: BTreeSet<&(Timestamp, String)> =
        [&base, &ours, &theirs].into_iter().flat_map(|copy| copy.records.keys()).collect();
    let mut text = String::new();
    push_lines(&mut text, None, [&base, &ours, &theirs]);
    for key in keys {
        let of = |copy: &Copy<'_>| copy.records.get(key).map(|text| (*text).to_owned());
        if let Some(record) = chosen(of(&base), of(&ours), of(&theirs)) {
            push(&mut text, &record);
        }
        push_lines(&mut text, Some(&key.1), [&base, &ours, &theirs]);
    }
    text
}

/// Returns the ids of the records in a file, with what they say of themselves.
pub fn parts(source: &str) -> impl Iterator<Item = (Option<String>, &str)> {
    entry::parts(source).map(|part| {
        let id = match &part {
            Part::Record(entry) => Some(entry.record.id.clone()),
            Part::Broken { .. } | Part::Own { .. } => None,
        };
        (id, &source[part.span()])
    })
}

fn read(source: &str) -> Copy<'_> {
    let mut copy = Copy::default();
    let mut above = None;
    for part in entry::parts(source) {
        let text = &source[part.span()];
        match part {
            Part::Record(entry) => {
                above = Some(entry.record.id.clone());
                let key = (entry.record.provenance.timestamp, entry.record.id);
                let known = copy.records.get(&key).copied();
                copy.records.insert(key, known.map_or(text, |known| stronger(known, text)));
            }
            Part::Own { .. } | Part::Broken { .. } if text.trim().is_empty() => {}
            Part::Own { .. } | Part::Broken { .. } => {
                copy.lines.entry(above.clone()).or_default().push(text);
            }
        }
    }
    copy
}

/// Returns what a record says where copies differ.
fn chosen(base: Option<String>, ours: Option<String>, theirs: Option<String>) -> Option<String> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Some(match base {
            _ if ours == theirs => ours,
            _ if is_purged(&ours) != is_purged(&theirs) => stronger(&ours, &theirs).to_owned(),
            Some(base) if base == ours => theirs,
            Some(base) if base == theirs => ours,
            _ => stronger(&ours, &theirs).to_owned(),
        }),
        (one, other) => one.or(other).or(base),
    }
}

/// Of two texts of one record: the purged one, otherwise the same on every machine.
fn stronger<'a>(one: &'a str, other: &'a str) -> &'a str {
    match (is_purged(one), is_purged(other)) {
        (true, false) => one,
        (false, true) => other,
        _ => one.max(other),
    }
}

fn is_purged(text: &str) -> bool {
    text.contains(PURGED)
}

fn push(text: &mut String, piece: &str) {
    text.push_str(piece);
    if !piece.ends_with('\n') {
        text.push('\n');
    }
}

/// Adds the lines below a record that either copy has, but for those that one of them took out since `base`.
fn push_lines(text: &mut String, below: Option<&String>, [base, ours, theirs]: [&Copy<'_>; 3]) {
    let below = below.cloned();
    let of = |copy: &Copy<'_>| -> Vec<String> {
        let lines = copy.lines.get(&below).into_iter().flatten();
        lines.map(|line| line.trim_end_matches(['\r', '\n']).to_owned()).collect()
    };
    let (base, ours, theirs) = (of(base), of(ours), of(theirs));
    let (first, second) = if ours <= theirs { (&ours, &theirs) } else { (&theirs, &ours) };
    let is_kept =
        |line: &&String, other: &Vec<String>| other.contains(line) || !base.contains(line);
    for line in first.iter().filter(|line| is_kept(line, second)) {
        push(text, line);
    }
    for line in second.iter().filter(|line| !first.contains(line) && is_kept(line, first)) {
        push(text, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, minute: u8, text: &str) -> String {
        format!(
            "- {text}\n  <!-- id: {id} | at: 2026-11-15T09:{minute:02}:00Z | category: note -->\n"
        )
    }

    #[test]
    fn days_unite_by_time_and_id_on_every_machine_alike() {
        let base = record("a000000001", 1, "one");
        let ours = format!("{base}{}my own line\n", record("b000000002", 5, "ours"));
        let theirs = format!("{base}{}", record("c000000003", 3, "theirs"));
        let united = unite(Sides { base: &base, ours: &ours, theirs: &theirs });
        assert_eq!(united, unite(Sides { base: &base, ours: &theirs, theirs: &ours }));
        let expected = format!(
            "{base}{}{}my own line\n",
            record("c000000003", 3, "theirs"),
            record("b000000002", 5, "ours")
        );
        assert_eq!(united, expected);
        assert_eq!(unite(Sides { base: &base, ours: &united, theirs: &theirs }), united, "again");
        let without = unite(Sides { base: &united, ours: &base, theirs: &theirs });
        assert!(
            without.contains("ours") && without.contains("theirs"),
            "nothing is lost: {without}"
        );
    }

    #[test]
    fn what_was_purged_stays_purged() {
        let copy = record("a000000001", 1, "the words");
        let purged = record("a000000001", 1, "(PURGED 2026-11-16)");
        for (base, ours, theirs) in
            [(&copy, &copy, &purged), (&purged, &copy, &purged), (&String::new(), &purged, &copy)]
        {
            let more = record("b000000002", 2, "more");
            let ours = format!("{ours}{more}");
            let united = unite(Sides { base, ours: &ours, theirs });
            assert!(!united.contains("the words") && united.contains("more"), "{united}");
        }
    }
}
