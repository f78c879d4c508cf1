//! One client at the other end of stdin and stdout.

use std::io;
use std::sync::Arc;

use rmcp::service::ServiceExt as _;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
    DuplexStream,
};
use tokio::sync::Mutex;

use crate::backend::{Backend, Caller};
use crate::mcp::Mcp;
use crate::message;

/// So much waits between us and the protocol.
const ROOM: usize = 64 * 1024;

/// Of a message that is too long, so much is kept to look for its id.
const BEGINNING: usize = 64 * 1024;

/// Speaks MCP over stdin and stdout until the client closes stdin.
///
/// # Errors
/// When the client says something else than the protocol at the very start.
pub fn stdio<B: Backend>(backend: B, caller: Caller) -> io::Result<()> {
    // One thread: requests are taken up in the order in which they come.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let mcp = Mcp::in_turn(Arc::new(backend), caller);
        let out = Arc::new(Mutex::new(tokio::io::stdout()));
        let (to_protocol, heard) = tokio::io::duplex(ROOM);
        let (said, from_protocol) = tokio::io::duplex(ROOM);
        let hearing = tokio::spawn(hear(tokio::io::stdin(), to_protocol, out.clone()));
        let saying = tokio::spawn(say(from_protocol, out));
        let served = async {
            let service = mcp.serve((heard, said)).await.map_err(io::Error::other)?;
            service.waiting().await.map_err(io::Error::other)
        };
        let served = served.await;
        hearing.abort();
        // What was answered last is still on its way.
        let _ = saying.await;
        served
    });
    // Reading stdin may hang in a thread of its own; nobody waits for it.
    runtime.shutdown_background();
    served.map(drop)
}

/// Passes on the messages of the client, and answers those that are none.
async fn hear<W: AsyncWrite + Unpin>(
    input: impl AsyncRead + Unpin,
    mut to_protocol: DuplexStream,
    out: Arc<Mutex<W>>,
) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let Some(is_whole) = read_line(&mut input, &mut line).await? else { return Ok(()) };
        let message = line.trim_ascii();
        if message.is_empty() {
            continue;
        }
        let refusal =
            if is_whole { message::refusal(message) } else { Some(message::too_long(message)) };
        match refusal {
            Some(refusal) => write_line(&mut *out.lock().await, refusal.as_bytes()).await?,
            None => write_line(&mut to_protocol, message).await?,
        }
    }
}

/// Reads a line; tells whether it is there as a whole, or nothing at the end. Of one that is too long only the
/// beginning is kept.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<Option<bool>> {
    let (mut is_whole, mut is_any) = (true, false);
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            return Ok(is_any.then_some(is_whole));
        }
        is_any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        if is_whole {
            line.extend_from_slice(&available[..taken]);
        }
        if line.len() > message::LONGEST {
            is_whole = false;
            line.truncate(BEGINNING);
            line.shrink_to_fit();
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

/// Passes on what the protocol says, a line at a time, so that no other answer gets in between.
async fn say<W: AsyncWrite + Unpin>(
    from_protocol: DuplexStream,
    out: Arc<Mutex<W>>,
) -> io::Result<()> {
    let mut from_protocol = BufReader::new(from_protocol);
    let mut line = Vec::new();
    while from_protocol.read_until(b'\n', &mut line).await? > 0 {
        let mut out = out.lock().await;
        out.write_all(&line).await?;
        out.flush().await?;
        line.clear();
    }
    Ok(())
}

async fn write_line(out: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> io::Result<()> {
    out.write_all(line).await?;
    out.write_all(b"\n").await?;
    out.flush().await
}
