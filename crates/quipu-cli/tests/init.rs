//! `quipu init` in every mode, and `quipu uninstall` after it, from the outside.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quipu_testkit::TestRepo;
use quipu_testkit::corpora::{self, Corpus};
use serde_json::{Value, json};

use crate::{json, run};

type Files = BTreeMap<String, Vec<u8>>;

/// Runs a command that must work; returns what it says.
fn done(repo: &TestRepo, arguments: &[&str]) -> String {
    let (code, out, error) = run(repo.root(), arguments);
    assert_eq!(code, 0, "{arguments:?}: {out}{error}");
    out
}

const CLAUDE: &str = "# CLAUDE.md\n\nThis file provides guidance to Claude Code.\n\n## Commands\n\n- `npm test` runs all tests\n\n## Style\n\n- Use tabs for indentation\n- Never use default exports\n\nSee @docs/arch.md for more.\n";

/// A repo in which six tools were told things.
fn told() -> TestRepo {
    let repo = TestRepo::new();
    for (path, text) in [
        ("CLAUDE.md", CLAUDE),
        (
            ".cursorrules",
            "You are an expert in TypeScript.\n\nUse spaces for indentation.\nNever use default exports.\n",
        ),
        (".cursor/rules/api.mdc", "---\nglobs: src/api/**\n---\n- Validate input with zod\n"),
        ("GEMINI.md", "# Gemini\n\n- Always answer in English\n"),
        (
            ".github/copilot-instructions.md",
            "- Keep functions under 40 lines\r\n- The key AKIAIOSFODNN7ABCDEFG opens the bucket\r\n",
        ),
        (".windsurfrules", "- Keep functions under 60 lines\n"),
        (".kiro/steering/product.md", "# Product\n\n- Orders are never deleted\n"),
        (".claude/memory/MEMORY.md", "- Releases happen on Tuesdays\n"),
        ("MEMORY.md", "# My own notes\n\n- mine\n"),
        ("src/main.ts", "export const x = 1\n"),
        ("README.md", "# Mine\n"),
    ] {
        repo.write(path, text);
    }
    repo
}

/// Every file, and every folder that holds nothing.
fn tree(root: &Path) -> Files {
    let mut all = quipu_testkit::repo::files_in(root);
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let inner: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        if inner.is_empty() && folder != root {
            let name = folder.strip_prefix(root).unwrap().to_string_lossy();
            all.insert(format!("{name}/"), Vec::new());
        }
        open.extend(inner.into_iter().filter(|path| path.is_dir()));
    }
    all
}

/// Tells whether a file is what `uninstall` never takes.
fn is_memory(path: &str) -> bool {
    path.starts_with("memory/")
        || path.starts_with("legacy/")
        || [".agent/version.md", "MEMORY.md"].contains(&path)
}

/// What a second run must not change.
fn settled(repo: &TestRepo) -> Files {
    let (code, linted) = json(repo.root(), &["lint"]);
    assert_eq!((code, &linted["errors"]), (0, &json!(0)), "{linted}");
    let files = repo.files();
    let again = done(repo, &["init"]);
    assert!(again.contains("up to date"), "{again}");
    assert_eq!(repo.files(), files, "a second run changed something");
    files
}

#[test]
fn a_fresh_repo_is_left_as_it_was_but_for_memory() {
    for agents in
        [None, Some("# Mine\n"), Some("no final newline"), Some(""), Some("# CR\r\nLF\r\n")]
    {
        let repo = TestRepo::new();
        repo.write("src/main.rs", "fn main() {}\n");
        if let Some(text) = agents {
            repo.write("AGENTS.md", text);
            repo.write(".gitignore", text);
        }
        let (before, whole) = (repo.files(), tree(repo.root()));
        let (code, plan) = json(repo.root(), &["init", "--dry-run"]);
        assert_eq!((code, &plan["mode"], &plan["applied"]), (0, &json!("A"), &json!(false)));
        assert_eq!(repo.files(), before);
        assert!(!repo.root().join(".quipu").exists(), "a dry run leaves no trace");
        assert!(done(&repo, &["init"]).contains("quipu harvest"));
        let after = settled(&repo);
        if let Some(text) = agents {
            assert!(after["AGENTS.md"].starts_with(text.as_bytes()));
        }
        let told = done(&repo, &["uninstall", "--yes"]);
        assert!(told.contains("nobody has written") && told.contains("nothing of Quipu"), "{told}");
        assert_eq!(tree(repo.root()), whole, "{agents:?}");
        assert!(done(&repo, &["uninstall", "--yes"]).contains("nothing to change"));
    }
}

