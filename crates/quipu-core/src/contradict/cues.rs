//! Words by which a statement shows that it denies, replaces, allows, adds or excepts.

/// Wording that may replace what held before, or may mean something else.
#[rustfmt::skip]
pub(super) const WEAK_UPDATES: &[&str] = &[
    "taken_over", "took_over", "takes_over", "switched_on", "turned_on", "fixed", "joined", "started", "finished",
    "since", "seit", "depuis", "now", "jetzt", "ahora", "maintenant", "ends", "finally", "again", "left", "new", "statt", "inzwischen",
    "meanwhile", "instead_of", "previously", "raised", "filled", "arrived",
];

/// Wording that says that something holds no longer, or holds since now.
#[rustfmt::skip]
pub(super) const UPDATES: &[&str] = &[
    "has_left", "stepped_down", "filled", "arrived", "back_from", "from_today", "from_today_on", "gone_up", "went_up", "gone_down", "went_down", "let_run_out",
    "run_out", "let_lapse", "bumped", "ab_heute", "started", "converted", "rewrote", "rewritten", "ported",
    "rolled_back", "swapped", "swaps", "exchanged", "dropping", "switching", "is_now", "are_now", "will_now",
    "joined", "took_up", "has_become", "have_become", "stopped_working", "passed_away", "died",
    "bought", "separated", "divorced", "quit_smoking", "gave_up_smoking", "handed_over", "merged_into",
    "split_into", "discontinued", "no_longer", "any_more", "not_any_more", "not_anymore", "any_longer",
    "instead_of", "switched_from", "switched_to", "moved_to", "moved_from", "migrated_to", "migrated_from",
    "changed_to", "changed_from", "renamed_to", "replaced_by", "replaced_with", "from_now_on", "as_of",
    "these_days", "nowadays", "starting", "gave_up", "given_up", "used_to", "dropped", "cancelled",
    "canceled", "removed", "replaced", "replaces", "switched", "lowered", "raised", "increased", "reduced",
    "nicht_mehr", "ab_sofort", "seit", "depuis", "désormais", "ne_plus", "ya_no", "a_partir_de",
    "à_partir_de", "from_then", "since", "now", "jetzt", "inzwischen", "ahora", "maintenant", "stopped",
    "quit", "changed", "became", "broken_off", "broke_up", "split_up", "phased_out", "deprecated", "retired",
    "abandoned", "reverted", "back_to", "went_back", "sold", "moved", "migrated", "renamed", "got_rid_of",
    "taken_over", "took_over", "takes_over", "going_forward", "stopped_using", "lowered_to", "raised_to",
    "meanwhile", "ends", "umgestellt", "gekündigt", "gewechselt", "statt", "previously", "formerly",
    "anymore", "turned", "upgraded", "downgraded", "extended", "shortened", "postponed", "rescheduled",
    "doubled", "halved", "bumped", "superseded", "obsolete", "decommissioned", "finally", "again", "left",
    "new",
    "moved_away", "shut_down", "quit_my_job", "gezogen", "gestrichen", "lapsed", "cancelled", "let_run_out", "ran_out", "took_over", "used_to_be", "anymore", "ended", "ends_with", "finished", "closed_down",
    "has_been_replaced", "was_replaced", "were_replaced", "swapped_for", "traded", "upgraded_to", "grew", "turned_off", "switched_off", "switched_on",
    "turned_on", "got_married", "had_a_baby", "was_born", "repaired", "fixed", "sacked", "promoted", "hired", "resigned", "künftig", "nun", "dejado", "dejó",
    "cambiado", "changé", "arrêté", "plus_jamais", "aufgehört", "umgezogen", "abgeschafft", "eingestellt", "ersetzt",
];

/// A second denial that undoes the first.
#[rustfmt::skip]
pub(super) const TWICE: &[&str] = &[
    "without", "unless", "until", "si_no", "if_not", "ohne", "sans", "sin", "except",
];

/// Words that deny only once with another.
#[rustfmt::skip]
pub(super) const CONCORD: &[&str] = &[
    "ninguna", "ningún", "ninguno", "nunca", "nadie", "jamás", "aucun", "aucune", "jamais", "any_more",
    "any_longer",
];

/// Negators that leave what stands before them alone.
#[rustfmt::skip]
pub(super) const AFTER: &[&str] = &[
    "without", "ohne", "sans", "sin", "instead_of", "rather_than", "statt", "anstatt", "in_place_of",
];

