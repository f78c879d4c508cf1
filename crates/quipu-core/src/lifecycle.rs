//! How memories live: retention, importance, surprise, promotion, archival. Numbers that rank and
//! propose; they never move a fact.
//!
//! All functions are fixed ones, so that every platform gets the same bits.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::item::{Item, Layer, Source, Weight};
use crate::named::named;
use crate::nature;

/// The original's constant: a half-life leaves 0.5001.
const HALVING: f64 = 0.693;

/// A memory that was used less than a minute ago was used a minute ago.
const SHORTEST_AGE: f64 = 1.0 / (24.0 * 60.0);

/// A memory that is nearer than this to another says the same.
pub const SAME: f32 = 0.92;

named! {
    /// How retention falls with time.
    #[derive(Default)]
    Decay {
        /// Exponential.
        L2 = "l2",
        /// Exponential at first, then a straight line to zero.
        #[default]
        Huber = "huber",
        /// A mixture of both.
        Elastic = "elastic",
    }
}

/// What the numbers depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// How retention falls.
    pub retention: Decay,
    /// The half-life of what a person wrote, in days.
    pub half_life_days: f64,
    /// Where Huber's line begins, in half-lives.
    pub huber_delta: f64,
    /// How much of the mixture is the line.
    pub elastic_rho: f64,
    /// How much faster what is trusted less fades.
    pub trust_decay: f64,
    /// A memory is never put away sooner than so many days after it was made, or used the last time.
    pub archive_after_days: f64,
    /// What each term of importance is worth.
    pub weight_base: f64,
    /// See above.
    pub weight_access: f64,
    /// See above.
    pub weight_recency: f64,
    /// See above.
    pub weight_valence: f64,
    /// See above.
    pub weight_stability: f64,
    /// See above.
    pub weight_layer: f64,
    /// See above.
    pub weight_trust: f64,
    /// See above.
    pub weight_confirmations: f64,
    /// See above.
    pub weight_activation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            retention: Decay::Huber,
            half_life_days: 30.0,
            huber_delta: 0.5,
            elastic_rho: 0.3,
            trust_decay: 4.0,
            archive_after_days: 90.0,
            weight_base: 0.22,
            weight_access: 0.11,
            weight_recency: 0.11,
            weight_valence: 0.07,
            weight_stability: 0.07,
            weight_layer: 0.13,
            weight_trust: 0.09,
            weight_confirmations: 0.09,
            weight_activation: 0.11,
        }
    }
}

/// How a memory was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// When, oldest first.
    pub accesses: Vec<Timestamp>,
    /// How many independent sources said the same.
    pub confirmations: u32,
}

impl Usage {
    /// Puts together when an item was used, oldest first, and who confirmed it.
    pub fn of(item: &Item, accesses: Vec<Timestamp>) -> Self {
        let confirmations = u32::try_from(item.confirmed_by.len()).unwrap_or(u32::MAX);
        Self { accesses, confirmations }
    }
}

/// How much of a memory is left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Retention {
    /// 0 to 1.
    pub value: f64,
    /// Days since it was last used, or learned.
    pub age_days: f64,
    /// Its half-life in days; none where it does not fade.
    pub half_life_days: Option<f64>,
    /// What time left of it.
    pub decayed: f64,
    /// What use adds.
    pub reinforcement: f64,
}

/// One term of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Term {
    /// What it is about.
    pub name: &'static str,
    /// What it says, 0 to 1.
    pub value: f64,
    /// What that is worth.
    pub weight: f64,
    /// The product.
    pub part: f64,
}

/// How important a memory is, with every term.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Importance {
    /// 0 to 1.
    pub value: f64,
    /// The nine terms.
    pub terms: Vec<Term>,
}

/// Returns how far what a source says is trusted.
pub fn trust(source: Source) -> f64 {
    match source {
        Source::Human => 1.0,
        Source::Ai => 0.7,
        Source::Interaction => 0.6,
        Source::Ingest | Source::CodeScan => 0.5,
        Source::Dream => 0.4,
    }
}

/// Returns what time leaves of a memory after `t` half-lives.
pub fn decayed(t: f64, settings: &Settings) -> f64 {
    let exponential = |t: f64| libm::exp(-HALVING * t);
    match settings.retention {
        Decay::L2 => exponential(t),
        Decay::Huber if t <= settings.huber_delta => exponential(t),
        Decay::Huber => {
            let turn = exponential(settings.huber_delta);
            (turn - HALVING * turn * (t - settings.huber_delta)).max(0.0)
        }
        Decay::Elastic => {
            let line = (1.0 - t / 2.0).max(0.0);
            settings.elastic_rho * line + (1.0 - settings.elastic_rho) * exponential(t)
        }
    }
}

