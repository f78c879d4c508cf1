//! What a harvest finds in documents of several habits, and what it does with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use quipu_core::harvest::{Action, Kind};
use quipu_engine::harvest::{self, Accepted, Harvest, Pick, Reworded, Where};
use quipu_engine::{Diff, Error, Workspace, facts, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::request;

const EMPTY: &str = "# Continuity\n\n## Project State\n\n- **project:** parcels\n- **last_review:** (none yet)\n\n\
                     ## Key Decisions\n\n## Conventions\n\n## Open Threads\n";

fn tree(name: &str) -> TestRepo {
    let folder = format!("{}/tests/fixtures/harvest/{name}", env!("CARGO_MANIFEST_DIR"));
    let repo = TestRepo::copy_of(Path::new(&folder));
    repo.write("memory/continuity.md", EMPTY);
    repo
}

fn with(files: &[(&str, &str)]) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", EMPTY);
    for (path, text) in files {
        repo.write(path, text);
    }
    repo
}

fn look(workspace: &Workspace) -> Harvest {
    harvest::harvest(workspace, &Where::default(), &mut |_, _| {}).unwrap()
}

fn accept(workspace: &Workspace, pick: &Pick) -> Result<(Harvest, Accepted, Diff), Error> {
    harvest::accept_harvest(workspace, &Where::default(), pick, &request("harvest"), &mut |_, _| {})
}

fn texts(harvest: &Harvest) -> Vec<String> {
    harvest.plan.steps.iter().map(|step| step.proposal.text.clone()).collect()
}

/// The trees, each with words of everything in it that a memory should know.
const PLANTED: &[(&str, &[(Kind, &str)])] = &[
    (
        "madr",
        &[
            (Kind::Decision, "PostgreSQL, because billing needs joins"),
            (Kind::Decision, "ZPL, because all four makers"),
            (Kind::Decision, "NATS JetStream, because a depot"),
            (Kind::Decision, "A scan carries a ULID"),
        ],
    ),
    (
        "nygard-de",
        &[
            (Kind::Decision, "jede Architekturentscheidung als ADR"),
            (Kind::Decision, "modularen Monolithen"),
            (Kind::Decision, "ganze Zahl in Cent"),
            (Kind::Decision, "Sitzungen liegen in Redis"),
            (Kind::Rule, "von einer zweiten Person gelesen"),
            (Kind::Rule, "Migrationen dürfen nie nachträglich"),
        ],
    ),
    (
        "rfc",
        &[
            (Kind::Decision, "lease of ninety seconds"),
            (Kind::Decision, "CBOR maps with integer keys"),
            (Kind::Decision, "kept for 30 days"),
            (Kind::Rule, "acknowledge a job only after"),
            (Kind::Rule, "MUST NOT reuse a job id"),
        ],
    ),
    (
        "roadmap",
        &[
            (Kind::Plan, "Import of bank statements"),
            (Kind::Plan, "Reconcile payments"),
            (Kind::Plan, "Budgets shared by a household"),
            (Kind::Plan, "interface for accountants"),
            (Kind::NonGoal, "A mobile app of our own"),
            (Kind::NonGoal, "Trading of any kind"),
            (Kind::NonGoal, "Editing the same entry"),
            (Kind::Decision, "the later edit wins"),
            (Kind::Decision, "batches of at most 500"),
            (Kind::Rule, "Amounts must never be floats"),
            (Kind::Rule, "must go through the translation table"),
        ],
    ),
    (
        "mixed",
        &[
            (Kind::Decision, "Keycloak para la autenticación"),
            (Kind::Decision, "propio servidor de teselas"),
            (Kind::Decision, "wait in PostgreSQL with SKIP LOCKED"),
            (Kind::Decision, "stored in S3 and never in the database"),
            (Kind::Decision, "Triage never changes a report"),
            (Kind::Decision, "tore every time in UTC"),
            (Kind::Decision, "older than five years are anonymised"),
            (Kind::Decision, "encrypt attachments at rest"),
            (Kind::Decision, "local queue on the tablet"),
            (Kind::Decision, "render forms on the server"),
            (Kind::Decision, "same JSON schema validates"),
        ],
    ),
    (
        "states",
        &[
            (Kind::Decision, "number from the cooper"),
            (Kind::Decision, "plain text without markup"),
            (Kind::Decision, "once a minute"),
            (Kind::Decision, "paper ledger is given up"),
            (Kind::Decision, "whole euro cents"),
            (Kind::Decision, "our own printer"),
            (Kind::Decision, "two warehouses"),
            (Kind::Decision, "as PDF only"),
            (Kind::Decision, "picked by hand"),
            (Kind::Decision, "our own yeast"),
            (Kind::Decision, "until four on Saturdays"),
            (Kind::Decision, "SVG from the list of shelves"),
            (Kind::NonGoal, "Map of the cellar: Finding a way"),
        ],
    ),
    (
        "scattered",
        &[
            (Kind::Decision, "Every swimming lane has a name"),
            (Kind::Rule, "MUST carry the name of its lane"),
            (Kind::Decision, "kept at 32 degrees"),
            (Kind::NonGoal, "Warm pool: Heating the large pool"),
            (Kind::Decision, "wristbands with a chip"),
            (Kind::Rule, "MUST NOT hold the name"),
            (Kind::Decision, "waits two minutes"),
            (Kind::Rule, "Two lifeguards read"),
            (Kind::Rule, "NEVER change the rota"),
            (Kind::Decision, "The rota is public"),
            (Kind::Rule, "one line of JSON"),
            (Kind::Decision, "coins are taken only at the kiosk"),
            (Kind::Decision, "German, English and Turkish"),
            (Kind::Rule, "A gate MUST sign every message. It MUST NOT store"),
        ],
    ),
    (
        "east",
        &[
            (Kind::Decision, "ワーカーが順に処理する"),
            (Kind::Rule, "例外は必ず記録"),
            (Kind::Rule, "グローバル変数"),
            (Kind::Decision, "附件存放在对象存储"),
            (Kind::Rule, "整数分"),
            (Kind::Rule, "禁止在循环中"),
            (Kind::Decision, "每周三发布"),
            (Kind::Plan, "返品の自動処理"),
            (Kind::NonGoal, "海外への配送"),
        ],
    ),
    (
        "romance",
        &[
            (Kind::Rule, "commit van en español"),
            (Kind::Rule, "Nunca se sube"),
            (Kind::Rule, "No se aceptan cambios"),
            (Kind::Rule, "tabelas no singular"),
            (Kind::Rule, "proibido usar"),
            (Kind::Decision, "tabela lida a cada minuto"),
            (Kind::Decision, "commenti in italiano"),
            (Kind::Decision, "ogni notte alle tre"),
            (Kind::Decision, "premier du mois"),
            (Kind::NonGoal, "Relances par téléphone"),
            (Kind::Decision, "se generan de noche"),
        ],
    ),
    (
        "noise",
        &[(Kind::Rule, "core must not read the clock"), (Kind::Decision, "office closes at six")],
    ),
];

