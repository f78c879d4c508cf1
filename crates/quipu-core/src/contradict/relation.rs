//! The one place that decides how a newer statement stands to an older one.
//!
//! What [`compare`](super::compare) counts becomes features; each has a whole-number weight in
//! [`weights`](super::weights), and their sum decides. The reason in words is the sign that weighs most.

use super::compare::compare;
use super::evidence::Evidence;
use super::order;
use super::statement::{Clause, Statement};
use super::weights::{FEATURES, SURE, WEIGHTS};

/// How a newer statement stands to an older one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The same words, but for case, punctuation and white space.
    Same,
    /// Both cannot hold, and the newer one says that it replaces the older.
    Update,
    /// Both cannot hold.
    Conflict,
    /// They are about the same thing and can both hold, as far as the rules can tell.
    Compatible,
    /// They are about different things.
    Unrelated,
}

/// What was found out about two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// How the newer one stands to the older.
    pub relation: Relation,
    /// Why, in words; empty where there is nothing to say.
    pub reason: String,
    /// The sum of the weights; above zero they cannot both hold.
    pub score: i32,
    /// How much both have in common: words, names, amounts of one kind.
    pub closeness: i32,
    /// Words that both have, as the older one spells them.
    pub about: Vec<String>,
}

/// The score of the same words in another order.
const REVERSED: i32 = 300;

/// At least so close, a statement is worth showing to who writes another.
pub const CLOSE: i32 = 3;

impl Judgement {
    /// Tells whether both cannot hold.
    pub fn disagrees(&self) -> bool {
        matches!(self.relation, Relation::Update | Relation::Conflict)
    }

    /// Tells whether the older statement is worth a look for who writes the newer one.
    pub fn is_close(&self) -> bool {
        self.relation == Relation::Same || self.disagrees() || self.closeness >= CLOSE
    }
}

/// Returns how a newer statement stands to an older one.
pub fn relate(old: &Statement, new: &Statement) -> Judgement {
    if old.is_identical(new) {
        let reason = "it says the same in the same words".to_owned();
        return Judgement {
            relation: Relation::Same,
            reason,
            score: 0,
            closeness: i32::MAX,
            about: Vec::new(),
        };
    }
    let mut best: Option<(i32, Evidence)> = None;
    let mut closeness = 0;
    let mut about: Vec<String> = Vec::new();
    for one in &old.clauses {
        for other in &new.clauses {
            let evidence = compare(one, other);
            let close = closeness_of(&evidence);
            if close > closeness {
                closeness = close;
                about.clone_from(&evidence.about);
            }
            if !evidence.has_sign(new) {
                continue;
            }
            let score = weigh(&features(&evidence, (old, one), (new, other)));
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, evidence));
            }
        }
    }
    about.dedup();
    // "Tabs over spaces" and "spaces over tabs".
    if closeness >= CLOSE
        && let Some(choice) = order::reversed(&old.text, &new.text)
    {
        let reason = format!("they say the opposite with the same words: {choice}");
        let relation = Relation::Conflict;
        return Judgement { relation, reason, score: REVERSED, closeness, about };
    }
    let (score, evidence) = best.unwrap_or((i32::MIN, Evidence::default()));
    let relation = match (score > SURE, closeness >= CLOSE) {
        (true, _) if new.update.is_some() => Relation::Update,
        (true, _) => Relation::Conflict,
        (false, true) => Relation::Compatible,
        (false, false) => Relation::Unrelated,
    };
    let reason = match relation {
        Relation::Update | Relation::Conflict => reason(&evidence, new),
        _ => String::new(),
    };
    Judgement { relation, reason, score, closeness, about }
}

/// Returns the reason in words.
fn reason(evidence: &Evidence, new: &Statement) -> String {
    let mut said: Vec<String> = evidence.reasons.iter().take(2).cloned().collect();
    said.dedup();
    if said.is_empty()
        && let Some(update) = &new.update
    {
        said.push(format!("it says \"{update}\""));
    }
    let mut reason = said.join("; ");
    let mut about: Vec<&str> = evidence.about.iter().map(String::as_str).collect();
    about.dedup();
    about.truncate(3);
    if !about.is_empty() {
        reason.push_str(" (about ");
        reason.push_str(&about.join(", "));
        reason.push(')');
    }
    reason
}

/// Returns the rows that the weights were learned from: each pair of clauses with a sign of a conflict.
pub fn feature_rows(old: &Statement, new: &Statement) -> Vec<[i32; FEATURES]> {
    let mut rows = Vec::new();
    for one in &old.clauses {
        for other in &new.clauses {
            let evidence = compare(one, other);
            if evidence.has_sign(new) && !old.is_identical(new) {
                rows.push(features(&evidence, (old, one), (new, other)));
            }
        }
    }
    rows
}

fn weigh(features: &[i32; FEATURES]) -> i32 {
    features.iter().zip(&WEIGHTS).map(|(feature, (_, weight))| feature * weight).sum()
}

fn closeness_of(evidence: &Evidence) -> i32 {
    let sign = |count: i32, weight: i32| i32::from(count > 0) * weight;
    3 * evidence.shared
        + 3 * evidence.shared_names
        + evidence.shared_light
        + sign(evidence.other_amounts + evidence.same_amounts, 2)
        + sign(evidence.other_values, 3)
        + sign(evidence.opposites + evidence.negations, 3)
}

