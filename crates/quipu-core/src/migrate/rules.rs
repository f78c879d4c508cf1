//! The rules in a file of instructions: list items, and short paragraphs that tell what to do.
//!
//! Headings say where a rule belongs. Who the model should be ("You are an expert…"), code, tables and
//! long explanations are no rules; they stay in the original.

use crate::doc;
use crate::outline::{Kind, Lines, Outline};
use crate::prose;
use crate::text;

/// A rule longer than this is an explanation.
const LONGEST: usize = 280;

/// A rule of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its words, in one line.
    pub text: String,
    /// The section of the memory that it fits.
    pub section: &'static str,
    /// 1-based line.
    pub line: usize,
    /// How much it is a rule: 0 must or must not, 1 tells what to do, 2 tells what is.
    pub rank: u8,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Its rules, in order.
    pub rules: Vec<Rule>,
    /// How many passages are too long to be one, or cannot stand in a memory as they are.
    pub long: usize,
}

/// Returns the rules of a file.
pub fn rules(source: &str) -> Found {
    let (front, body, first) = front_matter(source);
    let scope = scope(front);
    let body = without_comments(body);
    let outline = Outline::new(Lines::new(&body), |_| false);
    let is_plain = outline.items.is_empty();
    let mut reader = Reader { scope, is_plain, headings: Vec::new(), found: Found::default() };
    let mut index = 0;
    while index < outline.lines.len() {
        let entry = &outline.lines[index];
        let item =
            outline.items.iter().position(|item| item.start == index && item.parent.is_none());
        if let Kind::Heading(level) = entry.kind {
            reader.heading(level, entry.line.text);
        } else if let Some(item) = item {
            reader.item(&outline, item, first);
            index = outline.items[item].end.max(index + 1);
            continue;
        } else if entry.kind == Kind::Text && !entry.in_fence {
            let is_more = |at: usize| {
                let line = &outline.lines[at];
                line.kind == Kind::Text && !line.in_fence
            };
            let end = (index + 1..outline.lines.len())
                .find(|at| !is_more(*at))
                .unwrap_or(outline.lines.len());
            let lines: Vec<&str> =
                outline.lines[index..end].iter().map(|entry| entry.line.text.trim()).collect();
            reader.paragraph(&lines, first + index);
            index = end;
            continue;
        }
        index += 1;
    }
    reader.found
}

/// Returns the lines between `---` at the top, the rest, and the number of its first line.
fn front_matter(source: &str) -> (&str, &str, usize) {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut lines = text::lines(source);
    let Some(open) = lines.next().filter(|line| line.text.trim_end() == "---") else {
        return ("", source, 1);
    };
    for (index, line) in lines.enumerate() {
        if line.text.trim_end() == "---" {
            return (&source[open.end..line.start], &source[line.end..], index + 3);
        }
    }
    ("", source, 1)
}

/// Returns a text without what nobody is shown: comments that end, outside of code. Lines stay lines.
fn without_comments(body: &str) -> String {
    let mut result = String::with_capacity(body.len());
    let (mut in_fence, mut in_comment) = (false, false);
    let mut rest = body;
    for line in body.split_inclusive('\n') {
        rest = &rest[line.len()..];
        let start = line.trim_start();
        if !in_comment && (start.starts_with("```") || start.starts_with("~~~")) {
            in_fence = !in_fence;
        }
        if in_fence {
            result.push_str(line);
            continue;
        }
        let mut left = line;
        loop {
            if in_comment {
                let Some(end) = left.find("-->") else { break };
                left = &left[end + 3..];
                in_comment = false;
            }
            let begin = left.match_indices("<!--").map(|(at, _)| at).find(|at| {
                let is_code = left[..*at].matches('`').count() % 2 == 1;
                !is_code && (left[at + 4..].contains("-->") || rest.contains("-->"))
            });
            let Some(begin) = begin else {
                result.push_str(left);
                break;
            };
            result.push_str(&left[..begin]);
            left = &left[begin + 4..];
            in_comment = true;
        }
        if in_comment && line.ends_with('\n') {
            result.push('\n');
        }
    }
    result
}

