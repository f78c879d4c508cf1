//! How well the scanner tells secrets from the rest: a generated set with every class in every form,
//! our own sources and documents, and real session logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quipu_core::secret::{self, Scope};
use quipu_testkit::corpora::{self, Corpus};
use serde_json::Value;

/// Numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.next(letters.len())]).collect()
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.next(words.len())]
    }
}

const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";

fn alphanumeric() -> String {
    [UPPER, LOWER, DIGITS].concat()
}

/// A token whose shape tells what it is.
fn token(dice: &mut Dice, category: &str) -> String {
    let (all, upper) = (alphanumeric(), [UPPER, DIGITS].concat());
    let url = all.clone() + "_";
    // A random token has digits and capitals; one without is a word.
    let body = |dice: &mut Dice, alphabet: &str, length: usize| {
        format!("{}7Q4{}", dice.text(alphabet, 3), dice.text(alphabet, length - 6))
    };
    match category {
        "aws-access-key-id" => format!("AKIA{}", body(dice, &upper, 16)),
        "aws-session-key-id" => format!("ASIA{}", body(dice, &upper, 16)),
        "github-token" => match dice.next(2) {
            0 => format!("gh{}_{}", dice.pick(&["p", "o", "u", "s", "r"]), body(dice, &all, 36)),
            _ => format!("github_pat_{}", body(dice, &url, 60)),
        },
        "gitlab-token" => format!("glpat-{}", body(dice, &all, 20)),
        "slack-token" => format!(
            "xox{}-{}-{}",
            dice.pick(&["a", "b", "p", "r", "s"]),
            dice.text(DIGITS, 11),
            body(dice, &all, 24)
        ),
        "google-api-key" => format!("AIza{}", body(dice, &all, 35)),
        "jwt" => format!(
            "eyJ{}.eyJ{}.{}",
            body(dice, &all, 20),
            body(dice, &all, 40),
            body(dice, &all, 43)
        ),
        "model-api-key" => {
            format!("sk-{}{}", dice.pick(&["", "ant-", "proj-", "or-"]), body(dice, &all, 44))
        }
        "stripe-key" => {
            let small = [LOWER, DIGITS].concat();
            let body = match dice.next(2) {
                0 => body(dice, &all, 24),
                // Eighteen small letters and digits, as in a key of old.
                _ => format!("a8{}4f", dice.text(&small, 14)),
            };
            format!("{}k_live_{body}", dice.pick(&["s", "r"]))
        }
        "registry-token" => match dice.next(3) {
            0 => format!("npm_{}", body(dice, &all, 36)),
            1 => format!("pypi-{}", body(dice, &all, 60)),
            _ => format!("hf_{}", body(dice, &all, 34)),
        },
        _ => format!("-----BEGIN {}PRIVATE KEY-----", dice.pick(&["", "RSA ", "EC ", "OPENSSH "])),
    }
}

const TOKENS: [&str; 11] = [
    "aws-access-key-id",
    "aws-session-key-id",
    "github-token",
    "gitlab-token",
    "slack-token",
    "google-api-key",
    "jwt",
    "model-api-key",
    "stripe-key",
    "registry-token",
    "private-key-block",
];

/// Where a token stands: code, prose, JSON, an environment file, YAML, a command, a table.
const FORMS: [&str; 10] = [
    "let token = \"@@\";",
    "The deployment uses @@ since Monday, says the runbook.",
    "{\"name\": \"prod\", \"value\": \"@@\"}",
    "export DEPLOY=@@",
    "deploy: '@@'",
    "curl -H 'X-Auth: @@' https://api.host.io/v1/x",
    "| prod | `@@` | rotated in May |",
    "https://host.io/hook?key=@@&x=1",
    "- [ ] Rotate @@",
    "first @@ and then @@ again",
];

const ASSIGNED: [&str; 8] = [
    "K=V",
    "K = \"V\"",
    "\"K\": \"V\",",
    "K: V",
    "  K: 'V'",
    "const K = `V`;",
    "--K=V run",
    "export K=\"V\"",
];

/// How people tell a value in words.
const PHRASES: [&str; 6] = [
    "API key: @@",
    "The access token is `@@`, valid until May.",
    "- Password for staging: @@",
    "secret is @@",
    "Master password is \"@@\"",
    "Private key: @@ (rotate it)",
];

