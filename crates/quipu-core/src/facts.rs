//! What one can do to facts and threads: each operation reads a folder and returns the new texts.

mod error;

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

pub use self::error::FactError;
use crate::archive::{self, Reason};
use crate::doc::{self, Document, Fact, Form, KEY_DECISIONS, OPEN_THREADS};
use crate::edit;
use crate::fact::{FactId, SetBy, Tier};
use crate::memory::{ARCHIVE, BARE_FOOTER_BELOW, CONTINUITY, Changes, Memory, SHARED_QUOTATION};
use crate::naming;
use crate::reactivation::{self, Arrivals};
use crate::secret::{self, Scope};
use crate::session::{Event, Events};
use crate::text::{self, Edit};
use crate::tier::{self, Rule};

/// New texts, and what the session log will say about them.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// New texts by path.
    pub changes: Changes,
    /// What happened.
    pub events: Events,
}

impl Outcome {
    pub(crate) fn continuity(memory: &Memory<'_>, edits: &[Edit], events: Vec<Event>) -> Self {
        let source = memory.continuity.source;
        let text = text::apply(source, edits).expect("an operation's edits do not overlap");
        let text = edit::tidy_end(source, text);
        let mut changes = Changes::new();
        if text != source {
            changes.insert(CONTINUITY.to_owned(), Some(text));
        }
        Self { changes, events: Events(events) }
    }

    /// Adds what a later step did on top of this one.
    #[must_use]
    pub fn then(mut self, later: Self) -> Self {
        self.changes.extend(later.changes);
        self.events.0.extend(later.events.0);
        self
    }
}

/// A fact or thread to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFact {
    /// Its words.
    pub text: String,
    /// Its section; by default Key Decisions, or Open Threads for a thread.
    pub section: Option<String>,
    /// Its id; by default derived from the text.
    pub id: Option<String>,
    /// Whether it is a thread.
    pub is_thread: bool,
    /// Whether it may hold what looks like a secret.
    pub allow_secret: bool,
}

/// Writes a new fact; returns its id beside the outcome.
///
/// # Errors
/// When the id is malformed or taken, or the text cannot stand in the file.
pub fn add(
    memory: &Memory<'_>,
    new: &NewFact,
    today: Date,
) -> Result<(String, Outcome), FactError> {
    refuse_open_fence(memory)?;
    let words = checked_text(&new.text, new.allow_secret)?;
    let id = match &new.id {
        Some(id) => {
            let id: FactId = id.parse()?;
            // Ids are repeated in logs and never redacted, so this holds for allowed secrets too.
            refuse_secret(id.as_str())?;
            refuse_taken(memory, id.as_str())?;
            id.as_str().to_owned()
        }
        None => naming::derive_id(&words, new.is_thread, &memory.ids()),
    };
    let default = if new.is_thread { OPEN_THREADS } else { KEY_DECISIONS };
    let section = new.section.as_deref().unwrap_or(default).trim().trim_start_matches('#').trim();
    let is_heading = !section.is_empty() && !section.chars().any(char::is_control);
    if !is_heading || section.eq_ignore_ascii_case("Project State") {
        return Err(FactError::Section { section: section.to_owned() });
    }
    let marker = if new.is_thread { "- [ ] " } else { "- " };
    let is_invariant = section.eq_ignore_ascii_case(doc::INVARIANTS);
    let tier = if is_invariant { Tier::Core } else { Tier::Working };
    let block = format!(
        "{}  <!-- id: {id} | created: {today} | last_used: {today} | uses: 1 | tier: {tier} -->\n",
        bullet(marker, &words)
    );
    let edit = edit::insert_blocks(&memory.continuity, section, &[block]);
    let event = Event::Created { id: id.clone() };
    Ok((id, Outcome::continuity(memory, &[edit], vec![event])))
}

/// Refuses to add to a file in which additions would be read as code.
fn refuse_open_fence(memory: &Memory<'_>) -> Result<(), FactError> {
    memory.continuity.unclosed_fence.map_or(Ok(()), |line| Err(FactError::Fence { line }))
}

/// Returns `words` as a list item.
fn bullet(marker: &str, words: &str) -> String {
    let mut result = String::new();
    for (index, line) in words.lines().enumerate() {
        match (index, line.is_empty()) {
            (0, _) => result.push_str(marker),
            (_, false) => result.push_str("  "),
            (_, true) => {}
        }
        result.push_str(line);
        result.push('\n');
    }
    result
}

