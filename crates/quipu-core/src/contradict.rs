//! Which live facts a new one may contradict, by rule, with the reasons.
//!
//! Two facts can only conflict when they are about the same subject: they share rare words. Then
//! opposite polarity, a changed number, another name in the same frame, or wording such as
//! "instead of" make a conflict likely. The caller decides; nothing is picked here (DESIGN rule 4).

mod known;
mod order;
pub mod outdated;
mod telling;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::known::Known;
pub(crate) use self::order::{is_in_order, reversed};
use crate::doc::{Document, Fact};
use crate::lint::{Finding, LintCode, stamp};
use crate::memory::{CONTINUITY, Memory};
use crate::prose;
use crate::terms::Language;
use crate::when;

pub use self::telling::Telling;

/// A fact that the new text may conflict with.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Candidate {
    /// The fact.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Whether it never decays; then adding the new fact needs an explicit confirmation.
    pub is_core: bool,
    /// How alike the subjects are and how strong the signs of conflict, 0 to 1; it only ranks.
    pub score: f64,
    /// Why it is listed.
    pub reasons: Vec<String>,
}

/// Subjects less alike than this are different subjects.
const SAME_SUBJECT: f64 = 0.34;
/// Texts more alike than this say the same thing, or nearly so.
const SAME_TEXT: f64 = 0.75;
/// Without any sign of conflict, subjects must be this alike to be worth a look.
const CLOSE_SUBJECT: f64 = 0.55;

/// A review compares no more pairs than this, the newest facts first: it must stay quick.
const MOST_COMPARISONS: usize = 100_000;
/// A review raises what it meets only from this score on.
const SURE: f64 = 0.6;

/// Returns the live facts that `text` may contradict or repeat, the likeliest first.
pub fn candidates(document: &Document<'_>, text: &str) -> Vec<Candidate> {
    Known::of(document).candidates(text)
}

/// Returns the same for each of many texts; the facts are read once.
pub fn candidates_of_each(document: &Document<'_>, texts: &[&str]) -> Vec<Vec<Candidate>> {
    let known = Known::of(document);
    texts.iter().map(|text| known.candidates(text)).collect()
}

/// Tells whether a text denies something.
pub(crate) fn is_negated(text: &str) -> bool {
    Words::of(text).is_negated
}

/// Returns the first two of some texts, oldest first, that cannot both hold.
pub fn first_conflict(texts: &[&str]) -> Option<(usize, usize)> {
    let words: Vec<Words> = texts.iter().map(|text| Words::of(text)).collect();
    (0..words.len()).find_map(|newer| {
        let older = (0..newer).find(|older| between(&words[*older], &words[newer]).is_some())?;
        Some((older, newer))
    })
}

/// Returns why two texts about the same cannot both hold, the older first; nothing where they can, or
/// are about different things.
pub fn conflict(older: &str, newer: &str) -> Option<String> {
    between(&Words::of(older), &Words::of(newer))
}

fn between(old: &Words, new: &Words) -> Option<String> {
    let shared = shared_stems(old, new).count();
    let smaller = old.topics(new).min(new.topics(old));
    if shared < 2 || value::are_about_others(&old.said, &new.said) {
        return None;
    }
    // The same sentence but for its end needs no more words.
    if let Some((from, to)) = value::changed_end(&old.said, &new.said) {
        return Some(format!("{from} became {to}"));
    }
    if let Some((from, to)) = value::changed_count(&old.said, &new.said) {
        return Some(format!("{from} became {to}"));
    }
    if shared * 5 < smaller * 3 {
        return None;
    }
    // "Marlin answers on 8443" and "Juniper answers on 9090" are about two things.
    let has_other_number = changed(&old.numbers, &new.numbers).is_some();
    let has_other_name = changed(&old.own_names(new), &new.own_names(old)).is_some();
    let is_other = match (&old.first, &new.first) {
        (Some(a), Some(b)) => !new.subject.contains_key(a) && !old.subject.contains_key(b),
        _ => false,
    };
    if [has_other_number, has_other_name, is_other].into_iter().filter(|sign| *sign).count() > 1 {
        return None;
    }
    let mut signs = signs(new, old);
    if signs.is_empty()
        && let Some((from, to)) = value::changed_word(&old.said, &new.said)
    {
        signs.push(format!("{from} became {to}"));
    }
    (!signs.is_empty()).then(|| signs.join("; "))
}

