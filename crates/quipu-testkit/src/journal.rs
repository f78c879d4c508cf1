//! What tests do with the journal: write its files, open, compact and brief.

use quipu_core::item::Sensitivity;
use quipu_core::journal::Record;
use quipu_engine::brief::{self, BriefRequest, Briefing};
use quipu_engine::caller::Channel;
use quipu_engine::compaction::{CompactRequest, Compacted};
use quipu_engine::{Workspace, open, upkeep};

use crate::TestRepo;
use crate::repo::{ago, now};

/// A record that is `days` old, as a web client writes it.
pub fn record(id: &str, category: &str, text: &str, days: i64) -> Record {
    let mut record = Record::new(id, "s1", category, text, ago(days));
    "web".clone_into(&mut record.provenance.source_channel);
    record
}

/// A record that is marked as secret.
pub fn secret(id: &str, text: &str, days: i64) -> Record {
    let mut record = record(id, "note", text, days);
    record.provenance.sensitivity = Sensitivity::Secret;
    record
}

/// A profile as the original leaves it: a window, and no shared layer.
pub fn profile(lines: &[String]) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("MEMORY.md", &lines.concat());
    repo
}

/// Opens the workspace with settings of the journal's.
pub fn configured(repo: &TestRepo, settings: &[(&str, &str)]) -> Workspace {
    let settings: Vec<(String, String)> = settings
        .iter()
        .map(|(key, value)| (format!("continuity.{key}"), (*value).to_owned()))
        .collect();
    let fs = std::sync::Arc::new(crate::NoSyncFs);
    open::at_with(fs, repo.root(), &settings).unwrap().keeping_state_in(repo.state_home())
}

/// A compaction at the fixed time of tests.
pub fn compaction() -> CompactRequest {
    CompactRequest { now: now(), if_due: false, force: false, dry_run: false }
}

/// Compacts the journal, whether or not that is due.
pub fn compact(workspace: &Workspace) -> Compacted {
    upkeep::compact(workspace, &compaction()).unwrap()
}

/// The briefing of the main channel, at the fixed time of tests.
pub fn brief(workspace: &Workspace, hint: Option<&str>) -> Briefing {
    let request = BriefRequest {
        now: now(),
        cap: None,
        tokens: None,
        hint: hint.map(str::to_owned),
        channel: Channel::Main,
    };
    brief::brief(workspace, &request).unwrap()
}

/// The records in a file of the journal.
pub fn records_in(repo: &TestRepo, path: &str) -> Vec<Record> {
    quipu_core::journal::records(&repo.read(path)).map(|(_, record)| record).collect()
}
