//! The words by which documents tell decisions: headings, statuses, modal words. A file a language.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod ja;
mod more;
mod pt;
mod titles;
mod zh;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub(crate) use self::titles::bare_title;
use super::Status;
use crate::prose::{self, is_unspaced};

/// What stands below a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// What was decided.
    Decision,
    /// A list of decisions.
    Decisions,
    /// A list of rules, whether they say "must" or not.
    Rules,
    /// Whether it holds.
    Status,
    /// Why it had to be decided.
    Context,
    /// Why it was decided so.
    Reason,
    /// What follows from it.
    Consequences,
    /// What else was looked at, or how something is done; nothing there holds.
    Options,
    /// What it is about, in short.
    Summary,
    /// What is not going to be done.
    NonGoals,
    /// Anything else.
    Other,
}

/// The words of a language. Phrases are in lower case and stand between bars.
struct Lexicon {
    headings: &'static [(Role, &'static str)],
    /// A phrase with `!` is a status only where nothing follows it.
    statuses: &'static [(Status, &'static str)],
    /// Labels of a line that tells the status, and headings of such a column.
    status_labels: &'static str,
    /// The same for what was decided.
    decision_labels: &'static str,
    /// The same for why.
    reason_labels: &'static str,
    /// Labels of lines that tell neither.
    other_labels: &'static str,
    /// Columns that hold the subject.
    subject_columns: &'static str,
    /// How a record says that it takes the place of another.
    replaces: &'static str,
    /// What begins a line about another record, and is no status.
    relations: &'static str,
    /// What may stand before a status.
    fillers: &'static str,
    /// What may follow a status that stands in a text.
    follows: &'static str,
    /// What turns a status into its opposite.
    not: &'static str,
    /// Modal words, in capitals.
    loud: &'static str,
    /// What begins a rule.
    imperatives: &'static str,
    /// What makes a sentence a rule.
    duties: &'static str,
    /// What makes it none, all the same.
    asides: &'static str,
    /// How a sentence says that something was decided.
    decided: &'static str,
    /// How it says what is done; with a reason that is a decision.
    choices: &'static str,
    /// How it says that nothing was decided.
    undone: &'static str,
    because: &'static str,
    /// What stands before the chosen option.
    chosen: &'static str,
    /// Headings below which things are done.
    past: &'static str,
    /// Headings below which things were given up.
    dropped: &'static str,
    /// Headings below which plans stand.
    plans: &'static str,
    /// Names of documents, by what they are.
    logs: &'static str,
    roadmaps: &'static str,
    guides: &'static str,
    lessons: &'static str,
    references: &'static str,
    meetings: &'static str,
    silent: &'static str,
    templates: &'static str,
    /// What stands where nothing is written yet.
    holes: &'static str,
    /// Beginnings of sentences that a template leaves behind.
    leftovers: &'static str,
}

const LANGUAGES: &[Lexicon] = &[
    en::WORDS,
    de::WORDS,
    fr::WORDS,
    es::WORDS,
    pt::WORDS,
    it::WORDS,
    ja::WORDS,
    zh::WORDS,
    more::WORDS,
];

fn phrases(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|').map(str::trim).filter(|phrase| !phrase.is_empty())
}

