//! The words by which documents tell decisions: headings, statuses, modal words, in several languages.

use super::Status;

/// What stands below a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// What was decided.
    Decision,
    /// A list of decisions.
    Decisions,
    /// Whether it holds.
    Status,
    /// Why it had to be decided.
    Context,
    /// Why it was decided so.
    Reason,
    /// What follows from it.
    Consequences,
    /// What else was looked at; nothing there holds.
    Options,
    /// What it is about, in short.
    Summary,
    /// What is not going to be done.
    NonGoals,
    /// Anything else.
    Other,
}

const ROLES: &[(Role, &[&str])] = &[
    (
        Role::Decision,
        &[
            "decision",
            "decision outcome",
            "the decision",
            "our decision",
            "resolution",
            "outcome",
            "decision made",
            "entscheidung",
            "entscheidungsergebnis",
            "beschluss",
            "ergebnis der entscheidung",
            "decisión",
            "decision tomada",
            "decisión tomada",
            "resultado de la decisión",
            "resolución",
            "décision",
            "résultat de la décision",
            "decisão",
            "resultado da decisão",
            "decisione",
            "beslissing",
            "besluit",
            "beslut",
            "decyzja",
        ],
    ),
    (
        Role::Decisions,
        &[
            "decisions",
            "key decisions",
            "design decisions",
            "architecture decisions",
            "decision log",
            "architectural decisions",
            "technical decisions",
            "decisions made",
            "major decisions",
            "resolved questions",
            "entscheidungen",
            "entwurfsentscheidungen",
            "architekturentscheidungen",
            "wichtige entscheidungen",
            "beschlüsse",
            "decisiones",
            "decisiones clave",
            "decisiones de diseño",
            "décisions",
            "décisions clés",
            "choix de conception",
            "decisões",
            "decisioni",
            "beslissingen",
            "invariants",
            "principles",
            "ground rules",
            "grundsätze",
            "principios",
            "principes",
        ],
    ),
    (Role::Status, &["status", "state", "estado", "statut", "état", "stato"]),
    (
        Role::Context,
        &[
            "context",
            "context and problem statement",
            "problem",
            "problem statement",
            "background",
            "motivation",
            "issue",
            "kontext",
            "kontext und problemstellung",
            "problemstellung",
            "hintergrund",
            "ausgangslage",
            "contexto",
            "contexto y planteamiento del problema",
            "problema",
            "motivación",
            "antecedentes",
            "contexte",
            "contexte et problème",
            "problème",
            "motivação",
            "contesto",
        ],
    ),
    (
        Role::Reason,
        &[
            "rationale",
            "reasons",
            "reasoning",
            "justification",
            "why",
            "argument",
            "begründung",
            "gründe",
            "warum",
            "justificación",
            "razones",
            "por qué",
            "raisons",
            "pourquoi",
            "justificativa",
            "motivazione",
        ],
    ),
    (
        Role::Consequences,
        &[
            "consequences",
            "positive consequences",
            "negative consequences",
            "implications",
            "trade-offs",
            "impact",
            "drawbacks",
            "folgen",
            "konsequenzen",
            "auswirkungen",
            "consecuencias",
            "impacto",
            "conséquences",
            "consequências",
            "conseguenze",
            "confirmation",
        ],
    ),
    (
        Role::Options,
        &[
            "considered options",
            "options",
            "options considered",
            "alternatives",
            "alternatives considered",
            "pros and cons of the options",
            "rejected alternatives",
            "rationale and alternatives",
            "decision drivers",
            "open questions",
            "unresolved questions",
            "future possibilities",
            "prior art",
            "example",
            "examples",
            "links",
            "references",
            "more information",
            "further reading",
            "betrachtete optionen",
            "optionen",
            "alternativen",
            "verworfene alternativen",
            "offene fragen",
            "entscheidungstreiber",
            "opciones",
            "opciones consideradas",
            "alternativas",
            "ejemplos",
            "alternativas consideradas",
            "preguntas abiertas",
            "options envisagées",
            "alternatives envisagées",
            "beispiele",
            "exemples",
            "questions ouvertes",
            "voor- en nadelen",
            "code of conduct",
        ],
    ),
    (
        Role::Summary,
        &[
            "summary",
            "abstract",
            "tl;dr",
            "tldr",
            "overview",
            "proposal",
            "zusammenfassung",
            "kurzfassung",
            "vorschlag",
            "resumen",
            "propuesta",
            "résumé",
            "proposition",
            "resumo",
            "sommario",
        ],
    ),
    (
        Role::NonGoals,
        &[
            "non-goals",
            "non goals",
            "nongoals",
            "out of scope",
            "not planned",
            "not doing",
            "won't do",
            "what we will not do",
            "not on the roadmap",
            "explicitly not planned",
            "nicht-ziele",
            "nichtziele",
            "nicht geplant",
            "keine ziele",
            "no objetivos",
            "fuera de alcance",
            "fuera del alcance",
            "no planificado",
            "non-objectifs",
            "hors périmètre",
            "non prévu",
            "fora do escopo",
        ],
    ),
];

