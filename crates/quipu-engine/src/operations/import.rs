//! Bringing memories of other programs here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_import::find::Machine;
use quipu_import::{Format, Options};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::import::{self, Asked, Imported, Place, Run};
use crate::operation::input::{Moment, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Bring memories from other programs: shows a plan first, `--yes` carries it out
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Import {
    /// A file, a folder or an archive (`-`: stdin); or a program, whose usual places are looked at
    #[arg(value_name = "SOURCE", value_hint = ValueHint::AnyPath)]
    #[serde(default)]
    pub source: Option<String>,
    /// Files or folders, after the name of a program
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    #[serde(default)]
    pub paths: Vec<PathBuf>,
    /// Import it, not only show what would be imported
    #[arg(short, long, visible_alias = "apply")]
    #[serde(default)]
    pub yes: bool,
    /// Show what would be imported, and change nothing (this is so without `--yes`)
    #[arg(short = 'n', long, conflicts_with = "yes")]
    #[serde(default)]
    pub dry_run: bool,
    /// The format, where it is not to be found out
    #[arg(long = "as", value_name = "FORMAT", value_parser = names!(Format))]
    #[serde(default, rename = "as")]
    pub format: Option<Format>,
    /// Which column holds what: text=body,time=when
    #[arg(long, value_name = "OURS=COLUMN", value_delimiter = ',')]
    #[serde(default)]
    pub map: Vec<String>,
    /// Take the turns of conversations too
    #[arg(long)]
    #[serde(default)]
    pub with_chats: bool,
    /// Your own name in conversations of many
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub me: Option<String>,
    /// The time zone of times that name none (default: that of the journal)
    #[arg(long, value_name = "ZONE")]
    #[serde(default)]
    pub timezone: Option<String>,
    /// Keep what is pinned there pinned here
    #[arg(long)]
    #[serde(default)]
    pub keep_pins: bool,
    /// Only what was learned since then
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub since: Option<Moment>,
    /// Fail (exit code 1) when a part of the source cannot be read
    #[arg(long)]
    #[serde(default)]
    pub strict: bool,
    /// List every memory, with the rule that decided what it is
    #[arg(long)]
    #[serde(default)]
    pub explain: bool,
    /// Look on this machine for what could be imported
    #[arg(long, conflicts_with_all = ["source", "yes", "list"])]
    #[serde(default)]
    pub find: bool,
    /// List the imports that were made
    #[arg(long, conflicts_with_all = ["source", "yes"])]
    #[serde(default)]
    pub list: bool,
    /// What a file holds, from callers that cannot name one of this machine
    #[arg(skip)]
    #[serde(default)]
    pub content: Option<String>,
    /// A file that was sent to the server.
    #[arg(skip)]
    #[serde(skip)]
    pub upload: Option<PathBuf>,
}

/// What was imported, could be, or was once.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ImportAnswer {
    /// Places of this machine.
    Found {
        /// The places.
        places: Vec<Place>,
    },
    /// Imports that were made.
    Listed {
        /// The imports, the oldest first.
        runs: Vec<Run>,
    },
    /// An import, or what it would be.
    Run(Box<ImportedAnswer>),
}

/// An import, or what it would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportedAnswer {
    /// What was found.
    #[serde(flatten)]
    pub imported: Imported,
    /// Whether a part that cannot be read counts as a failure.
    #[serde(skip)]
    pub is_strict: bool,
}

impl Output for ImportAnswer {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        if let Self::Run(run) = self {
            run.imported.samples.iter_mut().for_each(|sample| each(&mut sample.text));
        }
    }

    fn wants_attention(&self) -> bool {
        match self {
            Self::Found { places } => places.is_empty(),
            Self::Listed { runs } => runs.is_empty(),
            Self::Run(run) => run.is_strict && run.imported.skipped.contains_key("unreadable"),
        }
    }
}

impl Operation for Import {
    const NAME: &'static str = "import";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const LOOKS_FIRST: bool = true;
    type Output = ImportAnswer;

    fn effect(&self) -> Effect {
        if self.yes { Self::EFFECT } else { Effect::Reads }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<ImportAnswer, OperationError> {
        let names_a_place = self.find || self.source.is_some() || !self.paths.is_empty();
        if names_a_place && !call.is_here {
            // Whoever may write to a memory may not read every file of the machine that it is on.
            return Err(OperationError::input(
                "arguments",
                "files of this machine are named at its command line only",
            )
            .hint("send what the file holds as `content`"));
        }
        let machine = machine();
        if self.find {
            return Ok(ImportAnswer::Found { places: import::places(&machine) });
        }
        if self.list {
            return Ok(ImportAnswer::Listed { runs: import::runs(on)? });
        }
        let asked = self.asked(on, &machine, call.today)?;
        let request = call.request(Self::NAME, !self.yes);
        let imported = import::import(on, &asked, &request, call.progress)?;
        let is_strict = self.strict;
        Ok(ImportAnswer::Run(Box::new(ImportedAnswer { imported, is_strict })))
    }
}

/// Returns the folders and variables of this machine that say where programs keep things.
fn machine() -> Machine {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let names = [
        "CLAUDE_CONFIG_DIR",
        "MEM0_DIR",
        "MEMORY_FILE_PATH",
        "XDG_DATA_HOME",
        "CLAUDE_MEM_DATA_DIR",
        "CODEX_HOME",
    ];
    let value = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    Machine {
        home: home.map(PathBuf::from).unwrap_or_default(),
        variables: names.into_iter().filter_map(value).collect(),
    }
}

impl Import {
    fn asked(
        &self,
        on: &Workspace,
        machine: &Machine,
        today: Date,
    ) -> Result<Asked, OperationError> {
        let (mut format, mut paths) = (self.format, self.paths.clone());
        if let Some(source) = &self.source {
            let is_there = source == "-" || Path::new(source).exists();
            match Format::named(source).filter(|_| !is_there || !paths.is_empty()) {
                Some(named) => format = format.or(Some(named)),
                None => paths.insert(0, PathBuf::from(source)),
            }
            if paths.is_empty() {
                paths = usual_places(source, machine)?;
            }
        }
        let zone = match &self.timezone {
            None => on.zone().clone(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                OperationError::input("timezone", format!("`{name}` is no time zone"))
                    .hint("such as Europe/Lisbon, or UTC")
            })?,
        };
        let mut columns = BTreeMap::new();
        for pair in &self.map {
            let Some((ours, column)) = pair.split_once('=') else {
                return Err(OperationError::usage(format!(
                    "`{pair}` is no pair such as text=body"
                )));
            };
            columns.insert(ours.trim().to_owned(), column.trim().to_owned());
        }
        let since = self.since.as_ref().map(|since| since.start(&zone, today));
        let options = Options {
            with_chats: self.with_chats,
            me: self.me.clone(),
            zone,
            keep_pins: self.keep_pins,
            since,
            columns,
        };
        let content = self.content.clone();
        let upload = self.upload.clone();
        Ok(Asked { paths, upload, content, format, options, explain: self.explain })
    }
}

/// Returns where a program keeps its memories on this machine.
fn usual_places(source: &str, machine: &Machine) -> Result<Vec<PathBuf>, OperationError> {
    let places = import::places(machine).into_iter();
    let found: Vec<PathBuf> =
        places.filter(|place| place.format == source).map(|place| place.path.into()).collect();
    if found.is_empty() {
        let why = format!("there is nothing of {source} at its usual places");
        return Err(OperationError::input("not-found", why)
            .hint(format!("say where it is: quipu import {source} PATH")));
    }
    Ok(found)
}
