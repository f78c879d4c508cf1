//! Why a text has no vector.

/// Why a text has no vector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The data of a model is not what it should be.
    #[error("the model `{model}` cannot be used: {reason}")]
    BadModel {
        /// The model.
        model: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An endpoint did not answer as it should.
    #[error("the embedding endpoint `{url}` failed: {reason}")]
    Endpoint {
        /// Its address.
        url: String,
        /// What went wrong.
        reason: String,
    },
}
