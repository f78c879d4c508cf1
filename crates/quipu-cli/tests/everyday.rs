//! What people meet every day: help, lists, settings, forgetting. Each test is named after a
//! symptom that was reported.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;

use quipu_testkit::TestRepo;

use crate::callers::{at_terminal, person};
use crate::{answer, initialised, json, quipu, run};

/// The day on which the screens below were seen.
const NOW: &str = "2026-03-04T12:00:00Z";

/// Runs a command for a terminal of so many columns; new ids are shown as `ID`.
fn screen(folder: &Path, columns: u16, arguments: &[&str]) -> String {
    let mut command = quipu(folder);
    command.args(["--now", NOW]).args(arguments).env("COLUMNS", columns.to_string());
    let (_, out, error) = answer(&command.output().unwrap());
    format!("{out}{error}")
}

/// A small memory with facts, a thread, records and a session.
fn a_few_days() -> TestRepo {
    let repo = initialised();
    let at = |time: &str, arguments: &[&str]| {
        let all: Vec<&str> = ["--now", time].iter().chain(arguments).copied().collect();
        let (code, out, error) = run(repo.root(), &all);
        assert_eq!(code, 0, "{arguments:?}: {out}{error}");
    };
    at("2026-03-02T09:00:00Z", &["session", "start", "--agent", "Codex"]);
    let exports = "Exports are streamed, because the machine that makes them has too little memory for whole files";
    at("2026-03-02T09:01:00Z", &["fact", "add", exports, "--id", "exports-streamed"]);
    at(
        "2026-03-02T09:02:00Z",
        &["thread", "open", "Measure the export", "--id", "ot-measure-export"],
    );
    at("2026-03-02T09:05:00Z", &["session", "end", "--did", "Made exports work"]);
    at(
        "2026-03-03T10:00:00Z",
        &[
            "remember",
            "The staging database is reset every night at three o'clock, so that nothing in it lasts",
            "-t",
            "staging",
        ],
    );
    at("2026-03-04T08:00:00Z", &["remember", "Ada prefers small commits", "-c", "user-preference"]);
    repo
}

/// Compares a screen with the one that was seen; ids and folders differ each time.
fn snapshot(repo: &TestRepo, name: &str, screen: &str) {
    let (_, page) = json(repo.root(), &["list", "--kind", "record", "--sort", "oldest"]);
    let mut screen = screen.replace(&repo.root().display().to_string(), "FOLDER");
    for (number, item) in page["items"].as_array().unwrap().iter().enumerate() {
        screen = screen.replace(item["id"].as_str().unwrap(), &format!("record{number:04}"));
    }
    insta::assert_snapshot!(name, screen);
}

#[test]
fn a_list_leaves_20_columns_for_the_text() {
    let repo = a_few_days();
    for columns in [80, 120] {
        let mut shown = String::new();
        for arguments in [
            &["list"][..],
            &["fact", "list"],
            &["thread", "list"],
            &["recall", "staging", "database"],
            &["journal", "list"],
            &["lint"],
            &["undo", "--list"],
        ] {
            let screen = screen(repo.root(), columns, arguments);
            for line in screen.lines() {
                assert!(line.chars().count() <= usize::from(columns), "{line}");
            }
            // Each change has an id of its own.
            if arguments[0] == "undo" {
                continue;
            }
            shown.extend(["$ quipu ", &arguments.join(" "), "\n", &screen, "\n"]);
        }
        // Text first: a line begins with the words of a memory.
        assert!(shown.contains("\nExports are streamed, because"), "{shown}");
        snapshot(&repo, &format!("lists_at_{columns}_columns"), &shown);
    }
}

#[test]
fn fifty_commands_in_one_flat_list() {
    let help =
        |arguments: &[&str]| answer(&quipu(Path::new(".")).args(arguments).output().unwrap());
    let (code, short, _) = help(&["--help"]);
    assert_eq!(code, 0);
    assert!(short.lines().count() < 35, "{short}");
    assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
    assert_eq!(help(&["help"]).1, short);
    let (code, alone_out, alone) = help(&[]);
    assert_eq!((code, alone_out.is_empty(), alone), (2, true, short.clone()));
    let alone = Command::new(env!("CARGO_BIN_EXE_quipu")).output().unwrap();
    assert_eq!(String::from_utf8(alone.stderr).unwrap(), short);
    let (code, all, _) = help(&["help", "--all"]);
    assert_eq!(code, 0);
    for entry in &quipu_engine::operations::ALL {
        let word = entry.words()[0];
        assert!(all.contains(&format!("\n  {word} ")), "`{word}` is not in `help --all`");
    }
    assert_eq!(help(&["help", "fact", "add"]).1, help(&["fact", "add", "--help"]).1);
    assert_eq!(help(&["admin", "stats", "--help"]).0, 0);
}