#[test]
fn every_planted_decision_is_proposed_and_nothing_else() {
    for (name, planted) in PLANTED {
        let harvest = look(&tree(name).workspace());
        let is_found = |(kind, words): &&(Kind, &str)| {
            let mut steps = harvest.plan.steps.iter().map(|step| &step.proposal);
            steps.any(|found| found.kind == *kind && found.text.contains(words))
        };
        let missed: Vec<_> = planted.iter().filter(|planted| !is_found(planted)).collect();
        let is_noise = |text: &&String| !planted.iter().any(|(_, words)| text.contains(words));
        let texts = texts(&harvest);
        let noise: Vec<_> = texts.iter().filter(is_noise).collect();
        assert!(missed.is_empty(), "{name}: missed {missed:?} in {texts:#?}");
        assert!(noise.is_empty(), "{name}: noise {noise:#?}");
    }
}

#[test]
fn what_holds_no_more_is_told_with_its_status() {
    let harvest = look(&tree("states").workspace());
    let why = |source: &str| {
        let left = harvest.plan.left_out.iter().find(|left| left.source.contains(source));
        left.map_or("nothing", |left| left.why.as_str())
    };
    for (source, told) in [
        ("0007-comment", "its status is rejected"),
        ("0008-banner", "its status is superseded"),
        ("0010-title", "its status is deprecated"),
        ("0011-struck", "its status is superseded"),
        ("0012-flag", "its status is deprecated"),
        ("0013-odd", "its status `Fermenting` is not known"),
        ("0014-draft", "nobody decided it yet: its status is proposed"),
        ("archive/0015-old", "its status is deprecated"),
        ("0018-gone", "its status is deprecated"),
        ("plastic-crates", "its status is superseded"),
        ("bottling", "its status is rejected"),
        ("superseded-decisions", "its status is superseded"),
        ("booking", "nobody decided it yet: its status is proposed"),
    ] {
        assert_eq!(why(source), told, "{source}");
    }
    let silent: Vec<&str> = harvest.silent.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(silent, ["docs/adr/0016-empty.md"]);
}

