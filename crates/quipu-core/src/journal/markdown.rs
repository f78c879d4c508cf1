//! Records as people read them: a bullet with the words, and below it a comment with the rest.
//! `docs/spec/journal.md` is the grammar.

use std::borrow::Cow;
use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::{Map, Number, Value};

use super::{Merged, Record};
use crate::item::{Layer, MemoryType, Sensitivity, Source};

/// How the comment begins, and how it ends.
const OPENING: &str = "<!--";
const CLOSING: &str = "-->";

/// The category of a record that names none.
const CATEGORY: &str = "note";

/// The channel of a record that names none.
const CHANNEL: &str = "operator";

/// The keys of the comment, in the order in which they are written.
const KEYS: [&str; 22] = [
    "id",
    "at",
    "category",
    "session",
    "channel",
    "confidence",
    "sensitivity",
    "layer",
    "type",
    "source",
    "speaker",
    "tags",
    "importance",
    "valence",
    "from",
    "to",
    "negative",
    "supersedes",
    "pinned",
    "run",
    "merged",
    "more",
];

/// Writes a record; nothing where it cannot be read back as it is.
pub(super) fn write(record: &Record) -> Option<String> {
    // White space at these places is lost as soon as somebody saves the file in an editor.
    let is_shown = |line: &str| line.is_empty() || !line.trim().is_empty();
    if !record.text.starts_with(|one: char| !one.is_whitespace())
        || !record.text.split('\n').all(is_shown)
    {
        return None;
    }
    let text = written(record);
    let lines: Vec<&str> = text.lines().collect();
    let is_whole = lines[..lines.len() - 1].iter().all(|line| !is_footer(line));
    (is_whole && read(&lines).as_ref() == Some(record)).then_some(text)
}

fn written(record: &Record) -> String {
    let mut text = String::with_capacity(record.text.len() + 120);
    for (number, line) in record.text.split('\n').enumerate() {
        let indent = if number == 0 { "- " } else { "  " };
        text.push_str(if line.is_empty() && number > 0 { "" } else { indent });
        text.push_str(&masked(line, number == 0));
        text.push('\n');
    }
    text.push_str("  ");
    text.push_str(OPENING);
    for (number, (key, value)) in fields(record).into_iter().enumerate() {
        let bar = if number == 0 { "" } else { " |" };
        let _ = write!(text, "{bar} {key}: {}", escaped(&value));
    }
    text.push(' ');
    text.push_str(CLOSING);
    text.push('\n');
    text
}

/// Puts a backslash before what would be taken for a comment, or for a record of the other form.
fn masked(line: &str, is_first: bool) -> String {
    let at = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(at);
    if is_masked(rest, is_first) { format!("{indent}\\{rest}") } else { line.to_owned() }
}

fn is_masked(rest: &str, is_first: bool) -> bool {
    let bare = rest.trim_start_matches('\\');
    bare.starts_with(OPENING) || (is_first && bare.starts_with('{'))
}

fn unmasked(line: &str, is_first: bool) -> Cow<'_, str> {
    let at = line.len() - line.trim_start().len();
    match line[at..].strip_prefix('\\') {
        Some(rest) if is_masked(rest, is_first) => Cow::Owned(format!("{}{rest}", &line[..at])),
        _ => Cow::Borrowed(line),
    }
}

