//! The `quipu` command: arguments in, words or JSON out. No rule of the product lives here.

mod browser;
mod cli;
mod commands;
mod context;
mod error;
mod grammar;
mod identity;
mod layout;
mod machine;
mod output;
mod pool;
mod progress;
mod reply;
mod running;
mod served;
mod short_ids;
mod spoken;
mod terminal;

use std::io;
use std::process::ExitCode;

use quipu_core::printable::printable;
use quipu_engine::extract;

use crate::context::Context;
use crate::error::CommandError;
use crate::grammar::What;

fn main() -> ExitCode {
    // A process of its own reads one foreign document, and does nothing else.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == extract::ARGUMENT) {
        return if extract::answer().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if let Ok(program) = std::env::current_exe() {
        extract::use_program(program);
    }
    output::tell_panics();
    let line = match grammar::parse() {
        Ok(line) => line,
        // A client takes a failure of its hook for an order to stop.
        Err(error) if error.use_stderr() && commands::hook::is_called() => {
            commands::hook::debug(&error.to_string());
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            // Help and version are answers, the rest is wrong usage.
            let message = error.to_string();
            // Whoever closed the stream does not want to know.
            let _ = if error.use_stderr() && std::env::args().any(|argument| argument == "--json") {
                output::json(&CommandError::usage(message.trim()).json())
            } else if printable(&message) == message {
                error.print()
            } else {
                // Arguments may be pasted from anywhere.
                output::err(&message)
            };
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if line.global.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    let context = Context::new(line.global);
    if let What::Command(cli::Command::Hook(arguments)) = &line.what {
        commands::hook::run(arguments, &context);
        return ExitCode::SUCCESS;
    }
    let progress = (!line.what.talks()).then(|| progress::Watch::start(&context));
    let result = commands::run_caught(line.what, &context);
    drop(progress);
    let (printed, exit) = match result {
        Ok(reply) if context.global.json => (reply.print(true, true), reply.exit),
        Ok(mut reply) => {
            reply.text = short_ids::shown(&reply.text, &context);
            reply.advice = short_ids::shown(&reply.advice, &context);
            (reply.print(false, context.global.quiet), reply.exit)
        }
        Err(error) if context.global.json => {
            let reply = reply::Reply::new("", error.json());
            (reply.print(true, true), error::exit(&error))
        }
        Err(error) => {
            let text = short_ids::shown(&error::text(&error), &context);
            (output::err(&text), error::exit(&error))
        }
    };
    match printed {
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            output::note(&format!("error: cannot write the answer: {error}\n"));
            ExitCode::from(3)
        }
        Ok(()) => ExitCode::from(exit),
    }
}
