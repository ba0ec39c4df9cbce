//! Numbers of all types and byte orders.

use rayon::prelude::*;

use crate::read::LARGEST_WHOLE;

/// Numbers decoded by one task.
const TASK: usize = 1 << 14;

/// A type of real numbers as files have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberType {
    pub kind: Kind,
    pub big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    U8,
    I8,
    I16,
    I32,
    I64,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl NumberType {
    /// Bytes of a number.
    pub(super) fn width(self) -> usize {
        match self.kind {
            Kind::U8 | Kind::I8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// Decodes numbers that stand one after the other.
    pub(super) fn decode(self, bytes: &[u8], numbers: &mut [f64]) {
        let width = self.width();
        let tasks = numbers.par_chunks_mut(TASK).zip(bytes.par_chunks(TASK * width));
        tasks.for_each(|(numbers, bytes)| self.decode_here(bytes, numbers));
    }

    fn decode_here(self, bytes: &[u8], numbers: &mut [f64]) {
        macro_rules! decode {
            ($type:ty) => {{
                let (parts, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                let pairs = numbers.iter_mut().zip(parts);
                if self.big_endian {
                    pairs.for_each(|(to, &part)| *to = <$type>::from_be_bytes(part) as f64);
                } else {
                    pairs.for_each(|(to, &part)| *to = <$type>::from_le_bytes(part) as f64);
                }
            }};
        }
        match self.kind {
            Kind::U8 => decode!(u8),
            Kind::I8 => decode!(i8),
            Kind::I16 => decode!(i16),
            Kind::I32 => decode!(i32),
            Kind::I64 => decode!(i64),
            Kind::U16 => decode!(u16),
            Kind::U32 => decode!(u32),
            Kind::U64 => decode!(u64),
            Kind::F32 => decode!(f32),
            Kind::F64 => decode!(f64),
        }
    }

    /// The first number that may be another one than the file has.
    pub(super) fn first_rounded(self, numbers: &[f64]) -> Option<f64> {
        let wide = matches!(self.kind, Kind::I64 | Kind::U64);
        numbers.iter().copied().find(|v| wide && v.abs() >= LARGEST_WHOLE)
    }
}
