//! Work that takes long: a request gets its answer if it comes soon, and else the place where it will be.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use quipu_server::{ApiAnswer, ApiRequest, Caller, Refusal, Scope};
use serde_json::{Value, json};

use super::BASE;

/// Operations that may take long, where they do more than look.
pub(super) const LONG: [&str; 8] =
    ["dream", "scan", "replay", "reembed", "harvest", "compress", "review", "answer"];

/// How long a request waits for its answer, unless it says `Prefer: respond-async`.
const PATIENCE: Duration = Duration::from_secs(2);

/// So much work is under way at once.
const MOST_RUNNING: usize = 4;

/// So many jobs that have ended can be asked about.
const MOST_KEPT: usize = 100;

/// All work since the server began.
#[derive(Default)]
pub(in crate::served) struct Jobs {
    all: Mutex<Vec<Arc<Job>>>,
    /// How many there were.
    count: AtomicU64,
    /// Grows with every step of any of them.
    steps: AtomicU64,
}

/// Work that was asked for.
pub(in crate::served) struct Job {
    id: String,
    operation: &'static str,
    by: Option<String>,
    /// The space that they work in.
    space: Option<String>,
    started: Timestamp,
    is_cancelled: AtomicBool,
    state: Mutex<State>,
    ended: Condvar,
}

/// How far it has come.
#[derive(Default)]
struct State {
    step: String,
    done: usize,
    total: usize,
    /// What came of it.
    outcome: Option<Result<Value, Refusal>>,
    /// The number of its last step.
    changed: u64,
}

impl Job {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> String {
        format!("{BASE}/jobs/{}", self.id)
    }

    /// Tells whether it is the caller's own, or the caller may see everybody's.
    fn is_for(&self, caller: &Caller) -> bool {
        let is_theirs = self.by == caller.agent || caller.scope == Scope::Admin;
        is_theirs && self.space == caller.space
    }

    fn state_name(&self, state: &State) -> &'static str {
        match (&state.outcome, self.is_cancelled.load(Ordering::Relaxed)) {
            (Some(Ok(_)), _) => "done",
            (Some(Err(_)), _) => "failed",
            (None, true) => "cancelling",
            (None, false) => "running",
        }
    }

    /// Returns it as data, without what came of it.
    fn progress(&self) -> Value {
        let state = self.state();
        json!({
            "id": self.id,
            "operation": self.operation,
            "state": self.state_name(&state),
            "by": self.by,
            "started": self.started,
            "step": state.step,
            "done": state.done,
            "total": state.total,
        })
    }

    /// Returns it as data, with its answer, or with why it failed.
    fn data(&self) -> Value {
        let mut data = self.progress();
        match &self.state().outcome {
            Some(Ok(answer)) => data["answer"] = answer.clone(),
            Some(Err(refusal)) => data["problem"] = refusal.problem(),
            None => {}
        }
        data
    }

    /// Hears how far it has come; returns whether to go on.
    pub(super) fn heard(&self, jobs: &Jobs, step: &str, done: usize, total: usize) -> bool {
        let mut state = self.state();
        step.clone_into(&mut state.step);
        (state.done, state.total, state.changed) = (done, total, jobs.next_step());
        !self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Hears what came of it.
    pub(super) fn end(&self, jobs: &Jobs, outcome: Result<Value, Refusal>) {
        let mut state = self.state();
        (state.outcome, state.changed) = (Some(outcome), jobs.next_step());
        drop(state);
        self.ended.notify_all();
    }

    /// Waits for what comes of it, for a while.
    pub(super) fn wait(&self, request: &ApiRequest) -> Option<Result<Value, Refusal>> {
        let patience = if request.is_patient { PATIENCE } else { Duration::ZERO };
        let waited =
            self.ended.wait_timeout_while(self.state(), patience, |state| state.outcome.is_none());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.outcome.clone()
    }

    /// Answers that it was taken up.
    pub(super) fn accepted(&self) -> ApiAnswer {
        let location = Some(self.place());
        ApiAnswer { status: 202, body: self.progress(), etag: None, location }
    }
}

