//! The commands behind a server for many: who gets in, the journal's files, what is due.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use quipu_core::journal::schedule::Schedule;
use quipu_core::printable::printable_line;
use quipu_engine::gateway::{self, NewText};
use quipu_engine::operation::{Call, Request};
use quipu_engine::{Workspace, dream, glance, operations, replay, tokens, upkeep};
use quipu_server::{ApiAnswer, ApiRequest, Caller, Channel, Host, Listening, Refusal, Scope};
use serde_json::{Value, json};

use super::Commands;
use super::api::refusal;
use super::events::Listener;
use crate::context;
use crate::error::CommandError;
use crate::identity::Identity;
use crate::output;
use crate::pool::{Admitted, Lease, Spaces};

/// The commands, for many.
pub(crate) struct Served {
    commands: Arc<Commands>,
    admits: Admits,
    has_schedule: bool,
    last: Mutex<Last>,
    rounds: Mutex<Rounds>,
    /// What this server is called where it takes a lease.
    holder: String,
}

/// How far a server has come with looking after the spaces of a database.
#[derive(Default)]
struct Rounds {
    /// The space that was looked at last.
    after: String,
    /// What this server did in each, and when.
    last: HashMap<String, Last>,
    /// How often each was written to when its last dream began.
    done: HashMap<String, i64>,
}

/// So many names are read at a time.
const MOST_LISTED: usize = 1000;

/// So many spaces are opened in a round, where something may be due.
const MOST_LOOKED_AT: usize = 64;

/// So many spaces are kept in mind.
const MOST_REMEMBERED: usize = 200_000;

/// How long one server has a space's upkeep to itself; a server that died does not keep it for longer.
const LEASE: Duration = Duration::from_mins(15);

/// Who gets in beside those who have a token in the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Admits {
    /// Programs of this machine, without a token.
    pub(crate) without_token: bool,
    /// Programs of this machine that have the token that was made for this run.
    pub(crate) token: Option<String>,
    /// Who has this token, to read the metrics of a server of many: no memory.
    pub(crate) watcher: Option<String>,
}

/// What this server has done by itself, and when.
#[derive(Default)]
struct Last {
    experiences: Option<Timestamp>,
    dream: Option<Timestamp>,
    reminder: Option<Date>,
}

impl Served {
    /// Lets clients in who have a token, and those that `admits` names; does what is due if told to.
    pub(crate) fn new(commands: Commands, admits: Admits, has_schedule: bool) -> Self {
        let commands = Arc::new(commands);
        let (last, rounds) = (Mutex::default(), Mutex::default());
        let holder = tokens::new_token().unwrap_or_else(|_| std::process::id().to_string());
        Self { commands, admits, has_schedule, last, rounds, holder }
    }

    /// Tells whether a program of this machine gets in by what it brings, or does not bring.
    fn admits_here(&self, token: Option<&str>) -> bool {
        match (token, &self.admits.token) {
            (Some(token), Some(of_this_run)) => tokens::is_same(token, of_this_run),
            (Some(_), None) => false,
            (None, _) => self.admits.without_token,
        }
    }

    fn workspace(&self) -> Result<Lease, CommandError> {
        self.commands.pool.take(&self.commands.global, None)
    }

    fn now(&self) -> Timestamp {
        context::now(&self.commands.global)
    }

    /// Does what is due in some spaces, one after the other. A lease sees to it that only one server does.
    fn look_after(&self, spaces: &dyn Spaces) {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(found) = spaces.after(&rounds.after, MOST_LISTED) else { return };
        let mut left = MOST_LOOKED_AT;
        for (name, generation) in &found {
            // Where nothing was written since all was done, nothing can be due.
            if rounds.done.get(name) == Some(generation) {
                rounds.after.clone_from(name);
                continue;
            }
            if left == 0 {
                return;
            }
            left -= 1;
            rounds.after.clone_from(name);
            let Ok(true) = spaces.lease(name, &self.holder, LEASE) else { continue };
            let now = self.now();
            let workspace = self.commands.pool.take(&self.commands.global, Some(name));
            let due = workspace.map(|workspace| {
                let last = rounds.last.entry(name.clone()).or_default();
                due(&workspace, last, now)
            });
            let due = due.unwrap_or_default();
            if due.iter().any(|(job, _)| *job == "dream") {
                rounds.done.insert(name.clone(), *generation);
            }
            for (job, object) in due {
                self.due(job, object, Some(name));
            }
            let _ = spaces.end_lease(name, &self.holder);
        }
        if found.len() < MOST_LISTED {
            *rounds = Rounds { after: String::new(), ..std::mem::take(&mut *rounds) };
        }
        if rounds.done.len() > MOST_REMEMBERED {
            rounds.done.clear();
            rounds.last.clear();
        }
    }

