//! The end of a session, and the log that it leaves.

use clap::Args;
use quipu_core::memory::SESSIONS;
use quipu_core::review::ReviewPlan;
use quipu_core::secret::Scope;
use quipu_core::session::{Events, Note, NoteKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::{DryRun, NotSecret, separated};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::sessions::{self, EndRequest};
use crate::settle;
use crate::workspace::Workspace;

/// End the session: write its log, if something happened
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SessionEnd {
    /// What was done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub did: Vec<String>,
    /// What was decided
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub decided: Vec<String>,
    /// What the next session should know
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub next: Vec<String>,
    /// Facts that were used
    #[arg(short, long = "ref", value_name = "ID", value_delimiter = ',')]
    #[serde(default)]
    pub references: Vec<String>,
    /// Write a log even if nothing happened
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A session that has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndedSession {
    /// Its id while it was open.
    pub id: String,
    /// The log's name; none where nothing happened.
    pub log: Option<String>,
    /// The log's file.
    pub path: Option<String>,
    /// The log.
    pub text: Option<String>,
    /// What happened to facts.
    pub events: Events,
    /// Archived facts that came back because they were used.
    pub reactivated: Vec<String>,
    /// The review that is due.
    pub review_due: Option<ReviewPlan>,
    /// Whether that review was applied.
    pub review_applied: bool,
}

impl Output for EndedSession {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.text.iter_mut().for_each(&mut *each);
        self.review_due.iter_mut().for_each(|plan| each(&mut plan.summary));
    }
}

impl Operation for SessionEnd {
    const NAME: &'static str = "session.end";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<EndedSession>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(
        &self,
        on: &Workspace,
        call: &Call<'_>,
    ) -> Result<Changed<EndedSession>, OperationError> {
        let said = [
            (NoteKind::Did, &self.did),
            (NoteKind::Decided, &self.decided),
            (NoteKind::Next, &self.next),
        ];
        let mut notes = Vec::new();
        for (kind, texts) in said {
            for text in texts {
                let text = self.not_secret.vouched(text, Scope::Credentials, call)?;
                notes.push(Note { kind, text });
            }
        }
        let dry_run = self.dry.dry_run;
        let request = EndRequest {
            session: call.session.map(str::to_owned),
            notes,
            references: separated(&self.references),
            force: self.force,
            dry_run,
        };
        let (ended, diff) = sessions::session_end(on, &request, call.now, call.today)?;
        // The log is written; what happens to private memories must not fail it.
        let settling = call.request("session end", dry_run);
        let _ = settle::settle_working(on, &ended.session.id, &settling);
        let done = EndedSession {
            id: ended.session.id,
            path: ended.stem.as_ref().map(|stem| format!("{SESSIONS}{stem}.md")),
            log: ended.stem,
            text: ended.log,
            events: ended.session.events,
            reactivated: ended.reactivated,
            review_due: ended.review,
            review_applied: ended.review_applied,
        };
        Ok(Changed::new(done, diff, dry_run, on, call))
    }
}
