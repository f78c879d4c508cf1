//! What needs judgement: one queue of questions, each with its evidence, the possible answers and
//! what each would do. Nothing here picks a winner (rule 4 of docs/spec/rules.md).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

pub use crate::item::question::{Question, QuestionKind};
use crate::item::{Decision, Event, Item, Sensitivity, Status};
use crate::secret::{self, Scope};
use crate::{contradict, journal, text};

/// A possible answer.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// What it means, and what it would do.
    pub does: String,
    /// What it does.
    #[serde(skip)]
    pub effects: Vec<Effect>,
    /// The pinned memory that keeps it from doing anything.
    #[serde(skip)]
    pub pinned: Option<String>,
}

/// What an answer does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// It decides something about a memory.
    Decide(String, Decision),
    /// It says something new.
    Remember(String),
    /// It confirms invariants.
    Verify(String),
    /// It makes a fact part of the core.
    Core(String),
}

/// What decisions about a question are filed under: no item has such an id.
pub const FILED: &str = "question:";

impl Question {
    /// Makes a question.
    pub fn new(kind: QuestionKind, subjects: Vec<String>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { kind, subjects, reason, claim: None, now: None, round: String::new() }
    }

    /// Asks which of two memories holds, the older first, where both last, both cannot hold, and their
    /// values may be told.
    pub fn contradiction(older: &Item, newer: &Item) -> Option<Self> {
        let may_be_told = |item: &Item| secret::scan(&item.text, Scope::Credentials).is_empty();
        if !(older.lasts() && newer.lasts() && may_be_told(older) && may_be_told(newer)) {
            return None;
        }
        let why = contradict::conflict(&older.text, &newer.text)?;
        let subjects = vec![older.id.clone(), newer.id.clone()];
        Some(Self::new(QuestionKind::Contradiction, subjects, why))
    }

    /// Returns its id: the same question has the same, whoever asks it.
    pub fn id(&self) -> String {
        let claim = self.claim.as_deref().unwrap_or_default();
        let words = format!("{}\n{}\n{claim}\n{}", self.kind, self.subjects.join("\n"), self.round);
        let print = journal::fingerprint(&words, "question");
        format!("q-{}", print.get(..10).unwrap_or(&print))
    }

    /// Returns what its events are filed under.
    pub fn filed_under(&self) -> String {
        format!("{FILED}{}", self.id())
    }

    /// Asks in words.
    pub fn in_words(&self) -> String {
        let claim = self.claim.as_deref().unwrap_or("something");
        match self.kind {
            QuestionKind::Contradiction => "Which of these holds?".to_owned(),
            QuestionKind::Duplicate => "Do these say the same?".to_owned(),
            QuestionKind::Bridge => format!("Are {} related?", self.subjects.join(" and ")),
            QuestionKind::Belief => "Does this still hold?".to_owned(),
            QuestionKind::Reference => match &self.now {
                Some(now) => {
                    format!("It names `{claim}`, which seems to be `{now}` now. Still true?")
                }
                None => format!("It names `{claim}`, which is not there any more. Still true?"),
            },
            QuestionKind::Invariant => "Is this invariant still so?".to_owned(),
            QuestionKind::Core => "Should this fact never fade?".to_owned(),
        }
    }

    /// Tells whether there is still something to ask: what it is about holds, or is doubted by it.
    pub fn waits(&self, item: &dyn Fn(&str) -> Option<Item>) -> bool {
        let is_open = |item: Item| {
            let is_doubted =
                self.kind == QuestionKind::Reference && item.status == Status::Invalidated;
            let holds = matches!(item.status, Status::Active | Status::Challenged);
            (holds || is_doubted) && item.sensitivity != Sensitivity::Secret
        };
        self.kind == QuestionKind::Bridge
            || self.subjects.iter().all(|id| item(id).is_some_and(is_open))
    }