#[test]
fn texts_that_are_not_read_are_told_with_the_reason() {
    let harvest = look(&tree("scattered").workspace());
    assert_eq!(
        harvest.unread,
        [(
            "services/pump/NOTES.md".to_owned(),
            "it is not in a folder for documents, and not a decision record".to_owned()
        )]
    );
    let harvest = look(&tree("noise").workspace());
    let paths: Vec<&str> = harvest.unread.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["CHANGELOG.md", "README.md"]);
}

#[test]
fn an_item_that_is_done_or_dropped_closes_its_thread() {
    let roadmap = "# Roadmap\n\n## Next\n\n- Returns at the door\n- Labels in colour\n- A map of depots\n\n## Later\n\n- Night delivery\n";
    let repo = with(&[("ROADMAP.md", roadmap)]);
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    let changed = "# Roadmap\n\n## Next\n\n- ~~Labels in colour~~\n- Night delivery\n\n## Done\n\n- Returns at the door\n";
    repo.write("ROADMAP.md", changed);
    let harvest = look(&workspace);
    let actions: Vec<Action> = harvest.plan.steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [Action::Replace, Action::Retire, Action::Retire, Action::Retire]);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.closed.len(), 4, "{accepted:?}");
    assert_eq!(accepted.created.len(), 1, "what moved is a new thread: {accepted:?}");
    let after = repo.read("memory/continuity.md");
    assert_eq!(after.matches("- [ ] ").count(), 1, "{after}");
    assert!(look(&workspace).plan.steps.is_empty());
    assert_eq!(facts::lint(&workspace, false).unwrap().errors(), 0);
}

#[test]
fn a_document_that_is_gone_retires_its_fact_and_one_that_moved_does_not() {
    let repo = with(&[
        ("docs/adr/0001-a.md", &record("Payment calls are retried 5 times.")),
        ("docs/adr/0002-b.md", &record("Labels are printed as ZPL files in the depot.")),
    ]);
    let workspace = repo.workspace();
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.created.len(), 2);
    let moved = repo.read("docs/adr/0002-b.md");
    repo.write("docs/decisions/0002-b.md", &moved);
    for path in ["docs/adr/0001-a.md", "docs/adr/0002-b.md"] {
        std::fs::remove_file(repo.root().join(path)).unwrap();
    }
    let harvest = look(&workspace);
    let actions: Vec<Action> = harvest.plan.steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [Action::Move, Action::Retire], "{:#?}", texts(&harvest));
    assert_eq!(harvest.plan.steps[1].proposal.why, "its document is gone");
    let elsewhere = Where { only: vec!["*.rst".to_owned()], ..Where::default() };
    let elsewhere = harvest::harvest(&workspace, &elsewhere, &mut |_, _| {}).unwrap();
    assert!(elsewhere.plan.steps.is_empty(), "what was not asked about is left alone");
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!((accepted.superseded.len(), accepted.moved.len()), (1, 1));
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("depot. (docs/decisions/0002-b.md)"), "{after}");
    assert!(after.contains("source: docs/decisions/0002-b.md#decision"), "{after}");
    assert!(!after.contains("docs/adr/0002-b.md"), "{after}");
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn what_a_document_says_again_comes_back() {
    let text = record("Payment calls are retried 5 times.");
    let path = "docs/adr/0001-a.md";
    for status in ["Rejected", "Draft", "Withdrawn", "Superseded by ADR 9", "gone"] {
        let repo = with(&[(path, &text)]);
        let workspace = repo.workspace();
        accept(&workspace, &Pick::All).unwrap();
        if status == "gone" {
            std::fs::remove_file(repo.root().join(path)).unwrap();
        } else {
            repo.write(path, &text.replace("Accepted", status));
        }
        accept(&workspace, &Pick::All).unwrap();
        assert!(look(&workspace).plan.steps.is_empty(), "{status}");
        repo.write(path, &text);
        let (harvest, accepted, _) = accept(&workspace, &Pick::All).unwrap();
        assert_eq!(harvest.plan.steps.len(), 1, "{status}");
        assert_eq!(harvest.plan.steps[0].action, Action::Restore, "{status}");
        assert_eq!(accepted.created.len(), 1, "{status}");
        assert!(look(&workspace).plan.steps.is_empty(), "{status}");
        assert_eq!(facts::lint(&workspace, false).unwrap().errors(), 0);
        repo.write(path, &text.replace("Accepted", "Rejected"));
        let (_, gone, _) = accept(&workspace, &Pick::All).unwrap();
        assert_eq!(gone.superseded, accepted.created, "{status}");
    }
}

