//! Memory folders that nobody would write, and some that people do.

use proptest::collection::vec;
use proptest::prelude::*;
use quipu_core::memory::Snapshot;

/// The ids that generated folders use; few, so that they meet.
pub const IDS: [&str; 8] = [
    "post-only-mutations",
    "webhook-fire-forget",
    "stack-go-postgres",
    "ot-carrier-sandbox",
    "ot-retention",
    "inv-events-append-only",
    "golden-payloads",
    "times-are-utc",
];

/// Text with everything that breaks naive tools.
pub fn odd_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\u{feff}".to_owned()),
        Just("<!-- id: a-b | created: 2026-01-01 | uses: 3 | tier: active -->".to_owned()),
        Just("<!-- id: c-d |".to_owned()),
        Just("-->".to_owned()),
        Just("- [ ] thread".to_owned()),
        Just("  - [x] done".to_owned()),
        Just("\t* item".to_owned()),
        Just("## Memory References".to_owned()),
        Just("## Architectural Invariants".to_owned()),
        Just("```".to_owned()),
        Just("| a | b |".to_owned()),
        Just("- **last_review:** 2026-06-20 | through 2026-06-20-170000".to_owned()),
        Just("- working_window: 3".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("é 🐦 \u{2028}".to_owned()),
        Just("x".repeat(5000)),
        "[ -~]{0,12}",
        any::<String>(),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Exports are streamed, never built in memory".to_owned()),
        Just("**Bold** start, then `code` and a | bar".to_owned()),
        Just("Zeilen mit Ümläuten und 🐦".to_owned()),
        Just("long ".repeat(300)),
        "[A-Za-z][a-z ]{0,20}[a-z]",
    ]
}

/// How a fact is written.
fn fact(id: &'static str) -> impl Strategy<Value = String> {
    let label = prop_oneof![
        Just("working"),
        Just("active"),
        Just("archive-candidate"),
        Just("core"),
        Just("superseded"),
        Just("odd"),
    ];
    let extra = prop_oneof![
        5 => Just(""),
        1 => Just(" | tier-by: human"),
        1 => Just(" | note: keep me"),
        1 => Just(" | origin: 2026-01-01-000000"),
        1 => Just(" | uses: 7"),
    ];
    let date = prop_oneof![Just("2026-05-01"), Just("2026-05-10"), Just("2026-05-20")];
    (words(), label, extra, date, 0..9_u8).prop_map(move |(words, label, extra, date, form)| {
        let footer = format!(
            "<!-- id: {id} | created: {date} | last_used: {date} | uses: 1 | tier: {label}{extra} -->"
        );
        match form {
            0 => format!("- {words}\n  {footer}\n"),
            1 => format!("- [ ] {words}\n  - [x] child\n  {footer}\n"),
            2 => format!("- [x] {words}\n  more of it\n\n  and more\n  {footer}\n"),
            3 => format!("{words}\n{footer}\n\n"),
            4 => format!("- {words} {footer}\n"),
            5 => format!("- {words}\n\n  | a | b |\n  |---|---|\n  {footer}\n  - below\n"),
            6 => format!("\t- {words}\n\t  {footer}\n"),
            7 => format!("- {words}\n  ```md\n  <!-- id: quoted-one | uses: 1 -->\n  ```\n  {footer}\n"),
            _ => format!("- Like `<!-- id: quoted-two | uses: N -->` {words}\n  {footer}\n"),
        }
    })
}

/// A continuity file with facts under several headings.
fn continuity() -> impl Strategy<Value = String> {
    let placed = IDS.map(|id| prop_oneof![1 => Just(String::new()), 3 => fact(id)].boxed());
    let section = || {
        prop_oneof![
            Just("## Key Decisions\n\n"),
            Just("## Architectural Invariants\n\n> never\n\n"),
            Just("## Open Threads\n\n### Sub\n\n"),
            Just("\n"),
            Just(""),
        ]
    };
    let state = prop_oneof![
        Just("- **last_review:** (none yet)\n"),
        Just("- **last_review:** 2026-05-03 | through 2026-05-03-100000\n"),
        Just(""),
    ];
    let spacing = [(); 8].map(|()| section().boxed());
    (state, placed, spacing).prop_map(|(state, facts, headings)| {
        let mut text = format!("# Continuity\n\n## Project State\n\n- **project:** x\n{state}\n");
        for (heading, fact) in headings.iter().zip(facts) {
            text.push_str(heading);
            text.push_str(&fact);
        }
        text
    })
}

fn log() -> impl Strategy<Value = String> {
    vec(0..IDS.len(), 0..3).prop_map(|uses| {
        let ids: Vec<&str> = uses.into_iter().map(|index| IDS[index]).collect();
        let list = if ids.is_empty() { "(none)".to_owned() } else { format!("- Created: {}", ids.join(", ")) };
        format!("# Session\n\n**Agent:** Codex\n\n## Memory References\n\n{list}\n\n## Memory Review\n- x\n")
    })
}

/// How a generated folder's files end their lines, begin and end.
#[derive(Clone, Copy, Debug)]
struct Dress {
    crlf: bool,
    bom: bool,
    ends: bool,
}

/// A whole memory folder: facts, archive, policy with small windows, 0 to 14 sessions.
pub fn snapshot() -> impl Strategy<Value = Snapshot> {
    let dress = (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(crlf, bom, ends)| Dress {
        crlf,
        bom,
        ends,
    });
    let archived = prop_oneof![
        Just(String::new()),
        fact("archived-one").prop_map(|fact| format!("# Archive\n\n## Old\n\n{fact}")),
    ];
    (continuity(), archived, vec(log(), 0..14), dress).prop_map(|(continuity, archived, logs, dress)| {
        let mut snapshot = Snapshot::default();
        let mut put = |path: &str, text: String| {
            let mut text = if dress.crlf { text.replace('\n', "\r\n") } else { text };
            if dress.bom {
                text.insert(0, '\u{feff}');
            }
            if !dress.ends {
                text.truncate(text.trim_end().len());
            }
            snapshot.files.insert(path.to_owned(), text.into());
        };
        put("memory/continuity.md", continuity);
        if !archived.is_empty() {
            put("memory/archive/2026-Q1.md", archived);
            put("memory/archive/INDEX.md", "# Index\n\n- archived-one — x — faded — 2026-Q1.md\n".to_owned());
        }
        put(
            "memory/decay-policy.md",
            "- working_window: 1\n- active_window: 2\n- archive_window: 4\n- review_every: 5\n- verify_invariants_every: 6\n".to_owned(),
        );
        for (index, log) in logs.into_iter().enumerate() {
            put(&format!("memory/sessions/2026-05-{:02}-100000.md", index + 1), log);
        }
        snapshot
    })
}
