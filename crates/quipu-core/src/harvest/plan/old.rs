//! The facts that were harvested before, and how they are found.

use std::collections::BTreeMap;

use super::super::alike::{Alike, Sharing};
use super::super::gist::Gist;
use super::super::{Kind, Proposal, path_of};
use super::references;
use crate::prose::bare;

/// A fact that was harvested before.
#[expect(clippy::struct_excessive_bools, reason = "a fact may be several of these at once")]
pub(super) struct Old {
    pub(super) id: String,
    pub(super) source: String,
    pub(super) mark: String,
    pub(super) words: String,
    pub(super) gist: Gist,
    /// Whether it can be superseded: it is in continuity, and holds.
    pub(super) is_live: bool,
    pub(super) is_thread: bool,
    pub(super) is_permanent: bool,
    /// What it is, where its words are those of its document.
    pub(super) kind: Option<Kind>,
    /// Whether its document said once that it holds no more.
    pub(super) is_ended: bool,
    pub(super) is_archived: bool,
    pub(super) superseded_by: Option<String>,
}

impl Old {
    pub(super) fn path(&self) -> &str {
        path_of(&self.source)
    }

    /// Tells whether it is a plan; a question about a contradiction is none.
    pub(super) fn is_plan(&self) -> bool {
        self.is_thread && !self.id.starts_with("ot-contradiction-")
    }

    pub(super) fn is_of(&self, proposal: &Proposal) -> bool {
        path_of(&self.source) == proposal.path() && self.is_thread == (proposal.kind == Kind::Plan)
    }

    /// Tells whether it is the plan that a proposal is about, whatever heading it stands below.
    pub(super) fn is_same_plan(&self, proposal: &Proposal) -> bool {
        self.is_plan() && self.is_of(proposal) && bare(planned(&self.words)) == bare(&proposal.name)
    }
}

/// Returns a plan's words without the heading that it stood below.
pub(super) fn planned(words: &str) -> &str {
    let is_plan = words.starts_with("Roadmap");
    words.split_once(": ").filter(|_| is_plan).map_or(words, |(_, said)| said)
}

/// The facts that were harvested before, in order.
pub(super) struct Before {
    pub(super) all: Vec<Old>,
    by_path: BTreeMap<String, Vec<usize>>,
    by_source: BTreeMap<String, Vec<usize>>,
    by_mark: BTreeMap<(String, String), Vec<usize>>,
    by_id: BTreeMap<String, usize>,
    /// Plans by their documents and their words.
    by_plan: BTreeMap<(String, String), Vec<usize>>,
    /// By what names their documents in others of the same folder.
    by_reference: BTreeMap<(String, String), Vec<usize>>,
    alike: Alike,
}

impl Before {
    pub(super) fn new(all: Vec<Old>) -> Self {
        let alike = Alike::new(all.iter().map(|old| &old.gist).enumerate());
        let mut before = Self {
            all: Vec::new(),
            by_path: BTreeMap::new(),
            by_source: BTreeMap::new(),
            by_mark: BTreeMap::new(),
            by_id: BTreeMap::new(),
            by_plan: BTreeMap::new(),
            by_reference: BTreeMap::new(),
            alike,
        };
        for (at, old) in all.iter().enumerate() {
            let path = old.path().to_owned();
            before.by_path.entry(path.clone()).or_default().push(at);
            before.by_source.entry(old.source.clone()).or_default().push(at);
            before.by_mark.entry((path.clone(), old.mark.clone())).or_default().push(at);
            before.by_id.entry(old.id.clone()).or_insert(at);
            if old.is_plan() {
                let key = (path.clone(), bare(planned(&old.words)));
                before.by_plan.entry(key).or_default().push(at);
            }
            for key in references(&path) {
                before.by_reference.entry(key).or_default().push(at);
            }
        }
        before.all = all;
        before
    }

    fn each<'o>(&'o self, list: Option<&'o Vec<usize>>) -> impl Iterator<Item = &'o Old> {
        list.into_iter().flatten().map(|at| &self.all[*at])
    }

    /// Returns those of a document.
    pub(super) fn of_path(&self, path: &str) -> impl Iterator<Item = &Old> {
        self.each(self.by_path.get(path))
    }

    /// Returns those of a place in a document.
    pub(super) fn of_source(&self, source: &str) -> impl Iterator<Item = &Old> {
        self.each(self.by_source.get(source))
    }

    /// Returns those that said the same in the same document.
    pub(super) fn of_mark(&self, path: &str, mark: &str) -> impl Iterator<Item = &Old> {
        self.each(self.by_mark.get(&(path.to_owned(), mark.to_owned())))
    }

    /// Returns the first with an id.
    pub(super) fn with_id(&self, id: &str) -> Option<&Old> {
        self.by_id.get(id).map(|at| &self.all[*at])
    }

    /// Returns the plans that a proposal is about.
    pub(super) fn same_plans(&self, proposal: &Proposal) -> impl Iterator<Item = &Old> {
        let key = (proposal.path().to_owned(), bare(&proposal.name));
        let list = self.by_plan.get(&key).cloned().unwrap_or_default();
        list.into_iter().map(|at| &self.all[at]).filter(|old| old.is_same_plan(proposal))
    }

    /// Returns those whose document may be what another in a folder names.
    pub(super) fn of_reference(&self, folder: &str, name: &str) -> impl Iterator<Item = &Old> {
        self.each(self.by_reference.get(&(folder.to_owned(), name.to_owned())))
    }

    /// Returns those that say the same as a text.
    pub(super) fn like(&self, gist: &Gist) -> impl Iterator<Item = &Old> {
        let found = self.alike.find(gist).into_iter().map(|at| &self.all[at]);
        found.filter(|old| old.gist.is_like(gist))
    }

    /// Returns what a proposal in the same document says: by its mark, its words or its plan.
    pub(super) fn said_by(&self, proposal: &Proposal, mark: &str, gist: &Gist) -> Vec<&Old> {
        let key = (proposal.path().to_owned(), mark.to_owned());
        let plan = (proposal.path().to_owned(), bare(&proposal.name));
        let mut found = self.alike.find(gist);
        found.retain(|at| self.all[*at].gist.is_like(gist));
        found.extend(self.by_mark.get(&key).into_iter().flatten());
        found.extend(self.by_plan.get(&plan).into_iter().flatten());
        found.into_iter().map(|at| &self.all[at]).collect()
    }
}

/// What changed in documents: the facts that they no longer say, and what they say instead.
pub(super) struct Changed {
    /// Of all facts, the live ones that their documents no longer say.
    pub(super) unsaid: Sharing,
    /// What documents say that no fact was taken from: path, mark and words.
    pub(super) news: Vec<(String, String, Gist)>,
    pub(super) news_words: Sharing,
}
