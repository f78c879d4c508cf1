//! Italian.

use super::{Lexicon, Role};
use crate::harvest::Status;

pub(super) const WORDS: Lexicon = Lexicon {
    headings: &[
        (
            Role::Decision,
            "decisione | esito della decisione | la decisione | opzione scelta \
                 | decisione presa | risoluzione",
        ),
        (
            Role::Decisions,
            "decisioni | decisioni di progetto | decisioni architetturali | principi \
                 | decisioni prese | scelte progettuali | scelte | scelte tecniche | vincoli \
                 | accordi",
        ),
        (Role::Rules, "regole | convenzioni | norme | linee guida | standard | regole di stile"),
        (Role::Status, "stato"),
        (
            Role::Context,
            "contesto | problema | motivazione | contesto e problema | introduzione \
                 | premessa",
        ),
        (Role::Reason, "motivazioni | ragioni | perché | giustificazione | motivi"),
        (Role::Consequences, "conseguenze | impatto | conseguenze positive | conseguenze negative"),
        (
            Role::Options,
            "opzioni | opzioni considerate | alternative | alternative considerate \
                 | alternative scartate | esempi | esempio | domande aperte | questioni aperte \
                 | riferimenti | prossimi passi | azioni | presenti | partecipanti \
                 | ordine del giorno | installazione | prerequisiti | respinte | scartate \
                 | storico",
        ),
        (Role::Summary, "sommario | riassunto | proposta | in breve | sintesi"),
        (
            Role::NonGoals,
            "non obiettivi | non-obiettivi | fuori ambito | fuori dall'ambito | non previsto \
                 | fuori portata | cosa non faremo",
        ),
    ],
    statuses: &[
        (
            Status::Superseded,
            "sostituita | sostituito | superata | superato | rimpiazzata | rimpiazzato",
        ),
        (
            Status::Deprecated,
            "obsoleta | obsoleto | deprecata | deprecato | abrogata | abrogato | revocata \
                 | revocato | annullata | annullato | abbandonata | abbandonato | ritirata \
                 | ritirato | scaduta | scaduto | archiviata | dismessa | dismesso | non più",
        ),
        (
            Status::Rejected,
            "respinta | respinto | rifiutata | rifiutato | scartata | scartato | bocciata \
                 | bocciato | non accettata",
        ),
        (
            Status::Accepted,
            "accettata | accettato | approvata | approvato | adottata | adottato | in vigore \
                 | implementata | implementato | attiva | attivo | decisa | deciso | confermata \
                 | confermato | definitiva | definitivo | valida | valido | ratificata",
        ),
        (
            Status::Proposed,
            "proposta | proposto | bozza | in discussione | in revisione | in attesa \
                 | in corso | rinviata | rinviato | sospesa | sospeso | da decidere \
                 | da approvare | aperta | aperto | non ancora | in valutazione | rimandata",
        ),
    ],
    status_labels: "stato",
    decision_labels: "decisione | deciso | si decide | concordato | delibera",
    reason_labels: "perché | motivo | ragione | motivazione | contesto",
    other_labels: "data | autore | autori | decisori | responsabile | partecipanti | presenti | alternative \
         | sostituisce | sostituita da | conseguenze | chi",
    subject_columns: "argomento | tema | questione | area | titolo | ambito",
    replaces: "sostituisce | rimpiazza",
    relations: "modifica | modificata | vedi | integra | estende",
    fillers: "questa | questo | la | il | decisione | documento | pagina | è | e' | stata | stato \
         | era | ora | nota | attenzione | avviso | importante",
    follows: "da | dal | dalla | il | in | a | per | con | e | perché | di | nel",
    not: "non | non ancora",
    loud: "DEVE | DEVONO | MAI | SEMPRE | VIETATO | OBBLIGATORIO",
    imperatives: "mai | sempre | non usare | nessun | nessuna | vietato",
    duties: "deve | devono | mai | vietato | vietata | vietati | obbligatorio | obbligatoria \
         | non può | non possono | è proibito | soltanto | esclusivamente",
    asides: "devi avere | se hai | non preoccuparti | non esitare",
    decided: "abbiamo deciso | è stato deciso | si è deciso | abbiamo scelto | abbiamo concordato \
         | il team ha deciso | abbiamo optato",
    choices: "usiamo | utilizziamo | seguiamo | scriviamo | teniamo",
    undone: "se abbiamo deciso | nulla è stato deciso | non abbiamo deciso",
    because: "perché | poiché | affinché | siccome | a causa | dato che | così che",
    chosen: "opzione scelta | scelta | decisione",
    past: "fatto | completato | rilasciato | concluso | consegnato | terminato",
    dropped: "annullato | abbandonato | scartato",
    plans: "adesso | prossimamente | in arrivo | più avanti | prossimo | prossimi | dopo | pianificato | tabella di marcia | trimestre \
         | in corso | futuro | da fare | traguardo | breve termine | lungo termine",
    logs: "decisioni | registro delle decisioni",
    roadmaps: "tabella di marcia | tabella-di-marcia",
    guides: "contribuire | convenzion | architettura | regole | principi | linee guida | linee-guida \
         | norme",
    lessons: "tutorial | installazione | primi passi | guida utente | manuale | guida rapida",
    references: "riferimento",
    meetings: "riunione | verbale",
    silent: "glossario | codice di condotta",
    templates: "",
    holes: "da definire | da decidere | da completare | nessuno | nessuna",
    leftovers: "descrivere",
};
