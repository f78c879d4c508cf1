//! `quipu journal …`: records as they are written.

use std::fmt::Write as _;
use std::time::Duration;

use jiff::Timestamp;
use quipu_core::secret::Scope;
use quipu_core::text;
use quipu_engine::Workspace;
use quipu_engine::journal::{FiledRecord, RecordQuery, Records};
use quipu_engine::remember::{NewMemory, Remembered};
use serde_json::json;

use crate::cli::{AppendArgs, JournalCommand, ListRecordsArgs, WhichArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::{CYAN, DIM, GREEN, Reply, YELLOW, styled};

/// How often somebody who follows looks.
const EVERY: Duration = Duration::from_millis(300);

/// So many findings of a kind are listed.
const LISTED: usize = 5;

/// A longer text is told by its beginning.
const LONGEST_LINE: usize = 300;

pub(crate) fn run(command: JournalCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let reply = match command {
        JournalCommand::Append(arguments) => append(&arguments, &workspace, context),
        JournalCommand::List(arguments) => list(&arguments, &workspace),
        JournalCommand::Tail { lines, follow, which } => {
            tail(lines, follow, &which, &workspace, context)
        }
        JournalCommand::Show { id, allow_secret } => show(&id, allow_secret, &workspace),
        JournalCommand::Scan { all } => scan(all, &workspace, context),
        JournalCommand::Trim { max_records, max_chars, dry } => {
            trim((max_records, max_chars), dry.dry_run, &workspace)
        }
        JournalCommand::Flush(dry) => {
            let done = workspace.flush_journal(&context.request("journal flush", dry.dry_run))?;
            Ok(remembered(&done, "checkpoint", dry.dry_run))
        }
    };
    super::tell_recovered(&workspace);
    reply
}

fn append(
    arguments: &AppendArgs,
    workspace: &Workspace,
    context: &Context,
) -> Result<Reply, CommandError> {
    let new = NewMemory {
        text: context.vouched(&arguments.text, Scope::Credentials, &arguments.not_secret)?,
        category: arguments.category.clone(),
        sensitivity: Some(arguments.sensitivity),
        channel: Some(arguments.channel.clone()),
        confidence: Some(arguments.confidence),
        pinned: arguments.pin,
        allow_secret: arguments.allow_secret,
        ..NewMemory::default()
    };
    let request = context.request("journal append", arguments.dry.dry_run);
    let done = workspace.remember(&[new], &request)?;
    Ok(remembered(&done, "record", request.dry_run))
}

fn remembered(done: &Remembered, what: &str, dry_run: bool) -> Reply {
    let id = done.ids.first().cloned().unwrap_or_default();
    let verb = if dry_run { "would append" } else { "appended" };
    let mut text = format!("{verb} {what} {} {}\n", styled(CYAN, &id), styled(DIM, &done.path));
    if let Some(why) = &done.degraded {
        let _ = writeln!(text, "{} {why}", styled(YELLOW, "note:"));
    }
    let data =
        json!({ "id": id, "path": done.path, "dry_run": dry_run, "degraded": done.degraded });
    Reply::new(text, data)
}

fn query(which: &WhichArgs) -> RecordQuery {
    RecordQuery {
        session: which.in_session.clone(),
        category: which.category.clone(),
        allow_secret: which.allow_secret,
        decisions: which.decisions,
        ..RecordQuery::default()
    }
}

fn list(arguments: &ListRecordsArgs, workspace: &Workspace) -> Result<Reply, CommandError> {
    let found = workspace.records(&RecordQuery {
        since: arguments.since.map(|moment| moment.start(workspace.zone())),
        until: arguments.until.map(|moment| moment.start(workspace.zone())),
        window: arguments.window,
        newest: arguments.limit,
        ..query(&arguments.which)
    })?;
    Ok(listed(&found))
}

fn listed(found: &Records) -> Reply {
    let mut text: String = found.records.iter().map(line).collect();
    if found.more > 0 {
        let _ = writeln!(text, "{}", styled(DIM, format!("{} older match too", found.more)));
    }
    if found.secrets > 0 {
        let note = format!("{} secret, not shown without --allow-secret", found.secrets);
        let _ = writeln!(text, "{}", styled(DIM, note));
    }
    for (path, why) in &found.unread {
        let _ = writeln!(text, "{} {path}: {why}", styled(YELLOW, "skipped"));
    }
    if found.records.is_empty() && found.secrets == 0 {
        text.push_str("no records\n");
    }
    Reply::new(text, json!(found)).exit(u8::from(found.records.is_empty()))
}

fn line(filed: &FiledRecord) -> String {
    let record = &filed.record;
    let time = record.provenance.timestamp.strftime("%Y-%m-%d %H:%M:%S").to_string();
    let mut words = text::ellipsis(&text::collapse_whitespace(&record.text), LONGEST_LINE);
    if let Some(decision) = &record.decision {
        let about = record.target.as_deref().unwrap_or_default();
        words = format!("{about}: {} {words}", decision.in_words());
    }
    if let Some(merged) = &record.merged {
        words = format!("(stands for {} records) {words}", merged.records);
    }
    let pinned = if record.pinned { " pinned" } else { "" };
    format!(
        "{} {} {}{pinned} {words}\n",
        styled(DIM, time),
        styled(CYAN, &record.id),
        styled(GREEN, format!("[{}]", record.category)),
    )
}

fn tail(
    lines: usize,
    follow: bool,
    which: &WhichArgs,
    workspace: &Workspace,
    context: &Context,
) -> Result<Reply, CommandError> {
    let newest = RecordQuery { newest: Some(lines), ..query(which) };
    let found = workspace.tail(&newest)?;
    if !follow {
        return Ok(listed(&found));
    }
    let print = |records: &[FiledRecord]| -> Result<(), CommandError> {
        for filed in records {
            let shown = if context.global.json {
                serde_json::to_string(filed).unwrap_or_default()
            } else {
                line(filed)
            };
            Reply::new(shown, json!(null)).print(false, true).map_err(|error| {
                CommandError::input("io", format!("cannot write the answer: {error}"))
            })?;
        }
        Ok(())
    };
    print(&found.records)?;
    let mut seen: std::collections::BTreeSet<String> =
        found.records.into_iter().map(|filed| filed.record.id).collect();
    let all = RecordQuery { newest: Some(1000), ..query(which) };
    if lines < 1000 {
        seen.extend(workspace.tail(&all)?.records.into_iter().map(|filed| filed.record.id));
    }
    loop {
        std::thread::sleep(EVERY);
        let mut new = workspace.tail(&all)?.records;
        new.retain(|filed| seen.insert(filed.record.id.clone()));
        print(&new)?;
    }
}

fn show(id: &str, allow_secret: bool, workspace: &Workspace) -> Result<Reply, CommandError> {
    let lines = workspace.record(id, allow_secret)?;
    let record = &lines[0].record;
    let mut text = output::json_text(record);
    text.push('\n');
    for filed in &lines {
        let place = format!("{}:{}", filed.path, filed.line);
        let what = if filed.record.id == record.id { "stands in" } else { "is merged in" };
        let other = if filed.record.id == record.id { "" } else { &*filed.record.id };
        let _ = writeln!(text, "{}", styled(DIM, format!("{what} {place} {other}").trim_end()));
    }
    let places: Vec<_> = lines
        .iter()
        .filter(|filed| filed.record.id == record.id)
        .map(|filed| json!({ "path": filed.path, "line": filed.line }))
        .collect();
    let merged: Vec<&str> = lines
        .iter()
        .filter(|filed| filed.record.id != record.id)
        .map(|filed| filed.record.id.as_str())
        .collect();
    let data = json!({ "record": record, "places": places, "merged_in": merged });
    Ok(Reply::new(text, data))
}

fn scan(all: bool, workspace: &Workspace, context: &Context) -> Result<Reply, CommandError> {
    let scanned = workspace.scan_journal(context.now())?;
    let mut text = String::new();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for finding in &scanned.findings {
        let count = counts.entry(finding.code).or_default();
        *count += 1;
        if all || *count <= LISTED {
            let style = if finding.severity == "info" { DIM } else { YELLOW };
            let _ = writeln!(
                text,
                "{} {}:{} {}",
                styled(style, format!("{:<13}", finding.code)),
                finding.path,
                finding.line,
                finding.issue,
            );
            if *count == 1 {
                let _ = writeln!(text, "              {}", styled(DIM, finding.hint));
            }
        }
    }
    let mut advice = String::new();
    for (code, count) in &counts {
        if !all && *count > LISTED {
            let _ = writeln!(text, "{code}: {} more", count - LISTED);
            "`--all` lists every finding".clone_into(&mut advice);
        }
    }
    let sound = counts.keys().all(|code| *code == "stale");
    let summary = format!(
        "{} records in {} files, {} findings",
        scanned.records,
        scanned.files,
        scanned.findings.len()
    );
    let _ = writeln!(text, "{}", styled(if sound { GREEN } else { YELLOW }, summary));
    Ok(Reply::new(text, json!(scanned)).exit(u8::from(!sound)).advise(advice))
}

fn trim(
    (records, chars): (Option<usize>, Option<usize>),
    dry_run: bool,
    workspace: &Workspace,
) -> Result<Reply, CommandError> {
    let mut limits = workspace.window_limits();
    if records.is_some() || chars.is_some() {
        (limits.records, limits.chars) = (records, chars);
    }
    if !limits.are_set() {
        return Err(CommandError::usage("the window has no limit").hint(
            "give --max-records or --max-chars, or set continuity.memoryMaxRecords in quipu.toml",
        ));
    }
    let done = workspace.trim(&limits, dry_run)?;
    let verb = if dry_run { "would take" } else { "took" };
    let mut text = match done.dropped {
        0 => "nothing to trim\n".to_owned(),
        dropped => format!("{verb} {dropped} records out of MEMORY.md; {} are left\n", done.left),
    };
    if let Some(archive) = &done.archive {
        let _ = writeln!(text, "{} of them kept in {archive}", done.archived);
    }
    if done.is_over {
        let note = "still over the limit: what is left is pinned, protected, the newest, or yours";
        let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
    }
    let mut data = json!(done);
    data["dry_run"] = json!(dry_run);
    Ok(Reply::new(text, data))
}

/// A time in words.
pub(crate) fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
