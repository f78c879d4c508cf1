//! What is run in every hostile repository: command lines, hooks, the MCP server, the HTTP server.

use serde_json::json;

use super::scene::Scene;

/// One command line with what it is given.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) arguments: Vec<String>,
    pub(super) given: String,
    /// From the scene's folder.
    pub(super) folder: String,
    /// What stands before the usual folders in `PATH`.
    pub(super) path_before: &'static str,
    pub(super) is_server: bool,
}

impl Step {
    pub(super) fn name(&self) -> String {
        format!("quipu {} (in {})", self.arguments.join(" "), self.folder)
    }
}

/// Command lines that read or write a memory, as people and agents type them.
const LINES: [&str; 66] = [
    "status",
    "lint",
    "brief",
    "recall secret key of the server",
    "show hello",
    "why hello",
    "history hello",
    "fact list",
    "fact add Deploys_happen_on_Tuesdays --id deploys-happen-on-tuesdays",
    "fact supersede hello --reason gone",
    "fact core deploys-happen-on-tuesdays",
    "thread open Measure_the_export",
    "thread list",
    "session start --agent tester",
    "session note --did Looked_around",
    "session list",
    "session end --did Looked_around",
    "review --dry-run",
    "review",
    "refresh",
    "remember Retries_back_off_exponentially -c decision",
    "journal list",
    "journal tail",
    "journal scan",
    "journal trim",
    "compact --dry-run",
    "compact --force",
    "experiences list",
    "user show",
    "memory similar hello",
    "entity list",
    "questions",
    "dream --dry-run",
    "dream",
    "drift",
    "scan",
    "harvest",
    "harvest --accept all",
    "index",
    "replay",
    "replay --check",
    "stats",
    "curve hello",
    "undo",
    "doctor",
    "init --dry-run",
    "install claude-code --dry-run",
    "install --check",
    "git status",
    "git install --dry-run",
    "token list",
    "uninstall --dry-run",
    "list",
    "timeline",
    "edit hello The_server_has_two_keys --confirm-core",
    "forget hello",
    "restore hello",
    "pause",
    "resume",
    "sync status",
    "sync",
    "import . --yes",
    "ingest .",
    "export all.jsonl",
    "export --format markdown notes",
    "backup all.zip",
];

/// Returns every step, in the folders of a scene in which people would work.
pub(super) fn all(scene: &Scene) -> Vec<Step> {
    let mut steps = Vec::new();
    for folder in &scene.folders() {
        let step = |arguments: &str, given: String| Step {
            arguments: arguments.split(' ').map(|word| word.replace('_', " ")).collect(),
            given,
            folder: folder.clone(),
            path_before: scene.path_before(),
            is_server: false,
        };
        steps.extend(LINES.iter().map(|line| step(line, String::new())));
        for (event, name) in [
            ("session-start", "SessionStart"),
            ("user-prompt", "UserPromptSubmit"),
            ("after-tool", "PostToolUse"),
            ("pre-compact", "PreCompact"),
            ("stop", "Stop"),
            ("session-end", "SessionEnd"),
        ] {
            let payload = json!({
                "session_id": "s-1", "transcript_path": "/nowhere.jsonl", "hook_event_name": name,
                "cwd": scene.base.join(folder), "source": "startup", "reason": "exit",
                "prompt": "What is the secret key of the server?",
                "last_assistant_message": "Because of `hello` I kept the generator.",
            });
            steps.push(step(&format!("hook claude-code {event}"), payload.to_string()));
        }
        let view = json!({ "command": "view", "path": "/memories" }).to_string();
        steps.push(step("memory-tool", view));
        let note = json!({ "command": "create", "path": "/memories/a.md", "file_text": "a" });
        steps.push(step("memory-tool", note.to_string()));
        steps.push(step("mcp", conversation("mcp")));
        steps.push(step("mcp --profile full", conversation("full")));
        steps.push(Step {
            is_server: true,
            ..step("serve --no-schedule --listen 127.0.0.1:0", String::new())
        });
    }
    steps
}

/// What an MCP client says: hello, and a call of every tool that needs no more than a few words.
fn conversation(profile: &str) -> String {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "tester", "version": "1" },
        },
    });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let mut lines = vec![hello, ready];
    let calls = if profile == "full" {
        vec![
            ("status", json!({})),
            ("lint", json!({})),
            ("doctor", json!({})),
            ("drift", json!({})),
        ]
    } else {
        vec![
            ("session", json!({ "action": "start" })),
            ("recall", json!({ "query": "secret key of the server" })),
            ("remember", json!({ "text": "Backups run at night" })),
            ("brief", json!({})),
            ("show", json!({ "id": "hello" })),
            ("fact", json!({ "action": "list" })),
            ("status", json!({})),
            ("session", json!({ "action": "end", "did": "Looked around" })),
        ]
    };
    for (number, (name, arguments)) in calls.into_iter().enumerate() {
        lines.push(json!({
            "jsonrpc": "2.0", "id": number + 2, "method": "tools/call",
            "params": { "name": name, "arguments": arguments },
        }));
    }
    for uri in ["quipu://brief", "quipu://continuity", "quipu://status"] {
        lines.push(json!({
            "jsonrpc": "2.0", "id": uri, "method": "resources/read", "params": { "uri": uri },
        }));
    }
    lines.iter().map(ToString::to_string).collect::<Vec<String>>().join("\n") + "\n"
}
