//! The names and forms that clients of the seeds' systems know.

use quipu_core::item::{Layer, MemoryType, Mode, Sensitivity, Status};
use quipu_server::Effect;
use serde_json::{Value, json};

use super::tool::{Form, Place, Tool};
use crate::error::CommandError;

/// The tools of `CursorClaw`, with its arguments and answers; errors are answers too.
pub(super) fn cursorclaw() -> Vec<Tool> {
    let recall = Tool::new("recall_memory", Effect::Reads,
        "Search long-term memory by meaning. Returns the records that fit best.",
    )
    .does("recall", "query! top_k:count")
    .with("kind", "record")
    .field("query", Form::Text, "What to look for")
    .param("top_k", Form::Between(1, 20), Place::Otherwise("5"), "How many (default 5)")
    .shaped(|_, data| {
        results(&data, |one| {
            json!({ "recordId": one["id"], "text": one["text"], "category": one["category"], "score": one["score"] })
        })
    });
    let experiences = Tool::new(
        "query_experiences",
        Effect::Reads,
        "Search past experiences that fit a situation.",
    )
    .does("experiences.query", "query! top_k:count")
    .field("query", Form::Text, "The situation")
    .param("top_k", Form::Between(1, 20), Place::Otherwise("5"), "How many (default 5)")
    .shaped(|_, data| {
        results(&data, |one| {
            json!({
                "text": one["text"], "category": one["category"],
                "sessionId": one["source"]["session"], "score": one["score"],
            })
        })
    });
    let sensitivities = Sensitivity::ALL.iter().map(|one| one.as_str().to_owned()).collect();
    let remember = Tool::new(
        "remember_this",
        Effect::Writes,
        "Store something in long-term memory when the user asks to remember it.",
    )
    .does("remember", "text! category sensitivity")
    .field("text", Form::Text, "What to remember")
    .param("category", Form::Text, Place::Otherwise("note"), "Its category (default note)")
    .field("sensitivity", Form::Perhaps(sensitivities), "Who may see it (default private-user)")
    .shaped(|_, data| json!({ "ok": true, "id": data["id"] }));
    let refusals = [
        "recall_memory is only available in the main or heartbeat session.",
        "query_experiences is only available in the main or heartbeat session.",
        "remember_this is only available in the main or heartbeat session.",
    ];
    let mut tools = vec![recall, experiences, remember];
    for (tool, refusal) in tools.iter_mut().zip(refusals) {
        tool.only_main = Some(refusal);
        tool.fails = Some(as_object);
    }
    tools
}

fn as_object(error: &CommandError) -> Value {
    json!({ "error": error.message })
}

fn results(data: &Value, one: impl Fn(&Value) -> Value) -> Value {
    let results: Vec<Value> = data["results"].as_array().into_iter().flatten().map(one).collect();
    json!({ "results": results })
}

/// The tools of engram that mean something here; what each does is ours.
pub(super) fn engram() -> Vec<Tool> {
    let mut tools = engram_asks();
    tools.extend(engram_writes());
    tools.extend(engram_decides());
    tools.extend(engram_works());
    tools
}

fn names<T>(all: &[T], name: impl Fn(&T) -> &'static str) -> Vec<String> {
    all.iter().map(|one| name(one).to_owned()).collect()
}

/// Something by its id.
fn by_id(name: &str, effect: Effect, about: &str, operation: &str, takes: &str) -> Tool {
    Tool::new(name, effect, about)
        .does(operation, &format!("memory_id:id! {takes}"))
        .field("memory_id", Form::Text, "The memory's id, or a beginning that only it has")
        .field("reason", Form::Text, "Why")
}

/// A question with its words.
fn asked(name: &str, about: &str, operation: &str, takes: &str) -> Tool {
    Tool::new(name, Effect::Reads, about)
        .does(operation, &format!("query! top_k:count {takes}"))
        .field("query", Form::Text, "What you want to know")
        .field("top_k", Form::Whole, "How many (default 10)")
}

