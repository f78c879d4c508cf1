//! Bringing an older memory up to the newest layout (seed 000 §12): a ladder of rungs, each of which
//! adds what its layout brought and leaves alone what is there. A rung run twice does nothing more.

mod backfill;

use crate::doc::{self, Document, INVARIANTS, KEY_DECISIONS};
use crate::edit;
use crate::manifest::{LayoutVersion, Manifest, NEWEST_LAYOUT};
use crate::memory::{
    ARCHIVE_INDEX, CONTINUITY, Changes, INSTRUCTIONS, MANIFEST, POLICY, PROTOCOL, Snapshot, VISION,
};
use crate::template::{self, Filling};
use crate::text::{self, Edit};

/// The layout of a folder without a stamp and without anything that later layouts have.
const UNSTAMPED: LayoutVersion = LayoutVersion { major: 2, minor: 0, patch: 0 };
/// The layout that brought ids, metadata, the policy and the archive.
const EVOLVING: LayoutVersion = LayoutVersion { major: 3, minor: 0, patch: 0 };

/// Why a memory cannot be brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpgradeError {
    /// It is newer than we are.
    #[error("the memory has layout {found}, and this Quipu knows layouts up to {NEWEST_LAYOUT}")]
    Newer {
        /// Its layout.
        found: LayoutVersion,
    },
}

/// The layout that a folder is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The layout.
    pub version: LayoutVersion,
    /// Whether the manifest says so; otherwise the shape of the files does.
    pub is_stamped: bool,
}

/// What one rung did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The layout that the rung leads to.
    pub to: LayoutVersion,
    /// What was done, for people.
    pub done: Vec<String>,
}

/// The way from a folder's layout to the newest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upgrade {
    /// Rungs that had something to do.
    pub steps: Vec<Step>,
    /// New texts by path.
    pub changes: Changes,
}

/// Tells whether a folder has a memory of the shared layer, of any layout.
pub fn is_enabled(snapshot: &Snapshot) -> bool {
    [CONTINUITY, INSTRUCTIONS, MANIFEST].iter().any(|path| snapshot.get(path).is_some())
}

/// Returns the layout that a folder is on.
pub fn installed(snapshot: &Snapshot) -> Installed {
    if let Some(version) = snapshot.get(MANIFEST).and_then(stamped) {
        return Installed { version, is_stamped: true };
    }
    let has_footers =
        snapshot.get(CONTINUITY).is_some_and(|text| !Document::parse(text).facts.is_empty());
    let has = |path| snapshot.get(path).is_some();
    let version = if has(PROTOCOL) {
        LayoutVersion { major: 4, minor: 37, patch: 0 }
    } else if has(VISION) {
        LayoutVersion { major: 4, minor: 0, patch: 0 }
    } else if has_footers || has(POLICY) {
        EVOLVING
    } else {
        UNSTAMPED
    };
    Installed { version, is_stamped: false }
}

/// Reads the version of a manifest, also where its keys are not emphasised.
fn stamped(manifest: &str) -> Option<LayoutVersion> {
    let plain = || {
        let value = plain_line(manifest, "version")?;
        Manifest::parse(&format!("- **version:** {}\n", &manifest[value]))
    };
    Manifest::parse(manifest).or_else(plain).map(|manifest| manifest.version)
}

/// Returns where the value of a line `- key: value` stands.
fn plain_line(source: &str, key: &str) -> Option<std::ops::Range<usize>> {
    text::lines(source).find_map(|line| {
        let rest = line.text.strip_prefix("- ")?.strip_prefix(key)?.strip_prefix(':')?;
        let value = rest.trim();
        let start = line.start + line.text.len() - rest.trim_start().len();
        Some(start..start + value.len())
    })
}

