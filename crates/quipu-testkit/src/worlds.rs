//! Worlds: dated memories, and questions about them with known answers, from `judgement/worlds.*.jsonl`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_engine::Workspace;
use quipu_engine::operation::Request;
use quipu_engine::recall::{self, Confidence, Question, Recalled};
use quipu_engine::remember::{self, NewMemory};
use serde_json::Value;

use crate::repo::TestRepo;

/// The worlds on which recall was tuned; written by authors who had not seen its rules.
pub const DEV: &str = include_str!("../judgement/worlds.dev.jsonl");

/// The worlds that only measure.
pub const TEST: &str = include_str!("../judgement/worlds.test.jsonl");

/// The 300 memories of a project, and questions about it in two halves: as for the worlds.
const PROJECT: &str = include_str!("../judgement/project.memories.tsv");
const PROJECT_DEV: &str = include_str!("../judgement/project.dev.tsv");
const PROJECT_TEST: &str = include_str!("../judgement/project.test.tsv");

/// Half of the questions about the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// What recall is tuned on.
    Dev,
    /// What only measures.
    Test,
}

/// Some memories, and what is asked about them.
#[derive(Clone, Debug)]
pub struct World {
    /// Its name.
    pub id: String,
    /// The day on which the questions are asked.
    pub today: Date,
    /// What is remembered, in order: its name within the world, and the memory.
    pub memories: Vec<(String, NewMemory)>,
    /// What is asked.
    pub questions: Vec<Asked>,
}

/// One question with its answers.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The words.
    pub query: String,
    /// `answerable`, `unanswerable`, `current`, `sibling`, `category`, `time` or `list`.
    pub sort: String,
    /// The memories that answer it.
    pub answers: Vec<String>,
    /// The memories that must not come first.
    pub not_first: Vec<String>,
}

/// How well questions of some worlds were answered, in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Questions that memories answer.
    pub answerable: usize,
    /// Of these, those whose first answer is right.
    pub right: usize,
    /// Of these, those with a right answer among the first five.
    pub among_five: usize,
    /// Of these, those about which recall was sure.
    pub sure: usize,
    /// Of these, those whose first answer is right.
    pub sure_right: usize,
    /// Answerable questions to which recall said that it knows nothing.
    pub denied: usize,
    /// Questions that no memory answers.
    pub unanswerable: usize,
    /// Of these, those to which recall said so.
    pub admitted: usize,
    /// Of these, those about which recall was sure.
    pub made_up: usize,
    /// Questions for the current value of something that changed.
    pub current: usize,
    /// Of these, those whose first answer is it.
    pub current_first: usize,
    /// Questions about one of two alike.
    pub siblings: usize,
    /// Of these, those whose first answer is about the other.
    pub confused: usize,
}

impl Score {
    /// Adds one question and its answers, by their names within the world, best first.
    pub fn add(&mut self, asked: &Asked, found: &[&str], confidence: Confidence) {
        let is_among = |names: &[String], count: usize| {
            found.iter().take(count).any(|one| names.iter().any(|name| name == one))
        };
        let is = |names: &[String]| is_among(names, 1);
        let count = |so: bool| usize::from(so);
        let (is_right, is_sure) = (is(&asked.answers), confidence == Confidence::Sure);
        let is_none = confidence == Confidence::None;
        if asked.answers.is_empty() {
            self.unanswerable += 1;
            self.admitted += count(is_none);
            self.made_up += count(is_sure);
            return;
        }
        self.answerable += 1;
        self.right += count(is_right);
        self.among_five += count(is_among(&asked.answers, 5));
        self.sure += count(is_sure);
        self.sure_right += count(is_sure && is_right);
        self.denied += count(is_none);
        if asked.sort == "current" {
            self.current += 1;
            self.current_first += count(is_right);
        }
        if asked.sort == "sibling" {
            self.siblings += 1;
            self.confused += count(is(&asked.not_first));
        }
    }

