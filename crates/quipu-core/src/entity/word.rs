//! What is known about single English words: enough to tell a name from the first word of a sentence.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::terms::Language;
use crate::when;

/// Common English words in small letters, from counts over documentation and everyday language. A word
/// that is in no sentence in small letters needs another explanation: it is a name.
static COMMON: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("words.txt").split_whitespace().collect());

/// The stems of [`COMMON`], for forms that are not in it.
static STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| COMMON.iter().map(|word| Language::English.stem(word)).collect());

/// Words before a name that are no part of it: "Hey Caroline".
const CALLS: &[&str] = &[
    "hey",
    "hi",
    "hello",
    "wow",
    "thanks",
    "thank",
    "oh",
    "okay",
    "ok",
    "yes",
    "yeah",
    "no",
    "sure",
    "dear",
    "well",
    "great",
    "congrats",
    "today",
    "yesterday",
    "tomorrow",
    "now",
    "then",
    "says",
];

/// Titles and kinship, which stand before a name and are no part of it.
const TITLES: &[&str] = &[
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "dr",
    "prof",
    "professor",
    "doctor",
    "sir",
    "madam",
    "madame",
    "lady",
    "lord",
    "dame",
    "frau",
    "herr",
    "hr",
    "fr",
    "señor",
    "señora",
    "sra",
    "monsieur",
    "uncle",
    "aunt",
    "auntie",
    "cousin",
    "grandma",
    "grandpa",
    "godmother",
    "godfather",
    "sister",
    "brother",
    "captain",
];

/// Common words that names of places, firms and undertakings begin with.
const HEADS: &[&str] = &[
    "new",
    "north",
    "south",
    "east",
    "west",
    "northern",
    "southern",
    "eastern",
    "western",
    "upper",
    "lower",
    "lake",
    "mount",
    "port",
    "fort",
    "cape",
    "bay",
    "saint",
    "san",
    "st",
    "iron",
    "gold",
    "golden",
    "silver",
    "red",
    "black",
    "white",
    "green",
    "blue",
    "big",
    "great",
    "grand",
    "little",
    "royal",
    "united",
    "national",
    "general",
    "project",
    "operation",
    "team",
    "studio",
    "hotel",
    "bank",
    "university",
    "king",
    "queen",
    "union",
    "central",
    "star",
    "sun",
    "moon",
];

/// First names that are common words or months too. Beside a verb of the past they are names.
const FIRST_NAMES: &[&str] = &[
    "will", "mark", "rose", "grace", "hope", "faith", "joy", "may", "april", "june", "summer",
    "autumn", "dawn", "amber", "ruby", "iris", "frank", "grant", "drew", "bill", "jack", "pat",
    "art", "gene", "max", "chase", "miles", "dean", "ray", "guy", "hunter", "mason", "carter",
    "cooper", "parker", "taylor", "tyler", "jasmine", "olive", "robin", "sky", "ivy", "penny",
    "sandy", "holly", "heather", "violet", "daisy", "lily", "pearl", "jade", "crystal", "angel",
    "victor", "august", "rich", "sue", "dale", "brook", "cliff", "glen", "harry", "nick", "rob",
    "josh", "jean", "rusty", "sunny", "melody", "gay", "mercy", "patience", "charity", "eve",
    "star", "dot", "bob", "dick", "don", "ernest", "jay", "lance", "otter", "pierce", "reed",
    "wade",
];

/// Words of peoples and tongues: they say what sort something is of.
const PEOPLES: &[&str] = &[
    "african",
    "american",
    "arabic",
    "asian",
    "australian",
    "austrian",
    "belgian",
    "brazilian",
    "british",
    "canadian",
    "chinese",
    "croatian",
    "czech",
    "danish",
    "dutch",
    "egyptian",
    "english",
    "european",
    "finnish",
    "french",
    "german",
    "greek",
    "hungarian",
    "indian",
    "irish",
    "italian",
    "japanese",
    "korean",
    "latin",
    "mexican",
    "norwegian",
    "polish",
    "portuguese",
    "roman",
    "romanian",
    "russian",
    "scottish",
    "spanish",
    "swedish",
    "swiss",
    "thai",
    "turkish",
    "ukrainian",
    "vietnamese",
    "welsh",
];

