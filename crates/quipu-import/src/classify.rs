//! What sort of memory a text is, by rules that name themselves. The first that fits decides; a word of the source
//! goes before all of them.

use std::sync::LazyLock;

use quipu_core::item::{Layer, MemoryType};
use regex::Regex;

use crate::draft::Draft;

/// What a text is, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The rule.
    pub rule: &'static str,
    /// The category.
    pub category: String,
    /// The type.
    pub memory_type: MemoryType,
    /// The layer.
    pub layer: Layer,
    /// How important it is by itself.
    pub importance: f32,
    /// Whether it says that something is not so.
    pub negative: bool,
}

/// What a rule says: its name, the category, type and layer, and how important that is.
type Verdict = (&'static str, &'static str, MemoryType, Layer, f32);

const NEGATION: Verdict =
    ("says that something is not there", "learned", MemoryType::Fact, Layer::Semantic, 0.6);
const RULE: Verdict =
    ("a rule to follow", "convention", MemoryType::Procedure, Layer::Procedural, 0.7);
const CHOICE: Verdict = ("a choice", "decision", MemoryType::Procedure, Layer::Procedural, 0.7);
const LIKING: Verdict =
    ("what somebody likes or wants", "user-preference", MemoryType::Fact, Layer::Semantic, 0.7);
const PAST: Verdict =
    ("something that happened", "note", MemoryType::Narrative, Layer::Episodic, 0.4);
const PRESENT: Verdict = ("how something is", "learned", MemoryType::Fact, Layer::Semantic, 0.6);
const OTHERWISE: Verdict = ("no rule fits", "note", MemoryType::Narrative, Layer::Episodic, 0.3);

macro_rules! pattern {
    ($name:ident = $pattern:literal) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("the pattern is written here"));
    };
}

pattern!(
    THANKS = r"(?i)^(thanks|thank you|ok|okay|yes|no|sure|great|nice|cool|got it|perfect|hi|hello|hey|bye|please|danke)([ ,]+(so|very|much|a|lot|please|you|there|thanks|again|great|good|perfect)){0,3}\s*[!.,:)]*$"
);
pattern!(ONLY_LINK = r"(?i)^<?https?://\S+>?$");
pattern!(
    NOT_THERE = r"(?i)\b(there (is|are) no|there isn't|there aren't|we (do not|don't) (use|have|support|need)|(does|do) not (exist|have a|use|support)|doesn't (exist|use|support)|is not (used|supported|needed)|no longer (uses?|exists?|supports?))\b"
);
pattern!(
    MODAL = r"(?i)\b(must( not)?|never|always|should(n't| not)?|shall|do not|don't|make sure|ensure|avoid|prefer .{1,40} over|is required to|needs? to|remember to|only (use|run|write|commit)|before (committing|merging|pushing|deploying|running))\b"
);
pattern!(
    IMPERATIVE = r"(?i)^(use|run|write|keep|add|put|call|avoid|prefer|check|test|commit|deploy|set|create|ask|answer|respond|reply|follow|start|stop|open|read|name|wrap|return|log|store|back|retry|format|lint|squash|rebase|document|explain|include|don't|do not|never|always)\b[^?]*$"
);
pattern!(
    CHOSEN = r"(?i)\b(decided|we chose|chose|choose|chosen|went with|go(ing)? with|settled on|agreed (to|on|that)|opted for|instead of|rather than|picked|the decision (is|was)|switched (from|to)|moved (from .+ )?to .+ because)\b"
);
pattern!(FIRST_PERSON = r"(?i)\b(i|i'm|i've|i'd|my|me|we|our|user)\b");
pattern!(
    LIKES = r"(?i)\b(likes?|loves?|prefers?|hates?|dislikes?|wants?|enjoys?|favou?rite|can't stand|is (allergic|vegetarian|vegan)|would rather|is (interested|keen))\b"
);
pattern!(
    IS_PAST = r"(?i)\b(was|were|had|did|went|came|met|made|got|took|gave|said|told|moved|started|finished|fixed|broke|shipped|released|bought|visited|attended|joined|left|found|saw|learned|learnt|happened|failed|crashed|\w{3,}ed)\b"
);
pattern!(
    IS_DATED = r"(?i)\b(yesterday|today|last (week|month|year|night|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(this|that) (morning|week|month)|ago|in (19|20)\d\d|(19|20)\d\d-\d\d(-\d\d)?|on (monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(in|on|since|by) (january|february|march|april|may|june|july|august|september|october|november|december)|(january|february|march|april|june|july|august|september|october|november|december) \d{1,2})\b"
);
pattern!(
    IS_PRESENT = r"(?i)\b(is|are|am|has|have|uses?|lives?|works?|runs?|listens?|contains?|means|needs|knows?|speaks?|leads?|owns?|stands for|belongs?|supports?|depends on|stores?|returns?|costs?|consists?|requires?|holds?|handles?|ships?|sits?|lies|serves?|studies|plays?|teaches|writes?|manages?)\b"
);
pattern!(STEPS = r"(?m)^\s*1[.)] .+\n(?s:.*)^\s*2[.)] ");

