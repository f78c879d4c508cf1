//! Little words, and verbs that say nothing about a subject.

/// Words of several parts that other rules look for.
#[rustfmt::skip]
pub(super) const PHRASES: &[&str] = &[
    "no_longer", "no_more_than", "not_more_than", "no_fewer_than", "no_less_than", "si_no", "if_not",
    "not_any_more", "not_anymore", "any_more", "instead_of", "rather_than", "in_place_of", "used_to",
    "switched_from", "switched_to", "moved_to", "moved_from", "migrated_to", "migrated_from", "changed_to",
    "changed_from", "renamed_to", "replaced_by", "replaced_with", "from_now_on", "as_of", "these_days",
    "starting_with", "going_forward", "gave_up", "given_up", "no_one", "apart_from", "other_than",
    "except_for", "more_than", "less_than", "not_only", "per_day", "got_rid_of", "get_rid_of", "nicht_mehr",
    "kein_mehr", "ab_sofort", "von_nun_an", "ne_plus", "ya_no", "a_partir_de", "à_partir_de", "désormais",
    "d'ahora", "half_past", "quarter_past", "quarter_to", "a_dozen", "at_least", "at_most", "up_to", "out_of",
    "set_up", "not_yet", "in_fact", "turns_out", "back_to", "went_back", "split_up", "broke_up",
    "phased_out", "phase_out", "taken_over", "took_over", "takes_over", "shut_down", "was_born", "no_more", "due_to",
    "because_of", "such_as", "for_example", "so_that", "as_well", "lowered_to", "raised_to", "increased_to",
    "reduced_to", "cut_to", "up_from", "down_from", "full_stop", "to_be", "in_order_to", "not_all",
    "every_other", "any_longer", "since_then", "until_now", "so_far", "the_only", "in_future", "moving_to",
    "moving_from", "moved_away", "stopped_using", "has_left", "from_today", "gone_up", "went_up", "gone_down",
    "went_down", "let_lapse", "ab_heute", "rolled_back", "is_now", "are_now", "took_up", "has_become",
    "have_become", "passed_away", "handed_over", "merged_into", "split_into", "do_without", "does_without",
    "free_of", "free_from",
];

/// Sorted: words without a subject of their own.
#[rustfmt::skip]
const FUNCTION: &[&str] = &[
    "a", "about", "ab", "aber", "ai", "al", "alle", "all", "also", "am", "an", "and", "any", "are", "as",
    "at", "au", "auf", "aus", "aux", "avec", "be", "been", "bei", "being", "but", "by", "can", "ce", "con",
    "could", "da", "das", "dass", "de", "del", "dem", "den", "der", "des", "did", "die", "do", "does",
    "doing", "du", "durch", "each", "ein", "eine", "einem", "einen", "einer", "el", "elle", "en", "er", "es",
    "est", "et", "every", "for", "from", "für", "gets", "get", "got", "had", "has", "hat", "have", "having",
    "he", "her", "him", "his", "i", "ich", "if", "il", "ils", "im", "in", "into", "is", "ist", "it", "its",
    "je", "just", "la", "las", "le", "les", "los", "ma", "may", "me", "mes", "mi", "mis", "might", "mit",
    "mon", "my", "nach", "nous", "of", "off", "oh", "on", "only", "onto", "or", "os", "our", "ours", "out",
    "over", "par", "para", "per", "por", "pour", "que", "qui", "sa", "se", "ses", "shall", "she", "should",
    "sich", "sie", "sind", "so", "some", "son", "sont", "su", "sur", "sus", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "un", "una", "und",
    "une", "uno", "unos", "unsere", "up", "upon", "us", "via", "vom", "von", "vor", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whose", "will", "wir", "wird", "with", "within",
    "would", "y", "you", "your", "zu", "zum", "zur", "über",
];

