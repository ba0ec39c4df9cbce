//! Numbers of about 32 digits: the unevaluated sum of two `f64`, the second at most half a unit of the first.
//!
//! Sums by Knuth's and products by Dekker's error-free transformations; the relative error of an operation is
//! below 2^-102. Magnitudes from 1e-270 to 1e290 lose nothing.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `high + low`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Wide {
    high: f64,
    low: f64,
}

/// The rounded sum of two numbers and its error, exactly.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> Wide {
    let high = a + b;
    let b_part = high - a;
    Wide { high, low: (a - (high - b_part)) + (b - b_part) }
}

/// The same where a is the larger.
#[inline(always)]
fn quick_two_sum(a: f64, b: f64) -> Wide {
    let high = a + b;
    Wide { high, low: b - (high - a) }
}

/// Two halves of 26 bits whose sum is a.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

/// The rounded product of two numbers and its error, exactly.
#[inline(always)]
fn two_product(a: f64, b: f64) -> Wide {
    let high = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    Wide { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
}

impl Wide {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// Rounded to a `f64`.
    #[inline(always)]
    pub(crate) fn round(self) -> f64 {
        self.high
    }

    pub(crate) fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    pub(crate) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::ZERO;
        }
        let root = self.high.sqrt();
        let rest = self - two_product(root, root);
        quick_two_sum(root, rest.high / (2.0 * root))
    }

    /// 0 for a negative number.
    pub(crate) fn positive_part(self) -> Self {
        if self.high > 0.0 { self } else { Self::ZERO }
    }

    pub(crate) fn larger(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl From<f64> for Wide {
    #[inline(always)]
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            unequal => unequal,
        }
    }
}

impl Neg for Wide {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for Wide {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, low) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let sum = quick_two_sum(high.high, high.low + low.high);
        quick_two_sum(sum.high, sum.low + low.low)
    }
}

impl Sub for Wide {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        let crossed = self.high * other.low + self.low * other.high;
        quick_two_sum(product.high, product.low + crossed)
    }
}

impl Div for Wide {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        quick_two_sum(first, second) + (rest.high / other.high).into()
    }
}

impl AddAssign for Wide {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Wide {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl std::iter::Sum for Wide {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

/// `a'b`.
pub(crate) fn dot(a: &[Wide], b: &[Wide]) -> Wide {
    let mut sum = Wide::ZERO;
    for (&a, &b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

/// `||a||`.
pub(crate) fn norm(a: &[Wide]) -> Wide {
    dot(a, a).sqrt()
}

/// `a -= factor b`.
pub(crate) fn subtract_multiple(a: &mut [Wide], factor: Wide, b: &[Wide]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a -= factor * b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::problems::Random;

    const ERROR: f64 = 2e-31;

    fn number(random: &mut Random) -> Wide {
        let part = |random: &mut Random| (random.next() as i64) as f64 / 2f64.powi(63);
        let scale = 10f64.powi(random.below(60) as i32 - 30);
        Wide::from(part(random) * scale) + Wide::from(part(random) * scale * 1e-17)
    }

    fn assert_close(a: Wide, b: Wide) {
        let difference = (a - b).abs().round();
        assert!(difference <= ERROR * b.abs().round(), "{a:?} for {b:?}");
    }

    #[test]
    fn errors_of_sums_and_products_are_kept() {
        assert_eq!(two_sum(1.0, 1e-30), Wide { high: 1.0, low: 1e-30 });
        let third = 1.0 / 3.0;
        // In integers: third = q 2^-54, and its square has 106 bits.
        let q = (third * 2f64.powi(54)) as u128;
        let square = two_product(third, third);
        let high = (square.high * 2f64.powi(108)) as u128;
        let low = (square.low * 2f64.powi(108)) as i128;
        assert_eq!((q * q) as i128, high as i128 + low);
    }

    #[test]
    fn integers_of_a_hundred_bits_are_exact() {
        let mut random = Random(1);
        for _ in 0..1000 {
            let (a, b) = ((random.next() >> 14) as i64, (random.next() >> 14) as i64);
            let product = Wide::from(a as f64) * Wide::from(b as f64);
            let exact = i128::from(a) * i128::from(b);
            assert_eq!(product.high as i128 + product.low as i128, exact);
            let difference = product - Wide::from((exact - 7) as f64);
            let rounded = ((exact - 7) as f64) as i128;
            assert_eq!(difference.high as i128, exact - rounded);
        }
    }

    #[test]
    fn division_undoes_multiplication_and_the_root_undoes_the_square() {
        let mut random = Random(2);
        for _ in 0..1000 {
            let (a, b) = (number(&mut random), number(&mut random));
            assert_close(a * b / b, a);
            assert_close((a * a).sqrt(), a.abs());
            assert_close((a + b) - b + b, a + b);
        }
    }

    #[test]
    fn known_digits() {
        // The next 16 digits of the root of 2.
        let root = Wide { high: std::f64::consts::SQRT_2, low: -9.667_293_313_452_913e-17 };
        assert_close(Wide::from(2.0).sqrt(), root);
        assert_close(Wide::from(2.0) / root, root);
        let third = Wide::from(1.0) / Wide::from(3.0);
        assert_close(third + third + third, Wide::from(1.0));
    }

    #[test]
    fn order_looks_at_both_parts() {
        let one = Wide::from(1.0);
        let above = one + Wide::from(1e-25);
        assert!(above > one);
        assert_eq!((above.larger(one), one.larger(above)), (above, above));
        assert_eq!((one - above).positive_part(), Wide::ZERO);
    }
}
