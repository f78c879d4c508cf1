//! Tokens that begin with what their service writes before all of them. Beginnings, alphabets and lengths are those
//! that the services document.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compile;
use super::value::{is_filler, is_made_of_words, randomness};

/// Which characters follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters and digits.
    Plain,
    /// Hexadecimal digits.
    Hex,
    /// Capitals and digits.
    Upper,
    /// Letters, digits, `_` and `-`.
    Address,
    /// Letters, digits and all that base64 and dots add.
    Any,
}

use Body::{Address, Any, Hex, Plain, Upper};

impl Body {
    fn holds(self, byte: u8) -> bool {
        match self {
            Plain => byte.is_ascii_alphanumeric(),
            Hex => byte.is_ascii_hexdigit(),
            Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Address => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Any => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'%' | b':')
            }
        }
    }
}

/// What a token begins with, what follows, and how much of it at least.
const BEGINNINGS: &[(&str, Body, usize)] = &[
    // Clouds and hosts.
    ("ABSK", Any, 60),
    ("ABIA", Upper, 16),
    ("ACCA", Upper, 16),
    ("LTAI", Plain, 16),
    ("AKID", Plain, 28),
    ("AQVN", Address, 32),
    ("YCAJ", Address, 30),
    ("dop_v1_", Hex, 32),
    ("doo_v1_", Hex, 32),
    ("dor_v1_", Hex, 32),
    ("HRKU-", Address, 36),
    ("fm1a_", Any, 40),
    ("fm1r_", Any, 40),
    ("fm2_", Any, 40),
    ("fo1_", Address, 40),
    ("rnd_", Plain, 24),
    ("nfp_", Plain, 30),
    ("nfc_", Plain, 30),
    ("vcp_", Plain, 20),
    ("tskey-", Address, 20),
    ("v1.0-", Any, 100),
    ("dapi", Hex, 32),
    ("dose", Hex, 32),
    ("sha256~", Address, 40),
    ("hcaik_", Plain, 30),
    ("tk-us-", Address, 40),
    // Code hosts, builds and registries.
    ("gloas-", Address, 32),
    ("glptt-", Address, 20),
    ("gldt-", Address, 20),
    ("glrt-", Address, 20),
    ("glcbt-", Address, 20),
    ("glft-", Address, 20),
    ("glffct-", Address, 20),
    ("glimt-", Address, 20),
    ("glagent-", Address, 40),
    ("glsoat-", Address, 20),
    ("GR1348941", Address, 20),
    ("ATBB", Plain, 28),
    ("ATATT3", Any, 60),
    ("ATCTT3", Any, 60),
    ("ATTA", Hex, 60),
    ("npm_", Plain, 36),
    ("pypi-", Address, 40),
    ("rubygems_", Hex, 40),
    ("dckr_", Address, 24),
    ("CLOJARS_", Plain, 50),
    ("oy2", Plain, 43),
    ("cio", Plain, 32),
    ("AKCp", Plain, 60),
    ("cmVmd", Plain, 55),
    ("CCIPAT_", Address, 40),
    ("CCIPRJ_", Address, 40),
    ("bkua_", Hex, 40),
    ("squ_", Hex, 40),
    ("sqp_", Hex, 40),
    ("sqa_", Hex, 40),
    ("sgp_", Address, 40),
    ("sgd_", Address, 40),
    ("ico-", Plain, 32),
    ("API-", Upper, 26),
    ("pat.", Any, 60),
    ("sat.", Any, 60),
    ("pnu_", Plain, 30),
    ("pul-", Hex, 40),
    ("PMAK-", Address, 50),
    // Secrets kept elsewhere.
    ("hvs.", Address, 24),
    ("hvb.", Address, 24),
    ("hvr.", Address, 24),
    ("dp.pt.", Any, 32),
    ("dp.st.", Any, 32),
    ("dp.ct.", Any, 32),
    ("dp.sa.", Any, 32),
    ("dp.scim.", Any, 32),
    ("dp.audit.", Any, 32),
    ("ops_eyJ", Any, 60),
    ("AGE-SECRET-KEY-1", Upper, 50),
    // Models.
    ("sk-", Address, 32),
    ("gsk_", Plain, 40),
    ("xai-", Plain, 60),
    ("pplx-", Plain, 40),
    ("r8_", Plain, 36),
    ("hf_", Plain, 30),
    ("api_org_", Plain, 30),
    ("fw_", Plain, 22),
    ("lsv2_", Address, 32),
    ("pcsk_", Address, 40),
    ("pa-", Address, 40),
    ("nvapi-", Address, 50),
    ("tvly-", Address, 28),
    ("csk-", Plain, 40),
    ("jina_", Plain, 40),
    ("tgp_v1_", Address, 30),
    ("sk_", Plain, 32),
    ("AIzaSy", Address, 33),
    // Observation.
    ("NRAK-", Upper, 20),
    ("NRII-", Address, 28),
    ("NRJS-", Plain, 18),
    ("NRRA-", Plain, 30),
    ("glsa_", Address, 32),
    ("glc_", Any, 32),
    ("eyJrIjoi", Any, 60),
    ("sntrys_", Any, 40),
    ("sntryu_", Hex, 40),
    ("dt0c01.", Any, 60),
    ("dt0s01.", Any, 60),
    ("phx_", Plain, 30),
    ("phs_", Plain, 30),
    // Data.
    ("sbp_", Hex, 40),
    ("sb_secret_", Address, 20),
    ("pscale_", Address, 32),
    ("pat", Any, 78),
    ("ntn_", Plain, 40),
    ("secret_", Plain, 40),
    ("lin_api_", Plain, 32),
    ("lin_oauth_", Plain, 32),
    ("figd_", Address, 36),
    ("figo_", Address, 36),
    ("CFPAT-", Address, 40),
    ("pat-na1-", Address, 36),
    ("pat-eu1-", Address, 36),
    ("tfp_", Any, 50),
    ("sl.", Any, 60),
    ("secret-", Plain, 40),
    ("rdme_", Plain, 60),
    ("fio-u-", Address, 60),
    ("p8e-", Address, 32),
    ("api-", Address, 36),
    ("sdk-", Address, 36),
    ("mob-", Address, 36),
    // Money and shops.
    ("whsec_", Any, 32),
    ("rk_", Address, 24),
    ("sk_live_", Plain, 16),
    ("sk_test_", Plain, 16),
    ("rk_live_", Plain, 16),
    ("rk_test_", Plain, 16),
    ("rzp_live_", Plain, 14),
    ("rzp_test_", Plain, 14),
    ("EAAA", Address, 58),
    ("EAAG", Plain, 60),
    ("EAAC", Plain, 60),
    ("EAAM", Plain, 60),
    ("sq0atp-", Address, 22),
    ("sq0csp-", Address, 40),
    ("access-production-", Address, 36),
    ("access-sandbox-", Address, 36),
    ("access-development-", Address, 36),
    ("FLWSECK", Address, 12),
    ("live_", Plain, 30),
    ("shpat_", Hex, 32),
    ("shpca_", Hex, 32),
    ("shppa_", Hex, 32),
    ("shpss_", Hex, 32),
    ("shptka_", Hex, 32),
    ("EZAK", Plain, 50),
    ("EZTK", Plain, 50),
    ("shippo_live_", Hex, 40),
    ("shippo_test_", Hex, 40),
    ("duffel_live_", Address, 40),
    ("duffel_test_", Address, 40),
    // Mail and messages.
    ("SK", Hex, 32),
    ("SG.", Any, 50),
    ("key-", Hex, 32),
    ("xkeysib-", Address, 60),
    ("xsmtpsib-", Address, 60),
    ("re_", Address, 30),
    ("md-", Plain, 22),
    ("xoxc-", Address, 40),
    ("xoxd-", Any, 40),
    ("xoxe-", Address, 40),
    ("xapp-", Address, 40),
    ("AAAAAAAAAAAAAAAAAAAAA", Any, 50),
    ("syt_", Address, 36),
    ("dG9rO", Any, 50),
    ("akab-", Address, 30),
    ("ptr_", Any, 43),
    ("mb_", Any, 43),
    ("xaat-", Address, 36),
    ("xapt-", Address, 36),
    ("xait-", Address, 36),
    ("cu_", Hex, 32),
    ("fnA", Address, 37),
    ("mlsn.", Hex, 60),
    ("KEY0", Address, 50),
    ("oauth:", Plain, 30),
    ("cli-", Plain, 28),
    ("st.", Any, 80),
    ("up_", Plain, 28),
    ("app-", Plain, 24),
    ("retool_", Plain, 26),
    ("tk_", Plain, 29),
    ("ucat_", Upper, 26),
    ("p.eyJ", Any, 80),
    ("1-", Plain, 64),
    ("b_", Plain, 44),
    ("dnkey-", Address, 70),
    ("slk_", Hex, 64),
    ("4b1d", Plain, 38),
    ("BBFF-", Plain, 30),
    ("NF-", Plain, 32),
    ("VF.", Any, 40),
    ("VT-server-", Address, 24),
    ("rh-api-", Address, 36),
    ("web_", Hex, 32),
    ("shltm_", Address, 40),
    ("FLWPUBK", Address, 12),
    ("bce-v3/", Any, 60),
    ("LTAI5t", Plain, 18),
    ("hbp_", Plain, 36),
    ("pk_prod_", Plain, 28),
    ("aio_", Plain, 28),
    ("endr+", Plain, 16),
    ("sm_aat_", Plain, 16),
    ("sm_pat_", Plain, 16),
    ("sm_sat_", Plain, 16),
    // Others, of a fixed length, without a word that says what they are.
    ("AVNS_", Address, 16),
    ("BSA", Address, 28),
    ("as-", Plain, 22),
    ("e2b_", Hex, 40),
    ("fc-", Hex, 32),
    ("rpa_", Upper, 30),
    ("perm:", Any, 40),
    ("perm-", Any, 40),
    ("sk-let-", Any, 40),
    ("configcat-sdk-1/", Any, 40),
    // What comes before a token in JSON, base64 of `{"u":"`.
    ("sk.eyJ", Any, 60),
];

