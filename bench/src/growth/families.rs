//! What a repository can hold much of: each family is one kind of input, as large as one likes.

use std::fmt::Write as _;

use crate::ledger::Numbers;

/// One kind of input.
pub(crate) struct Family {
    /// Its name.
    pub(crate) name: &'static str,
    /// What there are many of.
    pub(crate) about: &'static str,
    /// Up to which size it is measured.
    pub(crate) most: usize,
    /// The file that it is about.
    pub(crate) main: &'static str,
    /// Returns the files of the workspace at a size: path and text.
    pub(crate) files: fn(usize) -> Vec<(String, String)>,
}

const CONTINUITY: &str = "memory/continuity.md";
const QUARTER: &str = "memory/archive/2026-Q1.md";
const LOG: &str = "memory/sessions/2026-05-01-100000.md";
const PAGE: &str = "memory/handbook.md";
/// A harvest reads no documents of the memory itself.
const GUIDE: &str = "docs/handbook.md";
const DAY: &str = "memory/2026-05-01.md";

/// So many of the larger things are measured.
const MANY: usize = 100_000;

/// All families, those of the findings first.
pub(crate) const ALL: [Family; 36] = [
    family("chain", "live facts, each superseded by the next", CONTINUITY, chain),
    family("cycle", "facts superseded in a circle", CONTINUITY, cycle),
    family("star", "facts superseded by one and the same", CONTINUITY, star),
    family("archived-chain", "archived facts, each superseded by the next", QUARTER, old_chain),
    family("secrets", "lines that hold a credential", PAGE, secrets),
    family("headings", "headings, each another", PAGE, headings),
    family("same-headings", "headings of one name", PAGE, same_headings),
    family("headings-of-facts", "headings, each with a fact", CONTINUITY, headings_of_facts),
    family("facts", "facts in one file", CONTINUITY, facts),
    family("archive", "archived facts in one file", QUARTER, archive),
    family("used-archive", "archived facts that one session names again", QUARTER, used_archive),
    family("comments", "comments that never close, one a line", CONTINUITY, comments),
    family(
        "comments-in-line",
        "comments that never close, in one line",
        CONTINUITY,
        comments_in_line,
    ),
    family("footers-in-line", "footers in one line", CONTINUITY, footers_in_line),
    family("faded", "facts that a review archives", CONTINUITY, faded),
    family("alike", "facts that differ by a number", CONTINUITY, alike),
    family("same-words", "facts with the same words", CONTINUITY, same_words),
    family("same-id", "facts of one id", CONTINUITY, same_id),
    family("threads", "open threads", CONTINUITY, threads),
    family("done-threads", "threads that are done", CONTINUITY, done_threads),
    family("invariants", "invariants", CONTINUITY, invariants),
    Family {
        most: 4000,
        ..family("nested", "facts, each inside the one before", CONTINUITY, nested)
    },
    family("flat-nest", "facts inside one fact", CONTINUITY, flat_nest),
    family("quoted", "footers quoted as code", CONTINUITY, quoted),
    family("fields", "fields in one footer", CONTINUITY, fields),
    family("fences", "code fences", PAGE, fences),
    family("open-fences", "code fences that nothing closes", PAGE, open_fences),
    family("rules", "sentences that a harvest proposes", GUIDE, rules),
    family("words-in-line", "words in one line", PAGE, words_in_line),
    family("blank-lines", "blank lines below list items", CONTINUITY, blank_lines),
    Family { most: 20_000, ..family("sessions", "session logs", LOG, sessions) },
    family("references", "facts named by one session log", LOG, references),
    family("records", "records in one day", DAY, records),
    family("decided", "decisions about one record", DAY, decided),
    family("record-chain", "records, each superseding the one before", DAY, record_chain),
    Family { most: 20_000, ..family("pages", "pages", PAGE, pages) },
];

const fn family(
    name: &'static str,
    about: &'static str,
    main: &'static str,
    files: fn(usize) -> Vec<(String, String)>,
) -> Family {
    Family { name, about, most: MANY, main, files }
}

const HEAD: &str =
    "# Continuity\n\n## Project State\n\n- **last_review:** (none yet)\n\n## Key Decisions\n\n";

/// The fact that every workspace has, to ask about.
pub(crate) const KNOWN: &str = "known-fact";

const KNOWN_FACT: &str = "- The parcel service answers within a second.\n  <!-- id: known-fact | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->\n";

const WORDS: [&str; 24] = [
    "queue", "retries", "export", "stream", "parcel", "carrier", "webhook", "index", "cache",
    "schema", "release", "token", "thread", "ledger", "policy", "window", "harbour", "lantern",
    "gravel", "copper", "meadow", "timber", "saddle", "velvet",
];

