//! `quipu questions` and `quipu answer`.

use std::fmt::Write as _;

use quipu_core::question::Asked;
use quipu_core::text;
use quipu_engine::operations::{Answer, AnswerTaken, QuestionList, Questions};
use quipu_engine::questions::{AnswerGiven, Judged, OpenQuestion};

use crate::context::Context;
use crate::reply::{self, BOLD, CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Questions {
    fn say(&self, output: &QuestionList, _: &Context) -> Reply {
        let (count, open) = match output {
            QuestionList::Answered { questions, .. } => return Reply::words(answered(questions)),
            QuestionList::Open { count, questions } => (*count, questions),
        };
        let mut text = String::new();
        for question in open {
            tell(&mut text, question);
        }
        if open.is_empty() {
            text.push_str("no question waits\n");
        } else if self.next && count > 1 {
            let _ = writeln!(text, "{}", styled(DIM, format!("{} more wait", count - 1)));
        }
        let advice = open.first().map_or(String::new(), |one| {
            let first = one.choices.first().map_or("CHOICE", |choice| choice.name);
            format!("`quipu answer {} {first} --reason \"…\"`", one.id)
        });
        Reply::words(text).advise(advice)
    }
}

fn answered(questions: &[Asked]) -> String {
    let rows = questions.iter().filter_map(|one| {
        let answer = one.answer.clone()?;
        let kind = one.question.kind.to_string();
        Some(vec![one.id.clone(), kind, answer.choice, answer.by, answer.reason])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return "nothing was answered yet\n".to_owned();
    }
    reply::table(&["question", "about", "answer", "by", "why"], rows)
}

fn tell(told: &mut String, question: &OpenQuestion) {
    let _ = writeln!(
        told,
        "{} {} {}",
        styled(CYAN, &question.id),
        styled(BOLD, &question.asks),
        styled(DIM, format!("({})", question.kind))
    );
    for subject in &question.subjects {
        if subject.text.is_empty() {
            continue;
        }
        let day = subject.time.map(|time| time.strftime("%Y-%m-%d ").to_string());
        let words = text::ellipsis(&subject.text, 300);
        let _ = writeln!(
            told,
            "  {}{}  {}",
            styled(DIM, day.unwrap_or_default()),
            styled(CYAN, &subject.id),
            words.replace('\n', " ")
        );
    }
    let _ = writeln!(told, "  {}", styled(DIM, format!("because: {}", question.reason)));
    for (number, choice) in question.choices.iter().enumerate() {
        let _ = writeln!(told, "  {}. {}: {}", number + 1, styled(BOLD, choice.name), choice.does);
    }
    told.push('\n');
}

impl Spoken for Answer {
    fn say(&self, output: &AnswerTaken, _: &Context) -> Reply {
        let mut text = String::new();
        match output {
            AnswerTaken::Judged { judged, dry_run } => {
                tell_judged(&mut text, judged, *dry_run);
                Reply::words(text)
            }
            AnswerTaken::TakenBack { id, dry_run, .. } => {
                let verb = if *dry_run { "would take" } else { "took" };
                Reply::words(format!("{verb} the answer to {} back\n", styled(CYAN, id)))
            }
            AnswerTaken::Given { given, dry_run } => {
                tell_answer(&mut text, given, *dry_run);
                let advice = format!("`quipu answer {} --undo` takes it back", given.id);
                Reply::words(text).advise(advice)
            }
        }
    }
}

fn tell_answer(text: &mut String, given: &AnswerGiven, dry_run: bool) {
    let verb = if dry_run { "would answer" } else { "answered" };
    let _ = writeln!(
        text,
        "{verb} {} with {}: {}",
        styled(CYAN, &given.id),
        styled(BOLD, &given.choice),
        given.does
    );
}

/// Tells what a judge answered, and what it could not.
pub(crate) fn tell_judged(text: &mut String, judged: &Judged, dry_run: bool) {
    if judged.answers.is_empty() && judged.failed.is_empty() {
        text.push_str("no question waits for a judge\n");
    }
    for given in &judged.answers {
        tell_answer(text, given, dry_run);
        if !given.reason.is_empty() {
            let _ = writeln!(text, "  {}", styled(DIM, &given.reason));
        }
    }
    for (id, why) in &judged.failed {
        let _ = writeln!(text, "{} {} waits: {why}", styled(YELLOW, "note:"), styled(CYAN, id));
    }
}
