//! How well rules judge, measured on labelled sets (`quipu-testkit/judgement`). Rules are tuned on the `dev` half
//! only; the `test` half is scored.

use std::collections::BTreeSet;
use std::path::Path;

use quipu_core::hook::evidence::{self, Given};
use quipu_core::hook::statement;
use quipu_core::hook::transcript::{Role, Said};
use serde_json::Value;

/// What was found, against what should have been.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
    /// What was wrong or missed in the half that rules are tuned on.
    notes: Vec<String>,
}

impl Score {
    fn at_least(&self, precision: f64, recall: f64) {
        let p = ratio(self.right, self.right + self.wrong);
        let r = ratio(self.right, self.right + self.missed);
        assert!(p >= precision && r >= recall, "precision {p:.3}, recall {r:.3}: {self:#?}");
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap());
    if whole == 0 { 1.0 } else { float(part) / float(whole) }
}

fn lines(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quipu-testkit/judgement");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn ids(value: &Value) -> BTreeSet<String> {
    let ids = value.as_array().into_iter().flatten();
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// Reads a turn of a labelled transcript as a client's file would tell it.
fn turns(value: &Value) -> Vec<Said> {
    let all = turn(value);
    if all.role != Role::Tool {
        return vec![all];
    }
    // What a shell ran stands before what it returned.
    let (ran, returned): (Vec<&str>, Vec<&str>) =
        all.text.lines().partition(|line| line.starts_with("$ "));
    let said = |role, lines: Vec<&str>| Said { role, text: lines.join("\n") };
    vec![said(Role::Command, ran), said(Role::Tool, returned)]
}

fn turn(turn: &Value) -> Said {
    let path = word(turn, "path");
    let tool = word(turn, "name").to_lowercase();
    let writes =
        ["edit", "write", "patch", "replace", "create"].iter().any(|verb| tool.contains(verb));
    let role = match word(turn, "role") {
        "user" => Role::User,
        "assistant" => Role::Agent,
        _ if path.is_empty() || !writes => Role::Tool,
        _ => Role::Edit,
    };
    let text = word(turn, "text");
    let text = if role == Role::Edit { format!("{path}\n{text}") } else { text.to_owned() };
    Said { role, text }
}

fn uses(half: &str, explains: bool) -> Score {
    let mut score = Score::default();
    for session in lines(&format!("transcripts.{half}.jsonl")) {
        let facts: Vec<Given> = session["facts"].as_array().unwrap().iter().map(given).collect();
        let said: Vec<Said> = session["turns"].as_array().unwrap().iter().flat_map(turns).collect();
        let found = evidence::uses(&facts, &said, |id| facts.iter().any(|fact| fact.id == id));
        let (used, borderline) = (ids(&session["used"]), ids(&session["borderline"]));
        for one in &found {
            if used.contains(&one.id) {
                score.right += 1;
            } else if !borderline.contains(&one.id) {
                score.wrong += 1;
                if explains {
                    score.notes.push(format!(
                        "{} wrong  {}: {}",
                        session["id"],
                        one.id,
                        one.evidence.in_words()
                    ));
                }
            }
        }
        let missed = used
            .iter()
            .filter(|id| !borderline.contains(*id) && !found.iter().any(|one| one.id == **id));
        for id in missed {
            score.missed += 1;
            if explains {
                score.notes.push(format!("{} missed {id}", session["id"]));
            }
        }
    }
    score
}

fn given(fact: &Value) -> Given {
    Given { id: word(fact, "id").to_owned(), text: word(fact, "text").to_owned() }
}

#[test]
fn facts_that_an_agent_relied_on_are_counted_dev() {
    uses("dev", true).at_least(0.9, 0.8);
}

#[test]
fn facts_that_an_agent_relied_on_are_counted() {
    uses("test", false).at_least(0.9, 0.8);
}

/// Returns the letters and digits of a text.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Tells whether two texts say the same, but for a few words around one of them.
fn are_alike(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long.contains(&short) && short.len() * 10 >= long.len() * 4
}

fn asks(half: &str, explains: bool) -> Score {
    let mut score = Score::default();
    for ask in lines(&format!("asks.{half}.jsonl")) {
        let found = statement::statements(word(&ask, "text"));
        let wanted: Vec<String> = ids(&ask["remember"]).into_iter().collect();
        for one in &found {
            let is_right = wanted.iter().any(|wanted| are_alike(wanted, &one.text));
            score.right += usize::from(is_right);
            score.wrong += usize::from(!is_right);
            if explains && !is_right {
                score.notes.push(format!("{} wrong  {}", ask["id"], one.text));
            }
        }
        for wanted in wanted.iter().filter(|w| !found.iter().any(|one| are_alike(w, &one.text))) {
            score.missed += 1;
            if explains {
                score.notes.push(format!("{} missed {wanted}", ask["id"]));
            }
        }
    }
    score
}

#[test]
fn what_a_user_asked_to_remember_is_found_dev() {
    asks("dev", true).at_least(0.9, 0.85);
}

#[test]
fn what_a_user_asked_to_remember_is_found() {
    asks("test", false).at_least(0.8, 0.6);
}

#[test]
fn facts_of_another_project_are_not_used() {
    let sessions = lines("transcripts.dev.jsonl");
    let (mut given_in_all, mut found) = (0, Vec::new());
    for (at, session) in sessions.iter().enumerate() {
        let said: Vec<Said> = session["turns"].as_array().unwrap().iter().flat_map(turns).collect();
        for step in 1..=10 {
            let other = &sessions[(at + step) % sessions.len()];
            let facts: Vec<Given> = other["facts"].as_array().unwrap().iter().map(given).collect();
            given_in_all += facts.len();
            found.extend(evidence::uses(&facts, &said, |_| false));
        }
    }
    assert!(found.len() * 100 <= given_in_all, "of {given_in_all}: {found:#?}");
}