    /// Does what is due; tells what came of it on stderr.
    fn due(&self, name: &str, object: Value, space: Option<&str>) {
        let (scope, channel) = (Scope::Admin, Channel::Main);
        let agent = Some("quipu".to_owned());
        let of = space.map(|space| format!("{space}: ")).unwrap_or_default();
        let space = space.map(str::to_owned);
        let everything = Caller { scope, channel, agent, is_local: true, is_person: false, space };
        match super::data(&self.commands, name, object, &everything) {
            // It says why nothing was to be done.
            Ok(data) if !data["reason"].is_null() => {}
            Ok(_) => tell(&format!("{of}{name}: done")),
            Err(error) => tell(&format!("{of}{name}: {}", error.message)),
        }
    }
}

/// Writes a line to the log.
fn tell(line: &str) {
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    output::note(&format!("{now} {}\n", printable_line(line)));
}

impl Host for Served {
    type Backend = Commands;

    fn backend(&self) -> Arc<Commands> {
        self.commands.clone()
    }

    fn admit(&self, token: Option<&str>, is_local: bool) -> Result<Caller, Refusal> {
        if is_local && self.admits_here(token) {
            let (scope, channel) = (Scope::Write, Channel::Main);
            return Ok(Caller {
                scope,
                channel,
                agent: None,
                is_local,
                is_person: false,
                space: None,
            });
        }
        let Some(token) = token else {
            return Err(Refusal::new(401, "token", "this server asks for a token")
                .hint("send `Authorization: Bearer TOKEN`; `quipu token add NAME` makes one"));
        };
        if self.admits.watcher.as_ref().is_some_and(|known| tokens::is_same(token, known)) {
            return Ok(Caller {
                scope: Scope::Read,
                channel: Channel::Main,
                agent: Some("metrics".to_owned()),
                is_local: false,
                is_person: false,
                space: None,
            });
        }
        let found = match self.commands.pool.spaces() {
            Some(spaces) => spaces.admit(token),
            None => self
                .workspace()
                .and_then(|workspace| tokens::token_of(&workspace, token))
                .map(|token| token.map(Admitted::from)),
        };
        let Some(found) = found.map_err(|error| refusal(&error))? else {
            return Err(Refusal::new(401, "token", "nobody has this token")
                .hint("it was revoked, or is of another server"));
        };
        let scope = match &*found.permission {
            "admin" => Scope::Admin,
            "write" => Scope::Write,
            _ => Scope::Read,
        };
        let channel = match &*found.channel {
            "main" => Channel::Main,
            "heartbeat" => Channel::Heartbeat,
            _ => Channel::Other,
        };
        let agent = Some(found.name);
        let space = found.space;
        Ok(Caller { scope, channel, agent, is_local: false, is_person: false, space })
    }

    fn admits_slowly(&self) -> bool {
        self.commands.pool.has_spaces()
    }

    fn ready(&self) -> Result<(), String> {
        if let Some(spaces) = self.commands.pool.spaces() {
            return spaces.check().map_err(|error| error.message);
        }
        let checked = self.workspace().and_then(|workspace| replay::index_counts(&workspace));
        checked.map(drop).map_err(|error| error.message)
    }

    fn numbers(&self) -> Vec<(&'static str, &'static str, bool, f64)> {
        self.commands.pool.numbers()
    }

    fn numbers_by_space(&self, caller: &Caller) -> Vec<(&'static str, &'static str, String, u64)> {
        let numbers = self.commands.pool.uses(caller.space.as_deref());
        let name = ("quipu_space_requests_total", "Requests that opened a space.");
        numbers.into_iter().map(|(space, count)| (name.0, name.1, space, count)).collect()
    }

    fn gateway(&self, method: &str, params: &Value, caller: &Caller) -> Result<Value, Refusal> {
        let write = method == "memory.writeFile";
        let identity = Identity::remote(caller);
        let now = self.now();
        let call = Call {
            caller: identity.caller(),
            now,
            today: context::today(&self.commands.global, now),
            session: self.commands.global.session.as_deref(),
            scope: None,
            progress: &|_, _, _| true,
            is_here: false,
            counts: true,
            retry: None,
        };
        let like = if write { "journal.append" } else { "journal.list" };
        let admitted = operations::named(like).map(|entry| entry.admit(&call));
        admitted.transpose().map_err(|error| refusal(&error))?;
        // Files are told as they are, secrets included.
        if !caller.is_local && caller.scope < Scope::Admin {
            return Err(Refusal::new(
                403,
                "forbidden",
                "the journal's files need the permission `admin`",
            ));
        }
        let workspace = self.commands.pool.take(&self.commands.global, caller.space.as_deref());
        let workspace = workspace.map_err(|error| refusal(&error))?;
        let path = params["path"].as_str().unwrap_or_default();
        let answered = match method {
            "memory.listLogs" => {
                gateway::daily_logs(&workspace).map(|files| json!({ "files": files }))
            }
            "memory.getFile" => gateway::journal_file(&workspace, path)
                .map(|content| json!({ "path": path, "content": content })),
            "memory.writeFile" => {
                write_file(&workspace, path, params, &call.request("edit journal", false))?
            }
            _ => {
                return Err(Refusal::new(
                    404,
                    "no-method",
                    format!("there is no method `{method}`"),
                )
                .hint("there are memory.listLogs, memory.getFile and memory.writeFile"));
            }
        };
        answered.map_err(|error| refusal(&error))
    }

