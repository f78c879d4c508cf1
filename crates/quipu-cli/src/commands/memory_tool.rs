//! `quipu memory-tool`.

use quipu_engine::operations::{MemoryTool, MemoryToolAnswer};

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::Reply;
use crate::spoken::Spoken;

impl Spoken for MemoryTool {
    fn complete(&mut self, _: &Context) -> Result<(), CommandError> {
        Context::complete_text(Some(self.command.get_or_insert_with(|| "-".to_owned())))
    }

    fn say(&self, output: &MemoryToolAnswer, _: &Context) -> Reply {
        Reply::words(output.content.clone())
    }
}