/// Tells whether a text says nothing to another day: a question, thanks, a link alone, a word or two.
pub fn is_noise(text: &str) -> bool {
    let text = text.trim();
    let is_one_line = !text.contains('\n');
    let words = text.split_whitespace().count();
    let is_question = is_one_line && text.ends_with('?') && text.len() < 400;
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_code = text.starts_with("```")
        && text.trim_end().ends_with("```")
        && text.matches("```").count() == 2;
    is_question
        || (is_one_line && (THANKS.is_match(text) || ONLY_LINK.is_match(text)))
        || words < 2
        || letters * 4 < text.chars().count()
        || is_code
}

/// Decides by words alone.
fn by_words(text: &str, heading: Option<&str>) -> Verdict {
    let beginning = text.get(..600.min(text.len())).unwrap_or_else(|| {
        let end = (0..600).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        &text[..end]
    });
    if let Some(heading) = heading
        && let Some(verdict) = by_heading(heading)
    {
        return verdict;
    }
    let is_dated = IS_DATED.is_match(beginning);
    let is_liking = LIKES.is_match(beginning) && !beginning.contains(" over the ");
    if NOT_THERE.is_match(beginning) && !is_dated {
        return NEGATION;
    }
    let is_chosen = CHOSEN.is_match(beginning);
    let first = beginning.trim_start_matches(['*', '_', '`', '"']);
    if (IMPERATIVE.is_match(first.lines().next().unwrap_or_default()) || STEPS.is_match(text))
        && !is_chosen
    {
        return RULE;
    }
    if is_chosen {
        return CHOICE;
    }
    if is_liking && (FIRST_PERSON.is_match(beginning) || starts_with_name(beginning)) {
        return LIKING;
    }
    let is_past = IS_PAST.is_match(beginning);
    if is_past && is_dated {
        return PAST;
    }
    if MODAL.is_match(beginning) && !is_dated {
        return RULE;
    }
    if IS_PRESENT.is_match(beginning) {
        return PRESENT;
    }
    if is_past { PAST } else { OTHERWISE }
}

fn starts_with_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

/// Decides by the heading that a text stands under.
fn by_heading(heading: &str) -> Option<Verdict> {
    let lower = heading.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let (_, category, memory_type, layer, importance) = if has(&["decision", "choice"]) {
        CHOICE
    } else if has(&["preference", "about me", "likes"]) {
        LIKING
    } else if has(&[
        "convention",
        "rule",
        "guideline",
        "workflow",
        "how to",
        "instruction",
        "practice",
        "style",
    ]) {
        RULE
    } else if has(&["history", "diary", "journal", "what happened", "log of"]) {
        PAST
    } else {
        return None;
    };
    Some(("the heading says it", category, memory_type, layer, importance))
}

/// Returns the type and layer that a category of the source means; nothing where it is no word of ours.
fn usual(category: &str) -> Option<(MemoryType, Layer, f32)> {
    Some(match category {
        "learned" | "fact" | "experience" => (MemoryType::Fact, Layer::Semantic, 0.6),
        "user-preference" | "preference" => (MemoryType::Fact, Layer::Semantic, 0.7),
        "decision" | "convention" | "procedure" | "error" | "rule" => {
            (MemoryType::Procedure, Layer::Procedural, 0.7)
        }
        "turn-summary" | "event" | "narrative" => (MemoryType::Narrative, Layer::Episodic, 0.4),
        _ => return None,
    })
}