#[test]
fn whatever_somebody_wrote_makes_it_a_memory_that_stays() {
    let ways: [&[&[&str]]; 4] = [
        &[&["fact", "add", "Orders are never deleted"]],
        &[&["session", "start", "--agent", "a"]],
        &[&["remember", "the build is slow on Mondays"]],
        &[&["token", "add", "laptop"]],
    ];
    for commands in ways {
        let repo = TestRepo::new();
        repo.write("src/main.rs", "fn main() {}\n");
        repo.write("AGENTS.md", "# Mine\n");
        let before = repo.files();
        done(&repo, &["init"]);
        for command in commands {
            done(&repo, command);
        }
        let (kept, state) = (repo.files(), tree(&repo.state("")));
        let told = done(&repo, &["uninstall", "--yes"]);
        let mut left = repo.files();
        let is_token = commands[0][0] == "token";
        assert_eq!(told.contains("memory stays"), !is_token, "{told}");
        for (path, bytes) in &kept {
            if is_memory(path) && !is_token {
                assert_eq!(left.remove(path).as_ref(), Some(bytes), "{path}: {commands:?}");
            }
        }
        left.retain(|path, _| path != ".gitignore" || before.contains_key(path));
        assert_eq!(left, before, "{commands:?}");
        let own = |name: &str| name.starts_with("tokens") || name.starts_with("sessions/");
        for (path, bytes) in state.iter().filter(|(path, _)| own(path)) {
            let still = tree(&repo.state(""));
            assert_eq!(still.get(path), Some(bytes), "{path}");
        }
        if !is_token {
            done(&repo, &["undo"]);
            assert_eq!(repo.files(), kept, "{commands:?}");
        }
    }
}

#[test]
fn words_in_our_block_can_come_back_after_leaving() {
    let repo = TestRepo::new();
    done(&repo, &["init"]);
    let edited = repo.read("AGENTS.md").replace("<!-- quipu:end -->", "mine\n<!-- quipu:end -->");
    repo.write("AGENTS.md", &edited);
    let before = repo.files();
    done(&repo, &["uninstall", "--yes"]);
    assert!(repo.files().keys().all(|path| is_memory(path)));
    done(&repo, &["undo"]);
    assert_eq!(repo.files(), before);
}

#[test]
fn six_vendors_at_once_become_one_memory() {
    let repo = told();
    let before = repo.files();
    let (code, plan) = json(repo.root(), &["init", "--dry-run"]);
    assert_eq!((code, &plan["mode"], &plan["moved"]), (0, &json!("A"), &json!([])));
    assert!(plan["not_taken_over"].as_array().unwrap().len() > 5, "{plan}");
    assert_eq!(repo.files(), before);
    let (code, plan) = json(repo.root(), &["init", "--existing", "move"]);
    assert_eq!((code, &plan["applied"]), (0, &json!(true)));
    let after = settled(&repo);
    // The originals, to the byte.
    for moved in plan["moved"].as_array().unwrap() {
        let (from, to) = (moved["from"].as_str().unwrap(), moved["to"].as_str().unwrap());
        assert_eq!(after[to], before[from], "{to}");
        assert_eq!(moved["copy"] == json!(true), after.get(from) == before.get(from), "{from}");
    }
    assert_eq!(plan["moved"].as_array().unwrap().len(), 8);
    for path in ["README.md", "MEMORY.md", "src/main.ts", ".claude/memory/MEMORY.md"] {
        assert_eq!(after[path], before[path]);
    }
    // Claude reads what it read before.
    let pointer = repo.read("CLAUDE.md");
    for line in ["@AGENTS.md", "@legacy/claude/CLAUDE.md", "@docs/arch.md"] {
        assert!(pointer.lines().any(|other| other == line), "{line}: {pointer}");
    }
    assert!(!after.contains_key(".cursorrules"), "Cursor reads AGENTS.md itself");
    assert!(!repo.root().join(".cursor").exists(), "an empty folder was left behind");
    let continuity = repo.read("memory/continuity.md");
    assert_eq!(continuity.matches("- Never use default exports\n").count(), 1, "{continuity}");
    assert!(continuity.contains("- In `src/api/**`: Validate input with zod\n"));
    assert!(continuity.contains("| origin: legacy/windsurf/.windsurfrules -->"));
    assert!(!continuity.contains("expert"), "who the model should be is no fact");
    assert!(!continuity.contains("AKIA") && continuity.contains("The key (REDACTED) opens"));
    let notes = plan["notes"].to_string();
    assert!(notes.contains("legacy/copilot/.github/copilot-instructions.md"), "{notes}");
    assert!(!notes.contains("AKIA"));
    let threads = plan["threads"].to_string();
    assert!(threads.contains("Use tabs") && threads.contains("Use spaces"), "{threads}");
    assert!(threads.contains("under 40") && threads.contains("under 60"), "{threads}");
    assert_eq!(continuity.matches("- [ ] Contradiction: ").count(), 2);
    assert!(repo.read("AGENTS.md").contains("`legacy/claude/CLAUDE.md`"));
    assert!(done(&repo, &["recall", "indentation"]).contains("tabs"));
}