/// Returns a finding for each fact created since the last review that conflicts with another.
///
/// Before the first review every fact is new; comparing all with all is no news to anybody.
pub(crate) fn among_new(memory: &Memory<'_>) -> Vec<Finding> {
    let document = &memory.continuity;
    let Some(since) = stamp(document, "last_review") else { return Vec::new() };
    let since = since.get(..10).unwrap_or(since);
    let new: Vec<&Fact> = document
        .distinct_facts()
        .into_iter()
        .filter(|fact| fact.footer.get("created").is_some_and(|created| created > since))
        .filter(|fact| !fact.is_thread() && !fact.footer.is_superseded())
        .collect();
    if new.is_empty() {
        return Vec::new();
    }
    let known = Known::of(document);
    let most = (MOST_COMPARISONS / known.facts.len().max(1)).max(1);
    let mut findings = Vec::new();
    for fact in new.into_iter().rev().take(most) {
        let linked = [fact.footer.get("supersedes"), Some(fact.id())];
        let others = known.candidates(&document.words(fact));
        let other = others.into_iter().find(|other| {
            !linked.contains(&Some(other.id.as_str()))
                && other.reasons.len() > 1
                && other.score >= SURE
        });
        if let Some(other) = other {
            findings.push(Finding {
                severity: LintCode::Contradiction.severity(),
                code: LintCode::Contradiction,
                subject: fact.id().to_owned(),
                path: CONTINUITY.to_owned(),
                line: Some(fact.line),
                message: format!(
                    "`{}` may contradict `{}`: {}",
                    fact.id(),
                    other.id,
                    other.reasons.join("; ")
                ),
                hint: format!(
                    "if it replaces it, `quipu fact supersede {} {}`; if unsure, `quipu thread open \"Contradiction: …\"`",
                    other.id,
                    fact.id()
                ),
            });
        }
    }
    findings
}

/// Returns the signs that two texts about one subject disagree.
fn signs(new: &Words, old: &Words) -> Vec<String> {
    let mut signs = Vec::new();
    if let Some(words) = &new.replaces {
        signs.push(format!("it says \"{words}\""));
    }
    if new.is_negated != old.is_negated {
        signs.push("one says it and the other denies it".to_owned());
    }
    if let Some((from, to)) = changed(&old.numbers, &new.numbers) {
        signs.push(format!("{from} became {to}"));
    } else if let Some((from, to)) = changed(&old.days, &new.days) {
        signs.push(format!("{from} became {to}"));
    } else if let Some((from, to)) = changed(&old.own_names(new), &new.own_names(old)) {
        signs.push(format!("{from} became {to}"));
    }
    signs
}

/// Returns a value of `old` and one of `new` where both have some and share none.
fn changed(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Option<(String, String)> {
    let only_old: Vec<&String> = old.difference(new).collect();
    let only_new: Vec<&String> = new.difference(old).collect();
    match (only_old.as_slice(), only_new.as_slice()) {
        ([from, ..], [to, ..]) if only_old.len() <= 2 && only_new.len() <= 2 => {
            Some(((*from).clone(), (*to).clone()))
        }
        _ => None,
    }
}

/// A text as the rules see it.
pub(crate) struct Words {
    /// Stems, each with the word that it came from.
    subject: BTreeMap<String, String>,
    numbers: BTreeSet<String>,
    /// Months and days of the week: parts of a date, and the names of nothing.
    days: BTreeSet<String>,
    names: BTreeSet<String>,
    /// The stem of the first word, where it may be a name.
    first: Option<String>,
    is_negated: bool,
    replaces: Option<&'static str>,
    said: Vec<value::Word>,
}

const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "dont",
    "doesnt",
    "cannot",
    "cant",
    "wont",
    "isnt",
    "arent",
    "mustnt",
    "shouldnt",
    "without",
    "avoid",
    "forbid",
    "forbidden",
    "stop",
    "disable",
    "disabled",
    "drop",
    "dropped",
    "remove",
    "removed",
    "neither",
    "nor",
];

const REPLACEMENTS: &[&str] = &[
    "no longer",
    "instead of",
    "replaced by",
    "replaces",
    "replaced",
    "switched to",
    "switch to",
    "moved to",
    "migrated to",
    "migrate to",
    "rather than",
    "not anymore",
    "changed to",
    "renamed to",
    "deprecated",
    "superseded",
    "obsolete",
];