#[test]
fn a_fact_comes_back_beside_an_open_question_about_it() {
    let repo = with_fact("Key Decisions", "active");
    let workspace = repo.workspace();
    let (_, first, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(first.raised.len(), 1);
    let path = "docs/adr/0001-retries.md";
    let text = repo.read(path);
    repo.write(path, &text.replace("Accepted", "Rejected"));
    accept(&workspace, &Pick::All).unwrap();
    repo.write(path, &text);
    let steps = look(&workspace).plan.steps;
    assert_eq!(steps.len(), 1, "{steps:#?}");
    assert_eq!(steps[0].action, Action::Restore);
}

#[test]
fn what_a_person_ended_does_not_come_back() {
    let repo = with(&[("docs/adr/0001-a.md", &record("Payment calls are retried 5 times."))]);
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    let text = repo.read("memory/continuity.md");
    repo.write("memory/continuity.md", &text.replace("tier: working", "tier: superseded"));
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn a_record_comes_back_when_its_successor_is_withdrawn() {
    let first = record("Payment calls are retried 5 times.");
    let second = record("Payment calls are queued in the depot overnight.")
        .replace("Accepted\n", "Accepted\n\nSupersedes [ADR 1](0001-a.md)\n");
    let repo = with(&[("docs/adr/0001-a.md", &first)]);
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    repo.write("docs/adr/0002-b.md", &second);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.superseded.len(), 1, "{accepted:?}");
    assert!(look(&workspace).plan.steps.is_empty(), "the successor still says so");
    repo.write("docs/adr/0002-b.md", &second.replace("Accepted", "Rejected"));
    let actions: Vec<Action> = look(&workspace).plan.steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [Action::Restore, Action::Retire]);
    accept(&workspace, &Pick::All).unwrap();
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn a_decision_that_changes_back_replaces_what_came_between() {
    let path = "docs/adr/0001-a.md";
    let (first, second) = (record("Use tabs in C files."), record("Use spaces in C files."));
    let repo = with(&[(path, &first)]);
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    repo.write(path, &second);
    let (_, between, _) = accept(&workspace, &Pick::All).unwrap();
    repo.write(path, &first);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.superseded, between.created);
    assert_eq!(accepted.created.len(), 1);
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn a_plan_that_is_listed_again_opens_its_thread() {
    let roadmap = "# Roadmap\n\n## Next\n\n- [ ] Returns at the door\n- [ ] Labels in colour\n";
    let repo = with(&[("ROADMAP.md", roadmap)]);
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    repo.write("ROADMAP.md", &roadmap.replace("[ ] Returns", "[x] Returns"));
    let (_, closed, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(closed.closed.len(), 1);
    repo.write("ROADMAP.md", roadmap);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.reopened, closed.closed);
    let after = repo.read("memory/continuity.md");
    assert_eq!(after.matches("- [ ] ").count(), 2, "{after}");
    assert!(!after.contains("source-ended"), "{after}");
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn another_number_or_word_at_the_same_place_replaces_the_fact() {
    let rules = "# Contributing\n\n## Rules\n\n- A change needs two approvals.\n- A build must end within 10 minutes.\n- Never push to the main branch.\n- Prefer tabs over spaces in C files.\n\n## Review\n\nAn alarm needs two readers of the safety group.\n";
    let log = "# Decision log\n\n## 2024-01-02 Forecasts of all stations are kept for five years\n\nThe archive has room for them and the law asks for it.\n\n## 2024-01-03 Keys\n\nKeys are kept in the safe behind the desk.\n";
    let repo = with(&[("CONTRIBUTING.md", rules), ("DECISIONS.md", log)]);
    let workspace = repo.workspace();
    let (_, first, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(first.created.len(), 7, "{first:?}");
    let changed = rules.replace("two approvals", "three approvals").replace("10 min", "20 min");
    let changed =
        changed.replace("tabs over spaces", "spaces over tabs").replace("two r", "three r");
    repo.write("CONTRIBUTING.md", &changed);
    repo.write("DECISIONS.md", &log.replace("five years", "seven years"));
    let harvest = look(&workspace);
    let actions: Vec<Action> = harvest.plan.steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [Action::Replace; 5], "{:#?}", harvest.plan.steps);
    assert!(harvest.plan.steps.iter().all(|step| step.conflicts.is_empty()));
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!((accepted.created.len(), accepted.superseded.len()), (5, 5));
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn a_rule_that_its_document_no_longer_has_is_retired() {
    let rules = "# Contributing\n\n## Rules\n\n- A change needs two approvals.\n- Never merge your own change.\n- Secrets must never be logged by a service.\n";
    let roadmap = "# Roadmap\n\n## Next\n\n- Labels in colour\n\n## Not planned\n\n- A Windows client\n- Trading of any kind\n";
    let repo = with(&[("CONTRIBUTING.md", rules), ("ROADMAP.md", roadmap)]);
    let workspace = repo.workspace();
    let (_, first, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!((first.created.len(), first.raised.len()), (6, 0), "{first:?}");
    repo.write("CONTRIBUTING.md", &rules.replace("- Never merge your own change.\n", ""));
    repo.write("ROADMAP.md", &roadmap.replace("- A Windows client\n", ""));
    let harvest = look(&workspace);
    assert_eq!(
        texts(&harvest),
        ["Not planned: A Windows client", "Never merge your own change."],
        "{:#?}",
        harvest.plan.steps
    );
    assert!(harvest.plan.steps.iter().all(|step| step.action == Action::Retire));
    // What is only said elsewhere in the document, and in another way, still stands there.
    let moved = rules.replace("- Never merge your own change.\n", "")
        + "\n## Review\n\nWhoever wrote a change never has to merge their own change.\n";
    repo.write("CONTRIBUTING.md", &moved);
    repo.write("ROADMAP.md", roadmap);
    let harvest = look(&workspace);
    assert!(harvest.plan.steps.iter().all(|step| step.action != Action::Retire), "{harvest:#?}");
}

#[test]
fn the_opposite_order_is_a_contradiction_and_other_words_are_not() {
    let fact = "## Key Decisions\n\n- FACT\n  <!-- id: old-fact | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->\n";
    for (known, said, is_conflict) in [
        ("Prefer tabs over spaces", "Prefer spaces over tabs.", true),
        (
            "Use REST instead of GraphQL for the API",
            "Use GraphQL instead of REST for the API.",
            true,
        ),
        (
            "Composition is preferred to inheritance",
            "Inheritance is preferred to composition.",
            true,
        ),
        ("The API is GraphQL, not REST", "Use GraphQL instead of REST for the API.", false),
        ("GraphQL replaces REST in the API", "Use GraphQL instead of REST for the API.", false),
        ("Prefer GraphQL over REST", "Use GraphQL instead of REST for the API.", false),
    ] {
        let repo = with(&[("docs/adr/0001-a.md", &record(said).replace("Retries", "Topic"))]);
        let memory = EMPTY.replace("## Key Decisions\n", &fact.replace("FACT", known));
        repo.write("memory/continuity.md", &memory);
        let harvest = look(&repo.workspace());
        let conflicts: usize = harvest.plan.steps.iter().map(|step| step.conflicts.len()).sum();
        assert_eq!(conflicts, usize::from(is_conflict), "{known} | {said}: {:#?}", harvest.plan);
    }
}

#[test]
fn an_agents_words_are_checked() {
    let repo = with(&[("docs/adr/0001-a.md", &record("Payment calls are retried 5 times."))]);
    let workspace = repo.workspace();
    let id = look(&workspace).plan.steps[0].id.clone();
    let words =
        |text: &str| Reworded { id: id.clone(), text: Some(text.to_owned()), section: None };
    let code = |all: Vec<Reworded>| {
        let error = accept(&workspace, &Pick::Reworded(all)).unwrap_err();
        assert!(!error.advice().unwrap_or_default().contains("--allow-secret"), "{error}");
        error.code()
    };
    assert_eq!(code(vec![words("  ")]), "empty-text");
    assert_eq!(code(vec![words("Retry five times"), words("Retry often")]), "named-twice");
    assert_eq!(code(vec![words(&format!("The key is AKIA{}", "IOSFODNN7EXAMPLF"))]), "secret");
    assert!(!repo.read("memory/continuity.md").contains("id: "));
}

#[test]
fn what_is_struck_out_or_becomes_a_draft_again_retires_its_fact() {
    let log = "# Decisions\n\n## 2024-01-02 Crates\n\nCrates are made of pine from the valley.\n\n## 2024-01-03 Keys\n\nKeys are kept in the safe behind the desk.\n";
    let repo = with(&[
        ("DECISIONS.md", log),
        ("docs/adr/0001-a.md", &record("Payment calls are retried 5 times.")),
    ]);
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    repo.write("DECISIONS.md", &log.replace("2024-01-02 Crates", "~~2024-01-02 Crates~~"));
    let draft = record("Payment calls are retried 5 times.").replace("Accepted", "Draft");
    repo.write("docs/adr/0001-a.md", &draft);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.superseded.len(), 2, "{accepted:?}");
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn rules_of_a_record_stay_when_its_decision_changes() {
    let text = record("Jobs run in the depot.")
        + "\n## Consequences\n\nA job MUST end within five minutes.\n";
    let repo = with(&[("docs/adr/0001-a.md", &text)]);
    let workspace = repo.workspace();
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.created.len(), 2, "{accepted:?}");
    repo.write("docs/adr/0001-a.md", &text.replace("in the depot", "at the gate"));
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!((accepted.created.len(), accepted.superseded.len()), (1, 1), "{accepted:?}");
    assert!(repo.read("memory/continuity.md").contains("MUST end within five minutes"));
}

#[test]
fn a_second_harvest_proposes_nothing_and_lint_is_content() {
    for (name, planted) in PLANTED {
        let repo = tree(name);
        let workspace = repo.workspace();
        let (first, accepted, _) = accept(&workspace, &Pick::All).unwrap();
        assert!(accepted.created.len() >= planted.len(), "{name}");
        assert!(accepted.raised.is_empty(), "{name}: {:?}", accepted.raised);
        let linted = facts::lint(&workspace, false).unwrap();
        assert!(linted.findings.is_empty(), "{name}: {:#?}", linted.findings);
        let after = repo.read("memory/continuity.md");
        assert!(after.contains("- **last_harvest:** 2026-06-20"), "{name}");
        let (second, nothing, diff) = accept(&workspace, &Pick::All).unwrap();
        assert!(second.plan.steps.is_empty(), "{name}: {:#?}", texts(&second));
        assert_eq!(second.plan.known, first.plan.steps.len() + first.plan.known, "{name}");
        assert!(nothing.created.is_empty() && diff.is_empty(), "{name}");
        assert_eq!(repo.read("memory/continuity.md"), after, "{name}");
    }
}

#[test]
fn a_fact_says_where_it_comes_from() {
    let repo = tree("madr");
    accept(&repo.workspace(), &Pick::Named(vec!["nats-between-services".to_owned()])).unwrap();
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("(docs/decisions/0005-event-bus-nats.md)\n"), "{after}");
    assert!(
        after.contains("| source: docs/decisions/0005-event-bus-nats.md#decision-outcome |"),
        "{after}"
    );
    assert!(!after.contains("ULID"), "only what was picked is written");
}

#[test]
fn words_that_a_person_changed_are_not_proposed_again() {
    let repo = tree("rfc");
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    let text = repo.read("memory/continuity.md");
    repo.write(
        "memory/continuity.md",
        &text.replace("Job logs are kept for 30 days", "Logs live a month"),
    );
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn a_record_that_is_superseded_supersedes_its_fact() {
    let repo = tree("nygard-de");
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    let path = "doc/adr/0003-geldbetraege.md";
    let changed = repo.read(path).replace("Angenommen", "Ersetzt durch [ADR 7](0007-dezimal.md)");
    repo.write(path, &changed);
    repo.write(
        "doc/adr/0007-dezimal.md",
        "# 7. Dezimalzahlen\n\n## Status\n\nAngenommen\n\n## Entscheidung\n\nBeträge werden als Dezimalzahl mit vier Stellen gespeichert.\n",
    );
    let actions: Vec<Action> = look(&workspace).plan.steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [Action::Add, Action::Retire]);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.superseded, ["geldbetrage-cent"]);
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("tier: superseded"), "{after}");
    let successor = format!("superseded-by: {}", accepted.created[0]);
    assert!(after.contains(&successor), "{after}");
    assert!(look(&workspace).plan.steps.is_empty());
    // Without a successor it is no longer true, and that is all.
    let path = "doc/adr/0002-monolith.md";
    repo.write(path, &repo.read(path).replace("Angenommen", "Veraltet"));
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.superseded, ["modularer-monolith"]);
    assert!(accepted.created.is_empty());
}

