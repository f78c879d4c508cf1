//! `quipu memory-tool`.

use quipu_engine::operations::{MemoryTool, MemoryToolAnswer};

use crate::context::Context;
use crate::error::CommandError;
use crate::grammar::Spoken;
use crate::reply::Reply;

impl Spoken for MemoryTool {
    fn complete(&mut self, context: &Context) -> Result<(), CommandError> {
        context.complete_text(Some(self.command.get_or_insert_with(|| "-".to_owned())))
    }

    fn say(&self, output: &MemoryToolAnswer, _: &Context) -> Reply {
        Reply::words(output.content.clone())
    }
}
