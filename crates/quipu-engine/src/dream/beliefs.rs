//! Old beliefs are put to a judge, a few at a time.

use jiff::tz::TimeZone;
use quipu_core::item::{Kind, Layer, Sensitivity, Source};
use quipu_core::question::{Question, QuestionKind};
use quipu_core::terms;

use super::night::Night;
use super::plan::Step;

/// Used within so many days, it was looked at.
const UNUSED_DAYS: i64 = 14;

/// Younger ones are no old beliefs.
const OLD_DAYS: i64 = 30;

/// Plans questions about a sample of what has not been used for a while. The sample depends on the
/// half-year and on when each was learned: ids are random, and the same history gives the same sample.
pub(super) fn plan(night: &mut Night<'_>) {
    let date = night.now.to_zoned(TimeZone::UTC).date();
    let round = format!("{}-{}", date.year(), if date.month() <= 6 { 1 } else { 2 });
    let days_since = |time: jiff::Timestamp| night.now.duration_since(time).as_hours() / 24;
    let mut sample: Vec<(u64, String, i64)> = Vec::new();
    for (at, item) in night.items.iter().enumerate() {
        let is_belief = matches!(item.layer, Layer::Semantic | Layer::Procedural)
            && matches!(item.kind, Kind::Record | Kind::Fact)
            && item.source != Source::Dream
            && item.sensitivity != Sensitivity::Secret
            && night.holds(at);
        if !is_belief || days_since(item.time) < OLD_DAYS {
            continue;
        }
        let used = night.usage(item).accesses.into_iter().max();
        if used.is_some_and(|used| days_since(used) < UNUSED_DAYS) {
            continue;
        }
        let learned = item.time.as_millisecond();
        let dice = terms::label('b', &format!("{round} {learned}"));
        sample.push((dice, item.id.clone(), days_since(item.time)));
    }
    sample.sort_unstable();
    for (_, id, age) in sample {
        if night.room_for(QuestionKind::Belief) == 0 {
            return;
        }
        let why = format!("learned {age} days ago, and not used for {UNUSED_DAYS} days or more");
        let question = Question::new(QuestionKind::Belief, vec![id], why);
        night.act_by_asking(Step::Beliefs, Question { round: round.clone(), ..question });
    }
}
