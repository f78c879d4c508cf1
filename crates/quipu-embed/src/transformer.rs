//! A BERT encoder from a folder: `model.safetensors`, `config.json` and `vocab.txt`, as
//! sentence-transformers writes them. Plain loops, no runtime; meant for those who want more quality
//! than the table and have a few milliseconds a text.

use std::collections::HashMap;
use std::path::Path;

use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;

use crate::wordpiece::{self, Vocabulary};
use crate::{EmbedError, Embedder, Role};

/// Texts are cut at this many pieces.
const LONGEST: usize = 256;

#[derive(Debug, Deserialize)]
struct Config {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f32,
}

fn usual_epsilon() -> f32 {
    1e-12
}

/// A BERT encoder whose sentence vector is the mean of its pieces.
pub struct Transformer {
    id: String,
    config: Config,
    pieces: Pieces,
    tensors: HashMap<String, Vec<f32>>,
}

impl std::fmt::Debug for Transformer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transformer").field("id", &self.id).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Pieces {
    known: HashMap<String, u32>,
}

impl Vocabulary for Pieces {
    fn seed(&self, _continues: bool) -> u32 {
        0
    }

    fn find(&self, piece: &str, _hash: u32, continues: bool) -> Option<u32> {
        if continues {
            self.known.get(&format!("##{piece}")).copied()
        } else {
            self.known.get(piece).copied()
        }
    }
}

impl Transformer {
    /// Loads a model.
    ///
    /// # Errors
    /// When a file is missing or is not what it should be.
    pub fn load(folder: &Path) -> Result<Self, EmbedError> {
        let bad =
            |reason: String| EmbedError::BadModel { model: folder.display().to_string(), reason };
        let read = |name: &str| {
            std::fs::read(folder.join(name)).map_err(|error| bad(format!("{name}: {error}")))
        };
        let config: Config = serde_json::from_slice(&read("config.json")?)
            .map_err(|error| bad(format!("config.json: {error}")))?;
        if !config.hidden_size.is_multiple_of(config.num_attention_heads) {
            return Err(bad("config.json: heads do not divide the hidden size".to_owned()));
        }
        let vocabulary = String::from_utf8(read("vocab.txt")?)
            .map_err(|_| bad("vocab.txt is not text".to_owned()))?;
        let known: HashMap<String, u32> =
            vocabulary.lines().map(str::to_owned).zip(0_u32..).collect();
        let bytes = read("model.safetensors")?;
        let parsed = SafeTensors::deserialize(&bytes)
            .map_err(|error| bad(format!("model.safetensors: {error}")))?;
        let mut tensors = HashMap::new();
        for (name, view) in parsed.tensors() {
            if view.dtype() != Dtype::F32 {
                continue;
            }
            let values = view.data().chunks_exact(4);
            let values = values.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            tensors.insert(name.strip_prefix("bert.").unwrap_or(&name).to_owned(), values);
        }
        let name = folder.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy());
        let id = format!("transformer:{name}");
        let model = Self { id, config, pieces: Pieces { known }, tensors };
        // A missing tensor is told now, not at the first text.
        model.encode("complete?").map_err(|missing| bad(format!("no tensor `{missing}`")))?;
        Ok(model)
    }

    fn tensor(&self, name: &str) -> Result<&[f32], String> {
        self.tensors.get(name).map(Vec::as_slice).ok_or_else(|| name.to_owned())
    }

    fn special(&self, name: &str) -> Result<u32, String> {
        self.pieces.known.get(name).copied().ok_or_else(|| name.to_owned())
    }

    fn encode(&self, text: &str) -> Result<Vec<f32>, String> {
        let width = self.config.hidden_size;
        let mut ids = vec![self.special("[CLS]")?];
        wordpiece::pieces(text, &self.pieces, |id| ids.push(id));
        ids.truncate(LONGEST - 1);
        ids.push(self.special("[SEP]")?);
        let words = self.tensor("embeddings.word_embeddings.weight")?;
        let places = self.tensor("embeddings.position_embeddings.weight")?;
        let types = self.tensor("embeddings.token_type_embeddings.weight")?;
        let mut state = vec![0.0; ids.len() * width];
        for (at, (row, id)) in state.chunks_exact_mut(width).zip(&ids).enumerate() {
            let word = &words[*id as usize * width..][..width];
            let place = &places[at * width..][..width];
            for (value, ((word, place), kind)) in
                row.iter_mut().zip(word.iter().zip(place).zip(types))
            {
                *value = word + place + kind;
            }
        }
        self.normalise(&mut state, "embeddings.LayerNorm")?;
        for layer in 0..self.config.num_hidden_layers {
            self.layer(&mut state, layer)?;
        }
        let mut mean = vec![0.0; width];
        for row in state.chunks_exact(width) {
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += value;
            }
        }
        let norm = mean.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-12);
        for value in &mut mean {
            *value /= norm;
        }
        Ok(mean)
    }

    fn layer(&self, state: &mut Vec<f32>, layer: usize) -> Result<(), String> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let linear = |input: &[f32], part: &str| self.linear(input, &name(part));
        let query = linear(state, "attention.self.query")?;
        let key = linear(state, "attention.self.key")?;
        let value = linear(state, "attention.self.value")?;
        let mixed = self.attention(&query, &key, &value);
        let mut out = linear(&mixed, "attention.output.dense")?;
        add(&mut out, state);
        self.normalise(&mut out, &name("attention.output.LayerNorm"))?;
        let mut inner = linear(&out, "intermediate.dense")?;
        for value in &mut inner {
            *value = gelu(*value);
        }
        let mut result = linear(&inner, "output.dense")?;
        add(&mut result, &out);
        self.normalise(&mut result, &name("output.LayerNorm"))?;
        *state = result;
        Ok(())
    }

    /// Multiplies each row with a weight matrix (`out × in`) and adds the bias.
    fn linear(&self, input: &[f32], name: &str) -> Result<Vec<f32>, String> {
        let weight = self.tensor(&format!("{name}.weight"))?;
        let bias = self.tensor(&format!("{name}.bias"))?;
        let width = weight.len() / bias.len();
        let mut output = Vec::with_capacity(input.len() / width * bias.len());
        for row in input.chunks_exact(width) {
            for (weights, bias) in weight.chunks_exact(width).zip(bias) {
                output.push(bias + dot(row, weights));
            }
        }
        Ok(output)
    }

    #[expect(clippy::cast_precision_loss, reason = "a head has few dimensions")]
    fn attention(&self, query: &[f32], key: &[f32], value: &[f32]) -> Vec<f32> {
        let width = self.config.hidden_size;
        let head = width / self.config.num_attention_heads;
        let scale = 1.0 / (head as f32).sqrt();
        let rows = query.len() / width;
        let mut mixed = vec![0.0; query.len()];
        for start in (0..width).step_by(head) {
            let part = |matrix: &'_ [f32], row: usize| -> Vec<f32> {
                matrix[row * width + start..][..head].to_vec()
            };
            let keys: Vec<Vec<f32>> = (0..rows).map(|row| part(key, row)).collect();
            for row in 0..rows {
                let asked = part(query, row);
                let mut weights: Vec<f32> =
                    keys.iter().map(|key| dot(&asked, key) * scale).collect();
                softmax(&mut weights);
                let out = &mut mixed[row * width + start..][..head];
                for (other, weight) in weights.iter().enumerate() {
                    let value = &value[other * width + start..][..head];
                    for (sum, value) in out.iter_mut().zip(value) {
                        *sum += weight * value;
                    }
                }
            }
        }
        mixed
    }

    #[expect(clippy::cast_precision_loss, reason = "a row has few dimensions")]
    fn normalise(&self, state: &mut [f32], name: &str) -> Result<(), String> {
        let weight = self.tensor(&format!("{name}.weight"))?;
        let bias = self.tensor(&format!("{name}.bias"))?;
        for row in state.chunks_exact_mut(weight.len()) {
            let mean = row.iter().sum::<f32>() / row.len() as f32;
            let spread =
                row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / row.len() as f32;
            let scale = 1.0 / (spread + self.config.layer_norm_eps).sqrt();
            for (value, (weight, bias)) in row.iter_mut().zip(weight.iter().zip(bias)) {
                *value = (*value - mean) * scale * weight + bias;
            }
        }
        Ok(())
    }
}

