//! Which statements a newer one has overtaken, also where it says so in other words.
//!
//! Nobody tells us that "is tested on" and "runs the continuous integration of" mean the same. The memory
//! itself does: people repeat things in other words. Two wordings that gave the same value to the same
//! thing are taken for one another, as long as they do not disagree more often.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::Telling;
use crate::terms::Term;

/// So many statements about a thing are compared with each new one.
const MOST_COMPARED: usize = 128;

/// A statement, and what is known of it.
#[derive(Clone, Debug)]
pub struct Told {
    /// What it says.
    pub telling: Telling,
    /// When it was said.
    pub time: Timestamp,
    /// Whether it is knowledge, and not a note.
    pub lasts: bool,
    /// Whether it holds: what does not only teaches words.
    pub holds: bool,
    /// Whether somebody else wrote it, nobody knows when.
    pub imported: bool,
}

/// Returns the statements that hold and are overtaken, each with the newest that says otherwise; both by
/// their places in `told`, which is in order of time.
pub fn outdated(told: Vec<Told>) -> Vec<(usize, usize)> {
    let names: BTreeSet<Term> = told.iter().flat_map(|one| one.telling.names()).collect();
    let resolved = |telling: Telling| telling.resolved(|name| names.contains(&name));
    let told: Vec<Option<Told>> =
        told.into_iter().map(|one| Some(Told { telling: resolved(one.telling)?, ..one })).collect();
    let lasting = told.iter().flatten().filter(|one| one.lasts);
    let usual: BTreeSet<Term> = lasting.map(|one| one.telling.wording()).collect();
    // A note counts where it is in words that knowledge is told in.
    let told: Vec<Option<Told>> = told
        .into_iter()
        .map(|one| one.filter(|one| usual.contains(&one.telling.wording())))
        .collect();
    let mut all = All {
        told,
        mentions: BTreeMap::new(),
        wordings: BTreeMap::new(),
        learned: BTreeMap::new(),
    };
    all.count();
    all.learn();
    all.overtaken()
}

/// What is known of two wordings, or of one with itself.
#[derive(Clone, Copy, Debug, Default)]
struct Wording {
    /// How often both gave a value with a name to a thing.
    agreed: u32,
    /// How often both gave it a number.
    agreed_in_numbers: u32,
    /// How often one followed the other with another value.
    followed: u32,
    /// How often both values stood side by side.
    together: u32,
    /// How often the one was said again after the other, as if nothing had changed.
    returned: u32,
}

impl Wording {
    fn add(&mut self, seen: Self) {
        self.agreed += seen.agreed;
        self.agreed_in_numbers += seen.agreed_in_numbers;
        self.followed += seen.followed;
        self.together += seen.together;
        self.returned += seen.returned;
    }

    fn agreed(self) -> u32 {
        // Numbers are small and many: once is chance.
        self.agreed + self.agreed_in_numbers.saturating_sub(1)
    }

    /// Tells whether both wordings mean the same.
    fn is_learned(self) -> bool {
        self.agreed() > 0 && 2 * self.agreed() >= self.followed && !self.is_refuted()
    }

    /// Tells whether both hold at once: who works on a thing is said of several, in one breath, and what
    /// is said again was not overtaken.
    fn is_refuted(self) -> bool {
        2 * self.together > self.followed || self.returned > self.agreed()
    }
}

struct All {
    told: Vec<Option<Told>>,
    mentions: BTreeMap<Term, usize>,
    wordings: BTreeMap<(Term, Term), Wording>,
    learned: BTreeMap<Term, BTreeSet<Term>>,
}

impl All {
    /// Counts how many statements mention each name.
    fn count(&mut self) {
        for one in self.told.iter().flatten().filter(|one| one.lasts) {
            for name in one.telling.names() {
                *self.mentions.entry(name).or_default() += 1;
            }
        }
    }

    fn differ(&self, one: &Telling, other: &Telling) -> bool {
        one.differs_in_value(other, |name| self.mentions.get(&name).copied().unwrap_or(0))
    }

    /// Learns from what was said of the same thing which wordings mean the same.
    fn learn(&mut self) {
        let mut before = About::default();
        for at in 0..self.told.len() {
            let Some(one) = self.told[at].as_ref().filter(|one| !one.imported) else { continue };
            let seen = self.compared(one, &before);
            before.add(at, &one.telling);
            for (pair, seen) in seen {
                self.wordings.entry(pair).or_default().add(seen);
            }
        }
        for (one, other) in
            self.wordings.iter().filter(|(_, known)| known.is_learned()).map(|(pair, _)| *pair)
        {
            self.learned.entry(one).or_default().insert(other);
            self.learned.entry(other).or_default().insert(one);
        }
    }

