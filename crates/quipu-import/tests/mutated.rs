//! Foreign input is untrusted: whatever stands in it, a reader neither panics nor hangs.

use std::time::{Duration, Instant};

use quipu_import::{Format, Input, Options, Out, detect, read};

use crate::sources::folder;

/// Samples to change; each is small, so that a change hits something that matters.
const SAMPLES: &[(&str, Format, &str)] = &[
    (
        "memory.jsonl",
        Format::Mcp,
        "{\"type\":\"entity\",\"name\":\"Ana\",\"entityType\":\"p\",\"observations\":[\"likes tea\"]}\n{\"type\":\"relation\",\"from\":\"Ana\",\"to\":\"B\",\"relationType\":\"knows\"}\n",
    ),
    (
        "x.json",
        Format::Mem0,
        "{\"results\":[{\"id\":\"4\",\"memory\":\"Likes tea\",\"hash\":\"d\",\"created_at\":\"2026-01-02T10:00:00+00:00\",\"user_id\":\"a\",\"metadata\":{\"quipu\":{\"layer\":\"semantic\"}}}]}",
    ),
    (
        "conversations.json",
        Format::ChatGpt,
        "[{\"id\":\"g\",\"current_node\":\"n\",\"create_time\":1.5,\"mapping\":{\"n\":{\"id\":\"n\",\"parent\":\"m\",\"message\":{\"author\":{\"role\":\"user\"},\"content\":{\"content_type\":\"text\",\"parts\":[\"I moved\"]}}},\"m\":{\"parent\":null,\"message\":{\"recipient\":\"bio\",\"author\":{\"role\":\"assistant\"},\"content\":{\"content_type\":\"model_editable_context\",\"model_set_context\":\"1. [2025-01-01]. x\",\"parts\":[\"y\"]}}}}}]",
    ),
    (
        "conversations.json",
        Format::Claude,
        "[{\"uuid\":\"c\",\"name\":\"\",\"chat_messages\":[{\"uuid\":\"m\",\"sender\":\"human\",\"text\":\"I moved\",\"parent_message_uuid\":\"m\",\"created_at\":\"2026-01-02T10:00:00Z\"}]},{\"conversations_memory\":\"**A**\\n\\n- b\"}]",
    ),
    (
        "s.jsonl",
        Format::ClaudeCode,
        "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"timestamp\":\"2026-01-02T10:00:00Z\",\"message\":{\"role\":\"user\",\"content\":\"Use <system-reminder>x</system-reminder> jitter\"}}\n",
    ),
    (
        "a.md",
        Format::ClaudeCode,
        "---\nname: a\ndescription: \"b\"\nmetadata:\n  node_type: memory\n  type: user\n---\nBody [[x|y]] **Why:** é\n",
    ),
    (
        "note.md",
        Format::BasicMemory,
        "---\ntitle: T\npermalink: a/b\ntags: [x]\n---\n- [decision] Buy é #tea (budget)\n- leads_to [[Otter]] (soon)\n- \"two words\" [[T]]\n",
    ),
    (
        "note.md",
        Format::Obsidian,
        "---\naliases: [x]\n---\n# A\nwords [[B#c|d]] ![[e]] #tag/sub %%no%% ^id\n\n```\ncode\n```\n- b\n",
    ),
    (
        "note.md",
        Format::Markdown,
        "---\nquipu-id: \"a\"\ncreated: \"2026-01-02T10:00:00Z\"\ntags: [\"x\"]\n---\nWords é\n\n<!-- quipu: links and notes -->\n- related [[b]]\n- note: c\n",
    ),
    (
        "kim.af",
        Format::Letta,
        "{\"agents\":[{\"id\":\"a\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}]}],\"blocks\":[{\"id\":\"b\",\"label\":\"human\",\"value\":\"Ana\\n\\nTea\"}]}",
    ),
    (
        "g.jsonl",
        Format::Graphiti,
        "{\"uuid\":\"x\",\"fact\":\"Ana lives\",\"source_node_uuid\":\"n\",\"valid_at\":\"2020-05-01T00:00:00Z\"}\n",
    ),
    (
        "r.jsonl",
        Format::Codex,
        "{\"timestamp\":\"2026-01-02T10:00:02Z\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"hey\"}]}}\n",
    ),
    (
        "MyActivity.json",
        Format::Gemini,
        "[{\"header\":\"Gemini Apps\",\"title\":\"Prompted x\",\"time\":\"2026-01-02T12:00:00Z\",\"products\":[\"Gemini Apps\"],\"safeHtmlItem\":[{\"html\":\"<p>a &amp; <b>b</b><script>x</script>&#x41;</p>\"}]}]",
    ),
    (
        "general/d.json",
        Format::Slack,
        "[{\"type\":\"message\",\"user\":\"U1\",\"text\":\"a <@U2> <https://x|y> &lt;\",\"ts\":\"1767348000.0001\"}]",
    ),
    ("x.csv", Format::Csv, "id,text,date,tags\n1,\"a \"\"b\"\"\",2026-01-02,\"x;y\"\n2,'=c,,\n"),
    (
        "manifest.json",
        Format::Hindsight,
        "{\"schema_version\":1,\"source_bank_id\":\"b\",\"observation_count\":0}",
    ),
    (
        "inbox.mbox",
        Format::Mail,
        "From a Fri\nFrom: Ana <a@x>\nSubject: Tea\nDate: Fri, 2 Jan 2026 10:00:00 +0000\nMessage-ID: <a>\nContent-Type: text/plain\n\n>From é\n\nFrom b\nFrom: B\n",
    ),
    (
        "x.jsonl",
        Format::Json,
        "{\"text\":\"one\",\"created_at\":1767348000,\"tags\":[\"x\"],\"id\":1}\n",
    ),
    (
        "MEMORY.md",
        Format::Journal,
        "- Words\n  <!-- id: k7m2qd4xwz | at: 2026-11-15T09:00:12Z | tags: a, b -->\n",
    ),
    (
        "e.json",
        Format::Engram,
        "{\"memories\":[{\"id\":\"5\",\"content\":\"Retries\",\"layer\":\"semantic\",\"created_at\":1767348000.5,\"fact_date\":\"2026-01\",\"metadata\":{\"annotations\":[{\"note\":\"x\",\"timestamp\":1.5}]}}],\"entities\":[],\"relationships\":[]}",
    ),
    (
        "q.jsonl",
        Format::Quipu,
        "{\"t\":\"header\",\"format\":\"quipu.export/1\",\"filter\":{}}\n{\"t\":\"item\",\"id\":\"a\",\"kind\":\"record\",\"text\":\"x\"}\n{\"t\":\"end\"}\n",
    ),
];

