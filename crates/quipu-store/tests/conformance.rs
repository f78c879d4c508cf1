//! The promises of a store, written against the trait.

use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quipu_core::item::{Decision, Event, Filed, Item, Kind, Layer, Sensitivity, Status};
use quipu_core::vector::{Packed, Stored};
use quipu_store::{Batch, EXPERIENCES_PLACE, Filter, NewExperience, Put, Search, Store, label};

/// Makes an empty store.
pub(crate) type Open<'a> = &'a dyn Fn() -> Box<dyn Store>;

pub(crate) const MODEL: &str = "test";

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

pub(crate) fn item(id: &str, text: &str) -> Item {
    Item::new(id, Kind::Record, text, at(1_000))
}

/// A vector that says which letters a text has.
pub(crate) fn vector(text: &str) -> Packed {
    let mut counts = [0.1_f32; 26];
    for byte in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
        counts[usize::from(byte - b'a')] += 1.0;
    }
    Packed::new(&counts)
}

fn put(item: Item) -> Put {
    let vectors = vec![vector(&item.text)];
    Put::new(item, None, vectors)
}

pub(crate) fn batch(items: Vec<Item>) -> Batch {
    Batch { model: MODEL.to_owned(), put: items.into_iter().map(put).collect(), ..Batch::default() }
}

pub(crate) fn search(text: &str) -> Search {
    Search { text: text.to_owned(), model: MODEL.to_owned(), limit: 10, ..Search::default() }
}

pub(crate) fn found(store: &dyn Store, search: &Search) -> Vec<String> {
    store.search(search).unwrap().hits.into_iter().map(|hit| hit.item.id).collect()
}

pub(crate) fn an_item_comes_back(open: Open<'_>) {
    let mut store = open();
    let mut full = item("a", "words");
    full.tags = vec!["x".into()];
    full.valid_to = Some(at(5));
    store.apply(&batch(vec![full.clone()])).unwrap();
    assert_eq!(store.get("a").unwrap(), Some(full));
    assert_eq!(store.get("b").unwrap(), None);
}

pub(crate) fn a_change_replaces(open: Open<'_>) {
    let mut store = open();
    store.apply(&batch(vec![item("a", "the old elephant")])).unwrap();
    store.apply(&batch(vec![item("a", "the new giraffe")])).unwrap();
    assert!(found(&*store, &search("elephant")).is_empty());
    assert_eq!(found(&*store, &search("giraffe")), ["a"]);
    assert_eq!(store.counts(MODEL).unwrap().items, 1);
}

pub(crate) fn a_removed_item_is_gone_everywhere(open: Open<'_>) {
    let mut store = open();
    store.apply(&batch(vec![item("a", "elephant"), item("b", "elephant too")])).unwrap();
    let remove = Batch { remove: vec!["a".into(), "unknown".into()], ..Batch::default() };
    store.apply(&remove).unwrap();
    assert_eq!(store.get("a").unwrap(), None);
    assert_eq!(found(&*store, &search("elephant")), ["b"]);
}

pub(crate) fn event(id: &str, item: &str, second: i64) -> Filed {
    let event = Event {
        id: id.to_owned(),
        item: item.to_owned(),
        at: at(second),
        actor: "test".to_owned(),
        reason: String::new(),
        run: None,
        decision: Some(Decision::Annotate { note: format!("note {id}") }),
    };
    Filed { event, path: "day.md".to_owned(), offset: 0 }
}

pub(crate) fn events_are_filed_once_and_come_in_order_of_time(open: Open<'_>) {
    let mut store = open();
    let events = vec![event("e2", "a", 2), event("e1", "a", 1), event("e3", "b", 3)];
    store.apply(&Batch { events: events.clone(), ..Batch::default() }).unwrap();
    store.apply(&Batch { events, ..Batch::default() }).unwrap();
    let ids = |store: &dyn Store| -> Vec<String> {
        store.events("a").unwrap().into_iter().map(|event| event.id).collect()
    };
    assert_eq!(ids(&*store), ["e1", "e2"]);
    assert_eq!(store.filed_in("day.md").unwrap().len(), 3);
    // A line that was edited by hand replaces what it said before; one that is gone is forgotten.
    let events = vec![event("e1", "a", 9)];
    store.apply(&Batch { events, forget: vec!["e3".into()], ..Batch::default() }).unwrap();
    assert_eq!(ids(&*store), ["e2", "e1"]);
    assert!(store.events("b").unwrap().is_empty());
}

