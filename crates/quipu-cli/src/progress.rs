//! A sign of life for work that takes longer than a moment.

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use quipu_core::printable::printable_line;

use crate::context::Context;
use crate::output;
use crate::served::Progress;

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
            let spinner = ProgressBar::new_spinner()
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            while stopped.recv_timeout(Duration::from_millis(100)).is_err() {
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

/// A bar that tells of several steps, one after another.
pub(crate) struct Steps(Bar);

impl Steps {
    /// Makes a bar; nothing is shown where no person looks.
    pub(crate) fn new(context: &Context) -> Self {
        Self(Bar::new(context, ""))
    }

    /// Says how much of how much of a step is done; returns whether to go on.
    pub(crate) fn set(&self, step: &str, done: usize, total: usize) -> bool {
        match &self.0.0 {
            Shown::Nowhere => true,
            Shown::Program(progress, _) => progress.heard(step, done, total),
            Shown::Terminal(bar) => {
                let step = printable_line(step);
                if bar.message() != step {
                    bar.reset();
                    bar.set_message(step.into_owned());
                }
                self.0.set(done, total);
                true
            }
        }
    }
}

/// A bar for work that knows its length: on stderr for people, in messages for programs.
pub(crate) struct Bar(Shown);

enum Shown {
    Nowhere,
    Terminal(ProgressBar),
    Program(Progress, &'static str),
}

impl Bar {
    /// Makes a bar; nothing is shown where no person looks, or before a moment has passed.
    pub(crate) fn new(context: &Context, what: &'static str) -> Self {
        if let Some(progress) = context.progress() {
            return Self(Shown::Program(progress.clone(), what));
        }
        let silent = context.global.quiet || context.global.json || !output::is_watched();
        if silent {
            return Self(Shown::Nowhere);
        }
        let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}, {eta} left");
        let bar = ProgressBar::new(0)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_message(what);
        Self(Shown::Terminal(bar))
    }

    /// Says how much of how much is done.
    pub(crate) fn set(&self, done: usize, total: usize) {
        match &self.0 {
            Shown::Nowhere => {}
            Shown::Terminal(bar) => {
                bar.set_length(total as u64);
                bar.set_position(done as u64);
            }
            // This work cannot be stopped half way.
            Shown::Program(progress, what) => {
                progress.heard(what, done, total);
            }
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Shown::Terminal(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