    /// Returns the possible answers. `item` finds a subject as it is now; `judge` is who answers.
    pub fn choices(&self, item: &dyn Fn(&str) -> Option<Item>, judge: &str) -> Vec<Choice> {
        let first = self.subjects.first().map_or("", String::as_str);
        match self.kind {
            QuestionKind::Contradiction => self.contradicting(item(first), item),
            QuestionKind::Duplicate => {
                let others = self.subjects.iter().skip(1);
                let effects: Vec<Effect> = others
                    .filter(|id| item(id).is_some_and(|item| may_change(&item)))
                    .map(|id| {
                        Effect::Decide(id.clone(), Decision::Merge { into: first.to_owned() })
                    })
                    .collect();
                let does = format!("{} merged into {first}", counted(effects.len()));
                vec![
                    Choice { name: "merge", does, effects, pinned: None },
                    nothing("different", "they stay apart; not asked again"),
                ]
            }
            QuestionKind::Bridge => {
                let names = self.subjects.join(" and ");
                let said = format!("{names} are related. {}", self.reason);
                vec![
                    Choice {
                        name: "related",
                        does: format!("remembers that {names} are related"),
                        effects: vec![Effect::Remember(said)],
                        pinned: None,
                    },
                    nothing("unrelated", "nothing changes; not asked again"),
                ]
            }
            QuestionKind::Belief => belief(item(first), judge),
            QuestionKind::Reference => self.reference(item(first)),
            QuestionKind::Invariant => vec![
                Choice {
                    name: "holds",
                    does: format!("confirms {first} as `quipu verify` does"),
                    effects: vec![Effect::Verify(first.to_owned())],
                    pinned: None,
                },
                nothing(
                    "changed",
                    &format!(
                        "nothing by itself: `quipu fact supersede {first}` says what holds now"
                    ),
                ),
            ],
            QuestionKind::Core => vec![
                Choice {
                    name: "core",
                    does: format!("{first} never fades from now on"),
                    effects: vec![Effect::Core(first.to_owned())],
                    pinned: None,
                },
                nothing("no", "it goes on as it is; not asked again"),
            ],
        }
    }

    /// Returns which of two may hold; what was doubted for it comes back where it does.
    fn contradicting(
        &self,
        older: Option<Item>,
        item: &dyn Fn(&str) -> Option<Item>,
    ) -> Vec<Choice> {
        let [first, last] =
            [self.subjects.first(), self.subjects.last()].map(|id| id.map_or("", String::as_str));
        let newer = Decision::Supersede { by: last.to_owned() };
        let doubted = older.clone().filter(|older| older.status == Status::Challenged);
        let back = || {
            let back = Decision::Status { from: Status::Challenged, to: Status::Active };
            let doubted = doubted.iter().filter(|item| may_change(item));
            doubted.map(move |item| Effect::Decide(item.id.clone(), back.clone()))
        };
        let mut choices = vec![
            about("newer", &format!("{last} replaces {first}"), older, vec![newer]),
            about(
                "older",
                &format!("{first} holds, {last} is wrong"),
                item(last),
                vec![to_status(Status::Invalidated)],
            ),
            nothing("both", "they do not exclude each other; not asked again"),
        ];
        for choice in choices.iter_mut().skip(1) {
            choice.effects.extend(back());
        }
        choices
    }

    fn reference(&self, item: Option<Item>) -> Vec<Choice> {
        let Some(item) = item else { return Vec::new() };
        let mut choices = Vec::new();
        let back = (item.status != Status::Active).then(|| to_status(Status::Active));
        if let (Some(claim), Some(now)) = (&self.claim, &self.now) {
            let text = replaced(&item.text, claim, now);
            if text != item.text {
                let does = format!("writes `{now}` instead of `{claim}`");
                let edit = Decision::Edit { text };
                let effects = std::iter::once(edit).chain(back.clone()).collect();
                choices.push(about("moved", &does, Some(item.clone()), effects));
            }
        }
        let wrong = (item.status != Status::Invalidated).then(|| to_status(Status::Invalidated));
        let wrong = wrong.into_iter().collect();
        choices.push(about("gone", "it does not hold any more", Some(item.clone()), wrong));
        let does = "it holds all the same; not asked again";
        choices.push(match back {
            Some(back) => about("fine", does, Some(item), vec![back]),
            None => nothing("fine", does),
        });
        choices
    }
}

