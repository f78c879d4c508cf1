//! What can go wrong with what is remembered: said to the caller, with what to do next.

use std::io;
use std::path::PathBuf;

use quipu_core::item::Status;
use quipu_core::purge::SHORTEST_VALUE;

use crate::error::{Error, Failure};

/// Why something cannot be remembered, recalled or changed as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It says something else than the writer saw.
    #[error("`{id}` has changed in the meantime")]
    EditedSince {
        /// Its id.
        id: String,
    },
    /// There is no such thing.
    #[error("there is nothing with the id `{id}`")]
    Unknown {
        /// The id.
        id: String,
        /// Ids that look like it.
        alike: Vec<String>,
    },
    /// Several ids begin so.
    #[error("`{id}` is the beginning of several ids: {}", ids.join(", "))]
    Ambiguous {
        /// What was given.
        id: String,
        /// Some of them.
        ids: Vec<String>,
    },
    /// A file decides about it.
    #[error("`{id}` is part of a file: change it there")]
    OwnedByFile {
        /// The item.
        id: String,
        /// What was asked.
        does: &'static str,
    },
    /// It cannot have that status.
    #[error("`{id}` is {from}, and cannot become {to}")]
    Transition {
        /// The item.
        id: String,
        /// Its status.
        from: Status,
        /// The other.
        to: Status,
    },
    /// It is a secret.
    #[error("`{id}` is a secret")]
    IsSecret {
        /// The item.
        id: String,
    },
    /// There is no change of that id.
    #[error("there is no change `{id}` in the change log")]
    NoChange {
        /// What was given.
        id: String,
    },
    /// The settings name another form of records.
    #[error("`journal.format` says how records are written")]
    FormIsSet,
    /// Git tracks a private file.
    #[error("git tracks `{path}`, so what is remembered would be committed with the repository")]
    TrackedJournal {
        /// The file.
        path: String,
    },
    /// Nothing says where the user's own memory is.
    #[error("the folder of your own memory is unknown: set `QUIPU_USER_DIR` or `HOME`")]
    NoUserScope,
    /// Nothing was written to the user's own memory yet.
    #[error("your own memory is empty")]
    EmptyUserScope,
    /// Facts belong to a branch, and the main checkout of a worktree has another one.
    #[error("facts of the main checkout `{}` are not changed from another worktree", root.display())]
    OtherCheckout {
        /// Where it is.
        root: PathBuf,
    },
    /// What is to be shared is not private, or what is to be private is not shared.
    #[error("`{id}` is {what}, and only {expected} can be {done}")]
    NotOfScope {
        /// Its id.
        id: String,
        /// What it is.
        what: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What was to be done with it.
        done: &'static str,
    },
    /// The last change was no undo.
    #[error("there is nothing to redo: the last change was not an undo")]
    NothingToRedo,
    /// A change was taken back already.
    #[error("the change `{id}` is already undone")]
    AlreadyUndone {
        /// The change.
        id: String,
    },
    /// A later change is about the same memories.
    #[error(
        "`{id}` cannot be undone: the later change `{later}` ({operation}) is about the same memories"
    )]
    ChangedSince {
        /// The change.
        id: String,
        /// The later one.
        later: String,
        /// What that one was.
        operation: String,
    },
    /// An agent wants to take back what it did not do.
    #[error(
        "the change `{id}` was made by {}, and this call comes from the agent `{agent}`",
        maker(by)
    )]
    NotTheirChange {
        /// The change.
        id: String,
        /// Who made it.
        by: String,
        /// Who asks.
        agent: String,
    },
    /// Undo would delete a file that git has.
    #[error("`{path}` is in git already, so undo does not delete it")]
    Committed {
        /// The file.
        path: String,
    },
    /// One of many is refused.
    #[error("memory {number}: {source}")]
    InBatch {
        /// Its place, from one.
        number: usize,
        /// Why.
        source: Box<Error>,
    },
    /// Nothing mentions it.
    #[error("nothing mentions `{name}`")]
    NoEntity {
        /// The name.
        name: String,
    },
    /// The decision would change nothing.
    #[error("`{id}` {is_so}")]
    Itself {
        /// The item.
        id: String,
        /// What is so already, as a predicate.
        is_so: &'static str,
    },
    /// There is nothing to remember.
    #[error("there are no words to remember")]
    NoWords,
    /// It is too long.
    #[error("the text has {size} bytes, and a record may have {most} at most")]
    TooLong {
        /// Its size.
        size: usize,
        /// The most.
        most: usize,
    },
    /// The category is Quipu's own.
    #[error("the category `lifecycle` is for Quipu's own records")]
    ReservedCategory,
    /// A number is out of range.
    #[error("{what} must be between {low} and 1")]
    Range {
        /// Which.
        what: &'static str,
        /// The least.
        low: i8,
    },
    /// It would never be true.
    #[error("the memory would end (`valid_to`) before it begins (`valid_from`)")]
    EmptyValidity,
    /// A compaction would lose something.
    #[error("the compaction was not carried out: {reason}")]
    Compaction {
        /// What.
        reason: String,
    },
    /// Only what holds can take the place of another.
    #[error("`{id}` is {status}, so nothing can be merged into it")]
    NotActive {
        /// The item.
        id: String,
        /// Its status.
        status: Status,
    },
    /// Nothing touches what is pinned.
    #[error("`{id}` is pinned, and stays as it is")]
    Pinned {
        /// The item.
        id: String,
    },
    /// Its words are in a source file, which Quipu does not change.
    #[error("the words of `{id}` are in the source file `{path}`, which Quipu does not change")]
    InSource {
        /// The item.
        id: String,
        /// The file.
        path: String,
    },
    /// A value is too short to be removed wherever it occurs.
    #[error("a value of {length} characters could be part of any word: give at least {least}")]
    ShortValue {
        /// Its length.
        length: usize,
        /// The shortest that is taken.
        least: usize,
    },
    /// A value is part of the mark that would replace it.
    #[error("the value is part of `{mark}`, the text that would replace it")]
    ValueInMark {
        /// The mark.
        mark: String,
    },
    /// A purge that was interrupted cannot be finished.
    #[error("a purge was interrupted, and cannot be finished")]
    UnfinishedPurge {
        /// Why not.
        source: Box<Error>,
    },
    /// A file holds no experiences.
    #[error("this is not a store of experiences: {reason}")]
    NotExperiences {
        /// Why.
        reason: String,
    },
    /// The ledger could not be written.
    #[error("cannot write `{path}`")]
    NotWritten {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// The configuration of vectors makes no sense.
    #[error("{what}")]
    Embedding {
        /// What is missing.
        what: &'static str,
    },
    /// No action of a dream is called so.
    #[error("no action of this dream is called `{id}`")]
    NoAction {
        /// What was given.
        id: String,
    },
    /// The model could not be asked.
    #[error("no vectors were made: {reason}")]
    NoVectors {
        /// Why.
        reason: String,
    },
    /// No judge is configured.
    #[error("no judge is configured")]
    NoJudge,
    /// The judge could not be asked, or said something else.
    #[error("the judge at {url} did not answer: {reason}")]
    JudgeFailed {
        /// Its address.
        url: String,
        /// Why.
        reason: String,
    },
    /// There is no such question.
    #[error("no open question has the id `{id}`")]
    NoQuestion {
        /// What was given.
        id: String,
    },
    /// There is no such answer.
    #[error("`{choice}` is not an answer to {id}: choose {}", names.join(", "))]
    NoChoice {
        /// The question.
        id: String,
        /// What was given.
        choice: String,
        /// The possible ones.
        names: Vec<&'static str>,
    },
    /// One dream at a time.
    #[error("another dream is at work")]
    Dreaming,
    /// What an interrupted dream left cannot be read.
    #[error("`.quipu/dream.json`, which an interrupted dream left, cannot be read: {reason}")]
    BadPlan {
        /// Why.
        reason: String,
    },
    /// There is no such dream.
    #[error("there is no dream to take back{}", named(.run))]
    NoDream {
        /// What was given.
        run: String,
    },
    /// An agent gives the name of somebody else.
    #[error("`{said}` is not the caller: this call comes from the agent `{agent}`")]
    NotThem {
        /// The name that it gave.
        said: String,
        /// Its own.
        agent: String,
    },
    /// An agent asks for what is a person's.
    #[error("only a person can {what}, and this call comes from the agent `{agent}`")]
    NotAPerson {
        /// What it asks for.
        what: &'static str,
        /// Its name.
        agent: String,
    },
    /// Only the main channel has it.
    #[error("`{what}` is available on the main channel only")]
    OnlyMain {
        /// What.
        what: &'static str,
    },
    /// The system has no random numbers.
    #[error("the system gives no random numbers: {reason}")]
    NoRandomness {
        /// What it says.
        reason: String,
    },
}

