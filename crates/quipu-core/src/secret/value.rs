//! What a value looks like: drawn at random, made up by a person, or a name that leads to the secret.

use super::placeholder::template_default;
use crate::prose;

/// How many characters of each class a value has.
#[derive(Clone, Copy, Debug, Default)]
struct Classes {
    digits: usize,
    upper: usize,
    lower: usize,
    marks: usize,
}

impl Classes {
    fn of(value: &str) -> Self {
        let mut classes = Self::default();
        for byte in value.bytes() {
            match byte {
                b'0'..=b'9' => classes.digits += 1,
                b'A'..=b'Z' => classes.upper += 1,
                b'a'..=b'z' => classes.lower += 1,
                _ => classes.marks += 1,
            }
        }
        classes
    }

    fn letters(self) -> usize {
        self.upper + self.lower
    }
}

/// Returns how often the class of characters changes.
fn changes(run: &str) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    };
    run.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// Tells whether letters and digits change places as often as chance would have it. Words do not, nor do names in
/// `camelCase`, versions or dates.
fn is_random_run(run: &str) -> bool {
    let changes = changes(run);
    let Classes { digits, .. } = Classes::of(run);
    let letters = run.len() - digits;
    if digits == 0 {
        return run.len() >= 16 && changes * 10 >= run.len() * 4;
    }
    let is_mixed =
        changes * 100 >= run.len() * 22 || (run.len() >= 20 && digits >= 2 && changes >= 3);
    letters >= 1 && is_mixed && !is_made_of_words(run, 4)
}

/// Returns how many characters of a value stand in random runs of at least six letters and digits.
pub(super) fn randomness(value: &str) -> usize {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|run| run.len() >= 6 && is_random_run(run))
        .map(str::len)
        .sum()
}

/// Tells whether a value is a token that a machine drew.
pub(super) fn is_token(value: &str) -> bool {
    let bare = value.trim_end_matches('=');
    bare.len() >= 16 && randomness(bare) >= 12 && !is_filler(bare)
}

/// `8-4-4-4-12` hexadecimal digits.
pub(super) fn is_uuid(value: &str) -> bool {
    let mut lengths = [8, 4, 4, 4, 12].into_iter();
    let is_part = |part: &str| {
        lengths.next() == Some(part.len()) && part.bytes().all(|b| b.is_ascii_hexdigit())
    };
    value.len() == 36 && value.split('-').all(is_part)
}

/// Tells whether a value is what documents fill in: the alphabet, counting, one character again and again.
pub(super) fn is_filler(value: &str) -> bool {
    const COUNTING: usize = 8;
    let mut ascending = 1;
    for pair in value.as_bytes().windows(2) {
        let steps = pair[1] == pair[0].wrapping_add(1) || pair == b"90";
        ascending = if steps { ascending + 1 } else { 1 };
        if ascending >= COUNTING {
            return true;
        }
    }
    is_masked(value)
}

/// Tells whether a value is blacked out, repeats itself, or says that it is an example.
pub(super) fn is_masked(value: &str) -> bool {
    const MARKS: [&str; 5] = ["EXAMPLE", "xxxx", "XXXX", "...", "****"];
    if value.len() >= 3 && value.bytes().all(|b| b == value.as_bytes()[0]) {
        return true;
    }
    let mut seen = [false; 256];
    let end = &value.as_bytes()[value.len().saturating_sub(16)..];
    for byte in end {
        seen[usize::from(*byte)] = true;
    }
    let different = seen.iter().filter(|seen| **seen).count();
    (end.len() >= 10 && different <= 3) || MARKS.iter().any(|mark| value.contains(mark))
}

/// A longer value is no name.
const LONGEST_NAME: usize = 160;

/// Words that say a value stands for another.
const STANDING_IN: &str = " your my changeme change replace insert enter put example sample dummy fake placeholder \
    redacted todo fixme tbd invalid wrong bogus mock mocked foo bar baz test tests testing demo none null undefined \
    true false required optional obligatory here some this that secretless ";

/// Words of which names of secrets are made.
const NAMING: &str = " password passwords passwd pwd pass passphrase secret secrets token tokens key keys apikey \
    credential credentials creds auth cert certificate vault env ";

fn holds(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| !one.is_empty() && one.eq_ignore_ascii_case(word))
}

/// Returns the words of a name in `snake_case`, `kebab-case`, `dotted.case` or `camelCase`.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    prose::words(name, "").flat_map(prose::humps)
}

/// Tells whether a word is one, and not drawn at random: letters, perhaps a short number behind them.
fn is_word(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = word.len() - letters.len();
    letters.bytes().all(|b| b.is_ascii_alphabetic())
        && number <= 4
        && (number <= 2 || letters.len() <= 1)
}

