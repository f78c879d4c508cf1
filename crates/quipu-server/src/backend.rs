//! What a server stands in front of.

use std::sync::Arc;

use serde_json::{Map, Value};

/// What a caller may do. Each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Ask.
    Read,
    /// Ask and remember.
    Write,
    /// Everything, also what cannot be taken back.
    Admin,
}

impl Scope {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// Where a caller speaks from. Private memory goes to the main channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The one with the user.
    Main,
    /// A runtime's own ticks.
    Heartbeat,
    /// Any other.
    Other,
}

impl Channel {
    /// Returns the channel's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Heartbeat => "heartbeat",
            Self::Other => "other",
        }
    }
}

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// What they may do.
    pub scope: Scope,
    /// Where they speak from.
    pub channel: Channel,
    /// The agent's name, where it said one.
    pub agent: Option<String>,
    /// Whether it is a program of this machine that needs no token.
    pub is_local: bool,
    /// Whether the client's user submitted this very call, as a form.
    pub is_person: bool,
    /// The space that their token is for, on a server of many.
    pub space: Option<String>,
}

/// What a tool does to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It looks.
    Reads,
    /// It adds, or makes changes that can be taken back.
    Writes,
    /// It puts away or removes.
    Removes,
}

/// A tool as a client sees it.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for, in a sentence or two.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub input: Map<String, Value>,
    /// What it does to the memory.
    pub effect: Effect,
}

/// What a client gets of an answer. The same is never sent twice.
#[derive(Clone, Debug)]
pub enum AnswerForm {
    /// These words.
    Words(String),
    /// The data, as the text of a JSON document.
    JsonText,
    /// The data, as structured content.
    Data,
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the client gets of it.
    pub form: AnswerForm,
    /// The answer as data, an object.
    pub data: Value,
    /// Whether it tells of a failure.
    pub is_error: bool,
}

/// Something that can be read by address.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its address, or a template of addresses such as `quipu://memory/{id}`.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// Its media type.
    pub mime_type: &'static str,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its media type.
    pub mime_type: &'static str,
    /// The text.
    pub text: String,
}

/// An argument of a prompt.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
}

/// A prompt as a client sees it.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What it takes; nothing is required.
    pub arguments: Vec<Argument>,
}

/// There is nothing of that name.
#[derive(Debug)]
pub struct NotFound(
    /// What to tell the caller.
    pub String,
);

/// Hears how far a call has come.
pub trait Listener: Send + Sync {
    /// Takes note of a step; returns whether to go on.
    fn heard(&self, step: &str, done: usize, total: usize) -> bool;
}

/// What a server stands in front of. Calls block; a server makes several at once.
pub trait Backend: Send + Sync + 'static {
    /// Returns what a client should know before its first call.
    fn instructions(&self) -> String;

    /// Tells whether it would help to know which folders the client works in.
    fn is_lost(&self) -> bool {
        false
    }

    /// Hears which folders the client works in, as `file://` addresses.
    fn found(&self, _roots: &[String]) {}

    /// Returns the tools that a caller may use.
    fn tools(&self, caller: &Caller) -> Vec<Tool>;

    /// Calls a tool.
    ///
    /// # Errors
    /// When there is no such tool. A tool that fails is an answer.
    fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
        listener: &Arc<dyn Listener>,
    ) -> Result<Answer, NotFound>;

    /// Returns what can be read, and the templates of what else can be.
    fn resources(&self, caller: &Caller) -> (Vec<Resource>, Vec<Resource>);

    /// Reads a resource.
    ///
    /// # Errors
    /// When there is nothing to read at that address.
    fn read(&self, uri: &str, caller: &Caller) -> Result<Document, NotFound>;

    /// Returns the prompts.
    fn prompts(&self) -> Vec<Prompt>;

    /// Returns the text of a prompt, and what stands beside it as data.
    ///
    /// # Errors
    /// When there is no such prompt.
    fn prompt(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        caller: &Caller,
    ) -> Result<(String, Option<(String, Document)>), NotFound>;

    /// Returns values of an argument that begin with what was typed.
    fn complete(&self, argument: &str, typed: &str, caller: &Caller) -> Vec<String>;
}
