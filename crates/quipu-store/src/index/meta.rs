//! What the index knows about a document without asking the database: enough to filter and rank.

use jiff::Timestamp;
use quipu_core::item::{Item, Kind, Layer};
use quipu_core::rank;
use quipu_core::terms::Language;

/// Session, time, place in the session, number.
pub(crate) type Order = (u32, i64, u32, u32);

/// A document's numbers; in the database it takes [`Meta::SIZE`] bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meta {
    /// Its number.
    pub(crate) doc: u32,
    /// Its session's number; 0 for none.
    pub(crate) session: u32,
    /// Its place among those of the same session and time.
    pub(crate) position: u32,
    /// How many telling words it has.
    pub(crate) length: u32,
    /// How many of them are its own text, and not the name of who said it.
    pub(crate) text_length: u32,
    /// How many words a person would count.
    pub(crate) words: u32,
    /// Who said it, as a number; 0 for nobody.
    pub(crate) speaker: u32,
    /// When it was learned, in seconds.
    pub(crate) time: i64,
    /// Since when it is true.
    pub(crate) valid_from: i64,
    /// Until when, exclusive.
    pub(crate) valid_to: i64,
    /// Base importance.
    pub(crate) importance: f32,
    pub(crate) kind: u8,
    pub(crate) layer: u8,
    pub(crate) memory_type: u8,
    pub(crate) status: u8,
    pub(crate) sensitivity: u8,
    pub(crate) language: u8,
    /// Whether it asks something.
    pub(crate) asks: u8,
    /// The same for documents of the same words, whatever their order.
    pub(crate) fold: u64,
}

impl Meta {
    pub(crate) const SIZE: usize = 71;

    pub(crate) fn new(item: &Item, doc: u32, session: u32, position: u32) -> Self {
        let seconds = |time: Timestamp| time.as_second();
        Self {
            doc,
            session,
            position,
            length: 0,
            text_length: 0,
            words: u32::try_from(item.text.split_whitespace().count()).unwrap_or(u32::MAX),
            speaker: item.speaker.as_deref().map_or(0, speaker_number),
            time: item.time.as_second(),
            valid_from: item.valid_from.map_or(item.time.as_second(), seconds),
            valid_to: item.valid_to.map_or(i64::MAX, seconds),
            importance: item.importance,
            kind: item.kind.index(),
            layer: item.layer.index(),
            memory_type: item.memory_type.index(),
            status: item.status.index(),
            sensitivity: item.sensitivity.index(),
            language: Language::Unknown.index(),
            asks: u8::from(item.text.contains('?')),
            fold: 0,
        }
    }

    /// See [`quipu_core::rank::standing`].
    pub(crate) fn standing(&self) -> f32 {
        let kind = Kind::ALL.get(usize::from(self.kind));
        let layer = Layer::ALL.get(usize::from(self.layer));
        kind.zip(layer).map_or(0.0, |(kind, layer)| rank::standing(*kind, *layer, self.importance))
    }

    /// What documents of a segment are sorted by, so that neighbours stand side by side.
    pub(crate) fn order(&self) -> Order {
        (self.session, self.time, self.position, self.doc)
    }

    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        for value in [
            self.doc,
            self.session,
            self.position,
            self.length,
            self.text_length,
            self.words,
            self.speaker,
        ] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        for value in [self.time, self.valid_from, self.valid_to] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        bytes.extend_from_slice(&self.importance.to_le_bytes());
        bytes.extend_from_slice(&[
            self.kind,
            self.layer,
            self.memory_type,
            self.status,
            self.sensitivity,
            self.language,
            self.asks,
        ]);
        bytes.extend_from_slice(&self.fold.to_le_bytes());
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::SIZE] = bytes.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        let long = |at: usize| i64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| bytes[at + i]));
        Some(Self {
            doc: word(0),
            session: word(4),
            position: word(8),
            length: word(12),
            text_length: word(16),
            words: word(20),
            speaker: word(24),
            time: long(28),
            valid_from: long(36),
            valid_to: long(44),
            importance: f32::from_bits(word(52)),
            kind: bytes[56],
            layer: bytes[57],
            memory_type: bytes[58],
            status: bytes[59],
            sensitivity: bytes[60],
            language: bytes[61],
            asks: bytes[62],
            fold: long(63).cast_unsigned(),
        })
    }
}

/// Returns a number for who said something, the same for every spelling of the name.
pub(crate) fn speaker_number(name: &str) -> u32 {
    let wide = quipu_core::terms::label('n', &name.trim().to_lowercase());
    // Folded, and never the one for nobody.
    let bytes = wide.to_le_bytes();
    u32::from_le_bytes([
        bytes[0] ^ bytes[4],
        bytes[1] ^ bytes[5],
        bytes[2] ^ bytes[6],
        bytes[3] ^ bytes[7],
    ])
    .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meta_comes_back() {
        let item = Item::new("x", Kind::Record, "text", Timestamp::UNIX_EPOCH);
        let meta = Meta { length: 7, fold: u64::MAX - 3, asks: 1, ..Meta::new(&item, 1, 2, 3) };
        let mut bytes = Vec::new();
        meta.encode(&mut bytes);
        assert_eq!(bytes.len(), Meta::SIZE);
        assert_eq!(Meta::decode(&bytes), Some(meta));
        assert_eq!(Meta::decode(&bytes[1..]), None);
    }
}
