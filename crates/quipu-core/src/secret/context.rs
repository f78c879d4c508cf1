//! Values that stand behind the name of a secret, in the many ways in which files, code and people write that.

use std::ops::Range;

use super::names::{self, Kind, Name};
use super::placeholder::is_placeholder;
use super::value::{
    How, is_app_password, is_filler, is_name, is_password, is_reference, is_stand_in, is_strong,
    is_token, is_uuid, randomness,
};

/// So much behind a name is looked at.
const WINDOW: usize = 320;

/// A longer value in quotes is none.
const LONGEST: usize = 4096;

/// A longer line is no command and no sentence.
const LONGEST_LINE: usize = 4096;

/// So much of a value without quotes tells what it is.
const JUDGED: usize = 256;

/// Returns the values in `source` that a name says to be a secret.
pub(super) fn find(source: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut free_from = 0;
    for name in names::find(source) {
        if name.span.start < free_from {
            continue;
        }
        if let Some(span) = behind(source, &name) {
            free_from = span.end;
            found.push(span);
        }
    }
    found
}

/// The text behind a name, and where one is in it.
#[derive(Clone, Copy)]
struct Cursor<'s> {
    source: &'s str,
    at: usize,
    end: usize,
}

impl<'s> Cursor<'s> {
    fn new(source: &'s str, at: usize) -> Self {
        let mut end = (at + WINDOW).min(source.len());
        while !source.is_char_boundary(end) {
            end += 1;
        }
        Self { source, at, end }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..self.end]
    }

    /// Goes on behind the first of `marks` that stands here.
    fn eat<'m>(&mut self, marks: &[&'m str]) -> Option<&'m str> {
        let mark = marks.iter().find(|mark| self.rest().starts_with(**mark))?;
        self.at += mark.len();
        Some(mark)
    }

    fn blanks(&mut self) -> usize {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches([' ', '\t', '\u{3000}', '\u{a0}']).len();
        self.at += length;
        length
    }

    /// Goes over blanks and at most one end of line.
    fn gap(&mut self) {
        self.blanks();
        if self.eat(&["\r\n", "\n", "\\n"]).is_some() {
            self.blanks();
        }
    }

    /// Reads what stands here up to where a value ends: its quote, or what no value holds.
    fn value(&self, stop: Option<&str>) -> Option<Value<'s>> {
        let rest = &self.source[self.at..];
        let escaped = ["\\\"", "\\'"];
        let quotes = ["\"", "'", "`", "[[", "「", "『", "“", "‘", "«"];
        let quote = escaped.iter().chain(&quotes).find(|quote| rest.starts_with(**quote));
        let start = self.at + quote.map_or(0, |quote| quote.len());
        let text = &self.source[start..];
        let most = if quote.is_some() || stop.is_some() { LONGEST } else { JUDGED };
        let mut limit = most.min(text.len());
        while !text.is_char_boundary(limit) {
            limit += 1;
        }
        let text = &text[..limit];
        let close = quote.map(|quote| match *quote {
            "[[" => "]]",
            "「" => "」",
            "『" => "』",
            "“" => "”",
            "‘" => "’",
            "«" => "»",
            same => same,
        });
        let length = if let Some(close) = close.or(stop) {
            let length = text.find(close)?;
            if text[..length].contains('\n') {
                return None;
            }
            length
        } else {
            let ends = |c: char| {
                c.is_whitespace()
                    || !c.is_ascii()
                    || matches!(c, '"' | '\'' | '`' | ';' | '<' | '>' | '|' | '&' | ',' | '\\')
            };
            text.find(ends).unwrap_or(text.len())
        };
        let value = &text[..length];
        let value = if close.is_none() { trimmed(value) } else { value };
        let is_quoted = close.or(stop).is_some();
        let after = &text[length..];
        let is_one =
            !value.contains(char::is_whitespace) || (close.is_some() && is_app_password(value));
        (!value.is_empty() && is_one).then_some(Value { text: value, start, is_quoted, after })
    }
}

/// Leaves out what ends a sentence or a call.
fn trimmed(value: &str) -> &str {
    let value = value.trim_end_matches(['.', ':']);
    let opens = |value: &str, open: char, close: char| {
        value.ends_with(close) && value.matches(open).count() < value.matches(close).count()
    };
    let mut value = value;
    while opens(value, '(', ')') || opens(value, '[', ']') || opens(value, '{', '}') {
        value = &value[..value.len() - 1];
    }
    value.trim_end_matches("**")
}

