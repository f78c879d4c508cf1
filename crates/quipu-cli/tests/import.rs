//! `quipu import`, `export` and `backup` from the outside.

use std::path::Path;

use quipu_testkit::TestRepo;
use serde_json::{Value, json as value};

use crate::{initialised, json, run};

const MEM0: &str = r#"{"results":[
{"id":"44","memory":"Ana likes black tea","hash":"a","created_at":"2025-03-02T10:00:00+00:00","user_id":"ana","role":"user"},
{"id":"45","memory":"We decided to use Postgres instead of SQLite","hash":"b","created_at":"2025-03-05T10:00:00+00:00","user_id":"ana"},
{"id":"46","memory":"The gateway listens on port 8080","hash":"c","created_at":"2025-03-06T10:00:00+00:00","user_id":"ana"}]}"#;

/// Writes a source beside the workspace.
fn source(repo: &TestRepo, name: &str, text: &str) -> String {
    let path = repo.root().parent().unwrap().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn import(repo: &TestRepo, path: &str, more: &[&str]) -> Value {
    let (code, answer) = json(repo.root(), &[&["import", path, "--yes"], more].concat());
    assert_eq!(code, 0, "{answer}");
    answer
}

fn recalled(repo: &TestRepo, words: &str) -> Vec<String> {
    let (_, answer) = json(repo.root(), &["recall", words]);
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    results.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

fn replay_agrees(repo: &TestRepo) {
    let (code, answer) = json(repo.root(), &["replay", "--check"]);
    assert_eq!((code, &answer["equal"]), (0, &value!(true)), "{answer}");
}

/// Returns everything that stands in the files of the memory.
fn words_of(repo: &TestRepo) -> String {
    let files = repo.files();
    let ours =
        files.iter().filter(|(path, _)| path.starts_with("memory/") || path.ends_with("MEMORY.md"));
    ours.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
}

#[test]
fn a_plan_changes_nothing_and_says_what_would_happen() {
    let repo = initialised();
    let path = source(&repo, "mem0.json", MEM0);
    let before = repo.files();
    let (code, out, _) = run(repo.root(), &["import", &path]);
    assert_eq!(code, 0);
    assert!(out.contains("would import 3 memories") && out.contains("2025-03-02"), "{out}");
    assert_eq!(repo.files(), before);
    let (_, answer) = json(repo.root(), &["import", &path, "--explain"]);
    assert_eq!(answer["samples"].as_array().unwrap().len(), 3);
    assert_eq!(answer["samples"][1]["rule"], "a choice");
    assert_eq!(repo.files(), before);
}

#[test]
fn an_import_is_one_private_readable_file_that_undo_removes() {
    let repo = initialised();
    let path = source(&repo, "mem0.json", MEM0);
    let before = repo.files();
    let answer = import(&repo, &path, &[]);
    assert_eq!((&answer["new"], &answer["applied"]), (&value!(3), &value!(true)));
    let file = answer["paths"][0].as_str().unwrap();
    let text = repo.read(file);
    assert!(
        text.starts_with("# Imported from mem0, ")
            && text.contains("\n- Ana likes black tea\n  <!-- id: "),
        "{text}"
    );
    assert!(repo.read("memory/imports/.gitignore").ends_with("\n*\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = std::fs::metadata(repo.root().join(file)).unwrap();
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }
    let (_, found) = json(repo.root(), &["recall", "what tea does Ana like"]);
    assert_eq!(found["results"][0]["source"]["channel"], "import:mem0");
    let (_, out, _) = run(repo.root(), &["recall", "black tea"]);
    assert!(out.contains("imported from mem0, 2025-03-02"), "{out}");
    let id = found["results"][0]["id"].as_str().unwrap();
    let (_, shown, _) = run(repo.root(), &["show", id]);
    assert!(shown.contains("imported from mem0, 2025-03-02 (mem0.json)"), "{shown}");
    assert!(repo.files().keys().all(|path| !path.starts_with("memory/20")), "nothing is of today");
    replay_agrees(&repo);
    let (code, out, error) = run(repo.root(), &["undo"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("imported 3 memories"), "{out}");
    let mut after = repo.files();
    after.remove("memory/imports/.gitignore");
    assert_eq!(after, before);
    assert!(recalled(&repo, "black tea").is_empty());
    assert_eq!(run(repo.root(), &["redo"]).0, 0);
    assert_eq!(recalled(&repo, "black tea")[0], "Ana likes black tea");
    replay_agrees(&repo);
}

#[test]
fn importing_twice_adds_nothing_and_a_change_supersedes() {
    let repo = initialised();
    let path = source(&repo, "mem0.json", MEM0);
    import(&repo, &path, &[]);
    let files = repo.files();
    let again = import(&repo, &path, &[]);
    assert_eq!(
        (&again["new"], &again["known"], &again["applied"]),
        (&value!(0), &value!(3), &value!(false))
    );
    assert_eq!(repo.files(), files);
    let path = source(&repo, "mem0.json", &MEM0.replace("port 8080", "port 9090"));
    let changed = import(&repo, &path, &[]);
    assert_eq!(
        (&changed["new"], &changed["changed"], &changed["known"]),
        (&value!(0), &value!(1), &value!(2))
    );
    assert_eq!(recalled(&repo, "gateway port"), ["The gateway listens on port 9090"]);
    replay_agrees(&repo);
    let third = import(&repo, &path, &[]);
    assert_eq!(third["known"], 3);
    // Back to what it said first: that is a change too.
    let path = source(&repo, "mem0.json", MEM0);
    assert_eq!(import(&repo, &path, &[])["changed"], 1);
    assert_eq!(recalled(&repo, "gateway port"), ["The gateway listens on port 8080"]);
    assert_eq!(run(repo.root(), &["undo"]).0, 0);
    assert_eq!(recalled(&repo, "gateway port"), ["The gateway listens on port 9090"]);
    replay_agrees(&repo);
}

#[test]
fn undo_waits_for_what_depends_on_an_import_and_for_hand_edits() {
    let repo = initialised();
    let path = source(&repo, "mem0.json", MEM0);
    let answer = import(&repo, &path, &[]);
    let (change, file) = (answer["change"].as_str().unwrap(), answer["paths"][0].as_str().unwrap());
    let (_, found) = json(repo.root(), &["recall", "black tea"]);
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(run(repo.root(), &["memory", "pin", &id]).0, 0);
    let (code, error) = json(repo.root(), &["undo", change]);
    assert_eq!((code, &error["error"]["code"]), (3, &value!("changed-since")));
    assert_eq!(run(repo.root(), &["undo"]).0, 0, "the pin");
    let text = repo.read(file);
    repo.write(file, &text.replace("black tea", "green tea"));
    let (code, error) = json(repo.root(), &["undo", change]);
    assert_eq!((code, &error["error"]["code"]), (3, &value!("edited-since")), "{error}");
    assert!(repo.read(file).contains("green tea"));
}

#[test]
fn no_credential_gets_into_any_file() {
    let repo = initialised();
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let json_of = |text: &str| {
        value!({"results": [{"id": key, "memory": text, "hash": "a", "user_id": key, "actor_id": key,
            "created_at": "2025-03-02T10:00:00Z", "run_id": key,
            "metadata": {"tags": [key, "fine"], "category": key, "deep": {"x": [key]}}}]})
    };
    let path = source(
        &repo,
        "mem0.json",
        &json_of(&format!("The deploy token is {key} for now")).to_string(),
    );
    let answer = import(&repo, &path, &[]);
    assert_eq!((&answer["new"], &answer["redacted"]), (&value!(1), &value!(1)));
    let words = words_of(&repo);
    assert!(!words.contains(&key), "{words}");
    assert!(
        words.contains("The deploy token is (REDACTED) for now") && words.contains("tags: fine"),
        "{words}"
    );
}

#[test]
fn a_purge_reaches_imports_and_a_new_import_does_not_bring_it_back() {
    let repo = initialised();
    let path = source(&repo, "mem0.json", MEM0);
    import(&repo, &path, &[]);
    let (_, found) = json(repo.root(), &["recall", "black tea"]);
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    let (code, _, error) = run(repo.root(), &["purge", &id, "--reason", "they asked", "--yes"]);
    assert_eq!(code, 0, "{error}");
    assert!(!words_of(&repo).contains("black tea"));
    let again = import(&repo, &path, &[]);
    assert_eq!((&again["known"], &again["skipped"]["purged"]), (&value!(2), &value!(1)));
    assert!(!words_of(&repo).contains("black tea"));
    replay_agrees(&repo);
}

#[test]
fn what_the_source_decided_is_decided_here() {
    let repo = initialised();
    let rows = [
        "id,text,time,status,supersedes",
        "a,Retries wait one second,2025-01-01T00:00:00Z,superseded,",
        "b,Retries wait two seconds,2025-02-01T00:00:00Z,active,a",
        "c,The old staging host is otter,2025-01-01T00:00:00Z,archived,",
    ];
    let path = source(&repo, "x.csv", &rows.join("\n"));
    import(&repo, &path, &[]);
    let found = recalled(&repo, "how long do retries wait");
    assert_eq!(found[0], "Retries wait two seconds");
    assert!(
        !found.iter().any(|text| text.contains("one second") || text.contains("otter")),
        "{found:?}"
    );
    let (_, found) = json(repo.root(), &["recall", "retries wait seconds"]);
    assert_eq!(found["results"][0]["supersedes"].as_array().unwrap().len(), 1);
    replay_agrees(&repo);
}

#[test]
fn a_label_of_the_source_goes_before_what_the_words_say() {
    let repo = initialised();
    let path = source(
        &repo,
        "x.csv",
        "id,text,type,layer\na,Never deploy on Fridays,narrative,episodic\n",
    );
    import(&repo, &path, &[]);
    let (_, out, _) = run(repo.root(), &["export"]);
    let items = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let item = items
        .into_iter()
        .find(|one| one["text"] == "Never deploy on Fridays" && one["t"] == "item")
        .unwrap();
    assert_eq!((&item["type"], &item["layer"]), (&value!("narrative"), &value!("episodic")));
    replay_agrees(&repo);
}

#[test]
fn a_broken_part_is_named_and_fails_only_where_asked() {
    let repo = initialised();
    let path = source(&repo, "x.jsonl", "{\"text\":\"one good thing\",\"id\":1}\n{broken\n");
    let (code, answer) = json(repo.root(), &["import", &path]);
    assert_eq!((code, &answer["skipped"]["unreadable"]), (0, &value!(1)));
    assert_eq!(json(repo.root(), &["import", &path, "--strict"]).0, 1);
    let path = source(&repo, "x.bin", "\u{0}\u{1}");
    let (code, answer) = json(repo.root(), &["import", &path]);
    assert_eq!((code, &answer["error"]["code"]), (3, &value!("unknown-format")));
}

#[test]
fn a_memory_is_exported_whole_and_comes_back_byte_for_byte() {
    let repo = initialised();
    run(repo.root(), &["remember", "Tea is served at four", "--tag", "tea"]);
    run(repo.root(), &["fact", "add", "The gateway listens on port 8080"]);
    let mem0 = source(&repo, "mem0.json", MEM0);
    import(&repo, &mem0, &[]);
    let list = source(&repo, "list.txt", "- What is hid\u{200b}den stays as it is\n");
    import(&repo, &list, &["--as", "list"]);
    let export = source(&repo, "all.jsonl", "");
    let (code, answer) = json(repo.root(), &["export", &export]);
    assert_eq!(code, 0, "{answer}");
    // A pipe gets the same bytes; only the time at which it was made may differ.
    let (_, piped, _) = run(repo.root(), &["export"]);
    let text = std::fs::read_to_string(&export).unwrap();
    let inside = |text: &str| {
        text.lines()
            .filter(|line| line.contains("\"t\":\"item\""))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(inside(&piped), inside(&text));
    let other = initialised();
    let plan = json(other.root(), &["import", &export]).1;
    assert_eq!((&plan["format"], &plan["applied"]), (&value!("quipu"), &value!(false)));
    import(&other, &export, &[]);
    let memory = |repo: &TestRepo| {
        let mut files = repo.files();
        files.retain(|path, _| path.starts_with("memory/") || path == "MEMORY.md");
        files
    };
    assert_eq!(memory(&other), memory(&repo));
    replay_agrees(&other);
    let again = source(&other, "again.jsonl", "");
    run(other.root(), &["export", &again]);
    let lines = |path: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|line| ["file", "item"].contains(&line["t"].as_str().unwrap())).collect()
    };
    assert_eq!(lines(&again), lines(&export));
    // One bit is enough to be found.
    let text = std::fs::read_to_string(&export).unwrap();
    std::fs::write(&export, text.replacen("served at four", "served at five", 1)).unwrap();
    let third = initialised();
    let (code, answer) = json(third.root(), &["import", &export, "--yes"]);
    assert_eq!((code, &answer["error"]["code"]), (3, &value!("other-format")), "{answer}");
}

#[test]
fn an_export_for_others_says_what_it_loses() {
    let repo = initialised();
    run(repo.root(), &["remember", "Tea is served at four", "--tag", "tea"]);
    let folder = repo.root().parent().unwrap().join("out");
    for format in ["markdown", "obsidian", "basic-memory", "html"] {
        let path = folder.join(format);
        let (code, out, error) =
            run(repo.root(), &["export", "--format", format, path.to_str().unwrap()]);
        assert_eq!(code, 0, "{error}");
        assert!(out.contains("exported 1 memory"), "{out}");
        assert_eq!(out.contains("lost:"), format == "basic-memory", "{format}: {out}");
        let (code, answer) =
            json(repo.root(), &["export", "--format", format, path.to_str().unwrap()]);
        assert_eq!(
            (code, &answer["error"]["code"]),
            (3, &value!("io")),
            "a folder with something in it"
        );
    }
    let (code, out, error) = run(repo.root(), &["export", "--format", "mcp"]);
    assert_eq!(code, 0);
    assert!(out.contains("\"name\":\"Quipu\""), "{out}");
    assert!(error.contains("cannot hold: category (1)"), "{error}");
    let (_, out, _) = run(repo.root(), &["export", "--format", "csv", "-"]);
    assert!(out.lines().next().unwrap().starts_with("id,text,category"), "{out}");
}

#[test]
fn a_secret_is_left_out_of_exports_unless_asked_for() {
    let repo = initialised();
    run(
        repo.root(),
        &["remember", "The word for the safe is tangerine", "--sensitivity", "secret"],
    );
    run(repo.root(), &["remember", "Tea is served at four"]);
    let (_, out, error) = run(repo.root(), &["export"]);
    assert!(!out.contains("tangerine") && out.contains("served at four"));
    assert!(error.contains("1 secret left out"), "{error}");
    assert!(run(repo.root(), &["export", "--include-secret"]).1.contains("tangerine"));
}

#[test]
fn a_backup_is_verified_and_put_back() {
    let repo = initialised();
    run(repo.root(), &["remember", "Tea is served at four"]);
    let mem0 = source(&repo, "mem0.json", MEM0);
    import(&repo, &mem0, &[]);
    let file = repo.root().parent().unwrap().join("x.zip");
    let file = file.to_str().unwrap();
    let (code, answer) = json(repo.root(), &["backup", file]);
    assert!(code == 0 && answer["records"].as_u64() >= Some(4), "{answer}");
    assert_eq!(json(repo.root(), &["backup", "--verify", file]).0, 0);
    let into = repo.root().parent().unwrap().join("back");
    let arguments = ["backup", "--restore", file, "--into", into.to_str().unwrap()];
    let (code, answer) = json(repo.root(), &arguments);
    assert_eq!((code, &answer["replayed"]), (0, &value!(true)), "{answer}");
    let words = |root: &Path| std::fs::read_to_string(root.join("MEMORY.md")).unwrap();
    assert_eq!(words(&into), words(repo.root()));
    let (code, answer) = json(repo.root(), &arguments);
    assert_eq!((code, &answer["error"]["code"]), (3, &value!("not-empty")));
    let (code, answer) = json(repo.root(), &[&arguments[..], &["--replace"]].concat());
    assert_eq!(code, 0, "{answer}");
    assert!(Path::new(answer["set_aside"].as_str().unwrap()).join("MEMORY.md").exists());
    let whole = std::fs::read(file).unwrap();
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(file, &bytes).unwrap();
        let (code, answer) = json(repo.root(), &["backup", "--verify", file]);
        assert_ne!(code, 0, "byte {at}: {answer}");
    }
}

/// Writes a backup as a stranger would: its manifest is whole, whatever it names. Returns its path.
fn forged(repo: &TestRepo, files: &[(&str, &[u8], u32)]) -> String {
    use sha2::{Digest as _, Sha256};
    use std::fmt::Write as _;
    let hash = |bytes: &[u8]| {
        Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
    };
    let mut all = String::new();
    let mut entries = Vec::new();
    for (path, bytes, mode) in files {
        writeln!(all, "{path} {} {}", bytes.len(), hash(bytes)).unwrap();
        entries.push(value!({
            "path": path, "size": bytes.len(), "sha256": hash(bytes), "mode": mode,
        }));
    }
    let manifest = value!({
        "format": "quipu.backup/1", "made": "2026-05-01T00:00:00Z", "by": "quipu", "root": "x",
        "files": entries, "total_sha256": hash(all.as_bytes()),
    });
    let path = repo.root().parent().unwrap().join("forged.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("manifest.json", options).unwrap();
    std::io::Write::write_all(&mut zip, manifest.to_string().as_bytes()).unwrap();
    for (path, bytes, _) in files {
        zip.start_file(*path, options).unwrap();
        std::io::Write::write_all(&mut zip, bytes).unwrap();
    }
    zip.finish().unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_backup_of_a_stranger_brings_memory_and_nothing_else() {
    let repo = initialised();
    let into = repo.root().parent().unwrap().join("taken");
    let restore = |file: &str| {
        json(repo.root(), &["backup", "--restore", file, "--into", into.to_str().unwrap()])
    };
    for path in [
        "../evil.md",
        "/tmp/evil.md",
        "memory/../../evil.md",
        "memory/.git/config",
        ".git/hooks/post-checkout",
        ".claude/settings.json",
        "CLAUDE.md",
        "Makefile",
        "memory",
    ] {
        let file = forged(&repo, &[(path, b"x", 0o644)]);
        let (code, answer) = restore(&file);
        assert_eq!((code, &answer["error"]["code"]), (3, &value!("bad-backup")), "{path}");
        assert!(!into.exists(), "{path}");
    }
    let bomb = vec![b' '; 40 << 20];
    let file = forged(&repo, &[("MEMORY.md", &bomb, 0o644)]);
    let (_, answer) = restore(&file);
    assert!(answer["error"]["message"].as_str().unwrap().contains("would unpack"), "{answer}");
    let file = forged(&repo, &[("memory/notes/run.md", b"x", 0o4777), ("USER.md", b"x", 0)]);
    assert_eq!(restore(&file).0, 0);
    assert_eq!(std::fs::read(into.join("USER.md")).unwrap(), b"x", "the owner can read it");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = std::fs::metadata(into.join("memory/notes/run.md")).unwrap();
        assert_eq!(about.permissions().mode() & 0o7777, 0o644);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_workspace_is_not_followed_where_it_is_named() {
    use std::os::unix::fs::symlink;
    let repo = initialised();
    let outside = repo.root().parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("diary.md"), "# Diary\n\nThe quokka is mine.\n").unwrap();
    symlink(&outside, repo.root().join("docs")).unwrap();
    symlink(outside.join("diary.md"), repo.root().join("guide.md")).unwrap();
    let at = |path: &str| repo.root().join(path).to_string_lossy().into_owned();
    for (command, path) in [
        ("ingest", "docs"),
        ("ingest", "guide.md"),
        ("ingest", "./docs/diary.md"),
        ("import", "docs/diary.md"),
        ("export", "docs/all.jsonl"),
        ("backup", "docs/all.zip"),
    ] {
        let (code, answer) = json(repo.root(), &[command, &at(path)]);
        let refused = (code, &answer["error"]["code"]);
        assert_eq!(refused, (3, &value!("linked")), "{command} {path}: {answer}");
    }
    let all = json(repo.root(), &["ingest", "--dry-run", &at(".")]).1["documents"].to_string();
    assert!(all.contains("AGENTS.md") && !all.contains("diary") && !all.contains("guide"), "{all}");
    // What is planted where a file is made first is taken away, and not written through.
    symlink(outside.join("diary.md"), repo.root().join("all.jsonl.quipu-tmp")).unwrap();
    symlink(outside.join("diary.md"), repo.root().join("curve.svg")).unwrap();
    assert_eq!(run(repo.root(), &["export", &at("all.jsonl")]).0, 0);
    run(repo.root(), &["remember", "Tea is served at four"]);
    let (_, listed) = json(repo.root(), &["list"]);
    let id = listed["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(run(repo.root(), &["curve", id, "--svg", &at("curve.svg")]).0, 0);
    let diary = std::fs::read_to_string(outside.join("diary.md")).unwrap();
    assert!(diary.contains("quokka"), "{diary}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    // Outside of the workspace links are the user's own.
    symlink(&outside, repo.root().parent().unwrap().join("mine")).unwrap();
    let mine = repo.root().parent().unwrap().join("mine");
    let (code, answer) = json(repo.root(), &["ingest", mine.to_str().unwrap()]);
    assert_eq!((code, answer["documents"].as_array().map(Vec::len)), (0, Some(1)), "{answer}");
}

#[test]
fn places_of_this_machine_are_found() {
    let repo = initialised();
    let home = repo.root().parent().unwrap().join("home");
    source(&repo, "home/.claude/CLAUDE.md", "# Rules\n\n- Never push to main\n");
    source(&repo, "home/.local/share/engram/memory.db", "no database");
    let output = crate::quipu(repo.root())
        .args(["--json", "import", "--find"])
        .env("HOME", &home)
        .env_remove("XDG_DATA_HOME")
        .env_remove("CLAUDE_CONFIG_DIR")
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let places: Vec<&str> = answer["places"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["format"].as_str().unwrap())
        .collect();
    assert!(places.contains(&"claude-code") && !places.contains(&"engram"), "{answer}");
}

#[test]
fn documents_are_found_by_what_stands_in_them_and_keep_their_ids() {
    let repo = initialised();
    let guide =
        "# Guide\n\nAbout the otter service.\n\n## Deploys\n\nThe otter goes out on Tuesdays.\n";
    repo.write("docs/guide.md", guide);
    repo.write(
        "docs/page.html",
        "<!doctype html><title>Tea</title><h1>Tea</h1><p>Sencha is bought on Fridays.</p>",
    );
    repo.write_bytes("docs/x.pdf", b"%PDF-1.7 \0");
    let docs = repo.root().join("docs");
    let ingest =
        |more: &[&str]| json(repo.root(), &[&["ingest", docs.to_str().unwrap()], more].concat()).1;
    let before = repo.files();
    assert_eq!(ingest(&["--dry-run"])["documents"].as_array().unwrap().len(), 2);
    assert_eq!(repo.files(), before);
    let done = ingest(&[]);
    assert_eq!(
        (&done["applied"], done["left_out"].as_object().unwrap().len()),
        (&value!(true), 1),
        "{done}"
    );
    let (_, found) = json(repo.root(), &["recall", "when does the otter go out"]);
    let first = &found["results"][0];
    assert_eq!(first["source"]["section"], "Guide › Deploys", "{found}");
    assert_eq!(first["source"]["channel"], "ingest:docs/guide.md:5");
    let id = first["id"].clone();
    let (_, out, _) = run(repo.root(), &["recall", "sencha Fridays"]);
    assert!(out.contains("from docs/page.html"), "{out}");
    assert_eq!(ingest(&[])["applied"], false, "nothing has changed");
    repo.write(
        "docs/guide.md",
        &guide.replace("About", "## New\n\nA new part.\n\n## Old\n\nAbout"),
    );
    let again = ingest(&[]);
    let states: Vec<&str> = again["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["changed", "known"]);
    let (_, found) = json(repo.root(), &["recall", "when does the otter go out"]);
    assert_eq!(found["results"][0]["id"], id, "what stands under the same heading is the same");
    replay_agrees(&repo);
    for _ in 0..2 {
        assert_eq!(run(repo.root(), &["undo"]).0, 0);
    }
    let mut after = repo.files();
    after.retain(|path, _| !path.starts_with("docs/") && path != "memory/library/.gitignore");
    let mut before = before;
    before.retain(|path, _| !path.starts_with("docs/"));
    assert_eq!(after, before);
}