/// Words that deny.
#[rustfmt::skip]
pub(super) const NEGATORS: &[&str] = &[
    "not", "no", "never", "nobody", "no_one", "nothing", "none", "neither", "nor", "without", "cannot",
    "avoid", "nicht", "kein", "keine", "keinen", "keiner", "keinem", "nie", "niemals", "niemand", "ohne",
    "pas", "jamais", "aucun", "aucune", "sans", "nunca", "ningún", "ninguna", "ninguno", "jamás", "sin",
    "nadie", "instead_of", "rather_than", "statt", "anstatt", "in_place_of", "no_longer", "any_more",
    "not_any_more", "not_anymore", "any_longer", "nicht_mehr", "ne_plus", "ya_no", "dropped", "cancelled",
    "canceled", "removed", "abandoned", "gave_up", "given_up", "quit", "stopped", "stopped_using", "forbid",
    "forbidden", "prohibited", "banned", "deprecated", "retired", "got_rid_of", "get_rid_of", "phased_out",
    "do_without", "does_without", "free_of", "disallowed", "lacks", "denied", "denies", "deny", "refused",
    "reject", "rejected", "rejects", "ended", "keinerlei", "kaum",
];

/// Words before a condition.
#[rustfmt::skip]
pub(super) const CONDITIONS: &[&str] = &[
    "who", "if", "when", "unless", "once", "wenn", "falls", "si", "sobald", "cuando", "quand", "should",
    "in_case", "whenever",
];

/// Words that take something out of a rule.
#[rustfmt::skip]
pub(super) const EXCEPTIONS: &[&str] = &[
    "except", "except_for", "apart_from", "exception", "exceptions", "exempt", "other_than", "excluding",
    "unless", "ausnahme", "ausnahmsweise", "excepto", "sauf", "besides",
];

/// Words that allow.
#[rustfmt::skip]
pub(super) const PERMISSIONS: &[&str] = &[
    "may", "can", "could", "fine", "okay", "ok", "allowed", "acceptable", "darf", "dürfen", "kann", "können",
    "peut", "peuvent", "puede", "pueden", "enough", "reicht",
];

/// Verbs that may be said of several things at once.
#[rustfmt::skip]
pub(super) const ADDITIVE: &[&str] = &[
    "supports", "support", "supported", "includes", "contains", "likes", "like", "loves", "plays", "speaks",
    "speak", "knows", "offers", "visited", "were", "was", "habla", "spielt", "spricht", "mag", "parle",
    "joue", "read", "reading", "collects", "depends",
];

/// Words that add to what is said.
#[rustfmt::skip]
pub(super) const ADDITIONS: &[&str] = &[
    "also", "too", "additionally", "as_well", "auch", "aussi", "también", "another", "besides", "moreover",
    "plus", "likewise", "even",
];

/// Words that leave no room for others.
#[rustfmt::skip]
pub(super) const EXCLUSIVE: &[&str] = &[
    "all", "every", "only", "never", "always", "any", "each", "exclusively", "solely", "the_only", "alle",
    "nur", "immer", "todos", "todas", "tous", "toutes", "must", "nothing", "everything",
];

/// Words before a period.
#[rustfmt::skip]
pub(super) const PER: &[&str] = &[
    "a", "an", "per", "each", "every", "pro", "por", "par", "im", "al",
];

/// Periods of a rate.
#[rustfmt::skip]
pub(super) const PERIODS: &[&str] = &[
    "second", "minute", "hour", "day", "week", "month", "year", "night", "morning", "evening", "tag", "woche",
    "monat", "jahr", "mes", "mois", "an", "semana", "día",
];

/// Words for "only".
#[rustfmt::skip]
pub(super) const ONLY: &[&str] = &[
    "only", "nur", "exclusively", "solely", "just", "the_only", "solo", "seulement", "uniquement",
    "ausschließlich",
];

/// Words before what a statement is about, or where it holds.
#[rustfmt::skip]
pub(super) const SCOPES: &[&str] = &[
    "before", "after", "until", "of", "for", "in", "about", "on", "at", "to", "with", "from", "für", "von",
    "im", "bei", "pour", "para", "de", "dans", "en", "during", "between", "by",
];

/// Verbs and pronouns of grammar; the first thirty are verbs.
#[rustfmt::skip]
pub(super) const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "will", "would",
    "can", "could", "should", "must", "may", "might", "shall", "ist", "sind", "wird", "werden", "hat",
    "haben", "kann", "darf", "muss", "soll", "est", "sont", "a", "es", "son", "need", "needs", "ne", "se",
    "am", "get", "gets", "i", "we", "you", "they", "he", "she", "it", "ich", "wir", "and", "or", "bestehen",
];

/// Words that a verb follows.
#[rustfmt::skip]
pub(super) const BEFORE_VERBS: &[&str] = &[
    "i", "we", "you", "they", "he", "she", "must", "should", "can", "could", "may", "might", "will", "would",
    "shall", "cannot", "please", "let", "who", "wir", "ich", "sie", "nous", "je", "ils",
];

/// Words that stand for the subject of the sentence before.
#[rustfmt::skip]
pub(super) const PRONOUNS: &[&str] = &[
    "it", "they", "he", "she", "this", "these", "that", "those", "es", "sie", "er", "elle", "il", "ils",
    "ella", "él",
];

/// Names that are spelled like little words.
#[rustfmt::skip]
pub(super) const METHODS: &[&str] = &["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "IT"];
