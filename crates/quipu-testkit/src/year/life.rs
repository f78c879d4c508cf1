//! Living through a year with a workspace: telling, asking, sleeping, and answering what it wants to
//! know.

use std::collections::BTreeMap;

use jiff::Timestamp;
use quipu_core::item::{Item, Status};
use quipu_core::question::QuestionKind;
use quipu_core::terms;
use quipu_engine::caller::Caller;
use quipu_engine::dream::{self, DreamRequest, Dreamt};
use quipu_engine::operation::Request;
use quipu_engine::questions::{self, OpenQuestion};
use quipu_engine::recall::{self, Answer, Question, Recalled};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::weigh::Weighed;
use quipu_engine::{Workspace, index, replay};

use super::{About, Year, day_of};
use crate::TestRepo;

/// A workspace that goes through a year.
pub struct Life<'y> {
    year: &'y Year,
    workspace: Workspace,
    /// The id of each statement that was told so far.
    pub ids: Vec<String>,
    known: BTreeMap<String, usize>,
    _folder: TestRepo,
}

/// How an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It says what is true.
    Right,
    /// It says what was true once.
    Stale,
    /// It says both.
    Both,
    /// It says something else, or nothing.
    Other,
}

/// Who knows the truth, and answers some questions with it; the others stay open.
#[derive(Clone, Copy, Debug)]
pub struct Knower {
    /// How many of a hundred questions it answers.
    pub percent: u64,
    /// Which ones.
    pub seed: u64,
}

impl Knower {
    /// Tells whether it answers a question of these words.
    pub fn answers(&self, words: &str) -> bool {
        terms::label('j', &format!("{} {words}", self.seed)) % 100 < self.percent
    }
}

fn request(now: Timestamp) -> Request<'static> {
    let caller = Caller::PERSON;
    Request { operation: "year", now, today: day_of(now), session: None, dry_run: false, caller }
}

impl<'y> Life<'y> {
    /// Begins with an empty memory.
    pub fn new(year: &'y Year) -> Self {
        Self::with(year, "")
    }

    /// Begins with an empty memory and a configuration.
    pub fn with(year: &'y Year, config: &str) -> Self {
        let folder = TestRepo::new();
        folder.write("quipu.toml", config);
        let workspace = folder.workspace();
        Self { year, workspace, ids: Vec::new(), known: BTreeMap::new(), _folder: folder }
    }

    /// Returns the workspace.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Remembers and weighs the next statement, as `quipu remember` does.
    pub fn tell(&mut self, number: usize) -> Option<Weighed> {
        assert_eq!(number, self.ids.len(), "statements are told in order");
        let told = &self.year.told[number];
        // What is merged or put away already cannot be replaced; then it is only told anew.
        let replaced = told.replaces.map(|at| self.ids[at].clone());
        let supersedes = replaced.filter(|id| self.item(id).status == Status::Active);
        let new = NewMemory {
            text: told.text.clone(),
            category: told.category.to_owned(),
            layer: told.layer,
            source: Some(told.source),
            speaker: told.speaker.map(str::to_owned),
            pinned: told.pinned,
            supersedes,
            ..NewMemory::default()
        };
        let request = request(told.at);
        let done = remember::remember_one(&self.workspace, &new, &request).unwrap();
        self.known.insert(done.id.clone(), number);
        self.ids.push(done.id);
        done.weighed
    }

    /// Asks, and uses the best answer.
    pub fn ask(&self, number: usize, count: Option<usize>) -> Recalled {
        let ask = &self.year.asked[number];
        let question = Question { query: ask.words.clone(), count, ..Question::default() };
        let recalled = recall::recall(&self.workspace, &question, ask.at).unwrap();
        recall::note_answer(&self.workspace, &recalled, ask.at);
        recalled
    }

    /// Dreams.
    pub fn sleep(&self, now: Timestamp) -> Dreamt {
        let request = DreamRequest { now, ..DreamRequest::default() };
        dream::dream(&self.workspace, &request, &mut |_, _, _| true).unwrap()
    }

