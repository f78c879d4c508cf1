//! How well the scanner tells credentials from what looks like them, on two halves of formats that a hash of the
//! name divides. Rules were made with the development half in sight; the test half only measures them.
//!
//! `cargo test -p quipu-core --test secrets -- --nocapture` prints the figures. `QUIPU_SECRETS_SHOW=1` lists what
//! of the development half is missed or flagged.

#[path = "secrets/contexts.rs"]
mod contexts;
#[path = "secrets/fill.rs"]
mod fill;
#[path = "secrets/later.rs"]
mod later;
#[path = "secrets/tokens.rs"]
mod tokens;

use fill::{Dice, Sample, fill};
use quipu_core::secret::{self, Scope};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Half {
    Development,
    Test,
}

fn half(name: &str) -> Half {
    if fill::hash(name).is_multiple_of(2) { Half::Development } else { Half::Test }
}

#[expect(clippy::print_stderr, reason = "figures for the record")]
fn tell(figures: &str) {
    eprintln!("{figures}");
}

fn shows() -> bool {
    std::env::var_os("QUIPU_SECRETS_SHOW").is_some()
}

/// Every format, three times.
fn credentials() -> Vec<(&'static str, &'static str, Sample)> {
    let mut samples = Vec::new();
    for (name, template) in tokens::TOKENS.iter().chain(later::TOKENS) {
        let mut dice = Dice::of(name);
        for _ in 0..3 {
            let place = tokens::PLACES[dice.next(tokens::PLACES.len())];
            samples.push(("token", *name, fill(&mut dice, &place.replace("@@", template))));
        }
    }
    for (name, template) in contexts::CONTEXTS.iter().chain(later::CONTEXTS) {
        let mut dice = Dice::of(name);
        samples.extend((0..3).map(|_| ("context", *name, fill(&mut dice, template))));
    }
    samples
}

/// The kinds of look-alikes with their samples.
fn kinds() -> Vec<(&'static str, Vec<&'static str>)> {
    let texts = [include_str!("secrets/lookalikes.txt"), include_str!("secrets/later.txt")];
    let kinds = texts.iter().flat_map(|text| text.split("\n== ").skip(1)).map(|kind| {
        let mut parts = kind.trim_end_matches('\n').split("\n--\n");
        (parts.next().expect("a kind has a name"), parts.collect())
    });
    kinds.collect()
}

fn lookalikes() -> Vec<(&'static str, String)> {
    let mut samples = Vec::new();
    for (name, templates) in kinds() {
        let mut dice = Dice::of(name);
        samples.extend(templates.iter().map(|template| (name, fill(&mut dice, template).text)));
    }
    samples
}

fn categories(text: &str) -> Vec<&'static str> {
    secret::scan(text, Scope::Credentials).into_iter().map(|hit| hit.category).collect()
}

/// Returns how many of a half there are and how many were caught, and how many of those left nothing behind.
fn caught(wanted: Half) -> (usize, usize, usize) {
    let (mut all, mut found, mut removed) = (0, 0, 0);
    for kind in ["token", "context"] {
        let (mut count, mut hits) = (0, 0);
        for (_, name, sample) in
            credentials().iter().filter(|(k, n, _)| *k == kind && half(n) == wanted)
        {
            count += 1;
            let is_found = !categories(&sample.text).is_empty();
            hits += usize::from(is_found);
            let clean = secret::redacted(&sample.text, Scope::Credentials);
            let is_removed = sample.secrets.is_empty()
                || sample.secrets.iter().any(|secret| !clean.contains(secret.as_str()));
            removed += usize::from(is_found && is_removed);
            if shows() && wanted == Half::Development && !(is_found && is_removed) {
                tell(&format!("missed ({name}): {:?}", sample.text));
            }
        }
        tell(&format!("{wanted:?}: {hits} of {count} of kind {kind} caught"));
        (all, found) = (all + count, found + hits);
    }
    (all, found, removed)
}

fn flagged(wanted: Half) -> (usize, usize) {
    let samples = lookalikes();
    let of_half: Vec<_> = samples.iter().filter(|(name, _)| half(name) == wanted).collect();
    let alarms = of_half.iter().filter(|(name, text)| {
        let found = categories(text);
        if shows() && wanted == Half::Development && !found.is_empty() {
            tell(&format!("flagged ({name}) as {found:?}: {text:?}"));
        }
        !found.is_empty()
    });
    (of_half.len(), alarms.count())
}

#[test]
fn the_sets_are_large_and_divided() {
    let formats = tokens::TOKENS.iter().chain(contexts::CONTEXTS);
    let formats = formats.chain(later::TOKENS).chain(later::CONTEXTS);
    let formats: Vec<&str> = formats.map(|(name, _)| *name).collect();
    let kinds: Vec<&str> = kinds().iter().map(|(name, _)| *name).collect();
    assert!(lookalikes().len() >= 3 * kinds.len(), "three samples of each");
    for (names, least) in [(formats, 150), (kinds, 150)] {
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len(), "a name stands twice");
        let tested = names.iter().filter(|name| half(name) == Half::Test).count();
        tell(&format!("{} names, {tested} in the test half", names.len()));
        assert!(
            names.len() >= least && tested * 5 >= names.len() * 2 && tested * 5 <= names.len() * 3
        );
    }
}

#[test]
fn credentials_are_caught() {
    let halves = [Half::Development, Half::Test];
    let figures = halves.map(|wanted| (wanted, caught(wanted)));
    for (wanted, (all, found, removed)) in figures {
        tell(&format!(
            "{wanted:?}: {found} of {all} credentials caught, {removed} removed by a redaction"
        ));
    }
    for (wanted, (all, found, removed)) in figures {
        assert!(found * 100 >= all * 95, "{wanted:?}: {found} of {all}");
        assert!(removed * 100 >= all * 94, "{wanted:?}: {removed} of {all} removed");
    }
}

#[test]
fn lookalikes_raise_no_alarm() {
    let figures = [Half::Development, Half::Test].map(|wanted| (wanted, flagged(wanted)));
    for (wanted, (all, alarms)) in figures {
        tell(&format!("{wanted:?}: {alarms} of {all} look-alikes flagged"));
    }
    for (wanted, (all, alarms)) in figures {
        assert!(alarms * 100 <= all * 2, "{wanted:?}: {alarms} of {all}");
    }
}
