//! The tools that an agent needs every day. Each costs it context: a dozen, and no more.

use quipu_core::item::{Kind, Sensitivity};
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

/// The session that an event belongs to; a client of its own need not say it.
fn in_session(tool: Tool) -> Tool {
    tool.param("session", Form::Text, Place::Aside, "Session id (default: yours)")
}

/// Lets words pass that look like a secret and are none; the reason is kept with them.
fn vouched(tool: Tool) -> Tool {
    tool.option("not_a_secret", Form::Text, "Why, if wrongly refused")
}

fn dry_run(tool: Tool) -> Tool {
    tool.option("dry_run", Form::Flag, "Only show what would change")
}

fn brief() -> Tool {
    let about = "Call first: pinned memories, facts, open threads, preferences, and what the last sessions left for you.";
    let mut tool = Tool::new("brief", "Brief me", Effect::Reads, about)
        .command("brief", "hint tokens")
        .option("hint", Form::Text, "What the session is about")
        .option("tokens", Form::Whole, "The most tokens (default: about 8000)")
        .returns(json!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
        }));
    tool.is_text = true;
    tool
}

pub(super) fn recall() -> Tool {
    let about = "Ask everything that is remembered: facts, archive, session logs, records, documents, code. \
                 Use it before you decide, and before you ask the user again.";
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    Tool::new("recall", "Recall", Effect::Reads, about)
        .command("recall", "query! count kind entity since until as_of include_archived explain")
        .word("query", Form::Text, "What you want to know, in words")
        .option("count", Form::Whole, "How many answers (default 10)")
        .option("kind", Form::SomeOf(names(&kinds)), "Only these kinds")
        .option("entity", Form::Text, "Only what mentions this name, file or identifier")
        .option("since", Form::Text, "Learned then or later: 2026-04-20, or a time")
        .option("until", Form::Text, "Learned before then")
        .option("as_of", Form::Text, "What was true then")
        .param(
            "include_archived",
            Form::Flag,
            Place::Option("--include=archived".to_owned()),
            "Also what was put away",
        )
        .option("explain", Form::Flag, "Say why each one ranks there")
        .shaped(recalled)
        .returns(json!({
            "type": "object",
            "properties": { "results": { "type": "array", "items": {
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
            "required": ["results"],
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
    let about = "Keep something for later sessions and other agents: a preference, lesson, event or decision, in one or two \
                 sentences that make sense on their own. Says when it repeats or contradicts what is known. No secrets.";
    let sensitivities: Vec<&str> = Sensitivity::ALL.iter().map(|one| one.as_str()).collect();
    in_session(vouched(
        Tool::new("remember", "Remember", Effect::Writes, about)
            .command(
                "remember",
                "text! category tags source speaker importance pin negative supersedes valid_from \
                 valid_to sensitivity not_a_secret session",
            )
            .word("text", Form::Text, "What to remember")
            .option("category", Form::Text, "note, learned, decision, user-preference, ...")
            .param("tags", Form::Texts, Place::Option("--tag".to_owned()), "Words to find it by")
            .param(
                "source",
                Form::OneOf(names(&["human", "ai"])),
                Place::Otherwise("--source".to_owned(), "ai"),
                "human: the user said it in the conversation; ai: you found it out (default)",
            )
            .option("speaker", Form::Text, "Who said it")
            .option("importance", Form::Number, "0 to 1 (default: by what it is)")
            .option("pin", Form::Flag, "It comes first in every briefing")
            .option("negative", Form::Flag, "It says that something is not so, or does not exist")
            .option("supersedes", Form::Text, "The id of the record that it replaces")
            .option("valid_from", Form::Text, "True since then")
            .option("valid_to", Form::Text, "True until then")
            .option(
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
        .word("id", Form::Text, "Its id, or a beginning that only it has");
    "view".clone_into(&mut tool.key);
    tool.has_default = true;
    tool
}

fn fact() -> Tool {
    let about = "Facts of the project, shared through git: decisions, conventions, constraints. `add` stops where one may \
                 contradict another: call again with supersedes (it replaces that one), raise (unclear) or agree (both hold).";
    in_session(dry_run(vouched(
        Tool::new("fact", "Facts", Effect::Writes, about)
            .action(
                "add",
                "fact add",
                "text! section supersedes raise agree not_a_secret dry_run session",
            )
            .action("list", "fact list", "words tier section all")
            .action("supersede", "fact supersede", "id! new dry_run session")
            .action("archive", "fact archive", "id! dry_run session")
            .action("reactivate", "fact reactivate", "id! dry_run session")
            .word("text", Form::Text, "The fact, in a sentence")
            .word("id", Form::Text, "The fact's id")
            .word("new", Form::Text, "The fact that replaces it, if any")
            .word("words", Form::Texts, "Only facts that contain these words")
            .option("section", Form::Text, "Its section (default Key Decisions)")
            .option("supersedes", Form::Text, "The fact that it replaces")
            .option("raise", Form::Flag, "Write it, and open a thread")
            .option("agree", Form::Flag, "Write it: it agrees with the facts shown")
            .option("tier", Form::Text, "Only this tier")
            .option("all", Form::Flag, "Archived facts too"),
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
            .action("open", "thread open", "text! dry_run session")
            .action("close", "thread close", "id! dry_run session")
            .action("list", "thread list", "words all")
            .word("text", Form::Text, "What is to be done or found out")
            .word("id", Form::Text, "The thread's id")
            .word("words", Form::Texts, "Only with these words")
            .option("all", Form::Flag, "Done threads too"),
    ))
}

fn session() -> Tool {
    let about = "Working sessions: start when you begin, note what happens, end writes the log that hands over to the next \
                 one. list and show read earlier ones.";
    in_session(dry_run(vouched(
        Tool::new("session", "Sessions", Effect::Writes, about)
            .action("start", "session start", "agent user")
            .action("note", "session note", "text! kind refs not_a_secret session")
            .action("end", "session end", "did decided next refs dry_run session")
            .action("list", "session list", "limit")
            .action("show", "session show", "id")
            .option("agent", Form::Text, "Your name (default: your client's)")
            .option("user", Form::Text, "For whom you work")
            .word("text", Form::Text, "What to note")
            .option(
                "kind",
                Form::OneOf(names(&["did", "decided", "next"])),
                "What the note is (default did)",
            )
            .option("did", Form::Texts, "What was done")
            .option("decided", Form::Texts, "What was decided, and why")
            .option("next", Form::Texts, "What the next session should know or do")
            .param(
                "refs",
                Form::Texts,
                Place::Option("--ref".to_owned()),
                "Ids of facts that you relied on",
            )
            .option("limit", Form::Whole, "How many logs (default 10)")
            .word("id", Form::Text, "A log's name (default: the open session)"),
    )))
}

fn questions() -> Tool {
    let about = "What needs judgement: contradictions, duplicates, doubtful references, beliefs; each with its evidence, the \
                 possible answers and what each would do.";
    Tool::new("questions", "Open questions", Effect::Reads, about)
        .command("questions", "next kind ask answered")
        .option("next", Form::Flag, "Only the next one")
        .option("kind", Form::Texts, "Only of these kinds")
        .option("answered", Form::Flag, "Those that were answered instead")
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
            .action("undo", "answer --undo", "id! reason session")
            .word("id", Form::Text, "The question's id")
            .word("choice", Form::Text, "The name of the answer")
            .option("reason", Form::Text, "What it rests on"),
    ));
    tool.has_default = true;
    tool
}

fn review() -> Tool {
    let about = "Bring facts up to date with the session logs by counting uses: fade, file, archive, bring back. Shows the plan, \
                 unless apply is set.";
    in_session(
        Tool::new("review", "Review", Effect::Writes, about)
            .command("review", "apply only except session")
            .param(
                "apply",
                Form::Flag,
                Place::Unless("--dry-run".to_owned()),
                "Carry the plan out (default: show it)",
            )
            .option("only", Form::Texts, "Only these steps or facts")
            .option("except", Form::Texts, "Not these steps or facts"),
    )
}

fn status() -> Tool {
    let about = "The memory at a glance: its size, open sessions, threads and questions, whether a review is due.";
    Tool::new("status", "Status", Effect::Reads, about).command("status", "")
}

fn forget() -> Tool {
    let about = "Put something away that is wrong or not needed: no longer recalled, until restore. Nothing is deleted.";
    let mut tool = in_session(dry_run(
        Tool::new("forget", "Forget or restore", Effect::Removes, about)
            .action("forget", "forget", "id! reason! dry_run session")
            .action("restore", "restore", "id! reason dry_run session")
            .word("id", Form::Text, "Its id")
            .option("reason", Form::Text, "Why"),
    ));
    tool.has_default = true;
    tool
}
