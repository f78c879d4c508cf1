//! Names that say that what comes next is a secret, in code, in configuration and in what people say.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compile;
use super::value::words;

/// What a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A password: what a person makes up will do.
    Password,
    /// A secret: either of both.
    Secret,
    /// A token or key of a service: what a machine drew.
    Token,
    /// Some key: only a long random value makes it a secret.
    Key,
    /// A user and a password: `admin / …`.
    Pair,
}

/// A name in a text.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub kind: Kind,
    pub span: Range<usize>,
}

/// Words for passwords in other languages; with capitals where they are written so.
const PASSWORDS: &[&str] = &[
    "passwort",
    "kennwort",
    "WLAN-Schlüssel",
    "Netzwerkschlüssel",
    "mdp",
    "MDP",
    "Mdp",
    "clave",
    "Clave",
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "palavra-passe",
    "parola d'ordine",
    "parola",
    "wachtwoord",
    "lösenord",
    "adgangskode",
    "kodeord",
    "passord",
    "salasana",
    "hasło",
    "haslo",
    "heslo",
    "jelszó",
    "jelszo",
    "parolă",
    "şifre",
    "sifre",
    "lozinka",
    "geslo",
    "slaptažodis",
    "parool",
    "mật khẩu",
    "kata sandi",
    "пароль",
    "лозинка",
    "парола",
    "κωδικός πρόσβασης",
    "κωδικός",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
    "סיסמה",
    "סיסמא",
    "كلمة المرور",
    "كلمة السر",
    "पासवर्ड",
    "รหัสผ่าน",
    "parole",
    "Parole",
    "contrasenya",
    "contrasinal",
    "pasahitza",
    "lykilorð",
    "kata laluan",
    "nenosiri",
    "salasõna",
    "fjalëkalimi",
    "wagwoord",
    "cyfrinair",
    "pasfhocal",
    "şifrə",
    "құпиясөз",
    "құпия сөз",
    "нууц үг",
    "գաղտնաբառ",
    "პაროლი",
    "رمز عبور",
    "گذرواژه",
    "پاس ورڈ",
    "পাসওয়ার্ড",
    "পাসওয়ার্ড",
    "கடவுச்சொல்",
    "పాస్‌వర్డ్",
    "ಪಾಸ್‌ವರ್ಡ್",
    "പാസ്‌വേഡ്",
    "પાસવર્ડ",
    "ਪਾਸਵਰਡ",
    "මුරපදය",
    "စကားဝှက်",
    "ពាក្យសម្ងាត់",
    "ລະຫັດຜ່ານ",
    "የይለፍ ቃል",
    "Contrasenya",
    "Contrasinal",
    "Pasahitza",
    "Lykilorð",
    "Kata laluan",
    "Nenosiri",
    "Salasõna",
    "Fjalëkalimi",
    "Wagwoord",
    "Cyfrinair",
    "Pasfhocal",
    "Şifrə",
    "Құпиясөз",
    "Passwort",
    "Kennwort",
    "Mot de passe",
    "Contraseña",
    "Contrasena",
    "Senha",
    "Palavra-passe",
    "Parola d'ordine",
    "Parola",
    "Wachtwoord",
    "Lösenord",
    "Adgangskode",
    "Kodeord",
    "Passord",
    "Salasana",
    "Hasło",
    "Haslo",
    "Heslo",
    "Jelszó",
    "Jelszo",
    "Parolă",
    "Şifre",
    "Sifre",
    "Lozinka",
    "Geslo",
    "Slaptažodis",
    "Parool",
    "Mật khẩu",
    "Kata sandi",
    "Пароль",
    "ПАРОЛЬ",
    "Лозинка",
    "Парола",
    "Κωδικός πρόσβασης",
    "Κωδικός",
];

/// Words for keys of services in other languages.
const TOKENS: &[&str] = &[
    "API-Schlüssel",
    "Api-Schlüssel",
    "API Schlüssel",
    "Zugangsschlüssel",
    "Zugriffstoken",
    "clé API",
    "clé d'API",
    "Clé API",
    "clave de API",
    "Clave de API",
    "clave API",
    "Clave API",
    "chave de API",
    "Chave de API",
    "chave API",
    "chiave API",
    "Chiave API",
    "API-nyckel",
    "API-sleutel",
    "klucz API",
    "Klucz API",
    "ключ API",
    "Ключ API",
    "API-ключ",
    "API 密钥",
    "API密钥",
    "密钥",
    "密鑰",
    "令牌",
    "APIキー",
    "トークン",
    "API 키",
    "토큰",
];

/// Words for a user with a password.
const PAIRS: &[&str] = &[
    "Zugangsdaten",
    "zugangsdaten",
    "Anmeldedaten",
    "anmeldedaten",
    "identifiants",
    "Identifiants",
    "credenciales",
    "Credenciales",
    "credenciais",
    "Credenciais",
    "credenziali",
    "Credenziali",
    "inloggegevens",
    "Inloggegevens",
];