#[test]
fn search_list_ls_add_rm_log_are_no_commands() {
    let repo = initialised();
    let root = repo.root();
    let (code, added) = json(root, &["add", "tests", "need", "the", "db", "up"]);
    assert_eq!(code, 0, "{added}");
    let id = added["id"].as_str().unwrap();
    for arguments in [&["list"][..], &["ls"], &["search", "db"]] {
        let (code, out, error) = run(root, arguments);
        assert!(code == 0 && out.contains("tests need the db up"), "{arguments:?}: {out}{error}");
    }
    assert!(run(root, &["log", id]).1.contains("tests need the db up"));
    assert!(run(root, &["log"]).1.contains("tests need the db up"), "all that happened");
    let (code, gone) = json(root, &["rm", id]);
    assert_eq!((code, &gone["status"]), (0, &serde_json::json!("archived")));
}

#[test]
fn a_mistyped_command_lists_five_others() {
    let (code, _, error) = run(Path::new("."), &["serach", "x"]);
    assert_eq!(code, 2);
    assert!(error.contains("did you mean `quipu search`?"), "{error}");
    let (_, _, error) = run(Path::new("."), &["fact", "lst"]);
    assert!(error.contains("did you mean `quipu fact list`?"), "{error}");
    let (_, _, error) = run(Path::new("."), &["help", "fact", "lst"]);
    assert!(error.contains("did you mean `quipu fact list`?"), "{error}");
    let (code, document) = json(Path::new("."), &["serach", "x"]);
    assert_eq!((code, &document["error"]["code"]), (2, &serde_json::json!("usage")));
}

#[test]
fn a_variable_in_the_environment_hides_the_help_of_a_group() {
    let help = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        answer(&command.args(arguments).env("QUIPU_NOW", NOW).output().unwrap())
    };
    for (arguments, shown) in
        [(&[][..], "remember"), (&["admin"], "replay"), (&["fact"], "supersede")]
    {
        let (code, out, error) = help(arguments);
        let text = out + &error;
        assert!(text.contains(shown) && !text.contains("requires a subcommand"), "{text}");
        assert_eq!(code, 2, "{arguments:?}");
    }
    let (_, all, _) = help(&["help", "--all"]);
    assert!(all.contains("--directory <DIR>") && all.contains("--json"), "{all}");
    let (code, _, error) = help(&["pause", "--for", "10x"]);
    assert!(code == 2 && error.contains("such as 30m, 2h"), "{error}");
}

#[test]
fn remember_takes_no_bare_words_and_edit_needs_text() {
    let repo = initialised();
    let root = repo.root();
    let (_, said) = json(root, &["remember", "tests", "need", "the", "db", "up", "-c", "learned"]);
    let id = said["id"].as_str().unwrap();
    let (_, shown) = json(root, &["show", id]);
    assert_eq!(shown["text"], "tests need the db up");
    assert_eq!(json(root, &["edit", id, "tests", "need", "redis", "too"]).0, 0);
    assert_eq!(json(root, &["show", id]).1["text"], "tests need redis too");
    let (code, _, error) =
        run(root, &["fact", "add", "Exports", "are", "streamed", "--id", "exports-streamed"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(json(root, &["show", "exports-streamed"]).1["text"], "Exports are streamed");
}

#[test]
fn since_yesterday_is_an_error() {
    let repo = a_few_days();
    let texts = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["--now", NOW, "list", "--kind", "record"].iter().chain(arguments).copied().collect();
        let (_, page) = json(repo.root(), &all);
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["text"].as_str().unwrap()[..3].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&["--since", "today"]), ["Ada"]);
    assert_eq!(texts(&["--since", "yesterday"]), ["Ada", "The"]);
    assert_eq!(texts(&["--since", "yesterday", "--until", "yesterday"]), ["The"]);
    assert_eq!(texts(&["--until", "last week"]), Vec::<String>::new());
    assert_eq!(texts(&["--until", "2026-03-04"]), ["The"], "a day is left out, as ever");
    assert_eq!(texts(&["--since", "last month"]), ["Ada", "The"]);
    let (code, _, error) = run(repo.root(), &["list", "--since", "a while"]);
    assert_eq!(code, 2);
    for known in ["2026-04-20", "yesterday", "3 days ago", "last week", "march"] {
        assert!(error.contains(known), "{known}: {error}");
    }
}

