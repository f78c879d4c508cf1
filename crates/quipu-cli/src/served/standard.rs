//! The tools that an agent needs every day. Each costs it context: a dozen, and no more.

use quipu_core::item::{Kind, Sensitivity};
use quipu_engine::operations;
use quipu_server::Effect;
use serde_json::{Value, json};

use super::tool::{Arguments, Form, Place, Tool};

/// Returns the tools.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        brief(),
        recall(),
        remember(),
        show(),
        fact(),
        thread(),
        session(),
        questions(),
        answer(),
        review(),
        status(),
        forget(),
    ]
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Returns what an operation is for, as agents are told.
fn for_agents(operation: &str) -> &'static str {
    operations::named(operation).and_then(|entry| entry.for_agents).unwrap_or_default()
}

/// The session that an event belongs to; a client of its own need not say it.
fn in_session(tool: Tool) -> Tool {
    tool.param("session", Form::Text, Place::Aside, "Session id (default: yours)")
}

/// Lets words pass that look like a secret and are none; the reason is kept with them.
fn vouched(tool: Tool) -> Tool {
    tool.field("not_a_secret", Form::Text, "Why, if wrongly refused")
}

fn dry_run(tool: Tool) -> Tool {
    tool.field("dry_run", Form::Flag, "Only show what would change")
}

fn brief() -> Tool {
    let mut tool = Tool::new("brief", "Brief me", Effect::Reads, for_agents("brief"))
        .does("brief", "hint tokens")
        .field("hint", Form::Text, "What the session is about")
        .field("tokens", Form::Whole, "The most tokens (default: about 8000)")
        .returns(json!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
        }));
    tool.is_text = true;
    tool
}

pub(super) fn recall() -> Tool {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    Tool::new("recall", "Recall", Effect::Reads, for_agents("recall"))
        .does(
            "recall",
            "query! count kind entity since until as_of include_archived:include explain",
        )
        .field("query", Form::Text, "What you want to know, in words")
        .field("count", Form::Whole, "How many answers (default 10)")
        .field("kind", Form::SomeOf(names(&kinds)), "Only these kinds")
        .field("entity", Form::Text, "Only what mentions this name, file or identifier")
        .field("since", Form::Text, "Learned then or later: 2026-04-20, or a time")
        .field("until", Form::Text, "Learned before then")
        .field("as_of", Form::Text, "What was true then")
        .param("include_archived", Form::Flag, Place::Sets("archived"), "Also what was put away")
        .field("explain", Form::Flag, "Say why each one ranks there")
        .shaped(recalled)
        .returns(json!({
            "type": "object",
            "properties": { "confidence": { "type": "string", "enum": ["sure", "likely", "none"] }, "results": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "id": { "type": "string" },
                    "kind": { "type": "string" },
                    "text": { "type": "string" },
                    "score": { "type": "number" },
                    "source": { "type": "object" },
                },
                "required": ["id", "kind", "text", "score"],
            } } },
            "required": ["confidence", "results"],
        }))
}

/// Leaves out what a model pays for and does not read.
fn recalled(arguments: &Arguments, mut data: Value) -> Value {
    let explain = arguments.is_set("explain");
    for result in data["results"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = result.as_object_mut() {
            if !explain {
                fields.remove("why");
            }
            for number in ["score", "importance"] {
                if let Some(value) = fields.get(number).and_then(Value::as_f64) {
                    fields.insert(number.to_owned(), json!((value * 1000.0).round() / 1000.0));
                }
            }
        }
    }
    if let Some(fields) = data.as_object_mut() {
        for name in ["allowed", "channels", "items", "query"] {
            fields.remove(name);
        }
        fields.retain(|name, value| {
            name == "results" || !(value.is_null() || value.as_array().is_some_and(Vec::is_empty))
        });
        fields.insert("note".to_owned(), super::remark());
    }
    data
}

