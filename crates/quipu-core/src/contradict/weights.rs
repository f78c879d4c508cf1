//! What each feature of two statements weighs, learned by `tools/judgement/learn.py` from the dev half of
//! the labelled set and from `contradictions.train.tsv`. Whole numbers: hundredths of a log-odd.

/// How many features there are.
pub const FEATURES: usize = WEIGHTS.len();

/// Above this sum two statements cannot both hold.
pub(super) const SURE: i32 = 0;

/// The features with their weights.
#[rustfmt::skip]
pub(super) const WEIGHTS: [(&str, i32); 101] = [
    ("bias", 161), ("nothing shared", -197), ("one word shared", -38), ("three shared", 104), ("four shared", -13), ("name shared", 65), ("light words shared", 56),
    ("own words in both", 23), ("two own words in both", -52), ("three own words in both", -7), ("own words in old", -67), ("own words in new", -34),
    ("own subjects in both", -51), ("own subject in old", 21), ("own subject in new", -21), ("other scope", -174), ("other modifier", -67),
    ("other amount", 24), ("same amount", -32), ("other value", 74), ("opposite", 80), ("negation", -3), ("two negations", 12), ("agreement", -49),
    ("other name", 3), ("other path", -7), ("only", 47), ("other complement", 60), ("swapped", 0), ("several signs", -15), ("update", -1), ("sure update", 43),
    ("update with a sign", 88), ("same head", -108), ("head of one", 15), ("other heads", -42), ("other rate", -68), ("own scopes", -55), ("condition", -24),
    ("exception", -6), ("permission", 19), ("permission on condition", -20), ("exclusive", 12), ("addition", 0), ("double denial", -41), ("same head alone", -1), ("other name beside a shared one", 1), ("other name, same head", -27), ("no own words in one", 47),
    ("no own words", 9), ("path beside a shared name", 7), ("negation of all that is shared", -45), ("additive", -33), ("additive value", -53),
    ("own subjects, same head", -11), ("own subject in one, same head", 27), ("same subject", 70), ("same verb", -32),
    ("no verb in one", -3), ("said otherwise", 21), ("said otherwise, same subject", -23),
    ("said otherwise, same verb", 13), ("said otherwise, same slot", -32), ("said otherwise, no slot", -20),
    ("said otherwise, names", 3), ("said otherwise, same subject and verb", 7),
    ("said otherwise, same subject and slot", -21), ("said otherwise, all the same", 10),
    ("said otherwise, one word each", -20), ("said otherwise, many words", -34), ("said otherwise, additive", 1),
    ("said otherwise, no other sign", -78), ("negation, same subject", 24), ("other subjects", -60), ("part of the subject", -61),
    ("amount, other subjects", -115), ("amount, part of the subject", 39), ("value, other subjects", 28),
    ("opposite, other subjects", 3), ("negation, other subjects", 15), ("other sign, part of the subject", 13),
    ("said otherwise, other subjects", 39), ("said by another", 47),
    ("amount, own words", -46), ("amount, other scope", -88), ("amount, other heads", 13),
    ("value, own words", 46), ("value, other scope", -50), ("value, other heads", -4),
    ("opposite, own words", -11), ("opposite, other scope", 1), ("opposite, other heads", -23),
    ("negation, own words", 36), ("negation, other scope", -4), ("negation, other heads", 4),
    ("name, own words", 3), ("name, other scope", -33), ("name, other heads", -9),
    ("complement, own words", 61), ("complement, other scope", -21), ("complement, other heads", -6),
];
