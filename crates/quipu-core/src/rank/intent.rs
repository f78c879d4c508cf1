//! What sort of memories a question asks for by name: decisions, preferences, open threads, open to-dos,
//! lessons; and whether it asks about code.

use crate::item::Kind;
use crate::prose;
use crate::terms::Language;

/// A sort of memories that people ask for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// What was decided.
    Decisions,
    /// What somebody prefers.
    Preferences,
    /// What is still to be done.
    Todos,
    /// Threads that are open.
    Threads,
    /// What was learned.
    Lessons,
}

/// What a question asks for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Which sort of memories.
    pub sort: Sort,
    /// Whether it names a subject too: "what did we decide about *retries*".
    pub has_topic: bool,
}

/// Words that name a sort.
const WORDS: &[(Sort, &[&str])] = &[
    (Sort::Threads, &["open threads", "open thread", "threads", "loose ends", "open points"]),
    (
        Sort::Todos,
        &[
            "todo",
            "todos",
            "to do",
            "to dos",
            "open tasks",
            "has to be done",
            "have to be done",
            "left to do",
            "still to do",
            "needs to be done",
            "need to be done",
            "still need to do",
            "still have to do",
            "open items",
            "chores",
            "reminders",
            "task list",
            "tasks",
        ],
    ),
    (
        Sort::Decisions,
        &[
            "decision",
            "decisions",
            "decide",
            "decided",
            "did we agree",
            "have we agreed",
            "agreed on",
            "agree on",
            "agreements",
        ],
    ),
    (
        Sort::Preferences,
        &[
            "preference",
            "preferences",
            "do i prefer",
            "i prefer",
            "do i like",
            "my wishes",
            "my rules",
            "my likes",
            "my tastes",
            "house rules",
        ],
    ),
    (
        Sort::Lessons,
        &[
            "did i learn",
            "did we learn",
            "have i learned",
            "have we learned",
            "i learned",
            "we learned",
            "was learned",
            "lesson learned",
            "lessons learned",
            "lesson",
            "lessons",
            "learnings",
            "did i find out",
            "did we find out",
            "insights",
            "know how",
        ],
    ),
];

/// Words around the name of a sort that are no subject.
const AROUND: &[&str] = &[
    "all",
    "any",
    "anything",
    "club",
    "come",
    "current",
    "currently",
    "done",
    "ever",
    "everything",
    "family",
    "far",
    "find",
    "finished",
    "follow",
    "get",
    "give",
    "group",
    "important",
    "item",
    "items",
    "know",
    "last",
    "latest",
    "left",
    "list",
    "main",
    "made",
    "make",
    "mine",
    "moment",
    "name",
    "need",
    "new",
    "note",
    "noted",
    "office",
    "open",
    "outstanding",
    "pending",
    "please",
    "point",
    "points",
    "project",
    "reach",
    "reached",
    "recent",
    "recently",
    "record",
    "recorded",
    "remain",
    "remaining",
    "remember",
    "settle",
    "settled",
    "show",
    "so",
    "still",
    "stored",
    "take",
    "taken",
    "team",
    "tell",
    "there",
    "things",
    "time",
    "today",
    "took",
    "unfinished",
    "us",
    "wait",
    "waiting",
    "work",
    "year",
];

impl Sort {
    /// Returns the categories of records, and the sections of facts, that hold such memories; in small
    /// letters.
    pub fn categories(self) -> &'static [&'static str] {
        match self {
            Self::Decisions => {
                &["decision", "decisions", "key decisions", "active decisions", "convention"]
            }
            Self::Preferences => {
                &["user-preference", "preference", "preferences", "user preferences"]
            }
            Self::Todos => &["todo", "to-do", "task", "reminder"],
            Self::Threads => &["thread", "open threads"],
            Self::Lessons => &["learned", "lesson", "lessons", "lessons learned", "error"],
        }
    }

    /// Returns the kinds of items that are such memories, whatever their category.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Todos | Self::Threads => &[Kind::Thread],
            Self::Decisions | Self::Preferences | Self::Lessons => &[],
        }
    }
}

/// Words of a question that asks for all there is.
const ALL: &[&str] = &["all", "everything", "list", "overview", "summary"];

/// Tells whether a question asks for all there is about its subject.
pub fn asks_for_all(text: &str) -> bool {
    let lower = text.to_lowercase();
    prose::words(&lower, "").any(|word| ALL.contains(&word))
}