struct Value<'s> {
    text: &'s str,
    start: usize,
    is_quoted: bool,
    after: &'s str,
}

/// Returns the secret behind a name.
fn behind(source: &str, name: &Name) -> Option<Range<usize>> {
    let mut cursor = Cursor::new(source, name.span.end);
    let mut is_closed = false;
    while let Some(mark) = cursor.eat(&["\\\"", "\"", "'", "`", "**", "__", "]", ")"]) {
        is_closed |= mark.ends_with(['"', '\'', '`', ']']);
    }
    let label = &source[name.span.clone()];
    let take = |value: Value<'_>, how: How| {
        is_secret(name.kind, label, &value, how)
            .then(|| value.start..value.start + value.text.len())
    };
    if name.kind == Kind::Pair {
        let mut assigned_to = cursor;
        assigned_to.blanks();
        let value = assigned(assigned_to, is_closed).filter(|value| is_token(value.text));
        return value.map_or_else(|| pair(cursor), |value| take(value, How::Assigned));
    }
    // A name and its value in two fields, elements or lines.
    if let Some(value) = in_fields(cursor, is_closed) {
        return take(value, How::Assigned);
    }
    cursor.blanks();
    if let Some(value) = annotated(cursor) {
        return take(value, How::Assigned);
    }
    if let Some(value) = assigned(cursor, is_closed) {
        return take(value, How::Assigned);
    }
    // The default of a variable block.
    if let Some(value) = defaulted(source, name, cursor) {
        return take(value, How::Assigned);
    }
    // `setPassword("v")`.
    if cursor.at == name.span.end && cursor.rest().starts_with('(') {
        let mut inside = cursor;
        inside.eat(&["("]);
        return inside
            .value(None)
            .filter(|value| value.is_quoted)
            .and_then(|value| take(value, How::Assigned));
    }
    let is_apart = source[..cursor.at].ends_with(char::is_whitespace);
    let next = || {
        let how = (!is_closed && is_apart).then(|| beside(source, name)).flatten()?;
        let value = cursor.value(None)?;
        let is_said = value.is_quoted && how == How::Beside;
        take(value, if is_said { How::Said } else { how })
    };
    // `--password v` comes before "password … is v".
    if let Some(span) = next() {
        return Some(span);
    }
    (is_apart || !source[cursor.at..].starts_with(|c: char| c.is_ascii())).then_some(())?;
    let value = said(cursor, |value| is_secret(name.kind, label, value, How::Said))?;
    Some(value.start..value.start + value.text.len())
}

/// `= v`, `: v`, `=> v`, `:= v`, `| v |`, `, 'v'`, `|| 'v'`.
fn assigned(mut cursor: Cursor<'_>, is_closed: bool) -> Option<Value<'_>> {
    let mark = cursor
        .eat(&["=>", ":=", "?=", "||=", "->", "||", "??", "=", "：", ":", "|", ",", "or "])?;
    if matches!(mark, "=" | ":") && cursor.rest().starts_with(['=', ':', '~', '/']) {
        return None;
    }
    cursor.blanks();
    while mark == ":" && cursor.eat(&["**", "__", "`**"]).is_some() {
        cursor.blanks();
    }
    if mark != "|"
        && cursor.eat(&["base64:", "pass:", "plain:"]).is_none()
        && cursor.rest().starts_with("N'")
    {
        cursor.at += 1;
    }
    // `b'…'`, `r"…"`.
    let letters = cursor.rest().find(|c: char| !"brufBRUFL@".contains(c)).unwrap_or_default();
    if letters <= 2 && cursor.rest()[letters..].starts_with(['"', '\'']) {
        cursor.at += letters;
    }
    let value = cursor.value(None)?;
    // What stands in a list is the name of something, unless it is one.
    let needs_quotes = matches!(mark, "," | "||" | "??" | "or ");
    let is_fallback = matches!(mark, "||" | "??" | "or ");
    (!needs_quotes || (value.is_quoted && (is_closed || is_fallback))).then_some(value)
}

/// `: &str = "v"`, `: string = 'v'`.
fn annotated(mut cursor: Cursor<'_>) -> Option<Value<'_>> {
    cursor.eat(&["?:", "!:", ":"])?;
    cursor.blanks();
    let rest = cursor.rest();
    let kind = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '&' | '\'' | '<' | '>' | '[' | ']' | '?' | '_' | '.')
    };
    let length = rest.find(|c: char| !kind(c)).filter(|length| *length > 0)?;
    cursor.at += length;
    cursor.blanks();
    cursor.eat(&["="])?;
    (!cursor.rest().starts_with('=')).then_some(())?;
    cursor.blanks();
    cursor.value(None).filter(|value| value.is_quoted)
}

