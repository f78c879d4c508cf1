//! Every operation. A new one is a type here, a name in the list below, and its words in the command line.

mod curve;
mod edit;
mod fact;
mod forget;
mod memory;
mod purge;
mod recall;
mod remember;
mod show;

pub use curve::*;
pub use edit::*;
pub use fact::*;
pub use forget::*;
pub use memory::*;
pub use purge::*;
pub use recall::*;
pub use remember::*;
pub use show::*;

use crate::operation::registry::Entry;

/// Calls a macro with every operation, in the order in which help lists them.
#[macro_export]
macro_rules! every_operation {
    ($with:ident) => {
        $with! {
            Remember Recall
            FactAdd FactList FactSupersede FactCore FactTier FactArchive FactReactivate
            Show Edit History Forget Restore Purge
            MemoryStatus MemoryPromote MemoryDemote MemoryConfirm MemoryChallenge MemoryInvalidate
            MemoryMerge MemoryUnmerge MemoryPin MemoryUnpin MemoryTag MemoryLink MemoryAnnotate
            MemorySimilar
            Why Curve
        }
    };
}

/// Groups of operations, and what each is about.
pub const GROUPS: [(&str, &str); 2] = [
    ("fact", "Add, list and change facts"),
    ("memory", "Pin, tag, link and annotate what is remembered; find what is similar"),
];

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
