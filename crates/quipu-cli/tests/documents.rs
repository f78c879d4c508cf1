//! `quipu ingest` of documents that are no plain text, of folders and of conversations.

use std::io::{Cursor, Write as _};

use quipu_testkit::TestRepo;
use serde_json::{Value, json as value};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{initialised, json, run};

/// Makes an archive of files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn ingest(repo: &TestRepo, path: &str, more: &[&str]) -> Value {
    let path = repo.root().join(path);
    json(repo.root(), &[&["ingest", path.to_str().unwrap()], more].concat()).1
}

fn first(repo: &TestRepo, question: &str) -> Value {
    json(repo.root(), &["recall", question]).1["results"][0].clone()
}

fn states(answer: &Value) -> Vec<String> {
    let all = answer["documents"].as_array().unwrap().iter();
    all.map(|one| one["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn documents_of_office_programs_and_books_are_found_by_what_they_say() {
    let repo = initialised();
    repo.write_bytes(
        "docs/guide.docx",
        &archive(&[
            ("word/document.xml", "<w:document><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Deploys</w:t></w:r></w:p><w:p><w:r><w:t>The otter goes out on</w:t></w:r><w:r><w:t xml:space=\"preserve\"> Tuesdays &amp; Fridays.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>Port</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>8080</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"),
            ("docProps/core.xml", "<cp:coreProperties><dc:title>Otter guide</dc:title><dc:creator>Ana</dc:creator><dcterms:created>2025-03-01T10:00:00Z</dcterms:created></cp:coreProperties>"),
        ]),
    );
    repo.write_bytes(
        "docs/recipes.odt",
        &archive(&[
            ("mimetype", "application/vnd.oasis.opendocument.text"),
            ("content.xml", "<office:text><text:h text:outline-level=\"2\">Recipes</text:h><text:p>Lamb stew needs<text:s text:c=\"1\"/>four hours.</text:p><text:list><text:list-item><text:p>cabbage</text:p></text:list-item></text:list></office:text>"),
        ]),
    );
    repo.write_bytes(
        "docs/tales.epub",
        &archive(&[
            ("META-INF/container.xml", "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>"),
            ("OEBPS/book.opf", "<package><metadata><dc:title>Sea tales</dc:title></metadata><manifest><item id=\"two\" href=\"b.xhtml\"/><item id=\"one\" href=\"a%20b.xhtml\"/></manifest><spine><itemref idref=\"one\"/><itemref idref=\"two\"/></spine></package>"),
            ("OEBPS/a b.xhtml", "<html><body><h1>The Keeper</h1><p>The lighthouse keeper was Torvald.</p></body></html>"),
            ("OEBPS/b.xhtml", "<html><body><h1>The Storm</h1><p>Eleven boats sank.</p></body></html>"),
        ]),
    );
    repo.write_bytes(
        "docs/broken.docx",
        &archive(&[("word/other.xml", "<x/>"), ("a.md", "# A\n")])[..60],
    );
    let done = ingest(&repo, "docs", &[]);
    assert_eq!(states(&done), ["new", "new", "new"], "{done}");
    assert_eq!(done["documents"][0]["title"], "Otter guide");
    for (question, source, section) in [
        ("when does the otter go out", "ingest:docs/guide.docx", "Otter guide › Deploys"),
        ("how long does lamb stew take", "ingest:docs/recipes.odt", "recipes.odt › Recipes"),
        ("who kept the lighthouse", "ingest:docs/tales.epub", "Sea tales › The Keeper"),
    ] {
        let found = first(&repo, question);
        assert_eq!(
            (&found["source"]["channel"], &found["source"]["section"]),
            (&value!(source), &value!(section)),
            "{found}"
        );
    }
    let found = first(&repo, "otter tuesdays");
    assert_eq!(found["text"], "The otter goes out on Tuesdays & Fridays.\n\n| Port | 8080 |");
    assert_eq!(found["time"], "2025-03-01T10:00:00Z");
}

#[test]
fn a_broken_document_costs_only_itself() {
    let repo = initialised();
    repo.write("docs/fine.md", "# Fine\n\nThe lantern is green.\n");
    repo.write_bytes("docs/broken.pdf", b"%PDF-1.7\nno more of it");
    let done = ingest(&repo, "docs", &[]);
    assert_eq!(states(&done), ["new"]);
    let left_out = done["left_out"].as_object().unwrap();
    assert!(left_out["docs/broken.pdf"].as_str().unwrap().contains("PDF"), "{left_out:?}");
}

/// Writes a PDF with a line on each page.
#[cfg(feature = "documents")]
fn pdf(pages: &[&str]) -> Vec<u8> {
    use std::fmt::Write as _;
    let kids: Vec<String> = (0..pages.len()).map(|n| format!("{} 0 R", 4 + n * 2)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), pages.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    for (n, words) in pages.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 72 720 Td ({words}) Tj ET");
        objects.push(format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents {} 0 R>>", 5 + n * 2));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    let mut text = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (n, object) in objects.iter().enumerate() {
        places.push(text.len());
        write!(text, "{} 0 obj\n{object}\nendobj\n", n + 1).unwrap();
    }
    let start = text.len();
    write!(text, "xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).unwrap();
    for place in &places {
        writeln!(text, "{place:010} 00000 n ").unwrap();
    }
    write!(text, "trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", places.len() + 1)
        .unwrap();
    text.into_bytes()
}

#[cfg(feature = "documents")]
#[test]
fn a_pdf_is_found_by_its_page() {
    let repo = initialised();
    repo.write_bytes(
        "docs/harbour.pdf",
        &pdf(&[
            "The harbour master is called Solveig.",
            "Bicycles cost ninety crowns.",
            "The pier is closed in May.",
        ]),
    );
    repo.write_bytes("docs/scan.pdf", &pdf(&["", "", ""]));
    let done = ingest(&repo, "docs", &[]);
    assert_eq!(states(&done), ["new"], "{done}");
    assert!(done["left_out"]["docs/scan.pdf"].as_str().unwrap().contains("a scan"), "{done}");
    let found = first(&repo, "what do bicycles cost");
    assert_eq!(found["source"]["channel"], "ingest:docs/harbour.pdf p. 2", "{found}");
    assert_eq!(found["text"], "Bicycles cost ninety crowns.");
    let (_, out, _) = run(repo.root(), &["recall", "who is the harbour master"]);
    assert!(out.contains("from docs/harbour.pdf p. 1"), "{out}");
}

#[test]
fn a_document_that_moved_keeps_its_ids_and_one_that_is_gone_is_forgotten_when_asked() {
    let repo = initialised();
    repo.write("docs/a.md", "# Guide\n\nThe otter sleeps at noon.\n");
    repo.write("docs/b.md", "# Other\n\nThe heron stands on one leg.\n");
    ingest(&repo, "docs", &[]);
    let before = first(&repo, "when does the otter sleep")["id"].clone();
    std::fs::rename(repo.root().join("docs/a.md"), repo.root().join("docs/moved.md")).unwrap();
    std::fs::remove_file(repo.root().join("docs/b.md")).unwrap();
    let done = ingest(&repo, "docs", &[]);
    assert_eq!(
        (states(&done), &done["gone"]),
        (vec!["moved".to_owned()], &value!(["docs/b.md"])),
        "{done}"
    );
    let found = first(&repo, "when does the otter sleep");
    assert_eq!(
        (&found["id"], &found["source"]["channel"]),
        (&before, &value!("ingest:docs/moved.md:1"))
    );
    assert_eq!(states(&ingest(&repo, "docs", &[])), ["known"], "it stays where it is");
    assert_eq!(
        first(&repo, "where does the heron stand")["source"]["channel"],
        "ingest:docs/b.md:1"
    );
    ingest(&repo, "docs", &["--prune"]);
    assert_ne!(
        first(&repo, "where does the heron stand")["source"]["channel"],
        "ingest:docs/b.md:1"
    );
    assert_eq!(run(repo.root(), &["undo"]).0, 0);
    assert_eq!(
        first(&repo, "where does the heron stand")["source"]["channel"],
        "ingest:docs/b.md:1"
    );
}

#[test]
fn a_folder_gives_its_documents_and_neither_code_nor_what_git_ignores() {
    let repo = initialised();
    let git = std::process::Command::new("git").args(["init", "-q"]).arg(repo.root()).status();
    assert!(git.unwrap().success());
    for (path, text) in [
        ("site/README.md", "# Site\n\nThe site is built by hand.\n"),
        ("site/main.rs", "fn main() {}\n"),
        ("site/secret.md", "# Hidden\n\nNobody reads this page.\n"),
        ("site/.gitignore", "secret.md\n"),
        ("site/LICENSE", "Anybody may copy this.\n"),
    ] {
        repo.write(path, text);
    }
    let done = ingest(&repo, "site", &["--dry-run"]);
    let read: Vec<&str> = done["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["source"].as_str().unwrap())
        .collect();
    assert_eq!(read, ["site/LICENSE", "site/README.md"], "{done}");
    assert_eq!(done["other_files"], 3);
    // A file that is named is meant.
    assert_eq!(states(&ingest(&repo, "site/main.rs", &["--dry-run"])), ["new"]);
}

#[test]
fn a_conversation_is_imported_turn_by_turn() {
    let repo = initialised();
    let turn = |role: &str, uuid: &str, words: &str| {
        value!({"type": role, "uuid": uuid, "sessionId": "s1", "timestamp": "2026-01-02T10:00:00Z", "cwd": "/w", "message": {"role": role, "content": words}}).to_string()
    };
    let lines = [
        turn("user", "u1", "I hang the yellow lantern at the gangway each evening."),
        turn("assistant", "u2", "The green lantern hangs at the pier."),
    ];
    repo.write("session.jsonl", &(lines.join("\n") + "\n"));
    let done = ingest(&repo, "session.jsonl", &[]);
    assert_eq!(
        (&done["applied"], &done["conversations"][0]["new"]),
        (&value!(true), &value!(2)),
        "{done}"
    );
    let found = first(&repo, "which lantern hangs at the pier");
    assert!(found["text"].as_str().unwrap().contains("lantern"), "{found}");
    assert_eq!(found["time"], "2026-01-02T10:00:00Z");
    assert_eq!(ingest(&repo, "session.jsonl", &[])["conversations"][0]["known"], 2);
}