/// `<password>v</password>`, `name="password">v<`, `key="password" value="v"`, `<key>password</key><string>v<`,
/// `"key": "password", "value": "v"`, `name: PASSWORD` above `value: v`.
fn in_fields(mut cursor: Cursor<'_>, is_closed: bool) -> Option<Value<'_>> {
    if cursor.eat(&[">"]).is_some() {
        cursor.gap();
        cursor.eat(&["<Value>", "<value>", "<string>", "<![CDATA["]);
        return cursor.value(Some("<"));
    }
    if cursor.eat(&["</"]).is_some() {
        let end = cursor.rest().find('>')?;
        cursor.at += end + 1;
        cursor.gap();
        cursor.eat(&["<string>", "<value>", "<td>", "<dd>", "<code>"])?;
        return cursor.value(Some("<"));
    }
    if is_closed {
        cursor.eat(&[","]);
    }
    cursor.gap();
    cursor.eat(&["\\\"", "\"", "'"]);
    cursor.eat(&["value", "Value", "src", "default"])?;
    cursor.eat(&["\\\"", "\"", "'"]);
    cursor.blanks();
    cursor.eat(&["=", ":"])?;
    cursor.blanks();
    cursor.value(None)
}

/// `variable "db_password" { … default = "v" }`.
fn defaulted<'s>(source: &'s str, name: &Name, mut cursor: Cursor<'s>) -> Option<Value<'s>> {
    source[..name.span.start].ends_with("variable \"").then_some(())?;
    cursor.eat(&["{"])?;
    let block = cursor.rest();
    let block = &block[..block.find('}').unwrap_or(block.len())];
    cursor.at += block.find("default")? + "default".len();
    cursor.blanks();
    cursor.eat(&["="])?;
    cursor.blanks();
    cursor.value(None)
}

/// Words that stand between what something is called and what it is.
const COPULAS: &str = " is was be are to = ist lautet sei est es é è e fue era sera sarà är er on jest to to: това это \
    — – - -> → => ⇒ are: is: jest: yra je ir nu: bude on: be: :  as \
    és este este: ay adalah ialah ni da е là คือ है হল is: était fue: är: là: eshte është ир e: е: ";

/// "password for staging is v", "das Passwort der Datenbank lautet v", "パスワードは「v」", "密码是v".
fn said<'s>(mut cursor: Cursor<'s>, is_one: impl Fn(&Value<'s>) -> bool) -> Option<Value<'s>> {
    if cursor.eat(&["は", "是", "为", "為", "는", "은"]).is_some() {
        cursor.eat(&["：", ":", " "]);
        return cursor.value(None).filter(is_one);
    }
    let is_copula = |word: &str| {
        COPULAS.split(' ').any(|one| !one.is_empty() && one.eq_ignore_ascii_case(word))
    };
    for count in 0..7 {
        cursor.blanks();
        let rest = cursor.rest();
        let length = rest.find(char::is_whitespace)?;
        let word = &rest[..length];
        let ends = word.ends_with([':', '=', '：']);
        let is_last = rest[length..].starts_with('\n')
            || (!ends && word.ends_with(['.', ',', ';', '!', '?']));
        // "password policy …" is about something else.
        if word.is_empty() || is_last || (count == 0 && word.len() > 2 && names::is_about(word)) {
            return None;
        }
        cursor.at += length;
        if is_copula(word) || ends {
            let mut behind = cursor;
            behind.blanks();
            behind.eat(&["now ", "still ", "currently ", "set to ", "changed to ", ": "]);
            if let Some(value) = behind.value(None).filter(&is_one) {
                return Some(value);
            }
        }
        let is_plain = |c: char| c.is_alphanumeric() || !c.is_ascii() || "-_./()':=@>".contains(c);
        word.chars().all(is_plain).then_some(())?;
    }
    None
}

/// Tells how a value that only a blank divides from the name came there.
fn beside(source: &str, name: &Name) -> Option<How> {
    let at = name.span.start;
    // A long line is a file of another kind, and its beginning is not looked for: it may hold many names.
    let near = at.saturating_sub(LONGEST_LINE + 1);
    let newline = memchr::memrchr(b'\n', &source.as_bytes()[near..at]);
    let line = newline.map_or(0, |newline| near + newline + 1);
    (at - line <= LONGEST_LINE).then_some(())?;
    let before = &source[line..at];
    let first = before.trim_start();
    let starts = [
        "ENV ",
        "setenv ",
        "set -x ",
        "set -gx ",
        "set -Ux ",
        "set -xg ",
        "machine ",
        "npm config set ",
        "ARG ",
    ];
    // "login root, pass …"
    let lower = before.to_ascii_lowercase();
    let has_user = ["user", "login"].iter().any(|word| lower.contains(word));
    let is_flag =
        before.ends_with("--") || before.ends_with(" -") && source[name.span.clone()].len() > 3;
    let is_line =
        first.is_empty() && source[name.span.clone()].bytes().all(|b| b.is_ascii_lowercase());
    let is_file = starts.iter().any(|start| first.starts_with(start)) || before.contains(":_");
    Some(if is_flag || is_file || is_line {
        How::Assigned
    } else if has_user {
        How::Said
    } else {
        How::Beside
    })
}

/// `admin / v`, `admin:v`, perhaps behind "for host:" or "is".
fn pair(mut cursor: Cursor<'_>) -> Option<Range<usize>> {
    let mut is_told = false;
    for _ in 0..5 {
        cursor.blanks();
        let rest = cursor.rest();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..length];
        let next = rest[length..].trim_start_matches(' ');
        if is_told
            && let Some(password) = next.strip_prefix("/ ").or_else(|| next.strip_prefix("| "))
            && !word.is_empty()
        {
            cursor.at = cursor.end - password.len();
            let value = cursor.value(None)?;
            return real_pair(&value);
        }
        if is_told && let Some((user, _)) = word.split_once([':', '/']) {
            cursor.at += user.len() + 1;
            let value = cursor.value(None)?;
            let is_user = !user.is_empty()
                && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@".contains(&b));
            return if is_user { real_pair(&value) } else { None };
        }
        if word.is_empty() || rest[length..].starts_with('\n') && !word.ends_with(':') {
            return None;
        }
        is_told |= word.ends_with([':', '='])
            || matches!(word, "is" | "->" | "→" | "are" | "sind" | "ist" | "son" | "sono" | "são");
        cursor.at += length;
        if is_told {
            cursor.gap();
        }
    }
    None
}

fn real_pair(value: &Value<'_>) -> Option<Range<usize>> {
    let is_real = is_password(value.text, How::Said) && !is_reference(value.text, value.is_quoted);
    is_real.then(|| value.start..value.start + value.text.len())
}

/// Tells whether a value is the secret that a name promises.
fn is_secret(kind: Kind, name: &str, value: &Value<'_>, how: How) -> bool {
    let text = value.text;
    if is_reference(text, value.is_quoted)
        || is_placeholder(name, text)
        || is_filler(text)
        || is_stand_in(text)
    {
        return false;
    }
    // A call, and what follows a word in a sentence, is no value.
    if !value.is_quoted && value.after.starts_with('(') {
        return false;
    }
    let is_drawn = is_token(text)
        || is_app_password(text)
        || (how == How::Assigned && (is_uuid(text) || is_strong(text)));
    match kind {
        Kind::Password => is_drawn || is_password(text, how),
        Kind::Secret => {
            is_drawn || (is_password(text, how) && !(how != How::Assigned && is_name(text)))
        }
        Kind::Token => {
            is_drawn
                || is_wallet_key(text)
                || (how == How::Assigned && text.len() >= 10 && randomness(text) >= 10)
        }
        Kind::Key => {
            let is_long = text.len() >= 24
                && randomness(text) >= if how == How::Assigned { 20 } else { 24 }
                && how != How::Beside
                && !is_uuid(text);
            is_long || is_license(text)
        }
        Kind::Pair => is_drawn,
    }
}

/// A private key in hexadecimal digits.
fn is_wallet_key(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `ABCDE-12345-…`: five groups of capitals and digits.
fn is_license(text: &str) -> bool {
    let is_group = |group: &str| {
        (4..=8).contains(&group.len())
            && group.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    text.split('-').count() >= 4
        && text.split('-').all(is_group)
        && text.bytes().any(|b| b.is_ascii_digit())
}