/// Returns 2,000 lines, each with the category that it must be found as.
fn positives() -> Vec<(&'static str, String)> {
    let mut dice = Dice(7);
    let mut lines = Vec::new();
    while lines.len() < 2000 {
        let number = lines.len();
        match number % 5 {
            0 | 1 => {
                let category = TOKENS[(number / 5 * 2 + number % 5) % TOKENS.len()];
                let form = dice.pick(&FORMS);
                let token = token(&mut dice, category);
                lines.push((category, form.replace("@@", &token)));
            }
            2 => {
                let key = dice.pick(&[
                    "password",
                    "DB_PASSWORD",
                    "client_secret",
                    "apiKey",
                    "api-key",
                    "access_token",
                    "authToken",
                    "adminPasswd",
                    "aws.credentials",
                ]);
                let length = 10 + dice.next(30);
                let value = dice.text(&alphanumeric(), length) + "9x";
                let form = dice.pick(&ASSIGNED);
                lines.push((
                    "credential-assignment",
                    form.replace('K', "\u{1}").replace('V', &value).replace('\u{1}', key),
                ));
            }
            3 => {
                let key = dice.pick(&[
                    "CI_TOKEN",
                    "deployToken",
                    "signing_key",
                    "private-key",
                    "passphrase",
                ]);
                let value = format!(
                    "{}5a7B9{}",
                    dice.text(&alphanumeric(), 12),
                    dice.text(&alphanumeric(), 20)
                );
                let form = dice.pick(&ASSIGNED);
                lines.push((
                    "high-entropy-assignment",
                    form.replace('K', "\u{1}").replace('V', &value).replace('\u{1}', key),
                ));
            }
            _ if number % 25 == 4 => {
                let form = dice.pick(&PHRASES);
                let length = 12 + dice.next(20);
                let value = format!("q7{}4x2", dice.text(&alphanumeric(), length));
                lines.push(("credential-phrase", form.replace("@@", &value)));
            }
            _ => lines.push(personal(&mut dice, number / 5)),
        }
    }
    lines
}

fn personal(dice: &mut Dice, number: usize) -> (&'static str, String) {
    match number % 6 {
        0 => {
            let value = dice.text(&alphanumeric(), 30);
            (
                "authorization-header",
                format!("Authorization: {}{value}", dice.pick(&["Bearer ", "Basic ", ""])),
            )
        }
        1 => (
            "email",
            format!(
                "Ask {}.{}@{}.com about it",
                dice.text(LOWER, 5),
                dice.text(LOWER, 6),
                dice.text(LOWER, 7)
            ),
        ),
        2 => (
            "home-path",
            format!(
                "See {}{}/notes",
                dice.pick(&["/home/", "/Users/", "C:\\Users\\"]),
                dice.text(LOWER, 6)
            ),
        ),
        3 => ("phone-e164", format!("Call +49{} tomorrow", dice.text("123456789", 10))),
        4 => (
            "ssn",
            format!(
                "SSN {}-{}-{}",
                dice.text("123456789", 3),
                dice.text("123456789", 2),
                dice.text("123456789", 4)
            ),
        ),
        _ => ("payment-card", format!("Card {}", card(dice))),
    }
}

