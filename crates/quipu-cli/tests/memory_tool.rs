//! The memory tool by the command line: every row of its table, in the words that models know.

use std::path::Path;
use std::process::Stdio;

use quipu_testkit::TestRepo;
use serde_json::{Value, json as value};

use crate::{initialised, json, quipu, run};

/// Carries out a command; returns the words and whether they tell of an error.
fn tool(root: &Path, command: &Value) -> (String, bool) {
    let (code, answer) = json(root, &["memory-tool", &command.to_string()]);
    let is_error = answer["is_error"].as_bool().unwrap();
    assert_eq!(code, i32::from(is_error));
    (answer["content"].as_str().unwrap().to_owned(), is_error)
}

fn done(root: &Path, command: &Value) -> String {
    let (content, is_error) = tool(root, command);
    assert!(!is_error, "{command}: {content}");
    content
}

fn refused(root: &Path, command: &Value) -> String {
    let (content, is_error) = tool(root, command);
    assert!(is_error, "{command}: {content}");
    content
}

fn create(root: &Path, path: &str, text: &str) -> String {
    done(root, &value!({ "command": "create", "path": path, "file_text": text }))
}

fn view(root: &Path, path: &str) -> String {
    done(root, &value!({ "command": "view", "path": path }))
}

#[test]
fn a_folder_lists_two_levels_with_sizes_and_nothing_hidden() {
    let repo = initialised();
    let root = repo.root();
    let header = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n";
    assert_eq!(view(root, "/memories"), format!("{header}0B\t/memories"));
    create(root, "/memories/b.md", &"x".repeat(1536));
    create(root, "/memories/a/deep/er.md", "no");
    create(root, "/memories/a/z.txt", "");
    create(root, "/memories/.hidden", "x");
    let listed = view(root, "/memories");
    let rest = listed.strip_prefix(header).unwrap();
    let paths: Vec<&str> = rest.lines().map(|line| line.split_once('\t').unwrap().1).collect();
    assert_eq!(
        paths,
        ["/memories", "/memories/a/", "/memories/a/deep/", "/memories/a/z.txt", "/memories/b.md"]
    );
    assert!(rest.contains("0B\t/memories/a/z.txt\n1.5K\t/memories/b.md"), "{rest}");
    let below = view(root, "/memories/a");
    assert!(
        below.ends_with("\t/memories/a/deep/\n2B\t/memories/a/deep/er.md\n0B\t/memories/a/z.txt"),
        "{below}"
    );
    assert_eq!(
        refused(root, &value!({ "command": "view", "path": "/memories/none" })),
        "The path /memories/none does not exist. Please provide a valid path."
    );
}

#[test]
fn a_file_is_shown_with_line_numbers_and_by_range() {
    let repo = initialised();
    let root = repo.root();
    assert_eq!(
        create(root, "/memories/日本.md", "one\r\nzwölf 🎉\n\nlast"),
        "File created successfully at: /memories/日本.md"
    );
    let header = "Here's the content of /memories/日本.md with line numbers:\n";
    assert_eq!(
        view(root, "/memories/日本.md"),
        format!("{header}     1\tone\r\n     2\tzwölf 🎉\n     3\t\n     4\tlast")
    );
    let range = |range: Value| {
        done(root, &value!({ "command": "view", "path": "/memories/日本.md", "view_range": range }))
    };
    assert_eq!(range(value!([2, 2])), format!("{header}     2\tzwölf 🎉"));
    assert_eq!(range(value!([3, -1])), format!("{header}     3\t\n     4\tlast"));
    assert_eq!(range(value!([9, 12])), header);
}

#[test]
fn a_file_of_a_million_lines_is_not_shown() {
    let repo = initialised();
    let root = repo.root();
    repo.write("memory/notes/long.txt", &"\n".repeat(999_999));
    assert_eq!(
        refused(root, &value!({ "command": "view", "path": "/memories/long.txt" })),
        "File /memories/long.txt exceeds maximum line limit of 999,999 lines."
    );
    repo.write("memory/notes/long.txt", &"\n".repeat(999_998));
    let shown = view(root, "/memories/long.txt");
    assert!(shown.ends_with("\n999999\t"), "six digits fit");
    repo.write_bytes("memory/notes/picture.bin", &[0xff, 0xfe, 0]);
    assert_eq!(
        refused(root, &value!({ "command": "view", "path": "/memories/picture.bin" })),
        "Unsupported file type for /memories/picture.bin"
    );
}

#[test]
fn a_file_is_created_once() {
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/a.md", "mine");
    let again = value!({ "command": "create", "path": "/memories/a.md", "file_text": "other" });
    assert_eq!(refused(root, &again), "File /memories/a.md already exists");
    assert_eq!(repo.read("memory/notes/a.md"), "mine");
    let below = value!({ "command": "create", "path": "/memories/a.md/b", "file_text": "x" });
    assert_eq!(refused(root, &below), "File /memories/a.md already exists");
    let all = value!({ "command": "create", "path": "/memories", "file_text": "x" });
    assert_eq!(refused(root, &all), "File /memories already exists");
}

