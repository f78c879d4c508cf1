//! How programs talk to Quipu: the Model Context Protocol over stdio and HTTP.
//!
//! This crate knows protocols and no rule of the product. What can be done, and how it is done, is behind
//! one trait, [`Backend`]; the `quipu` binary implements it with its own commands, so that every surface
//! does the same and returns the same data. Below it all is blocking; here is the only async code.

mod backend;
mod http;
mod mcp;
mod message;
mod stdio;

pub use backend::{
    Answer, AnswerForm, Argument, Backend, Caller, Channel, Document, Effect, Listener, NotFound,
    Prompt, Resource, Scope, Tool,
};
pub use http::{
    ApiAnswer, ApiRequest, Door, Host, Listening, Notice, Refusal, SignIns, Visitor, serve,
};
pub use stdio::stdio;
