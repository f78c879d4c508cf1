//! Every operation. A new one is a type here, a name in the list below, and its words in the command line.

mod answer;
mod backup;
mod brief;
mod change;
mod compact;
mod compress;
mod config;
mod cords;
mod curve;
mod dream;
mod drift;
mod edit;
mod entity;
mod experiences;
mod export;
mod fact;
mod forget;
mod harvest;
mod import;
mod index;
mod ingest;
mod journal;
mod lint;
mod listing;
mod memory;
mod memory_tool;
mod purge;
mod questions;
mod recall;
mod refresh;
mod remember;
mod repair;
mod review;
mod scan;
mod session;
mod share;
mod show;
mod status;
mod thread;
mod timeline;
mod undo;
mod user;
mod verify;

pub use answer::*;
pub use backup::*;
pub use brief::*;
pub(crate) use change::changes;
pub use change::{Changed, FileChange};
pub use compact::*;
pub use compress::*;
pub use config::*;
pub use cords::*;
pub use curve::*;
pub use dream::*;
pub use drift::*;
pub use edit::*;
pub use entity::*;
pub use experiences::*;
pub use export::*;
pub use fact::*;
pub use forget::*;
pub use harvest::*;
pub use import::*;
pub use index::*;
pub use ingest::*;
pub use journal::*;
pub use lint::*;
pub use listing::*;
pub use memory::*;
pub use memory_tool::*;
pub use purge::*;
pub use questions::*;
pub use recall::*;
pub use refresh::*;
pub use remember::*;
pub use repair::*;
pub use review::*;
pub use scan::*;
pub use session::*;
pub use share::*;
pub use show::*;
pub use status::*;
pub use thread::*;
pub use timeline::*;
pub use undo::*;
pub use user::*;
pub use verify::*;

use crate::operation::registry::Entry;

/// Calls a macro with every operation, in the order in which help lists them.
#[macro_export]
macro_rules! every_operation {
    ($with:ident) => {
        $with! {
            Status Brief Remember Recall Lint Refresh Review
            FactAdd FactList FactCords FactSupersede FactCore FactTier FactArchive FactReactivate
            ThreadOpen ThreadClose ThreadList
            SessionStart SessionNote SessionEnd SessionList SessionShow
            Timeline Show Edit History Forget Restore Share Unshare Purge
            JournalAppend JournalList JournalTail JournalShow JournalScan JournalTrim JournalFlush JournalConvert
            Compact
            ExperiencesQuery ExperiencesList ExperiencesAdd ExperiencesImport
            UserShow UserEdit
            MemoryList MemoryStatus MemoryPromote MemoryDemote MemoryConfirm MemoryChallenge MemoryInvalidate
            MemoryUse MemoryMerge MemoryUnmerge MemoryPin MemoryUnpin MemoryTag MemoryLink MemoryAnnotate
            MemorySimilar
            Why Curve
            Dream Harvest Scan Drift Compress Questions Answer Undo Redo Verify Repair
            EntityList EntityShow EntityTimeline EntityGraph EntityMap EntityAlias EntityMerge
            Index Replay Reembed Stats
            MemoryTool ConfigShow
            Import Ingest Export Backup
        }
    };
}

/// Groups of operations, and what each is about.
pub const GROUPS: [(&str, &str); 8] = [
    ("fact", "Add, list and change facts"),
    ("thread", "Open, close and list threads"),
    ("session", "Begin, note and end working sessions"),
    ("journal", "Read and write the journal: MEMORY.md and the daily logs"),
    ("experiences", "Find what was learned in situations like this one"),
    ("user", "Show or change what the user says about themselves (USER.md)"),
    ("memory", "Pin, tag, link and annotate what is remembered; find what is similar"),
    ("entity", "Who and what the memory is about"),
];

macro_rules! entries {
    ($($operation:ident)*) => {
        const COUNT: usize = [$(stringify!($operation)),*].len();

        /// Every operation, in the order in which help lists them.
        pub static ALL: [Entry; COUNT] = [$(Entry::of::<$operation>()),*];
    };
}

every_operation!(entries);

/// Returns the operation of that name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
