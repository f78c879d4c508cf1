//! Text to vectors.
//!
//! The built-in [`StaticModel`] is always there: a table of one vector a word piece, distilled
//! from a sentence transformer (`tools/distil`), read in place from the binary. An [`Endpoint`] asks
//! a server; with the feature `transformer` a model is loaded from a folder.

mod call;
mod endpoint;
mod error;
mod spelling;
mod static_model;
#[cfg(feature = "transformer")]
mod transformer;
mod wordpiece;

pub use call::Server;
pub use endpoint::Endpoint;
pub use error::EmbedError;
pub use static_model::StaticModel;
#[cfg(feature = "transformer")]
pub use transformer::Transformer;

/// What a text is to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Something that is remembered.
    Memory,
    /// Something that is asked.
    Question,
}

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns the model's name. Vectors of different models are never compared.
    fn id(&self) -> &str;

    /// Returns how many texts to give it at once; none where one at a time is as fast.
    fn batch(&self) -> Option<usize> {
        None
    }

    /// Returns a vector for each text.
    ///
    /// # Errors
    /// When the model cannot be asked.
    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>, EmbedError>;
}
