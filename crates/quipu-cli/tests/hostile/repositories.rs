//! The hostile repositories, by family.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::plant::{
    bare, bare_project, configured, fifo, installation, link, sessions, settings, tokens,
    transaction, undo, write,
};
use super::scene::{CANARY, CONTINUITY, Scene};

/// A hostile repository.
pub(super) struct Repository {
    pub(super) family: &'static str,
    pub(super) name: &'static str,
    pub(super) build: fn(&Scene),
}

/// Declares a repository.
macro_rules! repository {
    ($family:literal, $name:literal, $build:expr) => {
        Repository { family: $family, name: $name, build: $build }
    };
}

/// Returns every hostile repository.
pub(super) fn all() -> Vec<Repository> {
    let mut all = git();
    all.extend(more_of_git());
    all.extend(state());
    all.extend(links());
    all.extend(links_of_others());
    all.extend(special_files());
    all.extend(settings_files());
    all.extend(texts());
    all.extend(branches());
    all
}

fn git() -> Vec<Repository> {
    vec![
        repository!("git", "a folder laid out as a bare repository", |scene| {
            scene.cloned(|root| bare_project(scene, root));
        }),
        repository!("git", "a bare folder in an archive", |scene| {
            scene.unpacked(|root| bare_project(scene, root));
        }),
        repository!("git", "an archive whose configuration names filters", |scene| {
            let evil = scene.evil("clean");
            configured(
                scene,
                &format!(
                    "[filter \"evil\"]\n\tclean = \"{evil}\"\n\tsmudge = \"{evil}\"\n\tprocess = \"{evil}\"\n\trequired = true\n[diff \"evil\"]\n\ttextconv = \"{evil}\"\n\tcommand = \"{evil}\"\n"
                ),
            );
        }),
        repository!("git", "an archive whose files are as new as its index", |scene| {
            let evil = scene.evil("racy");
            configured(
                scene,
                &format!(
                    "\ttrustctime = false\n\tcheckStat = minimal\n[filter \"evil\"]\n\tclean = \"{evil}\"\n\tprocess = \"{evil}\"\n"
                ),
            );
            let touch = |date: &str, path: &str| {
                let done = Command::new("touch")
                    .args(["-d", date, path])
                    .current_dir(scene.root())
                    .status();
                assert!(done.unwrap().success());
            };
            touch("2026-01-01", "src/main.rs");
            scene.git(
                &scene.root(),
                &[
                    "-c",
                    "filter.evil.clean=",
                    "-c",
                    "filter.evil.process=",
                    "update-index",
                    "-q",
                    "--refresh",
                ],
            );
            touch("2026-01-01", "src/main.rs");
            touch("2025-01-01", ".git/index");
        }),
        repository!("git", "an archive whose configuration names a monitor", |scene| {
            let evil = scene.evil("monitor");
            configured(
                scene,
                &format!("[core]\n\tfsmonitor = \"{evil}\"\n\tuntrackedCache = true\n"),
            );
        }),
        repository!("git", "an archive whose configuration checks signatures", |scene| {
            let evil = scene.evil("gpg");
            configured(
                scene,
                &format!("[log]\n\tshowSignature = true\n[gpg]\n\tprogram = \"{evil}\"\n"),
            );
        }),
        repository!("git", "an archive whose configuration names programs of all kinds", |scene| {
            let evil = scene.evil("program");
            configured(
                scene,
                &format!(
                    "[core]\n\tpager = \"{evil}\"\n\teditor = \"{evil}\"\n\tsshCommand = \"{evil}\"\n\taskPass = \"{evil}\"\n\talternateRefsCommand = \"{evil}\"\n[diff]\n\texternal = \"{evil}\"\n[credential]\n\thelper = \"!{evil}\"\n[alias]\n\tls-files = \"!{evil}\"\n\tdiff-files = \"!{evil}\"\n"
                ),
            );
        }),
        repository!("git", "an archive whose work tree is elsewhere", |scene| {
            configured(scene, &format!("[core]\n\tworktree = {}\n", scene.outside().display()));
        }),
        repository!("git", "an archive that fetches what is missing", |scene| {
            let evil = scene.evil("fetch");
            configured(
                scene,
                &format!(
                    "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::sh -c \"{evil}\"\n\tpromisor = true\n[protocol \"ext\"]\n\tallow = always\n"
                ),
            );
            let objects = scene.root().join(".git/objects");
            for folder in std::fs::read_dir(objects).unwrap().take(3) {
                let folder = folder.unwrap().path();
                if folder.file_name().unwrap().len() == 2 {
                    std::fs::remove_dir_all(folder).unwrap();
                }
            }
        }),
    ]
}

