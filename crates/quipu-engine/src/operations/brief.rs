//! What a session starts with.

use clap::Args;
use quipu_core::item::Channel;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::brief::{self, BriefRequest, Briefing};
use crate::caller::Permission;
use crate::operation::input::names;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::sessions;
use crate::workspace::Workspace;

/// Print what a session should start with: the most valuable of all that is remembered
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Brief {
    /// The most characters (default: continuity.sessionMemoryCap, 32000)
    #[arg(long, value_name = "CHARS", conflicts_with = "tokens")]
    pub cap: Option<usize>,
    /// The most tokens, as far as they can be estimated
    #[arg(long, value_name = "N")]
    pub tokens: Option<usize>,
    /// What the session is about, such as the first message (`-` reads it from stdin)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub hint: Option<String>,
    /// Who asks: a briefing is for the main channel; a heartbeat gets experiences that fit its hint
    #[arg(long, default_value = "main", value_parser = names!(Channel))]
    #[serde(skip)]
    pub channel: Channel,
}

impl Output for Briefing {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        each(&mut self.text);
    }
}

impl Operation for Brief {
    const NAME: &'static str = "brief";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Heartbeat;
    const FOR_AGENTS: Option<&'static str> = Some(
        "What to know before you start: preferences, facts, open threads, the last sessions. Call it \
         once, first; not when a briefing between <quipu-memory> marks is in your context.",
    );
    type Output = Briefing;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Briefing, OperationError> {
        if self.cap.is_some() && self.tokens.is_some() {
            let why = "`cap` and `tokens` exclude each other";
            return Err(OperationError::input("arguments", why));
        }
        let made = brief::brief(
            on,
            &BriefRequest {
                now: call.now,
                cap: self.cap,
                tokens: self.tokens,
                hint: self.hint.clone(),
                channel: call.channel(self.channel),
            },
        )?;
        let given: Vec<&str> =
            made.sections.iter().flat_map(|section| &section.ids).map(String::as_str).collect();
        sessions::note_given(on, call.session, &given);
        // Wherever it is read, the marks say that it is memory.
        Ok(Briefing { text: made.marked(), ..made })
    }
}
