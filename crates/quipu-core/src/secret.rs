//! Spans that look like credentials or personal data.
//!
//! The scanner finds *shapes*; whether a hit is a real secret is for a person to say. A value is
//! never part of a hit, so that no report can repeat it. Classes, placeholders and waivers are
//! those of agent-memory 4.38; those that Quipu adds are marked [`Class::Suspected`].

mod blocks;
mod commands;
mod context;
mod names;
mod numbers;
mod placeholder;
mod policy;
mod redaction;
mod services;
mod tokens;
mod value;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::memmem;
use regex::bytes::{Captures, Regex};

use self::placeholder::{is_placeholder, is_public_address};
pub use self::policy::{OnSecret, admitted, is_personal, told, waived};
pub(crate) use self::redaction::is_bare;
pub use self::redaction::redacted;
use self::value::{is_filler, is_masked, is_reference, is_stand_in};

/// A line with this mark is not scanned.
pub const WAIVER: &str = "lint:allow-secret-material";

/// The same in fewer words.
pub const SHORT_WAIVER: &str = "quipu:allow-secret";

/// What stands in place of a value.
pub const REDACTED: &str = "(REDACTED)";

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Credentials and personal data: for files that are shared with everybody who has the repo.
    Memory,
    /// Credentials only: configuration may well name a person or a path.
    Credentials,
}

/// How sure a category is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A category that the original tool reports too.
    Known,
    /// A category that Quipu adds.
    Suspected,
}

/// A place that looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Kind of secret, such as `jwt`.
    pub category: &'static str,
    /// Whether the original knows the category.
    pub class: Class,
    /// The name that the value was assigned to.
    pub key: Option<String>,
    /// Where the secret itself stands.
    pub span: Range<usize>,
}

/// Returns what in `source` looks like a secret, in order of category, then of place.
pub fn scan(source: &str, scope: Scope) -> Vec<Hit> {
    find(source, scope, false)
}

/// `every` finds what repeats on a line too, which a report counts once, as the original does.
fn find(source: &str, scope: Scope, every: bool) -> Vec<Hit> {
    let mut hits = Hits { source, found: Vec::new(), current: 0..0, is_waived: false, every };
    for shape in &TOKENS {
        hits.each_line(shape);
    }
    hits.assignments();
    hits.phrases();
    hits.split_pairs();
    hits.authorization();
    hits.services();
    if scope == Scope::Memory {
        hits.emails();
        hits.numbers();
        hits.home_paths();
    }
    let mut found = hits.found;
    found.sort_by_key(|hit| (hit.class, hit.category, hit.span.start));
    found
}

/// A pattern that is compiled, and looked for, only where one of its literals occurs.
///
/// Most files hold nothing of the kind, and a search for a literal costs next to nothing.
struct Shape {
    category: &'static str,
    class: Class,
    literals: &'static [&'static str],
    pattern: &'static str,
    compiled: OnceLock<Regex>,
}

impl Shape {
    const fn known(
        category: &'static str,
        literals: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self { category, class: Class::Known, literals, pattern, compiled: OnceLock::new() }
    }

    const fn suspected(
        category: &'static str,
        literals: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self { category, class: Class::Suspected, literals, pattern, compiled: OnceLock::new() }
    }

    /// Returns the pattern, where it can occur in `source` at all.
    fn regex_for(&self, source: &str) -> Option<&Regex> {
        let occurs = |literal: &str| memmem::find(source.as_bytes(), literal.as_bytes()).is_some();
        self.literals
            .iter()
            .any(|literal| occurs(literal))
            .then(|| self.compiled.get_or_init(|| compile(self.pattern)))
    }
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant of ours")
}