/// Bytes that mean something to some format.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "---\n",
    "\n",
    "\r",
    "- ",
    "#",
    "[[",
    "]]",
    "<!--",
    "-->",
    "<",
    ">",
    "&#",
    "null",
    "true",
    "1e999",
    "-1",
    "99999999999999999999",
    "\u{0}",
    "é",
    "\u{202e}",
    "%%",
    "```",
    "'",
    "''",
    "0",
    "9999-99-99",
    "{}",
    "[]",
];

/// How many changed inputs each reader gets.
fn mutations() -> usize {
    std::env::var("QUIPU_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// The readers to try, where not all: `QUIPU_READERS=mcp,mail`.
fn is_tried(format: Format) -> bool {
    let named = std::env::var("QUIPU_READERS").unwrap_or_default();
    named.is_empty() || named.split(',').any(|name| name == format.as_str())
}

/// The next number of a row that is the same on every run.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0)
}

fn changed(sample: &str, state: &mut u64) -> Vec<u8> {
    let mut bytes = sample.as_bytes().to_vec();
    for _ in 0..=next(state) % 4 {
        let at = next(state) % (bytes.len() + 1);
        let end = (at + next(state) % 12).min(bytes.len());
        match next(state) % 5 {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, PIECES[next(state) % PIECES.len()].bytes())),
            2 => drop(bytes.splice(at..end, PIECES[next(state) % PIECES.len()].bytes())),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = next(state) % (bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = u8::try_from(next(state) % 256).unwrap_or(0);
                }
            }
        }
    }
    bytes
}