#[test]
fn a_replacement_is_made_where_the_text_stands_once() {
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/a.md", "1\n2\n3\nred\n5\n6\nblue\nblue\n");
    let replace = |old: &str, new: &str| value!({ "command": "str_replace", "path": "/memories/a.md", "old_str": old, "new_str": new });
    assert_eq!(
        done(root, &replace("red", "green")),
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     2\t2\n     3\t3\n     4\tgreen\n     5\t5\n     6\t6"
    );
    assert_eq!(
        refused(root, &replace("black", "x")),
        "No replacement was performed, old_str `black` did not appear verbatim in /memories/a.md."
    );
    assert_eq!(
        refused(root, &replace("blue", "x")),
        "No replacement was performed. Multiple occurrences of old_str `blue` in lines: 7, 8. Please ensure it is unique"
    );
    assert_eq!(repo.read("memory/notes/a.md"), "1\n2\n3\ngreen\n5\n6\nblue\nblue\n");
    let absent = value!({ "command": "str_replace", "path": "/memories/b.md", "old_str": "a", "new_str": "b" });
    assert_eq!(
        refused(root, &absent),
        "The path /memories/b.md does not exist. Please provide a valid path."
    );
    let folder =
        value!({ "command": "str_replace", "path": "/memories", "old_str": "a", "new_str": "b" });
    assert_eq!(refused(root, &folder), "The path /memories is not a file.");
    let removed =
        value!({ "command": "str_replace", "path": "/memories/a.md", "old_str": "green\n" });
    done(root, &removed);
    assert_eq!(repo.read("memory/notes/a.md"), "1\n2\n3\n5\n6\nblue\nblue\n");
}

#[test]
fn lines_are_inserted_where_they_belong() {
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/a.md", "a\r\nb\r\n");
    let insert = |line: i64| value!({ "command": "insert", "path": "/memories/a.md", "insert_line": line, "insert_text": "x\n" });
    assert_eq!(done(root, &insert(1)), "The file /memories/a.md has been edited.");
    assert_eq!(repo.read("memory/notes/a.md"), "a\r\nx\nb\r\n", "other lines keep their ends");
    for line in [-1, 4] {
        assert_eq!(
            refused(root, &insert(line)),
            format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, 3]."
            )
        );
    }
    done(root, &insert(0));
    done(root, &insert(4));
    assert_eq!(repo.read("memory/notes/a.md"), "x\na\r\nx\nb\r\nx\n");
}

