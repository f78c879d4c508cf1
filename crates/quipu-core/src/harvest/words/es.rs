//! Spanish.

use super::{Lexicon, Role};
use crate::harvest::Status;

pub(super) const WORDS: Lexicon = Lexicon {
    headings: &[
        (
            Role::Decision,
            "decisión | decision tomada | decisión tomada | resultado de la decisión \
                 | resolución | la decisión | nuestra decisión | opción elegida \
                 | solución elegida | acuerdo | resultado",
        ),
        (
            Role::Decisions,
            "decisiones | decisiones clave | decisiones de diseño | principios \
                 | decisiones tomadas | decisiones de arquitectura | acuerdos \
                 | decisiones técnicas | principios de diseño | invariantes | restricciones \
                 | estrategia de solución",
        ),
        (
            Role::Rules,
            "reglas | convenciones | normas | normas de código | convenciones de código \
                 | directrices | reglas del equipo | estándares | políticas | buenas prácticas \
                 | mensajes de commit",
        ),
        (Role::Status, "estado | estatus | situación"),
        (
            Role::Context,
            "contexto | contexto y planteamiento del problema | problema | motivación \
                 | antecedentes | introducción | planteamiento del problema",
        ),
        (Role::Reason, "justificación | razones | por qué | motivos | motivo"),
        (
            Role::Consequences,
            "consecuencias | impacto | consecuencias positivas | consecuencias negativas \
                 | desventajas | implicaciones",
        ),
        (
            Role::Options,
            "opciones | opciones consideradas | alternativas | ejemplo | ejemplos \
                 | alternativas consideradas | preguntas abiertas | alternativas descartadas \
                 | descartado | rechazado | rechazadas | descartadas | enlaces | referencias \
                 | orden del día | asistentes | tareas | próximos pasos | acciones | instalación \
                 | requisitos previos | pendiente | pendientes | historial | primeros pasos \
                 | ideas | obsoletas | sustituidas | cuestiones abiertas | temas pendientes",
        ),
        (Role::Summary, "resumen | propuesta | en resumen | en breve | visión general"),
        (
            Role::NonGoals,
            "no objetivos | fuera de alcance | fuera del alcance | no planificado \
                 | no-objetivos | lo que no haremos | no previsto | excluido | exclusiones \
                 | no está previsto",
        ),
    ],
    statuses: &[
        (
            Status::Superseded,
            "sustituida | sustituido | reemplazada | reemplazado | superada por \
                 | superado por | relevada por",
        ),
        (
            Status::Deprecated,
            "obsoleta | obsoleto | derogada | derogado | anulada | anulado | revocada \
                 | revocado | caducada | caducado | abandonada | abandonado | retirada | retirado \
                 | cancelada | cancelado | ya no | en desuso | archivada | archivado | revertida \
                 | revertido | deprecada | deprecado | suprimida",
        ),
        (
            Status::Rejected,
            "rechazada | rechazado | descartada | descartado | denegada | denegado \
                 | no aceptada | no aceptado | desestimada | desestimado",
        ),
        (
            Status::Accepted,
            "aceptada | aceptado | aprobada | aprobado | adoptada | adoptado | vigente \
                 | implementada | implementado | en vigor | activa | activo | decidida | decidido \
                 | acordada | acordado | confirmada | confirmado | definitiva | definitivo \
                 | válida | válido | final | hecho | hecha | ratificada | ratificado",
        ),
        (
            Status::Proposed,
            "propuesta | propuesto | borrador | en revisión | en discusión | pendiente \
                 | en curso | en estudio | aplazada | aplazado | pospuesta | pospuesto \
                 | por decidir | sin decidir | abierta | abierto | en debate | en progreso \
                 | todavía no | aún no | en pausa | suspendida | suspendido | provisional",
        ),
    ],
    status_labels: "estado | estatus | situación",
    decision_labels: "decisión | acuerdo | acordado | decidido | se decide | resolución | se acuerda",
    reason_labels: "por qué | motivo | razón | justificación | porque | contexto",
    other_labels: "fecha | autor | autora | autores | decisores | responsable | participantes | asistentes \
         | alternativas | sustituye a | sustituida por | consecuencias | quién | reemplaza a \
         | reemplazada por | etiquetas | rechazado",
    subject_columns: "tema | pregunta | área | asunto | título | problema | ámbito",
    replaces: "sustituye | reemplaza | deroga | anula",
    relations: "modifica | modificada | amplía | ver | véase | complementa | relacionada | actualiza \
         | el",
    fillers: "esta | este | la | el | los | las | decisión | documento | registro | página | es | fue \
         | ha | sido | está | ahora | ya | se | nota | aviso | atención | importante \
         | advertencia | entrada | quedó | queda | norma",
    follows: "por | el | desde | en | a | con | y | porque | para | hasta | tras | de | al | no | ver \
         | debido",
    not: "no | aún no | todavía no",
    loud: "DEBE | DEBEN | NUNCA | SIEMPRE | PROHIBIDO | OBLIGATORIO",
    imperatives: "nunca | siempre | no se | ningún | ninguna | prohibido",
    duties: "debe | deben | nunca | prohibido | prohibida | prohibidos | prohibidas | obligatorio \
         | obligatoria | obligatorios | no se permite | no se permiten | no se acepta \
         | no se aceptan | no puede | no pueden | es necesario que | únicamente | se prohíbe \
         | no está permitido",
    asides: "si tienes | debes tener | debes instalar | no dudes | no te preocupes | no te olvides \
         | no olvides | debe de | tiene que llamar | no se preocupe | no se sabe | gracias \
         | dudas | preguntas",
    decided: "decidimos | hemos decidido | se decidió | se ha decidido | acordamos | hemos elegido \
         | se acordó | se ha acordado | hemos acordado | el equipo decidió | optamos por \
         | elegimos | hemos optado | renunciamos a",
    choices: "usamos | utilizamos | seguimos | escribimos | guardamos | usaremos",
    undone: "si decidimos | antes de que decidimos | no se decidió nada | hasta que decidamos",
    because: "porque | para que | ya que | puesto que | debido a | con el fin de | dado que \
         | de lo contrario | a fin de",
    chosen: "opción elegida | opción seleccionada | elegido | decisión | solución elegida",
    past: "hecho | completado | terminado | publicado | entregado | lanzado | pasado | finalizado",
    dropped: "descartado | cancelado | abandonado",
    plans: "ahora | próximamente | proximamente | pronto | más tarde | próximo | próximos | siguiente | después | planificado | hito | hoja de ruta \
         | trimestre | en curso | más adelante | futuro | pendiente | por hacer | corto plazo \
         | medio plazo | largo plazo | objetivos",
    logs: "decisiones | registro de decisiones | acuerdos",
    roadmaps: "hoja de ruta | hoja-de-ruta",
    guides: "contribuir | convencion | arquitectura | normas | reglas | principios | directrices \
         | guía de estilo | guia-de-estilo | política | buenas prácticas | estándares",
    lessons: "tutorial | instalación | instalacion | primeros pasos | guía de usuario | guía rápida \
         | manual | inicio rápido | puesta en marcha",
    references: "referencia",
    meetings: "reunión | acta | actas",
    silent: "glosario | código de conducta",
    templates: "plantilla",
    holes: "por definir | por decidir | pendiente | por completar | sin definir | ninguno | ninguna",
    leftovers: "describir aquí | describa | cuál es la decisión | cuál es el problema",
};
