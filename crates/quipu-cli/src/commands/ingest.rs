//! `quipu ingest`.

use std::fmt::Write as _;
use std::time::Duration;

use quipu_engine::Workspace;
use quipu_engine::ingest::Ingested;
use quipu_engine::operation::registry;
use quipu_engine::operations::Ingest;

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// How often the places are looked at while they are watched.
const LOOK: Duration = Duration::from_secs(2);

impl Spoken for Ingest {
    fn talks(&self) -> bool {
        self.watch
    }

    fn follow_up(
        &self,
        first: &Ingested,
        workspace: &Workspace,
        context: &Context,
    ) -> Result<(), CommandError> {
        if !self.watch {
            return Ok(());
        }
        let news = |done: &Ingested| Ingested {
            documents: done.documents.iter().filter(|one| one.state != "known").cloned().collect(),
            ..Ingested::default()
        };
        self.say(first, context).print_now()?;
        let mut left_out = first.left_out.clone();
        loop {
            std::thread::sleep(LOOK);
            let looked = registry::carry_out(self, workspace, &context.call(&|_, _, _| true));
            // Whoever writes at the moment is waited for.
            let Ok((done, _)) = looked else { continue };
            let mut new = news(&done);
            new.left_out = done.left_out.clone();
            new.left_out.retain(|source, why| left_out.get(source) != Some(why));
            left_out.clone_from(&done.left_out);
            if !new.documents.is_empty() || !new.left_out.is_empty() || done.applied {
                self.say(&new, context).print_now()?;
            }
        }
    }

    fn say(&self, done: &Ingested, _: &Context) -> Reply {
        let mut text = String::new();
        for one in &done.documents {
            let title = one.title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
            let _ = writeln!(
                text,
                "{:<8} {}{title}  {}",
                one.state,
                styled(CYAN, &one.source),
                styled(DIM, &one.path)
            );
        }
        for imported in &done.conversations {
            text.push_str(&super::import::told(imported, false));
        }
        for source in &done.gone {
            let what = if self.prune { "forgotten" } else { "gone" };
            let _ = writeln!(text, "{what:<8} {source}");
        }
        for (source, why) in &done.left_out {
            let _ = writeln!(text, "{} {source}: {why}", styled(YELLOW, "left out"));
        }
        if done.redacted > 0 {
            let _ = writeln!(
                text,
                "{} {} with a credential, which is blacked out",
                styled(YELLOW, "secrets:"),
                done.redacted
            );
        }
        if done.other_files > 0 {
            let files = if done.other_files == 1 {
                "1 file is".to_owned()
            } else {
                format!("{} files are", done.other_files)
            };
            let _ = writeln!(
                text,
                "{}",
                styled(DIM, format!("{files} no documents (`quipu scan` reads code)"))
            );
        }
        let reply = Reply::words(text);
        if done.applied {
            reply.advise("`quipu recall` finds what stands in them; `quipu undo` takes it back")
        } else {
            reply
        }
    }
}
