//! What stands in the files: one server, and one command an event.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::clients::{Client, Event, HookShape, Hooks, NAME, ServerShape};
use super::guard::{self, Start};
use super::jsonc::SyntaxError;
use super::jsonc::edit::{self as json, Receipt, Slot};
use super::machine::Scope;
use super::{Installer, blocks, tables};

/// Where an entry stands in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spot {
    /// In a JSON document.
    Json { path: Vec<String>, slot: Slot },
    /// A table of TOML.
    Table { parent: String },
    /// An entry of a YAML mapping.
    Block { parent: String },
    /// The whole file.
    File,
}

/// An entry that a client should have.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) clients: Vec<String>,
    /// `mcp`, or an event's name.
    pub(super) what: String,
    pub(super) file: PathBuf,
    pub(super) spot: Spot,
    pub(super) value: Value,
}

impl Spot {
    fn json(path: &[&str], slot: Slot) -> Self {
        Self::Json { path: path.iter().map(|key| (*key).to_owned()).collect(), slot }
    }

    /// Returns what is there.
    pub(super) fn look(&self, text: Option<&str>) -> Result<Option<Value>, SyntaxError> {
        let Some(text) = text else { return Ok(None) };
        let (_, text) = self.split(text);
        match self {
            Self::Json { path, slot } => json::look(text, path, slot),
            Self::Table { parent } => tables::look(text, parent),
            Self::Block { parent } => blocks::look(text, parent),
            Self::File => Ok((!text.trim().is_empty()).then(|| Value::from(text))),
        }
    }

    /// Puts a value there, where nothing is yet.
    pub(super) fn insert(
        &self,
        text: &str,
        value: &Value,
    ) -> Result<(String, Receipt), SyntaxError> {
        let (mark, text) = self.split(text);
        let (new, receipt) = match self {
            Self::Json { path, slot } => json::insert(text, path, slot, value),
            Self::Table { parent } => tables::insert(text, parent, value),
            Self::Block { parent } => blocks::insert(text, parent, value),
            Self::File => Ok((words(value), Receipt::default())),
        }?;
        Ok((format!("{mark}{new}"), receipt))
    }

    /// Puts a value in the place of what is there, which is returned too.
    pub(super) fn replace(
        &self,
        text: &str,
        value: &Value,
    ) -> Result<(String, String), SyntaxError> {
        self.exchange(text, |text, start| match self {
            Self::Json { .. } => json::render(text, start, value),
            Self::Table { parent } => tables::render(text, parent, value),
            Self::Block { .. } => blocks::render(text, start, value),
            Self::File => words(value),
        })
    }

    /// Puts the words that `make` returns for a place in the place of what is there.
    fn exchange(
        &self,
        text: &str,
        make: impl FnOnce(&str, usize) -> String,
    ) -> Result<(String, String), SyntaxError> {
        let (mark, body) = self.split(text);
        let span = match self {
            Self::Json { path, slot } => json::span(body, path, slot)?,
            Self::Table { parent } => tables::span(body, parent)?,
            Self::Block { parent } => blocks::span(body, parent)?,
            Self::File => Some(0..body.len()),
        };
        let Some(span) = span else { return Ok((text.to_owned(), String::new())) };
        let old = body[span.clone()].to_owned();
        let new = make(body, span.start);
        let result = format!("{mark}{}{new}{}", &body[..span.start], &body[span.end..]);
        // A table of TOML may come after one of its own parts, which then cannot take its place.
        self.look(Some(&result))?;
        Ok((result, old))
    }

    /// Takes the entry out, or puts back what it replaced. `None` where nothing of others is left.
    pub(super) fn remove(
        &self,
        text: &str,
        receipt: &Receipt,
    ) -> Result<Option<String>, SyntaxError> {
        if let Some(old) = &receipt.replaced {
            return self.exchange(text, |_, _| old.clone()).map(|(text, _)| Some(text));
        }
        let (mark, text) = self.split(text);
        let left = match self {
            Self::Json { path, slot } => json::remove(text, path, slot, receipt),
            Self::Table { parent } => tables::remove(text, parent, receipt),
            Self::Block { parent } => blocks::remove(text, parent, receipt),
            Self::File => Ok(None),
        }?;
        Ok(left.map(|left| format!("{mark}{left}")))
    }

    /// Splits off the byte order mark, so that editors need not know of it.
    fn split<'t>(&self, text: &'t str) -> (&'t str, &'t str) {
        let mark = if text.starts_with('\u{feff}') && *self != Self::File { 3 } else { 0 };
        text.split_at(mark)
    }

    /// Returns how people would call the place.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Json { path, slot: Slot::Key(key) } => {
                let quoted = |key: &String| {
                    if key.contains('.') { format!("\"{key}\"") } else { key.clone() }
                };
                let mut parts: Vec<String> = path.iter().map(quoted).collect();
                parts.push(key.clone());
                parts.join(".")
            }
            Self::Json { path, .. } => format!("{}[]", path.join(".")),
            Self::Table { parent } => format!("[{parent}.{NAME}]"),
            Self::Block { parent } => format!("{parent}.{NAME}"),
            Self::File => "the whole file".to_owned(),
        }
    }
}