    fn memory_tool(&self, command: &Value, caller: &Caller) -> Result<Value, Refusal> {
        let object = json!({ "command": command.to_string() });
        let done = super::data(&self.commands, "memory-tool", object, caller);
        done.map_err(|error| refusal(&error))
    }

    fn api(&self, request: &ApiRequest, caller: &Caller) -> Result<ApiAnswer, Refusal> {
        self.commands.api(request, caller)
    }

    fn listen(&self, after: Option<&str>, caller: &Caller) -> Result<Box<dyn Listening>, Refusal> {
        let listening = Listener::begin(self.commands.clone(), after, caller);
        Ok(Box::new(listening.map_err(|error| refusal(&error))?))
    }

    fn description(&self) -> Value {
        super::api::description()
    }

    fn tick(&self) {
        if !self.has_schedule {
            return;
        }
        if let Some(spaces) = self.commands.pool.spaces() {
            return self.look_after(spaces);
        }
        let Ok(workspace) = self.workspace() else { return };
        let now = self.now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = due(&workspace, &mut last, now);
        if last.reminder != Some(workspace.day(now)) {
            last.reminder = Some(workspace.day(now));
            remind(&workspace, now);
        }
        drop((last, workspace));
        for (name, object) in due {
            self.due(name, object, None);
        }
    }
}

/// Replaces a file of the journal, unless that loses something.
fn write_file(
    workspace: &Workspace,
    path: &str,
    params: &Value,
    request: &Request<'_>,
) -> Result<Result<Value, quipu_engine::Error>, Refusal> {
    let Some(text) = params["content"].as_str() else {
        return Err(Refusal::new(400, "bad-request", "content is required"));
    };
    let new = NewText {
        text,
        instead_of: params["insteadOf"].as_str(),
        allow_secret: false,
        may_lose: params["mayLose"] == true,
    };
    let written =
        request.caller.signature(None).map_err(quipu_engine::Error::from).and_then(|who| {
            workspace.as_one(request.operation, &who, || {
                gateway::set_journal_file(workspace, path, &new, request)
            })
        });
    Ok(written.map(|diff| json!({ "ok": true, "changed": !diff.is_empty() })))
}

/// Tells what waits for a person, once a day.
fn remind(workspace: &Workspace, now: Timestamp) {
    let Ok(status) = glance::status(workspace, now) else { return };
    if !status.review_due.is_empty() {
        tell(&format!("a review is due: {}; `quipu review`", status.review_due.join("; ")));
    }
    if status.invariants_due {
        tell("invariants wait for a person to confirm them: `quipu verify`");
    }
    if status.open_questions > 0 {
        tell(&format!("{} questions wait: `quipu questions`", status.open_questions));
    }
}

/// Returns the operations that are due.
fn due(workspace: &Workspace, last: &mut Last, now: Timestamp) -> Vec<(&'static str, Value)> {
    let mut due = Vec::new();
    let continuity = &workspace.config().continuity;
    // Compaction keeps its own time; experiences alone are looked for as often.
    let compacts =
        continuity.memory_compaction_enabled && upkeep::compaction_due(workspace, now).is_due;
    let interval = i64::try_from(continuity.memory_compaction_interval_ms).unwrap_or(i64::MAX);
    let collect = Schedule::Interval(SignedDuration::from_millis(interval));
    let collects = !continuity.memory_compaction_enabled
        && continuity.experience_store_enabled
        && collect.due(last.experiences, now).is_due;
    if compacts || collects {
        last.experiences = Some(now);
        due.push(("compact", json!({ "if_due": true })));
    }
    let cron = &workspace.config().serve.dream_cron;
    let dreamt =
        dream::dreams(workspace).ok().and_then(|dreams| dreams.last().map(|dream| dream.at));
    // A night without work leaves no trace, and a first dream waits for its hour like any other.
    let dreamt = dreamt.max(last.dream);
    let dreamt = dreamt.or_else(|| now.checked_sub(SignedDuration::from_mins(1)).ok());
    let nightly = Schedule::Cron(cron.clone(), workspace.zone().clone());
    if !cron.is_empty() && nightly.due(dreamt, now).is_due {
        last.dream = Some(now);
        due.push(("dream", json!({})));
    }
    due
}
