//! What says nothing to another day: a question, thanks, an answer's politeness, a task for one moment, a line of a log
//! or of code, a heading alone.

use std::sync::LazyLock;

use quipu_core::prose;
use regex::Regex;

macro_rules! pattern {
    ($name:ident = $pattern:literal) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("the pattern is written here"));
    };
}

pattern!(LINK = r"<?\bhttps?://\S+>?");
pattern!(
    LOG = r"^(Traceback \(most recent call last\)|\s*at \S+ ?\(.*:\d+(:\d+)?\)|npm ERR!|npm error|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S* *\S* *(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[: ])"
);
pattern!(
    CODE = r"^(\$ \S|> ?\S+\(|#include |import \{|from \S+ import |SELECT\b.*\bFROM\b|INSERT INTO\b|UPDATE \S+ SET\b|DELETE FROM\b|CREATE (TABLE|INDEX)\b|(const|let|var|def|fn|func|class|public|private|return)\b.*[;{:]$)|^(for|while|if|switch|try|else|catch) ?[({].*[;{}]$|^[\w.:]+(\(| ?[-+*]?= ?).*[;{}]$|^[{}()\[\];,]+$"
);
pattern!(
    HEADING = r"(?i)^(table of contents|contents|todo|tbd|n/?a|none|empty|untitled|(chapter|page|section|part|figure|table|slide|step|appendix) [\divx]+( of \d+)?)[.:]?$"
);
pattern!(
    NOTHING = r"(?i)^(never ?mind|forget (it|that)|whatever|not now|it depends|i don't know|no idea)[.! ]*$"
);
pattern!(
    ASSISTANT = r"(?i)^((i'd|i would|i'll|i will) be (happy|glad)|let me know if|feel free to|as an ai\b|i('m| am) (an ai|just an ai|sorry,? but)|i (apologi[sz]e|cannot help|can't help)|(sure|certainly|of course|absolutely|definitely)[,!:]|great (question|idea|choice)|good (question|point|idea)|you('re| are) (very |most )?welcome|here('s| is| are| you go)\b|hope (that|this|it) helps|happy to help|is there anything else|anything else)"
);
pattern!(
    POLITE = r"(?i)^(thanks|thank you|thx|cheers|ok|okay|k|yes|yep|yeah|no|nope|sure|great|nice|cool|fine|awesome|excellent|wonderful|got it|perfect|hi|hey|hello|good (morning|afternoon|evening|night)|bye|goodbye|see you|please|sorry|no (worries|problem|need)|haha+|lol|hm+|hmm+|wow|oh|ah|wait|right|exactly|correct|indeed|done|go (on|ahead)|continue|try again|again|next|i see|looks good|sounds good|makes sense|that makes sense|that's (it|all|fine|great|perfect)|not sure|i'm not sure|danke|bitte|genau|alles klar|merci|d'accord|gracias|vale|obrigad[oa]|grazie)\b"
);
pattern!(
    MOMENT = r"(?i)^(please |now |ok(ay)?,? |and )*(write|tell|give|show|make|draft|generate|create|compose|summari[sz]e|translate|explain|rewrite|rephrase|shorten|expand|fix|correct|check|proofread|list|describe|compare|convert|continue|find|look|read|add|remove|change|try|do|put)\b"
);
pattern!(
    DEICTIC = r"(?i)\b(this|that|it|these|those|below|above|following|previous|again|me (a|an|some|the|about|how|why|what)|an? (\w+ ){0,2}(poem|joke|story|song|haiku|tweet|limerick|essay|letter|summary|e-?mail|list|title|recipe)s?|line \d+|typo)\b"
);
pattern!(
    STANDING = r"(?i)\b(always|never|every|each|whenever|when|if|before|after|unless|until|daily|weekly|monthly|from now on|at least|at most|by default|must|should)\b"
);
pattern!(
    ASKING = r"(?i)^((can|could|would|will) you|how (do|can|should|would) (i|we)|what('s| is| are)|why (is|does|do|are)|do you know|kannst du|könntest du|können sie|peux-tu|pouvez-vous|puedes)\b"
);

/// A text is polite and nothing else with so many words after its first ones.
const MOST_POLITE: usize = 8;

/// Tells whether a text says nothing to another day.
pub fn is_noise(text: &str) -> bool {
    let text = text.trim();
    let is_code = text.starts_with("```")
        && text.trim_end().ends_with("```")
        && text.matches("```").count() == 2;
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if text.split_whitespace().count() < 2 || letters * 4 < text.chars().count() || is_code {
        return true;
    }
    !text.contains('\n') && is_noisy_line(text)
}

/// Tells the same of a single line.
fn is_noisy_line(text: &str) -> bool {
    let without_links = LINK.replace_all(text, "");
    let is_link = without_links.len() < text.len() && prose::words(&without_links, "'").count() < 4;
    let is_question = text.ends_with('?') && text.len() < 400;
    if is_link || is_question || HEADING.is_match(text) || LOG.is_match(text) || CODE.is_match(text)
    {
        return true;
    }
    if NOTHING.is_match(text) {
        return true;
    }
    // A rule may well be asked for politely.
    if STANDING.is_match(text) && !ASSISTANT.is_match(text) {
        return false;
    }
    let words = prose::words(text, "'’").count();
    let is_task = MOMENT.is_match(text) && DEICTIC.is_match(text) && words < 25;
    let is_short = |limit: usize| words <= limit;
    // "No tests run on Windows" begins like an answer: a name, a number or a long sentence is none.
    let rest = POLITE.find(text).map(|found| &text[found.end()..]);
    let is_polite = rest.is_some_and(|rest| {
        let ends = rest.trim_start().starts_with([',', '!', '.', ';', '…']) || rest.is_empty();
        let has_content = rest.chars().any(|c| c.is_ascii_digit())
            || prose::words(rest, "'").any(|word| {
                word.starts_with(char::is_uppercase) && !["I", "I'm", "I'll", "I'd"].contains(&word)
            });
        is_short(if ends { MOST_POLITE } else { 6 }) && !has_content && (ends || is_courtesy(rest))
    });
    is_polite || is_task || ASSISTANT.is_match(text) || ASKING.is_match(text)
}

/// Tells whether what follows a first polite word is nothing but more of that.
fn is_courtesy(rest: &str) -> bool {
    const WORDS: [&str; 44] = [
        "so", "very", "much", "a", "lot", "please", "you", "there", "thanks", "thank", "again",
        "great", "good", "perfect", "to", "me", "at", "all", "then", "now", "one", "nice", "i",
        "see", "it", "is", "that", "for", "the", "help", "worries", "problem", "cool", "ok", "yes",
        "no", "meant", "other", "beaucoup", "c'est", "sehr", "schön", "muchas", "day",
    ];
    prose::words(rest, "'").all(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_to_another_day_is_known() {
        for text in [
            "Thanks!",
            "ok",
            "https://example.com/x",
            "How does it work?",
            "```\nls\n```",
            "🎉🎉🎉 🎉",
            "Sure, I can do that for you.",
            "Write me a story about a frog",
            "2026-01-02T10:00:00Z INFO server started",
            "let total = items.len();",
            "Section 4",
        ] {
            assert!(is_noise(text), "{text}");
        }
        for text in [
            "Deploys go out on Tuesdays",
            "No tests run on Windows",
            "Thanks to Ana the build is green again since May",
            "Write tests for every bug that is fixed",
            "Please always answer in French",
            "The handbook is at https://example.com/handbook since March",
            "Fine arts are taught in room 12",
            "The port is set by {\"port\": 8080}",
        ] {
            assert!(!is_noise(text), "{text}");
        }
    }
}
