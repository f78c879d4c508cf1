//! Answers to questions about the memory: status, show, why. The JSON of every surface.

mod shown;

use std::fmt::Write as _;

use quipu_core::doc::{Document, Fact, Form};
use quipu_core::fact::TierLabel;
use quipu_core::facts;
use quipu_core::indexing;
use quipu_core::item::{Item, Kind, Sensitivity};
use quipu_core::memory::{ARCHIVE, CONTINUITY, Memory, MemoryError};
use quipu_core::policy::Sessions;
use quipu_core::text::counted;
use quipu_core::tier::{self, Rule};
use quipu_core::verify;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::shown::{Provenance, Shown, Standing, show, show_any};
use crate::error::Error;
use crate::import;
use crate::index;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// A fact as a list shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FactRow {
    /// The id.
    pub id: String,
    /// `fact` or `thread`.
    pub kind: &'static str,
    /// `open` or `done` for a thread, `live`, `archived` or `superseded` for a fact, `purged` for either.
    pub state: &'static str,
    /// The tier as labelled.
    pub tier: Option<TierLabel>,
    /// The tier that the rules give.
    pub computed_tier: Option<TierLabel>,
    /// How many sessions used it.
    pub uses: usize,
    /// When it was last used.
    pub last_used: Option<String>,
    /// Sessions since then.
    pub sessions_since_last_use: Option<Sessions>,
    /// When it was written.
    pub created: Option<String>,
    /// Its section.
    pub section: Option<String>,
    /// The file.
    pub path: String,
    /// The line of its footer.
    pub line: usize,
    /// Its first line.
    pub title: String,
}

/// Why a fact has its tier.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Why {
    /// The fact.
    pub id: String,
    /// The label in the footer.
    pub label: Option<String>,
    /// What the rules say.
    pub tier: Option<String>,
    /// The rule that decided; none for a fact that is not in continuity.
    pub rule: Option<Rule>,
    /// The decision in words, with its numbers.
    pub because: String,
    /// Every rule in order, and whether it matched.
    pub rules: Vec<RuleLine>,
    /// How many sessions used it.
    pub uses: usize,
    /// Sessions since the last use.
    pub sessions_since_last_use: Option<Sessions>,
    /// Sessions since it was written.
    pub age: Option<Sessions>,
    /// The sessions that count.
    pub sessions: Vec<String>,
    /// What would change the tier next.
    pub next: Option<String>,
    /// Whether it is a fact or thread, which fades by counting sessions and by nothing else.
    #[serde(skip)]
    pub is_counted: bool,
}

/// One rule of the decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleLine {
    /// The rule in words.
    pub rule: String,
    /// Whether it decided.
    pub decided: bool,
}

/// Which facts to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only this tier, as labelled.
    pub tier: Option<TierLabel>,
    /// Only this section.
    pub section: Option<String>,
    /// Archived facts too.
    pub archived: bool,
    /// Threads only.
    pub threads: bool,
    /// Of threads, the done ones too.
    pub done: bool,
    /// Only facts whose words or id contain this, in any case.
    pub matching: Option<String>,
}

/// Lists facts or threads.
///
/// # Errors
/// When the memory cannot be read.
pub fn list(workspace: &Workspace, filter: &Filter) -> Result<Vec<FactRow>, Error> {
    let snapshot = workspace.read()?;
    let memory = snapshot.parse()?;
    let mut rows: Vec<FactRow> = Vec::new();
    for fact in memory.continuity.distinct_facts() {
        let is_alive = fact.form != Form::Quoted && !is_purged(&memory.continuity, fact);
        if is_alive && filter.wants(&memory.continuity, fact) {
            rows.push(row(&memory, &memory.continuity, fact, CONTINUITY.to_owned()));
        }
    }
    if filter.archived {
        for (_, (file, fact)) in memory.archived() {
            if filter.wants(&file.document, fact) && !is_purged(&file.document, fact) {
                rows.push(row(
                    &memory,
                    &file.document,
                    fact,
                    format!("memory/archive/{}", file.name),
                ));
            }
        }
    }
    Ok(rows)
}

/// Returns whether the words of a fact were purged.
pub(crate) fn is_purged(document: &Document<'_>, fact: &Fact) -> bool {
    indexing::is_purged_mark(&document.words(fact))
}

/// Explains a fact's tier.
///
/// # Errors
/// When there is no such fact.
pub fn why(workspace: &Workspace, id: &str) -> Result<Why, Error> {
    let snapshot = workspace.read()?;
    let memory = match snapshot.parse() {
        // A journal alone is a memory too.
        Err(MemoryError::NoContinuity) => return why_item(workspace, id),
        parsed => parsed?,
    };
    let (path, _, fact) = match facts::find(&memory, id) {
        Ok(found) => found,
        Err(unknown) => return why_item(workspace, id).map_err(|_| unknown.into()),
    };
    Ok(if path == CONTINUITY {
        why_in_continuity(&memory, fact)
    } else {
        why_elsewhere(&memory, fact, &path)
    })
}

