//! Tables of decisions and plans.

use super::{links_to_record, with_reason};
use crate::harvest::Status;
use crate::harvest::likeness::shared;
use crate::harvest::page::{plain, unstruck};
use crate::harvest::status::{Standing, is_struck};
use crate::harvest::words::{is_hole, words};
use crate::prose::word_count;

/// Columns of a table that hold what was decided, beside the labels of such lines.
const DECISIONS: &[&str] = &[
    "decisions",
    "choice",
    "we chose",
    "we use",
    "chosen",
    "beschluss",
    "wahl",
    "elección",
    "choix",
    "décision retenue",
    "scelta",
    "escolha",
    "what we decided",
];

/// Columns that hold a rule.
const RULES: &[&str] = &[
    "convention",
    "rule",
    "konvention",
    "regel",
    "règle",
    "regla",
    "regra",
    "regola",
    "convención",
    "規約",
    "ルール",
    "规则",
    "规范",
];

/// Columns of a roadmap that hold what is planned.
const PLANS: &[&str] = &[
    "item",
    "feature",
    "task",
    "what",
    "goal",
    "milestone",
    "initiative",
    "epic",
    "vorhaben",
    "aufgabe",
    "tâche",
    "fonctionnalité",
    "tarea",
    "funcionalidad",
    "tarefa",
    "attività",
    "項目",
    "機能",
    "タスク",
    "任务",
    "功能",
    "title",
    "description",
];

/// Where a table tells what.
pub(super) struct Columns {
    said: usize,
    reason: Option<usize>,
    subject: Option<usize>,
    status: Option<usize>,
    /// Whether its rows are plans.
    pub(super) is_plan: bool,
    /// Whether its rows are rules.
    pub(super) is_rule: bool,
}

impl Columns {
    pub(super) fn of(cells: &[String], is_roadmap: bool) -> Option<Self> {
        let names: Vec<String> = cells.iter().map(|cell| plain(cell).to_lowercase()).collect();
        let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
        let status = find(&words().status_labels);
        // `Status | Decided` is a row of properties.
        let is_property = names.len() == 2 && words().status_labels.contains(&names[0].as_str());
        let decision = find(&words().decision_labels).or_else(|| find(DECISIONS));
        let decision = decision.filter(|_| !is_property);
        let plan = find(PLANS).filter(|_| is_roadmap && decision.is_none() && cells.len() > 1);
        let rule = find(RULES).filter(|_| decision.or(plan).is_none() && cells.len() > 1);
        let said = decision.or(plan).or(rule)?;
        let subject =
            find(&words().subject_columns).or_else(|| rule.map(|at| usize::from(at == 0)));
        let subject = subject.filter(|at| *at != said && plan.is_none());
        let reason =
            find(&words().reason_labels).filter(|at| plan.is_none() && Some(*at) != subject);
        Some(Self {
            said,
            reason,
            subject,
            status,
            is_plan: plan.is_some(),
            is_rule: rule.is_some(),
        })
    }

    /// Returns a row's words and standing; a row that links to a record says nothing by itself.
    pub(super) fn text(&self, cells: &[String]) -> Option<(String, Standing)> {
        let cell =
            |at: Option<usize>| at.and_then(|at| cells.get(at)).map(|cell| plain(&unstruck(cell)));
        let raw = cells.get(self.said)?;
        let said = cell(Some(self.said))
            .filter(|said| word_count(said) >= 1 && !links_to_record(raw) && !is_hole(said))?;
        let subject =
            cell(self.subject).filter(|subject| !subject.is_empty() && shared(subject, &said) < 60);
        let text = subject.map_or(said.clone(), |subject| format!("{subject}: {said}"));
        let reason = cell(self.reason).filter(|reason| word_count(reason) >= 1 && !is_hole(reason));
        let text = with_reason(&text, reason.as_deref());
        let told = self.status.and_then(|at| cells.get(at)).filter(|cell| !cell.is_empty());
        let mut standing = told.map(|cell| Standing::of_text(cell)).unwrap_or_default();
        if is_struck(raw) && !standing.status().is_over() {
            standing = Standing::of_text("superseded");
        }
        (word_count(&text) >= 2).then_some((text, standing))
    }
}

/// Returns whether a plan is open, done or given up, as the table's column says.
pub(super) fn plan_status(standing: &Standing) -> Status {
    match (&standing.told, standing.status()) {
        (Some(_), Status::Accepted) => Status::Done,
        (_, status) if status.is_over() => Status::Rejected,
        _ => Status::Accepted,
    }
}
