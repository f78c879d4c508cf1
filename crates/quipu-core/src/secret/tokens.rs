//! Tokens that begin with what their service writes before all of them. Beginnings, alphabets and lengths are those
//! that the services document.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compile;
use super::value::{is_filler, randomness};

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

/// Finds tokens of anybody whose beginning says so: `acme_pat_…`, `shop_sk_live_…`.
fn named(source: &str) -> impl Iterator<Item = Range<usize>> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(?-u)\b[A-Za-z][0-9A-Za-z]{1,15}(?:[_-][0-9a-z]{1,12}){0,2}?[_-](?:sk|pat|secret|token|tok|tkn|apikey|key|auth|pw|oat|rk|sat|sk_live|sk_test|pat_live|sec)[_-](?:(?:live|test|prod|dev|v[0-9])[_-])?([0-9A-Za-z]{20,})\b",
        )
    });
    NAMED.captures_iter(source.as_bytes()).filter_map(|captures| {
        let body = captures.get(1)?.range();
        let whole = captures.get_match().range();
        let text = &source[body];
        let classes = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
        let is_mixed = classes(u8::is_ascii_uppercase) >= 2 || text.len() >= 32;
        (is_mixed
            && randomness(text) >= 16
            && !is_filler(text)
            && !continues(source.as_bytes(), whole.start))
        .then_some(whole)
    })
}