#[test]
fn no_input_makes_a_reader_panic_or_hang() {
    let count = mutations();
    let mut state = 23_u64;
    let options = Options { with_chats: true, keep_pins: true, ..Options::default() };
    for (name, format, sample) in SAMPLES.iter().filter(|(_, format, _)| is_tried(*format)) {
        let folder = folder(&[(name, sample)]);
        let path = folder.path().join(name);
        for _ in 0..count {
            let bytes = changed(sample, &mut state);
            std::fs::write(&path, &bytes).unwrap();
            let input = Input::open(folder.path()).unwrap();
            let started = Instant::now();
            // What fits no format any more is no failure: that it was said is enough.
            let _ = detect(&input);
            let mut put = |_| Ok(());
            let _ = read(&input, *format, &options, &mut Out::new(&mut put));
            let took = started.elapsed();
            assert!(
                took < Duration::from_secs(10),
                "{format}: {took:?} for {:?}",
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

#[test]
fn every_sample_is_claimed_by_its_own_reader() {
    for (name, format, sample) in SAMPLES {
        let folder = folder(&[(name, sample)]);
        let claimed = detect(&Input::open(folder.path()).unwrap());
        // A vault is known by its folder of settings, which this one has not.
        if *format != Format::Obsidian {
            assert_eq!(claimed.unwrap(), *format, "{name}");
        }
    }
}

/// The formats that are databases.
const DATABASES: [Format; 7] = [
    Format::Cursor,
    Format::MemPalace,
    Format::Perseus,
    Format::Engram,
    Format::Icm,
    Format::ClaudeMem,
    Format::Mem0,
];

/// The files that make an archive a document, the one that is changed first.
const DOCUMENTS: &[&[(&str, &str)]] = &[
    &[(
        "word/document.xml",
        "<w:document><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/><w:numPr/></w:pPr><w:r><w:t>Tea &amp; é</w:t><w:tab/><w:br/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc></w:tr></w:tbl></w:document>",
    )],
    &[
        (
            "content.xml",
            "<office:text><text:h text:outline-level=\"2\">A</text:h><text:p>b<text:s text:c=\"3\"/>&#x41;</text:p><text:list><text:list-item><text:p>c</text:p></text:list-item></text:list><table:table-row><table:table-cell><text:p>d</text:p></table:table-cell></table:table-row></office:text>",
        ),
        ("mimetype", "application/vnd.oasis.opendocument.text"),
    ],
    &[
        (
            "b.opf",
            "<package><manifest><item id=\"a\" href=\"x/../a.xhtml#f\"/></manifest><spine><itemref idref=\"a\"/></spine></package>",
        ),
        ("META-INF/container.xml", "<rootfile full-path=\"b.opf\"/>"),
        ("a.xhtml", "<h1>One</h1><p>two"),
    ],
    &[
        (
            "ppt/slides/slide1.xml",
            "<p:sld><p:sp><p:ph type=\"title\"/><a:p><a:r><a:t>Tea &amp; é</a:t></a:r><a:br/></a:p></p:sp><a:tbl><a:tr><a:tc><a:p><a:t>a</a:t></a:p></a:tc></a:tr></a:tbl></p:sld>",
        ),
        ("ppt/presentation.xml", "<p:sldIdLst><p:sldId id=\"256\" r:id=\"r1\"/></p:sldIdLst>"),
        (
            "ppt/_rels/presentation.xml.rels",
            "<Relationship Id=\"r1\" Target=\"slides/slide1.xml\"/>",
        ),
    ],
];

fn archive(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn no_document_makes_its_reader_panic_or_hang() {
    let mut state = 5_u64;
    for files in DOCUMENTS {
        for turn in 0..mutations() {
            let mut files: Vec<(&str, Vec<u8>)> =
                files.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect();
            files[0].1 = changed(&String::from_utf8_lossy(&files[0].1), &mut state);
            let mut bytes = archive(&files);
            if turn % 3 == 0 {
                let at = next(&mut state) % bytes.len();
                bytes[at] ^= 1 << (next(&mut state) % 8);
            }
            let started = Instant::now();
            let _ = quipu_import::document::read_foreign(&bytes);
            assert!(started.elapsed() < Duration::from_secs(10), "{bytes:?}");
        }
    }
}

#[test]
fn no_database_makes_a_reader_panic_or_hang() {
    let folder = folder(&[]);
    let path = folder.path().join("store.db");
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(
            r#"CREATE TABLE cursorDiskKV(key TEXT, value BLOB);
            INSERT INTO cursorDiskKV VALUES('composerData:c','{"createdAt":1767348000000,"conversation":[{"type":1,"text":"a"}]}');
            CREATE TABLE collections(id TEXT, name TEXT); INSERT INTO collections VALUES('c','mempalace_drawers');
            CREATE TABLE documents(collection_id TEXT, id TEXT, document TEXT, metadata_json TEXT);
            INSERT INTO documents VALUES('c','d','words','{"chunk_index":0,"chunk_total":2,"source_file":"a"}');
            CREATE TABLE entities(id TEXT, category TEXT, key TEXT, body_json TEXT, epistemic_state TEXT, links TEXT);
            INSERT INTO entities VALUES('e','note','k','{"text":"x"}','y','[{"target_id":"z"}]');
            CREATE TABLE memories(id TEXT, content TEXT, layer TEXT, source_type TEXT, chunk_hash TEXT, metadata TEXT, created_at REAL, topic TEXT, summary TEXT, importance TEXT, keywords TEXT);
            INSERT INTO memories VALUES('m','words','semantic','ingest','h','{"tags":["a"],"annotations":[{"note":"n","timestamp":1.5}]}',1767348000.5,'t','said','high','["kind:x"]');
            CREATE TABLE sdk_sessions(content_session_id TEXT, memory_session_id TEXT);
            CREATE TABLE observations(id INTEGER, memory_session_id TEXT, title TEXT, narrative TEXT, facts TEXT, concepts TEXT, created_at_epoch INTEGER);
            INSERT INTO observations VALUES(1,'s','t','n','["f"]','[]',1767348000547);
            CREATE TABLE history(memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at TEXT);
            INSERT INTO history VALUES('a',NULL,'b','ADD','2026-01-02T10:00:00+00:00');"#,
        )
        .unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut state = 9_u64;
    let options = Options { with_chats: true, ..Options::default() };
    for _ in 0..mutations() / 3 {
        let mut bytes = whole.clone();
        for _ in 0..=next(&mut state) % 6 {
            let at = next(&mut state) % bytes.len();
            bytes[at] = u8::try_from(next(&mut state) % 256).unwrap_or(0);
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(input) = Input::open(folder.path()) else { continue };
        let _ = detect(&input);
        for format in DATABASES {
            let started = Instant::now();
            let mut put = |_| Ok(());
            let _ = read(&input, format, &options, &mut Out::new(&mut put));
            assert!(started.elapsed() < Duration::from_secs(10), "{format}");
        }
    }
}
