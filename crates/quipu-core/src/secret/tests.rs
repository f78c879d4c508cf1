use std::borrow::Cow;

use super::*;

fn categories(source: &str) -> Vec<&'static str> {
    scan(source, Scope::Memory).into_iter().map(|hit| hit.category).collect()
}

/// Builds a value at run time, so that this file trips no scanner.
fn value() -> String {
    ["Zq7", "Lm2", "Xw9", "Rt4"].concat()
}

#[test]
fn assigned_credentials_are_found_whatever_the_quoting() {
    for line in ["password=V", "client_secret: 'V'", "\"apiKey\": \"V\"", "`my.auth-token=V`"] {
        let line = line.replace('V', &value());
        assert_eq!(categories(&line), ["credential-assignment"], "{line}");
    }
}

#[test]
fn an_option_and_an_assignment_on_one_line_are_two() {
    let line = "--db-password V=1 secret = V;".replace('V', &value());
    assert_eq!(categories(&line), ["credential-assignment", "assigned-credential"]);
}

#[test]
fn templates_and_stand_ins_are_no_secrets() {
    for safe in [
        "${DB_PASSWORD}",
        "${DB_PASSWORD:}",
        "${a.b}",
        "{CHANGE_THIS}",
        "${{secrets.X}}",
        "$(cat file)",
        "<your-secret>",
        "%(name)s",
        "(REDACTED)",
        "********",
        "changeme",
        "your-password-here",
        "test-password",
        "12345678",
        "2026-06-12",
        "${X:-demo}",
        "${TOKEN:changeme}",
        "short",
    ] {
        assert_eq!(categories(&format!("password={safe}")), [""; 0], "{safe}");
    }
    assert_eq!(categories("credentials.source=OAUTHBEARER"), [""; 0]);
    assert_eq!(categories("credentials=OAUTHBEARER"), ["credential-assignment"]);
    assert_eq!(categories("AGENT_MEMORY_SECRET_GUARD=advisory)."), [""; 0]);
}

#[test]
fn a_default_that_is_a_real_value_is_found() {
    assert_eq!(categories(&format!("secret=${{X:-{}}}", value())), ["credential-assignment"]);
}

#[test]
fn a_waived_line_is_not_scanned() {
    for mark in [WAIVER, SHORT_WAIVER] {
        assert_eq!(categories(&format!("password={} <!-- {mark} -->", value())), [""; 0]);
    }
}

#[test]
fn authorization_headers_are_found_and_routes_are_not() {
    assert_eq!(categories(&format!("Authorization: Bearer {}", value())), ["authorization-header"]);
    assert_eq!(categories("authorization: v1.basic.auth"), [""; 0]);
}

#[test]
fn personal_data_is_looked_for_in_memory_only() {
    let source = "ann@firm.io +15551234567 /home/ann/x 4111 1111 1111 1111 078-05-1120";
    assert_eq!(categories(source), ["email", "home-path", "payment-card", "phone-e164", "ssn"]);
    assert!(scan(source, Scope::Credentials).is_empty());
    assert_eq!(
        categories("git@host.io x@example.com /home/runner/ /Users/... 4111 1111 1111 1112"),
        [""; 0]
    );
}

#[test]
fn what_is_told_in_words_is_found() {
    let value = value();
    for line in ["API key: V", "the access token is `V`.", "Password for staging: V", "secret is V"]
    {
        let line = line.replace('V', &value);
        assert_eq!(categories(&line).len(), 1, "{line}");
        assert!(redacted(&line, Scope::Credentials).contains("(REDACTED)"), "{line}");
    }
    for line in [
        "the api key is rotated monthly",
        "Access token: see docs/2026-05-01-tokens.md",
        "password is required (min 12 characters)",
        "The secret is out since 2026-05-01",
        "API key: <your-key>",
        "private key: `$SIGNING_KEY_2048`",
    ] {
        assert_eq!(categories(line), [""; 0], "{line}");
    }
}

#[test]
fn one_policy_says_what_happens() {
    let text = format!("API key: {}", value());
    let told = |policy| admitted(policy, &text, Scope::Credentials).map(Cow::into_owned);
    assert_eq!(told(OnSecret::Allow), Ok(text.clone()));
    assert_eq!(told(OnSecret::Redact), Ok("API key: (REDACTED)".to_owned()));
    assert_eq!(told(OnSecret::Refuse), Err(vec!["credential-phrase".to_owned()]));
}