/// Returns the keys that the comment needs, with their values.
fn fields(record: &Record) -> Vec<(Cow<'static, str>, String)> {
    let from = &record.provenance;
    let mut fields: Vec<(Cow<'static, str>, String)> = Vec::new();
    let mut put = |key: &'static str, value: Option<String>| {
        fields.extend(value.map(|value| (Cow::Borrowed(key), value)));
    };
    let unless = |usual: &str, value: &str| (value != usual).then(|| value.to_owned());
    put("id", Some(record.id.clone()));
    put("at", Some(from.timestamp.to_string()));
    put("category", unless(CATEGORY, &record.category));
    put("session", unless(&day_of(from.timestamp), &record.session_id));
    put("channel", unless(CHANNEL, &from.source_channel));
    put("confidence", unless("1", &from.confidence.to_string()));
    put("sensitivity", unless(Sensitivity::Private.as_str(), from.sensitivity.as_str()));
    put("layer", record.layer.map(|layer| layer.to_string()));
    put("type", record.memory_type.map(|one| one.to_string()));
    put("source", record.source.map(|source| source.to_string()));
    put("speaker", record.speaker.clone());
    let tags = record.tags.iter().map(|tag| tag.replace('\\', "\\\\").replace(',', "\\,"));
    let tags = tags.collect::<Vec<_>>().join(", ");
    put("tags", (!record.tags.is_empty()).then_some(tags));
    put("importance", record.importance.map(|value| value.to_string()));
    put("valence", record.valence.map(|value| value.to_string()));
    put("from", record.valid_from.map(|time| time.to_string()));
    put("to", record.valid_to.map(|time| time.to_string()));
    put("negative", record.negative.then(|| "true".to_owned()));
    put("supersedes", record.supersedes.clone());
    put("pinned", record.pinned.then(|| "true".to_owned()));
    put("run", record.run.clone());
    put("merged", record.merged.as_ref().and_then(|merged| serde_json::to_string(merged).ok()));
    let mut more = Map::new();
    for (key, value) in &record.unknown {
        match value {
            Value::String(text) if is_plain_key(key) => {
                fields.push((Cow::Owned(key.clone()), text.clone()));
            }
            _ => drop(more.insert(key.clone(), value.clone())),
        }
    }
    let mut all = Map::new();
    if !more.is_empty() {
        all.insert("record".to_owned(), Value::Object(more));
    }
    if !from.unknown.is_empty() {
        all.insert("provenance".to_owned(), Value::Object(from.unknown.clone()));
    }
    if !all.is_empty() {
        fields.push((Cow::Borrowed("more"), Value::Object(all).to_string()));
    }
    fields
}

/// Tells whether an unknown key can stand in a comment as it is.
fn is_plain_key(key: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    !key.is_empty() && key.bytes().all(is_plain) && !KEYS.contains(&key)
}

/// Returns the day that a time falls on, which is the session of a record that names none.
fn day_of(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

/// Writes a value so that it neither ends the comment nor the field.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let last = value.chars().count().saturating_sub(1);
    let mut before = ' ';
    for (at, one) in value.chars().enumerate() {
        match one {
            '\\' => text.push_str("\\\\"),
            '|' => text.push_str("\\|"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            ' ' if at == 0 || at == last => text.push_str("\\s"),
            // `-->` and `--!>` end a comment.
            '>' if before == '-' || before == '!' => text.push_str("\\>"),
            _ => text.push(one),
        }
        before = one;
    }
    text
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(one) = chars.next() {
        let escaped = if one == '\\' { chars.next() } else { None };
        text.push(match escaped {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('s') => ' ',
            Some(other) => other,
            None => one,
        });
    }
    text
}

/// Tells whether a line is a comment that was meant to carry a record.
pub(super) fn is_footer(line: &str) -> bool {
    inside(line).is_some_and(|inside| {
        let mut keys = split(inside, '|').map(|field| field.split(':').next().unwrap_or("").trim());
        keys.next() == Some("id") && keys.any(|key| key == "at")
    })
}

fn inside(line: &str) -> Option<&str> {
    line.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING)
}

/// Splits at a sign that no backslash stands before.
fn split(text: &str, sign: char) -> impl Iterator<Item = &str> {
    let mut is_escaped = false;
    text.split(move |one: char| {
        let is_sign = one == sign && !is_escaped;
        is_escaped = one == '\\' && !is_escaped;
        is_sign
    })
}

/// Reads a record: its lines without their ends, the bullet first, the comment last. Nothing where the
/// comment cannot be read.
pub(super) fn read(lines: &[&str]) -> Option<Record> {
    let (footer, words) = lines.split_last()?;
    let mut fields: Vec<(&str, String)> = Vec::new();
    for field in split(inside(footer)?, '|') {
        let (key, value) = field.split_once(':')?;
        let key = key.trim();
        if fields.iter().any(|(other, _)| *other == key) {
            return None;
        }
        fields.push((key, unescaped(value.trim_matches([' ', '\t']))));
    }
    if fields.first()?.0 != "id" {
        return None;
    }
    let mut record = required(&fields, words)?;
    for (key, value) in fields {
        set(&mut record, key, value)?;
    }
    Some(record)
}

/// Makes the record with what every one has.
fn required(fields: &[(&str, String)], words: &[&str]) -> Option<Record> {
    let find = |wanted: &str| {
        fields.iter().find(|(key, _)| *key == wanted).map(|(_, value)| value.as_str())
    };
    let at: Timestamp = find("at")?.parse().ok()?;
    let id = find("id").filter(|id| !id.is_empty())?;
    let session = find("session").map_or_else(|| day_of(at), str::to_owned);
    let text = words_of(words);
    Some(Record::new(id, &session, find("category").unwrap_or(CATEGORY), &text, at))
}