#[test]
fn a_record_that_says_something_else_now_replaces_its_fact() {
    let repo = tree("rfc");
    let workspace = repo.workspace();
    accept(&workspace, &Pick::All).unwrap();
    let path = "rfcs/0001-job-leases.md";
    repo.write(path, &repo.read(path).replace("ninety seconds", "five minutes"));
    let harvest = look(&workspace);
    assert_eq!(harvest.plan.steps.len(), 1);
    assert_eq!(harvest.plan.steps[0].action, Action::Replace);
    assert_eq!(harvest.plan.steps[0].supersedes, ["job-leases"]);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!(accepted.superseded, ["job-leases"]);
    assert!(accepted.raised.is_empty());
    assert!(look(&workspace).plan.steps.is_empty());
}

fn record(decision: &str) -> String {
    format!("# 1. Retries\n\n## Status\n\nAccepted\n\n## Decision\n\n{decision}\n")
}

fn with_fact(section: &str, tier: &str) -> TestRepo {
    let fact = format!(
        "## {section}\n\n- Payment calls are retried 3 times.\n  <!-- id: payment-retries | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: {tier} -->\n"
    );
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &EMPTY.replace("## Key Decisions\n", &fact));
    repo.write("docs/adr/0001-retries.md", &record("Payment calls are retried 5 times."));
    repo
}