/// Replaces a name where it stands by itself, and not as a part of another.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-');
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
        let end = at + name.len();
        let mut after = rest[end..].chars();
        // A point ends a sentence, or begins an ending.
        let joined_after = match after.next() {
            Some('.') => after.next().is_some_and(char::is_alphanumeric),
            other => other.is_some_and(is_part),
        };
        let before = rest[..at].chars().next_back().or_else(|| result.chars().next_back());
        let joined = joined_after || before.is_some_and(|c| is_part(c) || c == '.');
        result.push_str(&rest[..at]);
        result.push_str(if joined { name } else { by });
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

fn to_status(to: Status) -> Decision {
    Decision::Status { from: Status::Active, to }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 memory is".to_owned() } else { format!("{count} memories are") }
}

fn nothing(name: &'static str, does: &str) -> Choice {
    Choice { name, does: does.to_owned(), effects: Vec::new(), pinned: None }
}

fn may_change(item: &Item) -> bool {
    !item.pinned && !item.is_owned_by_a_file()
}

/// A choice that changes one memory, where a judge may change it.
fn about(name: &'static str, does: &str, item: Option<Item>, decisions: Vec<Decision>) -> Choice {
    match item {
        None => nothing(name, "it is not there any more"),
        Some(item) if item.is_owned_by_a_file() => nothing(
            name,
            &format!(
                "nothing by itself, for it stands in a file: `quipu fact supersede {0}` or `quipu edit {0}`",
                item.id
            ),
        ),
        Some(item) if item.pinned => {
            let does = format!("it is pinned: `quipu memory unpin {}` first", item.id);
            Choice { name, does, effects: Vec::new(), pinned: Some(item.id) }
        }
        Some(item) => {
            let effects = decisions.into_iter().map(|one| Effect::Decide(item.id.clone(), one));
            Choice { name, does: does.to_owned(), effects: effects.collect(), pinned: None }
        }
    }
}

fn belief(item: Option<Item>, judge: &str) -> Vec<Choice> {
    let base = item.as_ref().map_or(0.5, |item| item.importance);
    let holds = Decision::Confirm { by: judge.to_owned() };
    let confirmed =
        item.as_ref().is_some_and(|item| item.confirmed_by.iter().any(|by| by == judge));
    let lowered = Decision::Importance { to: (base * 0.7).max(0.1) };
    vec![
        match &item {
            // Whoever said so before has said nothing new.
            Some(item) if !confirmed => Choice {
                name: "holds",
                does: "counts as a confirmation".to_owned(),
                effects: vec![Effect::Decide(item.id.clone(), holds)],
                pinned: None,
            },
            _ => nothing("holds", "nothing changes"),
        },
        about(
            "doubtful",
            "it is challenged, and not returned until somebody confirms it",
            item.clone(),
            vec![to_status(Status::Challenged)],
        ),
        about(
            "wrong",
            "it is invalidated, and less important",
            item,
            vec![to_status(Status::Invalidated), lowered],
        ),
    ]
}

/// A question with what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// When it was asked.
    pub at: Timestamp,
    /// The answer, who gave it, when and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answered>,
}

/// An answer that was given.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Answered {
    /// The choice.
    pub choice: String,
    /// Who chose.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Reads the queue from its events, in the order in which they were asked.
