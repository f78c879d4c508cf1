//! Secrets that take more than one line, or whose shape only several parts show.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use super::placeholder::is_placeholder;
use super::value::{How, is_filler, is_password, is_reference, is_stand_in, is_token};
use super::{Shape, compile};
use crate::text;

/// Shapes with a secret in their last group.
static SHAPES: [Shape; 7] = [
    Shape::suspected(
        "private-key-body",
        &["PRIVATE KEY ----", "Private-Lines:"],
        r"(?-u)(?:---- BEGIN [A-Z0-9 ]*PRIVATE KEY ----|\bPrivate-Lines: [0-9]+)\s+([0-9A-Za-z+/=\r\n]{16,})",
    ),
    Shape::suspected(
        "password-hash",
        &["$2", "$apr1$", "$1$", "$5$", "$6$", "$y$", "$argon2", "$7$", "{SSHA"],
        r"(?-u)(\$(?:2[abxy]\$[0-9]{2}\$[0-9A-Za-z./]{53}|apr1\$[0-9A-Za-z./]{1,16}\$[0-9A-Za-z./]{22}|1\$[0-9A-Za-z./]{1,16}\$[0-9A-Za-z./]{22}|5\$(?:rounds=[0-9]+\$)?[0-9A-Za-z./]{1,16}\$[0-9A-Za-z./]{43}|6\$(?:rounds=[0-9]+\$)?[0-9A-Za-z./]{1,16}\$[0-9A-Za-z./]{86}|y\$[0-9A-Za-z./]+\$[0-9A-Za-z./]+\$[0-9A-Za-z./]{43}|argon2(?:id|i|d)\$v=[0-9]+\$m=[0-9]+,t=[0-9]+,p=[0-9]+\$[0-9A-Za-z+/]{16,}\$[0-9A-Za-z+/]{32,})|\{SSHA(?:256|512)?\}[0-9A-Za-z+/=]{28,})",
    ),
    Shape::suspected(
        "json-web-key",
        &["\"kty\"", "'kty'"],
        r#"(?-u)["']d["'][ \t]*:[ \t]*["']([0-9A-Za-z_-]{40,})["']"#,
    ),
    Shape::suspected(
        "registry-credentials",
        &["\"auth\"", "_auth", "_password"],
        r#"(?-u)(?:"auth"[ \t]*:[ \t]*"|\b_auth[ \t]*=[ \t]*"?|:_auth=|:_password=)([0-9A-Za-z+/]{8,}={0,2})"#,
    ),
    Shape::suspected(
        "session-cookie",
        &["ookie:", "OOKIE:"],
        r"(?i-u)\b(?:set-)?cookie:[^\n]*?\b(?:[0-9a-z_.-]*(?:sess|sid|auth|token|jwt|remember)[0-9a-z_.-]*)=([0-9a-z%_.+/=-]{20,})",
    ),
    Shape::suspected(
        "authorization-scheme",
        &["uthorization", "UTHORIZATION"],
        r#"(?i-u)\bauthorization["'`]?[ \t]*[:=,][ \t]*[fb]?["'`]?(?:bearer|basic|token|ssws|splunk|apikey|api-key|key|negotiate|digest|genie-?key|bot|sso-key)[ \t]+["'`]?([0-9a-z_+/=.~:-]{12,})"#,
    ),
    Shape::suspected(
        "one-time-password",
        &["otpauth://", "2FA", "2fa", "TOTP", "totp", "MFA", "mfa", "OTP"],
        r"(?-u)(?:otpauth://[^\s]*?[?&]secret=|(?i:\b(?:2fa|totp|mfa|otp)(?:[ _-]?(?:secret|seed|key))?[ \t]*[:=][ \t]*))([A-Z2-7]{16,})\b",
    ),
];