/// Tells whether a file says no more than that its reader should go to another, which it names.
pub fn only_points_to(source: &str, name: &str) -> bool {
    let (_, body, _) = front_matter(source);
    let body = without_comments(body);
    let is_pointing = |sentence: &str| {
        let plain = plain(sentence);
        let words: Vec<&str> = prose::words(&plain, "").collect();
        if words.len() < 2 {
            return true;
        }
        // "Read it before you begin. It has all the rules."
        let goes_on = words.iter().any(|word| ["it", "there", "them"].contains(word))
            && ["read", "follow", "see", "it", "they", "look", "start"].contains(&words[0]);
        goes_on || sentence.contains(name) || is_boilerplate(sentence)
    };
    let mut in_fence = false;
    body.contains(name)
        && body.lines().map(str::trim).all(|line| {
            in_fence ^= line.starts_with("```") || line.starts_with("~~~");
            !in_fence
                && (line.starts_with('#') || prose::sentences(line).into_iter().all(is_pointing))
        })
}

/// Returns which files a file's rules are about, where not about all.
fn scope(front: &str) -> Option<String> {
    let is_always = front.lines().any(|line| {
        let line = line.split_whitespace().collect::<String>().to_lowercase();
        line == "alwaysapply:true" || line == "trigger:always_on"
    });
    let mut globs: Vec<String> = Vec::new();
    let mut in_list = false;
    for line in front.lines() {
        let value = ["globs:", "applyTo:", "fileMatchPattern:", "paths:"]
            .iter()
            .find_map(|key| line.strip_prefix(key));
        let more = line.trim_start().strip_prefix("- ").filter(|_| in_list);
        in_list = value.is_some() || more.is_some();
        let text = value.or(more).unwrap_or_default();
        for glob in text.split([',', '[', ']', '"', '\'']).map(str::trim) {
            if !glob.is_empty() && !glob.contains('`') {
                globs.push(format!("`{glob}`"));
            }
        }
    }
    let is_all = globs.iter().any(|glob| ["`*`", "`**`", "`**/*`"].contains(&glob.as_str()));
    (!is_always && !is_all && !globs.is_empty() && globs.len() <= 4).then(|| globs.join(", "))
}

struct Reader {
    scope: Option<String>,
    /// Whether the file has no list: then its lines may be one.
    is_plain: bool,
    headings: Vec<(u8, String)>,
    found: Found,
}

