//! The web page: the files of the folder `web`, in the program; the scripts as one.
//!
//! Whatever a person looks at has an address of its own, and all of these get the same page; its script shows what
//! the address says. The files hold nothing of the memory, so they need no token.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::address::VIEWS;
use super::answer;
use super::app::App;
use super::asset::{self, Asset, Sent};
use super::bundle::bundle;
use super::host::{Host, Refusal};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

macro_rules! scripts {
    ($($path:literal,)*) => {
        /// Every script of the page; a test compares them with the folder.
        const SCRIPTS: &[(&str, &str)] =
            &[$(($path, include_str!(concat!("../../../../web/", $path)))),*];
    };
}

scripts! {
    "app.js",
    "lib/act.js",
    "lib/api.js",
    "lib/drop.js",
    "lib/keys.js",
    "lib/live.js",
    "lib/memory.js",
    "lib/place.js",
    "lib/state.js",
    "lib/text.js",
    "lib/ui.js",
    "palette.js",
    "shell.js",
    "views/brief.js",
    "views/cords.js",
    "views/facts.js",
    "views/graph.js",
    "views/health.js",
    "views/home.js",
    "views/import.js",
    "views/memories.js",
    "views/memory.js",
    "views/names.js",
    "views/review.js",
    "views/search.js",
    "views/sessions.js",
    "views/settings.js",
    "views/timeline.js",
    "vendor/preact.js",
}

/// The scripts as they are sent: all of them in one.
fn page_script() -> Result<String, String> {
    let files: Vec<(&str, String)> =
        SCRIPTS.iter().map(|(path, text)| (*path, asset::script(path, text))).collect();
    bundle("app.js", &files)
}

/// Every file of the page.
static ASSETS: [Asset; 4] = [
    Asset {
        path: "index.html",
        form: HTML,
        sent: LazyLock::new(|| Sent::of(include_str!("../../../../web/index.html").to_owned())),
    },
    Asset {
        path: "app.js",
        form: SCRIPT,
        // A test keeps what is sent from being the second form.
        sent: LazyLock::new(|| {
            Sent::of(page_script().unwrap_or_else(|why| format!("throw new Error({why:?});")))
        }),
    },
    Asset {
        path: "style.css",
        form: STYLE,
        sent: LazyLock::new(|| Sent::of(asset::style(include_str!("../../../../web/style.css")))),
    },
    Asset {
        path: "mark.svg",
        form: IMAGE,
        sent: LazyLock::new(|| Sent::of(include_str!("../../../../web/mark.svg").to_owned())),
    },
];

/// Returns the routes of the page.
pub(super) fn routes<H: Host>() -> Router<Arc<App<H>>> {
    let mut routes = Router::new()
        .route("/", get(page))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { file("mark.svg", &headers) }))
        .route("/assets/{*path}", get(asset));
    for view in VIEWS {
        routes = routes.route(&format!("/{view}"), get(page));
        routes = routes.route(&format!("/{view}/{{*more}}"), get(page));
    }
    routes
}

async fn page(headers: HeaderMap) -> Response {
    file("index.html", &headers)
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    file(&path, &headers)
}

fn file(path: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) else {
        let refusal = Refusal::new(404, "no-route", "there is no such file");
        return (refusal.status(), axum::Json(refusal.json())).into_response();
    };
    let sent = &*asset.sent;
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let unpacks = accepted.is_some_and(|value| value.split(',').any(|one| one.trim() == "gzip"));
    let (bytes, etag) = if unpacks {
        (sent.packed.as_slice(), sent.packed_etag.as_str())
    } else {
        (sent.bytes.as_slice(), sent.etag.as_str())
    };
    let mut response = if answer::is_known(headers, etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, asset.form)], bytes).into_response()
    };
    if unpacks && response.status() == StatusCode::OK {
        let packed = HeaderValue::from_static("gzip");
        response.headers_mut().insert(header::CONTENT_ENCODING, packed);
    }
    // A new version of the program has new files: ask each time, and mostly hear that nothing changed.
    let always = [
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "Accept-Encoding"),
        (header::ETAG, etag),
    ];
    for (name, value) in always {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn files(folder: &Path, inside: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{inside}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                files(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name);
            }
        }
    }

    #[test]
    fn all_files_of_the_page_need_at_most_60_kb_as_they_are_sent() {
        let size: usize = ASSETS.iter().map(|asset| asset.sent.packed.len()).sum();
        assert!(size <= 60 * 1024, "{size} bytes");
    }

    #[test]
    fn every_script_of_the_page_is_in_the_program() {
        let text = page_script().unwrap();
        assert!(text.len() > 100_000, "{}", text.len());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        let mut there = BTreeSet::new();
        files(&folder, "", &mut there);
        let there: BTreeSet<&str> = there
            .iter()
            .filter(|path| path.rsplit('.').next() == Some("js"))
            .map(String::as_str)
            .collect();
        let listed: BTreeSet<&str> = SCRIPTS.iter().map(|(path, _)| *path).collect();
        assert_eq!(there, listed);
    }
}