static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    let all: Vec<String> = BEGINNINGS.iter().map(|(begin, ..)| regex::escape(begin)).collect();
    compile(&format!(r"(?-u)(?:{})", all.join("|")))
});

/// So much of a token tells whether it is one.
const JUDGED: usize = 400;

/// Returns the tokens in `source`, in order.
pub(super) fn find(source: &str) -> impl Iterator<Item = Range<usize>> {
    prefixed(source).chain(named(source))
}

fn prefixed(source: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = source.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = BEGINS.find_at(bytes, at) {
            // Another beginning may start inside of this one: `secret_` behind `sb_`.
            at = found.start() + 1;
            if continues(bytes, found.start()) {
                continue;
            }
            let candidates = BEGINNINGS
                .iter()
                .filter(|(begin, ..)| bytes[found.start()..].starts_with(begin.as_bytes()));
            let mut best: Option<Range<usize>> = None;
            for (begin, body, least) in candidates {
                let from = found.start() + begin.len();
                let length =
                    bytes[from..].iter().take(JUDGED).take_while(|b| body.holds(**b)).count();
                let text = source[from..from + length].trim_end_matches(['.', ':', '/', '-', '_']);
                // A plain body that goes on with something else is another thing.
                let goes_on = *body != Any
                    && length < JUDGED
                    && bytes.get(from + length).is_some_and(u8::is_ascii_alphanumeric);
                if text.len() >= *least && !goes_on && is_drawn(text) {
                    let rest = from + text.len();
                    let more = bytes[rest..].iter().take_while(|b| body.holds(**b)).count();
                    let more = if length == JUDGED { more } else { 0 };
                    best = Some(found.start()..rest + more);
                    break;
                }
            }
            if let Some(span) = best {
                at = span.end;
                return Some(span);
            }
        }
        None
    })
}

