//! `quipu drift`: what memories say about the code, and the code no longer has.

use std::fmt::Write as _;

use quipu_engine::drift::{DriftReport, DriftScore, Past};
use quipu_engine::operations::{Drift, Drifted};

use crate::context::Context;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Drift {
    fn say(&self, output: &Drifted, _: &Context) -> Reply {
        let report = match output {
            Drifted::Found(found) => &found.report,
            Drifted::Fixed(night) => return super::dream::told(night),
        };
        let advice = if report.findings.is_empty() {
            ""
        } else {
            "`quipu drift --fix --dry-run` shows what would follow; facts and what is pinned are only asked about"
        };
        Reply::words(words(report)).advise(advice)
    }
}

fn words(report: &DriftReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let score = report.items.get(&finding.id).map_or(100.0, DriftScore::value);
        let score = styled(DIM, format!("(score {score:.0})"));
        let _ = writeln!(text, "{} {score}\n  {}", styled(CYAN, &finding.id), finding.reason);
    }
    match report.past {
        Past::Whole => {}
        Past::CutOff => {
            let note = "this is a shallow clone: what went before its history is unknown";
            let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
        }
        Past::None => {
            let note = "there is no git history here, so nothing can be shown to have gone";
            let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
        }
    }
    let branch = report.branch.as_deref().map(|branch| format!(" on {branch}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "{} memories make {} claims{branch}: {} hold, {} are gone, {} doubtful, {} unknown; score {:.0}",
        report.checked,
        report.claims,
        report.score.alive,
        report.score.gone,
        report.score.doubtful,
        report.score.unknown,
        report.score.value()
    );
    text
}