/// Explains what is no fact: what it counts as, and what was decided about it.
fn why_item(workspace: &Workspace, id: &str) -> Result<Why, Error> {
    index::freshen(workspace)?;
    let item = index::resolve(workspace, id)?;
    if matches!(item.kind, Kind::Fact | Kind::Thread | Kind::Archived) {
        return why(workspace, &item.id);
    }
    let decided = index::store(workspace)?.events(&item.id)?;
    let last = decided.iter().rev().find_map(|event| event.decision.as_ref());
    let category = if item.category.is_empty() { "none" } else { &item.category };
    let mut because = format!(
        "{} of category {category} counts as {} ({})",
        kind_in_words(item.kind),
        item.layer,
        item.memory_type
    );
    if let Some(imported) = import::origin_in_words(workspace, &item) {
        let _ = write!(because, "; {imported}");
    }
    if let Some(decision) = last {
        let _ = write!(because, "; last decided: {}", decision.in_words());
    }
    let opened = index::store(workspace)?.accesses(&item.id)?.len();
    if opened > 0 {
        let times = if opened == 1 { "once".to_owned() } else { counted(opened, "time") };
        let _ = write!(because, "; opened {times}");
    }
    Ok(Why {
        id: item.id,
        label: Some(item.status.to_string()),
        tier: Some(item.status.to_string()),
        rule: None,
        because,
        rules: Vec::new(),
        uses: opened,
        sessions_since_last_use: None,
        age: None,
        sessions: Vec::new(),
        next: None,
        is_counted: false,
    })
}

/// Returns what a person should confirm.
///
/// # Errors
/// When the memory cannot be read.
pub fn invariants(workspace: &Workspace) -> Result<verify::InvariantCheck, Error> {
    let snapshot = workspace.read()?;
    Ok(verify::invariant_check(&snapshot.parse()?))
}

pub(crate) fn refuse_secret(item: &Item, allow_secret: bool) -> Result<(), Refusal> {
    if item.sensitivity == Sensitivity::Secret && !allow_secret {
        return Err(Refusal::IsSecret { id: item.id.clone() });
    }
    Ok(())
}

impl Filter {
    fn wants(&self, document: &Document<'_>, fact: &Fact) -> bool {
        let section = document.section_title(fact).map(str::to_lowercase);
        let in_section = self.section.as_ref().is_none_or(|wanted| {
            section.as_ref().is_some_and(|title| title.starts_with(&wanted.to_lowercase()))
        });
        let matches = self.matching.as_ref().is_none_or(|wanted| {
            let words = format!("{} {}", fact.id(), document.words(fact)).to_lowercase();
            wanted.to_lowercase().split_whitespace().all(|word| words.contains(word))
        });
        let is_wanted_thread = fact.is_thread() && (self.done || fact.form == Form::OpenThread);
        in_section
            && matches
            && (!self.threads || is_wanted_thread)
            && self.tier.as_ref().is_none_or(|tier| fact.footer.get("tier") == Some(tier.as_str()))
    }
}

fn row(memory: &Memory<'_>, document: &Document<'_>, fact: &Fact, path: String) -> FactRow {
    let usage = memory.ledger.usage(fact.id());
    let is_live = path.ends_with("continuity.md");
    let label = fact.footer.tier_label();
    let computed = if is_live {
        tier::tier(memory.rule(fact)).map(TierLabel::from).or_else(|| label.clone())
    } else {
        label.clone()
    };
    FactRow {
        id: fact.id().to_owned(),
        kind: if fact.is_thread() { "thread" } else { "fact" },
        state: match fact.form {
            _ if is_purged(document, fact) => "purged",
            _ if fact.footer.is_superseded() => "superseded",
            _ if !is_live && path.contains("/archive/") => "archived",
            Form::OpenThread => "open",
            Form::DoneThread => "done",
            _ => "live",
        },
        tier: label,
        computed_tier: computed,
        uses: usage.map_or(0, |usage| usage.uses),
        last_used: usage.map(|usage| usage.last_used.to_owned()),
        sessions_since_last_use: usage.map(|usage| usage.since),
        created: fact.footer.get("created").map(str::to_owned),
        section: document.section_title(fact).map(str::to_owned),
        line: fact.line,
        title: document.title(fact, 100),
        path,
    }
}

