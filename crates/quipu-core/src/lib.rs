//! The heart of Quipu: formats, rules and plans. Text in, values out.
//!
//! No module reads a file, a clock or the environment. An operation is *read a snapshot → plan
//! (here) → show or apply (in `quipu-engine`)*.

pub mod archive;
pub mod contradict;
pub mod doc;
pub mod edit;
pub mod fact;
pub mod facts;
pub mod finding;
pub mod ledger;
pub mod lint;
pub mod manifest;
pub mod memory;
pub mod naming;
mod outline;
pub mod policy;
mod reactivation;
pub mod refresh;
pub mod review;
pub mod secret;
pub mod session;
pub mod template;
pub mod text;
pub mod tier;
pub mod verify;