const STOPWORDS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does",
    "each", "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "may", "more",
    "must", "of", "on", "only", "or", "our", "should", "so", "than", "that", "the", "their",
    "them", "then", "there", "this", "to", "up", "use", "used", "uses", "using", "via", "was",
    "we", "were", "when", "which", "will", "with", "you", "your", "always", "every", "all", "now",
    "also",
];

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let lower = text.to_lowercase().replace(['\'', '’'], "");
        let spaced = format!(" {} ", crate::text::collapse_whitespace(&lower));
        let mut words = Self {
            subject: BTreeMap::new(),
            numbers: BTreeSet::new(),
            days: BTreeSet::new(),
            names: BTreeSet::new(),
            first: None,
            is_negated: false,
            said: value::said(text),
            replaces: REPLACEMENTS
                .iter()
                .copied()
                .find(|phrase| spaced.contains(&format!(" {phrase} "))),
        };
        for (position, raw) in prose::spoken_words(text).enumerate() {
            let plain: String = raw.to_lowercase().replace(['\'', '’'], "");
            if NEGATIONS.contains(&plain.as_str()) {
                words.is_negated = true;
            } else if is_of_calendar(raw, &plain) {
                words.days.insert(raw.to_owned());
            } else if is_number(&plain) {
                words.numbers.insert(plain);
            } else if !STOPWORDS.contains(&plain.as_str()) {
                let looks_like_name = raw.chars().any(char::is_uppercase)
                    && (position > 0 || raw.chars().skip(1).any(char::is_uppercase));
                if looks_like_name {
                    words.names.insert(raw.to_owned());
                }
                if position == 0 && raw.starts_with(char::is_uppercase) {
                    words.first = Some(stem(&plain));
                }
                words.subject.extend(stems(&plain));
            }
        }
        words
    }

    /// Tells whether the text denies something.
    pub(crate) fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Returns why two texts about the same cannot both hold, this being the older one.
    pub(crate) fn conflict(&self, newer: &Self) -> Option<String> {
        between(self, newer)
    }

    /// Returns the names that the other text does not have, wherever they stand in it.
    fn own_names(&self, other: &Self) -> BTreeSet<String> {
        let is_own = |name: &&String| !other.subject.contains_key(&stem(&name.to_lowercase()));
        self.names.iter().filter(is_own).cloned().collect()
    }

    /// Returns how many words tell what it is about: a value that the other text lacks does not.
    fn topics(&self, other: &Self) -> usize {
        self.subject.len().saturating_sub(value::own_marks(&self.said, &other.said))
    }
}

/// Tells whether a word is a month or a day of the week.
fn is_of_calendar(raw: &str, plain: &str) -> bool {
    raw.starts_with(char::is_uppercase) && when::names_a_date(plain)
}

fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('v').unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the parts of a word, each with its stem, so that `retries` meets `retry`.
fn stems(word: &str) -> impl Iterator<Item = (String, String)> {
    word.split(['-', '_', '/', '.', ':', '='])
        .filter(|part| part.chars().count() > 1)
        .map(|part| (stem(part), part.to_owned()))
        .filter(|(stem, _)| !STOPWORDS.contains(&stem.as_str()))
}

fn stem(word: &str) -> String {
    Language::English.stem(word)
}

/// Returns the stems that two texts share.
fn shared_stems<'w>(a: &'w Words, b: &'w Words) -> impl Iterator<Item = &'w String> {
    a.subject.keys().filter(|stem| b.subject.contains_key(*stem))
}

/// How rare each word is among the texts at hand.
struct Rarity {
    weight: BTreeMap<String, f64>,
    /// The weight of a word that no text has.
    unseen: f64,
}

