//! What a session starts with: the most valuable of what is remembered, in a bounded text.
//!
//! Parts compete for room by class, then by value; whole parts only, nothing twice. What got in is
//! rendered in an order that does not depend on the competition, so that prompt caches hit.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::text;

/// What stands between two sections.
const SEPARATOR: &str = "\n\n---\n\n";

/// Room that is kept for the note about what was left out: an eighth, and no more than this.
const NOTE: usize = 400;

/// How much a part matters. The order is the order of the competition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// About the user, pinned, open, core, or an invariant.
    Standing,
    /// What somebody prefers, learned or decided.
    Lasting,
    /// From today.
    Today,
    /// Relevant to the hint.
    Relevant,
    /// Summaries of what was long ago.
    Summary,
    /// From yesterday, or the newest session logs.
    Recent,
    /// The rest.
    Other,
}

impl Class {
    const ALL: [Self; 7] = [
        Self::Standing,
        Self::Lasting,
        Self::Today,
        Self::Relevant,
        Self::Summary,
        Self::Recent,
        Self::Other,
    ];

    /// The share of the room, in per cent, that the class may take before others had theirs.
    fn share(self) -> usize {
        match self {
            Self::Standing => 35,
            Self::Lasting | Self::Today => 18,
            Self::Relevant | Self::Summary => 10,
            Self::Recent => 6,
            Self::Other => 0,
        }
    }
}

/// Something that may get in.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The heading that it stands under.
    pub section: String,
    /// The place of that heading.
    pub rank: usize,
    /// Its place below the heading.
    pub order: (i64, usize),
    /// How much it matters.
    pub class: Class,
    /// How it compares to others of its class; more is better.
    pub value: f64,
    /// What is remembered under this name; the same one gets in once.
    pub id: Option<String>,
    /// What is written, from the first hyphen to the last line.
    pub text: String,
    /// The words alone, by which repetition is known.
    pub words: String,
}

/// How long a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// In characters.
    Chars(usize),
    /// In tokens, as far as they can be estimated.
    Tokens(usize),
}

impl Cap {
    fn most(self) -> usize {
        match self {
            Self::Chars(most) | Self::Tokens(most) => most,
        }
    }

    /// Returns how much is kept for the note about what was left out.
    fn note(self) -> usize {
        match self {
            Self::Chars(most) => NOTE.min(most / 8).max(80),
            Self::Tokens(most) => (NOTE / 4).min(most / 8).max(20),
        }
    }

    /// Returns how much of the cap a text takes.
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Chars(_) => text.chars().count(),
            Self::Tokens(_) => text::tokens(text),
        }
    }
}

/// What became of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SectionReport {
    /// Its heading.
    pub heading: String,
    /// The ids of what got in, in order.
    pub ids: Vec<String>,
    /// How many parts got in.
    pub parts: usize,
    /// How many were left out.
    pub left_out: usize,
}

/// A briefing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Composed {
    /// The text; empty where there is nothing to tell.
    pub text: String,
    /// Its sections, in order.
    pub sections: Vec<SectionReport>,
    /// Ids of what alone was too long to get in.
    pub too_long: Vec<String>,
}

/// Puts a briefing together. `beyond` says how many more there are of what, and how to get at them.
pub fn compose(parts: Vec<Part>, cap: Cap, beyond: &[(usize, String)]) -> Composed {
    let parts = without_repetition(parts);
    let mut room = Room::new(&parts, cap);
    for class in Class::ALL {
        let share = cap.most() * class.share() / 100;
        room.admit(class, share);
    }
    for class in Class::ALL {
        room.admit(class, usize::MAX);
    }
    room.composed(beyond)
}

/// Keeps the most valuable of parts that say the same.
fn without_repetition(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by(|a, b| {
        a.class.cmp(&b.class).then(b.value.total_cmp(&a.value)).then(a.order.cmp(&b.order))
    });
    let mut ids = BTreeSet::new();
    let mut said: BTreeSet<String> = BTreeSet::new();
    parts.retain(|part| {
        let words = normalised(&part.words);
        let is_new = part.id.clone().is_none_or(|id| ids.insert(id));
        is_new && !words.is_empty() && said.insert(words)
    });
    parts
}