/// What one of the names contains.
static ANCHOR: LazyLock<Regex> = LazyLock::new(|| {
    let foreign: Vec<&str> = [PASSWORDS, TOKENS, PAIRS].concat();
    let ascii = "(?i-u:pass|pwd|pw|psk|secret|token|key|cred|login|bearer|auth|jwt|cookie|salt|pepper|_pat|_sk)";
    compile(&format!("{}|{ascii}", foreign.join("|")))
});

/// A name longer than this is none.
const LONGEST: usize = 96;

/// So many letters a language adds to a word.
const LONGEST_ENDING: usize = 4;

/// Returns the names in a text, in order.
pub(super) fn find(source: &str) -> impl Iterator<Item = Name> {
    let bytes = source.as_bytes();
    let mut from = 0;
    ANCHOR.find_iter(bytes).filter_map(move |found| {
        if found.start() < from {
            return None;
        }
        let text = &source[found.range()];
        let foreign = [(PASSWORDS, Kind::Password), (TOKENS, Kind::Token), (PAIRS, Kind::Pair)];
        let told = foreign.iter().find(|(list, _)| list.contains(&text)).map(|(_, kind)| *kind);
        if let Some(kind) = told {
            let before = source[..found.start()].chars().next_back();
            let is_cut = |c: Option<char>| c.is_some_and(char::is_alphabetic);
            // A language may add an article or a case: `Лозинката`, `Passordet`.
            let ending: usize = source[found.end()..]
                .chars()
                .take(LONGEST_ENDING + 1)
                .take_while(|c| c.is_alphabetic())
                .map(char::len_utf8)
                .sum();
            let end = found.end() + ending;
            let is_ended =
                !is_cut(source[end..].chars().next()) && (ending == 0 || text.chars().count() >= 6);
            let is_whole = !text.is_ascii() && text.chars().any(|c| c >= '\u{0590}');
            let is_one = is_whole || !is_cut(before) && is_ended;
            let span = found.start()..if is_whole { found.end() } else { end };
            from = span.end;
            return is_one.then_some(Name { kind, span });
        }
        let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        let begin =
            bytes[..found.start()].iter().rev().take(LONGEST).take_while(|b| part(b)).count();
        let end = bytes[found.end()..].iter().take(LONGEST).take_while(|b| part(b)).count();
        let whole = found.start() - begin..found.end() + end;
        from = whole.end;
        let text = &source[whole.clone()];
        let trimmed = text.trim_start_matches(['-', '.']);
        let start = whole.end - trimmed.len();
        let trimmed = trimmed.trim_end_matches(['-', '.']);
        let span = start..start + trimmed.len();
        (trimmed.len() <= LONGEST).then_some(())?;
        // A hash of a secret, and a public key.
        let is_known =
            ["checksum/", "did:"].iter().any(|begin| source[..span.start].ends_with(begin));
        (!is_known).then_some(())?;
        let before = last_word(&source[..span.start]);
        classify(trimmed, before).map(|kind| Name { kind, span })
    })
}

/// Returns the word before a name, where only a blank divides them: "API key".
fn last_word(before: &str) -> &str {
    let Some(text) = before.strip_suffix([' ', '-', '_']) else { return "" };
    let length = text.bytes().rev().take(24).take_while(u8::is_ascii_alphanumeric).count();
    &text[text.len() - length..]
}

fn any(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| !one.is_empty() && one.eq_ignore_ascii_case(word))
}

/// A name that ends so tells of something else: where it is kept, how long it is, what it is called.
const ABOUT: &str = "file files path paths dir folder name names id ids arn url urls uri uris ref refs reference \
    length len size type types policy policies field fields hash hashes hashed hasher hashing digest expiry expires \
    expiration exp ttl count limit limits max min algorithm algo alg mode reset strength required enabled disabled \
    hint prompt label labels placeholder provider providers manager store endpoint scope scopes status version format \
    index column source rotation lifetime duration helper class method grant stdin env var variable variables regex \
    pattern validator validation error errors message issuer audience header headers prefix suffix cache timeout \
    encryption encoding location region realm owner user users username group role roles rules rule input form \
    page screen view test tests spec guard scan scanner count days usage kind state at on by mechanism strategy \
    changed updated created selector fingerprint alias list count counts store tags secrets address addresses \
    protocol client server service session handler filter middleware module plugin callback context config";

/// A name with one of these words is not that of a secret.
const HARMLESS: &str = "existing csrf xsrf tokenizer recaptcha max min num total prompt completion input output i18n \
    translation shortcut";

