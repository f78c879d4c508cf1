//! How sure recall is, on worlds with questions that have an answer and questions that have none.

use std::path::Path;

use quipu_testkit::TestRepo;
use quipu_testkit::worlds::{self, Half, World};
use serde_json::{Value, json};

/// Prints the score, and each question with what was found, as JSON.
pub(crate) fn report(data: Option<&Path>, project: Option<Half>) {
    let lines = data.map(|path| std::fs::read_to_string(path).unwrap());
    let worlds = match project {
        Some(half) => vec![worlds::project(half)],
        None => worlds::read(lines.as_deref().unwrap_or(worlds::DEV)),
    };
    let score = worlds::score(&worlds);
    let asked: Vec<Value> = worlds.iter().map(dump_world).collect();
    println!("{}", json!({ "score": format!("{score:?}"), "worlds": asked }));
}

fn dump_world(world: &World) -> Value {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let names = world.remember(&workspace);
    let questions: Vec<Value> = world
        .questions
        .iter()
        .map(|asked| {
            let recalled = world.ask(&workspace, asked);
            let found: Vec<Value> = recalled
                .results
                .iter()
                .map(|answer| {
                    json!({
                        "name": names[&answer.id], "text": answer.text, "score": answer.score,
                        "category": answer.category, "time": answer.time.to_string(),
                        "cosine": answer.why.cosine, "coverage": answer.why.coverage,
                        "rare_words": answer.why.rare_words, "words": answer.why.words,
                        "channels": answer.why.channels, "weight": answer.why.weight,
                        "evidence": answer.why.evidence, "ahead_of": answer.why.ahead_of.len(),
                    })
                })
                .collect();
            json!({
                "q": asked.query, "type": asked.sort, "answers": asked.answers,
                "not_first": asked.not_first, "times": recalled.times.len(), "confidence": recalled.confidence, "hint": recalled.hint, "found": found,
            })
        })
        .collect();
    let memories: Vec<Value> = world
        .memories
        .iter()
        .map(|(name, new)| json!({ "name": name, "text": new.text }))
        .collect();
    json!({ "id": world.id, "memories": memories, "questions": questions })
}
