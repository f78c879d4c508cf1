//! The promises of a store whose contents are replaced as a whole.

use crate::conformance::{MODEL, Open, at, batch, found, item, search};

pub(crate) fn a_store_takes_over_all_of_another(open: Open<'_>) {
    let (mut old, mut new) = (open(), open());
    old.apply(&batch(vec![item("a", "the old elephant"), item("b", "a zebra")])).unwrap();
    old.record_access("a", at(5), 1).unwrap();
    assert_eq!(found(&*old, &search("elephant")), ["a"]);
    new.apply(&batch(vec![item("c", "the new giraffe")])).unwrap();
    new.record_access("c", at(7), 2).unwrap();
    old.take_over(&*new).unwrap();
    assert_eq!(old.digest().unwrap(), new.digest().unwrap());
    assert!(found(&*old, &search("elephant")).is_empty());
    assert_eq!(found(&*old, &search("giraffe")), ["c"]);
    assert_eq!(old.get("a").unwrap(), None);
    assert_eq!(old.counts(MODEL).unwrap().accesses, 2);
    // It goes on from there, and the other stays as it is.
    old.apply(&batch(vec![item("d", "another giraffe")])).unwrap();
    assert_eq!(found(&*old, &search("giraffe")).len(), 2);
    assert_eq!(found(&*new, &search("giraffe")), ["c"]);
}

pub(crate) fn what_is_taken_over_has_a_generation_of_its_own(open: Open<'_>) {
    let (mut old, mut new) = (open(), open());
    for store in [&mut old, &mut new] {
        store.apply(&batch(vec![item("a", "words")])).unwrap();
    }
    let before = [old.generation().unwrap(), new.generation().unwrap()];
    old.take_over(&*new).unwrap();
    let first = old.generation().unwrap();
    assert!(!before.contains(&first));
    old.take_over(&*new).unwrap();
    assert!(old.generation().unwrap() != first && !before.contains(&old.generation().unwrap()));
}
