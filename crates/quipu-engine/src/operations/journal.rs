//! The journal: records as they are written, read and kept in bounds.

mod write;

pub use write::*;

use clap::Args;
use quipu_core::item::Decision;
use quipu_core::journal::Record;
use quipu_core::journal::scan::JournalCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::caller::Permission;
use crate::journal::{self, FiledRecord, RecordQuery, Records, Scanned};
use crate::operation::input::Moment;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Which records.
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct WhichRecords {
    /// Only this session
    #[arg(long = "in-session", value_name = "ID")]
    pub in_session: Option<String>,
    /// Only this category
    #[arg(short, long, value_name = "WORD")]
    pub category: Option<String>,
    /// Secrets too
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Decisions too (category `lifecycle`)
    #[arg(long)]
    #[serde(default)]
    pub decisions: bool,
}

impl WhichRecords {
    fn query(&self) -> RecordQuery {
        RecordQuery {
            session: self.in_session.clone(),
            category: self.category.clone(),
            allow_secret: self.allow_secret,
            decisions: self.decisions,
            ..RecordQuery::default()
        }
    }
}

/// List records, oldest first: from every day, the archive and MEMORY.md
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalList {
    /// Which records.
    #[command(flatten)]
    #[serde(flatten)]
    pub which: WhichRecords,
    /// Written then or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<Moment>,
    /// Written before then
    #[arg(long, value_name = "TIME")]
    pub until: Option<Moment>,
    /// Only what stands in MEMORY.md
    #[arg(long)]
    #[serde(default)]
    pub window: bool,
    /// Only the newest so many
    #[arg(short = 'l', long, value_name = "N")]
    pub limit: Option<usize>,
}

impl Output for Records {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.records.iter_mut().for_each(|filed| said(&mut filed.record, each));
    }

    fn wants_attention(&self) -> bool {
        self.records.is_empty()
    }
}

/// Hands the words of a record over: its own, those of a decision, and all of what Quipu does not know.
fn said(record: &mut Record, each: &mut dyn FnMut(&mut String)) {
    each(&mut record.text);
    match &mut record.decision {
        Some(Decision::Edit { text }) => each(text),
        Some(Decision::Annotate { note }) => each(note),
        Some(Decision::Ask { question }) => {
            each(&mut question.reason);
            question.claim.iter_mut().chain(&mut question.now).for_each(&mut *each);
        }
        _ => {}
    }
    said_within(&mut record.unknown, each);
    said_within(&mut record.provenance.unknown, each);
}

fn said_within(fields: &mut Map<String, Value>, each: &mut dyn FnMut(&mut String)) {
    let mut values: Vec<&mut Value> = fields.values_mut().collect();
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => each(text),
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.values_mut()),
            _ => {}
        }
    }
}

impl Operation for JournalList {
    const NAME: &'static str = "journal.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = Records;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Records, OperationError> {
        journal::records(
            on,
            &RecordQuery {
                since: self.since.as_ref().map(|since| since.start(on.zone(), call.today)),
                until: self.until.as_ref().map(|until| until.until(on.zone(), call.today)),
                window: self.window,
                newest: self.limit,
                ..self.which.query()
            },
        )
    }
}

/// Show the newest records
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalTail {
    /// How many
    #[arg(short = 'n', long, default_value_t = 10)]
    #[serde(default = "ten")]
    pub lines: usize,
    /// Stay, and show what is appended until interrupted
    #[arg(short, long)]
    #[serde(skip)]
    pub follow: bool,
    /// Which records.
    #[command(flatten)]
    #[serde(flatten)]
    pub which: WhichRecords,
}

fn ten() -> usize {
    10
}

impl Operation for JournalTail {
    const NAME: &'static str = "journal.tail";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = Records;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Records, OperationError> {
        journal::tail(on, &RecordQuery { newest: Some(self.lines), ..self.which.query() })
    }
}

/// Show a record: its line, where it stands, and what stands for it
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalShow {
    /// The id, or a beginning of it that only it has
    pub id: String,
    /// A secret too
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
}

/// A record, and where it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShownRecord {
    /// The record.
    pub record: Record,
    /// Where it stands.
    pub places: Vec<RecordPlace>,
    /// The compaction records that stand for it.
    pub merged_in: Vec<String>,
    /// Every line of it, and of those.
    #[serde(skip)]
    pub lines: Vec<FiledRecord>,
}

/// Where a record stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordPlace {
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
}

impl Output for ShownRecord {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        said(&mut self.record, each);
        self.lines.iter_mut().for_each(|filed| said(&mut filed.record, each));
    }
}

impl Operation for JournalShow {
    const NAME: &'static str = "journal.show";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = ShownRecord;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<ShownRecord, OperationError> {
        let lines = journal::record(on, &self.id, self.allow_secret)?;
        let Some(record) = lines.first().map(|filed| filed.record.clone()) else {
            return Err(OperationError::bug());
        };
        let (own, others): (Vec<&FiledRecord>, Vec<&FiledRecord>) =
            lines.iter().partition(|filed| filed.record.id == record.id);
        let place =
            |filed: &FiledRecord| RecordPlace { path: filed.path.clone(), line: filed.line };
        let places = own.into_iter().map(place).collect();
        let merged_in = others.into_iter().map(|filed| filed.record.id.clone()).collect();
        Ok(ShownRecord { record, places, merged_in, lines })
    }
}

/// Look for contradictions, stale records, broken lines and files that disagree; changes nothing
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalScan {
    /// List every finding, not only the first of each kind
    #[arg(short, long)]
    #[serde(default)]
    pub all: bool,
}

impl Output for Scanned {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.findings.iter_mut().for_each(|finding| each(&mut finding.issue));
    }

    fn wants_attention(&self) -> bool {
        // What is old is not wrong.
        self.findings.iter().any(|finding| finding.code != JournalCode::Stale)
    }
}

impl Operation for JournalScan {
    const NAME: &'static str = "journal.scan";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = Scanned;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Scanned, OperationError> {
        journal::scan_journal(on, call.now)
    }
}
