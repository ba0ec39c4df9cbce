//! The arithmetic of C in either precision.

use std::ops::{Add, Mul, Sub};

use crate::matrix::Scalar;

/// A number that C is made of.
pub(super) trait Real:
    Scalar + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// `size` with this number's sign; 0 for 0.
    fn signed(self, size: Self) -> Self;

    /// The nearest number from 0 to `limit`.
    fn clamped(self, limit: Self) -> Self;
}

macro_rules! real {
    ($($number:ty),*) => {$(
        impl Real for $number {
            #[inline(always)]
            fn signed(self, size: Self) -> Self {
                let up = if self > 0.0 { size } else { 0.0 };
                let down = if self < 0.0 { size } else { 0.0 };
                up - down
            }

            #[inline(always)]
            fn clamped(self, limit: Self) -> Self {
                self.max(0.0).min(limit)
            }
        }
    )*};
}

real!(f32, f64);
