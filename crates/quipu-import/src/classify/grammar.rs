//! As much grammar as it takes to tell a rule from a report: which verb comes first, and whether somebody is told to do
//! something.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use quipu_core::prose;

/// Words to look up.
type Words = LazyLock<BTreeSet<&'static str>>;

fn set(words: &'static str) -> BTreeSet<&'static str> {
    words.split_whitespace().collect()
}

/// Verbs that people give rules with. What is no verb alone ("report", "water") is one before "the" or "your".
static VERBS: Words = LazyLock::new(|| {
    set(
        "leak smell fit rain snow freeze rattle squeak vary belong rotate rise sink fall appear exist remain happen occur matter contain cover cross face border depend earn receive refer attend visit hate love enjoy own wake bark bite purr hide bloom flower bear yield tolerate survive hatch migrate orbit reflect absorb conduct add adjust agree allow answer apply approve arrange ask assign attach avoid back bake be boil book bring \
    brush build buy call cancel carry catch change charge check choose clean close collect commit compare \
    connect consult contact convert cook copy count cover create cut delete deliver deploy descale dig \
    dilute disable discard discuss disinfect document double drain draw drink drive drop dry dust eat edit \
    empty enable encrypt ensure enter escape exclude expect explain export express fasten feed fetch file \
    fill find finish fix flush fold follow force forget format freeze fry generate get give go grease greet \
    group grow hand handle hang heat help hide hold ignore import include increase inform initialise \
    initialize inspect install invite iron join keep knead label lay leave let lift limit link lint list \
    listen load lock log look lower lubricate mail maintain make mark match measure melt mention merge mind \
    mix monitor move name normalise normalize note notify offer omit open order organise organize pack paint \
    park pass pause pay peel phone pick pin place plan plant play plug polish pour practice practise prefer \
    prepare preserve press print protect prune publish pull pump push put quote raise reach read rebase \
    record recycle redact reduce refer refill refrain refuse register reject release reload remember remind \
    remove rename repeat replace reply report request require reserve reset respect respond rest restart \
    restore retry return reuse review rewrite rinse roll rotate round run salt save scan schedule scrub seal \
    secure select send separate serve set settle shake share shoot show shut sign simmer skip slice soak \
    sort specify spell split spray spread sprinkle squash stack stand start stay steam sterilise sterilize \
    stick stir stop store stretch strip submit subtract supervise swap sweep switch tag take talk taste \
    teach tell test thaw thin tidy tie tighten toast torque trace train treat trim trust try tune turn type \
    unplug update upload use verify wait walk warm wash water wear weigh whisk wipe work wrap write zip",
    )
});

/// Forms of the past that do not end with -ed, as far as they are no form of the present.
static PAST: Words = LazyLock::new(|| {
    set(
        "ate beat became began bit blew blieb bore bought broke brought built burnt came caught chose crept dealt \
    did drank dreamt drew drove dug era estaba fand fanden fell felt fled flew forgave forgot fought found \
    froze fue fueron gab gave ging gingen got grew had happened hatte hatten held hid hizo hung kam kamen \
    kept knelt knew leapt learnt led left lent lit lost made meant met overslept paid ran rang rode rose \
    said sang sank sat saw sent shook shot shrank slept slid snapped sold sought spent spoke sprang spun \
    stole stood struck stuck swam swept swung taught thought threw told took tore tuvo understood undertook \
    waren was went wept were withdrew woke won wore wound wrote wurde wurden était",
    )
});

/// What makes a participle a verb of the past.
const PERFECT: &[&str] = &["has", "have", "had", "i've", "we've", "he's", "she's"];
const GERMAN_PERFECT: &[&str] = &["haben", "hat", "ist", "sind", "habe", "bin"];

/// Participles that are no form of the past by themselves.
const PARTICIPLES: &[&str] =
    &["been", "gone", "come", "done", "seen", "taken", "given", "written", "broken", "withdrawn"];

/// Words that a form ending with -ed after them is no past of: "is closed", "a closed door".
const HELPS: &[&str] = &[
    "is", "are", "am", "be", "been", "being", "a", "an", "the", "to", "get", "gets", "getting",
    "not", "no", "as", "when", "if", "than", "can", "may", "must", "should", "will", "and", "or",
    "of", "in", "with", "by", "for", "its", "our", "my", "their", "his", "her", "your", "very",
    "well", "never", "always", "only", "isn't", "aren't",
];

/// Words that end with -ed and are no verb of the past.
const NO_PAST: &[&str] = &[
    "need",
    "feed",
    "seed",
    "speed",
    "indeed",
    "exceed",
    "proceed",
    "succeed",
    "red",
    "bed",
    "shed",
    "embed",
    "weed",
    "breed",
    "bleed",
    "unlimited",
    "hundred",
    "sacred",
    "naked",
    "kindred",
    "led",
    "listed",
    "based",
    "called",
    "named",
    "united",
];

/// Verbs of what is so.
static PRESENT: Words = LazyLock::new(|| {
    set(
        "am are aren't averages belongs can can't cannot closes comes consists contains costs covers dates \
    depends do does doesn't don't drifts drinks eats ends es est está expires gets goes grows haben habite \
    handles has hat hates have he's heisst heißt holds hängt i'm i've includes is isn't ist it's kann keeps \
    knows leads leaves liegt lies likes listens lives loves mag manages means measures needs opens owns \
    plays prefers produces provides reads reports requires returns runs says sells sends serves she's ships \
    shows sind sings sits sleeps son sont sounds speaks stands starts stores studies supports takes tastes \
    teaches there's they're thinks tiene tolerates treats turns uses vive wants we're we've wears weighs \
    wohnt works writes",
    )
});

/// What stands between a verb and its object.
const OBJECTS: &[&str] = &[
    "the",
    "a",
    "an",
    "your",
    "my",
    "our",
    "his",
    "her",
    "their",
    "its",
    "all",
    "every",
    "each",
    "any",
    "no",
    "both",
    "this",
    "that",
    "these",
    "those",
    "it",
    "them",
    "him",
    "me",
    "us",
    "yourself",
    "everything",
    "nothing",
    "up",
    "down",
    "off",
    "out",
    "away",
    "back",
    "at",
    "with",
    "for",
    "from",
    "in",
    "on",
    "to",
    "into",
    "only",
    "early",
    "twice",
    "once",
    "first",
];

/// Words that no order begins with.
const NO_ORDER: &[&str] = &[
    "i",
    "we",
    "you",
    "he",
    "she",
    "it",
    "they",
    "the",
    "a",
    "an",
    "this",
    "that",
    "these",
    "those",
    "there",
    "here",
    "my",
    "our",
    "your",
    "his",
    "her",
    "their",
    "its",
    "who",
    "what",
    "which",
    "whose",
    "why",
    "how",
    "where",
    "yes",
    "no",
    "not",
    "and",
    "or",
    "but",
    "so",
    "because",
    "since",
    "as",
    "of",
    "at",
    "by",
    "for",
    "from",
    "in",
    "into",
    "on",
    "over",
    "to",
    "up",
    "with",
    "about",
    "some",
    "any",
    "many",
    "most",
    "both",
    "all",
    "each",
    "every",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "nobody",
    "everybody",
    "somebody",
    "everyone",
    "someone",
    "nothing",
    "everything",
    "yesterday",
    "today",
    "tomorrow",
    "tonight",
    "last",
    "next",
    "during",
    "between",
    "under",
    "until",
    "while",
    "than",
    "then",
    "also",
    "only",
    "just",
    "even",
    "still",
    "already",
    "maybe",
    "perhaps",
    "dad",
    "mum",
    "mom",
    "class",
    "lunch",
    "dinner",
    "breakfast",
    "work",
    "school",
    "home",
    "bread",
    "milk",
    "water",
    "part",
    "half",
    "much",
    "more",
    "less",
    "page",
    "hier",
    "gestern",
    "der",
    "die",
    "das",
    "ein",
    "eine",
    "le",
    "la",
    "el",
    "los",
    "les",
    "un",
    "une",
    "una",
    "nous",
    "wir",
    "mi",
    "mon",
];

/// The tense of the verb that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    Past,
    Present,
}

