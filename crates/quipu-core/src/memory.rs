//! A memory folder, read: the texts as they are, and what they mean together.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::doc::{Document, Fact, Form};
use crate::ledger::Ledger;
use crate::policy::{Policy, PolicyError};
use crate::tier::{self, Case, Rule};

/// Path of the live facts.
pub const CONTINUITY: &str = "memory/continuity.md";
/// Path of the policy.
pub const POLICY: &str = "memory/decay-policy.md";
/// Path of the north star.
pub const VISION: &str = "memory/vision.md";
/// Path of the enduring context.
pub const INSTRUCTIONS: &str = "memory/instructions.md";
/// Path of the rules.
pub const PROTOCOL: &str = "memory/PROTOCOL.md";
/// Folder of the session logs.
pub const SESSIONS: &str = "memory/sessions/";
/// The folder of files that other tools had, before the memory took their rules over.
pub const LEGACY: &str = "legacy/";
/// Folder of the archive.
pub const ARCHIVE: &str = "memory/archive/";
/// Path of the archive's index.
pub const ARCHIVE_INDEX: &str = "memory/archive/INDEX.md";
/// Path of the install manifest.
pub const MANIFEST: &str = ".agent/version.md";

/// Why a fact cannot move: see [`Memory::shares_a_quotation`].
pub const SHARED_QUOTATION: &str =
    "quoting a footer whose id is also used elsewhere: write `<id>` there";

/// Why a fact cannot move: see [`Document::bare_footer_below`].
pub const BARE_FOOTER_BELOW: &str =
    "right above a footer that has no text: give that one its text, or remove it";

/// The files of a memory folder: path from the workspace's root (with `/`) to text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Every Markdown file in `memory/`, `memory/sessions/` and `memory/archive/`, and the manifest.
    pub files: BTreeMap<String, Arc<str>>,
}

/// New texts by path; `None` removes the file.
pub type Changes = BTreeMap<String, Option<String>>;

/// Why a memory folder cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is no continuity file.
    #[error("there is no `{CONTINUITY}`")]
    NoContinuity,
    /// The policy makes no sense.
    #[error("`{POLICY}` cannot be used")]
    Policy {
        /// What is wrong with it.
        #[from]
        source: PolicyError,
    },
}

impl Snapshot {
    /// Returns the text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(AsRef::as_ref)
    }

    /// Returns the folder as it is after `changes`.
    #[must_use]
    pub fn with(&self, changes: &Changes) -> Self {
        let mut files = self.files.clone();
        for (path, text) in changes {
            match text {
                Some(text) => files.insert(path.clone(), text.as_str().into()),
                None => files.remove(path),
            };
        }
        Self { files }
    }

    /// Returns the files directly inside `folder` as (name, text), in order.
    pub fn inside<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .range(folder.to_owned()..)
            .take_while(move |(path, _)| path.starts_with(folder))
            .filter_map(move |(path, text)| {
                let name = &path[folder.len()..];
                (!name.contains('/')).then_some((name, text.as_ref()))
            })
    }

    /// Reads the folder.
    ///
    /// # Errors
    /// When there is no continuity file, or the policy makes no sense.
    pub fn parse(&self) -> Result<Memory<'_>, MemoryError> {
        self.parse_with(Arc::new(Ledger::parse(self.inside(SESSIONS))))
    }

    fn parse_with<'a>(&'a self, ledger: Arc<Ledger<'a>>) -> Result<Memory<'a>, MemoryError> {
        let continuity = self.get(CONTINUITY).ok_or(MemoryError::NoContinuity)?;
        let policy = self.get(POLICY).map_or_else(|| Ok(Policy::default()), Policy::parse)?;
        let is_index = |name: &str| name.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("index"));
        let archive = self
            .inside(ARCHIVE)
            .filter(|(name, _)| !is_index(name))
            .map(|(name, text)| ArchiveFile { name, document: Document::parse(text) })
            .collect();
        let other = self
            .inside("memory/")
            .filter(|(name, _)| *name != "continuity.md" && *name != "decay-policy.md")
            .map(|(name, text)| (name, Document::parse(text)))
            .filter(|(_, document)| !document.facts.is_empty())
            .collect();
        Ok(Memory {
            snapshot: self,
            continuity: Document::parse(continuity),
            archive,
            other,
            ledger,
            policy,
            copies: OnceLock::new(),
        })
    }
}

