//! Removing words for good: for secrets, and for the right to be forgotten.
//!
//! Everything else in Quipu can be undone. This cannot, so it also goes through what undo keeps. All
//! files change together with the tombstone, or none; what comes after that is made up for by the
//! next command that reads the tombstone.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use quipu_core::item::{Decision, Item, Source};
use quipu_core::journal::{self, COMPACTION, LIFECYCLE, Record, summary};
use quipu_core::memory::ARCHIVE_INDEX;
use quipu_core::question;
use quipu_store::Store;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::fs::Kind;
use crate::lock::Lock;
use crate::operations::Request;
use crate::recall::RecallError;
use crate::remember::decision_record;
use crate::transaction::FileChanges;
use crate::workspace::{Workspace, stamp};

/// Words shorter than this may stand in any text. They are removed only where the item stands, unless
/// they look like something that nobody writes by chance.
const TELLING: usize = 12;
const SHORTEST_TELLING: usize = 6;

/// What a purge did.
#[derive(Clone, Debug, Serialize)]
pub struct Purged {
    /// The item.
    pub id: String,
    /// The files that held its words.
    pub files: Vec<String>,
    /// What Quipu cannot reach.
    pub not_reached: Vec<String>,
}

impl Workspace {
    /// Removes an item's words from every file and table of the workspace, for good.
    ///
    /// # Errors
    /// When there is no such item, or a step fails; then it can be run again.
    pub fn purge(&self, id: &str, reason: &str, request: &Request<'_>) -> Result<Purged, Error> {
        let reason = &*self.guarded_words(reason)?;
        let lock = self.lock_for_writing()?;
        self.index_locked(&lock, &mut |_, _| {})?;
        let item = match self.resolve(id) {
            Err(Error::Recall(RecallError::Unknown { id })) if self.is_tombstone(&id)? => {
                return self.finish_purge(&id, Vec::new(), request.dry_run);
            }
            found => found?,
        };
        let stands_for_others = item.category == COMPACTION && item.text != journal::CHECKPOINT;
        if stands_for_others || item.source == Source::Dream {
            return Err(RecallError::StandsForOthers { id: item.id }.into());
        }
        let words = self.all_words(&item)?;
        let asked = self.questions_about(&item.id)?;
        let plan = format!(".quipu/{}", crate::dream::PLAN);
        let mark = format!("(PURGED {})", self.day(request.now));
        let mut not_reached = Vec::new();
        let mut changes = FileChanges::new();
        let mut expected = FileChanges::new();
        for path in self.files_with_words(&mut not_reached) {
            let Ok(bytes) = self.fs().read(&self.locate(&path)) else { continue };
            let Ok(text) = String::from_utf8(bytes.clone()) else {
                not_reached.push(format!("{path} is not UTF-8, and was left as it is"));
                continue;
            };
            let cleaned = if path == plan {
                without_actions(&text, &item.id, &words)
            } else if path.starts_with(crate::hook::STATES) {
                crate::hook::without_briefing(&text)
            } else {
                cleaned(&path, &text, (&item, &asked), &words, &mark)
            };
            if words.are_left_in(&cleaned) {
                not_reached.push(format!(
                    "{path} has the same short words, which may mean something else: look at it"
                ));
            }
            if cleaned != text {
                changes.insert(path.clone(), Some(cleaned.into_bytes()));
                expected.insert(path, Some(bytes));
            }
        }
        if let Some(into) = &item.merged_into {
            not_reached.push(format!(
                "`{into}`, which stands for it and others, may tell of it in other words: look at it"
            ));
        }
        let files: Vec<String> = changes.keys().cloned().collect();
        if request.dry_run {
            return Ok(self.purged(item.id, files, not_reached));
        }
        self.write_purge(&lock, &item, reason, (changes, expected), request)?;
        self.index_locked(&lock, &mut |_, _| {})?;
        let undo = self.forget_undo(&item.id, &words)?;
        let mut done = self.finish_purge(&item.id, files, false)?;
        done.files.extend(undo);
        not_reached.extend(done.not_reached);
        Ok(Purged { not_reached, ..done })
    }