fn more_of_git() -> Vec<Repository> {
    vec![
        repository!("git", "an archive whose hooks run", |scene| {
            let evil = scene.evil("hook");
            configured(scene, "[core]\n\thooksPath = .githooks\n");
            for name in
                ["post-checkout", "post-index-change", "pre-commit", "reference-transaction"]
            {
                let path = format!(".githooks/{name}");
                write(&scene.root(), &path, &format!("#!/bin/sh\n{evil}\n"));
                let mode = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(scene.root().join(path), mode).unwrap();
            }
        }),
        repository!("git", "a nested repository with a monitor", |scene| {
            let evil = scene.evil("nested");
            scene.unpacked_with_git(|root| {
                let inner = root.join("vendor/lib");
                std::fs::create_dir_all(&inner).unwrap();
                scene.git(&inner, &["init", "-q"]);
                write(&inner, "a.md", "a\n");
                scene.git(&inner, &["add", "-A"]);
                scene.git(&inner, &["commit", "-q", "-m", "x"]);
                scene.git(root, &["add", "-A"]);
                scene.git(root, &["commit", "-q", "-m", "y"]);
                let path = inner.join(".git/config");
                let config = std::fs::read_to_string(&path).unwrap();
                std::fs::write(path, format!("{config}[core]\n\tfsmonitor = \"{evil}\"\n"))
                    .unwrap();
                write(&inner, "a.md", "changed\n");
            });
        }),
        repository!("git", "a .git file that leads elsewhere", |scene| {
            scene.git(&scene.outside(), &["init", "-q"]);
            scene.unpacked(|root| {
                write(root, ".git", &format!("gitdir: {}/.git\n", scene.outside().display()));
            });
            // Git's own answer about another repository is no secret; its files are.
            std::fs::remove_dir_all(scene.outside().join(".git")).unwrap();
        }),
        repository!("git", "a program called git, with . in the PATH", |scene| {
            let evil = scene.evil("path");
            scene.cloned(|root| {
                for name in ["git", "quipu", "sh"] {
                    write(root, name, &format!("#!/bin/sh\n{evil}\n"));
                    let mode = std::fs::Permissions::from_mode(0o755);
                    std::fs::set_permissions(root.join(name), mode).unwrap();
                }
            });
        }),
    ]
}