/// Words that may stand beside any subject: adverbs, quantifiers, verbs of every day.
#[rustfmt::skip]
const LIGHT: &[&str] = &[
    "has_to", "have_to", "option", "options", "chosen", "choose",
    "able", "absolute", "active", "actual", "alone", "anymore", "apart", "appropriate", "aware", "basic",
    "best", "better", "big", "brief", "careful", "clear", "clearly", "close", "common", "consistent",
    "convenient", "dedicated", "deep", "definitely", "detailed", "earlier", "easier", "easy", "easily",
    "equal", "especially", "essential", "eventually", "explicit", "explicitly", "final", "fresh",
    "frequently", "general", "great", "happy", "hard", "heavy", "high", "higher", "huge", "immediately",
    "important", "instant", "local", "low", "lower", "major", "matter", "medium", "merely", "minor", "modern",
    "moment", "necessarily", "nice", "number", "occasionally", "ordinary", "original", "overall", "permanent",
    "permanently", "personal", "plain", "popular", "preferably", "prepared", "previous", "primarily",
    "primary", "principle", "prior", "proper", "purely", "rare", "rarely", "ready", "reason", "reasonable",
    "relevant", "reliable", "respective", "rough", "rule", "safely", "seldom", "serious", "significant",
    "similar", "simple", "simply", "slightly", "slow", "slowly", "solid", "somehow", "somewhat", "special",
    "standard", "sufficient", "suitable", "temporary", "tiny", "typical", "typically", "ultimate", "unique",
    "useful", "valid", "visible", "whatever", "wide", "wrong", "young", "order", "place", "problem",
    "problems", "trouble", "example", "case", "cases", "bit", "bits", "end", "start", "choice", "idea",
    "fact", "need", "needs", "favour", "favor", "means", "basis", "amount", "name", "names", "level", "set",
    "top", "rest", "side", "half", "pair", "kinds", "at_least", "at_most", "no_more_than", "not_more_than",
    "no_less_than", "no_fewer_than", "more_than", "less_than", "up_to", "durante", "ninguna", "deben", "debe",
    "doit", "doivent", "sollen", "werden", "wurde", "müssen", "minimum", "maximum", "bitte", "please",
    "always", "tienen", "pueden", "hay", "há", "être", "avoir", "fait", "peut", "gibt", "about", "problemlos",
    "sont", "actually", "after", "again", "ago", "almost", "already", "altogether", "always", "anyone",
    "around", "away", "back", "because", "before", "below", "between", "beyond", "both", "certain",
    "complete", "completely", "correct", "current", "currently", "daily", "day", "days", "different",
    "directly", "done", "down", "during", "early", "either", "else", "enough", "entire", "even", "ever",
    "everything", "exactly", "except", "extra", "far", "fast", "few", "finally", "fine", "fixed", "free",
    "freshly", "full", "fully", "further", "generally", "given", "good", "here", "immer", "instead", "kind",
    "large", "last", "late", "later", "latest", "least", "less", "like", "likely", "little", "long", "longer",
    "lot", "lots", "main", "many", "maybe", "mehr", "more", "most", "mostly", "much", "nearly", "necessary",
    "never", "next", "nie", "noch", "normal", "normally", "now", "nur", "often", "old", "once", "one",
    "other", "others", "own", "part", "people", "perhaps", "person", "possible", "probably", "properly",
    "quickly", "quite", "rather", "real", "really", "regular", "regularly", "right", "same", "seit",
    "several", "short", "since", "single", "small", "sometimes", "soon", "sort", "still", "straight", "such",
    "sure", "then", "thing", "things", "though", "thus", "time", "times", "today", "todas", "todos",
    "together", "tomorrow", "total", "toujours", "tous", "true", "twice", "type", "under", "unless", "until",
    "usual", "usually", "value", "values", "various", "very", "way", "well", "whenever", "whole", "whenever",
    "wherever", "whether", "yesterday", "yet", "zero", "siempre", "wieder", "auch", "sehr", "heute", "jetzt",
    "schon", "wenn", "muss", "müssen", "soll", "kann", "können", "dürfen", "darf", "field", "fields", "each",
    "week", "month", "year", "hour", "minute", "second", "morning", "night", "jeden", "jede", "jedes", "pro",
    "cada", "chaque", "jours", "ans", "ago", "somewhere", "anything", "anywhere", "someone", "nobody", "none",
    "nothing", "everyone", "everybody", "exclusively", "solely", "strictly", "generated", "automatically",
    "additional", "separate", "specific", "particular", "official", "officially", "anyway", "however",
    "therefore", "otherwise", "besides", "plus", "minus", "roughly", "approximately", "instead", "stays",
    "stay", "remain", "remains", "nowadays", "lately", "recently", "originally", "previously", "formerly",
    "today", "tonight", "behind", "above", "near", "next", "inside", "against", "across", "along", "towards",
    "without", "must",
];

