//! The original agent-memory's own files for clients: pointers into the memory, which hold no rule of anybody.

use super::rules;

/// What the original's pointers end with.
const SIGNATURE: [&str; 2] = ["Identify yourself as ", " in all session logs"];

/// What a line of theirs is about.
const OWN: [&str; 9] = [
    "AGENTS.md",
    "memory/",
    "agent-memory",
    "DECAY.md",
    "REVIEW.md",
    "ENABLE.md",
    "SKILLS.md",
    "session log",
    "agent-skills/",
];

/// Tells whether a file is one of the original's: a pointer for a client, or a pointer to a skill.
pub fn is_originals(text: &str) -> bool {
    let is_pointer = text.lines().any(|line| {
        let rest = line.trim().strip_prefix(SIGNATURE[0]);
        rest.is_some_and(|rest| rest.contains(SIGNATURE[1]))
    });
    let is_skill = text.contains("ead and follow") && text.contains("agent-skills/");
    let is_own = |text: &str| OWN.iter().any(|word| text.contains(word));
    // Whoever added rules of their own has made it theirs.
    (is_pointer || is_skill) && rules::rules(text).rules.iter().all(|rule| is_own(&rule.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: &str = "# x — Claude Code\n\nThis project uses the agent-memory shared memory system. **Follow\n[`memory/PROTOCOL.md`](./memory/PROTOCOL.md) first.**\n\n@AGENTS.md\n@memory/continuity.md\n\nIdentify yourself as **Claude Code** in all session logs.\n";

    #[test]
    fn a_pointer_of_the_original_is_known_until_somebody_adds_a_rule() {
        assert!(is_originals(POINTER));
        let skill = "---\ndescription: say hello\nglobs:\nalwaysApply: false\n---\nWhen this applies, read and follow `agent-skills/hello/SKILL.md` (repo root) and any\nscripts it references.\n";
        assert!(is_originals(skill));
        assert!(!is_originals(&format!("{POINTER}\n- Never use default exports\n")));
        assert!(!is_originals("- Read AGENTS.md\n"));
    }
}