fn all(field: impl Fn(&Lexicon) -> &'static str) -> Vec<&'static str> {
    LANGUAGES.iter().flat_map(|language| phrases(field(language))).collect()
}

/// The words of all languages, taken apart once.
pub(crate) struct Words {
    roles: BTreeMap<&'static str, Role>,
    /// Longer phrases first.
    pub(crate) statuses: Vec<(&'static str, Status)>,
    pub(crate) status_labels: Vec<&'static str>,
    pub(crate) decision_labels: Vec<&'static str>,
    pub(crate) reason_labels: Vec<&'static str>,
    pub(crate) other_labels: Vec<&'static str>,
    pub(crate) subject_columns: Vec<&'static str>,
    replaces: Vec<&'static str>,
    pub(crate) relations: Vec<&'static str>,
    pub(crate) fillers: Vec<&'static str>,
    pub(crate) follows: Vec<&'static str>,
    pub(crate) not: Vec<&'static str>,
    loud: Vec<&'static str>,
    imperatives: Vec<&'static str>,
    duties: Vec<&'static str>,
    asides: Vec<&'static str>,
    decided: Vec<&'static str>,
    choices: Vec<&'static str>,
    undone: Vec<&'static str>,
    because: Vec<&'static str>,
    pub(crate) chosen: Vec<&'static str>,
    past: Vec<&'static str>,
    dropped: Vec<&'static str>,
    plans: Vec<&'static str>,
    pub(crate) logs: Vec<&'static str>,
    pub(crate) roadmaps: Vec<&'static str>,
    pub(crate) guides: Vec<&'static str>,
    pub(crate) lessons: Vec<&'static str>,
    pub(crate) references: Vec<&'static str>,
    pub(crate) meetings: Vec<&'static str>,
    pub(crate) silent: Vec<&'static str>,
    pub(crate) templates: Vec<&'static str>,
    holes: Vec<&'static str>,
    leftovers: Vec<&'static str>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut roles = BTreeMap::new();
    let mut statuses = Vec::new();
    for language in LANGUAGES {
        for (role, names) in language.headings {
            for name in phrases(names) {
                roles.entry(name).or_insert(*role);
            }
        }
        for (status, names) in language.statuses {
            statuses.extend(phrases(names).map(|name| (name, *status)));
        }
    }
    statuses.sort_by_key(|(name, _)| std::cmp::Reverse(name.chars().count()));
    Words {
        roles,
        statuses,
        status_labels: all(|l| l.status_labels),
        decision_labels: all(|l| l.decision_labels),
        reason_labels: all(|l| l.reason_labels),
        other_labels: all(|l| l.other_labels),
        subject_columns: all(|l| l.subject_columns),
        replaces: all(|l| l.replaces),
        relations: all(|l| l.relations),
        fillers: all(|l| l.fillers),
        follows: all(|l| l.follows),
        not: all(|l| l.not),
        loud: all(|l| l.loud),
        imperatives: all(|l| l.imperatives),
        duties: all(|l| l.duties),
        asides: all(|l| l.asides),
        decided: all(|l| l.decided),
        choices: all(|l| l.choices),
        undone: all(|l| l.undone),
        because: all(|l| l.because),
        chosen: all(|l| l.chosen),
        past: all(|l| l.past),
        dropped: all(|l| l.dropped),
        plans: all(|l| l.plans),
        logs: all(|l| l.logs),
        roadmaps: all(|l| l.roadmaps),
        guides: all(|l| l.guides),
        lessons: all(|l| l.lessons),
        references: all(|l| l.references),
        meetings: all(|l| l.meetings),
        silent: all(|l| l.silent),
        templates: all(|l| l.templates),
        holes: all(|l| l.holes),
        leftovers: all(|l| l.leftovers),
    }
});

/// Returns the words of all languages.
pub(crate) fn words() -> &'static Words {
    &WORDS
}

/// Returns a text in lower case with single spaces around each word, for [`has`].
pub(crate) fn padded(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let mut result = " ".to_owned();
    let kept = prose::words(&lower, "'-").map(|word| word.trim_matches('-'));
    for word in kept.filter(|word| !word.is_empty()) {
        result.push_str(word);
        result.push(' ');
    }
    result
}

/// Tells whether a padded text has a phrase as whole words, or anywhere in scripts without spaces.
pub(crate) fn has(padded: &str, phrase: &str) -> bool {
    if phrase.chars().any(is_unspaced) {
        return padded.contains(phrase);
    }
    padded
        .match_indices(phrase)
        .any(|(at, _)| padded[..at].ends_with(' ') && padded[at + phrase.len()..].starts_with(' '))
}

fn has_any(padded: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| has(padded, phrase))
}