#[test]
fn a_contradiction_becomes_a_thread_and_both_facts_stay() {
    let repo = with_fact("Key Decisions", "active");
    let workspace = repo.workspace();
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!((accepted.created.len(), accepted.raised.len()), (1, 1), "{accepted:?}");
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("- [ ] Contradiction: `"), "{after}");
    assert!(after.contains("retried 3 times") && after.contains("retried 5 times"));
    assert!(look(&workspace).plan.steps.is_empty());
    assert_eq!(facts::lint(&workspace, false).unwrap().errors(), 0);
}

#[test]
fn a_core_fact_is_asked_about_and_left_alone() {
    let repo = with_fact("Key Decisions", "core");
    let workspace = repo.workspace();
    assert_eq!(look(&workspace).plan.steps[0].action, Action::Ask);
    let (_, accepted, _) = accept(&workspace, &Pick::All).unwrap();
    assert_eq!((accepted.created.len(), accepted.raised.len()), (0, 1));
    let after = repo.read("memory/continuity.md");
    assert!(
        after.contains("- [ ] Contradiction: `payment-retries` and docs/adr/0001-retries.md"),
        "{after}"
    );
    assert!(look(&workspace).plan.steps.is_empty());
}

#[test]
fn documents_that_contradict_each_other_become_a_thread() {
    let other = record("Payment calls are retried 3 times.");
    let repo = with(&[
        ("docs/adr/0001-a.md", &record("Payment calls are retried 5 times.")),
        ("docs/adr/0002-b.md", &other),
    ]);
    let (_, accepted, _) = accept(&repo.workspace(), &Pick::All).unwrap();
    assert_eq!((accepted.created.len(), accepted.raised.len()), (2, 1));
}

