//! Vectors in few bits a dimension.
//!
//! A number is `centre + scale × spread × level`, and the levels are the odd numbers around zero:
//! -3, -1, 1, 3 in two bits. The scale is such that the coarse vector x̂ of the unit vector x has
//! x·x̂ = 1. So its error stands at a right angle to x, what it loses is |x̂|² − 1, and products with
//! it are right on average. Measured against levels after Lloyd and Max, and without centre or
//! spread: `quipu-bench compress` and `docs/recall.md`.

use super::{Calibration, LANES, Packed, Width, likeness};

/// How many ways to divide the range of a vector are tried.
const TRIES: u8 = 16;

/// The largest step of a question: small enough that sums stay whole numbers of 32 bits.
const LARGEST_STEP: f32 = 8191.0;

/// A unit vector in few bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Coarse {
    /// How many bits a number takes.
    pub width: Width,
    /// What one level is worth; zero for a vector that says nothing.
    pub scale: f32,
    /// The square of its distance from the unit vector that it stands for.
    pub error: f32,
    /// The levels. A byte holds numbers that are as far apart as there are bytes.
    pub codes: Vec<u8>,
}

impl Coarse {
    /// Packs a vector, scaled to length one.
    pub fn new(vector: &[f32], width: Width, calibration: &Calibration) -> Self {
        let norm = dot(vector, vector).sqrt();
        let mut best =
            Self { width, scale: 0.0, error: 0.0, codes: vec![0; width.bytes(calibration.dims())] };
        if !norm.is_finite() || norm == 0.0 || vector.len() != calibration.dims() {
            return best;
        }
        let unit: Vec<f32> = vector.iter().map(|value| value / norm).collect();
        let Some((scale, error, levels)) = nearest(&unit, width, calibration) else { return best };
        best.scale = scale;
        best.error = error;
        let stride = best.codes.len();
        for (plane, levels) in (0..).zip(levels.chunks(stride)) {
            for (byte, level) in best.codes.iter_mut().zip(levels) {
                *byte |= level << (plane * width.bits());
            }
        }
        best
    }

    /// Returns the numbers; its length is a little over one, for what it lost.
    pub fn decoded(&self, calibration: &Calibration) -> Vec<f32> {
        decode(self.width, self.scale, &self.codes, calibration)
    }

    /// Returns it in eight bits, for those that know nothing else.
    pub fn widened(&self, calibration: &Calibration) -> Packed {
        Packed::new(&self.decoded(calibration))
    }
}

fn decode(width: Width, scale: f32, codes: &[u8], calibration: &Calibration) -> Vec<f32> {
    if scale == 0.0 {
        return vec![0.0; calibration.dims()];
    }
    let (bits, top) = (width.bits(), top(width));
    let values = (0..8 / bits).flat_map(|plane| {
        codes.iter().map(move |byte| {
            let code = byte >> (plane * bits) & (u8::MAX >> (8 - bits));
            2.0 * f32::from(code) - top
        })
    });
    let middles = calibration.centre().iter().zip(calibration.spread());
    middles.zip(values).map(|((centre, spread), level)| centre + scale * spread * level).collect()
}

/// The highest level, which is also how many steps there are.
fn top(width: Width) -> f32 {
    f32::from(u8::MAX >> (8 - width.bits()))
}

