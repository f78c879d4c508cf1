use super::*;

fn of(text: &str, kind: &str) -> Vec<String> {
    let is_kind = |claim: &Claim| claim.kind.as_str() == kind;
    claims(text).into_iter().filter(is_kind).map(|claim| claim.to_string()).collect()
}

fn paths(text: &str) -> Vec<String> {
    of(text, "path")
}

fn historic(text: &str) -> Vec<(String, bool)> {
    claims(text).into_iter().map(|claim| (claim.text, claim.historic)).collect()
}

#[test]
fn paths_are_found_in_words_and_in_code() {
    assert_eq!(
        paths("See src/main.ts, ./x.json and (docs/readme.md). Also `Cargo.toml`, `src/old/`."),
        ["src/main.ts", "x.json", "docs/readme.md", "Cargo.toml", "src/old/"]
    );
    assert_eq!(
        paths(
            "`crates/core` has `Makefile` and `.github/workflows/ci.yml`; [map](docs/map.md#top)"
        ),
        ["crates/core", "Makefile", ".github/workflows/ci.yml", "docs/map.md"]
    );
    assert_eq!(paths("the parser's src/parse.rs's tail"), ["src/parse.rs"]);
    assert_eq!(paths("**src/a.rs**→src/b.rs,src/c.rs"), ["src/a.rs", "src/b.rs", "src/c.rs"]);
    assert_eq!(paths("/etc/passwd and ~/notes/a.md"), ["/etc/passwd", "~/notes/a.md"]);
    assert_eq!(
        paths("`cat src/a.rs | wc` and `python3 tools/gen.py out.txt`"),
        ["src/a.rs", "tools/gen.py"]
    );
}

#[test]
fn a_path_loses_its_line_and_keeps_its_place() {
    assert_eq!(
        paths("src/a.rs:42 src/b.rs:1:2 `src/c.rs#L10-L20` src/d.rs:7-9 docs/e.md#here"),
        ["src/a.rs", "src/b.rs", "src/c.rs", "src/d.rs", "docs/e.md"]
    );
    let text = "look at src/a.rs:42.";
    let found = &claims(text)[0];
    assert_eq!(&text[found.span.clone()], "src/a.rs:42");
}

#[test]
fn what_only_looks_like_a_path_is_none() {
    for text in [
        "http://example.com/a/b.py and //cdn/x.js",
        "github.com/owner/repo.rs `docs.rs/serde` `owner/repo` `@scope/name`",
        "on 2026/04/20 and/or 1/2, 3/4.5, TCP/IP, I/O, text/html `application/json`",
        "`origin/main` `feature/login` refs/heads/main `release/v1.2.x` v1.2.3 `1.2/1.3`",
        "/tmp/<name>/x.py src/{a,b}.rs src/*.rs $HOME/x.py app/[slug]/page.tsx",
        "memory/YYYY-MM-DD.md sessions/NNNN.md /home/USERNAME/x.txt path/to/file.rs foo/bar.py",
        "`Vec.len` `obj.method()` `e.g.` `/review` `...` `a/b`",
        "src/…/x.rs or src/.../x.rs",
        "README.md/CHANGELOG.md, `.json`, `DECAY/REVIEW/SKILLS` and Before/During/ it",
    ] {
        assert_eq!(paths(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn names_of_code_are_found_where_they_look_like_code() {
    assert_eq!(
        of(
            "`load_config(path)`, `PathFinder`, `a::b::Thing`, `obj.method()`, `MAX_SIZE`",
            "symbol"
        ),
        ["load_config", "PathFinder", "a::b::Thing", "obj.method", "MAX_SIZE"]
    );
    assert_eq!(
        of("function foo_baz in `self` and `data`, the `tidy` function, struct `Plan`", "symbol"),
        ["foo_baz", "tidy", "Plan"]
    );
    assert_eq!(
        of("`pub fn read_all(text: &str)` and `HashMap<String, u8>`", "symbol"),
        ["read_all"]
    );
    assert_eq!(of("type of class the function is, type `chore`", "symbol"), Vec::<String>::new());
    assert_eq!(of("tests/test_a.py::test_login fails", "symbol"), ["test_login"]);
}

#[test]
fn a_script_is_what_follows_run() {
    assert_eq!(
        of("run `npm run build` and `make test`, pnpm run lint:fix; `cargo xtask dist`", "script"),
        ["npm run build", "make test", "npm run lint:fix", "cargo xtask"]
    );
    assert_eq!(of("`npm test && npm ci && yarn e2e`", "script"), ["npm run test", "npm run e2e"]);
    assert_eq!(
        of("make sure to just do it; `cargo test` `npm install` `make -j4`", "script"),
        Vec::<String>::new()
    );
}

#[test]
fn a_dependency_is_called_one() {
    assert_eq!(
        of("uses `tokio`, `serde_json` and `axum`; depends on @scope/name", "dependency"),
        ["tokio", "serde_json", "axum", "@scope/name"]
    );
    assert_eq!(of("the `jiff` crate", "dependency"), ["jiff"]);
    assert_eq!(of("uses React and requires `src/a.rs`", "dependency"), Vec::<String>::new());
}

#[test]
fn what_is_said_to_be_gone_is_historic() {
    for text in [
        "We deleted src/x.rs.",
        "src/x.rs was removed last week",
        "renamed `src/x.rs` because",
        "Delete the file src/x.rs",
        "There is no src/x.rs here",
        "src/x.rs no longer exists",
        "We used to keep it in src/x.rs",
        "The old `src/x.rs` had it",
        "Removed files:\n\n- src/x.rs\n",
        "## Removed\n\nText.\n\n- the parser, src/x.rs",
        "The parser has been\nmoved out of src/x.rs.",
        "`src/x.rs` wurde gelöscht",
        "Removed:\n```\nsrc/x.rs\n```\n",
    ] {
        assert_eq!(historic(text), [("src/x.rs".to_owned(), true)], "{text}");
    }
}

#[test]
fn what_is_said_to_be_there_is_not_historic() {
    for text in [
        "src/x.rs is used to parse",
        "We removed the cache. The parser is in src/x.rs.",
        "The cache was removed; see src/x.rs",
        "Removed files:\n\n- none\n\nThe parser is in src/x.rs",
        "## Removed\n\n## Layout\n\nsrc/x.rs",
        "Do not delete src/x.rs",
        "src/x.rs removes empty lines",
    ] {
        assert_eq!(historic(text), [("src/x.rs".to_owned(), false)], "{text}");
    }
}

#[test]
fn long_quotes_and_comments_say_nothing() {
    let long = "```\nsrc/a.rs\nsrc/b.rs\nsrc/c.rs\nsrc/d.rs\n```\nsrc/e.rs <!-- src/f.rs -->";
    assert_eq!(paths(long), ["src/e.rs"]);
    assert_eq!(of("```sh\nnpm run build\n```", "script"), ["npm run build"]);
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_read(text in "[a-zA-Z0-9`<>!/.:#@~é’ \\n()\\[\\]*_-]{0,60}") {
        for claim in claims(&text) {
            assert!(text.get(claim.span.clone()).is_some(), "{claim:?}");
            assert!(!claim.text.is_empty() && !claim.text.contains('\n'), "{claim:?}");
        }
    }
}