/// A rung of the ladder.
struct Rung {
    to: LayoutVersion,
    climb: fn(&mut Climb<'_>),
}

/// The rungs, lowest first.
const RUNGS: [Rung; 4] = [
    Rung { to: EVOLVING, climb: |climb| climb.evolving() },
    Rung {
        to: LayoutVersion { major: 3, minor: 1, patch: 0 },
        climb: |climb| climb.invariant_checks(),
    },
    Rung { to: LayoutVersion { major: 4, minor: 0, patch: 0 }, climb: |climb| climb.vision() },
    Rung { to: LayoutVersion { major: 4, minor: 37, patch: 0 }, climb: |climb| climb.protocol() },
];

/// The files in which the original's older layouts keep their rules, at the root of the repo.
pub const OLD_RULES: [&str; 2] = ["DECAY.md", "REVIEW.md"];

/// Whose rules a memory follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Those in `memory/PROTOCOL.md`, which an upgrade brings.
    Ours,
    /// Those of an older original, in [`OLD_RULES`]. They stay in force, and so does the layout's stamp: a second
    /// book of rules would contradict the first.
    Originals,
}

/// Returns the way from a folder's layout to the newest; nothing to do where it is there.
///
/// # Errors
/// When the folder's layout is newer than ours.
pub fn plan(
    snapshot: &Snapshot,
    filling: Filling<'_>,
    rules: Rules,
) -> Result<Upgrade, UpgradeError> {
    let from = installed(snapshot);
    if from.version > NEWEST_LAYOUT {
        return Err(UpgradeError::Newer { found: from.version });
    }
    let mut climb = Climb { from, filling, now: snapshot.clone(), done: Vec::new() };
    let mut upgrade = Upgrade::default();
    // A stamp tells which rungs were climbed; a shape only which ones at least were not.
    let is_bare = snapshot.get(CONTINUITY).is_none();
    let protocol = LayoutVersion { major: 4, minor: 37, patch: 0 };
    let is_due = |rung: &&Rung| {
        (rules == Rules::Ours || rung.to < protocol)
            && (!from.is_stamped || is_bare || rung.to > from.version)
    };
    for rung in RUNGS.iter().filter(is_due) {
        (rung.climb)(&mut climb);
        if !climb.done.is_empty() {
            upgrade.steps.push(Step { to: rung.to, done: std::mem::take(&mut climb.done) });
        }
    }
    if rules == Rules::Ours {
        climb.stamp();
    }
    if !climb.done.is_empty() {
        upgrade.steps.push(Step { to: NEWEST_LAYOUT, done: climb.done });
    }
    let changed = |(path, text): (String, std::sync::Arc<str>)| {
        (snapshot.get(&path) != Some(&*text)).then(|| (path, Some(text.to_string())))
    };
    upgrade.changes = climb.now.files.into_iter().filter_map(changed).collect();
    Ok(upgrade)
}

/// The folder on its way up.
struct Climb<'a> {
    from: Installed,
    filling: Filling<'a>,
    now: Snapshot,
    done: Vec<String>,
}

impl Climb<'_> {
    fn write(&mut self, path: &str, text: String) {
        self.now.files.insert(path.to_owned(), text.into());
    }

    fn add_missing(&mut self, path: &str, template: &str, what: &str) {
        if self.now.get(path).is_none() {
            self.write(path, self.filling.fill(template));
            self.done.push(format!("{path}: {what}"));
        }
    }

    fn edit_continuity(&mut self, edit: impl FnOnce(&Document<'_>) -> Option<Edit>) -> bool {
        let Some(source) = self.now.get(CONTINUITY) else { return false };
        let edit = edit(&Document::parse(source));
        // One edit overlaps nothing.
        let Some(text) = edit.and_then(|edit| text::apply(source, &[edit]).ok()) else {
            return false;
        };
        self.write(CONTINUITY, text);
        true
    }

    fn add_state(&mut self, key: &str) {
        let added = self.edit_continuity(|document| match document.state(key) {
            Some(_) => None,
            None => edit::set_state(document, key, "(none yet)"),
        });
        if added {
            self.done.push(format!("{CONTINUITY}: the line `{key}`"));
        }
    }

    /// Ids, metadata, policy and archive.
    fn evolving(&mut self) {
        self.add_missing(CONTINUITY, template::CONTINUITY, "the live facts");
        if self.from.version < EVOLVING
            && let Some(source) = self.now.get(CONTINUITY)
        {
            let (text, ids) = backfill::backfill(source, &self.now.clone(), self.filling.today);
            if !ids.is_empty() {
                self.write(CONTINUITY, text);
                self.done.push(format!("{CONTINUITY}: an id and metadata for {} facts", ids.len()));
            }
        }
        if self.edit_continuity(invariants_section) {
            self.done.push(format!("{CONTINUITY}: the section `{INVARIANTS}`, empty: fill it in"));
        }
        self.add_state("last_review");
        self.add_missing(
            POLICY,
            template::POLICY,
            "the windows of the review, with their defaults",
        );
        self.add_missing(ARCHIVE_INDEX, template::ARCHIVE_INDEX, "the index of the archive");
    }

    fn invariant_checks(&mut self) {
        self.add_state("last_invariant_check");
    }

    fn vision(&mut self) {
        self.add_missing(VISION, template::VISION, "the north star, for a person to set");
        self.add_missing(INSTRUCTIONS, template::INSTRUCTIONS, "enduring context");
    }

    fn protocol(&mut self) {
        self.add_missing(PROTOCOL, template::PROTOCOL, "the rules of the memory");
    }

    /// Writes the newest version into the manifest.
    fn stamp(&mut self) {
        let Some(current) = self.now.get(MANIFEST) else {
            let text = manifest(self.filling, self.from.version, 'A');
            self.write(MANIFEST, text);
            self.done.push(format!("{MANIFEST}: {NEWEST_LAYOUT}"));
            return;
        };
        if Manifest::parse(current).is_some_and(|found| found.version == NEWEST_LAYOUT) {
            return;
        }
        let newest = NEWEST_LAYOUT.to_string();
        let text = set_line(current, "version", &newest);
        let text = set_line(&text, "last_upgraded", &self.filling.today.to_string());
        let text = set_line(&text, "quipu", self.filling.version);
        self.write(MANIFEST, text);
        self.done.push(format!("{MANIFEST}: {NEWEST_LAYOUT}"));
    }
}

