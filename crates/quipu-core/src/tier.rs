//! Which tier a fact has, and which rule says so. Integers decide (rule 2 of docs/spec/rules.md).

use serde::Serialize;

use crate::fact::Tier;
use crate::policy::{Policy, Sessions};

/// All that the decision looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one condition of the rules")]
pub struct Case {
    /// The tier that the footer names.
    pub tier: Option<Tier>,
    /// The footer names a successor, or the label says superseded.
    pub superseded: bool,
    /// The footer says `tier-by: human`.
    pub held_by_human: bool,
    /// The fact stands under the invariants heading.
    pub invariant: bool,
    /// The fact is an unchecked thread.
    pub pinned: bool,
    /// In how many sessions it was used, and sessions since the last; `None` if never.
    pub used: Option<(usize, Sessions)>,
    /// Sessions dated after its creation; `None` where the footer does not say when that was.
    pub age: Option<Sessions>,
}

/// The rule that decided, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Replaced or found false: terminal.
    Superseded,
    /// A person set core.
    Core,
    /// A person set another tier (D7).
    HeldByHuman,
    /// Under the invariants heading (D1): never decays, label untouched.
    Invariant,
    /// An unchecked thread: never decays, label untouched.
    OpenThread,
    /// No session names it: nothing to compute from, label untouched.
    NeverReferenced,
    /// New, and used at most once.
    Probation,
    /// Used within the active window.
    InUse,
    /// Not used for longer than the active window.
    Fading,
    /// Not used for longer than the archive window.
    Faded,
}

/// Returns the rule that holds for a fact. The first that matches wins.
#[must_use]
pub fn rule(case: &Case, policy: &Policy) -> Rule {
    if case.superseded {
        return Rule::Superseded;
    }
    if case.tier == Some(Tier::Core) {
        return Rule::Core;
    }
    if case.held_by_human {
        return Rule::HeldByHuman;
    }
    if case.invariant {
        return Rule::Invariant;
    }
    if case.pinned {
        return Rule::OpenThread;
    }
    let Some((uses, since)) = case.used else {
        return Rule::NeverReferenced;
    };
    if uses <= 1 && case.age.is_some_and(|age| age <= policy.working_window) {
        Rule::Probation
    } else if since <= policy.active_window {
        Rule::InUse
    } else if since <= policy.archive_window {
        Rule::Fading
    } else {
        Rule::Faded
    }
}

/// Returns the tier that `rule` gives a fact in continuity; `None` where the label stays.
///
/// A fact that is still in continuity is never labelled archived: that word means *moved*.
#[must_use]
pub fn tier(rule: Rule) -> Option<Tier> {
    match rule {
        Rule::Superseded => Some(Tier::Superseded),
        Rule::Core => Some(Tier::Core),
        Rule::HeldByHuman | Rule::Invariant | Rule::OpenThread | Rule::NeverReferenced => None,
        Rule::Probation => Some(Tier::Working),
        Rule::InUse => Some(Tier::Active),
        Rule::Fading | Rule::Faded => Some(Tier::ArchiveCandidate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(uses: usize, since: u32, age: u32) -> Case {
        Case {
            tier: Some(Tier::Active),
            superseded: false,
            held_by_human: false,
            invariant: false,
            pinned: false,
            used: Some((uses, Sessions(since))),
            age: Some(Sessions(age)),
        }
    }

    fn decide(case: Case) -> Rule {
        rule(&case, &Policy::default())
    }

    #[test]
    fn a_window_includes_its_last_session() {
        assert_eq!(decide(used(5, 8, 50)), Rule::InUse);
        assert_eq!(decide(used(5, 9, 50)), Rule::Fading);
        assert_eq!(decide(used(5, 20, 50)), Rule::Fading);
        assert_eq!(decide(used(5, 21, 50)), Rule::Faded);
    }

    #[test]
    fn probation_ends_with_the_second_use_or_the_window() {
        assert_eq!(decide(used(1, 3, 3)), Rule::Probation);
        assert_eq!(decide(used(2, 0, 3)), Rule::InUse);
        assert_eq!(decide(used(1, 4, 4)), Rule::InUse);
    }

    #[test]
    fn protection_outranks_the_count() {
        let faded = used(5, 30, 50);
        assert_eq!(decide(Case { pinned: true, ..faded }), Rule::OpenThread);
        assert_eq!(decide(Case { invariant: true, ..faded }), Rule::Invariant);
        assert_eq!(decide(Case { tier: Some(Tier::Core), ..faded }), Rule::Core);
        assert_eq!(decide(Case { held_by_human: true, ..faded }), Rule::HeldByHuman);
        assert_eq!(decide(Case { superseded: true, pinned: true, ..faded }), Rule::Superseded);
    }

    #[test]
    fn a_fact_that_no_session_names_keeps_its_label() {
        let rule = decide(Case { used: None, ..used(0, 0, 99) });
        assert_eq!((rule, tier(rule)), (Rule::NeverReferenced, None));
    }
}