#[test]
fn a_refusal_tells_the_rule_and_the_line_and_never_the_value() {
    let text = format!("first\nAPI key: {}\n", value());
    let refused = admitted(OnSecret::Refuse, &text, Scope::Credentials);
    assert_eq!(refused, Err(vec!["credential-phrase on line 2".to_owned()]));
}

#[test]
fn a_waived_text_keeps_its_words_and_says_why() {
    let text = format!("first\nAPI key: {}\nlast\n", value());
    let marked = waived(&text, Scope::Memory, "a fixture of the tests");
    let expected =
        format!("first\nAPI key: {} (quipu:allow-secret: a fixture of the tests)\nlast\n", value());
    assert_eq!(marked, expected);
    assert_eq!(categories(&marked), [""; 0]);
    assert_eq!(waived("plain words", Scope::Memory, "why"), "plain words");
    // Another line is looked at as ever.
    let second = format!("{marked}password={}", value());
    assert_eq!(categories(&second), ["credential-assignment"]);
}

#[test]
fn a_redaction_leaves_nothing_of_a_key_and_no_second_token() {
    let body = "aB3dE5gH7j".repeat(6);
    let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    let clean = |text: &str| redacted(text, Scope::Memory);
    assert_eq!(clean(&format!("a\n{begin}\n{body}\n{body}\n{end}\nb\n")), "a\n(REDACTED)\nb\n");
    assert_eq!(clean(&format!("k = \"{begin}\\n{body}\\n{end}\\n\"")), "k = \"(REDACTED)\\n\"");
    assert_eq!(clean(&format!("{begin}\n{body}\n\nThen words.\n")), "(REDACTED)\n\nThen words.\n");
    let token = format!("ghp_{}", &body[..40]);
    assert_eq!(clean(&format!("{token} and {token}")), "(REDACTED) and (REDACTED)");
    assert_eq!(scan(&format!("{token} and {token}"), Scope::Memory).len(), 1);
}

#[test]
fn token_shapes_are_found_without_a_key() {
    let token = |head: &str, length: usize| {
        format!("{head}{}", "aB3dE5gH7j".repeat(8).get(..length).unwrap())
    };
    assert_eq!(categories(&token("ghp_", 36)), ["github-token"]);
    assert_eq!(categories(&format!("AKIA{}", "ABCD1234".repeat(2))), ["aws-access-key-id"]);
    assert_eq!(categories(&token("sk-ant-", 40)), ["model-api-key"]);
    assert_eq!(categories(&format!("CI_TOKEN={}", token("", 40))), ["high-entropy-assignment"]);
    assert_eq!(categories("commit=4f2a9c81d03b5e7f6a1c2b3d4e5f60718293a4b5"), [""; 0]);
}

#[test]
fn many_hits_and_what_never_ends_are_read_once() {
    let body = "aB3dE5gH7j".repeat(4);
    // A reader that went back to the beginning, or on to the end, for each of these would take minutes.
    for (unit, is_found) in [
        (format!("API key: q7{body}4x2\n"), true),
        (format!("password={body} "), true),
        (format!("ghp_{body}\n"), true),
        ("-----BEGIN RSA PRIVATE KEY-----\n".to_owned(), true),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n".to_owned(), true),
        ("pw=".to_owned(), false),
        ("token=".to_owned(), false),
        ("sl.:".to_owned(), false),
        ("password=\"abc ".to_owned(), false),
        ("LS0tLS1CRUdJTi".to_owned(), false),
        ("seed phrase: abandon ".to_owned(), false),
    ] {
        let text = unit.repeat(1500);
        let clean = redacted(&text, Scope::Memory);
        assert_eq!(clean.matches(REDACTED).count() >= 1500, is_found, "{unit}");
        assert_eq!(scan(&text, Scope::Memory).is_empty(), !is_found, "{unit}");
    }
}

#[test]
fn the_name_of_a_stored_secret_is_not_the_secret() {
    let arn = ["arn:aws:secretsmanager:eu-central-1:417731063216", "secret", "prod/db-fHE26X"];
    assert_eq!(categories(&format!("SECRET_ARN={}", arn.join(":"))), [""; 0]);
    let value = ["fHE26X", "kq8Vw2", "mN4tRz"].concat();
    assert_eq!(categories(&format!("secret: {value}")), ["credential-assignment"]);
}