/// Returns a memory's half-life in days; none where it does not fade.
pub fn half_life(layer: Layer, source: Source, settings: &Settings) -> Option<f64> {
    match layer {
        Layer::Working | Layer::Episodic => Some(trusted_half_life(source, settings)),
        Layer::Semantic | Layer::Procedural | Layer::Codebase => None,
    }
}

/// Returns the half-life, in days, of what a source says: what is trusted less fades faster.
fn trusted_half_life(source: Source, settings: &Settings) -> f64 {
    settings.half_life_days / (1.0 + settings.trust_decay * (1.0 - trust(source)))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of thousands of years are exact")]
fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    let milliseconds = to.as_millisecond().saturating_sub(from.as_millisecond());
    (milliseconds as f64 / 86_400_000.0).max(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "nobody uses a memory 2^52 times")]
fn count(usage: &Usage) -> f64 {
    usage.accesses.len() as f64
}

fn last_used(item: &Item, usage: &Usage) -> Timestamp {
    usage.accesses.iter().copied().max().map_or(item.time, |last| last.max(item.time))
}

/// Returns how much of a memory is left.
pub fn retention(item: &Item, usage: &Usage, now: Timestamp, settings: &Settings) -> Retention {
    let age_days = days_between(last_used(item, usage), now);
    let half_life_days = half_life(item.layer, item.source, settings);
    let decayed = half_life_days.map_or(1.0, |half_life| decayed(age_days / half_life, settings));
    let reinforcement = if usage.accesses.is_empty() {
        0.0
    } else {
        (0.05 * libm::log(1.0 + count(usage))).min(0.3)
    };
    let value = (decayed + reinforcement).min(1.0);
    Retention { value, age_days, half_life_days, decayed, reinforcement }
}

/// Returns how important a memory is. The base is what somebody said; nothing is fed back into it.
pub fn importance(item: &Item, usage: &Usage, now: Timestamp, settings: &Settings) -> Importance {
    let uses = count(usage);
    let last = last_used(item, usage);
    let age = days_between(last, now);
    let half_life = trusted_half_life(item.source, settings);
    let layer = match item.layer {
        Layer::Semantic => 0.3,
        Layer::Procedural => 0.2,
        Layer::Episodic => 0.1,
        Layer::Working | Layer::Codebase => 0.0,
    };
    let confirmed = (0.05 * libm::log(1.0 + f64::from(usage.confirmations))).min(0.2);
    let terms = [
        ("base", f64::from(item.importance), settings.weight_base),
        ("access", (0.1 * libm::log(1.0 + uses)).min(1.0), settings.weight_access),
        ("recency", libm::exp(-HALVING * age / half_life), settings.weight_recency),
        ("valence", f64::from(item.valence.abs()) * 0.3, settings.weight_valence),
        ("stability", stability(item, usage, now), settings.weight_stability),
        ("layer", layer, settings.weight_layer),
        ("trust", trust(item.source), settings.weight_trust),
        ("confirmations", confirmed, settings.weight_confirmations),
        ("activation", activation(usage, now), settings.weight_activation),
    ];
    let terms: Vec<Term> = terms
        .into_iter()
        .map(|(name, value, weight)| Term { name, value, weight, part: value * weight })
        .collect();
    let sum: f64 = terms.iter().map(|term| term.part).sum();
    Importance { value: sum.clamp(0.0, 1.0), terms }
}

/// So many of the last weeks tell how steadily a memory is used: older uses are not kept one by one.
const WEEKS: usize = 12;

/// In fewer weeks nobody can tell a habit from a burst.
const FEWEST_WEEKS: usize = 4;

/// How steadily a memory is used: in how many of its last weeks it was, not how often. A burst within a
/// week says nothing, a use every week all there is to say.
fn stability(item: &Item, usage: &Usage, now: Timestamp) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few weeks")]
    let week = |at: Timestamp| (days_between(at, now) / 7.0) as usize;
    let weeks: std::collections::BTreeSet<usize> =
        usage.accesses.iter().map(|at| week(*at)).filter(|week| *week < WEEKS).collect();
    let lived = (week(item.time) + 1).clamp(FEWEST_WEEKS, WEEKS);
    #[expect(clippy::cast_precision_loss, reason = "a few weeks")]
    let share = |count: usize| count.saturating_sub(1) as f64;
    (share(weeks.len()) / share(lived)).min(1.0)
}

