//! Two session logs under one name: two machines ended a session in the same second.

use crate::text;

const HEADING: &str = "## Memory References";

/// Returns one log that tells both. Only the first references block of a log counts, so there is one.
pub(super) fn both(first: &str, second: &str) -> String {
    let ending = text::line_ending(first);
    let mut result = String::new();
    let mut references: Vec<String> = Vec::new();
    for source in [first, second] {
        let (rest, block) = without_references(source);
        if !result.is_empty() {
            result.push_str(ending);
        }
        result.push_str(rest.trim_end());
        result.push_str(ending);
        for line in block.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
            if !references.iter().any(|known| known == line) {
                references.push(line.to_owned());
            }
        }
    }
    if references.len() > 1 {
        references.retain(|line| line.trim() != "(none)");
    }
    result.push_str(ending);
    result.push_str(HEADING);
    result.push_str(ending);
    result.push_str(ending);
    for line in references {
        result.push_str(&line);
        result.push_str(ending);
    }
    result
}

/// Returns a log without its references block, and what that says.
fn without_references(source: &str) -> (String, String) {
    let (mut rest, mut block) = (String::new(), String::new());
    let (mut is_inside, mut is_done) = (false, false);
    for line in source.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.starts_with("## ") && is_inside {
            (is_inside, is_done) = (false, true);
        }
        if bare == HEADING && !is_inside && !is_done {
            is_inside = true;
        } else if is_inside {
            block.push_str(line);
        } else {
            rest.push_str(line);
        }
    }
    (rest, block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::SessionLog;

    #[test]
    fn both_logs_are_told_and_every_use_counts() {
        let one = "# Session (a)\n\nOne.\n\n## Memory References\n\n- Created: a-b\n";
        let two = "# Session (b)\n\n## Memory References\n(none)\n\n## Memory Review\n- x\n";
        let three =
            "# Session (c)\n\n## Memory References\n- Referenced: c-d\n\n## Memory Review\n- y\n";
        let told = both(one, three);
        let log = SessionLog::parse("2026-01-01-000000", &told);
        assert_eq!(log.tokens.into_iter().collect::<Vec<_>>(), ["a-b", "c-d"]);
        assert!(log.uncounted_headings.is_empty() && log.has_review);
        assert!(told.contains("One.") && told.contains("# Session (c)"));
        assert!(!both(one, two).contains("(none)"));
    }
}
