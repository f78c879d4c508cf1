//! `quipu session`.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_engine::Diff;
use quipu_engine::operations::{
    Changed, EndedSession, ListedSessions, SessionEnd, SessionList, SessionNote, SessionNow,
    SessionShow, SessionStart, ShownSession,
};

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for SessionStart {
    fn say(&self, output: &SessionNow, _: &Context) -> Reply {
        if output.dry_run {
            return Reply::words(format!("would open session {}\n", styled(CYAN, &output.id)));
        }
        let text = format!("session {} is open\n", styled(CYAN, &output.id));
        let advice = "note what happens with `quipu session note`, end it with `quipu session end`";
        Reply::words(text).advise(advice)
    }
}

impl Spoken for SessionNote {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_words(&mut self.text, &mut self.more)
    }

    fn say(&self, output: &SessionNow, _: &Context) -> Reply {
        let verb = if output.dry_run { "would be noted" } else { "noted" };
        Reply::words(format!("{verb} in {}\n", styled(CYAN, &output.id)))
    }
}

impl Spoken for SessionEnd {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        let mut said = self.did.iter_mut().chain(&mut self.decided).chain(&mut self.next);
        said.try_for_each(|text| Context::complete_text(Some(text)))
    }

    fn say(&self, output: &Changed<EndedSession>, _: &Context) -> Reply {
        let ended = &output.done;
        let Some(path) = &ended.path else {
            return Reply::words(if output.dry_run {
                "nothing happened in this session: no log would be written\n"
            } else {
                "nothing happened in this session, so no log was written; it is closed\n"
            });
        };
        let mut text = String::new();
        let verb = if output.dry_run { "would write" } else { "wrote" };
        let _ = writeln!(text, "{verb} {}", styled(CYAN, path));
        for line in ended
            .text
            .iter()
            .flat_map(|log| log.lines())
            .skip_while(|line| *line != "## Memory References")
            .skip(1)
        {
            if !line.is_empty() {
                let _ = writeln!(text, "  {line}");
            }
        }
        for id in &ended.reactivated {
            let _ = writeln!(
                text,
                "  {} {id} is back from the archive",
                styled(YELLOW, "reactivated:")
            );
        }
        let mut advice = "";
        if let Some(plan) = &ended.review_due {
            let _ = writeln!(text);
            text.push_str(
                &super::review::plan_text(plan, &Diff::default(), true)
                    .replace("nothing to change\n", ""),
            );
            if ended.review_applied {
                text.push_str("the review was applied (review.auto)\n");
            } else {
                advice = "a review is due: see its diff with `quipu review --dry-run`, apply it with `quipu review`";
            }
        }
        Reply::words(text).advise(advice)
    }
}

impl Spoken for SessionList {
    fn say(&self, output: &ListedSessions, _: &Context) -> Reply {
        let mut text = String::new();
        for session in &output.open {
            let agent = session.agent.as_deref().unwrap_or("unknown");
            let _ = writeln!(
                text,
                "{} {}  {agent}, {}",
                styled(YELLOW, "open"),
                styled(CYAN, &session.id),
                counted(session.events.0.len(), "event")
            );
        }
        for log in &output.logs {
            let agent = log.agent.as_deref().unwrap_or("unknown");
            let _ = writeln!(
                text,
                "{}  {}  {}",
                styled(CYAN, &log.id),
                styled(DIM, agent),
                log.summary
            );
        }
        if output.open.is_empty() && output.total == 0 {
            text.push_str("no sessions yet\n");
        }
        Reply::words(text)
    }
}

impl Spoken for SessionShow {
    fn say(&self, output: &ShownSession, context: &Context) -> Reply {
        match output {
            // The log as it would be written now.
            ShownSession::Open { session, .. } => Reply::words(format!(
                "{}\n{}",
                styled(DIM, "open; its log so far:"),
                session.log(context.now())
            )),
            ShownSession::Log { text, .. } => Reply::words(text),
        }
    }
}