    /// Returns what the events of questions about an item are filed under.
    fn questions_about(&self, id: &str) -> Result<BTreeSet<String>, Error> {
        let queue = question::queue(&self.store()?.filed_under(question::FILED)?);
        let about =
            queue.into_iter().filter(|one| one.question.subjects.iter().any(|one| one == id));
        Ok(about.map(|one| format!("{}{}", question::FILED, one.id)).collect())
    }

    /// Writes the cleaned files and the tombstone, all or nothing.
    fn write_purge(
        &self,
        _lock: &Lock,
        item: &Item,
        reason: &str,
        (mut changes, mut expected): (FileChanges, FileChanges),
        request: &Request<'_>,
    ) -> Result<(), Error> {
        let daily = journal::daily_path(self.day(request.now));
        let session = self.day(request.now).to_string();
        let placeholder = Decision::Purge { places: changes.len(), words: String::new() };
        let mut record = decision_record(&item.id, placeholder, reason, &session, request)?;
        if item.is_owned_by_a_file() {
            let words = journal::fingerprint(&item.text, &record.id);
            record.decision = Some(Decision::Purge { places: changes.len(), words });
        }
        let today = match changes.remove(&daily).flatten() {
            Some(cleaned) => Some(cleaned),
            None => self.read_optional(&daily)?.map(String::into_bytes),
        };
        expected.entry(daily.clone()).or_insert_with(|| today.clone());
        let mut today = today.unwrap_or_default();
        if today.last().is_some_and(|byte| *byte != b'\n') {
            today.push(b'\n');
        }
        today.extend_from_slice(record.line().as_bytes());
        changes.insert(daily, Some(today));
        self.transactions().commit("purge", &stamp(request.now), &changes, &expected)?;
        Ok(())
    }

    fn is_tombstone(&self, id: &str) -> Result<bool, Error> {
        let events = self.store()?.events(id)?;
        Ok(events.iter().any(|event| matches!(event.decision, Some(Decision::Purge { .. }))))
    }

    /// Takes the words out of the index and its journal; also after a purge that was interrupted.
    fn finish_purge(&self, id: &str, files: Vec<String>, dry_run: bool) -> Result<Purged, Error> {
        let mut not_reached = Vec::new();
        if !dry_run {
            crate::replay::remove_database(&self.state("replay.db"))?;
            let mut store = self.store()?;
            store.purge(id)?;
            if !store.scrub()? {
                not_reached.push(
                    "the index's journal, which another process is reading: run it again"
                        .to_owned(),
                );
            }
        }
        Ok(self.purged(id.to_owned(), files, not_reached))
    }

    fn purged(&self, id: String, files: Vec<String>, mut not_reached: Vec<String>) -> Purged {
        if self.root().join(".git").exists() {
            not_reached.push(
                "git history: rewrite it (`git filter-repo`) where a file with the words was committed"
                    .to_owned(),
            );
        }
        not_reached.push("backups and exports that were made before".to_owned());
        Purged { id, files, not_reached }
    }

    /// The words that the item has and had.
    fn all_words(&self, item: &Item) -> Result<Words, Error> {
        let store = self.store()?;
        let mut texts = BTreeSet::from([item.text.clone()]);
        texts.extend(store.base(&item.id)?.map(|base| base.text));
        for event in store.events(&item.id)? {
            if let Some(Decision::Edit { text }) = event.decision {
                texts.insert(text);
            }
        }
        Ok(Words::new(&texts))
    }

