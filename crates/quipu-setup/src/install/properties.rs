//! Whatever a document looks like, what is put in comes out without a trace.

use proptest::prelude::*;
use serde_json::json;

use super::entry::Spot;
use super::jsonc::edit::{Receipt, Slot};

/// What may stand between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => Just(""),
        4 => Just(" "),
        3 => Just("\n  "),
        2 => Just("\r\n\t"),
        1 => Just("// a, {comment}\n"),
        1 => Just("/* \"m\": [ */"),
        1 => Just("\n"),
        1 => Just("\n\n \n"),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null"),
        Just("-1.5e3"),
        Just("\"é \\\" // no comment\""),
        Just("true"),
        Just("\"\""),
    ];
    let leaf = scalar.prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![Just("m"), Just("n"), Just("h"), Just("other"), Just("a b")];
        let member = (trivia(), key, trivia(), trivia(), inner.clone(), trivia())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"));
        let element =
            (trivia(), inner, trivia()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let list = |open: char, close: char, parts: Vec<String>, is_trailing: bool, end: String| {
            let comma = if is_trailing && !parts.is_empty() { "," } else { "" };
            format!("{open}{}{comma}{end}{close}", parts.join(","))
        };
        prop_oneof![
            3 => (prop::collection::vec(member, 0..4), any::<bool>(), trivia())
                .prop_map(move |(parts, comma, end)| list('{', '}', parts, comma, end)),
            1 => (prop::collection::vec(element, 0..4), any::<bool>(), trivia())
                .prop_map(move |(parts, comma, end)| list('[', ']', parts, comma, end)),
        ]
    })
}

fn document() -> impl Strategy<Value = String> {
    let start = prop_oneof![Just(""), Just("\u{feff}"), Just("// top\n")];
    let root = value().prop_filter("a configuration is an object", |text| text.starts_with('{'));
    let empty = prop_oneof![Just(String::new()), Just("\n".to_owned())];
    prop_oneof![
        20 => (start, root, trivia()).prop_map(|(start, root, end)| format!("{start}{root}{end}")),
        1 => empty,
    ]
}

fn spot(keys: &[&str], slot: Slot) -> Spot {
    Spot::Json { path: keys.iter().map(|key| (*key).to_owned()).collect(), slot }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn putting_in_and_taking_out_is_nothing(text in document()) {
        let entries = [
            (spot(&["m"], Slot::Key("quipu".to_owned())), "quipu"),
            (spot(&["h", "n"], Slot::Ending(" hook x y".to_owned())), "quipu hook x y"),
            (spot(&["h", "m"], Slot::Ending(" hook x z".to_owned())), "quipu hook x z"),
            (spot(&[], Slot::Key("version".to_owned())), "version"),
        ];
        let mut now = text.clone();
        let mut done: Vec<(&Spot, Receipt)> = Vec::new();
        for (spot, command) in &entries {
            let value = json!({ "command": command, "args": ["mcp"] });
            // Where a container is of another kind nothing is put in.
            let Ok((with, receipt)) = spot.insert(&now, &value) else { continue };
            prop_assert_eq!(spot.look(Some(&with)).unwrap(), Some(value));
            let mut rest = with.chars();
            prop_assert!(now.chars().all(|c| rest.any(|other| other == c)), "bytes are only added");
            let other = json!({ "command": command, "env": { "A": "b" } });
            let (changed, old) = spot.replace(&with, &other).unwrap();
            prop_assert_eq!(spot.look(Some(&changed)).unwrap(), Some(other));
            let replaced = Receipt { replaced: Some(old), ..Receipt::default() };
            prop_assert_eq!(spot.remove(&changed, &replaced).unwrap(), Some(with.clone()));
            now = with;
            done.push((spot, receipt));
        }
        let mut back = Some(now);
        for (spot, receipt) in done.iter().rev() {
            back = match back {
                Some(now) => spot.remove(&now, receipt).unwrap(),
                None => None,
            };
        }
        // Where nothing of others is left, nothing of others was there.
        match back {
            Some(back) => prop_assert_eq!(back, text),
            None => prop_assert!(text.trim().is_empty()),
        }
    }
}
