//! What a harvest would do to a memory: compare with what is known, and say what to add, replace,
//! retire or ask.

mod again;
mod conflict;
mod old;
mod unsaid;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::old::{Before, Changed, Old};
use super::alike::{Alike, Sharing};
use super::gist::Gist;
use super::{Kind, Proposal, SOURCE_ENDED, Status, harvested, mark_of, path_of};
use crate::contradict::Candidate;
use crate::doc::Form;
use crate::facts;
use crate::memory::Memory;
use crate::naming;

/// Candidates from this score on are conflicts.
const SURE: f64 = 0.6;

/// What a document says instead of a fact shares so much with it, in percent.
const SAME_PLACE: usize = 50;

/// So many new texts are compared with each other, and no more: it must stay quick.
const MOST_COMPARED: usize = 300;

/// What to do with a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Write a fact, or a thread for a plan.
    Add,
    /// Write a fact that takes the place of older ones.
    Replace,
    /// Bring back what its document says again: a thread is opened, a fact is written anew.
    Restore,
    /// Let a fact point to where its document stands now.
    Move,
    /// Mark a fact as superseded: its document says that it holds no more.
    Retire,
    /// Raise a thread and write nothing else: a core fact is concerned.
    Ask,
}

impl Action {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Restore => "restore",
            Self::Move => "move",
            Self::Retire => "retire",
            Self::Ask => "ask",
        }
    }
}

/// A step of a harvest.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Step {
    /// Counts from 1.
    pub number: usize,
    /// The fact's id: the new one, or of what is retired, moved or opened again.
    pub id: String,
    /// What to do.
    pub action: Action,
    /// Where it goes.
    pub section: String,
    /// What was found.
    #[serde(flatten)]
    pub proposal: Proposal,
    /// The facts whose place it takes.
    pub supersedes: Vec<String>,
    /// The facts of which their own documents say that they hold no more.
    #[serde(skip)]
    pub ended: Vec<String>,
    /// What takes the place of what is retired.
    pub superseded_by: Option<String>,
    /// What it contradicts.
    pub conflicts: Vec<Candidate>,
    /// Somebody's own words for it.
    #[serde(skip)]
    pub own_words: Option<String>,
}

impl Step {
    /// Returns the words to write.
    pub fn words(&self) -> &str {
        self.own_words.as_deref().unwrap_or(&self.proposal.text)
    }
}

/// Something that was found and is not proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LeftOut {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub source: String,
    /// The same, as a line.
    pub line: usize,
    /// Whether it holds.
    pub status: Status,
    /// Why it is not proposed.
    pub why: String,
}

impl LeftOut {
    /// Leaves a proposal out.
    pub fn of(proposal: &Proposal, why: impl Into<String>) -> Self {
        let (text, source) = (proposal.text.clone(), proposal.source.clone());
        Self { text, source, line: proposal.line, status: proposal.status, why: why.into() }
    }
}

/// What a harvest would do.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// How many proposals the memory knows already.
    pub known: usize,
    /// What was found and is not proposed.
    pub left_out: Vec<LeftOut>,
}

/// What a harvest looked at.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// What was found.
    pub proposals: Vec<Proposal>,
    /// The documents that were read.
    pub read: BTreeSet<String>,
    /// The documents that facts were taken from, and that are no longer there.
    pub gone: BTreeSet<String>,
    /// The documents that facts were taken from, with what they say now.
    pub texts: BTreeMap<String, String>,
}

/// Returns the documents that live facts were taken from.
pub fn sources(memory: &Memory<'_>) -> BTreeSet<String> {
    let live = harvested(&memory.continuity).filter(|(fact, ..)| !fact.footer.is_superseded());
    live.map(|(_, source, _)| path_of(source).to_owned()).collect()
}