fn maker(by: &str) -> String {
    if by.is_empty() { "somebody else".to_owned() } else { format!("`{by}`") }
}

fn named(run: &str) -> String {
    if run.is_empty() { String::new() } else { format!(" called `{run}`") }
}

/// How to find something whose id is not known.
const FIND_IT: &str =
    "`quipu recall WORDS` finds it by its words, `quipu list` shows what there is";

impl Refusal {
    /// Says that nothing has an id, and nothing one like it.
    pub(crate) fn unknown(id: impl Into<String>) -> Self {
        Self::Unknown { id: id.into(), alike: Vec::new() }
    }

    /// Returns the id that nothing has, where that is what went wrong.
    pub(crate) fn unknown_id(error: &Error) -> Option<String> {
        match error.of() {
            Some(Self::Unknown { id, .. }) => Some(id.clone()),
            _ => None,
        }
    }
}

impl Failure for Refusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown-id",
            Self::NoEntity { .. } => "unknown-entity",
            Self::NoQuestion { .. } => "unknown-question",
            Self::NoJudge => "no-judge",
            Self::JudgeFailed { .. } => "judge",
            Self::NoChange { .. } => "unknown-change",
            Self::NothingToRedo => "nothing-to-redo",
            Self::FormIsSet => "form-is-set",
            Self::TrackedJournal { .. } => "tracked-journal",
            Self::NoUserScope => "no-user-scope",
            Self::EmptyUserScope => "empty-user-scope",
            Self::NotOfScope { .. } => "scope",
            Self::OtherCheckout { .. } => "other-checkout",
            Self::AlreadyUndone { .. } => "already-undone",
            Self::ChangedSince { .. } | Self::Committed { .. } => "changed-since",
            Self::NotTheirChange { .. } => "not-their-change",
            Self::NotThem { .. } | Self::NotAPerson { .. } => "not-a-person",
            Self::OnlyMain { .. } => "channel",
            Self::InBatch { source, .. } => source.code(),
            Self::Ambiguous { .. } => "ambiguous-id",
            Self::OwnedByFile { .. } => "owned-by-file",
            Self::EditedSince { .. } => "edited-since",
            Self::Transition { .. } => "transition",
            Self::IsSecret { .. } => "secret",
            Self::NotWritten { .. } | Self::NoRandomness { .. } => "io",
            Self::Embedding { .. } | Self::NoVectors { .. } => "embedding",
            _ => "refused",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::EditedSince { .. } => {
                "read it again, and make your change to what it says now".to_owned()
            }
            Self::Unknown { alike, .. } if !alike.is_empty() => {
                format!("did you mean {}?", alike.join(", "))
            }
            Self::Unknown { .. } => FIND_IT.to_owned(),
            Self::NotThem { agent, .. } => {
                format!("leave the name out, and it is recorded as `{agent}`; a person gives theirs at a terminal")
            }
            Self::NotAPerson { .. } => {
                "a person has to do it at a terminal, outside of an agent's session; docs/callers.md says how Quipu tells them apart".to_owned()
            }
            Self::Ambiguous { .. } => "write more of it".to_owned(),
            Self::IsSecret { .. } => "add --allow-secret to see it".to_owned(),
            Self::NoChange { .. } => "`quipu undo --list` shows the changes that can be undone".to_owned(),
            Self::FormIsSet => {
                "take `journal.format` out of the settings first; nothing was changed".to_owned()
            }
            Self::TrackedJournal { path } => format!(
                "keep it private with `git rm --cached {path}` and a line in .gitignore, or set `journal.tracked = true` in your own settings (`~/.config/quipu/config.toml`); nothing was changed"
            ),
            Self::NoUserScope => {
                "set QUIPU_USER_DIR to a folder; a server for many has no such memory".to_owned()
            }
            Self::EmptyUserScope => {
                "`quipu remember --user TEXT` keeps something for every project".to_owned()
            }
            Self::OtherCheckout { .. } => {
                "run the command there, or merge the branch that has the fact".to_owned()
            }
            Self::NotOfScope { done: "shared", .. } => {
                "facts and threads are shared already; documents are shared by git".to_owned()
            }
            Self::NotOfScope { .. } => "`quipu fact list` shows what is shared".to_owned(),
            Self::NothingToRedo => {
                "`quipu undo ID` takes a certain undo back; `quipu undo --list` shows their ids".to_owned()
            }
            Self::AlreadyUndone { .. } => "`quipu redo` brings back what was undone last".to_owned(),
            Self::ChangedSince { later, .. } => format!("`quipu undo {later}` first"),
            Self::NotTheirChange { .. } => "a person can undo it".to_owned(),
            Self::Committed { .. } => "use `git revert` or `git rm`; nothing was changed".to_owned(),
            Self::InBatch { source, .. } => return source.hint.clone(),
            Self::NoEntity { .. } => "`quipu entity list` shows what is mentioned".to_owned(),
            Self::OwnedByFile { id, does } => match *does {
                "supersede" => format!("use `quipu fact supersede {id}`"),
                "layer" => "a fact's section says what it is; a log is never changed".to_owned(),
                "status" => "for a fact use `quipu fact supersede` or `quipu fact archive`; a log is never changed".to_owned(),
                _ => format!("for a fact use `quipu edit {id}`; a log is never changed"),
            },
            Self::Transition { .. } => "`quipu history ID` shows how it got there".to_owned(),
            Self::TooLong { .. } => "keep it in a file, and remember what it says".to_owned(),
            Self::NotWritten { .. } => "nothing was remembered; try again when the cause is gone".to_owned(),
            Self::Embedding { .. } => "docs/configuration.md explains [embedding]".to_owned(),
            Self::NoAction { .. } => "`quipu dream --dry-run` names them".to_owned(),
            Self::NoVectors { .. } => {
                "run it again when the model answers; what is done stays done".to_owned()
            }
            Self::NoJudge => {
                "set judge.url and judge.model (docs/configuration.md), or answer yourself: `quipu questions --next`".to_owned()
            }
            Self::JudgeFailed { .. } => "the question waits; nothing was changed".to_owned(),
            Self::NoQuestion { .. } => "`quipu questions` lists those that are open".to_owned(),
            Self::BadPlan { .. } => {
                "remove the file: what it had written stays, and the next dream sees the rest".to_owned()
            }
            Self::NoDream { .. } => "`quipu dream --list` shows those that were".to_owned(),
            Self::Compaction { .. } => {
                "this is a bug of Quipu; nothing was changed".to_owned()
            }
            Self::Pinned { id } => format!("`quipu memory unpin {id}` first"),
            Self::InSource { path, .. } => {
                format!("remove them from `{path}`, then run `quipu scan`; nothing was changed")
            }
            Self::ShortValue { least, .. } if *least > SHORTEST_VALUE => {
                "add --yes-short to remove it all the same; nothing was changed".to_owned()
            }
            Self::ShortValue { .. } | Self::ValueInMark { .. } => {
                "purge the items that have it by their ids; nothing was changed".to_owned()
            }
            Self::UnfinishedPurge { source } => source.hint.clone().unwrap_or_else(|| {
                "its words are still there: solve that, and run any command again".to_owned()
            }),
            Self::NotExperiences { .. } => {
                "the original writes `tmp/experience-store.json`; nothing was remembered".to_owned()
            }
            Self::ReservedCategory => "choose another word".to_owned(),
            _ => return None,
        })
    }
}