/// Tells whether a word goes on at `at`.
fn continues(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        let byte = bytes[before];
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
    })
}

/// Tells whether the body of a token was drawn at random.
fn is_drawn(text: &str) -> bool {
    let random = randomness(text);
    random >= 8 && random * 5 >= text.len().min(60) * 2 && !is_filler(text)
}

/// Words before a token that say what it is: `acme_pat_…`, `shop-sk-live-…`, `signkey-prod-…`.
const SPEAKING: &str =
    "sk pat token tok tkn apikey auth pw oat uat rk sat sec api live prod key secret";

/// Words before what is drawn at random and open to everybody.
const OPEN: &str = "pk pub public publishable site id ids ref sha sha1 sha224 sha256 sha384 sha512 md5 blake2b \
    blake3 h1 zh hash digest checksum integrity etag nonce trace span request req commit rev build image img chunk \
    vendor vendors main index bundle asset css page cursor cache job run npub did urn resp msg thread asst file";

/// Finds tokens of anybody: a few words, and then what was drawn. The words say what it is, or it is so long and so mixed
/// that hardly anything else looks like it.
fn named(source: &str) -> impl Iterator<Item = Range<usize>> {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| compile(r"(?-u)\b[A-Za-z][0-9A-Za-z]{0,15}[_.-][0-9A-Za-z_.-]{16,}"));
    NAMED.find_iter(source.as_bytes()).filter_map(|found| {
        let (start, text) = (found.start(), &source[found.range()]);
        let whole = text.trim_end_matches(['.', '-', '_']);
        let judged = &whole[..whole.len().min(JUDGED)];
        (!continues(source.as_bytes(), start) && is_named(judged))
            .then_some(start..start + whole.len())
    })
}