/// Returns what to do about proposals, given what is remembered.
pub fn plan(memory: &Memory<'_>, looked: &Looked) -> Plan {
    let mut planner = Planner::new(memory, &looked.proposals);
    for proposal in &looked.proposals {
        match proposal.status {
            Status::Accepted => planner.accept(proposal),
            Status::Unknown => {
                let status = proposal.unknown_status.as_deref().unwrap_or_default();
                let why = format!("its status `{status}` is not known");
                planner.plan.left_out.push(LeftOut::of(proposal, why));
            }
            _ => planner.retire(proposal),
        }
    }
    planner.retire_unsaid(looked);
    planner.bring_back();
    planner.follow(looked);
    planner.finish()
}

struct Planner<'m, 'a> {
    memory: &'m Memory<'a>,
    old: Before,
    /// The words of every fact, wherever it is kept.
    said: Vec<Gist>,
    alike: Alike,
    /// How many accepted proposals stand at a source.
    at_source: BTreeMap<String, usize>,
    /// What every document says now, by its path and mark.
    marks: BTreeSet<(String, String)>,
    changed: Changed,
    taken: BTreeSet<String>,
    /// What documents say of which the memory has only facts that hold no more.
    silent: Vec<Proposal>,
    plan: Plan,
}

impl<'m, 'a> Planner<'m, 'a> {
    fn new(memory: &'m Memory<'a>, found: &[Proposal]) -> Self {
        let mut old = Vec::new();
        let mut said = Vec::new();
        let archived = memory.archive.iter().map(|file| (&file.document, false));
        for (document, is_live) in [(&memory.continuity, true)].into_iter().chain(archived) {
            // What a document took back is no longer said.
            let kept = document.facts.iter().filter(|fact| fact.footer.get(SOURCE_ENDED).is_none());
            let words = kept.map(|fact| unpointed(&document.words(fact)));
            said.extend(words.map(|words| Gist::of(&words)));
            old.extend(harvested(document).map(|(fact, source, mark)| {
                let words = unpointed(&document.words(fact));
                Old {
                    id: fact.id().to_owned(),
                    source: source.to_owned(),
                    mark: mark.to_owned(),
                    gist: Gist::of(&words),
                    kind: kind_of(&words, mark),
                    words,
                    is_live: is_live
                        && !fact.footer.is_superseded()
                        && fact.form != Form::DoneThread,
                    is_thread: fact.is_thread(),
                    is_permanent: facts::refuse_permanent(memory, fact, false).is_err(),
                    is_ended: fact.footer.get(SOURCE_ENDED).is_some(),
                    is_archived: !is_live,
                    superseded_by: fact.footer.get("superseded-by").map(str::to_owned),
                }
            }));
        }
        let old = Before::new(old);
        let mut at_source: BTreeMap<String, usize> = BTreeMap::new();
        for proposal in found.iter().filter(|proposal| proposal.status == Status::Accepted) {
            *at_source.entry(proposal.source.clone()).or_default() += 1;
        }
        let news = found.iter().filter(|proposal| proposal.status.holds()).filter_map(|one| {
            let (path, mark) = (one.path(), one.mark());
            let is_known = old.of_mark(path, &mark).next().is_some();
            (!is_known).then(|| (path.to_owned(), mark, Gist::of(&one.text)))
        });
        let news: Vec<(String, String, Gist)> = news.collect();
        let marks: BTreeSet<(String, String)> =
            found.iter().map(|one| (one.path().to_owned(), one.mark())).collect();
        let is_unsaid = |old: &Old| {
            let key = (old.path().to_owned(), old.mark.clone());
            old.is_live && !old.is_thread && !marks.contains(&key)
        };
        let unsaid = old.all.iter().enumerate().filter(|(_, old)| is_unsaid(old));
        let unsaid = Sharing::new(SAME_PLACE, unsaid.map(|(at, old)| (at, &old.gist)));
        let news_words = Sharing::new(SAME_PLACE, news.iter().map(|(.., gist)| gist).enumerate());
        let changed = Changed { unsaid, news, news_words };
        let alike = Alike::new(said.iter().enumerate());
        let taken = memory.ids().into_iter().map(str::to_owned).collect();
        Self {
            memory,
            old,
            said,
            alike,
            at_source,
            marks,
            changed,
            taken,
            silent: Vec::new(),
            plan: Plan::default(),
        }
    }