fn state() -> Vec<Repository> {
    vec![
        repository!("state", "a committed operation", |scene| {
            scene.cloned(|root| transaction(root, &scene.evil("tx")));
        }),
        repository!("state", "a committed operation in a bare folder", |scene| {
            scene.cloned(|root| {
                transaction(root, &scene.evil("tx"));
                bare(root, ".quipu");
            });
        }),
        repository!("state", "an operation in an archive", |scene| {
            scene.unpacked(|root| transaction(root, &scene.evil("tx")));
        }),
        repository!("state", "an operation in an archive with git", |scene| {
            scene.unpacked_with_git(|root| transaction(root, &scene.evil("tx")));
        }),
        repository!("state", "a committed undo", |scene| {
            scene.cloned(|root| undo(root, &scene.evil("undo")));
        }),
        repository!("state", "an undo in an archive with git", |scene| {
            scene.unpacked_with_git(|root| undo(root, &scene.evil("undo")));
        }),
        repository!("state", "a committed installation", |scene| {
            scene.cloned(|root| installation(root, &scene.evil("doctor")));
        }),
        repository!("state", "a committed installation in a bare folder", |scene| {
            scene.cloned(|root| {
                installation(root, &scene.evil("doctor"));
                bare(root, ".quipu");
            });
        }),
        repository!("state", "an installation in an archive with git", |scene| {
            scene.unpacked_with_git(|root| installation(root, &scene.evil("doctor")));
        }),
        repository!("state", "committed tokens in a bare folder", |scene| {
            scene.cloned(|root| {
                tokens(root);
                bare(root, ".quipu");
            });
        }),
        repository!("state", "tokens in an archive", |scene| scene.unpacked(tokens)),
        repository!("state", "sessions in an archive with git", |scene| {
            scene.unpacked_with_git(|root| sessions(root, &scene.base));
        }),
        repository!("state", "a committed id of a state folder", |scene| {
            scene.cloned(|root| write(root, ".quipu/state", "../../../../outside\n"));
        }),
        repository!("state", "a committed database", |scene| {
            scene.cloned(|root| write(root, ".quipu/quipu.db", "SQLite format 3\0 and nonsense"));
        }),
        repository!("state", "a committed dream", |scene| {
            scene.cloned(|root| write(root, ".quipu/dream.json", "{\"actions\":[]}"));
        }),
    ]
}

fn links() -> Vec<Repository> {
    vec![
        repository!("links", "notes", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory/notes"
        ))),
        repository!("links", "sessions", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory/sessions"
        ))),
        repository!("links", "archive", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory/archive"
        ))),
        repository!("links", "the memory folder", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "memory"
        ))),
        repository!("links", "continuity.md", |scene| scene.cloned(|root| link(
            scene.outside().join("continuity.md"),
            root,
            "memory/continuity.md"
        ))),
        repository!("links", "continuity.md to .env", |scene| scene.cloned(|root| {
            write(root, ".env", &format!("KEY={CANARY}\n"));
            link("../.env", root, "memory/continuity.md");
        })),
        repository!("links", "a session log", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "memory/sessions/2026-01-03-090000.md"
        ))),
        repository!("links", "MEMORY.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "MEMORY.md"
        ))),
        repository!("links", "LONGMEMORY.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "LONGMEMORY.md"
        ))),
        repository!("links", "USER.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "USER.md"
        ))),
        repository!("links", "a day of the journal", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "memory/2026-01-01.md"
        ))),
        repository!("links", "quipu.toml", |scene| scene.cloned(|root| link(
            scene.outside().join("credentials"),
            root,
            "quipu.toml"
        ))),
        repository!("links", ".quipu", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            ".quipu"
        ))),
        repository!("links", "the lock", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".quipu/lock"
        ))),
        repository!("links", "the id of the state folder", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".quipu/state"
        ))),
        repository!("links", "the layout's version", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".agent/version.md"
        ))),
        repository!("links", "a folder above a note", |scene| scene.cloned(|root| {
            write(root, "memory/notes/a.md", "a\n");
            link(scene.outside(), root, "memory/notes/deep");
        })),
        repository!("links", "the folder for topics", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            "tmp"
        ))),
    ]
}

