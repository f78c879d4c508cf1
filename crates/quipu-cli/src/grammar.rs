//! What a command line may say: the operations, and the commands that are no operations.

mod catalog;
mod help;

use std::ffi::OsString;

use clap::{
    Arg, ArgAction, ArgMatches, Command as Grammar, CommandFactory as _, FromArgMatches as _,
};
use quipu_engine::operations::{self, GROUPS};

use self::catalog::{ADMIN, GROUPS as HELP_GROUPS};
use crate::cli::{Cli, Command, Global};
use crate::spoken::{Asked, Spoken};

struct Verb {
    name: &'static str,
    read: fn(&ArgMatches) -> Result<Box<dyn Asked>, clap::Error>,
}

impl Verb {
    const fn of<O: Spoken + 'static>() -> Self {
        Self { name: O::NAME, read: |matches| Ok(Box::new(O::from_arg_matches(matches)?)) }
    }
}

macro_rules! verbs {
    ($($operation:ident)*) => {
        static VERBS: &[Verb] = &[$(Verb::of::<operations::$operation>()),*];
    };
}

quipu_engine::every_operation!(verbs);

/// A command line that was understood.
pub(crate) struct Line {
    pub(crate) global: Global,
    pub(crate) what: What,
}

/// What a command line asks for.
pub(crate) enum What {
    /// An operation.
    Operation(Box<dyn Asked>),
    /// A command that is none.
    Command(Command),
}

impl What {
    /// Tells whether it uses the terminal while it runs.
    pub(crate) fn talks(&self) -> bool {
        match self {
            Self::Operation(asked) => asked.talks(),
            Self::Command(command) => command.talks(),
        }
    }
}

/// Returns everything that a command line may say.
pub(crate) fn grammar() -> Grammar {
    let mut grammar = Cli::command();
    for (name, about) in GROUPS {
        let group = Grammar::new(name).about(about).subcommand_required(true);
        grammar = grammar.subcommand(group.arg_required_else_help(true));
    }
    for entry in &operations::ALL {
        grammar = match entry.words()[..] {
            [group, _] => grammar.mut_subcommand(group, |it| it.subcommand((entry.command)())),
            _ => grammar.subcommand((entry.command)()),
        };
    }
    // Everything that is remembered is one list, whatever kind it is.
    if let Some(list) = operations::named(LIST) {
        grammar = grammar.subcommand((list.command)());
    }
    let rare: Vec<Grammar> =
        ADMIN.iter().filter_map(|name| grammar.find_subcommand(name).cloned()).collect();
    let admin = Grammar::new("admin")
        .about("Rare commands: the index, its numbers, and what else is seldom needed")
        .subcommands(rare)
        .subcommand_required(true)
        .arg_required_else_help(true);
    grammar = grammar.subcommand(admin).subcommand(help_command());
    for name in ADMIN {
        grammar = grammar.mut_subcommand(name, |command| command.hide(true));
    }
    let ordered = HELP_GROUPS.iter().flat_map(|group| group.commands);
    for (place, name) in ordered.enumerate() {
        grammar = grammar.mut_subcommand(name, |command| command.display_order(place));
    }
    let names: Vec<String> =
        grammar.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != HELP) {
        grammar = grammar.mut_subcommand(name, |command| help::explained(command, name));
    }
    grammar.disable_help_subcommand(true).override_help(help::everyday())
}

/// The operation that `quipu list` is.
const LIST: &str = "memory.list";

/// The command that shows the help of others.
const HELP: &str = "help";

fn help_command() -> Grammar {
    let all = Arg::new("all").long("all").action(ArgAction::SetTrue);
    Grammar::new(HELP)
        .about("Show the help of a command, or of all with --all")
        .arg(all.help("List every command, by group"))
        .arg(Arg::new("command").num_args(0..).value_name("COMMAND").help("The command"))
}

/// Reads the arguments of this process.
pub(crate) fn parse() -> Result<Line, clap::Error> {
    let mut grammar = grammar();
    let matches = grammar
        .try_get_matches_from_mut(std::env::args_os())
        .map_err(|error| help::with_meant(error, &grammar))?;
    if let Some((HELP, asked)) = matches.subcommand() {
        return Err(helped(grammar, asked));
    }
    read(&matches).map_err(|error| error.format(&mut grammar))
}