static TOKENS: [Shape; 12] = [
    Shape::known("aws-access-key-id", &["AKIA"], r"(?-u)\bAKIA[0-9A-Z]{16}\b"),
    Shape::known(
        "github-token",
        &["gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_"],
        r"(?-u)\b(?:gh[opsur]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{22,})\b",
    ),
    Shape::known("gitlab-token", &["glpat-"], r"(?-u)\bglpat-[0-9A-Za-z_-]{20,}\b"),
    Shape::known("slack-token", &["xox"], r"(?-u)\bxox[abprs]-[0-9A-Za-z-]{10,}\b"),
    Shape::known("google-api-key", &["AIza"], r"(?-u)\bAIza[0-9A-Za-z_-]{35}\b"),
    Shape::known(
        "private-key-block",
        &["PRIVATE KEY-----"],
        r"(?-u)-----BEGIN [A-Z ]*PRIVATE KEY-----",
    ),
    Shape::known(
        "jwt",
        &[".eyJ"],
        r"(?-u)\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\b",
    ),
    Shape::suspected(
        "pgp-private-key",
        &["PRIVATE KEY BLOCK-----"],
        r"(?-u)-----BEGIN PGP PRIVATE KEY BLOCK-----",
    ),
    Shape::suspected("aws-session-key-id", &["ASIA"], r"(?-u)\bASIA[0-9A-Z]{16}\b"),
    Shape::suspected("model-api-key", &["sk-"], r"(?-u)\bsk-(?:ant-|proj-|or-)?[0-9A-Za-z_-]{32,}"),
    Shape::suspected("stripe-key", &["k_live_"], r"(?-u)\b[rs]k_live_[0-9A-Za-z]{16,}\b"),
    Shape::suspected(
        "registry-token",
        &["npm_", "pypi-", "hf_"],
        r"(?-u)\b(?:npm_[0-9A-Za-z]{36}|pypi-[0-9A-Za-z_-]{40,}|hf_[0-9A-Za-z]{30,})\b",
    ),
];

/// Words that make a key the name of a credential.
const CREDENTIAL_WORDS: &str = "secret|password|passwd|credential|api[_.-]?key|access[_.-]?token\
                                |auth[_.-]?token|bearer[_.-]?token";

/// A pair that is split over two fields, as request collections keep them.
static SPLIT_PAIR: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r#"(?i-u)"key"[ \t]*:[ \t]*"([^"\n]*(?:{CREDENTIAL_WORDS}|authorization)[^"\n]*)"[ \t]*,[ \t]*"(?:value|src)"[ \t]*:[ \t]*"([^"\n]{{8,}})""#
    ))
});

static PHRASE: Shape = Shape::suspected(
    "credential-phrase",
    &["ey", "EY", "oken", "OKEN", "assw", "ASSW", "Assw", "assph", "ASSPH", "ecret", "ECRET"],
    r#"(?i-u)\b(?:(?:api|access|auth|authentication|bearer|secret|private|signing|deploy|account|master|license)[ \t]+(?:key|token|secret|password)s?|passwords?|passphrase|secret)(?:[ \t]+is|[ \t]*[:=]|[ \t]+for[ \t]+[0-9A-Za-z_.-]{1,40}(?:[ \t]+is|[ \t]*[:=]))[ \t]*['"`]?([0-9A-Za-z_+/=.!@#$%^&*-]{10,})"#,
);

static AUTHORIZATION: Shape = Shape::known(
    "authorization-header",
    &["uthorization", "UTHORIZATION"],
    r#"(?i-u)\b((?:proxy[_.-]?)?authorization)[ \t]*:[ \t]*(?:(?:bearer|basic)[ \t]+)?(?:'([^\s'"`]{8,})'|"([^\s'"`]{8,})"|`([^\s'"`]{8,})`|([^\s'"`]{8,}))"#,
);

static EMAIL: Shape =
    Shape::known("email", &["@"], r"(?-u)\b([0-9A-Za-z._%+-]+)@([0-9A-Za-z.-]+\.[A-Za-z]{2,})\b");

static HOME: Shape = Shape::known(
    "home-path",
    &["/Users/", "/home/", ":\\Users\\"],
    r"(?-u)(?:/Users/|/home/|[A-Za-z]:\\Users\\)([0-9A-Za-z._-]{2,})",
);

/// So much behind a name that may be one of a credential is looked at.
const LONGEST_SUSPECT: usize = 1024;

/// Accounts of build machines, which are nobody's.
const BUILD_USERS: [&str; 4] = ["runner", "user", "username", "vsts_azpcontainer"];

struct Hits<'a> {
    source: &'a str,
    found: Vec<Hit>,
    current: Range<usize>,
    is_waived: bool,
    every: bool,
}