/// Returns scale, error and levels (as steps from the lowest) of the best way that was tried.
fn nearest(unit: &[f32], width: Width, calibration: &Calibration) -> Option<(f32, f32, Vec<u8>)> {
    let (centre, spread, top) = (calibration.centre(), calibration.spread(), top(width));
    let apart = unit.iter().zip(centre).zip(spread);
    let apart: Vec<f32> =
        apart.map(|((value, centre), spread)| (value - centre) / spread).collect();
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    let usual = (dot(&apart, &apart) / unit.len() as f32).sqrt().max(f32::MIN_POSITIVE);
    // How far out the highest level lies, in usual distances; further with more levels.
    let (closest, step) = match width {
        Width::Two => (1.0, 0.08),
        Width::Four => (1.8, 0.12),
        Width::Eight => (2.5, 0.2),
    };
    let left = 1.0 - dot(unit, centre);
    let mut best: Option<(f32, f32, Vec<u8>)> = None;
    let mut levels = vec![0_u8; unit.len()];
    for attempt in 0..TRIES {
        let reach = usual * (closest + step * f32::from(attempt));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between zero and the highest level"
        )]
        for (level, value) in levels.iter_mut().zip(&apart) {
            *level = ((value / reach * top + top + 1.0) * 0.5).clamp(0.0, top) as u8;
        }
        // One pass for all sums: the product with the vector, with the centre, and the square.
        let (mut along, mut middle, mut square) = (0.0_f32, 0.0_f32, 0.0_f32);
        for (at, level) in levels.iter().enumerate() {
            let value = spread[at] * (2.0 * f32::from(*level) - top);
            along += unit[at] * value;
            middle += centre[at] * value;
            square += value * value;
        }
        let scale = left / along;
        let error = dot(centre, centre) + 2.0 * scale * middle + scale * scale * square - 1.0;
        let is_better = best.as_ref().is_none_or(|best| error < best.1);
        if scale.is_finite() && scale > 0.0 && is_better {
            best = Some((scale, error.max(0.0), levels.clone()));
        }
    }
    best
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A question in the form that coarse vectors of one width are compared with.
#[derive(Clone, Debug)]
pub struct Asked {
    width: Width,
    scale: f32,
    /// The question times the spread, in as many parts as a byte holds numbers.
    steps: Vec<i16>,
    /// What all levels at their lowest would give.
    lowest: i64,
    /// The product with the centre.
    centre: f32,
}

impl Asked {
    /// Prepares a question.
    pub fn new(question: &Packed, width: Width, calibration: &Calibration) -> Self {
        let values = question.unpacked();
        let centre = dot(&values, calibration.centre());
        let spread = calibration.spread();
        let mut values: Vec<f32> = values.iter().zip(spread).map(|(a, b)| a * b).collect();
        values.resize(width.bytes(values.len()) * usize::from(8 / width.bits()), 0.0);
        let largest = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        #[expect(clippy::cast_precision_loss, reason = "a bound")]
        let room = i32::MAX as f32 / (values.len().max(1) as f32 * top(width)) * 0.99;
        let scale = largest / LARGEST_STEP.min(room.floor()).max(1.0);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, reason = "within the largest step")]
        let steps: Vec<i16> = values.iter().map(|value| (value / scale).round() as i16).collect();
        let levels = i64::from(u8::MAX >> (8 - width.bits()));
        let lowest = -levels * steps.iter().map(|step| i64::from(*step)).sum::<i64>();
        Self { width, scale, steps, lowest, centre }
    }

    /// Returns how near a coarse vector is, on the scale of a cosine: see [`likeness`].
    pub fn near(&self, scale: f32, error: f32, codes: &[u8]) -> f32 {
        if scale == 0.0 { 0.0 } else { likeness(self.product(scale, codes), error) }
    }

    /// Returns the product of the question and a coarse vector.
    #[expect(clippy::cast_precision_loss, reason = "far more exact than the levels are")]
    pub fn product(&self, scale: f32, codes: &[u8]) -> f32 {
        let sum = match self.width {
            Width::Two => sum::<2>(codes, &self.steps),
            Width::Four => sum::<4>(codes, &self.steps),
            Width::Eight => sum::<8>(codes, &self.steps),
        };
        self.centre + scale * self.scale * (2 * i64::from(sum) + self.lowest) as f32
    }
}