fn engram_asks() -> Vec<Tool> {
    let layers = names(Layer::ALL, |layer| layer.as_str());
    let types = names(MemoryType::ALL, |kind| kind.as_str());
    let modes = names(Mode::ALL, |mode| mode.as_str());
    let named = |name: &str, about: &str, operation: &str| {
        Tool::new(name, Effect::Reads, about)
            .does(operation, "entity:name! top_k:count")
            .field("entity", Form::Text, "A name, file or identifier")
            .field("top_k", Form::Whole, "How many")
    };
    vec![
        asked(
            "recall",
            "Ask everything that is remembered.",
            "recall",
            "mode layer memory_type:types since",
        )
        .field("mode", Form::OneOf(modes), "facts_only, facts_plus_rules or full_context (default)")
        .field("layer", Form::SomeOf(layers.clone()), "Only these layers")
        .field("memory_type", Form::SomeOf(types.clone()), "Only these types")
        .field("since", Form::Text, "Learned then or later"),
        asked("recall_explain", "Ask, and see why each answer ranks there.", "recall", "")
            .with("explain", true),
        asked("recall_layer", "Ask one layer.", "recall", "layer!").field(
            "layer",
            Form::OneOf(layers),
            "The layer",
        ),
        asked("recall_by_type", "Ask memories of one type.", "recall", "memory_type:types!").field(
            "memory_type",
            Form::OneOf(types),
            "The type",
        ),
        asked("recall_code", "Ask what the source files declare.", "recall", "")
            .with("kind", "code"),
        named("recall_entity", "What mentions an entity, newest first.", "entity.show"),
        named("entity_timeline", "What was said about an entity, oldest first.", "entity.timeline"),
        named("entity_graph", "Who is mentioned with an entity.", "entity.graph"),
        Tool::new("search_entities", Effect::Reads, "Find entities by words.")
            .does("entity.list", "query:words")
            .field("query", Form::Texts, "Words of the name"),
        by_id("find_similar", Effect::Reads, "What is similar to a memory.", "memory.similar", ""),
        by_id("status_history", Effect::Reads, "How a memory's status changed.", "history", "")
            .shaped(|_, data| status_history(&data)),
        by_id("explain_importance", Effect::Reads, "The terms of its importance.", "why", ""),
        Tool::new("find_duplicates", Effect::Reads, "What may say the same.")
            .does("questions", "")
            .with("kind", "duplicate"),
        Tool::new("status", Effect::Reads, "The memory at a glance.").does("status", ""),
        Tool::new("health", Effect::Reads, "What is wrong with the memory folder.")
            .does("lint", ""),
        Tool::new("recall_hints", Effect::Reads, "What to know before you start.")
            .does("brief", "context:hint")
            .field("context", Form::Text, "What it is about"),
        Tool::new("resume_context", Effect::Reads, "Where the last session left off.")
            .does("brief", ""),
    ]
}

/// Returns the changes of a status as engram tells them.
fn status_history(data: &Value) -> Value {
    let changes = data["entries"].as_array().into_iter().flatten();
    let changes = changes.filter(|entry| entry["new"].is_string()).map(|entry| {
        let at: Option<jiff::Timestamp> = entry["at"].as_str().and_then(|at| at.parse().ok());
        json!({
            "old": entry["old"], "new": entry["new"], "reason": entry["reason"],
            "changed_at": at.map(jiff::Timestamp::as_second), "by": entry["by"],
        })
    });
    json!({ "memory_id": data["id"], "history": changes.collect::<Vec<_>>() })
}

fn engram_writes() -> Vec<Tool> {
    let said = |name: &str, about: &str| {
        Tool::new(name, Effect::Writes, about)
            .does("remember", "content:text! importance tags layer memory_type")
            .field("content", Form::Text, "What to remember")
            .field("importance", Form::Number, "0 to 1")
            .field("tags", Form::Texts, "Words to find it by")
            .field("layer", Form::OneOf(names(Layer::ALL, |layer| layer.as_str())), "Its layer")
            .field(
                "memory_type",
                Form::OneOf(names(MemoryType::ALL, |kind| kind.as_str())),
                "What sort of statement it is",
            )
    };
    vec![
        said("remember", "Remember something."),
        said("remember_decision", "Remember a decision.").with("category", "decision"),
        said("remember_error", "Remember an error and what came of it.")
            .with("category", "learned"),
        said("remember_interaction", "Remember an exchange.").with("source", "interaction"),
        said("remember_negative", "Remember that something is not so.").with("negative", true),
        by_id(
            "edit_memory",
            Effect::Writes,
            "Change the words of a memory.",
            "edit",
            "content:text!",
        )
        .field("content", Form::Text, "The new words"),
        by_id(
            "annotate",
            Effect::Writes,
            "Note something beside a memory.",
            "memory.annotate",
            "note!",
        )
        .field("note", Form::Text, "The note"),
        by_id("tag", Effect::Writes, "Add tags.", "memory.tag", "tags!").field(
            "tags",
            Form::Texts,
            "The tags",
        ),
        by_id("link_memories", Effect::Writes, "Link two memories.", "memory.link", "to! relation")
            .field("to", Form::Text, "The other memory")
            .field("relation", Form::Text, "What the other is to it"),
        Tool::new("merge_entities", Effect::Writes, "Say that two entities are one.")
            .does("entity.merge", "source:from! target:into!")
            .field("source", Form::Text, "The one whose name becomes another name")
            .field("target", Form::Text, "The one that stays"),
        Tool::new("session_checkpoint", Effect::Writes, "A checkpoint in the journal.")
            .does("journal.flush", ""),
    ]
}

