//! How sure it is that a memory answers a question, by what can be pointed at: which of the question's
//! words it has, whether it holds the sort of thing that is asked for, and whether it is about another.
//!
//! The weights are the mean of two logistic regressions, rounded by hand, on `quipu-testkit/judgement/worlds.dev.jsonl`, with and
//! without the words of `kin`; `quipu-bench worlds` measures what they are worth. They rank and label, and decide nothing else.

use std::collections::BTreeMap;

use super::words::{self, Value, Word, has_stem};
use crate::prose;

/// A question as the evidence sees it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its words, without those that speak of a time.
    pub words: Vec<Word>,
    /// What the answer must hold.
    wanted: Vec<Wanted>,
    /// How rare each of its words is among all memories, 0 to 1; a word that none has is not there.
    rarity: BTreeMap<String, f32>,
    /// Whether it asks about a time that is over.
    asks_past: bool,
    /// Whether it asks for a sort of memories by name.
    asks_sort: bool,
}

/// How a memory falls into what a question asks for beside its words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fit {
    /// How near the meanings of the whole texts are.
    pub cosine: f32,
    /// Whether it falls into the time that is asked for.
    pub is_in_time: bool,
    /// Whether it is of the sort that is asked for.
    pub is_of_sort: bool,
}

/// A sort of thing that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Who.
    Person,
    /// When.
    Time,
    /// How much money.
    Amount,
    /// How long, how often.
    Span,
    /// How many, which version, what size.
    Number,
    /// A telephone number, an address.
    Contact,
    /// Why.
    Reason,
}

/// Phrases that ask for something, with what they ask for.
const PHRASES: &[(Wanted, &[&str])] = &[
    (
        Wanted::Contact,
        &["phone", "telephone", "telefonnummer", "email", "e mail", "url", "link", "website"],
    ),
    (Wanted::Person, &["who", "whom", "whose", "wer", "wem", "wen"]),
    (
        Wanted::Time,
        &[
            "what time",
            "what day",
            "which day",
            "wann",
            "deadline",
            "date",
            "dates",
            "birthday",
            "and when",
            "from when",
            "since when",
        ],
    ),
    (
        Wanted::Amount,
        &[
            "how much", "wie viel", "cost", "costs", "price", "prices", "salary", "wage", "fee",
            "earn", "bill", "turnover", "rent", "pay",
        ],
    ),
    (
        Wanted::Span,
        &[
            "how long",
            "how often",
            "wie lange",
            "interval",
            "timeout",
            "duration",
            "expiry",
            "retention",
        ],
    ),
    (
        Wanted::Number,
        &[
            "how many",
            "how large",
            "how big",
            "how old",
            "how far",
            "how fast",
            "wie viele",
            "size",
            "version",
            "port",
            "baud",
            "score",
            "mark",
            "marks",
            "percent",
            "percentage",
            "limit",
            "threshold",
            "range",
            "speed",
            "number",
        ],
    ),
    (Wanted::Reason, &["why", "reason", "warum", "wieso", "caused"]),
];

/// Words that give a reason.
const REASONS: &[&str] = &[
    "because",
    "cause",
    "caused",
    "causes",
    "due",
    "since",
    "reason",
    "otherwise",
    "mostly",
    "therefore",
    "weil",
    "wegen",
    "came",
    "fixed",
    "needed",
    "won",
    "means",
];

/// Words for people who are not called by a name.
const PEOPLE: &[&str] = &["team", "finance", "landlord", "neighbours"];

impl Asked {
    /// Reads a question without the words that speak of a time. `rarity` says how rare its words are.
    pub fn new(text: &str, rarity: BTreeMap<String, f32>) -> Self {
        let (words, wanted) = (words::words(text), wanted(text));
        Self { words, wanted, rarity, asks_past: false, asks_sort: false }
    }

    /// Adds what else it asks for: a time that is over, a sort of memories.
    #[must_use]
    pub fn asking_for(mut self, past: bool, sort: bool) -> Self {
        (self.asks_past, self.asks_sort) = (past, sort);
        self
    }

    /// Notes how rare its words are among all memories, 0 to 1.
    pub fn set_rarity(&mut self, rarity: BTreeMap<String, f32>) {
        self.rarity = rarity;
    }

