//! Status, layers and numbers of memories by the command line.

use crate::callers::{as_person, person};
use crate::{initialised, json, run};

#[test]
fn a_record_goes_through_its_statuses_and_back() {
    let repo = initialised();
    let root = repo.root();
    let (_, done) = json(root, &["remember", "The queue holds ten thousand jobs"]);
    let id = done["id"].as_str().unwrap();
    let found = |more: &[&str]| {
        let ask = ["recall", "queue jobs", "--kind", "record"];
        let (_, answer) = json(root, &[&ask[..], more].concat());
        answer["results"].as_array().unwrap().len()
    };
    let (code, _, error) = run(root, &["memory", "challenge", id]);
    assert_eq!((code, error.contains("--reason")), (2, true), "{error}");
    let (code, doubt) = json(root, &["memory", "challenge", id, "-r", "the dashboard shows five"]);
    assert_eq!((code, &doubt["status"]), (0, &"challenged".into()));
    assert_eq!((found(&[]), found(&["--include", "challenged"])), (0, 1));
    let words = ["memory", "confirm", id, "--by", "Ada", "-r", "counted"];
    let sure = as_person(root, &words, &[]);
    assert_eq!((&sure["status"], &sure["confirmed_by"][0]), (&"active".into(), &"Ada".into()));
    let (code, _, error) = person(root, &["memory", "confirm", id, "--by", "Ada"], &[]);
    assert_eq!((code, error.contains("is already confirmed")), (3, true), "{error}");
    json(root, &["memory", "invalidate", id, "-r", "it was replaced by a stream"]);
    assert_eq!(found(&[]), 0);
    let (code, _, error) = run(root, &["memory", "status", id, "challenged"]);
    assert_eq!((code, error.contains("cannot become")), (3, true), "{error}");
    let (code, _) = json(root, &["restore", id]);
    assert_eq!((code, found(&[])), (0, 1));
    let (_, history, _) = run(root, &["history", id]);
    for words in ["the dashboard shows five", "confirmed by Ada", "replaced by a stream"] {
        assert!(history.contains(words), "{words}: {history}");
    }
    let (code, out, _) = run(root, &["replay", "--check"]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn layers_lead_into_each_other_and_have_an_end() {
    let repo = initialised();
    let root = repo.root();
    let (_, done) = json(root, &["remember", "Seen once"]);
    let id = done["id"].as_str().unwrap();
    let (_, up) = json(root, &["memory", "promote", id]);
    assert_eq!(up["layer"], "semantic");
    let (code, _, error) = run(root, &["memory", "promote", id]);
    assert_eq!((code, error.contains("no next layer")), (3, true), "{error}");
    let (_, down) = json(root, &["memory", "demote", id, "--to", "working"]);
    assert_eq!(down["layer"], "working");
    json(root, &["fact", "add", "Exports are streamed", "--id", "exports-streamed"]);
    let (code, _, error) = run(root, &["memory", "promote", "exports-streamed", "--to", "working"]);
    assert_eq!((code, error.contains("section")), (3, true), "{error}");
}

#[test]
fn a_merge_is_all_or_nothing_and_can_be_taken_back() {
    let repo = initialised();
    let root = repo.root();
    let mut ids = Vec::new();
    for text in
        ["Retries back off", "Retries back off with jitter", "Retries wait longer each time"]
    {
        let (_, done) = json(root, &["remember", text]);
        ids.push(done["id"].as_str().unwrap().to_owned());
    }
    let log = || std::fs::read_dir(root.join("memory")).unwrap().count();
    let before = log();
    let (code, _, _) = run(root, &["memory", "merge", &ids[0], "nobody", "--into", &ids[1]]);
    assert_eq!((code, log()), (3, before));
    let (_, first) = json(root, &["show", &ids[0]]);
    assert_eq!(first["status"], "active", "the one that could be merged was not");
    json(root, &["memory", "pin", &ids[2]]);
    let (code, _, error) = run(root, &["memory", "merge", &ids[2], "--into", &ids[1]]);
    assert_eq!((code, error.contains("unpin")), (3, true), "{error}");
    let (code, merged) = json(root, &["memory", "merge", &ids[0], "--into", &ids[1]]);
    assert_eq!((code, &merged["merged_into"]), (0, &ids[1].as_str().into()));
    let (_, answer) = json(root, &["recall", "retries", "--kind", "record"]);
    assert_eq!(answer["results"].as_array().unwrap().len(), 2);
    let (code, _, error) = run(root, &["memory", "merge", &ids[1], "--into", &ids[0]]);
    assert_eq!((code, error.contains("so nothing can be merged into it")), (3, true), "{error}");
    let (_, back) = json(root, &["memory", "unmerge", &ids[0]]);
    assert_eq!((&back["status"], back["merged_into"].is_null()), (&"active".into(), true));
    let (code, _, _) = run(root, &["memory", "unmerge", &ids[0]]);
    assert_eq!(code, 3);
}

#[test]
fn why_shows_nine_terms_and_a_curve_is_drawn() {
    let repo = initialised();
    let root = repo.root();
    let at = ["--now", "2026-06-01T10:00:00Z"];
    let (_, done) = json(
        root,
        &[&at[..], &["remember", "The import runs at night", "--source", "ingest"]].concat(),
    );
    let id = done["id"].as_str().unwrap();
    let later = ["--now", "2026-06-11T10:00:00Z"];
    let (code, why) = json(root, &[&later[..], &["why", id]].concat());
    assert_eq!(code, 0);
    assert_eq!(why["numbers"]["importance"]["terms"].as_array().unwrap().len(), 9);
    let left = why["numbers"]["retention"]["value"].as_f64().unwrap();
    assert!((left - 0.4621).abs() < 1e-3, "one half-life of ten days: {left}");
    let (_, text, _) = run(root, &[&later[..], &["why", id]].concat());
    assert!(text.contains("retention 0.46") && text.contains("activation"), "{text}");
    let slower = ["--set", "lifecycle.retention=l2"];
    let (_, why) = json(root, &[&later[..], &slower[..], &["why", id]].concat());
    assert!((why["numbers"]["retention"]["value"].as_f64().unwrap() - 0.5001).abs() < 1e-3);
    let picture = root.join("curve.svg");
    let (code, text, _) =
        run(root, &[&later[..], &["curve", id, "--svg", picture.to_str().unwrap()]].concat());
    assert_eq!(code, 0);
    assert!(text.contains('•') && text.contains("half-life 10.0 days"), "{text}");
    assert!(std::fs::read_to_string(picture).unwrap().contains("<polyline"));
    let (code, _, error) = run(root, &["curve", "nobody"]);
    assert_eq!(code, 3, "{error}");
}
