//! Which files the index knows as they are.

use std::io;

use quipu_core::journal;
use quipu_store::Batch;

use super::{UNENDED, stamp_text, store};
use crate::embedding;
use crate::error::Error;
use crate::workspace::Workspace;

/// Returns the sizes of files that the index knows as they are, each with a whole last line; for
/// a file that is not there, none.
pub(crate) fn known_sizes(
    workspace: &Workspace,
    paths: &[&str],
) -> Result<Option<Vec<Option<u64>>>, Error> {
    let store = store(workspace)?;
    let mut sizes = vec![None; paths.len()];
    for (size, path) in sizes.iter_mut().zip(paths) {
        let known = store.source(path)?;
        match (workspace.fs().stamp(&workspace.root().join(path)), known) {
            (Ok(stamp), Some(known)) if known == stamp_text(workspace, path, &stamp) => {
                *size = Some(stamp.size);
            }
            (Err(error), None) if error.kind() == io::ErrorKind::NotFound => {}
            _ => return Ok(None),
        }
    }
    Ok(Some(sizes))
}

/// Tells whether the window was not as it should be when the index read it.
pub(crate) fn window_wants_a_look(workspace: &Workspace) -> Result<bool, Error> {
    Ok(store(workspace)?.source(journal::PRIMARY)?.is_some_and(|known| known.ends_with(UNENDED)))
}

/// Notes that nothing in the window waits to be written down.
pub(crate) fn window_was_looked_at(workspace: &Workspace) -> Result<(), Error> {
    let Ok(stamp) = workspace.fs().stamp(&workspace.root().join(journal::PRIMARY)) else {
        return Ok(());
    };
    let stamp = stamp_text(workspace, journal::PRIMARY, &stamp);
    let mut store = store(workspace)?;
    let is_same = store
        .source(journal::PRIMARY)?
        .is_some_and(|known| known.strip_suffix(UNENDED) == Some(&stamp));
    if is_same {
        let sources = vec![(journal::PRIMARY.to_owned(), Some(stamp))];
        let model = embedding::embedder(workspace)?.id().to_owned();
        store.apply(&Batch { model, sources, ..Batch::default() })?;
    }
    Ok(())
}

/// Tells whether the index knows these files as they are.
pub(crate) fn knows(workspace: &Workspace, paths: &[String]) -> Result<bool, Error> {
    let store = store(workspace)?;
    for path in paths {
        let known = store.source(path)?;
        let is_same = match workspace.fs().stamp(&workspace.root().join(path)) {
            Ok(stamp) => known.is_some_and(|known| {
                let known = known.strip_suffix(UNENDED).unwrap_or(&known);
                known == stamp_text(workspace, path, &stamp)
            }),
            Err(_) => known.is_none(),
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}
