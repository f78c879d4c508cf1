//! The arguments of `compress`.

use clap::Args;

use super::DryRun;

#[derive(Debug, Args)]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    pub(crate) dry: DryRun,
}
