//! Which model makes vectors, and making them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use quipu_core::item::{Item, Sensitivity};
use quipu_core::vector::Packed;
use quipu_embed::{Embedder, Endpoint, Role, StaticModel};
use quipu_store::Put;

use crate::config::{EmbeddingConfig, Provider};
use crate::error::Error;
use crate::found::Indexable;
use crate::parallel;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// Returns the model that makes vectors.
///
/// # Errors
/// When it cannot be used.
pub fn embedder(workspace: &Workspace) -> Result<Arc<dyn Embedder>, Error> {
    type Known = Option<Arc<dyn Embedder>>;
    if let Some(embedder) = workspace.kept(|known: &mut Known| known.clone()) {
        return Ok(embedder);
    }
    let embedder = make_embedder(workspace.root(), &workspace.config().embedding)?;
    workspace.kept(|known: &mut Known| *known = Some(Arc::clone(&embedder)));
    Ok(embedder)
}

/// Makes the vectors of something new; nothing where there is no model, or where it is a secret,
/// which is compared with nothing and never sent to a server.
pub(crate) fn own_vectors(
    workspace: &Workspace,
    item: &Item,
) -> Option<Result<OwnVectors, String>> {
    if item.sensitivity == Sensitivity::Secret {
        return None;
    }
    let embedder = embedder(workspace).ok()?;
    let indexed = embedded_text(item);
    let texts = [indexed.as_str(), item.text.as_str()];
    // Mostly both are the same words.
    let texts = if texts[0] == texts[1] { &texts[..1] } else { &texts };
    let made = embedder.embed(texts, Role::Memory).map_err(|error| error.to_string());
    Some(made.map(|vectors| OwnVectors {
        indexed: vectors.first().and_then(|vector| packed(vector)),
        said: vectors.last().map(|vector| Packed::new(vector)),
    }))
}

/// Embeds and splits into words, on all cores. Where the model cannot be asked, items go without
/// a vector, and `quipu reembed` makes up for it.
pub(crate) fn prepared(workspace: &Workspace, items: &[Indexable]) -> Result<Prepared, Error> {
    prepared_with(workspace, items, &MadeVectors::new())
}

/// Does the same where some vectors are made already.
pub(crate) fn prepared_with(
    workspace: &Workspace,
    items: &[Indexable],
    made: &MadeVectors,
) -> Result<Prepared, Error> {
    let embedder = embedder(workspace)?;
    let put = |one: &Indexable, vector: Option<Packed>| {
        let vectors = vector.into_iter().collect();
        Put::decided(one.item.clone(), Some(one.base.clone()), one.position, vectors)
    };
    let Some(size) = embedder.batch() else {
        let embed = |one: &Indexable| match made.get(&one.item.id) {
            Some(made) => made.clone(),
            None => embedder
                .embed(&[&embedded_text(&one.item)], Role::Memory)
                .map(|vectors| vectors.first().and_then(|vector| packed(vector)))
                .map_err(|error| error.to_string()),
        };
        let prepare = |one: &Indexable| match embed(one) {
            Ok(vector) => (put(one, vector), None),
            Err(error) => (put(one, None), Some(error)),
        };
        let (puts, failures): (Vec<Put>, Vec<Option<String>>) =
            parallel::map(items, prepare).into_iter().unzip();
        return Ok(Prepared { puts, failed: failures.into_iter().flatten().next() });
    };
    let failed = made.values().find_map(|made| made.as_ref().err().cloned());
    let mut prepared = Prepared { puts: Vec::with_capacity(items.len()), failed };
    for chunk in items.chunks(size) {
        let made_of = |at: usize| made.get(&chunk[at].item.id);
        // A secret is never sent to a server.
        let open: Vec<usize> = (0..chunk.len())
            .filter(|at| chunk[*at].item.sensitivity != Sensitivity::Secret)
            .filter(|at| made_of(*at).is_none())
            .collect();
        let texts: Vec<String> = open.iter().map(|at| embedded_text(&chunk[*at].item)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut vectors: BTreeMap<usize, Packed> = (0..chunk.len())
            .filter_map(|at| Some((at, made_of(at)?.as_ref().ok()?.clone()?)))
            .collect();
        // A server that failed once is not asked again for the rest.
        if prepared.failed.is_none() && !texts.is_empty() {
            match embedder.embed(&texts, Role::Memory) {
                Ok(made) => {
                    let made = open.iter().zip(&made);
                    vectors.extend(made.filter_map(|(at, v)| Some((*at, packed(v)?))));
                }
                Err(error) => prepared.failed = Some(error.to_string()),
            }
        }
        for (at, one) in chunk.iter().enumerate() {
            prepared.puts.push(put(one, vectors.remove(&at)));
        }
    }
    Ok(prepared)
}

/// Returns a vector as the index keeps it; nothing where it says nothing.
fn packed(vector: &[f32]) -> Option<Packed> {
    Some(Packed::new(vector)).filter(|vector| !vector.is_zero())
}

/// The vectors of something new, made once.
#[derive(Debug)]
pub(crate) struct OwnVectors {
    /// Of the words with who said them, as the index keeps it.
    pub(crate) indexed: Option<Packed>,
    /// Of the words alone.
    pub(crate) said: Option<Packed>,
}

impl OwnVectors {
    pub(crate) fn into_indexed(self) -> Option<Packed> {
        self.indexed
    }
}

/// Vectors of items that are about to be indexed, by id, or why one could not be made.
pub(crate) type MadeVectors = BTreeMap<String, Result<Option<Packed>, String>>;

/// Items with what the index needs of them.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) puts: Vec<Put>,
    /// Why some have no vector.
    pub(crate) failed: Option<String>,
}

fn make_embedder(root: &Path, config: &EmbeddingConfig) -> Result<Arc<dyn Embedder>, Error> {
    match config.provider {
        Provider::BuiltIn => Ok(Arc::new(StaticModel::built_in()?)),
        Provider::Endpoint => {
            if config.url.is_empty() || config.model.is_empty() {
                return Err(Refusal::Embedding {
                    what: "`embedding.url` and `embedding.model` name the endpoint and its model",
                }
                .into());
            }
            let is_local = is_this_machine(&config.url);
            let key = std::env::var("QUIPU_EMBEDDING_KEY").ok();
            Ok(Arc::new(Endpoint::new(&config.url, &config.model, key, is_local)))
        }
        Provider::Transformer => transformer(&root.join(&config.folder)),
    }
}

#[cfg(feature = "transformer")]
fn transformer(folder: &Path) -> Result<Arc<dyn Embedder>, Error> {
    Ok(Arc::new(quipu_embed::Transformer::load(folder)?))
}

#[cfg(not(feature = "transformer"))]
fn transformer(_folder: &Path) -> Result<Arc<dyn Embedder>, Error> {
    Err(Refusal::Embedding {
        what: "this Quipu was built without models from a folder: build it with `--features transformer`",
    }
    .into())
}

/// Tells whether an address is on this machine, so that nothing leaves it.
pub(crate) fn is_this_machine(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    // What stands before an @ is a user, and not the host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A name that people gave something says what it is about.
pub(crate) fn embedded_text(item: &Item) -> String {
    let mut text = String::with_capacity(item.text.len() + 64);
    if let Some(speaker) = &item.speaker {
        text.push_str(speaker);
        text.push_str(": ");
    }
    if !item.title.is_empty() {
        text.push_str(&item.title);
        text.push(' ');
    }
    if item.is_owned_by_a_file() {
        text.push_str(&item.id.replace(['-', '#'], " "));
        text.push(' ');
    }
    text.push_str(&item.text);
    text
}
