//! Finds the few texts that may say the same as another, so that not each is compared with each.
//!
//! What is found here is what may pass a comparison, never less: the comparison itself decides.

use std::collections::{BTreeMap, BTreeSet};

use super::gist::Gist;
use super::preference::Preference;

/// Texts by their words, for comparisons that want a share of the words of either.
pub(super) struct Sharing {
    /// A text that is the shorter one has to have so much of its words in the other, in percent.
    percent: usize,
    /// The texts that have a word.
    all: BTreeMap<String, Vec<usize>>,
    /// The same, only for so many words of each text that another cannot lack all of them.
    some: BTreeMap<String, Vec<usize>>,
}

impl Sharing {
    pub(super) fn new<'g>(
        percent: usize,
        texts: impl Iterator<Item = (usize, &'g Gist)> + Clone,
    ) -> Self {
        let mut sharing = Self { percent, all: BTreeMap::new(), some: BTreeMap::new() };
        for (number, gist) in texts.clone() {
            sharing.note(number, gist);
        }
        for (number, gist) in texts {
            sharing.note_some(number, gist);
        }
        sharing
    }

    fn add(&mut self, number: usize, gist: &Gist) {
        self.note(number, gist);
        self.note_some(number, gist);
    }

    fn note(&mut self, number: usize, gist: &Gist) {
        for word in &gist.telling {
            self.all.entry(word.clone()).or_default().push(number);
        }
    }

    fn note_some(&mut self, number: usize, gist: &Gist) {
        for word in self.rarest(gist, self.percent) {
            self.some.entry(word.to_owned()).or_default().push(number);
        }
    }

    /// Returns the rarest words of a text, so many that what shares `percent` of them has one.
    fn rarest<'g>(&self, gist: &'g Gist, percent: usize) -> Vec<&'g str> {
        let mut words: Vec<(usize, &str)> = (gist.telling.iter())
            .map(|word| (self.all.get(word).map_or(0, Vec::len), word.as_str()))
            .collect();
        words.sort_unstable();
        let needed = (words.len() * percent).div_ceil(100);
        words.truncate(words.len() + 1 - needed.max(1));
        words.into_iter().map(|(_, word)| word).collect()
    }

    /// Returns lists of the texts that share `percent` of the words of this one, and of those that
    /// share of their own words what they have to.
    fn lists(&self, gist: &Gist, percent: usize) -> Vec<&[usize]> {
        let longer = self.rarest(gist, percent).into_iter().filter_map(|word| self.all.get(word));
        let shorter = gist.telling.iter().filter_map(|word| self.some.get(word));
        longer.chain(shorter).map(Vec::as_slice).collect()
    }

    /// Returns the same as one list, in order.
    pub(super) fn find(&self, gist: &Gist, percent: usize) -> BTreeSet<usize> {
        self.lists(gist, percent).into_iter().flatten().copied().collect()
    }

    /// Returns the texts that share `percent` of the words of this one, in order.
    pub(super) fn holding(&self, gist: &Gist, percent: usize) -> BTreeSet<usize> {
        let rarest = self.rarest(gist, percent);
        let lists = rarest.into_iter().filter_map(|word| self.all.get(word));
        lists.flatten().copied().collect()
    }
}

/// Texts by what [`Gist::is_like`] looks at.
pub(super) struct Alike {
    bare: BTreeMap<String, Vec<usize>>,
    preferences: BTreeMap<(String, String), Vec<usize>>,
    /// Those that deny nothing, and those that do.
    words: [Sharing; 2],
    numbers: BTreeMap<String, Vec<usize>>,
    without_numbers: Vec<usize>,
}

