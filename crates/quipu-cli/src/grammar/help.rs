//! What help says: the everyday commands, all of them by group, examples with each, and which command was
//! meant by one that does not exist.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;

use clap::Command as Grammar;
use clap::builder::styling::Styles;
use clap::builder::{Resettable, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use quipu_core::naming;

use super::catalog::{ADMIN, EVERYDAY, GROUPS, aliases, examples};
use crate::layout;

/// Help of a command: what it does, how it is written, examples, and then every option.
const TEMPLATE: &str =
    "{before-help}{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";

/// Names stand in a column of this width.
const NAMES: usize = 13;

/// Help is not read in wider lines than this.
const WIDEST: usize = 100;

/// Adds other names and examples to a command and to those below it.
pub(super) fn explained(mut command: Grammar, words: &str) -> Grammar {
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    for name in names {
        let below = format!("{words} {name}");
        command = command.mut_subcommand(&name, |inner| explained(inner, below.trim_start()));
    }
    // Under `admin` stand commands that have examples of their own.
    let known = words.strip_prefix("admin ").unwrap_or(words);
    if !words.contains(' ') {
        command = command.visible_aliases(aliases(words).iter().copied());
    }
    let header = Styles::styled();
    let header = header.get_header();
    let mut after = format!("{}Examples:{}", header.render(), header.render_reset());
    for example in examples(known) {
        let _ = write!(after, "\n  {example}");
    }
    command.after_help(after).help_template(TEMPLATE)
}

/// Returns what `quipu` alone says: the commands that people need every day.
pub(super) fn everyday() -> String {
    let mut text =
        "Long-term memory for AI agents: plain text that people can read.\n\n".to_owned();
    let _ = writeln!(text, "{} quipu COMMAND [OPTIONS]", header("Usage:"));
    for group in EVERYDAY {
        let _ = writeln!(text, "\n{}", header(group.title));
        for (name, about) in group.commands {
            line(&mut text, name, about);
        }
    }
    text.push_str(
        "\n`quipu help COMMAND` has examples and options, `quipu help --all` every command.\n",
    );
    text
}

/// Returns every command by group, and the options that all of them take.
pub(super) fn everything(grammar: &Grammar) -> String {
    let about = |name: &str| {
        let command = grammar.find_subcommand(name)?;
        let mut about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let others: Vec<&str> = command.get_visible_aliases().collect();
        if !others.is_empty() {
            let _ = write!(about, " (also `{}`)", others.join("`, `"));
        }
        Some(about)
    };
    let mut text = format!("{} quipu COMMAND [OPTIONS]\n", header("Usage:"));
    let mut listed: BTreeSet<&str> = ADMIN.iter().copied().collect();
    let mut group = |title: &str, names: &[&str]| {
        let _ = writeln!(text, "\n{}", header(title));
        for name in names {
            line(&mut text, name, &about(name).unwrap_or_default());
        }
    };
    for one in GROUPS {
        group(one.title, one.commands);
        listed.extend(one.commands);
    }
    group("Rare: quipu admin …", ADMIN);
    listed.insert("help");
    let others: Vec<&str> = grammar
        .get_subcommands()
        .map(Grammar::get_name)
        .filter(|name| !listed.contains(name))
        .collect();
    if !others.is_empty() {
        group("Others", &others);
    }
    let plain = Resettable::<StyledStr>::Reset;
    let options = grammar.clone().help_template("{options}").override_help(plain).render_help();
    let _ = writeln!(text, "\n{}\n{}", header("Options that every command takes"), options.ansi());
    if let Some(codes) = grammar.get_after_help() {
        let _ = writeln!(text, "\n{codes}");
    }
    text
}

fn header(title: &str) -> String {
    let styles = Styles::styled();
    let style = styles.get_header();
    format!("{}{title}{}", style.render(), style.render_reset())
}

/// Adds a command and what it is for, which goes on below itself.
fn line(text: &mut String, name: &str, about: &str) {
    let width = layout::width().min(WIDEST).saturating_sub(NAMES + 2);
    let mut lines = layout::lines(about, width).into_iter();
    let _ = writeln!(text, "  {name:NAMES$}{}", lines.next().unwrap_or_default());
    for more in lines {
        let _ = writeln!(text, "  {:NAMES$}{more}", "");
    }
}

/// Returns an error that says which command was meant, where it is about one that does not exist.
pub(super) fn with_meant(error: clap::Error, grammar: &Grammar) -> clap::Error {
    if error.kind() == ErrorKind::MissingSubcommand {
        // A variable such as QUIPU_DIR counts as an argument, so that clap shows no help by itself.
        let bare = || super::grammar().mut_args(|argument| argument.env(Resettable::Reset));
        for line in [std::env::args_os().collect(), vec![OsString::from("quipu")]] {
            if let Err(help) = bare().try_get_matches_from(line)
                && help.kind() != ErrorKind::MissingSubcommand
            {
                return help;
            }
        }
    }
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(said))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return error;
    };
    let group_of =
        |word: String| grammar.find_subcommand(word).filter(|command| command.has_subcommands());
    let group = std::env::args().skip(1).find_map(group_of).unwrap_or(grammar);
    let place =
        if group.get_name() == "quipu" { String::new() } else { format!(" {}", group.get_name()) };
    let names: BTreeSet<&str> =
        group.get_subcommands().flat_map(Grammar::get_name_and_visible_aliases).collect();
    let mut text = format!("there is no command `quipu{place} {}`\n", said.escape_debug());
    let meant = naming::alike(said, &names);
    if !meant.is_empty() {
        let meant: Vec<String> =
            meant.iter().map(|name| format!("`quipu{place} {name}`")).collect();
        let _ = writeln!(text, "  did you mean {}?", meant.join(" or "));
    }
    let _ = write!(text, "  `quipu{place} --help` lists the commands");
    if place.is_empty() {
        text.push_str(" of every day, `quipu help --all` lists all");
    }
    text.push('\n');
    clap::Error::raw(ErrorKind::InvalidSubcommand, text)
}
