//! Recall in other languages than English, where the built-in table knows little.

use std::collections::BTreeMap;

use quipu_embed::{Role, StaticModel};
use quipu_engine::Workspace;
use quipu_engine::remember::{self, NewMemory};
use quipu_testkit::TestRepo;
use quipu_testkit::languages::{self, Fact, Tongue};
use quipu_testkit::memories::{ask, asked, told};
use quipu_testkit::repo::request;

/// Remembers facts, and returns the number of each by its id.
fn remember(workspace: &Workspace, facts: &[&Fact]) -> BTreeMap<String, usize> {
    let new: Vec<NewMemory> = facts.iter().map(|fact| told(&fact.told)).collect();
    let ids = remember::remember(workspace, &new, &request("remember")).unwrap().ids;
    ids.into_iter().enumerate().map(|(at, id)| (id, at)).collect()
}

/// So many of a hundred must be found among the first five.
const ENOUGH: usize = 95;

/// How many of the facts, of which the first is number `start`, are among the first five answers; every one is
/// asked for, or every so manieth.
fn found(
    workspace: &Workspace,
    numbers: &BTreeMap<String, usize>,
    tongue: &Tongue,
    (start, step): (usize, usize),
) -> usize {
    let is_found = |(gold, fact): &(usize, &Fact)| {
        let recalled = ask(workspace, &asked(&fact.asked));
        recalled.results.iter().take(5).any(|answer| numbers[&answer.id] == *gold)
    };
    (start..).zip(&tongue.facts).step_by(step).filter(is_found).count()
}

/// How many of the facts the table finds by itself.
fn found_by_vectors(tongue: &Tongue) -> usize {
    let model = StaticModel::built_in().unwrap();
    let vector = |fact: &Fact| model.vector(&fact.told, Role::Memory);
    let memories: Vec<Vec<f32>> = tongue.facts.iter().map(vector).collect();
    let is_found = |(gold, fact): &(usize, &Fact)| {
        let asked = model.vector(&fact.asked, Role::Question);
        let near = |memory: &Vec<f32>| memory.iter().zip(&asked).map(|(a, b)| a * b).sum::<f32>();
        let scores: Vec<f32> = memories.iter().map(near).collect();
        scores.iter().filter(|score| **score > scores[*gold]).count() < 5
    };
    tongue.facts.iter().enumerate().filter(is_found).count()
}

#[test]
fn words_carry_what_the_table_cannot_in_every_language() {
    for tongue in languages::parallel() {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let facts: Vec<&Fact> = tongue.facts.iter().collect();
        let numbers = remember(&workspace, &facts);
        let (both, vectors) =
            (found(&workspace, &numbers, &tongue, (0, 1)), found_by_vectors(&tongue));
        let all = tongue.facts.len();
        assert!(both * 100 >= all * ENOUGH, "{}: {both} of {all}", tongue.language);
        // Words cost one in a hundred at most where the table alone finds nearly all.
        assert!(both + all / 100 >= vectors, "{}: {both}, by vectors {vectors}", tongue.language);
    }
}

#[test]
fn languages_side_by_side_do_not_hide_each_other() {
    let tongues = languages::parallel();
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let facts: Vec<&Fact> = tongues.iter().flat_map(|tongue| &tongue.facts).collect();
    let numbers = remember(&workspace, &facts);
    let mut start = 0;
    for tongue in &tongues {
        let both = found(&workspace, &numbers, tongue, (start, 3));
        let all = tongue.facts.len() / 3;
        assert!(both * 100 >= all * ENOUGH, "{}: {both} of {all}", tongue.language);
        start += tongue.facts.len();
    }
}

#[test]
fn sentences_as_people_write_them_are_found_in_their_language() {
    let free = languages::free();
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new: Vec<NewMemory> = free.iter().map(|(_, memory, _)| told(memory)).collect();
    let ids = remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    let is_found = |(id, (.., question)): &(&String, &(&str, &str, &str))| {
        let recalled = ask(&workspace, &asked(question));
        recalled.results.iter().take(5).any(|answer| answer.id == **id)
    };
    let found = ids.iter().zip(&free).filter(is_found).count();
    assert!(found >= ENOUGH, "{found} of 100");
}
