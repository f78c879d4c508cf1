//! A working session: what happened in it, and the log that is written at its end.

use std::collections::BTreeSet;
use std::fmt::Write;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hook::evidence::Use;
use crate::named::named;

/// Something that happened to a fact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// It was relied on, opened, changed or closed.
    Referenced {
        /// The fact.
        id: String,
    },
    /// It was written.
    Created {
        /// The fact.
        id: String,
    },
    /// It came back from the archive.
    Reactivated {
        /// The fact.
        id: String,
    },
    /// It was replaced, or found false.
    Superseded {
        /// The fact.
        old: String,
        /// Its successor.
        new: Option<String>,
    },
    /// A person confirmed it.
    Confirmed {
        /// The fact.
        id: String,
        /// The person.
        by: String,
    },
}

/// Events in the order in which they happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Events(pub Vec<Event>);

impl Events {
    /// Returns every id that an event names.
    pub fn ids(&self) -> BTreeSet<&str> {
        let mut ids = BTreeSet::new();
        for event in &self.0 {
            match event {
                Event::Referenced { id }
                | Event::Created { id }
                | Event::Reactivated { id }
                | Event::Confirmed { id, .. } => {
                    ids.insert(id.as_str());
                }
                Event::Superseded { old, new } => {
                    ids.insert(old);
                    ids.extend(new.as_deref());
                }
            }
        }
        ids
    }
}

/// A line that somebody noted during the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// Where it goes in the log.
    pub kind: NoteKind,
    /// What was noted.
    pub text: String,
}

named! {
    /// What a note is about, in the order of a log.
    #[derive(Default)]
    NoteKind {
        /// What was done.
        #[default]
        Did = "did",
        /// What was decided.
        Decided = "decided",
        /// What the next session should know.
        Next = "next",
    }
}

/// A session before its log is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OpenSession {
    /// Its name while it is open.
    pub id: String,
    /// Who works.
    pub agent: Option<String>,
    /// For whom.
    pub user: Option<String>,
    /// When it began.
    pub started: Option<Timestamp>,
    /// Whether a hook opened it; nobody at a terminal means it then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_hook: bool,
    /// What was noted.
    pub notes: Vec<Note>,
    /// What happened to facts.
    pub events: Events,
    /// Summaries of reviews that were applied in it.
    pub reviews: Vec<String>,
    /// How hooks saw that facts were used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Use>,
}

impl OpenSession {
    /// Tells whether nothing happened that a log would tell.
    pub fn is_quiet(&self) -> bool {
        self.notes.is_empty() && self.events.0.is_empty() && self.reviews.is_empty()
    }

    /// Adds what happened outside any session to this one.
    pub fn absorb(&mut self, other: Self) {
        self.notes.splice(0..0, other.notes);
        self.events.0.splice(0..0, other.events.0);
        self.reviews.splice(0..0, other.reviews);
    }

    /// Renders the log.
    pub fn log(&self, ended: Timestamp) -> String {
        let time = |at: Timestamp| at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
        let mut log = String::new();
        let span = match self.started {
            Some(started) => format!("{} - {}", time(started), time(ended)),
            None => time(ended),
        };
        let agent = self.agent.as_deref().unwrap_or("unknown");
        let _ = write!(log, "# Session ({span})\n\n**Agent:** {agent}\n");
        if let Some(user) = &self.user {
            let _ = writeln!(log, "**User:** {user}");
        }
        for (kind, title) in [
            (NoteKind::Did, "What We Did"),
            (NoteKind::Decided, "Decisions Made"),
            (NoteKind::Next, "Context for Next Session"),
        ] {
            let notes: Vec<&Note> = self.notes.iter().filter(|note| note.kind == kind).collect();
            if !notes.is_empty() {
                let _ = write!(log, "\n## {title}\n\n");
                for note in notes {
                    push_item(&mut log, &note.text);
                }
            }
        }
        log.push_str("\n## Memory References\n\n");
        log.push_str(&self.references());
        for review in &self.reviews {
            let _ = write!(log, "\n{}\n", review.trim_end());
        }
        log
    }