/// Returns the words of a text in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    prose::words(&lower, "'-").map(str::to_owned).collect()
}

/// Tells whether the word at a place is a verb of the past.
fn is_past(words: &[String], at: usize) -> bool {
    let word = words[at].as_str();
    if PAST.contains(word) {
        return true;
    }
    let before = |back: usize| at.checked_sub(back).map(|place| words[place].as_str());
    let ends_so = word.len() > 3 && word.ends_with("ed") && !NO_PAST.contains(&word);
    // "has expired", "haben gedeckt"; but not "is to be repaired", "has to be closed".
    let near = |among: &[&str], most: usize| {
        words[..at].iter().rev().take(most).any(|one| among.contains(&one.as_str()))
    };
    let is_german =
        word.len() > 5 && word.contains("ge") && (word.ends_with('t') || word.ends_with("en"));
    let helps = if is_german { GERMAN_PERFECT } else { PERFECT };
    if (PARTICIPLES.contains(&word) || is_german || ends_so)
        && near(helps, 5)
        && !near(&["is", "are", "be", "to"], 2)
    {
        return true;
    }
    ends_so && before(1).is_none_or(|before| !HELPS.contains(&before) && !before.ends_with("ly"))
}

/// Tells whether the word at a place is a verb of the present.
fn is_present(words: &[String], at: usize) -> bool {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map(|place| words[place].as_str());
    let next = words.get(at + 1).map(String::as_str);
    if PRESENT.contains(word) {
        // "has lost" tells the past.
        let helps = ["has", "have", "haben", "hat", "i've", "we've"].contains(&word);
        return !(helps && (at + 1..words.len().min(at + 6)).any(|later| is_past(words, later)));
    }
    let Some(before) = before else { return false };
    // "we bank with", "bees visit the"
    let is_many = before.ends_with('s') && before.len() > 3 && !before.ends_with("ss");
    if (["i", "we", "you", "they"].contains(&before) || is_many) && VERBS.contains(word) {
        return true;
    }
    if ["i", "we", "you", "they"].contains(&before) && word.len() > 2 && !word.ends_with("ly") {
        return true;
    }
    // "rye tolerates sandy", "the bus leaves at"
    let follows = |next: &str| {
        OBJECTS.contains(&next)
            || next.starts_with(|c: char| c.is_ascii_digit())
            || ["about", "better", "by", "no", "more", "like", "than", "as"].contains(&next)
    };
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("'s")
        && word
            .strip_suffix("es")
            .or(word.strip_suffix('s'))
            .is_some_and(|stem| VERBS.contains(stem) || VERBS.contains(&word[..word.len() - 1]))
        && next.is_none_or(|next| follows(next) || !PRESENT.contains(next))
}

