//! A question may be any text: its words, its times and its entities are read without a panic, and
//! what is said to be a time stands in the text.
#![no_main]

use jiff::civil::Date;
use libfuzzer_sys::fuzz_target;
use quipu_core::terms::{self, Language};
use quipu_core::{entity, when};

fuzz_target!(|text: &str| {
    for day in [Date::MIN, Date::constant(2026, 11, 15), Date::MAX] {
        for found in when::expressions(text, day) {
            assert!(text.contains(&found.words));
        }
    }
    let query = terms::of_query(text, &Language::ALL);
    assert!(query.iter().all(|word| !word.forms.is_empty()));
    // A text finds itself.
    let document = terms::of_document(text);
    let again = terms::of_query(text, &[document.language]);
    for word in &again {
        let is_there = word.forms.iter().any(|form| document.counts.iter().any(|(t, _)| t == form));
        assert!(is_there, "{word:?}");
    }
    for found in entity::extract(text) {
        assert!(!found.name.is_empty());
    }
});
