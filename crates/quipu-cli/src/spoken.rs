//! Operations at a terminal: what it adds to their arguments, and how their answers are told.

use std::fmt::Write as _;

use quipu_engine::Workspace;
use quipu_engine::index;
use quipu_engine::operation::registry;
use quipu_engine::operation::{Call, Operation, Output as _};

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{self, styled};
use crate::pool::Lease;
use crate::progress::Steps;
use crate::reply::{Reply, YELLOW};

/// An operation at a terminal.
pub(crate) trait Spoken: Operation {
    /// Answers without a memory, where the arguments ask for something that needs none.
    fn outside(&self, _: &Context) -> Result<Option<Reply>, CommandError> {
        Ok(None)
    }

    /// Takes from the terminal what the arguments leave to it: stdin, an editor, a question.
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Ok(())
    }

    /// Asks the person about what would happen, before anything does.
    fn ask(&mut self, _: &Workspace, _: &Context) -> Result<(), CommandError> {
        Ok(())
    }

    /// Tells whether it uses the terminal while it runs.
    fn talks(&self) -> bool {
        false
    }

    /// Does what the terminal asked for beside the answer: writes a file, or stays and tells what comes.
    fn follow_up(&self, _: &Self::Output, _: &Workspace, _: &Context) -> Result<(), CommandError> {
        Ok(())
    }

    /// Puts an answer into words.
    fn say(&self, output: &Self::Output, context: &Context) -> Reply;
}

/// An operation with its arguments, whatever its type.
pub(crate) trait Asked {
    fn talks(&self) -> bool;
    fn reply(&mut self, context: &Context) -> Result<Reply, CommandError>;
}

impl<O: Spoken> Asked for O {
    fn talks(&self) -> bool {
        Spoken::talks(self)
    }

    fn reply(&mut self, context: &Context) -> Result<Reply, CommandError> {
        if let Some(reply) = self.outside(context)? {
            return Ok(reply);
        }
        self.complete(context)?;
        let workspace = context.workspace_for(self)?;
        self.ask(&workspace, context)?;
        let steps = Steps::new(context);
        let progress = |step: &str, done: usize, total: usize| steps.set(step, done, total);
        let own = context.own_session(&workspace);
        let call = Call { session: own.as_deref(), ..context.call(&progress) };
        let output = registry::carry_out(self, &workspace, &call);
        drop(steps);
        tell_recovered(&workspace);
        let (output, change) = output?;
        self.follow_up(&output, &workspace, context)?;
        let mut reply = self.say(&output, context);
        reply.json = registry::with_change(&output, change)?;
        reply.exit = u8::from(output.wants_attention());
        Ok(reply)
    }
}

/// Does something, and tells a bug of ours from a failure.
pub(crate) fn caught<T>(
    open: impl FnOnce() -> Result<Lease, CommandError>,
    does: impl FnOnce() -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    // What a panic went through is dropped: the next command opens the workspace anew.
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(does));
    // The panic has told on stderr what happened.
    let ran = ran.unwrap_or_else(|_| Err(CommandError::bug()));
    // A command that reads one answer has mended it already; after any other the next one finds it whole.
    if let Err(error) = &ran
        && error.is_damaged_index()
        && let Ok(workspace) = open()
    {
        let _ = index::set_damaged_aside(&workspace);
    }
    ran
}

/// Tells on stderr of operations that an earlier process left unfinished.
pub(crate) fn tell_recovered(workspace: &Workspace) {
    for found in workspace.take_recovered() {
        let what = if found.forward { "finished" } else { "took back" };
        let mut note =
            format!("{} {what} an interrupted `{}`\n", styled(YELLOW, "note:"), found.operation);
        for path in found.left_alone {
            let _ =
                writeln!(note, "  {path} was edited meanwhile and left as it is; run `quipu lint`");
        }
        output::note(&note);
    }
}