fn words(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Installer {
    /// Returns the entry that starts the server, where the client has a file of that scope.
    pub(super) fn server(&self, client: &Client, start: Start<'_>) -> Option<Wanted> {
        let places: Vec<_> = client
            .servers
            .iter()
            .filter(|place| place.at.is_of(self.scope))
            .map(|place| (self.machine.resolve(place.at, &self.root), place))
            .collect();
        let has_folder = |file: &PathBuf| {
            let above = file.parent();
            above.is_some_and(|above| {
                above.is_dir() && above != self.root && above != self.machine.home
            })
        };
        let (file, place) = places
            .iter()
            .find(|(file, _)| file.exists())
            .or_else(|| places.iter().find(|(file, _)| has_folder(file)))
            .or_else(|| places.first())?;
        let (spot, value) = shaped(place.shape, start);
        let clients = vec![client.name.to_owned()];
        Some(Wanted { clients, what: "mcp".to_owned(), file: file.clone(), spot, value })
    }

    /// Returns the entries that call Quipu at a client's events.
    pub(super) fn hooks(&self, client: &Client, start: Start<'_>, after_tool: bool) -> Vec<Wanted> {
        let Some(hooks) = &client.hooks else { return Vec::new() };
        let at = if self.scope == Scope::Project { hooks.project } else { hooks.user };
        let file = self.machine.resolve(at, &self.root);
        let wanted = |what: &str, spot: Spot, value: Value| Wanted {
            clients: vec![client.name.to_owned()],
            what: what.to_owned(),
            file: file.clone(),
            spot,
            value,
        };
        let events: Vec<(Event, &str)> = hooks
            .events
            .iter()
            .copied()
            .filter(|(event, _)| after_tool || *event != Event::AfterTool)
            .collect();
        if hooks.shape == HookShape::Copilot {
            let text = Value::from(copilot_file(hooks, &events, start));
            return vec![wanted("hooks", Spot::File, text)];
        }
        let mut entries = Vec::new();
        if hooks.shape == HookShape::Cursor {
            let spot = Spot::json(&[], Slot::Key("version".to_owned()));
            entries.push(wanted("version", spot, json!(1)));
        }
        for (event, native) in events {
            let ending = format!(" hook {} {}", hooks.name, event.as_str());
            let spot = Spot::json(&["hooks", native], Slot::Ending(ending));
            entries.push(wanted(event.as_str(), spot, handler(hooks, event, start)));
        }
        entries
    }
}

fn shaped(shape: ServerShape, start: Start<'_>) -> (Spot, Value) {
    let named = |path: &[&str]| Spot::json(path, Slot::Key(NAME.to_owned()));
    let (command, args) = guard::server(start);
    let plain = json!({ "command": command, "args": args });
    let with = |more: Value| {
        let mut value = plain.clone();
        if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
            value.extend(more);
        }
        value
    };
    match shape {
        ServerShape::Plain => (named(&["mcpServers"]), plain),
        ServerShape::Typed => (named(&["mcpServers"]), with(json!({ "type": "stdio" }))),
        ServerShape::Copilot => {
            (named(&["mcpServers"]), with(json!({ "type": "local", "tools": ["*"] })))
        }
        ServerShape::VsCode => (named(&["servers"]), with(json!({ "type": "stdio" }))),
        ServerShape::Zed => {
            (named(&["context_servers"]), with(json!({ "source": "custom", "env": {} })))
        }
        ServerShape::OneList => {
            let line: Vec<&String> = std::iter::once(&command).chain(&args).collect();
            let value = json!({ "type": "local", "command": line, "enabled": true });
            (named(&["mcp"]), value)
        }
        ServerShape::Amp => (named(&["amp.mcpServers"]), plain),
        ServerShape::Codex => (Spot::Table { parent: "mcp_servers".to_owned() }, plain),
        ServerShape::Goose => {
            let value = json!({
                "type": "stdio", "name": NAME, "description": "Long-term memory",
                "cmd": command, "args": args, "envs": {}, "enabled": true, "timeout": 300,
            });
            (Spot::Block { parent: "extensions".to_owned() }, value)
        }
        ServerShape::Continue => (Spot::File, Value::from(continue_file(&command, &args))),
    }
}

fn continue_file(command: &str, args: &[String]) -> String {
    let args: Vec<String> = args.iter().map(|one| Value::from(one.as_str()).to_string()).collect();
    format!(
        "name: Quipu\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: {NAME}\n    command: {}\n    args: [{}]\n",
        Value::from(command),
        args.join(", ")
    )
}

