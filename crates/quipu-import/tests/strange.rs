//! What people have on their disks: presentations, texts of Windows, archives in archives, and files that are no memories.

use std::io::Write as _;

use quipu_import::{Format, ImportError, Input, Options, Skip, detect};

use crate::sources::{folder, take};

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_presentation_is_read_slide_by_slide_in_its_own_order() {
    let slide = |title: &str, words: &str| {
        format!(
            "<p:sld><p:sp><p:nvPr><p:ph type=\"ctrTitle\"/></p:nvPr><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:sp><p:sp><p:nvPr><p:ph type=\"sldNum\"/></p:nvPr><a:p><a:fld><a:t>7</a:t></a:fld></a:p></p:sp></p:sld>"
        )
    };
    let bytes = archive(&[
        (
            "ppt/presentation.xml",
            b"<p:presentation><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId9\"/><p:sldId r:id=\"rId2\" id=\"257\"/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            b"<Relationships><Relationship Id=\"rId2\" Target=\"slides/slide1.xml\"/><Relationship Id=\"rId9\" Target=\"/ppt/slides/slide2.xml\"/></Relationships>",
        ),
        ("ppt/slides/slide1.xml", slide("Harvest", "Rye first").as_bytes()),
        ("ppt/slides/slide2.xml", slide("Welcome", "To the farm").as_bytes()),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            b"<Relationships><Relationship Type=\"x/notesSlide\" Target=\"../notesSlides/notesSlide1.xml\"/></Relationships>",
        ),
        (
            "ppt/notesSlides/notesSlide1.xml",
            b"<p:notes><p:sp><a:p><a:r><a:t>Thank the neighbours</a:t></a:r></a:p></p:sp></p:notes>",
        ),
    ]);
    let document = quipu_import::document::read_foreign(&bytes).unwrap();
    assert_eq!(
        document.body,
        "<!-- page 1 -->\n## Welcome\n\nTo the farm\n\n<!-- page 2 -->\n## Harvest\n\nRye first\n\nThank the neighbours"
    );
    assert!(document.has_pages);
}

#[test]
fn texts_of_windows_are_read_as_what_they_say() {
    let json =
        "[{\"id\":\"1\",\"memory\":\"Käse ist im Kühlschrank\",\"hash\":\"x\",\"user_id\":\"a\"}]";
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(json.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let folder = folder(&[]);
    let path = folder.path().join("all.json");
    std::fs::write(&path, wide).unwrap();
    let found = take(&path, &Options::default());
    assert_eq!((found.format, &*found.drafts[0].text), (Format::Mem0, "Käse ist im Kühlschrank"));
    let table = folder.path().join("notes.csv");
    std::fs::write(&table, b"text;date\nDer K\xfchlschrank l\xe4uft \x80;2025-03-06\n").unwrap();
    assert_eq!(take(&table, &Options::default()).drafts[0].text, "Der Kühlschrank läuft €");
    let page = quipu_import::document::read(b"Gr\xf6\xdfe 42\r\n").unwrap();
    assert_eq!(page.body, "Größe 42\n");
    assert!(quipu_import::document::read(b"\x01\x02\x03 no text").is_none());
}

#[test]
fn an_archive_in_an_archive_is_read_and_one_deeper_is_named() {
    let deep = archive(&[("deep.md", b"- the pump is in the cellar\n")]);
    let middle = archive(&[("deep.zip", &deep), ("middle.md", b"- the tea is in the tin\n")]);
    let bytes = archive(&[("middle.zip", &middle), ("top.md", b"- the key is under the stone\n")]);
    let folder = folder(&[]);
    let path = folder.path().join("all.zip");
    std::fs::write(&path, bytes).unwrap();
    let found = take(&path, &Options::default());
    assert_eq!(found.drafts.len(), 2);
    assert!(found.skipped.contains(&(Skip::Unreadable, 1)), "{:?}", found.skipped);
    assert!(found.warnings.iter().any(|one| one.contains("deep.zip")), "{:?}", found.warnings);
}

#[test]
fn a_database_in_an_archive_is_read() {
    let folder = folder(&[]);
    let database = folder.path().join("history.db");
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute_batch(
            "CREATE TABLE history(id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role);
            INSERT INTO history VALUES('1','m',NULL,'Likes green tea','ADD','2026-01-02T10:00:00+00:00',NULL,0,'ana','user');",
        )
        .unwrap();
    let bytes = archive(&[("mem0/history.db", &std::fs::read(&database).unwrap())]);
    let path = folder.path().join("mem0.zip");
    std::fs::write(&path, bytes).unwrap();
    let found = take(&path, &Options::default());
    assert_eq!((found.format, &*found.drafts[0].text), (Format::Mem0, "Likes green tea"));
}

#[test]
fn a_file_of_no_memories_is_told_for_what_it_is() {
    let folder = folder(&[
        ("empty.txt", ""),
        ("blank.txt", " \n\n"),
        ("prose.txt", "Once upon a time there was a frog.\n"),
        ("package.json", "{\"name\":\"x\",\"version\":\"1\"}"),
        ("values.csv", "dtype,input,output\n## denormals ##\nf32,1,2\nf32,3,4\n"),
    ]);
    std::fs::write(folder.path().join("picture.png"), b"\x89PNG\r\n\0\0").unwrap();
    std::fs::write(folder.path().join("book.pdf"), b"%PDF-1.7\n").unwrap();
    let told = |name: &str| -> String {
        let error: ImportError =
            detect(&Input::open(&folder.path().join(name)).unwrap()).unwrap_err();
        assert!(error.hint().is_some());
        error.to_string()
    };
    for (name, words) in [
        ("empty.txt", "there is nothing in"),
        ("blank.txt", "there is nothing in"),
        ("prose.txt", "nothing in it is marked as a memory"),
        ("package.json", "no column of words"),
        ("values.csv", "nothing in it is marked as a memory"),
        ("picture.png", "is no text"),
        ("book.pdf", "is a document"),
    ] {
        assert!(told(name).contains(words), "{name}: {}", told(name));
    }
}

#[test]
fn a_graph_is_known_by_its_nodes_however_many_come_first() {
    let node = "{\"uuid\":\"n\",\"name\":\"Ana\",\"group_id\":\"g\",\"labels\":[],\"created_at\":\"2026-01-02T10:00:00Z\",\"summary\":\"\"}\n";
    let edge = "{\"uuid\":\"e\",\"group_id\":\"g\",\"source_node_uuid\":\"n\",\"target_node_uuid\":\"n\",\"fact\":\"Ana lives in Porto\",\"expired_at\":\"2026-02-02T10:00:00Z\"}\n";
    let folder = folder(&[("graph.jsonl", &*(node.repeat(30) + edge))]);
    let found = take(&folder.path().join("graph.jsonl"), &Options::default());
    assert_eq!((found.format, found.drafts.len()), (Format::Graphiti, 1));
    assert_eq!(found.drafts[0].status, quipu_core::item::Status::Superseded);
}