#[test]
fn what_is_deleted_comes_back_with_undo() {
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/a/x.md", "x");
    create(root, "/memories/a/b/y.md", "y");
    let delete = |path: &str| value!({ "command": "delete", "path": path });
    assert_eq!(done(root, &delete("/memories/a")), "Successfully deleted /memories/a");
    assert!(!root.join("memory/notes/a").exists());
    assert_eq!(refused(root, &delete("/memories/a")), "The path /memories/a does not exist");
    assert_eq!(
        refused(root, &delete("/memories/")),
        "Cannot delete the /memories directory itself"
    );
    let (code, _, error) = run(root, &["undo"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(repo.read("memory/notes/a/x.md"), "x");
    assert_eq!(repo.read("memory/notes/a/b/y.md"), "y");
    let replace = value!({ "command": "str_replace", "path": "/memories/a/x.md", "old_str": "x", "new_str": "z" });
    done(root, &replace);
    run(root, &["undo"]);
    assert_eq!(repo.read("memory/notes/a/x.md"), "x");
}

#[test]
fn a_new_name_must_be_free() {
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/a/x.md", "x");
    create(root, "/memories/y.md", "y");
    let rename =
        |old: &str, new: &str| value!({ "command": "rename", "old_path": old, "new_path": new });
    assert_eq!(
        refused(root, &rename("/memories/a", "/memories/y.md")),
        "The destination /memories/y.md already exists"
    );
    assert_eq!(
        refused(root, &rename("/memories/none", "/memories/n")),
        "The path /memories/none does not exist"
    );
    assert_eq!(
        refused(root, &rename("/memories", "/memories/n")),
        "Cannot rename the /memories directory itself"
    );
    refused(root, &rename("/memories/a", "/memories/a/b"));
    assert_eq!(
        done(root, &rename("/memories/a", "/memories/b/c")),
        "Successfully renamed /memories/a to /memories/b/c"
    );
    assert_eq!(repo.read("memory/notes/b/c/x.md"), "x");
    assert!(!root.join("memory/notes/a").exists());
    done(root, &rename("/memories/y.md", "/memories/b/z.md"));
    assert_eq!(repo.read("memory/notes/b/z.md"), "y");
    run(root, &["undo"]);
    assert_eq!(repo.read("memory/notes/y.md"), "y");
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let repo = initialised();
    let root = repo.root();
    for path in ["/memories/../continuity.md", "/memories/%2e%2e/continuity.md", "/memories/..\\x"]
    {
        for command in [
            value!({ "command": "view", "path": path }),
            value!({ "command": "create", "path": path, "file_text": "x" }),
            value!({ "command": "delete", "path": path }),
            value!({ "command": "rename", "old_path": path, "new_path": "/memories/x" }),
        ] {
            let told = format!("Path {path} would escape /memories directory");
            assert_eq!(refused(root, &command), told);
        }
    }
    for path in ["/etc/passwd", "memories/x", "/memoriesx/y", ""] {
        let command = value!({ "command": "view", "path": path });
        assert_eq!(refused(root, &command), format!("Path must start with /memories, got: {path}"));
    }
}

#[cfg(unix)]
#[test]
fn a_link_leads_nowhere() {
    let repo = initialised();
    let root = repo.root();
    let outside = TestRepo::new();
    outside.write("secret.txt", "outside");
    create(root, "/memories/a.md", "a");
    std::os::unix::fs::symlink(outside.root(), root.join("memory/notes/out")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", root.join("memory/notes/broken")).unwrap();
    for path in ["/memories/out", "/memories/out/secret.txt", "/memories/broken"] {
        for command in [
            value!({ "command": "view", "path": path }),
            value!({ "command": "create", "path": format!("{path}/new"), "file_text": "x" }),
            value!({ "command": "delete", "path": path }),
            value!({ "command": "str_replace", "path": path, "old_str": "outside", "new_str": "x" }),
        ] {
            let told = "Path would escape /memories directory via symlink";
            assert_eq!(refused(root, &command), told, "{command}");
        }
    }
    assert!(!view(root, "/memories").contains("out"), "what leads out is not listed");
    assert_eq!(outside.read("secret.txt"), "outside");
    let (_, answer) = json(root, &["recall", "outside"]);
    assert!(!answer.to_string().contains("secret.txt"), "and not indexed");
}

#[cfg(unix)]
#[test]
fn what_is_new_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/a/b.md", "x");
    let mode = |path: &str| root.join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("memory/notes"), 0o700);
    assert_eq!(mode("memory/notes/a"), 0o700);
    assert_eq!(mode("memory/notes/a/b.md"), 0o600);
    std::fs::set_permissions(
        root.join("memory/notes/a/b.md"),
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let replace = value!({ "command": "str_replace", "path": "/memories/a/b.md", "old_str": "x", "new_str": "y" });
    done(root, &replace);
    assert_eq!(mode("memory/notes/a/b.md"), 0o644, "what somebody chose stays");
    done(root, &value!({ "command": "delete", "path": "/memories/a" }));
    run(root, &["undo"]);
    assert_eq!(mode("memory/notes/a/b.md"), 0o644, "also after an undo");
    let undo = std::fs::read_dir(quipu_testkit::state_of(root, "undo")).unwrap();
    let newest = undo.map(|entry| entry.unwrap().path()).max().unwrap();
    assert_eq!(newest.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn recall_finds_what_the_model_wrote_also_after_it_moved() {
    let repo = initialised();
    let root = repo.root();
    create(root, "/memories/people/ada.md", "# Tea\n\nAda drinks lapsang souchong.\n");
    let ids = |root: &Path| -> Vec<String> {
        let (_, answer) = json(root, &["recall", "lapsang souchong"]);
        let results = answer["results"].as_array().unwrap();
        results.iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(root), ["memory/notes/people/ada.md#tea"]);
    let rename = value!({ "command": "rename", "old_path": "/memories/people", "new_path": "/memories/friends" });
    done(root, &rename);
    assert_eq!(ids(root), ["memory/notes/friends/ada.md#tea"]);
    done(root, &value!({ "command": "delete", "path": "/memories/friends" }));
    assert_eq!(ids(root), [] as [&str; 0]);
    let (code, _, error) = run(root, &["lint"]);
    assert_eq!(code, 0, "{error}");
}

#[test]
fn a_secret_is_not_written() {
    let repo = initialised();
    let root = repo.root();
    let text = format!("the token is ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let command = value!({ "command": "create", "path": "/memories/a.md", "file_text": text });
    let told = refused(root, &command);
    assert!(told.contains("looks like it holds a secret"), "{told}");
    assert!(!root.join("memory/notes/a.md").exists());
    let (code, _) = json(root, &["memory-tool", &command.to_string(), "--allow-secret"]);
    assert_eq!(code, 0);
}

#[test]
fn a_whole_block_is_answered_with_a_block() {
    let repo = initialised();
    let block = value!({ "type": "tool_use", "id": "toolu_1", "name": "memory", "input": { "command": "view", "path": "/memories" } });
    let mut child = quipu(repo.root())
        .args(["--json", "memory-tool"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), block.to_string().as_bytes())
        .unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(answer["type"], "tool_result");
    assert_eq!(answer["tool_use_id"], "toolu_1");
    assert_eq!(answer["is_error"], false);
    let (code, told, _) = run(repo.root(), &["memory-tool", "{\"command\":\"dance\"}"]);
    assert_eq!(code, 1);
    assert!(told.contains("unknown variant `dance`"), "{told}");
    let dry = value!({ "command": "create", "path": "/memories/a", "file_text": "x" });
    let (code, _) = json(repo.root(), &["memory-tool", "-n", &dry.to_string()]);
    assert_eq!((code, repo.root().join("memory/notes/a").exists()), (0, false));
}
