//! What the ledger cannot count: facts that no log names, and bullets that are no facts for want of a footer.

use std::collections::BTreeSet;

use super::{Finding, Lint, LintCode};
use crate::doc::{Fact, Form, INVARIANTS, KEY_DECISIONS, OPEN_THREADS};
use crate::memory::{CONTINUITY, Memory};
use crate::text;
use crate::tier::Rule;

/// Returns the live facts that would be counted, and that no log names yet.
pub fn unlogged<'m>(memory: &'m Memory<'_>) -> Vec<&'m Fact> {
    let facts = memory.continuity.distinct_facts().into_iter();
    let is_counted =
        |fact: &&Fact| fact.form != Form::Quoted && memory.rule(fact) == Rule::NeverReferenced;
    facts.filter(is_counted).collect()
}

/// Returns a finding for each fact that no log names, except those that the next log will name anyway, and for each
/// bullet without a footer among facts.
pub fn uncounted(memory: &Memory<'_>, waiting: &BTreeSet<String>) -> Vec<Finding> {
    let mut lint = Lint { memory, findings: Vec::new() };
    for fact in unlogged(memory).into_iter().filter(|fact| !waiting.contains(fact.id())) {
        lint.add(
            LintCode::UnloggedFact,
            fact.id(),
            (CONTINUITY.to_owned(), Some(fact.line)),
            format!("no session log names `{}`, so its uses are not counted", fact.id()),
            "the next session log that Quipu writes lists it as created; nothing needs to be done",
        );
    }
    lint.bullets();
    lint.findings
}

/// Returns where the block of each fact begins, in order, and how far it and those before it reach.
fn reaches(facts: &[Fact]) -> Vec<(usize, usize)> {
    let mut reaches: Vec<(usize, usize)> =
        facts.iter().map(|fact| (fact.block.start, fact.block.end)).collect();
    reaches.sort_unstable();
    let mut furthest = 0;
    for (_, end) in &mut reaches {
        furthest = furthest.max(*end);
        *end = furthest;
    }
    reaches
}

impl Lint<'_, '_> {
    fn bullets(&mut self) {
        let document = &self.memory.continuity;
        let mut numbers = text::LineNumbers::of(document.source);
        let reaches = reaches(&document.facts);
        let with_facts: BTreeSet<&str> =
            document.facts.iter().filter_map(|fact| fact.section.as_deref()).collect();
        for section in document.sections.iter().filter(|section| section.level == 2) {
            let has_facts = with_facts.contains(&*section.title);
            let is_for_facts = [KEY_DECISIONS, INVARIANTS, OPEN_THREADS].contains(&&*section.title);
            if !(has_facts || is_for_facts) || section.title == "Project State" {
                continue;
            }
            let mut in_code = false;
            let mut at = section.body.start;
            for line in document.source[section.body.clone()].split_inclusive('\n') {
                let start = at;
                at += line.len();
                in_code ^= line.trim_start().starts_with("```");
                let words = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
                let words = words.map(str::trim).filter(|words| {
                    words.chars().any(char::is_alphanumeric) && !words.starts_with(['(', '_', '*'])
                });
                let Some(words) = words.filter(|_| !in_code) else { continue };
                // Of the blocks that begin before the line, one goes on behind its beginning.
                let begun = reaches.partition_point(|(begin, _)| *begin <= start);
                if begun > 0 && reaches[begun - 1].1 > start {
                    continue;
                }
                let number = numbers.at(start);
                self.add(
                    LintCode::BulletWithoutFooter,
                    CONTINUITY,
                    (CONTINUITY.to_owned(), Some(number)),
                    format!("\"{}\" has no footer: it is neither counted nor archived", text::ellipsis(words, 60)),
                    "make it a fact with `quipu fact add` and delete the line, or move it out of the facts",
                );
            }
        }
    }
}
