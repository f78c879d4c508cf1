//! Going through a source: what is new, what changed, what is known, and what is left out.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use quipu_core::item::{Decision, Item, Source, Status};
use quipu_core::journal::Form;
use quipu_import::classify::{self, Class};
use quipu_import::{Draft, Format, ImportError, Input, Out, Skip, id, read};
use quipu_store::Store;

use super::records::{self, CHANNEL, Told};
use super::writer::Writer;
use super::{Asked, Imported};
use crate::error::Error;
use crate::index;
use crate::lock::Lock;
use crate::operation::Request;
use crate::workspace::Workspace;

/// The progress is told once for so many memories.
const TELL_EVERY: usize = 500;

/// Nobody changes one memory more often between imports than this.
const LONGEST_CHAIN: usize = 1000;

/// What an import is doing.
pub(super) struct Plan<'w> {
    workspace: &'w Workspace,
    format: Format,
    asked: &'w Asked,
    request: &'w Request<'w>,
    channel: String,
    writer: Option<Writer<'w>>,
    /// Ids that were seen in this run.
    seen: BTreeSet<String>,
    /// What one memory has to do with another, which may come later.
    later: Vec<Later>,
    /// Memories that a newer one of this run replaces.
    replaced: BTreeSet<String>,
    imported: Imported,
    skipped: BTreeMap<Skip, usize>,
}

/// What is decided about a memory when all of them are known.
enum Later {
    Link {
        id: String,
        to: String,
        relation: String,
        at: Timestamp,
    },
    Supersede {
        old: String,
        by: String,
        at: Timestamp,
    },
    /// It was replaced there, by nobody knows what.
    Status {
        id: String,
        to: Status,
        at: Timestamp,
        reason: String,
    },
}

/// What is known about the id of a draft.
enum Known {
    New,
    Same,
    /// It says something else than the newest of its chain.
    Changed {
        head: String,
    },
    Purged,
}

impl<'w> Plan<'w> {
    pub(super) fn new(
        workspace: &'w Workspace,
        format: Format,
        asked: &'w Asked,
        request: &'w Request<'w>,
        writer: Option<Writer<'w>>,
    ) -> Self {
        let imported = Imported {
            format: format.to_string(),
            program: format.program().to_owned(),
            ..Imported::default()
        };
        Self {
            workspace,
            format,
            asked,
            request,
            channel: format!("{CHANNEL}{format}"),
            writer,
            seen: BTreeSet::new(),
            later: Vec::new(),
            replaced: BTreeSet::new(),
            imported,
            skipped: BTreeMap::new(),
        }
    }

    /// Goes through the sources and tells what it found; nothing is put in place.
    pub(super) fn run(
        mut self,
        inputs: &[Input],
        told: &mut Told,
        progress: &dyn Fn(&str, usize, usize) -> bool,
    ) -> Result<Imported, Error> {
        self.go_through(inputs, told, progress)?;
        Ok(self.finished(told))
    }

    /// Goes through the sources, writes, and puts what was written in place.
    pub(super) fn carry_out(
        mut self,
        inputs: &[Input],
        told: &mut Told,
        lock: &Lock,
        progress: &dyn Fn(&str, usize, usize) -> bool,
    ) -> Result<Imported, Error> {
        self.go_through(inputs, told, progress)?;
        let writer = self.writer.take();
        if let Some(writer) = writer
            && self.imported.new + self.imported.changed > 0
        {
            let mut indexing = |done: usize, total: usize| {
                progress("indexing", done, total);
            };
            let placed = writer.put_in_place(lock, &mut indexing)?;
            (self.imported.paths, self.imported.degraded) = (placed.paths, placed.degraded);
            self.imported.applied = true;
        }
        Ok(self.finished(told))
    }

