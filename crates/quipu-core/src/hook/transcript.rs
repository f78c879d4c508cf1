//! What was said in a conversation, from the file that a client keeps of it: one JSON value a line.
//!
//! Only what the user typed and what the agent answered counts. What tools returned was written by
//! anybody, and is left out.

use serde_json::Value;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Agent,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// By whom.
    pub role: Role,
    /// The words.
    pub text: String,
}

/// Returns what was said, in order. Lines that cannot be read, such as the first of a tail, are left
/// out; so are messages of subagents and what a client adds by itself.
pub fn said(lines: &str) -> Vec<Said> {
    if let Ok(whole) = serde_json::from_str::<Value>(lines) {
        // Gemini keeps one document.
        if let Some(messages) = whole.get("messages").and_then(Value::as_array) {
            return messages.iter().filter_map(message).collect();
        }
    }
    let values = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.filter_map(|value| message(&value)).collect()
}

fn message(line: &Value) -> Option<Said> {
    let is_true = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
    if is_true("isSidechain") || is_true("isMeta") || is_true("isCompactSummary") {
        return None;
    }
    // Claude Code wraps a message, Codex a payload; others write it bare.
    let inner = line.get("message").filter(|inner| inner.is_object());
    let inner = inner.or_else(|| line.get("payload")).unwrap_or(line);
    let own =
        |value: &Value| Some(value.get("role").or_else(|| value.get("type"))?.as_str()?.to_owned());
    let role = match own(inner).or_else(|| own(line))?.as_str() {
        "user" | "user_message" => Role::User,
        "assistant" | "model" | "gemini" | "agent_message" => Role::Agent,
        _ => return None,
    };
    // Codex tells each message twice: as an item of the conversation, and as an event.
    if line.get("type").and_then(Value::as_str) == Some("event_msg") {
        return None;
    }
    let content = inner.get("content").or_else(|| inner.get("parts"));
    let content = content.or_else(|| inner.get("text")).or_else(|| inner.get("message"))?;
    let text = words(content)?;
    let is_typed = role == Role::Agent || is_typed(&text);
    is_typed.then_some(Said { role, text })
}

/// Returns the words of a message; nothing where it carries what a tool returned.
fn words(content: &Value) -> Option<String> {
    let parts = match content {
        Value::String(text) => return (!text.trim().is_empty()).then(|| text.clone()),
        Value::Array(parts) => parts,
        _ => return None,
    };
    let mut text = String::new();
    for part in parts {
        let kind = part.get("type").and_then(Value::as_str);
        match kind {
            Some("tool_result" | "function_call_output") => return None,
            None | Some("text" | "input_text" | "output_text") => {
                let words = part.get("text").and_then(Value::as_str).or_else(|| part.as_str());
                if let Some(words) = words {
                    text.push_str(words);
                    text.push('\n');
                }
            }
            Some(_) => {}
        }
    }
    (!text.trim().is_empty()).then_some(text)
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
