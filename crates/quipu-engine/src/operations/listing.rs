//! Looking through everything that is remembered.

use clap::Args;
use quipu_core::item::{Kind, Layer, ListOrder, MemoryType, Status};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Permission;
use crate::listing::{self, MemoryPage, MemoryQuery};
use crate::operation::input::{Moment, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// List everything that is remembered, newest first, a page at a time
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryList {
    /// Only these statuses (default: active)
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = names!(Status))]
    #[serde(default)]
    pub status: Vec<Status>,
    /// Only these kinds (default: records, facts and threads)
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = names!(Kind))]
    #[serde(default)]
    pub kind: Vec<Kind>,
    /// Only these layers
    #[arg(long, value_name = "LAYER", value_delimiter = ',', value_parser = names!(Layer))]
    #[serde(default)]
    pub layer: Vec<Layer>,
    /// Only these types
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = names!(MemoryType))]
    #[serde(default, rename = "type")]
    pub types: Vec<MemoryType>,
    /// With all of these tags
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',')]
    #[serde(default, rename = "tag")]
    pub tags: Vec<String>,
    /// Only this category, or this section of the facts
    #[arg(short, long, value_name = "WORD")]
    pub category: Option<String>,
    /// Only this session
    #[arg(long = "in-session", value_name = "ID")]
    pub in_session: Option<String>,
    /// Only what is pinned
    #[arg(long)]
    #[serde(default)]
    pub pinned: bool,
    /// That mention this name, file or identifier
    #[arg(long, value_name = "NAME")]
    pub entity: Option<String>,
    /// Learned then or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<Moment>,
    /// Learned before then
    #[arg(long, value_name = "TIME")]
    pub until: Option<Moment>,
    /// The order
    #[arg(long, default_value = "newest", value_parser = names!(ListOrder))]
    #[serde(default)]
    pub sort: ListOrder,
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

/// A page has no more rows.
pub(super) const LONGEST_PAGE: usize = 200;

impl Output for MemoryPage {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        for row in &mut self.items {
            each(&mut row.text);
            each(&mut row.title);
        }
    }

    fn wants_attention(&self) -> bool {
        self.items.is_empty()
    }
}

impl Operation for MemoryList {
    const NAME: &'static str = "memory.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = MemoryPage;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<MemoryPage, OperationError> {
        let query = MemoryQuery {
            kinds: self.kind.clone(),
            statuses: self.status.clone(),
            layers: self.layer.clone(),
            types: self.types.clone(),
            tags: self.tags.clone(),
            category: self.category.clone(),
            session: self.in_session.clone(),
            pinned: self.pinned,
            entity: self.entity.clone(),
            since: self.since.as_ref().map(|since| since.start(on.zone(), call.today)),
            until: self.until.as_ref().map(|until| until.until(on.zone(), call.today)),
            order: self.sort,
            limit: self.limit.clamp(1, LONGEST_PAGE),
            after: self.after.clone(),
        };
        listing::memories_of_scopes(on, &query, call.scope)
    }
}
