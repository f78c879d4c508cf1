//! Every operation. A new one is a type here, a name in the list below, and its words in the command line.

mod fact;
mod recall;
mod remember;

pub use fact::*;
pub use recall::*;
pub use remember::*;

use crate::operation::registry::Entry;

/// Calls a macro with every operation, in the order in which help lists them.
#[macro_export]
macro_rules! every_operation {
    ($with:ident) => {
        $with! {
            Remember Recall
            FactAdd FactList FactSupersede FactCore FactTier FactArchive FactReactivate
        }
    };
}

/// Groups of operations, and what each is about.
pub const GROUPS: [(&str, &str); 1] = [("fact", "Add, list and change facts")];

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