#[test]
fn uninstalling_leaves_memory_and_legacy_and_gives_the_rest_back() {
    let repo = told();
    std::fs::remove_file(repo.root().join("MEMORY.md")).unwrap();
    let before = repo.files();
    done(&repo, &["init", "--existing", "move"]);
    let (code, out, _) = run(repo.root(), &["uninstall"]);
    assert!(code == 1 && out.starts_with("memory stays"), "{out}");
    let kept = repo.files();
    let told = done(&repo, &["uninstall", "--yes"]);
    assert!(told.contains("CLAUDE.md"), "{told}");
    let mut left = repo.files();
    // The stamp no longer lists what was moved: nothing is.
    let stamp = left.remove(".agent/version.md").unwrap();
    assert!(!String::from_utf8_lossy(&stamp).contains("migrated"));
    for (path, bytes) in kept.iter().filter(|(path, _)| path.as_str() != ".agent/version.md") {
        if is_memory(path) {
            assert_eq!(left.remove(path).as_ref(), Some(bytes), "{path}");
        }
    }
    assert_eq!(left, before);
    assert!(done(&repo, &["uninstall", "--yes"]).contains("nothing to change"));
    // And back again, without a fact twice.
    let facts = repo.read("memory/continuity.md");
    done(&repo, &["init", "--migrate", "--yes"]);
    assert_eq!(repo.read("memory/continuity.md"), facts);
    assert!(repo.read("CLAUDE.md").contains("@legacy/claude/CLAUDE.md"));
}

#[test]
fn what_somebody_wrote_beside_a_pointer_stays() {
    let repo = told();
    done(&repo, &["init", "--existing", "move"]);
    let own = repo.read("CLAUDE.md") + "\n# Mine since\n";
    repo.write("CLAUDE.md", &own);
    settled(&repo);
    let out = done(&repo, &["uninstall", "--yes"]);
    assert!(out.contains("CLAUDE.md was edited since"), "{out}");
    assert_eq!(repo.read("CLAUDE.md"), "\n# Mine since\n");
    assert!(out.contains(".gitignore keeps our lines"), "MEMORY.md is personal: {out}");
    let ignored = repo.read(".gitignore");
    assert!(ignored.contains("/MEMORY.md"), "{ignored}");
}

#[test]
fn a_migration_can_be_undone_and_turned_down() {
    let repo = told();
    let (before, whole) = (repo.files(), tree(repo.root()));
    done(&repo, &["init", "--existing", "move"]);
    done(&repo, &["undo"]);
    assert_eq!(repo.files(), before);
    let mut left = tree(repo.root());
    left.retain(|path, _| !path.starts_with(".quipu/"));
    assert_eq!(left, whole, "a folder was left behind");
    let out = done(&repo, &["init", "--no-migrate"]);
    assert!(out.contains("--existing copy"), "{out}");
    for (path, bytes) in &before {
        assert_eq!(repo.files().get(path), Some(bytes), "{path}");
    }
    let again = done(&repo, &["init"]);
    assert!(again.contains("up to date") && again.contains("kept as they are: "), "{again}");
    done(&repo, &["init", "--migrate", "--yes"]);
    settled(&repo);
    assert!(repo.read("memory/continuity.md").contains("legacy/claude/CLAUDE.md"));
}

#[test]
fn a_newer_memory_is_left_alone() {
    let repo = crate::initialised();
    for version in ["4.39.0", "5.0.0"] {
        repo.write(".agent/version.md", &format!("- **version:** {version}\n"));
        let before = repo.files();
        let (code, _, error) = run(repo.root(), &["init", "--existing", "move"]);
        assert!(code == 3 && error.contains(version) && error.contains("hint:"), "{error}");
        assert_eq!(repo.files(), before);
    }
}

