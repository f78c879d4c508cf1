//! What is written in a format and read back is written as it was: nothing else changes than what the format cannot
//! hold, and that is said.

use jiff::Timestamp;
use proptest::prelude::*;
use quipu_core::item::{Item, Kind, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_import::write::{From, Memory, Target};
use quipu_import::{Draft, Format, Input, Options, classify, id};

use crate::sources::{folder, take_as};

const TARGETS: [(Target, Format); 6] = [
    (Target::Markdown, Format::Markdown),
    (Target::Obsidian, Format::Markdown),
    (Target::BasicMemory, Format::BasicMemory),
    (Target::Mcp, Format::Mcp),
    (Target::Mem0, Format::Mem0),
    (Target::Csv, Format::Csv),
];

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-zA-Zäß]{1,9}",
        1 => Just("#tag".to_owned()),
        1 => Just("(as told)".to_owned()),
        1 => Just("[[link]]".to_owned()),
        1 => Just("=1+1".to_owned()),
        1 => Just("a: \"b\"".to_owned()),
        1 => Just("\n- item\n\nmore".to_owned()),
        1 => Just("---".to_owned()),
        1 => Just("🎉".to_owned()),
    ];
    ("[a-zA-Z]{2,8}", proptest::collection::vec(word, 1..8))
        .prop_map(|(first, rest)| quipu_import::text::tidy(&format!("{first} {}", rest.join(" "))))
}

fn memory() -> impl Strategy<Value = Memory> {
    let about = (words(), "[a-z][a-z-]{2,8}", 0..3_usize, 0..4_usize, 1..800_u16);
    let more = (
        proptest::option::of("[a-z]{3,8}"),
        proptest::option::of("[A-Z][a-z]{2,6}"),
        proptest::collection::btree_set("[a-z]{2,6}", 0..3),
        1_500_000_000..1_760_000_000_i64,
        any::<bool>(),
        any::<bool>(),
    );
    (about, more).prop_map(
        |((text, category, kind, layer, rank), (session, speaker, tags, second, a, b))| {
            let mut item = Item::new(
                id::derived(&[&text, &second.to_string()]),
                Kind::Record,
                text,
                Timestamp::from_second(second).unwrap(),
            );
            item.category = category;
            item.memory_type =
                [MemoryType::Fact, MemoryType::Procedure, MemoryType::Narrative][kind];
            item.layer =
                [Layer::Working, Layer::Episodic, Layer::Semantic, Layer::Procedural][layer];
            item.importance = f32::from(rank) / 1000.0;
            (item.session, item.speaker) = (session, speaker);
            item.tags = tags.into_iter().collect();
            item.source = if a { Source::Ai } else { Source::Human };
            item.status = if b { Status::Active } else { Status::Archived };
            item.negative = a && b;
            item.sensitivity = if b { Sensitivity::Private } else { Sensitivity::Public };
            if a {
                item.valid_from = Timestamp::from_second(second - 5).ok();
                item.notes.push("a note".to_owned());
            }
            Memory { item, origin: None }
        },
    )
}

/// Returns a draft as the memory that it becomes, as the engine makes it.
fn remembered(draft: Draft, format: Format) -> Memory {
    let class = classify::classify(&draft);
    let own = id::of_draft(format.as_str(), &draft);
    let time = draft.time.unwrap();
    let mut item = Item::new(own, Kind::Record, draft.text.clone(), time);
    (item.category, item.memory_type, item.layer) =
        (class.category, class.memory_type, class.layer);
    (item.importance, item.negative) = (class.importance, class.negative);
    (item.valid_from, item.valid_to) = (draft.valid_from, draft.valid_to);
    (item.session, item.speaker, item.source) = (draft.session, draft.speaker, draft.source);
    item.status = draft.status;
    item.tags = draft.tags;
    item.tags.sort();
    item.tags.dedup();
    item.sensitivity = draft.sensitivity.unwrap_or(Sensitivity::Private);
    item.notes = draft.notes.into_iter().map(|(note, _)| note).collect();
    let old =
        draft.supersedes.map(|old| id::of_origin(format.as_str(), &draft.origin.account, &old));
    item.supersedes.extend(old);
    let origin = From { tool: format.to_string(), id: draft.origin.id, extra: draft.origin.extra };
    Memory { item, origin: Some(origin) }
}

fn back(files: &[(String, String)], format: Format) -> Vec<Memory> {
    let named: Vec<(String, &str)> = files
        .iter()
        .map(|(name, text)| {
            let usual = match format {
                Format::Csv => "x.csv",
                Format::Mem0 => "x.json",
                _ => "memory.jsonl",
            };
            (if name.is_empty() { usual.to_owned() } else { name.clone() }, text.as_str())
        })
        .collect();
    let named: Vec<(&str, &str)> = named.iter().map(|(name, text)| (&**name, *text)).collect();
    let folder = folder(&named);
    let input = Input::open(folder.path()).unwrap();
    assert_eq!(quipu_import::detect(&input).unwrap(), format);
    let found = take_as(&input, format, &Options::default());
    found.drafts.into_iter().map(|draft| remembered(draft, format)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_and_read_back_is_written_as_before(all in proptest::collection::vec(memory(), 1..6)) {
        for (target, format) in TARGETS {
            let first = target.write(&all);
            let read = back(&first, format);
            let again = target.write(&read);
            prop_assert_eq!(&again, &first, "{:?}", target);
        }
    }

    #[test]
    fn what_is_said_to_be_lost_is_what_differs_after_the_way_back(all in proptest::collection::vec(memory(), 1..6)) {
        for (target, format) in TARGETS {
            let lost = target.losses(&all);
            let mut read = back(&target.write(&all), format);
            let mut differs = quipu_import::write::Losses::new();
            for before in &all {
                // Where a format has no ids, its reader knows a memory by its words or its note.
                let is_it = |one: &Memory| {
                    let from = one.origin.as_ref().unwrap();
                    let kept = |key: &str| from.extra.get(key).and_then(|value| value.as_str());
                    match target {
                        Target::Mcp => kept("observation") == Some(&*before.item.text),
                        Target::BasicMemory => kept("permalink") == Some(&*format!("quipu/{}", before.item.id)),
                        _ => from.id.as_ref() == Some(&before.item.id),
                    }
                };
                let at = read.iter().position(is_it);
                prop_assert!(at.is_some(), "{target:?} loses {:?} as a whole", before.item);
                let after = read.remove(at.unwrap());
                for field in quipu_import::write::differences(&before.item, &after.item) {
                    *differs.entry(field).or_default() += 1;
                }
            }
            prop_assert_eq!(differs, lost, "{:?}: {:?}", target, all);
        }
    }
}

#[test]
fn a_site_has_no_script_and_every_word_is_escaped() {
    let text = "<script>alert(1)</script> & \"x\"";
    let item = Item::new("a", Kind::Record, text, Timestamp::UNIX_EPOCH);
    let files = Target::Html.write(&[Memory { item, origin: None }]);
    assert_eq!(files.len(), 2);
    for (name, page) in files {
        assert!(!page.contains("<script"), "{name}");
        assert!(page.contains("default-src 'none'"), "{name}");
    }
}
