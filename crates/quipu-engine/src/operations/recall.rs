//! Asking everything that is remembered.

use clap::Args;
use quipu_core::item::{Channel, Kind, Layer, MemoryType, Mode, Status};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::{Actor, Permission};
use crate::operation::input::{Moment, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::recall::{self, Confidence, Question, Recalled};
use crate::sessions;
use crate::workspace::Workspace;

/// Ask everything that is remembered: facts, archived facts, session logs, records
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Recall {
    /// The question, in words (after `--` where it begins with a hyphen)
    #[arg(required = true)]
    pub query: Vec<String>,
    /// How many answers
    #[arg(short = 'k', long = "count", default_value_t = 10)]
    #[serde(default = "ten")]
    pub count: usize,
    /// No more tokens than this in all answers together
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// Which types: facts only, facts and rules, or everything
    #[arg(long, value_parser = names!(Mode), default_value = "full_context")]
    #[serde(default = "everything")]
    pub mode: Mode,
    /// Only these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = names!(Kind))]
    #[serde(default)]
    pub kind: Vec<Kind>,
    /// Only these layers
    #[arg(long, value_name = "LAYER", value_delimiter = ',', value_parser = names!(Layer))]
    #[serde(default)]
    pub layer: Vec<Layer>,
    /// Only these types
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = names!(MemoryType))]
    #[serde(default)]
    pub types: Vec<MemoryType>,
    /// Statuses beside active
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = names!(Status))]
    #[serde(default)]
    pub include: Vec<Status>,
    /// Only this session
    #[arg(long = "in-session", value_name = "ID")]
    pub in_session: Option<String>,
    /// Only this category, or this section of the facts
    #[arg(short, long, value_name = "WORD")]
    pub category: Option<String>,
    /// With all of these tags
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// That mention this name, file or identifier
    #[arg(long, value_name = "NAME")]
    pub entity: Option<String>,
    /// Learned then or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<Moment>,
    /// Learned before then
    #[arg(long, value_name = "TIME")]
    pub until: Option<Moment>,
    /// True then, whatever has replaced it since
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<Moment>,
    /// Secrets too
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Who asks: other channels see public memory only
    #[arg(long, default_value = "main", value_parser = names!(Channel))]
    #[serde(skip)]
    pub channel: Channel,
    /// Say why each answer ranks where it does
    #[arg(short = 'x', long)]
    #[serde(default)]
    pub explain: bool,
}

/// So many of the nearest an agent sees where nothing answers.
const NEAREST: usize = 3;

fn ten() -> usize {
    10
}

fn everything() -> Mode {
    Mode::FullContext
}

impl Operation for Recall {
    const NAME: &'static str = "recall";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Everyone;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Search everything that is remembered, private and shared. For \"didn't we decide this \
         before?\", \"what do I prefer?\", \"when did we…?\", and before you decide something or ask the \
         user again. Not for what the files in front of you say.",
    );
    type Output = Recalled;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Recalled, OperationError> {
        let question = Question {
            query: self.query.join(" "),
            count: Some(self.count),
            budget: self.budget,
            mode: Some(self.mode),
            kinds: self.kind.clone(),
            layers: self.layer.clone(),
            types: self.types.clone(),
            include: self.include.clone(),
            session: self.in_session.clone(),
            category: self.category.clone(),
            tags: self.tags.clone(),
            entity: self.entity.clone(),
            since: self.since.as_ref().map(|since| since.start(on.zone(), call.today)),
            until: self.until.as_ref().map(|until| until.until(on.zone(), call.today)),
            as_of: self.as_of.as_ref().map(|then| then.end(call.today)),
            allow_secret: self.allow_secret,
            experiences: false,
            channel: call.channel(self.channel),
        };
        let mut recalled = recall::recall_scopes(on, &question, call.scope, call.now)?;
        // An agent pays for every word; a person sees at a glance that nothing fits.
        let is_agent = matches!(call.caller.actor, Actor::Agent(_));
        if is_agent && recalled.confidence == Confidence::None {
            recalled.results.truncate(NEAREST);
        }
        if call.counts {
            recall::note_answer_of_scopes(on, &recalled, call.now);
            let facts =
                recalled.results.iter().filter(|one| matches!(one.kind, Kind::Fact | Kind::Thread));
            let given: Vec<&str> = facts.map(|fact| fact.id.as_str()).collect();
            sessions::note_given(on, call.session, &given);
        }
        Ok(recalled)
    }
}

impl Output for Recalled {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.results.iter_mut().for_each(|answer| each(&mut answer.text));
        self.hint.iter_mut().for_each(each);
    }

    fn wants_attention(&self) -> bool {
        self.confidence == Confidence::None
    }
}