/// Returns the tense of the verb that comes first; nothing where there is none that is known.
pub(super) fn tense(words: &[String]) -> Option<Tense> {
    (0..words.len().min(40)).find_map(|at| {
        if is_past(words, at) {
            Some(Tense::Past)
        } else if is_present(words, at) {
            Some(Tense::Present)
        } else {
            None
        }
    })
}

/// Tells whether somebody is told to do something: "Label every tube", "Before you drill, switch off the power".
pub(super) fn is_order(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', '`', '"', '-', ' ']);
    begins_with_order(text) || main_clause(text).is_some_and(begins_with_order)
}

/// Returns what follows a first clause that says when, where or what for.
fn main_clause(text: &str) -> Option<&str> {
    const BEGINNINGS: [&str; 26] = [
        "before ",
        "after ",
        "when ",
        "whenever ",
        "if ",
        "once ",
        "unless ",
        "until ",
        "while ",
        "as soon as ",
        "to ",
        "for ",
        "in ",
        "on ",
        "at ",
        "with ",
        "during ",
        "from ",
        "in case ",
        "as ",
        "wenn ",
        "vor ",
        "bevor ",
        "nach ",
        "first",
        "then",
    ];
    let lower = text.to_lowercase();
    if !BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning)) {
        return None;
    }
    let end = text.find([',', ':'])?;
    Some(text[end + 1..].trim_start())
}

fn begins_with_order(text: &str) -> bool {
    let first_line = text.lines().next().unwrap_or_default();
    if first_line.trim_end().ends_with('?') {
        return false;
    }
    let words = words(first_line);
    let skipped = [
        "please", "always", "never", "also", "first", "then", "just", "only", "so", "and", "bitte",
        "zuerst", "immer",
    ];
    let at = words.iter().take_while(|word| skipped.contains(&word.as_str())).count();
    let Some(first) = words.get(at).map(String::as_str) else { return false };
    let next = words.get(at + 1).map(String::as_str);
    let told_off = ["don't", "do", "never", "always"];
    if at > 0 && ["please", "always", "never"].contains(&words[0].as_str()) && VERBS.contains(first)
    {
        return true;
    }
    if first == "don't" || (first == "do" && next == Some("not")) {
        return true;
    }
    if NO_ORDER.contains(&first)
        && !(first == "water" && next.is_some_and(|next| OBJECTS.contains(&next)))
    {
        return told_off.contains(&first);
    }
    // "Run 17 stopped", "Test 4 failed": a noun with a number, and what happened to it.
    let is_told = (at + 1..words.len().min(at + 4)).any(|later| {
        is_past(&words, later)
            || is_present(&words, later) && !OBJECTS.contains(&words[later].as_str())
    });
    let has_object = next.is_some_and(|next| OBJECTS.contains(&next));
    if VERBS.contains(first) {
        return has_object || !is_told;
    }
    // A word that is not known and has an object right after it is an order too.
    let looks_like_verb = first.len() > 2
        && first.chars().all(char::is_alphabetic)
        && !["s", "ed", "ing", "ly", "tion", "ness", "ment", "er", "ers"]
            .iter()
            .any(|end| first.ends_with(end))
        && !is_past(&words, at);
    let is_object = next.is_some_and(|next| {
        ["the", "your", "all", "every", "each", "both", "them", "it"].contains(&next)
    });
    looks_like_verb && is_object && !is_told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_reports() {
        for text in [
            "Grease the tin",
            "If it rains, close the roof",
            "Please wear gloves",
            "To reset it: hold the button",
        ] {
            assert!(is_order(text), "{text}");
        }
        for text in [
            "The tin is greased",
            "If it rains, the roof leaks",
            "Run 3 failed twice",
            "Gloves are in the box",
        ] {
            assert!(!is_order(text), "{text}");
        }
    }

    #[test]
    fn the_first_verb_tells_the_tense() {
        for text in
            ["The roof leaked in May", "She has lost the key", "We painted a door that sticks"]
        {
            assert_eq!(tense(&words(text)), Some(Tense::Past), "{text}");
        }
        for text in [
            "The roof leaks",
            "We keep a dog called Rex",
            "The door is painted",
            "Bees visit the garden",
        ] {
            assert_eq!(tense(&words(text)), Some(Tense::Present), "{text}");
        }
    }
}
