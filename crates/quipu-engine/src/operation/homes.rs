//! Where each operation works: in every home of a memory, or only in a folder.
//!
//! An operation that is in neither list is refused in a space, and a test fails: whoever adds one says
//! where it works.

/// Operations that work in a space as they do in a folder.
const IN_A_SPACE: [&str; 83] = [
    "answer",
    "brief",
    "compact",
    "compress",
    "curve",
    "dream",
    "edit",
    "entity.alias",
    "entity.graph",
    "entity.list",
    "entity.map",
    "entity.merge",
    "entity.show",
    "entity.timeline",
    "experiences.add",
    "experiences.list",
    "experiences.query",
    "export",
    "fact.add",
    "fact.archive",
    "fact.cords",
    "fact.core",
    "fact.list",
    "fact.reactivate",
    "fact.supersede",
    "fact.tier",
    "forget",
    "history",
    "index",
    "journal.append",
    "journal.flush",
    "journal.list",
    "journal.scan",
    "journal.show",
    "journal.tail",
    "journal.trim",
    "lint",
    "memory-tool",
    "memory.annotate",
    "memory.challenge",
    "memory.confirm",
    "memory.demote",
    "memory.invalidate",
    "memory.link",
    "memory.list",
    "memory.merge",
    "memory.pin",
    "memory.promote",
    "memory.similar",
    "memory.status",
    "memory.tag",
    "memory.unmerge",
    "memory.unpin",
    "memory.use",
    "purge",
    "questions",
    "recall",
    "redo",
    "reembed",
    "refresh",
    "remember",
    "replay",
    "restore",
    "review",
    "session.end",
    "session.list",
    "session.note",
    "session.show",
    "session.start",
    "share",
    "show",
    "stats",
    "status",
    "thread.close",
    "thread.list",
    "thread.open",
    "timeline",
    "undo",
    "unshare",
    "user.edit",
    "user.show",
    "verify",
    "why",
];

/// Tells whether an operation works in a space.
pub(crate) fn works_in_a_space(name: &str) -> bool {
    IN_A_SPACE.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::ALL;

    /// Operations that look at a project's files, or at files of this machine.
    const IN_A_FOLDER: [&str; 10] = [
        "backup",
        "config",
        "drift",
        "experiences.import",
        "harvest",
        "import",
        "ingest",
        "journal.convert",
        "repair",
        "scan",
    ];

    #[test]
    fn every_operation_says_where_it_works() {
        for entry in &ALL {
            let lists = [IN_A_SPACE.contains(&entry.name), IN_A_FOLDER.contains(&entry.name)];
            let counted = lists.iter().filter(|is_in| **is_in).count();
            assert_eq!(counted, 1, "`{}` belongs into one list of `homes.rs`", entry.name);
        }
        assert_eq!(IN_A_SPACE.len() + IN_A_FOLDER.len(), ALL.len());
    }
}
