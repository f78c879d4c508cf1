//! `quipu demo`: a small, real story, one screen after another. Every step is a command that is run for
//! real, through the same code as when it is typed.

use std::fmt::Write as _;
use std::path::Path;

use quipu_core::text;
use serde_json::json;

use crate::cli::{Command, Global};
use crate::context::Context;
use crate::error::CommandError;
use crate::grammar::{self, What};
use crate::layout;
use crate::output;
use crate::reply::{BOLD, DIM, GREEN, Reply, styled};

/// A step of the story.
enum Step {
    /// Something to say.
    Say(&'static str),
    /// A command to show and run, at a time.
    Run(&'static str, &'static [&'static str]),
    /// A session that passes without being shown: time, agent, what was done, facts used.
    Pass(&'static str, &'static str, &'static str, &'static str),
    /// Short windows, so that weeks fit into a minute.
    ShortWindows,
}

use Step::{Pass, Run, Say, ShortWindows};

const STORY: &[Step] = &[
    Say(
        "pigeon-post tracks parcels. Four agents from four vendors work on it; its memory is in its repo.",
    ),
    Run("2026-03-02T09:00:00Z", &["init", "--project", "pigeon-post"]),
    ShortWindows,
    Say(
        "Monday, Claude Code. It learns things and writes them down; the session log is the ledger.",
    ),
    Run("2026-03-02T09:05:00Z", &["session", "start", "--agent", "Claude Code"]),
    Run(
        "2026-03-02T09:10:00Z",
        &[
            "fact",
            "add",
            "Scan events are append-only; a correction is a new event",
            "--section",
            "Architectural Invariants",
            "--id",
            "inv-events-append-only",
        ],
    ),
    Run(
        "2026-03-02T09:15:00Z",
        &[
            "fact",
            "add",
            "Carriers are polled every 15 minutes for new scans",
            "--id",
            "polling-every-15min",
        ],
    ),
    Run(
        "2026-03-02T09:20:00Z",
        &[
            "fact",
            "add",
            "Every merge adds one line to the changelog",
            "--section",
            "Conventions",
            "--id",
            "changelog-per-merge",
        ],
    ),
    Run(
        "2026-03-02T09:25:00Z",
        &[
            "thread",
            "open",
            "Get sandbox access at the second carrier",
            "--id",
            "ot-carrier-sandbox",
        ],
    ),
    Run("2026-03-02T10:00:00Z", &["session", "end", "--did", "Set up the tracker"]),
    Say("The week goes on. Codex closes the thread; nobody needs the changelog rule."),
    Pass(
        "2026-03-03T10:00:00Z",
        "Codex",
        "Sandbox access is here, ot-carrier-sandbox is done",
        "ot-carrier-sandbox",
    ),
    Pass("2026-03-04T10:00:00Z", "Gemini CLI", "Tuned the poller", "polling-every-15min"),
    Pass("2026-03-05T10:00:00Z", "Cursor", "Rewrote the tracking page", "inv-events-append-only"),
    Say(
        "Friday, a decision is reversed. Quipu sees the conflict and never picks a winner: the agent chooses.",
    ),
    Run("2026-03-06T09:00:00Z", &["session", "start", "--agent", "Claude Code"]),
    Run(
        "2026-03-06T09:10:00Z",
        &[
            "fact",
            "add",
            "Carriers push scans to us by webhook instead of being polled every 15 minutes",
            "--id",
            "carrier-webhooks-first",
        ],
    ),
    Run(
        "2026-03-06T09:11:00Z",
        &[
            "fact",
            "add",
            "Carriers push scans to us by webhook instead of being polled every 15 minutes",
            "--id",
            "carrier-webhooks-first",
            "--supersedes",
            "polling-every-15min",
        ],
    ),
    Run(
        "2026-03-06T10:00:00Z",
        &["session", "end", "--decided", "Webhooks, polling only as a fallback"],
    ),
    Pass("2026-03-09T10:00:00Z", "Codex", "Signed the webhooks", "carrier-webhooks-first"),
    Say(
        "Time for a review. It counts session files, nothing else; any agent on any vendor gets these numbers.",
    ),
    Run("2026-03-10T09:00:00Z", &["why", "changelog-per-merge"]),
    Run("2026-03-10T09:05:00Z", &["review"]),
    Run("2026-03-10T09:10:00Z", &["lint"]),
    Say(
        "Nothing is lost. A month later somebody needs the changelog rule: opening it is a use, and it comes back.",
    ),
    Run("2026-04-10T09:00:00Z", &["session", "start", "--agent", "Gemini CLI"]),
    Run("2026-04-10T09:05:00Z", &["show", "changelog-per-merge"]),
    Run("2026-04-10T10:00:00Z", &["session", "end", "--did", "Prepared the release"]),
    Say(
        "And whoever comes next just asks. The answer is what holds now, with what it replaced and why it ranks there.",
    ),
    Run(
        "2026-04-10T10:02:00Z",
        &[
            "remember",
            "The carrier's test webhook retries for ten minutes, then gives up",
            "-c",
            "learned",
        ],
    ),
    Run(
        "2026-04-10T10:03:00Z",
        &["recall", "how do we get scans from carriers?", "-k", "3", "--explain"],
    ),
    Run("2026-04-10T10:05:00Z", &["fact", "list"]),
    Run("2026-04-10T10:10:00Z", &["lint"]),
];

pub(crate) fn run(context: &Context) -> Result<Reply, CommandError> {
    let failed =
        |error: std::io::Error| CommandError::input("io", format!("cannot run the demo: {error}"));
    let folder = tempfile::Builder::new().prefix("quipu-demo-").tempdir().map_err(failed)?;
    let root = folder.path().join("pigeon-post");
    std::fs::create_dir(&root).map_err(failed)?;
    let mut transcript = Vec::new();
    let mut tour = Tour::new(context);
    for step in STORY {
        match step {
            Say(words) => {
                if !tour.goes_on().map_err(failed)? {
                    break;
                }
                let words = layout::lines(words, layout::width().min(WIDEST)).join("\n");
                print(context, &format!("\n{}\n", styled(BOLD, words))).map_err(failed)?;
            }
            Run(at, arguments) => {
                let gap = if tour.is_shown { "\n" } else { "" };
                let line = styled(GREEN, command_line(arguments));
                print(context, &format!("{gap}{line}\n")).map_err(failed)?;
                let reply = execute(&root, at, arguments)?;
                print(context, &tour.shortened(&reply.text)).map_err(failed)?;
                transcript
                    .push(json!({ "command": arguments, "exit": reply.exit, "reply": reply.json }));
            }
            Pass(at, agent, did, used) => {
                execute(&root, at, &["session", "start", "--agent", agent])?;
                if did.contains("is done") {
                    execute(&root, at, &["thread", "close", used])?;
                }
                execute(&root, at, &["session", "end", "--did", did, "--ref", used])?;
                print(context, &format!("  {} {agent}: {did}\n", styled(DIM, &at[..10])))
                    .map_err(failed)?;
            }
            ShortWindows => shorten_windows(&root).map_err(failed)?,
        }
    }
    // Left behind on purpose: the reader may want to look around.
    let kept = folder.keep().join("pigeon-post");
    let text = format!(
        "\nThe folder is {}. Read memory/continuity.md in it, or try\n  \
         quipu -C {0} undo --list\n  \
         quipu -C {0} show polling-every-15min\n\
         In your own repo:\n  \
         quipu init                   set up a memory (nothing is committed)\n  \
         quipu remember TEXT          keep something\n  \
         quipu recall QUESTION        ask for it\n",
        kept.display()
    );
    Ok(Reply::new(text, json!({ "folder": kept, "steps": transcript })))
}

/// The widest lines of the story.
const WIDEST: usize = 100;

/// The number of lines shown of each answer where stdout is not a terminal.
const FEW_LINES: usize = 2;

/// Shows one screen after another on a terminal, and a short text elsewhere.
struct Tour {
    is_shown: bool,
    screen: usize,
    /// So many lines of an answer fit on a screen.
    most: usize,
}

impl Tour {
    fn new(context: &Context) -> Self {
        let is_shown = output::is_terminal() && output::is_watched() && !context.global.json;
        let height = usize::from(console::Term::stderr().size().0);
        let most = if is_shown { height.saturating_sub(8).max(8) } else { FEW_LINES };
        Self { is_shown, screen: 0, most }
    }

    /// Waits until the person has read a screen, and begins the next one. Returns whether they go on.
    fn goes_on(&mut self) -> std::io::Result<bool> {
        self.screen += 1;
        if !self.is_shown {
            return Ok(true);
        }
        if self.screen > 1 {
            let screens = STORY.iter().filter(|step| matches!(step, Say(_))).count();
            let place =
                format!("\n[{} of {screens}] Enter goes on, q ends the tour ", self.screen - 1);
            output::err(&styled(DIM, place))?;
            let mut answer = String::new();
            let read = std::io::stdin().read_line(&mut answer)?;
            if read == 0 || answer.trim().eq_ignore_ascii_case("q") {
                return Ok(false);
            }
        }
        console::Term::stderr().clear_screen()?;
        Ok(true)
    }

    /// Returns the lines of an answer that there is room for.
    fn shortened(&self, text: &str) -> String {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        if lines.len() <= self.most {
            return text.to_owned();
        }
        let mut shown = lines[..self.most].join("\n");
        let more = text::counted(lines.len() - self.most, "more line");
        let _ = write!(shown, "\n{}\n", styled(DIM, format!("… {more}")));
        shown
    }
}

fn print(context: &Context, text: &str) -> std::io::Result<()> {
    if context.global.json { Ok(()) } else { output::out(text) }
}

fn command_line(arguments: &[&str]) -> String {
    let quoted = |word: &&str| {
        if word.contains([' ', ';']) { format!("\"{word}\"") } else { (*word).to_owned() }
    };
    format!("$ quipu {}", arguments.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// Runs a command line in the demo's folder, at a given time.
fn execute(root: &Path, at: &str, arguments: &[&str]) -> Result<Reply, CommandError> {
    let folder = root.to_string_lossy();
    let line = ["quipu", "-C", &folder, "--now", at].into_iter().chain(arguments.iter().copied());
    let line = grammar::parse_from(line).map_err(|error| CommandError::usage(error.to_string()))?;
    if matches!(line.what, What::Command(Command::Demo)) {
        return Err(CommandError::usage("the demo does not run itself"));
    }
    // What the caller's environment says is meant for the caller's own memory.
    let global = Global { session: None, today: None, ..line.global };
    super::run_caught(line.what, &Context::new(global))
}

fn shorten_windows(root: &Path) -> std::io::Result<()> {
    let policy = "# Memory Policy\n\n- working_window: 1\n- active_window: 2\n- archive_window: 4\n\
                  - review_every: 6\n";
    std::fs::write(root.join("memory/decay-policy.md"), policy)
}