    /// Every file of the memory, and what Quipu keeps beside it as text.
    fn files_with_words(&self, not_reached: &mut Vec<String>) -> Vec<String> {
        let mut files = Vec::new();
        let folders = ["memory", "memory/sessions", "memory/archive", ".quipu", ".quipu/sessions"];
        for folder in folders.into_iter().chain([crate::hook::STATES]) {
            let Ok(entries) = self.fs().list(&self.locate(&format!("{folder}/"))) else { continue };
            for (name, kind) in entries {
                let path = format!("{folder}/{name}");
                let is_text = !name.starts_with('.') && !name.contains(".db") && name != "lock";
                match kind {
                    _ if !is_text || path == quipu_core::memory::POLICY => {}
                    _ if path == "memory/PROTOCOL.md" => {}
                    Kind::File => files.push(path),
                    Kind::Link => not_reached.push(format!("{path} is a link")),
                    Kind::Folder | Kind::Other => {}
                }
            }
        }
        match self.notes() {
            Ok((notes, _)) => files.extend(notes),
            Err(error) => not_reached.push(error.to_string()),
        }
        let continuity = &self.config().continuity;
        let mut own = vec![journal::PRIMARY, journal::LONG, journal::USER];
        own.push(&continuity.long_memory_path);
        own.extend(continuity.memory_archive_path.as_deref());
        for name in own {
            match self.fs().stat(&self.locate(name)) {
                Ok((Kind::File, _)) => files.push(name.to_owned()),
                Ok((Kind::Link, _)) => not_reached.push(format!("{name} is a link")),
                _ => {}
            }
        }
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Removes the undo entries whose copies hold the words, this purge's own among them.
    ///
    /// Older words of a fact are known only by the footer beside them, so its id is enough.
    fn forget_undo(&self, id: &str, words: &Words) -> Result<Vec<String>, Error> {
        let folder = self.state("undo");
        let Ok(entries) = self.fs().list(&folder) else { return Ok(Vec::new()) };
        let holds = |path: &PathBuf| {
            let files = self.fs().list(path).unwrap_or_default();
            files.iter().any(|(name, _)| match self.fs().read(&path.join(name)) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    words.are_in(&text) || text.lines().any(|line| names(line, id))
                }
                Err(_) => true,
            })
        };
        let mut removed = Vec::new();
        for path in entries.into_iter().map(|(name, _)| folder.join(name)).filter(holds) {
            self.fs().remove_folder(&path).map_err(|e| Error::reading(".quipu/undo", e))?;
            removed.push(path.strip_prefix(self.root()).unwrap_or(&path).display().to_string());
        }
        Ok(removed)
    }
}

/// The words that must go: whole texts, and each of their lines, the longest first.
struct Words {
    all: Vec<String>,
}

impl Words {
    fn new(texts: &BTreeSet<String>) -> Self {
        let mut all: BTreeSet<String> = BTreeSet::new();
        for text in texts {
            let lines =
                text.lines().map(|line| quipu_core::doc::without_marker(line.trim()).trim());
            // A summary may tell one sentence of it, or the beginning of one.
            all.extend(summary::sentences(text).into_iter().map(std::borrow::Cow::into_owned));
            all.extend(
                lines.chain([text.trim()]).filter(|line| !line.is_empty()).map(str::to_owned),
            );
        }
        let mut all: Vec<String> = all.into_iter().collect();
        all.sort_by_key(|words| std::cmp::Reverse(words.len()));
        Self { all }
    }

    fn telling(&self) -> impl Iterator<Item = &String> {
        self.all.iter().filter(|words| is_telling(words))
    }

    /// Tells whether a text has words that are too common to remove from it.
    fn are_left_in(&self, text: &str) -> bool {
        let common = self.all.iter().filter(|words| !is_telling(words) && words.len() > 2);
        common.into_iter().any(|words| replaced(text, words, "") != text)
    }

    fn are_in(&self, text: &str) -> bool {
        let escaped = |words: &String| {
            let json = serde_json::to_string(words).unwrap_or_default();
            json.trim_matches('"').to_owned()
        };
        self.all.iter().any(|words| text.contains(words.as_str()) || text.contains(&escaped(words)))
    }

    /// Takes the words out of a text, where they stand as words.
    fn out_of(&self, text: &str, mark: &str) -> String {
        let mut result = text.to_owned();
        for words in self.telling() {
            result = replaced(&result, words, mark);
        }
        result
    }
}

fn is_telling(words: &str) -> bool {
    let has = |is: fn(char) -> bool| words.chars().any(is);
    let is_mixed = has(char::is_numeric) && has(char::is_alphabetic) || has(char::is_whitespace);
    words.len() >= TELLING || (words.len() >= SHORTEST_TELLING && is_mixed)
}

