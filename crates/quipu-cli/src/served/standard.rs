//! The tools that an agent needs every day. Each costs it context: few, and short.

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
        undo(),
    ]
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Begins the tool of an operation, which says itself what it is for.
fn tool(name: &str, effect: Effect, operation: &str) -> Tool {
    let about = operations::named(operation).and_then(|entry| entry.for_agents).unwrap_or_default();
    Tool::new(name, effect, about)
}

/// The session that an event belongs to; a client of its own need not say it.
fn in_session(tool: Tool) -> Tool {
    tool.param("session", Form::Text, Place::Aside, "")
}

/// Lets words pass that look like a secret and are none; the reason is kept with them.
fn vouched(tool: Tool) -> Tool {
    tool.field("not_a_secret", Form::Text, "Why, if refused as a secret")
}

fn dry_run(tool: Tool) -> Tool {
    tool.field("dry_run", Form::Flag, "")
}

fn brief() -> Tool {
    tool("brief", Effect::Reads, "brief")
        .does("brief", "hint tokens")
        .field("hint", Form::Text, "What the session is about")
        .field("tokens", Form::Whole, "At most (default 8000)")
}

pub(super) fn recall() -> Tool {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    tool("recall", Effect::Reads, "recall")
        .does("recall", "query! count kind since until as_of include_archived:include explain")
        .field("query", Form::Text, "The question, in words")
        .field("count", Form::Whole, "Default 10")
        .field("kind", Form::SomeOf(names(&kinds)), "")
        .field("since", Form::Text, "Learned since, such as 2026-04-20")
        .field("until", Form::Text, "Learned before")
        .field("as_of", Form::Text, "What was true then")
        .param("include_archived", Form::Flag, Place::Sets("archived"), "")
        .field("explain", Form::Flag, "Why each ranks there")
        .shaped(recalled)
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
        tool("remember", Effect::Writes, "remember")
            .does(
                "remember",
                "text! user category tags source pin supersedes valid_from valid_to \
                 sensitivity not_a_secret session",
            )
            .field("text", Form::Text, "")
            .field("user", Form::Flag, "For all their projects; only if they ask")
            .field("category", Form::Text, "note, learned, decision, user-preference, …")
            .field("tags", Form::Texts, "")
            .param(
                "source",
                Form::OneOf(names(&["human", "ai"])),
                Place::Otherwise("ai"),
                "human: the user said it",
            )
            .field("pin", Form::Flag, "First in every briefing")
            .field("supersedes", Form::Text, "Id of the record it replaces")
            .field("valid_from", Form::Text, "")
            .field("valid_to", Form::Text, "")
            .field("sensitivity", Form::OneOf(names(&sensitivities)), "Default private-user"),
    ))
}

fn show() -> Tool {
    let mut tool = tool("show", Effect::Reads, "show")
        .action("text", "show", "id!")
        .action("why", "why", "id!")
        .action("history", "history", "id!")
        .field("id", Form::Text, "");
    "view".clone_into(&mut tool.key);
    tool.has_default = true;
    tool
}

fn fact() -> Tool {
    in_session(dry_run(vouched(
        tool("fact", Effect::Writes, "fact.add")
            .action(
                "add",
                "fact.add",
                "text! section supersedes raise agree not_a_secret dry_run session",
            )
            .action("list", "fact.list", "words section all")
            .action("supersede", "fact.supersede", "id:old! new dry_run session")
            .field("text", Form::Text, "One sentence")
            .field("id", Form::Text, "")
            .field("new", Form::Text, "Id of the fact that holds instead")
            .field("words", Form::Texts, "Only with these words")
            .field("section", Form::Text, "Default Key Decisions")
            .field("supersedes", Form::Text, "Id of the fact it replaces")
            .field("raise", Form::Flag, "Unclear: open a thread")
            .field("agree", Form::Flag, "Both hold")
            .field("all", Form::Flag, "Archived ones too"),
    )))
    .shaped(fact_choices)
}

/// Leaves out the choice that is a person's: this tool does not take it.
fn fact_choices(_: &Arguments, mut data: Value) -> Value {
    if let Some(choices) = data.get_mut("choices").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice != "confirm_core");
    }
    data
}

fn thread() -> Tool {
    in_session(dry_run(
        tool("thread", Effect::Writes, "thread.open")
            .action("open", "thread.open", "text! dry_run session")
            .action("close", "thread.close", "id! dry_run session")
            .action("list", "thread.list", "all")
            .field("text", Form::Text, "What is to be done or found out")
            .field("id", Form::Text, "")
            .field("all", Form::Flag, "Closed ones too"),
    ))
}

fn session() -> Tool {
    let about = "Your working session: start it, note what happens, end it with what the next one should know. \
                 Its log is shared with the team.";
    in_session(dry_run(vouched(
        Tool::new("session", Effect::Writes, about)
            .action("start", "session.start", "agent")
            .action("note", "session.note", "text! kind refs:references not_a_secret session")
            .action("end", "session.end", "did decided next refs:references dry_run session")
            .action("list", "session.list", "")
            .action("show", "session.show", "id")
            .field("agent", Form::Text, "Default: your client")
            .field("text", Form::Text, "")
            .field("kind", Form::OneOf(names(&["did", "decided", "next"])), "")
            .field("did", Form::Texts, "")
            .field("decided", Form::Texts, "With reasons")
            .field("next", Form::Texts, "What comes next")
            .field("refs", Form::Texts, "Ids of facts you relied on")
            .field("id", Form::Text, "Default: the open one"),
    )))
}

fn questions() -> Tool {
    tool("questions", Effect::Reads, "questions")
        .does("questions", "next ask answered")
        .field("next", Form::Flag, "Only the next one")
        .field("answered", Form::Flag, "Those that were answered")
        .param(
            "ask",
            Form::OneOf(names(&["person", "model"])),
            Place::Aside,
            "Let the client put it to the user or its model",
        )
}

fn answer() -> Tool {
    in_session(dry_run(
        tool("answer", Effect::Writes, "answer")
            .does("answer", "id! choice! reason! dry_run session")
            .field("id", Form::Text, "")
            .field("choice", Form::Text, "")
            .field("reason", Form::Text, "What it rests on"),
    ))
}

fn review() -> Tool {
    tool("review", Effect::Writes, "review").does("review", "apply:dry_run").param(
        "apply",
        Form::Flag,
        Place::Unless,
        "Carry it out (default: a preview)",
    )
}

fn status() -> Tool {
    tool("status", Effect::Reads, "status").does("status", "")
}

fn forget() -> Tool {
    let mut tool = dry_run(
        tool("forget", Effect::Removes, "forget")
            .action("forget", "forget", "id! reason dry_run")
            .action("restore", "restore", "id! reason dry_run")
            .field("id", Form::Text, "")
            .field("reason", Form::Text, ""),
    );
    tool.has_default = true;
    tool
}

fn undo() -> Tool {
    dry_run(
        tool("undo", Effect::Writes, "undo")
            .does("undo", "change list dry_run")
            .field("change", Form::Text, "")
            .field("list", Form::Flag, "Show the last changes"),
    )
}
