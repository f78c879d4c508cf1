//! Every operation. A new one is a type here, a name in the list below, and its words in the command line.

mod fact;
mod lint;
mod recall;
mod refresh;
mod remember;
mod review;
mod session;
mod thread;
mod undo;
mod verify;

pub use fact::*;
pub use lint::*;
pub use recall::*;
pub use refresh::*;
pub use remember::*;
pub use review::*;
pub use session::*;
pub use thread::*;
pub use undo::*;
pub use verify::*;

use crate::operation::registry::Entry;

/// Calls a macro with every operation, in the order in which help lists them.
#[macro_export]
macro_rules! every_operation {
    ($with:ident) => {
        $with! {
            Remember Recall
            Lint Refresh Review
            FactAdd FactList FactSupersede FactCore FactTier FactArchive FactReactivate
            ThreadOpen ThreadClose ThreadList
            SessionStart SessionNote SessionEnd SessionList SessionShow
            Undo Verify
        }
    };
}

/// Groups of operations, and what each is about.
pub const GROUPS: [(&str, &str); 3] = [
    ("fact", "Add, list and change facts"),
    ("thread", "Open, close and list threads"),
    ("session", "Begin, note and end working sessions"),
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