/// Returns what stands below a heading with these words.
pub(crate) fn role(title: &str) -> Role {
    let title = bare_title(title).to_lowercase();
    let title = title.trim_matches(|c: char| !c.is_alphanumeric());
    let named = ROLES.iter().find(|(_, names)| names.contains(&title));
    named.map_or(Role::Other, |(role, _)| *role)
}

/// Returns a heading's words without the number, date or record name that it begins with.
pub(crate) fn bare_title(title: &str) -> &str {
    let mut rest = title.trim();
    loop {
        let before = rest;
        for name in
            ["adr", "rfc", "ard", "decision record", "decision", "d", "kep", "dr", "entscheidung"]
        {
            if let Some(after) = strip_prefix_ignoring_case(rest, name) {
                let after = after.trim_start_matches([' ', '-', '#', '_']);
                if after.starts_with(|c: char| c.is_ascii_digit()) {
                    rest = after;
                    break;
                }
            }
        }
        let digits =
            rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        if digits > 0 {
            let after = &rest[digits..];
            // Dates go part by part; `3 retries` is no number of a heading.
            let cut = after.trim_start_matches([' ', '-', ':', '.', ')', '–', '—', ']', '/']);
            let is_number = digits >= 3
                || rest[..digits].contains('.')
                || cut.len() + 1 < after.len()
                || after.starts_with([':', ')', '-', '–', '—', '/']);
            if is_number && !cut.is_empty() {
                rest = cut;
            }
        }
        rest = rest.trim_start_matches([' ', '–', '—', ':', '[', '(']);
        if rest == before {
            return rest.trim();
        }
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Labels of a line that tells the status.
pub(crate) const STATUS_LABELS: &[&str] =
    &["status", "state", "estado", "statut", "état", "stato", "zustand"];

/// Labels of a line that tells the decision.
pub(crate) const DECISION_LABELS: &[&str] = &[
    "decision",
    "decided",
    "resolution",
    "agreed",
    "entscheidung",
    "beschluss",
    "beschlossen",
    "decisión",
    "acuerdo",
    "acordado",
    "décision",
    "décidé",
    "decisão",
    "decisione",
    "besluit",
];

/// Labels of a line that tells why.
pub(crate) const REASON_LABELS: &[&str] = &[
    "why",
    "reason",
    "rationale",
    "because",
    "context",
    "warum",
    "grund",
    "begründung",
    "por qué",
    "motivo",
    "razón",
    "justificación",
    "pourquoi",
    "raison",
    "justification",
    "motivazione",
];

/// Labels of lines that tell neither.
pub(crate) const OTHER_LABELS: &[&str] = &[
    "date",
    "author",
    "authors",
    "deciders",
    "decision-makers",
    "owner",
    "tags",
    "consulted",
    "informed",
    "datum",
    "autor",
    "autoren",
    "fecha",
    "autores",
    "auteur",
    "ticket",
    "issue",
    "technical story",
    "entscheider",
    "beteiligte",
    "participants",
    "alternatives",
    "alternatives considered",
    "alternativas",
    "rejected",
];

const STATUSES: &[(Status, &[&str])] = &[
    (
        Status::Superseded,
        &[
            "superseded",
            "replaced",
            "abgelöst",
            "sustituida",
            "sustituido",
            "reemplazada",
            "reemplazado",
            "remplacé",
            "remplacée",
            "substituída",
            "substituído",
            "sostituita",
            "überholt",
            "ersetzt durch",
            "obsoleted",
        ],
    ),
    (
        Status::Deprecated,
        &[
            "deprecated",
            "obsolete",
            "retired",
            "veraltet",
            "obsoleta",
            "obsoleto",
            "obsolète",
            "dépréciée",
            "abandoned",
            "inactive",
        ],
    ),
    (
        Status::Rejected,
        &[
            "rejected",
            "declined",
            "withdrawn",
            "abgelehnt",
            "verworfen",
            "zurückgezogen",
            "rechazada",
            "rechazado",
            "rejetée",
            "rejeté",
            "refusée",
            "rejeitada",
            "respinta",
            "closed",
        ],
    ),
    (
        Status::Accepted,
        &[
            "accepted",
            "approved",
            "adopted",
            "implemented",
            "final",
            "active",
            "decided",
            "done",
            "agreed",
            "merged",
            "landed",
            "in force",
            "angenommen",
            "akzeptiert",
            "beschlossen",
            "umgesetzt",
            "gültig",
            "entschieden",
            "aceptada",
            "aceptado",
            "aprobada",
            "aprobado",
            "adoptada",
            "vigente",
            "implementada",
            "acceptée",
            "accepté",
            "adoptée",
            "validée",
            "approuvée",
            "en vigueur",
            "aceita",
            "aprovada",
            "accettata",
            "approvata",
            "geaccepteerd",
            "shipped",
            "stable",
        ],
    ),
    (
        Status::Proposed,
        &[
            "proposed",
            "draft",
            "in review",
            "review",
            "pending",
            "open",
            "wip",
            "in discussion",
            "discussion",
            "provisional",
            "vorgeschlagen",
            "entwurf",
            "in diskussion",
            "offen",
            "propuesta",
            "propuesto",
            "borrador",
            "en revisión",
            "proposée",
            "proposé",
            "brouillon",
            "en discussion",
            "proposta",
            "rascunho",
            "bozza",
            "idea",
            "exploring",
            "tbd",
        ],
    ),
];

/// Returns the status that a line tells.
///
/// A record lists what it went through: of several the one that came last in a record's life counts.
pub(crate) fn status(line: &str) -> Option<Status> {
    let lower = line.to_lowercase();
    let words = format!(
        " {} ",
        lower
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    );
    let tells = |names: &[&str]| names.iter().any(|name| words.contains(&format!(" {name} ")));
    STATUSES.iter().find(|(_, names)| tells(names)).map(|(status, _)| *status)
}

/// Tells whether a line lists statuses to choose from, as a template does.
pub(crate) fn is_choice(line: &str) -> bool {
    let lower = line.to_lowercase();
    let named = STATUSES.iter().filter(|(_, names)| names.iter().any(|name| lower.contains(name)));
    named.count() >= 3 && lower.contains(['|', '/', '{', '['])
}

const REPLACES: &[&str] = &[
    "supersedes",
    "replaces",
    "obsoletes",
    "ersetzt",
    "löst ab",
    "sustituye",
    "reemplaza",
    "remplace",
    "substitui",
];

/// Tells whether a line says that this record takes the place of another.
pub(crate) fn replaces(line: &str) -> bool {
    let lower = line.to_lowercase();
    REPLACES.iter().any(|word| lower.contains(word)) && status(line) != Some(Status::Superseded)
}

const LOUD: &[&str] = &[
    "MUST", "SHALL", "NEVER", "ALWAYS", "MUSS", "MÜSSEN", "DARF", "DÜRFEN", "NIE", "NIEMALS",
    "IMMER", "DEBE", "DEBEN", "NUNCA", "SIEMPRE", "DOIT", "DOIVENT", "JAMAIS", "TOUJOURS", "DEVE",
    "DEVEM", "SEMPRE", "MAI",
];

/// Tells whether a sentence has a modal word in capitals.
pub(crate) fn is_loud_rule(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    let has_lower = sentence.chars().any(char::is_lowercase);
    has_lower && words.any(|word| LOUD.contains(&word))
}

const IMPERATIVES: &[&str] = &[
    "never",
    "always",
    "do not",
    "don't",
    "niemals",
    "nie",
    "immer",
    "nunca",
    "siempre",
    "jamais",
    "toujours",
    "ne jamais",
    "sempre",
];

const DUTIES: &[&str] = &[
    "must",
    "must not",
    "may not",
    "never",
    "shall",
    "is forbidden",
    "are forbidden",
    "is required",
    "are required",
    "is mandatory",
    "muss",
    "müssen",
    "darf",
    "dürfen",
    "niemals",
    "verboten",
    "pflicht",
    "debe",
    "deben",
    "nunca",
    "prohibido",
    "obligatorio",
    "doit",
    "doivent",
    "jamais",
    "interdit",
    "obligatoire",
    "deve",
    "devem",
];

/// Tells whether a sentence of a guide for contributors is a rule.
pub(crate) fn is_quiet_rule(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let begins = |word: &&str| lower.strip_prefix(*word).is_some_and(|rest| rest.starts_with(' '));
    if IMPERATIVES.iter().any(begins) {
        return true;
    }
    let words = format!(" {} ", lower.replace([',', '.', ';', ':', '*'], " "));
    let addresses = [
        "you must have",
        "you must be",
        "if you",
        "must be able to",
        "you may",
        "must i",
        "must we",
        "licens",
        "you agree",
    ];
    !addresses.iter().any(|phrase| words.contains(phrase))
        && DUTIES.iter().any(|duty| words.contains(&format!(" {duty} ")))
}

const DECIDED: &[&str] = &[
    "we decided",
    "we have decided",
    "we've decided",
    "it was decided",
    "we chose ",
    "we have chosen",
    "we agreed to",
    "we agreed that",
    "we settled on",
    "we will not ",
    "we won't ",
    "we standardise on",
    "we standardize on",
    "wir haben entschieden",
    "wir haben uns entschieden",
    "wir haben uns für",
    "wir haben beschlossen",
    "wurde beschlossen",
    "wurde entschieden",
    "wir verzichten auf",
    "decidimos",
    "hemos decidido",
    "se decidió",
    "se ha decidido",
    "acordamos",
    "hemos elegido",
    "nous avons décidé",
    "nous avons choisi",
    "nous avons retenu",
    "il a été décidé",
    "nous ne voulons pas",
    "abbiamo deciso",
    "foi decidido",
    "besloten",
];

/// Tells whether a sentence says that something was decided.
pub(crate) fn is_decided(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    let undone =
        ["if we decided", "before we decided", "until we", "whether we", "when we decided"];
    DECIDED.iter().any(|phrase| lower.contains(phrase)) && !undone.iter().any(|w| lower.contains(w))
}

const BECAUSE: &[&str] = &[
    "because",
    " since ",
    "so that",
    "in order to",
    " as it ",
    "due to",
    "weil",
    " da ",
    "damit",
    " um ",
    "porque",
    "para que",
    "ya que",
    "puesto que",
    "debido a",
    "parce que",
    "afin de",
    "car ",
    "puisque",
    "perché",
];

/// Tells whether a text says why.
pub(crate) fn has_reason(text: &str) -> bool {
    let lower = text.to_lowercase();
    BECAUSE.iter().any(|word| lower.contains(word))
}

/// Columns of a table that hold what was decided.
pub(crate) const DECISION_COLUMNS: &[&str] = &[
    "decision",
    "decided",
    "decisions",
    "choice",
    "we chose",
    "entscheidung",
    "beschluss",
    "wahl",
    "decisión",
    "elección",
    "décision",
    "choix",
    "decisão",
    "decisione",
];

/// Columns of a table that hold the reason.
pub(crate) const REASON_COLUMNS: &[&str] = &[
    "why",
    "reason",
    "rationale",
    "reasoning",
    "because",
    "warum",
    "grund",
    "begründung",
    "por qué",
    "motivo",
    "razón",
    "justificación",
    "pourquoi",
    "raison",
    "justification",
    "motivação",
    "motivazione",
];

/// Columns of a table that hold the subject.
pub(crate) const SUBJECT_COLUMNS: &[&str] = &[
    "topic", "subject", "area", "question", "what", "title", "thema", "frage", "bereich", "titel",
    "tema", "pregunta", "área", "sujet", "thème", "question", "domaine", "assunto",
];

/// Headings of a roadmap below which things are done.
pub(crate) fn is_past(title: &str) -> bool {
    let lower = title.to_lowercase();
    [
        "done",
        "shipped",
        "released",
        "completed",
        "past",
        "history",
        "erledigt",
        "fertig",
        "abgeschlossen",
        "hecho",
        "completado",
        "terminé",
        "livré",
        "fait",
        "concluído",
        "changelog",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Headings of a roadmap below which plans stand.
pub(crate) fn is_plan(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words = [
        "now",
        "next",
        "later",
        "planned",
        "in progress",
        "upcoming",
        "milestone",
        "soon",
        "quarter",
        "goals",
        "someday",
        "backlog",
        "todo",
        "jetzt",
        "als nächstes",
        "später",
        "geplant",
        "meilenstein",
        "ahora",
        "próximo",
        "siguiente",
        "después",
        "planificado",
        "hito",
        "maintenant",
        "ensuite",
        "plus tard",
        "prévu",
        "jalon",
        "roadmap",
        "fahrplan",
        "hoja de ruta",
        "feuille de route",
        "h1",
        "h2",
        "version",
    ];
    let has_word = words.iter().any(|word| lower.contains(word));
    let has_quarter =
        lower.as_bytes().windows(2).any(|w| w[0] == b'q' && (b'1'..=b'4').contains(&w[1]));
    let has_version = lower.split_whitespace().any(|word| {
        let word = word.strip_prefix('v').unwrap_or(word);
        word.starts_with(|c: char| c.is_ascii_digit())
    });
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
            ("[2024-03-01] Use Redis", "Use Redis"),
            ("3 retries before we give up", "3 retries before we give up"),
            ("Decision", "Decision"),
            ("Use S3", "Use S3"),
        ] {
            assert_eq!(bare_title(title), bare, "{title}");
        }
        assert_eq!(role("2. Decision Outcome"), Role::Decision);
        assert_eq!(role("Entscheidung"), Role::Decision);
    }

    #[test]
    fn the_last_status_of_a_record_counts() {
        assert_eq!(status("Accepted, superseded by ADR-9"), Some(Status::Superseded));
        assert_eq!(status("Proposed 2024, accepted 2025"), Some(Status::Accepted));
        assert_eq!(status("Angenommen"), Some(Status::Accepted));
        assert_eq!(status("Ersetzt durch ADR-7"), Some(Status::Superseded));
        assert_eq!(status("Akzeptiert, ersetzt ADR-7"), Some(Status::Accepted));
        assert_eq!(status("the usual"), None);
        assert!(is_choice("{proposed | rejected | accepted | deprecated}"));
        assert!(replaces("Accepted, supersedes ADR-3"));
    }

    #[test]
    fn rules_are_told_from_advice() {
        assert!(is_loud_rule("Clients MUST retry"));
        assert!(!is_loud_rule("clients must retry"));
        assert!(is_quiet_rule("Never push to main"));
        assert!(is_quiet_rule("Commits must be signed"));
        assert!(!is_quiet_rule("You must have Rust installed"));
        assert!(!is_quiet_rule("Asking for help is always welcome"));
    }
}
