//! Opening an address in the user's browser.

use std::process::{Command, Stdio};

/// Programs that open an address, the user's own choice first.
const OPENERS: [&str; 3] = if cfg!(target_os = "macos") {
    ["open", "xdg-open", "wslview"]
} else {
    ["xdg-open", "wslview", "open"]
};

/// Opens an address; nothing happens where no program can. The address was printed, so nobody is lost then.
pub(crate) fn open(address: &str) {
    let chosen = std::env::var("BROWSER").ok().filter(|name| !name.trim().is_empty());
    let openers = chosen.iter().map(String::as_str).chain(OPENERS);
    for opener in openers {
        let started = Command::new(opener)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Ok(mut child) = started {
            // It ends by itself, and somebody has to notice.
            std::thread::spawn(move || {
                let _ = child.wait();
            });
            return;
        }
    }
}