impl Reader {
    fn heading(&mut self, level: u8, line: &str) {
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, line.trim_matches(['#', ' ']).to_lowercase()));
    }

    /// A list item with what hangs below it: one rule where that is short, otherwise one each.
    fn item(&mut self, outline: &Outline<'_>, item: usize, first: usize) {
        let whole = &outline.items[item];
        let children: Vec<usize> = outline
            .items
            .iter()
            .enumerate()
            .filter(|(_, child)| child.parent == Some(item))
            .map(|(index, _)| index)
            .collect();
        // A step makes sense among the others, in order; alone it is no rule.
        let is_step = outline.lines[whole.start]
            .line
            .text
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit())
            && self.headings.last().is_some_and(|(_, title)| is_procedure(title));
        if is_step {
            self.found.long += 1;
            return;
        }
        let own_end = children.first().map_or(whole.end, |child| outline.items[*child].start);
        let own = words(outline, whole.start, own_end);
        let line = first + whole.start;
        if children.is_empty() {
            self.push(&own, line, true);
            return;
        }
        let below: Vec<String> = children
            .iter()
            .map(|child| words(outline, outline.items[*child].start, outline.items[*child].end))
            .collect();
        let together = format!("{} {}", own.trim_end_matches('.'), below.join("; "));
        let is_short = below.iter().all(|one| one.split_whitespace().count() <= 6);
        if own.ends_with(':') && is_short && together.chars().count() <= LONGEST {
            self.push(&together, line, true);
            return;
        }
        if !own.ends_with(':') {
            self.push(&own, line, true);
        }
        for child in children {
            self.item(outline, child, first);
        }
    }

    /// Lines that each say something are rules of their own; a paragraph that runs on is one.
    fn paragraph(&mut self, lines: &[&str], line: usize) {
        // What is imported is no rule, and what stands below it may be one.
        let line = line + lines.iter().take_while(|line| line.starts_with('@')).count();
        let lines: Vec<&str> =
            lines.iter().filter(|line| !line.starts_with('@')).copied().collect();
        if lines.is_empty() {
            return;
        }
        let begins = |line: &&str| line.starts_with(|c: char| c.is_uppercase() || c == '*');
        let stand_alone = lines.iter().all(begins) && lines.iter().all(|line| rank(line) < 2);
        if lines.len() > 1 && stand_alone {
            for (index, text) in lines.iter().enumerate() {
                self.push(text, line + index, false);
            }
        } else if self.is_plain && lines.len() > 1 && is_a_line_each(&lines) {
            for (index, text) in lines.iter().enumerate() {
                self.push(text, line + index, true);
            }
        } else if !lines[0].starts_with(['<', '>']) {
            self.push(&lines.join(" "), line, false);
        }
    }

    fn push(&mut self, text: &str, line: usize, is_item: bool) {
        let text = text::collapse_whitespace(text.trim());
        let rank = rank(&text);
        if (is_item || rank < 2) && is_marked(&text) {
            self.found.long += 1;
            return;
        }
        if (!is_item && rank == 2) || !is_telling(&text) || is_boilerplate(&text) {
            return;
        }
        let text = match &self.scope {
            Some(scope) => format!("In {scope}: {text}"),
            None => text,
        };
        if text.chars().count() > LONGEST {
            self.found.long += 1;
            return;
        }
        let talk = if is_about_talk(&text) { "User Preferences" } else { "Conventions" };
        let section = section(&self.headings).unwrap_or(talk);
        self.found.rules.push(Rule { text, section, line, rank });
    }
}

/// Tells whether lines are statements of their own, and no passage that was broken where its lines were full.
fn is_a_line_each(lines: &[&str]) -> bool {
    const OPEN: [&str; 18] = [
        "a", "an", "and", "as", "at", "by", "for", "from", "if", "in", "is", "of", "on", "or",
        "that", "the", "to", "with",
    ];
    let length = |line: &str| line.chars().count();
    let widest = lines.iter().map(|line| length(line)).max().unwrap_or_default();
    let is_open = |line: &str| {
        let last = line.rsplit(' ').next().unwrap_or_default();
        line.ends_with([',', ':', '(', '-', '–', '—']) || OPEN.contains(&last)
    };
    let is_full = |pair: &[&str]| {
        let next = pair[1].split(' ').next().map_or(0, length);
        length(pair[0]) + 1 + next > widest
    };
    let has_rule = lines.iter().any(|line| rank(line) < 2);
    let is_broken = widest >= 50 && lines.windows(2).all(is_full);
    has_rule && !is_broken && !lines[..lines.len() - 1].iter().any(|line| is_open(line))
}

/// Tells whether what stands below a heading is done one step after the other.
fn is_procedure(title: &str) -> bool {
    const WORDS: [&str; 12] = [
        "step",
        "workflow",
        "process",
        "procedure",
        "releas",
        "how to",
        "rolling",
        "deploy",
        "setup",
        "install",
        "getting started",
        "prepar",
    ];
    WORDS.iter().any(|word| title.contains(word))
}

/// Returns the words of lines without code, in one line.
fn words(outline: &Outline<'_>, start: usize, end: usize) -> String {
    let mut text = String::new();
    for entry in outline.lines[start..end].iter().filter(|entry| !entry.in_fence) {
        let line = entry.line.text.trim();
        let line = if matches!(entry.kind, Kind::Item(_)) {
            &line[doc::marker_length(line)..]
        } else {
            line
        };
        text.push_str(line.trim());
        text.push(' ');
    }
    text::collapse_whitespace(text.trim())
}

/// Tells whether a text says something, in a form that a fact can have.
fn is_telling(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let is_link = text.starts_with('[') && text.ends_with(')');
    words.count() >= 2
        && !text.ends_with(':')
        && !is_link
        && !is_marked(text)
        && !["[ ]", "[x]", "[X]", "<", "|", "**last_"].iter().any(|mark| text.starts_with(mark))
        && !text.chars().any(char::is_control)
}

