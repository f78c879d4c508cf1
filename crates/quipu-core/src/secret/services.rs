//! Credentials of services, known by what they begin with or by where they stand. Formats are those that
//! the services document.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use super::placeholder::is_placeholder;
use super::value::{
    How, is_filler, is_password, is_reference, is_stand_in, is_token, is_uuid, randomness,
};
use super::{Shape, blocks, commands, compile, context, tokens};

static PREFIXED: [Shape; 7] = [
    Shape::suspected(
        "webhook-url",
        &[
            "hooks.slack.com/",
            ".com/api/webhooks/",
            "webhook.office.com/",
            "hooks.zapier.com/",
            "googleapis.com/v1/spaces/",
            "azurewebsites.net/api/",
        ],
        r"(?-u)\b(?:hooks\.zapier\.com/hooks/catch/[0-9]{4,}/[0-9a-z]{5,}|chat\.googleapis\.com/v1/spaces/[^\s]+?[?&]token=[0-9A-Za-z_%-]{20,}|azurewebsites\.net/api/[^\s]+?[?&]code=[0-9A-Za-z_%/+-]{30,}={0,2}|hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z/]{20,}|discord(?:app)?\.com/api/webhooks/[0-9]{15,}/[0-9A-Za-z_-]{40,}|webhook\.office\.com/webhookb2/[0-9A-Za-z@/-]{60,})",
    ),
    Shape::suspected(
        "slack-app-token",
        &["xapp-", "xoxe"],
        r"(?-u)\b(?:xapp-[0-9]-[0-9A-Z]{8,}-[0-9]{8,}-[0-9a-f]{20,}|xoxe(?:\.xox[bp])?-[0-9]-[0-9A-Za-z]{40,})",
    ),
    Shape::suspected(
        "google-oauth",
        &["ya29.", "GOCSPX-", "1//0"],
        r"(?-u)\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}|1//0[0-9A-Za-z_-]{40,})",
    ),
    Shape::suspected(
        "azure-key",
        &["AccountKey=", "SharedAccessKey=", "&sig=", "?sig=", ";Secret="],
        r"(?-u)(?:\b(?:Account|SharedAccess)Key|[?&]sig|;Secret)=([0-9A-Za-z%+/_-]{40,}={0,2})",
    ),
    Shape::suspected(
        "aws-secret-key",
        &[
            "aws_secret",
            "AWS_SECRET",
            "aws-secret",
            "aws secret",
            "AWS secret",
            "aws.secret",
            "awsSecret",
            "SecretAccessKey",
        ],
        r#"(?i-u)\b(?:aws[_ .-]?secret[_ .-]?(?:access[_ .-]?)?key|SecretAccessKey)\b["'`:=,]{0,3}[ \t]+(?:is[ \t]+)?["'`]?([0-9A-Za-z/+]{40,})"#,
    ),
    // Parts of a fixed length, without a beginning of their own.
    Shape::suspected(
        "service-token",
        &[
            ".atlasv1.",
            ":AA",
            ":APA91b",
            "Q~",
            "-us",
            "AZDO",
            "_mmk",
            "s.",
            "/1",
            "/2",
            ".eyJ",
            "pk_",
            "s-s4t2",
            "production$",
            "A3-",
            "M",
            "N",
            "O",
            "ecovery",
            "00D",
            ":",
        ],
        concat!(
            r"(?-u)\b(?:[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}|(?:bot)?[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}|AAAA[0-9A-Za-z_-]{7}:APA91b[0-9A-Za-z_-]{100,}",
            r"|[0-9A-Za-z_~.-]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}|[0-9a-f]{32}-us[0-9]{1,2}\b|[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}\b",
            r"|[0-9A-Za-z]{6}_[0-9A-Za-z]{29}_mmk\b|s\.[0-9A-Za-z]{24}\b|[0-9]/[0-9]{15,17}(?:/[0-9]{15,17})?:[0-9a-f]{32}\b",
            r"|pk_[0-9]{6,9}_[0-9A-Z]{32}\b|s-s4t2(?:ud|af)-[0-9a-f]{64}\b|access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b",
            r"|A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}\b",
            r"|(?:[0-9]{6}-){7}[0-9]{6}\b|00D[0-9A-Za-z]{12,15}![0-9A-Za-z._]{60,}|PVEAPIToken=[^\s=]+=[0-9a-f-]{36}\b",
            r"|[0-9a-f]{24}:[0-9a-f]{64}\b|[0-9a-f]{32}\.[0-9A-Za-z]{16}\b|[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{6}:[0-9A-Za-z_-]{43}",
            r"|0\.[0-9a-f]{8}-[0-9a-f-]{27}\.[0-9A-Za-z]{30}:[0-9A-Za-z+/]{22}==|[0-9A-Z]{16,24}:[0-9A-Za-z/+]{40}\b",
            r"|API[0-9A-Za-z]{11,13}[\x22']?[:=][ \t]*[\x22']?[0-9A-Za-z]{40,}",
            r"|[MNO][0-9A-Za-z]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,40})",
        ),
    ),
    // What a private key begins with where the line above it is missing; no certificate begins like this.
    Shape::suspected(
        "private-key-body",
        &["MII", "MIG", "MIH", "MHcC", "MC4C", "b3BlbnNzaC1rZXktdjE"],
        r"(?-u)\b(?:MII[0-9A-Za-z+/]{2,4}IBAAKC|MII[0-9A-Za-z+/]{2,4}gIBADANBgkqhkiG9w0BAQEF|MI[GH][0-9A-Za-z]AgEAM|MHcCAQEE|MIGkAgEBBD|MC4CAQAwBQYDK2|b3BlbnNzaC1rZXktdjE)[0-9A-Za-z+/]{16,}={0,2}",
    ),
];