/// Returns what stands below a heading with these words.
pub(crate) fn role(title: &str) -> Role {
    let lower = bare_title(title).to_lowercase().replace('’', "'");
    let trim = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let whole = trim(&lower);
    if let Some(role) = words().roles.get(whole.as_str()) {
        return *role;
    }
    // Two languages side by side, or a remark in brackets.
    let known = |part: &str| words().roles.get(trim(part).as_str()).copied();
    if let Some(role) = lower.split(['/', '(', '（']).find_map(known) {
        return role;
    }
    if whole.starts_with("not ")
        && ["in ", "on ", "part of ", "doing "].iter().any(|rest| whole[4..].starts_with(rest))
    {
        return Role::NonGoals;
    }
    let begins = |name: &str| {
        whole.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', ',', ':', '–', '—']))
    };
    let is_open = |role: Role| {
        matches!(role, Role::Options | Role::NonGoals | Role::Context | Role::Consequences)
    };
    let mut longer = words()
        .roles
        .iter()
        .filter(|(name, role)| is_open(**role) && name.chars().count() >= 7 && begins(name));
    longer.next().map_or(Role::Other, |(_, role)| *role)
}

/// Tells whether words are those of a known heading, and nothing else.
pub(crate) fn is_heading(words_of_it: &str) -> bool {
    let name = words_of_it.trim().to_lowercase();
    // `**Rejected**` says what became of the document.
    let is_status = words().statuses.iter().any(|(phrase, _)| *phrase == name);
    words().roles.contains_key(name.as_str()) && !is_status
}

/// Tells whether a title says that rules follow: `API guidelines`.
pub(crate) fn names_rules(title: &str) -> bool {
    let text = padded(&title.replace('-', " "));
    let mut rules = words().roles.iter().filter(|(name, role)| {
        let is_telling = name.chars().count() >= 5 || name.chars().any(is_unspaced);
        **role == Role::Rules
            && is_telling
            && !["avoid", "policy", "policies", "branching"].contains(*name)
    });
    let principles = [
        "principles",
        "tenets",
        "invariants",
        "prinzipien",
        "grundsätze",
        "principes",
        "principios",
        "princípios",
        "principi",
        "原則",
        "原则",
    ];
    rules.any(|(name, _)| has(&text, name)) || has_any(&text, &principles)
}

/// Returns what a heading such as `Decision: only squash merges` decides.
pub(crate) fn decided_title(title: &str) -> Option<&str> {
    let (label, rest) = title.split_once([':', '：'])?;
    let label = label.trim().to_lowercase();
    let is_label = words().decision_labels.contains(&label.as_str());
    (is_label && rest.chars().any(char::is_alphabetic)).then(|| rest.trim())
}

/// Tells whether a line says that this record takes the place of another.
pub(crate) fn replaces(line: &str) -> bool {
    has_any(&padded(line), &words().replaces)
}

/// Tells whether a word begins a line about another record, and is no slip for a status.
pub(crate) fn is_relation(word: &str) -> bool {
    words().relations.contains(&word) || words().replaces.contains(&word)
}

/// Tells whether a sentence has a modal word in capitals.
pub(crate) fn is_loud_rule(sentence: &str) -> bool {
    let spoken = spoken(sentence);
    let mut parts = prose::words(&spoken, "");
    let has_lower = sentence.chars().any(char::is_lowercase);
    has_lower && parts.any(|word| words().loud.contains(&word)) && has_subject(sentence)
}

/// Tells whether a sentence of a guide for contributors is a rule.
pub(crate) fn is_quiet_rule(sentence: &str) -> bool {
    let text = padded(&spoken(sentence));
    if is_question(&text)
        || has_any(&text, &words().asides)
        || is_guess(&text)
        || !has_subject(sentence)
    {
        return false;
    }
    let begins =
        |word: &&str| text[1..].strip_prefix(*word).is_some_and(|rest| rest.starts_with(' '));
    words().imperatives.iter().any(begins)
        || has_any(&text, &words().duties)
        || words().choices.iter().any(begins)
}

/// Returns a sentence without what it only mentions: code, and what stands between quotes.
fn spoken(sentence: &str) -> String {
    let mut result = String::new();
    let mut closing: Option<char> = None;
    for c in sentence.chars() {
        match closing {
            Some(close) if c == close => closing = None,
            Some(_) => {}
            None => {
                closing = match c {
                    '`' | '"' => Some(c),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '«' => Some('»'),
                    _ => None,
                };
                result.push(if closing.is_some() { 'x' } else { c });
            }
        }
    }
    // A mark without its other half mentions nothing.
    if closing.is_some() { sentence.to_owned() } else { result }
}