/// Returns a manifest for a folder that has none.
pub fn manifest(filling: Filling<'_>, enabled_with: LayoutVersion, mode: char) -> String {
    format!(
        "# Memory install manifest\n\n\
         > The layout of `memory/`, so that a newer tool knows what to bring up to date.\n\n\
         - **version:** {NEWEST_LAYOUT}\n\
         - **enabled_with:** {enabled_with}\n\
         - **last_upgraded:** {}\n\
         - **mode:** {mode}\n\
         - **quipu:** {}\n",
        filling.today, filling.version
    )
}

/// Tells whether a manifest holds nothing but the lines of [`manifest`].
pub fn is_plain_manifest(text: &str) -> bool {
    let filling = Filling { project: "", today: jiff::civil::Date::ZERO, version: "" };
    let model = manifest(filling, NEWEST_LAYOUT, 'A');
    let key = |line: &str| line.split_once(":** ").map_or(line, |(key, _)| key).trim().to_owned();
    text.lines().map(key).eq(model.lines().map(key))
}

/// The manifest's line for files that were moved to `legacy/`.
const MIGRATED: &str = "migrated";

/// Returns the files that the manifest says were moved to `legacy/`.
pub fn migrated(manifest: &str) -> Vec<String> {
    let line = doc::state_line(manifest, MIGRATED).map_or("", |line| line.value);
    let unescaped = |path: &str| path.replace("%60", "`").replace("%25", "%");
    line.split('`').skip(1).step_by(2).map(unescaped).collect()
}

/// Returns the manifest with files added that were moved to `legacy/`.
pub fn with_migrated(manifest: &str, paths: &[&str]) -> String {
    let mut all = migrated(manifest);
    for path in paths {
        if !all.iter().any(|known| known == path) {
            all.push((*path).to_owned());
        }
    }
    // A backtick would end the name that it stands in.
    let escaped = |path: &String| path.replace('%', "%25").replace('`', "%60");
    let line: Vec<String> = all.iter().map(|path| format!("`{}`", escaped(path))).collect();
    set_line(&without_migrated(manifest), MIGRATED, &line.join(", "))
}