    /// Tells whether a part of a whole is at least so many per cent.
    pub fn is_at_least(part: usize, percent: usize, whole: usize) -> bool {
        part * 100 >= percent * whole
    }
}

/// Asks every question of some worlds.
pub fn score(worlds: &[World]) -> Score {
    let mut score = Score::default();
    for world in worlds {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let names = world.remember(&workspace);
        for asked in &world.questions {
            let recalled = world.ask(&workspace, asked);
            let found: Vec<&str> =
                recalled.results.iter().map(|answer| names[&answer.id].as_str()).collect();
            score.add(asked, &found, recalled.confidence);
        }
    }
    score
}

/// Reads worlds, one from each line.
pub fn read(lines: &str) -> Vec<World> {
    lines.lines().map(|line| world(&serde_json::from_str(line).unwrap())).collect()
}

/// Reads the project and half of the questions about it.
pub fn project(half: Half) -> World {
    let questions = if half == Half::Dev { PROJECT_DEV } else { PROJECT_TEST };
    let memory = |line: &str| {
        let parts: Vec<&str> = line.split('\t').collect();
        let [name, day, category, text] = parts[..] else { panic!("{line}") };
        let new = NewMemory {
            text: text.to_owned(),
            category: category.to_owned(),
            time: Some(format!("{day}T09:00:00Z").parse().unwrap()),
            ..NewMemory::default()
        };
        (name.to_owned(), new)
    };
    let asked = |line: &str| {
        let parts: Vec<&str> = line.split('\t').collect();
        let [sort, query, answers, not_first] = parts[..] else { panic!("{line}") };
        let names = |list: &str| {
            list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        Asked {
            query: query.to_owned(),
            sort: sort.to_owned(),
            answers: names(answers),
            not_first: names(not_first),
        }
    };
    World {
        id: "project".to_owned(),
        today: "2026-11-19".parse().unwrap(),
        memories: PROJECT.lines().map(memory).collect(),
        questions: questions.lines().map(asked).collect(),
    }
}

fn world(value: &Value) -> World {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let texts =
        |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
    let memory = |memory: &Value| {
        let new = NewMemory {
            text: text(&memory["text"]),
            category: text(&memory["category"]),
            time: Some(text(&memory["at"]).parse().unwrap()),
            // A guest's Wi-Fi password is what people keep in such a place.
            allow_secret: true,
            ..NewMemory::default()
        };
        (text(&memory["id"]), new)
    };
    let asked = |question: &Value| Asked {
        query: text(&question["q"]),
        sort: text(&question["type"]),
        answers: texts(&question["answers"]),
        not_first: texts(&question["not_first"]),
    };
    World {
        id: text(&value["id"]),
        today: text(&value["today"]).parse().unwrap(),
        memories: value["memories"].as_array().unwrap().iter().map(memory).collect(),
        questions: value["questions"].as_array().unwrap().iter().map(asked).collect(),
    }
}

impl World {
    /// The time at which the questions are asked: noon.
    pub fn now(&self) -> Timestamp {
        self.today.at(12, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp()
    }

    /// Remembers everything; returns the names within the world by id.
    pub fn remember(&self, workspace: &Workspace) -> BTreeMap<String, String> {
        let new: Vec<NewMemory> = self.memories.iter().map(|(_, new)| new.clone()).collect();
        let request = Request {
            operation: "remember",
            now: self.now(),
            today: self.today,
            session: None,
            dry_run: false,
            caller: quipu_engine::caller::Caller::PERSON,
        };
        let ids = remember::remember(workspace, &new, &request).unwrap().ids;
        ids.into_iter().zip(self.memories.iter().map(|(name, _)| name.clone())).collect()
    }

    /// Asks a question.
    pub fn ask(&self, workspace: &Workspace, asked: &Asked) -> Recalled {
        let question = Question { query: asked.query.clone(), ..Question::default() };
        recall::recall(workspace, &question, self.now()).unwrap()
    }
}
