//! What each feature of two statements weighs, learned by `tools/judgement/learn.py` from the dev half of
//! the labelled set and from `contradictions.train.tsv`. Whole numbers: hundredths of a log-odd.

/// How many features there are.
pub const FEATURES: usize = WEIGHTS.len();

/// Above this sum two statements cannot both hold.
pub(super) const SURE: i32 = 0;

/// The features with their weights.
#[rustfmt::skip]
pub(super) const WEIGHTS: [(&str, i32); 72] = [
    ("bias", 149), ("nothing shared", -169), ("one word shared", -22), ("three shared", 103), ("four shared", 15), ("name shared", 67), ("light words shared", 44),
    ("own words in both", 32), ("two own words in both", -55), ("three own words in both", -16), ("own words in old", -72), ("own words in new", -50),
    ("own subjects in both", -39), ("own subject in old", -20), ("own subject in new", -47), ("other scope", -144), ("other modifier", -43),
    ("other amount", 6), ("same amount", -40), ("other value", 43), ("opposite", 58), ("negation", 6), ("two negations", 20), ("agreement", -39),
    ("other name", -16), ("other path", -13), ("only", 17), ("other complement", 30), ("swapped", 0), ("several signs", -21), ("update", 0), ("sure update", 16),
    ("update with a sign", 84), ("same head", -25), ("head of one", 15), ("other heads", -42), ("other rate", -21), ("own scopes", -12), ("condition", -12),
    ("exception", 2), ("permission", 2), ("permission on condition", -7), ("exclusive", 50), ("addition", -3), ("double denial", 0), ("same head alone", -8), ("other name beside a shared one", 3), ("other name, same head", -23), ("no own words in one", 34),
    ("no own words", 9), ("path beside a shared name", 6), ("negation of all that is shared", -43), ("additive", -15), ("additive value", -33),
    ("amount, own words", -41), ("amount, other scope", -79), ("amount, other heads", -9),
    ("value, own words", 36), ("value, other scope", -30), ("value, other heads", -13),
    ("opposite, own words", 1), ("opposite, other scope", 4), ("opposite, other heads", -8),
    ("negation, own words", 14), ("negation, other scope", -10), ("negation, other heads", -3),
    ("name, own words", -16), ("name, other scope", -20), ("name, other heads", -4),
    ("complement, own words", 34), ("complement, other scope", -12), ("complement, other heads", -6),
];
