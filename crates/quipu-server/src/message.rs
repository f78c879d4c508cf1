//! Messages that cannot be read. Each gets an answer, with its id where that can be made out, so that no client
//! waits for ever.

use serde_json::{Value, json};

/// A longer message is not read to its end.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Returns the answer to bytes that are no message of a client; nothing where they are one.
pub(crate) fn refusal(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let message: Value = match serde_json::from_slice(bytes) {
        Ok(message) => message,
        Err(error) => {
            let why = format!("this is not valid JSON: {error}");
            return Some(answer(&id_in(bytes), PARSE_ERROR, &why));
        }
    };
    let Value::Object(fields) = &message else {
        let why = "a message is a JSON object; batches are not supported";
        return Some(answer(&Value::Null, INVALID_REQUEST, why));
    };
    let id = fields.get("id")?;
    if !(id.is_string() || id.is_i64() || id.is_u64()) {
        let why = "the id of a message is a string or a whole number";
        return Some(answer(&Value::Null, INVALID_REQUEST, why));
    }
    let error =
        serde_json::from_value::<rmcp::model::ClientJsonRpcMessage>(message.clone()).err()?;
    Some(answer(id, INVALID_REQUEST, &format!("this is no message of MCP: {error}")))
}

/// Returns the answer to a message that is too long to be read.
pub(crate) fn too_long(beginning: &[u8]) -> String {
    let why = format!("a message has at most {LONGEST} bytes");
    answer(&id_in(beginning), PARSE_ERROR, &why)
}

fn answer(id: &Value, code: i32, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

/// Returns the id of a message whose text is broken: the value of `"id"` in the outermost object, where what
/// comes before it can be followed.
fn id_in(bytes: &[u8]) -> Value {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(end) = end_of_string(bytes, at) else { return Value::Null };
                let is_key = depth == 1 && &bytes[at..=end] == b"\"id\"";
                at = end;
                if let Some(value) = is_key.then(|| value_after(&bytes[end + 1..])).flatten() {
                    return value;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Value::Null
}

/// Returns where the string that begins at `start` ends.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at),
            _ => at += 1,
        }
    }
}

/// Returns the string or whole number after a colon.
fn value_after(bytes: &[u8]) -> Option<Value> {
    let rest = bytes.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = match rest.first()? {
        b'"' => end_of_string(rest, 0)? + 1,
        _ => rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace())?,
    };
    let value: Value = serde_json::from_slice(&rest[..end]).ok()?;
    (value.is_string() || value.is_i64() || value.is_u64()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_and_code(bytes: &[u8]) -> Option<(Value, i64)> {
        let answer: Value = serde_json::from_str(&refusal(bytes)?).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(answer["error"]["message"].as_str().is_some_and(|why| !why.is_empty()));
        Some((answer["id"].clone(), answer["error"]["code"].as_i64().unwrap()))
    }

    #[test]
    fn what_cannot_be_read_is_answered_with_its_id_where_there_is_one() {
        let deep = format!("{{\"id\":8,\"params\":{}{}}}", "[".repeat(300), "]".repeat(300));
        let table: &[(&[u8], Value, i64)] = &[
            (b"nonsense", Value::Null, -32700),
            (b"{\"id\":7,\"method\":\"ping\"", json!(7), -32700),
            (b"{\"method\":\"\\ud800\",\"id\":\"a-1\"}", json!("a-1"), -32700),
            (b"{\"id\": -3 , \"method\":\"\\ud800\"}", json!(-3), -32700),
            (b"{\"params\":{\"id\":1},\"id\":2,\"method\":\"\xff\"}", json!(2), -32700),
            (b"{\"params\":\"\\\"id\\\":1\",\"method\":}", Value::Null, -32700),
            (b"{\"method\":\"ping\",\"id\":", Value::Null, -32700),
            (b"{\"id\":1.5,\"method\":\"ping\",}", Value::Null, -32700),
            (deep.as_bytes(), json!(8), -32700),
            (b"[]", Value::Null, -32600),
            (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null, -32600),
            (b"7", Value::Null, -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", Value::Null, -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", Value::Null, -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":5}", json!(5), -32600),
            (b"{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", json!(5), -32600),
        ];
        for (bytes, id, code) in table {
            let shown = String::from_utf8_lossy(bytes);
            assert_eq!(id_and_code(bytes), Some((id.clone(), *code)), "{shown}");
        }
        assert!(too_long(b"{\"id\":3,\"method\":\"aaaa").contains("\"id\":3"));
    }

    #[test]
    fn what_can_be_read_is_left_to_the_protocol() {
        let table: &[&[u8]] = &[
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"no/such/method\",\"params\":{}}",
            b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}",
        ];
        for bytes in table {
            assert_eq!(refusal(bytes), None, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
