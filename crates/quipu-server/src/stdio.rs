//! One client at the other end of stdin and stdout.

use std::io;
use std::sync::Arc;

use rmcp::service::ServiceExt as _;

use crate::backend::{Backend, Caller};
use crate::mcp::Mcp;

/// Speaks MCP over stdin and stdout until the client closes stdin.
///
/// # Errors
/// When the client says something else than the protocol at the very start.
pub fn stdio<B: Backend>(backend: B, caller: Caller) -> io::Result<()> {
    // One thread: requests are taken up in the order in which they come.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let mcp = Mcp::in_turn(Arc::new(backend), caller);
        let service = mcp.serve(rmcp::transport::stdio()).await.map_err(io::Error::other)?;
        service.waiting().await.map_err(io::Error::other)
    });
    // Reading stdin may hang in a thread of its own; nobody waits for it.
    runtime.shutdown_background();
    served.map(drop)
}