/// Explains a fact that no rule decides about: archived, or in a file such as the vision.
fn why_elsewhere(memory: &Memory<'_>, fact: &Fact, path: &str) -> Why {
    let usage = memory.ledger.usage(fact.id());
    let window = memory.policy.archive_window;
    let words = facts::find(memory, fact.id());
    let words = words.map(|(_, document, fact)| document.words(fact)).unwrap_or_default();
    let because = match usage {
        _ if indexing::is_purged_mark(&words) => {
            format!("its words were purged; only its id is left, in {path}")
        }
        _ if !path.starts_with(ARCHIVE) => {
            format!("it is in {path}, where facts have no lifecycle")
        }
        _ if fact.footer.is_superseded() => format!("it was superseded, and is in {path}"),
        _ if fact.footer.is_held_by_human() => {
            format!("a person forgot it, and it is in {path}: `quipu restore` brings it back")
        }
        Some(usage) => format!("it is in {path}; used {} ago", counted(usage.since, "session")),
        None => format!("it is in {path}; no session names it"),
    };
    let is_away = fact.footer.is_superseded() || fact.footer.is_held_by_human();
    let returns = path.starts_with(ARCHIVE) && !is_away;
    Why {
        id: fact.id().to_owned(),
        label: fact.footer.get("tier").map(str::to_owned),
        tier: None,
        rule: None,
        because,
        rules: Vec::new(),
        uses: usage.map_or(0, |usage| usage.uses),
        sessions_since_last_use: usage.map(|usage| usage.since),
        age: None,
        sessions: memory.ledger.sessions_of(fact.id()).map(str::to_owned).collect(),
        next: returns.then(|| format!("a use within archive_window {window} brings it back")),
        is_counted: true,
    }
}

fn why_in_continuity(memory: &Memory<'_>, fact: &Fact) -> Why {
    if is_purged(&memory.continuity, fact) {
        return why_elsewhere(memory, fact, CONTINUITY);
    }
    let case = memory.case(fact);
    let policy = &memory.policy;
    let rule = tier::rule(&case, policy);
    let uses = case.used.map_or(0, |(uses, _)| uses);
    let since = case.used.map(|(_, since)| since);
    let number = |value: Option<Sessions>| value.map_or("unknown".to_owned(), |v| v.to_string());
    let (since_number, age_word) = (number(since), number(case.age));
    let since_word = counted(&since_number, "session");
    let because = match rule {
        Rule::Superseded => "its footer says that it was superseded".to_owned(),
        Rule::Core => "its tier is core: it never decays".to_owned(),
        Rule::HeldByHuman => "a person holds the tier (`tier-by: human`)".to_owned(),
        Rule::Invariant => "it is under Architectural Invariants: it never decays".to_owned(),
        Rule::OpenThread => {
            "it is an unchecked thread: it never decays, and its label is left alone".to_owned()
        }
        Rule::NeverReferenced => {
            "no session log names it, so there is nothing to count: the label stays".to_owned()
        }
        Rule::Probation => format!(
            "{}, {} old ≤ working_window {}",
            counted(uses, "use"),
            counted(&age_word, "session"),
            policy.working_window
        ),
        Rule::InUse => {
            format!("used {since_word} ago ≤ active_window {}", policy.active_window)
        }
        Rule::Fading => format!(
            "used {since_word} ago > active_window {}, ≤ archive_window {}",
            policy.active_window, policy.archive_window
        ),
        Rule::Faded => format!(
            "used {since_word} ago > archive_window {}: the next review archives it",
            policy.archive_window
        ),
    };
    let next = match (rule, since) {
        (Rule::InUse, Some(since)) => Some(format!(
            "archive-candidate after {} without a use",
            counted(policy.active_window.0 + 1 - since.0, "more session")
        )),
        (Rule::Fading, Some(since)) => Some(format!(
            "archived after {} without a use; active with the next use",
            counted(policy.archive_window.0 + 1 - since.0, "more session")
        )),
        (Rule::Probation, _) => Some("active with its second use".to_owned()),
        _ => None,
    };
    let rules = [
        (Rule::Superseded, "superseded: final".to_owned()),
        (Rule::Core, "tier core: stays core".to_owned()),
        (Rule::HeldByHuman, "tier-by human: stays as set".to_owned()),
        (Rule::Invariant, "under Architectural Invariants: pinned".to_owned()),
        (Rule::OpenThread, "unchecked thread: pinned".to_owned()),
        (Rule::NeverReferenced, "no session names it: label stays".to_owned()),
        (
            Rule::Probation,
            format!("uses {uses} ≤ 1 and age {age_word} ≤ {}: working", policy.working_window),
        ),
        (Rule::InUse, format!("since last use {since_number} ≤ {}: active", policy.active_window)),
        (
            Rule::Fading,
            format!("since last use {since_number} ≤ {}: archive-candidate", policy.archive_window),
        ),
        (
            Rule::Faded,
            format!("since last use {since_number} > {}: archive", policy.archive_window),
        ),
    ];
    Why {
        id: fact.id().to_owned(),
        label: fact.footer.get("tier").map(str::to_owned),
        tier: tier::tier(rule).map(|tier| tier.to_string()),
        rule: Some(rule),
        because,
        rules: rules
            .into_iter()
            .map(|(this, words)| RuleLine { rule: words, decided: this == rule })
            .collect(),
        uses,
        sessions_since_last_use: since,
        age: case.age,
        sessions: memory.ledger.sessions_of(fact.id()).map(str::to_owned).collect(),
        next,
        is_counted: true,
    }
}

/// Returns what kind of thing an item is, in words.
fn kind_in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Fact => "a fact",
        Kind::Thread => "a thread",
        Kind::Archived => "an archived fact",
        Kind::Session => "part of a session log",
        Kind::Document => "part of a document",
        Kind::Record => "a record",
        Kind::Code => "an outline of code",
    }
}
