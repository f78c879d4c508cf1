//! What sort of memory a text is, by rules that name themselves. The first that fits decides; a word of the source
//! goes before all of them.

mod grammar;
mod noise;

use std::sync::LazyLock;

use quipu_core::item::{Layer, MemoryType};
use regex::Regex;

pub use self::noise::is_noise;

use self::grammar::Tense;
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
    NOT_THERE = r"(?i)\b(there (is|are) no|there isn't|there aren't|we (do not|don't) (use|have|support|need)|(does|do) not (exist|have an?|use|support)|doesn't (exist|have an?|use|support)|ha(s|ve) no|is not (used|supported|needed)|no longer (uses?|exists?|supports?)|es gibt kein|no hay)\b"
);
// What is so for all, and is to stay so.
pattern!(
    MODAL = r"(?i)\b(must( not)?|mustn't|should(n't| not)?|shall|ought to|ha(s|ve) to( be)?|needs? to( be)?|(is|are)( not)? to be|may (not|only)|(is|are) (not |only )?(allowed|permitted|forbidden|prohibited|banned|required|mandatory|compulsory|obligatory)|no exceptions|from now on|going forward|henceforth|(i|we|you) (never|always|only) \w+|(never|always) (\w+ )?(before|after|when|without|while|at)|make sure|remember to|under no circumstances|at all times|(all|every|each|any|whoever|anyone|everyone) .{0,40}\b(needs? an?|requires? an?|goes? (in|on|to|through)|gets? (removed|deleted|reviewed|archived|checked|half|no))|nobody .{0,30}\b(while|until|before|without)|(zuerst|immer|niemals?|vor jede[mnr]) .*\w+en[.!]?$|muss|müssen|darf (nie|nicht|kein)|dürfen (nie|nicht|kein)|soll(en)?|hay que|se debe|il faut|doit|doivent)\b"
);
pattern!(
    CHOSEN = r"(?i)\b((have |was |were |been )?decided (to|on|that|against|for|not|it|we)|decision (is|was) (to|that)|chose|chosen (to|because|over|for)|settled (on|for)|opted (for|to|against)|(was|were|we|have) agreed (to|on|that)|agreed (to|on|that)|in favou?r of|we('re| are|'ll| will)? (go|going|sticking|staying|stick|stay) with|entschieden|beschlossen|hemos decidido|on a décidé|nous avons (choisi|décidé))\b"
);
// A choice only where it says what else there was, or why.
pattern!(
    MAYBE_CHOSEN = r"(?i)\b(went with|picked|switch(ed|ing) (\S+ ){0,3}(from|to)|moved (\S+ ){0,3}to|dropped|kept|we('re| are|'ll| will) \w+|i('m| am|'ll| will) (use|using|take|taking|keep|keeping)|(we|i|it|they) (now )?uses?)\b"
);
pattern!(
    REASON = r"(?i)\b(because|since|instead|rather than|over|given that|on account of|so that|in order to|as (it|we|they|the|that|there)|due to|for (its|their|the) \w+|owing to|thanks to|weil|porque|parce que)\b"
);
pattern!(INSTEAD = r"(?i)\b(instead of|rather than|over the|over [A-Z]\w+|not the)\b");
pattern!(FIRST_PERSON = r"(?i)\b(i|i'm|i've|i'd|my|me|we|our|user)\b");
pattern!(
    LIKES = r"(?i)\b(likes?|loves?|prefers?|hates?|dislikes?|wants?|enjoys?|favou?rite|can't stand|cannot stand|(is|are|i'm|am) (\w+ )?(allergic|vegetarian|vegan|afraid|scared|fond|interested|keen)|(would|i'd) rather|gets? (sea|car|travel)sick|mag|liebt|hasst|bevorzugt|odia|prefiere|le gusta|me gusta|aime|déteste|préfère)\b"
);
pattern!(
    ABOUT_ME =
        r"(?i)^(user('s)? |my name is|i'm \w+|i am \w+|call me |i (live|work|study|speak|have)\b)"
);
pattern!(
    IS_DATED = r"(?i)\b(yesterday|today|tonight|(last|this|that) (week|month|year|night|spring|summer|autumn|fall|winter|morning|evening|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|ago|at last|finally|in (the (spring|summer|autumn|fall|winter) of )?(19|20)\d\d|(19|20)\d\d-\d\d(-\d\d)?|on (monday|tuesday|wednesday|thursday|friday|saturday|sunday)|on the \d{1,2}(st|nd|rd|th)|(in|on|since|by) (january|february|march|april|may|june|july|august|september|october|november|december)|(january|february|march|april|june|july|august|september|october|november|december) \d{1,2}|\d{1,2} (january|february|march|april|may|june|july|august|september|october|november|december)|gestern|heute|letzte[nrs]?|hier|ayer)\b"
);
pattern!(STEPS = r"(?s)(^|\s)1[.)] .+\s2[.)] ");

/// Decides by words alone.
fn by_words(text: &str, heading: Option<&str>) -> Verdict {
    /// What a text is, stands at its beginning.
    const BEGINNING: usize = 600;
    let end = (0..=BEGINNING.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let beginning = text[..end.unwrap_or_default()].replace('’', "'");
    if let Some(verdict) = heading.and_then(by_heading) {
        return verdict;
    }
    let has = |pattern: &Regex| pattern.is_match(&beginning);
    let tense = grammar::tense(&grammar::words(&beginning));
    let is_past = tense == Some(Tense::Past);
    let is_dated = has(&IS_DATED);
    if has(&CHOSEN) || is_choice(&beginning, is_past && is_dated) {
        return CHOICE;
    }
    let is_order = grammar::is_order(&beginning) || has(&STEPS);
    if has(&NOT_THERE) && !is_order && !is_dated && !is_past && !has(&MODAL) {
        return NEGATION;
    }
    if is_order {
        return RULE;
    }
    let is_somebody = has(&FIRST_PERSON) || text.starts_with(char::is_uppercase);
    if has(&LIKES) && is_somebody && !is_past {
        return LIKING;
    }
    if is_past && (is_dated || !has(&MODAL)) {
        return PAST;
    }
    if has(&MODAL) {
        return RULE;
    }
    if has(&ABOUT_ME) {
        return LIKING;
    }
    match tense {
        Some(Tense::Present) => PRESENT,
        Some(Tense::Past) => PAST,
        None => OTHERWISE,
    }
}

/// Tells whether a text says what was chosen, and what else there was or why.
fn is_choice(text: &str, is_report: bool) -> bool {
    let strong = ["went with", "picked", "switch", "moved", "dropped"];
    !is_report
        && MAYBE_CHOSEN.find_iter(text).any(|chosen| {
            let rest = &text[chosen.end()..];
            let words = chosen.as_str().to_lowercase();
            let is_strong = strong.iter().any(|word| words.starts_with(word));
            INSTEAD.is_match(rest) || (is_strong || is_now(&words)) && REASON.is_match(rest)
        })
}

/// "We're keeping": what is done from now on.
fn is_now(words: &str) -> bool {
    words.ends_with("ing") || words.contains("'ll") || words.contains("will")
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
}
