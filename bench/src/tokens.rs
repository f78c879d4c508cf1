//! What an agent pays for: the list of tools, what it is told after it remembers, and ten recalled
//! memories, beside peers; and how often the answer survives when long memories are cut.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use quipu_core::excerpt;
use quipu_embed::{Role, StaticModel};
use serde_json::{Value, json};

use crate::compress::dot;
use crate::data;
use crate::speed::binary;

/// The most tokens of each answer, of four characters each.
const BUDGETS: [(&str, usize); 2] = [("tools_list", 2200), ("recall_of_ten", 500)];

/// The least share of answers that survive.
const SURVIVING: f64 = 0.98;

/// Memory servers that npm installs, with the variable that names their file. Both have the tools
/// `create_entities` and `search_nodes`.
const PEERS: [(&str, &str, &str); 2] = [
    ("@modelcontextprotocol/server-memory", "MEMORY_FILE_PATH", ""),
    ("mcp-memory-libsql", "LIBSQL_URL", "file:"),
];

/// A question that all ten memories answer, and one word of it for peers that look for a text.
const QUESTION: &str = "what did Ada say about the harbour cranes painted green each spring?";
const WORD: &str = "harbour";

/// Measures and prints; returns whether all budgets hold.
pub(crate) fn report(data: &[PathBuf], with_peers: bool) -> bool {
    let ours = ours();
    let mut figures = json!({ "quipu": ours });
    for (peer, variable, prefix) in PEERS.iter().filter(|_| with_peers) {
        figures[*peer] =
            theirs(peer, variable, prefix).unwrap_or_else(|why| json!({ "not_measured": why }));
    }
    let mut holds =
        BUDGETS.iter().all(|(name, most)| ours[*name].as_u64().unwrap() <= *most as u64);
    let (mut answers, mut surviving) = (0, 0);
    for path in data {
        let name = path.display().to_string();
        if !path.exists() {
            figures["survival"][name] = json!({ "not_measured": "there is no such set" });
            continue;
        }
        let set = survival(path);
        answers += set["answers"].as_u64().unwrap();
        surviving += set["surviving"].as_u64().unwrap();
        figures["survival"][name] = set;
    }
    if answers > 0 {
        let all = share(surviving, answers);
        holds &= all >= SURVIVING;
        figures["survival"]["all"] = json!(all);
    }
    figures["budgets"] = BUDGETS.iter().map(|(name, most)| json!({ *name: most })).collect();
    figures["budgets_hold"] = json!(holds);
    println!("{figures:#}");
    holds
}