/// Returns the words that stand on the lines before the comment.
fn words_of(lines: &[&str]) -> String {
    let lines = lines.iter().enumerate().map(|(number, line)| {
        let indent = if number == 0 { "- " } else { "  " };
        unmasked(line.strip_prefix(indent).unwrap_or_else(|| line.trim_start()), number == 0)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Gives a record the value of one key; nothing where the value means nothing.
fn set(record: &mut Record, key: &str, value: String) -> Option<()> {
    let from = &mut record.provenance;
    match key {
        "id" | "at" | "category" | "session" => {}
        "channel" => from.source_channel = value,
        "confidence" => from.confidence = serde_json::from_str::<Number>(&value).ok()?,
        "sensitivity" => from.sensitivity = Sensitivity::named(&value)?,
        "layer" => record.layer = Some(Layer::named(&value)?),
        "type" => record.memory_type = Some(MemoryType::named(&value)?),
        "source" => record.source = Some(Source::named(&value)?),
        "speaker" => record.speaker = Some(value),
        "tags" => {
            let tags = split(&value, ',').map(|tag| unescaped(tag.trim_matches([' ', '\t'])));
            record.tags = tags.filter(|tag| !tag.is_empty()).collect();
        }
        "importance" => record.importance = Some(value.parse().ok()?),
        "valence" => record.valence = Some(value.parse().ok()?),
        "from" => record.valid_from = Some(value.parse().ok()?),
        "to" => record.valid_to = Some(value.parse().ok()?),
        "negative" => record.negative = value.parse().ok()?,
        "supersedes" => record.supersedes = Some(value),
        "pinned" => record.pinned = value.parse().ok()?,
        "run" => record.run = Some(value),
        "merged" => record.merged = Some(serde_json::from_str::<Merged>(&value).ok()?),
        "more" => {
            let mut all: Map<String, Value> = serde_json::from_str(&value).ok()?;
            if let Some(Value::Object(more)) = all.remove("record") {
                record.unknown.extend(more);
            }
            if let Some(Value::Object(more)) = all.remove("provenance") {
                record.provenance.unknown = more;
            }
        }
        other => drop(record.unknown.insert(other.to_owned(), Value::String(value))),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::entry::{Form, Part, entries, parts};
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    fn note(text: &str) -> Record {
        Record::new("k7m2qd4xwz", "2026-11-15", "note", text, at("2026-11-15T09:00:12Z"))
    }

    #[test]
    fn a_record_is_a_bullet_and_a_comment() {
        let mut record = note("Retries back off exponentially, with jitter");
        "decision".clone_into(&mut record.category);
        "20261115-090000-claude-code".clone_into(&mut record.session_id);
        record.tags = vec!["net".to_owned(), "a, b".to_owned()];
        let text = record.written(Form::Markdown);
        assert_eq!(
            text,
            "- Retries back off exponentially, with jitter\n  <!-- id: k7m2qd4xwz | at: 2026-11-15T09:00:12Z | \
             category: decision | session: 20261115-090000-claude-code | tags: net, a\\\\, b -->\n"
        );
        assert_eq!(entries(&text).map(|entry| entry.record).collect::<Vec<_>>(), [record]);
    }

    #[test]
    fn words_of_several_lines_are_indented() {
        let record = note("One.\n\n```\n  code\n```\nTwo.");
        let text = record.written(Form::Markdown);
        let shown = "- One.\n\n  ```\n    code\n  ```\n  Two.\n  <!-- id: k7m2qd4xwz | at: 2026-11-15T09:00:12Z -->\n";
        assert_eq!(text, shown);
        assert_eq!(entries(&text).next().unwrap().record, record);
    }

    #[test]
    fn words_that_look_like_a_record_are_words() {
        let footer = "<!-- id: other | at: 2026-01-01T00:00:00Z -->";
        let json = note("x").line();
        let texts = [
            footer.to_owned(),
            format!("words\n{footer}"),
            format!("words\n   {footer}\nmore"),
            format!("words\n\\{footer}"),
            format!("- nested\n  {footer}"),
            json[2..].trim_end().to_owned(),
            "{".to_owned(),
            "\\{".to_owned(),
        ];
        for text in texts {
            let record = note(&text);
            let written = record.written(Form::Markdown);
            assert!(written.ends_with(" -->\n"), "{written}");
            let read: Vec<Record> = entries(&written).map(|entry| entry.record).collect();
            assert_eq!(read, [record], "{written}");
        }
    }

    #[test]
    fn what_markdown_would_change_is_written_as_json() {
        for text in ["", " indented", "a\n   \nb", "a\r\nb", "a\r"] {
            let record = note(text);
            let written = record.written(Form::Markdown);
            assert_eq!(written, record.line(), "{text:?}");
            assert_eq!(entries(&written).next().unwrap().record, record);
        }
    }

    #[test]
    fn a_person_may_write_one_and_unknown_keys_survive() {
        let text = "- Deploys go out on Tuesdays\n  <!-- id: mine |at:2026-05-01T10:00:00Z| mood: good \\| bad -->\n";
        let record = entries(text).next().unwrap().record;
        assert_eq!((record.id.as_str(), record.session_id.as_str()), ("mine", "2026-05-01"));
        assert_eq!(record.unknown["mood"], "good | bad");
        assert!(record.written(Form::Markdown).contains("| mood: good \\| bad -->"));
    }

    #[test]
    fn what_is_no_record_is_the_users_or_broken() {
        let footer = "<!-- id: a | at: 2026-05-01T10:00:00Z -->";
        let table = [
            ("- a list\n- of mine\n", 0, 0),
            (&*format!("words\n  {footer}\n"), 0, 1),
            (&*format!("- words\nnot indented\n  {footer}\n"), 0, 1),
            ("- words\n  <!-- id: a | at: noon -->\n", 0, 1),
            ("- words\n  <!-- id: a | at: 2026-05-01T10:00:00Z | id: b -->\n", 0, 1),
            ("- words\n  <!-- at: 2026-05-01T10:00:00Z | id: a -->\n", 0, 0),
            ("- words\n  <!-- id: a | tier: core -->\n", 0, 0),
            (&*format!("- words\n  {footer}\n  {footer}\n"), 1, 1),
            (&*format!("- words\r\n  {footer}\r\n"), 1, 0),
            (&*format!("- words\n\t{footer}"), 1, 0),
        ];
        for (source, records, broken) in table {
            let all: Vec<Part> = parts(source).collect();
            let of = |is: fn(&Part) -> bool| all.iter().filter(|part| is(part)).count();
            assert_eq!(of(|part| matches!(part, Part::Record(_))), records, "{source}");
            assert_eq!(of(|part| matches!(part, Part::Broken { .. })), broken, "{source}");
        }
    }

    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z]{1,8}",
            "[ -~äß\u{2028}\t]{0,12}",
            Just("<!-- id: x | at: 2026-05-01T10:00:00Z -->".to_owned()),
            Just("-->".to_owned()),
            Just("--!> | \\".to_owned()),
            Just("\\<!--".to_owned()),
            Just("- {\"id\"".to_owned()),
            Just(", a\\,".to_owned()),
        ]
    }

    fn records() -> impl Strategy<Value = Record> {
        let text = proptest::collection::vec(word(), 1..5).prop_map(|lines| lines.join("\n"));
        let tags = proptest::collection::vec(word(), 0..3);
        let extra = proptest::collection::btree_map("[a-z]{1,6}|id|words x", word(), 0..3);
        (text, tags, extra, word(), word(), any::<bool>(), 0..2_000_000_000_i64).prop_map(
            |(text, tags, extra, speaker, session, pinned, second)| {
                let time = Timestamp::from_second(second).unwrap();
                let mut record = Record::new("k7m2qd4xwz", &session, "note", &text, time);
                (record.tags, record.pinned, record.speaker) = (tags, pinned, Some(speaker));
                record.provenance.unknown.insert("x".to_owned(), Value::from(second));
                for (key, value) in extra {
                    record.unknown.insert(format!("x-{key}"), Value::String(value));
                }
                record
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(all in proptest::collection::vec(records(), 1..4), own in word()) {
            let mut source = String::new();
            for record in &all {
                source.push_str(&record.written(Form::Markdown));
                source.push_str(&own.replace("<!--", ""));
                source.push('\n');
            }
            let read: Vec<Record> = entries(&source).map(|entry| entry.record).collect();
            prop_assert_eq!(read, all);
            let whole: String = parts(&source).map(|part| &source[part.span()]).collect();
            prop_assert_eq!(whole, source);
        }
    }
}
