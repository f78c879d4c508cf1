//! What sort of document one is, by its name, its title and its folder.

use crate::harvest::page::Page;
use crate::harvest::place::Place;
use crate::harvest::record;
use crate::harvest::words::{self, words};

/// What sort of document it is.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a document may be several of these at once")]
pub(super) struct Habit {
    pub(super) is_log: bool,
    pub(super) is_roadmap: bool,
    /// Whether rules count in small letters too.
    pub(super) is_guide: bool,
    /// Whether every list item is a rule.
    pub(super) is_rulebook: bool,
    /// Whether it lists records that stand elsewhere.
    pub(super) is_index: bool,
    /// Whether it says that it was approved: then what it proposes is decided.
    pub(super) is_approved: bool,
    /// Whether nothing in it holds: glossaries, tutorials.
    pub(super) is_silent: bool,
}

impl Habit {
    pub(super) fn of(place: &Place<'_>, page: &Page) -> Self {
        let stem = place.stem().replace(['_', '-'], " ");
        let title = page.title().unwrap_or_default().to_lowercase();
        let is_named =
            |names: &[&str]| names.iter().any(|name| stem.contains(name) || title.contains(name));
        let is_chapter = place.folders().any(|folder| folder == "arc42");
        // Chapters of arc42 are known by their numbers in any language.
        let chapter = stem.get(..2).filter(|_| is_chapter).unwrap_or_default();
        let is_meeting = place.is_meeting() || is_named(&words().meetings);
        let is_own_guide = is_named(&words().guides);
        let is_reference = place.is_reference() || is_named(&words().references);
        let is_guide =
            (is_own_guide || place.is_guide() || ["02", "04", "08", "09"].contains(&chapter))
                && !is_meeting;
        let is_lesson = (is_named(&words().lessons) || place.is_lesson()) && !is_own_guide;
        let is_log = is_named(&words().logs) && !is_lesson;
        let is_roadmap = is_named(&words().roadmaps) || stem == "todo";
        // In a guide for contributors lists are mostly steps.
        let is_rulebook = (words::names_rules(&title) || words::names_rules(&stem))
            && !stem.contains("contribut")
            && !title.contains("contribut");
        let is_named_silent = is_named(&words().silent) || ["11", "12"].contains(&chapter);
        let is_about_records = record::is_about_records(page);
        Self {
            is_log: is_log && !is_meeting,
            is_roadmap,
            is_guide: is_guide && !is_reference && !is_about_records,
            is_rulebook: is_rulebook && !is_meeting && !is_about_records,
            is_approved: false,
            is_index: record::is_index_of_records(place, page),
            is_silent: is_named_silent || (is_lesson && !is_log && !is_roadmap),
        }
    }
}
