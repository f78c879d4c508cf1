//! Lines such as `Status: accepted`, in every dress.

use super::page::{Block, Shape, plain};
use super::words::words;

/// Returns what the labels of a block say: one, or several on a line.
pub(super) fn labels(block: &Block) -> Vec<(String, String)> {
    if let Shape::Row { cells, .. } = &block.shape {
        return row_label(cells).into_iter().collect();
    }
    let raw = block.raw.replace('：', ":");
    if raw.matches("**").count() >= 4 {
        let bold = bold_labels(&raw);
        if bold.len() > 1 {
            return bold;
        }
    }
    let even = raw.replace(" · ", " | ").replace(" • ", " | ");
    let pieces: Vec<&str> = even.split(" | ").collect();
    let found: Vec<(String, String)> = pieces.iter().filter_map(|piece| one(piece)).collect();
    if found.len() == pieces.len() && found.len() > 1 {
        found
    } else {
        one(&raw).into_iter().collect()
    }
}

/// Returns the label of a block, the first where there are several.
pub(super) fn label(block: &Block) -> Option<(String, String)> {
    labels(block).into_iter().next()
}

/// Returns the label of a row with two cells.
pub(super) fn row_label(cells: &[String]) -> Option<(String, String)> {
    let [key, value] = cells else { return None };
    Some((plain(key).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase(), value.clone()))
}

fn one(raw: &str) -> Option<(String, String)> {
    // `Decision – we drop it`.
    for mark in [" – ", " — ", " - "] {
        if let Some((key, value)) = raw.split_once(mark) {
            let key = plain(key).to_lowercase();
            if words().decision_labels.contains(&key.as_str()) {
                return Some((key, value.trim().to_owned()));
            }
        }
    }
    let at = raw
        .find([':', '='])
        .filter(|at| raw[*at..].starts_with(':') || is_status_key(&raw[..*at]))?;
    let (key, value) = (&raw[..at], raw[at + 1..].trim_start_matches(':'));
    let key = plain(key).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let value = value.trim_start_matches(['*', '_']).trim();
    (key.chars().count() <= 30 && !key.is_empty()).then(|| (key, value.to_owned()))
}

fn is_status_key(key: &str) -> bool {
    words().status_labels.contains(&plain(key).trim().to_lowercase().as_str())
}

/// Returns the labels of a line such as `**Author:** me  **Status:** approved`.
fn bold_labels(raw: &str) -> Vec<(String, String)> {
    let pieces: Vec<&str> = raw.split("**").collect();
    let mut found: Vec<(String, String)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let next = pieces.get(index + 1).copied().unwrap_or_default();
        let is_label = index % 2 == 1
            && piece.chars().count() <= 30
            && (piece.trim_end().ends_with(':') || next.trim_start().starts_with(':'));
        if is_label {
            let key = piece.trim().trim_end_matches(':').trim().to_lowercase();
            found.push((key, String::new()));
        } else if let Some((_, value)) = found.last_mut() {
            value.push_str(piece.trim_start_matches(':'));
        }
    }
    for (_, value) in &mut found {
        *value = value.trim().trim_end_matches(['|', '·', ',']).trim().to_owned();
    }
    found
}

/// Tells whether a label is a known one.
pub(super) fn is_label(key: &str) -> bool {
    let known = words();
    [&known.status_labels, &known.other_labels, &known.decision_labels, &known.reason_labels]
        .iter()
        .any(|names| names.contains(&key))
}

/// Tells whether a block says something about the document, and nothing about its subject.
pub(super) fn is_about(block: &Block) -> bool {
    label(block).is_some_and(|(key, _)| {
        let key = key.as_str();
        words().status_labels.contains(&key) || words().other_labels.contains(&key)
    })
}