/// Returns words that belong to a number, most of them rare.
fn words(numbers: &mut Numbers, number: usize) -> String {
    let some: Vec<&str> = (0..7).map(|_| WORDS[numbers.below(WORDS.len())]).collect();
    format!("{} unit{number} {}", some[..4].join(" "), some[4..].join(" "))
}

fn footer(id: &str, tier: &str, more: &str) -> String {
    format!(
        "  <!-- id: {id} | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: {tier}{more} -->\n"
    )
}

/// Returns `n` pieces of text, one after the other.
fn repeat(n: usize, piece: impl Fn(&mut Numbers, usize) -> String) -> String {
    let mut numbers = Numbers(11);
    (0..n).fold(String::new(), |mut text, number| {
        text.push_str(&piece(&mut numbers, number));
        text
    })
}

fn file(path: &str, text: impl Into<String>) -> (String, String) {
    (path.to_owned(), text.into())
}

/// A workspace whose continuity file holds this below its decisions.
fn continuity(body: &str) -> Vec<(String, String)> {
    vec![file(CONTINUITY, format!("{HEAD}{KNOWN_FACT}{body}")), log()]
}

/// A workspace with a small continuity file and another file.
fn beside(path: &str, text: String) -> Vec<(String, String)> {
    let mut files = continuity("");
    files.retain(|(known, _)| known != path);
    files.push((path.to_owned(), text));
    files
}

fn log() -> (String, String) {
    file(
        LOG,
        "# Session\n\n## What We Did\n\n- Looked at the parcel service.\n\n## Memory References\n\n- Referenced: known-fact\n",
    )
}

fn linked(n: usize, last: impl Fn(usize) -> Option<usize>) -> String {
    repeat(n, |numbers, number| {
        let (tier, more) = match last(number) {
            Some(next) => ("superseded", format!(" | superseded-by: link-{next}")),
            None => ("active", String::new()),
        };
        let words = words(numbers, number);
        format!("- {words}\n{}", footer(&format!("link-{number}"), tier, &more))
    })
}

fn chain(n: usize) -> Vec<(String, String)> {
    continuity(&linked(n, |number| (number + 1 < n).then_some(number + 1)))
}

fn cycle(n: usize) -> Vec<(String, String)> {
    continuity(&linked(n, |number| Some((number + 1) % n)))
}

fn star(n: usize) -> Vec<(String, String)> {
    continuity(&linked(n, |number| (number > 0).then_some(0)))
}

fn quarter(body: &str) -> Vec<(String, String)> {
    let rows: String = body
        .match_indices("<!-- id: ")
        .map(|(at, mark)| body[at + mark.len()..].split(' ').next().unwrap_or_default())
        .fold(String::from("# Archive Index\n\n"), |mut text, id| {
            let _ =
                writeln!(text, "- {id} — what it said — faded (22 sessions unused) — 2026-Q1.md");
            text
        });
    let mut files = beside(
        QUARTER,
        format!(
            "# Archive — 2026-Q1\n\n## 2026-03-01 — archived (faded)\n\n### From Key Decisions\n\n{body}"
        ),
    );
    files.push(file("memory/archive/INDEX.md", rows));
    files
}

fn old_chain(n: usize) -> Vec<(String, String)> {
    quarter(&linked(n, |number| (number + 1 < n).then_some(number + 1)))
}

fn secrets(n: usize) -> Vec<(String, String)> {
    let line = |_: &mut Numbers, number: usize| {
        format!(
            "- deploy with password = \"Zq7{number:06}xKw9\" and hand@host{number}.example.org\n"
        )
    };
    beside(PAGE, format!("# Handbook\n\n{}", repeat(n, line)))
}

fn headings(n: usize) -> Vec<(String, String)> {
    let section = |numbers: &mut Numbers, number: usize| {
        let words = words(numbers, number);
        format!("{} Part {number}\n\n{words}\n\n", "#".repeat(2 + number % 3))
    };
    beside(PAGE, format!("# Handbook\n\n{}", repeat(n, section)))
}

fn same_headings(n: usize) -> Vec<(String, String)> {
    let section = |numbers: &mut Numbers, number: usize| {
        format!("## Notes\n\n{}\n\n", words(numbers, number))
    };
    beside(PAGE, format!("# Handbook\n\n{}", repeat(n, section)))
}

fn headings_of_facts(n: usize) -> Vec<(String, String)> {
    continuity(&repeat(n, |numbers, number| {
        let words = words(numbers, number);
        format!(
            "## Part {number}\n\n- {words}\n{}",
            footer(&format!("fact-{number}"), "active", "")
        )
    }))
}

