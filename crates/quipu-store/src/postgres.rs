//! Many spaces in one `PostgreSQL` database, each of them a workspace with files and an index.
//!
//! A [`Database`] hands out connections, a [`Link`] is what one workspace does in its space (one
//! transaction at a time), and [`PgStore`] and [`SpaceFiles`] are the index and the files as the link
//! sees them. The index is the same as in `SQLite`: what is read becomes the same view, and the same
//! code searches it.
//!
//! This is the one place that waits for the database. It must not be called from async code: the
//! server runs operations on threads that may block.

mod admin;
mod compress;
mod connect;
mod error;
mod examination;
mod files;
#[cfg(test)]
mod isolation;
mod link;
mod listing;
mod loading;
mod read;
mod schema;
mod segments;
mod store;
mod views;
mod write;

pub use admin::{AuditLine, SpaceInfo, SpaceToken};
pub use connect::Database;
pub use examination::Examined;
pub use files::{PageInfo, SpaceFiles};
pub use link::{AuditRecord, Link};
pub use store::PgStore;