    /// Compares a statement with the last one of each wording before it.
    fn compared(&self, one: &Told, before: &About) -> BTreeMap<(Term, Term), Wording> {
        let mut seen: BTreeMap<(Term, Term), Wording> = BTreeMap::new();
        let mut was_said = false;
        for older in before.of(&one.telling).filter_map(|at| self.told[at].as_ref()) {
            let pair = pair(&one.telling, &older.telling);
            let is_same = one.telling.says_the_same(&older.telling);
            if is_same && !was_said {
                was_said = true;
                // What was said in between stood beside it.
                for between in seen.values_mut() {
                    between.returned = between.followed;
                }
            }
            if seen.contains_key(&pair) {
                continue;
            }
            let shares = one.telling.shares_a_word(&older.telling);
            let (agreed, in_numbers) = match (is_same, one.telling.has_telling_value() || shares) {
                (true, true) => (1, 0),
                (true, false) => (0, 1),
                _ if self.differ(&one.telling, &older.telling) => (0, 0),
                _ => continue,
            };
            let followed = u32::from(!is_same);
            let is_near = one.time.duration_since(older.time).as_hours() < 24;
            let together = followed * u32::from(is_near);
            let found =
                Wording { agreed, agreed_in_numbers: in_numbers, followed, together, returned: 0 };
            seen.insert(pair, found);
        }
        seen
    }

    /// Tells whether two statements say the same of something, but for its value.
    fn mean_the_same(&self, one: &Telling, other: &Telling) -> bool {
        let known = self.wordings.get(&pair(one, other)).copied().unwrap_or_default();
        let of = |telling: &Telling| self.learned.get(&telling.wording());
        let by_a_third = || match (of(one), of(other)) {
            (Some(of_one), Some(of_other)) => !of_one.is_disjoint(of_other),
            _ => false,
        };
        !known.is_refuted() && (one.shares_words(other) || known.is_learned() || by_a_third())
    }

    fn overtaken(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut after = About::default();
        let mut imported = Vec::new();
        let mut first_said: BTreeMap<Term, usize> = BTreeMap::new();
        for (at, one) in self.told.iter().enumerate().rev() {
            let Some(one) = one else { continue };
            first_said.insert(one.telling.said(), at);
            if !one.holds {
                continue;
            }
            if one.imported {
                imported.push(at);
            }
            let newest = after.of(&one.telling).find(|later| self.speaks_of(at, *later));
            match newest {
                Some(newest) if !self.repeats(at, newest) => found.push((at, newest)),
                _ if one.imported => {}
                _ => after.add_older(at, &one.telling),
            }
        }
        // What is imported late may be an old page: what it says was known, and overtaken.
        for at in imported {
            let Some(one) = &self.told[at] else { continue };
            let newest = after.of(&one.telling).find(|other| self.speaks_of(at, *other));
            let was_known = |than: &usize| {
                first_said.get(&one.telling.said()).is_some_and(|first| first < than)
            };
            let newest = newest.filter(|newest| *newest < at && !self.repeats(at, *newest));
            found.extend(newest.filter(was_known).map(|newest| (at, newest)));
        }
        found.sort_unstable();
        found
    }

    fn repeats(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (&self.told[one], &self.told[other]) else { return false };
        one.telling.says_the_same(&other.telling)
    }

    /// Tells whether both say something of the same, be it the same or another value.
    fn speaks_of(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (&self.told[one], &self.told[other]) else { return false };
        (one.telling.says_the_same(&other.telling) || self.differ(&one.telling, &other.telling))
            && self.mean_the_same(&one.telling, &other.telling)
    }
}

fn pair(one: &Telling, other: &Telling) -> (Term, Term) {
    let (one, other) = (one.wording(), other.wording());
    (one.min(other), one.max(other))
}

/// Statements by the names that they have, the last of them.
#[derive(Default)]
struct About {
    by_name: BTreeMap<Term, Vec<usize>>,
}

impl About {
    /// Adds one that is newer than all before.
    fn add(&mut self, at: usize, telling: &Telling) {
        for name in telling.names() {
            let of = self.by_name.entry(name).or_default();
            if of.len() == MOST_COMPARED {
                of.remove(0);
            }
            of.push(at);
        }
    }

    /// Adds one that is older than all before.
    fn add_older(&mut self, at: usize, telling: &Telling) {
        for name in telling.names() {
            let of = self.by_name.entry(name).or_default();
            if of.len() < MOST_COMPARED {
                of.push(at);
            }
        }
    }

