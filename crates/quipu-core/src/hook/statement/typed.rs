//! What of a message its user typed: not code, not quotes, and not what was pasted below a line that says where it
//! comes from.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::{folded, pattern};

/// Lines that stand together, without empty ones.
pub(super) type Paragraph = Vec<String>;

/// Returns the paragraphs that the user typed. Lines that were wrapped are one; a list has a line per item.
pub(super) fn paragraphs(message: &str) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = vec![Paragraph::new()];
    let mut in_code = false;
    // How many lines were pasted, since one said where they come from.
    let mut pasted: Option<usize> = None;
    let last = message.trim_end().lines().count();
    let letter = letter(message);
    for (number, line) in message.lines().enumerate() {
        let trimmed = line.trim();
        if letter.contains(&number) {
            pasted = None;
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        if trimmed.is_empty() {
            pasted = None;
            paragraphs.push(Paragraph::new());
            continue;
        }
        // Below what they pasted people say what they want.
        if let Some(lines) = &mut pasted {
            *lines += 1;
        }
        let is_pasted = pasted.is_some_and(|lines| lines < 2 || number + 1 < last);
        if is_pasted || is_quoted(line) || is_spoken(trimmed) {
            continue;
        }
        if is_source(trimmed) {
            pasted = Some(0);
            continue;
        }
        let bare = without_bullet(trimmed);
        let Some(paragraph) = paragraphs.last_mut() else { continue };
        match paragraph.last_mut() {
            // A line that was wrapped goes on in small letters.
            Some(last)
                if bare.len() == trimmed.len()
                    && bare.starts_with(char::is_lowercase)
                    && last.ends_with(|c: char| c.is_alphanumeric() || c == ',') =>
            {
                last.push(' ');
                last.push_str(bare);
            }
            _ => paragraph.push(bare.to_owned()),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Returns the lines of a letter in a message: from the one that greets people to the one that closes it. Who
/// talks to an agent may greet, but closes with no regards.
fn letter(message: &str) -> Range<usize> {
    static GREETS: OnceLock<Regex> = OnceLock::new();
    static CLOSES: OnceLock<Regex> = OnceLock::new();
    let greets = pattern(
        &GREETS,
        r"^(?:hi|hello|hey|dear|good (?:morning|evening|afternoon)|hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen)|bonjour|ch[eè]re?s?|hola|estimad[oa]s?|querid[oa]s?)\b[^.?!:]{0,60}[,!]$",
    );
    let closes = pattern(
        &CLOSES,
        r"^(?:(?:all the |with |kind |best |warm |many )*(?:best|regards|wishes|greetings)|cheers|sincerely|yours|love|(?:mit |viele |liebe |beste |freundlichen )*gr(?:ü|ue)(?:ß|ss)en?|lg|vg|mfg|cordialement|saludos|un saludo|atentamente)\b[^.?!:]{0,40}$",
    );
    let lines: Vec<String> = message.lines().map(|line| folded(line.trim())).collect();
    let start = lines.iter().position(|line| greets.is_match(line));
    let end = start.and_then(|start| {
        let closing = lines[start + 1..].iter().position(|line| closes.is_match(line))?;
        Some(start + 1 + closing)
    });
    let Some((start, end)) = start.zip(end) else { return 0..0 };
    // The name below the regards.
    let is_name = |line: &String| !line.is_empty() && line.split_whitespace().count() <= 3;
    let name = usize::from(lines[end].ends_with(',') && lines.get(end + 1).is_some_and(is_name));
    start..end + 1 + name
}

/// Returns a line of a list without its mark.
fn without_bullet(line: &str) -> &str {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = numbered
        .strip_prefix(['.', ')'])
        .filter(|rest| rest.starts_with(' ') && line.starts_with(|c: char| c.is_ascii_digit()));
    numbered.unwrap_or(line).trim_start_matches(['-', '*', '#', '•']).trim_start()
}

/// Tells whether a line is a quote, code, or output of a program.
fn is_quoted(line: &str) -> bool {
    static OUTPUT: OnceLock<Regex> = OnceLock::new();
    let output = pattern(
        &OUTPUT,
        r"^(?:hint|error|warning|note|info|fatal|debug|traceback|caused by)\b[^ ]*:|^\[?\d{4}-\d\d-\d\d[t ]|^at [\w.$]+\(|^[\w.$]+(?:exception|error)\b|^\$ |^\+\+\+ |^--- |^@@ ",
    );
    let trimmed = line.trim();
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let is_spoken = trimmed.starts_with(['"', '“', '„', '«', '\'']) && {
        let inner = trimmed.trim_start_matches(['"', '“', '„', '«', '\'']);
        inner.trim_end_matches(['.', ',']).ends_with(['"', '”', '“', '»', '\''])
    };
    trimmed.starts_with(['>', '|']) || is_indented || is_spoken || output.is_match(&folded(trimmed))
}

/// Tells whether a line is of a conversation: `Tom: …`, `[10:32] Tom: …`.
fn is_spoken(line: &str) -> bool {
    static SPOKEN: OnceLock<Regex> = OnceLock::new();
    static OWN: OnceLock<Regex> = OnceLock::new();
    let spoken = pattern(
        &SPOKEN,
        r"^(?:\[?\d\d?:\d\d(?::\d\d)?(?: ?[AP]M)?\]?[ -]*)?<?@?[A-Z][\w.-]+(?: [A-Z][\w.-]+)?>?(?: ?[\[(]?\d\d?:\d\d(?: ?[AP]M)?[\])]?)?: ",
    );
    let own = pattern(
        &OWN,
        r"(?i)^(?:remember|reminder|note|notes|important|ps|fyi|rule|rules|convention|policy|decision|memo|memory|preference|please|also|merke?|wichtig|regel|recuerda|nota|retiens|update|context|background|info|fact|facts|correction|new rule|house rule|for \w+)\b",
    );
    spoken.is_match(line) && !own.is_match(line)
}

/// Tells whether a line says that what follows comes from elsewhere.
fn is_source(line: &str) -> bool {
    static SOURCE: OnceLock<Regex> = OnceLock::new();
    static REQUEST: OnceLock<Regex> = OnceLock::new();
    let source = pattern(
        &SOURCE,
        r"\b(?:says?|said|wrote|writes|reads|states?|posted|commented|quote|quoting|from (?:the|their|our|an?|this|my|his|her) [\w ]+|trace|traceback|logs?|output|error|docs?|documentation|guide|readme|ticket|issue|slack|e-?mail|mail|message|comment|transcript|snippet|paste[ds]?|spec|changelog|prints?|shows?|schreibt|sagt|meldet|dice|dit|écrit)\b[^.?!]*:$",
    );
    let request = pattern(
        &REQUEST,
        r"\b(?:remember|memory|memorize|notes|from now on|in mind|merk|recuerda)\b",
    );
    let lower = folded(line);
    source.is_match(&lower) && !request.is_match(&lower)
}