    fn accept(&mut self, proposal: &Proposal) {
        let mark = proposal.mark();
        let same: Vec<&Old> = self.old.of_mark(proposal.path(), &mark).collect();
        if !same.is_empty() {
            // A question about it has the same source.
            let mut own = same.iter().filter(|old| old.is_of(proposal)).peekable();
            if own.peek().is_some() && own.all(|old| !old.is_live) {
                self.silent.push(proposal.clone());
            }
            self.plan.known += 1;
            return;
        }
        let gist = Gist::of(&proposal.text);
        let moved: Vec<&Old> = self.old.same_plans(proposal).collect();
        if moved.iter().any(|old| !old.is_live && !old.is_ended) {
            self.plan.known += 1;
            return;
        }
        let moved: Vec<&Old> = moved.into_iter().filter(|old| old.is_live).collect();
        let moved: Vec<String> = moved.into_iter().map(|old| old.id.clone()).collect();
        let mut supersedes = self.earlier(proposal);
        supersedes.extend(moved);
        if supersedes.is_empty() && self.is_said(&gist) {
            self.plan.known += 1;
            return;
        }
        supersedes.extend(self.replaced(proposal, &supersedes));
        self.say(gist);
        let action = if supersedes.is_empty() { Action::Add } else { Action::Replace };
        let id = self.name(proposal);
        self.push(id, action, proposal, supersedes);
    }

    /// Returns the live facts whose place a proposal takes.
    fn claimed(&self, proposal: &Proposal) -> Vec<String> {
        let mut claimed = self.earlier(proposal);
        claimed.extend(self.replaced(proposal, &claimed));
        claimed
    }

    /// Returns the live facts of the records that a proposal names as replaced, but for some.
    fn replaced(&self, proposal: &Proposal, but: &[String]) -> Vec<String> {
        let named = proposal.replaces.iter();
        let facts: BTreeSet<String> =
            named.flat_map(|one| self.facts_of_record(proposal.path(), one)).collect();
        facts.into_iter().filter(|id| !but.contains(id)).collect()
    }

    /// Returns the live facts that the same place said before.
    fn earlier(&self, proposal: &Proposal) -> Vec<String> {
        let is_unsaid = |old: &&Old| {
            let is_still_said =
                self.marks.contains(&(proposal.path().to_owned(), old.mark.clone()));
            old.is_live && !old.is_thread && !is_still_said
        };
        let earlier: Vec<&Old> = if proposal.is_record {
            self.old.of_path(proposal.path()).filter(is_unsaid).collect()
        } else {
            self.old.of_source(&proposal.source).filter(is_unsaid).collect()
        };
        // Where a place says several things, only what is alike is the new form of another.
        let is_alone = earlier.len() == 1 && self.at_source.get(&proposal.source) == Some(&1);
        if !proposal.is_record && !is_alone {
            return self.former(proposal).into_iter().collect();
        }
        earlier.into_iter().map(|old| old.id.clone()).collect()
    }

    /// Returns the live fact whose words a document changed to those of a proposal: none is liker to
    /// the one or to the other.
    fn former(&self, proposal: &Proposal) -> Option<String> {
        let (path, mark) = (proposal.path(), proposal.mark());
        let gist = Gist::of(&proposal.text);
        let unsaid = self.changed.unsaid.holding(&gist, SAME_PLACE).into_iter();
        let unsaid = unsaid.map(|at| &self.old.all[at]).filter(|old| old.path() == path);
        let (likeness, old) =
            unsaid.map(|old| (old.gist.likeness(&gist), old)).max_by_key(|(like, _)| *like)?;
        let rivals = self.changed.news_words.holding(&old.gist, SAME_PLACE).into_iter();
        let rivals = rivals.map(|at| &self.changed.news[at]);
        let rivals = rivals.filter(|(at, other, _)| at == path && *other != mark);
        let best = rivals.map(|(.., other)| other.likeness(&old.gist)).max().unwrap_or(0);
        (likeness >= SAME_PLACE && likeness >= best && old.gist.has_changed(&gist))
            .then(|| old.id.clone())
    }