/// Tells whether a value is made of words only: `shop-db-credentials`, `settings.DATABASE_PASSWORD`.
pub(super) fn is_name(value: &str) -> bool {
    is_made_of_words(value, 2)
}

/// The same with words of `least` letters and a half on average.
pub(super) fn is_made_of_words(value: &str, least: usize) -> bool {
    if value.len() > LONGEST_NAME {
        return false;
    }
    let plain = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'.' | b':' | b'/' | b'#' | b'@' | b'=')
    };
    value.bytes().all(plain) && {
        let (mut count, mut letters) = (0, 0);
        let all = words(value).all(|word| {
            count += 1;
            letters += word.len();
            is_word(word)
        });
        // Letters of chance have a hump at every turn.
        all && count > 0 && letters * 2 > count * least * 2
    }
}

/// Tells whether a name is that of a secret, or says that it stands in for one.
pub(super) fn is_stand_in(value: &str) -> bool {
    let value = value.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if value.len() > LONGEST_NAME {
        return false;
    }
    if value.eq_ignore_ascii_case("1password") {
        return true;
    }
    let joined = ["password", "passwd", "secret", "token", "apikey", "changeme", "changeit"];
    let is_joined = |word: &str| {
        let lower = word.to_ascii_lowercase();
        joined.iter().any(|end| lower.ends_with(end))
    };
    is_name(value)
        && words(value)
            .any(|word| holds(STANDING_IN, word) || holds(NAMING, word) || is_joined(word))
}

/// Tells whether a value leads to a secret that is kept elsewhere, or is code that gets it.
pub(super) fn is_reference(value: &str, is_quoted: bool) -> bool {
    const BEGINNINGS: [&str; 34] = [
        "${",
        "$(",
        "{",
        "<",
        "[",
        "%(",
        "#{",
        "((",
        "!Ref",
        "!Sub",
        "!GetAtt",
        "!Join",
        "!vault",
        "ENC[",
        "@Microsoft",
        "op://",
        "vault:",
        "ref+",
        "arn:",
        "env:",
        "file:",
        "kv/",
        "projects/",
        "secret/",
        "secrets/",
        "data.",
        "var.",
        "local.",
        "module.",
        "$env:",
        "%{",
        "@@",
        "\\(",
        "&(",
    ];
    let names_variable = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && rest[end..].starts_with(|c: char| "[.:)}->\"'".contains(c))
            || end == rest.len() && (rest.len() <= 2 || is_name(rest))
    };
    if let Some(fallback) = template_default(value) {
        return fallback.starts_with(['?', '+'])
            || is_reference(fallback, is_quoted)
            || is_stand_in(fallback);
    }
    BEGINNINGS.iter().any(|begin| value.starts_with(begin))
        || ["${", "$(", "{{", "}}", "<%", "[A-Za-z", "[a-z", "\\s", "\\S", "\\d", "\\w"]
            .iter()
            .any(|mark| value.contains(mark))
        || value.strip_prefix('$').is_some_and(names_variable)
        || (value.len() > 2 && value.starts_with('%') && value.ends_with('%'))
        || (value.len() > 2 && value.starts_with(['@', ':']) && is_name(&value[1..]))
        || (value.contains("://") && !value.contains('@'))
        || is_account(value)
        || value.bytes().all(|b| b.is_ascii_digit() || b"-:TZ./+ ".contains(&b))
        || is_path(value)
        || (!is_quoted && is_expression(value))
        || is_constant(value)
        || (value.contains('.') && is_name(value) && !value.contains('-'))
}

/// The address of an account or contract, which everybody may see.
fn is_account(value: &str) -> bool {
    value
        .strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A file: it begins like one, or its parts are words.
fn is_path(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3) == Some(b":\\");
    let begins = ["/", "./", "../", "~/", "\\\\"].iter().any(|begin| value.starts_with(begin));
    let is_plain = |part: &str| words(part).all(|word| is_word(word) || word.len() <= 3);
    let parts = value.split(['/', '\\']).filter(|part| !part.is_empty());
    drive
        || value.starts_with("~/")
        || value.starts_with("./")
        || value.starts_with("../")
        || (begins
            && parts.clone().filter(|part| is_plain(part)).count() * 2 > parts.clone().count())
        || (value.contains('/') && parts.clone().count() >= 2 && is_name(value))
}

