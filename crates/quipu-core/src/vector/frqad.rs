//! How far apart two embeddings are when each is known only so exactly: the Fisher–Rao distance.
//!
//! An embedding is an isotropic Gaussian N(x̂, σ²I) in n dimensions, with nσ² = [`MEANING`] + its
//! error. Gaussians of this kind are the points of a hyperbolic space, and the distance is the
//! length of the geodesic between them:
//!
//! d = √(2n) arcosh(1 + (|Δ|²/2n + (σ₁ − σ₂)²) / 2σ₁σ₂)
//!
//! which is a metric. Between copies of equally close content it is smaller to the precise one. A
//! search ranks by [`likeness`], which orders vectors as the distance does; the tests compare the two.

/// The square of how far two tellings of one meaning lie apart. From 2 on, the precise copy of two
/// is always preferred.
const MEANING: f32 = 4.0;

/// Returns the cosine that an exact vector at the same distance from the question would have.
///
/// `product` is that of a question of length one, known exactly, and a vector with the square of
/// its length one more than `error`, as [`Coarse`](super::Coarse) makes them. Affine in the product, and the
/// product itself without an error, so vectors of all widths rank together.
pub fn likeness(product: f32, error: f32) -> f32 {
    let ratio = (1.0 + error / MEANING).sqrt();
    let wider = ratio - 1.0;
    1.0 - (1.0 + 0.5 * error - product + MEANING * wider * wider) / ratio
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vector::{Calibration, Coarse, Width};

    const DIMS: usize = 24;

    /// An embedding, and the square of how far from there it may be.
    #[derive(Clone, Debug, PartialEq)]
    struct Gaussian {
        mean: Vec<f32>,
        error: f32,
    }

    /// Returns the Fisher–Rao distance between two embeddings of one model.
    #[expect(clippy::cast_precision_loss, reason = "dimensions are few")]
    fn frqad(a: &Gaussian, b: &Gaussian) -> f64 {
        let apart: f64 = a.mean.iter().zip(&b.mean).map(|(a, b)| f64::from(a - b).powi(2)).sum();
        let width = |error: f32| libm::sqrt(f64::from(MEANING) + f64::from(error));
        let (one, other) = (width(a.error), width(b.error));
        let over = (apart / 2.0 + (one - other).powi(2)) / (2.0 * one * other);
        // The hyperbolic arc cosine of one more, without losing what is small beside one.
        let length = libm::log1p(over + libm::sqrt(over * (over + 2.0)));
        libm::sqrt(2.0 * a.mean.len() as f64) * length
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn scaled(vector: &[f32], length: f32) -> Vec<f32> {
        let norm = dot(vector, vector).sqrt();
        vector.iter().map(|value| value / norm * length).collect()
    }

    fn unit() -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-1.0_f32..1.0, DIMS)
            .prop_filter("says nothing", |v| dot(v, v) > 0.01)
            .prop_map(|vector| scaled(&vector, 1.0))
    }

    fn gaussian() -> impl Strategy<Value = Gaussian> {
        (unit(), prop_oneof![Just(0.0_f32), 0.0_f32..1.0])
            .prop_map(|(mean, error)| Gaussian { mean, error })
    }

    fn precise(mean: &[f32]) -> Gaussian {
        Gaussian { mean: mean.to_vec(), error: 0.0 }
    }

    proptest! {
        #[test]
        fn it_is_a_metric(a in gaussian(), b in gaussian(), c in gaussian()) {
            prop_assert_eq!(frqad(&a, &a).to_bits(), 0.0_f64.to_bits());
            prop_assert_eq!(frqad(&a, &b).to_bits(), frqad(&b, &a).to_bits());
            prop_assert!(a == b || frqad(&a, &b) > 0.0);
            prop_assert!(frqad(&a, &c) <= frqad(&a, &b) + frqad(&b, &c) + 1e-9);
        }

        /// The error of real codes, turned so that it is at a right angle to the difference.
        #[test]
        fn of_equally_close_copies_the_precise_one_is_nearer(
            question in unit(),
            vector in unit(),
            chance in unit(),
            width in prop::sample::select(vec![Width::Two, Width::Four]),
        ) {
            let calibration = Calibration::new(DIMS, &[]);
            let coarse = Coarse::new(&vector, width, &calibration);
            prop_assume!(coarse.error > 1e-4);
            let mut error = chance;
            // Again and again, for the two need not be at a right angle themselves.
            for other in [&vector, &question].into_iter().cycle().take(200) {
                let along = dot(&error, other);
                error.iter_mut().zip(other).for_each(|(e, x)| *e -= along * x);
            }
            prop_assume!(dot(&error, &question).abs().max(dot(&error, &vector).abs()) < 1e-6);
            prop_assume!(dot(&error, &error) > 1e-3);
            let error = scaled(&error, coarse.error.sqrt());
            let mean: Vec<f32> = vector.iter().zip(&error).map(|(x, e)| x + e).collect();
            let product = dot(&question, &mean);
            let copy = Gaussian { mean, error: coarse.error };
            let asked = precise(&question);
            prop_assert!(frqad(&asked, &precise(&vector)) < frqad(&asked, &copy));
            prop_assert!(likeness(product, coarse.error) < dot(&question, &vector) + 1e-6);
        }

        #[test]
        fn ranking_by_likeness_is_ranking_by_distance(
            question in unit(),
            vectors in prop::collection::vec((unit(), 0_usize..3), 2..8),
        ) {
            let calibration = Calibration::new(DIMS, &[]);
            let asked = precise(&question);
            let mut both: Vec<(f64, f32)> = Vec::new();
            for (vector, width) in &vectors {
                let coarse = Coarse::new(vector, Width::ALL[*width], &calibration);
                let copy = Gaussian { mean: coarse.decoded(&calibration), error: coarse.error };
                let likeness = likeness(dot(&question, &copy.mean), coarse.error);
                both.push((frqad(&asked, &copy), likeness));
            }
            both.sort_by(|a, b| a.0.total_cmp(&b.0));
            prop_assert!(both.windows(2).all(|pair| pair[0].1 >= pair[1].1 - 1e-3), "{:?}", both);
        }
    }

    #[test]
    fn without_an_error_likeness_is_the_cosine() {
        for cosine in [-1.0_f32, -0.3, 0.0, 0.25, 1.0] {
            assert!((likeness(cosine, 0.0) - cosine).abs() < 1e-6);
        }
    }

    #[test]
    fn the_distance_is_the_length_of_the_way() {
        // Along one mean the way is √(2n) ln(σ₂/σ₁).
        let (a, b) = (precise(&[0.0; DIMS]), Gaussian { mean: vec![0.0; DIMS], error: 12.0 });
        let length = libm::sqrt(48.0) * libm::log(2.0);
        assert!((frqad(&a, &b) - length).abs() < 1e-9);
        // Of a short way at one width it is the distance in units of that width.
        let mut near = precise(&[0.0; DIMS]);
        near.mean[0] = 1e-3;
        let sigma = libm::sqrt(4.0 / 24.0);
        assert!((frqad(&a, &near) - 1e-3 / sigma).abs() < 1e-6);
    }
}
