//! `quipu recall`.

use std::fmt::Write as _;

use quipu_core::fact::TierLabel;
use quipu_core::item::{Kind, Scope, Status};
use quipu_core::memory::LEGACY;
use quipu_core::text::counted;
use quipu_engine::import;
use quipu_engine::operations::Recall;
use quipu_engine::recall::{Answer, Confidence, LONGEST_CHAIN, Recalled};

use crate::context::Context;
use crate::layout;
use crate::reply::{BOLD, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// A line of an answer is cut where nobody would read on.
const LONGEST_LINE: usize = 400;

/// Says where a fact was learned: in a session, or from a file that another tool had.
pub(super) fn whence(origin: &str) -> String {
    if origin.starts_with(LEGACY) {
        format!("from {origin}")
    } else {
        format!("in session {origin}")
    }
}

impl Spoken for Recall {
    fn say(&self, recalled: &Recalled, _: &Context) -> Reply {
        Reply::words(words(recalled, self.explain))
    }
}

/// An answer in words.
pub(crate) fn words(recalled: &Recalled, explain: bool) -> String {
    let mut text = String::new();
    if recalled.confidence == Confidence::None && !recalled.results.is_empty() {
        let _ = writeln!(text, "{}", styled(YELLOW, "nothing sure; nearest:"));
    }
    for (index, answer) in recalled.results.iter().enumerate() {
        result(&mut text, index + 1, answer, explain);
    }
    if let Some(advice) = &recalled.advice {
        let _ = writeln!(text, "nothing found: {advice}");
    }
    if let Some(hint) = &recalled.hint {
        let _ = writeln!(text, "{} {hint}", styled(BOLD, "hint:"));
    }
    if recalled.left_out > 0 {
        let _ = writeln!(text, "{} more did not fit into the budget", recalled.left_out);
    }
    for time in &recalled.times {
        let day = |at: Option<jiff::Timestamp>| {
            at.map_or("…".to_owned(), |at| at.strftime("%Y-%m-%d").to_string())
        };
        let span = format!("“{}” is {} to {}", time.words, day(time.from), day(time.to));
        let _ = writeln!(text, "{}", styled(DIM, span));
    }
    for reason in &recalled.degraded {
        let _ = writeln!(text, "{} {reason}", styled(YELLOW, "degraded:"));
    }
    text
}

fn result(text: &mut String, number: usize, answer: &Answer, explain: bool) {
    let mut about = vec![answer.kind.to_string()];
    if answer.scope == Scope::User {
        about.push("yours in every project".to_owned());
    }
    let tier = answer.tier.as_ref().map(TierLabel::as_str);
    about.extend(tier.map(str::to_owned));
    if answer.status != Status::Active && tier != Some(answer.status.as_str()) {
        about.push(answer.status.to_string());
    }
    match import::in_words(answer.source.channel.as_deref(), answer.time) {
        Some(imported) => about.push(imported),
        None if answer.time != jiff::Timestamp::UNIX_EPOCH => {
            about.push(answer.time.strftime("%Y-%m-%d").to_string());
        }
        None => {}
    }
    about.extend(answer.source.speaker.clone());
    if answer.negative {
        about.push("says that it is not so".to_owned());
    }
    about.insert(0, answer.id.clone());
    let mut lines = answer.text.lines().filter(|line| !line.trim().is_empty());
    let mut mark = styled(DIM, format!("{number:>2}."));
    for line in lines.by_ref().take(6) {
        let short: String = line.chars().take(LONGEST_LINE).collect();
        let more = if short.len() < line.len() { "…" } else { "" };
        for line in layout::lines(&format!("{short}{more}"), layout::width() - 4) {
            let _ = writeln!(text, "{mark} {line}");
            "   ".clone_into(&mut mark);
        }
    }
    let more = lines.count();
    if more > 0 {
        let more = format!("… {} (`quipu show {}`)", counted(more, "more line"), answer.id);
        let _ = writeln!(text, "    {}", styled(DIM, more));
    }
    for line in layout::lines(&about.join(" · "), layout::width() - 4) {
        let _ = writeln!(text, "    {}", styled(DIM, line));
    }
    if let (Kind::Fact | Kind::Thread | Kind::Archived, Some(session)) =
        (answer.kind, &answer.source.session)
    {
        let learned = format!("learned {}", whence(session));
        let _ = writeln!(text, "    {}", styled(DIM, learned));
    }
    if !answer.supersedes.is_empty() {
        let chain = chain(&answer.supersedes);
        let _ = writeln!(text, "    {} {chain}", styled(BOLD, "replaces"));
    }
    if let Some(successor) = &answer.superseded_by {
        let _ = writeln!(text, "    {} {successor}", styled(YELLOW, "superseded by"));
    }
    if explain {
        let (said, worth) = (&answer.why.channels, &answer.why.weights);
        let parts: Vec<String> = [
            ("words", said.lexical * worth.lexical),
            ("meaning", said.dense * worth.dense),
            ("speaker", said.speaker * worth.speaker),
            ("names", said.named * worth.named),
            ("time", said.time * worth.time),
            ("sort", said.sort * worth.sort),
            ("session", said.session * worth.session),
            ("standing", said.standing * worth.standing),
        ]
        .into_iter()
        .filter(|(_, part)| *part > 0.0)
        .map(|(name, part)| format!("{name} {part:.2}"))
        .collect();
        let why = format!("{:.2}: {} ({})", answer.score, answer.why.because, parts.join(" + "));
        let _ = writeln!(text, "    {}", styled(DIM, why));
        if !answer.neighbours.is_empty() {
            let near = format!("beside {}", answer.neighbours.join(", "));
            let _ = writeln!(text, "    {}", styled(DIM, near));
        }
    }
}

/// Returns the ids of what something replaced in a line, as far back as one would read.
pub(super) fn chain(ids: &[String]) -> String {
    let mut words = ids[..ids.len().min(LONGEST_CHAIN)].join(" ← ");
    match ids.len().saturating_sub(LONGEST_CHAIN) {
        0 if ids.len() < LONGEST_CHAIN => {}
        0 => words.push_str(" ← perhaps more"),
        more => {
            let _ = write!(words, " ← {more} more");
        }
    }
    words
}
