//! What the comparison of statements decides.

use super::*;
use crate::doc::Document;

const LIVE: &str = "## Key Decisions\n\n\
    - POST-only for mutations, no PUT or PATCH\n  <!-- id: post-only-mutations | tier: core -->\n\
    - Webhooks use fire-and-forget, no retry queue\n  <!-- id: webhook-fire-forget | tier: active -->\n\
    - The client retries a failed request 3 times\n  <!-- id: client-retry-count | tier: active -->\n\
    - Persistence goes through Prisma\n  <!-- id: orm-is-prisma | tier: active -->\n\
    - The API listens on port 8080 behind nginx\n  <!-- id: api-port-nginx | tier: active -->\n";

fn ids(text: &str) -> Vec<String> {
    check(&Document::parse(LIVE), [], text).stops.into_iter().map(|stop| stop.id).collect()
}

#[test]
fn a_changed_number_is_a_conflict() {
    assert_eq!(ids("The client retries failed requests 5 times")[0], "client-retry-count");
}

#[test]
fn another_name_in_the_same_frame_is_a_conflict() {
    let found = check(&Document::parse(LIVE), [], "Persistence goes through Drizzle").stops;
    assert_eq!(found[0].id, "orm-is-prisma");
    assert!(
        found[0].reasons.iter().any(|reason| reason.starts_with("`Prisma` became `Drizzle`")),
        "{:?}",
        found[0].reasons
    );
}

#[test]
fn opposite_polarity_and_replacement_wording_are_conflicts() {
    assert_eq!(ids("Webhooks now have a retry queue")[0], "webhook-fire-forget");
    assert_eq!(ids("We no longer send webhooks as fire-and-forget")[0], "webhook-fire-forget");
}

#[test]
fn two_texts_conflict_only_about_the_same() {
    let why = conflict("The API listens on port 8080", "The API listens on port 9090");
    assert!(why.is_some_and(|why| why.starts_with("`8080` became `9090`")));
    assert_eq!(conflict("The API listens on port 8080", "The API listens on port 8080."), None);
    assert_eq!(conflict("The API listens on port 8080", "Lunch costs 9 euros"), None);
    assert_eq!(conflict("Marlin answers on port 8443", "Juniper answers on port 9090"), None);
    assert!(conflict("Retries stop after 3 tries", "Retry stops after 5 tries").is_some());
}

#[test]
fn what_is_said_of_another_is_no_conflict() {
    for (older, newer) in [
        ("The owner of Falcon is Grace", "The owner of Basalt is Grace"),
        ("Branches of Marlin are named a/b", "Branches of Juniper are named c/d"),
        ("We host Basalt in Zurich", "We host Orchid in Zurich"),
        ("In Marlin a branch is called topic", "In Orchid a branch is called team"),
        ("Requests of Kestrel end after 45 s", "Juniper ends a request after 90 s"),
        ("Marlin stores everything in MongoDB", "Juniper stores everything in SQLite"),
        ("Tundra is tested on Travis", "Travis tests the code of Tundra"),
        ("The release day of Falcon is Monday", "Logs of Falcon are kept for 90 days"),
        ("The owner of Falcon is Grace", "The owner of Falcon is Grace"),
        ("Maria Lopez likes tea", "Maria Lopez wrote the parser"),
        ("Maria Lopez wrote the parser", "Maria Lopez leads the desk"),
        ("Tom fixed the login bug", "Tom prefers tabs"),
    ] {
        assert_eq!(conflict(older, newer), None, "{older} | {newer}");
    }
}

#[test]
fn any_other_value_of_the_same_is_a_conflict() {
    for (older, newer, why) in [
        (
            "The deadline of Orchid is 14 March",
            "The deadline of Orchid is 2 April",
            "`14 March` became `2 April`",
        ),
        (
            "A release of Orchid goes out each Monday",
            "The release day of Orchid is Friday",
            "`Monday` became `Friday`",
        ),
        (
            "People of Basalt talk in #workshop",
            "People of Basalt talk in #bridge",
            "`#workshop` became `#bridge`",
        ),
        (
            "The chat channel of Basalt is #a",
            "Questions about Basalt go to the channel #b",
            "`#a` became `#b`",
        ),
        ("The theme of Marlin is dark", "The theme of Marlin is light", "`dark` became `light`"),
        (
            "Drone runs the tests of Marlin",
            "Jenkins runs the tests of Marlin",
            "`Drone` became `Jenkins`",
        ),
        (
            "Basalt wants 2 approvals before a merge",
            "A change to Basalt needs 3 approvals",
            "`2` became `3`",
        ),
    ] {
        let found = conflict(older, newer).unwrap_or_default();
        assert!(found.starts_with(why), "{older} | {newer}: {found}");
    }
}

#[test]
fn a_core_fact_is_marked() {
    let found = check(&Document::parse(LIVE), [], "Allow PUT and PATCH for mutations").stops;
    assert!(found[0].is_core);
}

#[test]
fn the_file_that_a_fact_came_from_is_no_part_of_it() {
    for (older, newer) in [
        (
            "The tool is implemented as shell scripts. (doc/adr/0002-implement-as-shell-scripts.md)",
            "adr-search ignores superseded ADRs",
        ),
        (
            "Record decisions in Markdown format. (doc/adr/0004-markdown-format.md)",
            "adr-search prints file names only",
        ),
        (
            "We record architecture decisions. (docs/adr/0001-record-decisions.md)",
            "Record decisions in Markdown format. (docs/adr/0004-markdown-format.md:12)",
        ),
    ] {
        assert_eq!(conflict(older, newer), None, "{older} | {newer}");
    }
    let older = "Failed payments are retried three times. (docs/adr/0007-retries.md)";
    assert!(conflict(older, "Failed payments are retried five times").is_some());
    let same = Statement::of("Failed payments are retried three times");
    assert!(Statement::of(older).is_identical(&same));
    assert!(!Statement::of("Logs go to files (see below)").bare.ends_with("files"));
}

#[test]
fn another_subject_is_no_conflict() {
    assert_eq!(ids("Logs are written as JSON to stdout"), [""; 0]);
    assert_eq!(ids("Release notes are written by hand"), [""; 0]);
}

#[test]
fn what_happened_on_two_days_or_holds_at_other_times_is_no_conflict() {
    for (older, newer) in [
        ("Hosting cost 61,000 kroner in June.", "Hosting cost 64,500 kroner in July."),
        ("Deployed 1.17.2 to production on 3 June.", "Deployed 1.17.3 to production on 5 June."),
        ("The pool opens at 9 on weekdays.", "The pool opens at 10 on weekends."),
        ("A held slot expires after 15 minutes.", "Held slots expire after a quarter of an hour."),
    ] {
        assert_eq!(conflict(older, newer), None, "{older} | {newer}");
    }
    let why = conflict("The contract ends in June", "The contract ends in July");
    assert!(why.is_some(), "a date by itself is a value");
    let why = conflict("The rent is 980 euros since June", "The rent is 1,040 euros since July");
    assert!(why.is_some(), "and a change says since when");
}