/// A key or token with one of these words is none, though a password may be: `partition_key`, but `CACHE_PASSWORD`.
const HARMLESS_KEYS: &str = "public publishable pub site partition primary sort foreign cache routing restore unique \
    index range host known hosts measurement dedup idempotency hot";

/// What makes a key a secret.
const KEYS: &str = "api access secret private signing encryption decryption admin master account storage license \
    licence session app auth validation preshared shared service webhook client subscription function integration \
    consumer hmac crypto aes jwt encrypt server maps deploy write seed root wallet";

/// Tells what a name promises; `before` is the word before it.
pub(super) fn classify(name: &str, before: &str) -> Option<Kind> {
    let parts: Vec<&str> = words(name).collect();
    let last = *parts.last()?;
    let is_harmless = |word: &str| any(HARMLESS, word) || is_key(last) && any(HARMLESS_KEYS, word);
    if parts.len() == 1 && is_harmless(before) || is_about(name) {
        return None;
    }
    let ends = |part: &str, ends: &[&str]| {
        let lower = part.to_ascii_lowercase();
        ends.iter().any(|end| lower.ends_with(end))
    };
    let is_password = |part: &&str| {
        any("pass pw psk passcode", part)
            || ends(part, &["pass"]) && !ends(part, &["bypass", "compass", "erpass"])
            || ends(part, &["password", "passwd", "passphrase", "passwort", "pwd"])
    };
    let second = parts.len().checked_sub(2).map_or(before, |at| parts[at]);
    let names = |part: &&str| ends(part, &["secret"]);
    if is_password(&last) {
        return Some(Kind::Password);
    }
    if last.eq_ignore_ascii_case("key") && any(KEYS, second)
        || ends(last, &["apikey", "secretkey", "accesskey"])
    {
        return Some(if any("license licence", second) { Kind::Key } else { Kind::Token });
    }
    if last.eq_ignore_ascii_case("key") && any("wifi wlan network wep wpa router", second) {
        return Some(Kind::Password);
    }
    if ends(last, &["token", "bearer"]) || last.eq_ignore_ascii_case("pepper") {
        return Some(Kind::Token);
    }
    if names(&last) {
        return Some(Kind::Secret);
    }
    if any("creds credentials credential login logins", last) {
        return Some(Kind::Pair);
    }
    // The name goes on: `secret_value`, `password1`, `secret_key_base`.
    let goes_on = parts.len() >= 2
        && (any("value base salt plain cleartext text string data", last) || last.len() <= 2);
    if goes_on && parts.iter().any(is_password) {
        return Some(Kind::Password);
    }
    if goes_on && parts.iter().any(|part| names(part) || ends(part, &["token", "key"])) {
        return Some(Kind::Token);
    }
    if any("pat sk", last) && parts.len() >= 2 {
        return Some(Kind::Token);
    }
    if last.eq_ignore_ascii_case("salt") && any("auth secure nonce key in", second) {
        return Some(Kind::Token);
    }
    if last.eq_ignore_ascii_case("auth") && parts.len() >= 2 {
        return Some(Kind::Secret);
    }
    if any("auth jwt cookie", last) {
        return Some(Kind::Key);
    }
    let numbered = last.trim_end_matches(|c: char| c.is_ascii_digit());
    if numbered.len() < last.len() && is_password(&numbered) {
        return Some(Kind::Password);
    }
    last.eq_ignore_ascii_case("key").then_some(Kind::Key)
}

/// Names of what everybody may see, by their last words: `nextPageToken`, `Sec-WebSocket-Key`, `applicationServerKey`.
fn is_open(parts: &[&str]) -> bool {
    const NAMES: [&[&str]; 9] = [
        &["page", "token"],
        &["next", "token"],
        &["continuation", "token"],
        &["pagination", "token"],
        &["cursor", "token"],
        &["socket", "key"],
        &["websocket", "key"],
        &["application", "server", "key"],
        &["password", "key"],
    ];
    let ends = |name: &&[&str]| {
        let last = parts.len().checked_sub(name.len()).map(|at| &parts[at..]);
        last.is_some_and(|last| {
            last.iter().zip(*name).all(|(one, other)| one.eq_ignore_ascii_case(other))
        })
    };
    NAMES.iter().any(ends)
}

/// Tells whether a name is about a secret and not that of one: `password_file`, `existingSecret`.
pub(super) fn is_about(name: &str) -> bool {
    let parts: Vec<&str> = words(name).collect();
    let Some(last) = parts.last() else { return false };
    any(ABOUT, last)
        || parts.iter().any(|part| any(HARMLESS, part))
        || is_key(last) && parts.iter().any(|part| any(HARMLESS_KEYS, part))
        || is_open(&parts)
}

/// Tells whether the last word of a name is that of a key or a token.
fn is_key(last: &str) -> bool {
    any("key keys token tokens", last)
}
