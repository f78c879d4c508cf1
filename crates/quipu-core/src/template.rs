//! The files that `quipu init` writes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use crate::memory;
use crate::naming;

/// `memory/continuity.md`.
pub const CONTINUITY: &str = include_str!("../templates/continuity.md");
/// `memory/decay-policy.md`.
pub const POLICY: &str = include_str!("../templates/decay-policy.md");
/// `memory/instructions.md`.
pub const INSTRUCTIONS: &str = include_str!("../templates/instructions.md");
/// `memory/vision.md`.
pub const VISION: &str = include_str!("../templates/vision.md");
/// `memory/PROTOCOL.md`.
pub const PROTOCOL: &str = include_str!("../templates/PROTOCOL.md");
/// `memory/archive/INDEX.md`.
pub const ARCHIVE_INDEX: &str = include_str!("../templates/archive-INDEX.md");
/// The block in `AGENTS.md`, markers included.
pub const AGENTS_BLOCK: &str = include_str!("../templates/agents-block.md");

/// What a new memory consists of, beside its stamp: paths, templates, and what each is for. All else comes when it is
/// needed: the archive with the first fact that fades, a log with the first session that has something to say.
pub const FRESH: [(&str, &str, &str); 2] = [
    (memory::CONTINUITY, CONTINUITY, "the facts that your team shares"),
    (memory::PROTOCOL, PROTOCOL, "the rules, for whoever works without Quipu"),
];

/// What a new memory of version 0.1 consisted of, and what each file of a memory looks like before anybody writes into it.
pub const SKELETON: [(&str, &str); 7] = [
    (memory::CONTINUITY, CONTINUITY),
    (memory::POLICY, POLICY),
    (memory::VISION, VISION),
    (memory::INSTRUCTIONS, INSTRUCTIONS),
    (memory::PROTOCOL, PROTOCOL),
    (memory::ARCHIVE_INDEX, ARCHIVE_INDEX),
    // Git keeps no empty folder, and the first log should not have to make one.
    ("memory/sessions/.gitkeep", ""),
];

/// Tells whether a file of the memory is as `quipu init` writes it, and nobody has added a word.
/// When reviews were held is no word of anybody.
pub fn is_unwritten(path: &str, text: &str) -> bool {
    let template = SKELETON.iter().find(|(known, _)| *known == path);
    template.is_some_and(|(_, template)| {
        let (mut lines, mut filled) = (text.lines(), BTreeMap::new());
        template
            .lines()
            .all(|model| lines.next().is_some_and(|line| is_filled(model, line, &mut filled)))
            && lines.next().is_none()
    })
}

/// Tells whether a line is what a template's line became. One slot has one value in all of a file: a
/// project's name that somebody went on writing after is no name any more.
fn is_filled<'a>(model: &'a str, line: &'a str, filled: &mut BTreeMap<&'a str, &'a str>) -> bool {
    if let Some(key) = model.strip_suffix("(none yet)") {
        return line.strip_prefix(key).is_some_and(is_stamp);
    }
    let mut parts = model.split("{{");
    let Some(mut rest) = parts.next().and_then(|head| line.strip_prefix(head)) else {
        return false;
    };
    for (number, part) in parts.clone().enumerate() {
        let Some((slot, fixed)) = part.split_once("}}") else { return false };
        let is_last = number + 1 == parts.clone().count();
        let end = if is_last { rest.strip_suffix(fixed).map(str::len) } else { rest.find(fixed) };
        let Some(end) = end else { return false };
        let value = &rest[..end];
        if *filled.entry(slot).or_insert(value) != value {
            return false;
        }
        rest = &rest[end + fixed.len()..];
    }
    rest.is_empty()
}

/// Tells whether a value only says when, or that it never was.
fn is_stamp(value: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || " -|:".contains(c);
    value == "(none yet)" || value.replace("through", "").chars().all(is_mark)
}

/// What is filled in.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// The project's name.
    pub project: &'a str,
    /// The day.
    pub today: Date,
    /// Quipu's version.
    pub version: &'a str,
}

impl Filling<'_> {
    /// Returns a template, filled in.
    pub fn fill(&self, template: &str) -> String {
        let vision =
            naming::derive_id(&format!("vision {}", self.project), false, &BTreeSet::new());
        template
            .replace("{{project}}", self.project)
            .replace("{{today}}", &self.today.to_string())
            .replace("{{vision_id}}", &vision)
            .replace("{{quipu_version}}", self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_memory_is_unwritten_until_somebody_writes() {
        let filling = Filling {
            project: "pigeon | post",
            today: Date::constant(2026, 3, 2),
            version: "0.1.0",
        };
        for (path, template) in SKELETON {
            let text = filling.fill(template);
            assert!(is_unwritten(path, &text), "{path}");
            assert!(is_unwritten(path, &text.replace('\n', "\r\n")), "{path}");
            assert!(!is_unwritten(path, &format!("{text}more\n")), "{path}");
            if let Some((most, _)) = text.trim_end().rsplit_once('\n') {
                assert!(!is_unwritten(path, most), "{path}");
            }
        }
        let text = filling.fill(CONTINUITY);
        let path = memory::CONTINUITY;
        let reviewed = text.replace("last_review:** (none yet)", "last_review:** 2026-04-01");
        assert!(reviewed != text && is_unwritten(path, &reviewed));
        assert!(!is_unwritten(path, &text.replace("status:** new", "status:** beta")));
        let told =
            text.replace("project:** pigeon | post", "project:** pigeon | post, never on Fridays");
        assert!(told != text && !is_unwritten(path, &told), "a name and a word");
        let told = text.replace("last_review:** (none yet)", "last_review:** ask Ann");
        assert!(told != text && !is_unwritten(path, &told), "no stamp");
        assert!(!is_unwritten("memory/mine.md", &text));
    }
}