/// Words of a question about what holds now.
const CURRENT: &[&str] = &[
    "aktuell",
    "aktuelle",
    "current",
    "currently",
    "derzeit",
    "latest",
    "newest",
    "now",
    "nowadays",
];

/// Tells whether a question is about what holds now, and not about what held before.
pub fn asks_for_the_current(text: &str) -> bool {
    let lower = text.to_lowercase();
    prose::words(&lower, "").any(|word| CURRENT.contains(&word))
}

/// Words of a question about a time that name no subject: "what did we *note* in June?"
const GENERAL: &[&str] = &[
    "day",
    "done",
    "event",
    "events",
    "far",
    "happen",
    "happened",
    "happening",
    "news",
    "note",
    "noted",
    "notes",
    "on",
    "project",
    "week",
    "work",
    "worked",
];

/// Tells whether a word names a subject.
pub fn is_subject(word: &str) -> bool {
    !GENERAL.contains(&word) && !AROUND.contains(&word)
}

/// Returns what a question asks for by name. `text` is without the words that speak of a time.
pub fn intent(text: &str) -> Option<Intent> {
    let hyphens = text.to_lowercase().replace("to-do", "to do");
    let mut bare = format!(" {} ", prose::bare(&hyphens));
    let named = |(_, phrases): &&(Sort, &[&str])| {
        phrases.iter().any(|phrase| bare.contains(&format!(" {phrase} ")))
    };
    let (sort, phrases) = WORDS.iter().find(named)?;
    for phrase in *phrases {
        bare = bare.replace(&format!(" {phrase} "), " ");
    }
    let is_topic = |word: &str| {
        word.chars().count() > 1 && !Language::English.is_stop(word) && !AROUND.contains(&word)
    };
    let has_topic = bare.split(' ').any(is_topic);
    Some(Intent { sort: *sort, has_topic })
}

/// Words of questions about code.
const CODE: &[&str] = &[
    "class",
    "classes",
    "code",
    "codebase",
    "crate",
    "declare",
    "declared",
    "declares",
    "define",
    "defined",
    "defines",
    "enum",
    "file",
    "files",
    "function",
    "functions",
    "implement",
    "implemented",
    "implementation",
    "implements",
    "import",
    "imports",
    "interface",
    "method",
    "methods",
    "module",
    "modules",
    "package",
    "refactor",
    "signature",
    "source",
    "struct",
    "trait",
    "type",
    "types",
];

/// Tells whether a question asks about code: it says so, or names something as code does.
pub fn asks_about_code(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_identifier = |word: &str| {
        let has_humps = word.chars().any(char::is_lowercase)
            && word
                .chars()
                .skip(1)
                .zip(word.chars())
                .any(|(next, c)| c.is_lowercase() && next.is_uppercase());
        let is_path = word.contains("::") || (word.contains('/') && word.contains('.'));
        let is_file = word.rsplit_once('.').is_some_and(|(name, end)| {
            name.len() > 1 && (1..=4).contains(&end.len()) && end.chars().all(char::is_lowercase)
        });
        word.contains('_') || word.ends_with("()") || has_humps || is_path || is_file
    };
    prose::words(&lower, "").any(|word| CODE.contains(&word))
        || text
            .split_whitespace()
            .any(|word| is_identifier(word.trim_matches(|c: char| "`\"'?!,;:.".contains(c))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_are_known_by_their_names() {
        let table = [
            ("what did we decide ?", Some((Sort::Decisions, false))),
            ("what did we decide about retries?", Some((Sort::Decisions, true))),
            ("what are my preferences?", Some((Sort::Preferences, false))),
            ("open threads", Some((Sort::Threads, false))),
            ("which todos are still open", Some((Sort::Todos, false))),
            ("What are the open to-dos?", Some((Sort::Todos, false))),
            ("what did I learn about Celery", Some((Sort::Lessons, true))),
            ("when does the red team meet?", None),
        ];
        for (question, expected) in table {
            let found = intent(question).map(|found| (found.sort, found.has_topic));
            assert_eq!(found, expected, "{question}");
        }
    }

    #[test]
    fn questions_about_code_say_so_or_name_it() {
        for question in ["where is parse_footer called", "which module parses footers", "retry.rs"]
        {
            assert!(asks_about_code(question), "{question}");
        }
        for question in ["when is the red team meeting?", "why do we charge e.g. 3 euro"] {
            assert!(!asks_about_code(question), "{question}");
        }
    }
}
