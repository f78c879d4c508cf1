//! The promises of a store about vectors of several widths.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quipu_core::vector::{Packed, Width};
use quipu_store::{Batch, Compressed, Filter, Precision, Put, Search, Store, Widths};

use crate::conformance::{MODEL, Open, at, batch, found, item, search, vector};

/// Widths by rule, and vectors of the texts where they are at hand.
pub(crate) struct By<'a> {
    pub(crate) width: &'a dyn Fn(&str) -> Width,
    pub(crate) texts: BTreeMap<String, String>,
}

impl Precision for By<'_> {
    fn width(&mut self, id: &str) -> Width {
        (self.width)(id)
    }

    fn fresh(&mut self, ids: &[String]) -> Vec<Option<Vec<Packed>>> {
        ids.iter().map(|id| self.texts.get(id).map(|text| vec![vector(text)])).collect()
    }
}

pub(crate) fn compress(store: &mut dyn Store, width: &dyn Fn(&str) -> Width) -> Compressed {
    store.compress(MODEL, &mut By { width, texts: BTreeMap::new() }).unwrap()
}

fn text(n: usize) -> String {
    let letters = ["ab", "cde", "fghi", "jk", "lmnop", "qrs", "tuv", "wxyz"];
    let words = (0..6).map(|k| letters[(n / 8_usize.pow(k % 3) + n * k as usize) % 8]);
    format!("n{n} {}", words.collect::<Vec<_>>().join(" "))
}

/// Some thousand documents in segments and tail, dead ones among them.
fn fill(store: &mut dyn Store) {
    for round in 0..4 {
        let new = (0..300).map(|n| item(&format!("i{n}"), &text(n + round))).collect();
        store.apply(&batch(new)).unwrap();
    }
}

/// A third of each width, by the last digit.
fn thirds(id: &str) -> Width {
    match id.as_bytes().last() {
        Some(b'0'..=b'2') => Width::Eight,
        Some(b'3'..=b'5') => Width::Four,
        _ => Width::Two,
    }
}

/// The defect of the original: what it compressed, no reader could read.
pub(crate) fn compressing_bricks_no_reader(open: Open<'_>) {
    let mut store = open();
    fill(&mut *store);
    let before = (store.counts(MODEL).unwrap(), store.digest().unwrap());
    compress(&mut *store, &thirds);
    let meaning =
        |n: usize| Search { text: String::new(), vector: Some(vector(&text(n))), ..search("") };
    let check = |store: &dyn Store| {
        let counts = store.counts(MODEL).unwrap();
        assert_eq!((counts.items, counts.embedded), (300, 300));
        assert_eq!(counts.precision, Widths { eight: 90, four: 90, two: 120 });
        assert!(store.without_vector(MODEL, 10).unwrap().is_empty());
        let mut seen = 0;
        store
            .vectors(MODEL, &mut |id, stored| {
                assert_eq!(stored.width, thirds(id), "{id}");
                seen += 1;
                true
            })
            .unwrap();
        assert_eq!(seen, 300);
        for n in [20, 33, 47, 100, 268] {
            assert!(found(store, &search(&format!("n{}", n + 3))).contains(&format!("i{n}")));
            let near = store.search(&meaning(n + 3)).unwrap();
            assert_eq!(near.embedded, 300);
            assert!(near.hits.iter().all(|hit| hit.cosine > 0.5), "{n}");
        }
        assert_eq!(store.newest(&Filter::default(), 5).unwrap().1, 300);
        assert_eq!(store.get("i7").unwrap().unwrap().text, text(10));
    };
    check(&*store);
    assert_eq!(store.digest().unwrap(), before.1);
    assert!(store.counts(MODEL).unwrap().vector_bytes < before.0.vector_bytes);
    // Merging carries every width along.
    assert!(store.scrub().unwrap());
    check(&*store);
    assert_eq!(store.digest().unwrap(), before.1);
    // What changes is exact again.
    store.apply(&batch(vec![item("i9", "something new")])).unwrap();
    assert_eq!(store.counts(MODEL).unwrap().precision, Widths { eight: 91, four: 90, two: 119 });
    store.purge("i3").unwrap();
    assert_eq!(store.counts(MODEL).unwrap().embedded, 299);
}

pub(crate) fn a_second_run_changes_nothing(open: Open<'_>) {
    let mut store = open();
    fill(&mut *store);
    let first = compress(&mut *store, &thirds);
    assert_eq!((first.narrowed, first.widened, first.missing), (210, 0, 0));
    assert!(first.has_changed() && first.bytes_after < first.bytes_before);
    let generation = store.generation().unwrap();
    let second = compress(&mut *store, &thirds);
    assert!(!second.has_changed());
    assert_eq!((second.precision, second.bytes_after), (first.precision, first.bytes_after));
    assert_eq!(second.bytes_before, second.bytes_after);
    assert_eq!(store.generation().unwrap(), generation);
}

fn all_vectors(store: &dyn Store) -> Vec<(String, Width, Packed)> {
    let mut all = Vec::new();
    let mut each = |id: &str, stored: quipu_core::vector::Stored| {
        all.push((id.to_owned(), stored.width, stored.vector));
        true
    };
    store.vectors(MODEL, &mut each).unwrap();
    all
}

