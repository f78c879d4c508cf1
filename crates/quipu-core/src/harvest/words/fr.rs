//! French.

use super::{Lexicon, Role};
use crate::harvest::Status;

pub(super) const WORDS: Lexicon = Lexicon {
    headings: &[
        (
            Role::Decision,
            "décision | résultat de la décision | decision | la décision | notre décision \
                 | option retenue | option choisie | solution retenue | choix retenu | choix \
                 | résolution | décision prise",
        ),
        (
            Role::Decisions,
            "décisions | décisions clés | choix de conception | principes | choix retenus \
                 | décisions prises | décisions d'architecture | choix techniques \
                 | principes directeurs | invariants | relevé de décisions | décisions techniques \
                 | contraintes | choix effectués | décisions actées | stratégie de solution",
        ),
        (
            Role::Rules,
            "règles | conventions | consignes | règles de contribution | règles d'or \
                 | conventions de nommage | normes | règles de codage | bonnes pratiques \
                 | règles du projet | messages de commit",
        ),
        (Role::Status, "statut | état | etat"),
        (
            Role::Context,
            "contexte | contexte et problème | problème | contexte et énoncé du problème \
                 | problématique | motivation | introduction | situation",
        ),
        (Role::Reason, "raisons | pourquoi | justification | motifs | raison"),
        (
            Role::Consequences,
            "conséquences | conséquences positives | conséquences négatives | impacts \
                 | inconvénients | avantages",
        ),
        (
            Role::Options,
            "options envisagées | alternatives envisagées | exemple | exemples \
                 | questions ouvertes | options | alternatives | options considérées \
                 | alternatives écartées | options écartées | rejeté | écarté | pistes écartées \
                 | critères de décision | liens | références | ordre du jour | présents \
                 | participants | actions | actions à mener | prochaines étapes | comment faire \
                 | installation | prérequis | en attente | historique | remplacées | abandonnées \
                 | obsolètes | pour aller plus loin | annexes | idées | points ouverts",
        ),
        (Role::Summary, "résumé | proposition | synthèse | en bref | en résumé | aperçu"),
        (
            Role::NonGoals,
            "non-objectifs | hors périmètre | non prévu | hors sujet | hors du périmètre \
                 | non objectifs | ce que nous ne ferons pas | pas prévu | exclusions \
                 | ce qui est exclu",
        ),
    ],
    statuses: &[
        (
            Status::Superseded,
            "remplacé | remplacée | remplacés | supplanté | supplantée | remplacé par \
                 | remplacée par | superseded",
        ),
        (
            Status::Deprecated,
            "obsolète | dépréciée | déprécié | abrogé | abrogée | abandonné | abandonnée \
                 | annulé | annulée | caduc | caduque | périmé | périmée | retiré | retirée \
                 | plus en vigueur | n'est plus | révoqué | révoquée | archivé | archivée \
                 | désuet",
        ),
        (
            Status::Rejected,
            "rejetée | rejeté | refusée | refusé | écarté | écartée | non retenu \
                 | non retenue | non accepté | non acceptée | décliné | déclinée",
        ),
        (
            Status::Accepted,
            "acceptée | accepté | adoptée | adopté | validée | validé | approuvée | approuvé \
                 | en vigueur | actée | acté | décidé | décidée | retenu | retenue | entériné \
                 | entérinée | implémenté | implémentée | mis en œuvre | mise en œuvre | active \
                 | actif | appliqué | appliquée | confirmé | confirmée | définitif | définitive \
                 | terminé | terminée",
        ),
        (
            Status::Proposed,
            "proposée | proposé | brouillon | en discussion | proposition | en cours \
                 | à l'étude | en attente | à valider | en revue | en relecture | à discuter \
                 | à décider | ébauche | reporté | reportée | suspendu | suspendue | différé \
                 | différée | non validé | pas encore | en projet | à confirmer | ouvert \
                 | en pause | à faire",
        ),
    ],
    status_labels: "statut | état | etat",
    decision_labels: "décision | décidé | acté | arrêté | convenu | décision prise | il est décidé",
    reason_labels: "pourquoi | raison | justification | motif | contexte | motivation",
    other_labels: "auteur | auteurs | date | décideurs | qui | présents | participants | relecture \
         | remplace | remplacé par | remplacée par | conséquences | alternatives | créé le \
         | mis à jour | rejeté",
    subject_columns: "sujet | thème | domaine | question | titre | objet | problème",
    replaces: "remplace | annule | abroge",
    relations: "amende | amendé | complète | voir | modifie | précise | étend | du | le | mis",
    fillers: "cette | ce | cet | la | le | les | décision | document | page | est | a | été | était \
         | sont | maintenant | désormais | note | attention | important | avertissement | entrée \
         | règle | fiche",
    follows: "par | le | depuis | en | au | à | car | pour | avec | et | lors | du | de | suite | ne \
         | voir | jusqu'à",
    not: "non | pas | pas encore",
    loud: "DOIT | DOIVENT | JAMAIS | TOUJOURS | INTERDIT | OBLIGATOIRE",
    imperatives: "ne jamais | jamais | toujours | ne pas | pas de | aucun | aucune | interdiction",
    duties: "doit | doivent | jamais | interdit | interdite | interdits | interdites | obligatoire \
         | obligatoires | ne peut pas | ne peuvent pas | n'est pas autorisé | est exigé \
         | est exigée | est requis | est requise | uniquement",
    asides: "vous devez | si vous | n'hésitez | ne vous inquiétez | doit être libre | doit encore \
         | doit rappeler | tu dois | ne vous | merci | une question | des questions | bienvenue \
         | bienvenues",
    decided: "nous avons décidé | nous avons choisi | nous avons retenu | il a été décidé \
         | nous ne voulons pas | on a décidé | on a choisi | l'équipe a décidé | a été décidé \
         | nous avons opté | nous avons convenu | nous retenons | nous renonçons",
    choices: "nous utilisons | on utilise | nous suivons | nous écrivons | nous stockons \
         | nous gardons",
    undone: "si nous | avant que nous | rien n'a été décidé | pas encore décidé",
    because: "parce que | afin de | car | puisque | pour que | afin que | en raison | sinon | à cause",
    chosen: "option choisie | option retenue | choix retenu | solution retenue | décision | choix",
    past: "terminé | livré | fait | réalisé | publié | achevé | passé",
    dropped: "abandonné | annulé | écarté",
    plans: "maintenant | ensuite | plus tard | prévu | jalon | feuille de route | trimestre \
         | en cours | à venir | prochainement | bientôt | à faire | objectifs | t1 | t2 | t3 | t4 \
         | court terme | moyen terme | long terme",
    logs: "décisions | journal des décisions | relevé de décisions | registre des décisions",
    roadmaps: "feuille de route | feuille-de-route",
    guides: "contribuer | règles | regles | charte | bonnes pratiques | normes | principes \
         | revue de code | politique",
    lessons: "tutoriel | installation | prise en main | guide d'utilisation | démarrage \
         | mode d'emploi | premiers pas | manuel",
    references: "référence",
    meetings: "réunion | reunion | compte rendu | compte-rendu | point d'équipe | procès-verbal",
    silent: "glossaire | code de conduite",
    templates: "modèle | modele | gabarit",
    holes: "à définir | à compléter | à venir | à décider | à rédiger | aucun | aucune | néant \
         | inconnu",
    leftovers: "quelle est la décision | quel est le problème | décrire ici | décrivez",
};