fn checked_text(text: &str, allow_secret: bool) -> Result<String, FactError> {
    let text = text::with_line_ending(text.trim(), "\n");
    let text = doc::without_marker(&text).to_owned();
    if text.is_empty() {
        return Err(FactError::Empty);
    }
    let structure = |what| Err(FactError::Structure { what });
    if text.contains("<!--") || text.contains("-->") {
        return structure("a comment");
    }
    if text
        .lines()
        .any(|line| ["```", "~~~"].iter().any(|mark| line.trim_start().starts_with(mark)))
    {
        return structure("a code fence");
    }
    if ["[ ]", "[x]", "[X]"].iter().any(|mark| text.starts_with(mark)) {
        return structure("a checkbox at its start");
    }
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return structure("a control character");
    }
    if !allow_secret {
        refuse_secret(&text)?;
    }
    Ok(text)
}

fn refuse_secret(text: &str) -> Result<(), FactError> {
    let categories = secret::told(text, &secret::scan(text, Scope::Memory));
    if categories.is_empty() { Ok(()) } else { Err(FactError::Secret { categories }) }
}

fn refuse_taken(memory: &Memory<'_>, id: &str) -> Result<(), FactError> {
    let path = if memory.continuity.fact(id).is_some() {
        CONTINUITY.to_owned()
    } else if let Some((file, _)) = memory.archived_fact(id) {
        format!("{ARCHIVE}{}", file.name)
    } else if let Some((name, _)) = memory.other.iter().find(|(_, d)| d.fact(id).is_some()) {
        format!("memory/{name}")
    } else {
        return Ok(());
    };
    Err(FactError::Taken { id: id.to_owned(), path })
}

/// Returns a live fact that an operation may change.
///
/// # Errors
/// When there is none, or only in the archive or another file.
pub fn live<'m>(memory: &'m Memory<'_>, id: &str) -> Result<&'m Fact, FactError> {
    let elsewhere = |place| Err(FactError::Elsewhere { id: id.to_owned(), place });
    match memory.continuity.fact(id) {
        Some(fact) if fact.form == Form::Quoted => elsewhere("only quoted as code"),
        Some(fact) => Ok(fact),
        None if memory.archived_fact(id).is_some() => elsewhere("in the archive"),
        None if memory.knows(id) => {
            elsewhere("in a file that has no lifecycle, such as the vision")
        }
        None => Err(unknown(memory, id)),
    }
}

fn unknown(memory: &Memory<'_>, id: &str) -> FactError {
    FactError::Unknown { id: id.to_owned(), alike: naming::alike(id, &memory.ids()) }
}

/// Marks `old` as superseded, by `new` where there is one.
///
/// # Errors
/// When either is not a live fact.
pub fn supersede(
    memory: &Memory<'_>,
    old: &str,
    new: Option<&str>,
    confirmed: bool,
) -> Result<Outcome, FactError> {
    let source = memory.continuity.source;
    let fact = live_not_final(memory, old)?;
    refuse_permanent(memory, fact, confirmed)?;
    let mut edits: Vec<Edit> = Vec::new();
    edits.extend(edit::set_field(source, &fact.footer, "tier", Tier::Superseded.as_str()));
    if let Some(new) = new {
        if new == old {
            return Err(FactError::Itself { id: old.to_owned() });
        }
        let successor = live_not_final(memory, new)?;
        edits.extend(edit::set_field(source, &fact.footer, "superseded-by", new));
        // One field holds one id: the first fact that it replaced stays named.
        if successor.footer.get("supersedes").is_none_or(str::is_empty) {
            edits.extend(edit::set_field(source, &successor.footer, "supersedes", old));
        }
    }
    let event = Event::Superseded { old: old.to_owned(), new: new.map(str::to_owned) };
    Ok(Outcome::continuity(memory, &edits, vec![event]))
}

/// Returns a live fact that is not superseded.
fn live_not_final<'m>(memory: &'m Memory<'_>, id: &str) -> Result<&'m Fact, FactError> {
    let fact = live(memory, id)?;
    if fact.footer.is_superseded() {
        return Err(FactError::Final { id: id.to_owned() });
    }
    Ok(fact)
}

