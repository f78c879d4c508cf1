//! A run of documents that is read and merged as one.

use super::{Meta, Vectors, decode_terms};

/// A segment without its postings, which stay in the database.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Its number; 0 for the tail.
    pub(crate) number: i64,
    /// How often its vectors were rewritten.
    pub(crate) revision: i64,
    /// The documents, in order of [`Meta::order`].
    pub(crate) metas: Vec<Meta>,
    /// Their vectors by the model that is asked for.
    pub(crate) vectors: Vectors,
}

impl Segment {
    pub(crate) fn decode_metas(bytes: &[u8]) -> Vec<Meta> {
        bytes.chunks_exact(Meta::SIZE).filter_map(Meta::decode).collect()
    }

    pub(crate) fn encode_metas(metas: &[Meta]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(metas.len() * Meta::SIZE);
        for meta in metas {
            meta.encode(&mut bytes);
        }
        bytes
    }
}

/// A document that waits in the tail.
#[derive(Clone, Debug)]
pub(crate) struct TailRow {
    pub(crate) meta: Meta,
    /// Its terms, in order.
    pub(crate) terms: Vec<(u64, u32)>,
    pub(crate) model: i64,
    /// Scale and values of each vector, as they rest in the row.
    pub(crate) vectors: Vec<u8>,
}

impl TailRow {
    pub(crate) fn new(meta: &[u8], terms: &[u8], model: i64, vectors: Vec<u8>) -> Option<Self> {
        Some(Self { meta: Meta::decode(meta)?, terms: decode_terms(terms), model, vectors })
    }

    /// Calls `each` with every vector of the row.
    pub(crate) fn each_vector(&self, dims: usize, mut each: impl FnMut(f32, &[i8])) {
        for bytes in self.vectors.chunks_exact(dims + 4) {
            let (scale, values) = bytes.split_at(4);
            let scale = f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
            let values: Vec<i8> = values.iter().map(|value| value.cast_signed()).collect();
            each(scale, &values);
        }
    }

    /// Writes vectors as they rest in a row of the tail.
    pub(crate) fn encode_vectors(vectors: &[quipu_core::vector::Packed]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for vector in vectors {
            bytes.extend_from_slice(&vector.scale.to_le_bytes());
            bytes.extend(vector.values.iter().map(|value| value.cast_unsigned()));
        }
        bytes
    }

    /// Returns how often a term occurs.
    pub(crate) fn count(&self, term: u64) -> Option<u32> {
        let at = self.terms.binary_search_by_key(&term, |(term, _)| *term).ok()?;
        Some(self.terms[at].1)
    }
}
