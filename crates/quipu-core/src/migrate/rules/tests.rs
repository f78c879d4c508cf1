//! What is a rule, and what is none.

use super::*;

fn texts(source: &str) -> Vec<(String, &'static str)> {
    rules(source).rules.into_iter().map(|rule| (rule.text, rule.section)).collect()
}

#[test]
fn bullets_and_imperative_paragraphs_are_rules_and_headings_say_where() {
    let source = "# CLAUDE.md\r\n\r\nThis file provides guidance to Claude Code.\r\n\r\n## Commands\r\n\r\n- `npm test` runs the tests\r\n\r\n## Code style\r\n\r\n- Use 2 spaces,\r\n  never tabs\r\n\r\nAlways write a test first.\r\n\r\nThe project began in 2019 and has grown since.\r\n";
    assert_eq!(
        texts(source),
        [
            ("`npm test` runs the tests".to_owned(), "Stack & Tools"),
            ("Use 2 spaces, never tabs".to_owned(), "Conventions"),
            ("Always write a test first.".to_owned(), "Conventions"),
        ]
    );
}

#[test]
fn who_the_model_should_be_is_no_rule() {
    let source = "You are an expert in TypeScript and React.\n\nUse functional components.\nPrefer named exports.\n";
    assert_eq!(
        texts(source),
        [
            ("Use functional components.".to_owned(), "Conventions"),
            ("Prefer named exports.".to_owned(), "Conventions"),
        ]
    );
}

#[test]
fn plain_lines_are_a_rule_each_and_a_broken_passage_is_one() {
    let only =
        |source: &str| -> Vec<String> { texts(source).into_iter().map(|(text, _)| text).collect() };
    let source = "Use spaces for indentation\nnever use default exports\nprefer const\nAll dates are in UTC\n";
    assert_eq!(
        only(source),
        [
            "Use spaces for indentation",
            "never use default exports",
            "prefer const",
            "All dates are in UTC"
        ]
    );
    let wrapped = "Always use the repository pattern for all access to the database in services and\nhandlers, never the driver itself, because the tests replace the repository with\none in memory.\n";
    assert_eq!(only(wrapped).len(), 1);
    assert_eq!(only("When you write a test,\nuse the helper\n").len(), 0, "no rule opens it");
    assert_eq!(only("Prefer small functions and\nuse early returns\n").len(), 1);
}

#[test]
fn short_lists_below_an_item_are_one_rule_and_long_ones_several() {
    let source = "- Commit prefixes:\n  - feat\n  - fix\n- Testing:\n  - Use vitest, and run it before you push anything\n  - No snapshots\n";
    assert_eq!(
        texts(source).into_iter().map(|(text, _)| text).collect::<Vec<_>>(),
        [
            "Commit prefixes: feat; fix",
            "Use vitest, and run it before you push anything",
            "No snapshots"
        ]
    );
}

#[test]
fn code_tables_and_long_texts_stay_where_they_are() {
    let long = "Use this. ".repeat(40);
    let source = format!(
        "```\n- not a rule here\n```\n| a | b |\n|---|---|\n\n- {long}\n- [docs](docs.md)\n- see below:\n"
    );
    let found = rules(&source);
    assert_eq!((found.rules.len(), found.long), (0, 1));
}

#[test]
fn how_to_speak_with_a_person_is_a_preference() {
    let source = "- Be terse\n- Treat me as an expert\n- Use pnpm for packages\n";
    let sections: Vec<&str> = texts(source).into_iter().map(|(_, section)| section).collect();
    assert_eq!(sections, ["User Preferences", "User Preferences", "Conventions"]);
}

#[test]
fn steps_that_follow_one_another_are_no_rules() {
    let source =
        "## Releasing\n\n1. Run the tests\n2. Push the tag\n\n## Rules\n\n1. Use small functions\n";
    let found = rules(source);
    assert_eq!((found.rules.len(), found.long), (1, 2));
}

#[test]
fn a_rule_for_some_files_says_which() {
    let source = "---\ndescription: x\nglobs: src/**/*.ts, *.tsx\nalwaysApply: false\n---\n# TS\n\n- Use strict mode\n";
    assert_eq!(
        rules(source).rules,
        [Rule {
            text: "In `src/**/*.ts`, `*.tsx`: Use strict mode".to_owned(),
            section: "Conventions",
            line: 8,
            rank: 1
        }]
    );
    let always = source.replace("false", "true");
    assert_eq!(rules(&always).rules[0].text, "Use strict mode");
}

#[test]
fn what_is_said_in_a_comment_is_no_rule_and_what_is_beside_it_is() {
    let source = "- Use pnpm <!-- since 2024 --> for packages\n<!-- old:\n- Use npm for packages\n-->\n- Arrows --> point to what depends\n- Put `<!-- prettier-ignore -->` above tables\n\nNever push <!-- no\nend\n";
    let found = rules(source);
    let texts: Vec<&str> = found.rules.iter().map(|rule| rule.text.as_str()).collect();
    assert_eq!(texts, ["Use pnpm for packages"]);
    assert_eq!((found.long, found.rules[0].line), (3, 1));
}

#[test]
fn a_file_that_points_says_nothing_else() {
    let points = |text| only_points_to(text, "AGENTS.md");
    for text in [
        "@AGENTS.md\n",
        "# CLAUDE.md\n\nSee `AGENTS.md`. Read it before you begin.\n",
        "This file provides guidance to Claude Code.\n\n- @AGENTS.md\n",
        "<!-- Project codename is Falcon -->\nAll rules are in AGENTS.md.\n",
    ] {
        assert!(points(text), "{text}");
    }
    for text in [
        "@AGENTS.md\nProject codename is Falcon, never say it in public\n",
        "See AGENTS.md. Project codename is Falcon.\n",
        "@AGENTS.md\n```\nmake\n```\n",
        "- Use tabs\n",
    ] {
        assert!(!points(text), "{text}");
    }
    let own = rules("@AGENTS.md\nNever say Falcon in public\n").rules;
    assert_eq!((own[0].text.as_str(), own[0].line), ("Never say Falcon in public", 2));
}