/// Tells whether a text asks or names a question: `What a request must pass`.
fn is_question(padded: &str) -> bool {
    let first = padded[1..].split(' ').next().unwrap_or_default();
    [
        "what", "how", "when", "where", "which", "why", "who", "was", "wie", "wann", "wo", "warum",
        "quand", "comment", "qué", "cómo",
    ]
    .contains(&first)
}

/// Tells whether a sentence invites or comforts, and rules nothing.
pub(crate) fn is_aside(sentence: &str) -> bool {
    has_any(&padded(sentence), &words().asides)
}

/// Tells whether "must" says here what somebody believes: `it must have taken months`.
fn is_guess(padded: &str) -> bool {
    let after = padded.split_once(" must have ").map_or("", |(_, after)| after);
    let next = after.split(' ').next().unwrap_or_default();
    ["been", "had", "gone", "come", "done", "made", "left", "cost", "lost", "found"].contains(&next)
        || (next.len() > 4 && ["ed", "en", "wn", "ught"].iter().any(|end| next.ends_with(end)))
}

/// Tells whether a rule says whom it binds: `Must be a string` does not.
fn has_subject(sentence: &str) -> bool {
    let nameless = [
        "must", "shall", "should", "may", "required", "muss", "müssen", "darf", "dürfen", "doit",
        "doivent", "debe", "deben", "deve", "devem", "devono", "必須", "必须",
    ];
    // `Omar: must finish before July`, `url: MUST end with a slash`.
    let pieces = [Some(sentence), sentence.split_once(": ").map(|(_, rest)| rest)];
    !pieces.into_iter().flatten().any(|piece| {
        let text = padded(piece);
        let first = text[1..].split(' ').next().unwrap_or_default();
        nameless.contains(&first)
            && !(piece.len() < sentence.len()
                && sentence
                    .split(": ")
                    .next()
                    .is_some_and(|lead| lead.split_whitespace().count() > 3))
    })
}

/// Tells whether a heading says that nothing below it is to be done: `Don't`.
pub(crate) fn is_denial(title: &str) -> bool {
    let text = padded(title);
    [
        "don't",
        "do not",
        "don'ts",
        "must not",
        "never",
        "avoid",
        "forbidden",
        "verboten",
        "nicht erlaubt",
        "interdit",
        "interdits",
        "prohibido",
        "proibido",
        "vietato",
        "禁止事項",
        "禁止",
    ]
    .contains(&text.trim())
}

/// Tells whether a sentence speaks of something that an earlier one named.
pub(crate) fn leans_back(sentence: &str) -> bool {
    let text = padded(sentence);
    let first = text[1..].split(' ').next().unwrap_or_default();
    [
        "it", "they", "these", "those", "this", "that", "he", "she", "sie", "er", "dies", "diese",
        "il", "elle", "ils", "elles", "ello",
    ]
    .contains(&first)
}

/// Tells whether a sentence says that something was decided.
pub(crate) fn is_decided(sentence: &str) -> bool {
    let text = padded(&spoken(sentence));
    let is_told = has_any(&text, &words().decided)
        || (has_any(&text, &words().choices) && has_any(&text, BECAUSE));
    is_told && !has_any(&text, &words().undone)
}

/// What makes a statement about what is done a decision: it has a reason.
const BECAUSE: &[&str] =
    &["because", "weil", "parce que", "car", "porque", "perché", "因为", "ため"];

/// Tells whether a text says why.
pub(crate) fn has_reason(text: &str) -> bool {
    has_any(&padded(text), &words().because)
}

/// Tells whether a sentence does nothing but say why.
pub(crate) fn is_reason(sentence: &str) -> bool {
    let text = padded(sentence);
    let begins =
        |word: &&str| text[1..].strip_prefix(*word).is_some_and(|rest| rest.starts_with(' '));
    words().because.iter().any(begins) || (leans_back(sentence) && has_reason(sentence))
}

/// Tells whether a text stands where something is still to be written.
pub(crate) fn is_hole(text: &str) -> bool {
    let text = padded(text);
    let text = text.trim();
    let is_it = |hole: &str| {
        let Some(rest) = text.strip_prefix(hole) else { return false };
        let is_word = rest.is_empty() || rest.starts_with(' ') || hole.chars().any(is_unspaced);
        is_word && rest.split_whitespace().count() <= 4
    };
    text.is_empty() || words().holes.iter().any(|hole| is_it(hole))
}