#[test]
fn what_is_not_text_is_not_read_and_the_rest_is() {
    let repo = with(&[
        (
            "docs/adr/0001-crlf.md",
            &record("Payment calls are retried 5 times.").replace('\n', "\r\n"),
        ),
        (
            "docs/adr/0002-bom.md",
            &format!("\u{feff}{}", record("Labels are printed as ZPL files.")),
        ),
    ]);
    repo.write_bytes(
        "docs/adr/0003-latin.md",
        b"# 3. Stra\xdfe\n\n## Decision\n\nWe keep the stra\xdfe.\n",
    );
    repo.write_bytes("docs/adr/0004-binary.md", b"# 4\0\n\n## Decision\n\nWe keep it.\n");
    repo.write("docs/adr/0005-huge.md", &"word ".repeat(300_000));
    let harvest = look(&repo.workspace());
    assert_eq!(
        texts(&harvest),
        ["Payment calls are retried 5 times.", "Labels are printed as ZPL files."]
    );
    let why: Vec<&str> = harvest.skipped.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(why.len(), 3, "{why:?}");
    assert!(why[0].contains("line 1 is not UTF-8"), "{why:?}");
}

#[test]
fn a_memory_with_crlf_keeps_it() {
    let repo = with(&[("docs/adr/0001-a.md", &record("Payment calls are retried 5 times."))]);
    repo.write("memory/continuity.md", &EMPTY.replace('\n', "\r\n"));
    accept(&repo.workspace(), &Pick::All).unwrap();
    let after = repo.read("memory/continuity.md");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let outside = TestRepo::new();
    outside.write("secret.md", &record("Launch codes are stored in the cellar."));
    let repo = with(&[]);
    std::fs::create_dir_all(repo.root().join("docs")).unwrap();
    std::os::unix::fs::symlink(outside.root().join("secret.md"), repo.root().join("docs/adr-1.md"))
        .unwrap();
    std::os::unix::fs::symlink(outside.root(), repo.root().join("docs/elsewhere")).unwrap();
    let workspace = repo.workspace();
    assert!(look(&workspace).plan.steps.is_empty());
    let place = Where { paths: vec![PathBuf::from("docs/elsewhere")], ..Where::default() };
    let error = harvest::harvest(&workspace, &place, &mut |_, _| {}).unwrap_err();
    assert_eq!(error.code(), "outside-workspace");
}

