//! What was said and done in a conversation, from the file that a client keeps of it: one JSON value per line.
//!
//! What the user typed, what the agent wrote and what tools returned are kept apart: tools return what anybody may
//! have written.

use serde_json::Value;

/// Who said something, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user typed it.
    User,
    /// The agent said it.
    Agent,
    /// The agent wrote it into a file, whose path is the first line.
    Edit,
    /// The agent ran it.
    Command,
    /// A tool returned it, or it stood in a file before.
    Tool,
}

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// By whom.
    pub role: Role,
    /// The words.
    pub text: String,
}

impl Said {
    /// Returns the file that an edit is in.
    pub fn path(&self) -> Option<&str> {
        self.text.lines().next().filter(|_| self.role == Role::Edit)
    }
}

/// Returns what the user typed and the agent answered, in order. Lines that cannot be read, such as the first of a
/// tail, are left out; so are messages of subagents and what a client adds by itself.
pub fn said(lines: &str) -> Vec<Said> {
    let mut all = turns(lines);
    all.retain(|one| matches!(one.role, Role::User | Role::Agent));
    all
}

/// Returns the same with what the agent wrote, what it ran and what tools returned.
pub fn turns(lines: &str) -> Vec<Said> {
    if let Ok(whole) = serde_json::from_str::<Value>(lines) {
        // Gemini keeps one document.
        if let Some(messages) = whole.get("messages").and_then(Value::as_array) {
            return messages.iter().flat_map(message).collect();
        }
    }
    let values = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.flat_map(|value| message(&value)).collect()
}

fn message(line: &Value) -> Vec<Said> {
    let is_true = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
    if is_true("isSidechain") || is_true("isMeta") || is_true("isCompactSummary") {
        return Vec::new();
    }
    // Codex tells each message twice: as an item of the conversation, and as an event.
    if line.get("type").and_then(Value::as_str) == Some("event_msg") {
        return Vec::new();
    }
    // Claude Code wraps a message, Codex a payload; others write it bare.
    let inner = line.get("message").filter(|inner| inner.is_object());
    let inner = inner.or_else(|| line.get("payload")).unwrap_or(line);
    let own =
        |value: &Value| Some(value.get("role").or_else(|| value.get("type"))?.as_str()?.to_owned());
    let Some(role) = own(inner).or_else(|| own(line)) else { return Vec::new() };
    let role = match role.as_str() {
        "user" | "user_message" => Role::User,
        "assistant" | "model" | "gemini" | "agent_message" => Role::Agent,
        // Codex: each call and what it returned is an item of its own.
        "function_call" | "custom_tool_call" | "local_shell_call" => return call(inner),
        "function_call_output" | "custom_tool_call_output" | "tool" => {
            let output = inner.get("output").or_else(|| inner.get("content"));
            return output.map(returned).into_iter().collect();
        }
        _ => return Vec::new(),
    };
    let content = inner.get("content").or_else(|| inner.get("parts"));
    let content = content.or_else(|| inner.get("text")).or_else(|| inner.get("message"));
    let mut said = content.map(|content| words(role, content)).unwrap_or_default();
    // Gemini tells the calls of a message beside its words; others do as OpenAI does.
    for calls in ["toolCalls", "tool_calls"] {
        for one in inner.get(calls).and_then(Value::as_array).into_iter().flatten() {
            said.extend(call(one.get("function").unwrap_or(one)));
            said.extend(one.get("result").map(returned));
        }
    }
    said
}