/// Tells whether words lead to a token.
fn is_named(text: &str) -> bool {
    /// More words, or longer ones, are a name.
    const MOST: (usize, usize) = (3, 16);
    let any = |list: &str, word: &str| list.split(' ').any(|one| one.eq_ignore_ascii_case(word));
    let (mut at, mut words, mut letters) = (0, 0, 0);
    let (mut speaks, mut is_open) = (false, false);
    for part in text.split_inclusive(['_', '.', '-']) {
        let word = part.trim_end_matches(['_', '.', '-']);
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word = word.len() <= 16
            && word.len() - stem.len() <= 2
            && stem.bytes().skip(1).all(|b| b.is_ascii_lowercase())
            || word.len() <= 4 && word.bytes().all(|b| !b.is_ascii_uppercase())
            || any(SPEAKING, word);
        if !is_word {
            break;
        }
        let lower = word.to_ascii_lowercase();
        speaks |= any(SPEAKING, word)
            || ["secret", "token", "key"].iter().any(|end| lower.ends_with(end));
        is_open |= any(OPEN, word);
        (at, words, letters) = (at + part.len(), words + 1, letters + word.len());
    }
    let body = &text[at..];
    let plain: String = body.chars().filter(|c| !c.is_ascii_digit()).collect();
    // `hashers.Argon2PasswordHasher` is a name in capitals.
    let is_name = body.len() - plain.len() <= 2 && is_made_of_words(&plain, 5);
    if words == 0 || is_open || body.len() < 20 || is_filler(body) || is_name {
        return false;
    }
    let count = |test: fn(&u8) -> bool| body.bytes().filter(test).count();
    let is_mixed = count(u8::is_ascii_uppercase) >= 2 && count(u8::is_ascii_lowercase) >= 2;
    if speaks {
        return (is_mixed || body.len() >= 24)
            && randomness(body) >= 16
            && randomness(body) * 5 >= body.len() * 3;
    }
    let longest = body.split(['_', '.', '-']).max_by_key(|run| run.len()).unwrap_or_default();
    let is_hex = longest.bytes().all(|b| b.is_ascii_hexdigit());
    let is_long = longest.len() >= if is_mixed { 32 } else { 60 } && randomness(longest) > 0;
    let is_drawn = is_mixed && body.len() >= 36 && randomness(body) * 4 >= body.len() * 3;
    (is_long || is_drawn) && !is_hex && words <= MOST.0 && letters <= MOST.1
}
