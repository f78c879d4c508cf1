//! `quipu questions` and `quipu answer`.

use std::fmt::Write as _;

use quipu_core::text;
use quipu_engine::questions::{AnswerGiven, Judged, OpenQuestion};
use serde_json::json;

use crate::cli::{AnswerArgs, QuestionsArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::progress::Bar;
use crate::reply::{self, BOLD, CYAN, DIM, Reply, YELLOW, styled};

pub(crate) fn list(arguments: &QuestionsArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    if arguments.answered {
        let answered = workspace.answered_questions()?;
        let data = json!({ "count": answered.len(), "questions": answered });
        let rows = answered.into_iter().filter_map(|one| {
            let answer = one.answer?;
            Some(vec![
                one.id,
                one.question.kind.to_string(),
                answer.choice,
                answer.by,
                answer.reason,
            ])
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let text = if rows.is_empty() {
            "nothing was answered yet\n".to_owned()
        } else {
            reply::table(&["question", "about", "answer", "by", "why"], rows)
        };
        return Ok(Reply::new(text, data));
    }
    let mut open = workspace.questions(context.now())?;
    open.retain(|one| arguments.kind.is_empty() || arguments.kind.contains(&one.kind));
    let count = open.len();
    if arguments.next {
        open.truncate(1);
    }
    let mut text = String::new();
    for question in &open {
        tell(&mut text, question);
    }
    if open.is_empty() {
        text.push_str("no question waits\n");
    } else if arguments.next && count > 1 {
        let _ = writeln!(text, "{}", styled(DIM, format!("{} more wait", count - 1)));
    }
    let advice = open.first().map_or(String::new(), |one| {
        let first = one.choices.first().map_or("CHOICE", |choice| choice.name);
        format!("`quipu answer {} {first} --reason \"…\"`", one.id)
    });
    Ok(Reply::new(text, json!({ "count": count, "questions": open })).advise(advice))
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

pub(crate) fn answer(arguments: &AnswerArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let dry_run = arguments.dry.dry_run;
    let request = context.request("answer", dry_run);
    if arguments.judge {
        let judge = workspace.judge()?;
        let bar = Bar::new(context, "asking the judge");
        let mut progress = |done: usize, total: usize| bar.set(done, total);
        let judged =
            workspace.answer_by(&judge, (arguments.most, None), &request, &mut progress)?;
        drop(bar);
        let mut text = String::new();
        tell_judged(&mut text, &judged, dry_run);
        let exit = u8::from(judged.answers.is_empty() && !judged.failed.is_empty());
        let mut data = json!(judged);
        data["dry_run"] = json!(dry_run);
        return Ok(Reply::new(text, data).exit(exit));
    }
    let id = arguments.id.as_deref().unwrap_or_default();
    if arguments.undo {
        let events = workspace.take_answer_back(id, &request)?;
        let verb = if dry_run { "would take" } else { "took" };
        let text = format!("{verb} the answer to {} back\n", styled(CYAN, id));
        let data = json!({ "id": id, "events": events, "dry_run": dry_run });
        return Ok(Reply::new(text, data));
    }
    let choice = arguments.choice.as_deref().unwrap_or_default();
    let by = request.caller.signature(arguments.by.as_deref());
    let by = by.map_err(quipu_engine::Error::from)?;
    let given = workspace.answer(id, choice, (&by, arguments.reason.as_str()), &request)?;
    let mut text = String::new();
    tell_answer(&mut text, &given, dry_run);
    let mut data = json!(given);
    data["dry_run"] = json!(dry_run);
    Ok(Reply::new(text, data).advise(format!("`quipu answer {} --undo` takes it back", given.id)))
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
