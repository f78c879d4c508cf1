//! A sign of life for work that takes longer than a moment.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use quipu_core::printable::printable_line;

use crate::context::Context;
use crate::output;

/// All that is shown while a command works, so that two lines never write over each other.
static SHOWN: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Whether steps are shown: the spinner, which knows less, makes room for them.
static HAS_STEPS: AtomicBool = AtomicBool::new(false);

/// Shows a spinner on stderr while it lives, if that is longer than a moment.
pub(crate) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts watching; does nothing where no person looks.
    pub(crate) fn start(context: &Context) -> Self {
        let silent = context.global.quiet || context.global.json || !output::is_watched();
        if silent {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            if stopped.recv_timeout(Duration::from_millis(600)).is_ok() {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} working on the memory, {elapsed}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            if HAS_STEPS.load(Ordering::Relaxed) {
                return;
            }
            let spinner = SHOWN.add(ProgressBar::new_spinner().with_style(style));
            while stopped.recv_timeout(Duration::from_millis(100)).is_err() {
                if HAS_STEPS.load(Ordering::Relaxed) {
                    break;
                }
                spinner.tick();
            }
            spinner.finish_and_clear();
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A bar that tells of several steps, one after another: on stderr, for people.
pub(crate) struct Steps(Option<ProgressBar>);

impl Steps {
    /// Makes a bar; nothing is shown where no person looks, or before a moment has passed.
    pub(crate) fn new(context: &Context) -> Self {
        if context.global.quiet || context.global.json || !output::is_watched() {
            return Self(None);
        }
        let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}, {eta} left");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(Some(ProgressBar::hidden().with_style(style)))
    }

    /// Says how much of how much of a step is done; returns whether to go on.
    pub(crate) fn set(&self, step: &str, done: usize, total: usize) -> bool {
        if let Some(bar) = &self.0 {
            let step = printable_line(step);
            if bar.message() != step {
                if !HAS_STEPS.swap(true, Ordering::Relaxed) {
                    SHOWN.add(bar.clone());
                }
                bar.reset();
                bar.set_message(step.into_owned());
            }
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            if total > 0 && done >= total {
                // What is done says nothing any more.
                bar.finish_and_clear();
            }
        }
        true
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