#[test]
fn an_old_memory_climbs_the_ladder_without_losing_a_byte() {
    let repo = TestRepo::new();
    let old = "# C\r\n\r\n## Project State\r\n\r\n- **project:** pigeon\r\n\r\n## Key Decisions\r\n\r\n- POST only,\r\n  for ever\r\n\r\n## Open Threads\r\n\r\n- [ ] Ship it";
    repo.write("memory/continuity.md", old);
    repo.write("memory/sessions/2026-01-01.md", "# Session\n");
    repo.write("CLAUDE.md", "- Use tabs for indentation\n");
    let (code, plan) = json(repo.root(), &["--today", "2026-03-02", "init"]);
    assert_eq!((code, &plan["mode"], &plan["layout"]), (0, &json!("B"), &json!("2.0.0")));
    let text = repo.read("memory/continuity.md");
    let footer = |id: &str| {
        format!(
            "  <!-- id: {id} | created: 2026-03-02 | last_used: 2026-03-02 | uses: 1 | tier: active -->\r\n"
        )
    };
    assert!(text.contains(&format!("  for ever\r\n{}", footer("post-only-ever"))), "{text}");
    assert!(text.ends_with(&format!("- [ ] Ship it\r\n{}", footer("ot-ship-it"))), "{text}");
    let mut rest = text.lines();
    assert!(old.lines().all(|line| rest.any(|other| other == line)), "a line was lost: {text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert!(repo.read("memory/vision.md").contains("Vision — pigeon"));
    assert_eq!(repo.read("CLAUDE.md"), "- Use tabs for indentation\n");
    settled(&repo);
}

#[test]
fn every_shape_of_the_corpora_is_brought_up_to_date_without_loss() {
    const TEST: &str = "every_shape_of_the_corpora_is_brought_up_to_date_without_loss";
    let own = corpora::own();
    for name in ["tidewater", "hand-edited"] {
        let tags = Corpus::tags(&own.join(name));
        // It has a stamp that cannot be read: `init` refuses to guess.
        let is_readable = |tag: &&String| (name, tag.as_str()) != ("hand-edited", "s0001");
        let tags: Vec<&str> = tags.iter().filter(is_readable).map(String::as_str).collect();
        assert_brought_up_to_date(&own, name, &tags);
    }
    let Some(folder) = corpora::folder(TEST) else { return };
    let shapes: [(&str, &[&str]); 2] = [
        // The first of each shape, and some that are far along; s0063 has errors of its own.
        (
            "agent-memory",
            &[
                "s0000", "s0009", "s0010", "s0021", "s0024", "s0030", "s0063", "s0100", "s0135",
                "s0156", "s0162",
            ],
        ),
        ("mercury-nodejs", &["s0000", "s0002"]),
    ];
    for (name, tags) in shapes {
        assert_brought_up_to_date(&folder, name, tags);
    }
}

fn assert_brought_up_to_date(folder: &Path, name: &str, tags: &[&str]) {
    let corpus = Corpus::open(&folder.join(name));
    for tag in tags {
        let repo = TestRepo::copy_of(corpus.checkout(tag));
        let (before, errors) = (repo.files(), json(repo.root(), &["lint"]).1["errors"].clone());
        done(&repo, &["init"]);
        let after = repo.files();
        for (path, bytes) in before.iter().filter(|(path, _)| !path.ends_with("version.md")) {
            let old = String::from_utf8_lossy(bytes);
            let new = String::from_utf8_lossy(&after[path]);
            let mut rest = new.lines();
            let keeps = old.lines().all(|line| rest.any(|other| other == line));
            assert!(keeps, "{name} {tag}: {path} lost a line");
        }
        assert_eq!(json(repo.root(), &["lint"]).1["errors"], errors, "{name} {tag}");
        let again = done(&repo, &["init"]);
        assert!(again.contains("up to date"), "{name} {tag}: {again}");
        assert_eq!(repo.files(), after, "{name} {tag}: a second run changed something");
        done(&repo, &["uninstall", "--yes"]);
        let mut left = repo.files();
        for (path, bytes) in after.iter().filter(|(path, _)| is_memory(path)) {
            assert_eq!(left.remove(path).as_ref(), Some(bytes), "{name} {tag}: {path}");
        }
        let others = before.into_iter().filter(|(path, _)| !is_memory(path));
        assert_eq!(left, others.collect::<Files>(), "{name} {tag}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_behind_a_link_is_read_or_touched() {
    use std::os::unix::fs::symlink;
    let (repo, outside) = (told(), TestRepo::new());
    outside.write("rules.md", "- Never tell anybody\n");
    outside.write("rules/x.md", "- Never tell anybody else\n");
    std::fs::remove_file(repo.root().join("GEMINI.md")).unwrap();
    symlink(outside.root().join("rules.md"), repo.root().join("GEMINI.md")).unwrap();
    symlink(outside.root(), repo.root().join(".roo")).unwrap();
    symlink("AGENTS.md", repo.root().join(".clinerules")).unwrap();
    symlink("CLAUDE.md", repo.root().join(".roorules")).unwrap();
    let before = outside.files();
    let (code, plan) = json(repo.root(), &["init", "--existing", "move"]);
    assert_eq!(code, 0, "{plan}");
    let alone: Vec<&str> = plan["left_alone"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert!(alone.contains(&"GEMINI.md") && alone.contains(&".roo"), "{alone:?}");
    assert_eq!(outside.files(), before);
    assert!(repo.root().join("GEMINI.md").is_symlink());
    assert!(!repo.read("memory/continuity.md").contains("anybody"));
    settled(&repo);
}

#[cfg(unix)]
#[test]
fn instructions_that_are_agents_md_by_another_name_stay() {
    use std::os::unix::fs::symlink;
    let repo = TestRepo::new();
    repo.write("CLAUDE.md", CLAUDE);
    symlink("CLAUDE.md", repo.root().join("AGENTS.md")).unwrap();
    let (code, plan) = json(repo.root(), &["init"]);
    assert_eq!((code, &plan["mode"]), (0, &json!("A")), "{plan}");
    assert!(repo.read("CLAUDE.md").starts_with(CLAUDE));
    settled(&repo);
    done(&repo, &["uninstall", "--yes"]);
    assert_eq!(repo.read("CLAUDE.md"), CLAUDE);
    assert!(repo.root().join("AGENTS.md").is_symlink());
}

#[cfg(unix)]
#[test]
fn a_file_that_must_not_be_replaced_stops_everything() {
    use std::os::unix::fs::PermissionsExt as _;
    for path in [".cursorrules", "CLAUDE.md", "AGENTS.md"] {
        let repo = told();
        repo.write("AGENTS.md", "# Mine\n");
        let file = repo.root().join(path);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
        let before = repo.files();
        let (code, _, error) = run(repo.root(), &["init", "--existing", "move"]);
        assert!(code == 3 && error.contains("read-only") && error.contains("hint:"), "{error}");
        assert_eq!(repo.files(), before, "{path}");
    }
}

#[test]
fn what_cannot_be_understood_is_named_and_left() {
    let repo = told();
    repo.write_bytes(".clinerules", b"caf\xe9\n");
    repo.write("legacy/cursor/.cursorrules", "somebody else's\n");
    let before = repo.files();
    let (code, plan) = json(repo.root(), &["init", "--existing", "move"]);
    assert_eq!(code, 0, "{plan}");
    let alone = plan["left_alone"].to_string();
    assert!(alone.contains("UTF-8") && alone.contains("is there already"), "{alone}");
    for path in [".clinerules", "legacy/cursor/.cursorrules", ".cursorrules"] {
        assert_eq!(repo.files()[path], before[path], "{path}");
    }
    let broken = TestRepo::new();
    broken.write("AGENTS.md", "<!-- quipu:begin -->\n");
    let (code, _, error) = run(broken.root(), &["init"]);
    assert!(code == 3 && error.contains("markers"), "{error}");
    assert_eq!(broken.files().len(), 1);
    let folder = TestRepo::new();
    folder.write("AGENTS.md/x", "");
    assert_eq!(run(folder.root(), &["init"]).0, 3);
    assert_eq!(folder.files().len(), 1);
}

#[test]
fn rules_in_folders_are_taken_over_and_what_is_not_for_everybody_is_named() {
    let repo = TestRepo::new();
    for (path, text) in [
        (".claude/rules/api.md", "---\npaths: src/api/**\n---\n- Validate input with zod\n"),
        (".claude/rules/deep/tests.md", "- Every bug gets a test first\n"),
        ("CLAUDE.local.md", "- Never tell anybody that I like tea\n"),
        (".roo/rules/all.md", "- Keep functions under 40 lines\n"),
        (".roo/rules-architect/plan.md", "- Draw a diagram first\n"),
        (".roorules-code", "- Never draw\n"),
        ("packages/api/CLAUDE.md", "- Never touch the schema\n"),
        ("packages/web/AGENTS.md", "- Never touch the theme\n"),
        ("README.md", "# Mine\n"),
    ] {
        repo.write(path, text);
    }
    let before = tree(repo.root());
    let (code, plan) = json(repo.root(), &["init", "--existing", "move"]);
    assert_eq!((code, &plan["mode"]), (0, &json!("C")), "{plan}");
    let continuity = repo.read("memory/continuity.md");
    assert!(continuity.contains("- In `src/api/**`: Validate input with zod\n"), "{continuity}");
    assert!(continuity.contains("Every bug gets a test first"));
    for word in ["tea", "diagram", "Never draw", "schema", "theme"] {
        assert!(!continuity.contains(word), "{word}");
    }
    let alone: Vec<&str> = plan["left_alone"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    let expected = [
        "CLAUDE.local.md",
        ".roo/rules-architect",
        ".roorules-code",
        "packages/api/CLAUDE.md",
        "packages/web/AGENTS.md",
    ];
    assert_eq!(alone, expected);
    for path in ["CLAUDE.local.md", ".roo/rules-architect/plan.md", "packages/api/CLAUDE.md"] {
        assert_eq!(repo.files()[path], before[path], "{path}");
    }
    assert!(repo.read("CLAUDE.md").contains("@legacy/claude/.claude/rules/api.md"));
    settled(&repo);
    assert!(!done(&repo, &["init"]).contains("left alone"), "said once is enough");
    done(&repo, &["uninstall", "--yes"]);
    let mut left = tree(repo.root());
    left.retain(|path, _| !is_memory(path) && !path.starts_with(".quipu/"));
    assert_eq!(left, before);
}

#[test]
fn a_thin_file_of_somebody_is_no_place_for_a_pointer() {
    let repo = TestRepo::new();
    repo.write("CLAUDE.md", "@AGENTS.md\n");
    repo.write("AGENTS.md", "# Mine\n");
    repo.write(".claude/rules/x.md", "- Every bug gets a test first\n");
    done(&repo, &["init", "--existing", "move"]);
    assert_eq!(repo.read("CLAUDE.md"), "@AGENTS.md\n");
    assert!(repo.read("AGENTS.md").contains("`legacy/claude/.claude/rules/x.md`"));
    settled(&repo);
}

#[test]
fn conventions_are_aiders_only_where_aider_reads_them() {
    let repo = TestRepo::new();
    repo.write("CONVENTIONS.md", "- Use tabs for indentation\n");
    assert_eq!(json(repo.root(), &["init", "--dry-run"]).1["mode"], "A");
    repo.write(".aider.conf.yml", "read: CONVENTIONS.md\n");
    let plan: Value = json(repo.root(), &["init", "--dry-run", "--existing", "move"]).1;
    assert_eq!(plan["moved"][0]["to"], "legacy/aider/CONVENTIONS.md");
    done(&repo, &["init", "--existing", "move"]);
    assert!(repo.read("CONVENTIONS.md").contains("`legacy/aider/CONVENTIONS.md`"));
    settled(&repo);
}

/// Runs git in a repo.
fn git(root: &Path, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    let known =
        ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=m"];
    let output = command.arg("-C").arg(root).args(known).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_git_ignores_is_private_and_stays_unread() {
    for is_git in [true, false] {
        let repo = TestRepo::new();
        if is_git {
            git(repo.root(), &["init", "-q"]);
        }
        repo.write(".gitignore", "/CLAUDE.md\n.cursor/\n");
        repo.write("CLAUDE.md", "- Never touch the vault\n- password: hunter2hunter2xQ9\n");
        repo.write(".cursor/rules/a.mdc", "- Never touch the cellar\n");
        repo.write("GEMINI.md", "- Never touch the schema\n");
        let before = repo.files();
        let (code, plan) = json(repo.root(), &["init", "--existing", "move"]);
        assert_eq!(code, 0, "{plan}");
        let alone = plan["left_alone"].to_string();
        assert!(alone.contains("CLAUDE.md") && alone.contains(".cursor/rules/a.mdc"), "{alone}");
        assert!(alone.contains("ignored by git"), "{alone}");
        for path in ["CLAUDE.md", ".cursor/rules/a.mdc"] {
            assert_eq!(repo.files()[path], before[path]);
        }
        assert!(repo.root().join("legacy/gemini/GEMINI.md").exists());
        assert!(!repo.root().join("legacy/claude").exists());
        let continuity = repo.read("memory/continuity.md");
        assert!(!continuity.contains("vault") && !continuity.contains("cellar"), "{continuity}");
        settled(&repo);
        let (code, plan) = json(repo.root(), &["init", "--migrate", "--include-ignored", "--yes"]);
        assert_eq!(code, 0, "{plan}");
        assert!(repo.read("memory/continuity.md").contains("Never touch the vault"));
        assert!(!repo.read("memory/continuity.md").contains("hunter2"));
        assert!(plan["notes"].to_string().contains("nothing but a credential"), "{plan}");
    }
}

#[test]
fn a_file_that_git_tracks_is_not_private_whatever_a_pattern_says() {
    let repo = TestRepo::new();
    git(repo.root(), &["init", "-q"]);
    repo.write(".gitignore", "*.md\n");
    repo.write("GEMINI.md", "- Never touch the schema\n");
    git(repo.root(), &["add", "-f", "GEMINI.md"]);
    done(&repo, &["init", "--existing", "move"]);
    assert!(repo.root().join("legacy/gemini/GEMINI.md").exists());
}

#[test]
fn where_git_keeps_a_repository_there_is_no_memory() {
    let repo = TestRepo::new();
    git(repo.root(), &["init", "-q", "--bare"]);
    let before = tree(repo.root());
    let (code, _, error) = run(repo.root(), &["init"]);
    assert!(code == 3 && error.contains("bare") && error.contains("worktree"), "{error}");
    assert_eq!(tree(repo.root()), before);
}

#[test]
fn an_old_memory_with_a_credential_is_brought_up_to_date_and_told_of_it() {
    let repo = TestRepo::new();
    let text = "# C\n\n## Key Decisions\n\n- Use Postgres, key AKIAIOSFODNN7QWERTYU\n";
    repo.write("memory/continuity.md", text);
    let (code, plan) = json(repo.root(), &["init"]);
    assert_eq!(code, 0, "{plan}");
    assert!(plan["notes"].to_string().contains("memory/continuity.md:5 has what looks like"));
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("<!-- id: postgres-key |"), "{after}");
    assert!(!after.to_lowercase().replace("key akiaiosfodnn7qwertyu", "").contains("qwertyu"));
}

#[test]
fn a_file_that_only_points_is_named_and_one_that_says_more_is_taken_over() {
    let repo = TestRepo::new();
    repo.write("AGENTS.md", "# Mine\n");
    repo.write("GEMINI.md", "@AGENTS.md\n");
    repo.write("CLAUDE.md", "@AGENTS.md\n\nProject codename is Falcon, never say it in public\n");
    let (code, plan) = json(repo.root(), &["init", "--existing", "move"]);
    assert_eq!(code, 0, "{plan}");
    assert_eq!(plan["left_alone"][0]["path"], "GEMINI.md", "{plan}");
    assert_eq!(plan["moved"][0]["from"], "CLAUDE.md", "{plan}");
    assert!(repo.read("memory/continuity.md").contains("Falcon"));
    settled(&repo);
    assert!(!done(&repo, &["init"]).contains("left alone"), "said once is enough");
}

#[test]
fn leaving_takes_out_what_git_was_given_too() {
    let repo = TestRepo::new();
    git(repo.root(), &["init", "-q"]);
    repo.write(".gitattributes", "*.png binary");
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    let config = repo.read(".git/config");
    let hooks = || tree(&repo.root().join(".git/hooks"));
    let before = hooks();
    done(&repo, &["init"]);
    done(&repo, &["fact", "add", "Orders are never deleted"]);
    done(&repo, &["git", "install"]);
    let (code, out, _) = run(repo.root(), &["uninstall"]);
    assert!(code == 1 && out.contains("merge.quipu.driver"), "said first: {out}");
    assert!(out.contains(".gitattributes") && out.contains("pre-commit"), "{out}");
    let (code, plan) = json(repo.root(), &["uninstall", "--yes"]);
    assert_eq!(code, 0, "{plan}");
    assert!(plan["git"].as_array().unwrap().len() >= 4, "{plan}");
    assert_eq!(repo.read(".gitattributes"), "*.png binary");
    assert_eq!(hooks(), before);
    assert_eq!(repo.read(".git/config").trim(), config.trim());
    assert!(done(&repo, &["uninstall", "--yes"]).contains("nothing to change"));
    // Also where it is all that is left.
    done(&repo, &["git", "install"]);
    done(&repo, &["uninstall", "--yes"]);
    assert_eq!(hooks(), before);
}

#[test]
fn odd_names_come_back_and_a_forged_one_keeps_nothing_else() {
    let repo = TestRepo::new();
    for path in [".cursor/rules/a`b.mdc", ".clinerules/deep/ü.md", ".windsurfrules"] {
        repo.write(path, "- Never touch the schema\n");
    }
    let before = repo.files();
    done(&repo, &["init", "--existing", "move"]);
    let stamp = repo.read(".agent/version.md");
    let forged = stamp.replace("**migrated:** ", "**migrated:** `../x`, `.git/hooks/x`, ");
    repo.write(".agent/version.md", &forged);
    repo.write("legacy/claude/.git/hooks/x", "#!/bin/sh\n");
    let out = done(&repo, &["uninstall", "--yes"]);
    assert!(out.contains("`../x`") && out.contains("`.git/hooks/x`"), "{out}");
    assert!(out.contains("no place inside this repo") && !out.contains("link"), "{out}");
    assert!(!repo.root().join(".git").exists());
    for (path, bytes) in &before {
        assert_eq!(repo.files().get(path), Some(bytes), "{path}");
    }
}

#[test]
fn a_journal_that_git_tracks_keeps_no_line_in_gitignore() {
    let repo = TestRepo::new();
    git(repo.root(), &["init", "-q"]);
    repo.write("MEMORY.md", "# Mine\n");
    repo.write(".gitignore", "target");
    repo.write("AGENTS.md", "# Ours");
    git(repo.root(), &["add", "."]);
    git(repo.root(), &["commit", "-qm", "a"]);
    repo.write(crate::USER_SETTINGS, "[journal]\ntracked = true\n");
    done(&repo, &["init"]);
    git(repo.root(), &["add", "."]);
    git(repo.root(), &["commit", "-qm", "b"]);
    let clone = TestRepo::new();
    git(clone.root(), &["clone", "-q", &repo.root().to_string_lossy(), "."]);
    for place in [&repo, &clone] {
        done(place, &["uninstall", "--yes"]);
        assert_eq!(place.read(".gitignore"), "target");
        assert_eq!(place.read("AGENTS.md"), "# Ours");
    }
}

#[cfg(unix)]
#[test]
fn who_may_read_a_file_may_read_what_is_kept_of_it_and_nobody_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = TestRepo::new();
    let path = |name: &str| repo.root().join(name);
    let mode = |name: &str| path(name).metadata().unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode| {
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for (name, of) in [(".windsurfrules", 0o600), (".clinerules", 0o755), ("CLAUDE.md", 0o640)] {
        repo.write(name, "- Never touch the schema\n");
        set(name, of);
    }
    done(&repo, &["init", "--existing", "move"]);
    assert_eq!(mode("legacy/windsurf/.windsurfrules"), 0o600);
    assert_eq!(mode("legacy/cline/.clinerules"), 0o755);
    assert_eq!((mode("legacy/claude/CLAUDE.md"), mode("CLAUDE.md")), (0o640, 0o640));
    let is_shut = |file: &Path| file.metadata().unwrap().permissions().mode() & 0o004 == 0;
    let copies = std::fs::read_dir(quipu_testkit::state_of(repo.root(), "undo/00000001")).unwrap();
    assert!(copies.filter(|copy| is_shut(&copy.as_ref().unwrap().path())).count() >= 4);
    done(&repo, &["undo"]);
    assert_eq!((mode(".windsurfrules"), mode(".clinerules")), (0o600, 0o755));
    done(&repo, &["init", "--existing", "move"]);
    done(&repo, &["uninstall", "--yes"]);
    assert_eq!((mode(".windsurfrules"), mode(".clinerules")), (0o600, 0o755));
    assert_eq!(mode("CLAUDE.md"), 0o640);
}

#[test]
fn the_guard_before_a_commit_looks_at_what_was_taken_over() {
    let repo = TestRepo::new();
    git(repo.root(), &["init", "-q"]);
    repo.write("GEMINI.md", "- The key AKIAIOSFODNN7QWERTYU opens the bucket\n");
    done(&repo, &["init", "--existing", "move"]);
    done(&repo, &["git", "install"]);
    git(repo.root(), &["add", "."]);
    let commit = std::process::Command::new("git")
        .arg("-C")
        .arg(repo.root())
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-m", "x"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&commit.stdout) + String::from_utf8_lossy(&commit.stderr);
    assert!(!commit.status.success() && said.contains("legacy/gemini/GEMINI.md"), "{said}");
}