/// Tells whether a place is inside an Amazon resource name, such as
/// `arn:aws:secretsmanager:…:secret:prod/db-a1B2c3`: it says where a secret is kept.
fn is_in_arn(source: &str, at: usize) -> bool {
    const LONGEST: usize = 256;
    let before = &source.as_bytes()[at.saturating_sub(LONGEST)..at];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`,;()<>".contains(byte);
    let word = before.rsplit(is_end).next().unwrap_or_default();
    memmem::find(word, b"arn:").is_some()
}

/// Returns what in `source` is a credential of a service, with its category.
pub(super) fn find(source: &str) -> Vec<(&'static str, Range<usize>)> {
    let mut found = Vec::new();
    for shape in &PREFIXED {
        let Some(pattern) = shape.regex_for(source) else { continue };
        for captures in pattern.captures_iter(source.as_bytes()) {
            let value = captures.get(1).unwrap_or_else(|| captures.get_match());
            if is_varied(value.as_bytes()) {
                found.push((shape.category, value.range()));
            }
        }
    }
    found.extend(tokens::find(source).map(|span| ("service-token", span)));
    found.extend(in_addresses(source).map(|span| ("url-credentials", span)));
    found.extend(in_paths(source).map(|span| ("webhook-url", span)));
    found.extend(in_commands(source).into_iter().map(|span| ("command-credentials", span)));
    found.extend(commands::find(source).into_iter().map(|span| ("command-credentials", span)));
    found.extend(blocks::find(source));
    let assigned = context::find(source).into_iter().filter(|span| !is_in_arn(source, span.start));
    found.extend(assigned.map(|span| ("assigned-credential", span)));
    found.extend(key_lines(source).into_iter().map(|span| ("private-key-body", span)));
    // Several rules may know the same secret: the first that begins, or is longest, stands for all.
    found.sort_by_key(|(category, span): &(&str, Range<usize>)| {
        (span.start, Reverse(span.end), *category)
    });
    let mut end = 0;
    found.retain(|(_, span)| {
        let is_new = span.end > end;
        end = end.max(span.end);
        is_new
    });
    found.sort_by_key(|(category, span)| (*category, span.start));
    found
}

/// Tells whether a token is no example such as `T00000000/B00000000/XXXXXXXXXXXX`.
fn is_varied(token: &[u8]) -> bool {
    let end = &token[token.len().saturating_sub(20)..];
    let mut seen = [false; 256];
    for byte in end {
        seen[usize::from(*byte)] = true;
    }
    let different = seen.iter().filter(|seen| **seen).count();
    let count = |test: fn(&&u8) -> bool| token.iter().filter(test).count();
    let has_both = count(|b| b.is_ascii_uppercase()) >= 3 && count(|b| b.is_ascii_lowercase()) >= 3;
    different >= 7 && (count(|b| b.is_ascii_digit()) >= 2 || has_both)
}

/// Words that documents write where a password would stand.
const STAND_INS: [&str; 14] = [
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "key",
    "apikey",
    "mypassword",
    "yourpassword",
    "hunter2",
    "foo",
    "bar",
];

/// Tells whether a password is a real one, by its look and by the name before it.
fn is_real(user: &str, password: &str) -> bool {
    let bare = password.trim_matches(['*', '.', '…', 'x', 'X']);
    let is_variable = |c: char| matches!(c, '$' | '%' | '{' | '<' | '(' | '[');
    bare.len() >= 3
        && !user.eq_ignore_ascii_case(password)
        && !STAND_INS.iter().any(|word| word.eq_ignore_ascii_case(password))
        && !password.starts_with(is_variable)
        && !is_placeholder("password", password)
        && !is_reference(password, true)
        && !is_filler(password)
        && !is_stand_in(password)
}

/// Finds the passwords of `scheme://user:password@host`.
fn in_addresses(source: &str) -> impl Iterator<Item = Range<usize>> {
    memmem::find_iter(source.as_bytes(), "://").filter_map(|at| {
        let has_scheme = source[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let rest = &source[at + 3..];
        let ends =
            |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>' | '\\');
        let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let (before, host) = authority.rsplit_once('@')?;
        let has_host = host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
        let Some((user, password)) = before.split_once(':') else {
            // A token in place of the user; an address of Sentry's has a public one there.
            let is_one = has_scheme && has_host && is_token(before) && !host.contains("sentry");
            return is_one.then_some(at + 3..at + 3 + before.len());
        };
        let start = at + 3 + user.len() + 1;
        let is_one = has_scheme && has_host && is_real(user, password);
        is_one.then_some(start..start + password.len())
    })
}

/// Hosts whose addresses hold the key to a node of a chain.
const NODES: [&str; 8] = [
    "infura.io",
    "alchemy.com",
    "quiknode.pro",
    "ankr.com",
    "getblock.io",
    "chainstack.com",
    "nodereal.io",
    "drpc.org",
];

/// A longer address is another thing.
const LONGEST_ADDRESS: usize = 512;

/// Finds what lets a caller in because it stands in an address: `…/hooks/k1ta…`, `…/webhook/send?key=…`.
fn in_paths(source: &str) -> impl Iterator<Item = Range<usize>> {
    memmem::find_iter(source.as_bytes(), "://").filter_map(|at| {
        let start = at + 3;
        let end = source.floor_char_boundary(start + LONGEST_ADDRESS);
        let rest = &source[start..end];
        let ends = |c: char| c.is_whitespace() || "\"'`<>\\)|,".contains(c);
        let address = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let (host, path) = address.split_once('/')?;
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        let is_node = NODES.iter().any(|node| host.ends_with(node));
        let is_ping = host == "hc-ping.com";
        let (mut before, mut has_hook) = ("", false);
        let mut from = start + address.len() - path.len();
        for part in path.split_inclusive(['/', '?', '&', '=']) {
            let word = part.trim_end_matches(['/', '?', '&', '=', '.']);
            let is_hook = ["hook", "hooks", "webhook", "webhooks"].contains(&before);
            let opens = is_hook
                || is_node
                || ["key", "token", "secret", "apikey", "push"].contains(&before);
            let is_drawn = word.len() >= 20
                && (randomness(word) >= 16 || (has_hook || is_ping) && is_uuid(word))
                && !word.starts_with("0x")
                && !is_filler(word);
            // A hook may have an id before its secret.
            let follows = has_hook && randomness(word) >= 32;
            if (opens || follows || is_ping) && is_drawn {
                return Some(from..from + word.len());
            }
            has_hook |= word.ends_with("hook") || word.ends_with("hooks");
            (before, from) = (word, from + part.len());
        }
        None
    })
}

/// Finds the passwords of `curl -u user:password` and the like.
fn in_commands(source: &str) -> Vec<Range<usize>> {
    static CURL: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r#"(?-u)\b(?:curl|wget|http|https|xh)\b(?:[^\n|;\\]|\\\r?\n|\\.)*?[ \t](?:-u|--user|--proxy-user|-U|-a|--auth)[ \t]*=?[ \t]*["']?([^\s:"']*)["']?:(?:["']?([^\s"'`]{3,})|["']?(?:\s|$))"#,
        )
    });
    let occurs = |word: &str| memmem::find(source.as_bytes(), word.as_bytes()).is_some();
    if !["curl", "wget", "http ", "https ", "xh "].into_iter().any(occurs) {
        return Vec::new();
    }
    let pairs = CURL.captures_iter(source.as_bytes()).filter_map(|captures| {
        let user = captures.get(1)?.range();
        // A key in place of the user, and no password.
        let Some(password) = captures.get(2).map(|password| password.range()) else {
            let key = &source[user.clone()];
            return (is_password(key, How::Beside) && !is_reference(key, true)).then_some(user);
        };
        is_real(&source[user], &source[password.clone()]).then_some(password)
    });
    pairs.collect()
}

/// Finds lines that are the inside of a key whose first line is missing. Those of a certificate, or of a
/// key that is found by its first line, are not meant.
fn key_lines(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_named = false;
    for line in crate::text::lines(source) {
        let text = line.text.trim();
        if text.starts_with("-----") {
            is_named = text.contains("-----BEGIN ");
        } else if !is_named && is_key_line(text) {
            let start = line.start + line.text.len() - line.text.trim_start().len();
            found.push(start..start + text.len());
        }
    }
    found
}

/// Keys are written in lines of 64 or 70 characters.
fn is_key_line(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    matches!(text.len(), 64 | 70)
        && text.bytes().all(plain)
        && count(u8::is_ascii_digit) >= 1
        && count(u8::is_ascii_uppercase) >= 8
        && count(u8::is_ascii_lowercase) >= 8
}
