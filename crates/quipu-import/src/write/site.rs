//! Memories as a site to read: no script, nothing from the network, every word escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quipu_core::text::{collapse_whitespace, ellipsis};

use super::{Named, Written, stamp};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}\
pre{white-space:pre-wrap;font:inherit}dt{color:#666}dd{margin:0 0 .5rem}\
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>{}</title><style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
        escaped(title)
    )
}

/// An index by day, tag and session, and a page a memory.
pub(super) fn site(all: &[Named<'_>]) -> Vec<Written> {
    let mut files: Vec<Written> = Vec::new();
    let mut groups: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    for (number, one) in all.iter().enumerate() {
        let item = one.item;
        let path = format!("memory/{number}.html");
        let title = ellipsis(&collapse_whitespace(&item.text), 90);
        let line = format!("<li><a href=\"{path}\">{}</a></li>", escaped(&title));
        let mut file = |group: &'static str, name: String| {
            groups.entry((group, name)).or_default().push(line.clone());
        };
        file("By day", item.time.strftime("%Y-%m-%d").to_string());
        for tag in &item.tags {
            file("By tag", tag.clone());
        }
        if let Some(session) = &item.session {
            file("By session", session.clone());
        }
        files.push((path, page(&title, &told(one))));
    }
    let mut body = format!("<h1>Memories</h1>\n<p>{} in all.</p>\n", all.len());
    let mut before = "";
    for ((group, name), lines) in groups {
        if group != before {
            let _ = writeln!(body, "<h2>{group}</h2>");
            before = group;
        }
        let _ = writeln!(
            body,
            "<details><summary>{} ({})</summary><ul>{}</ul></details>",
            escaped(&name),
            lines.len(),
            lines.concat()
        );
    }
    files.insert(0, ("index.html".to_owned(), page("Memories", &body)));
    files
}

fn told(one: &Named<'_>) -> String {
    let item = one.item;
    let mut body = format!(
        "<p><a href=\"../index.html\">All memories</a></p>\n<pre>{}</pre>\n<dl>",
        escaped(&item.text)
    );
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = write!(body, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
        }
    };
    row("Id", &one.id);
    row("Learned", &stamp(item.time));
    row("Category", &item.category);
    row("Type", item.memory_type.as_str());
    row("Layer", item.layer.as_str());
    row("Status", item.status.as_str());
    row("Source", item.source.as_str());
    row("Importance", &super::rank(item.importance));
    row("Speaker", item.speaker.as_deref().unwrap_or_default());
    row("Session", item.session.as_deref().unwrap_or_default());
    row("Tags", &item.tags.join(", "));
    row("True from", &item.valid_from.map(stamp).unwrap_or_default());
    row("True until", &item.valid_to.map(stamp).unwrap_or_default());
    row("Replaces", &one.supersedes().unwrap_or_default());
    for link in &item.links {
        row("Link", &format!("{} {}", link.relation, one.name_of(&link.to)));
    }
    for note in &item.notes {
        row("Note", note);
    }
    body.push_str("</dl>\n");
    body
}
