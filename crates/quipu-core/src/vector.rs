//! Vectors in one byte a dimension, and how near two of them are.
//!
//! Eight bits are the full precision: against 32 they lose nothing that a search could show, so no
//! wider form is kept. What fades is kept in four or two bits ([`Coarse`]), and its nearness counts
//! what that loses ([`likeness`]).

mod calibration;
mod coarse;
mod frqad;

pub use calibration::Calibration;
pub use coarse::{Asked, Coarse};
pub use frqad::likeness;

/// How many bits a number of a vector takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// For what is nearly gone.
    Two,
    /// For what fades.
    Four,
    /// All that there is to know.
    Eight,
}

impl Width {
    /// Every width, narrow to wide.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];

    /// Returns the bits.
    pub fn bits(self) -> u8 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// Returns the width of so many bits.
    pub fn of_bits(bits: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.bits() == bits)
    }

    /// Returns how many bytes the numbers of a vector take, without what stands beside them.
    pub fn bytes(self, dims: usize) -> usize {
        dims.div_ceil(usize::from(8 / self.bits()))
    }
}

/// A unit vector, quantised: value = `scale` × byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// What one step is worth.
    pub scale: f32,
    /// The steps.
    pub values: Vec<i8>,
}

impl Packed {
    /// Packs a vector, scaled to length one; a vector of zeros stays one.
    pub fn new(vector: &[f32]) -> Self {
        let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let largest = vector.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        if !norm.is_finite() || norm == 0.0 {
            return Self { scale: 0.0, values: vec![0; vector.len()] };
        }
        let step = largest / 127.0;
        #[expect(clippy::cast_possible_truncation, reason = "between -127 and 127")]
        let values = vector.iter().map(|value| (value / step).round() as i8).collect();
        Self { scale: step / norm, values }
    }

    /// Tells whether it says nothing.
    pub fn is_zero(&self) -> bool {
        self.scale == 0.0
    }

    /// Returns the cosine of the angle to another vector of the same model.
    pub fn cosine(&self, other: &Self) -> f32 {
        self.scale * other.scale * dot(&self.values, &other.widened())
    }

    /// Returns the numbers themselves.
    pub fn unpacked(&self) -> Vec<f32> {
        self.values.iter().map(|value| self.scale * f32::from(*value)).collect()
    }

    /// Returns the steps in a form that is faster to multiply with many others.
    pub fn widened(&self) -> Vec<i16> {
        self.values.iter().copied().map(i16::from).collect()
    }
}

/// A vector as a store has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// How exactly it is kept.
    pub width: Width,
    /// The square of what it lost.
    pub error: f32,
    /// The vector, in eight bits whatever its width.
    pub vector: Packed,
}

/// How many sums run side by side, so that the compiler can use wide registers.
const LANES: usize = 16;

/// Returns the sum of products. Integers, so that the order of adding cannot matter.
#[expect(clippy::cast_precision_loss, reason = "far below 2^24 for any model's dimensions")]
pub fn dot(a: &[i8], b: &[i16]) -> f32 {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0_i32; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += i32::from(a[lane]) * i32::from(b[lane]);
        }
    }
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    (sums.iter().sum::<i32>() + rest) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_angles() {
        let a: Vec<f32> = (0_u16..256).map(|i| (f32::from(i) * 0.7).sin()).collect();
        let b: Vec<f32> = (0_u16..256).map(|i| (f32::from(i) * 0.7 + 0.5).sin() * 3.0).collect();
        let exact = {
            let dot: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
            dot / (norm(&a) * norm(&b))
        };
        let packed = Packed::new(&a).cosine(&Packed::new(&b));
        assert!((exact - packed).abs() < 0.005, "{exact} {packed}");
        assert!((Packed::new(&a).cosine(&Packed::new(&a)) - 1.0).abs() < 0.005);
    }

    #[test]
    fn a_width_is_known_by_its_bits() {
        for width in Width::ALL {
            assert_eq!(Width::of_bits(width.bits()), Some(width));
        }
        assert_eq!(Width::of_bits(3), None);
        assert_eq!(Width::ALL.map(|width| width.bytes(257)), [65, 129, 257]);
    }

    #[test]
    fn nothing_is_near_nothing() {
        let zero = Packed::new(&[0.0; 8]);
        assert!(zero.is_zero());
        assert!(zero.cosine(&Packed::new(&[1.0; 8])).abs() < f32::EPSILON);
    }
}