fn each_fact(n: usize, tier: &str) -> String {
    repeat(n, |numbers, number| {
        let words = words(numbers, number);
        format!("- {words}\n{}", footer(&format!("fact-{number}"), tier, ""))
    })
}

fn facts(n: usize) -> Vec<(String, String)> {
    continuity(&each_fact(n, "active"))
}

fn archive(n: usize) -> Vec<(String, String)> {
    quarter(&each_fact(n, "archived"))
}

fn used_archive(n: usize) -> Vec<(String, String)> {
    let mut files = quarter(&each_fact(n, "archived"));
    files.retain(|(path, _)| path != LOG);
    files.push(file(LOG, names(n)));
    files
}

fn names(n: usize) -> String {
    let listed = repeat(n, |_, number| format!(", fact-{number}"));
    format!(
        "# Session\n\n## What We Did\n\n- Looked.\n\n## Memory References\n\n- Referenced: known-fact{listed}\n"
    )
}

fn comments(n: usize) -> Vec<(String, String)> {
    continuity(&repeat(n, |_, number| {
        format!("- Words\n  <!-- id: open-{number} | tier: active\n")
    }))
}

fn comments_in_line(n: usize) -> Vec<(String, String)> {
    continuity(&format!("- Words {}\n", repeat(n, |_, number| format!("<!-- id: open-{number} "))))
}

fn footers_in_line(n: usize) -> Vec<(String, String)> {
    let one =
        |_: &mut Numbers, number: usize| format!("<!-- id: side-{number} | tier: active --> ");
    continuity(&format!("- Words {}\n", repeat(n, one)))
}

/// Facts that nobody used for long: many sessions follow their last use.
fn faded(n: usize) -> Vec<(String, String)> {
    let old = |numbers: &mut Numbers, number: usize| {
        format!(
            "- {}\n  <!-- id: fact-{number} | created: 2020-01-01 | tier: active -->\n",
            words(numbers, number)
        )
    };
    let mut files = continuity(&repeat(n, old));
    for day in 1..=60 {
        let name =
            format!("memory/sessions/2026-{:02}-{:02}-090000.md", 1 + day / 28, 1 + day % 28);
        files.push(file(&name, "# Session\n\n## Memory References\n\n- Referenced: known-fact\n"));
    }
    files
}

fn alike(n: usize) -> Vec<(String, String)> {
    continuity(&repeat(n, |_, number| {
        let fact = footer(&format!("fact-{number}"), "active", "");
        format!("- The zeppelin hangar gate opens after {number} minutes.\n{fact}")
    }))
}

fn same_words(n: usize) -> Vec<(String, String)> {
    continuity(&repeat(n, |_, number| {
        let fact = footer(&format!("fact-{number}"), "active", "");
        format!("- The zeppelin hangar gate opens at noon.\n{fact}")
    }))
}

fn same_id(n: usize) -> Vec<(String, String)> {
    continuity(&repeat(n, |numbers, number| {
        format!("- {}\n{}", words(numbers, number), footer("the-same", "active", ""))
    }))
}

fn boxes(n: usize, mark: &str) -> Vec<(String, String)> {
    let body = repeat(n, |numbers, number| {
        let words = words(numbers, number);
        format!("- [{mark}] {words}\n{}", footer(&format!("ot-{number}"), "active", ""))
    });
    continuity(&format!("\n## Open Threads\n\n{body}"))
}

fn threads(n: usize) -> Vec<(String, String)> {
    boxes(n, " ")
}

fn done_threads(n: usize) -> Vec<(String, String)> {
    boxes(n, "x")
}

fn invariants(n: usize) -> Vec<(String, String)> {
    continuity(&format!("\n## Architectural Invariants\n\n{}", each_fact(n, "core")))
}

fn nested(n: usize) -> Vec<(String, String)> {
    // The indentation of deep items is most of the bytes, so the depth is the root of the size.
    let depth = (0..=n).take_while(|depth| depth * depth <= n * 64).count();
    continuity(&repeat(depth, |_, number| {
        let white = " ".repeat(number);
        format!("{white}- w{number}\n{white} <!-- id: deep-{number} | uses: 1 -->\n")
    }))
}

fn flat_nest(n: usize) -> Vec<(String, String)> {
    let inner = repeat(n, |numbers, number| {
        let words = words(numbers, number);
        format!("  - {words}\n    <!-- id: inner-{number} | tier: active -->\n")
    });
    continuity(&format!("- Outer\n{inner}{}", footer("outer-fact", "active", "")))
}

