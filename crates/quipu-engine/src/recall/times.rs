//! What a question says about time, as spans of the calendar: some of it only the memory can tell.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::vector::Packed;
use quipu_core::when;
use quipu_embed::Role;
use quipu_store::{Filter, Moment, Search, Store};

use super::TimeSpan;
use crate::embedding;
use crate::error::Error;
use crate::workspace::Workspace;

/// Whoever names a session asks for it; a date may be a detail of what was told on another day.
const ASKED_FOR: f32 = 2.0;

/// Finds what the words say about time.
pub(super) fn times(
    workspace: &Workspace,
    store: &dyn Store,
    query: &str,
    filter: &Filter,
    now: Timestamp,
) -> Result<Vec<Resolved>, Error> {
    let today = workspace.day(now);
    let mut spans = Vec::new();
    for found in when::expressions(query, today) {
        let is_event = matches!(found.meaning, when::Meaning::Event { .. });
        let moment = match found.meaning {
            when::Meaning::Days { from, to } => Some(moment(from, to, workspace.zone())),
            when::Meaning::Event { before, what } => event_day(workspace, store, &what, filter)?
                .map(|day| {
                    if before {
                        moment(None, Some(day), workspace.zone())
                    } else {
                        moment(Some(day), None, workspace.zone())
                    }
                }),
            when::Meaning::SessionsAgo(back) => {
                let mut sessions = store.sessions(&filter.sensitivities)?;
                sessions.retain(|(_, first, _)| *first <= now);
                let at = sessions.len().checked_sub(back);
                at.and_then(|at| sessions.get(at)).map(|(_, first, last)| Moment {
                    from: first.as_second(),
                    to: last.as_second() + 1,
                    is_exact: true,
                    strength: ASKED_FOR,
                })
            }
        };
        spans.extend(moment.map(|moment| Resolved { words: found.words, moment, is_event }));
    }
    Ok(spans)
}

/// Returns the day of what the words describe best.
fn event_day(
    workspace: &Workspace,
    store: &dyn Store,
    what: &str,
    filter: &Filter,
) -> Result<Option<Date>, Error> {
    let embedder = embedding::embedder(workspace)?;
    // Without a vector the words alone must do.
    let vector = embedder.embed(&[what], Role::Question).ok();
    let vector = vector.and_then(|vectors| vectors.first().map(|vector| Packed::new(vector)));
    let search = Search {
        text: what.to_owned(),
        vector,
        model: embedder.id().to_owned(),
        // Whoever may not see it may not learn its day either.
        filter: Filter { sensitivities: filter.sensitivities.clone(), ..Filter::default() },
        limit: 1,
        ..Search::default()
    };
    let found = store.search(&search)?;
    let best = found.hits.first().filter(|hit| hit.words.len() == found.words.len());
    let time = best.map(|hit| hit.item.time).filter(|time| *time != Timestamp::UNIX_EPOCH);
    Ok(time.map(|time| workspace.day(time)))
}

#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) words: String,
    pub(super) moment: Moment,
    /// Whether the words name something that happened, and so are a topic too.
    pub(super) is_event: bool,
}

impl From<Resolved> for TimeSpan {
    fn from(resolved: Resolved) -> Self {
        let time = |seconds: i64| Timestamp::from_second(seconds).ok();
        let Moment { from, to, .. } = resolved.moment;
        Self {
            words: resolved.words,
            from: (from != i64::MIN).then(|| time(from)).flatten(),
            to: (to != i64::MAX).then(|| time(to)).flatten(),
        }
    }
}

fn moment(from: Option<Date>, to: Option<Date>, zone: &TimeZone) -> Moment {
    let second =
        |day: Date| day.to_zoned(zone.clone()).map_or(0, |zoned| zoned.timestamp().as_second());
    let (from, to) = (from.map_or(i64::MIN, second), to.map_or(i64::MAX, second));
    Moment { from, to, is_exact: false, strength: 1.0 }
}
