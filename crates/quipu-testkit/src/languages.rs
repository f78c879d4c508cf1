//! The same facts and questions in ten languages, made by templates. The same every time. And sentences that no
//! template made.
//!
//! Ten people with thirty facts each: a name alone finds thirty, so what is asked about them counts.
//! Each is asked twice: in words of the fact, which words can find, and in other words, where
//! only the name is shared and a model has to know what they mean.

use crate::questions::Numbers;

/// A language with its templates: names of people in the first line, then a relation a line, as
/// it is told, as it is asked in its own words and in others, and what it may be.
const TEMPLATES: [(&str, &str); 10] = [
    ("English", include_str!("languages/english.tsv")),
    ("German", include_str!("languages/german.tsv")),
    ("Spanish", include_str!("languages/spanish.tsv")),
    ("French", include_str!("languages/french.tsv")),
    ("Japanese", include_str!("languages/japanese.tsv")),
    ("Portuguese", include_str!("languages/portuguese.tsv")),
    ("Italian", include_str!("languages/italian.tsv")),
    ("Dutch", include_str!("languages/dutch.tsv")),
    ("Russian", include_str!("languages/russian.tsv")),
    ("Chinese", include_str!("languages/chinese.tsv")),
];

/// Ten sentences for each language, as people write them: the language, a memory, and a question that it answers.
const FREE: &str = include_str!("languages/free.tsv");

/// Something that is true of somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The sentence that tells it.
    pub told: String,
    /// A question that it answers, with a word of it.
    pub asked: String,
    /// The same question in other words.
    pub asked_otherwise: String,
}

/// All facts in one language. The fact at a place is the same in every language.
#[derive(Clone, Debug)]
pub struct Tongue {
    /// The name of the language, in English.
    pub language: &'static str,
    /// The facts.
    pub facts: Vec<Fact>,
}

/// Returns 300 facts with two questions each, in every language.
pub fn parallel() -> Vec<Tongue> {
    TEMPLATES
        .iter()
        .map(|(language, templates)| Tongue { language, facts: facts(templates) })
        .collect()
}

/// Returns the sentences that no template made: the language, a memory, and a question that it answers.
pub fn free() -> Vec<(&'static str, &'static str, &'static str)> {
    let sentence = |line: &'static str| {
        let [language, told, asked] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line:?}")
        };
        (language, told, asked)
    };
    FREE.lines().map(sentence).collect()
}

fn facts(templates: &str) -> Vec<Fact> {
    let mut lines = templates.lines().map(|line| line.split('\t').collect::<Vec<&str>>());
    let people = lines.next().unwrap();
    let mut facts = Vec::new();
    for (row, line) in lines.enumerate() {
        let [told, asked, otherwise, values] = line[..] else { panic!("{line:?}") };
        let values: Vec<&str> = values.split('|').collect();
        for (column, who) in people.iter().enumerate() {
            let what = values[(row + column) % values.len()];
            let filled = |template: &str| template.replace("{who}", who).replace("{what}", what);
            facts.push(Fact {
                told: filled(told),
                asked: filled(asked),
                asked_otherwise: filled(otherwise),
            });
        }
    }
    shuffle(&mut facts);
    facts
}

/// So that what is near in meaning is not near in time.
fn shuffle(facts: &mut [Fact]) {
    let mut numbers = Numbers::new(5);
    for at in (1..facts.len()).rev() {
        facts.swap(at, numbers.below(at + 1));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_language_has_the_same_facts() {
        let tongues = parallel();
        assert_eq!(tongues.len(), 10);
        for tongue in &tongues {
            let facts = tongue.facts.iter();
            let texts: BTreeSet<&str> = facts
                .flat_map(|fact| [&*fact.told, &*fact.asked, &*fact.asked_otherwise])
                .collect();
            assert_eq!(texts.len(), 900, "{}", tongue.language);
            assert!(texts.iter().all(|text| !text.contains(['{', '}', '|'])));
        }
        let place = |tongue: usize, part: &str| {
            tongues[tongue].facts.iter().position(|fact| fact.told.contains(part))
        };
        assert_eq!(place(0, "Greta lives in"), place(1, "Greta wohnt in"));
        assert_eq!(place(0, "Greta lives in"), place(4, "グレタはリスボンに"));
        assert_eq!(place(0, "Greta lives in"), place(9, "格蕾塔住在里斯本"));
    }

    #[test]
    fn every_language_has_ten_sentences_of_its_own() {
        for (language, _) in TEMPLATES {
            assert_eq!(free().iter().filter(|(of, ..)| *of == language).count(), 10, "{language}");
        }
    }
}