/// Returns the help that was asked for, which clap hands out as an error.
fn helped(mut grammar: Grammar, asked: &ArgMatches) -> clap::Error {
    let words = asked.get_many::<String>("command").into_iter().flatten().cloned();
    let mut line = vec!["quipu".to_owned()];
    if asked.get_flag("all") {
        grammar = grammar.clone().override_help(help::everything(&grammar));
    } else {
        line.extend(words);
    }
    line.push("--help".to_owned());
    match grammar.try_get_matches_from_mut(line) {
        Err(error) => help::with_meant(error, &grammar),
        Ok(_) => clap::Error::new(clap::error::ErrorKind::DisplayHelp),
    }
}

/// Reads a command line.
pub(crate) fn parse_from(
    line: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Line, clap::Error> {
    read(&grammar().try_get_matches_from(line)?)
}

/// Reads what clap found on a command line.
pub(crate) fn read(matches: &ArgMatches) -> Result<Line, clap::Error> {
    // A command under `admin` is the same as without it.
    let outer = match matches.subcommand() {
        Some(("admin", rare)) => rare,
        _ => matches,
    };
    let (mut words, mut inner) = (Vec::new(), outer);
    while let Some((word, more)) = inner.subcommand() {
        words.push(word);
        inner = more;
    }
    let name = words.join(".");
    let name = if name == "list" { LIST } else { &name };
    // `quipu log` alone asks what happened to everything.
    if name == "history" && inner.get_one::<String>("id").is_none_or(String::is_empty) {
        let what = parse_from(["quipu", "timeline"])?.what;
        return Ok(Line { global: Global::from_arg_matches(matches)?, what });
    }
    let what = match VERBS.iter().find(|verb| verb.name == name) {
        Some(verb) => What::Operation((verb.read)(inner)?),
        None => What::Command(Command::from_arg_matches(outer)?),
    };
    Ok(Line { global: Global::from_arg_matches(matches)?, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `each` with every command that has none below it, and those that have, by their words.
    fn walk(grammar: &Grammar, words: &str, each: &mut dyn FnMut(&str, &Grammar)) {
        for command in grammar.get_subcommands().filter(|command| command.get_name() != HELP) {
            let words = format!("{words} {}", command.get_name());
            each(words.trim(), command);
            walk(command, &words, each);
        }
    }

    /// Splits an example as a shell would.
    fn split(example: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        for c in example.chars() {
            match (c, quote) {
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                (' ', None) => words.push(std::mem::take(&mut word)),
                _ => word.push(c),
            }
        }
        words.push(word);
        // What a shell does with an answer is no part of the command line.
        let end = words.iter().position(|word| ["<", ">", "|"].contains(&word.as_str()));
        words.truncate(end.unwrap_or(words.len()));
        words
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        let mut grammar = grammar();
        grammar.build();
        let mut without = Vec::new();
        walk(&grammar, "", &mut |words, command| {
            let known = words.strip_prefix("admin ").unwrap_or(words);
            let help = command.clone().render_help().to_string();
            let is_shown = catalog::examples(known).iter().all(|example| help.contains(example));
            if catalog::examples(known).is_empty() || !is_shown {
                without.push(words.to_owned());
            }
        });
        assert_eq!(without, Vec::<String>::new(), "add them to `EXAMPLES` in grammar/catalog.rs");
    }

    #[test]
    fn every_example_is_a_command_line_that_parses() {
        for (words, examples) in catalog::EXAMPLES {
            assert!(!examples.is_empty(), "{words}");
            for example in *examples {
                if let Err(error) = parse_from(split(example)) {
                    panic!("`{example}`, of `{words}`: {error}");
                }
            }
        }
    }

    #[test]
    fn every_example_belongs_to_a_command_that_exists() {
        let grammar = grammar();
        let mut known = Vec::new();
        walk(&grammar, "", &mut |words, _| known.push(words.to_owned()));
        for (words, _) in catalog::EXAMPLES {
            assert!(known.iter().any(|one| one == words), "there is no `{words}`");
        }
    }

    #[test]
    fn old_names_of_rare_commands_keep_working_and_are_not_shown() {
        let top = grammar();
        for name in ADMIN {
            assert!(top.find_subcommand(name).is_some_and(Grammar::is_hide_set), "{name}");
        }
        for line in [["quipu", "stats"].as_slice(), &["quipu", "admin", "stats"]] {
            let what = parse_from(line).unwrap().what;
            assert!(matches!(what, What::Operation(_)), "{line:?}");
        }
    }
}
