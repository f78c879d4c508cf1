//! How matches are weighed. One configuration for everything; `docs/recall.md` tells what each part
//! is worth.

pub mod evidence;
pub mod intent;
mod kin;
pub mod newer;
pub mod words;

use serde::{Deserialize, Serialize};

use crate::item::{Kind, Layer};
use crate::named::named;

named! {
    /// How sure recall is that its answers answer.
    #[derive(Default)]
    Confidence {
        /// The first one does.
        Sure = "sure",
        /// One of the first does, as it seems.
        Likely = "likely",
        /// Nothing that is remembered seems to; these are the nearest.
        #[default]
        None = "none",
    }
}

/// How fast a repeated word stops counting.
const SATURATION: f32 = 0.9;
/// How much a long text must have more matches.
const LENGTH_PENALTY: f32 = 0.6;
/// A turn of more words than this stands more and more for itself.
const LONG_TURN: f32 = 60.0;

/// What the neighbours of a turn lend it: those beside it, and the next ones.
pub const LENT: [f32; 2] = [0.5, 0.25];
/// What a question lends to the turn after it, beyond [`LENT`]: the answer inherits it.
pub const LENT_BY_A_QUESTION: f32 = 0.5;

/// What has no word in common with the question, and is no nearer to it than this, is no answer.
pub const NEAR_ENOUGH: f32 = 0.18;

/// Returns how telling a word is that `holders` of `all` documents have.
#[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
pub fn rarity(holders: usize, all: usize) -> f32 {
    let (holders, all) = (holders as f32, all.max(holders) as f32);
    ((all - holders + 0.5) / (holders + 0.5)).ln_1p()
}

/// Returns what one occurrence of a word counts in a text of that length.
#[expect(clippy::cast_precision_loss, reason = "lengths are small")]
pub fn density(length: u32, mean_length: f32) -> f32 {
    1.0 / (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * length as f32 / mean_length)
}

/// Returns what a word is worth to a document that has so much of it (BM25).
pub fn worth(rarity: f32, amount: f32) -> f32 {
    rarity * amount * (SATURATION + 1.0) / (amount + SATURATION)
}

/// Returns which share of what its neighbours lend a turn of so many words takes: a short one all.
#[expect(clippy::cast_precision_loss, reason = "lengths are small")]
pub fn borrows(words: u32) -> f32 {
    (LONG_TURN / words.max(1) as f32).min(1.0)
}

/// What each channel says about a match; 0 to 1 each, before weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Channels {
    /// Words in common, rare ones counting more.
    pub lexical: f32,
    /// Nearness of meaning.
    pub dense: f32,
    /// Said by the one that is asked about.
    pub speaker: f32,
    /// Which share of the names in the question it has.
    pub named: f32,
    /// Falls into a time that was asked for.
    pub time: f32,
    /// Is of a sort that was asked for by name, such as decisions.
    pub sort: f32,
    /// The best match of the same session.
    pub session: f32,
    /// What was distilled counts more than what was told on the way.
    pub standing: f32,
}

/// What each channel is worth.
pub const WEIGHTS: Channels = Channels {
    lexical: 1.0,
    dense: 0.6,
    speaker: 0.4,
    named: 0.3,
    time: 0.8,
    sort: 0.8,
    session: 0.1,
    standing: 0.25,
};

/// Returns how much an item stands for by itself: a fact was weighed when it was written, an archived
/// one has faded, a log only tells. What somebody called important stands a little higher, and what
/// they called unimportant lower.
pub fn standing(kind: Kind, layer: Layer, importance: f32) -> f32 {
    let usual = match (kind, layer) {
        (Kind::Fact | Kind::Thread, _) => 0.9,
        (Kind::Archived, _) | (Kind::Record, Layer::Semantic | Layer::Procedural) => 0.7,
        (Kind::Document, _) => 0.4,
        _ => 0.2,
    };
    (usual + (importance - 0.5) * 0.4).clamp(0.0, 1.0)
}

/// Returns all channels together, but for the session, which comes of the others.
pub fn fuse(channels: &Channels) -> f32 {
    WEIGHTS.lexical * channels.lexical
        + WEIGHTS.dense * channels.dense
        + WEIGHTS.speaker * channels.speaker
        + WEIGHTS.named * channels.named
        + WEIGHTS.time * channels.time
        + WEIGHTS.sort * channels.sort
        + WEIGHTS.standing * channels.standing
}
