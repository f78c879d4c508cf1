//! Signing in with a browser: a code that is good for one use and a minute becomes a cookie that is good for
//! twelve hours. Both are kept in memory, as hashes; they end with the process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderValue, header};
use quipu_core::text::hex;
use sha2::{Digest as _, Sha256};

use crate::backend::Caller;

/// How long a code is good.
const CODE_LASTS: Duration = Duration::from_mins(1);

/// How long a cookie is good.
pub(super) const COOKIE_LASTS: Duration = Duration::from_hours(12);

/// So many browsers are signed in at once; the one that signed in first makes room.
const MOST: usize = 1000;

/// Who signs in.
#[derive(Clone, Debug)]
pub enum Visitor {
    /// Whoever got a code from the machine itself.
    Known(Caller),
    /// Whoever has this token; it is looked up with every request, so that it can be revoked.
    Token(String),
}

/// Codes that wait to be used, and browsers that are signed in.
#[derive(Default)]
pub struct SignIns {
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    /// What lets a program of the user's own make codes.
    opener: Option<Hash>,
    codes: BTreeMap<Hash, (Instant, Visitor)>,
    cookies: BTreeMap<Hash, (Instant, Visitor)>,
}

type Hash = [u8; 32];

/// What a visitor holds: 32 random bytes in hexadecimal.
fn new_secret() -> Option<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex(&bytes))
}

fn hash(secret: &str) -> Hash {
    Sha256::digest(secret).into()
}

impl fmt::Debug for SignIns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIns").finish_non_exhaustive()
    }
}

impl SignIns {
    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a code; none where the system gives no random numbers.
    pub fn new_code(&self, visitor: Visitor, now: Instant) -> Option<String> {
        let code = new_secret()?;
        self.all().codes.insert(hash(&code), (now, visitor));
        Some(code)
    }

    /// Makes the secret with which another program of the same user gets codes: it is kept where only they can read.
    pub fn new_opener(&self) -> Option<String> {
        let secret = new_secret()?;
        self.all().opener = Some(hash(&secret));
        Some(secret)
    }

    /// Makes a code for a program that has the secret.
    pub(super) fn code_for(&self, secret: &str, visitor: Visitor, now: Instant) -> Option<String> {
        let is_it = self.all().opener.is_some_and(|opener| opener == hash(secret));
        if is_it { self.new_code(visitor, now) } else { None }
    }

    /// Takes a code, which is no longer good then; returns who it was made for.
    pub(super) fn redeem(&self, code: &str, now: Instant) -> Option<Visitor> {
        let mut all = self.all();
        all.codes.retain(|_, (made, _)| now.duration_since(*made) < CODE_LASTS);
        all.codes.remove(&hash(code)).map(|(_, visitor)| visitor)
    }

    /// Signs a browser in; returns the value of its cookie.
    pub(super) fn sign_in(&self, visitor: Visitor, now: Instant) -> Option<String> {
        let cookie = new_secret()?;
        let mut all = self.all();
        all.cookies.retain(|_, (made, _)| now.duration_since(*made) < COOKIE_LASTS);
        if all.cookies.len() >= MOST {
            let first = all.cookies.iter().min_by_key(|(_, (made, _))| *made);
            if let Some(first) = first.map(|(hash, _)| *hash) {
                all.cookies.remove(&first);
            }
        }
        all.cookies.insert(hash(&cookie), (now, visitor));
        Some(cookie)
    }

    /// Returns who a cookie was made for.
    pub(super) fn visitor(&self, cookie: &str, now: Instant) -> Option<Visitor> {
        let all = self.all();
        let (made, visitor) = all.cookies.get(&hash(cookie))?;
        (now.duration_since(*made) < COOKIE_LASTS).then(|| visitor.clone())
    }

    /// Signs a browser out.
    pub(super) fn sign_out(&self, cookie: &str) {
        self.all().cookies.remove(&hash(cookie));
    }
}

/// Returns the name of the cookie: browsers do not keep ports apart, and several servers may run on one machine.
fn cookie_name(port: u16) -> String {
    format!("quipu-{port}")
}

/// Returns the value of our cookie in a request.
pub(super) fn cookie_of(headers: &HeaderMap, port: u16) -> Option<&str> {
    let name = cookie_name(port);
    let all = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    all.flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(of, _)| *of == name)
        .map(|(_, value)| value)
}

/// Returns the header that gives a browser its cookie.
pub(super) fn set_cookie(port: u16, value: &str, is_secure: bool) -> Option<HeaderValue> {
    let (name, lasts) = (cookie_name(port), COOKIE_LASTS.as_secs());
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie =
        format!("{name}={value}; Path=/api; Max-Age={lasts}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(cookie).ok()
}

/// Returns the header that takes a browser's cookie away.
pub(super) fn clear_cookie(port: u16) -> Option<HeaderValue> {
    let cookie = format!("{}=; Path=/api; Max-Age=0; HttpOnly; SameSite=Strict", cookie_name(port));
    HeaderValue::try_from(cookie).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitor() -> Visitor {
        Visitor::Token("t".to_owned())
    }

    #[test]
    fn a_code_is_good_for_one_use_and_a_minute() {
        let (all, now) = (SignIns::default(), Instant::now());
        let code = all.new_code(visitor(), now).unwrap();
        assert!(all.redeem("other", now).is_none());
        assert!(all.redeem(&code, now + Duration::from_secs(59)).is_some());
        assert!(all.redeem(&code, now).is_none(), "a replayed code");
        let code = all.new_code(visitor(), now).unwrap();
        assert!(all.redeem(&code, now + Duration::from_mins(1)).is_none(), "a late one");
    }

    #[test]
    fn a_cookie_is_good_for_twelve_hours_or_until_one_signs_out() {
        let (all, now) = (SignIns::default(), Instant::now());
        let cookie = all.sign_in(visitor(), now).unwrap();
        let late = now + COOKIE_LASTS;
        assert!(all.visitor(&cookie, late.checked_sub(Duration::from_secs(1)).unwrap()).is_some());
        assert!(all.visitor(&cookie, late).is_none());
        all.sign_out(&cookie);
        assert!(all.visitor(&cookie, now).is_none());
    }

    #[test]
    fn those_who_signed_in_first_make_room() {
        let (all, now) = (SignIns::default(), Instant::now());
        let first = all.sign_in(visitor(), now).unwrap();
        for n in 1..=MOST as u64 {
            all.sign_in(visitor(), now + Duration::from_millis(n)).unwrap();
        }
        assert!(all.visitor(&first, now).is_none());
    }
}
