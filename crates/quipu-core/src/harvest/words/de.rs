//! German.

use super::{Lexicon, Role};
use crate::harvest::Status;

pub(super) const WORDS: Lexicon = Lexicon {
    headings: &[
        (
            Role::Decision,
            "entscheidung | entscheidungsergebnis | beschluss | ergebnis der entscheidung \
                 | unsere entscheidung | getroffene entscheidung | gewählte option | ergebnis \
                 | die entscheidung",
        ),
        (
            Role::Decisions,
            "entscheidungen | entwurfsentscheidungen | architekturentscheidungen \
                 | wichtige entscheidungen | beschlüsse | grundsätze | prinzipien \
                 | architekturprinzipien | leitlinien | invarianten | vereinbarungen \
                 | getroffene entscheidungen | festlegungen | randbedingungen | lösungsstrategie \
                 | loesungsstrategie",
        ),
        (
            Role::Rules,
            "regeln | grundregeln | konventionen | richtlinien | vorgaben | namenskonventionen \
                 | spielregeln | programmierrichtlinien | verbindliche regeln | standards \
                 | code-konventionen | commit-nachrichten",
        ),
        (Role::Status, "status | zustand | stand"),
        (
            Role::Context,
            "kontext | kontext und problemstellung | problemstellung | hintergrund \
                 | ausgangslage | problem | motivation | einleitung | anlass",
        ),
        (Role::Reason, "begründung | gründe | warum | grund"),
        (
            Role::Consequences,
            "folgen | konsequenzen | auswirkungen | positive konsequenzen \
                 | negative konsequenzen | nachteile | vorteile",
        ),
        (
            Role::Options,
            "betrachtete optionen | optionen | alternativen | verworfene alternativen \
                 | offene fragen | entscheidungstreiber | beispiel | beispiele \
                 | betrachtete alternativen | abgelehnt | verworfen | offene entscheidungen \
                 | offene punkte | aufgaben | nächste schritte | tagesordnung | teilnehmer \
                 | anwesend | einrichtung | installation | voraussetzungen | verweise | quellen \
                 | literatur | weitere informationen | glossar | historie | überholt | abgelöst \
                 | veraltet | anhang | ideen | erste schritte",
        ),
        (Role::Summary, "zusammenfassung | kurzfassung | vorschlag | überblick | in kürze"),
        (
            Role::NonGoals,
            "nicht-ziele | nichtziele | nicht geplant | keine ziele | nicht im umfang \
                 | außerhalb des umfangs | abgrenzung | was wir nicht tun | nicht vorgesehen \
                 | bewusst nicht",
        ),
    ],
    statuses: &[
        (
            Status::Superseded,
            "abgelöst | überholt | ersetzt durch | ersetzt von | ersetzt! | ersetzt am \
                 | wurde ersetzt | aufgegangen in",
        ),
        (
            Status::Deprecated,
            "veraltet | obsolet | aufgehoben | außer kraft | ausser kraft | nicht mehr \
                 | zurückgenommen | widerrufen | eingestellt | ungültig | hinfällig | aufgegeben \
                 | archiviert | ausgelaufen | abgeschafft | rückgängig",
        ),
        (
            Status::Rejected,
            "abgelehnt | verworfen | zurückgezogen | nicht angenommen | nicht akzeptiert \
                 | gestrichen | abgewiesen | nicht genehmigt",
        ),
        (
            Status::Accepted,
            "angenommen | akzeptiert | beschlossen | umgesetzt | gültig | entschieden \
                 | in kraft | genehmigt | freigegeben | verbindlich | aktiv | gilt | bestätigt \
                 | verabschiedet | erledigt | aktuell | festgelegt | vereinbart | bewilligt \
                 | abgenommen",
        ),
        (
            Status::Proposed,
            "vorgeschlagen | vorschlag | entwurf | in diskussion | offen | in arbeit \
                 | in prüfung | in bearbeitung | noch nicht | zurückgestellt | vertagt | geplant \
                 | ausstehend | in abstimmung | zur diskussion | unentschieden | vorläufig \
                 | in klärung | verschoben | pausiert | ruht | idee | zu klären | neu",
        ),
    ],
    status_labels: "status | zustand | stand",
    decision_labels: "entscheidung | beschluss | beschlossen | entschieden | vereinbart | vereinbarung \
         | festgelegt",
    reason_labels: "warum | grund | begründung | kontext | weil | hintergrund",
    other_labels: "datum | autor | autoren | autorin | entscheider | beteiligte | anwesend | teilnehmer \
         | verantwortlich | ersetzt | ersetzt durch | konsequenzen | folgen | alternativen | wer \
         | abgelehnt | verworfen | nachteile",
    subject_columns: "thema | frage | bereich | titel | problem | gegenstand | randbedingung",
    replaces: "ersetzt | löst ab | löst | hebt auf",
    relations: "ergänzt | erweitert | geändert | siehe | betrifft | präzisiert | am",
    fillers: "diese | dieser | dieses | die | der | das | entscheidung | dokument | seite | ist | sind \
         | wurde | wird | hat | haben | bereits | nun | jetzt | am | seit | achtung | hinweis \
         | wichtig | eintrag | regel | warnung | vom | im | inzwischen | nur",
    follows: "durch | von | am | seit | im | in | weil | wegen | zum | mit | und | da | bis | nach \
         | vor | zugunsten | noch | nicht | bitte | siehe",
    not: "nicht | noch nicht",
    loud: "MUSS | MÜSSEN | DARF | DÜRFEN | NIE | NIEMALS | IMMER | VERBOTEN | PFLICHT",
    imperatives: "niemals | nie | immer | kein | keine | keinen | nicht",
    duties: "muss | nie | müssen | darf | dürfen | niemals | verboten | pflicht | ist untersagt \
         | sind untersagt | nicht erlaubt | unzulässig | nicht zulässig | zwingend \
         | grundsätzlich nur | ausschließlich | ist nicht gestattet | sind verpflichtend \
         | ist verpflichtend",
    asides: "es muss | muss nicht | müssen nicht | keine sorge | keine ahnung | nicht vergessen \
         | nicht wundern | du musst | sie müssen | muss noch | müssen noch | dringend | darf man \
         | gern | gerne | danke | fragen hast | fragen haben",
    decided: "wir haben entschieden | wir haben uns entschieden | wir haben uns für \
         | wir haben uns auf | wir haben uns gegen | haben wir uns für | wir haben beschlossen \
         | wurde beschlossen | wurde entschieden | wir verzichten auf | wir setzen auf \
         | wurde vereinbart | wir haben vereinbart | wir entscheiden uns für | wir einigen uns \
         | haben wir uns entschieden",
    choices: "wir verwenden | wir nutzen | wir benutzen | wir schreiben | wir setzen | wir speichern \
         | wir halten",
    undone: "falls wir | bevor wir | ob wir | noch nicht entschieden | noch nicht beschlossen \
         | nichts beschlossen",
    because: "weil | da | damit | um | wegen | aufgrund | sonst | andernfalls | deshalb | daher",
    chosen: "gewählte option | gewählt | entscheidung | gewählte lösung | ausgewählte option",
    past: "erledigt | fertig | abgeschlossen | umgesetzt | ausgeliefert | vergangen",
    dropped: "verworfen | gestrichen | abgesagt | entfällt",
    plans: "jetzt | als nächstes | später | geplant | meilenstein | fahrplan | quartal | in arbeit \
         | demnächst | in kürze | bald | langfristig | kurzfristig | mittelfristig | ziele | irgendwann | offen",
    logs: "entscheidung | beschlüsse",
    roadmaps: "fahrplan | meilensteine | planung",
    guides: "beitragen | mitwirken | richtlinie | architektur | konvention | regelwerk | grundsätze \
         | lösungsstrategie | loesungsstrategie | randbedingung | vorgaben | spielregeln \
         | querschnitt | konzepte | mitarbeit",
    lessons: "anleitung | einrichtung | einrichten | erste schritte | handbuch | installation \
         | benutzerhandbuch | schulung | einführung | betriebshandbuch | einstieg",
    references: "referenz | schnittstellenbeschreibung | konfiguration",
    meetings: "protokoll | besprechung | jour fixe | jour-fixe | sitzung | sitzungsprotokoll",
    silent: "glossar | risiken und technische schulden | risiken | änderungsprotokoll",
    templates: "vorlage | muster-adr",
    holes: "offen | noch offen | wird noch | folgt | unklar | noch zu klären | zu klären \
         | kommt noch | keine | entfällt",
    leftovers: "beschreiben sie | beschreibe hier | hier steht | kurze beschreibung",
};
