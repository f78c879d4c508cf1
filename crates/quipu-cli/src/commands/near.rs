//! What is near to something that was written, in words.

use std::fmt::Write as _;

use quipu_core::contradict::{Candidate, Near, Relation};

use crate::reply::{BOLD, DIM, styled};

/// Lists what is known that is near to what was written, for the writer to judge.
pub(super) fn near_words(nearest: &[Near]) -> String {
    let mut text = String::new();
    if !nearest.is_empty() {
        text.push_str("near to it, for you to judge:\n");
    }
    for near in nearest {
        let place = if near.archived { " (archived)" } else { "" };
        let about = styled(DIM, format!("{}{place}", near.id));
        let _ = writeln!(text, "  {}  {about}", near.text.trim_end());
        let relation = match near.relation {
            Relation::Same => "says the same",
            Relation::Update => "may be out of date",
            Relation::Conflict => "may say otherwise",
            Relation::Compatible | Relation::Unrelated => "",
        };
        let why: Vec<&str> =
            [relation, &near.reason].into_iter().filter(|part| !part.is_empty()).collect();
        if !why.is_empty() {
            let _ = writeln!(text, "      {}", styled(DIM, why.join(": ")));
        }
    }
    text
}

/// Lists what words may contradict.
pub(super) fn candidate_words(candidates: &[Candidate]) -> String {
    let mut text = String::new();
    for candidate in candidates {
        let mark = if candidate.is_core { " (core)" } else { "" };
        let line = candidate.text.lines().next().unwrap_or_default();
        let about = format!("{}{}", styled(DIM, &candidate.id), styled(BOLD, mark));
        let _ = writeln!(text, "  {}  {about}", quipu_core::text::ellipsis(line, 100));
        let _ = writeln!(text, "      {}", styled(DIM, candidate.reasons.join("; ")));
    }
    text
}

/// Lists what is near but for what was listed already.
pub(super) fn other_near_words(nearest: &[Near], candidates: &[Candidate]) -> String {
    let is_listed = |near: &Near| candidates.iter().any(|candidate| candidate.id == near.id);
    let others: Vec<Near> = nearest.iter().filter(|near| !is_listed(near)).cloned().collect();
    near_words(&others)
}