    fn references(&self) -> String {
        let mut listed: BTreeSet<&str> = BTreeSet::new();
        let mut lines = String::new();
        for (label, pick) in LABELS {
            let mut entries: Vec<String> = Vec::new();
            for event in &self.events.0 {
                let Some((id, entry)) = pick(event) else {
                    continue;
                };
                // What was created or replaced was used anyway.
                let repeats = label == "Referenced" && listed.contains(id);
                if !repeats && !entries.contains(&entry) {
                    entries.push(entry);
                }
                listed.insert(id);
            }
            if !entries.is_empty() {
                let _ = writeln!(lines, "- {label}: {}", entries.join(", "));
            }
        }
        if lines.is_empty() { "(none)\n".to_owned() } else { lines }
    }
}

type Pick = fn(&Event) -> Option<(&str, String)>;

/// The labels of the references section, in order.
const LABELS: [(&str, Pick); 5] = [
    ("Created", |event| match event {
        Event::Created { id } => Some((id, id.clone())),
        _ => None,
    }),
    ("Superseded", |event| match event {
        Event::Superseded { old, new } => {
            let successor = new.as_deref().unwrap_or("(invalidated)");
            let arrow = if new.is_some() { "→ " } else { "" };
            Some((old, format!("{old} {arrow}{successor}")))
        }
        _ => None,
    }),
    ("Reactivated", |event| match event {
        Event::Reactivated { id } => Some((id, id.clone())),
        _ => None,
    }),
    ("Confirmed", |event| match event {
        Event::Confirmed { id, by } => Some((id, format!("{id} (by {by})"))),
        _ => None,
    }),
    ("Referenced", |event| match event {
        Event::Referenced { id } => Some((id, id.clone())),
        _ => None,
    }),
];

/// Adds `text` as a list item; a heading in it becomes plain, so that it opens no section.
fn push_item(log: &mut String, text: &str) {
    for (index, line) in text.trim().lines().enumerate() {
        log.push_str(if index == 0 { "- " } else { "  " });
        log.push_str(line.trim_end());
        log.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::SessionLog;

    fn session() -> OpenSession {
        let id = |id: &str| id.to_owned();
        OpenSession {
            agent: Some("Codex".to_owned()),
            notes: vec![
                Note { kind: NoteKind::Next, text: "look at z".to_owned() },
                Note {
                    kind: NoteKind::Did,
                    text: "did\n## Memory References\n- fake-id".to_owned(),
                },
            ],
            events: Events(vec![
                Event::Referenced { id: id("a-a") },
                Event::Created { id: id("b-b") },
                Event::Referenced { id: id("b-b") },
                Event::Superseded { old: id("c-c"), new: Some(id("b-b")) },
                Event::Superseded { old: id("d-d"), new: None },
            ]),
            reviews: vec![
                "## Memory Review (2026-06-20)\n\n- Archived: 1 (gone-away)\n".to_owned(),
            ],
            ..OpenSession::default()
        }
    }

    #[test]
    fn a_log_reads_back_as_what_happened() {
        let text = session().log("2026-06-20T10:00:00Z".parse().unwrap());
        let log = SessionLog::parse("2026-06-20-100000", &text);
        assert_eq!(log.tokens.into_iter().collect::<Vec<_>>(), ["a-a", "b-b", "c-c", "d-d"]);
        assert_eq!(log.created.into_iter().collect::<Vec<_>>(), ["b-b"]);
        assert!(log.has_review);
        assert!(log.uncounted_headings.is_empty());
    }

    #[test]
    fn a_session_without_events_says_none() {
        let log = OpenSession::default().log("2026-06-20T10:00:00Z".parse().unwrap());
        assert!(log.ends_with("## Memory References\n\n(none)\n"), "{log}");
        assert!(OpenSession::default().is_quiet());
    }
}
