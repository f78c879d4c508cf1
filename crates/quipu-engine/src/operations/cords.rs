//! Facts and the sessions that used them.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Permission;
use crate::cords::{self, Cords};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::report::Filter;
use crate::workspace::Workspace;

/// Show which sessions used which fact: a row for each fact, a column for each session
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactCords {
    /// Only facts that contain these words
    #[serde(default)]
    pub words: Vec<String>,
    /// Only this section
    #[arg(short, long)]
    pub section: Option<String>,
    /// Archived facts too
    #[arg(short, long)]
    #[serde(default)]
    pub all: bool,
    /// How many sessions, the newest ones
    #[arg(long, value_name = "N", default_value_t = 60)]
    #[serde(default = "sixty")]
    pub sessions: usize,
}

fn sixty() -> usize {
    60
}

impl Output for Cords {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.facts.iter_mut().for_each(|cord| each(&mut cord.fact.title));
    }

    fn wants_attention(&self) -> bool {
        self.facts.is_empty()
    }
}

impl Operation for FactCords {
    const NAME: &'static str = "fact.cords";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Cords;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Cords, OperationError> {
        let filter = Filter {
            section: self.section.clone(),
            archived: self.all,
            matching: (!self.words.is_empty()).then(|| self.words.join(" ")),
            ..Filter::default()
        };
        cords::cords(on, &filter, self.sessions)
    }
}