/// Verbs that only connect a subject with what is said about it.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "achieve", "admire", "agree", "aim", "appear", "arrive", "attend", "avoid", "benefit", "bind", "bind",
    "bundle", "calculate", "celebrate", "close", "combine", "compare", "compile", "complete", "comply",
    "compute", "consist", "convert", "copy", "count", "deal", "describe", "develop", "discuss", "display",
    "drop", "emit", "enforce", "ensure", "enter", "estimate", "evaluate", "execute", "expose", "extend",
    "extract", "fetch", "fill", "fit", "flush", "forward", "fulfil", "grant", "guarantee", "hand", "help",
    "hide", "identify", "ignore", "improve", "increase", "indicate", "inject", "install", "integrate",
    "introduce", "invoke", "issue", "join", "limit", "link", "listen", "locate", "lower", "maintain", "mark",
    "match", "measure", "notice", "obtain", "occur", "open", "operate", "opt", "organise", "organize",
    "perform", "permit", "point", "prefer", "prepare", "present", "preserve", "prevent", "print", "promise",
    "protect", "publish", "raise", "recommend", "reduce", "refer", "refuse", "register", "reject", "release",
    "remember", "render", "repeat", "replace", "report", "represent", "reside", "resolve", "rest", "restrict",
    "result", "resume", "reuse", "round", "scale", "schedule", "select", "separate", "share", "sign", "skip",
    "specify", "split", "spin", "stick", "strip", "submit", "suffice", "suggest", "sync", "talk", "target",
    "throw", "track", "transfer", "translate", "transmit", "travel", "trigger", "trust", "unify", "update",
    "validate", "verify", "wish", "wrap", "bringt", "braucht", "gilt", "gelten", "kostet", "findet", "finden",
    "nimmt", "erfolgt", "besteht", "dient", "funciona", "hacen", "dura", "accept", "add", "allow", "answer",
    "apply", "ask", "assemble", "assume", "base", "become", "begin", "belong", "bring", "buy", "call",
    "carry", "change", "check", "choose", "collect", "come", "configure", "connect", "consider", "contain",
    "cost", "cover", "create", "cut", "decide", "define", "deliver", "depend", "do", "end", "exceed", "exist",
    "expect", "expire", "fall", "feel", "find", "finish", "fire", "follow", "force", "gather", "generate",
    "get", "give", "go", "goes", "gone", "grow", "handle", "happen", "has", "have", "hold", "host",
    "implement", "include", "keep", "kept", "know", "launch", "lead", "learn", "leave", "let", "lie", "live",
    "load", "look", "made", "make", "manage", "map", "mean", "mention", "move", "name", "need", "offer",
    "own", "pass", "pay", "perform", "pick", "place", "plan", "process", "produce", "provide", "pull", "put",
    "reach", "read", "receive", "record", "rely", "request", "require", "respond", "return", "reveal", "run",
    "save", "say", "see", "seem", "send", "sent", "serve", "set", "show", "sit", "sort", "speak", "spend",
    "stand", "start", "stay", "stop", "store", "supply", "support", "switch", "take", "taken", "tell",
    "think", "treat", "try", "turn", "use", "visit", "wait", "want", "wear", "went", "work", "write",
    "written", "kommt", "gehen", "geht", "macht", "steht", "liegt", "läuft", "haben", "hacer", "hace",
    "tiene", "tienen", "vont", "va", "tener", "sold", "bought",
];

/// Verbs that say something themselves.
#[rustfmt::skip]
const ACTIONS: &[&str] = &[
    "answer", "approve", "archive", "arrive", "authenticate", "bake", "block", "buffer", "build", "cache",
    "clean", "close", "coach", "cook", "commit", "compress", "crash", "cycle", "dance", "delete", "deploy",
    "dislike", "drink", "drive", "eat", "edit", "encrypt", "enjoy", "expire", "feed", "fly", "format",
    "freeze", "hash", "hate", "head", "heat", "host", "hurt", "index", "land", "lead", "leave", "like",
    "listen", "log", "love", "maintain", "manage", "marry", "meet", "merge", "mock", "mow", "notify", "open",
    "own", "paint", "pay", "play", "poll", "prefer", "publish", "push", "react", "rent", "replicate",
    "restart", "retry", "return", "review", "rotate", "sell", "ship", "shop", "sign", "sing", "sleep",
    "smoke", "squash", "stream", "study", "swim", "teach", "test", "train", "travel", "vacuum", "walk",
    "wash", "watch", "water", "weigh", "wake",
];

/// Tells whether a stem is that of a verb with a meaning of its own.
pub(crate) fn is_action(stem: &str) -> bool {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use crate::terms::Language;
    static STEMS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| ACTIONS.iter().map(|verb| Language::English.stem(verb)).collect());
    STEMS.contains(stem)
}

/// Tells whether a word in small letters belongs to grammar only.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION.contains(&word)
}

/// Tells whether a word in small letters may stand beside any subject.
pub(crate) fn is_light(word: &str) -> bool {
    LIGHT.contains(&word)
}

/// Tells whether a stem is that of a verb that only connects.
pub(crate) fn is_verb(stem: &str) -> bool {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use crate::terms::Language;
    static STEMS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| VERBS.iter().map(|verb| Language::English.stem(verb)).collect());
    STEMS.contains(stem)
}
