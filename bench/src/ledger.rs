//! A large memory that nobody has to write: the same bytes every time.

use std::fmt::Write as _;
use std::path::Path;

/// A small generator of numbers; the same seed gives the same folder.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

const WORDS: [&str; 16] = [
    "queue", "retries", "export", "stream", "parcel", "carrier", "webhook", "index", "cache",
    "schema", "release", "token", "thread", "ledger", "policy", "window",
];

fn sentence(numbers: &mut Numbers, length: usize) -> String {
    (0..length).map(|_| WORDS[numbers.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

/// Writes a workspace with so many sessions and facts.
pub(crate) fn write(root: &Path, sessions: usize, facts: usize) {
    let mut numbers = Numbers(7);
    std::fs::create_dir_all(root.join("memory/sessions")).unwrap();
    let mut text = String::from(
        "# Continuity\n\n## Project State\n\n- **last_review:** (none yet)\n\n## Key Decisions\n\n",
    );
    for fact in 0..facts {
        let words = sentence(&mut numbers, 20);
        let _ = write!(
            text,
            "- Decision {fact}: {words}\n  <!-- id: decision-number-{fact} | created: 2000-01-01 | last_used: 2000-01-01 | uses: 1 | tier: active -->\n"
        );
    }
    std::fs::write(root.join("memory/continuity.md"), text).unwrap();
    for session in 0..sessions {
        // Recent sessions use the later facts, so that many fade and many stay.
        let reach = facts * (session + 1) / sessions;
        let mut log = format!("# Session {session}\n\n**Agent:** Codex\n\n## What We Did\n\n");
        for _ in 0..12 {
            let _ = writeln!(log, "- {}", sentence(&mut numbers, 14));
        }
        log.push_str("\n## Memory References\n\n- Referenced:");
        for _ in 0..4 {
            let _ =
                write!(log, " decision-number-{},", reach.saturating_sub(1 + numbers.below(60)));
        }
        log.push('\n');
        let (day, rest) = (session / 24, session % 24);
        let (year, month, day) = (2001 + day / 336, 1 + day % 336 / 28, 1 + day % 28);
        let name = format!("memory/sessions/{year}-{month:02}-{day:02}-{rest:02}0000.md");
        std::fs::write(root.join(name), log).unwrap();
    }
}