/// Base-level activation: each use counts the less the longer it is ago; ln of their sum, squashed.
fn activation(usage: &Usage, now: Timestamp) -> f64 {
    let uses = usage.accesses.iter();
    // An empty sum would be minus zero.
    let sum =
        uses.fold(0.0, |sum, at| sum + 1.0 / libm::sqrt(days_between(*at, now).max(SHORTEST_AGE)));
    // 1 / (1 + e^-ln(s)) is s / (1 + s), and nothing at all for no use.
    sum / (1.0 + sum)
}

/// Returns how surprising something is, and what that adds to its importance, from the mean distance to
/// its nearest neighbours; none where there are none.
pub fn surprise(mean_distance: Option<f64>) -> (f64, f64) {
    let Some(distance) = mean_distance else { return (1.0, 0.15) };
    let exponent = (-10.0 * (distance - 0.35)).clamp(-20.0, 20.0);
    let surprise = 1.0 / (1.0 + libm::exp(exponent));
    (surprise, (surprise - 0.5) * 0.6)
}

/// Returns how new something is, from the mean distance to its nearest and the nearest of all.
pub fn weight(distance: Option<f64>, nearest: Option<(String, f32)>) -> Weight {
    let (surprise, modifier) = self::surprise(distance);
    let duplicate = nearest.as_ref().is_some_and(|(_, near)| is_repeated(*near));
    // One copy among strangers looks new by the mean, and is not.
    let modifier = if duplicate { modifier.min(0.0) } else { modifier };
    #[expect(clippy::cast_possible_truncation, reason = "four digits are kept")]
    let rounded = |value: f64| (libm::round(value * 1e4) / 1e4) as f32;
    Weight {
        surprise: rounded(surprise),
        modifier: rounded(modifier),
        nearest: nearest.map(|(id, _)| id),
        duplicate,
    }
}

/// Tells whether something this near says the same.
pub fn is_repeated(near: f32) -> bool {
    near >= SAME
}

/// Returns who says it again, where that is somebody else than who said it first.
pub fn independent(older: &Item, newer: &Item) -> Option<String> {
    let who = |item: &Item| match &item.speaker {
        Some(speaker) => speaker.to_lowercase(),
        None => format!("{} {}", item.source, item.channel.as_deref().unwrap_or_default()),
    };
    let by = who(newer).trim().to_owned();
    (who(older).trim() != by && !older.confirmed_by.contains(&by)).then_some(by)
}

/// A memory becomes knowledge after so many uses.
const USES_OF_KNOWLEDGE: usize = 5;

/// Tells whether a memory may become knowledge by its uses, if its words or its importance allow it.
pub fn is_used_enough(item: &Item, usage: &Usage) -> bool {
    item.layer == Layer::Episodic && usage.accesses.len() >= USES_OF_KNOWLEDGE
}

/// Returns the layer that a memory has earned, where that is another.
///
/// What is used often becomes knowledge when it is important, or when its words say something that
/// lasts: a state or a rule, and nothing that happened or is still open.
pub fn promotion(item: &Item, usage: &Usage, importance: f64, now: Timestamp) -> Option<Layer> {
    let uses = usage.accesses.len();
    let minutes = days_between(item.time, now) * 24.0 * 60.0;
    let lasts = || nature::nature(&item.text, &item.category).lasts();
    match item.layer {
        Layer::Working if minutes > 30.0 || uses >= 2 => Some(Layer::Episodic),
        Layer::Episodic if is_used_enough(item, usage) && (importance >= 0.7 || lasts()) => {
            Some(Layer::Semantic)
        }
        _ => None,
    }
}

/// Tells whether a memory is old, faded, unimportant and unused enough to be put away. What is still
/// open, or names a day to come, never is.
pub fn may_be_archived(
    item: &Item,
    usage: &Usage,
    (retention, importance): (f64, f64),
    (now, settings): (Timestamp, &Settings),
) -> bool {
    !item.pinned
        && matches!(item.layer, Layer::Working | Layer::Episodic)
        && days_between(last_used(item, usage), now) > settings.archive_after_days
        && retention < 0.15
        && importance < 0.3
        && usage.accesses.len() < 3
        && is_kept(item, now).is_none()
}