#[test]
fn nothing_lists_all_memories() {
    let repo = a_few_days();
    let root = repo.root();
    run(root, &["remember", "I like tea", "--user"]);
    let (code, page) = json(root, &["list"]);
    assert_eq!((code, &page["total"]), (0, &serde_json::json!(5)));
    let scopes = |page: &serde_json::Value| {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["scope"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(scopes(&page), ["user", "project", "project", "team", "team"]);
    for (scope, count) in [("user", 1), ("project", 2), ("team", 2)] {
        let (_, page) = json(root, &["list", "--scope", scope]);
        assert_eq!(page["total"], count, "{scope}");
        assert!(scopes(&page).iter().all(|one| one == scope), "{page}");
    }
    assert_eq!(json(root, &["list", "--tag", "staging"]).1["total"], 1);
    assert_eq!(json(root, &["list", "--kind", "thread"]).1["items"][0]["id"], "ot-measure-export");
    // Page by page, over both memories.
    let (mut seen, mut after) = (Vec::new(), None::<String>);
    loop {
        let mut arguments = vec!["list", "--limit", "2"];
        if let Some(after) = &after {
            arguments.extend(["--after", after]);
        }
        let (_, page) = json(root, &arguments);
        seen.extend(scopes(&page));
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, ["user", "project", "project", "team", "team"]);
}

#[test]
fn nothing_shows_the_settings_in_force() {
    let repo = initialised();
    let root = repo.root();
    assert!(run(root, &["config"]).1.contains("no setting was changed"));
    repo.write("quipu.toml", "[hooks]\nbriefChars = 4000\n");
    let (_, shown) = json(root, &["--set", "guard.mode=warn", "config"]);
    let settings = shown["settings"].as_array().unwrap();
    let of = |key: &str| settings.iter().find(|one| one["key"] == key).unwrap();
    assert_eq!(
        (&of("hooks.briefChars")["value"], &of("hooks.briefChars")["source"]),
        (&serde_json::json!(4000), &serde_json::json!("repository"))
    );
    assert_eq!(of("hooks.briefChars")["place"], "line 2");
    assert_eq!(of("guard.mode")["source"], "flag");
    assert_eq!(settings.len(), 2, "{shown}");
    let (_, one, _) = run(root, &["config", "hooks.promptThreshold"]);
    assert!(
        one.contains("hooks.promptThreshold = 0.6\n")
            && one.contains("QUIPU_HOOKS_PROMPT_THRESHOLD"),
        "{one}"
    );
    let (_, all) = json(root, &["config", "--all"]);
    assert_eq!(all["settings"].as_array().unwrap().len(), quipu_engine::config::KEYS.len());
    assert_eq!(all["settings"][0]["key"], "hooks.briefChars", "changed settings come first");
    let (code, _, error) = run(root, &["config", "hook"]);
    assert!(code == 3 && error.contains("did you mean `hooks`"), "{error}");
}

#[test]
fn forget_was_used_2_sessions_ago_let_it_fade() {
    let repo = a_few_days();
    let root = repo.root();
    // An agent keeps to the rules, and learns that a person need not.
    let (code, _, error) = run(root, &["forget", "exports-streamed"]);
    assert!(
        code == 3 && error.contains("1 session ago") || error.contains("0 sessions ago"),
        "{error}"
    );
    assert!(error.contains("a person can"), "{error}");
    let forget = |id: &str| {
        let (code, shown, error) = person(root, &["forget", id], &[]);
        assert_eq!(code, 0, "{shown}{error}");
        assert!(shown.contains("quipu restore"), "{shown}");
    };
    for id in ["exports-streamed", "ot-measure-export"] {
        forget(id);
        assert!(!run(root, &["fact", "list"]).1.contains(id));
    }
    // A review does not bring back what a person forgot, and nothing is wrong with it.
    assert_eq!(run(root, &["review"]).0, 0);
    assert!(!run(root, &["fact", "list"]).1.contains("exports-streamed"));
    let (_, linted) = json(root, &["lint"]);
    assert_eq!(linted["errors"], 0, "{linted}");
    assert!(run(root, &["why", "exports-streamed"]).1.contains("a person forgot it"));
    assert_eq!(run(root, &["restore", "exports-streamed"]).0, 0);
    assert!(run(root, &["fact", "list"]).1.contains("exports-streamed"));
    assert!(!repo.read("memory/continuity.md").contains("tier-by"), "the rules decide again");
    // A core fact too.
    assert_eq!(person(root, &["fact", "core", "exports-streamed"], &[]).0, 0);
    forget("exports-streamed");
    assert_eq!(person(root, &["undo"], &[]).0, 0);
    assert!(repo.read("memory/continuity.md").contains("tier: core"));
}

#[test]
fn forget_without_an_id_fails() {
    let repo = a_few_days();
    let root = repo.root();
    let (code, _, error) = run(root, &["--now", NOW, "forget"]);
    assert!(
        code == 2 && error.contains("Ada prefers small commits") && error.contains("--yes"),
        "{error}"
    );
    let (mut child, mut terminal) = at_terminal(root, &["--now", NOW, "forget"], &[]);
    terminal.write_all(b"y\n").unwrap();
    let mut shown = Vec::new();
    let _ = terminal.read_to_end(&mut shown);
    assert!(child.wait().unwrap().success());
    assert!(!run(root, &["list"]).1.contains("Ada prefers"));
    // The one before it is the last one now; a fact that came later would be.
    run(root, &["--now", NOW, "fact", "add", "Logs are JSON lines", "--id", "logs-json"]);
    let (code, gone) = json(root, &["--now", NOW, "forget", "--yes"]);
    assert_eq!((code, &gone["id"]), (0, &serde_json::json!("logs-json")), "{gone}");
    let (_, gone) = json(root, &["--now", NOW, "forget", "--yes"]);
    assert_eq!(gone["status"], "archived", "{gone}");
    assert!(!run(root, &["list"]).1.contains("staging"));
}

#[test]
fn purge_leaves_the_fact_in_fact_list_as_live() {
    let repo = a_few_days();
    let root = repo.root();
    let words = "The vault opens with marlin and quartz";
    assert_eq!(run(root, &["fact", "add", words, "--id", "how-to-enter"]).0, 0);
    let before = json(root, &["status"]).1["facts"].as_u64().unwrap();
    let (code, shown, error) =
        person(root, &["purge", "how-to-enter", "--reason", "leaked", "--yes"], &[]);
    assert_eq!(code, 0, "{shown}{error}");
    for arguments in [
        &["fact", "list"][..],
        &["fact", "list", "--all"],
        &["list"],
        &["recall", "marlin", "quartz"],
    ] {
        let (_, out, _) = run(root, arguments);
        assert!(!out.contains("how-to-enter") && !out.contains("PURGED"), "{arguments:?}: {out}");
    }
    assert_eq!(json(root, &["status"]).1["facts"], before - 1);
    let (_, shown) = json(root, &["show", "how-to-enter"]);
    assert_eq!(shown["status"], "purged", "{shown}");
    assert!(run(root, &["why", "how-to-enter"]).1.contains("purged"));
}

#[test]
fn show_nosuch_says_there_is_no_fact() {
    let repo = a_few_days();
    let (code, _, error) = run(repo.root(), &["show", "nosuch"]);
    assert_eq!(code, 3);
    assert!(error.contains("there is nothing with the id `nosuch`"), "{error}");
    assert!(error.contains("quipu recall") && error.contains("quipu list"), "{error}");
    for near in ["exports-steamed", "xports-streamed"] {
        let (_, _, error) = run(repo.root(), &["show", near]);
        assert!(error.contains("did you mean exports-streamed?"), "{near}: {error}");
    }
    let (_, page) = json(repo.root(), &["list", "--kind", "record"]);
    let id = page["items"][0]["id"].as_str().unwrap();
    let (_, _, error) = run(repo.root(), &["show", &format!("{}_", &id[..9])]);
    assert!(error.contains(&format!("did you mean {id}?")), "{error}");
}

#[test]
fn why_shows_two_clocks_for_one_fact() {
    let repo = a_few_days();
    let root = repo.root();
    run(root, &["recall", "exports"]);
    let (_, fact, _) = run(root, &["why", "exports-streamed"]);
    assert!(fact.contains("session"), "{fact}");
    for other in ["retention", "half", "does not fade"] {
        assert!(!fact.contains(other), "{other}: {fact}");
    }
    let (_, page) = json(root, &["list", "--kind", "record"]);
    let id = page["items"][0]["id"].as_str().unwrap();
    let (_, record, _) = run(root, &["why", id]);
    assert!(record.contains("fading:") && !record.contains("window"), "{record}");
}

#[test]
fn status_says_2_sessions_where_stats_says_4() {
    let repo = a_few_days();
    let (_, glance) = json(repo.root(), &["status"]);
    let (_, counts) = json(repo.root(), &["admin", "stats"]);
    assert_eq!(glance["sessions"], 1);
    assert_eq!(glance["sessions"], counts["sessions"]);
}

#[test]
fn numbers_have_sixteen_digits_and_counts_an_s_in_brackets() {
    let repo = a_few_days();
    let (_, page) = json(repo.root(), &["list", "--kind", "record"]);
    let id = page["items"][0]["id"].as_str().unwrap().to_owned();
    let long = |value: &serde_json::Value| {
        let text = value.to_string();
        let mut digits = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        digits.find(|number| number.contains('.') && number.len() > 10).map(str::to_owned)
    };
    for arguments in [
        &["recall", "staging", "database", "--explain"][..],
        &["why", &id],
        &["show", &id],
        &["list"],
        &["admin", "curve", &id],
        &["memory", "similar", &id],
        &["brief"],
        &["status"],
        &["config", "--all"],
    ] {
        let (_, document) = json(repo.root(), arguments);
        assert_eq!(long(&document), None, "{arguments:?}");
        let (_, words, _) = run(repo.root(), arguments);
        assert!(!words.contains("(s)"), "{arguments:?}: {words}");
    }
    for arguments in [
        &["lint"][..],
        &["review", "--dry-run"],
        &["session", "list"],
        &["admin", "verify"],
        &["why", "exports-streamed"],
        &["admin", "stats"],
    ] {
        let (_, words, _) = run(repo.root(), arguments);
        assert!(!words.contains("(s)") && !words.contains("in the tail"), "{arguments:?}: {words}");
        for many in ["sessions", "facts", "records", "memories", "threads", "files", "warnings"] {
            let one = format!(" 1 {many}");
            assert!(!format!(" {words}").contains(&one), "{arguments:?}: {words}");
        }
    }
}

#[test]
fn screens_of_a_few_days() {
    let repo = a_few_days();
    for columns in [80, 120] {
        let mut shown = String::new();
        for arguments in [
            &["status"][..],
            &["show", "exports-streamed"],
            &["why", "exports-streamed"],
            &["timeline"],
            &["config", "guard.mode"],
            &["show", "nosuch"],
        ] {
            let screen = screen(repo.root(), columns, arguments);
            shown.extend(["$ quipu ", &arguments.join(" "), "\n", &screen, "\n"]);
        }
        snapshot(&repo, &format!("screens_at_{columns}_columns"), &shown);
    }
}

/// Our styles as a reader would name them; anything else that colours is left as it is.
const STYLES: [(&str, &str); 7] = [
    ("\u{1b}[0m", "</>"),
    ("\u{1b}[1m", "<bold>"),
    ("\u{1b}[2m", "<dim>"),
    ("\u{1b}[31m", "<red>"),
    ("\u{1b}[32m", "<green>"),
    ("\u{1b}[33m", "<yellow>"),
    ("\u{1b}[36m", "<cyan>"),
];

/// Nothing is black, white or on a ground of its own: every screen can be read on a light and on a dark terminal.
#[test]
fn screens_in_colour_are_for_light_and_dark_terminals() {
    let repo = a_few_days();
    repo.write("quipu.toml", "[hooks]\nbriefChars = 4000\n");
    for columns in [80, 120] {
        let mut shown = String::new();
        for arguments in [
            &["status"][..],
            &["list"],
            &["recall", "staging", "database"],
            &["show", "exports-streamed"],
            &["why", "exports-streamed"],
            &["config"],
            &["lint"],
            &["show", "nosuch"],
        ] {
            let mut command = quipu(repo.root());
            command.args(["--now", NOW]).args(arguments).env("COLUMNS", columns.to_string());
            let (_, out, error) = answer(&command.env("CLICOLOR_FORCE", "1").output().unwrap());
            let mut screen = format!("{out}{error}");
            for (code, name) in STYLES {
                screen = screen.replace(code, name);
            }
            assert!(!screen.contains('\u{1b}'), "{arguments:?}: {screen:?}");
            shown.extend(["$ quipu ", &arguments.join(" "), "\n", &screen, "\n"]);
        }
        snapshot(&repo, &format!("colours_at_{columns}_columns"), &shown);
    }
}

#[test]
#[cfg(unix)]
fn a_person_meets_ids_of_ten_letters_in_every_line() {
    let repo = a_few_days();
    let (_, page) = json(repo.root(), &["list", "--kind", "record"]);
    let id = page["items"][0]["id"].as_str().unwrap().to_owned();
    for arguments in [&["list"][..], &["recall", "small", "commits"], &["journal", "list"]] {
        let shown = at_screen(repo.root(), arguments, "");
        assert!(shown.contains(&id[..4]) && !shown.contains(&id), "{arguments:?}: {shown}");
    }
}

/// Runs a command whose streams are all one terminal, with typed input; returns what it shows.
#[cfg(unix)]
fn at_screen(folder: &Path, arguments: &[&str], typed: &str) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(path.to_str().unwrap()).unwrap();
    let mut command = quipu(folder);
    command.args(arguments).env("TERM", "xterm");
    command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut ours = File::from(ours);
    ours.write_all(typed.as_bytes()).unwrap();
    let mut shown = Vec::new();
    // Linux reports an error when the other end of a terminal is closed.
    let _ = ours.read_to_end(&mut shown);
    assert!(child.wait().unwrap().success());
    String::from_utf8_lossy(&shown).replace("\r\n", "\n")
}

#[test]
#[cfg(unix)]
fn the_progress_bar_of_a_scan_freezes_under_a_second_spinner() {
    let repo = initialised();
    for number in 0..400 {
        let text = format!("/// Does thing {number}.\npub fn thing_{number}() {{}}\n");
        repo.write(&format!("src/file_{number}.rs"), &text);
    }
    let shown = at_screen(repo.root(), &["scan"], "");
    let answer = shown.find("read 400 new or changed").unwrap();
    // Each line of progress is erased before the answer, and none comes after it.
    if let Some(last) = shown.rfind(" left") {
        assert!(last < answer, "{shown:?}");
        assert!(shown[last..answer].contains("\u{1b}[2K"), "{shown:?}");
    }
    assert!(!shown[answer..].contains("working on"), "{shown:?}");
}

#[test]
#[cfg(unix)]
fn the_demo_prints_209_lines_at_once() {
    let output = quipu(Path::new(".")).arg("demo").output().unwrap();
    let (code, short, error) = answer(&output);
    assert_eq!(code, 0, "{error}");
    assert!(short.lines().count() < 110, "{}", short.lines().count());
    let toured = at_screen(Path::new("."), &["demo"], "\nq\n");
    assert!(toured.contains("[1 of 7] Enter goes on"), "{toured}");
    assert!(
        toured.contains("Monday, Claude Code") && !toured.contains("Friday, a decision"),
        "{toured}"
    );
    for text in [short, toured] {
        let folder =
            text.split("The folder is ").nth(1).unwrap().split_whitespace().next().unwrap();
        std::fs::remove_dir_all(Path::new(folder.trim_end_matches('.')).parent().unwrap()).unwrap();
    }
}

#[test]
fn the_beginning_of_a_facts_id_is_enough_for_every_command_about_facts() {
    let repo = initialised();
    let add = ["fact", "add", "Exports are streamed", "--id", "exports-streamed"];
    assert_eq!(json(repo.root(), &add).0, 0);
    let open = ["thread", "open", "Find out about customs", "--id", "thread-customs"];
    assert_eq!(json(repo.root(), &open).0, 0);
    for (command, key) in [
        (&["fact", "tier", "exports-st", "active"][..], "/id"),
        (&["fact", "tier", "exports-st", "--auto"], "/id"),
        (&["fact", "archive", "exports-st"], "/archived/0"),
        (&["fact", "reactivate", "exports-st"], "/reactivated/0"),
        (&["memory", "use", "exports-st"], "/id"),
        (&["fact", "supersede", "exports-st", "thread-c"], "/superseded"),
        (&["thread", "close", "thread-c"], "/id"),
    ] {
        let (code, answer) = json(repo.root(), command);
        assert_eq!(code, 0, "{command:?}: {answer}");
        let id = answer.pointer(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        assert!(["exports-streamed", "thread-customs"].contains(&id), "{command:?}: {answer}");
    }
    let (code, refused) = json(repo.root(), &["thread", "close", "thr"]);
    assert_eq!((code, &refused["error"]["code"]), (3, &"unknown-fact".into()), "{refused}");
}
