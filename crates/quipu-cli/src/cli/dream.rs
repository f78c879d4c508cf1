//! The arguments of the dream and of what it asks.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use quipu_core::question::QuestionKind;
use quipu_engine::dream::Step;

use super::DryRun;
use super::memory::names;

fn steps() -> impl clap::builder::TypedValueParser<Value = Step> {
    use clap::builder::TypedValueParser as _;
    PossibleValuesParser::new(Step::ALL.map(Step::as_str))
        .try_map(|name| Step::named(&name).ok_or_else(|| format!("unknown: {name}")))
}

#[derive(Debug, Default, Args)]
pub(crate) struct DreamArgs {
    /// Only these steps
    #[arg(long = "step", value_name = "STEP", value_delimiter = ',', value_parser = steps())]
    pub(crate) steps: Vec<Step>,
    /// Only these actions, as a dry run names them (a beginning will do)
    #[arg(long, value_name = "ACTION", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Not these actions
    #[arg(long, value_name = "ACTION", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    /// Let the configured judge find words and answer the questions
    #[arg(long)]
    pub(crate) judge: bool,
    /// Stop after so many minutes; the next dream goes on
    #[arg(long, value_name = "MINUTES")]
    pub(crate) minutes: Option<u64>,
    /// List the dreams that were
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    pub(crate) list: bool,
    /// Take back the last dream, or the one that is named: everything is as if it had not been
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", value_hint = ValueHint::Other)]
    pub(crate) undo: Option<String>,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct DriftArgs {
    /// Draw the consequences: invalidate what certainly speaks of what is gone, ask about the rest
    #[arg(long)]
    pub(crate) fix: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// Forget what was read from code
    #[arg(long)]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct QuestionsArgs {
    /// Only the next one
    #[arg(long)]
    pub(crate) next: bool,
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = names!(QuestionKind))]
    pub(crate) kind: Vec<QuestionKind>,
    /// Those that were answered instead
    #[arg(long, conflicts_with = "next")]
    pub(crate) answered: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The question (a beginning of its id will do)
    #[arg(required_unless_present = "judge")]
    pub(crate) id: Option<String>,
    /// The answer: its name or its number
    #[arg(required_unless_present_any = ["judge", "undo"])]
    pub(crate) choice: Option<String>,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
    /// The person who answers (default: `QUIPU_USER`); an agent signs with its own name
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Let the configured judge answer what is open
    #[arg(long, conflicts_with_all = ["id", "choice", "undo"])]
    pub(crate) judge: bool,
    /// The judge answers at most so many
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) most: usize,
    /// Take an answer back, with what it did
    #[arg(long, conflicts_with = "choice")]
    pub(crate) undo: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}
