//! A peer card: what the memory knows about somebody or something, on one page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::entity::{self, EntityKind};
use crate::item::{Item, Source};
use crate::journal::summary;
use crate::secret::{self, Scope};
use crate::terms::{self, Term};
use crate::{calendar, contradict};

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
pub fn written(names: &[String], items: &[&Item], zone: &TimeZone) -> String {
    let Some(name) = names.first() else { return String::new() };
    let day_of = |item: &Item| item.time.to_zoned(zone.clone()).date();
    let begins = |item: &Item| {
        let from = item.valid_from.filter(|_| item.source == Source::Dream);
        from.unwrap_or(item.time).to_zoned(zone.clone()).date()
    };
    let mut card = format!("[Peer card] {name}");
    if names.len() > 1 {
        let _ = write!(card, ", also {}", names[1..].join(", "));
    }
    let first = items.iter().map(|item| begins(item)).min();
    let last = items.iter().map(|item| day_of(item)).max();
    if let (Some(first), Some(last)) = (first, last) {
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
    // The newest first, so that what is there still holds: what a newer one overtook is left out.
    let mut told: Vec<(Date, String)> = Vec::new();
    let mut left = LONGEST;
    'items: for item in items.iter().rev() {
        let sentences = summary::sentences(&item.text);
        let about: Vec<&str> =
            sentences.iter().map(AsRef::as_ref).filter(|sentence| mentions(sentence)).collect();
        // Whole sentences only, so that each can be found again and taken out.
        let about = if about.is_empty() {
            sentences.first().map(AsRef::as_ref).into_iter().collect()
        } else {
            about
        };
        for sentence in about {
            let sentence = secret::redacted(sentence, Scope::Credentials);
            if told.iter().any(|(_, newer)| is_overtaken(&sentence, newer)) {
                continue;
            }
            let cost = sentence.chars().count() + 15;
            if cost > left {
                break 'items;
            }
            left -= cost;
            told.push((day_of(item), sentence));
        }
    }
    told.reverse();
    for (day, sentence) in told {
        let dated = day_and_words(&sentence);
        let (day, sentence) = dated
            .map_or((day.to_string(), sentence.as_str()), |(days, words)| (days.to_owned(), words));
        let _ = write!(card, "\n- {day}: {sentence}");
    }
    card
}

/// Reads a line of a merged memory, which has its days already.
fn day_and_words(line: &str) -> Option<(&str, &str)> {
    let (days, words) = line.split_once(": ")?;
    days.get(..10)?.parse::<Date>().ok()?;
    Some((days, words))
}

/// Tells whether a newer sentence says the same, or the same with another value.
fn is_overtaken(older: &str, newer: &str) -> bool {
    let words = |text: &str| -> BTreeSet<Term> {
        terms::of_document(text).counts.into_iter().map(|(term, _)| term).collect()
    };
    let (a, b) = (words(older), words(newer));
    if a == b {
        return true;
    }
    // Sentences that share nothing but the name are about two things.
    let shared = a.intersection(&b).count();
    if shared >= 2 && contradict::conflict(older, newer).is_some() {
        return true;
    }
    // "The launch is on 3 May", and later "moved the launch to 17 May".
    let (has_day, has_newer) = (calendar::names_a_day(older), calendar::names_a_day(newer));
    has_day && has_newer && shared >= 2 && shared * 2 >= a.len().min(b.len())
}

/// Returns who is mentioned beside it most.
fn others(names: &[String], items: &[&Item]) -> Vec<String> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for entity in items.iter().flat_map(|item| entity::extract(&item.text)) {
        let is_self = names.iter().any(|name| name.eq_ignore_ascii_case(&entity.name));
        if !is_self && !matches!(entity.kind, EntityKind::Date | EntityKind::Url | EntityKind::Word)
        {
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
        let card = written(&["maria lopez".into(), "maria".into()], &items, &TimeZone::UTC);
        assert_eq!(
            card,
            "[Peer card] maria lopez, also maria\n2 memories, 1970-01-01 to 1970-01-01\nwith: billing service\n- 1970-01-01: Maria Lopez owns the Billing Service.\n- 1970-01-01: Maria Lopez wants the Billing Service in Rust."
        );
        assert_eq!(card, written(&["maria lopez".into(), "maria".into()], &items, &TimeZone::UTC));
    }

    #[test]
    fn a_card_never_keeps_an_overtaken_day_without_the_new_one() {
        let told = |text: &str, day: i64| {
            let at = Timestamp::from_second(86_400 * day).unwrap();
            Item::new("m", Kind::Record, text, at)
        };
        let items = [
            told("The launch of Kestrel is on 3 May.", 1),
            told("Kestrel is written in Go.", 2),
            told("We moved the launch of Kestrel to 17 May.", 3),
        ];
        let items: Vec<&Item> = items.iter().collect();
        let card = written(&["kestrel".into()], &items, &TimeZone::UTC);
        assert!(card.contains("17 May") && !card.contains("3 May."), "{card}");
        assert!(card.contains("written in Go"), "{card}");
    }

    #[test]
    fn an_entity_has_one_card() {
        assert_eq!(id("Maria", 0), id("maria", 0));
    }
}