/// Decides what a draft is.
pub fn classify(draft: &Draft) -> Class {
    let by = by_words(&draft.text, draft.heading.as_deref());
    let (mut rule, mut category, mut memory_type, mut layer, mut importance) =
        (by.0, by.1.to_owned(), by.2, by.3, by.4);
    if let Some(told) = draft.category.as_deref().map(str::trim).filter(|told| !told.is_empty()) {
        told.clone_into(&mut category);
        rule = "the source says it";
        if let Some(usual) = usual(told) {
            (memory_type, layer, importance) = usual;
        }
    }
    if draft.memory_type.is_some() || draft.layer.is_some() {
        rule = "the source says it";
        if draft.category.is_none() {
            category = match (draft.memory_type, draft.layer) {
                (Some(MemoryType::Procedure), _) if by.3 == Layer::Procedural => by.1.to_owned(),
                (Some(MemoryType::Procedure), _) => "convention".to_owned(),
                (Some(MemoryType::Fact), _) if by.1 == "user-preference" => by.1.to_owned(),
                (Some(MemoryType::Fact), _) | (None, Some(Layer::Semantic)) => "learned".to_owned(),
                _ => "note".to_owned(),
            };
        }
        // One of the two tells what the other usually is.
        memory_type = draft.memory_type.unwrap_or(match draft.layer {
            Some(Layer::Semantic | Layer::Codebase) => MemoryType::Fact,
            Some(Layer::Procedural) => MemoryType::Procedure,
            _ => MemoryType::Narrative,
        });
        layer = draft.layer.unwrap_or(match memory_type {
            MemoryType::Fact => Layer::Semantic,
            MemoryType::Procedure => Layer::Procedural,
            MemoryType::Narrative => Layer::Episodic,
        });
    }
    let negative = draft.negative || by.0 == NEGATION.0 && memory_type == MemoryType::Fact;
    let importance = draft.importance.unwrap_or(importance);
    Class { rule, category, memory_type, layer, importance, negative }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, Layer) {
        let class = classify(&Draft::new(text));
        (class.category, class.layer)
    }

    #[test]
    fn texts_are_what_they_say() {
        let table = [
            ("Never deploy on Fridays.", "convention", Layer::Procedural),
            ("Use 2-space indentation", "convention", Layer::Procedural),
            ("We decided to use Postgres because of JSONB", "decision", Layer::Procedural),
            ("I prefer tea to coffee", "user-preference", Layer::Semantic),
            ("Ana likes black tea", "user-preference", Layer::Semantic),
            ("The release broke last Tuesday", "note", Layer::Episodic),
            ("The gateway listens on port 8080", "learned", Layer::Semantic),
            ("There is no staging environment", "learned", Layer::Semantic),
            ("Otter, a small team", "note", Layer::Episodic),
        ];
        for (text, category, layer) in table {
            assert_eq!(of(text), (category.to_owned(), layer), "{text}");
        }
        assert!(classify(&Draft::new("There is no staging environment")).negative);
    }

    #[test]
    fn a_word_of_the_source_goes_before_all_rules() {
        let mut draft = Draft::new("Never deploy on Fridays.").called("diary");
        draft.memory_type = Some(MemoryType::Narrative);
        let class = classify(&draft);
        assert_eq!((class.category.as_str(), class.layer), ("diary", Layer::Episodic));
        assert_eq!(class.rule, "the source says it");
    }

    #[test]
    fn what_says_nothing_to_another_day_is_known() {
        for text in [
            "Thanks!",
            "ok",
            "https://example.com/x",
            "How does it work?",
            "```\nls\n```",
            "🎉🎉🎉 🎉",
        ] {
            assert!(is_noise(text), "{text}");
        }
        for text in [
            "Deploys go out on Tuesdays",
            "No tests run on Windows",
            "Thanks to Ana the build is green again since May",
        ] {
            assert!(!is_noise(text), "{text}");
        }
    }
}
