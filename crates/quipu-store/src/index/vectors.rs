//! The vectors of a segment, by width.

use std::ops::Range;

use quipu_core::vector::{Calibration, Coarse, Packed, Stored, Width};

/// One byte of a vector.
pub(crate) trait Step: Copy {
    fn of(byte: u8) -> Self;
    fn byte(self) -> u8;
}

impl Step for i8 {
    fn of(byte: u8) -> Self {
        byte.cast_signed()
    }

    fn byte(self) -> u8 {
        self.cast_unsigned()
    }
}

impl Step for u8 {
    fn of(byte: u8) -> Self {
        byte
    }

    fn byte(self) -> u8 {
        self
    }
}

/// Vectors of one model and one width, side by side; a long document has several.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plane<T> {
    pub(crate) width: Width,
    /// How many bytes a vector takes.
    pub(crate) row: usize,
    /// The ordinal of each vector's document, ascending.
    pub(crate) owners: Vec<u32>,
    pub(crate) scales: Vec<f32>,
    /// What each lost; none at all at full width.
    pub(crate) errors: Vec<f32>,
    pub(crate) values: Vec<T>,
}

impl<T: Step> Plane<T> {
    fn new(width: Width, dims: usize) -> Self {
        Self {
            width,
            row: width.bytes(dims),
            owners: Vec::new(),
            scales: Vec::new(),
            errors: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    /// Returns how many bytes stand before the values of a vector in a row of the database.
    fn head(&self) -> usize {
        if self.width == Width::Eight { 8 } else { 12 }
    }

    fn push(&mut self, owner: u32, scale: f32, error: f32, values: &[T]) {
        self.owners.push(owner);
        self.scales.push(scale);
        if self.width != Width::Eight {
            self.errors.push(error);
        }
        self.values.extend_from_slice(values);
    }

    pub(crate) fn values(&self, index: usize) -> &[T] {
        &self.values[index * self.row..(index + 1) * self.row]
    }

    fn reserve(&mut self, bytes: usize) {
        let count = bytes / (self.head() + self.row);
        self.owners.reserve_exact(count);
        self.scales.reserve_exact(count);
        if self.width != Width::Eight {
            self.errors.reserve_exact(count);
        }
        self.values.reserve_exact(count * self.row);
    }

    /// Writes vectors as they rest in a row: first owner, scale and error of each, then the values.
    pub(crate) fn encode(&self, range: Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(range.len() * (self.head() + self.row));
        for index in range.clone() {
            bytes.extend_from_slice(&self.owners[index].to_le_bytes());
            bytes.extend_from_slice(&self.scales[index].to_le_bytes());
            if let Some(error) = self.errors.get(index) {
                bytes.extend_from_slice(&error.to_le_bytes());
            }
        }
        let values = &self.values[range.start * self.row..range.end * self.row];
        bytes.extend(values.iter().map(|value| value.byte()));
        bytes
    }

    fn decode(&mut self, bytes: &[u8]) {
        let head = self.head();
        let count = bytes.len() / (head + self.row);
        let (heads, values) = bytes.split_at(count * head);
        for head in heads.chunks_exact(head) {
            let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| head[at + i]));
            self.owners.push(word(0));
            self.scales.push(f32::from_bits(word(4)));
            if head.len() > 8 {
                self.errors.push(f32::from_bits(word(8)));
            }
        }
        self.values.extend(values[..count * self.row].iter().map(|value| T::of(*value)));
    }

    fn rows(&self) -> impl Iterator<Item = (u32, Place)> {
        let place = |(index, owner): (usize, &u32)| (*owner, Place { width: self.width, index });
        self.owners.iter().enumerate().map(place)
    }
}

/// Where a vector is: the how manieth of its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) width: Width,
    pub(crate) index: usize,
}

/// Vectors of one model. All of a document are of one width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) dims: usize,
    pub(crate) full: Plane<i8>,
    /// Two bits, then four.
    pub(crate) coarse: [Plane<u8>; 2],
}

impl Vectors {
    pub(crate) fn new(dims: usize) -> Self {
        Self {
            dims,
            full: Plane::new(Width::Eight, dims),
            coarse: [Width::Two, Width::Four].map(|width| Plane::new(width, dims)),
        }
    }

    /// Returns the plane of a narrow width; none for the full one.
    fn narrow(&self, width: Width) -> Option<&Plane<u8>> {
        self.coarse.iter().find(|plane| plane.width == width)
    }

    fn narrow_mut(&mut self, width: Width) -> Option<&mut Plane<u8>> {
        self.coarse.iter_mut().find(|plane| plane.width == width)
    }

    pub(crate) fn len_of(&self, width: Width) -> usize {
        self.narrow(width).map_or(self.full.len(), Plane::len)
    }

