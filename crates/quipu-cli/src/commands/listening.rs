//! Where a server listens.

use std::net::SocketAddr;

use crate::cli::ServeArgs;
use crate::error::CommandError;

/// Returns where to listen: as the command says, or the configuration.
pub(super) fn address(arguments: &ServeArgs, configured: &str) -> Result<SocketAddr, CommandError> {
    match arguments.listen {
        Some(listen) => Ok(listen),
        None => configured.parse().map_err(|_| {
            CommandError::input("bad-config", format!("serve.listen is `{configured}`"))
        }),
    }
}

/// Says that nobody can listen there.
pub(super) fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> CommandError {
    CommandError::input("io", format!("cannot listen on {listen}: {error}"))
        .hint("another server may be there; `--listen 127.0.0.1:0` takes a free port")
}