impl Rarity {
    fn of<'w>(texts: impl Iterator<Item = &'w Words>) -> Self {
        let mut count: BTreeMap<String, u32> = BTreeMap::new();
        let mut total = 0_u32;
        for words in texts {
            total += 1;
            for word in words.subject.keys() {
                *count.entry(word.clone()).or_default() += 1;
            }
        }
        let weight = count
            .into_iter()
            .map(|(word, n)| (word, (1.0 + f64::from(total) / f64::from(n)).ln()))
            .collect();
        Self { weight, unseen: (1.0 + f64::from(total.max(1))).ln() }
    }

    fn of_word(&self, word: &str) -> f64 {
        self.weight.get(word).copied().unwrap_or(self.unseen)
    }

    fn sum<'w>(&self, words: impl Iterator<Item = &'w String>) -> f64 {
        words.map(|word| self.of_word(word)).sum()
    }

    /// Returns how much of the shorter text's weight both share.
    fn overlap(&self, a: &Words, b: &Words) -> f64 {
        let shared = shared_stems(a, b).count();
        let smaller = self.sum(a.subject.keys()).min(self.sum(b.subject.keys()));
        // One shared word is a coincidence, unless it is nearly all there is.
        if shared == 0
            || smaller <= 0.0
            || (shared == 1 && a.subject.len().min(b.subject.len()) > 2)
        {
            return 0.0;
        }
        self.sum(shared_stems(a, b)) / smaller
    }

    fn rarest_shared(&self, a: &Words, b: &Words) -> Vec<String> {
        let mut shared: Vec<&String> = shared_stems(a, b).collect();
        shared.sort_by(|x, y| self.of_word(y).total_cmp(&self.of_word(x)).then_with(|| x.cmp(y)));
        shared.into_iter().take(4).map(|stem| a.subject[stem].clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: &str = "## Key Decisions\n\n\
        - POST-only for mutations, no PUT or PATCH\n  <!-- id: post-only-mutations | tier: core -->\n\
        - Webhooks use fire-and-forget, no retry queue\n  <!-- id: webhook-fire-forget | tier: active -->\n\
        - The client retries a failed request 3 times\n  <!-- id: client-retry-count | tier: active -->\n\
        - Persistence goes through Prisma\n  <!-- id: orm-is-prisma | tier: active -->\n\
        - The API listens on port 8080 behind nginx\n  <!-- id: api-port-nginx | tier: active -->\n";

    fn ids(text: &str) -> Vec<String> {
        candidates(&Document::parse(LIVE), text).into_iter().map(|candidate| candidate.id).collect()
    }

    #[test]
    fn a_changed_number_is_a_conflict() {
        assert_eq!(ids("The client retries failed requests 5 times")[0], "client-retry-count");
    }

    #[test]
    fn another_name_in_the_same_frame_is_a_conflict() {
        let found = candidates(&Document::parse(LIVE), "Persistence goes through Drizzle");
        assert_eq!(found[0].id, "orm-is-prisma");
        assert!(
            found[0].reasons.iter().any(|reason| reason == "Prisma became Drizzle"),
            "{:?}",
            found[0].reasons
        );
    }

    #[test]
    fn opposite_polarity_and_replacement_wording_are_conflicts() {
        assert_eq!(ids("Webhooks now have a retry queue")[0], "webhook-fire-forget");
        assert_eq!(ids("We no longer send webhooks as fire-and-forget")[0], "webhook-fire-forget");
    }

    #[test]
    fn two_texts_conflict_only_about_the_same() {
        let why = conflict("The API listens on port 8080", "The API listens on port 9090");
        assert_eq!(why.as_deref(), Some("8080 became 9090"));
        assert_eq!(conflict("The API listens on port 8080", "The API listens on port 8080."), None);
        assert_eq!(conflict("The API listens on port 8080", "Lunch costs 9 euros"), None);
        assert_eq!(conflict("Marlin answers on port 8443", "Juniper answers on port 9090"), None);
        assert!(conflict("Retries stop after 3 tries", "Retry stops after 5 tries").is_some());
    }

    #[test]
    fn what_is_said_of_another_is_no_conflict() {
        for (older, newer) in [
            ("The owner of Falcon is Grace", "The owner of Basalt is Grace"),
            ("Branches of Marlin are named a/b", "Branches of Juniper are named c/d"),
            ("We host Basalt in Zurich", "We host Orchid in Zurich"),
            ("In Marlin a branch is called topic", "In Orchid a branch is called team"),
            ("Requests of Kestrel end after 45 s", "Juniper ends a request after 90 s"),
            ("Marlin stores everything in MongoDB", "Juniper stores everything in SQLite"),
            ("Tundra is tested on Travis", "Travis tests the code of Tundra"),
            ("The release day of Falcon is Monday", "Logs of Falcon are kept for 90 days"),
            ("The owner of Falcon is Grace", "The owner of Falcon is Grace"),
        ] {
            assert_eq!(conflict(older, newer), None, "{older} | {newer}");
        }
    }

    #[test]
    fn any_other_value_of_the_same_is_a_conflict() {
        for (older, newer, why) in [
            (
                "The deadline of Orchid is 14 March",
                "The deadline of Orchid is 2 April",
                "14 became 2",
            ),
            (
                "A release of Orchid goes out each Monday",
                "The release day of Orchid is Friday",
                "Monday became Friday",
            ),
            (
                "People of Basalt talk in #workshop",
                "People of Basalt talk in #bridge",
                "#workshop became #bridge",
            ),
            (
                "The chat channel of Basalt is #a",
                "Questions about Basalt go to the channel #b",
                "#a became #b",
            ),
            ("The theme of Marlin is dark", "The theme of Marlin is light", "dark became light"),
            (
                "Drone runs the tests of Marlin",
                "Jenkins runs the tests of Marlin",
                "drone became jenkins",
            ),
            (
                "Basalt wants 2 approvals before a merge",
                "A change to Basalt needs 3 approvals",
                "2 became 3",
            ),
        ] {
            assert_eq!(conflict(older, newer).as_deref(), Some(why), "{older} | {newer}");
        }
    }

    #[test]
    fn a_core_fact_is_marked() {
        let found = candidates(&Document::parse(LIVE), "Allow PUT and PATCH for mutations");
        assert!(found[0].is_core);
    }

    #[test]
    fn another_subject_is_no_conflict() {
        assert_eq!(ids("Logs are written as JSON to stdout"), [""; 0]);
        assert_eq!(ids("Release notes are written by hand"), [""; 0]);
    }
}
