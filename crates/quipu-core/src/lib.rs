//! The heart of Quipu: formats, rules and plans. Text in, values out.
//!
//! No module reads a file, a clock or the environment. An operation is *read a snapshot → plan
//! (here) → show or apply (in `quipu-engine`)*.

pub mod archive;
pub mod brief;
pub mod calendar;
pub mod card;
pub mod claim;
pub mod cluster;
pub mod contradict;
pub mod doc;
pub mod edit;
pub mod entity;
pub mod excerpt;
pub mod fact;
pub mod facts;
pub mod finding;
pub mod harvest;
pub mod hook;
pub mod indexing;
pub mod item;
pub mod journal;
pub mod ledger;
pub mod lifecycle;
pub mod lint;
pub mod manifest;
pub mod memory;
pub mod memory_tool;
pub mod merge;
pub mod migrate;
mod named;
pub mod naming;
pub mod nature;
mod outline;
pub mod policy;
pub mod printable;
pub mod prose;
pub mod purge;
pub mod question;
pub mod rank;
mod reactivation;
pub mod refresh;
pub mod review;
pub mod secret;
pub mod session;
pub mod template;
pub mod terms;
pub mod text;
pub mod tier;
pub mod upgrade;
pub mod vector;
pub mod verify;
pub mod when;
pub mod wiring;