/// A quarter file of the archive.
#[derive(Debug)]
pub struct ArchiveFile<'a> {
    /// Its name, such as `2026-Q2.md`.
    pub name: &'a str,
    /// What it holds.
    pub document: Document<'a>,
}

/// A memory folder, understood.
#[derive(Debug)]
pub struct Memory<'a> {
    /// The texts behind it.
    pub snapshot: &'a Snapshot,
    /// The live facts.
    pub continuity: Document<'a>,
    /// The archive's quarter files, in order of name.
    pub archive: Vec<ArchiveFile<'a>>,
    /// Other top-level files that hold footers, such as the vision.
    pub other: Vec<(&'a str, Document<'a>)>,
    /// The session logs.
    pub ledger: Arc<Ledger<'a>>,
    /// The integers that decide.
    pub policy: Policy,
    /// Every fact by id: the number of its document, and its own in there.
    copies: OnceLock<Vec<(usize, usize)>>,
}

impl<'a> Memory<'a> {
    /// Returns the documents with facts: continuity, the archive, other files.
    fn documents(&self) -> impl Iterator<Item = &Document<'a>> {
        std::iter::once(&self.continuity)
            .chain(self.archive.iter().map(|file| &file.document))
            .chain(self.other.iter().map(|(_, document)| document))
    }

    fn document(&self, number: usize) -> &Document<'a> {
        match number.checked_sub(1) {
            None => &self.continuity,
            Some(file) => match self.archive.get(file) {
                Some(file) => &file.document,
                None => &self.other[file - self.archive.len()].1,
            },
        }
    }

    /// Returns where the facts of an id stand: the number of the document, and theirs in there.
    fn copies(&self, id: &str) -> &[(usize, usize)] {
        let id_of = |(document, fact): &(usize, usize)| self.document(*document).facts[*fact].id();
        let all = self.copies.get_or_init(|| {
            let mut all: Vec<(usize, usize)> = Vec::new();
            for (number, document) in self.documents().enumerate() {
                all.extend((0..document.facts.len()).map(|fact| (number, fact)));
            }
            // A stable sort keeps those of one id in order.
            all.sort_by(|a, b| id_of(a).cmp(id_of(b)));
            all
        });
        let start = all.partition_point(|copy| id_of(copy) < id);
        let count = all[start..].partition_point(|copy| id_of(copy) == id);
        &all[start..start + count]
    }

    /// Returns the facts of an id in the archive.
    fn archived_copies(&self, id: &str) -> impl DoubleEndedIterator<Item = (usize, &Fact)> {
        let copies = self.copies(id).iter();
        let in_archive = copies.filter(|(document, _)| (1..=self.archive.len()).contains(document));
        in_archive.map(|(document, fact)| (document - 1, &self.document(*document).facts[*fact]))
    }

    /// Reads the folder as it is after a change; the ledger is read again only if it changed.
    ///
    /// # Errors
    /// As [`Snapshot::parse`].
    pub fn after<'b>(&'b self, snapshot: &'b Snapshot) -> Result<Memory<'b>, MemoryError> {
        let logs = |snapshot: &'b Snapshot| {
            let files = snapshot.files.range(SESSIONS.to_owned()..);
            files
                .take_while(|(path, _)| path.starts_with(SESSIONS))
                .map(|(path, text)| (path, text.as_ptr()))
        };
        let unchanged = logs(self.snapshot).eq(logs(snapshot));
        if unchanged { snapshot.parse_with(self.ledger.clone()) } else { snapshot.parse() }
    }

    /// Returns the facts of the archive that count, one an id: of several the last.
    pub fn archived(&self) -> BTreeMap<&str, (&ArchiveFile<'a>, &Fact)> {
        let mut facts = BTreeMap::new();
        for file in &self.archive {
            for fact in &file.document.facts {
                facts.insert(fact.id(), (file, fact));
            }
        }
        facts
    }

    /// Returns the fact `id` from the archive.
    pub fn archived_fact(&self, id: &str) -> Option<(&ArchiveFile<'a>, &Fact)> {
        let (file, fact) = self.archived_copies(id).next_back()?;
        Some((&self.archive[file], fact))
    }

    /// Returns why an archived fact cannot come back, whatever the ledger says.
    pub fn cannot_return(&self, id: &str) -> Option<&'static str> {
        let copies = || self.archived_copies(id).map(|(_, fact)| fact);
        if self.continuity.fact(id).is_some() {
            Some("in continuity.md and in the archive at once: delete one by hand")
        } else if copies().nth(1).is_some() {
            Some("in the archive twice: delete one by hand")
        } else if copies().any(|fact| fact.form == Form::Quoted) {
            Some("only quoted as code")
        } else {
            let (file, fact) = self.archived_fact(id)?;
            self.shares_a_quotation(&file.document, fact).then_some(SHARED_QUOTATION)
        }
    }

    /// Tells whether `fact` quotes a footer whose id stands elsewhere too. Moving it would put that
    /// id into two files, which is an error.
    pub fn shares_a_quotation(&self, document: &Document<'_>, fact: &Fact) -> bool {
        let held = document.held_by(fact);
        let mut quoted = held.iter().filter(|held| held.form == Form::Quoted);
        let in_lifecycle = |id: &str| {
            self.copies(id).iter().filter(|(document, _)| *document <= self.archive.len()).count()
        };
        quoted.any(|quoted| in_lifecycle(quoted.id()) > 1)
    }

    /// Tells whether some file of the folder has a footer for `id`.
    pub fn knows(&self, id: &str) -> bool {
        !self.copies(id).is_empty()
    }

    /// Returns the id of every fact in continuity, archive and other files; quotations are none.
    pub fn ids(&self) -> std::collections::BTreeSet<&str> {
        let facts = self.documents().flat_map(|document| &document.facts);
        facts.filter(|fact| fact.form != Form::Quoted).map(Fact::id).collect()
    }

    /// Returns what decides the tier of a fact in continuity.
    pub fn case(&self, fact: &Fact) -> Case {
        self.case_at(fact, self.ledger.len())
    }

    /// Returns what decided the tier when only the first `sessions` logs existed.
    pub fn case_at(&self, fact: &Fact, sessions: usize) -> Case {
        let footer = &fact.footer;
        let usage = self.ledger.usage_at(fact.id(), sessions);
        Case {
            tier: footer.tier(),
            superseded: footer.is_superseded(),
            held_by_human: footer.is_held_by_human(),
            invariant: self.continuity.is_invariant(fact),
            pinned: self.continuity.is_pinned(fact),
            used: usage.map(|usage| (usage.uses, usage.since)),
            age: footer
                .get("created")
                .filter(|created| !created.is_empty())
                .map(|created| self.ledger.sessions_after_date(created, sessions)),
        }
    }

    /// Returns the rule that decides the tier of a fact in continuity.
    pub fn rule(&self, fact: &Fact) -> Rule {
        tier::rule(&self.case(fact), &self.policy)
    }

    /// Tells whether the fact counts against the limit on decaying facts.
    pub fn decays(&self, fact: &Fact) -> bool {
        let protected = fact.footer.is_core()
            || self.continuity.is_pinned(fact)
            || (self.continuity.is_invariant(fact) && !fact.footer.is_superseded())
            || fact.footer.is_held_by_human();
        !protected
    }
}