/// Refuses to touch what never decays without a person's word.
///
/// # Errors
/// When the fact is core or an invariant, and nobody confirmed it.
pub fn refuse_permanent(
    memory: &Memory<'_>,
    fact: &Fact,
    confirmed: bool,
) -> Result<(), FactError> {
    let permanent = fact.footer.is_core() || memory.continuity.is_invariant(fact);
    if permanent && !confirmed {
        return Err(FactError::Permanent { id: fact.id().to_owned() });
    }
    Ok(())
}

/// Makes a fact permanent.
///
/// # Errors
/// When there is no such live fact.
pub fn make_core(memory: &Memory<'_>, id: &str) -> Result<Outcome, FactError> {
    let source = memory.continuity.source;
    let fact = live_not_final(memory, id)?;
    let mut edits: Vec<Edit> = Vec::new();
    edits.extend(edit::set_field(source, &fact.footer, "tier", Tier::Core.as_str()));
    edits.extend(edit::remove_field(source, &fact.footer, "tier-by"));
    Ok(Outcome::continuity(memory, &edits, used_if(id, !edits.is_empty())))
}

/// Returns a use of `id`, where something was done.
fn used_if(id: &str, done: bool) -> Vec<Event> {
    done.then(|| Event::Referenced { id: id.to_owned() }).into_iter().collect()
}

/// Sets a tier by a person's word, or with `None` gives the decision back to the rules.
///
/// # Errors
/// When there is no such live fact, or the tier is not one to set by hand.
pub fn set_tier(memory: &Memory<'_>, id: &str, tier: Option<Tier>) -> Result<Outcome, FactError> {
    let source = memory.continuity.source;
    let fact = live_not_final(memory, id)?;
    let mut edits: Vec<Edit> = Vec::new();
    if let Some(tier) = tier {
        if tier.set_by() != SetBy::Tier {
            return Err(FactError::NotByHand { tier });
        }
        if fact.footer.is_core() {
            return Err(FactError::Protected { id: id.to_owned(), why: "it is core" });
        }
        edits.extend(edit::set_field(source, &fact.footer, "tier", tier.as_str()));
        edits.extend(edit::set_field(source, &fact.footer, "tier-by", "human"));
    } else {
        let mut case = memory.case(fact);
        case.held_by_human = false;
        case.tier = case.tier.filter(|tier| *tier != Tier::Core);
        let counted = tier::tier(tier::rule(&case, &memory.policy));
        // Where the rules leave the label alone, only `core` has to give way.
        let label = counted.or(fact.footer.is_core().then_some(Tier::Working));
        if let Some(label) = label {
            edits.extend(edit::set_field(source, &fact.footer, "tier", label.as_str()));
        }
        edits.extend(edit::remove_field(source, &fact.footer, "tier-by"));
    }
    Ok(Outcome::continuity(memory, &edits, Vec::new()))
}

/// Moves facts to the archive at a person's word.
///
/// # Errors
/// When one is not a live fact, never decays, or was used within the archive window.
pub fn archive(memory: &Memory<'_>, ids: &[String], today: Date) -> Result<Outcome, FactError> {
    put_away(memory, ids, today, departure_by_hand)
}

/// Moves facts to the archive because a person forgets them: neither a window nor a tier keeps them, and
/// only a person brings them back.
///
/// # Errors
/// When one is not a live fact, or cannot be moved without losing something.
pub fn forget(memory: &Memory<'_>, ids: &[String], today: Date) -> Result<Outcome, FactError> {
    put_away(memory, ids, today, |memory, fact| {
        Ok(match memory.rule(fact) {
            Rule::Superseded => (Reason::Superseded, "superseded".to_owned()),
            _ => (Reason::Forgotten, "forgotten by a person".to_owned()),
        })
    })
}

/// Moves a fact to the archive because it becomes private again: for a person whatever protects it, for an
/// agent only where the rules let it go.
///
/// # Errors
/// When it is not a live fact, an agent must not archive it, or it cannot be moved without losing something.
pub fn unshare(
    memory: &Memory<'_>,
    id: &str,
    is_person: bool,
    today: Date,
) -> Result<Outcome, FactError> {
    put_away(memory, &[id.to_owned()], today, |memory, fact| {
        if !is_person {
            departure_by_hand(memory, fact)?;
        }
        Ok(match memory.rule(fact) {
            Rule::Superseded => (Reason::Superseded, "superseded".to_owned()),
            _ => (Reason::Unshared, Reason::Unshared.as_str().to_owned()),
        })
    })
}

