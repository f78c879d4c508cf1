//! What happened, newest first.

use clap::Args;
use quipu_core::item::EntryKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::listing::LONGEST_PAGE;
use crate::caller::Permission;
use crate::operation::input::{Moment, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::timeline::{self, TimelinePage, TimelineQuery};
use crate::workspace::Workspace;

/// Tell what happened, newest first: what was remembered and decided, facts, sessions, dreams
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Timeline {
    /// Only entries of these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = names!(EntryKind))]
    #[serde(default)]
    pub kind: Vec<EntryKind>,
    /// Only what is about memories of this category
    #[arg(short, long, value_name = "WORD")]
    pub category: Option<String>,
    /// Only what belongs to this session
    #[arg(long = "in-session", value_name = "ID")]
    pub in_session: Option<String>,
    /// Only what happened before then
    #[arg(long, value_name = "TIME")]
    pub before: Option<Moment>,
    /// How many, 200 at most
    #[arg(short = 'l', long, default_value_t = 50)]
    #[serde(default = "fifty")]
    pub limit: usize,
    /// Go on after this place: `next` of the page before
    #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
    pub after: Option<String>,
}

fn fifty() -> usize {
    50
}

impl Output for TimelinePage {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        for entry in &mut self.items {
            each(&mut entry.text);
            each(&mut entry.what);
            each(&mut entry.reason);
        }
    }

    fn wants_attention(&self) -> bool {
        self.items.is_empty()
    }
}

impl Operation for Timeline {
    const NAME: &'static str = "timeline";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = TimelinePage;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<TimelinePage, OperationError> {
        let query = TimelineQuery {
            kinds: self.kind.clone(),
            category: self.category.clone(),
            session: self.in_session.clone(),
            before: self.before.as_ref().map(|before| before.start(on.zone(), call.today)),
            limit: self.limit.clamp(1, LONGEST_PAGE),
            after: self.after.clone(),
        };
        timeline::timeline(on, &query)
    }
}
