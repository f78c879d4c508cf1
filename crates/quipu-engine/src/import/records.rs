//! Drafts as records: ids, secrets, what the source does not say, and what is told about it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use quipu_core::item::{Decision, Source};
use quipu_core::journal::{LIFECYCLE, Record};
use quipu_core::secret::{self, Scope};
use quipu_core::text::{collapse_whitespace, ellipsis};
use quipu_import::classify::Class;
use quipu_import::{Draft, Skip, id};
use serde_json::{Map, Value, json};

use super::Sample;
use crate::caller::Actor;
use crate::config::OnSecret;
use crate::operation::Request;
use crate::records::to_milliseconds;
use crate::secret_policy;
use crate::workspace::Workspace;

/// How channels of imported records begin.
pub(crate) const CHANNEL: &str = "import:";

/// The key of a record that says where it is from.
pub(crate) const ORIGIN: &str = "origin";

/// Of a category so many memories are shown as samples.
const SAMPLES: usize = 2;

/// So many samples are shown in all.
const MOST_SAMPLES: usize = 8;

/// So many memories are explained.
const MOST_EXPLAINED: usize = 100_000;

/// Keys without a place of their own are kept as long as they are no longer than this together.
const MOST_EXTRA: usize = 2048;

/// A longer text is a document.
const LONGEST_TEXT: usize = 1024 * 1024;

/// What is told about an import.
#[derive(Default)]
pub(super) struct Told {
    explain: bool,
    pub(super) samples: Vec<Sample>,
    pub(super) categories: BTreeMap<String, usize>,
    pub(super) layers: BTreeMap<String, usize>,
}

impl Told {
    pub(super) fn new(explain: bool) -> Self {
        Self { explain, ..Self::default() }
    }

    /// Counts a memory, and shows it where not enough like it were shown.
    pub(super) fn add(&mut self, id: &str, draft: &Draft, class: &Class) {
        let count = self.categories.entry(class.category.clone()).or_default();
        *count += 1;
        let is_shown = *count <= SAMPLES && self.samples.len() < MOST_SAMPLES;
        *self.layers.entry(class.layer.to_string()).or_default() += 1;
        if (self.explain && self.samples.len() < MOST_EXPLAINED) || is_shown {
            let line = draft.origin.line.map(|line| format!(":{line}")).unwrap_or_default();
            self.samples.push(Sample {
                id: id.to_owned(),
                text: ellipsis(&collapse_whitespace(&draft.text), 160),
                time: draft.time,
                time_from: draft.time_from,
                category: class.category.clone(),
                layer: class.layer.as_str(),
                memory_type: class.memory_type.as_str(),
                rule: class.rule,
                from: format!("{}{line}", draft.origin.file),
            });
        }
    }
}

/// Applies the policy on secrets to all words of a draft. Returns whether something was blacked out.
pub(super) fn guarded(workspace: &Workspace, draft: &mut Draft) -> Result<bool, Skip> {
    let policy = workspace.config().guard.on_read();
    if policy == OnSecret::Allow {
        return Ok(false);
    }
    let mut is_changed = false;
    let words = secret_policy::guarded(policy, &draft.text).map_err(|_| Skip::Secret)?;
    if *words != *draft.text {
        let left = words.replace(secret::REDACTED, "");
        if !left.chars().any(char::is_alphabetic) {
            return Err(Skip::Secret);
        }
        draft.text = words.into_owned();
        is_changed = true;
    }
    // What something is called goes as a whole: half of a name means nothing.
    let mut is_clean = |text: &str| {
        let is_clean = secret::redacted(text, Scope::Credentials) == text;
        is_changed |= !is_clean;
        is_clean
    };
    draft.tags.retain(|tag| is_clean(tag));
    for name in [&mut draft.category, &mut draft.speaker, &mut draft.session, &mut draft.heading] {
        if name.as_ref().is_some_and(|name| !is_clean(name)) {
            *name = None;
        }
    }
    for (note, _) in &mut draft.notes {
        if !is_clean(note) {
            *note = secret::redacted(note, Scope::Credentials);
        }
    }
    if let Some((_, why)) = &mut draft.decided
        && !is_clean(why)
    {
        *why = secret::redacted(why, Scope::Credentials);
    }
    let origin = &mut draft.origin;
    for text in [&mut origin.account, &mut origin.file] {
        if !is_clean(text) {
            text.clear();
        }
    }
    if origin.id.as_ref().is_some_and(|id| !is_clean(id)) {
        origin.id = origin.id.as_ref().map(|text| id::derived(&[text]));
    }
    for value in origin.extra.values_mut() {
        redact(value, &mut is_clean);
    }
    Ok(is_changed)
}

