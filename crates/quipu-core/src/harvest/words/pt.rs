//! Portuguese.

use super::{Lexicon, Role};
use crate::harvest::Status;

pub(super) const WORDS: Lexicon = Lexicon {
    headings: &[
        (
            Role::Decision,
            "decisão | resultado da decisão | decisão tomada | a decisão | opção escolhida \
                 | solução escolhida | resolução",
        ),
        (
            Role::Decisions,
            "decisões | decisões de arquitetura | decisões de design | princípios \
                 | decisões tomadas | decisões técnicas | acordos | restrições",
        ),
        (
            Role::Rules,
            "regras | convenções | normas | diretrizes | padrões | padrões de código \
                 | políticas",
        ),
        (Role::Status, "estado | situação | status"),
        (Role::Context, "contexto | motivação | problema | contexto e problema | introdução"),
        (Role::Reason, "justificativa | justificação | razões | por quê | motivos"),
        (
            Role::Consequences,
            "consequências | impacto | consequências positivas | consequências negativas",
        ),
        (
            Role::Options,
            "opções | opções consideradas | alternativas | alternativas consideradas \
                 | exemplos | exemplo | questões em aberto | perguntas em aberto | rejeitadas \
                 | rejeitado | descartadas | referências | ligações | links | próximos passos \
                 | ações | participantes | instalação | pré-requisitos | pauta | histórico \
                 | pendências",
        ),
        (Role::Summary, "resumo | proposta | visão geral"),
        (
            Role::NonGoals,
            "fora do escopo | fora de escopo | não objetivos | não-objetivos | fora do âmbito \
                 | não planejado | não planeado | o que não faremos",
        ),
    ],
    statuses: &[
        (Status::Superseded, "substituída | substituído | superada por | superado por"),
        (
            Status::Deprecated,
            "obsoleta | obsoleto | revogada | revogado | descontinuada | descontinuado \
                 | abandonada | abandonado | cancelada | cancelado | anulada | anulado \
                 | depreciada | depreciado | expirada | revertida | arquivada | desativada",
        ),
        (
            Status::Rejected,
            "rejeitada | rejeitado | recusada | recusado | descartada | descartado \
                 | não aceita",
        ),
        (
            Status::Accepted,
            "aceita | aceite | aceito | aprovada | aprovado | adotada | adotado | vigente \
                 | em vigor | implementada | implementado | ativa | ativo | decidida | decidido \
                 | confirmada | concluída | concluído",
        ),
        (
            Status::Proposed,
            "proposta | proposto | rascunho | em discussão | em revisão | pendente \
                 | em análise | em andamento | adiada | adiado | em aberto | a decidir \
                 | ainda não | suspensa | suspenso",
        ),
    ],
    status_labels: "estado | situação",
    decision_labels: "decisão | decidido | acordado | ficou decidido",
    reason_labels: "motivo | por quê | porquê | justificativa | razão | contexto",
    other_labels: "data | autor | autores | decisores | responsável | participantes | alternativas \
         | substitui | substituída por | consequências | quem",
    subject_columns: "assunto | tema | questão | área | título",
    replaces: "substitui | revoga",
    relations: "altera | alterada | ver | complementa | em",
    fillers: "esta | este | a | o | decisão | documento | registro | registo | página | é | foi | está \
         | agora | já | nota | aviso | atenção | importante",
    follows: "por | pela | pelo | em | desde | a | e | porque | para | até | de | com",
    not: "não | ainda não",
    loud: "DEVE | DEVEM | NUNCA | SEMPRE | PROIBIDO | OBRIGATÓRIO",
    imperatives: "nunca | sempre | não use | não faça | nenhum | nenhuma",
    duties: "deve | devem | nunca | proibido | proibida | obrigatório | obrigatória | não pode \
         | não podem | não é permitido | somente | apenas",
    asides: "você deve ter | se você | não se preocupe | não hesite",
    decided: "foi decidido | decidimos | ficou decidido | escolhemos | optamos por | acordamos \
         | concordamos em",
    choices: "usamos | utilizamos | seguimos | escrevemos | guardamos",
    undone: "se decidimos | nada foi decidido",
    because: "porque | para que | já que | uma vez que | pois | devido a | a fim de",
    chosen: "opção escolhida | escolhida | decisão",
    past: "concluído | feito | entregue | lançado | finalizado",
    dropped: "cancelado | descartado | abandonado",
    plans: "agora | em breve | mais tarde | próximo | próximos | depois | planejado | planeado | roteiro | trimestre \
         | em andamento | futuro | a fazer | curto prazo | longo prazo | marco",
    logs: "decisões | decisoes",
    roadmaps: "roteiro | plano de trabalho",
    guides: "contribuindo | convenç | arquitetura | regras | princípios | diretrizes | padrões \
         | normas",
    lessons: "tutorial | instalação | primeiros passos | guia do usuário | manual",
    references: "referência",
    meetings: "reunião | reuniao | ata",
    silent: "glossário | código de conduta",
    templates: "",
    holes: "a definir | a decidir | por definir | pendente",
    leftovers: "descreva",
};