    /// Returns the words that say what it is about.
    pub fn telling(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| word.tells)
    }

    /// Tells whether it asks for a reason, or for a way to reach somebody: no value that changes.
    pub fn wants_no_value(&self) -> bool {
        self.wanted.iter().any(|wanted| matches!(wanted, Wanted::Reason | Wanted::Contact))
    }

    fn weight(&self, word: &Word) -> f32 {
        self.rarity.get(&word.plain).map_or(1.0, |rarity| rarity.max(LEAST_RARE))
    }
}

fn wanted(question: &str) -> Vec<Wanted> {
    let bare = format!(" {} ", prose::bare(question));
    let has = |phrase: &&str| bare.contains(&format!(" {phrase} "));
    let mut wanted: Vec<Wanted> = PHRASES
        .iter()
        .filter(|(_, phrases)| phrases.iter().any(&has))
        .map(|(wanted, _)| *wanted)
        .collect();
    if bare.starts_with(" when ") && !wanted.contains(&Wanted::Time) {
        wanted.push(Wanted::Time);
    }
    wanted
}

/// A memory as the evidence sees it.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its words.
    pub words: Vec<Word>,
    initials: std::collections::BTreeSet<String>,
    has_address: bool,
    gives_reason: bool,
}

impl Said {
    /// Reads a memory.
    pub fn new(text: &str) -> Self {
        let words = words::words(text);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let has_reason = words.iter().any(|word| REASONS.contains(&word.plain.as_str()));
        Self {
            initials: words::initials(&words),
            has_address: text.contains('@') || text.contains("://") || digits >= 7,
            gives_reason: has_reason || text.contains(';') || text.contains(" so "),
            words,
        }
    }

    /// Tells whether it has a word of a question.
    pub fn has(&self, word: &Word) -> bool {
        has_stem(&self.words, &word.stem)
            || (word.plain.len() <= 4 && self.initials.contains(&word.plain))
    }

    /// Tells whether it holds what is asked for, beside what the question says itself.
    fn holds(&self, wanted: Wanted, asked: &Asked) -> bool {
        let is_new = |word: &Word| !asked.words.iter().any(|one| one.plain == word.plain);
        let any = |values: &[Value]| {
            let is_one = |word: &Word| word.value.is_some_and(|value| values.contains(&value));
            self.words.iter().any(|word| is_one(word) && is_new(word))
        };
        match wanted {
            Wanted::Person => self.names_somebody(&is_new),
            Wanted::Time => any(&[Value::Date, Value::Clock]),
            Wanted::Amount => any(&[Value::Money, Value::Number]),
            Wanted::Span => any(&[Value::Span, Value::Often]),
            Wanted::Number => {
                any(&[Value::Number, Value::Code, Value::Percent, Value::Money, Value::Span])
            }
            Wanted::Contact => self.has_address,
            Wanted::Reason => self.gives_reason,
        }
    }

    fn names_somebody(&self, is_new: &impl Fn(&Word) -> bool) -> bool {
        let is_name_of_somebody = |(at, word): (usize, &Word)| {
            let is_like_a_name = word.is_capitalised()
                && word.value.is_none()
                && word.raw.chars().count() > 1
                && word.raw.chars().skip(1).all(char::is_lowercase);
            // "Priya Nair leads": a first word is a name where another follows it.
            let follows = at == 0 && self.words.get(1).is_some_and(|next| next.is_name);
            is_like_a_name && (word.is_name || follows) && is_new(word)
        };
        self.words.iter().enumerate().any(is_name_of_somebody)
            || self.words.iter().any(|word| PEOPLE.contains(&&*word.plain) && is_new(word))
    }
}

/// What speaks for a memory as the answer to a question, and against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Evidence {
    /// Which share of the question's words the memory has, rare ones counting more; a word that people use
    /// for another counts 0.8, one that is near in meaning less.
    pub covered: f32,
    /// How many of the rarest words there are would tell as much as those that both have; 3 at most, as a
    /// share of 3.
    pub rare: f32,
    /// How near the meanings of the whole texts are.
    pub cosine: f32,
    /// It lacks a name or a number of the question.
    pub lacks_name: f32,
    /// It has another of two words of which only one can be meant: `staging` for `production`.
    pub rivals: f32,
    /// Money is asked for, and it holds no amount.
    pub lacks_amount: f32,
    /// A time is asked for, and it holds none.
    pub lacks_time: f32,
    /// A number or a span of time is asked for, and it holds none.
    pub lacks_number: f32,
    /// A person is asked for, and it names nobody.
    pub lacks_person: f32,
    /// An address or a telephone number is asked for, and it holds none.
    pub lacks_contact: f32,
    /// 1 where it falls into the time that the question speaks of, −1 where it does not.
    pub time: f32,
    /// 1 where it is of the sort that the question asks for by name, such as decisions, −1 where it is not.
    pub sort: f32,
}

