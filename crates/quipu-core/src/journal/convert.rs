//! A file of the journal with its records in the other form. What is the user's own stays as it is.

use super::entry::{Entry, Form, Part, entries, parts};
use super::{HEADER, LIFECYCLE, READABLE_HEADER, Record};

/// A file with its records in another form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// The file.
    pub text: String,
    /// Events that were in it, and belong to a file of events now, in their order.
    pub events: Vec<Record>,
    /// How many records have another form now.
    pub records: usize,
    /// How many records stay as they are, because the other form would say something else.
    pub kept: usize,
}

/// Returns a file with its records as bullets. With `takes_events`, events leave it.
pub fn to_markdown(source: &str, takes_events: bool) -> Converted {
    converted(source, Form::Markdown, takes_events)
}

/// Returns a file with its records as lines of JSON.
pub fn to_json(source: &str) -> Converted {
    converted(source, Form::Json, false)
}

fn converted(source: &str, to: Form, takes_events: bool) -> Converted {
    let (from_header, header) = match to {
        Form::Markdown => (HEADER, READABLE_HEADER),
        Form::Json | Form::Bare => (READABLE_HEADER, HEADER),
    };
    let mut converted = Converted::default();
    let rest = source.strip_prefix(from_header);
    converted.text.push_str(if rest.is_some() { header } else { "" });
    let source = rest.unwrap_or(source);
    for part in parts(source) {
        let span = part.span();
        match part {
            Part::Record(entry) if takes_events && entry.record.category == LIFECYCLE => {
                converted.events.push(entry.record);
            }
            Part::Record(entry) if entry.form != to => {
                let text = rewritten(source, &entry, to);
                converted.records += usize::from(text.is_some());
                converted.kept += usize::from(text.is_none());
                converted.text.push_str(text.as_deref().unwrap_or(&source[span]));
            }
            _ => converted.text.push_str(&source[span]),
        }
    }
    converted
}

/// Returns a record in another form, where it says the same there.
fn rewritten(source: &str, entry: &Entry, to: Form) -> Option<String> {
    let mut text = match to {
        Form::Json => entry.record.line(),
        Form::Markdown | Form::Bare => entry.record.written(to),
    };
    let old = &source[entry.span.clone()];
    if old.ends_with("\r\n") {
        text = text.replace('\n', "\r\n");
    } else if !old.ends_with('\n') {
        text.truncate(text.trim_end_matches('\n').len());
    }
    let read = entries(&text).next();
    read.filter(|read| read.form == to && read.record == entry.record).map(|_| text)
}

/// Returns a day's log with events between its records, each after those of its time or before.
pub fn with_events(day: &str, events: &[Record]) -> String {
    let mut events: Vec<&Record> = events.iter().collect();
    events.sort_by_key(|event| event.provenance.timestamp);
    let mut events = events.into_iter().peekable();
    let mut text = String::with_capacity(day.len());
    let push = |text: &mut String, event: &Record| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&event.line());
    };
    for part in parts(day) {
        if let Part::Record(entry) = &part {
            let time = entry.record.provenance.timestamp;
            while let Some(event) = events.next_if(|event| event.provenance.timestamp < time) {
                push(&mut text, event);
            }
        }
        text.push_str(&day[part.span()]);
    }
    events.for_each(|event| push(&mut text, event));
    text
}

/// Returns a file of events with more of them; what is no event in it stays at its end.
pub fn events_file(source: &str, more: &[Record]) -> String {
    let mut events = more.to_vec();
    let (old, rest) = events_of(source);
    events.extend(old);
    events.sort_by_key(|event| event.provenance.timestamp);
    let lines: String = events.iter().map(|event| event.written(Form::Bare)).collect();
    lines + &rest
}

/// Returns the events of a file of events, and what else is in it.
pub fn events_of(source: &str) -> (Vec<Record>, String) {
    let mut events = Vec::new();
    let mut rest = String::new();
    for part in parts(source) {
        match part {
            Part::Record(entry) => events.push(entry.record),
            Part::Broken { span, .. } | Part::Own { span, .. } => rest.push_str(&source[span]),
        }
    }
    (events, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Decision;

    fn record(id: &str, text: &str, second: i64) -> Record {
        let at = jiff::Timestamp::from_second(1_763_200_000 + second).unwrap();
        Record::new(id, "2026-06-20", "note", text, at)
    }

    fn pin(id: &str, target: &str, second: i64) -> Record {
        let at = jiff::Timestamp::from_second(1_763_200_000 + second).unwrap();
        let decision = (Decision::Pin { pinned: true }, "it matters");
        Record::deciding(id, "2026-06-20", target, decision, at)
    }

    #[test]
    fn a_day_becomes_readable_and_json_again() {
        let [first, event, second] =
            [record("a", "One.\n\nTwo.", 0), pin("e", "a", 5), record("b", "Three", 9)];
        let own = "- my own\n\n";
        let json = format!("{own}{}{}{}", first.line(), event.line(), second.line());
        let made = to_markdown(&json, true);
        assert_eq!((made.records, made.kept, &*made.events), (2, 0, &[event.clone()][..]));
        assert!(made.text.starts_with("- my own\n\n- One.\n\n  Two.\n  <!--"), "{}", made.text);
        let back = to_json(&made.text);
        assert_eq!(with_events(&back.text, &made.events), json);
        let events = events_file("", &made.events);
        assert_eq!(events_of(&events), (vec![event], String::new()));
    }

    #[test]
    fn what_the_other_form_cannot_say_stays() {
        let source = record("a", " indented", 0).line();
        let made = to_markdown(&source, true);
        assert_eq!((made.text, made.records, made.kept), (source, 0, 1));
        let fine = "- words\n  <!-- id: a | at: 2026-05-01T10:00:00.123456Z -->\n";
        let made = to_json(fine);
        assert_eq!((&*made.text, made.kept), (fine, 1), "JSON has milliseconds");
    }

    #[test]
    fn ends_of_lines_stay() {
        let source = record("a", "One", 0).line().replace('\n', "\r\n");
        let made = to_markdown(&source, true);
        assert!(made.text.ends_with("-->\r\n"), "{:?}", made.text);
        assert_eq!(to_json(&made.text).text, source);
        let open = source.trim_end();
        assert_eq!(to_json(&to_markdown(open, true).text).text, open);
    }
}
