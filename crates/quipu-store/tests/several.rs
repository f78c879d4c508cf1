//! The promises of a store about answers to many questions at once.

use quipu_store::Batch;

use crate::conformance::{Open, batch, event, item};

pub(crate) fn items_come_in_the_order_of_their_ids(open: Open<'_>) {
    let mut store = open();
    let ids: Vec<String> = (0..1200).map(|n| format!("i{n}")).collect();
    let items = ids.iter().map(|id| item(id, &format!("the words of {id}")));
    store.apply(&batch(items.collect())).unwrap();
    let asked = ["i7", "unknown", "i1100", "i7", "", "i0", "it's \"odd\""];
    let found = store.items(&asked).unwrap();
    let one_by_one: Vec<_> = asked.iter().map(|id| store.get(id).unwrap()).collect();
    assert_eq!(found, one_by_one);
    assert_eq!(found.iter().flatten().count(), 4);
    assert!(store.items(&[]).unwrap().is_empty());
    let all: Vec<&str> = ids.iter().rev().map(String::as_str).collect();
    let found = store.items(&all).unwrap();
    let found: Vec<&str> = found.iter().flatten().map(|item| item.id.as_str()).collect();
    assert_eq!(found, all);
}

pub(crate) fn events_come_in_the_order_of_their_items(open: Open<'_>) {
    let mut store = open();
    // The first event of an item has its id.
    let events = vec![
        event("e2", "a", 2),
        event("e1", "a", 1),
        event("a", "a", 0),
        event("e3", "b", 3),
        event("e4", "c", 4),
    ];
    store.apply(&Batch { events, ..Batch::default() }).unwrap();
    let asked = ["b", "unknown", "a", "b"];
    let found = store.events_of(&asked).unwrap();
    let one_by_one: Vec<_> = asked.iter().map(|id| store.events(id).unwrap()).collect();
    assert_eq!(found, one_by_one);
    let ids: Vec<&str> = found[2].iter().map(|event| event.id.as_str()).collect();
    assert_eq!(ids, ["a", "e1", "e2"]);
    assert!(store.events_of(&[]).unwrap().is_empty());
}
