//! Every operation. A new one is a type here, a name in the list below, and its words in the command line.

mod brief;
mod compact;
mod compress;
mod experiences;
mod fact;
mod index;
mod journal;
mod recall;
mod remember;
mod status;
mod user;

pub use brief::*;
pub use compact::*;
pub use compress::*;
pub use experiences::*;
pub use fact::*;
pub use index::*;
pub use journal::*;
pub use recall::*;
pub use remember::*;
pub use status::*;
pub use user::*;
mod curve;
mod edit;
mod forget;
mod memory;
mod purge;
mod show;
pub use curve::*;
pub use edit::*;
pub use forget::*;
pub use memory::*;
pub use purge::*;
pub use show::*;

use crate::operation::registry::Entry;

/// Calls a macro with every operation, in the order in which help lists them.
#[macro_export]
macro_rules! every_operation {
    ($with:ident) => {
        $with! {
            Status Brief
            Remember Recall
            FactAdd FactList FactSupersede FactCore FactTier FactArchive FactReactivate
            JournalAppend JournalList JournalTail JournalShow JournalScan JournalTrim JournalFlush
            Compact
            ExperiencesQuery ExperiencesList ExperiencesAdd ExperiencesImport
            UserShow UserEdit
            Compress
            Index Replay Reembed Stats
            Show Edit History Forget Restore Purge
            MemoryStatus MemoryPromote MemoryDemote MemoryConfirm MemoryChallenge MemoryInvalidate
            MemoryMerge MemoryUnmerge MemoryPin MemoryUnpin MemoryTag MemoryLink MemoryAnnotate
            MemorySimilar
            Why Curve
        }
    };
}

/// Groups of operations, and what each is about.
pub const GROUPS: [(&str, &str); 4] = [
    ("fact", "Add, list and change facts"),
    ("journal", "Read and write the journal: MEMORY.md and the daily logs"),
    ("experiences", "Find what was learned in situations like this one"),
    ("user", "Show or change what the user says about themselves (USER.md)"),
pub const GROUPS: [(&str, &str); 2] = [
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