#[test]
fn what_git_ignores_is_not_read() {
    let repo = with(&[
        (".gitignore", "docs/private/\n"),
        ("docs/adr/0001-a.md", &record("Payment calls are retried 5 times.")),
        ("docs/private/adr/0002-b.md", &record("Labels are printed as ZPL files.")),
        ("node_modules/x/docs/adr/0003-c.md", &record("Modules are hoisted to the top.")),
    ]);
    assert!(Command::new("git").args(["init", "-q"]).arg(repo.root()).status().unwrap().success());
    assert_eq!(look(&repo.workspace()).documents, 1);
}

#[test]
fn paths_and_patterns_narrow_a_harvest() {
    let repo = tree("mixed");
    let workspace = repo.workspace();
    let found = |paths: &[&str], only: &[&str]| {
        let paths = paths.iter().map(PathBuf::from).collect();
        let only = only.iter().map(|glob| (*glob).to_owned()).collect();
        let place = Where { paths, only, limit: None };
        harvest::harvest(&workspace, &place, &mut |_, _| {}).map(|harvest| harvest.documents)
    };
    assert_eq!(found(&["docs/adr"], &[]).unwrap(), 2);
    assert_eq!(found(&[], &["*.rst"]).unwrap(), 1);
    assert_eq!(found(&["nowhere"], &[]).unwrap_err().code(), "no-such-path");
    assert_eq!(found(&["../.."], &[]).unwrap_err().code(), "outside-workspace");
    let limited = Where { limit: Some(3), ..Where::default() };
    let harvest = harvest::harvest(&workspace, &limited, &mut |_, _| {}).unwrap();
    assert_eq!(harvest.plan.steps.len(), 3);
    assert!(harvest.beyond_limit > 0);
}

#[test]
fn secrets_are_redacted_or_refused() {
    let secret = "The staging password: hunter2horse9 is shared by the whole team.";
    let files = [("docs/adr/0001-a.md", record(secret))];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let repo = with(&files);
    let (harvest, ..) = accept(&repo.workspace(), &Pick::All).unwrap();
    assert!(texts(&harvest)[0].contains("(REDACTED)"), "{:?}", texts(&harvest));
    assert!(!repo.read("memory/continuity.md").contains("hunter2"));
    assert!(facts::lint(&repo.workspace(), false).unwrap().findings.is_empty());

    let repo = with(&files);
    repo.write("quipu.toml", "[guard]\nsecrets = \"refuse\"\n");
    let (harvest, accepted, _) = accept(&repo.workspace(), &Pick::All).unwrap();
    assert!(accepted.created.is_empty());
    assert!(harvest.plan.left_out[0].why.contains("secret"), "{:?}", harvest.plan.left_out);
    assert!(!format!("{harvest:?}").contains("hunter2"));
}

#[test]
fn a_pick_that_is_no_proposal_changes_nothing() {
    let repo = tree("madr");
    let before = repo.files();
    let names = vec!["1".to_owned(), "no-such-thing".to_owned()];
    let error = accept(&repo.workspace(), &Pick::Named(names)).unwrap_err();
    assert_eq!(error.code(), "no-such-proposal");
    assert_eq!(repo.files(), before);
}

#[test]
fn an_agent_can_find_better_words_and_they_hold() {
    let repo = tree("madr");
    let workspace = repo.workspace();
    let reworded = |text: &str| {
        let one = Reworded { id: "1".to_owned(), text: Some(text.to_owned()), section: None };
        Pick::Reworded(vec![one])
    };
    let before = repo.files();
    let secret =
        accept(&workspace, &reworded("The password: hunter2horse9 is shared")).unwrap_err();
    assert_eq!(secret.code(), "secret");
    assert_eq!(repo.files(), before);
    accept(&workspace, &reworded("Parcels live in PostgreSQL: billing joins.")).unwrap();
    assert!(
        repo.read("memory/continuity.md")
            .contains("- Parcels live in PostgreSQL: billing joins. (docs/")
    );
    let left = look(&workspace);
    assert_eq!(left.plan.steps.len(), 3);
    assert_eq!(left.plan.known, 1);
}

#[test]
fn undo_takes_a_harvest_back() {
    let repo = tree("roadmap");
    let workspace = repo.workspace();
    let before = repo.files();
    accept(&workspace, &Pick::All).unwrap();
    undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap();
    assert_eq!(repo.files(), before);
}