/// What each piece of evidence is worth.
const WEIGHTS: Evidence = Evidence {
    covered: 4.3,
    rare: 1.8,
    cosine: 1.5,
    lacks_name: -0.7,
    rivals: -2.0,
    lacks_amount: -1.7,
    lacks_time: -2.4,
    lacks_number: -1.9,
    lacks_person: -1.7,
    lacks_contact: -0.9,
    time: 1.8,
    sort: 1.8,
};

/// What stands against any memory as long as nothing speaks for it.
const BIAS: f32 = -5.3;

/// A word that people use for another counts so much of the word itself.
const KIN: f32 = 0.8;

/// Words are near from this cosine on, and as good as the same from [`ALIKE`] on.
const NEAR: f32 = 0.2;
const ALIKE: f32 = 0.7;

/// Nearness alone is never worth more than this.
const NEAREST: f32 = 0.9;

/// A word that every memory has still says a little.
const LEAST_RARE: f32 = 0.1;

/// More words in common say no more.
const MOST_RARE: f32 = 3.0;

impl Evidence {
    /// Weighs a memory. `near` says how near a word of the question is in meaning to the word at a place
    /// in the memory; `is_named` whether a word of the question is a name wherever memories use it.
    pub fn of(
        asked: &Asked,
        said: &Said,
        fit: Fit,
        near: &mut dyn FnMut(&Word, usize) -> f32,
        is_named: &dyn Fn(&Word) -> bool,
    ) -> Self {
        let mut evidence = Self { cosine: fit.cosine, ..Self::default() };
        let signed = |fits: bool| if fits { 1.0 } else { -1.0 };
        let (mut all, mut covered, mut rare) = (0.0, 0.0, 0.0);
        let mut seen: Vec<&str> = Vec::new();
        for word in asked.telling() {
            if seen.contains(&word.stem.as_str()) {
                continue;
            }
            seen.push(&word.stem);
            let weight = asked.weight(word);
            let likeness = likeness(word, said, near);
            all += weight;
            covered += weight * likeness;
            let has = said.has(word);
            rare += if has { weight } else { 0.0 };
            if !has && (word.is_name || word.has_digit() || is_named(word)) {
                evidence.lacks_name = 1.0;
            }
            if !has && said.words.iter().any(|other| other.excludes(word)) {
                evidence.rivals += 1.0;
            }
        }
        evidence.covered = if all > 0.0 { covered / all } else { 0.0 };
        evidence.rare = f32::min(rare, MOST_RARE) / MOST_RARE;
        for wanted in asked.wanted.iter().filter(|wanted| !said.holds(**wanted, asked)) {
            match wanted {
                Wanted::Amount => evidence.lacks_amount = 1.0,
                Wanted::Time => evidence.lacks_time = 1.0,
                Wanted::Number | Wanted::Span => evidence.lacks_number = 1.0,
                Wanted::Person => evidence.lacks_person = 1.0,
                Wanted::Contact => evidence.lacks_contact = 1.0,
                Wanted::Reason => {}
            }
        }
        if asked.asks_past {
            evidence.time = signed(fit.is_in_time);
        }
        if asked.asks_sort {
            evidence.sort = signed(fit.is_of_sort);
        }
        evidence
    }

    /// Tells whether it lacks a person, a time, an amount or an address that is asked for.
    pub fn lacks_wanted(&self) -> bool {
        [self.lacks_person, self.lacks_time, self.lacks_amount, self.lacks_contact]
            .into_iter()
            .any(|lacks| lacks > 0.0)
    }