fn engram_decides() -> Vec<Tool> {
    let moved = |name: &str, about: &str, operation: &str| {
        by_id(name, Effect::Writes, about, operation, "layer:to reason").field(
            "layer",
            Form::OneOf(names(Layer::ALL, |layer| layer.as_str())),
            "The layer (default: the next one)",
        )
    };
    vec![
        by_id(
            "update_status",
            Effect::Writes,
            "Set the status of a memory.",
            "memory.status",
            "status! reason",
        )
        .field(
            "status",
            Form::OneOf(names(Status::ALL, |status| status.as_str())),
            "The status",
        ),
        moved("promote", "Let a memory last longer.", "memory.promote"),
        moved("demote", "Let a memory last less long.", "memory.demote"),
        by_id("pin", Effect::Writes, "Keep a memory from fading.", "memory.pin", "reason"),
        by_id("unpin", Effect::Writes, "Take a pin away.", "memory.unpin", "reason"),
        by_id(
            "invalidate",
            Effect::Writes,
            "Say that a memory is wrong.",
            "memory.invalidate",
            "reason!",
        ),
        by_id("forget", Effect::Removes, "Put a memory away.", "forget", "reason"),
    ]
}

fn engram_works() -> Vec<Tool> {
    let careful = |name: &str, effect: Effect, about: &str, operation: &str| {
        // Like the original, these two only show what they would do.
        Tool::new(name, effect, about).does(operation, "apply:dry_run").param(
            "apply",
            Form::Flag,
            Place::Unless,
            "Really do it (default: show what would be done)",
        )
    };
    vec![
        Tool::new("consolidate", Effect::Writes, "Dream: fade, merge, ask, prune; can be undone.")
            .does("dream", "dry_run")
            .field("dry_run", Form::Flag, "Only show the plan"),
        Tool::new("drift_check", Effect::Reads, "What memories say and the code no longer has.")
            .does("drift", ""),
        careful("drift_fix", Effect::Writes, "Draw the consequences of drift.", "drift")
            .with("fix", true),
        careful(
            "compress_embeddings",
            Effect::Writes,
            "Let faded vectors take less room.",
            "compress",
        ),
        Tool::new("scan_codebase", Effect::Writes, "Read what the source files declare.")
            .does("scan", ""),
        Tool::new("compress", Effect::Writes, "Merge old notes into summaries.")
            .does("compact", ""),
        Tool::new("session_handoff", Effect::Writes, "End the session: its log hands over.")
            .does("session.end", "did decided next")
            .field("did", Form::Texts, "What was done")
            .field("decided", Form::Texts, "What was decided")
            .field("next", Form::Texts, "What comes next"),
    ]
}

/// The memory tool, with its own arguments and strings.
pub(super) fn memory() -> Vec<Tool> {
    let commands = ["view", "create", "str_replace", "insert", "delete", "rename"];
    let commands = commands.iter().map(|&name| name.to_owned()).collect();
    let takes = "command! path file_text old_str new_str insert_line insert_text view_range old_path new_path";
    let text = |tool: Tool, name: &str, about: &str| tool.field(name, Form::Text, about);
    let about =
        "Files that outlive the conversation, under /memories. View the folder before you begin.";
    let tool = Tool::new("memory", Effect::Removes, about).does("memory-tool", takes).field(
        "command",
        Form::OneOf(commands),
        "What to do",
    );
    let tool = text(tool, "path", "A path that begins with /memories");
    let tool = text(tool, "file_text", "create: the text");
    let tool = text(tool, "old_str", "str_replace: what stands there once");
    let tool = text(tool, "new_str", "str_replace: what takes its place");
    let tool =
        tool.field("insert_line", Form::Whole, "insert: after this line; 0 is the beginning");
    let tool = text(tool, "insert_text", "insert: the text");
    let tool = tool.field("view_range", Form::Range, "view: first and last line; -1 is the end");
    let tool = text(tool, "old_path", "rename: from here");
    let mut tool = text(tool, "new_path", "rename: to here");
    tool.is_raw = true;
    vec![tool]
}