fn put_away(
    memory: &Memory<'_>,
    ids: &[String],
    today: Date,
    reason: impl Fn(&Memory<'_>, &Fact) -> Result<(Reason, String), FactError>,
) -> Result<Outcome, FactError> {
    let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let mut going = Vec::new();
    for id in &ids {
        let fact = live(memory, id)?;
        let nested: Vec<String> = (memory.continuity.nested_in(fact).into_iter())
            .map(|nested| nested.id().to_owned())
            .filter(|nested| !ids.contains(nested.as_str()))
            .collect();
        if !nested.is_empty() {
            return Err(FactError::Nested { id: (*id).to_owned(), nested });
        }
        if let Some((file, _)) = memory.archived_fact(id) {
            let path = format!("{ARCHIVE}{}", file.name);
            return Err(FactError::Taken { id: (*id).to_owned(), path });
        }
        if memory.continuity.copies(id) > 1 {
            let place = "in continuity.md twice: give one of the two another id";
            return Err(FactError::Elsewhere { id: (*id).to_owned(), place });
        }
        let below = memory.continuity.bare_footer_below(fact);
        if below.is_some_and(|below| !ids.contains(below.id())) {
            return Err(FactError::Elsewhere { id: (*id).to_owned(), place: BARE_FOOTER_BELOW });
        }
        if memory.shares_a_quotation(&memory.continuity, fact) {
            return Err(FactError::Elsewhere { id: (*id).to_owned(), place: SHARED_QUOTATION });
        }
        let (reason, words) = reason(memory, fact)?;
        going.push((fact, reason, words));
    }
    let (edits, departures) =
        archive::depart(&memory.continuity, &going, &|id| memory.ledger.origin(id));
    let mut outcome = Outcome::continuity(memory, &edits, Vec::new());
    let changes = archive::changes(memory.snapshot, today, &departures, &[], BTreeMap::new());
    outcome.changes.extend(changes);
    Ok(outcome)
}

fn departure_by_hand(memory: &Memory<'_>, fact: &Fact) -> Result<(Reason, String), FactError> {
    let protected = |why| Err(FactError::Protected { id: fact.id().to_owned(), why });
    match memory.rule(fact) {
        Rule::Superseded => return Ok((Reason::Superseded, "superseded".to_owned())),
        Rule::Core => return protected("it is core"),
        Rule::Invariant => return protected("it is under Architectural Invariants"),
        Rule::OpenThread => return protected("it is an open thread"),
        _ => {}
    }
    let window = memory.policy.archive_window;
    if let Some(usage) = memory.ledger.usage(fact.id())
        && usage.since <= window
    {
        return Err(FactError::InUse { id: fact.id().to_owned(), since: usage.since, window });
    }
    let reason = if fact.form == Form::DoneThread { Reason::Swept } else { Reason::Faded };
    Ok((reason, format!("{}, by hand", reason.as_str())))
}

/// Brings facts back from the archive.
///
/// # Errors
/// When one is not in the archive, or is in continuity too, or was superseded.
pub fn reactivate(memory: &Memory<'_>, ids: &[String], today: Date) -> Result<Outcome, FactError> {
    refuse_open_fence(memory)?;
    let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let mut arrivals = Arrivals::default();
    let mut events = Vec::new();
    for id in &ids {
        if let Some(place) = memory.cannot_return(id) {
            return Err(FactError::Elsewhere { id: (*id).to_owned(), place });
        }
        let Some((_, fact)) = memory.archived_fact(id) else {
            return Err(unknown(memory, id));
        };
        if fact.footer.is_superseded() {
            let place =
                "superseded, which is final: add it again as a new fact if it holds after all";
            return Err(FactError::Elsewhere { id: (*id).to_owned(), place });
        }
        events.push(Event::Reactivated { id: (*id).to_owned() });
    }
    let mut emptied = BTreeMap::new();
    let mut returned = Vec::new();
    for file in &memory.archive {
        let (facts, along) =
            reactivation::come_back(&file.document, |fact| ids.contains(fact.id()));
        for fact in &facts {
            let block = reactivation::returned_block(memory, &file.document, fact, true);
            let home = reactivation::home_section(&file.document, fact);
            arrivals.add(home, block);
        }
        if !facts.is_empty() {
            let path = format!("{ARCHIVE}{}", file.name);
            emptied.insert(path, reactivation::remove(&file.document, &facts));
            returned.extend(along);
        }
    }
    let mut changes = archive::changes(memory.snapshot, today, &[], &returned, emptied);
    let continuity = arrivals.settle(memory.continuity.source);
    changes.insert(CONTINUITY.to_owned(), Some(continuity));
    let outcome = Outcome { changes, events: Events(events) };
    Ok(outcome)
}

/// Ticks a thread's box, or with `done` false opens it again.
///
/// # Errors
/// When there is no such live thread.
pub fn set_done(memory: &Memory<'_>, id: &str, done: bool) -> Result<Outcome, FactError> {
    let fact = live(memory, id)?;
    if !fact.is_thread() {
        return Err(FactError::Elsewhere { id: id.to_owned(), place: "a fact, not a thread" });
    }
    let edit = edit::set_checkbox(memory.continuity.source, fact, done);
    let edits: Vec<Edit> = edit.into_iter().collect();
    Ok(Outcome::continuity(memory, &edits, used_if(id, !edits.is_empty())))
}

/// New words for a fact.
#[derive(Clone, Copy, Debug)]
pub struct NewWords<'a> {
    /// The words.
    pub text: &'a str,
    /// The words that the writer had before them; refused where they are no longer these.
    pub instead_of: Option<&'a str>,
    /// Whether they may hold what looks like a secret.
    pub allow_secret: bool,
    /// Whether a person confirmed a change to a permanent fact.
    pub confirmed: bool,
}

