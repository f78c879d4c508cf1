//! The web page: files of the folder `web`, as they are, in the program.
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
use super::asset::{Asset, Sent};
use super::host::{Host, Refusal};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

macro_rules! assets {
    ($($path:literal $form:ident,)*) => {
        /// Every file of the page; a test compares them with the folder.
        static ASSETS: [Asset; [$($path),*].len()] = [$({
            const CONTENT: &str = include_str!(concat!("../../../../web/", $path));
            Asset { path: $path, form: $form, sent: LazyLock::new(|| Sent::of($path, CONTENT)) }
        }),*];
    };
}

assets! {
    "index.html" HTML,
    "app.js" SCRIPT,
    "lib/act.js" SCRIPT,
    "lib/api.js" SCRIPT,
    "lib/drop.js" SCRIPT,
    "lib/keys.js" SCRIPT,
    "lib/live.js" SCRIPT,
    "lib/memory.js" SCRIPT,
    "lib/place.js" SCRIPT,
    "lib/text.js" SCRIPT,
    "lib/ui.js" SCRIPT,
    "palette.js" SCRIPT,
    "shell.js" SCRIPT,
    "views/brief.js" SCRIPT,
    "views/cords.js" SCRIPT,
    "views/facts.js" SCRIPT,
    "views/graph.js" SCRIPT,
    "views/health.js" SCRIPT,
    "views/home.js" SCRIPT,
    "views/import.js" SCRIPT,
    "views/memories.js" SCRIPT,
    "views/memory.js" SCRIPT,
    "views/names.js" SCRIPT,
    "views/review.js" SCRIPT,
    "views/search.js" SCRIPT,
    "views/sessions.js" SCRIPT,
    "views/settings.js" SCRIPT,
    "views/timeline.js" SCRIPT,
    "style.css" STYLE,
    "mark.svg" IMAGE,
    "vendor/preact.js" SCRIPT,
}

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

    /// The goal of the design: everything that the page is made of, in one archive.
    #[test]
    fn all_files_of_the_page_need_at_most_60_kb_in_one_archive() {
        use std::io::Write as _;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        for asset in &ASSETS {
            packer.write_all(&asset.sent.bytes).unwrap();
        }
        let size = packer.finish().unwrap().len();
        assert!(size <= 60 * 1024, "{size} bytes");
    }

    #[test]
    fn every_file_of_the_page_is_in_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        let mut there = BTreeSet::new();
        files(&folder, "", &mut there);
        let is_served = |path: &&String| {
            [".html", ".js", ".css", ".svg"].iter().any(|end| path.ends_with(end))
                && !path.starts_with("tests/")
                && !path.starts_with("node_modules/")
        };
        let there: BTreeSet<&str> = there.iter().filter(is_served).map(String::as_str).collect();
        let listed: BTreeSet<&str> = ASSETS.iter().map(|asset| asset.path).collect();
        assert_eq!(there, listed);
    }
}