/// A number that passes the check of card numbers.
fn card(dice: &mut Dice) -> String {
    let head = format!("4{}", dice.text(DIGITS, 14));
    let last = ('0'..='9').find(|digit| {
        let digits = format!("{head}{digit}");
        let sum: u32 = digits
            .bytes()
            .rev()
            .enumerate()
            .map(|(place, b)| {
                let d = u32::from(b - b'0');
                if place % 2 == 0 {
                    d
                } else if d > 4 {
                    d * 2 - 9
                } else {
                    d * 2
                }
            })
            .sum();
        sum.is_multiple_of(10)
    });
    format!("{head}{}", last.unwrap())
}

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// Returns 10,000 lines of code, prose, lock files, hashes and the like.
fn negatives() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["crates", "docs"] {
        files(&root.join(folder), &[".rs", ".md", ".toml"], &mut paths);
    }
    paths.push(root.join("Cargo.lock"));
    // Tests of the scanner hold what it looks for.
    paths.retain(|path| {
        let path = path.to_string_lossy();
        !path.contains("secret") && !path.contains("tests/git.rs")
    });
    let mut lines: Vec<String> = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        lines.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
    }
    // Spread over all files.
    let step = (lines.len() / 7500).max(1);
    let mut lines: Vec<String> = lines.into_iter().step_by(step).take(7500).collect();
    let mut dice = Dice(11);
    while lines.len() < 10_000 {
        let hex = |dice: &mut Dice, length| dice.text("0123456789abcdef", length);
        let line = match lines.len() % 10 {
            0 => format!("commit {}", hex(&mut dice, 40)),
            1 => format!(
                "id = \"{}-{}-4{}-a{}-{}\"",
                hex(&mut dice, 8),
                hex(&mut dice, 4),
                hex(&mut dice, 3),
                hex(&mut dice, 3),
                hex(&mut dice, 12)
            ),
            2 => format!("![logo](data:image/png;base64,{}=)", dice.text(&alphanumeric(), 120)),
            3 => format!("      integrity: sha512-{}==", dice.text(&alphanumeric(), 86)),
            4 => format!("checksum = \"{}\"", hex(&mut dice, 64)),
            5 => format!(
                "The {} of the {} was {} tokens on day {}.",
                dice.text(LOWER, 6),
                dice.text(LOWER, 8),
                dice.text(DIGITS, 4),
                dice.text(DIGITS, 2)
            ),
            6 => format!(
                "max_tokens: {}, tokenizer: \"{}\"",
                dice.text(DIGITS, 4),
                dice.text(LOWER, 9)
            ),
            7 => {
                format!("uses: actions/checkout@{} # v4, by noreply@github.com", hex(&mut dice, 40))
            }
            8 => format!(
                "if (token.length === {} && secretName !== '') return parse(token, options);",
                dice.text(DIGITS, 2)
            ),
            _ => format!(
                "2026-05-{}T10:00:{}.123Z INFO request {} took {} ms",
                dice.text("12", 2),
                dice.text("12345", 2),
                dice.text(DIGITS, 12),
                dice.text(DIGITS, 3)
            ),
        };
        lines.push(line);
    }
    lines
}

/// Formats as services document them, none of them looked up in the scanner. `A` stands for a letter or
/// digit, `H` for a lower-case hexadecimal digit, `U` for a capital or digit, `D` for a digit, `B` for a
/// character of base64; the number behind it tells how many.
const DOCUMENTED: [(&str, &str); 62] = [
    ("AWS access key", "{AKIA}U16"),
    ("AWS temporary access key", "{ASIA}U16"),
    ("AWS secret key in credentials file", "{aws_secret_access_key = }B40"),
    ("AWS secret key without a sign", "{aws_secret_access_key }B40"),
    ("AWS secret key, said", "{AWS secret access key is }B40"),
    ("GitHub personal token", "{ghp_}A36"),
    ("GitHub OAuth token", "{gho_}A36"),
    ("GitHub app token", "{ghs_}A36"),
    ("GitHub fine-grained token", "{github_pat_}A22{_}A59"),
    ("GitLab personal token", "{glpat-}A20"),
    ("GitLab deploy token", "{gldt-}A20"),
    ("GitLab runner token", "{glrt-}A20"),
    ("Slack bot token", "{xoxb-}D12{-}D12{-}A24"),
    ("Slack user token", "{xoxp-}D12{-}D12{-}D12{-}H32"),
    ("Slack app token", "{xapp-1-A0}U9{-}D13{-}H64"),
    ("Slack webhook", "{https://hooks.slack.com/services/T0}U8{/B0}U8{/}A24"),
    ("Discord webhook", "{https://discord.com/api/webhooks/}D18{/}A68"),
    ("SendGrid key", "{SG.}A22{.}A43"),
    ("DigitalOcean personal token", "{dop_v1_}H64"),
    ("DigitalOcean OAuth token", "{doo_v1_}H64"),
    ("Google API key", "{AIza}A35"),
    ("Google OAuth token", "{ya29.a0Af}A60"),
    ("Google client secret", "{GOCSPX-}A28"),
    (
        "Azure storage connection",
        "{DefaultEndpointsProtocol=https;AccountName=x;AccountKey=}B86{==;EndpointSuffix=core.windows.net}",
    ),
    (
        "Azure service bus connection",
        "{Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=}B43{=}",
    ),
    ("Azure client secret", "{a1B8Q~}A34"),
    ("OpenAI key", "{sk-}A48"),
    ("OpenAI project key", "{sk-proj-}A48"),
    ("Anthropic key", "{sk-ant-api03-}A93{-}A8"),
    ("Groq key", "{gsk_}A52"),
    ("Replicate token", "{r8_}A37"),
    ("Hugging Face token", "{hf_}A34"),
    ("Stripe live key", "{sk_live_}A24"),
    ("Stripe restricted key", "{rk_live_}A24"),
    ("Stripe webhook secret", "{whsec_}A32"),
    ("npm token", "{npm_}A36"),
    ("PyPI token", "{pypi-AgEIcHlwaS5vcmc}A60"),
    ("RubyGems key", "{rubygems_}H48"),
    ("Docker Hub token", "{dckr_pat_}A27"),
    ("Shopify token", "{shpat_}H32"),
    ("Linear key", "{lin_api_}A40"),
    ("Vault token", "{hvs.}A24"),
    ("Doppler token", "{dp.pt.}A43"),
    ("Databricks token", "{dapi}H32"),
    ("New Relic key", "{NRAK-}U27"),
    ("Grafana token", "{glsa_}A32{_}H8"),
    ("Supabase token", "{sbp_}H40"),
    ("Atlassian token", "{ATATT3xFfGF0}A180"),
    ("Telegram bot token", "D10{:AA}A33"),
    ("age key", "{AGE-SECRET-KEY-1}U58"),
    ("Terraform token", "A14{.atlasv1.}A67"),
    ("JSON web token", "{eyJhbGciOiJI}A24{.eyJzdWIiOiIx}A40{.}A43"),
    ("database address", "{postgres://app:}A16{@db.internal:5432/shop}"),
    ("broker address without a user", "{redis://:}A20{@cache.internal:6379/0}"),
    ("address of a repository", "{https://ci:}A20{@git.firm.io/x.git}"),
    ("curl with a password", "{curl -u admin:}A14{ https://api.firm.io/v1}"),
    ("curl with a long option", "{curl -s --user 'admin:}A14{' https://api.firm.io/v1}"),
    ("first line of an RSA key", "{MIIEpAIBAAKCAQEA}B48"),
    ("first line of a PKCS8 key", "{MIIEvQIBADANBgkqhkiG9w0BAQEFAASC}B32"),
    ("first line of an OpenSSH key", "{b3BlbnNzaC1rZXktdjEAAAAA}B46"),
    ("line of a key", "B64"),
    ("bearer header", "{Authorization: Bearer }A40"),
];