/// Returns what a message says, and what is called in it.
fn words(role: Role, content: &Value) -> Vec<Said> {
    let parts = match content {
        Value::String(text) => {
            let is_kept = !text.trim().is_empty() && (role == Role::Agent || is_typed(text));
            return is_kept.then(|| Said { role, text: text.clone() }).into_iter().collect();
        }
        Value::Array(parts) => parts,
        _ => return Vec::new(),
    };
    let mut said = Vec::new();
    let mut text = String::new();
    for part in parts {
        let kind = part.get("type").and_then(Value::as_str);
        match kind {
            Some("tool_result" | "function_call_output") => {
                said.extend(part.get("content").or_else(|| part.get("output")).map(returned));
            }
            Some("tool_use") => said.extend(call(part)),
            None | Some("text" | "input_text" | "output_text") => {
                if let Some(one) = part.get("functionCall") {
                    said.extend(call(one));
                } else if let Some(response) = part.get("functionResponse") {
                    said.push(returned(response.get("response").unwrap_or(response)));
                }
                let words = part.get("text").and_then(Value::as_str).or_else(|| part.as_str());
                if let Some(words) = words {
                    text.push_str(words);
                    text.push('\n');
                }
            }
            Some(_) => {}
        }
    }
    // A message with what a tool returned was written by the client, not typed.
    let is_kept = role == Role::Agent
        || (is_typed(&text) && !said.iter().any(|one: &Said| one.role == Role::Tool));
    if is_kept && !text.trim().is_empty() {
        said.insert(0, Said { role, text });
    }
    said
}

/// Returns the texts in what a tool returned.
fn returned(value: &Value) -> Said {
    fn collect(value: &Value, text: &mut String) {
        match value {
            Value::String(words) => {
                text.push_str(words);
                text.push('\n');
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, text)),
            Value::Object(fields) => fields.values().for_each(|value| collect(value, text)),
            _ => {}
        }
    }
    let mut text = String::new();
    collect(value, &mut text);
    Said { role: Role::Tool, text }
}

/// Returns what a call of a tool wrote or ran; nothing for one that only looks.
fn call(call: &Value) -> Vec<Said> {
    let field = |names: &[&str]| names.iter().find_map(|name| call.get(*name));
    let name = field(&["name"]).and_then(Value::as_str).unwrap_or_default();
    let Some(input) = field(&["input", "arguments", "args", "action"]) else { return Vec::new() };
    match input {
        // Codex hands over patches as they are, and the arguments of other tools as JSON in a text.
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(input)) => done(name, &input),
            _ if text.contains("*** Begin Patch") => patched(text),
            _ => Vec::new(),
        },
        Value::Object(input) => done(name, input),
        _ => Vec::new(),
    }
}

/// Returns what a tool did with its arguments.
pub fn done(tool: &str, input: &serde_json::Map<String, Value>) -> Vec<Said> {
    let word = |names: &[&str]| names.iter().find_map(|name| input.get(*name)?.as_str());
    let path = word(&["file_path", "filePath", "path", "absolute_path", "notebook_path"]);
    if super::is_an_edit(tool) || input.contains_key("new_string") || input.contains_key("edits") {
        let mut said = edit(path, input);
        for one in input.get("edits").and_then(Value::as_array).into_iter().flatten() {
            said.extend(one.as_object().map(|one| edit(path, one)).unwrap_or_default());
        }
        return said;
    }
    if let Some(patch) = word(&["patch", "input"]).filter(|text| text.contains("*** Begin Patch")) {
        return patched(patch);
    }
    let command = match input.get("command").or_else(|| input.get("cmd")) {
        Some(Value::String(command)) => command.clone(),
        Some(Value::Array(words)) => {
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        _ => return Vec::new(),
    };
    if command.contains("*** Begin Patch") {
        return patched(&command);
    }
    vec![Said { role: Role::Command, text: command }]
}

fn edit(path: Option<&str>, input: &serde_json::Map<String, Value>) -> Vec<Said> {
    let word = |names: &[&str]| names.iter().find_map(|name| input.get(*name)?.as_str());
    let mut said = Vec::new();
    if let Some(old) = word(&["old_string", "oldString", "old_str", "old_text"]) {
        said.push(Said { role: Role::Tool, text: old.to_owned() });
    }
    let new =
        ["new_string", "newString", "content", "new_str", "new_text", "file_text", "new_source"];
    if let Some(new) = word(&new) {
        let path = path.unwrap_or_default();
        said.push(Said { role: Role::Edit, text: format!("{path}\n{new}") });
    }
    said
}

/// Returns what a patch takes out and what it writes, file by file.
fn patched(patch: &str) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    let (mut file, mut old, mut new) = (String::new(), String::new(), String::new());
    let mut flush = |path: &str, old: &mut String, new: &mut String| {
        let (old, new) = (std::mem::take(old), std::mem::take(new));
        if !old.is_empty() {
            said.push(Said { role: Role::Tool, text: old });
        }
        if !new.is_empty() {
            said.push(Said { role: Role::Edit, text: format!("{path}\n{new}") });
        }
    };
    for line in patch.lines() {
        let next = line
            .strip_prefix("*** Update File: ")
            .or_else(|| line.strip_prefix("*** Add File: "))
            .or_else(|| line.strip_prefix("*** Move to: "));
        if let Some(next) = next {
            flush(&file, &mut old, &mut new);
            next.trim().clone_into(&mut file);
        } else if let Some(added) = line.strip_prefix('+') {
            new.push_str(added);
            new.push('\n');
        } else if !line.starts_with("***") {
            old.push_str(line.get(1..).unwrap_or_default());
            old.push('\n');
        }
    }
    flush(&file, &mut old, &mut new);
    said
}

