//! Open sessions and the logs of earlier ones.

use std::collections::BTreeMap;

use clap::Args;
use quipu_core::ledger::is_session_log;
use quipu_core::memory::SESSIONS;
use quipu_core::session::OpenSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::noted;
use crate::caller::Permission;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::sessions;
use crate::workspace::Workspace;

/// List open sessions and the newest logs
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SessionList {
    /// How many logs
    #[arg(short = 'l', long, default_value_t = 10)]
    #[serde(default = "ten")]
    pub limit: usize,
}

fn ten() -> usize {
    10
}

/// Sessions in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedSessions {
    /// Those that are open, oldest first.
    pub open: Vec<OpenSession>,
    /// Logs, newest first.
    pub logs: Vec<ListedLog>,
    /// How many logs there are in all.
    pub total: usize,
    /// How many logs each day has, for the newest 366 days with one.
    pub days: BTreeMap<String, usize>,
}

/// The days that a list of sessions counts: a year, where every day has a session.
const DAYS: usize = 366;

/// Counts logs by day, given their names, newest first.
fn days<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut days = BTreeMap::new();
    for day in names.filter_map(|name| name.get(..10)) {
        if let Some(count) = days.get_mut(day) {
            *count += 1;
        } else if days.len() < DAYS {
            days.insert(day.to_owned(), 1);
        } else {
            break;
        }
    }
    days
}

/// A log in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedLog {
    /// Its name.
    pub id: String,
    /// Who worked.
    pub agent: Option<String>,
    /// Its first line of prose.
    pub summary: String,
}

impl Output for ListedSessions {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.open.iter_mut().for_each(|session| noted(session, each));
        self.logs.iter_mut().for_each(|log| each(&mut log.summary));
    }
}

impl Operation for SessionList {
    const NAME: &'static str = "session.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = ListedSessions;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<ListedSessions, OperationError> {
        let open = sessions::open_sessions(on)?;
        let snapshot = on.read()?;
        let mut logs: Vec<(&str, &str)> =
            snapshot.inside(SESSIONS).filter(|(name, _)| is_session_log(name)).collect();
        logs.reverse();
        let total = logs.len();
        let row = |(name, log): (&str, &str)| {
            let agent = log.lines().find_map(|line| line.strip_prefix("**Agent:**"));
            ListedLog {
                id: name.trim_end_matches(".md").to_owned(),
                agent: agent.map(|agent| agent.trim().to_owned()),
                summary: sessions::summary_line(log),
            }
        };
        let days = days(logs.iter().map(|(name, _)| *name));
        Ok(ListedSessions {
            open,
            days,
            logs: logs.into_iter().take(self.limit).map(row).collect(),
            total,
        })
    }
}

/// Show an open session or a log
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SessionShow {
    /// An open session's id or a log's name (default: the open session)
    pub id: Option<String>,
}

/// A session, open or not.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum ShownSession {
    /// It is open.
    #[serde(rename = "open-session")]
    Open {
        /// Its id.
        id: String,
        /// What happened in it so far.
        session: OpenSession,
    },
    /// It has ended.
    #[serde(rename = "session")]
    Log {
        /// The log's name.
        id: String,
        /// The log.
        text: String,
        /// The log's file.
        path: String,
    },
}

impl Output for ShownSession {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Open { session, .. } => noted(session, each),
            Self::Log { text, .. } => each(text),
        }
    }
}

impl Operation for SessionShow {
    const NAME: &'static str = "session.show";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = ShownSession;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<ShownSession, OperationError> {
        let open = sessions::open_sessions(on)?;
        let shown = |session: OpenSession| ShownSession::Open { id: session.id.clone(), session };
        let Some(id) = &self.id else {
            return only_one(open).map(shown);
        };
        match open.into_iter().find(|session| session.id == *id) {
            Some(session) => Ok(shown(session)),
            None => log(on, id),
        }
    }
}

/// Returns the session that is open, where it is the only one.
fn only_one(mut open: Vec<OpenSession>) -> Result<OpenSession, OperationError> {
    let several = open.len() > 1;
    match open.pop() {
        Some(only) if !several => Ok(only),
        Some(_) => Err(OperationError::input("session", "several sessions are open")
            .hint("name one; `quipu session list` shows them")),
        None => Err(OperationError::input("session", "no session is open")
            .hint("name a log; `quipu session list` shows them")),
    }
}

/// Returns the one log whose name begins like that.
fn log(on: &Workspace, id: &str) -> Result<ShownSession, OperationError> {
    let snapshot = on.read()?;
    let stem = id.trim_end_matches(".md");
    let mut logs = snapshot
        .inside(SESSIONS)
        .filter(|(name, _)| is_session_log(name) && name.starts_with(stem));
    match (logs.next(), logs.next()) {
        (Some((name, log)), None) => Ok(ShownSession::Log {
            id: name.trim_end_matches(".md").to_owned(),
            text: log.to_owned(),
            path: format!("{SESSIONS}{name}"),
        }),
        (Some(_), Some(_)) => {
            let why = format!("several logs begin with `{stem}`");
            Err(OperationError::input("session", why).hint("give more of the name"))
        }
        (None, _) => Err(OperationError::input("session", format!("there is no session `{id}`"))
            .hint("`quipu session list` shows open sessions and logs")),
    }
}