/// Fills a format with characters of chance.
fn filled(dice: &mut Dice, format: &str) -> String {
    let (all, base64) = (alphanumeric(), alphanumeric() + "+/");
    let mut result = String::new();
    let mut rest = format;
    while let Some(kind) = rest.chars().next() {
        rest = &rest[1..];
        if kind == '{' {
            let (words, after) = rest.split_once('}').unwrap();
            result.push_str(words);
            rest = after;
            continue;
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length: usize = rest[..digits].parse().unwrap();
        rest = &rest[digits..];
        let upper = [UPPER, DIGITS].concat();
        let alphabet = match kind {
            'A' => &all,
            'B' => &base64,
            'U' => &upper,
            'D' => DIGITS,
            _ => "0123456789abcdef",
        };
        result.push_str(&dice.text(alphabet, length));
    }
    result
}

#[test]
fn every_documented_format_is_found_and_redacted() {
    let mut dice = Dice(23);
    let (mut missed, mut told): (BTreeMap<&str, Vec<String>>, Vec<String>) = Default::default();
    for (name, format) in DOCUMENTED {
        for _ in 0..20 {
            let value = filled(&mut dice, format);
            for form in ["@@", "    @@\n", "first line\n@@\nlast line"] {
                let line = form.replace("@@", &value);
                if categories(&line, Scope::Credentials).is_empty() {
                    missed.entry(name).or_default().push(line.clone());
                }
                let clean = secret::redacted(&line, Scope::Credentials);
                if !categories(&clean, Scope::Credentials).is_empty() {
                    told.push(clean);
                }
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{:#?}",
        missed.iter().map(|(n, l)| (n, l.len(), &l[0])).collect::<Vec<_>>()
    );
    assert!(told.is_empty(), "still there after redaction: {told:#?}");
}

#[test]
fn examples_of_documents_are_no_secrets() {
    for line in [
        "postgres://user:password@localhost:5432/db",
        "postgres://postgres:postgres@localhost/test",
        "postgres://$USER:$PASSWORD@host/db",
        "postgres://user:${PASSWORD}@host/db",
        "https://user:<token>@github.com/x/y.git",
        "https://user:***@github.com/x/y.git",
        "mongodb://user:xxxxxxxx@host/db",
        "see https://example.com:8080/a@b and http://[::1]:80/",
        "ssh://git@github.com:22/x.git",
        "curl -u user:password https://host.io",
        "curl -u \"$USER:$TOKEN\" https://host.io",
        "curl -u admin https://host.io",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "SG.your-key-id.your-secret-goes-here",
        "AccountKey=<your-account-key>",
        "set aws_secret_access_key in your profile, it has forty characters",
        "aws_secret_access_key ****************************************",
        "dop_v1_ and doo_v1_ are the prefixes of tokens",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\nRTESMBAGA1UEChMJQmFsdGltb3JlMRMwEQYDVQQLEwpDeWJlclRydXN0MSIwIAYD\n-----END CERTIFICATE-----",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ] {
        assert_eq!(categories(line, Scope::Credentials), [""; 0], "{line}");
    }
}

fn categories(line: &str, scope: Scope) -> Vec<&'static str> {
    secret::scan(line, scope).into_iter().map(|hit| hit.category).collect()
}

#[expect(clippy::print_stderr, reason = "figures for the record")]
fn tell(figures: &str) {
    eprintln!("{figures}");
}

#[test]
fn every_class_is_found_in_every_form() {
    let lines = positives();
    assert_eq!(lines.len(), 2000);
    let mut missed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut told = Vec::new();
    for (category, line) in &lines {
        *kinds.entry(category).or_default() += 1;
        if !categories(line, Scope::Memory).contains(category) {
            missed.entry(category).or_default().push(line);
        }
        let clean = secret::redacted(line, Scope::Memory);
        if !categories(&clean, Scope::Memory).is_empty() {
            told.push(clean);
        }
    }
    let lost: usize = missed.values().map(Vec::len).sum();
    tell(&format!("recall {} of 2000; by class {kinds:?}", 2000 - lost));
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(told.is_empty(), "still there after redaction: {told:#?}");
    assert_eq!(kinds.len(), 20, "a class is missing");
}

#[test]
fn ordinary_lines_raise_hardly_an_alarm() {
    let lines = negatives();
    assert_eq!(lines.len(), 10_000);
    let alarms: Vec<(&String, Vec<&str>)> = lines
        .iter()
        .map(|line| (line, categories(line, Scope::Memory)))
        .filter(|(_, categories)| !categories.is_empty())
        .collect();
    tell(&format!("{} alarms on 10000 ordinary lines", alarms.len()));
    for alarm in alarms.iter().take(40) {
        tell(&format!("  {alarm:?}"));
    }
    assert!(alarms.len() <= 100, "{}", alarms.len());
}

#[test]
fn session_logs_of_our_own_hold_no_secrets() {
    assert_eq!(scan_logs(&corpora::own(), &["tidewater", "hand-edited"]), 20);
}

#[test]
fn real_session_logs_hold_nothing_but_what_the_original_lists() {
    let Some(folder) = corpora::folder("secrets in real logs") else { return };
    let scanned = scan_logs(&folder, &["agent-memory", "mercury-nodejs"]);
    tell(&format!("{scanned} real session logs"));
    assert!(scanned >= 150, "{scanned}");
}

/// Scans the logs in the last snapshot of each corpus; returns how many there were.
fn scan_logs(folder: &Path, names: &[&str]) -> usize {
    let mut scanned = 0;
    for name in names {
        let corpus = Corpus::open(&folder.join(name));
        let expected = std::fs::read_to_string(folder.join(name).join("expected.jsonl")).unwrap();
        let line: Value = serde_json::from_str(expected.lines().last().unwrap()).unwrap();
        let listed: BTreeSet<String> = line["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["code"] == "secret-material")
            .filter_map(|finding| finding["text"].as_str()?.split(':').next().map(str::to_owned))
            .collect();
        let root = corpus.checkout(line["snapshot"].as_str().unwrap());
        for entry in std::fs::read_dir(root.join("memory/sessions")).unwrap() {
            let path = entry.unwrap().path();
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let local = format!("memory/sessions/{}", path.file_name().unwrap().to_string_lossy());
            let found = categories(&text, Scope::Memory);
            assert!(found.is_empty() || listed.contains(&local), "{local}: {found:?}");
            scanned += 1;
        }
    }
    scanned
}