/// Words that a number makes a place in a row with: "Room 214", "Sprint 12".
const NUMBERED: &[&str] = &[
    "block", "chapter", "class", "day", "episode", "exit", "figure", "flat", "floor", "gate",
    "grade", "issue", "item", "level", "line", "lot", "option", "page", "part", "phase", "pitch",
    "platform", "point", "question", "release", "room", "route", "row", "season", "section",
    "sprint", "stage", "step", "table", "task", "terminal", "ticket", "tier", "track", "unit",
    "version", "volume", "week", "year", "zone",
];

/// Words that what follows a verb begins with: nobody's name stands before them without one.
const OPENERS: &[&str] = &[
    "a", "about", "all", "an", "another", "any", "at", "both", "by", "every", "for", "from", "her",
    "his", "in", "into", "its", "my", "new", "off", "on", "our", "out", "over", "some", "that",
    "the", "their", "them", "these", "this", "those", "to", "two", "three", "up", "with", "your",
];

/// Short forms in capitals that are kinds of things, and nobody's name.
const GENERIC: &[&str] = &[
    "adr", "ai", "api", "apis", "ascii", "cd", "ceo", "cfo", "ci", "cli", "cpu", "cpus", "crm",
    "crud", "css", "csv", "cto", "cve", "db", "ddl", "dns", "dom", "dpo", "dsl", "erp", "etl",
    "faq", "fixme", "fps", "fyi", "gb", "gp", "gpu", "gpus", "gui", "hr", "html", "http", "https",
    "id", "ide", "ids", "io", "ip", "iso", "it", "json", "jwt", "kb", "kpi", "llm", "llms", "mb",
    "mcp", "mot", "mvp", "n/a", "nda", "oauth", "oidc", "ok", "okr", "orm", "os", "otp", "patch",
    "pdf", "pin", "pm", "pr", "prs", "qa", "ram", "rest", "rfc", "rfp", "roi", "rpc", "rss",
    "saas", "sdk", "sla", "slo", "smtp", "sms", "sql", "ssd", "ssh", "sso", "ssl", "tbd", "tcp",
    "tls", "todo", "tv", "ui", "uri", "url", "urls", "usb", "utc", "utf", "uuid", "ux", "vat",
    "vm", "vms", "vpn", "wip", "xml", "yaml", "asap", "nb", "ps", "am", "pin", "lts", "eol", "ttl",
    "npm", "dag", "dags", "lfs", "wsl", "post", "get", "put",
];

/// Past forms that do not end in "ed".
const PAST: &[&str] = &[
    "ate",
    "began",
    "bought",
    "broke",
    "brought",
    "built",
    "came",
    "caught",
    "chose",
    "cut",
    "did",
    "drank",
    "drew",
    "drove",
    "fell",
    "felt",
    "flew",
    "forgot",
    "found",
    "froze",
    "gave",
    "got",
    "had",
    "heard",
    "held",
    "hit",
    "kept",
    "knew",
    "laid",
    "learnt",
    "led",
    "left",
    "lent",
    "let",
    "lost",
    "made",
    "met",
    "paid",
    "put",
    "ran",
    "read",
    "rode",
    "said",
    "sang",
    "sat",
    "saw",
    "sent",
    "set",
    "shut",
    "slept",
    "sold",
    "spent",
    "spoke",
    "stood",
    "swam",
    "swapped",
    "taught",
    "thought",
    "threw",
    "told",
    "took",
    "understood",
    "was",
    "went",
    "were",
    "woke",
    "won",
    "wrote",
];

/// Irregular verbs that notes begin with.
const VERBS: &[&str] = &[
    "buy", "bring", "get", "give", "go", "keep", "let", "make", "meet", "pay", "read", "run",
    "say", "see", "sell", "send", "set", "sleep", "speak", "swim", "take", "teach", "tell",
    "think", "wake", "write", "drive", "eat", "drink", "find", "feed", "hold", "hang", "lead",
    "leave", "lend", "lose", "put", "ride", "rise", "shut", "sing", "sit", "spend", "stand", "win",
];

