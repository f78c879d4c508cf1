//! The codebase layer: what source files declare, kept in step with them.

use quipu_core::item::{Kind, Layer};
use quipu_engine::codebase::{self, CodeScan};
use quipu_engine::recall::{self, Question};
use quipu_engine::{Workspace, index, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::now;

fn scan(workspace: &Workspace) -> CodeScan {
    codebase::scan_code(workspace, now(), false, &mut |_, _| {}).unwrap()
}

fn project() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/charge.rs", "//! Charges cards.\n\n/// Charges once.\npub fn charge_card(cents: u32) -> bool { cents > 0 }\n");
    repo.write("web/cart.ts", "export function addToCart(id: string): void {}\n");
    repo.write(
        "tools/report.py",
        "def make_report(year):\n    \"\"\"Makes the report.\"\"\"\n    return year\n",
    );
    repo.write("package.json", "{\"name\": \"shop\", \"scripts\": {\"build\": \"tsc\"}, \"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
    repo.write("node_modules/x/index.js", "export function foreign() {}\n");
    repo.write("README.txt", "no code\n");
    repo
}

#[test]
fn files_are_told_by_what_they_declare_and_only_changes_are_read_again() {
    let repo = project();
    let workspace = repo.workspace();
    let first = scan(&workspace);
    assert_eq!((first.files, first.changed), (4, 4), "{first:?}");
    assert_eq!((scan(&workspace).changed, scan(&workspace).removed), (0, 0));
    let question = Question {
        query: "charge a card".to_owned(),
        layers: vec![Layer::Codebase],
        ..Question::default()
    };
    let found = recall::recall(&workspace, &question, now()).unwrap().results.remove(0);
    assert_eq!((found.id.as_str(), found.kind), ("code:src/charge.rs", Kind::Code));
    assert!(found.text.contains("pub fn charge_card(cents: u32) -> bool"), "{}", found.text);
    let manifest = index::resolve(&workspace, "code:package.json").unwrap().text;
    assert!(manifest.contains("left-pad") && manifest.contains("build"), "{manifest}");
    assert!(index::resolve(&workspace, "code:.").unwrap().text.contains("src"));
    repo.write("web/cart.ts", "export function emptyCart(): void {}\n");
    std::fs::remove_file(repo.root().join("tools/report.py")).unwrap();
    let second = scan(&workspace);
    assert_eq!((second.changed, second.removed), (1, 1));
    assert!(index::resolve(&workspace, "code:web/cart.ts").unwrap().text.contains("emptyCart"));
    assert!(index::resolve(&workspace, "code:tools/report.py").is_err());
}

#[test]
fn other_work_leaves_the_layer_alone_and_it_survives_a_replay() {
    let repo = project();
    let workspace = repo.workspace();
    scan(&workspace);
    quipu_testkit::memories::remember(&workspace, "we sell books");
    index::index(&workspace, &mut |_, _| {}).unwrap();
    assert!(index::resolve(&workspace, "code:src/charge.rs").is_ok());
    let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
    assert!(replayed.equal, "{:?}", replayed.differences);
    assert_eq!(codebase::forget_code(&workspace, true).unwrap(), 5);
    assert!(index::resolve(&workspace, "code:src/charge.rs").is_ok(), "a dry run forgets nothing");
    assert_eq!(codebase::forget_code(&workspace, false).unwrap(), 5);
    assert!(index::resolve(&workspace, "code:src/charge.rs").is_err());
    assert_eq!(scan(&workspace).changed, 4, "it can be made again");
}