pub fn queue(events: &[Event]) -> Vec<Asked> {
    let mut by_id: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    for event in events {
        if let Some(id) = event.item.strip_prefix(FILED) {
            by_id.entry(id).or_default().push(event);
        }
    }
    let mut all = Vec::new();
    for (id, events) in by_id {
        let mut asked: Option<Asked> = None;
        for event in journal::standing(events) {
            match (&event.decision, &mut asked) {
                (Some(Decision::Ask { question }), None) => {
                    let (id, question) = (id.to_owned(), (**question).clone());
                    asked = Some(Asked { id, question, at: event.at, answer: None });
                }
                (Some(Decision::Answer { choice }), Some(asked)) => {
                    asked.answer = Some(Answered {
                        choice: choice.clone(),
                        by: event.actor.clone(),
                        at: event.at,
                        reason: text::collapse_whitespace(&event.reason),
                    });
                }
                _ => {}
            }
        }
        all.extend(asked);
    }
    all.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{Kind, Layer};

    fn memory(id: &str) -> Item {
        Item::new(id, Kind::Record, "the lock is in src/lock.rs", Timestamp::UNIX_EPOCH)
    }

    fn moved() -> Question {
        let mut question = Question::new(QuestionKind::Reference, vec!["m".into()], "renamed");
        question.claim = Some("src/lock.rs".into());
        question.now = Some("src/latch.rs".into());
        question
    }

    #[test]
    fn only_what_lasts_and_may_be_told_is_asked_about() {
        let said = |text: &str, layer| Item { text: text.into(), layer, ..memory("m") };
        let port =
            |number: u32, layer| said(&format!("The gateway listens on port {number}"), layer);
        let asked = Question::contradiction(&port(1, Layer::Semantic), &port(2, Layer::Procedural));
        assert_eq!(
            asked.map(|question| question.reason),
            Some("`1` became `2` (about gateway, port)".to_owned())
        );
        assert_eq!(
            Question::contradiction(&port(1, Layer::Episodic), &port(2, Layer::Semantic)),
            None
        );
        let key = format!("The gateway key is AKIA{} on port 2", "ABCDEFGHIJKLMNOP");
        let key = said(&key, Layer::Semantic);
        assert_eq!(Question::contradiction(&port(1, Layer::Semantic), &key), None);
    }

    #[test]
    fn the_same_question_has_the_same_id() {
        assert_eq!(moved().id(), Question { reason: "other words".into(), ..moved() }.id());
        assert_ne!(moved().id(), Question { claim: Some("src/x.rs".into()), ..moved() }.id());
        assert_ne!(moved().id(), Question { round: "2026-2".into(), ..moved() }.id());
    }

    #[test]
    fn a_moved_file_can_be_written_anew() {
        let choices = moved().choices(&|id| Some(memory(id)), "me");
        let text = "the lock is in src/latch.rs".to_owned();
        assert_eq!(choices[0].effects, [Effect::Decide("m".into(), Decision::Edit { text })]);
        assert_eq!(choices[2].effects, []);
    }

    #[test]
    fn a_name_is_replaced_where_it_stands_by_itself() {
        let text = "src/a.rs, `src/a.rs`, other/src/a.rs, src/a.rsx, src/a.rs.bak and src/a.rs.";
        assert_eq!(
            replaced(text, "src/a.rs", "b.rs"),
            "b.rs, `b.rs`, other/src/a.rs, src/a.rsx, src/a.rs.bak and b.rs."
        );
    }

    #[test]
    fn no_answer_touches_what_is_pinned_or_stands_in_a_file() {
        let pinned = Item { pinned: true, ..memory("m") };
        let fact = Item { kind: Kind::Fact, ..memory("m") };
        for kind in QuestionKind::ALL {
            if matches!(kind, QuestionKind::Invariant | QuestionKind::Core | QuestionKind::Bridge) {
                continue;
            }
            let question = Question { kind: *kind, ..moved() };
            for item in [&pinned, &fact] {
                for choice in question.choices(&|_| Some(item.clone()), "me") {
                    let touches = choice.effects.iter().any(|effect| {
                        !matches!(effect, Effect::Decide(_, Decision::Confirm { .. }))
                    });
                    assert!(!touches, "{kind} {choice:?}");
                }
            }
        }
    }

    #[test]
    fn the_queue_follows_its_events() {
        let question = moved();
        let event = |id: &str, decision: Decision| Event {
            id: id.to_owned(),
            item: question.filed_under(),
            at: Timestamp::UNIX_EPOCH,
            actor: "me".into(),
            reason: String::new(),
            run: None,
            decision: Some(decision),
        };
        let ask = event("1", Decision::Ask { question: Box::new(question.clone()) });
        let answer = event("2", Decision::Answer { choice: "fine".into() });
        let back = event("3", Decision::Revert { event: "2".into() });
        assert_eq!(queue(std::slice::from_ref(&ask))[0].answer, None);
        let answered = queue(&[ask.clone(), answer.clone()]);
        assert_eq!(answered[0].answer.as_ref().map(|answer| &*answer.choice), Some("fine"));
        assert_eq!(queue(&[ask.clone(), answer, back])[0].answer, None);
        let never = event("4", Decision::Revert { event: "1".into() });
        assert_eq!(queue(&[ask, never]), []);
    }
}