    fn finished(self, told: &mut Told) -> Imported {
        let mut imported = self.imported;
        for (why, count) in self.skipped {
            imported.skipped.insert(why.as_str(), count);
            imported.reasons.insert(why.as_str(), why.in_words());
        }
        imported.samples = std::mem::take(&mut told.samples);
        imported.categories = std::mem::take(&mut told.categories);
        imported.layers = std::mem::take(&mut told.layers);
        imported
    }

    fn go_through(
        &mut self,
        inputs: &[Input],
        told: &mut Told,
        progress: &dyn Fn(&str, usize, usize) -> bool,
    ) -> Result<(), Error> {
        let (format, options) = (self.format, self.asked.options.clone());
        let mut failed: Option<Error> = None;
        for input in inputs {
            self.imported.files.push(input.shown().to_owned());
            let mut count = 0_usize;
            let mut take = |draft: Draft| {
                count += 1;
                if count.is_multiple_of(TELL_EVERY) && !progress("reading", count, count) {
                    return Err(ImportError::Sink("it was stopped".to_owned()));
                }
                self.take(draft, told).map_err(|error| {
                    let words = error.to_string();
                    failed = Some(error);
                    ImportError::Sink(words)
                })
            };
            let mut out = Out::new(&mut take);
            let done = read(input, format, &options, &mut out);
            let Out { skipped, read, warnings, version, .. } = out;
            for (why, count) in skipped {
                *self.skipped.entry(why).or_default() += count;
            }
            self.imported.read += read;
            self.imported.warnings.extend(warnings);
            self.imported.version = version.or(self.imported.version.take());
            if let Some(error) = failed.take() {
                return Err(error);
            }
            done?;
        }
        self.settle()
    }

    fn skip(&mut self, why: Skip) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Takes one draft.
    fn take(&mut self, mut draft: Draft, told: &mut Told) -> Result<(), Error> {
        let since = self.asked.options.since;
        if since.is_some_and(|since| draft.time.is_some_and(|time| time < since)) {
            self.skip(Skip::Filtered);
            return Ok(());
        }
        if records::is_too_long(&draft) {
            self.skip(Skip::TooLong);
            return Ok(());
        }
        // Only what nobody meant to be kept is weighed by its form.
        let is_by_the_way = matches!(draft.source, Source::Interaction | Source::Ingest)
            && draft.category.as_deref().is_none_or(|category| category == "note")
            && draft.origin.id.is_none();
        let is_turn = draft.source == Source::Interaction && draft.session.is_some();
        if (is_by_the_way || is_turn) && classify::is_noise(&draft.text) {
            self.skip(Skip::Noise);
            return Ok(());
        }
        match records::guarded(self.workspace, &mut draft) {
            Ok(is_changed) => self.imported.redacted += usize::from(is_changed),
            Err(why) => {
                self.skip(why);
                return Ok(());
            }
        }
        let first = id::of_draft(self.format.as_str(), &draft);
        if !self.seen.insert(first.clone()) {
            self.skip(Skip::Repeat);
            return Ok(());
        }
        let class = classify::classify(&draft);
        match self.known(&first, &draft)? {
            Known::Same => self.imported.known += 1,
            Known::Purged => self.skip(Skip::Purged),
            Known::New => {
                self.imported.new += 1;
                self.write(&first, &draft, &class, None, told)?;
            }
            Known::Changed { head } => {
                self.imported.changed += 1;
                let id = id::derived(&[&first, &head, &draft.text]);
                self.seen.insert(id.clone());
                self.write(&id, &draft, &class, Some(head), told)?;
            }
        }
        Ok(())
    }