    fn is_said(&self, gist: &Gist) -> bool {
        self.alike.find(gist).into_iter().any(|at| self.said[at].is_like(gist))
    }

    fn say(&mut self, gist: Gist) {
        self.alike.add(self.said.len(), &gist);
        self.said.push(gist);
    }

    fn retire(&mut self, proposal: &Proposal) {
        let mark = proposal.mark();
        let gist = Gist::of(&proposal.text);
        let about: Vec<&Old> = if proposal.is_record {
            self.old.of_path(proposal.path()).collect()
        } else {
            self.old.said_by(proposal, &mark, &gist)
        };
        let is_it = |old: &&Old| old.is_live && old.is_of(proposal);
        let old: Vec<String> = about.into_iter().filter(is_it).map(|old| old.id.clone()).collect();
        if old.is_empty() {
            let why = match proposal.status {
                Status::Proposed => "nobody decided it yet: its status is proposed".to_owned(),
                status => format!("its status is {}", status.as_str()),
            };
            self.plan.left_out.push(LeftOut::of(proposal, why));
            return;
        }
        for id in old {
            self.push(id, Action::Retire, proposal, Vec::new());
        }
    }

    /// Returns the live facts of a record that is named by its file or its number.
    fn facts_of_record(&self, beside: &str, reference: &str) -> Vec<String> {
        let is_it = |old: &&Old| old.is_live && old.path() != beside;
        let named = self.old.of_reference(folder(beside), reference);
        named.filter(is_it).map(|old| old.id.clone()).collect()
    }

