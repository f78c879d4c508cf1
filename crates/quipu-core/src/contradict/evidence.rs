//! What a comparison of two clauses counts.

/// What the comparison of two clauses found; the numbers are counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Words of the subject matter that both have.
    pub(super) shared: i32,
    /// Of these, names.
    pub(super) shared_names: i32,
    /// Light words that both have.
    pub(super) shared_light: i32,
    /// Words that only the older has, and only the newer.
    pub(super) own_old: i32,
    pub(super) own_new: i32,
    /// Of these, words in the place of a subject.
    pub(super) own_subject_old: i32,
    pub(super) own_subject_new: i32,
    /// Families of scopes in which both name different members.
    pub(super) scope_clashes: i32,
    /// Nouns that both have, with different words right before them.
    pub(super) modifier_clashes: i32,
    /// The nouns that the sentences begin with: both have the same; both have one that the other lacks.
    pub(super) same_head: i32,
    pub(super) other_head: i32,
    /// One speaks of "a month", and the other does not.
    pub(super) other_rate: i32,
    /// Both have words of their own after "in", "for" and the like.
    pub(super) own_scopes: i32,
    /// What both say a thing is, or where, where both say it of the same thing.
    pub(super) other_complements: i32,
    /// Amounts of one dimension that differ, and that agree.
    pub(super) other_amounts: i32,
    pub(super) same_amounts: i32,
    /// Families of values in which both name different members, and the same.
    pub(super) other_values: i32,
    pub(super) same_values: i32,
    /// Words that one says and the other denies; both say.
    pub(super) opposites: i32,
    pub(super) negations: i32,
    pub(super) agreements: i32,
    /// Names in what is said, where the rest is the same.
    pub(super) other_names: i32,
    /// Paths or identifiers in what is said.
    pub(super) other_code: i32,
    /// "only X" in one where the other has something else.
    pub(super) only_others: i32,
    /// The same words but in swapped places.
    pub(super) swapped: i32,
    /// What both say of the same thing with words of their own.
    pub(super) said: Said,
    /// Why they disagree, in words, the strongest sign first.
    pub(super) reasons: Vec<String>,
    /// What both are about.
    pub(super) about: Vec<String>,
}

/// How what two clauses say of the same thing differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "signs that are there or not")]
pub(super) struct Said {
    /// Both say something with words of their own, of what both have.
    pub(super) is_otherwise: bool,
    /// That is more than another thing about a named one.
    pub(super) is_comparable: bool,
    /// The subjects have no words of their own.
    pub(super) is_same_subject: bool,
    /// Before the verb each has a word that the other lacks: "the left speaker" and "the right speaker".
    pub(super) are_other_subjects: bool,
    /// Before the verb one has a word more: "the queue" and "the dead letter queue".
    pub(super) is_part_of_subject: bool,
    /// What one says of a thing, the other says by it: "is paid by Mia" and "Jonas pays".
    pub(super) is_turned: bool,
    /// The verbs are one.
    pub(super) is_same_verb: bool,
    /// One has no verb.
    pub(super) lacks_verb: bool,
    /// The own words follow the same preposition.
    pub(super) is_same_slot: bool,
    /// The own words follow no preposition.
    pub(super) has_no_slot: bool,
    /// The own words are spelled as names.
    pub(super) are_names: bool,
    /// One own word in each.
    pub(super) is_single: bool,
    /// More than three own words in one.
    pub(super) is_long: bool,
}

/// How two words belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// The same word, or one that means the same.
    Same,
    /// Of one sense, at opposite poles.
    Opposite,
}

/// Says what changed, for people.
pub(super) fn became(from: &str, to: &str) -> String {
    format!("`{from}` became `{to}`")
}