pub(crate) fn the_base_stays_beside_what_was_decided(open: Open<'_>) {
    let mut store = open();
    let (base, mut decided) = (item("a", "words"), item("a", "words"));
    decided.tags = vec!["x".into()];
    let put = vec![Put::decided(decided.clone(), Some(base.clone()), None, Vec::new())];
    store.apply(&Batch { put, ..Batch::default() }).unwrap();
    assert_eq!(store.get("a").unwrap(), Some(decided));
    assert_eq!(store.base("a").unwrap(), Some(base));
}

pub(crate) fn ids_are_found_by_their_beginning(open: Open<'_>) {
    let mut store = open();
    store.apply(&batch(vec![item("ab1", "x"), item("ab2", "y"), item("b", "z")])).unwrap();
    assert_eq!(store.ids("ab", 10).unwrap(), ["ab1", "ab2"]);
    assert_eq!(store.ids("", 2).unwrap(), ["ab1", "ab2"]);
    assert!(store.ids("c", 10).unwrap().is_empty());
}

pub(crate) fn sources_are_remembered(open: Open<'_>) {
    let mut store = open();
    let sources =
        vec![("a.md".to_owned(), Some("1".to_owned())), ("b.md".to_owned(), Some("2".to_owned()))];
    store.apply(&Batch { sources, ..Batch::default() }).unwrap();
    store.apply(&Batch { sources: vec![("a.md".to_owned(), None)], ..Batch::default() }).unwrap();
    assert_eq!(store.sources().unwrap(), [("b.md".to_owned(), "2".to_owned())]);
    assert_eq!(store.source("b.md").unwrap().as_deref(), Some("2"));
    assert_eq!(store.source("a.md").unwrap(), None);
}

pub(crate) fn search_uses_words_meaning_and_filters(open: Open<'_>) {
    let mut store = open();
    let mut tagged = item("tagged", "a remark on elephants");
    tagged.tags = vec!["zoo".into()];
    tagged.layer = Layer::Semantic;
    let mut secret = item("secret", "elephants in secret");
    secret.sensitivity = Sensitivity::Secret;
    let mut old = item("old", "elephants of yore");
    old.status = Status::Superseded;
    old.time = at(10);
    old.valid_to = Some(at(500));
    store
        .apply(&batch(vec![
            tagged,
            secret,
            old,
            item("zzz", "zzz zzz"),
            item("plain", "two elephants"),
        ]))
        .unwrap();
    let mut ids = found(&*store, &search("elephant"));
    ids.sort();
    assert_eq!(ids, ["plain", "tagged"]);
    let with = |filter: Filter| found(&*store, &Search { filter, ..search("elephant") });
    assert_eq!(
        with(Filter { labels: vec![vec![label::tag("zoo")]], ..Filter::default() }),
        ["tagged"]
    );
    assert_eq!(with(Filter { layers: vec![Layer::Semantic], ..Filter::default() }), ["tagged"]);
    assert_eq!(with(Filter { as_of: Some(at(100)), ..Filter::default() }), ["old"]);
    assert!(with(Filter { since: Some(at(2_000)), ..Filter::default() }).is_empty());
    let meaning = Search { text: String::new(), vector: Some(vector("zzz")), ..search("") };
    assert_eq!(found(&*store, &meaning)[0], "zzz");
}