impl Evidence {
    fn signs(&self) -> [bool; 8] {
        [
            self.other_amounts > 0,
            self.other_values > 0,
            self.opposites > 0,
            self.negations > 0,
            self.other_names > 0,
            self.other_code > 0,
            self.only_others > 0,
            self.other_complements > 0,
        ]
    }

    fn has_sign(&self, new: &Statement) -> bool {
        self.signs().contains(&true)
            || new.is_sure_update
            || self.swapped > 0
            || self.said.is_otherwise && self.said.is_comparable
    }
}

/// Returns the features in the order of [`WEIGHTS`].
fn features(
    evidence: &Evidence,
    (_, one): (&Statement, &Clause),
    (new, other): (&Statement, &Clause),
) -> [i32; FEATURES] {
    let e = evidence;
    let is = |is: bool| i32::from(is);
    let signs = e.signs();
    let [amount, value, opposite, negation, name, code, only, complement] = signs;
    let hard = signs.iter().filter(|sign| **sign).count();
    let own_both = e.own_old.min(e.own_new);
    let is_other_head = e.other_head == 2;
    let is_scoped = e.scope_clashes > 0 || e.modifier_clashes > 0;
    let mut all = vec![
        1,
        is(e.shared == 0),
        is(e.shared == 1),
        is(e.shared >= 3),
        is(e.shared >= 4),
        is(e.shared_names > 0),
        e.shared_light.min(2),
        is(own_both >= 1),
        is(own_both >= 2),
        is(own_both >= 3),
        e.own_old.min(4),
        e.own_new.min(4),
        is(e.own_subject_old > 0 && e.own_subject_new > 0),
        is(e.own_subject_old > 0),
        is(e.own_subject_new > 0),
        e.scope_clashes.min(2),
        is(e.modifier_clashes > 0),
        is(amount),
        is(e.same_amounts > 0),
        is(value),
        is(opposite),
        is(negation),
        is(e.negations > 1),
        is(e.agreements > 0),
        is(name),
        is(code),
        is(only),
        is(complement),
        is(e.swapped > 0),
        is(hard > 1),
        is(new.update.is_some()),
        is(new.is_sure_update),
        is(new.update.is_some() && hard > 0),
        e.same_head,
        is(e.other_head > 0),
        is(is_other_head),
        e.other_rate,
        e.own_scopes,
        is(other.is_conditional),
        is(one.is_exception || other.is_exception),
        is(other.is_permission && negation),
        is(other.is_permission && other.is_conditional),
        is(one.is_exclusive || other.is_exclusive),
        is(other.is_addition),
        is(one.is_double || other.is_double),
        is(e.same_head > 0 && own_both == 0),
        is(name && e.shared_names > 0),
        is(name && e.same_head > 0),
        is(e.own_old == 0 || e.own_new == 0),
        is(e.own_old == 0 && e.own_new == 0),
        is(code && e.shared_names > 0),
        is(negation && e.negations == 1 && e.shared <= 1),
        is(one.is_additive && other.is_additive),
        is((value || name) && one.is_additive && other.is_additive),
    ];
    all.extend(of_what_is_said(e, one.is_additive && other.is_additive).map(is));
    for sign in [amount, value, opposite, negation, name, complement] {
        all.extend([is(sign && own_both > 0), is(sign && is_scoped), is(sign && is_other_head)]);
    }
    let mut features = [0; FEATURES];
    for (feature, value) in features.iter_mut().zip(all) {
        *feature = value;
    }
    features
}

/// Returns the features of the subjects and of what is said of them, in the order of [`WEIGHTS`].
fn of_what_is_said(e: &Evidence, are_additive: bool) -> [bool; 29] {
    let said = &e.said;
    let is_said = said.is_otherwise;
    let signs = e.signs();
    let [amount, value, opposite, negation, ..] = signs;
    let (same_subject, same_verb) = (said.is_same_subject, said.is_same_verb);
    let same_slot = said.is_same_slot || said.has_no_slot;
    let own_subjects = (e.own_subject_old > 0, e.own_subject_new > 0);
    [
        e.same_head > 0 && own_subjects == (true, true),
        e.same_head > 0 && own_subjects.0 != own_subjects.1,
        same_subject,
        same_verb,
        said.lacks_verb,
        is_said,
        is_said && same_subject,
        is_said && same_verb,
        is_said && said.is_same_slot,
        is_said && said.has_no_slot,
        is_said && said.are_names,
        is_said && same_subject && same_verb,
        is_said && same_subject && same_slot,
        is_said && same_subject && same_verb && same_slot,
        is_said && said.is_single,
        is_said && said.is_long,
        is_said && are_additive,
        is_said && !signs.contains(&true),
        negation && same_subject,
        said.are_other_subjects,
        said.is_part_of_subject,
        amount && said.are_other_subjects,
        amount && said.is_part_of_subject,
        value && said.are_other_subjects,
        opposite && said.are_other_subjects,
        negation && said.are_other_subjects,
        (opposite || negation || value) && said.is_part_of_subject,
        is_said && said.are_other_subjects,
        said.is_turned,
    ]
}
