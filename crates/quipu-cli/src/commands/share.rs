//! `quipu share` and `quipu unshare`.

use quipu_engine::operations::{Changed, FactAdded, Share, Shared, Unshare, Unshared};

use crate::context::Context;
use crate::reply::{CYAN, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for Share {
    fn say(&self, output: &Shared, _: &Context) -> Reply {
        let written = match &output.fact {
            FactAdded::Undecided { candidates, choices, nearest, .. } => {
                let has_chosen = self.agree || self.raise;
                return super::fact::undecided(candidates, choices, nearest, has_chosen);
            }
            FactAdded::AlreadyThere { id, .. } => {
                let (private, fact) = (styled(CYAN, &output.shared), styled(CYAN, id));
                return Reply::words(format!("the team has {private} already: {fact}\n"));
            }
            FactAdded::Written(written) => written,
        };
        let (private, fact) = (styled(CYAN, &output.shared), styled(CYAN, &written.done.id));
        let mut done = format!("shared {private} with the team as the fact {fact}");
        if output.stays {
            done.push_str("; your own memory keeps it too");
        }
        super::changed_words(&done, written)
            .advise("commit `memory/` and the team has it".to_owned())
    }
}

impl Spoken for Unshare {
    fn say(&self, output: &Changed<Unshared>, _: &Context) -> Reply {
        let fact = styled(CYAN, &output.done.unshared);
        let mut done = format!("moved {fact} to the archive");
        if let Some(copy) = &output.done.id {
            done = format!("{done}; a private copy is {}", styled(CYAN, copy));
        }
        super::changed_words(&done, output)
            .advise(format!("its words are still in {}", output.done.still_in.join(", ")))
    }
}