fn links_of_others() -> Vec<Repository> {
    vec![
        repository!("links of others", "AGENTS.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "AGENTS.md"
        ))),
        repository!("links of others", "CLAUDE.md", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            "CLAUDE.md"
        ))),
        repository!("links of others", ".gitignore", |scene| scene.cloned(|root| link(
            scene.outside().join("secret.md"),
            root,
            ".gitignore"
        ))),
        repository!("links of others", "a folder of rules", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            ".cursor"
        ))),
        repository!("links of others", "settings of a client", |scene| scene.cloned(|root| link(
            scene.outside(),
            root,
            ".claude"
        ))),
        repository!("links of others", "documents", |scene| scene.cloned(|root| {
            link(scene.outside(), root, "docs/decisions");
            link(scene.outside().join("secret.md"), root, "docs/adr/0002-linked.md");
        })),
        repository!("links of others", "source files", |scene| scene.cloned(|root| {
            link(scene.outside().join("secret.md"), root, "src/lib.rs");
            link(scene.outside(), root, "src/inner");
        })),
        repository!("links of others", "manifests in an archive", |scene| scene.unpacked(|root| {
            link(scene.outside().join("credentials"), root, "Cargo.toml");
            link(scene.outside().join("credentials"), root, "package.json");
        })),
        repository!("links of others", "the list of waivers", |scene| scene.cloned(|root| link(
            "/dev/zero",
            root,
            ".agent/secret-scan-ignore"
        ))),
    ]
}

fn special_files() -> Vec<Repository> {
    vec![
        repository!("special files", "a pipe as continuity.md", |scene| scene
            .unpacked(|root| fifo(root, "memory/continuity.md"))),
        repository!("special files", "a pipe as a note", |scene| scene
            .unpacked(|root| fifo(root, "memory/notes/a.md"))),
        repository!("special files", "a pipe as a day", |scene| scene
            .unpacked(|root| fifo(root, "memory/2026-01-01.md"))),
        repository!("special files", "a pipe as the lock", |scene| scene
            .unpacked(|root| fifo(root, ".quipu/lock"))),
        repository!("special files", "a pipe as quipu.toml", |scene| scene
            .unpacked(|root| fifo(root, "quipu.toml"))),
        repository!("special files", "quipu.toml without end", |scene| scene.cloned(|root| link(
            "/dev/zero",
            root,
            "quipu.toml"
        ))),
        repository!("special files", "folders in place of files", |scene| scene.cloned(|root| {
            std::fs::remove_file(root.join("memory/continuity.md")).unwrap();
            for path in [
                "memory/continuity.md/a",
                "MEMORY.md/a",
                "quipu.toml/a",
                "USER.md/a",
                ".quipu/lock/a",
            ] {
                write(root, path, "a\n");
            }
        })),
    ]
}

fn settings_files() -> Vec<Repository> {
    vec![
        repository!("settings", "an endpoint for every prompt", |scene| settings(
            scene,
            "[embedding]\nprovider = \"endpoint\"\nurl = \"http://127.0.0.1:9/v1/embeddings\"\nmodel = \"x\"\n"
        )),
        repository!("settings", "a judge elsewhere", |scene| settings(
            scene,
            "[judge]\nurl = \"http://127.0.0.1:9/v1/chat\"\nmodel = \"x\"\n"
        )),
        repository!("settings", "a model in another folder", |scene| settings(
            scene,
            "[embedding]\nprovider = \"transformer\"\nfolder = \"../outside\"\n"
        )),
        repository!("settings", "journal files outside", |scene| settings(
            scene,
            "[continuity]\nlongMemoryPath = \"../outside/secret.md\"\nmemoryArchivePath = \"../outside/archive.md\"\nexperienceStorePath = \"../outside/e.json\"\n"
        )),
        repository!("settings", "notes outside", |scene| settings(
            scene,
            "[memoryTool]\nfolder = \"../outside\"\n"
        )),
        repository!("settings", "notes in git's folder", |scene| settings(
            scene,
            "[memoryTool]\nfolder = \".git/hooks\"\n"
        )),
        repository!("settings", "a server for everybody", |scene| settings(
            scene,
            "[serve]\nlisten = \"0.0.0.0:0\"\nhosts = [\"*\"]\norigins = [\"*\"]\n"
        )),
        repository!("settings", "no guard", |scene| settings(
            scene,
            "[guard]\nmode = \"off\"\nsecrets = \"allow\"\n[lint]\nallow = [\"*\"]\n"
        )),
    ]
}

