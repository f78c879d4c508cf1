//! Every operation. A new one is a type here, a name in the list below, and its words in the command line.

mod answer;
mod dream;
mod drift;
mod entity;
mod fact;
mod harvest;
mod memory_tool;
mod questions;
mod recall;
mod remember;
mod scan;

pub use answer::*;
pub use dream::*;
pub use drift::*;
pub use entity::*;
pub use fact::*;
pub use harvest::*;
pub use memory_tool::*;
pub use questions::*;
pub use recall::*;
pub use remember::*;
pub use scan::*;

use crate::operation::registry::Entry;

/// Calls a macro with every operation, in the order in which help lists them.
#[macro_export]
macro_rules! every_operation {
    ($with:ident) => {
        $with! {
            Remember Recall
            FactAdd FactList FactSupersede FactCore FactTier FactArchive FactReactivate
            Dream Harvest Scan Drift Questions Answer
            EntityList EntityShow EntityTimeline EntityGraph EntityAlias EntityMerge
            MemoryTool
        }
    };
}

/// Groups of operations, and what each is about.
pub const GROUPS: [(&str, &str); 2] =
    [("fact", "Add, list and change facts"), ("entity", "Who and what the memory is about")];

macro_rules! entries {
    ($($operation:ident)*) => {
        /// Every operation, in the order in which help lists them.
        pub static ALL: &[Entry] = &[$(Entry::of::<$operation>()),*];
    };
}

every_operation!(entries);

/// Returns the operation of that name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
