//! Small things about texts and values that many readers need.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Returns a text as it can stand in a file of records: lines end with `\n`, blank lines are empty, and there is
/// no white space around it.
pub fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let ended = text.replace("\r\n", "\n").replace('\r', "\n");
    for line in ended.trim().split_inclusive('\n') {
        if line.trim().is_empty() {
            tidy.push('\n');
        } else {
            tidy.push_str(line);
        }
    }
    tidy
}

/// Reads a time: RFC 3339, a naive one in `zone`, or a day.
pub fn time_of(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if text.len() == 10
        && let Ok(date) = text.parse::<Date>()
    {
        return Some(quipu_core::when::midnight(date));
    }
    // `2026-01-02 10:00:00+00:00`, as Python and SQLite write it.
    if text.len() > 10 && text.is_char_boundary(10) && text.as_bytes()[10] == b' ' {
        let joined = format!("{}T{}", &text[..10], text[11..].trim_start());
        return joined.contains('T').then(|| time_of(&joined, zone)).flatten();
    }
    let naive: DateTime = text.parse().ok()?;
    naive.to_zoned(zone.clone()).ok().map(|zoned| zoned.timestamp())
}

/// Returns the time of a number of seconds; numbers that only make sense as milliseconds are read so.
pub fn seconds(number: f64) -> Option<Timestamp> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    let milliseconds = if number > 1e11 { number } else { number * 1000.0 };
    if milliseconds >= 253_402_300_800_000.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it was just compared with the largest")]
    Timestamp::from_millisecond(milliseconds.round() as i64).ok()
}

/// Returns the time that a value means: a text, or a number of seconds or milliseconds.
pub fn time_in(value: &Value, zone: &TimeZone) -> Option<Timestamp> {
    match value {
        Value::String(text) => {
            time_of(text, zone).or_else(|| text.trim().parse().ok().and_then(seconds))
        }
        Value::Number(number) => number.as_f64().and_then(seconds),
        _ => None,
    }
}

/// Returns a text of an object; nothing where it is missing or empty.
pub fn text_in<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}

/// Returns the texts of a list; a text alone is a list of what stands between commas.
pub fn texts_in(value: &Value) -> Vec<String> {
    let all: Vec<&str> = match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => text.split(',').collect(),
        _ => Vec::new(),
    };
    let all = all.into_iter().map(str::trim).filter(|text| !text.is_empty());
    all.map(str::to_owned).collect()
}

/// Reads a list that is kept as JSON in a text.
pub fn texts_of(json: Option<&str>) -> Vec<String> {
    let value = json.and_then(|json| serde_json::from_str::<Value>(json).ok());
    value.map(|value| texts_in(&value)).unwrap_or_default()
}

/// What is imported is never among the most important by itself.
pub const MOST_IMPORTANCE: f32 = 0.8;

/// Returns a number of an object as it can be an importance: between 0 and the most that an import may claim.
pub fn importance(value: Option<f64>) -> Option<f32> {
    let value = value.filter(|value| value.is_finite())?;
    #[expect(clippy::cast_possible_truncation, reason = "a rank needs no more digits")]
    Some((value as f32).clamp(0.0, MOST_IMPORTANCE))
}

/// Returns a text as a tag: one line, words joined by `-`.
pub fn as_tag(text: &str) -> String {
    let text = text.trim().trim_start_matches('#');
    text.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_sources_are_read() {
        let zone = TimeZone::UTC;
        for text in [
            "2026-01-02T10:00:00Z",
            "2026-01-02T10:00:00.000000+00:00",
            "2026-01-02 10:00:00",
            "2026-01-02T11:00:00+01:00",
            "2026-01-02 10:00:00+00:00",
        ] {
            let time = time_of(text, &zone).map(|time| time.to_string());
            assert_eq!(time.as_deref(), Some("2026-01-02T10:00:00Z"), "{text}");
        }
        assert_eq!(time_of("2026-01-02", &zone).unwrap().to_string(), "2026-01-02T00:00:00Z");
        assert!(time_of("soon", &zone).is_none());
        for number in [1_767_348_000.0, 1_767_348_000_000.0] {
            assert_eq!(seconds(number).unwrap().to_string(), "2026-01-02T10:00:00Z");
        }
        assert!(seconds(f64::NAN).is_none() && seconds(1e300).is_none() && seconds(-1.0).is_none());
    }

    #[test]
    fn a_text_is_tidied_once() {
        let text = tidy(" a\r\nb\r\n  \r\nc \n");
        assert_eq!(text, "a\nb\n\nc");
        assert_eq!(tidy(&text), text);
    }
}