impl Jobs {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Job>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_step(&self) -> u64 {
        self.steps.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Takes note of new work, unless there is too much already.
    pub(super) fn begin(
        &self,
        operation: &'static str,
        caller: &Caller,
        started: Timestamp,
    ) -> Result<Arc<Job>, Refusal> {
        let mut all = self.all();
        let is_running = |job: &&Arc<Job>| job.state().outcome.is_none();
        if all.iter().filter(is_running).count() >= MOST_RUNNING {
            let why = format!("{MOST_RUNNING} jobs are under way already");
            return Err(Refusal::new(503, "busy", why).hint(format!("{BASE}/jobs lists them")));
        }
        let job = Arc::new(Job {
            id: format!("job-{}", self.count.fetch_add(1, Ordering::Relaxed) + 1),
            operation,
            by: caller.agent.clone(),
            space: caller.space.clone(),
            started,
            is_cancelled: AtomicBool::default(),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        all.push(job.clone());
        if all.len() > MOST_KEPT
            && let Some(oldest) = all.iter().position(|job| job.state().outcome.is_some())
        {
            all.remove(oldest);
        }
        Ok(job)
    }

    /// Returns the number of the last step.
    pub(in crate::served) fn last_step(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Returns the work that has come further since a step.
    pub(in crate::served) fn moved_since(&self, step: u64, space: Option<&str>) -> Vec<Value> {
        let moved = |job: &&Arc<Job>| job.space.as_deref() == space && job.state().changed > step;
        self.all().iter().filter(moved).map(|job| job.progress()).collect()
    }

    /// Answers a request about work: a list, one, or that one should stop.
    pub(super) fn answer(
        &self,
        request: &ApiRequest,
        caller: &Caller,
    ) -> Option<Result<ApiAnswer, Refusal>> {
        let plain = |body: Value| ApiAnswer { status: 200, body, etag: None, location: None };
        let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
        let ["jobs", rest @ ..] = &path[..] else { return None };
        let wrong = |methods| Err(Refusal::method(&request.method, methods));
        Some(match (rest, request.method.as_str()) {
            ([], "GET") => {
                let all = self.all();
                let own = all.iter().rev().filter(|job| job.is_for(caller));
                let items: Vec<Value> = own.map(|job| job.progress()).collect();
                Ok(plain(json!({ "items": items, "next": null })))
            }
            ([], _) => wrong(&["GET"]),
            ([id], method @ ("GET" | "DELETE")) => {
                let all = self.all();
                let Some(job) = all.iter().find(|job| job.id == *id && job.is_for(caller)) else {
                    let why = format!("there is no job `{id}`");
                    let hint = "jobs end with the server; what they wrote is in /changes";
                    return Some(Err(Refusal::new(404, "no-job", why).hint(hint)));
                };
                if method == "DELETE" && job.state().outcome.is_none() {
                    job.is_cancelled.store(true, Ordering::Relaxed);
                    job.state().changed = self.next_step();
                    return Some(Ok(job.accepted()));
                }
                Ok(plain(job.data()))
            }
            ([_], _) => wrong(&["GET", "DELETE"]),
            _ => Err(Refusal::new(404, "no-route", "there is nothing at this path")),
        })
    }
}

#[cfg(test)]
mod tests {
    use quipu_server::Channel;

    use super::*;

    fn caller(name: &str, scope: Scope) -> Caller {
        let agent = Some(name.to_owned());
        Caller {
            scope,
            channel: Channel::Main,
            agent,
            is_local: false,
            is_person: false,
            space: None,
        }
    }

    fn ask(jobs: &Jobs, caller: &Caller, method: &str, path: &str) -> Result<ApiAnswer, Refusal> {
        let path = path.split('/').map(str::to_owned).collect();
        let request = ApiRequest { method: method.to_owned(), path, ..ApiRequest::default() };
        jobs.answer(&request, caller).unwrap()
    }

    #[test]
    fn a_job_goes_on_until_somebody_stops_it() {
        let (jobs, ada) = (Jobs::default(), caller("ada", Scope::Write));
        let job = jobs.begin("dream", &ada, Timestamp::UNIX_EPOCH).unwrap();
        assert!(job.wait(&ApiRequest::default()).is_none());
        assert!(job.heard(&jobs, "look", 1, 3));
        let seen = ask(&jobs, &ada, "GET", "jobs/job-1").unwrap();
        assert_eq!((&seen.body["state"], &seen.body["done"]), (&json!("running"), &json!(1)));
        let told = jobs.last_step();
        assert!(jobs.moved_since(told, None).is_empty());
        let stopped = ask(&jobs, &ada, "DELETE", "jobs/job-1").unwrap();
        assert_eq!((stopped.status, &stopped.body["state"]), (202, &json!("cancelling")));
        assert!(!job.heard(&jobs, "look", 2, 3), "it is told to stop at its next step");
        assert_eq!(jobs.moved_since(told, None).len(), 1);
        job.end(&jobs, Ok(json!({ "stopped": true })));
        assert!(job.wait(&ApiRequest::default()).is_some());
        let ended = ask(&jobs, &ada, "DELETE", "jobs/job-1").unwrap();
        assert_eq!((ended.status, &ended.body["state"]), (200, &json!("done")));
        assert_eq!(ended.body["answer"]["stopped"], true);
    }

    #[test]
    fn jobs_are_their_own_callers_business() {
        let (jobs, ada) = (Jobs::default(), caller("ada", Scope::Write));
        jobs.begin("dream", &ada, Timestamp::UNIX_EPOCH).unwrap();
        let bob = caller("bob", Scope::Write);
        assert_eq!(ask(&jobs, &bob, "GET", "jobs/job-1").unwrap_err().status, 404);
        assert_eq!(ask(&jobs, &bob, "DELETE", "jobs/job-1").unwrap_err().status, 404);
        assert_eq!(ask(&jobs, &bob, "GET", "jobs").unwrap().body["items"], json!([]));
        let admin = caller("eve", Scope::Admin);
        assert_eq!(ask(&jobs, &admin, "GET", "jobs/job-1").unwrap().status, 200);
        assert_eq!(ask(&jobs, &ada, "POST", "jobs").unwrap_err().status, 405);
        assert_eq!(ask(&jobs, &ada, "GET", "jobs/job-1/x").unwrap_err().status, 404);
    }

    #[test]
    fn not_everything_is_done_at_once() {
        let (jobs, ada) = (Jobs::default(), caller("ada", Scope::Write));
        let begin = || jobs.begin("dream", &ada, Timestamp::UNIX_EPOCH);
        let running: Vec<Arc<Job>> = (0..MOST_RUNNING).map(|_| begin().unwrap()).collect();
        assert_eq!(begin().err().unwrap().status, 503);
        running[0].end(&jobs, Ok(json!({})));
        assert!(begin().is_ok());
    }
}