impl Embedder for Transformer {
    fn id(&self) -> &str {
        &self.id
    }

    fn embed(&self, texts: &[&str], _role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        let missing = |name| EmbedError::BadModel {
            model: self.id.clone(),
            reason: format!("no tensor `{name}`"),
        };
        texts.iter().map(|text| self.encode(text).map_err(missing)).collect()
    }
}

fn add(to: &mut [f32], other: &[f32]) {
    for (value, other) in to.iter_mut().zip(other) {
        *value += other;
    }
}

/// Sums side by side, so that the compiler can use wide registers.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = (*value - most).exp();
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}

/// x · Φ(x), with the error function to about 1e-7 (Abramowitz and Stegun 7.1.26).
fn gelu(x: f32) -> f32 {
    let z = x.abs() / std::f32::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let polynomial = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    let erf = 1.0 - polynomial * (-z * z).exp();
    0.5 * x * (1.0 + erf.copysign(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four numbers that sentence-transformers gives for all-MiniLM-L6-v2.
    const KNOWN: [(&str, [f32; 4]); 2] = [
        ("We store session tokens in PostgreSQL.", [-0.037_242, 0.007_415, -0.129_714, 0.013_683]),
        ("café naïve", [0.014_727, -0.006_939, -0.005_447, 0.021_985]),
    ];

    #[test]
    fn vectors_are_those_of_the_original() {
        let Some(folder) = std::env::var_os("QUIPU_TEST_TRANSFORMER") else {
            return;
        };
        let model = Transformer::load(Path::new(&folder)).unwrap();
        for (text, expected) in KNOWN {
            let vector = &model.embed(&[text], Role::Memory).unwrap()[0];
            for (ours, theirs) in vector.iter().zip(expected) {
                assert!((ours - theirs).abs() < 1e-3, "{text}: {:?}", &vector[..4]);
            }
        }
    }

    #[test]
    fn a_folder_without_a_model_is_told() {
        let error = Transformer::load(Path::new("/nowhere")).unwrap_err();
        assert!(error.to_string().contains("config.json"), "{error}");
    }

    #[test]
    fn gelu_is_close() {
        for (x, y) in [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_25), (3.0, 2.995_950_2)] {
            assert!((gelu(x) - y).abs() < 1e-5, "{x}");
        }
    }
}