/// Replaces a fact's words; its marker and footer stay.
///
/// # Errors
/// When there is no such live fact, it is permanent and nobody confirmed, other facts are nested in
/// it, or the text cannot stand in the file.
pub fn rewrite(memory: &Memory<'_>, id: &str, new: &NewWords<'_>) -> Result<Outcome, FactError> {
    let fact = live(memory, id)?;
    let current = memory.continuity.words(fact);
    if new.instead_of.is_some_and(|expected| expected != current) {
        return Err(FactError::Changed { id: id.to_owned() });
    }
    if new.text.trim() == current {
        return Ok(Outcome::default());
    }
    refuse_permanent(memory, fact, new.confirmed)?;
    let nested: Vec<String> =
        memory.continuity.nested_in(fact).iter().map(|nested| nested.id().to_owned()).collect();
    if !nested.is_empty() {
        return Err(FactError::Nested { id: id.to_owned(), nested });
    }
    let words = checked_text(new.text, new.allow_secret)?;
    let source = memory.continuity.source;
    let ending = text::line_ending(source);
    let block = &source[fact.block.clone()];
    let white = block.len() - block.trim_start_matches([' ', '\t']).len();
    let marker = doc::marker_length(&block[white..]);
    let hang = if marker == 0 { "" } else { "  " };
    let indent = &block[..white];
    let mut lines = String::new();
    for (index, line) in words.lines().enumerate() {
        match (index, line.is_empty()) {
            (0, _) => lines.push_str(&block[..white + marker]),
            (_, false) => lines.extend([indent, hang]),
            (_, true) => {}
        }
        lines.push_str(line);
        lines.push_str(ending);
    }
    let footer = &source[fact.footer.span.clone()];
    let unended = if block.ends_with('\n') { ending } else { "" };
    let replacement = format!("{lines}{indent}{hang}{footer}{unended}");
    let edits = [Edit::replace(fact.block.clone(), replacement)];
    Ok(Outcome::continuity(memory, &edits, used_if(id, true)))
}

/// Returns the document and fact that `id` names, wherever it is, with its path.
pub fn find<'m, 'a>(
    memory: &'m Memory<'a>,
    id: &str,
) -> Result<(String, &'m Document<'a>, &'m Fact), FactError> {
    if let Some(fact) = memory.continuity.fact(id) {
        return Ok((CONTINUITY.to_owned(), &memory.continuity, fact));
    }
    if let Some((file, fact)) = memory.archived_fact(id) {
        return Ok((format!("{ARCHIVE}{}", file.name), &file.document, fact));
    }
    for (name, document) in &memory.other {
        if let Some(fact) = document.fact(id) {
            return Ok((format!("memory/{name}"), document, fact));
        }
    }
    Err(unknown(memory, id))
}
