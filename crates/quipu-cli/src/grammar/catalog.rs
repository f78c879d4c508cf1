//! What help says about commands beside their own descriptions: which of them people need every day, which
//! belong together, other names that people type, and examples. A test goes through the whole grammar and
//! fails on a command without an example, and on an example that does not parse.

/// A heading of help and the commands below it.
pub(super) struct Group<T: 'static> {
    pub(super) title: &'static str,
    pub(super) commands: &'static [T],
}

/// What `quipu` alone shows: a command and what it is for, in a few words.
pub(super) const EVERYDAY: &[Group<(&str, &str)>] = &[
    Group {
        title: "Start",
        commands: &[
            ("init", "Set up a memory in this repo"),
            ("install", "Connect the coding agents that are found here"),
            ("demo", "Take a tour, in a folder of its own"),
        ],
    },
    Group {
        title: "Every day",
        commands: &[
            ("remember", "Keep something: `quipu remember tests need the db up`"),
            ("recall", "Ask what is known: `quipu recall how do we deploy`"),
            ("list", "List what is remembered, newest first"),
            ("show", "Show one memory, whole"),
            ("edit", "Change the words of a memory"),
            ("forget", "Put a memory away; `restore` brings it back"),
            ("undo", "Take back the last change"),
            ("share", "Give a private memory to the team, as a fact in git"),
        ],
    },
    Group {
        title: "Look after it",
        commands: &[
            ("status", "See the memory at a glance"),
            ("questions", "Decide what needs a person: contradictions, duplicates"),
            ("open", "Look at the memory in a browser"),
            ("config", "See the settings in force"),
        ],
    },
];

/// What `quipu help --all` shows. A command that is in none of these groups is listed last.
pub(super) const GROUPS: &[Group<&str>] = &[
    Group {
        title: "Start",
        commands: &[
            "init",
            "install",
            "uninstall",
            "doctor",
            "demo",
            "config",
            "completions",
            "man",
        ],
    },
    Group {
        title: "Remember and ask",
        commands: &[
            "remember", "recall", "list", "show", "why", "history", "timeline", "brief", "memory",
            "entity",
        ],
    },
    Group {
        title: "Change and take back",
        commands: &["edit", "forget", "restore", "undo", "redo", "purge", "pause", "resume"],
    },
    Group {
        title: "The team's facts",
        commands: &["fact", "thread", "session", "share", "unshare", "review", "lint"],
    },
    Group { title: "The journal", commands: &["journal", "compact", "experiences", "user"] },
    Group {
        title: "Upkeep",
        commands: &["status", "questions", "answer", "dream", "harvest", "scan", "drift", "admin"],
    },
    Group { title: "In and out", commands: &["import", "ingest", "export", "backup", "sync"] },
    Group {
        title: "Programs and agents",
        commands: &[
            "mcp",
            "serve",
            "open",
            "token",
            "space",
            "migrate",
            "hook",
            "memory-tool",
            "git",
        ],
    },
];

/// Rare commands: they are shown under `quipu admin`, and their old names keep working.
pub(super) const ADMIN: &[&str] = &[
    "index", "replay", "reembed", "stats", "compress", "refresh", "verify", "curve", "repair",
    "adopt",
];

/// Other names that people type.
pub(super) const ALIASES: &[(&str, &[&str])] = &[
    ("remember", &["add"]),
    ("recall", &["search"]),
    ("list", &["ls"]),
    ("forget", &["rm"]),
    ("history", &["log"]),
];

