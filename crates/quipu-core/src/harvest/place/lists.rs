//! Names of folders and files, by what is kept there.

use crate::harvest::Status;

/// Endings of texts.
pub(super) const EXTENSIONS: &str = "md | markdown | mdx | rst | adoc | asciidoc | txt";

/// Folders whose texts are read.
pub(super) const FOLDERS: &str = "docs | doc | documentation | wiki | adr | adrs | adl | decisions | decision \
     | decision-records | decision_records | decision-log | decision-logs | decisionlog \
     | architecture-decisions | architecture-decision-records | architecture_decisions | rfc \
     | rfcs | rfds | rfd | peps | pep | keps | kep | enhancements | enhancement-proposals \
     | proposals | proposal | design | designs | design-docs | design-doc | design_docs \
     | designdocs | architecture | arch | arc42 | spec | specs | specification | specifications \
     | blueprints | blueprint | handbook | standards | guidelines | conventions | policies \
     | policy | principles | process | processes | governance | engineering | meetings \
     | meeting-notes | meeting_notes | minutes | notes | planning | roadmap | roadmaps | dev-docs \
     | internals | knowledge | knowledge-base | kb | dokumentation | doku | entscheidungen \
     | entscheidung | architektur | richtlinien | konventionen | protokolle | handbuch \
     | documentacion | documentación | decisiones | arquitectura | normas | actas | reuniones \
     | diseño | décisions | conception | réunions | reunions | normes | documentação \
     | documentacao | decisões | decisoes | arquitetura | atas | documentazione | decisioni \
     | architettura | verbali | ドキュメント | 設計 | 決定 | 議事録 | 規約 | 文档 | 设计 | 决策 | 规范 | 会议纪要 | 架构";

/// Folders in which each document is a record.
pub(super) const RECORDS: &str = "adr | adrs | adl | decisions | decision-records | decision_records | architecture-decisions \
     | architecture-decision-records | architecture_decisions | rfc | rfcs | rfds | rfd | peps \
     | keps | enhancements | enhancement-proposals | entscheidungen | decisiones | décisions \
     | decisões | decisoes | decisioni | proposals | 決定 | 决策 | decision-log | decision";

/// Folders whose rules count without a "MUST" in capitals.
pub(super) const GUIDES: &str = "handbook | standards | guidelines | conventions | policies | policy | principles | process \
     | processes | governance | engineering | richtlinien | konventionen | normas | normes | 規約 \
     | 规范 | contributing";

/// Folders with texts for users.
pub(super) const LESSONS: &str = "guides | guide | tutorials | tutorial | manual | how-to | howto | examples | quickstart \
     | getting-started | user-guide | faq | help | anleitungen | anleitung | guias | guías \
     | tutoriels | manuel | チュートリアル | 教程 | training | onboarding | runbooks | samples";

/// Folders with notes of meetings.
pub(super) const MEETINGS: &str = "meetings | meeting-notes | meeting_notes | minutes | protokolle | actas | reuniones \
     | réunions | reunions | atas | verbali | 議事録 | 会议纪要 | standups | retros | notes";

/// Folders with descriptions of interfaces.
pub(super) const REFERENCES: &str =
    "reference | references | api | cli | referenz | référence | referencia";

/// Folders that tell a status.
pub(super) const SHELVES: &[(Status, &str)] = &[
    (Status::Superseded, "superseded | replaced | abgelöst | remplacées | sustituidas"),
    (
        Status::Deprecated,
        "archive | archived | archives | archiv | deprecated | obsolete | old | attic | retired \
         | historical | veraltet | obsoletas | obsolètes | 廃止",
    ),
    (Status::Rejected, "rejected | withdrawn | declined | abgelehnt | rejetées | rechazadas"),
    (Status::Proposed, "drafts | proposed | pending | entwürfe | brouillons | borradores | 草案"),
];

/// Folders with the files of others, or of tools.
pub(super) const FOREIGN: &str = "node_modules | vendor | venv | .venv | target | dist | build | .git | site-packages \
     | third_party | third-party | memory | .agent | .quipu | legacy | agent-skills | templates \
     | testdata | fixtures";

/// Beginnings of names of documents.
pub(super) const NAMES: &str = "adr | decision | coding | code-style | code_style | hacking | governance | roadmap | todo | backlog | architecture | design | contributing | mitwirken | beitragen | contribuir \
     | contribuer | contribuindo | contribuire | contribuição | rfc \
     | glossary | conventions | principles | guidelines | standards | rules | code-review \
     | code_review | style-guide | style_guide | styleguide | coding-style | non-goals \
     | invariants | policies | meeting-notes | minutes | entscheidung | fahrplan | konventionen \
     | richtlinien | architektur | regeln | grundsätze | decisiones | hoja-de-ruta | convenciones \
     | normas | arquitectura | reglas | feuille-de-route | décisions | conception | règles \
     | regles | decisões | decisoes | convenções | convencoes | regras | arquitetura | roteiro \
     | decisioni | convenzioni | regole | architettura | 決定 | 設計 | 規約 | ロードマップ | 决策 | 架构 | 规范 \
     | 路线图 | 设计 | draft-";

/// Names of texts that decide nothing.
pub(super) const NEVER: &str = "changelog | license | licence | copying | code_of_conduct \
     | code-of-conduct | authors | notice | release-notes | release_notes | agents | claude \
     | gemini | requirements | robots | llms | cmakelists";

/// Names of changelogs, but among rules those of rules about changes.
pub(super) const SOMETIMES: &str = "changes | history | news | releases";

/// Tools and formats whose names have no capital, also where a sentence begins.
pub(super) const TOOLS: &str = "yarn | bun | git | curl | bash | nginx | systemd | sqlite | pytest | eslint | prettier \
     | rustfmt | gofmt | clippy | kubectl | cargo | pip | uv | ruff | mypy | esbuild | webpack | vite \
     | tmux | vim | ffmpeg | etcd | containerd | podman | make | cmake | pandas | numpy | conda | poetry \
     | iptables | rsync | ssh | sudo | rclone | restic | wget | gettext | protobuf | zsh | jq";

/// Tells whether a list has a name.
pub(super) fn has(list: &str, name: &str) -> bool {
    names(list).any(|known| known == name)
}

/// Returns the names of a list.
pub(super) fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split('|').map(str::trim)
}
