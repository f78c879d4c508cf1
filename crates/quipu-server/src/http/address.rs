//! What a path belongs to: the API, the page, or neither.

/// Where the API begins.
pub(super) const API: &str = "/api/v1/";

/// Where one signs in, with a code or a token.
pub(super) const SIGN_IN: &str = "/api/v1/sign-in";

/// Where a program of the user gets a code for their browser.
pub(super) const CODES: &str = "/api/v1/sign-in/codes";

/// Addresses that show the page: the first part of their path.
pub(super) const VIEWS: [&str; 12] = [
    "search", "review", "timeline", "m", "memories", "facts", "names", "sessions", "brief",
    "health", "import", "settings",
];

/// Tells whether a path belongs to the API, whatever is there.
pub(super) fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Tells whether a path is an address or a file of the page.
pub(super) fn is_page(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    path == "/" || path == "/favicon.ico" || first == "assets" || VIEWS.contains(&first)
}

/// Tells whether a path is there for everyone: whether the server lives is nobody's secret, and a balancer has no
/// token; the page has to be there before one can sign in with it.
pub(super) fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz") || path == SIGN_IN || path == CODES || is_page(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_there_for_everyone_and_what_is_remembered_is_not() {
        for path in ["/", "/m/k7m2qd4xwz", "/names/ada%20lovelace", "/search", "/assets/app.js"] {
            assert!(is_open(path), "{path}");
        }
        for path in ["/api/v1/status", "/mcp", "/metrics", "/rpc", "//api", "/etc/passwd"] {
            assert!(!is_open(path), "{path}");
        }
    }
}