/// Returns the manifest without the line about moved files.
pub fn without_migrated(manifest: &str) -> String {
    let Some(line) = doc::state_line(manifest, MIGRATED) else { return manifest.to_owned() };
    let start = manifest[..line.span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end =
        manifest[line.span.end..].find('\n').map_or(manifest.len(), |at| line.span.end + at + 1);
    format!("{}{}", &manifest[..start], &manifest[end..])
}

/// Sets a line of the manifest, keeping its alignment and what stands after the value.
fn set_line(source: &str, key: &str, value: &str) -> String {
    if let Some(line) = doc::state_line(source, key) {
        let old = line.value.split_whitespace().next().unwrap_or_default();
        let lead = source[line.span.clone()].len() - source[line.span.clone()].trim_start().len();
        let start = line.span.start + lead;
        let gap = if lead == 0 { " " } else { "" };
        return format!("{}{gap}{value}{}", &source[..start], &source[start + old.len()..]);
    }
    if let Some(span) = plain_line(source, key) {
        // The original reads emphasised keys only.
        let line = source[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let rest = source[span].split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
        let rest = if rest.is_empty() { String::new() } else { format!("  {}", rest.trim()) };
        let end = source[line..].find(['\r', '\n']).map_or(source.len(), |end| line + end);
        return format!("{}- **{key}:** {value}{rest}{}", &source[..line], &source[end..]);
    }
    let ending = text::line_ending(source);
    let gap = if source.is_empty() || source.ends_with('\n') { "" } else { ending };
    format!("{source}{gap}- **{key}:** {value}{ending}")
}

/// Puts the empty section for invariants above the decisions, or at the end.
fn invariants_section(document: &Document<'_>) -> Option<Edit> {
    if document.section(INVARIANTS).is_some() || document.unclosed_fence.is_some() {
        return None;
    }
    let source = document.source;
    let ending = text::line_ending(source);
    let section = format!(
        "## {INVARIANTS}{ending}{ending}\
         > Rules that must hold whatever else changes. They never fade; a person confirms them now and then.{ending}"
    );
    Some(if let Some(decisions) = document.section(KEY_DECISIONS) {
        Edit::insert(decisions.heading.start, format!("{section}{ending}"))
    } else {
        let gap = if source.ends_with('\n') { ending.to_owned() } else { ending.repeat(2) };
        Edit::insert(source.len(), format!("{gap}{section}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILLING: Filling<'static> =
        Filling { project: "x", today: jiff::civil::date(2026, 3, 2), version: "0.1.0" };

    fn folder(files: &[(&str, &str)]) -> Snapshot {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).into()));
        Snapshot { files: files.collect() }
    }

    const OLD: &str = "# C\n\n## Project State\n\n- **project:** x\n\n## Key Decisions\n\n- POST only,\n  for ever\n- Webhooks are fire and forget\n\n## Open Threads\n\n- [ ] Ship it\n  - [x] first\n- [x] Done thing\n";

    #[test]
    fn the_first_rung_gives_every_fact_an_id_and_what_the_seed_asks_for() {
        let before = folder(&[(CONTINUITY, OLD), (INSTRUCTIONS, "mine\n")]);
        assert_eq!(installed(&before).version, UNSTAMPED);
        let upgrade = plan(&before, FILLING, Rules::Ours).unwrap();
        let after = before.with(&upgrade.changes);
        let text = after.get(CONTINUITY).unwrap();
        let document = Document::parse(text);
        let ids: Vec<&str> = document.facts.iter().map(doc::Fact::id).collect();
        assert_eq!(
            ids,
            ["post-only-ever", "webhooks-fire-forget", "ot-ship-it", "ot-done-thing"],
            "{text}"
        );
        assert!(text.contains(
            "- POST only,\n  for ever\n  <!-- id: post-only-ever | created: 2026-03-02 | last_used: 2026-03-02 | uses: 1 | tier: active -->\n- Webhooks"
        ));
        assert!(text.find(INVARIANTS) < text.find(KEY_DECISIONS));
        assert!(document.is_pinned(&document.facts[2]));
        assert!(
            text.contains(
                "- **last_review:** (none yet)\n- **last_invariant_check:** (none yet)\n"
            )
        );
        assert_eq!(after.get(INSTRUCTIONS), Some("mine\n"));
        for path in [POLICY, ARCHIVE_INDEX, VISION, PROTOCOL, MANIFEST] {
            assert!(after.get(path).is_some(), "{path}");
        }
        assert!(after.get(MANIFEST).unwrap().contains("- **enabled_with:** 2.0.0\n"));
        assert_eq!(plan(&after, FILLING, Rules::Ours).unwrap(), Upgrade::default(), "a second run");
    }

    #[test]
    fn a_memory_that_chose_which_bullets_are_facts_gets_no_more_ids() {
        let text = OLD.replace("forget\n", "forget\n  <!-- id: web-hooks | uses: 1 -->\n");
        let before = folder(&[(CONTINUITY, &text)]);
        assert_eq!(installed(&before).version, EVOLVING);
        let upgrade = plan(&before, FILLING, Rules::Ours).unwrap();
        let after = before.with(&upgrade.changes);
        assert_eq!(Document::parse(after.get(CONTINUITY).unwrap()).facts.len(), 1);
    }

    #[test]
    fn line_endings_stay() {
        let before = folder(&[(CONTINUITY, &OLD.replace('\n', "\r\n"))]);
        let upgrade = plan(&before, FILLING, Rules::Ours).unwrap();
        let text = upgrade.changes[CONTINUITY].clone().unwrap();
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
        assert_eq!(Document::parse(&text).facts.len(), 4);
    }

    #[test]
    fn a_stamp_keeps_its_shape_and_says_the_newest_version() {
        let aligned = "# m\n\n- **version:**       3.2.0  # now\n- **mode:**          A\n";
        let before = folder(&[(CONTINUITY, "# C\n"), (MANIFEST, aligned)]);
        let text = plan(&before, FILLING, Rules::Ours).unwrap().changes[MANIFEST].clone().unwrap();
        assert!(text.starts_with("# m\n\n- **version:**       4.38.0  # now\n"), "{text}");
        assert!(text.ends_with("- **last_upgraded:** 2026-03-02\n- **quipu:** 0.1.0\n"), "{text}");
        let plain = "- version:       3.0.0       # what\n- last_upgraded: 2026-01-01\n";
        let before = folder(&[(CONTINUITY, "# C\n"), (MANIFEST, plain)]);
        assert_eq!(installed(&before).version, EVOLVING);
        let text = plan(&before, FILLING, Rules::Ours).unwrap().changes[MANIFEST].clone().unwrap();
        assert_eq!(
            text,
            "- **version:** 4.38.0  # what\n- **last_upgraded:** 2026-03-02\n- **quipu:** 0.1.0\n"
        );
    }

    #[test]
    fn the_manifest_knows_what_was_moved() {
        let manifest = manifest(FILLING, NEWEST_LAYOUT, 'C');
        let moved = with_migrated(&manifest, &["CLAUDE.md", ".cursor/rules/a b.mdc"]);
        assert_eq!(migrated(&moved), ["CLAUDE.md", ".cursor/rules/a b.mdc"]);
        assert_eq!(with_migrated(&moved, &["CLAUDE.md"]), moved);
        assert_eq!(without_migrated(&moved), manifest);
        let odd = [".cursor/rules/a`b.mdc", ".clinerules/deep/ü.md", "100%60.md", "%25", "``"];
        assert_eq!(migrated(&with_migrated(&manifest, &odd)), odd);
    }

    #[test]
    fn a_newer_memory_is_left_alone() {
        let newer = folder(&[(MANIFEST, "- **version:** 4.39.0\n")]);
        assert!(matches!(plan(&newer, FILLING, Rules::Ours), Err(UpgradeError::Newer { .. })));
    }

    #[test]
    fn what_a_fence_hides_gets_no_id() {
        let text = "## Key Decisions\n\n- one fact\n- two\n  ```\n- three\n";
        let before = folder(&[(CONTINUITY, text)]);
        let after = before.with(&plan(&before, FILLING, Rules::Ours).unwrap().changes);
        let document = Document::parse(after.get(CONTINUITY).unwrap());
        assert_eq!(document.facts.len(), 1);
        assert!(after.get(CONTINUITY).unwrap().ends_with("- two\n  ```\n- three\n"));
    }

    #[test]
    fn a_secret_among_the_words_is_no_part_of_the_id() {
        let text = "## Key Decisions\n\n- Use Postgres, key AKIAIOSFODNN7QWERTYU\n";
        let before = folder(&[(CONTINUITY, text)]);
        let after = before.with(&plan(&before, FILLING, Rules::Ours).unwrap().changes);
        let document = Document::parse(after.get(CONTINUITY).unwrap());
        assert_eq!(document.facts[0].id(), "postgres-key");
    }
}
