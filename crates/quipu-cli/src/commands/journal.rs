//! `quipu journal …`: records as they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use quipu_core::journal::scan::JournalSeverity;
use quipu_core::text;
use quipu_engine::Workspace;
use quipu_engine::journal::{FiledRecord, Records, Scanned};
use quipu_engine::operation::{Output as _, registry};
use quipu_engine::operations::{
    Appended, ConvertedJournal, JournalAppend, JournalConvert, JournalFlush, JournalList,
    JournalScan, JournalShow, JournalTail, JournalTrim, ShownRecord, TrimmedWindow,
};

use crate::context::Context;
use crate::error::CommandError;
use crate::layout;
use crate::output;
use crate::reply::{CYAN, DIM, GREEN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// How often somebody who follows looks.
const EVERY: Duration = Duration::from_millis(300);

/// So many of the newest records somebody who follows looks at.
const WATCHED: usize = 1000;

/// So many findings of a kind are listed.
const LISTED: usize = 5;

/// A longer text is told by its beginning.
const LONGEST_LINE: usize = 300;

impl Spoken for JournalAppend {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_text(Some(&mut self.text))
    }

    fn say(&self, done: &Appended, _: &Context) -> Reply {
        appended(done, "record")
    }
}

impl Spoken for JournalFlush {
    fn say(&self, done: &Appended, _: &Context) -> Reply {
        appended(done, "checkpoint")
    }
}

fn appended(done: &Appended, what: &str) -> Reply {
    let verb = if done.dry_run { "would append" } else { "appended" };
    let (id, path) = (styled(CYAN, &done.id), styled(DIM, &done.path));
    let mut text = format!("{verb} {what} {id} {path}\n");
    if let Some(why) = &done.degraded {
        let _ = writeln!(text, "{} {why}", styled(YELLOW, "note:"));
    }
    Reply::words(text)
}

impl Spoken for JournalList {
    fn say(&self, found: &Records, _: &Context) -> Reply {
        Reply::words(listed(found))
    }
}

fn listed(found: &Records) -> String {
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
    text
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
    let mut about = vec![record.id.clone(), record.category.clone(), time];
    if record.pinned {
        about.insert(1, "pinned".to_owned());
    }
    let mut text = String::new();
    layout::entry(&mut text, &words, &about);
    text
}

impl Spoken for JournalTail {
    fn talks(&self) -> bool {
        self.follow
    }

    fn follow_up(
        &self,
        found: &Records,
        workspace: &Workspace,
        context: &Context,
    ) -> Result<(), CommandError> {
        if !self.follow {
            return Ok(());
        }
        let print = |records: &[FiledRecord]| -> Result<(), CommandError> {
            for filed in records {
                let shown = if context.global.json {
                    serde_json::to_string(filed).unwrap_or_default()
                } else {
                    line(filed)
                };
                Reply::words(shown).print_now()?;
            }
            Ok(())
        };
        let newest = Self { lines: WATCHED, ..self.clone() };
        let look = || registry::carry_out(&newest, workspace, &context.call(&|_, _, _| true));
        print(&found.records)?;
        let mut seen: BTreeSet<String> =
            found.records.iter().map(|filed| filed.record.id.clone()).collect();
        if self.lines < WATCHED {
            seen.extend(look()?.0.records.into_iter().map(|filed| filed.record.id));
        }
        loop {
            std::thread::sleep(EVERY);
            let mut new = look()?.0.records;
            new.retain(|filed| seen.insert(filed.record.id.clone()));
            print(&new)?;
        }
    }

    fn say(&self, found: &Records, _: &Context) -> Reply {
        Reply::words(listed(found))
    }
}

impl Spoken for JournalShow {
    fn say(&self, shown: &ShownRecord, _: &Context) -> Reply {
        let record = &shown.record;
        let mut text = output::json_text(record);
        text.push('\n');
        for filed in &shown.lines {
            let place = format!("{}:{}", filed.path, filed.line);
            let what = if filed.record.id == record.id { "stands in" } else { "is merged in" };
            let other = if filed.record.id == record.id { "" } else { &*filed.record.id };
            let _ = writeln!(text, "{}", styled(DIM, format!("{what} {place} {other}").trim_end()));
        }
        Reply::words(text)
    }
}

impl Spoken for JournalScan {
    fn say(&self, scanned: &Scanned, _: &Context) -> Reply {
        let mut text = String::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &scanned.findings {
            let count = counts.entry(finding.code.as_str()).or_default();
            *count += 1;
            if self.all || *count <= LISTED {
                let style = if finding.severity == JournalSeverity::Info { DIM } else { YELLOW };
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
        let mut advice = "";
        for (code, count) in &counts {
            if !self.all && *count > LISTED {
                let _ = writeln!(text, "{code}: {} more", count - LISTED);
                advice = "`--all` lists every finding";
            }
        }
        let summary = format!(
            "{} records in {} files, {} findings",
            scanned.records,
            scanned.files,
            scanned.findings.len()
        );
        let style = if scanned.wants_attention() { YELLOW } else { GREEN };
        let _ = writeln!(text, "{}", styled(style, summary));
        Reply::words(text).advise(advice)
    }
}

impl Spoken for JournalTrim {
    fn say(&self, output: &TrimmedWindow, _: &Context) -> Reply {
        let done = &output.done;
        let verb = if output.dry_run { "would take" } else { "took" };
        let mut text = match done.dropped {
            0 => "nothing to trim\n".to_owned(),
            dropped => {
                format!("{verb} {dropped} records out of MEMORY.md; {} are left\n", done.left)
            }
        };
        if let Some(archive) = &done.archive {
            let _ = writeln!(text, "{} of them kept in {archive}", done.archived);
        }
        if done.is_over {
            let note =
                "still over the limit: what is left is pinned, protected, the newest, or yours";
            let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
        }
        Reply::words(text)
    }
}

impl Spoken for JournalConvert {
    fn say(&self, output: &ConvertedJournal, _: &Context) -> Reply {
        let done = &output.done;
        let form = if done.form == "json" { "JSON" } else { "Markdown" };
        let verb = if output.dry_run { "would write" } else { "wrote" };
        let mut text = if done.files.is_empty() {
            format!("every record is in {form} already\n")
        } else {
            let count = done.files.len();
            let files = if count == 1 { "file" } else { "files" };
            format!(
                "{verb} {} records and {} events of {count} {files} in {form}\n",
                done.records, done.events
            )
        };
        if done.kept > 0 {
            let _ = writeln!(
                text,
                "{} {} records stay as they are: {form} would change what they say",
                styled(YELLOW, "note:"),
                done.kept
            );
        }
        Reply::words(text)
    }
}