pub(crate) fn models_never_meet(open: Open<'_>) {
    let mut store = open();
    store.apply(&batch(vec![item("a", "zzz")])).unwrap();
    let other = Search {
        text: String::new(),
        vector: Some(vector("zzz")),
        model: "other".into(),
        ..search("")
    };
    let answer = store.search(&other).unwrap();
    assert!(answer.hits.is_empty());
    assert_eq!((answer.items, answer.embedded), (1, 0));
    assert_eq!(store.without_vector("other", 10).unwrap(), ["a"]);
    assert!(store.without_vector(MODEL, 10).unwrap().is_empty());
}

pub(crate) fn turns_borrow_from_their_neighbours(open: Open<'_>) {
    let mut store = open();
    let turn = |id: &str, speaker: &str, text: &str, second: i64| {
        let mut item = item(id, text);
        item.session = Some("s".into());
        item.speaker = Some(speaker.into());
        item.time = at(second);
        item
    };
    store
        .apply(&batch(vec![
            turn("ask", "Ann", "Which pet would you like?", 1),
            turn("answer", "Bob", "Rather something with feathers.", 2),
            turn("later", "Ann", "Let us have supper.", 3),
            item("far", "nothing of the kind"),
        ]))
        .unwrap();
    let hits = store.search(&search("pet")).unwrap().hits;
    let ids: Vec<&str> = hits.iter().map(|hit| hit.item.id.as_str()).collect();
    assert!(ids[..2].contains(&"ask") && ids[..2].contains(&"answer"), "{ids:?}");
    let answer = hits.iter().find(|hit| hit.item.id == "answer").unwrap();
    assert_eq!(answer.neighbours, [Some("ask".to_owned()), Some("later".to_owned())]);
    assert_eq!(store.speakers_in("what does Bob say?", Sensitivity::ALL).unwrap(), ["bob"]);
}

pub(crate) fn same_words_are_folded(open: Open<'_>) {
    let mut store = open();
    store
        .apply(&batch(vec![
            item("a", "the elephant!"),
            item("b", "The  Elephant"),
            item("c", "not the elephant"),
        ]))
        .unwrap();
    let hits = store.search(&search("elephant")).unwrap().hits;
    assert_eq!(hits.len(), 2);
    assert_eq!(hits.iter().map(|hit| hit.same.len()).sum::<usize>(), 1);
}

/// Everything that somebody who may see public items gets to know.
fn public_view(store: &dyn Store, text: &str) -> String {
    let may_see = [Sensitivity::Public];
    let filter = Filter { sensitivities: may_see.to_vec(), ..Filter::default() };
    let asked = Search { vector: Some(vector(text)), filter, ..search(text) };
    let found = store.search(&asked).unwrap();
    let near = store.nearest(MODEL, &vector(text), 3, &may_see).unwrap();
    let speakers = store.speakers_in(text, &may_see).unwrap();
    let sessions = store.sessions(&may_see).unwrap();
    format!("{found:#?} {near:?} {speakers:?} {sessions:?}")
}

pub(crate) fn what_is_hidden_counts_nowhere(open: Open<'_>) {
    let turn = |id: &str, speaker: &str, text: &str, second: i64, sensitivity| {
        let mut item = item(id, text);
        item.session = Some(if second > 50 { "late" } else { "early" }.to_owned());
        item.speaker = Some(speaker.to_owned());
        item.time = at(second);
        item.sensitivity = sensitivity;
        item
    };
    let public = |id, speaker, text, second| turn(id, speaker, text, second, Sensitivity::Public);
    let shown = vec![
        public("a", "Ann", "Which pet would you like?", 1),
        public("b", "Bob", "Rather something with feathers.", 9),
        public("c", "Ann", "Let us have supper.", 20),
    ];
    let hidden = |sensitivity| {
        vec![
            turn("h1", "Zebulon", "Which pet plays the xylophone?", 2, sensitivity),
            turn("h2", "Bob", "Feathers, feathers, feathers.", 10, sensitivity),
            turn(
                "h3",
                "Zebulon",
                "Das Haustier spielt und niemand will es hören.",
                60,
                sensitivity,
            ),
            turn("h4", "Ann", "Let us have supper.", 21, sensitivity),
        ]
    };
    let mut plain = open();
    plain.apply(&batch(shown.clone())).unwrap();
    let questions =
        ["pet", "feathers", "What does Zebulon like?", "Haustier", "supper", "xylophone"];
    for sensitivity in [Sensitivity::Private, Sensitivity::Operational, Sensitivity::Secret] {
        let mut planted = open();
        // Between, before and after.
        planted.apply(&batch(hidden(sensitivity)[..2].to_vec())).unwrap();
        planted.apply(&batch(shown.clone())).unwrap();
        planted.apply(&batch(hidden(sensitivity)[2..].to_vec())).unwrap();
        for question in questions {
            let one = public_view(&*plain, question);
            assert_eq!(one, public_view(&*planted, question), "{sensitivity} {question}");
        }
        let all = Filter { sensitivities: Sensitivity::ALL.to_vec(), ..Filter::default() };
        let found = planted.search(&Search { filter: all, ..search("xylophone") }).unwrap();
        assert_eq!(found.items, 7);
        assert!(found.hits.iter().any(|hit| hit.item.id == "h1"));
    }
}