/// Returns the sum of products of levels and steps. Part by part, for so the compiler uses wide
/// registers; integers, so that the order of adding cannot matter.
fn sum<const BITS: u32>(codes: &[u8], steps: &[i16]) -> i32 {
    let mask = u8::MAX >> (8 - BITS);
    let (chunks, chunks_rest) = codes.as_chunks::<LANES>();
    let mut sums = [0_i32; LANES];
    let mut rest = 0;
    for (plane, steps) in (0..).zip(steps.chunks_exact(codes.len().max(1))) {
        let shift = plane * BITS;
        let (steps, steps_rest) = steps.as_chunks::<LANES>();
        for (codes, steps) in chunks.iter().zip(steps) {
            for lane in 0..LANES {
                sums[lane] += i32::from((codes[lane] >> shift) & mask) * i32::from(steps[lane]);
            }
        }
        for (code, step) in chunks_rest.iter().zip(steps_rest) {
            rest += i32::from((code >> shift) & mask) * i32::from(*step);
        }
    }
    sums.iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vectors(dims: usize, count: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        let vector = prop::collection::vec(-1.0_f32..1.0, dims);
        let vector = vector.prop_filter("says nothing", |v| dot(v, v) > 1e-3);
        prop::collection::vec(vector, count)
    }

    fn unit(vector: &[f32]) -> Vec<f32> {
        let norm = dot(vector, vector).sqrt();
        vector.iter().map(|value| value / norm).collect()
    }

    proptest! {
        #[test]
        fn the_error_is_known_and_stands_at_a_right_angle(
            dims in 8_usize..80,
            seed in vectors(80, 9),
            width in prop::sample::select(Width::ALL.to_vec()),
        ) {
            let seed: Vec<Vec<f32>> = seed.iter().map(|vector| vector[..dims].to_vec()).collect();
            prop_assume!(seed.iter().all(|vector| dot(vector, vector) > 1e-3));
            let packed: Vec<Packed> = seed.iter().map(|vector| Packed::new(vector)).collect();
            let calibration = Calibration::new(dims, &packed);
            for vector in &seed {
                let unit = unit(vector);
                let coarse = Coarse::new(vector, width, &calibration);
                let decoded = coarse.decoded(&calibration);
                let apart: f32 = unit.iter().zip(&decoded).map(|(a, b)| (a - b) * (a - b)).sum();
                prop_assert!((dot(&unit, &decoded) - 1.0).abs() < 1e-4);
                prop_assert!((apart - coarse.error).abs() < 1e-3, "{} {}", apart, coarse.error);
                prop_assert_eq!(coarse.codes.len(), width.bytes(dims));
            }
        }

        #[test]
        fn a_product_of_codes_is_that_of_the_numbers(
            dims in 8_usize..80,
            seed in vectors(80, 5),
            width in prop::sample::select(Width::ALL.to_vec()),
        ) {
            let seed: Vec<Vec<f32>> = seed.iter().map(|vector| vector[..dims].to_vec()).collect();
            let packed: Vec<Packed> = seed.iter().map(|vector| Packed::new(vector)).collect();
            let calibration = Calibration::new(dims, &packed);
            let asked = Asked::new(&packed[0], width, &calibration);
            for vector in &seed {
                let coarse = Coarse::new(vector, width, &calibration);
                let exact = dot(&packed[0].unpacked(), &coarse.decoded(&calibration));
                let product = asked.product(coarse.scale, &coarse.codes);
                let exact = if coarse.scale == 0.0 { product } else { exact };
                prop_assert!((product - exact).abs() < 2e-3, "{} {}", product, exact);
            }
        }
    }

    /// A vector as a model makes them: most of it is chance.
    fn made(seed: u32) -> Vec<f32> {
        let mut state = u64::from(seed) << 20 | 0x9e37_79b9;
        (0..256)
            .map(|_| {
                let mut sum = 0.0;
                for _ in 0..4 {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e);
                    sum += f32::from(u16::try_from(state >> 48).unwrap()) / 65536.0 - 0.5;
                }
                sum
            })
            .collect()
    }

    #[test]
    fn four_bits_keep_nearly_all_of_a_vector_and_two_most() {
        let packed: Vec<Packed> = (0..200).map(|seed| Packed::new(&made(seed))).collect();
        let calibration = Calibration::new(256, &packed);
        for (width, least, bytes) in [(Width::Four, 0.99, 136), (Width::Two, 0.93, 72)] {
            for seed in 300..330 {
                let coarse = Coarse::new(&made(seed), width, &calibration);
                let decoded = coarse.decoded(&calibration);
                let cosine = dot(&unit(&made(seed)), &decoded) / dot(&decoded, &decoded).sqrt();
                assert!(cosine > least, "{width:?} {cosine}");
                assert!((cosine - 1.0 / (1.0 + coarse.error).sqrt()).abs() < 1e-3);
                assert_eq!(coarse.codes.len() + 8, bytes);
                let packed = Packed::new(&made(seed));
                assert!((coarse.widened(&calibration).cosine(&packed) - cosine).abs() < 0.01);
            }
        }
    }

    #[test]
    fn what_says_nothing_is_near_nothing() {
        let calibration = Calibration::new(8, &[Packed::new(&[1.0; 8])]);
        let coarse = Coarse::new(&[0.0; 8], Width::Two, &calibration);
        assert_eq!(coarse.decoded(&calibration), [0.0; 8]);
        let asked = Asked::new(&Packed::new(&[1.0; 8]), Width::Two, &calibration);
        assert!(asked.near(coarse.scale, coarse.error, &coarse.codes).abs() < f32::EPSILON);
    }
}