/// Letters in one case and white space as one; `C` and `C++` stay two things.
fn normalised(words: &str) -> String {
    let lower = words.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!']).to_owned()
}

struct Room<'p> {
    parts: &'p [Part],
    cap: Cap,
    left: usize,
    taken: Vec<bool>,
    /// What each class has taken.
    used: BTreeMap<Class, usize>,
    /// Sections whose heading is paid for.
    open: BTreeSet<(usize, &'p str)>,
}

impl<'p> Room<'p> {
    fn new(parts: &'p [Part], cap: Cap) -> Self {
        let left = cap.most().saturating_sub(cap.note());
        let (taken, used) = (vec![false; parts.len()], BTreeMap::new());
        Self { parts, cap, left, taken, used, open: BTreeSet::new() }
    }

    /// Takes parts of a class, the most valuable first, until it has its share.
    fn admit(&mut self, class: Class, share: usize) {
        for (at, part) in self.parts.iter().enumerate() {
            if self.taken[at] || part.class != class {
                continue;
            }
            let key = (part.rank, part.section.as_str());
            let mut cost = self.cap.measure(&part.text) + 1;
            if !self.open.contains(&key) {
                cost += self.cap.measure(&part.section) + self.cap.measure(SEPARATOR) + 3;
            }
            let used = self.used.get(&class).copied().unwrap_or(0);
            if cost <= self.longest(class)
                && cost <= self.left
                && used.saturating_add(cost) <= share
            {
                self.taken[at] = true;
                self.left -= cost;
                self.used.insert(class, used + cost);
                self.open.insert(key);
            }
        }
    }

    /// What a part may take at most: no single one crowds the others out.
    fn longest(&self, class: Class) -> usize {
        let share = if class == Class::Standing { 1 } else { 2 };
        (self.cap.most() - self.cap.note().min(self.cap.most())) / share
    }

    /// Tells whether a part is one that takes all the room, so that its author should know.
    fn is_too_long(&self, part: &Part) -> bool {
        self.cap.measure(&part.text) >= self.longest(part.class)
    }

    fn composed(&self, beyond: &[(usize, String)]) -> Composed {
        let mut by_section: BTreeMap<(usize, &str), (Vec<&Part>, usize)> = BTreeMap::new();
        let mut too_long = Vec::new();
        for (part, taken) in self.parts.iter().zip(&self.taken) {
            let entry = by_section.entry((part.rank, part.section.as_str())).or_default();
            if *taken {
                entry.0.push(part);
            } else {
                entry.1 += 1;
                if self.is_too_long(part) {
                    too_long.extend(part.id.clone());
                }
            }
        }
        let mut sections = Vec::new();
        let mut texts = Vec::new();
        let mut left_out: Vec<(usize, String)> = Vec::new();
        for ((_, heading), (mut parts, missing)) in by_section {
            parts.sort_by_key(|part| part.order);
            if missing > 0 {
                let name = heading.trim_end_matches(':');
                left_out.push((missing, format!("from {name}")));
            }
            if !parts.is_empty() {
                let lines: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
                texts.push(format!("{heading}\n\n{}", lines.join("\n")));
            }
            sections.push(SectionReport {
                heading: heading.to_owned(),
                ids: parts.iter().filter_map(|part| part.id.clone()).collect(),
                parts: parts.len(),
                left_out: missing,
            });
        }
        let mut text = texts.join(SEPARATOR);
        if !text.is_empty() {
            let beyond = beyond.iter().filter(|(count, _)| *count > 0).cloned();
            text.push_str(&note(&left_out, &beyond.collect::<Vec<_>>(), self.cap));
        }
        Composed { text, sections, too_long }
    }
}

/// How the note about what was left out ends.
const END: &str = "; `quipu recall WORDS` finds any of it]";

