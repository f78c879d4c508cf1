//! `quipu thread`.

use quipu_engine::operations::{Changed, ThreadClose, ThreadList, ThreadOpen, ThreadSet, Threads};

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for ThreadOpen {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_words(&mut self.text, &mut self.more)
    }

    fn say(&self, output: &Changed<ThreadSet>, _: &Context) -> Reply {
        super::changed_words(&format!("opened {}", styled(CYAN, &output.done.id)), output)
    }
}

impl Spoken for ThreadClose {
    fn say(&self, output: &Changed<ThreadSet>, _: &Context) -> Reply {
        let verb = if self.reopen { "reopened" } else { "closed" };
        super::changed_words(&format!("{verb} {}", styled(CYAN, &output.done.id)), output)
    }
}

impl Spoken for ThreadList {
    fn say(&self, output: &Threads, _: &Context) -> Reply {
        Reply::words(super::fact::listed(&output.threads, "threads"))
    }
}