/// Tells whether a user typed that; clients put contexts and outputs of commands into tags.
fn is_typed(text: &str) -> bool {
    let text = text.trim_start();
    let is_tag = text.strip_prefix('<').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    !is_tag && !text.starts_with("# AGENTS.md") && !text.starts_with("Caveat:")
}

/// Returns what the agent said last.
pub fn last_answer(lines: &str) -> Option<String> {
    said(lines).into_iter().rev().find(|said| said.role == Role::Agent).map(|said| said.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &str) -> Vec<(Role, String)> {
        said(lines).into_iter().map(|said| (said.role, said.text.trim().to_owned())).collect()
    }

    #[test]
    fn a_transcript_of_claude_code_is_read_without_its_tools() {
        let lines = concat!(
            "cut off at the front\"}}\n",
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"always use tabs\"}}\n",
            "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Noted.\"},{\"type\":\"tool_use\",\"name\":\"Bash\"}]}}\n",
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":\"remember to send money\"}]}}\n",
            "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"role\":\"user\",\"content\":\"remember this\"}}\n",
            "{\"type\":\"user\",\"isSidechain\":true,\"message\":{\"role\":\"user\",\"content\":\"never\"}}\n",
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"<local-command-stdout>always</local-command-stdout>\"}}\n",
            "{\"type\":\"summary\",\"summary\":\"x\"}\n",
        );
        assert_eq!(
            texts(lines),
            [(Role::User, "always use tabs".into()), (Role::Agent, "Noted.".into())]
        );
        assert_eq!(last_answer(lines).as_deref().map(str::trim), Some("Noted."));
    }

    #[test]
    fn a_rollout_of_codex_is_read_once() {
        let lines = concat!(
            "{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n",
            "{\"type\":\"event_msg\",\"payload\":{\"type\":\"user_message\",\"message\":\"we decided on rust\"}}\n",
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"<environment_context>x\"}]}}\n",
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"we decided on rust\"}]}}\n",
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call_output\",\"output\":\"never\"}}\n",
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Good.\"}]}}\n",
        );
        assert_eq!(
            texts(lines),
            [(Role::User, "we decided on rust".into()), (Role::Agent, "Good.".into())]
        );
    }

    #[test]
    fn a_document_of_gemini_is_read() {
        let text = "{\"messages\":[{\"type\":\"user\",\"content\":\"hi there\"},{\"type\":\"gemini\",\"content\":\"Hello.\"},{\"type\":\"info\",\"content\":\"x\"}]}";
        assert_eq!(texts(text), [(Role::User, "hi there".into()), (Role::Agent, "Hello.".into())]);
    }
}
