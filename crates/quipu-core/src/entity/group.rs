//! Which names mean the same: "Maria" is "Maria Lopez" where there is no other Maria.

use std::collections::{BTreeMap, BTreeSet};

use super::{EntityKind, extract};

/// Returns for each short name the full one, where exactly one full name has it: by its first or its last
/// words. `apart` tells whether some text speaks of both as two.
pub fn full_names<'n>(
    names: impl IntoIterator<Item = &'n str>,
    apart: &dyn Fn(&str, &str) -> bool,
) -> BTreeMap<String, String> {
    let all: BTreeSet<&str> = names.into_iter().collect();
    // Short name to the full names that have it.
    let mut having: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for full in &all {
        for short in short_names(full) {
            having.entry(short).or_default().insert(full);
        }
    }
    let mut found = BTreeMap::new();
    for (short, fulls) in &having {
        // Of "maria lopez" and "dr maria lopez" the longest is the full name of both.
        let longest = fulls.iter().max_by_key(|full| full.len());
        let Some(full) = longest.filter(|_| all.contains(short.as_str())) else { continue };
        let is_one = fulls.iter().all(|other| is_part(other, full));
        if is_one && !apart(short, full) {
            found.insert(short.clone(), (*full).to_owned());
        }
    }
    found
}

fn is_part(short: &str, full: &str) -> bool {
    short == full || short_names(full).any(|one| one == short)
}

/// The first words of a name, and the last ones, where these could stand for it.
fn short_names(full: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = full.split(' ').collect();
    let count = words.len();
    let firsts = (1..count).map(|to| words[..to].join(" ")).collect::<Vec<_>>();
    let lasts = (1..count).map(|from| words[from..].join(" ")).collect::<Vec<_>>();
    // "new" is nobody's short name, and neither is "lake" or "mountain".
    let stands = |name: &String| {
        name.contains(' ')
            || !super::word::is_common(name)
            || (count == 2 && super::word::is_first_name(name))
    };
    firsts.into_iter().chain(lasts).filter(stands).collect::<BTreeSet<_>>().into_iter()
}

/// Tells whether a text speaks of both names as two: "Claire and Claire Dubois".
pub fn speaks_of_both(text: &str, short: &str, full: &str) -> bool {
    let text = text.to_lowercase();
    ["and", "or", "with", "versus"].iter().any(|word| {
        let joined = [format!("{short} {word} {full}"), format!("{full} {word} {short}")];
        joined.iter().any(|both| text.contains(both.as_str()))
    })
}

/// Returns the names in several texts, each with all its forms, the fullest first: what one text shows
/// to be a name is one in the others.
pub fn names_in(texts: &[&str]) -> Vec<Vec<String>> {
    let mut kinds: BTreeMap<String, bool> = BTreeMap::new();
    for entity in texts.iter().flat_map(|text| extract(text)) {
        let is_name = match entity.kind {
            EntityKind::Name => true,
            EntityKind::Word => false,
            EntityKind::Identifier if !entity.name.contains(['_', ':', ' ']) => true,
            _ => continue,
        };
        *kinds.entry(entity.name.to_lowercase()).or_default() |= is_name;
    }
    // "Rose" is a name beside "Rose Tyler".
    let long: BTreeSet<String> = kinds
        .iter()
        .filter(|(name, is_name)| **is_name && name.contains(' '))
        .flat_map(|(name, _)| short_names(name).collect::<Vec<_>>())
        .collect();
    for (name, is_name) in &mut kinds {
        *is_name |= long.contains(name);
    }
    let names: Vec<&str> =
        kinds.iter().filter(|(_, is_name)| **is_name).map(|(name, _)| name.as_str()).collect();
    let apart =
        |short: &str, full: &str| texts.iter().any(|text| speaks_of_both(text, short, full));
    let full = full_names(names.iter().copied(), &apart);
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in names {
        let mut of = name;
        while let Some(next) = full.get(of) {
            of = next;
        }
        groups.entry(of).or_default().push(name.to_owned());
    }
    let sorted = groups.into_values().map(|mut group| {
        group.sort_by_key(|name| std::cmp::Reverse(name.len()));
        group
    });
    sorted.collect()
}