impl Alike {
    pub(super) fn new<'g>(texts: impl Iterator<Item = (usize, &'g Gist)> + Clone) -> Self {
        let of = |is_negated: bool| {
            let texts = texts.clone().filter(move |(_, gist)| is_by_words(gist));
            texts.filter(move |(_, gist)| gist.is_negated() == is_negated)
        };
        let words = [Sharing::new(Gist::SAME, of(false)), Sharing::new(Gist::SAME, of(true))];
        let mut alike = Self {
            bare: BTreeMap::new(),
            preferences: BTreeMap::new(),
            words,
            numbers: BTreeMap::new(),
            without_numbers: Vec::new(),
        };
        for (number, gist) in texts {
            alike.note(number, gist);
        }
        alike
    }

    pub(super) fn add(&mut self, number: usize, gist: &Gist) {
        if is_by_words(gist) {
            self.words[usize::from(gist.is_negated())].add(number, gist);
        }
        self.note(number, gist);
    }

    fn note(&mut self, number: usize, gist: &Gist) {
        self.bare.entry(gist.bare.clone()).or_default().push(number);
        for pair in gist.preference.iter().flat_map(Preference::pairs) {
            self.preferences.entry(pair).or_default().push(number);
        }
        for one in &gist.numbers {
            self.numbers.entry(one.clone()).or_default().push(number);
        }
        if gist.numbers.is_empty() {
            self.without_numbers.push(number);
        }
    }

    /// Returns the texts that may say the same as another, in order.
    pub(super) fn find(&self, gist: &Gist) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> =
            self.bare.get(&gist.bare).into_iter().flatten().copied().collect();
        if let Some(preference) = &gist.preference {
            found.extend(self.preferences.get(&preference.nearest()).into_iter().flatten());
        }
        if !is_by_words(gist) {
            return found;
        }
        let mut lists = self.words[usize::from(gist.is_negated())].lists(gist, Gist::SAME);
        // Where both have numbers, they share one.
        if !gist.numbers.is_empty() {
            let counted = gist.numbers.iter().filter_map(|one| self.numbers.get(one));
            let counted: Vec<&[usize]> =
                counted.chain([&self.without_numbers]).map(Vec::as_slice).collect();
            let length = |lists: &[&[usize]]| lists.iter().map(|list| list.len()).sum::<usize>();
            if length(&counted) < length(&lists) {
                lists = counted;
            }
        }
        found.extend(lists.into_iter().flatten());
        found
    }
}

/// Tells whether a text has enough words to be compared by them.
fn is_by_words(gist: &Gist) -> bool {
    gist.telling.len() >= Gist::FEWEST
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            usize::try_from(self.0 >> 33).unwrap() % end
        }
    }

    /// Texts of few words, so that many are alike, turn others around, deny or count.
    fn texts(seed: u64, many: usize) -> Vec<Gist> {
        const WORDS: &[&str] = &[
            "orders",
            "reports",
            "stored",
            "Postgres",
            "Redis",
            "tabs",
            "spaces",
            "files",
            "never",
            "three",
            "7",
            "12",
            "instead of",
            "over",
            "prefer",
            "gateway",
            "billing",
            "queue",
        ];
        let mut numbers = Numbers(seed);
        let mut texts: Vec<Vec<&str>> = Vec::new();
        for _ in 0..many {
            let mut words: Vec<&str> = if texts.is_empty() || numbers.below(3) == 0 {
                (0..=numbers.below(14)).map(|_| WORDS[numbers.below(WORDS.len())]).collect()
            } else {
                texts[numbers.below(texts.len())].clone()
            };
            for _ in 0..numbers.below(3) {
                let at = numbers.below(words.len());
                match numbers.below(3) {
                    0 => words[at] = WORDS[numbers.below(WORDS.len())],
                    1 => words.push(WORDS[numbers.below(WORDS.len())]),
                    _ => words.swap(at, 0),
                }
            }
            texts.push(words);
        }
        texts.iter().map(|words| Gist::of(&words.join(" "))).collect()
    }

    #[test]
    fn nothing_that_a_comparison_with_each_finds_is_missed() {
        let (mut alike_pairs, mut compared, mut pairs) = (0, 0, 0);
        for seed in 1..=6 {
            let texts = texts(seed, 120);
            let (first, later) = texts.split_at(80);
            let mut alike = Alike::new(first.iter().enumerate());
            for (number, gist) in later.iter().enumerate() {
                alike.add(first.len() + number, gist);
            }
            let sharing = Sharing::new(Gist::HELD, texts.iter().enumerate());
            for gist in &texts {
                let all = |is_it: &dyn Fn(&Gist) -> bool| -> Vec<usize> {
                    (0..texts.len()).filter(|at| is_it(&texts[*at])).collect()
                };
                let found = alike.find(gist);
                compared += found.len();
                pairs += texts.len();
                let like: Vec<usize> =
                    found.into_iter().filter(|at| texts[*at].is_like(gist)).collect();
                assert_eq!(like, all(&|other| other.is_like(gist)));
                alike_pairs += like.len();
                let half = sharing.holding(gist, 50).into_iter();
                let half: Vec<usize> = half.filter(|at| texts[*at].likeness(gist) >= 50).collect();
                assert_eq!(half, all(&|other| other.likeness(gist) >= 50));
                if !gist.telling.is_empty() {
                    let held = sharing.find(gist, Gist::MOSTLY).into_iter();
                    let held: Vec<usize> =
                        held.filter(|at| gist.is_mostly_in(&texts[*at])).collect();
                    assert_eq!(held, all(&|other| gist.is_mostly_in(other)));
                }
            }
        }
        assert!(alike_pairs > 1_500, "{alike_pairs}");
        assert!(compared * 2 < pairs, "{compared} of {pairs}");
    }
}
