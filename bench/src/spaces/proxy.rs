//! Counts round trips: a socket between a client and `PostgreSQL`.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of the socket of the usual port.
const SOCKET: &str = ".s.PGSQL.5432";

/// Stands in `folder` for the server whose socket is in `server`. Returns how often a client has waited.
pub(super) fn between(folder: &Path, server: &Path) -> Arc<AtomicU64> {
    let trips = Arc::new(AtomicU64::new(0));
    let listener = UnixListener::bind(folder.join(SOCKET)).unwrap();
    let (counted, server) = (Arc::clone(&trips), server.join(SOCKET));
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let upstream = UnixStream::connect(&server).unwrap();
            let (mut answers, mut back) =
                (upstream.try_clone().unwrap(), client.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut answers, &mut back);
                let _ = back.shutdown(std::net::Shutdown::Both);
            });
            let trips = Arc::clone(&counted);
            std::thread::spawn(move || asked(client, upstream, &trips));
        }
    });
    trips
}

/// Hands on what a client asks. A simple query and a sync each are waited for.
fn asked(mut client: UnixStream, mut server: UnixStream, trips: &AtomicU64) {
    let mut kept: Vec<u8> = Vec::new();
    let mut is_begun = false;
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read) = client.read(&mut bytes) {
        if read == 0 || server.write_all(&bytes[..read]).is_err() {
            break;
        }
        kept.extend_from_slice(&bytes[..read]);
        loop {
            // The first message has no kind.
            let head = usize::from(is_begun);
            let Some(length) = kept.get(head..head + 4) else { break };
            let length = u32::from_be_bytes(length.try_into().unwrap()) as usize + head;
            if kept.len() < length {
                break;
            }
            if is_begun && matches!(kept[0], b'Q' | b'S') {
                trips.fetch_add(1, Ordering::Relaxed);
            }
            is_begun = true;
            kept.drain(..length);
        }
    }
    let _ = server.shutdown(std::net::Shutdown::Both);
}