pub(super) fn remember() -> Tool {
    let sensitivities: Vec<&str> = Sensitivity::ALL.iter().map(|one| one.as_str()).collect();
    in_session(vouched(
        Tool::new("remember", "Remember", Effect::Writes, for_agents("remember"))
            .does(
                "remember",
                "text! category tags source speaker importance pin negative supersedes valid_from \
                 valid_to sensitivity not_a_secret session",
            )
            .field("text", Form::Text, "What to remember")
            .field("category", Form::Text, "note, learned, decision, user-preference, ...")
            .field("tags", Form::Texts, "Words to find it by")
            .param(
                "source",
                Form::OneOf(names(&["human", "ai"])),
                Place::Otherwise("ai"),
                "human: the user said it in the conversation; ai: you found it out (default)",
            )
            .field("speaker", Form::Text, "Who said it")
            .field("importance", Form::Number, "0 to 1 (default: by what it is)")
            .field("pin", Form::Flag, "It comes first in every briefing")
            .field("negative", Form::Flag, "It says that something is not so, or does not exist")
            .field("supersedes", Form::Text, "The id of the record that it replaces")
            .field("valid_from", Form::Text, "True since then")
            .field("valid_to", Form::Text, "True until then")
            .field(
                "sensitivity",
                Form::OneOf(names(&sensitivities)),
                "Who may see it (default private-user)",
            ),
    ))
    .returns(json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "duplicate_of": { "type": ["string", "null"] },
            "contradicts": { "type": "array", "items": { "type": "string" } },
            "nearest": { "type": "array", "items": { "type": "object" } },
        },
        "required": ["id"],
    }))
}

fn show() -> Tool {
    let about = "Show a fact, thread, record or session log in full by its id (counts as a use), why it ranks as it does, or its history.";
    let mut tool = Tool::new("show", "Show", Effect::Reads, about)
        .action("text", "show", "id!")
        .action("why", "why", "id!")
        .action("history", "history", "id!")
        .field("id", Form::Text, "Its id, or a beginning that only it has");
    "view".clone_into(&mut tool.key);
    tool.has_default = true;
    tool
}

fn fact() -> Tool {
    let about = "Facts of the project, shared through git: decisions, conventions, constraints. `add` stops where one \
                 contradicts another: call again with supersedes (it replaces that one), raise (unclear) or agree (both hold). \
                 Look at `nearest` in the answer.";
    in_session(dry_run(vouched(
        Tool::new("fact", "Facts", Effect::Writes, about)
            .action(
                "add",
                "fact.add",
                "text! section supersedes raise agree not_a_secret dry_run session",
            )
            .action("list", "fact.list", "words tier section all")
            .action("supersede", "fact.supersede", "id:old! new dry_run session")
            .action("archive", "fact.archive", "id:ids! dry_run session")
            .action("reactivate", "fact.reactivate", "id:ids! dry_run session")
            .field("text", Form::Text, "The fact, in a sentence")
            .field("id", Form::Text, "The fact's id")
            .field("new", Form::Text, "The fact that replaces it, if any")
            .field("words", Form::Texts, "Only facts that contain these words")
            .field("section", Form::Text, "Its section (default Key Decisions)")
            .field("supersedes", Form::Text, "The fact that it replaces")
            .field("raise", Form::Flag, "Write it, and open a thread")
            .field("agree", Form::Flag, "Write it: it agrees with the facts shown")
            .field("tier", Form::Text, "Only this tier")
            .field("all", Form::Flag, "Archived facts too"),
    )))
    .shaped(fact_choices)
}

/// Says the possible next steps in the words of the tool.
fn fact_choices(_: &Arguments, mut data: Value) -> Value {
    for choice in data["choices"].as_array_mut().into_iter().flatten() {
        if let Some(flag) = choice.as_str() {
            let name = flag.split(' ').next().unwrap_or_default();
            *choice = json!(name.trim_start_matches('-').replace('-', "_"));
        }
    }
    data
}

