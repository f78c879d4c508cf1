//! A fingerprint of what a store holds, for comparing two stores.

use rusqlite::Connection;

use super::merge;
use crate::error::StoreError;
use crate::index::{Fingerprint, Segment};

/// A fingerprint of all that can be rebuilt.
pub(super) fn digest(connection: &Connection) -> Result<String, StoreError> {
    let mut print = Fingerprint::default();
    let mut statement = connection.prepare(
        "SELECT doc, terms, name, length(vectors) / (dims + 4) FROM tail \
         LEFT JOIN model ON model.number = model",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let model: Option<String> = row.get(2)?;
        let model = match &model {
            Some(model) => Some((&**model, row.get(3)?)),
            None => None,
        };
        print.tail(row.get(0)?, row.get_ref(1)?.as_blob().unwrap_or_default(), model);
    }
    let mut statement = connection.prepare("SELECT number, metas FROM segment")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let metas = Segment::decode_metas(row.get_ref(1)?.as_blob().unwrap_or_default());
        let mut postings =
            connection.prepare_cached("SELECT term, data FROM posting WHERE segment = ?")?;
        let mut lists = postings.query([number])?;
        while let Some(list) = lists.next()? {
            let term: i64 = list.get(0)?;
            let bytes = list.get_ref(1)?.as_blob().unwrap_or_default();
            print.postings(&metas, term.cast_unsigned(), bytes);
        }
        let mut models = connection.prepare_cached("SELECT number, dims, name FROM model")?;
        let mut models = models.query([])?;
        while let Some(row) = models.next()? {
            let of = (row.get(0)?, row.get(1)?);
            let vectors = merge::read_vectors(connection, number, of, metas.len())?;
            print.vectors(&metas, row.get_ref(2)?.as_str().unwrap_or_default(), &vectors);
        }
    }
    let mut statement = connection.prepare("SELECT doc, id, data FROM item ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text = |at: usize| Ok::<_, StoreError>(row.get_ref(at)?.as_str().unwrap_or_default());
        print.item(row.get(0)?, text(1)?, text(2)?);
    }
    for sql in [
        "SELECT item.id, entity.name FROM mention JOIN item USING (doc) \
         JOIN entity ON entity.number = mention.entity ORDER BY 1, 2",
        "SELECT id, data FROM event ORDER BY id",
    ] {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let text =
                |at: usize| Ok::<_, StoreError>(row.get_ref(at)?.as_str().unwrap_or_default());
            print.pair(text(0)?, text(1)?);
        }
    }
    Ok(print.finish())
}