fn handler(hooks: &Hooks, event: Event, start: Start<'_>) -> Value {
    let line = guard::hook(start, hooks.name, event);
    let seconds = match (hooks.name, event) {
        // Codex waits no longer, and warns where more is asked for.
        ("codex", Event::SessionEnd) => 3,
        _ => event.seconds(),
    };
    match hooks.shape {
        HookShape::Cursor => json!({ "command": line, "timeout": seconds }),
        HookShape::Claude | HookShape::Gemini | HookShape::Copilot => {
            let is_gemini = hooks.shape == HookShape::Gemini;
            let timeout = if is_gemini { seconds * 1000 } else { seconds };
            let mut group = json!({
                "hooks": [{ "type": "command", "command": line, "timeout": timeout }],
            });
            if event == Event::AfterTool {
                group["matcher"] = json!("*");
            }
            group
        }
    }
}

fn copilot_file(hooks: &Hooks, events: &[(Event, &str)], start: Start<'_>) -> String {
    let handler = |event: Event| {
        let line = guard::hook(start, hooks.name, event);
        let powershell = guard::powershell(start, hooks.name, event);
        json!([{
            "type": "command", "bash": line, "powershell": powershell, "timeoutSec": event.seconds(),
        }])
    };
    let by_event: Map<String, Value> =
        events.iter().map(|(event, native)| ((*native).to_owned(), handler(*event))).collect();
    let path = ["hooks".to_owned()];
    let version = json::insert("", &[], &Slot::Key("version".to_owned()), &json!(1));
    let mut text = version.map(|(text, _)| text).unwrap_or_default();
    for (_, native) in events {
        let slot = Slot::Key((*native).to_owned());
        let value = by_event.get(*native).cloned().unwrap_or_default();
        text = json::insert(&text, &path, &slot, &value).map_or(text, |(text, _)| text);
    }
    text
}

/// Tells whether an entry says all of what is wanted. Clients add keys of their own.
pub(super) fn says(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| found.get(key).is_some_and(|found| says(found, value)))
        }
        _ => found == wanted,
    }
}

/// Returns a new entry with the keys that somebody added to the old one.
pub(super) fn with_additions(wanted: &Value, found: &Value, old: &Value) -> Value {
    let mut result = wanted.clone();
    if let (Some(result), Some(found), Some(old)) =
        (result.as_object_mut(), found.as_object(), old.as_object())
    {
        for (key, value) in found.iter().filter(|(key, _)| !old.contains_key(*key)) {
            result.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    result
}

/// Tells whether an entry that nobody recorded is Quipu's by what it says.
pub(super) fn is_ours(spot: &Spot, value: &Value) -> bool {
    match spot {
        Spot::File => {
            let text = value.as_str().unwrap_or_default();
            text.contains(" hook copilot ") || text.starts_with("name: Quipu\n")
        }
        // Found by the command itself.
        Spot::Json { slot: Slot::Ending(_), .. } => true,
        Spot::Json { slot: Slot::Key(key), .. } if key != NAME => false,
        _ => {
            let line = program_line(value);
            let program = line.strip_suffix(" mcp").unwrap_or(&line);
            let file = program.rsplit(['/', '\\']).next().unwrap_or_default();
            let file = file.split_whitespace().next().unwrap_or_default();
            file.trim_end_matches(".exe") == NAME
        }
    }
}

/// Keys of an entry that decide which program runs, or how, beside its command.
const RUNS: [&str; 7] = ["env", "envs", "envFile", "cwd", "url", "headers", "transport"];

/// Tells whether an entry sets something that decides what runs, and that ours does not set.
pub(super) fn changes_what_runs(found: &Value, wanted: &Value) -> bool {
    let is_set = |value: &Value, key: &str| match value.get(key) {
        None | Some(Value::Null) => false,
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    RUNS.iter().any(|key| is_set(found, key) && found.get(*key) != wanted.get(*key))
}

/// Tells whether an entry starts what ours would start.
pub(super) fn starts_the_same(found: &Value, wanted: &Value) -> bool {
    program_line(found) == program_line(wanted) && !changes_what_runs(found, wanted)
}

/// Tells whether something has the name or the place of an entry of ours, whoever wrote it.
pub(super) fn is_in_our_place(spot: &Spot, found: &Value) -> bool {
    match spot {
        Spot::File => is_ours(spot, found),
        Spot::Json { slot: Slot::Key(key), .. } => key == NAME,
        _ => true,
    }
}

/// Returns the command line that an entry starts, in words for a person and without the guard around it.
pub fn program_line(value: &Value) -> String {
    if let Some(group) = value.get("hooks").and_then(|hooks| hooks.get(0)) {
        return program_line(group);
    }
    let mut parts: Vec<&str> = match value.get("command").or_else(|| value.get("cmd")) {
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect(),
        other => other.and_then(Value::as_str).into_iter().collect(),
    };
    let arguments = value.get("args").and_then(Value::as_array).into_iter().flatten();
    parts.extend(arguments.filter_map(Value::as_str));
    guard::without(&parts)
}
