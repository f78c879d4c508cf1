//! `quipu.toml`: what a team chose. Every key has a default and an environment variable.

use serde::Deserialize;

/// Settings of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Reviews.
    pub review: ReviewConfig,
    /// Lint.
    pub lint: LintConfig,
    /// Vectors.
    pub embedding: EmbeddingConfig,
}

/// Settings of reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewConfig {
    /// Whether `session end` applies a review that is due, instead of showing it.
    pub auto: bool,
}

/// Which model makes vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// The table that is part of Quipu.
    #[default]
    BuiltIn,
    /// An OpenAI-shaped HTTP endpoint.
    Endpoint,
    /// A model in a folder.
    Transformer,
}

/// Settings of vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// Which model.
    pub provider: Provider,
    /// The endpoint's address, such as `http://localhost:11434/v1/embeddings`.
    pub url: String,
    /// The endpoint's model.
    pub model: String,
    /// The folder of a transformer, from the workspace's root.
    pub folder: String,
    /// Whether the address comes from the environment, and not from a file that a repo brings along.
    #[serde(skip)]
    pub url_is_own: bool,
}

/// Settings of lint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LintConfig {
    /// Warnings to live with: `code` or `code:subject`.
    pub allow: Vec<String>,
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// When it is not TOML, or has a key that Quipu does not know.
    pub fn parse(source: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(source)
    }

    /// Lets environment variables win over the file.
    #[must_use]
    pub fn with_environment(mut self, get: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(value) = get("QUIPU_REVIEW_AUTO") {
            self.review.auto = matches!(value.as_str(), "1" | "true" | "yes" | "on");
        }
        if let Some(value) = get("QUIPU_EMBEDDING_PROVIDER") {
            self.embedding.provider = match value.as_str() {
                "endpoint" => Provider::Endpoint,
                "transformer" => Provider::Transformer,
                _ => Provider::BuiltIn,
            };
        }
        if let Some(value) = get("QUIPU_EMBEDDING_URL") {
            self.embedding.url = value;
            self.embedding.url_is_own = true;
        }
        if let Some(value) = get("QUIPU_EMBEDDING_MODEL") {
            self.embedding.model = value;
        }
        if let Some(value) = get("QUIPU_EMBEDDING_FOLDER") {
            self.embedding.folder = value;
        }
        if let Some(value) = get("QUIPU_LINT_ALLOW") {
            self.lint.allow.extend(value.split(',').map(|code| code.trim().to_owned()));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_wins_over_the_file() {
        let config = Config::parse("[review]\nauto = false\n").unwrap();
        let get = |key: &str| (key == "QUIPU_REVIEW_AUTO").then(|| "true".to_owned());
        assert!(config.with_environment(get).review.auto);
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_it() {
        let error = Config::parse("[review]\nautos = true\n").unwrap_err();
        assert!(error.to_string().contains("autos"), "{error}");
    }
}