pub(crate) fn hidden_experiences_push_no_public_one_out(open: Open<'_>) {
    let mut store = open();
    let items: Vec<Item> = (0..5)
        .map(|n| {
            let mut one = item(&format!("i{n}"), &format!("kettle number {n}"));
            one.time = at(1_000 + n);
            if n < 3 {
                one.sensitivity = Sensitivity::Public;
            }
            one
        })
        .collect();
    store.apply(&batch(items.clone())).unwrap();
    let new: Vec<NewExperience> = (0..)
        .zip(&items)
        .map(|(place, item)| NewExperience {
            id: item.id.clone(),
            at: item.time,
            place,
            vector: vector(&item.text),
        })
        .collect();
    store.add_experiences(&new, 2, &[]).unwrap();
    let kept: Vec<String> =
        store.experiences().unwrap().into_iter().map(|one| one.item.id).collect();
    assert_eq!(kept, ["i4", "i3", "i2", "i1"], "the two newest, and the two newest public ones");
}

pub(crate) fn accesses_are_counted(open: Open<'_>) {
    let mut store = open();
    store.record_access("a", at(5), 1).unwrap();
    store.record_access("a", at(3), 1).unwrap();
    assert_eq!(store.accesses("a").unwrap(), [at(3), at(5)]);
    assert_eq!(store.counts(MODEL).unwrap().accesses, 2);
}

pub(crate) fn old_accesses_stand_together_and_the_last_stays(open: Open<'_>) {
    const DAY: i64 = 24 * 60 * 60;
    let mut store = open();
    for day in [1, 2, 3, 40, 50] {
        store.record_access("a", at(day * DAY), 1).unwrap();
    }
    store.record_access("b", at(DAY), 1).unwrap();
    assert_eq!(store.fold_accesses(at(45 * DAY)).unwrap(), 2);
    let days = |id: &str| -> Vec<i64> {
        store.accesses(id).unwrap().iter().map(|at| at.as_second() / DAY).collect()
    };
    assert_eq!(days("a"), [2, 2, 2, 40, 50]);
    assert_eq!(days("b"), [1]);
    assert_eq!(store.all_accesses().unwrap()[0], ("a".to_owned(), at(2 * DAY), 3));
    assert_eq!(store.fold_accesses(at(45 * DAY)).unwrap(), 0);
}

pub(crate) fn entities_have_company_and_names_have_events(open: Open<'_>) {
    let mut store = open();
    store
        .apply(&batch(vec![
            item("a", "then Maria met Paul in Berlin"),
            item("b", "today Maria called Paul"),
            item("c", "and Otto sleeps"),
        ]))
        .unwrap();
    let with = store.mentioned_with("Maria", 10).unwrap();
    let with: Vec<(&str, usize)> =
        with.iter().map(|(entity, count)| (entity.name.as_str(), *count)).collect();
    assert_eq!(with.first(), Some(&("paul", 2)), "{with:?}");
    assert!(with.iter().all(|(name, _)| *name != "otto"));
    let mut mentions = Vec::new();
    store.each_mention(&mut |entity, id| mentions.push(format!("{} {id}", entity.name))).unwrap();
    assert_eq!(mentions, ["berlin a", "maria a", "maria b", "otto c", "paul a", "paul b"]);
    let ask = event("e1", "question:q-1", 5);
    store.apply(&Batch { events: vec![ask], ..Batch::default() }).unwrap();
    assert_eq!(store.filed_under("question:").unwrap().len(), 1);
    assert!(store.filed_under("entity:").unwrap().is_empty());
}