/// Tells whether a text would end a footer, or begin code that does not end.
fn is_marked(text: &str) -> bool {
    ["<!--", "-->", "```", "~~~"].iter().any(|mark| text.contains(mark))
}

fn is_boilerplate(text: &str) -> bool {
    const OPENINGS: [&str; 12] = [
        "you are ",
        "you're ",
        "act as ",
        "as an ai",
        "as an expert",
        "your role ",
        "your task is",
        "your goal is",
        "this file provides guidance",
        "this document ",
        "think step by step",
        "take a deep breath",
    ];
    let lower = plain(text);
    OPENINGS.iter().any(|opening| lower.starts_with(opening))
}

fn plain(text: &str) -> String {
    text.trim_start_matches(['*', '_', '#', ' ']).to_lowercase()
}

/// Verbs that open a rule.
const VERBS: &str = "add adhere allow apply ask assume avoid be break build call check choose cite commit \
    consider create define delete deploy describe do document ensure explain export favor \
    favour fix follow format give group handle implement import include install keep leave \
    limit lint log look make mark mock name note open optimize organize place prefer preserve \
    propose put read reference refuse remember remove rename respect respond return reuse \
    review run say separate set ship show sort split start stick stop store structure suggest \
    test treat try update use utilize validate verify wait work wrap write";

fn rank(text: &str) -> u8 {
    let lower = plain(text);
    let mut words = prose::words(&lower, "'’");
    let must = ["must", "never", "always", "don't", "don’t", "shall", "forbidden", "required"];
    if lower.contains("do not ") || words.clone().any(|word| must.contains(&word)) {
        return 0;
    }
    let should = lower.contains(" should ") || lower.contains("prefer ");
    let opens = words.next().is_some_and(|word| VERBS.split(' ').any(|verb| verb == word));
    if opens || should { 1 } else { 2 }
}

/// Headings by what they are about, and the section that fits.
const SECTIONS: [(&str, &[&str]); 5] = [
    ("Team / Members", &["team", "member", "people", "owner", "contact", "maintainer"]),
    (
        "User Preferences",
        &["preference", "communicat", "tone", "personality", "response", "answer", "about me"],
    ),
    (
        "Conventions",
        &[
            "style",
            "convention",
            "naming",
            "format",
            "lint",
            "commit",
            "test",
            "pattern",
            "guideline",
            "rule",
            "comment",
            "practice",
            "standard",
            "quality",
            "review",
            "workflow",
            "pull request",
            "error handling",
            "documentation",
            "do not",
            "don't",
            "never",
            "always",
        ],
    ),
    (
        "Stack & Tools",
        &[
            "stack",
            "tech",
            "tool",
            "command",
            "build",
            "depend",
            "environment",
            "setup",
            "install",
            "framework",
            "librar",
            "database",
            "infra",
            "deploy",
            "running",
            "develop",
            "script",
        ],
    ),
    (
        doc::KEY_DECISIONS,
        &["decision", "architect", "design", "structure", "overview", "security", "api", "data"],
    ),
];

/// Tells whether a rule is about how to speak with a person, not about the project.
fn is_about_talk(text: &str) -> bool {
    const WORDS: [&str; 16] = [
        "i",
        "me",
        "my",
        "i'm",
        "answer",
        "answers",
        "response",
        "responses",
        "respond",
        "terse",
        "concise",
        "casual",
        "tone",
        "lectures",
        "apologize",
        "user",
    ];
    prose::words(&text.to_lowercase(), "'").any(|word| WORDS.contains(&word))
}

/// Returns the section that fits the nearest heading that tells one.
fn section(headings: &[(u8, String)]) -> Option<&'static str> {
    let about = |title: &String| {
        SECTIONS
            .iter()
            .find(|(_, words)| words.iter().any(|word| title.contains(word)))
            .map(|(section, _)| *section)
    };
    headings.iter().rev().find_map(|(_, title)| about(title))
}

#[cfg(test)]
mod tests;