impl Hits<'_> {
    /// Returns the line around byte `at`. Hits come in order, so mostly it is the last one again.
    fn line(&mut self, at: usize) -> Range<usize> {
        if !self.current.contains(&at) {
            let bytes = self.source.as_bytes();
            let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            self.current = start..end;
            let line = &self.source[start..end];
            self.is_waived = line.contains(WAIVER) || line.contains(SHORT_WAIVER);
        }
        self.current.clone()
    }

    fn add(&mut self, category: &'static str, class: Class, key: Option<&str>, span: Range<usize>) {
        self.line(span.start);
        if !self.is_waived {
            self.found.push(Hit { category, class, key: key.map(str::to_owned), span });
        }
    }

    /// Adds one hit for each line that a shape matches.
    fn each_line(&mut self, shape: &Shape) {
        let Some(pattern) = shape.regex_for(self.source) else { return };
        let mut from = 0;
        while let Some(found) = pattern.find_at(self.source.as_bytes(), from) {
            let token = &self.source[found.range()];
            // Nothing else begins like that, so that it needs no capitals.
            let is_certain = shape.category == "pgp-private-key"
                || shape.category == "stripe-key" && has_digits(token);
            let is_one = shape.class == Class::Known || is_certain || is_mixed(token);
            // Letters in order are an id of Amazon's like any others.
            let is_example = match shape.category {
                "aws-access-key-id" | "aws-session-key-id" => is_masked(token),
                _ => is_filler(token),
            };
            if is_one && !is_example {
                self.add(shape.category, shape.class, None, found.range());
            }
            let line = self.line(found.start()).end;
            from = if self.every { found.end() } else { line };
        }
    }

    fn text(&self, captures: &Captures<'_>, group: usize) -> Option<(&str, Range<usize>)> {
        captures.get(group).map(|found| (&self.source[found.range()], found.range()))
    }

    /// Finds `key = value` where the key is named like a credential, or looks like one.
    fn assignments(&mut self) {
        let source = self.source;
        let mut free_from = 0;
        for separator in memchr::memchr2_iter(b'=', b':', source.as_bytes()) {
            if separator < free_from {
                continue;
            }
            let Some(key) = key_before(source, free_from, separator) else { continue };
            let name = &source[key.clone()];
            let is_credential = names_credential(name);
            if !is_credential && !names_suspect(name) {
                continue;
            }
            // What may be none is read for each name in it: so far, and no further.
            let most = if is_credential { usize::MAX } else { LONGEST_SUSPECT };
            let Some(value) = value_after(source, key.end, most) else { continue };
            let text = &source[value.clone()];
            if is_credential {
                free_from = value.end;
                if !is_placeholder(name, text) && !self.leads_elsewhere(name, &value) {
                    self.add("credential-assignment", Class::Known, Some(name), value);
                }
            } else if is_random(text) && !names::is_about(name) && !is_filler(text) {
                self.add("high-entropy-assignment", Class::Suspected, Some(name), value);
            }
        }
    }

    /// Tells whether an assigned value is none, but where it is kept, code that gets it, or a word of a sentence.
    fn leads_elsewhere(&self, name: &str, value: &Range<usize>) -> bool {
        let text = &self.source[value.clone()];
        let is_quoted = self.source[..value.start].ends_with(QUOTES);
        // `credentials: 'same-origin'` chooses among some.
        let chooses = name.to_ascii_lowercase().ends_with("credentials")
            && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        // `checksum/secret: …` is a hash of it.
        let head = self.source[..value.start].trim_end_matches([' ', '\t', ':', '=', '"', '\'']);
        let is_checksum = head.strip_suffix(name).is_some_and(|head| head.ends_with("checksum/"));
        text.starts_with(':')
            || chooses
            || is_checksum
            || names::is_about(name)
            || is_reference(text, is_quoted)
            || is_stand_in(text)
            || is_filler(text)
            || (!is_quoted && self.goes_on(value))
    }

    /// `<your token>`: words in angle brackets, which stand for what one puts there.
    fn is_bracketed(&self, value: &Range<usize>) -> bool {
        let text = self.source[value.start..].strip_prefix('<').unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-.:'".contains(c);
        let length = text.find(|c: char| !is_plain(c)).unwrap_or(text.len());
        text[length..].starts_with('>')
    }

    /// Tells whether a value is a word, and another follows: a sentence goes on.
    fn goes_on(&self, value: &Range<usize>) -> bool {
        let after = self.source[value.end..].strip_prefix(' ');
        let word = self.source[value.clone()].trim_end_matches([',', ':']);
        word.chars().all(char::is_alphabetic)
            && after.is_some_and(|after| after.starts_with(char::is_alphabetic))
    }

    /// Finds values that are told in words: `API key: …`, `the password is …`.
    fn phrases(&mut self) {
        let Some(pattern) = PHRASE.regex_for(self.source) else { return };
        let known = Covered::by(&self.found);
        for captures in pattern.captures_iter(self.source.as_bytes()) {
            let Some((value, span)) = self.text(&captures, 1) else { continue };
            let is_one = is_made_up(value) && !is_filler(value) && !is_reference(value, true);
            if is_one && !known.overlaps(&span) {
                self.add(PHRASE.category, PHRASE.class, None, span);
            }
        }
    }

    fn split_pairs(&mut self) {
        let source = self.source.as_bytes();
        let occurs = |literal: &str| memmem::find(source, literal.as_bytes()).is_some();
        if !["\"key\"", "\"Key\"", "\"KEY\""].into_iter().any(occurs) {
            return;
        }
        for captures in SPLIT_PAIR.captures_iter(source) {
            let (Some((key, _)), Some((value, span))) =
                (self.text(&captures, 1), self.text(&captures, 2))
            else {
                continue;
            };
            if !is_placeholder(key, value) && !is_reference(value, true) && !is_stand_in(value) {
                let key = key.to_owned();
                self.add("credential-assignment", Class::Known, Some(&key), span);
            }
        }
    }

    fn authorization(&mut self) {
        let Some(pattern) = AUTHORIZATION.regex_for(self.source) else { return };
        for captures in pattern.captures_iter(self.source.as_bytes()) {
            let value = (2..=5).find_map(|group| self.text(&captures, group));
            let (Some((key, _)), Some((value, span))) = (self.text(&captures, 1), value) else {
                continue;
            };
            // A signature of a request, which is good for that request alone.
            let is_none = value.starts_with("AWS4-HMAC")
                || is_route(value)
                || is_placeholder(key, value)
                || if value.starts_with('<') {
                    self.is_bracketed(&span)
                } else {
                    is_reference(value, false)
                };
            if !is_none && !self.goes_on(&span) {
                self.add(AUTHORIZATION.category, Class::Known, None, span);
            }
        }
    }

    /// Finds credentials of services; a line tells of each kind once.
    fn services(&mut self) {
        let mut last: Option<(&str, usize)> = None;
        let source = self.source;
        let known = Covered::by(&self.found);
        let told: BTreeSet<&str> = self.found.iter().map(|hit| &source[hit.span.clone()]).collect();
        for (category, span) in services::find(source) {
            if !self.every && (known.overlaps(&span) || told.contains(&source[span.clone()])) {
                continue;
            }
            let line = self.line(span.start).start;
            if self.every || last != Some((category, line)) {
                self.add(category, Class::Suspected, None, span);
                last = Some((category, line));
            }
        }
    }

    fn emails(&mut self) {
        let Some(pattern) = EMAIL.regex_for(self.source) else { return };
        for captures in pattern.captures_iter(self.source.as_bytes()) {
            let (Some((local, at)), Some((domain, end))) =
                (self.text(&captures, 1), self.text(&captures, 2))
            else {
                continue;
            };
            if !is_public_address(local, domain) {
                self.add(EMAIL.category, Class::Known, None, at.start..end.end);
            }
        }
    }

    fn home_paths(&mut self) {
        let Some(pattern) = HOME.regex_for(self.source) else { return };
        for captures in pattern.captures_iter(self.source.as_bytes()) {
            let Some((user, _)) = self.text(&captures, 1) else { continue };
            let names_somebody = user.bytes().any(|b| b.is_ascii_alphanumeric());
            if names_somebody && !BUILD_USERS.contains(&user.to_ascii_lowercase().as_str()) {
                self.add(HOME.category, Class::Known, None, captures.get_match().range());
            }
        }
    }

    /// Finds social security, telephone and card numbers.
    fn numbers(&mut self) {
        let mut last: Option<(&str, usize)> = None;
        for (category, span) in numbers::find(self.source.as_bytes()) {
            let line = self.line(span.start).start;
            // A card counts each time, the others once a line, as in the original.
            if self.every || category == "payment-card" || last != Some((category, line)) {
                self.add(category, Class::Known, None, span);
                last = Some((category, line));
            }
        }
    }
}