    /// Returns the statements that share a name with one, the newest first.
    fn of(&self, telling: &Telling) -> impl Iterator<Item = usize> {
        let mut found: Vec<usize> = Vec::new();
        for name in telling.names() {
            found.extend(self.by_name.get(&name).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    /// Knowledge that a person told, a week after each other; names are known from notes.
    fn told(texts: &[&str]) -> Vec<Told> {
        let start: Timestamp = "2026-01-05T09:00:00Z".parse().unwrap();
        let week = |number: i64| start + SignedDuration::from_hours(24 * 7 * number);
        let one = |(number, text): (i64, &&str)| Told {
            telling: Telling::of(text).unwrap(),
            time: week(number),
            lasts: true,
            holds: true,
            imported: false,
        };
        let notes = ["we met Ada, Otto and Vera", "in Kestrel, Marlin and Juniper"];
        let mut told: Vec<Told> = (0_i64..).zip(texts.iter().chain(&notes)).map(one).collect();
        for note in told.iter_mut().skip(texts.len()) {
            note.lasts = false;
        }
        told
    }

    fn overtaken(texts: &[&str]) -> Vec<(usize, usize)> {
        outdated(told(texts))
    }

    #[test]
    fn a_newer_value_in_the_same_words_overtakes_the_older() {
        assert_eq!(
            overtaken(&["We ship Kestrel to Heroku", "We ship Kestrel to Render"]),
            [(0, 1)]
        );
        assert_eq!(
            overtaken(&["Kestrel runs with 2 replicas", "With 5 replicas Kestrel runs"]),
            [(0, 1)]
        );
        assert_eq!(overtaken(&["Ada owns Kestrel", "Ada owns Kestrel"]), []);
    }

    #[test]
    fn other_words_for_the_same_are_learned_from_who_repeats_himself() {
        let known = ["We ship Kestrel to Heroku", "The platform behind Marlin is Fly"];
        let newer = "The platform behind Kestrel is Render";
        assert_eq!(overtaken(&[known[0], known[1], newer]), []);
        // Somebody has said of Marlin in both ways where it is.
        let repeated = "We ship Marlin to Fly";
        assert_eq!(overtaken(&[known[0], known[1], repeated, newer]), [(0, 3)]);
    }

    #[test]
    fn two_ways_that_were_learned_from_a_third_are_one() {
        let told = [
            "We ship Marlin to Fly",
            "The platform behind Marlin is Fly",
            "Marlin goes live on Fly",
            "The platform behind Juniper is Vercel",
            "Juniper goes live on Vercel",
            "We ship Kestrel to Heroku",
            "Kestrel goes live on Render",
        ];
        assert_eq!(overtaken(&told), [(5, 6)]);
    }

    #[test]
    fn who_is_said_of_several_in_one_breath_overtakes_nobody() {
        let mut several = told(&["Ada works on Kestrel", "Otto works on Kestrel"]);
        several[1].time = several[0].time + SignedDuration::from_mins(5);
        assert_eq!(outdated(several), []);
    }

    #[test]
    fn what_was_said_again_after_the_other_stands_beside_it() {
        let both = [
            "Pages of Kestrel expire after 10 minutes",
            "Sessions of Kestrel expire after 30 minutes",
            "Pages of Kestrel expire after 10 minutes",
        ];
        assert_eq!(overtaken(&both), []);
        // In the same words it is the last that counts.
        let changed = ["Ada owns Kestrel", "Otto owns Kestrel", "Ada owns Kestrel"];
        assert_eq!(overtaken(&changed[..2]), [(0, 1)]);
        assert!(!overtaken(&changed).contains(&(0, 1)));
    }

    #[test]
    fn what_is_said_of_another_overtakes_nothing() {
        let owners = ["Ada owns Kestrel", "Ada owns Marlin", "The port of Kestrel is 8080"];
        let told = [owners[0], owners[1], owners[2], "The port of Marlin is 9090"];
        assert_eq!(overtaken(&told), []);
    }

    #[test]
    fn other_sorts_of_values_are_values_of_other_things() {
        for (one, other) in [
            ("The limit of Kestrel is 30 seconds", "The limit of Kestrel is 512 megabytes"),
            ("The release of Kestrel is on 3 March", "The release of Kestrel is on Monday"),
            ("The export of Kestrel is at 01:00", "The export of Kestrel is in v1.4"),
        ] {
            assert_eq!(overtaken(&[one, other]), [], "{one} | {other}");
        }
    }

    #[test]
    fn an_old_page_that_is_imported_late_overtakes_nothing_and_is_overtaken() {
        let mut told = told(&[
            "Ada owns Kestrel",
            "Otto owns Kestrel",
            "Ada owns Kestrel",
            "Vera owns Kestrel",
        ]);
        told[2].imported = true;
        told[3].imported = true;
        // What nobody knew before may be news.
        assert_eq!(outdated(told), [(0, 1), (2, 1)]);
    }

    #[test]
    fn what_does_not_hold_only_teaches_words() {
        let mut told = told(&[
            "We ship Marlin to Fly",
            "The platform behind Marlin is Fly",
            "We ship Kestrel to Heroku",
            "The platform behind Kestrel is Render",
        ]);
        told[0].holds = false;
        told[1].holds = false;
        assert_eq!(outdated(told.clone()), [(2, 3)]);
        told[3].holds = false;
        assert_eq!(outdated(told), []);
    }

    #[test]
    fn what_passes_or_denies_gives_nothing_a_value() {
        for text in [
            "Kestrel was on Heroku",
            "Kestrel might go to Heroku",
            "Kestrel does not run on Heroku",
            "Kestrel also runs on Heroku",
            "Is Kestrel on Heroku?",
            "Kestrel is on Heroku. It was on Fly before",
            "lunch is at noon",
        ] {
            assert_eq!(Telling::of(text), None, "{text}");
        }
    }
}
