use super::*;
use crate::item::Status;

const LINE: &str = r#"- {"id":"7f","sessionId":"s1","category":"learned","text":"café\nby the sea","provenance":{"sourceChannel":"web","confidence":0.8,"timestamp":"2026-02-03T04:05:06.789Z","sensitivity":"private-user"}}"#;

#[test]
fn a_line_of_the_original_comes_back_byte_for_byte() {
    let record = Record::parse(LINE).unwrap();
    assert_eq!(record.text, "café\nby the sea");
    assert_eq!(record.line(), format!("{LINE}\n"));
}

#[test]
fn unknown_keys_survive() {
    let line = LINE.replace(r#","provenance""#, r#","mood":{"a":[1]},"provenance""#);
    let again = Record::parse(&Record::parse(&line).unwrap().line()).unwrap();
    assert_eq!(again.unknown["mood"]["a"][0], 1);
}

#[test]
fn only_objects_with_the_required_fields_are_records() {
    for line in ["- 5", "- \"x\"", "- [1]", "- null", "- {}", "* {\"id\":1}", "text", ""] {
        assert!(Record::parse(line).is_none(), "{line}");
    }
    assert!(Record::parse(&format!("   {LINE}  \r")).is_some(), "indentation is accepted");
}

#[test]
fn a_category_tells_layer_and_type() {
    let item = Record::parse(LINE).unwrap().item().unwrap();
    assert_eq!((item.layer, item.memory_type), (Layer::Semantic, MemoryType::Fact));
    assert_eq!(item.session.as_deref(), Some("s1"));
}

#[test]
fn a_decision_is_an_event_and_no_item() {
    let mut record = Record::new("e1", "s", LIFECYCLE, "wrong", Timestamp::UNIX_EPOCH);
    record.target = Some("7f".into());
    record.decision = Some(Decision::Status { from: Status::Active, to: Status::Archived });
    let again = Record::parse(&record.line()).unwrap();
    assert!(again.item().is_none());
    assert_eq!(again.event().item, "7f");
    assert_eq!(again.event().reason, "wrong");
}

#[test]
fn what_is_taken_back_does_not_count_whatever_the_clocks_say() {
    let event = |id: &str, second: i64, decision: Option<Decision>| Event {
        id: id.to_owned(),
        item: "m".to_owned(),
        at: Timestamp::from_second(second).unwrap(),
        actor: String::new(),
        reason: String::new(),
        run: None,
        decision,
    };
    let revert = |id: &str, second, of: &str| {
        event(id, second, Some(Decision::Revert { event: of.to_owned() }))
    };
    let tag = Decision::Tag { add: vec!["x".into()], remove: vec![] };
    let all = [revert("r1", 1, "e"), event("e", 2, Some(tag)), revert("r2", 0, "r1")];
    let ids = |events: &[Event]| -> Vec<String> {
        standing(events).into_iter().map(|event| event.id.clone()).collect()
    };
    assert_eq!(ids(&all[..2]), ["r1"], "a clock that was behind");
    assert_eq!(ids(&all), ["e", "r2"], "the taking back was taken back");
    assert!(is_taken_back("m", &[event("m", 5, None), revert("r", 1, "m")]));
}

#[test]
fn private_names() {
    for path in ["MEMORY.md", "USER.md", "LONGMEMORY.md", "memory/2026-11-15.md", ARCHIVE] {
        assert!(is_private(path), "{path}");
    }
    for path in ["memory/continuity.md", "memory/sessions/2026-11-15.md", "2026-11-15.md"] {
        assert!(!is_private(path), "{path}");
    }
}

#[test]
fn daily_names() {
    assert!(is_daily("2026-11-15.md"));
    assert!(!is_daily("2026-13-15.md") && !is_daily("notes.md") && !is_daily("2026-11-15.txt"));
}