/// The places of hits, to tell quickly whether another is among them.
struct Covered(Vec<Range<usize>>);

impl Covered {
    fn by(hits: &[Hit]) -> Self {
        let mut spans: Vec<Range<usize>> = hits.iter().map(|hit| hit.span.clone()).collect();
        spans.sort_by_key(|span| (span.start, span.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(spans.len());
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        Self(merged)
    }

    fn overlaps(&self, span: &Range<usize>) -> bool {
        let after = self.0.partition_point(|one| one.end <= span.start);
        self.0.get(after).is_some_and(|one| one.start < span.end)
    }
}

/// Tells whether a key contains one of [`CREDENTIAL_WORDS`].
fn names_credential(key: &str) -> bool {
    ["secret", "password", "passwd", "credential"].iter().any(|word| has_word(key, word, ""))
        || has_word(key, "api", "key")
        || ["access", "auth", "bearer"].iter().any(|first| has_word(key, first, "token"))
}

/// Tells whether a key may name a credential: its value then decides.
fn names_suspect(key: &str) -> bool {
    ["token", "passphrase", "pwd"].iter().any(|word| has_word(key, word, ""))
        || ["private", "signing"].iter().any(|first| has_word(key, first, "key"))
}

/// Tells whether `key` contains `first`, at most one of `_.-`, and `second`, in any case.
fn has_word(key: &str, first: &str, second: &str) -> bool {
    let begins = |bytes: &[u8], word: &str| {
        bytes.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
    };
    let bytes = key.as_bytes();
    (0..bytes.len().saturating_sub(first.len() - 1)).any(|at| {
        begins(&bytes[at..], first) && {
            let rest = &bytes[at + first.len()..];
            let joint = usize::from(matches!(rest.first(), Some(b'_' | b'.' | b'-')));
            begins(rest, second) || begins(&rest[joint..], second)
        }
    })
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

const QUOTES: [char; 3] = ['\'', '"', '`'];

fn is_blank(c: char) -> bool {
    c.is_whitespace() && c != '\n'
}

/// Returns the name that stands before a separator, perhaps in quotes, after byte `from`.
fn key_before(source: &str, from: usize, separator: usize) -> Option<Range<usize>> {
    let head = source[from..separator].trim_end_matches(is_blank);
    let head = head.strip_suffix(QUOTES).unwrap_or(head);
    let length = head.bytes().rev().take_while(|b| is_key_byte(*b)).count();
    let end = from + head.len();
    let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_boundary = |at: &usize| {
        in_word(source[..*at].chars().next_back()) != in_word(source[*at..].chars().next())
    };
    let start = (end - length..end).find(is_boundary)?;
    Some(start..end)
}

/// Returns the value that is assigned by what follows byte `at`.
fn value_after(source: &str, at: usize, most: usize) -> Option<Range<usize>> {
    let end = source.floor_char_boundary(at.saturating_add(most));
    let source = &source[..end];
    let rest = &source[at..];
    let rest = rest.strip_prefix(QUOTES).unwrap_or(rest);
    let rest =
        rest.trim_start_matches(is_blank).strip_prefix(['=', ':'])?.trim_start_matches(is_blank);
    let quote = rest.chars().next().filter(|c| QUOTES.contains(c));
    let value = quote.map_or(rest, |quote| &rest[quote.len_utf8()..]);
    let length = value
        .find(|c: char| c.is_whitespace() || QUOTES.contains(&c) || c == ';')
        .unwrap_or(value.len());
    let closed = quote.is_none_or(|quote| value[length..].starts_with(quote));
    let start = source.len() - value.len();
    (closed && value[..length].chars().nth(7).is_some()).then_some(start..start + length)
}

/// A dotted lower-case name is a route or service, not a token.
fn is_route(value: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'))
    };
    value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.contains('.')
        && value.split('.').all(part)
}

fn has_digits(token: &str) -> bool {
    token.bytes().filter(u8::is_ascii_digit).count() >= 2
}

/// Tells whether a value that is told in words is no word itself: letters and digits are mixed.
fn is_made_up(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', '!', ':']);
    let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    // A name in several words, such as a file or a version, has few digits between many marks.
    let marks = value.len() - digits - letters;
    // The name of a variable is none of its value.
    let is_name = value.starts_with(['$', '%', '#'])
        || value.contains('_') && count(u8::is_ascii_lowercase) == 0;
    !is_name && value.len() >= 10 && digits >= 3 && letters >= 3 && marks * 4 <= value.len()
}

/// Tells whether a token is no name in words: it has capitals and digits, or many of both cases.
fn is_mixed(token: &str) -> bool {
    let count = |test: fn(&u8) -> bool| token.bytes().filter(test).count();
    let capitals = count(u8::is_ascii_uppercase);
    (capitals >= 1 && count(u8::is_ascii_digit) >= 2)
        || (capitals >= 5 && count(u8::is_ascii_lowercase) >= 5)
}

/// Tells whether a value looks drawn at random: long, of mixed letters and digits, hardly repeating.
fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ')', '=']);
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'_' | b'-');
    if value.len() < 24 || !value.bytes().all(plain) || value.contains("--") {
        return false;
    }
    let has = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
    let digits = has(u8::is_ascii_digit);
    if digits < 3 || digits == value.len() || value.split('-').count() > 4 {
        return false;
    }
    // More than half as many different characters as a random text of that length would have.
    let mut seen = [false; 256];
    value.bytes().for_each(|b| seen[usize::from(b)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    different >= 10 && has(u8::is_ascii_alphabetic) >= 3
}

#[cfg(test)]
mod tests;