/// Replaces words where they stand as words, and not as a part of others.
fn replaced(text: &str, words: &str, mark: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(words) {
        let end = at + words.len();
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let joined = (inside(rest[..at].chars().next_back()) && inside(words.chars().next()))
            || (inside(rest[end..].chars().next()) && inside(words.chars().next_back()));
        result.push_str(&rest[..at]);
        result.push_str(if joined { words } else { mark });
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// Returns the plan of a dream without what it would do about an item, or with its words.
fn without_actions(text: &str, id: &str, words: &Words) -> String {
    let Ok(mut plan) = serde_json::from_str::<Value>(text) else { return String::new() };
    if let Some(actions) = plan["actions"].as_array_mut() {
        actions.retain(|action| {
            let json = action.to_string();
            !json.contains(id) && !words.are_in(&json)
        });
    }
    plan.to_string()
}

/// Returns a file without the words. Records and footers keep their shape.
fn cleaned(
    path: &str,
    text: &str,
    (item, asked): (&Item, &BTreeSet<String>),
    words: &Words,
    mark: &str,
) -> String {
    let owns = item.place.as_ref().is_some_and(|place| place.path == path);
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\n', '\r']).len();
        let (body, newline) = line.split_at(end);
        if let Some(record) = Record::parse(line) {
            result.push_str(
                &cleaned_record(record, (item, asked), words, mark)
                    .unwrap_or_else(|| line.to_owned()),
            );
        } else if path == ARCHIVE_INDEX && names(body, &item.id) {
            let quarter = body.rsplit(" — ").next().unwrap_or_default();
            let _ = write!(result, "- {} — {mark} — {quarter}{newline}", item.id);
        } else if body.trim_start().starts_with("<!--") {
            result.push_str(line);
        } else {
            let bare = quipu_core::doc::without_marker(body.trim()).trim();
            if owns && words.all.iter().any(|gone| gone == bare) && !bare.is_empty() {
                // A short line is removed where it is the item's own.
                result.push_str(&body.replacen(bare, mark, 1));
                result.push_str(newline);
            } else {
                result.push_str(&words.out_of(line, mark));
            }
        }
    }
    // Words that run over several lines.
    words.telling().filter(|words| words.contains('\n')).fold(result, |text, words| {
        if text.contains(words.as_str()) { text.replace(words.as_str(), mark) } else { text }
    })
}

fn names(line: &str, id: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).any(|word| word == id)
}

/// Returns a record's line without the words; nothing where it stays as it is.
fn cleaned_record(
    mut record: Record,
    (item, asked): (&Item, &BTreeSet<String>),
    words: &Words,
    mark: &str,
) -> Option<String> {
    let is_own = record.id == item.id;
    let is_about =
        record.category == LIFECYCLE && record.target.as_deref() == Some(item.id.as_str());
    let before = record.clone();
    if is_own {
        mark.clone_into(&mut record.text);
        record.tags.clear();
        record.speaker = None;
        record.unknown = Map::new();
    } else if is_about {
        if !record.text.is_empty() && !matches!(record.decision, Some(Decision::Purge { .. })) {
            mark.clone_into(&mut record.text);
        }
        match &mut record.decision {
            Some(Decision::Edit { text } | Decision::Annotate { note: text }) => {
                mark.clone_into(text);
            }
            Some(Decision::Tag { add, remove }) => {
                add.clear();
                remove.clear();
            }
            _ => {}
        }
    } else if record.target.as_ref().is_some_and(|target| asked.contains(target)) {
        // Values of the memory stand in the reason, and in what a judge said.
        mark.clone_into(&mut record.text);
        if let Some(Decision::Ask { question }) = &mut record.decision {
            mark.clone_into(&mut question.reason);
            question.claim = None;
            question.now = None;
        }
    } else {
        record.text = words.out_of(&record.text, mark);
        if let Some(Decision::Edit { text } | Decision::Annotate { note: text }) =
            &mut record.decision
        {
            *text = words.out_of(text, mark);
        }
        for value in record.unknown.values_mut() {
            clean_value(value, words, mark);
        }
    }
    (record != before).then(|| record.line())
}

fn clean_value(value: &mut Value, words: &Words, mark: &str) {
    match value {
        Value::String(text) => *text = words.out_of(text, mark),
        Value::Array(values) => values.iter_mut().for_each(|value| clean_value(value, words, mark)),
        Value::Object(values) => {
            values.values_mut().for_each(|value| clean_value(value, words, mark));
        }
        _ => {}
    }
}