    /// Returns the owners of each width's vectors.
    pub(crate) fn planes(&self) -> impl Iterator<Item = (Width, &[u32])> {
        let coarse = self.coarse.iter().map(|plane| (plane.width, plane.owners.as_slice()));
        coarse.chain([(Width::Eight, self.full.owners.as_slice())])
    }

    /// Tells whether any is narrow.
    pub(crate) fn has_coarse(&self) -> bool {
        self.coarse.iter().any(|plane| plane.len() > 0)
    }

    /// Makes room for what so many bytes in the database hold, so that reading copies nothing twice.
    pub(crate) fn reserve(&mut self, width: Width, bytes: usize) {
        match self.narrow_mut(width) {
            Some(plane) => plane.reserve(bytes),
            None => self.full.reserve(bytes),
        }
    }

    pub(crate) fn push_full(&mut self, owner: u32, scale: f32, values: &[i8]) {
        self.full.push(owner, scale, 0.0, values);
    }

    pub(crate) fn push_coarse(&mut self, owner: u32, coarse: &Coarse) {
        if let Some(plane) = self.narrow_mut(coarse.width) {
            plane.push(owner, coarse.scale, coarse.error, &coarse.codes);
        }
    }

    /// Adds a vector of another set as it is.
    pub(crate) fn push_from(&mut self, owner: u32, other: &Self, place: Place) {
        let index = place.index;
        match (self.narrow_mut(place.width), other.narrow(place.width)) {
            (Some(to), Some(from)) => {
                to.push(owner, from.scales[index], from.errors[index], from.values(index));
            }
            _ => self.push_full(owner, other.full.scales[index], other.full.values(index)),
        }
    }

    /// Returns where every vector is, with its owner.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, Place)> {
        self.coarse.iter().flat_map(Plane::rows).chain(self.full.rows())
    }

    /// Returns a vector of full width.
    pub(crate) fn packed(&self, index: usize) -> Packed {
        Packed { scale: self.full.scales[index], values: self.full.values(index).to_vec() }
    }

    /// Returns a vector; none where it is narrow and nothing says what that is relative to.
    pub(crate) fn stored(&self, place: Place, calibration: Option<&Calibration>) -> Option<Stored> {
        let (width, index) = (place.width, place.index);
        let Some(coarse) = self.narrow(width) else {
            return Some(Stored { width, error: 0.0, vector: self.packed(index) });
        };
        let (scale, error) = (coarse.scales[index], coarse.errors[index]);
        let coarse = Coarse { width, scale, error, codes: coarse.values(index).to_vec() };
        Some(Stored { width, error, vector: coarse.widened(calibration?) })
    }

    /// Writes vectors of one width as they rest in a row.
    pub(crate) fn encode(&self, width: Width, range: Range<usize>) -> Vec<u8> {
        match self.narrow(width) {
            Some(plane) => plane.encode(range),
            None => self.full.encode(range),
        }
    }

    /// Reads what [`Self::encode`] wrote.
    pub(crate) fn decode(&mut self, width: Width, bytes: &[u8]) {
        match self.narrow_mut(width) {
            Some(plane) => plane.decode(bytes),
            None => self.full.decode(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn vectors_of_every_width_come_back(
            dims in 1_usize..40,
            seeds in prop::collection::vec((prop::collection::vec(-1.0_f32..1.0, 40), 0_usize..3), 0..20),
        ) {
            let calibration = Calibration::new(dims, []);
            let mut vectors = Vectors::new(dims);
            for (owner, (seed, width)) in (0_u32..).zip(&seeds) {
                match Width::ALL[*width] {
                    Width::Eight => {
                        let packed = Packed::new(&seed[..dims]);
                        vectors.push_full(owner, packed.scale, &packed.values);
                    }
                    width => {
                        vectors.push_coarse(owner, &Coarse::new(&seed[..dims], width, &calibration));
                    }
                }
            }
            let mut read = Vectors::new(dims);
            for width in Width::ALL {
                let bytes = vectors.encode(width, 0..vectors.len_of(width));
                read.reserve(width, bytes.len());
                read.decode(width, &bytes);
            }
            prop_assert_eq!(&read, &vectors);
            prop_assert_eq!(read.rows().count(), seeds.len());
        }

        #[test]
        fn broken_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for width in Width::ALL {
                let mut vectors = Vectors::new(7);
                vectors.decode(width, &bytes);
                let calibration = Calibration::new(7, []);
                let mut all = vectors.rows().map(|(_, place)| vectors.stored(place, Some(&calibration)));
                prop_assert!(all.all(|stored| stored.is_some()));
            }
        }
    }
}
