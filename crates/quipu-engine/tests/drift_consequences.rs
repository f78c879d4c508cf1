//! What follows from drift: for memories of the engine's own, for facts, and for what is pinned.

use quipu_core::item::{Decision, Status};
use quipu_engine::dream::{self, DreamRequest, Step};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{Workspace, decide, index, questions, replay};
use quipu_testkit::memories::told;
use quipu_testkit::project::{Project, source};
use quipu_testkit::repo::{now, request};

/// A project with files that memories speak of, two of which go.
fn remembered() -> (Project, Vec<String>) {
    let project = Project::new();
    project.write("memory/continuity.md", "## Key Decisions\n\n- Charges are made in src/pay/charge.py\n  <!-- id: charges-in-charge-py | tier: active -->\n");
    // As `init` leaves it: the journal is personal.
    project.write(".gitignore", ".quipu/\nMEMORY.md\nmemory/2*.md\n");
    project.write("src/pay/charge.py", &source("charge"));
    project.write("src/pay/refund.py", &source("refund"));
    project.write("src/pay/tax.py", &source("tax"));
    project.commit();
    let workspace = project.repo.workspace();
    let say = |text: &str, pinned: bool| NewMemory { pinned, ..told(text) };
    let new = [
        say("Rounding is done in src/pay/charge.py", false),
        say("Never touch src/pay/charge.py on a Friday", true),
        say("Refunds are booked in src/pay/refund.py", false),
        say("src/pay/tax.py and src/pay/charge.py share the rates", false),
    ];
    let ids = remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    (project, ids)
}

fn dream_of_drift(workspace: &Workspace) -> usize {
    let asked = DreamRequest { now: now(), steps: vec![Step::Drift], ..DreamRequest::default() };
    dream::dream(workspace, &asked, &mut |_, _, _| true).unwrap().actions.len()
}

fn statuses(workspace: &Workspace, ids: &[String]) -> Vec<Status> {
    ids.iter().map(|id| index::resolve(workspace, id).unwrap().status).collect()
}

#[test]
fn defect_drift_never_deletes_what_is_pinned_or_a_fact() {
    let (project, ids) = remembered();
    project.delete("src/pay/charge.py");
    let workspace = project.repo.workspace();
    let (memory, file) = (ids.clone(), project.repo.read("memory/continuity.md"));
    for _ in 0..3 {
        dream_of_drift(&workspace);
    }
    // Certainly wrong; pinned; untouched; half of it is still there.
    let expected = [Status::Invalidated, Status::Active, Status::Active, Status::Challenged];
    assert_eq!(statuses(&workspace, &memory), expected);
    assert_eq!(project.repo.read("memory/continuity.md"), file);
    let open = questions::questions(&workspace, now()).unwrap();
    let asked: Vec<&str> = open.iter().map(|one| one.subjects[0].id.as_str()).collect();
    for id in [ids[0].as_str(), &ids[1], &ids[3], "charges-in-charge-py"] {
        assert!(asked.contains(&id), "{id} is not among {asked:?}");
    }
    dream::undo_dream(&workspace, None, &request("dream")).unwrap();
    assert_eq!(statuses(&workspace, &memory), [Status::Active; 4]);
}

#[test]
fn a_moved_file_is_named_and_can_be_written_anew() {
    let (project, ids) = remembered();
    project.rename("src/pay/refund.py", "src/money/refund.py");
    let workspace = project.repo.workspace();
    assert_eq!(dream_of_drift(&workspace), 1);
    let open = questions::questions(&workspace, now()).unwrap();
    let question = open.iter().find(|one| one.subjects[0].id == ids[2]).unwrap();
    assert!(question.reason.contains("src/money/refund.py"), "{}", question.reason);
    let by = ("operator", "same file");
    questions::answer(&workspace, &question.id, "moved", by, &request("answer")).unwrap();
    let item = index::resolve(&workspace, &ids[2]).unwrap();
    assert_eq!(item.text, "Refunds are booked in src/money/refund.py");
    assert_eq!(item.status, Status::Active);
    assert_eq!(dream_of_drift(&workspace), 0);
    assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal);
}

#[test]
fn switching_branches_and_back_changes_no_memory() {
    let (project, ids) = remembered();
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.delete("src/pay/tax.py");
    project.write("src/pay/new.py", &source("new"));
    project.commit();
    let workspace = project.repo.workspace();
    let new = told("The new path is src/pay/new.py");
    let mut ids = ids;
    ids.extend(remember::remember(&workspace, &[new], &request("remember")).unwrap().ids);
    for branch in ["feature", "main", "feature", "main"] {
        project.git(&["checkout", "-q", branch]);
        assert_eq!(dream_of_drift(&workspace), 0, "on {branch}");
    }
    assert_eq!(statuses(&workspace, &ids), vec![Status::Active; 5]);
}

#[test]
fn who_answers_or_restores_has_the_last_word() {
    let (project, ids) = remembered();
    project.delete("src/pay/charge.py");
    project.delete("src/pay/refund.py");
    let workspace = project.repo.workspace();
    dream_of_drift(&workspace);
    let open = questions::questions(&workspace, now()).unwrap();
    let question = open.iter().find(|one| one.subjects[0].id == ids[0]).unwrap();
    questions::answer(&workspace, &question.id, "fine", ("operator", ""), &request("answer"))
        .unwrap();
    let back = Decision::Status { from: Status::Invalidated, to: Status::Active };
    decide::decide(&workspace, &ids[2], back, "it is elsewhere", &request("restore")).unwrap();
    for _ in 0..2 {
        assert_eq!(dream_of_drift(&workspace), 0);
    }
    let kept = [ids[0].clone(), ids[2].clone()];
    assert_eq!(statuses(&workspace, &kept), [Status::Active; 2]);
}

#[test]
fn what_comes_back_into_the_code_comes_back_into_memory() {
    let (project, ids) = remembered();
    project.delete("src/pay/refund.py");
    let workspace = project.repo.workspace();
    dream_of_drift(&workspace);
    assert_eq!(index::resolve(&workspace, &ids[2]).unwrap().status, Status::Invalidated);
    project.write("src/pay/refund.py", &source("refund"));
    project.commit();
    assert_eq!(dream_of_drift(&workspace), 1);
    assert_eq!(index::resolve(&workspace, &ids[2]).unwrap().status, Status::Active);
    assert!(questions::questions(&workspace, now()).unwrap().is_empty());
    assert_eq!(dream_of_drift(&workspace), 0);
    project.delete("src/pay/refund.py");
    assert_eq!(dream_of_drift(&workspace), 1, "and goes again");
    assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal);
}
