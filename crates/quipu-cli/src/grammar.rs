//! What a command line may say: the operations, and the commands that are no operations.

use std::ffi::OsString;

use clap::{ArgMatches, Command as Grammar, CommandFactory as _, FromArgMatches as _};
use quipu_engine::operations::{self, GROUPS};

use crate::cli::{Cli, Command, Global};
use crate::spoken::{Asked, Spoken};

/// The order in which help lists commands.
const ORDER: [&str; 62] = [
    "demo",
    "init",
    "install",
    "uninstall",
    "doctor",
    "status",
    "brief",
    "remember",
    "recall",
    "lint",
    "refresh",
    "review",
    "fact",
    "thread",
    "session",
    "timeline",
    "show",
    "edit",
    "history",
    "forget",
    "restore",
    "share",
    "unshare",
    "purge",
    "journal",
    "compact",
    "experiences",
    "user",
    "memory",
    "why",
    "curve",
    "dream",
    "harvest",
    "scan",
    "drift",
    "compress",
    "questions",
    "answer",
    "import",
    "ingest",
    "export",
    "backup",
    "undo",
    "pause",
    "resume",
    "sync",
    "adopt",
    "verify",
    "entity",
    "index",
    "replay",
    "reembed",
    "stats",
    "mcp",
    "serve",
    "open",
    "token",
    "hook",
    "memory-tool",
    "git",
    "completions",
    "man",
];

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
    for (place, name) in ORDER.iter().enumerate() {
        grammar = grammar.mut_subcommand(name, |command| command.display_order(place));
    }
    grammar
}

/// Reads the arguments of this process.
pub(crate) fn parse() -> Result<Line, clap::Error> {
    let mut grammar = grammar();
    let matches = grammar.try_get_matches_from_mut(std::env::args_os())?;
    read(&matches).map_err(|error| error.format(&mut grammar))
}

/// Reads a command line.
pub(crate) fn parse_from(
    line: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Line, clap::Error> {
    read(&grammar().try_get_matches_from(line)?)
}

/// Reads what clap found on a command line.
pub(crate) fn read(matches: &ArgMatches) -> Result<Line, clap::Error> {
    let (mut words, mut inner) = (Vec::new(), matches);
    while let Some((word, more)) = inner.subcommand() {
        words.push(word);
        inner = more;
    }
    let name = words.join(".");
    let what = match VERBS.iter().find(|verb| verb.name == name) {
        Some(verb) => What::Operation((verb.read)(inner)?),
        None => What::Command(Cli::from_arg_matches(matches)?.command),
    };
    Ok(Line { global: Global::from_arg_matches(matches)?, what })
}