/// Returns why a memory must not be put away by its words, where it must not.
pub fn is_kept(item: &Item, now: Timestamp) -> Option<&'static str> {
    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
    nature::keeps(&item.text, &item.category, day(item.time), day(now))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::*;
    use crate::item::Kind;

    fn now() -> Timestamp {
        "2026-06-20T10:00:00Z".parse().unwrap()
    }

    fn ago(days: i64) -> Timestamp {
        now().checked_sub(SignedDuration::from_hours(24 * days)).unwrap()
    }

    fn learned(days: i64) -> Item {
        Item::new("m", Kind::Record, "words", ago(days))
    }

    fn mode(retention: Decay) -> Settings {
        Settings { retention, ..Settings::default() }
    }

    #[test]
    fn retention_falls_as_the_spec_says() {
        let cases = [
            (15, [0.7072, 0.7072, 0.7200]),
            (30, [0.5001, 0.4621, 0.5001]),
            (45, [0.3536, 0.2171, 0.3225]),
            (60, [0.2501, 0.0, 0.1751]),
        ];
        for (days, expected) in cases {
            for (decay, expected) in
                [Decay::L2, Decay::Huber, Decay::Elastic].into_iter().zip(expected)
            {
                let found = retention(&learned(days), &Usage::default(), now(), &mode(decay)).value;
                assert!((found - expected).abs() < 1e-4, "{decay:?} after {days} days: {found}");
            }
        }
    }

    #[test]
    fn what_a_machine_extracted_fades_three_times_as_fast() {
        let settings = Settings::default();
        assert_eq!(half_life(Layer::Episodic, Source::Human, &settings), Some(30.0));
        assert_eq!(half_life(Layer::Episodic, Source::Ingest, &settings), Some(10.0));
        assert_eq!(half_life(Layer::Semantic, Source::Dream, &settings), None);
    }

    #[test]
    fn nothing_is_put_away_before_ninety_days_without_use() {
        let put_away = |days: i64, usage: &Usage, text: &str| {
            let source = Source::Ingest;
            let item = Item { source, importance: 0.1, text: text.to_owned(), ..learned(days) };
            let settings = Settings::default();
            let left = retention(&item, usage, now(), &settings).value;
            may_be_archived(&item, usage, (left, 0.1), (now(), &settings))
        };
        let none = Usage::default();
        assert!(!put_away(89, &none, "words") && put_away(91, &none, "words"));
        let used = |days: i64| Usage { accesses: vec![ago(days)], confirmations: 0 };
        assert!(!put_away(300, &used(89), "words") && put_away(300, &used(91), "words"));
        assert!(!put_away(300, &none, "TODO: rotate the signing key"));
        // Written in August 2025, so the day was in February.
        assert!(put_away(300, &none, "the licence ends on 3 February"));
        assert!(!put_away(100, &none, "the licence ends on 3 February 2027"));
    }

    #[test]
    fn a_use_every_week_is_steady_and_a_burst_is_not() {
        let steady = |accesses: Vec<Timestamp>, age: i64| {
            let usage = Usage { accesses, confirmations: 0 };
            importance(&learned(age), &usage, now(), &Settings::default()).terms[4].value
        };
        assert!((steady((0..12).map(|week| ago(7 * week)).collect(), 90) - 1.0).abs() < 1e-9);
        assert!(steady(vec![ago(1); 40], 2) < 1e-9, "a burst");
        assert!(steady(vec![ago(1); 40], 90) < 1e-9, "a burst");
        assert!(steady(vec![ago(1), ago(20), ago(40)], 90) > 0.1);
    }

    #[test]
    fn what_is_trusted_less_is_recent_for_less_long() {
        let recency = |source: Source| {
            let item = Item { source, ..learned(10) };
            importance(&item, &Usage::default(), now(), &Settings::default()).terms[2].value
        };
        assert!((recency(Source::Human) - libm::exp(-HALVING / 3.0)).abs() < 1e-9);
        assert!((recency(Source::Ingest) - libm::exp(-HALVING)).abs() < 1e-9);
    }

    #[test]
    fn what_lasts_becomes_knowledge_by_use_and_what_happened_does_not() {
        let used = Usage { accesses: (0..5).map(|week| ago(7 * week)).collect(), confirmations: 0 };
        let earned = |text: &str| {
            let item = Item { text: text.to_owned(), ..learned(60) };
            let importance = importance(&item, &used, now(), &Settings::default()).value;
            promotion(&item, &used, importance, now())
        };
        assert_eq!(
            earned("The main water valve is behind the washing machine."),
            Some(Layer::Semantic)
        );
        assert_eq!(earned("Merged PR 881 after two rounds of review."), None);
        assert_eq!(earned("Waiting for the plumber's offer."), None);
    }

    #[test]
    fn use_keeps_a_memory_and_never_more_than_whole() {
        let used = Usage { accesses: vec![ago(2); 400], confirmations: 0 };
        let kept = retention(&learned(300), &used, now(), &Settings::default());
        assert!((kept.reinforcement - 0.2997).abs() < 1e-3 && kept.value <= 1.0, "{kept:?}");
    }

    #[test]
    fn importance_is_the_sum_of_nine_terms_and_feeds_nothing_back() {
        let used = Usage { accesses: vec![ago(9), ago(1)], confirmations: 3 };
        let found = importance(&learned(20), &used, now(), &Settings::default());
        assert_eq!(found.terms.len(), 9);
        let weights: f64 = found.terms.iter().map(|term| term.weight).sum();
        assert!((weights - 1.0).abs() < 1e-12);
        assert_eq!(importance(&learned(20), &used, now(), &Settings::default()), found);
        let activation = found.terms[8].value;
        let expected = libm::exp(libm::log(1.0 / 3.0 + 1.0));
        assert!((activation - expected / (1.0 + expected)).abs() < 1e-9, "{activation}");
    }

    proptest! {
        /// What is older and not used is never held better, and a further use never makes it worse.
        #[test]
        fn retention_is_monotone_in_age_and_in_uses(
            age in 0..400_i64,
            more in 0..400_i64,
            uses in 0..40_usize,
            which in 0..3_usize,
            source in 0..6_usize,
        ) {
            let settings = mode([Decay::L2, Decay::Huber, Decay::Elastic][which]);
            let source = Source::ALL[source];
            let left = |days: i64, uses: usize| {
                let item = Item { source, ..learned(days) };
                let usage = Usage { accesses: vec![ago(days); uses], confirmations: 0 };
                retention(&item, &usage, now(), &settings).value
            };
            prop_assert!(left(age + more, uses) <= left(age, uses));
            prop_assert!(left(age, uses + 1) >= left(age, uses));
            prop_assert!((0.0..=1.0).contains(&left(age, uses)));
            let again = |last: i64| {
                let item = Item { source, ..learned(age) };
                let usage = Usage { accesses: vec![ago(age), ago(last.min(age))], confirmations: 0 };
                retention(&item, &usage, now(), &settings).value
            };
            prop_assert!(again(more) <= again(more / 2));
        }
    }

    #[test]
    fn surprise_is_the_originals_curve() {
        for (distance, modifier) in [(0.2, -0.1905), (0.35, 0.0), (0.5, 0.1905), (0.8, 0.2934)] {
            assert!((surprise(Some(distance)).1 - modifier).abs() < 1e-4, "{distance}");
        }
        assert_eq!(surprise(None), (1.0, 0.15));
    }

    #[test]
    fn promotion_and_archival_have_their_rules() {
        let none = Usage::default();
        let mut working = learned(1);
        working.layer = Layer::Working;
        assert_eq!(promotion(&working, &none, 0.0, now()), Some(Layer::Episodic));
        let used = Usage { accesses: vec![ago(1); 5], confirmations: 0 };
        assert_eq!(promotion(&learned(9), &used, 0.7, now()), Some(Layer::Semantic));
        assert_eq!(promotion(&learned(9), &used, 0.69, now()), None);
        let old = learned(91);
        let settings = Settings::default();
        let once = Usage { accesses: vec![ago(91)], confirmations: 0 };
        let may_go = |item: &Item| may_be_archived(item, &once, (0.1, 0.2), (now(), &settings));
        assert!(may_go(&old));
        assert!(!may_be_archived(&learned(89), &none, (0.1, 0.2), (now(), &settings)));
        assert!(!may_go(&Item { pinned: true, ..old }));
        let hasty = Settings { archive_after_days: 30.0, ..Settings::default() };
        let none = Usage::default();
        assert!(may_be_archived(&learned(31), &none, (0.1, 0.2), (now(), &hasty)));
    }
}
