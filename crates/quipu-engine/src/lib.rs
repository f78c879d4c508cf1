//! What one can do with a memory on a real machine: files, locks, transactions and the use cases.
//!
//! Rules live in `quipu-core`; words and exit codes live in `quipu-cli`. An operation here reads a
//! snapshot under the workspace's lock, lets the core plan, and applies the plan or nothing of it.

pub mod adoption;
pub mod brief;
pub mod cache;
pub mod caller;
pub mod codebase;
pub mod compaction;
pub mod compress;
pub mod config;
pub mod decide;
pub mod digest;
pub mod dream;
pub mod drift;
pub mod embedding;
pub mod entities;
pub mod error;
pub mod experiences;
pub mod facts;
mod found;
pub mod fs;
pub mod gateway;
pub mod git;
pub mod glance;
pub mod glob;
pub mod harvest;
pub mod history;
pub mod hook;
pub mod index;
pub mod journal;
mod ledger;
pub mod lock;
pub mod memory_tool;
pub mod numbers;
pub mod open;
pub mod operation;
pub mod operations;
mod parallel;
pub mod purge;
pub mod questions;
pub mod recall;
mod records;
pub mod refusal;
pub mod remember;
pub mod replay;
pub mod report;
pub mod secret_policy;
pub mod sessions;
pub mod state;
pub mod tokens;
pub mod transaction;
pub mod undo;
pub mod upkeep;
pub mod user;
pub mod weigh;
pub mod workspace;

pub use error::{Error, ErrorKind};
pub use workspace::{Diff, Workspace};
