//! Under which name a request comes, and from which page.
//!
//! Threats: a page that rebinds its own name to this machine (its name is in `Host`), a page that sends requests of
//! its own (its origin is in `Origin`, and browsers say in `Sec-Fetch-Site` how it relates to us, for requests
//! without an `Origin` too, such as an image).

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderValue, header};

use super::host::{Door, Refusal};

/// Whose page sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    /// No page, or our own.
    Own,
    /// One that `serve.origins` names: it has a token of its own.
    Named,
}

/// Checks under which name a request comes, and from which page.
pub(super) fn check(door: &Door, headers: &HeaderMap) -> Result<Page, Refusal> {
    let host = check_host(door, headers)?;
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(Page::Own) };
    if is_own(door, origin, host) {
        return Ok(Page::Own);
    }
    if is_named(door, origin) {
        return Ok(Page::Named);
    }
    let origin = origin.to_str().unwrap_or_default();
    Err(Refusal::new(403, "origin", format!("a page of `{origin}` may not call this server"))
        .hint("if it should, name it in serve.origins"))
}

/// Refuses what a browser says comes from a page of another site, or of another server on this machine.
pub(super) fn check_site(headers: &HeaderMap, page: Page) -> Result<(), Refusal> {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_foreign = !matches!(site, None | Some(b"same-origin" | b"none"));
    if !is_foreign || page == Page::Named {
        return Ok(());
    }
    Err(Refusal::new(403, "site", "another page made the browser send this request")
        .hint("open the page of this server itself, or send a token from a program"))
}

/// Tells whether a page may read what we answer.
pub(super) fn may_call(door: &Door, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let host = check_host(door, headers).ok()?;
    (is_own(door, origin, host) || is_named(door, origin)).then(|| origin.clone())
}

/// A page on another site can make a browser ask us under a name of its own: then the name gives it away.
fn check_host<'a>(door: &Door, headers: &'a HeaderMap) -> Result<&'a str, Refusal> {
    let mut all = headers.get_all(header::HOST).iter();
    let asked = all.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
    if all.next().is_none() && is_own_name(asked, &door.hosts) {
        return Ok(asked);
    }
    Err(Refusal::new(403, "host", format!("this server is not `{asked}`"))
        .hint("reach it by its address, or name it in serve.hosts"))
}

/// Tells whether a `Host` header names this server: by an address, as `localhost`, or by a name of its own.
fn is_own_name(asked: &str, hosts: &[String]) -> bool {
    let Some(name) = host_of(asked) else { return false };
    // Only a name can be bound to another address; an address is what it is.
    let is_address = name.starts_with('[') || name.parse::<Ipv4Addr>().is_ok();
    let is_known =
        |known: &str| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(asked);
    is_address || is_known("localhost") || hosts.iter().any(|known| is_known(known))
}

/// Returns the name or address in `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`; nothing where the text
/// is none of these.
fn host_of(text: &str) -> Option<&str> {
    let end = match text.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')?;
            rest[..end].parse::<Ipv6Addr>().ok()?;
            end + 2
        }
        None => text.find(':').unwrap_or(text.len()),
    };
    let (host, port) = text.split_at(end);
    let is_port = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    (is_port && !host.is_empty()).then_some(host)
}

/// Tells whether a page is one of this server: it has the name under which the request comes, or is the
/// same machine under another of its names.
fn is_own(door: &Door, origin: &HeaderValue, host: &str) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let of_host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    let port = door.listen.port();
    of_host.is_some_and(|name| name.eq_ignore_ascii_case(host))
        || ["localhost", "127.0.0.1", "[::1]"]
            .iter()
            .any(|name| origin == format!("http://{name}:{port}"))
}

fn is_named(door: &Door, origin: &HeaderValue) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    door.origins.iter().any(|known| known == origin)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn door() -> Door {
        Door {
            drain: std::time::Duration::ZERO,
            listen: ([127, 0, 0, 1], 8377).into(),
            hosts: vec!["memory.example".to_owned()],
            origins: vec!["https://app.example".to_owned()],
            max_body_bytes: 1,
            requests_per_second: 0,
            sign_ins: Arc::default(),
        }
    }

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        all.iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_page_is_our_own_where_it_has_the_name_that_the_request_comes_under() {
        let table = [
            ("127.0.0.1:8377", None, Some(Page::Own)),
            ("127.0.0.1:8377", Some("http://127.0.0.1:8377"), Some(Page::Own)),
            ("127.0.0.1:8377", Some("http://localhost:8377"), Some(Page::Own)),
            ("memory.example", Some("https://memory.example"), Some(Page::Own)),
            ("192.168.1.4:8377", Some("http://192.168.1.4:8377"), Some(Page::Own)),
            ("127.0.0.1:8377", Some("https://app.example"), Some(Page::Named)),
            ("127.0.0.1:8377", Some("http://localhost:3000"), None),
            ("127.0.0.1:8377", Some("http://192.168.1.4:8377"), None),
            ("127.0.0.1:8377", Some("https://evil.example"), None),
            ("127.0.0.1:8377", Some("null"), None),
            ("evil.example:8377", Some("http://evil.example:8377"), None),
            ("evil.example:8377", None, None),
        ];
        for (host, origin, page) in table {
            let mut all = vec![("host", host)];
            all.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(check(&door(), &headers(&all)).ok(), page, "{host} {origin:?}");
        }
    }

    #[test]
    fn what_another_page_makes_a_browser_send_is_refused() {
        for (site, passes) in [
            (None, true),
            (Some("same-origin"), true),
            (Some("none"), true),
            (Some("same-site"), false),
            (Some("cross-site"), false),
            (Some("anything"), false),
        ] {
            let all: Vec<_> = site.map(|site| ("sec-fetch-site", site)).into_iter().collect();
            assert_eq!(check_site(&headers(&all), Page::Own).is_ok(), passes, "{site:?}");
            assert!(check_site(&headers(&all), Page::Named).is_ok());
        }
    }

    #[test]
    fn a_host_is_ours_only_where_the_whole_of_it_is() {
        let hosts = ["memory.example".to_owned(), "proxy.example:444".to_owned()];
        let table = [
            ("localhost", true),
            ("LOCALHOST:8377", true),
            ("127.0.0.1", true),
            ("127.0.0.1:8377", true),
            ("192.168.1.7:80", true),
            ("[::1]", true),
            ("[::1]:8377", true),
            ("[fe80::1]:8377", true),
            ("memory.example", true),
            ("Memory.Example:443", true),
            ("proxy.example:444", true),
            ("proxy.example", false),
            ("proxy.example:445", false),
            ("", false),
            (":8377", false),
            ("evil.com", false),
            ("[::1].evil.com", false),
            ("[::1].evil.com:8377", false),
            ("[::1]:8377.evil.com", false),
            ("[::1]evil.com", false),
            ("evil.com[::1]", false),
            ("[evil.com]", false),
            ("[::1", false),
            ("::1", false),
            ("127.0.0.1.evil.com", false),
            ("127.0.0.1:8377.evil.com", false),
            ("127.0.0.1:+80", false),
            ("localhost.evil.com", false),
            ("localhost:8377@evil.com", false),
            ("localhost:80:80", false),
            ("memory.example.evil.com", false),
        ];
        for (asked, is_ours) in table {
            assert_eq!(is_own_name(asked, &hosts), is_ours, "{asked}");
        }
    }
}