    fn name(&mut self, proposal: &Proposal) -> String {
        let is_thread = proposal.kind == Kind::Plan;
        let mut name = naming::without_accents(&proposal.name);
        // Ids hold plain letters only; where a text has few, the document's name helps.
        if name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1).count()
            < 2
        {
            let stem = proposal.path().rsplit('/').next().unwrap_or_default();
            let stem = stem.split('.').next().unwrap_or_default();
            let stem = stem.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
            name = format!("{stem} {name}");
        }
        let id = naming::derive_free_id(&name, is_thread, |id| self.taken.contains(id));
        self.taken.insert(id.clone());
        id
    }

    fn push(&mut self, id: String, action: Action, proposal: &Proposal, supersedes: Vec<String>) {
        self.plan.steps.push(Step {
            number: 0,
            id,
            action,
            section: proposal.kind.section().to_owned(),
            proposal: proposal.clone(),
            supersedes,
            ended: Vec::new(),
            superseded_by: None,
            conflicts: Vec::new(),
            own_words: None,
        });
    }

    fn finish(mut self) -> Plan {
        let replaced: BTreeSet<String> =
            self.plan.steps.iter().flat_map(|step| step.supersedes.iter().cloned()).collect();
        let mut retired: BTreeSet<String> = BTreeSet::new();
        self.note_ended();
        self.plan.steps.retain(|step| {
            step.action != Action::Retire
                || (!replaced.contains(&step.id) && retired.insert(step.id.clone()))
        });
        self.find_successors();
        self.find_conflicts();
        self.protect();
        // What is retired may name what is new.
        self.plan.steps.sort_by_key(|step| step.action == Action::Retire);
        for (index, step) in self.plan.steps.iter_mut().enumerate() {
            step.number = index + 1;
        }
        self.plan
    }

    fn find_successors(&mut self) {
        let mut new: BTreeMap<(String, String), Vec<(String, String)>> = BTreeMap::new();
        for step in self.plan.steps.iter().filter(|step| step.action != Action::Retire) {
            for key in references(step.proposal.path()) {
                let one = (step.proposal.path().to_owned(), step.id.clone());
                new.entry(key).or_default().push(one);
            }
        }
        for at in 0..self.plan.steps.len() {
            let step = &self.plan.steps[at];
            if step.action != Action::Retire {
                continue;
            }
            let (beside, references) = (step.proposal.path(), &step.proposal.successors);
            let found = references.iter().find_map(|reference| {
                let named = new.get(&(folder(beside).to_owned(), reference.clone()));
                let mut named = named.into_iter().flatten();
                let in_new = named.find(|(path, _)| path != beside);
                let known = || self.facts_of_record(beside, reference).into_iter().next();
                in_new.map(|(_, id)| id.clone()).or_else(known)
            });
            let found = found.filter(|id| *id != step.id);
            self.plan.steps[at].superseded_by = found;
        }
    }

    /// Nobody touches a core fact without a person's word: it is asked about instead.
    fn protect(&mut self) {
        let permanent: BTreeSet<&str> =
            self.old.all.iter().filter(|old| old.is_permanent).map(|old| old.id.as_str()).collect();
        for step in &mut self.plan.steps {
            let touched = [step.id.as_str()].into_iter().filter(|_| step.action == Action::Retire);
            let touched: Vec<String> = touched
                .chain(step.supersedes.iter().map(String::as_str))
                .filter(|id| permanent.contains(id))
                .map(str::to_owned)
                .collect();
            let is_core = step.conflicts.iter().any(|conflict| conflict.is_core);
            if touched.is_empty() && !is_core {
                continue;
            }
            for id in touched {
                let fact = self.memory.continuity.fact(&id);
                step.conflicts.push(Candidate {
                    text: fact.map(|fact| self.memory.continuity.words(fact)).unwrap_or_default(),
                    id,
                    is_core: true,
                    score: 1.0,
                    reasons: vec!["its document says something else now".to_owned()],
                });
            }
            step.action = Action::Ask;
            step.id = format!("ot-contradiction-{}", step.id);
        }
        let memory = self.memory;
        let before = self.plan.steps.len();
        self.plan.steps.retain(|step| step.action != Action::Ask || !memory.knows(&step.id));
        self.plan.known += before - self.plan.steps.len();
    }
}

/// Returns what a fact is, where its words still are what its document said.
fn kind_of(words: &str, mark: &str) -> Option<Kind> {
    [Kind::Decision, Kind::Rule, Kind::NonGoal, Kind::Plan]
        .into_iter()
        .find(|kind| mark_of(*kind, words) == mark)
}

/// Returns what to retire: a fact whose document does not say it any more.
fn gone(old: &Old, why: &str) -> (String, Proposal) {
    let told = old.kind.unwrap_or(Kind::Decision);
    let kind = if old.is_thread { Kind::Plan } else { told };
    let proposal = Proposal {
        kind,
        status: Status::Deprecated,
        tells_status: false,
        unknown_status: None,
        text: old.words.clone(),
        name: old.words.clone(),
        source: old.source.clone(),
        line: 1,
        is_record: false,
        why: why.to_owned(),
        excerpt: String::new(),
        successors: Vec::new(),
        replaces: Vec::new(),
    };
    (old.id.clone(), proposal)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns what names a record beside it: its folder, with its file or its number.
fn references(path: &str) -> Vec<(String, String)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
    let number = digits.parse::<u32>().ok().map(|number| number.to_string());
    let number = number.filter(|number| number != name);
    let names = [Some(name.to_owned()), number].into_iter().flatten();
    names.map(|name| (folder(path).to_owned(), name)).collect()
}

/// Returns a fact's words without the pointer to its document.
fn unpointed(words: &str) -> String {
    let Some((text, pointer)) = words.rsplit_once(" (") else { return words.to_owned() };
    let is_pointer = pointer.strip_suffix(')').is_some_and(super::is_text);
    if is_pointer { text.to_owned() } else { words.to_owned() }
}