fn quoted(n: usize) -> Vec<(String, String)> {
    let one = |_: &mut Numbers, number: usize| {
        format!("  `<!-- id: quote-{number} | tier: active -->`\n")
    };
    continuity(&format!("- Words\n{}{}", repeat(n, one), footer("holder-fact", "superseded", "")))
}

fn fields(n: usize) -> Vec<(String, String)> {
    let more = repeat(n, |_, number| format!(" | key{number}: value"));
    continuity(&format!("- Words\n{}", footer("wide-fact", "active", &more)))
}

fn fences(n: usize) -> Vec<(String, String)> {
    let fence = |_: &mut Numbers, number: usize| format!("Text.\n\n```sh\nrun {number}\n```\n\n");
    beside(PAGE, format!("# Handbook\n\n{}", repeat(n, fence)))
}

fn words_in_line(n: usize) -> Vec<(String, String)> {
    let text = repeat(n, |numbers, number| format!("{} ", words(numbers, number)));
    beside(PAGE, format!("# Handbook\n\n{text}\n"))
}

fn blank_lines(n: usize) -> Vec<(String, String)> {
    // As many items that are open at once as there are blank lines below them.
    let depth = (0..=n).take_while(|depth| depth * depth <= n * 4).count();
    let items = repeat(depth, |_, number| format!("{}- w{number}\n", " ".repeat(number)));
    continuity(&format!("{items}{}", "\n".repeat(n)))
}

fn sessions(n: usize) -> Vec<(String, String)> {
    let mut files = continuity("");
    let mut numbers = Numbers(3);
    for number in 0..n {
        let (day, rest) = (number / 24, number % 24);
        let (year, month, day) = (2001 + day / 336, 1 + day % 336 / 28, 1 + day % 28);
        let name = format!("memory/sessions/{year}-{month:02}-{day:02}-{rest:02}0000.md");
        let did = words(&mut numbers, number);
        files.push(file(&name, format!("# Session\n\n## What We Did\n\n- {did}\n\n## Memory References\n\n- Referenced: known-fact\n")));
    }
    files
}

fn references(n: usize) -> Vec<(String, String)> {
    beside(LOG, names(n))
}

fn rules(n: usize) -> Vec<(String, String)> {
    let rule = |numbers: &mut Numbers, number: usize| {
        let words = words(numbers, number);
        format!("- We decided to use the {words} because retries must never block.\n")
    };
    beside(GUIDE, format!("# Handbook\n\n## Decisions\n\n{}", repeat(n, rule)))
}

fn open_fences(n: usize) -> Vec<(String, String)> {
    // What is said behind the marks keeps each from closing the one before.
    beside(
        PAGE,
        format!("# Handbook\n\n{}", repeat(n, |_, number| format!("```sh{number}\nrun\n\n"))),
    )
}

fn record(number: usize, words: &str, more: &str) -> String {
    let (hour, minute) = (number / 60 % 24, number % 60);
    format!(
        "- {{\"id\":\"rec-{number}\",\"sessionId\":\"s1\",\"category\":\"note\",\"text\":\"{words}\",\"provenance\":{{\"sourceChannel\":\"cli\",\"confidence\":0.8,\"timestamp\":\"2026-05-01T{hour:02}:{minute:02}:00.000Z\",\"sensitivity\":\"private\"}}{more}}}\n"
    )
}

fn day(body: &str) -> Vec<(String, String)> {
    beside(DAY, format!("# 2026-05-01\n\n{body}"))
}

fn records(n: usize) -> Vec<(String, String)> {
    day(&repeat(n, |numbers, number| record(number, &words(numbers, number), "")))
}

fn decided(n: usize) -> Vec<(String, String)> {
    let decision = |_: &mut Numbers, number: usize| {
        let more = r#","target":"rec-0","decision":{"op":"tag","add":["blue"]}"#;
        match number {
            0 => record(0, "The harbour is open.", ""),
            _ => record(number, "why", more).replace("\"note\"", "\"lifecycle\""),
        }
    };
    day(&repeat(n, decision))
}

fn record_chain(n: usize) -> Vec<(String, String)> {
    day(&repeat(n, |numbers, number| {
        let more = format!(",\"supersedes\":\"rec-{}\"", number.saturating_sub(1));
        record(number, &words(numbers, number), if number == 0 { "" } else { &more })
    }))
}

fn pages(n: usize) -> Vec<(String, String)> {
    let mut files = beside(PAGE, "# Handbook\n\nWords.\n".to_owned());
    let mut numbers = Numbers(5);
    for number in 0..n {
        let text = format!("# Page {number}\n\n{}\n", words(&mut numbers, number));
        files.push(file(&format!("memory/page-{number}.md"), text));
    }
    files
}