    /// Lets somebody answer the open questions; returns how many were answered.
    pub fn answer(&self, knower: &Knower, now: Timestamp) -> usize {
        let mut answered = 0;
        for open in questions::questions(&self.workspace, now).unwrap() {
            let words: Vec<&str> = open.subjects.iter().map(|one| one.text.as_str()).collect();
            let words = format!("{} {} {}", open.kind, open.asks, words.join(" "));
            if let Some(choice) = self.truth(&open, now).filter(|_| knower.answers(&words)) {
                // An earlier answer may have closed it.
                let by = ("knower", "");
                let given = questions::answer(&self.workspace, &open.id, choice, by, &request(now));
                answered += usize::from(given.is_ok());
            }
        }
        answered
    }

    /// Returns the true answer to a question.
    fn truth(&self, open: &OpenQuestion, now: Timestamp) -> Option<&'static str> {
        let subjects: Vec<usize> =
            open.subjects.iter().filter_map(|one| self.known.get(&one.id).copied()).collect();
        let about = |at: usize| self.year.told[at].about;
        match (open.kind, &subjects[..]) {
            (QuestionKind::Contradiction, [older, newer]) => {
                Some(match (about(*older), about(*newer)) {
                    (About::Fact { fact, value }, About::Fact { fact: other, value: later })
                        if fact == other && value != later =>
                    {
                        if later > value {
                            "newer"
                        } else {
                            "older"
                        }
                    }
                    _ => "both",
                })
            }
            (QuestionKind::Duplicate, [first, second]) => {
                Some(match (about(*first), about(*second)) {
                    (About::Happening, About::Happening)
                        if self.year.told[*first].text != self.year.told[*second].text =>
                    {
                        "different"
                    }
                    (one, other) if one == other => "merge",
                    _ => "different",
                })
            }
            (QuestionKind::Belief, [only]) => {
                Some(if self.year.is_in_use(*only, now) { "holds" } else { "wrong" })
            }
            (QuestionKind::Bridge, _) => Some("unrelated"),
            _ => None,
        }
    }

    /// Returns which statement has this id.
    pub fn statement(&self, id: &str) -> Option<usize> {
        self.known.get(id).copied()
    }

    /// Returns an item.
    pub fn item(&self, id: &str) -> Item {
        index::resolve(&self.workspace, id).unwrap()
    }

    /// Returns everything that is remembered.
    pub fn items(&self) -> BTreeMap<String, Item> {
        let ids = replay::index_ids(&self.workspace).unwrap().into_iter();
        ids.map(|id| (id.clone(), self.item(&id))).collect()
    }

    /// Tells of each statement whether it is active, or what it was merged into is.
    pub fn active(&self) -> Vec<bool> {
        let items = self.items();
        let is_active = |id: &String| {
            let mut item = &items[id];
            while let (Status::Merged, Some(into)) = (item.status, &item.merged_into) {
                item = &items[into];
            }
            item.status == Status::Active
        };
        self.ids.iter().map(is_active).collect()
    }

    /// Says how an answer to a question is.
    pub fn verdict(&self, ask: usize, answer: Option<&Answer>) -> Verdict {
        let Some(answer) = answer else { return Verdict::Other };
        match self.known.get(&answer.id) {
            Some(statement) => self.year.verdict(ask, *statement),
            None => self.verdict_on_text(ask, &answer.text),
        }
    }

    /// Says how something is that the dream wrote: by the statements that it repeats.
    fn verdict_on_text(&self, ask: usize, text: &str) -> Verdict {
        let (mut right, mut stale) = (false, false);
        for (number, told) in self.year.told[..self.ids.len()].iter().enumerate() {
            if text.contains(&told.text) {
                let verdict = self.year.verdict(ask, number);
                right |= verdict == Verdict::Right;
                stale |= verdict == Verdict::Stale;
            }
        }
        match (right, stale) {
            (true, true) => Verdict::Both,
            (true, false) => Verdict::Right,
            (false, true) => Verdict::Stale,
            (false, false) => Verdict::Other,
        }
    }
}

impl Year {
    /// Says how a statement is as an answer to a question.
    pub fn verdict(&self, ask: usize, statement: usize) -> Verdict {
        match (self.asked[ask].about, self.told[statement].about) {
            (asked, told) if asked == told => Verdict::Right,
            (About::Fact { fact, .. }, About::Fact { fact: other, .. }) if fact == other => {
                Verdict::Stale
            }
            _ => Verdict::Other,
        }
    }
}
