//! `quipu import`.

use std::fmt::Write as _;

use quipu_engine::import::{Imported, Place, Run, Sample};
use quipu_engine::operations::{Import, ImportAnswer};

use crate::context::Context;
use crate::reply::{BOLD, CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Import {
    fn say(&self, answer: &ImportAnswer, _: &Context) -> Reply {
        match answer {
            ImportAnswer::Found { places } => found(places),
            ImportAnswer::Listed { runs } => listed(runs),
            ImportAnswer::Run(run) => {
                let reply = Reply::words(told(&run.imported, self.explain));
                let is_something = run.imported.new + run.imported.changed > 0;
                match (run.imported.applied, is_something) {
                    (true, _) => reply.advise("`quipu undo` takes all of it back"),
                    (false, true) => reply.advise("nothing was changed; `--yes` imports them, `--explain` lists every one with its rule"),
                    (false, false) => reply,
                }
            }
        }
    }
}

fn found(places: &[Place]) -> Reply {
    if places.is_empty() {
        return Reply::words("nothing that could be imported was found on this machine\n").advise(
            "`quipu import PATH` imports a file, a folder or an archive: see docs/import.md",
        );
    }
    let mut text = String::new();
    for place in places {
        let files =
            if place.files == 1 { "1 file".to_owned() } else { format!("{} files", place.files) };
        let about = format!("{files}, {}", size(place.bytes));
        let name = format!("{:<18}", place.program);
        let _ = writeln!(text, "{} {}  {}", styled(BOLD, name), place.path, styled(DIM, about));
    }
    let first = &places[0];
    Reply::words(text)
        .advise(format!("`quipu import {} {}` shows what is in it", first.format, first.path))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} kB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}

fn listed(runs: &[Run]) -> Reply {
    if runs.is_empty() {
        return Reply::words("nothing was imported yet\n");
    }
    let mut text = String::new();
    for run in runs {
        let count = counted(run.memories);
        let _ = writeln!(text, "{}  {} from {}", styled(CYAN, &run.path), count, run.program);
    }
    Reply::words(text)
}

fn counted(count: usize) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

pub(super) fn told(one: &Imported, explain: bool) -> String {
    let mut text = String::new();
    let version = one.version.as_ref().map(|version| format!(" ({version})")).unwrap_or_default();
    let _ = writeln!(text, "{}{version}: {}", styled(BOLD, &one.program), one.files.join(", "));
    let verb = if one.applied { "imported" } else { "would import" };
    let mut parts = match one.new {
        0 => vec!["nothing is new".to_owned()],
        new => vec![format!("{verb} {}", counted(new))],
    };
    if one.changed > 0 {
        parts.push(format!("{} that say something else by now", one.changed));
    }
    if one.known > 0 {
        parts.push(format!("{} are here already", one.known));
    }
    let _ = writeln!(text, "{} read: {}", one.read, parts.join(", "));
    let list = |all: &std::collections::BTreeMap<String, usize>| {
        let mut all: Vec<(&String, &usize)> = all.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let shown = all.iter().take(8).map(|(name, count)| format!("{count} {name}"));
        shown.collect::<Vec<_>>().join(", ")
    };
    if !one.categories.is_empty() {
        let _ = writeln!(text, "  what they are: {}", list(&one.categories));
    }
    if !one.layers.is_empty() {
        let _ = writeln!(text, "  how they last: {}", list(&one.layers));
    }
    if one.redacted > 0 {
        let _ = writeln!(
            text,
            "  {} {} with a credential, which is blacked out",
            styled(YELLOW, "secrets:"),
            one.redacted
        );
    }
    if !one.skipped.is_empty() {
        text.push_str("left out:\n");
        for (name, count) in &one.skipped {
            let why = one.reasons.get(name).copied().unwrap_or(name);
            let _ = writeln!(text, "  {count:>6}  {why}");
        }
    }
    for warning in &one.warnings {
        let _ = writeln!(text, "{} {warning}", styled(YELLOW, "note:"));
    }
    if let Some(why) = &one.degraded {
        let _ = writeln!(text, "{} {why}", styled(YELLOW, "degraded:"));
    }
    if !one.samples.is_empty() && (explain || !one.applied) {
        text.push_str(if explain { "\n" } else { "\nfor example:\n" });
        one.samples.iter().for_each(|sample| shown(&mut text, sample, explain));
    }
    for path in &one.paths {
        let _ = writeln!(text, "in {}", styled(CYAN, path));
    }
    text
}

fn shown(text: &mut String, sample: &Sample, explain: bool) {
    let day = match (sample.time, sample.time_from) {
        (Some(time), None) => time.strftime("%Y-%m-%d").to_string(),
        (Some(time), Some(_)) => format!("{} (of the file)", time.strftime("%Y-%m-%d")),
        (None, _) => "no date".to_owned(),
    };
    let about = format!("{}, {}, {day}", sample.category, sample.layer);
    let id = if explain { format!("{}  ", styled(CYAN, &sample.id)) } else { String::new() };
    let _ = writeln!(text, "  {id}{}", sample.text);
    let rule = if explain { format!("; {}; {}", sample.rule, sample.from) } else { String::new() };
    let _ = writeln!(text, "    {}", styled(DIM, format!("{about}{rule}")));
}
