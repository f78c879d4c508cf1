//! A peer card: what the memory knows about somebody or something, on one page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::tz::TimeZone;

use crate::entity::{self, EntityKind};
use crate::item::Item;
use crate::journal::summary::{self, Said};
use crate::terms;

/// The category of cards.
pub const CATEGORY: &str = "peer-card";

/// A card says no more than this about what was said.
const LONGEST: usize = 900;

/// So many others are named.
const MOST_OTHERS: usize = 8;

/// Returns the id of an entity's card: one card an entity, whoever makes it. One that was taken back
/// has had its day, and the next has another number.
pub fn id(name: &str, number: usize) -> String {
    let hash = terms::label('k', &name.to_lowercase());
    if number == 0 { format!("card-{hash:016x}") } else { format!("card-{hash:016x}-{number}") }
}

/// Returns the card of `names`, the first of which it goes by, from what mentions it, oldest first.
pub fn written(names: &[String], items: &[&Item]) -> String {
    let Some(name) = names.first() else { return String::new() };
    let day = |item: &&Item| item.time.to_zoned(TimeZone::UTC).date();
    let mut card = format!("[Peer card] {name}");
    if names.len() > 1 {
        let _ = write!(card, ", also {}", names[1..].join(", "));
    }
    if let (Some(first), Some(last)) = (items.first().map(day), items.last().map(day)) {
        let _ = write!(card, "\n{} memories, {first} to {last}", items.len());
    }
    let others = others(names, items);
    if !others.is_empty() {
        let _ = write!(card, "\nwith: {}", others.join(", "));
    }
    let mentions = |text: &str| {
        let lower = text.to_lowercase();
        names.iter().any(|name| lower.contains(&name.to_lowercase()))
    };
    let mut said: Vec<(jiff::Timestamp, String)> = Vec::new();
    for item in items {
        let sentences = summary::sentences(&item.text);
        let about = sentences.iter().filter(|sentence| mentions(sentence));
        let told: Vec<&str> = about.map(AsRef::as_ref).collect();
        // Whole sentences only, so that each can be found again and taken out.
        let first = || sentences.first().map(ToString::to_string).unwrap_or_default();
        said.push((item.time, if told.is_empty() { first() } else { told.join("\n") }));
    }
    let said: Vec<Said<'_>> = said.iter().map(|(at, text)| Said { at: *at, text }).collect();
    for line in summary::extract(&said, LONGEST).lines().filter(|line| !line.is_empty()) {
        let line = line.trim_start_matches("- ");
        let _ = write!(card, "\n- {line}");
    }
    card
}

/// Returns who is mentioned beside it most.
fn others(names: &[String], items: &[&Item]) -> Vec<String> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for entity in items.iter().flat_map(|item| entity::extract(&item.text)) {
        let is_self = names.iter().any(|name| name.eq_ignore_ascii_case(&entity.name));
        if !is_self && !matches!(entity.kind, EntityKind::Date | EntityKind::Url) {
            *count.entry(entity.name).or_default() += 1;
        }
    }
    let mut others: Vec<(String, usize)> =
        count.into_iter().filter(|(_, count)| *count > 1).collect();
    others.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    others.into_iter().take(MOST_OTHERS).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::item::Kind;

    #[test]
    fn a_card_tells_who_it_is_and_what_was_said() {
        let told = |text: &str| Item::new("m", Kind::Record, text, Timestamp::UNIX_EPOCH);
        let items = [
            told("Maria Lopez owns the Billing Service. The weather was fine."),
            told("Maria Lopez wants the Billing Service in Rust."),
        ];
        let items: Vec<&Item> = items.iter().collect();
        let card = written(&["maria lopez".into(), "maria".into()], &items);
        assert_eq!(
            card,
            "[Peer card] maria lopez, also maria\n2 memories, 1970-01-01 to 1970-01-01\nwith: billing service\n- Maria Lopez owns the Billing Service.\n- Maria Lopez wants the Billing Service in Rust."
        );
        assert_eq!(card, written(&["maria lopez".into(), "maria".into()], &items));
    }

    #[test]
    fn an_entity_has_one_card() {
        assert_eq!(id("Maria", 0), id("maria", 0));
    }
}