pub(crate) fn every_living_vector_is_told(open: Open<'_>) {
    let mut store = open();
    let many = (0..600).map(|n| item(&format!("i{n:03}"), &format!("text {n}"))).collect();
    store.apply(&batch(many)).unwrap();
    store.apply(&batch(vec![item("i001", "other words")])).unwrap();
    let near = store.nearest(MODEL, &vector("other words"), 2, Sensitivity::ALL).unwrap();
    assert_eq!((near[0].0.as_str(), near.len()), ("i001", 2));
    let mut seen = BTreeMap::new();
    let mut each = |id: &str, stored: Stored| seen.insert(id.to_owned(), stored.vector).is_none();
    store.vectors(MODEL, &mut each).unwrap();
    assert_eq!(seen.len(), 600);
    assert_eq!(seen["i001"], vector("other words"));
}

pub(crate) fn the_newest_come_first_under_a_filter(open: Open<'_>) {
    let mut store = open();
    let items = (0..5).map(|n| {
        let mut one = item(&format!("i{n}"), "words");
        one.time = at(1_000 + n);
        one.pinned = n == 1;
        if n == 4 {
            one.sensitivity = Sensitivity::Secret;
        }
        one
    });
    store.apply(&batch(items.collect())).unwrap();
    let newest = |filter: &Filter, limit| {
        let (items, count) = store.newest(filter, limit).unwrap();
        (items.into_iter().map(|item| item.id).collect::<Vec<_>>(), count)
    };
    let all = Filter::default();
    assert_eq!(newest(&all, 2), (vec!["i3".to_owned(), "i2".to_owned()], 4));
    let pinned = Filter { labels: vec![vec![label::pinned()]], ..Filter::default() };
    assert_eq!(newest(&pinned, 9), (vec!["i1".to_owned()], 1));
}

pub(crate) fn experiences_are_kept_bounded_and_follow_their_items(open: Open<'_>) {
    let mut store = open();
    let items = ["red kettle", "blue kettle", "green kettle"];
    let items: Vec<Item> = (0..)
        .zip(items)
        .map(|(n, text)| {
            let mut one = item(&format!("i{n}"), text);
            one.time = at(1_000 + n);
            one
        })
        .collect();
    let events = (0..3).map(|n| event(&format!("i{n}"), &format!("i{n}"), 1_000 + n)).collect();
    store.apply(&Batch { events, ..batch(items.clone()) }).unwrap();
    let log = store.records_after(0, 10).unwrap();
    assert_eq!(
        log.iter().map(|(_, item)| item.id.as_str()).collect::<Vec<_>>(),
        ["i0", "i1", "i2"]
    );
    assert_eq!(store.records_after(log[1].0, 10).unwrap().len(), 1);
    let new: Vec<NewExperience> = log
        .iter()
        .map(|(place, item)| NewExperience {
            id: item.id.clone(),
            at: item.time,
            place: *place,
            vector: vector(&item.text),
        })
        .collect();
    store.add_experiences(&new, 2, &[(EXPERIENCES_PLACE, log[2].0.to_string())]).unwrap();
    let kept = store.experiences().unwrap();
    assert_eq!(kept.iter().map(|one| one.item.id.as_str()).collect::<Vec<_>>(), ["i2", "i1"]);
    assert_eq!(kept[0].vector, vector("green kettle"));
    let only = Filter { experiences: true, ..Filter::default() };
    let hits = found(&*store, &Search { filter: only, ..search("kettle") });
    assert!(!hits.contains(&"i0".to_owned()) && hits.len() == 2, "{hits:?}");
    // A place in the log that is free again is looked at again.
    let gone = Batch { forget: vec!["i2".into()], remove: vec!["i2".into()], ..Batch::default() };
    store.apply(&gone).unwrap();
    assert_eq!(store.experiences().unwrap().len(), 1);
    assert_eq!(store.note(EXPERIENCES_PLACE).unwrap(), Some(log[1].0.to_string()));
    store.forget_experiences().unwrap();
    assert!(store.experiences().unwrap().is_empty());
    assert_eq!(store.note(EXPERIENCES_PLACE).unwrap(), None);
}