    /// Compares a draft with what was imported before.
    fn known(&self, first: &str, draft: &Draft) -> Result<Known, Error> {
        let store = index::store(self.workspace)?;
        let Some(mut item) = base(&*store, first)? else {
            let is_purged = store
                .events(first)?
                .iter()
                .any(|event| matches!(event.decision, Some(Decision::Purge { .. })));
            return Ok(if is_purged { Known::Purged } else { Known::New });
        };
        // The newest of what the source said about it, whatever was decided here.
        for _ in 0..LONGEST_CHAIN {
            let next = store.get(&item.id)?.and_then(|item| item.superseded_by);
            let Some(next) = next.map(|id| base(&*store, &id)).transpose()?.flatten() else {
                break;
            };
            if next.channel.as_deref() != Some(&self.channel) {
                break;
            }
            item = next;
        }
        if item.text == draft.text {
            return Ok(Known::Same);
        }
        Ok(Known::Changed { head: item.id })
    }

    fn write(
        &mut self,
        id: &str,
        draft: &Draft,
        class: &Class,
        head: Option<String>,
        told: &mut Told,
    ) -> Result<(), Error> {
        told.add(id, draft, class);
        let format = self.format.as_str();
        let mut record = records::record(self.workspace, id, draft, class, format, self.request);
        let at = record.provenance.timestamp;
        let of_source = |other: &String| id::of_origin(format, &draft.origin.account, other);
        let replaced = head.or_else(|| draft.supersedes.as_ref().map(of_source));
        if let Some(old) = replaced.filter(|old| old != id) {
            record.supersedes = Some(old.clone());
            self.later.push(Later::Supersede { old, by: id.to_owned(), at });
        }
        for link in &draft.links {
            let (to, relation) = (of_source(&link.to), link.relation.clone());
            self.later.push(Later::Link { id: id.to_owned(), to, relation, at });
        }
        let mut events = Vec::new();
        for (note, when) in &draft.notes {
            let decision = Decision::Annotate { note: note.clone() };
            events.push(records::decision(id, decision, "", when.unwrap_or(at), &self.channel));
        }
        let (when, reason) = draft.decided.clone().unwrap_or((at, String::new()));
        match draft.status {
            Status::Active => {}
            to @ (Status::Superseded | Status::Merged) => {
                self.later.push(Later::Status { id: id.to_owned(), to, at: when, reason });
            }
            to => {
                let decision = Decision::Status { from: Status::Active, to };
                events.push(records::decision(id, decision, &reason, when, &self.channel));
            }
        }
        if let Some(writer) = &mut self.writer {
            writer.push(&record.written(Form::Markdown))?;
            for event in &events {
                writer.push_event(&event.written(Form::Bare));
            }
        }
        Ok(())
    }

    /// Writes what memories have to do with each other, now that all of them are known.
    fn settle(&mut self) -> Result<(), Error> {
        let store = index::store(self.workspace)?;
        let mut events = Vec::new();
        for later in &self.later {
            if let Later::Supersede { old, by, at } = later
                && (self.seen.contains(old) || base(&*store, old)?.is_some())
                && self.replaced.insert(old.clone())
            {
                let decision = Decision::Supersede { by: by.clone() };
                events.push(records::decision(old, decision, "", *at, &self.channel));
            }
        }
        for later in std::mem::take(&mut self.later) {
            match later {
                Later::Link { id, to, relation, at } => {
                    if id != to && (self.seen.contains(&to) || base(&*store, &to)?.is_some()) {
                        let decision = Decision::Link { to, relation, remove: false };
                        events.push(records::decision(&id, decision, "", at, &self.channel));
                    }
                }
                Later::Status { id, to, at, reason } if !self.replaced.contains(&id) => {
                    let decision = Decision::Status { from: Status::Active, to };
                    events.push(records::decision(&id, decision, &reason, at, &self.channel));
                }
                Later::Supersede { .. } | Later::Status { .. } => {}
            }
        }
        drop(store);
        if let Some(writer) = &mut self.writer {
            for event in &events {
                writer.push_event(&event.written(Form::Bare));
            }
        }
        Ok(())
    }
}

/// Returns an item as its file has it, where it is still there.
fn base(store: &dyn Store, id: &str) -> Result<Option<Item>, Error> {
    Ok(store.base(id)?)
}
