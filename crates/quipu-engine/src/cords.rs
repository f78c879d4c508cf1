//! Facts and the sessions that used them: a cord for each fact, with a knot for every use.

use quipu_core::policy::Policy;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::report::{self, FactRow, Filter};
use crate::workspace::Workspace;

/// Facts and the sessions that used them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cords {
    /// The sessions that are columns, oldest first.
    pub sessions: Vec<CordSession>,
    /// Sessions before these, which are left out.
    pub earlier_sessions: usize,
    /// A cord for each fact, in the order of the file.
    pub facts: Vec<Cord>,
    /// The windows that decide, in sessions.
    pub windows: Windows,
}

/// A session that is a column.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CordSession {
    /// Its name.
    pub id: String,
    /// Its day.
    pub day: String,
}

/// How long a fact keeps its tier without a use, in sessions.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Windows {
    /// A new fact stays working for this long.
    pub working: u32,
    /// A fact that was used within this is active.
    pub active: u32,
    /// A fact that was not used for longer than this goes to the archive.
    pub archive: u32,
}

impl From<Policy> for Windows {
    fn from(policy: Policy) -> Self {
        Self {
            working: policy.working_window.0,
            active: policy.active_window.0,
            archive: policy.archive_window.0,
        }
    }
}

/// A fact with its uses.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cord {
    /// The fact.
    #[serde(flatten)]
    pub fact: FactRow,
    /// The column at which its cord begins: the first after it was written, or the first that used it.
    pub since: usize,
    /// The columns of the sessions that used it, in order.
    pub knots: Vec<usize>,
    /// Uses in the sessions that are left out.
    pub earlier_knots: usize,
}

/// Returns the cords of the facts that a filter lets through, with the newest `most` sessions.
///
/// # Errors
/// When the memory cannot be read.
pub fn cords(workspace: &Workspace, filter: &Filter, most: usize) -> Result<Cords, Error> {
    let rows = report::list(workspace, filter)?;
    let snapshot = workspace.read()?;
    let memory = snapshot.parse()?;
    let logs = &memory.ledger.logs;
    let first = logs.len().saturating_sub(most);
    let sessions: Vec<CordSession> = logs[first..]
        .iter()
        .map(|log| CordSession { id: log.stem.to_owned(), day: log.date().to_owned() })
        .collect();
    let cord = |fact: FactRow| {
        let places = memory.ledger.sessions_of(&fact.id);
        let places = places.filter_map(|stem| logs.iter().position(|log| log.stem == stem));
        let (earlier, knots): (Vec<usize>, Vec<usize>) = places.partition(|place| *place < first);
        let written = fact.created.as_deref().unwrap_or_default();
        // It may be used in the very session that wrote it, or have been written again since.
        let since = logs.partition_point(|log| log.date() <= written).saturating_sub(first);
        let knots: Vec<usize> = knots.into_iter().map(|place| place - first).collect();
        Cord {
            since: knots.first().map_or(since, |knot| since.min(*knot)),
            knots,
            earlier_knots: earlier.len(),
            fact,
        }
    };
    Ok(Cords {
        facts: rows.into_iter().map(cord).collect(),
        sessions,
        earlier_sessions: first,
        windows: memory.policy.into(),
    })
}