/// Returns what in `source` is a secret by its block, with its category.
pub(super) fn find(source: &str) -> Vec<(&'static str, Range<usize>)> {
    let mut found = Vec::new();
    for shape in &SHAPES {
        let Some(pattern) = shape.regex_for(source) else { continue };
        for captures in pattern.captures_iter(source.as_bytes()) {
            let Some(value) = captures.get(captures.len() - 1) else { continue };
            let text = &source[value.range()];
            let is_one = match shape.category {
                "registry-credentials" => is_login(text) || is_token(text),
                "authorization-scheme" => {
                    is_login(text) || super::value::is_uuid(text) || is_token(text)
                }
                "session-cookie" => super::value::randomness(text) >= 16,
                _ => !is_filler(text),
            };
            if is_one && !is_reference(text, true) {
                found.push((shape.category, value.range()));
            }
        }
    }
    found.extend(encoded_keys(source).map(|span| ("private-key-body", span)));
    found.extend(manifests(source).into_iter().map(|span| ("kubernetes-secret", span)));
    found.extend(tables(source).into_iter().map(|span| ("assigned-credential", span)));
    found.extend(wallets(source).map(|span| ("seed-phrase", span)));
    found.extend(recovery_codes(source).map(|span| ("recovery-codes", span)));
    found
}

/// Decodes base64, as far as it is some.
fn decoded(text: &str, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut group, mut bits) = (0_u32, 0);
    for byte in text.bytes().take(most) {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        group = (group << 6) | u32::from(sextet);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((group >> bits) & 0xff).unwrap_or_default());
        }
    }
    bytes
}

/// Tells whether base64 hides `user:password`.
fn is_login(text: &str) -> bool {
    let bytes = decoded(text, 400);
    let Ok(plain) = std::str::from_utf8(&bytes) else { return false };
    plain.split_once(':').is_some_and(|(user, password)| {
        let is_plain = |part: &str| part.bytes().all(|b| b.is_ascii_graphic());
        !user.is_empty()
            && is_plain(user)
            && is_plain(password)
            && password.len() >= 4
            && !is_stand_in(password)
            && !is_reference(password, true)
    })
}

/// Finds base64 of a whole private key.
fn encoded_keys(source: &str) -> impl Iterator<Item = Range<usize>> {
    /// What `-----BEGIN ` becomes.
    const BEGIN: &str = "LS0tLS1CRUdJTi";
    let mut from = 0;
    memmem::find_iter(source.as_bytes(), BEGIN).filter_map(move |at| {
        (at >= from).then_some(())?;
        let is_part =
            |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-');
        let length = source.as_bytes()[at..].iter().take_while(|b| is_part(b)).count();
        from = at + length;
        let head = decoded(&source[at..from], 80);
        memmem::find(&head, b"PRIVATE KEY").map(|_| at..at + length)
    })
}

/// Finds the values of Kubernetes manifests of kind `Secret`.
fn manifests(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if memmem::find(source.as_bytes(), b"Secret").is_none() {
        return found;
    }
    let (mut is_secret, mut values): (bool, Vec<Range<usize>>) = (false, Vec::new());
    // The indentation of the block with values, and whether they are encoded.
    let mut block: Option<(usize, bool)> = None;
    for line in text::lines(source) {
        let text = line.text.trim();
        let indent = line.text.len() - line.text.trim_start().len();
        if text == "---" {
            if is_secret {
                found.append(&mut values);
            }
            (is_secret, block) = (false, None);
            values.clear();
            continue;
        }
        is_secret |= matches!(
            text,
            "kind: Secret" | "kind: \"Secret\"" | "kind: 'Secret'" | "\"kind\": \"Secret\","
        );
        if text == "data:" || text == "stringData:" {
            block = Some((indent, text == "data:"));
            continue;
        }
        let Some((outer, is_encoded)) = block else { continue };
        if indent <= outer && !text.is_empty() {
            block = None;
            continue;
        }
        let Some((name, value)) = text.split_once(": ") else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        let harmless = [
            "username",
            "user",
            "host",
            "port",
            "database",
            "dbname",
            "ca.crt",
            "tls.crt",
            "namespace",
        ];
        let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        let is_kept = if is_encoded {
            let plain = decoded(value, 400);
            let plain = String::from_utf8_lossy(&plain);
            value.len() >= 8
                && value.bytes().all(is_base64)
                && !is_stand_in(&plain)
                && !is_reference(&plain, true)
        } else {
            is_password(value, How::Assigned) && !is_reference(value, false)
        };
        if is_kept && !harmless.contains(&name) && !is_placeholder("password", value) {
            let start = line.start + line.text.rfind(value).unwrap_or(indent);
            values.push(start..start + value.len());
        }
    }
    if is_secret {
        found.append(&mut values);
    }
    found
}