fn thread() -> Tool {
    let about =
        "Open threads: work or questions that stay in every briefing until they are closed.";
    in_session(dry_run(
        Tool::new("thread", "Threads", Effect::Writes, about)
            .action("open", "thread.open", "text! dry_run session")
            .action("close", "thread.close", "id! dry_run session")
            .action("list", "thread.list", "words all")
            .field("text", Form::Text, "What is to be done or found out")
            .field("id", Form::Text, "The thread's id")
            .field("words", Form::Texts, "Only with these words")
            .field("all", Form::Flag, "Done threads too"),
    ))
}

fn session() -> Tool {
    let about = "Working sessions: start when you begin, note what happens, end writes the log for the next one.";
    in_session(dry_run(vouched(
        Tool::new("session", "Sessions", Effect::Writes, about)
            .action("start", "session.start", "agent user")
            .action("note", "session.note", "text! kind refs:references not_a_secret session")
            .action("end", "session.end", "did decided next refs:references dry_run session")
            .action("list", "session.list", "limit")
            .action("show", "session.show", "id")
            .field("agent", Form::Text, "Your name (default: your client's)")
            .field("user", Form::Text, "For whom you work")
            .field("text", Form::Text, "What to note")
            .field(
                "kind",
                Form::OneOf(names(&["did", "decided", "next"])),
                "What the note is (default did)",
            )
            .field("did", Form::Texts, "What was done")
            .field("decided", Form::Texts, "What was decided, and why")
            .field("next", Form::Texts, "What the next session should know or do")
            .field("refs", Form::Texts, "Ids of facts that you relied on")
            .field("limit", Form::Whole, "How many logs (default 10)")
            .field("id", Form::Text, "A log's name (default: the open session)"),
    )))
}

fn questions() -> Tool {
    Tool::new("questions", "Open questions", Effect::Reads, for_agents("questions"))
        .does("questions", "next kind ask answered")
        .field("next", Form::Flag, "Only the next one")
        .field("kind", Form::Texts, "Only of these kinds")
        .field("answered", Form::Flag, "Those that were answered instead")
        .param(
            "ask",
            Form::OneOf(names(&["person", "model"])),
            Place::Aside,
            "Let the client put the next one to the user, or to its model",
        )
}

fn answer() -> Tool {
    let about =
        "Answer a question; what the answer does happens with it, and can be taken back with undo.";
    let mut tool = in_session(dry_run(
        Tool::new("answer", "Answer a question", Effect::Writes, about)
            .action("give", "answer", "id! choice! reason! dry_run session")
            .action("undo", "answer", "id! reason session")
            .with("undo", true)
            .field("id", Form::Text, "The question's id")
            .field("choice", Form::Text, "The name of the answer")
            .field("reason", Form::Text, "What it rests on"),
    ));
    tool.has_default = true;
    tool
}

fn review() -> Tool {
    let about = format!("{} Shows the plan, unless apply is set.", for_agents("review"));
    in_session(
        Tool::new("review", "Review", Effect::Writes, &about)
            .does("review", "apply:dry_run only except session")
            .param("apply", Form::Flag, Place::Unless, "Carry the plan out (default: show it)")
            .field("only", Form::Texts, "Only these steps or facts")
            .field("except", Form::Texts, "Not these steps or facts"),
    )
}

fn status() -> Tool {
    Tool::new("status", "Status", Effect::Reads, for_agents("status")).does("status", "")
}

fn forget() -> Tool {
    let about = "Put something away that is wrong or not needed: no longer recalled, until restore. Nothing is deleted.";
    let mut tool = in_session(dry_run(
        Tool::new("forget", "Forget or restore", Effect::Removes, about)
            .action("forget", "forget", "id! reason! dry_run session")
            .action("restore", "restore", "id! reason dry_run session")
            .field("id", Form::Text, "Its id")
            .field("reason", Form::Text, "Why"),
    ));
    tool.has_default = true;
    tool
}
