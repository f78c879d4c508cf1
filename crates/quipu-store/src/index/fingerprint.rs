//! A fingerprint of what a store holds, for comparing two stores of any kind.

use std::collections::HashMap;

use quipu_core::terms::{fnv1a, scattered};
use quipu_core::text;
use sha2::{Digest as _, Sha256};

use super::{Meta, Vectors, decode_postings, decode_terms};

/// A fingerprint of all that can be rebuilt. Numbers of documents, segments and entities depend on
/// the order of writing and are left out; the words of each document are added up in any order. Of
/// vectors only the model counts, because how exactly they are kept is not content.
///
/// The index comes first, then the items in order of id, then pairs of texts.
#[derive(Default)]
pub(crate) struct Fingerprint {
    /// Sums over the words and the vectors of each document.
    indexed: HashMap<u32, (u64, u64)>,
    hasher: Sha256,
}

impl Fingerprint {
    fn add(&mut self, doc: u32, words: u64, vectors: u64) {
        let sums = self.indexed.entry(doc).or_default();
        sums.0 = sums.0.wrapping_add(words);
        sums.1 = sums.1.wrapping_add(vectors);
    }

    /// Adds a document of the tail, with its model's name and how many vectors it has.
    pub(crate) fn tail(&mut self, doc: u32, terms: &[u8], model: Option<(&str, u64)>) {
        for (term, count) in decode_terms(terms) {
            self.add(doc, scattered(term, count), 0);
        }
        if let Some((model, count)) = model {
            self.add(doc, 0, fnv1a(0, model.as_bytes()).wrapping_mul(count));
        }
    }

    /// Adds the postings of a term in a segment.
    pub(crate) fn postings(&mut self, metas: &[Meta], term: u64, bytes: &[u8]) {
        decode_postings(bytes, |ordinal, count| {
            if let Some(meta) = metas.get(ordinal as usize) {
                self.add(meta.doc, scattered(term, count), 0);
            }
        });
    }

    /// Adds the vectors of a model in a segment.
    pub(crate) fn vectors(&mut self, metas: &[Meta], model: &str, vectors: &Vectors) {
        let model = fnv1a(0, model.as_bytes());
        for (owner, _) in vectors.rows() {
            self.add(metas[owner as usize].doc, 0, model);
        }
    }

    /// Adds an item.
    pub(crate) fn item(&mut self, doc: u32, id: &str, json: &str) {
        let (words, vectors) = self.indexed.get(&doc).copied().unwrap_or_default();
        self.hasher.update(id);
        self.hasher.update([0]);
        self.hasher.update(json);
        self.hasher.update(words.to_le_bytes());
        self.hasher.update(vectors.to_le_bytes());
    }

    /// Adds two texts that belong together.
    pub(crate) fn pair(&mut self, one: &str, other: &str) {
        for text in [one, other] {
            self.hasher.update(text);
            self.hasher.update([0]);
        }
    }

    pub(crate) fn finish(self) -> String {
        text::hex(&self.hasher.finalize())
    }
}