fn redact(value: &mut Value, is_clean: &mut dyn FnMut(&str) -> bool) {
    match value {
        Value::String(text) if !is_clean(text) => {
            *text = secret::redacted(text, Scope::Credentials);
        }
        Value::Array(all) => all.iter_mut().for_each(|one| redact(one, is_clean)),
        Value::Object(all) => {
            all.retain(|key, _| is_clean(key));
            all.values_mut().for_each(|one| redact(one, is_clean));
        }
        _ => {}
    }
}

/// Tells whether a draft is too long to be a memory.
pub(super) fn is_too_long(draft: &Draft) -> bool {
    draft.text.len() > LONGEST_TEXT
}

/// Returns a draft as a record under an id.
pub(super) fn record(
    workspace: &Workspace,
    id: &str,
    draft: &Draft,
    class: &Class,
    format: &str,
    request: &Request<'_>,
) -> Record {
    // A source that does not say when is of no day at all.
    let time = to_milliseconds(draft.time.unwrap_or(Timestamp::UNIX_EPOCH));
    let day = workspace.day(time).to_string();
    let session = draft.session.as_deref().map(collapse_whitespace).filter(|name| !name.is_empty());
    let category = match collapse_whitespace(&class.category) {
        // Decisions about memories are not for others to bring along.
        name if name.is_empty() || name == LIFECYCLE => "note".to_owned(),
        name => name,
    };
    let mut record =
        Record::new(id, session.as_deref().unwrap_or(&day), &category, &draft.text, time);
    record.provenance.source_channel = format!("{CHANNEL}{format}");
    if let Some(sensitivity) = draft.sensitivity {
        record.provenance.sensitivity = sensitivity;
    }
    if let Some(sure) = draft.confidence.filter(|sure| (0.0..1.0).contains(sure)) {
        record.provenance.confidence =
            serde_json::Number::from_f64(sure).unwrap_or_else(|| 1.into());
    }
    // Said in full: what words mean to the rules of a later version changes neither.
    (record.layer, record.memory_type) = (Some(class.layer), Some(class.memory_type));
    record.source = Some(match (draft.source, request.caller.actor) {
        // Whoever is no person brings no person's words along.
        (Source::Human, Actor::Agent(_)) => Source::Interaction,
        (source, _) => source,
    });
    record.speaker =
        draft.speaker.as_deref().map(collapse_whitespace).filter(|name| !name.is_empty());
    record.tags = draft.tags.iter().map(|tag| collapse_whitespace(tag)).collect();
    record.tags.retain(|tag| !tag.is_empty());
    record.tags.sort();
    record.tags.dedup();
    record.importance = Some(class.importance);
    record.valid_from = draft.valid_from.map(to_milliseconds);
    record.valid_to = draft.valid_to.map(to_milliseconds);
    record.negative = class.negative;
    record.pinned = draft.pinned;
    record.unknown.insert(ORIGIN.to_owned(), Value::String(origin(draft, class)));
    record
}

/// Returns where a draft is from, as its record says it.
fn origin(draft: &Draft, class: &Class) -> String {
    let from = &draft.origin;
    let mut all = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            all.insert(key.to_owned(), value);
        }
    };
    let text = |text: &str| (!text.is_empty()).then(|| json!(text));
    put("id", from.id.as_ref().map(|id| json!(id)));
    put("file", text(&from.file));
    put("line", from.line.map(|line| json!(line)));
    put("account", text(&from.account));
    put("time", draft.time_from.map(|time| json!(time)));
    put("rule", Some(json!(class.rule)));
    if !from.extra.is_empty() {
        let extra = Value::Object(from.extra.clone());
        let is_short = extra.to_string().len() <= MOST_EXTRA;
        put("extra", is_short.then_some(extra));
    }
    Value::Object(all).to_string()
}

/// Returns a decision about an imported memory, as its source made it.
pub(super) fn decision(
    target: &str,
    decision: Decision,
    reason: &str,
    at: Timestamp,
    channel: &str,
) -> Record {
    let at = to_milliseconds(at);
    let what = serde_json::to_string(&decision).unwrap_or_default();
    let event = id::derived(&["event", target, &what, &at.to_string(), reason]);
    let mut record = Record::deciding(event, "import", target, (decision, reason), at);
    channel.clone_into(&mut record.provenance.source_channel);
    record
}