/// Tells whether a text is a sentence of a template.
pub(crate) fn is_leftover(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let lower = lower.trim_start_matches(['*', '_', '(', '[', '<', ' ']);
    words().leftovers.iter().any(|leftover| lower.starts_with(leftover))
        || text.contains("{{")
        || (text.contains('{') && text.contains('}') && text.starts_with('{'))
}

/// Tells whether a heading stands above steps that a newcomer follows.
pub(crate) fn is_lesson(title: &str) -> bool {
    let title = padded(title);
    words().lessons.iter().any(|word| has(&title, word))
}

/// Tells whether things below a heading of a roadmap are done.
pub(crate) fn is_past(title: &str) -> bool {
    has_any(&padded(title), &words().past)
}

/// Tells whether things below a heading of a roadmap were given up.
pub(crate) fn is_dropped(title: &str) -> bool {
    has_any(&padded(title), &words().dropped)
}

/// Tells whether plans stand below a heading of a roadmap.
pub(crate) fn is_plan(title: &str) -> bool {
    let lower = title.to_lowercase();
    let has_quarter =
        lower.as_bytes().windows(2).any(|w| b"qt".contains(&w[0]) && (b'1'..=b'4').contains(&w[1]));
    let has_version = lower.split_whitespace().any(|word| {
        let word = word.strip_prefix('v').unwrap_or(word);
        word.starts_with(|c: char| c.is_ascii_digit())
    });
    let has_word = words().plans.iter().any(|word| lower.contains(word));
    has_word || has_quarter || has_version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_taken_off_titles() {
        for (title, bare) in [
            ("ADR-0004: Use Redis", "Use Redis"),
            ("4. Use Redis", "Use Redis"),
            ("0012 - Use Redis", "Use Redis"),
            ("RFC 12: Use Redis", "Use Redis"),
            ("2024-03-01 — Use Redis", "Use Redis"),
            ("2024-03-01 use Redis", "use Redis"),
            ("01.03.2024: Redis", "Redis"),
            ("[2024-03-01] Use Redis", "Use Redis"),
            ("3 retries before we give up", "3 retries before we give up"),
            ("2024-03-01", "2024-03-01"),
            ("Decision", "Decision"),
            ("Use S3", "Use S3"),
        ] {
            assert_eq!(bare_title(title), bare, "{title}");
        }
        assert_eq!(role("2. Decision Outcome"), Role::Decision);
        assert_eq!(role("Entscheidung"), Role::Decision);
        assert_eq!(role("Decision / Entscheidung"), Role::Decision);
        assert_eq!(role("Alternatives we looked at"), Role::Options);
        assert_eq!(decided_title("Decision: squash only"), Some("squash only"));
    }

    #[test]
    fn rules_are_told_from_advice() {
        assert!(is_loud_rule("Clients MUST retry"));
        assert!(!is_loud_rule("clients must retry"));
        assert!(!is_loud_rule("MUST be a string"));
        assert!(is_quiet_rule("Never push to main"));
        assert!(is_quiet_rule("Commits must be signed"));
        assert!(is_quiet_rule("No merge without a review"));
        assert!(is_quiet_rule("Fehler werden nie verschluckt"));
        assert!(names_rules("Code-Richtlinien") && !names_rules("Architecture"));
        assert!(!is_quiet_rule("You must have Rust installed"));
        assert!(!is_quiet_rule("Asking for help is always welcome"));
        assert!(!is_quiet_rule("Writing it must have cost a month"));
        assert!(!is_quiet_rule("There must be a better way"));
        assert!(!is_quiet_rule("What a request must pass"));
        assert!(!is_loud_rule("The word `MUST` is loud"));
        assert!(!is_decided("Sentences such as \"we decided\" are taken"));
        assert!(is_decided("We decided to keep \"blue\" as it is"));
    }

    #[test]
    fn no_phrase_of_one_language_is_a_status_of_another_kind() {
        let mut known: BTreeMap<&str, Status> = BTreeMap::new();
        for (phrase, status) in &words().statuses {
            let other = known.insert(phrase, *status);
            assert!(other.is_none_or(|other| other == *status), "{phrase}");
        }
    }
}
