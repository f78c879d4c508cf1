//! Readers, one file a family of formats.

mod chatgpt;
mod claude;
mod claude_code;
mod claude_mem;
mod codex;
mod cursor;
mod engram;
mod graphiti;
mod hindsight;
pub(crate) mod journal;
mod letta;
mod mail;
mod mcp;
mod mem0;
mod notes;
mod palace;
mod perseus;
pub(crate) mod plain;
mod quipu;
mod sections;
mod turns;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::ImportError;
use crate::format::Format;
use crate::input::Input;
use crate::out::Out;

/// How a source is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Take the turns of conversations too, not only what was meant to be kept.
    pub with_chats: bool,
    /// The caller's own name in a conversation of many.
    pub me: Option<String>,
    /// The zone of times that name none.
    pub zone: TimeZone,
    /// Keep what is pinned there pinned here.
    pub keep_pins: bool,
    /// Only what was learned since then.
    pub since: Option<Timestamp>,
    /// Which column holds what, by our name for it.
    pub columns: BTreeMap<String, String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            with_chats: false,
            me: None,
            zone: TimeZone::UTC,
            keep_pins: false,
            since: None,
            columns: BTreeMap::new(),
        }
    }
}

/// Reads a source in a format, and hands all that it holds to `out`.
///
/// # Errors
/// When the source cannot be read at all; what is broken in a part of it is counted.
pub fn read(
    input: &Input,
    format: Format,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for (name, why) in input.left_out() {
        out.unreadable(name, why);
    }
    match format {
        Format::Quipu => quipu::read(input, options, out),
        Format::Journal => journal::read(input, options, out),
        Format::ClaudeCode => claude_code::read(input, options, out),
        Format::ChatGpt => chatgpt::read(input, options, out),
        Format::Claude => claude::read(input, options, out),
        Format::Mem0 => mem0::read(input, options, out),
        Format::Mcp => mcp::read(input, options, out),
        Format::BasicMemory => notes::basic_memory(input, options, out),
        Format::Engram => engram::read(input, options, out),
        Format::ClaudeMem => claude_mem::read(input, options, out),
        Format::Obsidian => notes::obsidian(input, options, out),
        Format::Letta => letta::read(input, options, out),
        Format::Icm => engram::icm(input, options, out),
        Format::Graphiti => graphiti::read(input, options, out),
        Format::Codex => codex::read(input, options, out),
        Format::Gemini => turns::gemini(input, options, out),
        Format::Slack => turns::slack(input, options, out),
        Format::MemPalace => palace::read(input, options, out),
        Format::Hindsight => hindsight::read(input, options, out),
        Format::Perseus => perseus::read(input, options, out),
        Format::Cursor => cursor::read(input, options, out),
        Format::Mail => mail::read(input, options, out),
        Format::Markdown => notes::markdown(input, options, out),
        Format::Csv => plain::table(input, options, out),
        Format::Json => plain::objects(input, options, out),
        Format::List => plain::list(input, options, out),
    }
}

/// Takes a value, and the line that it stands on.
type EachValue<'e> =
    dyn FnMut(serde_json::Value, Option<usize>, &mut Out<'_>) -> Result<(), ImportError> + 'e;

/// Hands out the value of a file that holds one, or its elements as a list.
pub(crate) fn each_value(
    input: &Input,
    member: &crate::input::Member,
    out: &mut Out<'_>,
    each: &mut EachValue<'_>,
) -> Result<(), ImportError> {
    use crate::draft::Skip;
    use crate::elements::{Element, elements};
    let place = input.place(member);
    elements(input.read(member)?, &place, &mut |element| {
        match element {
            Element::Value(value, line) => each(value, line, out)?,
            Element::Broken(why) => out.unreadable(&place, &why),
            Element::TooLong => out.skip(Skip::TooLong),
        }
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(())
}