/// Says what is not in the text, and how to get it.
fn note(left_out: &[(usize, String)], beyond: &[(usize, String)], cap: Cap) -> String {
    if left_out.is_empty() && beyond.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n\n[... left out: ");
    for (count, what) in beyond.iter().chain(left_out) {
        let next = format!("{count} {what}, ");
        // A list that does not end would take the room that it says is missing.
        if cap.measure(&format!("{text}{next}more{END}")) > cap.note() {
            text.push_str("more, ");
            break;
        }
        text.push_str(&next);
    }
    text.truncate(text.len() - 2);
    text.push_str(END);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(class: Class, value: f64, words: &str) -> Part {
        Part {
            section: format!("{class:?}:"),
            rank: class as usize,
            order: (0, 0),
            class,
            value,
            id: Some(format!("{class:?}-{words}")),
            text: format!("- {words}"),
            words: words.to_owned(),
        }
    }

    #[test]
    fn what_matters_gets_in_under_the_cap() {
        let mut parts: Vec<Part> = (0..5000)
            .map(|n| {
                part(Class::Other, f64::from(n), &format!("turn number {n} was about nothing much"))
            })
            .collect();
        parts.push(part(Class::Standing, 0.0, "never deploy on fridays"));
        parts.push(part(Class::Today, 0.0, "the release is today"));
        let made = compose(parts, Cap::Chars(4000), &[(12, "older records".to_owned())]);
        assert!(made.text.chars().count() <= 4000, "{}", made.text.chars().count());
        assert!(made.text.contains("never deploy on fridays"));
        assert!(made.text.contains("the release is today"));
        assert!(made.text.contains("turn number 4999 "), "the newest of the rest");
        assert!(!made.text.contains("turn number 0 "));
        assert!(made.text.contains("12 older records"), "{}", made.text);
    }

    #[test]
    fn nothing_stands_in_it_twice() {
        let mut summary = part(Class::Summary, 0.0, "Retries stay at three.");
        summary.id = None;
        let parts = vec![
            part(Class::Today, 1.0, "Deploy at noon!"),
            part(Class::Other, 0.0, "deploy  at noon"),
            part(Class::Lasting, 0.0, "Retries stay at three"),
            summary,
        ];
        let made = compose(parts, Cap::Chars(4000), &[]);
        assert_eq!(made.text.to_lowercase().matches("deploy at noon").count(), 1);
        assert_eq!(made.text.matches("Retries stay at three").count(), 1);
    }

    #[test]
    fn what_differs_in_a_sign_is_not_the_same() {
        let texts =
            ["I prefer C", "I prefer C++", "I prefer C#", "the limit is < 5", "the limit is > 5"];
        let parts = texts.map(|text| part(Class::Lasting, 0.0, text)).to_vec();
        let made = compose(parts, Cap::Chars(4000), &[]);
        assert_eq!(made.text.lines().filter(|line| line.starts_with("- ")).count(), 5);
    }

    #[test]
    fn what_alone_is_too_long_is_named() {
        let long = "word ".repeat(2000);
        let made = compose(vec![part(Class::Standing, 0.0, &long)], Cap::Chars(1000), &[]);
        assert_eq!(made.too_long.len(), 1);
        assert_eq!(made.sections[0].left_out, 1);
    }

    #[test]
    fn a_cap_in_tokens_holds_too() {
        let parts =
            (0..500).map(|n| part(Class::Other, f64::from(n), &format!("note {n} in words")));
        let made = compose(parts.collect(), Cap::Tokens(300), &[]);
        assert!(text::tokens(&made.text) <= 300, "{}", text::tokens(&made.text));
        assert!(text::tokens(&made.text) > 150);
    }

    #[test]
    fn a_tiny_cap_gives_nothing_rather_than_half() {
        let made = compose(vec![part(Class::Standing, 0.0, "words")], Cap::Chars(10), &[]);
        assert_eq!(made.text, "");
        let parts = (0..50).map(|n| part(Class::Other, f64::from(n), &format!("note number {n}")));
        let made = compose(parts.collect(), Cap::Chars(300), &[(9, "older".to_owned())]);
        assert!(made.text.contains("note number 49") && made.text.chars().count() <= 300);
    }
}