pub(crate) fn vectors_stay_near_what_they_were(open: Open<'_>) {
    let mut store = open();
    fill(&mut *store);
    // A long one has several.
    let long = Put::new(item("long3", "long"), None, vec![vector("abc"), vector("xyz")]);
    store.apply(&Batch { model: MODEL.into(), put: vec![long], ..Batch::default() }).unwrap();
    let before = all_vectors(&*store);
    compress(&mut *store, &thirds);
    let after = all_vectors(&*store);
    assert_eq!((before.len(), after.len()), (302, 302));
    for ((id, _, was), (same, width, is)) in before.iter().zip(&after) {
        assert_eq!(id, same);
        let least = match width {
            Width::Eight => 0.99,
            Width::Four => 0.97,
            Width::Two => 0.8,
        };
        assert!(was.cosine(is) > least, "{id} {width:?} {}", was.cosine(is));
    }
    let mut first = 0;
    let mut once = |_: &str, _| {
        first += 1;
        false
    };
    store.vectors(MODEL, &mut once).unwrap();
    assert_eq!(first, 1);
}

pub(crate) fn what_should_be_exact_again_is_made_anew(open: Open<'_>) {
    let mut store = open();
    fill(&mut *store);
    let before = all_vectors(&*store);
    compress(&mut *store, &|_| Width::Two);
    let texts = (0..300).map(|n| (format!("i{n}"), text(n + 3))).collect();
    let mut exact = By { width: &|_| Width::Eight, texts };
    let done = store.compress(MODEL, &mut exact).unwrap();
    assert_eq!((done.widened, done.missing), (300, 0));
    assert_eq!(done.precision, Widths { eight: 300, ..Widths::default() });
    assert_eq!(all_vectors(&*store), before);
}

pub(crate) fn what_nobody_has_a_vector_for_stays_as_it_is(open: Open<'_>) {
    let mut store = open();
    fill(&mut *store);
    compress(&mut *store, &|_| Width::Two);
    let done = compress(&mut *store, &|_| Width::Four);
    assert_eq!((done.widened, done.missing, done.precision.two), (0, 300, 300));
    assert!(!done.has_changed());
}

pub(crate) fn of_equal_copies_the_precise_one_comes_first(open: Open<'_>) {
    let mut store = open();
    fill(&mut *store);
    let same = ["coarse", "exact", "faded"].map(|id| {
        Put::new(item(id, &format!("{id} copy")), None, vec![vector("the same meaning")])
    });
    store.apply(&Batch { model: MODEL.into(), put: same.into(), ..Batch::default() }).unwrap();
    compress(&mut *store, &|id| match id {
        "coarse" => Width::Four,
        "faded" => Width::Two,
        _ => Width::Eight,
    });
    let vector = Some(vector("the same meaning"));
    let answer = store.search(&Search { text: String::new(), vector, ..search("") }).unwrap();
    let ids: Vec<&str> = answer.hits.iter().map(|hit| hit.item.id.as_str()).collect();
    let place = |id: &str| ids.iter().position(|it| *it == id);
    assert_eq!(place("exact"), Some(0));
    assert!(place("coarse").is_some() && place("coarse") < place("faded"), "{ids:?}");
}

pub(crate) fn a_model_that_nobody_used_has_nothing_to_compress(open: Open<'_>) {
    let mut store = open();
    store.apply(&batch(vec![item("a", "words")])).unwrap();
    let mut two = By { width: &|_| Width::Two, texts: BTreeMap::new() };
    let done = store.compress("other", &mut two).unwrap();
    assert_eq!(done, Compressed::default());
    store.vectors("other", &mut |_, _| panic!("there is none")).unwrap();
}

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Put(Vec<u8>),
    Remove(u8),
    Scrub,
    Compress(u8),
}

pub(crate) fn whatever_is_compressed_when_the_digest_stays(open: Open<'_>) {
    let step = prop_oneof![
        4 => prop::collection::vec(0_u8..200, 1..200).prop_map(Step::Put),
        1 => (0_u8..200).prop_map(Step::Remove),
        1 => Just(Step::Scrub),
        3 => (0_u8..6).prop_map(Step::Compress),
    ];
    let config = Config { cases: 16, failure_persistence: None, ..Config::default() };
    let check = |steps: Vec<Step>| {
        let mut live = open();
        let mut state = BTreeMap::new();
        for (round, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put(numbers) => {
                    for n in &numbers {
                        let mut one = item(&format!("i{n}"), &text(usize::from(*n) + round));
                        one.time = at(i64::from(*n));
                        state.insert(*n, one);
                    }
                    let new = numbers.iter().filter_map(|n| state.get(n).cloned());
                    live.apply(&batch(new.collect())).unwrap();
                }
                Step::Remove(n) => {
                    state.remove(&n);
                    let remove = vec![format!("i{n}")];
                    live.apply(&Batch { remove, ..Batch::default() }).unwrap();
                }
                Step::Scrub => assert!(live.scrub().unwrap()),
                Step::Compress(how) => {
                    let width = move |id: &str| {
                        let digit = id.as_bytes().last().map_or(0, |byte| byte - b'0');
                        Width::ALL[usize::from((digit + how) % 3)]
                    };
                    let texts = state.values().map(|one| (one.id.clone(), one.text.clone()));
                    let mut precision = By { width: &width, texts: texts.collect() };
                    let done = live.compress(MODEL, &mut precision).unwrap();
                    prop_assert_eq!(done.missing, 0);
                    prop_assert!(all_vectors(&*live).iter().all(|(id, it, _)| *it == width(id)));
                }
            }
            let mut rebuilt = open();
            rebuilt.apply(&batch(state.values().cloned().collect())).unwrap();
            prop_assert_eq!(live.digest().unwrap(), rebuilt.digest().unwrap());
            let counts = live.counts(MODEL).unwrap();
            prop_assert_eq!((counts.items, counts.embedded), (state.len(), state.len()));
            let asked = Search { vector: Some(vector("abc")), ..search("abc") };
            live.search(&asked).unwrap();
        }
        Ok(())
    };
    TestRunner::new(config).run(&prop::collection::vec(step, 1..10), check).unwrap();
}