pub(crate) fn every_write_is_noticed_and_the_next_change_is_known(open: Open<'_>) {
    let mut store = open();
    let before = store.generation().unwrap();
    let mut one = item("a", "words");
    one.valid_to = Some(at(9_000));
    store.apply(&batch(vec![one])).unwrap();
    assert_ne!(store.generation().unwrap(), before);
    assert_eq!(store.next_change(at(2_000)).unwrap(), Some(at(9_000)));
    assert_eq!(store.next_change(at(9_000)).unwrap().filter(|next| *next < at(1 << 40)), None);
}

pub(crate) fn a_purge_removes_what_was_said(open: Open<'_>) {
    let mut store = open();
    store.apply(&batch(vec![item("a", "call it \"xylophone quartz\"")])).unwrap();
    store.purge("a").unwrap();
    assert!(store.scrub().unwrap());
    assert_eq!(store.get("a").unwrap(), None);
    assert_eq!(store.counts(MODEL).unwrap().entities, 0);
    store.apply(&batch(vec![item("b", "still works")])).unwrap();
    assert_eq!(found(&*store, &search("works")), ["b"]);
}

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Put(Vec<(u8, String)>),
    Remove(u8),
    Scrub,
}

fn step() -> impl Strategy<Value = Step> {
    let words = prop::collection::vec("[a-d]{3,4}", 1..6).prop_map(|words| words.join(" "));
    prop_oneof![
        8 => prop::collection::vec((0_u8..40, words), 1..60).prop_map(Step::Put),
        2 => (0_u8..40).prop_map(Step::Remove),
        1 => Just(Step::Scrub),
    ]
}

/// Whatever the history, a store that is built from the end of it is the same: same digest, same
/// answers in the same order.
pub(crate) fn the_order_of_writing_leaves_no_trace(open: Open<'_>) {
    let mut runner =
        TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let history = prop::collection::vec(step(), 1..14);
    let check = |steps: Vec<Step>| {
        let mut live = open();
        let mut state: BTreeMap<u8, Item> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Put(items) => {
                    let mut new = Vec::new();
                    for (id, text) in items {
                        let mut item = item(&format!("i{id}"), &text);
                        item.time = at(i64::from(id));
                        state.insert(id, item.clone());
                        new.push(item);
                    }
                    live.apply(&batch(new)).unwrap();
                }
                Step::Remove(id) => {
                    state.remove(&id);
                    live.apply(&Batch { remove: vec![format!("i{id}")], ..Batch::default() })
                        .unwrap();
                }
                Step::Scrub => assert!(live.scrub().unwrap()),
            }
            let mut rebuilt = open();
            rebuilt.apply(&batch(state.values().cloned().collect())).unwrap();
            prop_assert_eq!(live.digest().unwrap(), rebuilt.digest().unwrap());
            for query in ["aaa", "abc dab", "bcd aab dddd"] {
                let asked = Search { vector: Some(vector(query)), ..search(query) };
                let answer = |store: &dyn Store| -> Vec<(String, u32)> {
                    let hits = store.search(&asked).unwrap().hits;
                    hits.into_iter().map(|hit| (hit.item.id, hit.score.to_bits())).collect()
                };
                prop_assert_eq!(answer(&*live), answer(&*rebuilt));
            }
        }
        Ok(())
    };
    runner.run(&history, check).unwrap();
}
