//! A fingerprint of what a store holds, for comparing two stores.

use std::collections::HashMap;

use quipu_core::terms::{fnv1a, scattered};
use quipu_core::text;
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::merge;
use crate::error::StoreError;
use crate::index::{self, decode_postings, decode_terms};

/// A fingerprint of all that can be rebuilt. Numbers of documents, segments and entities depend on
/// the order of writing and are left out; the words of each document are added up in any order. Of
/// vectors only the model counts, for how exactly they are kept is nobody's content.
pub(super) fn digest(connection: &Connection) -> Result<String, StoreError> {
    let mut indexed: HashMap<u32, (u64, u64)> = HashMap::new();
    let mut add = |doc: u32, words: u64, vectors: u64| {
        let sums = indexed.entry(doc).or_default();
        sums.0 = sums.0.wrapping_add(words);
        sums.1 = sums.1.wrapping_add(vectors);
    };
    let mut statement = connection.prepare(
        "SELECT doc, terms, name, length(vectors) / (dims + 4) FROM tail \
         LEFT JOIN model ON model.number = model",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let doc: u32 = row.get(0)?;
        for (term, count) in decode_terms(row.get_ref(1)?.as_blob().unwrap_or_default()) {
            add(doc, scattered(term, count), 0);
        }
        if let Some(model) = row.get::<_, Option<String>>(2)? {
            add(doc, 0, fnv1a(0, model.as_bytes()).wrapping_mul(row.get(3)?));
        }
    }
    let mut statement = connection.prepare("SELECT number, metas FROM segment")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let metas = index::Segment::decode_metas(row.get_ref(1)?.as_blob().unwrap_or_default());
        let mut postings =
            connection.prepare_cached("SELECT term, data FROM posting WHERE segment = ?")?;
        let mut lists = postings.query([number])?;
        while let Some(list) = lists.next()? {
            let term: i64 = list.get(0)?;
            decode_postings(list.get_ref(1)?.as_blob().unwrap_or_default(), |ordinal, count| {
                if let Some(meta) = metas.get(ordinal as usize) {
                    add(meta.doc, scattered(term.cast_unsigned(), count), 0);
                }
            });
        }
        let mut models = connection.prepare_cached("SELECT number, dims, name FROM model")?;
        let mut models = models.query([])?;
        while let Some(row) = models.next()? {
            let model = fnv1a(0, row.get_ref(2)?.as_bytes().unwrap_or_default());
            let of = (row.get(0)?, row.get(1)?);
            let vectors = merge::read_vectors(connection, number, of, metas.len())?;
            for (owner, _) in vectors.rows() {
                add(metas[owner as usize].doc, 0, model);
            }
        }
    }
    let mut hasher = Sha256::new();
    let mut statement = connection.prepare("SELECT doc, id, data FROM item ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let doc: u32 = row.get(0)?;
        let (words, vectors) = indexed.get(&doc).copied().unwrap_or_default();
        hasher.update(row.get_ref(1)?.as_bytes().unwrap_or_default());
        hasher.update([0]);
        hasher.update(row.get_ref(2)?.as_bytes().unwrap_or_default());
        hasher.update(words.to_le_bytes());
        hasher.update(vectors.to_le_bytes());
    }
    for sql in [
        "SELECT item.id, entity.name FROM mention JOIN item USING (doc) \
         JOIN entity ON entity.number = mention.entity ORDER BY 1, 2",
        "SELECT id, data FROM event ORDER BY id",
    ] {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..2 {
                hasher.update(row.get_ref(column)?.as_bytes().unwrap_or_default());
                hasher.update([0]);
            }
        }
    }
    Ok(text::hex(&hasher.finalize()))
}
