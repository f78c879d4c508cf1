//! What the code no longer has: a memory of the engine's own that certainly speaks of what is gone does
//! not hold; all else is asked.

use std::collections::BTreeMap;

use quipu_core::item::{Decision, Item, Source, Status};
use quipu_core::question::{self, Question, QuestionKind};

use super::night::{Night, Progress};
use super::plan::Step;
use crate::drift::{self, DriftFinding, Verdict};
use crate::error::Error;
use crate::index;

/// Plans what follows from drift.
pub(super) fn plan(night: &mut Night<'_>, progress: Progress<'_>) -> Result<(), Error> {
    if !progress("drift", 0, 1) {
        return Ok(());
    }
    let items = drift::checked_for_drift(night.workspace)?;
    let report = drift::drift_check(night.workspace, &items);
    let mut by_item: BTreeMap<&str, Vec<&DriftFinding>> = BTreeMap::new();
    for finding in &report.findings {
        // Who answered, or brought the memory back after it was doubted, has had the last word.
        if !night.was_asked(&question(finding)) {
            by_item.entry(&finding.id).or_default().push(finding);
        }
    }
    for item in &items {
        let Some(findings) = by_item.get(item.id.as_str()) else { continue };
        let Some(at) = night.place(&item.id).filter(|at| night.holds(*at)) else { continue };
        let score = report.items.get(&item.id).copied().unwrap_or_default();
        // What stands for several is not wrong because one of them is.
        let stands_for_others = item.source == Source::Dream && score.alive > 0;
        if !night.may_change(at) || stands_for_others {
            for finding in findings {
                night.act_by_asking(Step::Drift, question(finding));
            }
            continue;
        }
        // Where something that it names is still there, or nobody can tell, not all of it is wrong.
        let is_certain = score.alive + score.unknown == 0
            && findings.iter().all(|finding| is_certain(&finding.verdict));
        // Doubt without a question would hide it for good.
        if is_certain || night.room_for(QuestionKind::Reference) >= findings.len() {
            doubt(night, item, findings, is_certain);
            night.gone.insert(at);
        }
    }
    bring_back(night)?;
    progress("drift", 1, 1);
    Ok(())
}

/// Plans the way back for what was doubted, where what it names is there again and nobody has answered.
fn bring_back(night: &mut Night<'_>) -> Result<(), Error> {
    let events = index::store(night.workspace)?.filed_under(question::FILED)?;
    let waiting = question::queue(&events)
        .into_iter()
        .filter(|one| one.answer.is_none() && one.question.kind == QuestionKind::Reference);
    let mut asked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in waiting {
        if let Some(id) = one.question.subjects.first() {
            asked.entry(id.clone()).or_default().push(one.id);
        }
    }
    let mut doubted = Vec::new();
    for id in asked.keys() {
        let item = index::store(night.workspace)?.get(id)?;
        let is_doubted =
            |item: &Item| matches!(item.status, Status::Challenged | Status::Invalidated);
        if let Some(item) = item.filter(|item| is_doubted(item) && !item.pinned)
            && night.was_last_judged_by_a_dream(&item)?
        {
            doubted.push(item);
        }
    }
    let report = drift::drift_check(night.workspace, &doubted);
    for item in &doubted {
        let is_there = report.items.get(&item.id).is_some_and(|score| score.alive > 0);
        if !is_there || report.findings.iter().any(|finding| finding.id == item.id) {
            continue;
        }
        let why = "what it names is there again";
        let back = Decision::Status { from: item.status, to: Status::Active };
        let mut records = vec![night.decide(&item.id, back, why)];
        for filed in asked[&item.id].iter().map(|id| format!("{}{id}", question::FILED)) {
            let asks = events.iter().filter(|event| event.item == filed);
            let asks = asks.filter(|event| matches!(event.decision, Some(Decision::Ask { .. })));
            for event in asks {
                let revert = Decision::Revert { event: event.id.clone() };
                records.push(night.decide(&filed, revert, why));
            }
        }
        let does = format!("brings back {}", Night::told(item));
        night.act(Step::Drift, (does, why.to_owned()), std::slice::from_ref(item), records);
    }
    Ok(())
}

fn is_certain(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Gone { certain: true, .. })
}

fn question(finding: &DriftFinding) -> Question {
    let subjects = vec![finding.id.clone()];
    let mut question = Question::new(QuestionKind::Reference, subjects, finding.reason.clone());
    question.claim = Some(finding.claim.text.clone());
    if let Verdict::Gone { now, .. } = &finding.verdict {
        question.now.clone_from(now);
    }
    question
}

/// Invalidates or challenges a memory, and asks what shall become of it.
fn doubt(night: &mut Night<'_>, item: &Item, findings: &[&DriftFinding], is_certain: bool) {
    let why: Vec<&str> = findings.iter().map(|finding| finding.reason.as_str()).collect();
    let why = why.join("; ");
    let (to, verb) = if is_certain {
        (Status::Invalidated, "invalidates")
    } else {
        (Status::Challenged, "challenges")
    };
    let decision = Decision::Status { from: Status::Active, to };
    let mut records = vec![night.decide(&item.id, decision, &why)];
    for finding in findings {
        records.extend(night.ask(question(finding)));
    }
    let does = format!("{verb} {}", Night::told(item));
    night.act(Step::Drift, (does, why), std::slice::from_ref(item), records);
}