/// Ways to steer a terminal, and to hide words from a reader.
const ESCAPES: &str =
    "\u{1b}]52;c;ZXZpbA==\u{7} \u{1b}[2J \u{9b}31m \u{202e}live \u{e0041} \u{8}\u{8}\r hidden";

/// Writes as many facts as `lines` gives, each with its footer.
fn facts(root: &Path, lines: impl Iterator<Item = (String, String)>) {
    let mut text = "# Continuity\n\n## Key Decisions\n\n".to_owned();
    for (id, more) in lines {
        let _ = writeln!(
            text,
            "- Fact {id} of the server\n  <!-- id: {id} | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | {more} -->"
        );
    }
    write(root, "memory/continuity.md", &text);
}

fn texts() -> Vec<Repository> {
    vec![
        repository!("texts", "escapes in every file", |scene| {
            scene.cloned(|root| {
            let fact = CONTINUITY.replace("Hello", &format!("Hello {ESCAPES}"));
            write(root, "memory/continuity.md", &fact);
            write(root, "USER.md", &format!("# Ada {ESCAPES}\n"));
            write(root, "MEMORY.md", &format!("# Memory\n\n{ESCAPES} secret key server\n"));
            write(root, "memory/notes/a.md", &format!("# {ESCAPES}\n\nsecret key {ESCAPES}\n"));
            write(root, "memory/sessions/2026-01-03-090000.md", &format!("# {ESCAPES}\n\n## What We Did\n\n- {ESCAPES}\n\n## Memory References\n- Referenced: hello\n"));
            write(root, "quipu.toml", &format!("\"{}\" = 1\n[guard]\nmode = \"off\"\n", ESCAPES.escape_unicode()));
            write(root, "docs/adr/0002-x.md", &format!("# 2. {ESCAPES}\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use {ESCAPES}.\n"));
        });
        }),
        repository!("texts", "many headings of one name", |scene| scene.cloned(|root| {
            let headings = "\n## Key Decisions\n\nwords about a key\n".repeat(2000);
            write(root, "memory/continuity.md", &format!("{CONTINUITY}{headings}"));
            write(root, "memory/notes/a.md", &headings);
        })),
        repository!("texts", "a chain of superseded facts", |scene| scene.cloned(|root| {
            facts(
                root,
                (0..400).map(|n| {
                    (
                        format!("f-{n}"),
                        format!("tier: superseded | superseded-by: f-{}", (n + 1) % 400),
                    )
                }),
            );
        })),
        repository!("texts", "comments without an end", |scene| scene.cloned(|root| {
            write(
                root,
                "memory/continuity.md",
                &format!("{CONTINUITY}{}", "- x <!-- id: y | \n".repeat(3000)),
            );
        })),
        repository!("texts", "a line of a megabyte", |scene| scene.cloned(|root| {
            write(root, "memory/notes/a.md", &"password=hunter2 key ".repeat(50_000));
        })),
    ]
}

fn branches() -> Vec<Repository> {
    vec![
        repository!("branches", "a branch with an operation", |scene| scene
            .pulled(|root| transaction(root, &scene.evil("tx")))),
        repository!("branches", "a branch with an undo", |scene| scene
            .pulled(|root| undo(root, &scene.evil("undo")))),
        repository!("branches", "a branch with tokens and sessions", |scene| scene.pulled(
            |root| {
                tokens(root);
                sessions(root, &scene.base);
                installation(root, &scene.evil("doctor"));
            }
        )),
        repository!("branches", "a branch with another state", |scene| scene.pulled(|root| write(
            root,
            ".quipu/state",
            "abcdefghijklmnopqrstuvwxyz\n"
        ))),
        repository!("branches", "a branch with links", |scene| scene.pulled(|root| {
            link(scene.outside(), root, "memory/notes");
            link(scene.outside().join("secret.md"), root, "USER.md");
        })),
    ]
}