/// Examples: of a command by its words, each a command line that parses.
pub(super) const EXAMPLES: &[(&str, &[&str])] = &[
    ("demo", &["quipu demo"]),
    ("init", &["quipu init", "quipu init --dry-run --diff"]),
    ("install", &["quipu install", "quipu install claude-code --user", "quipu install --check"]),
    ("uninstall", &["quipu uninstall --dry-run", "quipu uninstall cursor"]),
    ("doctor", &["quipu doctor"]),
    ("adopt", &["quipu admin adopt"]),
    ("mcp", &["quipu mcp", "quipu mcp --profile full --read-only"]),
    ("serve", &["quipu serve", "quipu serve --listen 127.0.0.1:8700 --open"]),
    ("open", &["quipu open", "quipu open ckcl7z"]),
    ("token", &["quipu token add ci --permission read", "quipu token list"]),
    ("token add", &["quipu token add ci --permission read"]),
    ("token list", &["quipu token list"]),
    ("token revoke", &["quipu token revoke ci"]),
    ("hook", &["quipu hook claude-code session-start < event.json"]),
    ("git", &["quipu git install", "quipu git status"]),
    ("git install", &["quipu git install --dry-run", "quipu git install"]),
    ("git uninstall", &["quipu git uninstall"]),
    ("git status", &["quipu git status"]),
    ("git merge", &["quipu git merge base.md ours.md theirs.md memory/continuity.md"]),
    ("git pre-commit", &["quipu git pre-commit"]),
    ("git post-commit", &["quipu git post-commit"]),
    ("completions", &["quipu completions zsh > ~/.zfunc/_quipu", "quipu completions bash"]),
    ("man", &["quipu man --out ~/.local/share/man/man1"]),
    ("config", &["quipu config", "quipu config hooks", "quipu config guard.secrets --all"]),
    ("status", &["quipu status", "quipu status --json"]),
    ("brief", &["quipu brief", "quipu brief --hint \"fix the login page\" --tokens 1500"]),
    (
        "remember",
        &[
            "quipu remember tests need the db up",
            "quipu remember \"We deploy on Fridays\" -c decision -t release",
            "quipu remember I prefer small commits --user",
        ],
    ),
    (
        "recall",
        &[
            "quipu recall how do we deploy",
            "quipu recall retries --since \"last week\" -k 3",
            "quipu recall which database --as-of 2026-03-01 --explain",
        ],
    ),
    ("lint", &["quipu lint", "quipu lint --strict"]),
    ("refresh", &["quipu admin refresh --dry-run"]),
    ("review", &["quipu review --dry-run", "quipu review"]),
    ("fact", &["quipu fact add Exports are streamed", "quipu fact list"]),
    (
        "fact add",
        &[
            "quipu fact add Exports are streamed",
            "quipu fact add \"We use MySQL now\" --supersedes db-is-postgres",
        ],
    ),
    ("fact list", &["quipu fact list", "quipu fact list export --all"]),
    ("fact cords", &["quipu fact cords", "quipu fact cords export --sessions 20"]),
    ("fact supersede", &["quipu fact supersede db-is-postgres db-is-mysql"]),
    ("fact core", &["quipu fact core exports-streamed"]),
    (
        "fact tier",
        &["quipu fact tier exports-streamed active", "quipu fact tier exports-streamed --auto"],
    ),
    ("fact archive", &["quipu fact archive exports-streamed"]),
    ("fact reactivate", &["quipu fact reactivate exports-streamed"]),
    ("thread", &["quipu thread open Measure the export", "quipu thread list"]),
    ("thread open", &["quipu thread open Measure the export"]),
    ("thread close", &["quipu thread close ot-measure-export"]),
    ("thread list", &["quipu thread list", "quipu thread list --all"]),
    ("session", &["quipu session start --agent Codex", "quipu session end --did \"Fixed login\""]),
    ("session start", &["quipu session start --agent Codex"]),
    ("session note", &["quipu session note We keep the old API --kind decided"]),
    ("session end", &["quipu session end", "quipu session end --did \"Fixed login\""]),
    ("session list", &["quipu session list"]),
    ("session show", &["quipu session show", "quipu session show 2026-03-02-090500"]),
    ("timeline", &["quipu timeline", "quipu timeline --before \"last week\" --limit 10"]),
    ("show", &["quipu show ckcl", "quipu show exports-streamed"]),
    ("edit", &["quipu edit ckcl tests need the db and redis up", "quipu edit exports-streamed"]),
    ("history", &["quipu history ckcl", "quipu log"]),
    (
        "forget",
        &["quipu forget ckcl", "quipu forget --yes", "quipu forget db-is-postgres -r moved"],
    ),
    ("restore", &["quipu restore ckcl"]),
    ("pause", &["quipu pause", "quipu pause --for 2h"]),
    ("resume", &["quipu resume"]),
    ("sync", &["quipu sync", "quipu sync init git@example.com:me/memory.git"]),
    (
        "sync init",
        &[
            "quipu sync init git@example.com:me/memory.git",
            "quipu sync init /mnt/usb/m.git --project",
        ],
    ),
    ("sync status", &["quipu sync status"]),
    ("sync off", &["quipu sync off"]),
    ("space", &["quipu space list --database postgres://localhost/quipu"]),
    ("space add", &["quipu space add team --quota 500 --database postgres://localhost/quipu"]),
    ("space list", &["quipu space list --database postgres://localhost/quipu"]),
    ("space import", &["quipu space import team shop/ --database postgres://localhost/quipu"]),
    ("space export", &["quipu space export team copy/ --database postgres://localhost/quipu"]),
    ("space quota", &["quipu space quota team 500 --database postgres://localhost/quipu"]),
    ("space audit", &["quipu space audit team -n 10 --database postgres://localhost/quipu"]),
    ("space remove", &["quipu space remove team --yes --database postgres://localhost/quipu"]),
    ("migrate", &["quipu migrate --database postgres://localhost/quipu"]),
    ("share", &["quipu share ckcl", "quipu share ckcl --section Conventions"]),
    ("unshare", &["quipu unshare exports-streamed"]),
    (
        "purge",
        &[
            "quipu purge ckcl --reason \"a key was in it\" --dry-run",
            "quipu purge --value --reason leaked --yes",
        ],
    ),
    ("journal", &["quipu journal tail", "quipu journal list --since yesterday"]),
    ("journal append", &["quipu journal append \"Deployed 2.1\" --category note"]),
    ("journal list", &["quipu journal list --since yesterday", "quipu journal list -c decision"]),
    ("journal tail", &["quipu journal tail", "quipu journal tail --follow"]),
    ("journal show", &["quipu journal show ckcl"]),
    ("journal scan", &["quipu journal scan"]),
    ("journal trim", &["quipu journal trim --max-records 200 --dry-run"]),
    ("journal flush", &["quipu journal flush"]),
    ("journal convert", &["quipu journal convert --to markdown --dry-run"]),
    ("compact", &["quipu compact --dry-run", "quipu compact --if-due"]),
    ("experiences", &["quipu experiences query the build fails on arm", "quipu experiences list"]),
    ("experiences query", &["quipu experiences query the build fails on arm"]),
    ("experiences list", &["quipu experiences list --limit 5"]),
    (
        "experiences add",
        &["quipu experiences add \"The build failed on arm: the linker was too old\""],
    ),
    ("experiences import", &["quipu experiences import tmp/experience-store.json --dry-run"]),
    ("user", &["quipu user show", "quipu user edit"]),
    ("user show", &["quipu user show"]),
    ("user edit", &["quipu user edit", "quipu user edit --text \"I am called Ada.\""]),
    (
        "list",
        &[
            "quipu list",
            "quipu list --since yesterday --tag release",
            "quipu list --kind fact --status archived",
            "quipu list --scope user --limit 5",
        ],
    ),
    ("memory", &["quipu memory pin ckcl", "quipu memory tag ckcl release"]),
    ("memory list", &["quipu list", "quipu memory list --pinned"]),
    ("memory status", &["quipu memory status ckcl challenged"]),
    ("memory promote", &["quipu memory promote ckcl"]),
    ("memory demote", &["quipu memory demote ckcl"]),
    ("memory confirm", &["quipu memory confirm ckcl"]),
    ("memory challenge", &["quipu memory challenge ckcl --reason \"the port changed\""]),
    ("memory invalidate", &["quipu memory invalidate ckcl --reason \"the port changed\""]),
    ("memory use", &["quipu memory use ckcl"]),
    ("memory merge", &["quipu memory merge ckcl m2fa --into zt9k"]),
    ("memory unmerge", &["quipu memory unmerge ckcl"]),
    ("memory pin", &["quipu memory pin ckcl"]),
    ("memory unpin", &["quipu memory unpin ckcl"]),
    ("memory tag", &["quipu memory tag ckcl release", "quipu memory tag ckcl --remove release"]),
    ("memory link", &["quipu memory link ckcl exports-streamed"]),
    ("memory annotate", &["quipu memory annotate ckcl \"see the incident of May\""]),
    ("memory similar", &["quipu memory similar ckcl"]),
    ("why", &["quipu why exports-streamed", "quipu why ckcl"]),
    ("curve", &["quipu admin curve ckcl --days 365"]),
    ("dream", &["quipu dream --dry-run", "quipu dream", "quipu dream --list"]),
    ("harvest", &["quipu harvest", "quipu harvest docs --accept 1 3"]),
    ("scan", &["quipu scan --dry-run", "quipu scan"]),
    ("drift", &["quipu drift", "quipu drift --fix --dry-run"]),
    ("compress", &["quipu admin compress --dry-run"]),
    ("questions", &["quipu questions", "quipu questions --next"]),
    ("answer", &["quipu answer q7f3 1", "quipu answer q7f3 keep --reason \"checked\""]),
    ("undo", &["quipu undo", "quipu undo --list", "quipu undo k7m2qd4xwz"]),
    ("redo", &["quipu redo"]),
    ("repair", &["quipu admin repair", "quipu admin repair --apply"]),
    ("verify", &["quipu admin verify", "quipu admin verify --all --by Ada"]),
    ("entity", &["quipu entity list", "quipu entity show Redis"]),
    ("entity list", &["quipu entity list"]),
    ("entity show", &["quipu entity show Redis"]),
    ("entity timeline", &["quipu entity timeline Redis"]),
    ("entity graph", &["quipu entity graph Redis --hops 1"]),
    ("entity map", &["quipu entity map --count 50"]),
    ("entity alias", &["quipu entity alias Kubernetes k8s"]),
    ("entity merge", &["quipu entity merge k8s Kubernetes"]),
    ("index", &["quipu admin index", "quipu admin index --rebuild"]),
    ("replay", &["quipu admin replay --check"]),
    ("reembed", &["quipu admin reembed"]),
    ("stats", &["quipu admin stats"]),
    ("memory-tool", &["quipu memory-tool '{\"command\":\"view\",\"path\":\"/memories\"}'"]),
    ("import", &["quipu import --find", "quipu import claude-mem --yes"]),
    ("ingest", &["quipu ingest docs/handbook.html"]),
    ("export", &["quipu export memory.jsonl", "quipu export notes --format markdown"]),
    ("backup", &["quipu backup", "quipu backup memory.zip --verify"]),
    ("admin", &["quipu admin stats", "quipu admin replay --check"]),
];

/// Returns the examples of a command.
pub(super) fn examples(words: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(known, _)| *known == words).map_or(&[], |(_, examples)| examples)
}

/// Returns other names of a command.
pub(super) fn aliases(name: &str) -> &'static [&'static str] {
    ALIASES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, others)| others)
}