/// Finds the passwords of lists with commas whose first line names the columns.
fn tables(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut column: Option<(usize, usize)> = None;
    for line in text::lines(source) {
        let count = line.text.bytes().filter(|b| *b == b',').count();
        if let Some((at, columns)) = column
            && count == columns
            && count > 0
        {
            let mut start = line.start;
            for (number, field) in line.text.split(',').enumerate() {
                let value = field.trim().trim_matches('"');
                if number == at && is_password(value, How::Said) && !is_reference(value, true) {
                    let offset = field.find(value).unwrap_or(0);
                    found.push(start + offset..start + offset + value.len());
                }
                start += field.len() + 1;
            }
            continue;
        }
        let is_named = |field: &str| {
            let name = field.trim().trim_matches('"').to_ascii_lowercase();
            matches!(
                &*name,
                "password"
                    | "passwd"
                    | "pass"
                    | "pwd"
                    | "secret"
                    | "token"
                    | "login_password"
                    | "api_key"
            )
        };
        column = (count > 0 && line.text.len() < 400)
            .then(|| line.text.split(',').position(is_named).map(|at| (at, count)))
            .flatten();
    }
    found
}

/// Finds the words of a wallet behind what they are called.
fn wallets(source: &str) -> impl Iterator<Item = Range<usize>> {
    static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r#"(?i-u)\b(?:(?:seed|recovery|backup|wallet|secret|mnemonic)[ _-]?(?:phrase|words|recovery[ _-]phrase)?|mnemonic)["'`]?(?:[ \t]+(?:is|are))?[ \t]*[:=]?[ \t]*["'`]?((?:[a-z]{3,8}[ \t]+){11,23}[a-z]{3,8})\b"#,
        )
    });
    const SPEECH: &str = " the and are was with for you your our has had have not must should will that this these those \
        they from into never always before after shown anybody once can may than then them its ";
    let occurs = ["phrase", "nemonic", "PHRASE", "seed", "Seed", "NEMONIC"]
        .iter()
        .any(|word| memmem::find(source.as_bytes(), word.as_bytes()).is_some());
    let matches = occurs.then(|| PHRASE.captures_iter(source.as_bytes()));
    matches.into_iter().flatten().filter_map(|captures| {
        let words = captures.get(1)?.range();
        let is_speech = |word: &str| SPEECH.split(' ').any(|one| !one.is_empty() && one == word);
        let count = source[words.clone()].split_whitespace().filter(|word| is_speech(word)).count();
        (count == 0).then_some(words)
    })
}

/// Finds codes for the day when the telephone is lost.
fn recovery_codes(source: &str) -> impl Iterator<Item = Range<usize>> {
    static CODES: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(?i-u)\b(?:recovery|backup|scratch|one-time|2fa)[ -]codes?:?\s+((?:(?:[-*][ \t]+)?[0-9a-z]{4,5}-[0-9a-z]{4,5}(?:[ \t,]*\r?\n?[ \t]*)){3,})",
        )
    });
    let occurs = ["codes", "CODES", "Codes"]
        .iter()
        .any(|word| memmem::find(source.as_bytes(), word.as_bytes()).is_some());
    let matches = occurs.then(|| CODES.captures_iter(source.as_bytes()));
    matches.into_iter().flatten().filter_map(|captures| {
        let codes = captures.get(1)?.range();
        let text = source[codes.clone()].trim_end();
        text.bytes().any(|b| b.is_ascii_digit()).then(|| codes.start..codes.start + text.len())
    })
}
