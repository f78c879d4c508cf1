//! Standing instructions and preferences: "always show the versions when I ask about libraries" is for every
//! question about libraries, although it shares few words with them.

use crate::recall::Answer;

/// What an instruction, and a preference, is worth beyond its score.
const INSTRUCTION: f32 = 0.3;
const PREFERENCE: f32 = 0.1;

/// An instruction is short; a preference is often told on the way.
const LONGEST_INSTRUCTION: usize = 45;
const LONGEST_PREFERENCE: usize = 120;

/// Words that an instruction begins with.
const BEGINNINGS: &[&str] = &[
    "always ",
    "never ",
    "please always ",
    "please never ",
    "from now on",
    "whenever ",
    "when i ask",
    "if i ask",
    "in future",
    "going forward",
    "don't ever ",
];

/// Words by which it says when it holds.
const CONDITIONS: &[&str] = &[" when i ask", " whenever i ask", " if i ask"];

/// Words by which somebody says what they prefer.
const PREFERENCES: &[&str] =
    &["i prefer", "i'd prefer", "i would prefer", "i'd rather", "my preference"];

/// Who answers gives no instructions.
const ASSISTANT: &str = "assistant";

/// Returns what a turn is worth because somebody said in it how they want things.
pub(super) fn worth(turn: &Answer) -> f32 {
    let words = turn.text.split_whitespace().take(LONGEST_PREFERENCE + 1).count();
    let is_answer = turn.source.speaker.as_deref() == Some(ASSISTANT);
    if is_answer || words > LONGEST_PREFERENCE {
        return 0.0;
    }
    let lower = turn.text.trim_start().to_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let instructs =
        BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning)) || has(CONDITIONS);
    if instructs && words <= LONGEST_INSTRUCTION {
        INSTRUCTION
    } else if has(PREFERENCES) {
        PREFERENCE
    } else {
        0.0
    }
}
