//! The arguments of `harvest`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::DryRun;

#[derive(Debug, Args)]
pub(crate) struct HarvestArgs {
    /// Files and folders (default: docs, ADRs, RFCs, design documents, roadmaps, CONTRIBUTING …)
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only documents whose path matches (`*.rst`, `docs/**/adr/*`)
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Write proposals into the memory: all, or those with these numbers or ids
    #[arg(long, value_name = "ID", num_args = 0.., value_delimiter = ',', conflicts_with_all = ["interactive", "reworded"])]
    pub(crate) accept: Option<Vec<String>>,
    /// Ask about each proposal
    #[arg(short, long, conflicts_with = "reworded")]
    pub(crate) interactive: bool,
    /// Write the proposals of a file in its words: JSON, a list of {"id", "text", "section"} (`-`: stdin)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) reworded: Option<PathBuf>,
    /// At most so many proposals
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Also list what was found and is not proposed
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}