    /// Returns what speaks for it less what speaks against it: 0 is as likely as not.
    pub fn weight(&self) -> f32 {
        BIAS + self.covered * WEIGHTS.covered
            + self.rare * WEIGHTS.rare
            + self.cosine * WEIGHTS.cosine
            + self.lacks_name * WEIGHTS.lacks_name
            + self.rivals * WEIGHTS.rivals
            + self.lacks_amount * WEIGHTS.lacks_amount
            + self.lacks_time * WEIGHTS.lacks_time
            + self.lacks_number * WEIGHTS.lacks_number
            + self.lacks_person * WEIGHTS.lacks_person
            + self.lacks_contact * WEIGHTS.lacks_contact
            + self.time * WEIGHTS.time
            + self.sort * WEIGHTS.sort
    }
}

/// Returns which share of what the question's words tell a memory says in other words: in words that people
/// use for them, or that are near in meaning. `near` is as for [`Evidence::of`]; words that are `left_out`
/// do not count.
pub fn in_other_words(
    asked: &Asked,
    said: &Said,
    near: &mut dyn FnMut(&Word, usize) -> f32,
    left_out: &dyn Fn(&Word) -> bool,
) -> f32 {
    let (mut all, mut meant) = (0.0, 0.0);
    let mut seen: Vec<&str> = Vec::new();
    for word in asked.telling() {
        if seen.contains(&word.stem.as_str()) || left_out(word) {
            continue;
        }
        seen.push(&word.stem);
        let weight = asked.weight(word);
        all += weight;
        if !said.has(word) {
            meant += weight * likeness(word, said, near);
        }
    }
    if all > 0.0 { meant / all } else { 0.0 }
}

/// Returns how much of a word of the question a memory has: 1 for the word itself.
fn likeness(word: &Word, said: &Said, near: &mut dyn FnMut(&Word, usize) -> f32) -> f32 {
    if said.has(word) {
        return 1.0;
    }
    let words = || said.words.iter().enumerate();
    let telling = || words().filter(|(_, other)| other.tells && !other.excludes(word));
    if telling().any(|(_, other)| word.is_kin_of(other)) {
        return KIN;
    }
    let nearest = telling().map(|(at, _)| near(word, at)).fold(0.0, f32::max);
    ((nearest - NEAR) / (ALIKE - NEAR)).clamp(0.0, NEAREST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(question: &str, memory: &str) -> f32 {
        let asked = Asked::new(question, BTreeMap::new());
        let fit = Fit { cosine: 0.4, ..Fit::default() };
        Evidence::of(&asked, &Said::new(memory), fit, &mut |_, _| 0.0, &|_| false).weight()
    }

    #[test]
    fn what_was_asked_for_counts_and_another_of_its_kind_does_not() {
        let staging = "Staging Postgres listens on port 5544.";
        let production = "Production Postgres is reached on port 6432.";
        assert!(weight("staging postgres port?", staging) > 0.0);
        assert!(
            weight("staging postgres port?", staging)
                > weight("staging postgres port?", production) + 2.0
        );
        assert!(weight("What is the Redis port on staging?", staging) < 0.0, "nothing says redis");
    }

    #[test]
    fn the_sort_of_thing_that_is_asked_for_must_be_there() {
        let posy = "Trainee Posy starts on 7 September, three days a week.";
        assert!(weight("When does Posy start?", posy) > weight("How much does Posy earn?", posy));
        let leads = "Priya Nair leads the checkout team.";
        let standup = "Checkout team standup is at 9:15.";
        assert!(weight("who leads checkout", leads) > weight("who leads checkout", standup) + 1.0);
    }

    #[test]
    fn other_words_count_beside_the_words_themselves() {
        let asked = Asked::new("what pets does Ann keep", BTreeMap::new());
        let share = |memory: &str, left_out: &str| {
            let said = Said::new(memory);
            let mut near = |word: &Word, at: usize| {
                f32::from(u8::from(word.plain == "pets" && said.words[at].plain == "dogs"))
            };
            in_other_words(&asked, &said, &mut near, &|word| word.plain == left_out)
        };
        assert!(share("My pets keep Ann busy", "") <= 0.0, "those are the same words");
        let (with, without) = (share("Two dogs", ""), share("Two dogs", "ann"));
        assert!(0.0 < with && with < without, "{with} {without}");
        assert!(share("Two cars", "") <= 0.0);
    }

    #[test]
    fn initials_and_words_that_people_use_for_one_another_count() {
        let pr = "Keep pull requests under 400 changed lines.";
        assert!(weight("how big may a PR be?", pr) > weight("how big may a TV be?", pr) + 1.0);
        assert!(weight("free shipping", "Free delivery starts at 59 euro") > -1.0);
    }
}
