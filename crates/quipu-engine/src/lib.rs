//! What one can do with a memory on a real machine: files, locks, transactions and the use cases.
//!
//! Rules live in `quipu-core`; words and exit codes live in `quipu-cli`. An operation here reads a
//! snapshot under the workspace's lock, lets the core plan, and applies the plan or nothing of it.

pub mod adoption;
pub mod backup;
pub mod brief;
mod by_hand;
pub mod cache;
pub mod caller;
pub mod codebase;
pub mod compaction;
pub mod compress;
pub mod config;
pub mod cords;
pub mod decide;
pub mod digest;
pub mod dream;
pub mod drift;
pub mod embedding;
pub mod entities;
pub mod error;
pub mod experiences;
pub mod export;
pub mod facts;
mod found;
pub mod fs;
pub mod gateway;
pub mod git;
pub mod glance;
pub mod glob;
pub mod harvest;
pub mod history;
pub mod home;
pub mod hook;
pub mod ids;
pub mod import;
pub mod index;
pub mod ingest;
pub mod journal;
mod ledger;
pub mod listing;
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
pub mod retry;
pub mod secret_policy;
pub mod sessions;
pub mod settle;
#[cfg(feature = "postgres")]
pub mod space;
pub mod state;
pub mod timeline;
pub mod tokens;
pub mod transaction;
pub mod undo;
pub mod upkeep;
pub mod user;
pub mod watch;
pub mod weigh;
pub mod workspace;

pub use error::{Error, ErrorKind};
pub use workspace::{Diff, Workspace};
