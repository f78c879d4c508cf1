//! Foreign documents (PDF, Word, `OpenDocument`, EPUB), each read by a process of its own: whatever a document makes its
//! reader do, a panic, a loop or a flood, costs that document and nothing else.
//!
//! The process is this program again, with [`ARGUMENT`]: bytes in, JSON out. It opens no file and may use only so much
//! memory and time.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use quipu_import::document::{Document, Unreadable, read_foreign};
use quipu_import::input::LONGEST_TEXT;

/// The argument that makes the program read one document from stdin.
pub const ARGUMENT: &str = "__extract";

/// Reading a document takes no longer than this.
const LONGEST: Duration = Duration::from_secs(20);

/// Its process has no more memory than this.
const MOST_MEMORY: u64 = 1024 * 1024 * 1024;

/// How often is looked whether it is done.
const LOOK: Duration = Duration::from_millis(5);

/// The program that reads documents, where there is one.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says which program to start with [`ARGUMENT`]. Without it no foreign document is read.
pub fn use_program(program: PathBuf) {
    // Whoever comes second is the same process, and means the same program.
    let _ = PROGRAM.set(program);
}

/// Reads a document in a process of its own.
///
/// # Errors
/// When it cannot be read, or not within the limits.
pub fn document(bytes: &[u8]) -> Result<Document, Unreadable> {
    let program = PROGRAM.get().ok_or_else(|| refused("nothing here reads documents"))?;
    let failed = |error: io::Error| refused(&format!("its reader cannot be started: {error}"));
    let mut child = Command::new(program)
        .arg(ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let answer = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A reader that ends early has said why, or is found dead below.
            stdin.map(|mut stdin| stdin.write_all(bytes).and_then(|()| stdin.flush()))
        });
        let answer = scope.spawn(move || {
            let mut answer = Vec::new();
            // JSON needs up to six signs for one.
            let limited = stdout.map(|stdout| stdout.take(LONGEST_TEXT * 6));
            limited.map(|mut limited| limited.read_to_end(&mut answer));
            answer
        });
        let begun = Instant::now();
        let is_in_time = loop {
            match child.try_wait() {
                Ok(Some(_)) => break true,
                Ok(None) if begun.elapsed() < LONGEST => std::thread::sleep(LOOK),
                // A process that is stopped closes its pipes, and the threads above end.
                Ok(None) | Err(_) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break false;
                }
            }
        };
        is_in_time.then(|| answer.join().unwrap_or_default())
    });
    let Some(answer) = answer else {
        return Err(refused(&format!("reading it takes longer than {} s", LONGEST.as_secs())));
    };
    serde_json::from_slice::<Result<Document, Unreadable>>(&answer).unwrap_or_else(|_| {
        Err(refused("its reader failed: it is broken, or needs more than 1 GiB of memory"))
    })
}

fn refused(why: &str) -> Unreadable {
    Unreadable(why.to_owned())
}

/// Reads the document at stdin and answers at stdout: what the process of [`ARGUMENT`] does.
///
/// # Errors
/// When it cannot read or answer.
pub fn answer() -> io::Result<()> {
    limit();
    let mut bytes = Vec::new();
    io::stdin().lock().take(LONGEST_TEXT + 1).read_to_end(&mut bytes)?;
    let read = read_foreign(&bytes);
    serde_json::to_writer(io::stdout().lock(), &read)?;
    io::stdout().lock().flush()
}

/// Takes the means for more than reading one document away from this process.
#[cfg(unix)]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limits = [
        (Resource::As, MOST_MEMORY),
        (Resource::Cpu, LONGEST.as_secs() + 1),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ];
    for (resource, most) in limits {
        // A system without such a limit still has the parent's clock.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn limit() {}