/// A server at the other end of a pipe.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(command: &mut Command) -> Result<Self, String> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawned.spawn().map_err(|error| error.to_string())?;
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Self { child, to, from: BufReader::new(from), next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        server.ask("initialize", &hello)?;
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        writeln!(server.to, "{done}").map_err(|error| error.to_string())?;
        Ok(server)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.next += 1;
        let asked =
            json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.to, "{asked}").map_err(|error| error.to_string())?;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err("the server went away".to_owned());
            }
            // Some peers write other lines to stdout.
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["id"] == self.next {
                return Ok(message["result"].clone());
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    fn tools(&mut self) -> Result<u64, String> {
        Ok(tokens(&self.ask("tools/list", &json!({}))?["tools"].to_string()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(4) as u64
}

/// What a model reads of an answer: its texts, and its data where there is some.
fn read_by_a_model(result: &Value) -> u64 {
    let content = result["content"].as_array().into_iter().flatten();
    let texts: u64 = content.map(|part| tokens(part["text"].as_str().unwrap_or_default())).sum();
    let data = &result["structuredContent"];
    texts + if data.is_null() { 0 } else { tokens(&data.to_string()) }
}

fn memory(number: usize) -> String {
    format!(
        "Ada said on visit {number} that the harbour cranes of pier {number} are painted green each spring"
    )
}

fn ours() -> Value {
    let folder = tempfile::tempdir().unwrap();
    let mut init = Command::new(binary());
    init.arg("-C").arg(folder.path()).arg("init").stdout(Stdio::null());
    assert!(init.status().unwrap().success());
    let mut server =
        Server::start(Command::new(binary()).arg("-C").arg(folder.path()).arg("mcp")).unwrap();
    let tools = server.tools().unwrap();
    let mut remembered = 0;
    for number in 0..12 {
        let done = server.call("remember", &json!({ "text": memory(number) })).unwrap();
        remembered = remembered.max(read_by_a_model(&done));
    }
    let recalled = server.call("recall", &json!({ "query": QUESTION, "count": 10 })).unwrap();
    let text = recalled["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(text.lines().filter(|line| line.starts_with("- [")).count(), 10, "{text}");
    json!({
        "tools_list": tools,
        "remember_at_most": remembered,
        "recall_of_ten": read_by_a_model(&recalled),
    })
}

fn theirs(package: &str, variable: &str, prefix: &str) -> Result<Value, String> {
    let folder = tempfile::tempdir().unwrap();
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
    let installed = Command::new("npm")
        .args(install)
        .args([folder.path(), Path::new(package)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !installed.is_ok_and(|status| status.success()) {
        return Err("npm could not install it".to_owned());
    }
    let root = folder.path().join("node_modules").join(package);
    let manifest = std::fs::read_to_string(root.join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let program = manifest["bin"].as_object().and_then(|all| all.values().next());
    let program = program.or(Some(&manifest["bin"])).and_then(Value::as_str);
    let file = format!("{prefix}{}", folder.path().join("memory").display());
    let mut command = Command::new("node");
    command.arg(root.join(program.ok_or("it names no program")?)).env(variable, file);
    let mut server = Server::start(&mut command)?;
    let tools = server.tools()?;
    let entities: Vec<Value> = (0..10)
        .map(|number| {
            json!({ "name": format!("Pier {number}"), "entityType": "note", "observations": [memory(number)] })
        })
        .collect();
    let one = json!({ "entities": [entities[0]] });
    let remembered = read_by_a_model(&server.call("create_entities", &one)?);
    server.call("create_entities", &json!({ "entities": entities }))?;
    let recalled = server.call("search_nodes", &json!({ "query": WORD }))?;
    let found = recalled.to_string().matches("painted green").count();
    Ok(json!({
        "version": manifest["version"],
        "tools_list": tools,
        "remember_at_most": remembered,
        "recall_of_ten": read_by_a_model(&recalled),
        "times_each_memory_is_sent": share(found as u64, 10),
    }))
}

/// Cuts every memory that answers a question, and counts where the answer is still there. The sets name
/// the memories that answer, not the words in them; so the answer is taken to be the passage nearest to
/// the question by its vector, which the cut does not look at.
fn survival(path: &Path) -> Value {
    let model = StaticModel::built_in().unwrap();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut whole, mut shown) = (0, 0);
    let length = |text: &str| text.chars().count() as u64;
    for space in data::read(path).values() {
        let texts: BTreeMap<&str, &str> =
            space.memories.iter().map(|memory| (&*memory.id, &*memory.text)).collect();
        for question in &space.questions {
            let asked = model.vector(&question.words, Role::Question);
            for (rank, gold) in question.gold.iter().enumerate() {
                let Some(text) = texts.get(&**gold) else { continue };
                *counts.entry("answers").or_default() += 1;
                whole += length(text);
                let Some(cut) = excerpt::around(text, &question.words, excerpt::limit(rank)) else {
                    *counts.entry("survive").or_default() += 1;
                    shown += length(text);
                    continue;
                };
                shown += length(&cut);
                *counts.entry("cut").or_default() += 1;
                let near = |passage: &&str| dot(&model.vector(passage, Role::Memory), &asked);
                let nearest = excerpt::passages(text)
                    .into_iter()
                    .max_by(|a, b| near(a).total_cmp(&near(b)))
                    .unwrap_or_default();
                if cut.contains(nearest) {
                    *counts.entry("survive").or_default() += 1;
                }
            }
        }
    }
    let count = |name: &str| counts.get(name).copied().unwrap_or_default();
    json!({
        "answers": count("answers"),
        "in_memories_that_are_cut": count("cut"),
        "surviving": count("survive"),
        "answers_that_survive": share(count("survive"), count("answers")),
        "characters_that_are_shown": share(shown, whole),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 1.0 } else { (part as f64 / of as f64 * 1000.0).round() / 1000.0 }
}