/// Tells whether a word in small letters is a common one, in one of its usual forms.
pub(super) fn is_common(word: &str) -> bool {
    let bare = word.split(['\'', '’']).next().unwrap_or(word);
    if COMMON.contains(bare) || Language::English.is_stop(bare) || CALLS.contains(&bare) {
        return true;
    }
    STEMS.contains(&Language::English.stem(bare))
}

/// Tells whether a word in small letters is a verb, as far as its forms show that: "deployed", "merge".
pub(crate) fn is_verb(word: &str) -> bool {
    let has_form = |end: &str| COMMON.contains(format!("{word}{end}").as_str());
    let without_e = word.strip_suffix('e').unwrap_or(word);
    VERBS.contains(&word)
        || is_common(word)
            && (is_past(word)
                || ["ed", "ing"].iter().any(|end| has_form(end))
                || ["ed", "ing"]
                    .iter()
                    .any(|end| COMMON.contains(format!("{without_e}{end}").as_str())))
}

/// Tells whether a word in small letters tells of the past: "deployed", "sent".
pub(crate) fn is_past(word: &str) -> bool {
    PAST.contains(&word) || (word.len() > 4 && word.ends_with("ed") && is_common(word))
}

/// Seasons, short forms and days in other words.
const MORE_DATES: &[&str] = &[
    "winter",
    "summer",
    "autumn",
    "spring",
    "mon",
    "tue",
    "tues",
    "wed",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "sun",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "christmas",
    "easter",
    "eod",
    "eow",
    "today",
    "tomorrow",
    "yesterday",
    "tonight",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonntag",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
];

/// Tells whether a word in small letters names a day, a month, a season or the like.
pub(super) fn is_date(word: &str) -> bool {
    let bare = word.trim_end_matches(['\'', '’', '.']);
    let one = bare.strip_suffix('s').unwrap_or(bare);
    let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
    [bare, one].iter().any(|word| when::names_a_date(word) || MORE_DATES.contains(word))
}

/// Tells whether a word in small letters is a title.
pub(super) fn is_title(word: &str) -> bool {
    TITLES.contains(&word.trim_end_matches('.'))
}

/// Tells whether a common word in small letters may begin a longer name.
pub(super) fn is_head(word: &str) -> bool {
    HEADS.contains(&word.split(['\'', '’']).next().unwrap_or(word))
}

/// Tells whether a short form in small letters is a kind of thing.
pub(super) fn is_generic(word: &str) -> bool {
    GENERIC.contains(&word)
}

/// Tells whether a word in small letters only calls or refers, and is no part of a name.
pub(super) fn is_little(word: &str) -> bool {
    CALLS.contains(&word)
        || Language::English.is_stop(word)
        || word.split(['\'', '’']).next().is_some_and(|stem| Language::English.is_stop(stem))
}

/// Tells whether a word in small letters is a first name and a common word.
pub(super) fn is_first_name(word: &str) -> bool {
    FIRST_NAMES.contains(&word)
}

/// Tells whether a word in small letters is of a people or a tongue.
pub(super) fn is_of_a_people(word: &str) -> bool {
    PEOPLES.contains(&word)
}

/// Tells whether a word in small letters and a number name a place in a row.
pub(super) fn is_numbered(word: &str) -> bool {
    NUMBERED.contains(&word)
}

/// Tells whether what follows a word shows that it is a verb, although nobody knows it: "Repotted the".
pub(super) fn reads_as_verb(word: &str, after: &str) -> bool {
    let next = after.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let has_form = word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"));
    let owned = ["a", "an", "my", "our", "his", "her", "its", "their", "all", "some"];
    after.starts_with(' ') && ((has_form && OPENERS.contains(&next)) || owned.contains(&next))
}

/// Tells whether what follows a first name is a verb of the past, or something that people do.
pub(super) fn does_something(after: &str) -> bool {
    let mut next = after.trim_start().split(|c: char| !c.is_alphanumeric());
    let next = next.next().unwrap_or_default();
    after.starts_with(' ')
        && (is_past(next) && !["was", "were", "had"].contains(&next)
            || ["says", "wants", "likes", "prefers", "thinks", "owns", "leads", "joins", "works"]
                .contains(&next))
}
