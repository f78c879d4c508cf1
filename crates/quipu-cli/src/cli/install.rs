//! The arguments of `install`, `uninstall` and `doctor`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use quipu_setup::install::{CLIENTS, Client};

use super::DryRun;

fn clients() -> impl clap::builder::TypedValueParser<Value = &'static Client> {
    use clap::builder::TypedValueParser as _;
    let value =
        |client: &Client| clap::builder::PossibleValue::new(client.name).aliases(client.aliases());
    PossibleValuesParser::new(CLIENTS.iter().map(value))
        .try_map(|name| Client::named(&name).ok_or_else(|| format!("unknown: {name}")))
}

/// For whom clients are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Whom {
    /// This person, in every project
    Me,
    /// Everybody who has the project
    Team,
}

/// Where to work.
#[derive(Clone, Debug, Args)]
pub(crate) struct Where {
    /// For `me`: the home folder's configuration, in every project; for the `team`: the project's files, which others get
    /// through git (the default)
    #[arg(long = "for", value_name = "WHOM")]
    pub(crate) whom: Option<Whom>,
    /// The same as `--for me`
    #[arg(long, conflicts_with = "whom")]
    pub(crate) user: bool,
    /// Take this as the home folder, with everything in its usual place
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) home: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub(crate) struct InstallArgs {
    /// The clients (default: those that are found here)
    #[arg(value_name = "CLIENT", value_parser = clients())]
    pub(crate) clients: Vec<&'static Client>,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Tell whether everything is as it was installed (exit code 1 where it is not)
    #[arg(long, conflicts_with_all = ["list", "dry_run", "yes", "force"])]
    pub(crate) check: bool,
    /// List the clients: known, found, installed
    #[arg(long, conflicts_with_all = ["clients", "dry_run", "yes", "force"])]
    pub(crate) list: bool,
    /// Only the server, no hooks
    #[arg(long, conflicts_with = "hooks_only")]
    pub(crate) mcp_only: bool,
    /// Only the hooks, no server
    #[arg(long)]
    pub(crate) hooks_only: bool,
    /// A hook after every use of a tool too (some clients use thousands a day)
    #[arg(long, conflicts_with = "mcp_only")]
    pub(crate) after_tool: bool,
    /// The program that clients start (default: `quipu` where it is on the PATH, else this one)
    #[arg(long, value_name = "PATH")]
    pub(crate) command: Option<String>,
    /// Do not guard the project's entries: where `quipu` is not installed they fail (Windows has no `sh` that a guard needs)
    #[arg(long)]
    pub(crate) plain: bool,
    /// Replace an entry named `quipu` that somebody else wrote; uninstalling puts it back
    #[arg(long)]
    pub(crate) force: bool,
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

impl Where {
    /// Tells whether the home folder's configuration is meant.
    pub(crate) fn is_user(&self) -> bool {
        self.user || self.whom == Some(Whom::Me)
    }

    /// Tells whether somebody said for whom.
    pub(crate) fn is_said(&self) -> bool {
        self.user || self.whom.is_some()
    }
}

impl InstallArgs {
    /// Tells whether a person may be asked.
    pub(crate) fn asks(&self) -> bool {
        !(self.yes || self.check || self.list || self.dry.dry_run)
    }
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub(crate) struct UninstallArgs {
    /// The clients (default: all that were installed)
    #[arg(value_name = "CLIENT", value_parser = clients())]
    pub(crate) clients: Vec<&'static Client>,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Take out entries of Quipu's that this machine has no record of, too
    #[arg(long)]
    pub(crate) force: bool,
    /// Take entries out by editing, also where the saved bytes could be put back
    #[arg(long)]
    pub(crate) edit: bool,
    /// Only client configuration: the block in AGENTS.md, the pointer files and what git has stay
    #[arg(long)]
    pub(crate) clients_only: bool,
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

impl UninstallArgs {
    /// Tells whether a person may be asked.
    pub(crate) fn asks(&self) -> bool {
        !(self.yes || self.dry.dry_run)
    }
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Take this as the home folder, with everything in its usual place
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) home: Option<PathBuf>,
    /// Start no program: neither `quipu` itself nor its hooks and server
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Look at a PostgreSQL database with spaces instead (default: the one in `QUIPU_DATABASE`)
    #[cfg(feature = "postgres")]
    #[expect(clippy::option_option, reason = "the option stands alone, or with a value")]
    #[arg(long, value_name = "URL", num_args = 0..=1, conflicts_with_all = ["home", "no_run"])]
    pub(crate) database: Option<Option<String>>,
}