/// `os.environ[`, `getpass(`, `config.password.clone(`, `a->b`, `Read-Host`, `String!`.
fn is_expression(value: &str) -> bool {
    const TYPES: &str = " string str text id int integer bool boolean bytes buffer any object char chars varchar number \
        optional option securestring secretstr unknown void never none null nil self this ";
    let bare = value.trim_end_matches(['!', '?', ')', ']', '}', ',', ';', '>', '*', '&']);
    let is_cmdlet = bare.split_once('-').is_some_and(|(verb, noun)| {
        let is_capital = |word: &str| {
            word.len() >= 3
                && word.starts_with(|c: char| c.is_ascii_uppercase())
                && word.bytes().all(|b| b.is_ascii_alphabetic())
                && word.bytes().any(|b| b.is_ascii_lowercase())
        };
        is_capital(verb) && is_capital(noun)
    });
    if holds(TYPES, bare) || is_cmdlet {
        return true;
    }
    let value = value.trim_start_matches(['*', '&', '!', '@', '$']);
    let end = value
        .find(|c: char| {
            !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '>' | '?' | '!'))
        })
        .unwrap_or(value.len());
    let (path, rest) = value.split_at(end);
    let is_path = path.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && words(path).all(|word| is_word(word) || word.len() <= 3);
    is_path && (rest.starts_with(['(', '[', '{', '<']) || path.contains("->"))
}

/// `DB_PASSWORD`, `ENTER_KEY_HERE`.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
        && is_name(value)
}

/// Tells whether a value that was told is a date, a measure, a version, an algorithm, an address.
fn is_common(value: &str) -> bool {
    const TERMS: [&str; 25] = [
        "sha", "scram", "md5", "argon", "bcrypt", "scrypt", "pbkdf", "hmac", "aes", "rsa",
        "ed25519", "rs256", "hs256", "es256", "utf", "base64", "base32", "oauth", "http", "ipv",
        "win32", "x509", "pkcs", "rfc", "iso",
    ];
    let lower = value.to_ascii_lowercase();
    let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let counted = lower.trim_start_matches(|c: char| c.is_ascii_digit());
    let units = [
        "-", "d", "h", "m", "s", "ms", "mb", "kb", "gb", "k", "px", "bit", "bits", "days", "chars",
        "th", "st",
    ];
    let is_measure = counted.len() < lower.len()
        && (units.contains(&counted)
            || counted.starts_with('-') && is_name(counted) && !has_number(counted));
    words(&lower).any(|word| TERMS.iter().any(|term| word.starts_with(term)))
        || is_measure
        || lower
            .split(['.', ':', '-', '/', 't', 'z', 'v', 'x', ',', '%'])
            .all(|part| part.is_empty() || is_number(part))
        || is_uuid(value)
}

fn has_number(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
}

/// Tells whether letters, digits and marks are mixed as no name has them.
pub(super) fn is_strong(value: &str) -> bool {
    let Classes { digits, upper, lower, .. } = Classes::of(value);
    let marks = value.bytes().filter(|b| b"!@#$%^&*?~;".contains(b)).count();
    value.len() >= 8 && digits >= 1 && upper >= 1 && lower >= 1 && marks >= 1
}

/// `abcd efgh ijkl mnop`: a password that a provider of mail made for a program.
pub(super) fn is_app_password(value: &str) -> bool {
    value.len() == 19
        && value.split(' ').count() == 4
        && value
            .split(' ')
            .all(|group| group.len() == 4 && group.bytes().all(|b| b.is_ascii_lowercase()))
}

/// `status=401`: another name with a value.
fn is_setting(value: &str) -> bool {
    value
        .split_once(['=', '('])
        .is_some_and(|(name, rest)| !rest.is_empty() && name.len() >= 2 && is_name(name))
}

/// How a value came behind the name of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// `name = value`.
    Assigned,
    /// "name is value".
    Said,
    /// `name value`.
    Beside,
}

/// Tells whether a value can be a password that stands behind a name so.
pub(super) fn is_password(value: &str, how: How) -> bool {
    let classes = Classes::of(value);
    let Classes { digits, upper, lower, marks } = classes;
    let is_mixed = digits >= 1 && classes.letters() >= 1;
    let least = if how == How::Assigned { 6 } else { 7 };
    if value.len() < least || is_filler(value) || is_stand_in(value) {
        return false;
    }
    let is_shouted =
        upper >= 2 && lower >= 2 && (!is_name(value) || changes(value) * 4 >= value.len());
    match how {
        How::Assigned => {
            let inner = value.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_marked =
                inner.bytes().any(|b| b"!@#$%^&*?+~".contains(&b)) && classes.letters() >= 3;
            is_mixed || is_shouted || (is_marked && !is_name(value))
        }
        How::Said | How::Beside => {
            is_mixed
                && !is_common(value)
                && (digits >= 2 || marks >= 1 || (upper >= 1 && lower >= 1))
                && (how == How::Said || marks + upper >= 1 || randomness(value) >= 6)
                && marks * 2 < value.len()
                && !is_setting(value)
        }
    }
}
