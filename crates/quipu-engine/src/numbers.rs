//! What the numbers say about a memory: how much of it is left, how important it is, where it is going.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::{Item, Layer, Source};
use quipu_core::lifecycle::{self, Decay, Importance, Retention, Settings, Usage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::index;
use crate::workspace::Workspace;

/// So many points make a curve.
const POINTS: i64 = 120;

/// Where a memory stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Numbers {
    /// The memory.
    pub id: String,
    /// How long it is meant to last.
    pub layer: Layer,
    /// Whether nothing touches it.
    pub pinned: bool,
    /// How much of it is left.
    pub retention: Retention,
    /// How important it is, with every term.
    pub importance: Importance,
    /// How often it was used.
    pub uses: usize,
    /// The layer that it has earned, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earned: Option<Layer>,
    /// Whether it is old, faded, unimportant and unused enough to be put away.
    pub may_be_archived: bool,
}

/// Retention over time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Curve {
    /// The memory.
    pub id: String,
    /// How retention falls.
    pub mode: Decay,
    /// Its half-life in days; none where it does not fade.
    pub half_life_days: Option<f64>,
    /// What is left now.
    pub now: f64,
    /// Days from now (before it: less than zero), and what is left then if nobody uses it.
    pub points: Vec<(f64, f64)>,
    /// Days from now at which it was used.
    pub uses: Vec<f64>,
    /// Days from now until less than 0.15 is left; none where that never comes.
    pub fades_in_days: Option<f64>,
}

/// Returns what the numbers say about a memory.
///
/// # Errors
/// When there is no such thing.
pub fn numbers(workspace: &Workspace, id: &str, now: Timestamp) -> Result<Numbers, Error> {
    index::freshen(workspace)?;
    let item = index::resolve(workspace, id)?;
    let usage = usage(workspace, &item)?;
    let settings = &workspace.config().lifecycle;
    let retention = lifecycle::retention(&item, &usage, now, settings);
    let importance = lifecycle::importance(&item, &usage, now, settings);
    let values = (retention.value, importance.value);
    Ok(Numbers {
        layer: item.layer,
        pinned: item.pinned,
        uses: usage.accesses.len(),
        earned: lifecycle::promotion(&item, &usage, importance.value, now),
        may_be_archived: lifecycle::may_be_archived(&item, &usage, values, (now, settings)),
        retention,
        importance,
        id: item.id,
    })
}

/// Returns how retention went and will go, over `days` from now on.
///
/// # Errors
/// When there is no such thing.
pub fn curve(
    workspace: &Workspace,
    id: &str,
    mode: Option<Decay>,
    days: u32,
    now: Timestamp,
) -> Result<Curve, Error> {
    index::freshen(workspace)?;
    let item = index::resolve(workspace, id)?;
    let usage = usage(workspace, &item)?;
    let known = &workspace.config().lifecycle;
    let settings = Settings { retention: mode.unwrap_or(known.retention), ..known.clone() };
    let at = |time: Timestamp| {
        let until = usage.accesses.iter().copied().filter(|access| *access <= time).collect();
        let then = Usage { accesses: until, ..usage.clone() };
        lifecycle::retention(&item, &then, time, &settings).value
    };
    let end = now.checked_add(SignedDuration::from_hours(24 * i64::from(days))).unwrap_or(now);
    let start = item.time.min(now).as_millisecond();
    let span = end.as_millisecond() - start;
    let times = (0..=POINTS)
        .filter_map(|step| Timestamp::from_millisecond(start + span / POINTS * step).ok());
    let points: Vec<(f64, f64)> = times.map(|time| (days_from(now, time), at(time))).collect();
    let faded = points.iter().find(|(day, left)| *day >= 0.0 && *left < 0.15);
    Ok(Curve {
        mode: settings.retention,
        half_life_days: lifecycle::half_life(item.layer, item.source, &settings),
        now: at(now),
        uses: usage.accesses.iter().map(|access| days_from(now, *access)).collect(),
        fades_in_days: faded.map(|(day, _)| *day),
        points,
        id: item.id,
    })
}

fn usage(workspace: &Workspace, item: &Item) -> Result<Usage, Error> {
    let store = index::store(workspace)?;
    let mut accesses = store.accesses(&item.id)?;
    // What a dream put together was used when its parts were.
    if item.source == Source::Dream && item.valid_from.is_some() {
        let mut into: HashMap<String, String> = HashMap::new();
        store.each(&mut |one| {
            if let Some(whole) = one.merged_into {
                into.insert(one.id, whole);
            }
            true
        })?;
        let is_part = |id: &String| {
            let mut whole = into.get(id);
            for _ in 0..into.len() {
                match whole {
                    Some(whole) if *whole == item.id => return true,
                    Some(next) => whole = into.get(next),
                    None => return false,
                }
            }
            false
        };
        for part in into.keys().filter(|id| is_part(id)) {
            accesses.extend(store.accesses(part)?);
        }
        accesses.sort();
    }
    Ok(Usage::of(item, accesses))
}

/// Returns when everything was used, by id.
pub(crate) fn all_uses(workspace: &Workspace) -> Result<HashMap<String, Vec<Timestamp>>, Error> {
    let mut uses: HashMap<String, Vec<Timestamp>> = HashMap::new();
    for (id, at, count) in index::store(workspace)?.all_accesses()? {
        uses.entry(id).or_default().extend(std::iter::repeat_n(at, count as usize));
    }
    Ok(uses)
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of thousands of years are exact")]
fn days_from(now: Timestamp, time: Timestamp) -> f64 {
    (time.as_millisecond() - now.as_millisecond()) as f64 / 86_400_000.0
}
