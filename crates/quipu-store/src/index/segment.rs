//! A run of documents that is read and merged as one.

use super::{Meta, decode_terms};

/// Vectors of one model, side by side; a long document has several.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) dims: usize,
    /// The ordinal of each vector's document, ascending.
    pub(crate) owners: Vec<u32>,
    pub(crate) scales: Vec<f32>,
    pub(crate) values: Vec<i8>,
}

impl Vectors {
    pub(crate) fn new(dims: usize) -> Self {
        Self { dims, ..Self::default() }
    }

    /// Makes room for so many, so that reading them copies nothing twice.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.owners.reserve_exact(count);
        self.scales.reserve_exact(count);
        self.values.reserve_exact(count * self.dims);
    }

    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    pub(crate) fn push(&mut self, owner: u32, scale: f32, values: &[i8]) {
        self.owners.push(owner);
        self.scales.push(scale);
        self.values.extend_from_slice(values);
    }

    pub(crate) fn get(&self, index: usize) -> (f32, &[i8]) {
        (self.scales[index], &self.values[index * self.dims..(index + 1) * self.dims])
    }

    /// Writes vectors as they rest in a row: owner, scale, values.
    pub(crate) fn encode(&self, range: std::ops::Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(range.len() * (self.dims + 8));
        for index in range.clone() {
            bytes.extend_from_slice(&self.owners[index].to_le_bytes());
            bytes.extend_from_slice(&self.scales[index].to_le_bytes());
        }
        let values = &self.values[range.start * self.dims..range.end * self.dims];
        bytes.extend(values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    /// Reads what [`Self::encode`] wrote.
    pub(crate) fn decode(&mut self, bytes: &[u8]) {
        let count = bytes.len() / (self.dims + 8);
        let (heads, values) = bytes.split_at(count * 8);
        for head in heads.chunks_exact(8) {
            self.owners.push(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
            self.scales.push(f32::from_le_bytes([head[4], head[5], head[6], head[7]]));
        }
        self.values.extend(values[..count * self.dims].iter().map(|value| value.cast_signed()));
    }
}

/// A segment without its postings, which stay in the database.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    /// Its number; 0 for the tail.
    pub(crate) number: i64,
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
