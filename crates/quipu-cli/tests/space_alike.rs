//! A space answers as a folder does: random operations on both, from the registry, and then an export that
//! differs in nothing.

use std::path::Path;

use quipu_engine::space::{self, Database};
use quipu_engine::{open, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::alike::play;
use quipu_testkit::postgres;

/// The seeds of every run; `quipu-bench spaces --differential N` draws new ones.
const SEEDS: [u64; 2] = [22, 1922];

/// How many operations each.
const STEPS: usize = 80;

#[test]
fn random_operations_answer_alike_in_a_folder_and_in_a_space() {
    let Some(server) = postgres::server() else { return };
    let test = server.database();
    let database = Database::at(&test.url()).unwrap();
    database.migrate().unwrap();
    for seed in SEEDS {
        let repo = TestRepo::new();
        crate::run(repo.root(), &["init", "--yes"]);
        let folder = repo.workspace();
        let name = format!("s{seed}");
        database.add_space(&name, 1 << 30, 0).unwrap();
        let in_space = space::open_space(&database, &name, &[]).unwrap();
        space::import(&folder, &in_space).unwrap();
        let played = play(&folder, &in_space, seed, STEPS);
        let told = |difference: &(String, String, String)| {
            format!("{}\n  folder {}\n  space  {}", difference.0, difference.1, difference.2)
        };
        let told: Vec<String> = played.differences.iter().map(told).collect();
        assert!(told.is_empty(), "seed {seed}: {} differ\n{}", told.len(), told.join("\n"));
        assert!(played.done.len() > 25, "seed {seed}: {:?}", played.done.keys());
        let back = repo.state_home().join("back");
        space::export(&in_space, &back).unwrap();
        assert_same(&repo.root().join("memory"), &back.join("memory"));
        let digest = |of| replay::replay(of, true, &mut |_, _| {}).unwrap();
        let (a, b) = (digest(&folder), in_space.as_one("replay", "test", || Ok(digest(&in_space))));
        let b = b.unwrap();
        assert!(a.equal && b.equal, "seed {seed}: {a:?} {b:?}");
        assert_eq!(a.digest, b.digest, "seed {seed}");
        // And there again: what was exported makes the same index.
        let again = open::discover(std::sync::Arc::new(quipu_engine::fs::RealFs), &back).unwrap();
        let copy = format!("copy{seed}");
        database.add_space(&copy, 1 << 30, 0).unwrap();
        let copy = space::open_space(&database, &copy, &[]).unwrap();
        space::import(&again, &copy).unwrap();
        let c = copy.as_one("replay", "test", || Ok(digest(&copy))).unwrap();
        assert_eq!(c.digest, a.digest, "seed {seed}");
    }
}

fn assert_same(one: &Path, other: &Path) {
    let output = std::process::Command::new("diff").arg("-r").args([one, other]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
