//! What the vectors of a model have in common, so that few bits are spent on how they differ.

use super::Packed;

/// How many vectors that nothing is known about are mixed in, so that a small sample says little.
const PRIOR: f64 = 32.0;

/// Where the vectors of a model lie in each dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The mean.
    centre: Vec<f32>,
    /// The standard deviation; never zero.
    spread: Vec<f32>,
}

impl Calibration {
    /// Measures some vectors of a model; those of another length are left out.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a mean")]
    pub fn new<'a>(dims: usize, sample: impl IntoIterator<Item = &'a Packed>) -> Self {
        let (mut sums, mut squares) = (vec![0.0_f64; dims], vec![0.0_f64; dims]);
        let mut count = 0.0;
        for vector in sample.into_iter().filter(|vector| vector.values.len() == dims) {
            count += 1.0;
            let scale = f64::from(vector.scale);
            for ((sum, square), value) in sums.iter_mut().zip(&mut squares).zip(&vector.values) {
                let value = scale * f64::from(*value);
                *sum += value;
                *square += value * value;
            }
        }
        let even = PRIOR / dims.max(1) as f64;
        let centre: Vec<f64> = sums.iter().map(|sum| sum / (count + PRIOR)).collect();
        let spread = centre.iter().zip(&sums).zip(&squares).map(|((centre, sum), square)| {
            let apart = square - 2.0 * centre * sum + count * centre * centre;
            libm::sqrt((apart.max(0.0) + even) / (count + PRIOR)) as f32
        });
        Self { spread: spread.collect(), centre: centre.iter().map(|it| *it as f32).collect() }
    }

    /// Returns how many numbers its vectors have.
    pub fn dims(&self) -> usize {
        self.centre.len()
    }

    /// Returns the mean of each dimension.
    pub fn centre(&self) -> &[f32] {
        &self.centre
    }

    /// Returns how far from the mean each dimension usually is.
    pub fn spread(&self) -> &[f32] {
        &self.spread
    }

    /// Writes it: all means, then all deviations.
    pub fn encode(&self) -> Vec<u8> {
        self.centre.iter().chain(&self.spread).flat_map(|value| value.to_le_bytes()).collect()
    }

    /// Reads what [`Self::encode`] wrote; nothing where it makes no sense.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (values, rest) = bytes.as_chunks::<4>();
        let values: Vec<f32> = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
        let (centre, spread) = values.split_at(values.len() / 2);
        let makes_sense = rest.is_empty()
            && centre.len() == spread.len()
            && centre.iter().all(|value| value.is_finite())
            && spread.iter().all(|value| value.is_normal() && *value > 0.0);
        makes_sense.then(|| Self { centre: centre.to_vec(), spread: spread.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibration_comes_back() {
        let sample = [Packed::new(&[1.0, 2.0, 3.0]), Packed::new(&[-1.0, 0.5, 3.0])];
        let calibration = Calibration::new(3, &sample);
        assert_eq!(Calibration::decode(&calibration.encode()), Some(calibration.clone()));
        let mut bytes = calibration.encode();
        assert_eq!(Calibration::decode(&bytes[1..]), None);
        bytes[12..16].copy_from_slice(&0.0_f32.to_le_bytes());
        assert_eq!(Calibration::decode(&bytes), None);
    }

    #[test]
    fn a_small_sample_says_little_and_a_large_one_all() {
        let one = Packed::new(&[1.0, 0.0]);
        let none = Calibration::new(2, []);
        assert_eq!(none.centre(), [0.0, 0.0]);
        assert!(none.spread().iter().all(|spread| (spread - 0.5_f32.sqrt()).abs() < 1e-6));
        assert!(Calibration::new(2, [&one]).centre()[0] < 0.1);
        let many = Calibration::new(2, std::iter::repeat_n(&one, 10_000));
        assert!(many.centre()[0] > 0.99 && many.spread()[0] > 0.0);
    }
}
